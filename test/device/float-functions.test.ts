// float32 functions on every device against float64: over all magnitudes, and at the ends of their ranges.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { tensor, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";

// Units in the last place: ours on the CPU; CUDA's own from the CUDA C++ Programming Guide, "Mathematical Functions".
const functions: Record<string, [cpu: number, cuda: number]> = {
  exp: [2, 2], exp2: [2, 2], expm1: [2, 2], log: [2, 2], log2: [2, 2], log10: [2, 3], log1p: [2, 2], sinh: [2, 3], cosh: [2, 2], tanh: [2, 2], erf: [2, 2], erfc: [3, 4],
};
const ends = [NaN, Infinity, -Infinity, 0, -0, 1e-45, -1e-45, 1e-40, -1e-40, 1, -1, 88.72283, 88.72284, -87.4, -103.9, -104.1, 127.99999, 128, -149, -151, 3.4e38, -3.4e38, 1e-7, -1e-7, 0.5, -0.5, 9.2, 10.05, -0.99999994];

describe.each(devices.map(({ name, kind }) => [name, kind] as const))("on %s", (device, kind) => {
  test.each(Object.entries(functions))("%s", (name, [cpu, cuda]) => {
    const seed = Math.floor(Math.random() * 2 ** 32);
    console.log(`seed ${seed}`);
    // Every 21,001st float from a random one on: all exponents and both signs.
    const bits = new Uint32Array(204_513).map((_, index) => (seed + index * 21_001) >>> 0);
    const near = Array.from({ length: 20_000 }, (_, index) => ((index + (seed % 1000) / 1000) / 20_000) * 24 - 12);
    const input = tensor([...new Float32Array(bits.buffer), ...near, ...ends], { device, dtype: "float32" });
    const apply = (x: Tensor) => (x as unknown as Record<string, () => Tensor>)[name]!();
    const got = apply(input).toArray() as number[];
    const wanted = apply(input.to("float64")).toArray() as number[];
    const given = input.toArray() as number[];
    const wrong = wanted.flatMap((value, at) => {
      const rounded = Math.fround(value), result = got[at]!;
      if (Number.isNaN(value)) return Number.isNaN(result) ? [] : [{ x: given[at], result, value }];
      // Beyond the largest float, half a unit of it apart.
      if (!Number.isFinite(rounded)) return result === rounded || Math.abs(value) < 2 ** 128 * (1 + 2 ** -21) && Math.abs(result) > 3.4e38 ? [] : [{ x: given[at], result, value }];
      // CUDA's figures are distances from the correctly rounded result, which is half a unit off itself.
      const unit = 2 ** Math.max(-149, Math.floor(Math.log2(Math.abs(value))) - 23);
      return Math.abs(result - value) <= (kind === "cpu" ? cpu : cuda + 0.5) * (Number.isFinite(unit) && unit > 0 ? unit : 2 ** -149) || (!Number.isFinite(result) && Math.abs(value) > 3.4028e38) ? [] : [{ x: given[at], result, value }];
    });
    expect(wrong.slice(0, 5)).toEqual([]);
    // Zeros keep their sign where the function is odd.
    if (["expm1", "log1p", "sinh", "tanh", "erf"].includes(name)) expect(apply(tensor([-0], { device })).toArray()).toEqual([-0]);
  });
});
