// What the panel of the kernel lists and does: compiled code, the compile cache, the machine, and a new process for a
// device; also while a cell runs, without running any code of the user's.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Finding, KernelReply } from "../../kernel/mime.ts";
import { openKernel, shown } from "../helpers/kernel.ts";
import { loop, on, running, viewer } from "../helpers/views.ts";

const cuda = `%%cuda
__global__ void fill(float* p, int n, float value) {
  __shared__ float part[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x % 64] = value;
  __syncthreads();
  if (i < n) p[i] = part[threadIdx.x % 64];
}

template <class T> __global__ void twice(T* p) { p[threadIdx.x] *= 2; }

warpcell::Tensor filled(const warpcell::Tensor& x, float value) {
  auto y = warpcell::empty_like(x);
  fill<<<1, 64>>>(y.data<float>(), (int)x.numel(), value);
  return y;
}`;

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "warpcell-panel-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

type Asked = ReturnType<typeof viewer>;
const ask = async (asked: Asked): Promise<KernelReply> => {
  const reply = (await asked.say({ kernel: true })) as unknown as KernelReply;
  expect(reply.problem).toBeNull();
  return reply;
};

test("kernels, instances of templates and host functions by cell and line, with what is known of each", async () => {
  const { client } = await openKernel();
  const asked = viewer(client, "warpcell.kernel");
  expect((await ask(asked)).code).toEqual([]);
  expect((await client.execute(cuda)).reply["evalue"]).toBeUndefined();
  const made = await client.execute(
    'import { compile, zeros } from "warpcell";\nconst x = zeros([64]);\nconst same = [twice.as("float"), twice.as("double")];\nconst module = await compile("__global__ void nothing() {}");',
  );
  expect(made.reply["evalue"]).toBeUndefined();
  const { code, devices, running: isRunning } = await ask(asked);
  expect(isRunning).toBe(false);
  expect(code.map(({ kind, signature, place }) => [kind, signature, place!.text])).toEqual([
    ["kernel", "fill(p: float*, n: int, value: float)", "Cell [1]:2"],
    ["kernel", "twice<float>(p: float*)", "Cell [1]:10"],
    ["kernel", "twice<double>(p: double*)", "Cell [1]:10"],
    ["host function", "warpcell::Tensor filled(const warpcell::Tensor& x, float value)", "Cell [1]:12"],
    ["kernel", "nothing()", "Cell [2]:4"],
  ]);
  const [fill, , , filled] = code;
  expect(devices.map(({ device }) => device)).toContain(fill!.device);
  // A CPU has no registers of a thread to count, and a GPU runs its threads in one way.
  const known = { cpu: { registers: null, execution: "split" }, cuda: { execution: null } };
  expect(fill).toMatchObject({ ...known[fill!.device === "cpu" ? "cpu" : "cuda"], shared: 256, lastTime: null });
  expect(fill!.device === "cpu" || fill!.registers! > 0).toBe(true);
  expect(filled).toMatchObject({ registers: null, shared: null, execution: null, lastTime: null });
});

test("the last launch's time, once a launch was timed or profiled", async () => {
  const { client } = await openKernel();
  await client.execute(cuda);
  const asked = viewer(client, "warpcell.kernel");
  const time = async (name: string) => (await ask(asked)).code.find((each) => each.name === name)!.lastTime;
  await client.execute('import { zeros } from "warpcell"; const x = zeros([64]); fill.over(64)(x, 64, 1);');
  expect(await time("fill")).toBeNull();
  const timed = await client.execute("(await fill.time({ grid: 1, block: 64 }, x, 64, 2)).samples.at(-1)");
  expect(String(await time("fill"))).toBe((shown(timed).at(-1) as [string, string])[1]);
  expect(await time("twice<float>").catch(() => "none")).toBe("none");
  await client.execute('const t = twice.as("float");');
  expect(await time("twice<float>")).toBeNull();
  await client.execute("%%profile\nt.launch({ grid: 1, block: 64 }, x);");
  expect(await time("twice<float>")).toBeGreaterThan(0);
});

test("no code of the user's runs, and what is declared again is listed once", async () => {
  const { client } = await openKernel();
  await client.execute(cuda);
  await client.execute(`const ran = [];
    const trap = (what) => () => (ran.push(what), undefined);
    const handler = new Proxy({}, { get: (_, name) => trap(String(name)) });
    const proxy = new Proxy(fill, handler), odd = Object.create(proxy);
    const holder = { get kernel() { ran.push("getter"); return fill; } };
    Object.defineProperty(fill, "info", { get: trap("info") });
    Object.defineProperty(fill, "name", { get: trap("name") });
    Object.defineProperty(filled, "name", { get: trap("name") });
    ran.length = 0;`);
  const asked = viewer(client, "warpcell.kernel");
  expect((await ask(asked)).code.map(({ name }) => name)).toEqual(["fill", "filled"]);
  expect(shown(await client.execute("ran.join()")).at(-1)).toEqual(["execute_result", "''"]);
  await client.execute("%%cuda\n__global__ void fill(float* p) { *p = 1; }");
  const { code } = await ask(asked);
  expect(code.map(({ signature, place }) => [signature, place!.text]).at(-1)).toEqual([
    "fill(p: float*)",
    "Cell [4]:2",
  ]);
});

test("the cache: its size, and its end, also while a cell runs; other files stay", async () => {
  const home = folder();
  const { client } = await openKernel({ env: { ...process.env, XDG_CACHE_HOME: home } });
  await client.execute(cuda);
  const asked = viewer(client, "warpcell.kernel");
  const { cache } = await ask(asked);
  const directory = join(home, "warpcell");
  expect(cache).toEqual({ directory, files: readdirSync(directory).length, bytes: expect.any(Number) });
  expect(cache!.bytes).toBeGreaterThan(1000);
  writeFileSync(join(directory, "mine.txt"), "mine");
  const cell = await running(client, `${on} ${loop}`);
  expect(await asked.say({ clear: true })).toMatchObject({ problem: null, files: cache!.files, bytes: cache!.bytes });
  expect(readdirSync(directory)).toEqual(["mine.txt"]);
  expect(await ask(asked)).toMatchObject({ running: true, cache: { files: 0, bytes: 0 } });
  await cell.stop();
  // What is loaded stays, and what is compiled again is kept again.
  const used = await client.execute(
    'import { zeros } from "warpcell"; const x = zeros([64]); fill.over(64)(x, 64, 3); x.sum().item()',
  );
  expect(shown(used).at(-1)).toEqual(["execute_result", "192"]);
  await client.execute(cuda);
  expect((await ask(asked)).cache!.files).toBeGreaterThan(0);
});

test("a restarted device keeps arrays, has kernels come back, and says what kernels' variables have lost", async () => {
  const { client } = await openKernel();
  await client.execute(`%%cuda
    __device__ int count;
    __global__ void raise(float* p) { p[threadIdx.x] += 1; if (threadIdx.x == 0) count += 1; }`);
  const asked = viewer(client, "warpcell.kernel");
  await client.execute(
    'import { zeros, synchronize } from "warpcell"; const x = zeros([64]); raise.launch({ grid: 1, block: 64 }, x); await synchronize();',
  );
  const device = (await ask(asked)).devices.find(({ keepsArrays }) => keepsArrays)!;
  expect(await asked.say({ restart: device.device })).toEqual({ request: 1, problem: null });
  expect(shown(await client.execute("count.data()")).at(-1)).toEqual([
    "error",
    expect.stringMatching(/: What kernels had written to count was lost when the device process of .* ended/),
  ]);
  const after = await client.execute("raise.launch({ grid: 1, block: 64 }, x); x.sum().item()");
  expect(shown(after).at(-1)).toEqual(["execute_result", "128"]);
  const cell = await running(client, `${on} ${loop}`);
  expect(await asked.say({ restart: device.device })).toMatchObject({
    problem: "A cell is running. Do this when it has ended.",
  });
  expect((await ask(asked)).code.map(({ name }) => name)).toEqual(["raise"]);
  await cell.stop();
  expect(await asked.say({ restart: "cuda:9" })).toMatchObject({
    problem: 'No device in use is called "cuda:9".',
  });
});

test("the machine as doctor finds it, also while a cell runs; what is missing is told apart", async () => {
  const { client } = await openKernel({ env: { ...process.env, WARPCELL_OPENBLAS: "off" } });
  await client.execute("1");
  const asked = viewer(client, "warpcell.kernel");
  const cell = await running(client, `${on} ${loop}`);
  const { findings, problem } = (await asked.say({ machine: true })) as unknown as {
    findings: Finding[];
    problem: string | null;
  };
  await cell.stop();
  expect(problem).toBeNull();
  const of = (device: string | null, what: string) =>
    findings.find((each) => each.device === device && each.what === what);
  expect(of(null, "node")).toMatchObject({ isMissing: false, found: expect.stringContaining(process.execPath) });
  expect(of(null, "cache")).toMatchObject({ isMissing: false });
  expect(of("cpu", "")).toMatchObject({ isMissing: false, found: expect.stringMatching(/ cores, .* GiB$/) });
  expect(of("cpu", "OpenBLAS")).toMatchObject({
    isMissing: true,
    found: expect.stringMatching(/^OpenBLAS is switched off/),
  });
  expect(of("cuda:0", "")).toBeDefined();
});

test("what is no question, or cannot be answered, is answered with a sentence", async () => {
  const home = folder();
  const { client } = await openKernel({ env: { ...process.env, XDG_CACHE_HOME: home } });
  await client.execute('import "warpcell"');
  const asked = viewer(client, "warpcell.kernel");
  const problems = [
    [{}, "What the kernel has is asked for by a request number and kernel: true."],
    [{ clear: 1 }, "To clear the compile cache takes a request number and clear: true."],
    [{ restart: 1 }, "To restart a device takes a request number and the device's name."],
    [{ machine: 1 }, "What the machine has is asked for by a request number and machine: true."],
  ] as const;
  for (const [question, problem] of problems) expect(await asked.say(question)).toMatchObject({ problem });
  rmSync(join(home, "warpcell"), { recursive: true, force: true });
  writeFileSync(join(home, "warpcell"), "a file");
  const directory = join(home, "warpcell");
  expect(await asked.say({ clear: true })).toMatchObject({
    files: 0,
    problem: expect.stringMatching(new RegExp(`^The compile cache ${directory} cannot be cleared: ENOTDIR`)),
  });
  expect(await asked.say({ kernel: true })).toMatchObject({
    code: [],
    problem: expect.stringMatching(new RegExp(`^The compile cache ${directory} cannot be read: ENOTDIR`)),
  });
});

test("a machine that cannot be looked at is said with what the process wrote last", async () => {
  const { client } = await openKernel({ env: { ...process.env, WARPCELL_DEVICE: "gpu" } });
  expect(await viewer(client, "warpcell.kernel").say({ machine: true })).toMatchObject({
    findings: [],
    problem: expect.stringMatching(
      /^The process that looks at this machine ended \(exit status 1\), which a broken driver or library can cause, or an interrupt\. It said: warpcell: A device is named "cpu", "cuda" or "cuda:N", not "gpu"\.$/,
    ),
  });
});
