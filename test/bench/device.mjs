// What a launch, a compile and a recovery cost on every device of this machine; on a GPU beside a C loop over the
// driver in the same run. Prints one JSON object per figure.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { devices, median, print } from "./common/devices.mjs";

const scratch = mkdtempSync(join(tmpdir(), "warpcell-bench-"));
process.env.XDG_CACHE_HOME = scratch; // a cold cache, thrown away
const { compile, full, synchronize: settle } = await import("warpcell");
const { clearInterrupt, interrupt } = await import("../../native/dist/device/process.js");

const microseconds = (body) => {
  const begin = process.hrtime.bigint();
  body();
  return Number(process.hrtime.bigint() - begin) / 1e3;
};

/** Launches as a user writes them: three arguments, all checked. */
async function launches(device) {
  const { kernels } = await compile("__global__ void k3(float* x, int n, float a) {}", {
    device: device.name,
    name: "bench.cu",
  });
  const x = full([1024], 1, { device: device.name });
  const shape = { grid: 1, block: device.kind === "cpu" ? 1 : 64 };
  const once = () => kernels.k3.launch(shape, x, 1, 0.5);
  for (let i = 0; i < 20_000; i++) once();
  device.synchronize();

  const caller = [];
  const pairs = [];
  const rounds = 50;
  for (let round = 0; round < rounds; round++) {
    // 2,000 fit in the ring, so what is measured is the caller's own cost.
    caller.push(
      microseconds(() => {
        for (let i = 0; i < 2000; i++) once();
      }) / 2000,
    );
    device.synchronize();
  }
  for (let i = 0; i < 2000; i++)
    pairs.push(
      microseconds(() => {
        once();
        device.synchronize();
      }),
    );
  const drained =
    microseconds(() => {
      for (let i = 0; i < 50_000; i++) once();
      device.synchronize();
    }) / 50_000;
  x.dispose();
  return { caller: median(caller), pair: median(pairs), drained };
}

/** The C loop of launch-c.cc, built here. */
function cLoop(device) {
  const program = join(scratch, "launch-c");
  const source = fileURLToPath(new URL("launch-c.cc", import.meta.url));
  const built = spawnSync("g++", ["-O2", "-o", program, source, "-ldl"], { encoding: "utf8" });
  if (built.status !== 0) throw new Error(`launch-c.cc does not compile: ${built.stderr}`);
  const nvrtc = device.properties.compiler.path;
  return () => {
    const result = spawnSync(program, [nvrtc, device.properties.arch.replace(/a$/, "")], { encoding: "utf8" });
    if (result.status !== 0) throw new Error(`launch-c: ${result.stderr}`);
    return JSON.parse(result.stdout);
  };
}

async function compiles(device) {
  const source = (i) =>
    `__global__ void scale${i}(int n, float a, float* x) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= a + ${Math.random()}f; }`;
  const time = async (text) => {
    const begin = performance.now();
    await compile(text, { device: device.name, name: "bench.cu" });
    return performance.now() - begin;
  };
  await time(source("Warm"));
  const fresh = [];
  const cached = [];
  for (let i = 0; i < 15; i++) {
    const text = source(i);
    fresh.push(await time(text));
    cached.push(await time(text));
  }
  return { fresh: median(fresh), cached: median(cached) };
}

const faults = `
__global__ void wild(float* x) { x[1ll << 44] = 1; }
__global__ void spin(volatile int* x) { while (x[0] != -7) {} }
__global__ void mark(int n, const float* x, float* y) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] + 1; }`;

/**
 * Seconds from a fault, or from killing a kernel that spins, to the next right answer, with a gigabyte of arrays
 * checked afterwards.
 */
async function recovery(device, gigabytes) {
  const { kernels } = await compile(faults, { device: device.name, name: "faults.cu" });
  const arrays = Array.from({ length: 4 * gigabytes }, (_, i) => full([1 << 26], i + 1, { device: device.name }));
  const flag = full([1], 0, { device: device.name, dtype: "int32" });
  const answer = full([4], 0, { device: device.name });
  device.synchronize();
  const right = () => {
    kernels.mark.launch({ grid: 1, block: 4 }, 4, arrays[0], answer);
    if (answer.toArray().join() !== "2,2,2,2") throw new Error(`wrong answer after recovery: ${answer.toArray()}`);
  };
  const intact = () =>
    arrays.forEach((array, i) => {
      if (array.min().item() !== i + 1 || array.max().item() !== i + 1) throw new Error(`array ${i} is not intact`);
    });

  let begin = performance.now();
  kernels.wild.launch({ grid: 1, block: 1 }, arrays[1]);
  let fault;
  try {
    device.synchronize();
  } catch (error) {
    fault = error;
  }
  if (fault === undefined) throw new Error("the wild write was not seen");
  right();
  const illegal = (performance.now() - begin) / 1e3;
  intact();

  kernels.spin.launch({ grid: 1, block: 1 }, flag);
  const ended = settle().then(
    () => new Error("the spinning kernel ended"),
    (error) => error,
  );
  await new Promise((resolve) => setTimeout(resolve, 200));
  begin = performance.now();
  interrupt();
  const outcome = await ended;
  clearInterrupt();
  if (outcome.name !== "InterruptedError") throw outcome;
  right();
  const killed = (performance.now() - begin) / 1e3;
  intact();
  const bytes = arrays.reduce((sum, array) => sum + array.bytes, 0);
  for (const tensor of [...arrays, flag, answer]) tensor.dispose();
  return { illegal, killed, note: `${(bytes / 1e9).toFixed(2)} GB of arrays, every value checked; ${fault.code}` };
}

for await (const { name, device } of devices()) {
  console.log(`${device.name}: ${device.properties.name}`);
  const { caller, pair, drained } = await launches(device);
  print({
    name: `${device.name}: launch, for the caller`,
    unit: "µs",
    ours: caller,
    limit: 0.4,
    better: "lower",
    absolute: true,
  });
  if (name === "cpu") {
    print({
      name: "cpu: empty launch + synchronise",
      unit: "µs",
      ours: pair,
      limit: 20,
      better: "lower",
      absolute: true,
    });
    print({ name: "cpu: launch, drained", unit: "µs", ours: drained, better: "lower" });
  } else {
    const c = cLoop(device);
    const rounds = [];
    for (let round = 0; round < 7; round++)
      rounds.push({ ours: round === 0 ? { pair, drained } : await launches(device), rival: c() });
    const compared = (ours, rival) => ({
      ours: median(rounds.map((round) => round.ours[ours])),
      rival: median(rounds.map((round) => round.rival[rival])),
      ratio: median(rounds.map((round) => round.ours[ours] / round.rival[rival])),
    });
    print({
      name: `${device.name}: launch, drained`,
      unit: "µs",
      ...compared("drained", "drained"),
      limit: 1.1,
      better: "lower",
      note: "C loop over cuLaunchKernel, in turns, median of 7 ratios",
    });
    print({
      name: `${device.name}: launch + synchronise`,
      unit: "µs",
      ...compared("pair", "launchSynchronize"),
      limit: 1.3,
      better: "lower",
      note: "C in one process, in turns",
    });
  }
  const { fresh, cached } = await compiles(device);
  print({
    name: `${device.name}: a new small kernel compiled and loaded`,
    unit: "ms",
    ours: fresh,
    limit: name === "cuda" ? 25 : undefined,
    better: "lower",
    absolute: true,
  });
  print({
    name: `${device.name}: the same from the cache`,
    unit: "ms",
    ours: cached,
    limit: 3,
    better: "lower",
    absolute: true,
  });
  const { illegal, killed, note } = await recovery(device, 1);
  print({
    name: `${device.name}: illegal address to next right answer`,
    unit: "s",
    ours: illegal,
    limit: 1,
    better: "lower",
    absolute: true,
    note,
  });
  print({
    name: `${device.name}: killed spinning kernel to next right answer`,
    unit: "s",
    ours: killed,
    limit: 1,
    better: "lower",
    absolute: true,
  });
}
rmSync(scratch, { recursive: true });
process.exit(0);
