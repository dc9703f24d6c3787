// What a front end is told of cells that are being written, through a real kernel: before they run, while another one
// runs, and that nothing is said twice.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { KernelClient } from "../../kernel/client.ts";
import { requestOf, type Json } from "../../kernel/supervisor/messages.ts";
import { descendants, next, openKernel, shown, until } from "../helpers/kernel.ts";

const wrong = 'const text: number = "no";';

/** A front end that shows mistakes itself. `session`: which one it is; the one that runs cells without it. */
function writer(client: KernelClient, session?: string) {
  const comm = crypto.randomUUID();
  const opening = requestOf("comm_open", { comm_id: comm, target_name: "warpcell.mistakes", data: {} });
  client.send("shell", { ...opening, header: { ...opening.header, session: session ?? opening.header.session } });
  let requests = 0;
  const ask = async (fields: object): Promise<Json> => {
    const request = ++requests;
    const reply = next(
      client,
      ({ header, content }) => header.msg_type === "comm_msg" && (content["data"] as Json)["request"] === request,
    );
    client.send("shell", requestOf("comm_msg", { comm_id: comm, data: { request, ...fields } }));
    return (await reply).content["data"] as Json;
  };
  return {
    ask,
    mistakes: async (code: string, before: string[] = []) =>
      ((await ask({ code, before }))["mistakes"] as { start: number; end: number; code: string }[]).map(
        (mistake) => `${code.slice(mistake.start, mistake.end)} ${mistake.code}`,
      ),
    close: () => client.send("shell", requestOf("comm_close", { comm_id: comm, data: {} })),
  };
}

/** A cell that has printed and goes on. */
async function start(client: KernelClient, code: string) {
  let heard: () => void;
  const said = new Promise<void>((resolve) => (heard = resolve));
  const ended = client.execute(code, {}, ({ header }) => header.msg_type === "stream" && heard());
  await said;
  return { ended };
}

test("mistakes in a cell that has not run, also while another one does", async () => {
  const { client } = await openKernel();
  const { mistakes } = writer(client);
  expect(await mistakes("size.length", ["const size = 3;"])).toEqual(["length TS2339"]);
  await client.execute("const size = 'three'");
  expect(await mistakes("size.length", [])).toEqual([]);

  const loop = await start(client, "console.log('on'); for (;;) ;");
  expect(await mistakes(wrong)).toEqual(["text TS2322"]);
  await client.request("control", "interrupt_request", {});
  expect((await loop.ended).reply["status"]).toBe("error");
});

test("who underlines a type error reads no text about it; another client and strict mode do", async () => {
  const { client } = await openKernel();
  const text = /type error TS2322/;
  const other = writer(client, "another tab");
  expect(await other.mistakes(wrong)).toEqual(["text TS2322"]);
  // An answer that comes late is shown after the cell's end.
  await expect.poll(async () => JSON.stringify(shown(await client.execute(wrong)))).toMatch(text);

  const front = writer(client);
  expect(await front.mistakes(wrong)).toEqual(["text TS2322"]);
  expect(shown(await client.execute(wrong))).toEqual([["execute_input", wrong]]);
  expect((await client.execute(`%types strict\n${wrong}`)).reply["evalue"]).toMatch(/has a type error/);
  await client.execute("%types off");
  expect(await front.mistakes(wrong)).toEqual([]);
  await client.execute("%types warn");
  front.close();
  await expect.poll(async () => JSON.stringify(shown(await client.execute(wrong)))).toMatch(text);
});

test("a line that fails as it runs has no type error beside its error, other lines have", async () => {
  const { client } = await openKernel();
  const code = `${wrong}\n(null as any).x; const also: string = 3;`;
  let texts = "";
  // A kernel that has just started may find what is wrong only after the cell's end.
  await expect
    .poll(async () => {
      const { outputs } = await client.execute(code);
      texts += JSON.stringify(outputs.map(({ content }) => content));
      return texts;
    })
    .toMatch(/type error TS2322.*Cell \[\d+\]:1:7/);
  expect(texts).toMatch(/TypeError/);
  expect(texts).not.toMatch(/'number' is not assignable to type 'string'/);
});

/** Empty for a process that has ended. */
function commandOf(pid: number): string {
  const path = `/proc/${pid}/cmdline`;
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

const cuda = `%%cuda --std=c++20
#include <cuda_fp16.h>
__global__ void fill(float* out, float value) {
  int unused_one;
  out[threadIdx.x] = valve;
}`;

test("errors and warnings of CUDA C++ are at their words, also while a kernel runs, and nothing is compiled for them", async () => {
  const { client } = await openKernel();
  const { ask, mistakes } = writer(client);
  await client.execute(
    `${cuda.replace("valve", "value")}\n__global__ void spin(volatile int* p) { while (*p == 0) { } }`,
  );
  await client.execute("%%cuda\n__device__ float twice(float x) { return 2 * x; }\nstruct Pair { float x; };");
  const spinning = await start(
    client,
    'import { zeros, synchronize } from "warpcell"; spin.launch({ grid: 1, block: 1 }, zeros([1], { dtype: "int32" })); console.log("on"); await synchronize();',
  );
  expect(await mistakes(cuda)).toEqual(["valve "]);
  expect(await mistakes(cuda.replace("valve", "value"))).toEqual(["unused_one "]);
  const { mistakes: found } = await ask({ code: "%%cuda\n__global__ void k(float* p) { p[0] = 1.0f }", before: [] });
  expect(found).toMatchObject([{ severity: "error", message: /expected .;. before|expected ';'|expected a/ }]);
  expect(await mistakes("%%cuda\n__device__ int f() { }\nvoid g() { threadIdx.x; }")).toContain("g ");
  expect(await mistakes("%%cuda\n__global__ void k(float* p, Pair q) { p[0] = twice(q.x); }")).toEqual([]);
  expect(await mistakes("%%cuda\n__global__ void k(float* p, Pair q) { p[0] = twice(q.y); }")).toEqual(["y "]);
  const written = "%%cuda\n__device__ float thrice(float x) { return 3 * x; }";
  expect(await mistakes("%%cuda\n__global__ void k(float* p) { p[0] = thrice(1); }", [written])).toEqual([]);
  expect(await mistakes("%%cuda\n__global__ void k(float* p) { p[0] = thrice(1); }")).toEqual(["thrice "]);
  expect(await mistakes("%%cuda\nint main() { return 0; }")).toEqual([]);
  expect(await mistakes("%%cuda --nonsense\n__global__ void k() { }")).toEqual(["--nonsense "]);
  expect(await mistakes('%%cuda\n#include "missing.h"\n')).toHaveLength(1);
  await client.request("control", "interrupt_request", {});
  await spinning.ended;
});

test("where types cannot be checked, that is the answer", async () => {
  const { client, kernel } = await openKernel();
  const { ask, mistakes } = writer(client);
  expect(await mistakes(wrong)).toEqual(["text TS2322"]);
  // It is started again twice, and then no more.
  const checkers = () => descendants(kernel.child.pid!).filter((pid) => commandOf(pid).includes("--lsp"));
  const seen = new Set<number>();
  while (seen.size < 3) {
    await until(() => checkers().some((pid) => !seen.has(pid)));
    for (const pid of checkers()) {
      seen.add(pid);
      process.kill(pid, "SIGKILL");
    }
  }
  await until(() => checkers().length === 0);
  // What was found before is still so; of another text nothing is known.
  expect(await mistakes(wrong)).toEqual(["text TS2322"]);
  expect(await ask({ code: `${wrong}\n1;`, before: [] })).toMatchObject({
    mistakes: [],
    problem: "The type service did not answer: what is wrong with this cell is not known. Ask again.",
  });
});

test("a question that is none is answered with what a question is", async () => {
  const { client } = await openKernel();
  const { ask } = writer(client);
  const problem = "Mistakes are asked for by a request number, a cell's code and a list of the texts before it.";
  for (const fields of [{}, { code: 3, before: [] }, { code: "1", before: [1] }, { code: "1", before: "1" }])
    expect(await ask(fields)).toMatchObject({ mistakes: [], problem });
  expect(await ask({ code: "(".repeat(100_000), before: [] })).toMatchObject({ mistakes: [], problem: null });
});
