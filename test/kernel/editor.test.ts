// What editors ask of cells that are being written, through a real kernel: before anything has run, while a cell spins, and
// what a kernel says to a question that it does not understand.
import { expect, test } from "vitest";
import type { KernelClient } from "../../kernel/client.ts";
import { requestOf, type Json } from "../../kernel/supervisor/messages.ts";
import { next, openKernel } from "../helpers/kernel.ts";

/** A front end that asks about cells, one of which has a ¦ where it asks. */
function editor(client: KernelClient) {
  const comm = crypto.randomUUID();
  client.send("shell", requestOf("comm_open", { comm_id: comm, target_name: "warpcell.editor", data: {} }));
  let requests = 0;
  const send = async (fields: object): Promise<Json> => {
    const request = ++requests;
    const reply = next(
      client,
      ({ header, content }) => header.msg_type === "comm_msg" && (content["data"] as Json)["request"] === request,
    );
    client.send("shell", requestOf("comm_msg", { comm_id: comm, data: { request, ...fields } }));
    return (await reply).content["data"] as Json;
  };
  const ask = async (question: string, texts: readonly string[], more: object = {}) => {
    const cell = texts.findIndex((text) => text.includes("¦"));
    const offset = texts[cell]!.indexOf("¦");
    const cells = texts.map((text) => text.replace("¦", ""));
    return (await send({ question, cells, cell, offset, ...more }))["answer"] as Json;
  };
  // A checker that is busy may need longer than a question may take, and is asked again.
  const answer = (...asked: Parameters<typeof ask>) => expect.poll(() => ask(...asked), { timeout: 30_000 });
  return { send, ask, answer };
}

const cuda = "%%cuda\n// Multiplies.\n__global__ void scale(float* out, float by) { out[threadIdx.x] *= by; }";

test("hover, signature, completion, definition and rename in cells that have not run", async () => {
  const { client } = await openKernel();
  const { answer } = editor(client);
  await answer("hover", ["const width = 3;", "wid¦th"]).toEqual({
    start: 0,
    end: 5,
    markdown: "```typescript\nconst width: 3\n```",
  });
  await answer("signature", ["Math.max(1, ¦"]).toMatchObject({ signatures: [{ parameter: [4, 23] }] });
  await answer("complete", ["softma¦"]).toMatchObject({
    matches: [{ text: "softmax", from: "warpcell", edits: [{ start: 0, end: 0 }] }],
  });
  await answer("definition", [cuda, "sca¦le.over(3)"]).toMatchObject({ places: [{ cell: 0, line: 3 }] });
  await answer("rename", [cuda, "sca¦le.over(3)"], { name: "grow" }).toMatchObject({
    cells: [{ cell: 0 }, { cell: 1, edits: [{ start: 0, end: 5, text: "grow" }] }],
  });
});

test("while a cell spins, it is answered, too", async () => {
  const { client } = await openKernel();
  const { answer } = editor(client);
  await client.execute("const text = 'a';");
  let heard: () => void;
  const said = new Promise<void>((resolve) => (heard = resolve));
  const loop = client.execute(
    "console.log('on'); for (;;) ;",
    {},
    ({ header }) => header.msg_type === "stream" && heard(),
  );
  await said;
  await answer("hover", ["te¦xt"]).toMatchObject({ markdown: '```typescript\nconst text: "a"\n```' });
  await client.request("control", "interrupt_request", {});
  expect((await loop).reply["status"]).toBe("error");
});

test("hints name a kernel's parameters once its cell has run; Tab and Shift+Tab know it in later cells", async () => {
  const { client } = await openKernel();
  const { answer } = editor(client);
  await client.execute(cuda);
  await answer("hints", [cuda, "scale.launch({ grid: 1, block: 1 }, null, 3);¦"]).toMatchObject([
    { text: "out:" },
    { text: "by:" },
  ]);
  const text = "%%cuda\n__global__ void other() { scal";
  const { reply: completed } = await client.request("shell", "complete_request", {
    code: text,
    cursor_pos: text.length,
  });
  expect(completed["matches"]).toEqual(["scale"]);
  const { reply: inspected } = await client.request("shell", "inspect_request", {
    code: `${text}e`,
    cursor_pos: text.length,
    detail_level: 0,
  });
  expect((inspected["data"] as Json)["text/plain"]).toBe("__global__ void scale(float* out, float by)\n\nMultiplies.");
  const call = "%%cuda\n__device__ int f(int* p) { return atomicAdd(p, ";
  const { reply: called } = await client.request("shell", "inspect_request", {
    code: call,
    cursor_pos: call.length,
    detail_level: 0,
  });
  expect((called["data"] as Json)["text/plain"]).toMatch(/^T atomicAdd\(T\* address, T value\)\n\nAdds/);
});

test.each<[string, Json]>([
  ["no question", { cells: ["x"], cell: 0, offset: 0 }],
  ["another question", { question: "toString", cells: ["x"], cell: 0, offset: 0 }],
  ["a cell that is not there", { question: "hover", cells: ["x"], cell: 1, offset: 0 }],
  ["an offset behind the text", { question: "hover", cells: ["x"], cell: 0, offset: 2 }],
  ["texts that are none", { question: "hover", cells: [3], cell: 0, offset: 0 }],
  ["a name that is none", { question: "rename", cells: ["x"], cell: 0, offset: 0, name: 3 }],
])("%s: a sentence", async (_, fields) => {
  const { client } = await openKernel();
  const { send } = editor(client);
  expect(await send(fields)).toMatchObject({
    answer: null,
    problem:
      "An editor asks with a request number, a question, a list of the cells' texts, the number of one of them and an offset in it.",
  });
});

test("a cell that is nested too deeply is asked about in vain, and others go on", async () => {
  const { client } = await openKernel();
  const { ask, answer } = editor(client);
  expect(await ask("hover", [`${"(".repeat(100_000)}¦`])).toBeNull();
  await answer("hover", ["const x¦ = 1;"]).toMatchObject({ start: 6 });
});
