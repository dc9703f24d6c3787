// nn.KeyValueCache on every device: tokens that come one by one, or some at a time, see what they see of the whole
// sequence, by the function and through the layers, and what it says when something is wrong.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { memory, nn, noGrad, ones, tensor, tidy, type DType, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { freshSeed, poison, randomValues, roundoff, seeded } from "./numbers.ts";

const random = seeded(freshSeed("key-value-cache.test.ts"));
const numbers = (x: Tensor): number[] => [x.to("float64").reshape([-1]).toArray()].flat() as number[];
const product = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const draw = (dtype: DType, ...shape: number[]) =>
    tensor(
      randomValues(product(shape), dtype).map((each) => each / 2),
      { dtype, device },
    )
      .reshape(shape)
      .clone() as Tensor;
  /** Lengths that make `whole`, at random. */
  function steps(whole: number): [from: number, to: number][] {
    const found: [number, number][] = [];
    for (let from = 0; from < whole; ) {
      const to = Math.min(whole, from + 1 + Math.floor(random() * 4));
      found.push([from, to]);
      from = to;
    }
    return found;
  }
  /** Weights add to 1: the same value but for the rounding of some sums of as many terms, and of the result. */
  function expectSame(found: Tensor, wanted: Tensor, terms: number, most = 1): void {
    expect([found.shape, found.dtype]).toEqual([wanted.shape, wanted.dtype]);
    const bound = most * (2 * roundoff[wanted.dtype]! + 8 * terms * (wanted.dtype === "float64" ? 2 ** -53 : 2 ** -24));
    const other = numbers(wanted);
    const values = numbers(found);
    const scale = Math.max(1, ...other.map(Math.abs));
    expect(values.filter((each, at) => !(Math.abs(each - other[at]!) <= bound * scale))).toEqual([]);
  }

  test.each([
    { dtype: "float64", heads: 4, keyHeads: 2, width: 8, valueWidth: 5, length: 21 },
    { dtype: "float32", heads: 6, keyHeads: 1, width: 64, valueWidth: 64, length: 37 },
    { dtype: "float16", heads: 8, keyHeads: 2, width: 128, valueWidth: 128, length: 70 },
    { dtype: "bfloat16", heads: 3, keyHeads: 3, width: 64, valueWidth: 64, length: 30 },
  ] as const)("tokens see what they see of the whole: $dtype, $heads heads, $keyHeads of keys", (of) => {
    const { dtype, heads, keyHeads, width, valueWidth, length } = of;
    const [q, k, v] = [
      draw(dtype, 2, heads, length, width),
      draw(dtype, 2, keyHeads, length, width),
      draw(dtype, 2, keyHeads, length, valueWidth),
    ];
    poison(device, 16 * q.size);
    const cache = new nn.KeyValueCache(2, keyHeads, length + 3, width, { valueWidth, dtype, device });
    expect([cache.length, cache.capacity]).toEqual([0, length + 3]);
    const part = (x: Tensor, range: [number, number]) => x.slice(null, null, range) as Tensor;
    for (const options of [{ causal: true }, { causal: true, window: 7 }]) {
      const wanted = nn.attention(q, k, v, options);
      for (const range of steps(length)) {
        const found = nn.attention(part(q, range), part(k, range), part(v, range), { ...options, cache });
        expectSame(found, part(wanted, range), length + width);
        expect(cache.length).toBe(range[1]);
      }
      expect(numbers(cache.keys)).toEqual(numbers(k));
      expect(numbers(cache.values)).toEqual(numbers(v));
      cache.reset();
    }
    // After a wrong guess: the next are written over it.
    cache
      .append(part(k, [0, 9]), part(v, [0, 9]))
      .append(part(k, [3, 8]), part(v, [3, 8]))
      .truncate(9);
    expect(cache.append(part(k, [9, length]), part(v, [9, length])).length).toBe(length);
    expect(numbers(cache.keys)).toEqual(numbers(k));
  });

  test("through the layers, with a mask, too", () => {
    const on = { device, dtype: "float64" } as const;
    const [own, block] = [
      new nn.SelfAttention(12, 6, { keyHeads: 2, causal: true, ...on }),
      new nn.TransformerBlock(12, 3, { causal: true, ...on }),
    ];
    const cases = [
      { layer: own, cache: new nn.KeyValueCache(2, 2, 11, 2, on) },
      { layer: block, cache: new nn.KeyValueCache(2, 3, 11, 4, on) },
    ];
    const mask = tensor(
      Array.from({ length: 2 * 11 }, (_, at) => at % 11 === 0 || random() < 0.7),
      { device, dtype: "bool" },
    ).reshape([2, 1, 1, 11]) as Tensor;
    const x = draw("float64", 2, 11, 12);
    for (const { layer, cache } of cases) {
      noGrad(() => {
        const wanted = layer(x, { mask });
        for (const [from, to] of steps(11)) {
          const seen = mask.slice(null, null, null, [0, to]) as Tensor;
          const found = tidy(() => layer(x.slice(null, [from, to]) as Tensor, { mask: seen, cache }));
          expectSame(found, wanted.slice(null, [from, to]) as Tensor, 200);
        }
      });
      expect(cache.length).toBe(11);
    }
  });

  test("nothing of before is copied, a tidy leaves it, and dispose frees it", () => {
    const before = memory()[device]!.allocated;
    const cache = tidy(() => new nn.KeyValueCache(1, 1, 2 ** 16, 16, { device }));
    const filled = memory()[device]!.allocated;
    expect(filled - before).toBeGreaterThanOrEqual(2 * 2 ** 16 * 16 * 4);
    const one = ones([1, 1, 1, 16], { device }) as Tensor;
    const long = ones([1, 1, 2 ** 15, 16], { device }) as Tensor;
    cache.append(long, long);
    long.dispose();
    const { allocated, peak } = memory()[device]!;
    tidy(() => {
      const out = nn.attention(one, one, one, { cache });
      expect(numbers(out).filter((each) => Math.abs(each - 1) > 2 ** 16 * 2 ** -24)).toEqual([]);
    });
    expect(memory()[device]!.peak).toBeLessThanOrEqual(Math.max(peak, allocated + 2 ** 20));
    expect(cache.keys.shape).toEqual([1, 1, 2 ** 15 + 1, 16]);
    cache.dispose();
    expect(memory()[device]!.allocated).toBeLessThan(filled);
    {
      using scoped = new nn.KeyValueCache(1, 1, 4, 4, { device });
      expect(scoped.capacity).toBe(4);
    }
  });

  test("errors say what is wrong, and leave it as it was", () => {
    const x = (...shape: number[]) => ones(shape, { device }) as Tensor;
    const cache = new nn.KeyValueCache(1, 2, 4, 8, { device });
    const k = x(1, 2, 3, 8);
    cache.append(k, k);
    const leaf = x(1, 2, 1, 8);
    leaf.requiresGrad = true;
    const calls: [() => unknown, string][] = [
      [
        () => cache.append(k, k),
        "This KeyValueCache has room for 4 tokens, of which 3 are filled, and got 3 more: make a larger one, or truncate it.",
      ],
      [
        () => cache.append(x(1, 2, 1, 8), x(1, 2, 1, 7)),
        "This KeyValueCache takes keys [1, 2, tokens, 8] and values [1, 2, tokens, 8] but got [1, 2, 1, 8] and [1, 2, 1, 7].",
      ],
      [
        () => cache.append(x(1, 2, 1, 8), x(1, 2, 1, 8).to("float64") as Tensor),
        `This KeyValueCache holds float32 on ${device} but got float64 on ${device}.`,
      ],
      [
        () => cache.append(leaf, leaf),
        "A KeyValueCache keeps no gradients: use it within noGrad, or detach what it gets.",
      ],
      [() => cache.truncate(5), "truncate takes at most the 3 tokens that this KeyValueCache has but got 5."],
      [
        () => nn.attention(x(1, 2, 1, 8), x(1, 2, 1, 8), x(1, 2, 1, 8), { cache, mask: x(1, 3) }),
        "attention of scores of shape [1, 2, 1, 4] takes a mask that broadcasts to it but got [1, 3].",
      ],
      [() => nn.attention(k, k, k, { cache: 3 as never }), "attention takes an nn.KeyValueCache as cache but got 3."],
      [
        () => new nn.KeyValueCache(1, 2, 0, 8, { device }),
        "KeyValueCache takes a whole number of at least 1 as capacity but got 0.",
      ],
    ];
    for (const [run, sentence] of calls) expect(run).toThrow(sentence);
    expect(cache.length).toBe(3);
  });
});
