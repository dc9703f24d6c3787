// How long a program with many modules and plans waits for its next right answer after a fault, on every device of this
// machine. Prints one JSON object per figure.
import { devices, median, print } from "./common/devices.mjs";

const { compile, full, randn } = await import("warpcell");
const { LibraryPlan } = await import("../../native/dist/device/library-plan.js");
const { LoadedModule } = await import("../../native/dist/cuda/loaded-module.js");
const { deviceSources } = await import("../../native/dist/wire/binding.js");

const [moduleCount, planCount, rounds] = [500, 4000, 5];
const source = `
__global__ void wild(float* x) { x[1ll << 44] = 1; }
__global__ void add(int n, const float* x, float* y) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] + 1; }`;

const seconds = (body) => {
  const begin = performance.now();
  body();
  return (performance.now() - begin) / 1e3;
};

/** What a device holds after a long session: modules of a kernel, and plans of products of small matrices. */
function fill(device, { artifact, lowered }) {
  const modules = Array.from({ length: moduleCount }, () =>
    LoadedModule.load(device, artifact, lowered, "bench.cu", lowered),
  );
  const plans = Array.from({ length: planCount }, (_, index) =>
    LibraryPlan.obtain(
      device,
      `matmul m=${1 + (index % 80)} n=${1 + Math.floor(index / 80)} k=16 compute=float32 type=float32`,
    ),
  );
  return { modules, plans };
}

for await (const { device } of devices()) {
  const on = { device: device.name };
  console.log(`${device.name}: ${device.properties.name}`);
  const { kernels } = await compile(source, { ...on, name: "bench.cu" });
  const { artifact, lowered } = device.request("compile", {
    source: 'extern "C" __global__ void one(float* p) { p[0] = 1; }',
    name: "one.cu",
    headers: deviceSources,
    expressions: ["one"],
    options: [],
  });
  let held;
  const filling = seconds(() => (held = fill(device, { artifact, lowered })));
  const [x, y, a, b] = [full([4], 1, on), full([4], 0, on), randn([16, 16], on), randn([16, 16], on)];
  const wanted = a.matmul(b).toArray().join();

  const times = [];
  for (let round = 0; round < rounds; round++) {
    let fault;
    times.push(
      seconds(() => {
        kernels.wild.launch({ grid: 1, block: 1 }, x);
        try {
          device.synchronize();
        } catch (error) {
          fault = error;
        }
        kernels.add.launch({ grid: 1, block: 4 }, 4, x, y);
        if (y.toArray().join() !== "2,2,2,2") throw new Error(`a wrong answer after recovery: ${y.toArray()}`);
        if (a.matmul(b).toArray().join() !== wanted) throw new Error("a wrong product after recovery");
      }),
    );
    if (fault?.name !== "DeviceFault") throw new Error("the wild write was not seen");
    y.fill_(0);
  }
  print({
    name: `${device.name}: fault to next right answer, ${held.modules.length} modules and ${held.plans.length} plans`,
    unit: "s",
    ours: median(times),
    limit: 0.5,
    better: "lower",
    absolute: true,
    note: `a kernel and a product; loading and planning all of them took ${filling.toFixed(2)} s`,
  });
}
process.exit(0);
