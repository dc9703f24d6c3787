// nn.KeyValueCache on every device: tokens that come one by one, or some at a time, see what they see of the whole
// sequence, by the function and through the layers, and what it says when something is wrong.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { graph, memory, nn, noGrad, ones, tensor, tidy, type DType, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { poison, randomValues, roundoff } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
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

  test.each([
    { dtype: "float32", heads: 6, keyHeads: 2, width: 64, length: 200, rows: 1, options: { causal: true } },
    { dtype: "bfloat16", heads: 8, keyHeads: 2, width: 32, length: 96, rows: 2, options: { causal: true, window: 9 } },
    { dtype: "float32", heads: 1, keyHeads: 1, width: 8, length: 30, rows: 3, options: { softcap: 2 } },
  ] as const)("each run of a graph adds its tokens, $rows of $dtype at a time", (of) => {
    const { dtype, heads, keyHeads, width, length, rows, options } = of;
    const [q, k, v] = [
      draw(dtype, 2, heads, length, width),
      draw(dtype, 2, keyHeads, length, width),
      draw(dtype, 2, keyHeads, length, width),
    ];
    const cache = new nn.KeyValueCache(2, keyHeads, length, width, { dtype, device });
    const other = new nn.KeyValueCache(2, keyHeads, length, width, { dtype, device });
    const part = (x: Tensor, from: number, many = rows) => x.slice(null, null, [from, from + many]) as Tensor;
    using step = graph((now: Tensor, key: Tensor, value: Tensor) => ({
      places: cache.positions(rows),
      out: nn.attention(now, key, value, { ...options, cache }),
    }));
    const many = Math.floor(length / rows);
    const check = (turn: number) => {
      const from = turn * rows;
      const { places, out } = step(part(q, from), part(k, from), part(v, from));
      const wanted = nn.attention(part(q, from), part(k, from), part(v, from), { ...options, cache: other });
      expectSame(out, wanted, length + width);
      expect(places.toArray()).toEqual(Array.from({ length: rows }, (_, at) => BigInt(from + at)));
      expect(cache.length).toBe(from + rows);
    };
    for (let turn = 0; turn < many; turn++) check(turn);
    const all = numbers(k.slice(null, null, [0, many * rows]) as Tensor);
    expect(numbers(cache.keys)).toEqual(all);
    // A run that has no room does nothing; what was forgotten is written anew.
    if (cache.length + rows > length) {
      expect(() => step(part(q, 0), part(k, 0), part(v, 0))).toThrow(
        `This KeyValueCache has room for ${length} tokens, of which ${cache.length} are filled, and got ${rows} more: make a larger one, or truncate it.`,
      );
      expect(cache.length).toBe(many * rows);
    }
    for (const each of [cache, other]) each.truncate(5 * rows);
    for (let turn = 5; turn < 9; turn++) check(turn);
  });

  test("what a graph would keep as it is now is refused", () => {
    const cache = new nn.KeyValueCache(1, 2, 64, 8, { device });
    const [one, many] = [ones([1, 2, 1, 8], { device }), ones([1, 2, 17, 8], { device })] as [Tensor, Tensor];
    const kept = (what: string, instead: string) =>
      `A graph would keep the ${what} of a KeyValueCache as it is now: ${instead}.`;
    const seen = "give the cache to nn.attention, which looks at those of each run";
    const few =
      "In a graph, attention with a KeyValueCache takes up to 16 queries for each head of keys, whose rows are whole 16 bytes and at most 256 numbers, without a mask and dropout, on a GPU of float32, float16 or bfloat16. Do the rest outside of the graph, such as the first tokens of a text.";
    const mask = ones([1, 1, 1, 1], { device }) as Tensor;
    const wide = new nn.KeyValueCache(1, 1, 8, 320, { device });
    const broad = ones([1, 1, 1, 320], { device }) as Tensor;
    const calls: [() => unknown, string][] = [
      [() => cache.length, kept("length", "take positions(tokens), whose numbers are those of each run")],
      [() => cache.keys, kept("keys", seen)],
      [() => cache.values, kept("values", seen)],
      [() => nn.attention(many, many, many, { cache }), few],
      [() => nn.attention(one, one, one, { cache, mask }), few],
      [() => nn.attention(broad, broad, broad, { cache: wide }), few],
    ];
    for (const [run, sentence] of calls) {
      const recorded = graph(
        () => {
          if (isRecorded) run();
        },
        { device },
      );
      let isRecorded = false;
      recorded();
      isRecorded = true;
      expect(recorded).toThrow(sentence);
    }
    expect([cache.length, wide.length]).toEqual([0, 0]);
    expect(() => cache.positions(-1)).toThrow("positions takes a whole number of at least 0 as tokens but got -1.");
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
