// 10,000 steps of code that disposes of nothing, on every device: not a byte more is taken, and the most at a time
// stays bounded.
import "../device/cache.ts";
import { expect, test } from "vitest";
import { memory, rand, tidy } from "../../native/lib/index.ts";
import { collectGarbage } from "../../native/lib/device/collection.ts";
import { devices } from "../device/devices.ts";

test.each(devices.map(({ name, properties }) => ({ device: name, properties })))("on $device, with gradients", async ({
  device,
  properties,
}) => {
  const w = rand([256, 256], { device });
  w.requiresGrad = true;
  const x = rand([64, 256], { device });
  const step = () => {
    w.grad = null;
    x.matmul(w).tanh().sum().backward();
  };
  const measure = async () => {
    await new Promise(setImmediate);
    collectGarbage();
    return memory()[device]!.allocated;
  };
  const repeat = (run: () => void, times: number) => {
    for (let i = 0; i < times; i++) run();
  };
  for (const run of [
    step,
    () => {
      tidy(step);
    },
  ]) {
    const rounds: number[] = [];
    for (const times of [10, 10, 10, 9000, 500, 500]) {
      repeat(run, times);
      rounds.push(await measure());
    }
    expect(Math.min(...rounds.slice(3)) - Math.min(...rounds.slice(0, 3))).toBe(0);
    expect(memory()[device]!.peak).toBeLessThan(properties.memoryTotal / 4);
  }
});
