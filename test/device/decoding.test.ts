// Attention of few queries, as in decoding, on every device: beside its formula, over keys that blocks share, and of a
// cache's rows.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { lastDispatch, nn, setPath, type DType, type Tensor } from "../../native/lib/index.ts";
import { expectAttention, made, numbers } from "./attention-check.ts";
import type { Case } from "./attention-formula.ts";
import { devices } from "./devices.ts";

const cases: Case[] = [
  { queries: 1, keys: 1, width: 64 },
  { queries: 1, keys: 700, heads: 4, keyHeads: 4, width: 64 },
  { queries: 1, keys: 333, heads: 8, keyHeads: 2, width: 128, batch: 1 },
  { queries: 1, keys: 130, heads: 8, keyHeads: 1, width: 32 },
  { queries: 2, keys: 257, heads: 6, keyHeads: 1, width: 16, options: { causal: true } },
  { queries: 4, keys: 300, heads: 2, keyHeads: 2, width: 24, options: { causal: true } },
  { queries: 3, keys: 200, heads: 4, keyHeads: 2, width: 40, values: 64, options: { causal: true, window: 50 } },
  { queries: 5, keys: 3, width: 16, options: { causal: true } },
  { queries: 2, keys: 400, heads: 16, keyHeads: 2, width: 128, batch: 1, options: { causal: true } },
  { queries: 1, keys: 100, heads: 12, keyHeads: 1, width: 256, batch: 1 },
  { queries: 1, keys: 513, width: 256, batch: 1, options: { softcap: 3 } },
  { queries: 2, keys: 190, width: 64, values: 16, options: { window: [20, 30], scale: -0.2 } },
  { queries: 8, keys: 150, heads: 2, keyHeads: 1, width: 64, options: { causal: true, alignment: "start" } },
];
const titled = cases.map((each) => [JSON.stringify(each), each] as const);

describe.each(devices)("$name", ({ name: device, properties }) => {
  const expectPath = () => expect(lastDispatch("attention")).toMatchObject({ path: "decoding" });
  const isSerial = properties.libraryBlock === 1;

  test.each(titled)("is its formula: %s", (_, each) => {
    for (const dtype of ["float32", "bfloat16", "float16", ...(isSerial ? ["float64"] : [])] as DType[]) {
      expectAttention(each, dtype, device);
      // The gradient, which other kernels compute, ran last.
      using none = nn.attention(...three(each, dtype), each.options) as Tensor;
      expect(none.shape).toHaveLength(4);
      expectPath();
    }
  });

  const three = (
    { batch = 2, heads = 2, keyHeads = heads, queries, keys, width = 8, values = width }: Case,
    dtype: DType,
  ) =>
    [
      made([batch, heads, queries, width], dtype, device).x,
      made([batch, keyHeads, keys, width], dtype, device).x,
      made([batch, keyHeads, keys, values], dtype, device).x,
    ] as const;

  test("the filled rows of a cache are read where they lie, and no others", () => {
    const [q, k, v] = three({ queries: 1, keys: 100, heads: 4, keyHeads: 2, width: 64 }, "float32");
    const whole = nn.attention(q, k.slice(null, null, [0, 77]), v.slice(null, null, [0, 77])) as Tensor;
    expectPath();
    k.slice(null, null, [77, 100]).fill_(NaN);
    v.slice(null, null, [77, 100]).fill_(NaN);
    const again = nn.attention(q, k.slice(null, null, [0, 77]), v.slice(null, null, [0, 77])) as Tensor;
    expect(numbers(again)).toEqual(numbers(whole));
    // Keys of another order: tokens in front of heads, as a layer that projects them has them.
    const turned = (x: Tensor) => x.transpose([0, 2, 1, 3]).contiguous().transpose([0, 2, 1, 3]) as Tensor;
    const cut = (x: Tensor) => x.slice(null, null, [0, 77]) as Tensor;
    expect(numbers(nn.attention(turned(q), turned(cut(k)), turned(cut(v))) as Tensor)).toEqual(numbers(whole));
    expectPath();
  });

  test.each(["float32", "bfloat16"] as const)("NaN of %s comes out, and rows that see nothing are 0", (dtype) => {
    const [q, k, v] = three({ queries: 1, keys: 300, heads: 4, keyHeads: 2, width: 64 }, dtype);
    k.slice(0, 0, 200).fill_(NaN);
    const out = numbers(nn.attention(q, k, v) as Tensor);
    expect(out.slice(0, 128).every(Number.isNaN)).toBe(true);
    expect(out.slice(128).some(Number.isNaN)).toBe(false);
    const [few, keys, values] = three({ queries: 4, keys: 2, width: 64 }, dtype);
    const { out: blind, lse } = nn.attention(few, keys, values, { causal: true, returnLse: true });
    expect(numbers(blind.slice(0, 0, [0, 2]) as Tensor)).toEqual(Array(128).fill(0));
    expect(numbers(lse.slice(0, 0) as Tensor).slice(0, 2)).toEqual([-Infinity, -Infinity]);
  });

  test("the same comes out every time, and nearly that of the path for everything", () => {
    const [q, k, v] = three({ queries: 1, keys: 900, heads: 8, keyHeads: 2, width: 128 }, "float32");
    const [first, second] = [1, 2].map(() => numbers(nn.attention(q, k, v) as Tensor));
    expect(second).toEqual(first);
    using _ = setPath("attention", "generic");
    const other = numbers(nn.attention(q, k, v) as Tensor);
    // Means of numbers up to 1 with some 900 roundings of weights and sums.
    expect(Math.max(...other.map((value, at) => Math.abs(value - first![at]!)))).toBeLessThan(900 * 2 ** -24);
  });
});
