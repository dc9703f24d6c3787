// A graph of 100 launches beside the launches one by one: microseconds for the caller, and until the work is done.
import { compile, graph, zeros } from "warpcell";
import { devices, median, print } from "./common/devices.mjs";

const nodes = 100;
const rounds = 21;
const source = `extern "C" __global__ void plus(float* p) { p[threadIdx.x] += 1.0f; }`;

for await (const { device } of devices()) {
  const { kernels } = await compile(source, { device: device.name });
  const p = zeros([128], { device: device.name });
  const body = () => {
    for (let i = 0; i < nodes; i++) kernels.plus.launch({ grid: 1, block: 128 }, p);
  };
  const step = graph(body, { device: device.name });
  for (let i = 0; i < 20; i++) body(), step();
  device.synchronize();
  /** Medians in µs: until the call returns, and until the work is done. */
  const timed = (run) => {
    const times = Array.from({ length: rounds }, () => {
      device.synchronize();
      const began = performance.now();
      run();
      const called = performance.now();
      device.synchronize();
      return [called - began, performance.now() - began];
    });
    return [0, 1].map((at) => 1e3 * median(times.map((each) => each[at])));
  };
  const [oneByOne, asGraph] = [timed(body), timed(step)];
  print({
    name: `${device.name}: ${nodes} launches as a graph, for the caller`,
    unit: "µs",
    ours: asGraph[0],
    rival: oneByOne[0],
    ratio: asGraph[0] / oneByOne[0],
    better: "lower",
    limit: 0.1,
    note: "one by one",
  });
  print({
    name: `${device.name}: ${nodes} launches as a graph, drained`,
    unit: "µs",
    ours: asGraph[1],
    rival: oneByOne[1],
    ratio: asGraph[1] / oneByOne[1],
    better: "lower",
    limit: 1,
    note: "one by one",
  });
}
