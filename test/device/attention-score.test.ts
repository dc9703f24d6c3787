// Attention with functions of scores and of places, compiled into its kernels: beside its formula in float64, forward
// and backward, with tensors that the functions capture; and what it says of functions that no kernel computes.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { gradients, lastDispatch, nn, ones, setPath, tensor, type DType, type Tensor } from "../../native/lib/index.ts";
import { expectNear, made, product } from "./attention-check.ts";
import { reference, whole, type Case } from "./attention-formula.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradient-check.ts";
import { poison, rounded, roundoff } from "./numbers.ts";

type Functions = Pick<nn.AttentionOptions, "score" | "mask">;
/** A case with functions, and what they add to a score. */
interface Compiled extends Case {
  readonly title: string;
  readonly functions: (device: string) => Functions;
  readonly added: (at: number[]) => number;
}
const slopes = [0.5, -0.25, 0.125, 1];
const table = Array.from({ length: 9 }, (_, at) => at / 8 - 0.5);
const near = (distance: number) => Math.max(-4, Math.min(4, distance)) + 4;
const documents = Array.from({ length: 70 }, (_, at) => Math.floor(at / 23));

const cases: Compiled[] = [
  {
    title: "a slope for each head, as ALiBi",
    queries: 67,
    keys: 70,
    heads: 4,
    keyHeads: 2,
    options: { causal: true },
    functions: (device) => {
      const each = tensor(slopes, { dtype: "float32", device });
      return { score: (score, { head, query, key }) => score.add(each.take(head).mul(key.sub(query))) as Tensor };
    },
    added: ([, h, i, j]) => slopes[h!]! * (j! - i!),
  },
  {
    title: "a table of distances, of one query",
    queries: 1,
    keys: 65,
    functions: (device) => {
      const each = tensor(table, { dtype: "float32", device });
      return { score: (score, { query, key }) => score.add(each.take(key.sub(query).clamp(-4, 4).add(4))) as Tensor };
    },
    added: ([, , i, j]) => table[near(j! - i!)]!,
  },
  {
    title: "a mask by function of documents, and a table that is broadcast",
    queries: 70,
    keys: 70,
    functions: (device) => {
      const of = tensor(documents, { dtype: "int32", device });
      const bias = tensor(slopes, { dtype: "float32", device }).reshape([2, 2, 1, 1]) as Tensor;
      return {
        mask: ({ query, key }) => of.take(query).eq(of.take(key)).logicalAnd(key.le(query)) as Tensor,
        score: (score) => score.add(bias) as Tensor,
      };
    },
    added: ([b, h, i, j]) =>
      documents[i!] === documents[j!] && j! <= i! ? slopes[2 * b! + h!]! : Number.NEGATIVE_INFINITY,
  },
];

// As tensor cores take them: lengths that fill no tile, widths between two kernels, keys that two heads share, a cap, a
// window, rows that see nothing.
const onTensorCores: (Compiled & { readonly dtype: DType })[] = [
  { ...cases[0]!, dtype: "bfloat16" },
  { ...cases[2]!, dtype: "bfloat16" },
  {
    dtype: "bfloat16",
    title: "a table by places in memory, a cap, and a window",
    queries: 131,
    keys: 70,
    width: 72,
    batch: 1,
    heads: 2,
    keyHeads: 1,
    options: { window: [20, 30], softcap: 2 },
    functions: (device) => {
      const list = Array.from({ length: 2 * 131 * 70 }, (_, at) => (at % 13) / 8 - 0.75);
      const bias = tensor(list, { dtype: "float32", device }).reshape([1, 2, 131, 70]) as Tensor;
      return { score: (score) => score.add(bias) as Tensor };
    },
    added: ([, h, i, j]) => (((h! * 131 + i!) * 70 + j!) % 13) / 8 - 0.75,
  },
  {
    dtype: "float16",
    title: "a mask by function of strides, rows of 136 numbers",
    queries: 66,
    keys: 65,
    width: 136,
    batch: 1,
    heads: 1,
    functions: () => ({
      mask: ({ query, key }) => query.sub(key).remainder(3).eq(0).logicalAnd(query.lt(60)) as Tensor,
    }),
    added: ([, , i, j]) => ((i! - j!) % 3 === 0 && i! < 60 ? 0 : Number.NEGATIVE_INFINITY),
  },
];

function expectCompiled(
  given: Compiled,
  dtype: DType,
  device: string,
  path: "compiled" | "mma" | "wgmma" = "compiled",
): void {
  using _path = setPath("attention", path);
  const of = whole(given);
  const { batch, heads, keyHeads, queries, keys, width, values } = of;
  const [q, k, v, g] = [
    [batch, heads, queries, width],
    [batch, keyHeads, keys, width],
    [batch, keyHeads, keys, values],
    [batch, heads, queries, values],
  ].map((shape) => made(shape, dtype, device));
  const leaves = [q!.x, k!.x, v!.x];
  for (const leaf of leaves) leaf.requiresGrad = true;
  const functions = given.functions(device);
  poison(device, 8 * product([batch, heads, Math.max(queries, keys), width]));
  const { out, lse } = nn.attention(q!.x, k!.x, v!.x, { ...of.options, ...functions, returnLse: true });
  expect(lastDispatch("attention")!.path).toBe(path);
  const found = gradients(out, leaves, { gradient: g!.x });
  const { value, error } = reference(
    of,
    {
      ...(Object.fromEntries(
        Object.entries({ q, k, v, g }).map(([name, each]) => [name, each!.list.map((one) => rounded(one, dtype))]),
      ) as Record<"q" | "k" | "v" | "g", number[]>),
      mask: given.added,
    },
    {
      sum: dtype === "float64" ? 2 ** -53 : 2 ** -24,
      own: roundoff[dtype]!,
      least: dtype === "float16" ? 2 ** -25 : 0,
    },
    () => 0,
    0,
  );
  expectNear("out", out.detach() as Tensor, value.out, error.out);
  expectNear("lse", lse.detach() as Tensor, value.lse, error.lse);
  for (const [at, name] of (["dq", "dk", "dv"] as const).entries())
    expectNear(name, found[at]!, value[name], error[name]);
}

/** Smooth functions: what is multiplied, bent, and cut. */
const smooth: [string, (device: string) => Functions & { readonly softcap?: number }][] = [
  [
    "a product with a number for each head, and a sine",
    (device) => {
      const each = tensor(slopes, { dtype: "float64", device });
      return {
        score: (score, { head, key }) =>
          score.mul(each.take(head)).sin().add(score.square().mul(key).mul(0.1)) as Tensor,
        softcap: 3,
      };
    },
  ],
  [
    "only some of the scores, and a mask by function",
    () => ({
      score: (score, { query, key }) => score.exp().where(key.gt(query), score.mul(2)) as Tensor,
      mask: ({ query, key }) => key.sub(query).abs().le(2) as Tensor,
    }),
  ],
  ["none of the scores", () => ({ score: (_, { query, key }) => key.sub(query).div(4).to("float64") as Tensor })],
];

// What blocks of two heads see, again and again; the second has a row of nothing.
const [laidQueries, laidKeys] = [70, 135] as const;
const flags = [
  [1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1],
  [0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0],
];
/** A layout of blocks of `size`. */
function laid(size: number, device: string): Compiled {
  const [down, across] = [laidQueries, laidKeys].map((length) => Math.ceil(length / size)) as [number, number];
  const flag = (h: number, i: number, j: number) => flags[h]![(i % 3) * 5 + (j % 5)]!;
  const list = [0, 1].flatMap((h) =>
    Array.from({ length: down * across }, (_, at) => flag(h, Math.floor(at / across), at % across)),
  );
  const layout = tensor(list, { device }).reshape([2, down, across]).ne(0) as Tensor;
  return {
    title: "",
    queries: laidQueries,
    keys: laidKeys,
    functions: () => ({ blocks: { layout, size } }),
    added: ([, h, i, j]) => (flag(h!, Math.floor(i! / size), Math.floor(j! / size)) ? 0 : Number.NEGATIVE_INFINITY),
  };
}

// By warp groups: widths of a kernel and between two, tiles that pass whole and in part, keys that heads share.
const byGroups: typeof onTensorCores = [
  ...onTensorCores,
  { ...cases[0]!, title: "a slope for each head, rows of 64", width: 64, queries: 193, keys: 260, dtype: "bfloat16" },
  { ...cases[0]!, title: "a slope for each head, rows of 128", width: 128, queries: 260, keys: 193, dtype: "float16" },
  { ...cases[0]!, title: "a slope for each head, rows of 256", width: 256, values: 256, batch: 1, dtype: "bfloat16" },
];
const isHopper = ({ properties }: (typeof devices)[number]) => properties.architectures.includes("sm_90a");
describe.each(devices.filter(isHopper))("on $name, by warp groups", ({ name: device }) => {
  test.each(byGroups.map((each) => [each.title, each] as const))("%s", (_, each) => {
    expectCompiled(each, each.dtype, device, "wgmma");
  });

  test("a layout of blocks is none of theirs", () => {
    const x = ones([1, 2, 16], { device, dtype: "bfloat16" }) as Tensor;
    const run = () =>
      nn.attention(x, x, x, { blocks: { layout: ones([1, 1, 1], { device }).ne(0) as Tensor, size: 8 } });
    run();
    expect(lastDispatch("attention")!.path).toBe("mma");
    using _path = setPath("attention", "wgmma");
    expect(run).toThrow('attention is told to take the path "wgmma", which does not take this call.');
  });
});

describe.each(devices)("on $name, by tensor cores", ({ name: device, properties }) => {
  test.each(onTensorCores.map((each) => [each.title, each] as const))("%s", (_, each) => {
    expectCompiled(each, each.dtype, device, "mma");
  });
  test.each([1, 7, 33, 64, 128])("a layout of blocks of %i", (size) => {
    expectCompiled(laid(size, device), "bfloat16", device, "mma");
  });

  test("those that a device has are taken unasked", () => {
    const x = ones([1, 2, 16], { device, dtype: "bfloat16" }) as Tensor;
    nn.attention(x, x, x, { score: (score) => score.mul(2) as Tensor });
    const { architectures } = properties;
    const has = architectures.some((each) => Number(/^sm_(\d+)/.exec(each)?.[1] ?? 0) >= 80);
    const wanted = architectures.includes("sm_90a") ? "wgmma" : has ? "mma" : "compiled";
    expect(lastDispatch("attention")!.path).toBe(wanted);
  });

  test("floats and widths that they do not take are refused, and taken by other kernels unasked", () => {
    const [x, odd] = [ones([1, 2, 16], { device }), ones([1, 2, 15], { device, dtype: "bfloat16" })] as Tensor[];
    for (const each of [x!, odd!]) {
      const run = () => nn.attention(each, each, each, { score: (score) => score.mul(2) as Tensor });
      {
        using _path = setPath("attention", "mma");
        expect(run).toThrow('attention is told to take the path "mma", which does not take this call.');
      }
      run();
      expect(lastDispatch("attention")!.path).toBe("compiled");
    }
  });
});

describe.each(devices)("on $name", ({ name: device }) => {
  // A dtype at a time: the first run waits for a compiler of each kernel.
  const narrow = ["bfloat16", null, "float16"] as const;
  const rows = cases.flatMap((each, at) =>
    ["float32" as const, narrow[at]].flatMap((dtype) => (dtype == null ? [] : [[each.title, dtype, each] as const])),
  );
  test.each(rows)("%s, of %s", (_, dtype, each) => expectCompiled(each, dtype, device));

  test.each(smooth)("gradients are what differences say: of %s", (_, functions) => {
    expectGradients(
      (q, k, v) => nn.attention(q!, k!, v!, functions(device)),
      [{ shape: [4, 3, 2] }, { shape: [2, 5, 2] }, { shape: [2, 5, 1] }],
      device,
    );
  });

  test("a mask of floats beside a function has its gradient", () => {
    expectGradients(
      (q, k, v, mask) => nn.attention(q!, k!, v!, { mask: mask!, score: (score) => score.tanh().mul(2) as Tensor }),
      [{ shape: [2, 3, 2] }, { shape: [2, 4, 2] }, { shape: [2, 4, 1] }, { shape: [2, 1, 4] }],
      device,
    );
  });

  test("blocks that a layout leaves out are not looked at, whatever lies there, and all others are", () => {
    expectCompiled(laid(33, device), "float32", device);
    // Whole tiles of a layout of what is no number: they are not read.
    const wide = 256;
    const whole = tensor([1, 0, 1, 1], { device }).reshape([2, 2]).ne(0) as Tensor;
    const x = ones([1, 1, 2 * wide, 4], { device }) as Tensor;
    const bad = x.clone() as Tensor;
    bad.set([0, 0, [wide, 2 * wide]], Number.NaN);
    const seen = nn.attention(x, bad, bad, { blocks: { layout: whole, size: wide } }).slice(0, 0, [0, wide]) as Tensor;
    expect(seen.toArray()).toEqual(Array.from({ length: wide }, () => [1, 1, 1, 1]));
  });

  test("a layout of a mask by function has the blocks in which one pair is looked at", () => {
    const like = ones([1], { device }) as Tensor;
    const mask: nn.MaskFunction = ({ head, query, key }) =>
      key.le(query).logicalAnd(query.sub(key).lt(head.mul(4).add(3))) as Tensor;
    const { layout } = nn.blockLayout(mask, 10, 7, { heads: 2, size: 4, like });
    const wanted = [0, 1].map((h) =>
      [0, 4, 8].map((i) =>
        [0, 4].map((j) =>
          Array.from({ length: 16 }, (_, at) => [i + (at >> 2), j + (at & 3)] as const).some(
            ([a, b]) => a < 10 && b < 7 && b <= a && a - b < h * 4 + 3,
          ),
        ),
      ),
    );
    expect(layout.toArray()).toEqual([wanted]);
  });

  test("layers take a mask by function", () => {
    const layer = new nn.SelfAttention(8, 2, { device, dtype: "float64" });
    const { x } = made([2, 5, 8], "float64", device);
    const mask = tensor([1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1], { device })
      .reshape([5, 5])
      .ne(0) as Tensor;
    const wanted = layer(x, { mask });
    const found = layer(x, { mask: ({ query, key }) => key.le(query) as Tensor });
    // Other kernels: sums of 8 and 5 products of numbers below 10, in another order.
    expect(found.sub(wanted).abs().max().item()).toBeLessThan(100 * 2 ** -52 * 10);
  });

  test("errors say what is wrong", () => {
    const x = ones([2, 3, 4], { device }) as Tensor;
    const bias = ones([3, 3], { device }) as Tensor;
    bias.requiresGrad = true;
    const leaf = ones([2, 3, 4], { device }) as Tensor;
    leaf.requiresGrad = true;
    const score = (of: nn.ScoreFunction) => () => nn.attention(x, x, x, { score: of });
    const calls: [() => unknown, string][] = [
      [
        score((each) => each.softmax() as Tensor),
        "attention cannot compile its function: softmax cannot be fused: fuse takes elementwise operations and reductions over the last axes. Do it before the fused function, or after it.",
      ],
      [
        score((each) => each.sub(each.max({ axis: -1, keepdims: true })) as Tensor),
        "attention cannot compile its function: max cannot be compiled: it needs more than one element.",
      ],
      [
        score((_, { query, key }) => key.sub(query) as Tensor),
        "attention cannot compile its function: it must return floats, but returned int32.",
      ],
      [
        () => nn.attention(x, x, x, { mask: ({ key }) => key.mul(2) as Tensor }),
        "attention cannot compile its function: it must return bools, but returned int32.",
      ],
      [
        score(() => x),
        "attention cannot compile its function: it must return a tensor that it makes of its arguments, but returned a Tensor.",
      ],
      [
        score((each) => each.add(ones([5, 1, 1, 1, 1], { device })) as Tensor),
        "attention cannot compile its function: it must return a tensor that broadcasts to [1, 2, 3, 3], but returned [5, 1, 2, 3, 3].",
      ],
      [
        score((each, { query }) => each.add(query.reshape([3])) as Tensor),
        "attention cannot compile its function: reshape cannot be compiled: it moves axes of [3, 1] to those of [3].",
      ],
      [
        score((each, { query }) => each.add(bias.detach().take(query, 0)) as Tensor),
        "attention cannot compile its function: take cannot be compiled along an axis: take elements by their place in row-major order.",
      ],
      [
        score((each) => each.add(bias) as Tensor),
        "attention has no gradient for the tensor of shape [3, 3] that its function uses: give it as mask, of floats that are added to the scores, or use .detach() on it.",
      ],
      [
        () => nn.attention(x, x, x, { lengths: [3], score: (each) => each }),
        "attention takes lengths of sequences or a function of scores, not both: leave one out.",
      ],
      [
        () => {
          const wide = ones([2, 3, 300], { device }) as Tensor;
          return nn.attention(wide, wide, wide, { score: (each) => each });
        },
        "attention with a function takes heads of at most 256 columns but got 300.",
      ],
      [
        () =>
          gradients(nn.attention(leaf, x, x, { score: (each) => each.mul(2) as Tensor }).sum(), [leaf], {
            createGraph: true,
          }),
        "attention with a function of scores has no gradient of its gradient: write the formula with softmax and matmul where you need one.",
      ],
      [() => nn.attention(x, x, x, { score: 2 as never }), "attention takes a function as score but got 2."],
    ];
    for (const [run, sentence] of calls) expect(run).toThrow(sentence);
  });
});
