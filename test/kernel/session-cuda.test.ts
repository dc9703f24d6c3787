// `%%cuda` cells in a real session, on the CPU device: kernels become names, errors have the cell's lines, faults and
// interrupts leave everything in place.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestSession, type Ran } from "../helpers/session.ts";

let session: TestSession;
let compiled: Ran;

beforeAll(async () => {
  session = await TestSession.start();
  compiled = await session.run(kernels);
  await session.run('import { full, zeros } from "warpcell"; const y = full([5], -1)');
});

afterAll(() => session.end());

const plain = (lines: string[] | undefined): string => (lines ?? []).join("\n").replace(/\u001b\[\d+m/g, "");

const kernels = `%%cuda
extern "C" __global__ void fill(float* p, int n, float value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = value;
}
template <class T> __global__ void twice(T* p) { p[threadIdx.x] *= 2; }
extern "C" __global__ void astray(float* p) { p[1ull << 40] = 1; }
extern "C" __global__ void spin(int* go) { while (*(volatile int*)go == 0) ; }
extern "C" __global__ void speak() { printf("from the device\\n"); }
`;

test("a cell's kernels are listed, declared to the checker, and called by later cells", async () => {
  const { status, error, events } = compiled;
  expect({ status, error }).toEqual({ status: "ok", error: null });
  const shown = events.findLast((event) => event.type === "display");
  expect(shown?.type === "display" && shown.data["text/plain"]).toMatch(
    /^fill\(p: float\*, n: int, value: float\).* · (compiled in \d+(\.\d)? ms|cached)$/m,
  );
  const declared = events.find((event) => event.type === "declared");
  expect(declared?.type === "declared" && declared.declarations.find(({ name }) => name === "fill")?.text).toMatch(
    /^declare const fill: import\("warpcell"\)\.Kernel</,
  );

  const value = Math.fround(Math.random());
  const { result: values, error: failure } = await session.run(
    `fill.over(5)(y, 5, ${value})\ntwice.as("float").launch({ grid: 1, block: 5 }, y)\ny.toArray().every((element) => element === ${2 * value})`,
  );
  expect(failure).toBeNull();
  expect(values).toBe("true");
});

test("a compile error has the cell's line, the source and a caret", async () => {
  const { error } = await session.run("%%cuda --name broken\n\n__global__ void bad(float* p) {\n  p[0] = missing;\n}");
  expect(error?.name).toBe("CompileError");
  expect(plain(error?.traceback)).toMatch(
    /broken:4:10\n {2}3 \| __global__ void bad\(float\* p\) \{\n> 4 \| {3}p\[0\] = missing;\n {4}\| {10}\^/,
  );
  expect((await session.run("typeof bad")).result).toBe("'undefined'");
});

test("every error of a cell is told, under the cell's name", async () => {
  const { error } = await session.run("%%cuda\n__global__ void bad(float* p) {\n  p[0] = first;\n  p[1] = second;\n}");
  expect(error?.message).toMatch(
    /^(Cell \[\d+\]) does not compile: .*first.*\. 2 errors in all:\n\n\1:3:10 .*first[^]*\n> 3 \| {3}p\[0\] = first;\n[^]*\n\n\1:4:10 .*second[^]*\n> 4 \| {3}p\[1\] = second;\n {4}\| {10}\^$/,
  );
});

test("warnings show below the cell with their lines, and what is not a kernel is told", async () => {
  const request = session.send("%%cuda\n__global__ void warned(float* p) {\n  int forgotten = 3;\n  p[0] = 1;\n}");
  expect((await session.ended(request)).error).toBeNull();
  expect(session.printed(request, "stderr")).toMatch(
    /^Cell \[\d+\]:3:7 warning: .*forgotten.*\n {2}2 \| __global__ void warned\(float\* p\) \{\n> 3 \| {3}int forgotten = 3;\n/,
  );
  const almost = session.send("%%cuda\nvoid meant(float* p) { p[threadIdx.x] = 1; }");
  expect((await session.ended(almost)).error).toBeNull();
  expect(session.printed(almost, "stderr")).toContain(
    "meant is not a kernel, so no cell can launch it: write __global__ in front of void",
  );
});

test("a name that a %%cuda cell declares for its kind alone says so where TypeScript calls it", async () => {
  await session.run(
    "%%cuda --name helpers\n__device__ float tripled(float x) { return 3 * x; }\nstruct Trio { int a; };",
  );
  for (const name of ["tripled", "Trio"])
    expect((await session.run(`${name}(2)`)).error?.message).toMatch(
      new RegExp(
        `^${name} is not defined: .+ declares it for %%cuda cells, whose kernels use it\\. What TypeScript calls is a __global__ function, or one of the host that launches it\\.$`,
      ),
    );
});

test("the frames of an error have no names of the rewritten code", async () => {
  const { error } = await session.run(
    'import { traceThread } from "warpcell";\nawait traceThread(() => fill.launch({ grid: 1, block: 4 }, y, 4, 1), { block: [9, 0, 0] });',
  );
  expect(error?.name).toBe("CheckError");
  expect(error?.traceback.filter((line) => line.startsWith("    at "))).toEqual([
    expect.stringMatching(/^ {4}at Cell \[\d+\]:2:30$/),
    expect.stringMatching(/^ {4}at Cell \[\d+\]:2:7$/),
  ]);
});

test("a header beside the notebook is found", async () => {
  await session.run(
    'const { writeFileSync } = await import("node:fs"); writeFileSync("beside.h", "#define SEVEN 7\\n")',
  );
  const { error } = await session.run(
    '%%cuda\n#include "beside.h"\n__global__ void seven(float* p) { p[threadIdx.x] = SEVEN; }',
  );
  expect(error).toBeNull();
  const { result } = await session.run(
    'seven.launch({ grid: 1, block: 5 }, y); const sevens = y.toArray(); (await import("node:fs")).rmSync("beside.h"); sevens',
  );
  expect(result).toBe("[ 7, 7, 7, 7, 7 ]");
});

test("CUDA's host side in a TypeScript cell says what a notebook has for it", async () => {
  const launched = await session.run("fill<<<1, 256>>>(y, 5, 1)");
  expect(launched.error).toMatchObject({
    name: "SyntaxError",
    message: "In TypeScript a launch is fill.launch({ grid: 1, block: 256 }, y, 5, 1), not fill<<<…>>>(…).",
  });
  const { error } = await session.run("let d_x; cudaMalloc(d_x, 4)");
  expect(error?.message).toBe(
    "cudaMalloc is not defined, because it belongs to CUDA C++: zeros([n]) and tensor(data) make arrays on the device.",
  );
});

test("what a first hour gets wrong says what to write", async () => {
  await session.run('import { nn, Tensor } from "warpcell"');
  for (const [code, message] of [
    [
      "%%cuda\n#include <missing.h>\n__global__ void lost(float* p) {}",
      "missing.h was found neither beside the source nor among CUDA's headers: put it beside the notebook, or name its folder with %%cuda --include FOLDER",
    ],
    ["%%cuda\nint main() { return 3; }", "The program ended with exit code 3."],
    [
      "%%cuda -- 1024\n__global__ void lost(float* p) {}",
      "This cell has no main(), so it takes no arguments behind --.",
    ],
    [
      'twice.as("floot")',
      'twice.as("floot") names floot, which is not a known type. Known types are float, double, int,',
    ],
    [
      "nn.Linear(3, 2)",
      "Class constructor Linear cannot be invoked without 'new': Linear is a class, so write new before the call.",
    ],
    ["Tensor()", "Class constructor Tensor cannot be invoked without 'new': write tensor([1, 2])."],
    ["new nn.Sequential(nn.Linear)", "layer 0 is the class Linear: write new nn.Linear(…)."],
    ["y.size(0)", "y.size is not a function: of a tensor it is the number of elements, and y.shape[0] the size"],
  ] as const)
    expect((await session.run(code)).error?.message, code).toContain(message);
  const { events, status } = await session.run("%%cuda\nvoid none(float* p) { p[threadIdx.x] = 1; }");
  expect(status).toBe("ok");
  expect(JSON.stringify(events)).toContain("none is not a kernel, so no cell can launch it: write __global__ in front");
});

test("a wrong option fails its cell", async () => {
  expect((await session.run("%%cuda --fast\n")).error?.message).toBe(
    '%%cuda has no option --fast. Did you mean --fast-math? "%%cuda --help" lists them.',
  );
});

test("a launch error is at its line, before anything runs", async () => {
  const { error } = await session.run("\nfill.launch({ grid: 1, block: 1 }, y, 5)");
  expect(error?.name).toBe("LaunchError");
  expect(plain(error?.traceback)).toMatch(/:2:6\n> 2 \| fill\.launch/);
});

test("what kernels print reaches the session's own stdout before the cell's token", async () => {
  const { events } = await session.run("speak.launch({ grid: 1, block: 1 })");
  const done = events.at(-1)!;
  const token = done.type === "done" ? done.token : "";
  await session.until(() => session.native.stdout.includes(token));
  expect(session.native.stdout.slice(0, session.native.stdout.indexOf(token))).toContain("from the device\n");
});

describe("after", () => {
  const before = "const kept = full([1000], 3)\nfill.over(1000)(kept, 1000, 4)";
  const check =
    "fill.launch({ grid: 1, block: 5 }, y, 5, 6);\n[kept.toArray().every((element) => element === 4), y.toArray()[4]]";

  test("a fault, which names kernel, cell and line and shows the source", async () => {
    await session.run(before);
    const request = session.send("// nothing here\n\nastray.launch({ grid: 1, block: 1 }, y)");
    const { error } = await session.ended(request);
    expect(error?.name).toBe("DeviceFault");
    expect(error?.message).toMatch(new RegExp(`^Kernel astray .*launched at Cell \\[${request}\\]:3\\)\\.`));
    expect(plain(error?.traceback)).toContain("> 3 | astray.launch");
    expect((await session.run(check)).result).toBe("[ true, 6 ]");
  });

  const goOn = "synchronize(); await synchronize().catch(() => {}); await new Promise(setImmediate);";

  test.each([
    ["at once", "synchronize()", ""],
    ["while the cell goes on", `${goOn} y.toArray()`, ""],
    ["in a cell that fails", `${goOn} throw new Error("its own")`, "Error: its own"],
    ["in a cell that fails before the fault is met", 'throw new Error("its own")', "Error: its own"],
  ])("a fault that nothing awaits, %s: the cell fails with it, and it is told once, beside what the cell throws", async (_, code, own) => {
    await session.run(before);
    const request = session.send(
      `const { synchronize } = await import("warpcell"); astray.launch({ grid: 1, block: 1 }, y); ${code}`,
    );
    const { error } = await session.ended(request);
    expect(error?.name).toBe("DeviceFault");
    expect(error?.message).toContain(`launched at Cell [${request}]:1`);
    expect((await session.run(check)).result).toBe("[ true, 6 ]");
    expect(plain([session.printed(request, "stderr")]).split("\n")[0]).toBe(own);
    expect(session.printed(request, "stderr")).not.toContain("DeviceFault");
  });

  test.each([
    [
      "an interrupt of a kernel that the cell waits for",
      "spin.launch({ grid: 1, block: 1 }, idle); process.stdout.write('on'); idle.toArray()",
    ],
    [
      "an interrupt of a kernel that the cell awaits",
      "spin.launch({ grid: 1, block: 1 }, idle); process.stdout.write('on'); await (await import(\"warpcell\")).synchronize()",
    ],
    [
      "an interrupt of a kernel that a function of the cell awaits",
      "const { synchronize: wait } = await import(\"warpcell\"); const waits = async () => { await wait(); return 1; }; spin.launch({ grid: 1, block: 1 }, idle); process.stdout.write('on'); await Promise.all([waits(), wait()])",
    ],
    [
      "an interrupt of a kernel that the cell has left running",
      "spin.launch({ grid: 1, block: 1 }, idle); process.stdout.write('on')",
    ],
  ])("%s", async (_, code) => {
    await session.run(`${before}; const idle = zeros([1], { dtype: "int32" })`);
    const request = session.send(code);
    await session.until(() => session.printed(request, "stdout") === "on");
    session.agent({ type: "interrupt", request });
    const { error } = await session.ended(request);
    expect([error?.name, error?.message]).toEqual([
      "InterruptedError",
      expect.stringMatching(/^Kernel spin was interrupted \(launched at /),
    ]);
    expect((await session.run(check)).result).toBe("[ true, 6 ]");
  });
});

test("gauges come as often as asked, also while a cell spins, and stop", async () => {
  const request = session.send("process.stdout.write('on'); for (;;) ;");
  await session.until(() => session.printed(request, "stdout") === "on");
  const gauges = () => session.agentEvents.filter(({ type }) => type === "gauges");
  const first = gauges().length;
  session.agent({ type: "gauges", interval: 20 });
  await session.until(() => gauges().length >= first + 3);
  const last = gauges().at(-1)!;
  expect(last.type === "gauges" && last.devices).toMatchObject([
    { device: "cpu", active: true, allocated: expect.any(Number), reserved: expect.any(Number) },
  ]);
  session.agent({ type: "gauges", interval: 0 });
  session.agent({ type: "interrupt", request });
  expect((await session.ended(request)).error?.name).toBe("Interrupted");
});

test("the device is announced after the start, with the reason for it", async () => {
  const event = await session.until(() => session.events.find(({ type }) => type === "device"));
  expect(event.type === "device" && event.device).toMatchObject({
    device: "cpu",
    name: expect.any(String),
    reason: 'WARPCELL_DEVICE is "cpu".',
  });
});
