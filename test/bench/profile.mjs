// What a profile says beside what is measured without it, and what taking it costs: the time of kernels and of the
// whole, 100,000 launches with and without, and PyTorch's profiler on the same matrix products.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { devices, median, print, rivalPythons } from "./common/devices.mjs";

const { compile, full, profile, rand } = await import("../../native/dist/index.js");

const source = `
__global__ void saxpy(int n, float a, const float* x, float* y) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += a * x[i]; }
__global__ void empty(float* p) {}`;

/** A saxpy, a matrix product and a copy with sleeps between, several times. */
async function agreement(device, { saxpy }) {
  const n = device.kind === "cpu" ? 1 << 20 : 1 << 26;
  const [x, y] = [full([n], 1, { device: device.name }), full([n], 1, { device: device.name })];
  const rows = device.kind === "cpu" ? 512 : 4096;
  const a = rand([rows, rows], { device: device.name });
  const shape = { grid: n / 256, block: 256 };
  a.matmul(a).dispose();
  const rounds = [];
  for (let round = 0; round < 7; round++) {
    const timed = [];
    let wall = 0;
    const p = await profile(async () => {
      const begin = performance.now();
      for (let i = 0; i < 10; i++) {
        timed.push(...(await saxpy.time({ ...shape, repeats: 5, warmup: 1 }, n, 2, x, y)).samples);
        a.matmul(a).dispose();
        y.copy_(x);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      device.synchronize();
      wall = performance.now() - begin;
    });
    const times = p
      .events()
      .filter(({ kind, name }) => kind === "kernel" && name === "saxpy")
      .map(({ duration }) => duration)
      .filter((_, index) => index % 6 !== 0);
    const sum = p
      .events()
      .filter(({ kind }) => kind === "kernel")
      .reduce((total, { duration }) => total + duration, 0);
    rounds.push({
      kernel: median(times.map((time, index) => time / timed[index])),
      wall: p.duration / wall,
      table: sum / p.table().reduce((total, row) => total + row.total, 0),
    });
  }
  for (const tensor of [x, y, a]) tensor.dispose();
  const show = (name, key, note) =>
    print({
      name: `${device.name}: ${name}`,
      unit: "×",
      ours: median(rounds.map((round) => round[key])),
      ratio: median(rounds.map((round) => round[key])),
      limit: 1.05,
      better: "lower",
      note,
    });
  show(
    "a kernel's time in a profile, of kernel.time",
    "kernel",
    "the same launches of saxpy, five in a row between products, copies and sleeps; 0.95 to 1.05",
  );
  show("a profile's duration, of the wall clock", "wall", "0.95 to 1.05");
  show("slices of kernels added up, of the table", "table", "");
}

/** `count` launches with a profile on, without before, and without after. */
async function cost(device, name, launch, limit, note) {
  const count = 100_000;
  const time = () => {
    device.synchronize();
    const begin = performance.now();
    for (let i = 0; i < count; i++) launch();
    device.synchronize();
    return performance.now() - begin;
  };
  time();
  const rounds = [];
  for (let round = 0; round < 3; round++) {
    const off = time();
    let on = 0;
    const p = await profile(
      () => {
        on = time();
      },
      { trace: false },
    );
    rounds.push({ off, on, after: time(), calls: p.table().reduce((sum, row) => sum + row.calls, 0), notes: p.notes });
  }
  const lost = rounds.filter(({ calls }) => calls !== count).length;
  const micro = (key) => (1e3 * median(rounds.map((round) => round[key]))) / count;
  print({
    name: `${device.name}: 100,000 launches of ${name}, profiled`,
    unit: "µs",
    ours: micro("on"),
    rival: micro("off"),
    ratio: median(rounds.map(({ on, off }) => on / off)),
    limit,
    better: "lower",
    note: `each, beside without; ${lost === 0 ? "every launch recorded" : `${lost} of 3 rounds incomplete: ${rounds.flatMap(({ notes }) => notes).join(" ")}`}${note}`,
  });
  print({
    name: `${device.name}: the same after the profile`,
    unit: "µs",
    ours: micro("after"),
    rival: micro("off"),
    ratio: median(rounds.map(({ after, off }) => after / off)),
    limit: 1.1,
    better: "lower",
  });
}

/** PyTorch's profiler on the same products, with the kernels that both chose. */
async function besideTorch(device) {
  const script = fileURLToPath(new URL("rivals/profile_torch.py", import.meta.url));
  const answers = rivalPythons
    .map((python) => spawnSync(python, [script], { encoding: "utf8" }))
    .find(({ status }) => status === 0);
  if (answers === undefined) {
    console.log(
      `${device.name}: not measured beside PyTorch's profiler: no Python with PyTorch and a GPU was found. Name one in WARPCELL_RIVAL_PYTHON.`,
    );
    return;
  }
  for (const { dtype, rows, kernels } of JSON.parse(answers.stdout)) {
    const a = rand([rows, rows], { device: device.name }).to(dtype);
    for (let i = 0; i < 5; i++) a.matmul(a).dispose();
    const p = await profile(() => {
      for (let i = 0; i < 20; i++) a.matmul(a).dispose();
    });
    const ours = p.table()[0];
    const same = kernels.find(
      ({ name }) => name.startsWith(ours.name.slice(0, 60)) || ours.name.startsWith(name.slice(0, 60)),
    );
    const times = p
      .events()
      .filter(({ kind }) => kind === "kernel")
      .map(({ duration }) => duration);
    print({
      name: `${device.name}: matmul ${rows} ${dtype} in our profile`,
      unit: "µs",
      ours: median(times) * 1e3,
      rival: kernels[0].median,
      ratio: (median(times) * 1e3) / kernels[0].median,
      limit: same === undefined ? undefined : 1.02,
      better: "lower",
      note:
        same === undefined
          ? `another kernel: ${ours.name.slice(0, 50)} and ${kernels[0].name.slice(0, 50)}`
          : "the same kernel in PyTorch's profiler",
    });
    a.dispose();
  }
}

for await (const { name, device } of devices()) {
  console.log(`${device.name}: ${device.properties.name}`);
  const { kernels } = await compile(source, { device: device.name, name: "bench.cu" });
  await agreement(device, kernels);
  const n = device.kind === "cpu" ? 1 << 12 : 1 << 20;
  const [x, y] = [full([n], 1, { device: device.name }), full([n], 1, { device: device.name })];
  await cost(device, `saxpy of ${n}`, () => kernels.saxpy.launch({ grid: n / 256, block: 256 }, n, 2, x, y), 1.15, "");
  await cost(
    device,
    "an empty kernel",
    () => kernels.empty.launch({ grid: 1, block: 1 }, x),
    undefined,
    name === "cuda" ? "; CUPTI's own tracing costs 0.7 µs a kernel" : "",
  );
  if (name === "cuda") await besideTorch(device);
}
