// benchmark on every device: what it counts, how its times hang together, what it prints, and what it refuses.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { benchmark, compile, memory, ones, rand, type Kernel } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  test("a function: bytes and operations of what it runs, backward included, and nothing left behind", async () => {
    const x = rand([256, 512], { device }),
      w = rand([512, 128], { device });
    const forward = () => x.matmul(w);
    // Once before: what a device keeps for its products stays.
    await benchmark(forward, { repeats: 1 });
    const before = memory()[device]!.allocated;
    const result = await benchmark(forward, { repeats: 5 });
    expect(memory()[device]!.allocated).toBe(before);
    expect([result.name, result.device, result.samples.length, result.flops, result.bytes]).toEqual([
      "forward",
      device,
      5,
      2 * 256 * 512 * 128,
      4 * (256 * 512 + 512 * 128 + 256 * 128),
    ]);
    expect([result.min <= result.median, result.median <= result.max, result.spread >= 0, result.calls >= 1]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(result.arithmetic!.tflopPerSecond).toBeCloseTo(result.flops / result.median / 1e9, 6);
    expect(result.arithmetic!.ofProduct).toBeCloseTo(result.arithmetic!.tflopPerSecond / result.arithmetic!.product, 6);
    expect(result.bandwidth!.gbPerSecond).toBeCloseTo(result.bytes / result.median / 1e6, 6);

    w.requiresGrad = true;
    const trained = await benchmark(() => x.matmul(w).sum().backward(), { repeats: 2, warmup: 0 });
    expect(trained.flops).toBeGreaterThan(2 * result.flops);
    w.grad = null;
  });

  test("a copy comes near the device's copy rate, and in-place operations count", async () => {
    const a = ones([1 << 22], { device }),
      b = ones([1 << 22], { device });
    const copy = await benchmark(() => b.copy_(a), { repeats: 5 });
    expect(copy.bytes).toBe(2 * a.bytes);
    // Other work shares the machine, and a smaller copy may stay in a cache: within a factor, not beside it.
    expect(copy.bandwidth!.ofCopy).toBeGreaterThan(0.02);
    expect(await benchmark(() => a.add_(1), { repeats: 2, bytes: 7, flops: 0 })).toMatchObject({
      bytes: 7,
      flops: 0,
      arithmetic: null,
    });
  });

  test("a kernel: timed by the device, with bytes and operations that the caller knows", async () => {
    const { kernels } = await compile(
      "__global__ void fill(float* p, int n, float value) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = value; }",
      { device },
    );
    const fill = kernels["fill"] as Kernel<[unknown, number, number]>;
    const p = ones([1 << 16], { device });
    const plain = await benchmark(fill, { grid: 256, block: 256, repeats: 4 }, p, 1 << 16, 2);
    expect([plain.name, plain.samples.length, plain.calls, plain.bandwidth, plain.arithmetic, p.sum().item()]).toEqual([
      "fill",
      4,
      1,
      null,
      null,
      2 ** 17,
    ]);
    const known = await benchmark(fill, { grid: 256, block: 256, bytes: p.bytes, flops: 10 }, p, 1 << 16, 3);
    expect([known.bandwidth!.gbPerSecond > 0, known.arithmetic!.dtype]).toEqual([true, "float32"]);
    await expect(benchmark(fill, { grid: 0, block: 256 }, p, 1, 1)).rejects.toThrow("The grid of kernel fill must be");
  });

  test("what it prints", async () => {
    const x = rand([1000], { device });
    const double = () => x.mul(2);
    const result = await benchmark(double, { repeats: 3 });
    const number = "[0-9.e+-]+";
    const text = new RegExp(
      `^double on ${device}: ${number} (s|ms|µs) \\(least ${number} (s|ms|µs), spread ${number} %; 3 samples of \\d+ calls\\)\\n  ${number} GB/s, ${number} % of a copy's ${number}\\n  ${number} TFLOP/s, ${number} % of a float32 matrix product's ${number}$`,
    );
    expect(String(result)).toMatch(text);
    expect(
      (result as unknown as Record<symbol, () => Record<string, string>>)[Symbol.for("Jupyter.display")]!(),
    ).toEqual({ "text/plain": String(result) });
  });
});

test("what it refuses", async () => {
  const cases: [() => Promise<unknown>, string][] = [
    [() => benchmark(7 as never), "benchmark takes a function or a kernel but got 7."],
    [
      () => benchmark(async () => 1),
      "benchmark takes a function that is not async: it waits for the devices by itself.",
    ],
    [() => benchmark(() => 1, { repeats: 0 }), "repeats of a benchmark must be a whole number ≥ 1, but got 0."],
    [() => benchmark(() => 1, { warmup: -1 }), "warmup of a benchmark must be a whole number ≥ 0, but got -1."],
    [() => benchmark(() => 1, { bytes: NaN }), "bytes of a benchmark must be a number ≥ 0, but got NaN."],
  ];
  for (const [run, sentence] of cases) await expect(run()).rejects.toThrow(sentence);
});
