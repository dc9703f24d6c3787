// Arrays that end where their memory ends (WARPCELL_BLOCKS_APART, for tests): what goes beyond one by one element is an
// illegal address. This file has a device process of its own, so nothing else is laid out so.
import "./cache.ts";
import { expect, onTestFinished, test, vi } from "vitest";

vi.stubEnv("WARPCELL_BLOCKS_APART", "4");
const { compile, memory, ones, synchronize, trim, zeros } = await import("../../native/lib/index.ts");

const on = { device: "cpu" } as const;
const source = `extern "C" __global__ void one(const float* x, float* y, int n) { y[0] = x[n]; }`;

test("an element behind an array is an illegal address, and the last one is not", async () => {
  const { kernels } = await compile(source, { ...on, name: "one.cu" });
  for (const count of [1, 33, 1024, 5_000_000]) {
    const [x, y] = [ones([count], on), zeros([1], on)];
    onTestFinished(() => [x, y].forEach((each) => each.dispose()));
    kernels["one"]!.launch({ grid: 1, block: 1 }, x, y, count - 1);
    await synchronize();
    expect(y.item()).toBe(1);
    kernels["one"]!.launch({ grid: 1, block: 1 }, x, y, count);
    await expect(synchronize()).rejects.toThrow(/accessed 0x[0-9a-f]+, which is in no array/);
  }
});

test("memory is used again, and all of it is given back", () => {
  trim();
  const before = memory()["cpu"]!;
  zeros([1000], on).dispose();
  const { reserved } = memory()["cpu"]!;
  const again = [zeros([900], on), zeros([7], on)];
  expect(memory()["cpu"]!.allocated - before.allocated).toBe(907 * 4);
  expect(memory()["cpu"]!.reserved).toBe(reserved + 4096);
  for (const each of again) each.dispose();
  trim();
  expect(memory()["cpu"]!).toMatchObject({ allocated: before.allocated, reserved: before.reserved });
});
