// What front ends ask of tensors and profiles while the session is at work: answered before the cell ends, whether
// kernels run or TypeScript loops, after faults and deaths, and by the main thread where nobody else can.
import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { KernelClient, Answer } from "../../kernel/client.ts";
import { requestOf, type Json, type Message } from "../../kernel/supervisor/messages.ts";
import { viewTargets } from "../../kernel/session-protocol.ts";
import { descendants, next, openKernel, runs, until, type TestKernel } from "../helpers/kernel.ts";
import { loop, on, running, viewer } from "../helpers/views.ts";

const mime = "application/vnd.warpcell.tensor.v1+json";
const gone = "This tensor is no longer in memory. Run its cell again to see its slices.";

const resultOf = ({ outputs }: Pick<Answer, "outputs">): Json =>
  outputs.find(({ header }) => header.msg_type === "execute_result")!.content["data"] as Json;

async function idOf(client: KernelClient, code: string): Promise<string> {
  return (resultOf(await client.execute(code))[mime] as Json)["id"] as string;
}

const valuesOf = ({ tile }: Json): number[] => [
  ...new Float32Array(new Uint8Array(Buffer.from(String((tile as Json)["values"]), "base64")).buffer),
];

const spin = `%%cuda
__global__ void spin(volatile int* p) { while (*p == 0) { } }
__global__ void count(float* p, float first) { p[threadIdx.x] = first + threadIdx.x; }
__global__ void fault(int* p) { *(int*)8 = 1; }`;
const make = 'import { arange, zeros, synchronize } from "warpcell"; const x = arange(24).reshape([2, 3, 4]); x';

const upTo = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at);
const devicesOf = ({ kernel }: TestKernel) =>
  descendants(kernel.child.pid!).filter((pid) =>
    readFileSync(`/proc/${pid}/comm`, "latin1").startsWith("warpcell-device"),
  );

test("a slice and figures while TypeScript loops: of what the cell has done, before it ends", async () => {
  const { client } = await openKernel();
  const id = await idOf(client, make);
  const { ask, slice } = viewer(client);
  const cell = await running(client, `x.add_(1); await synchronize(); ${on} ${loop}`);
  const reply = await slice(id, 1);
  expect(reply).toMatchObject({ problem: null, unfinished: true, tile: { rows: 3, columns: 4 } });
  expect(valuesOf(reply)).toEqual(upTo(13, 12));
  expect((await ask({ id, figures: true })).content["data"]).toEqual({
    request: 1,
    figures: { min: 1, max: 24, mean: 12.5, nan: 0, inf: 0 },
    problem: null,
    unfinished: true,
  });
  expect(await slice(id, 2)).toEqual({
    request: 2,
    tile: null,
    problem: "There is no index 2 on axis 0, which has 2 elements: give a whole number from -2 to 1.",
    unfinished: false,
  });
  expect((await ask({ id, index: ["a"] })).content["data"]).toMatchObject({
    problem: "A slice is asked for by a request number, the tensor's id and an index of whole numbers.",
  });
  expect((await ask({ figures: true })).content["data"]).toMatchObject({
    figures: null,
    problem: "Figures are asked for by a request number and the tensor's id.",
  });
  await cell.stop();
  expect(await slice(id, 0)).toMatchObject({ problem: null, unfinished: false });
});

test("a slice while a kernel runs and others wait: what is finished is seen, and the interrupt is the kernel's alone", async () => {
  const opened = await openKernel();
  const { client } = opened;
  await client.execute(spin);
  const id = await idOf(client, make);
  const { slice } = viewer(client);
  expect(valuesOf(await slice(id, 0))).toEqual(upTo(0, 12));
  const before = devicesOf(opened);
  expect(before).toHaveLength(2);
  const cell = await running(
    client,
    `const flag = zeros([1], { dtype: "int32" }); count.launch({ grid: 1, block: 24 }, x, 100); await synchronize();
    spin.launch({ grid: 1, block: 1 }, flag); for (let i = 0; i < 100; i++) count.launch({ grid: 1, block: 24 }, x, 7);
    ${on} await synchronize()`,
  );
  const reply = await slice(id, 1);
  expect(reply).toMatchObject({ problem: null, unfinished: true });
  expect(valuesOf(reply)).toEqual(upTo(112, 12));
  const { reply: ended } = await cell.stop();
  expect(ended).toMatchObject({ status: "error", ename: "InterruptedError" });
  expect(valuesOf(await slice(id, 1))).toEqual(upTo(112, 12));
  // The process that was interrupted is another one now; the one that answered is the same.
  expect(devicesOf(opened).filter((pid) => before.includes(pid))).toHaveLength(1);
});

test("a tensor that is disposed of, or moved, while the cell runs", async () => {
  const { client } = await openKernel();
  const id = await idOf(client, make);
  const moved = await idOf(client, "const other = arange(24).reshape([2, 3, 4]); other");
  const { slice } = viewer(client);
  expect(await slice(id, 0)).toMatchObject({ problem: null });
  const cell = await running(client, `x.dispose(); other.become(arange(24).add(50).reshape([2, 3, 4])); ${on} ${loop}`);
  expect(await slice(id, 0)).toEqual({ request: 1, tile: null, problem: gone, unfinished: false });
  expect(await slice("of another kernel", 0)).toMatchObject({ problem: gone });
  expect(valuesOf(await slice(moved, 1))).toEqual(upTo(62, 12));
  await cell.stop();
});

test("views, and what is not in order: the elements that they show", async () => {
  const { client } = await openKernel();
  const id = await idOf(
    client,
    'import { arange } from "warpcell"; const y = arange(2 * 3 * 8).reshape([2, 3, 8]).transpose(0, 2).slice([1, 7, 2]); y',
  );
  const { slice } = viewer(client);
  const cell = await running(client, `${on} ${loop}`);
  // y[i, j, k] = 24 k + 8 j + (1 + 2 i)
  expect(valuesOf(await slice(id, 2))).toEqual([0, 1, 2].flatMap((j) => [0, 1].map((k) => 24 * k + 8 * j + 5)));
  await cell.stop();
});

test("a kernel that breaks its device process costs no answer; nor does the end of the one that answers", async () => {
  const opened = await openKernel();
  const { client } = opened;
  await client.execute(spin);
  const id = await idOf(client, make);
  const [users] = devicesOf(opened);
  const { slice } = viewer(client);
  expect(valuesOf(await slice(id, 0))).toEqual(upTo(0, 12));
  const [answering] = devicesOf(opened).filter((pid) => pid !== users);
  const cell = await running(
    client,
    `fault.launch({ grid: 1, block: 1 }, zeros([1], { dtype: "int32" })); await synchronize().catch(() => 0); ${on} ${loop}`,
  );
  expect(await runs(users!)).toBe(false);
  expect(valuesOf(await slice(id, 1))).toEqual(upTo(12, 12));
  process.kill(answering!, "SIGKILL");
  await until(async () => !(await runs(answering!)));
  expect(valuesOf(await slice(id, 0))).toEqual(upTo(0, 12));
  await cell.stop();
  expect(resultOf(await client.execute("x.sum().item()"))["text/plain"]).toBe("276");
});

test("a session that ends takes the question with it; the next one answers again", async () => {
  const { client } = await openKernel();
  const id = await idOf(client, make);
  const { slice } = viewer(client);
  expect(await slice(id, 0)).toMatchObject({ problem: null });
  const closed = next(client, ({ header }) => header.msg_type === "comm_close");
  await client.execute("process.exit(0)");
  await closed;
  const again = await idOf(client, make);
  const other = viewer(client);
  const cell = await running(client, `${on} ${loop}`);
  expect(valuesOf(await other.slice(again, 1))).toEqual(upTo(12, 12));
  expect(await other.slice(id, 1)).toMatchObject({ problem: gone });
  await cell.stop();
});

test("a window of a large profile while TypeScript loops", async () => {
  const { client } = await openKernel();
  const { outputs } = await client.execute(
    `import { ones, profile } from "warpcell"; const v = ones([1]);
    const p = await profile(() => { for (let i = 0; i < 8000; i++) v.add_(1); }); p`,
  );
  const payload = resultOf({ outputs })["application/vnd.warpcell.trace.v1+json"] as Json;
  expect(payload["complete"]).toBe(false);
  const { ask } = viewer(client, "warpcell.trace");
  const whole = { id: payload["id"], start: 0, end: payload["duration"], width: 20_000 };
  const atRest = await ask(whole);
  const cell = await running(client, `${on} ${loop}`);
  const { content, buffers } = await ask(whole);
  expect(content["data"]).toEqual({ ...(atRest.content["data"] as Json), request: 1 });
  expect((content["data"] as Json)["length"]).toBeGreaterThan(1000);
  expect(buffers).toEqual(atRest.buffers);
  expect((await ask({ id: "none", start: 0, end: 1, width: 1 })).content["data"]).toMatchObject({
    problem: "This profile is no longer in memory. Run its cell again to see more of it.",
  });
  await cell.stop();
});

test("gauges show the user's devices alone", async () => {
  const { client } = await openKernel();
  const id = await idOf(client, make);
  expect(await viewer(client).slice(id, 0)).toMatchObject({ problem: null });
  const gauges = next(client, ({ header, content }) => {
    const data = (content["data"] ?? {}) as Json;
    return header.msg_type === "comm_msg" && Array.isArray(data["devices"]);
  });
  client.send("shell", requestOf("comm_open", { comm_id: "g", target_name: "warpcell.gauges", data: {} }));
  expect(
    ((await gauges).content["data"] as { devices: Json[] }).devices.map(({ device }) => `'${String(device)}'`),
  ).toEqual([resultOf(await client.execute("x.device"))["text/plain"]]);
});

describe("what the viewer's thread cannot answer", () => {
  test("the main thread answers, where it cannot map the memory", async () => {
    const { client } = await openKernel();
    const id = await idOf(client, make);
    const { slice } = viewer(client);
    expect(await slice(id, 0)).toMatchObject({ problem: null });
    await client.execute(`const files = [], { openSync, closeSync } = require("node:fs");
      try { for (;;) files.push(openSync("/dev/null")); } catch {}`);
    expect(valuesOf(await slice(id, 1))).toEqual(upTo(12, 12));
    expect(resultOf(await client.execute("files.forEach((file) => closeSync(file)); files.length > 100"))).toEqual({
      "text/plain": "true",
    });
    expect(valuesOf(await slice(id, 1))).toEqual(upTo(12, 12));
  });

  test("is left to the main thread, where the viewer's thread has failed", async () => {
    const { ViewerThread } = (await import(
      new URL("../../kernel/dist/session/agent/viewer-thread.js", import.meta.url).href
    )) as typeof import("../../kernel/session/agent/viewer-thread.ts");
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => said.mockRestore());
    // It cannot start without the memory that it shares with the main thread.
    const thread = new ViewerThread(undefined as never);
    thread.open();
    expect(await thread.ask(1, "warpcell.tensor", {})).toBeNull();
    expect(await thread.ask(2, "warpcell.tensor", {})).toBeNull();
    expect(said.mock.calls.join("")).toContain("warpcell: the thread that answers viewers failed: TypeError");
  });

  test("is left to the main thread, where there is no such device for it", async () => {
    const worker = new Worker(new URL("../../kernel/dist/session/agent/viewer.js", import.meta.url), {
      workerData: { memory: new SharedArrayBuffer(64) },
      stderr: true,
    });
    let said = "";
    worker.stderr.on("data", (text: Buffer) => (said += text));
    const ask = (question: object) => {
      worker.postMessage({ type: "view", ...question });
      return new Promise((resolve) => worker.once("message", resolve));
    };
    onTestFinished(async () => void (await worker.terminate()));
    const presence = new Int32Array(new SharedArrayBuffer(4)).fill(1);
    const view = { shape: [2, 2, 2], strides: [4, 2, 1], offset: 0 };
    const shown = {
      what: "tensor",
      id: "x",
      presence,
      kind: "cuda",
      index: 99,
      client: 0,
      place: 2 ** 40,
      bytes: 32,
      dtype: "float32",
      view,
    };
    worker.postMessage({ type: "shown", shown });
    worker.postMessage({ type: "opened" });
    const data = { request: 0, id: "x", index: [0] };
    expect(await ask({ view: 3, target: "warpcell.tensor", data })).toEqual({ view: 3, answer: null });
    expect(said).toBe("");
    // What is no device's fault is a mistake of the program, and is told.
    expect(await ask({ view: 4, target: "warpcell.nothing", data })).toEqual({ view: 4, answer: null });
    await until(() => said.includes("warpcell: a viewer's question failed: TypeError"));
  });
});
