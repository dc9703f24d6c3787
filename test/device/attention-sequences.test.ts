// Attention of sequences whose rows lie one after the other: each is its formula in float64 by itself, and its
// gradients; empty ones, other lengths of keys than of queries, and what it says when something is wrong.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { cat, gradients, nn, ones, type DType, type Tensor } from "../../native/lib/index.ts";
import { expectNear, made, numbers, product } from "./attention-check.ts";
import { reference, whole, type Result } from "./attention-formula.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradient-check.ts";
import { poison, rounded, roundoff } from "./numbers.ts";

interface Lengths {
  readonly queries: readonly number[];
  readonly keys: readonly number[];
}
interface Case {
  readonly lengths: readonly number[] | Lengths;
  readonly heads?: number;
  readonly keyHeads?: number;
  readonly width?: number;
  readonly options?: nn.AttentionOptions;
}
const cases: Case[] = [
  { lengths: [1] },
  { lengths: [7, 1, 65, 0, 33], options: { causal: true } },
  { lengths: [64, 3, 70], heads: 6, keyHeads: 2, width: 16 },
  { lengths: { queries: [3, 0, 66, 5], keys: [9, 7, 40, 0] }, options: { causal: true, window: 20 } },
  { lengths: { queries: [2, 1, 9], keys: [70, 1, 3] }, options: { causal: true, alignment: "start", softcap: 2 } },
  { lengths: [66, 7, 33], heads: 2, keyHeads: 1, width: 64, options: { causal: true } },
];
const sum = (list: readonly number[]) => list.reduce((a, b) => a + b, 0);

/** Row `row` of `heads` of [heads, rows, columns], from one of a sequence. */
const within = (list: number[], heads: number, rows: number, columns: number, from: number, count: number) =>
  Array.from({ length: heads }, (_, head) =>
    list.slice((head * rows + from) * columns, (head * rows + from + count) * columns),
  ).flat();

function expectSequences(given: Case, dtype: DType, device: string, lay: (x: Tensor) => Tensor = (x) => x): void {
  const { heads = 2, keyHeads = heads, width = 8, options = {} } = given;
  const of: Lengths = "queries" in given.lengths ? given.lengths : { queries: given.lengths, keys: given.lengths };
  const [queries, keys] = [sum(of.queries), sum(of.keys)];
  const [q, k, v, g] = [
    [heads, queries, width],
    [keyHeads, keys, width],
    [keyHeads, keys, width],
    [heads, queries, width],
  ].map((shape) => made(shape, dtype, device));
  const leaves = [q!.x, k!.x, v!.x];
  for (const leaf of leaves) leaf.requiresGrad = true;
  poison(device, 8 * product([heads, Math.max(queries, keys), width]));
  const { out, lse } = nn.attention(lay(q!.x), lay(k!.x), lay(v!.x), {
    ...options,
    lengths: given.lengths,
    returnLse: true,
  });
  expect([out.shape, lse.shape, out.dtype]).toEqual([[heads, queries, width], [heads, queries], dtype]);
  const found = {
    out: out.detach() as Tensor,
    lse: lse.detach() as Tensor,
    ...Object.fromEntries(
      gradients(out, leaves, { gradient: g!.x }).map((each, at) => [["dq", "dk", "dv"][at]!, each]),
    ),
  } as Record<keyof Result, Tensor>;
  const lists = Object.fromEntries(Object.entries(found).map(([name, x]) => [name, numbers(x)]));
  const rounding = { sum: dtype === "float64" ? 2 ** -53 : 2 ** -24, own: roundoff[dtype]! };
  let query = 0,
    key = 0;
  of.queries.forEach((count, at) => {
    const many = of.keys[at]!;
    const part = (list: number[], isOfKeys: boolean) =>
      isOfKeys ? within(list, keyHeads, keys, width, key, many) : within(list, heads, queries, width, query, count);
    const own = (list: number[], isOfKeys: boolean) => part(list, isOfKeys).map((each) => rounded(each, dtype));
    const { value, error } = reference(
      whole({ batch: 1, heads, keyHeads, queries: count, keys: many, width, options }),
      { q: own(q!.list, false), k: own(k!.list, true), v: own(v!.list, true), g: own(g!.list, false), mask: null },
      { ...rounding, least: dtype === "float16" ? 2 ** -25 : 0 },
      () => 0,
      0,
    );
    for (const name of ["out", "dq", "dk", "dv"] as const) {
      const mine = part(lists[name]!, name === "dk" || name === "dv");
      expectNear(`${name} of ${at}`, mine, value[name], error[name]);
    }
    expectNear(`lse of ${at}`, within(lists.lse!, heads, queries, 1, query, count), value.lse, error.lse);
    query += count;
    key += many;
  });
}

describe.each(devices)("on $name", ({ name: device }) => {
  test.each(cases.map((each) => [JSON.stringify(each), each] as const))("is its formula: %s", (_, each) => {
    for (const dtype of ["float32", "float64", "bfloat16", "float16"] as const) expectSequences(each, dtype, device);
  });

  test("of heads within rows, as one product for all gives them", () => {
    const lay = (x: Tensor) => x.transpose([1, 0, 2]).clone().transpose([1, 0, 2]) as Tensor;
    expectSequences({ lengths: [5, 66, 2], heads: 4, options: { causal: true } }, "float32", device, lay);
  });

  test("is what each gives by itself, of any axes before the heads, and of none", () => {
    for (const before of [[2, 3], [1], []]) {
      const [q, k, v] = [4, 4, 3].map((width) => made([...before, 9, width], "float32", device).x);
      const cut = (x: Tensor, from: number, to: number) => x.slice(...before.map(() => null), [from, to]) as Tensor;
      const apart = [
        [0, 4],
        [4, 5],
        [5, 9],
      ].map(([from, to]) => nn.attention(cut(q!, from!, to!), cut(k!, from!, to!), cut(v!, from!, to!)));
      const joined = nn.attention(q!, k!, v!, { lengths: [4, 1, 4] });
      expect(numbers(joined)).toEqual(numbers(cat(apart, { axis: -2 }) as Tensor));
    }
    const none = ones([2, 0, 4], { device }) as Tensor;
    expect(nn.attention(none, none, none, { lengths: [], returnLse: true }).lse.shape).toEqual([2, 0]);
  });

  test("gradients, and gradients of gradients, are what differences say, also through the log-sum-exp", () => {
    const shapes = [{ shape: [2, 4, 2] }, { shape: [5, 2] }, { shape: [5, 1] }];
    const options = { causal: true, lengths: { queries: [1, 1, 2], keys: [2, 0, 3] }, returnLse: true } as const;
    const weighted = (...x: Tensor[]) => {
      const { out, lse } = nn.attention(x[0]!, x[1]!, x[2]!, options);
      // A query of no keys has no sum of powers.
      const seen = cat([lse.slice(null, [0, 1]) as Tensor, lse.slice(null, [2, 4]) as Tensor], { axis: 1 }) as Tensor;
      return cat([out.sin().reshape([-1]) as Tensor, seen.square().reshape([-1]) as Tensor]) as Tensor;
    };
    expectGradients(weighted, shapes, device);
    expectGradients(
      (...given) => {
        const x = given.map((each) => (each.requiresGrad ? each : (each.clone() as Tensor)));
        for (const each of x) each.requiresGrad = true;
        const found = gradients(weighted(...x).sum(), x, { createGraph: true });
        return cat(found.map((each) => each.reshape([-1]) as Tensor)) as Tensor;
      },
      shapes,
      device,
    );
  });

  test("errors say what is wrong", () => {
    const x = ones([2, 5, 4], { device }) as Tensor;
    const wide = ones([2, 5, 300], { device }) as Tensor;
    const mask = ones([5, 5], { device }) as Tensor;
    const calls: [() => unknown, string][] = [
      [
        () => nn.attention(x, x, x, { lengths: [2, -1] }),
        "attention takes a list of whole numbers of at least 0, or { queries, keys } of two, as lengths but got [2, -1].",
      ],
      [
        () => nn.attention(x, x, x, { lengths: [2, 2] }),
        "attention takes lengths of all 5 queries together but got [2, 2], of 4.",
      ],
      [
        () => nn.attention(x, x, x, { lengths: { queries: [2, 3], keys: [5] } }),
        "attention takes as many lengths of keys as of queries but got 1 for 2.",
      ],
      [
        () => nn.attention(x, x, x, { lengths: [5], mask }),
        "attention takes lengths of sequences or a mask, not both: leave one out.",
      ],
      [
        () => nn.attention(x, x, x, { lengths: [5], dropout: 0.5 }),
        "attention takes lengths of sequences or dropout, not both: leave one out.",
      ],
      [
        () => nn.attention(wide, wide, wide, { lengths: [5] }),
        "attention of sequences takes heads of at most 256 columns but got 300.",
      ],
    ];
    for (const [run, sentence] of calls) expect(run).toThrow(sentence);
  });
});
