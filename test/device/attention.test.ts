// Attention on every device: beside its formula in float64, forward and backward, with masks, windows, caps, shared
// heads and dropped weights, of lengths that fill no block, and what it says when something is wrong.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  cat,
  dropout,
  gradients,
  memory,
  lastDispatch,
  nn,
  ones,
  setFloat32Precision,
  setPath,
  softmax,
  tensor,
  zeros,
  type DType,
  type Tensor,
} from "../../native/lib/index.ts";
import { expectAttention, expectNear, made, numbers, product, random } from "./attention-check.ts";
import { reference, whole, type Case } from "./attention-formula.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradient-check.ts";
import { poison, randomValues, rounded, roundoff } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const below = (limit: number) => Math.floor(random() * limit);
const cases: Case[] = [
  { queries: 1, keys: 1 },
  { queries: 7, keys: 7, width: 5, values: 3 },
  { queries: 65, keys: 65, options: { causal: true } },
  { queries: 65, keys: 130, options: { causal: true }, width: 16 },
  { queries: 70, keys: 33, options: { causal: true } },
  { queries: 40, keys: 66, options: { causal: true, alignment: "start" } },
  { queries: 66, keys: 40, options: { causal: true, alignment: "start", window: 9 } },
  { queries: 130, keys: 131, options: { window: 17 }, batch: 1 },
  { queries: 67, keys: 67, options: { window: [3, 70] }, batch: 1 },
  { queries: 9, keys: 67, options: { causal: true, window: 5, scale: 0.7 } },
  { queries: 35, keys: 36, options: { softcap: 1.5, causal: true } },
  { queries: 33, keys: 66, heads: 6, keyHeads: 2, options: { causal: true } },
  { queries: 5, keys: 9, heads: 4, keyHeads: 1, width: 70, values: 130 },
  { queries: 66, keys: 40, width: 3, values: 129, batch: 1 },
  { queries: 3, keys: 70, width: 256, values: 256, batch: 1, heads: 1 },
  { queries: 20, keys: 70, mask: "bool" },
  { queries: 20, keys: 70, mask: "bool", maskShape: [2, 1, 1, 70], options: { causal: true } },
  { queries: 70, keys: 66, mask: "bool", maskShape: [70, 66], heads: 4, keyHeads: 2 },
  { queries: 20, keys: 70, mask: "float" },
  { queries: 70, keys: 66, mask: "float", maskShape: [70, 66], options: { causal: true } },
  { queries: 66, keys: 67, mask: "float", maskShape: [2, 1, 1, 67], options: { softcap: 2 } },
  { queries: 66, keys: 67, mask: "float", maskShape: [2, 66, 1], heads: 2, batch: 3 },
  { queries: 5, keys: 6, mask: "float", maskShape: [1] },
];
// As tensor cores take them: widths of one kernel and between two, lengths that fill no tile.
const wide: Case[] = [
  { queries: 65, keys: 130, width: 64, options: { causal: true } },
  { queries: 193, keys: 200, width: 128, heads: 4, keyHeads: 2, options: { causal: true } },
  { queries: 129, keys: 70, width: 96, options: { causal: true, alignment: "start" } },
  { queries: 70, keys: 190, width: 256, options: { window: [20, 3] } },
  { queries: 131, keys: 65, width: 72, mask: "bool", maskShape: [1, 1, 131, 65] },
  { queries: 65, keys: 131, width: 128, heads: 4, keyHeads: 1, mask: "float", options: { softcap: 2 } },
  { queries: 66, keys: 129, width: 200, options: { scale: -0.1 } },
  { queries: 1, keys: 300, width: 128, heads: 4, keyHeads: 2, options: { scale: 1.5 } },
];
// As a library takes them: which keys are seen by either alignment, or all of them.
const plain: Case[] = [
  { queries: 65, keys: 130, width: 64, options: { causal: true } },
  { queries: 193, keys: 200, width: 128, heads: 4, keyHeads: 2, options: { causal: true } },
  { queries: 129, keys: 129, width: 96, options: { causal: true } },
  { queries: 40, keys: 70, width: 256, options: { causal: true, alignment: "start" } },
  { queries: 70, keys: 131, width: 128, values: 64, heads: 3, options: { scale: 0.3 } },
  { queries: 9, keys: 7, width: 72, heads: 4, keyHeads: 1 },
];
const titled = cases.map((each) => [JSON.stringify(each), each] as const);
const titledWide = wide.map((each) => [JSON.stringify(each), each] as const);
const titledPlain = plain.map((each) => [JSON.stringify(each), each] as const);
const heads = (x: Tensor) => x.transpose([0, 2, 1, 3]).clone().transpose([0, 2, 1, 3]) as Tensor;

const gpus = devices.filter(({ kind }) => kind === "cuda");
describe.each(gpus)("on $name, by tensor cores", ({ name: device }) => {
  test.each(titledWide)("each warp for itself: %s", (_, each) => {
    using _path = setPath("attention", "mma");
    expectAttention({ batch: 1, ...each }, "bfloat16", device);
    expectAttention({ batch: 1, ...each }, "float16", device);
  });
  test.each(titledWide)("of floats, by three products or one: %s", (_, each) => {
    using _path = setPath("attention", "tf32");
    expectAttention({ batch: 1, ...each }, "float32", device);
    using _precision = setFloat32Precision("tf32");
    // Of 11 bits; those of bfloat16 are.
    expectAttention({ batch: 1, ...each }, "float32", device, heads, { own: 2 ** -11, such: "bfloat16" });
  });
  test.each(titledPlain)("by a library: %s", (_, each) => {
    expectAttention({ batch: 2, ...each }, "bfloat16", device, (x) => x, { path: "library" });
    expectAttention({ batch: 2, ...each }, "float16", device, heads, { path: "library" });
  });
  test("floats of 11 bits are others than floats", () => {
    const [q, k, v] = [1, 2, 3].map(() => made([1, 1, 70, 64], "float32", device).x);
    const exact = numbers(nn.attention(q!, k!, v!) as Tensor);
    using _precision = setFloat32Precision("tf32");
    expect(lastDispatch("attention")!.path).toBe("tf32");
    expect(numbers(nn.attention(q!, k!, v!) as Tensor)).not.toEqual(exact);
  });
});

describe.each(devices)("on $name", ({ name: device }) => {
  test.each(titled)("is its formula, forward and backward: %s", (_, each) => {
    expectAttention(each, "float32", device);
    expectAttention(each, "float64", device);
  });
  test.each(["float16", "bfloat16"] as const)("of %s, too", (dtype) => {
    for (const each of cases) expectAttention(each, dtype, device);
  });

  test.each(titledWide)("of rows as wide as models have them: %s", (_, each) => {
    expectAttention({ batch: 1, ...each }, "float16", device);
    expectAttention({ batch: 1, ...each }, "bfloat16", device, heads);
    expectAttention({ batch: 1, ...each }, "float32", device, heads);
  });

  test("of lengths of several hundred", () => {
    for (const length of [257, 1000])
      expectAttention(
        { queries: length, keys: length, batch: 1, heads: 1, width: 4, options: { causal: length === 1000 } },
        "float32",
        device,
      );
  });

  test("of heads within rows, as one product gives them, without copies, and the result lies so, too", () => {
    const lay = (x: Tensor) => x.transpose([0, 2, 1, 3]).clone().transpose([0, 2, 1, 3]) as Tensor;
    expectAttention({ queries: 30, keys: 31, heads: 4, options: { causal: true } }, "float32", device, lay);
    expectAttention({ queries: 30, keys: 31, heads: 4, keyHeads: 2 }, "bfloat16", device, lay);
    const x = lay(ones([2, 3, 5, 4], { device }) as Tensor);
    expect(nn.attention(x, x, x).strides).toEqual([60, 4, 12, 1]);
    expect((nn.attention(x, x, x).transpose([0, 2, 1, 3]) as Tensor).isContiguous).toBe(true);
  });

  test("of any strides", () => {
    // Every second row; columns apart, which are copied.
    for (const lay of [
      (x: Tensor) => x.repeatInterleave(2, { axis: 2 }).slice(null, null, [0, null, 2]) as Tensor,
      (x: Tensor) => x.transpose([0, 1, 3, 2]).clone().transpose([0, 1, 3, 2]) as Tensor,
      (x: Tensor) => x.transpose([1, 0, 2, 3]).clone().transpose([1, 0, 2, 3]) as Tensor,
    ])
      expectAttention({ queries: 10, keys: 12, options: { causal: true } }, "float32", device, lay);
  });

  test("operands are broadcast, and their gradients summed", () => {
    const shapes = [
      [3, 1, 4, 5],
      [2, 6, 5],
      [6, 2],
    ].map((shape) => ({ shape }));
    expectGradients((q, k, v) => nn.attention(q!, k!, v!), shapes, device);
    expect(
      nn.attention(ones([3, 1, 4, 5], { device }), ones([2, 6, 5], { device }), ones([6, 2], { device })).shape,
    ).toEqual([3, 2, 4, 2]);
    const more = [
      [2, 2, 3, 4],
      [2, 2, 3, 4],
      [2, 2, 3, 2],
      [2, 1, 3],
    ].map((shape) => ({ shape }));
    expectGradients((q, k, v, mask) => nn.attention(q!, k!, v!, { mask: mask! }), more, device);
    // Axes before the heads of which the mask has one.
    const many = [
      [2, 3, 1, 2, 4],
      [2, 3, 1, 3, 4],
      [2, 3, 1, 3, 2],
      [3, 1, 1, 3],
    ].map((shape) => ({ shape }));
    expectGradients((q, k, v, mask) => nn.attention(q!, k!, v!, { mask: mask! }), many, device);
  });

  test("gradients are what differences say, also through the log-sum-exp and dropped weights", () => {
    const shapes = [
      [4, 5, 3],
      [2, 6, 3],
      [2, 6, 2],
      [5, 6],
    ].map((shape) => ({ shape }));
    expectGradients(
      (q, k, v, mask) => {
        const { out, lse } = nn.attention(q!, k!, v!, {
          mask: mask!,
          causal: true,
          softcap: 2,
          dropout: 0.3,
          seed: 5,
          returnLse: true,
        });
        return out.mul(lse.reshape([4, 5, 1])) as Tensor;
      },
      shapes,
      device,
    );
    expectGradients((q, k, v) => nn.attention(q!, k!, v!, { returnLse: true }).lse, shapes.slice(0, 3), device);
  });

  test("gradients of gradients are what differences say", () => {
    /** The gradients of a weighted sum of `f`, side by side, with a graph of their own. */
    const slopes =
      (f: (...x: Tensor[]) => Tensor) =>
      (...given: Tensor[]) => {
        const x = given.map((each) => (each.requiresGrad ? each : (each.clone() as Tensor)));
        for (const each of x) each.requiresGrad = true;
        const y = f(...x);
        const found = gradients(y.mul(y.sin()).sum(), x, { createGraph: true });
        return cat(found.map((each) => each.reshape([-1]) as Tensor));
      };
    const shapes = [
      [4, 5, 3],
      [2, 7, 3],
      [2, 7, 2],
      [5, 7],
    ].map((shape) => ({ shape }));
    const options = { causal: true, softcap: 2, dropout: 0.3, seed: 5, returnLse: true } as const;
    expectGradients(
      slopes((q, k, v, mask) => {
        const { out, lse } = nn.attention(q!, k!, v!, { ...options, mask: mask! });
        return out.mul(lse.reshape([4, 5, 1])) as Tensor;
      }),
      shapes,
      device,
    );
    // Operands that are broadcast, and queries that see nothing.
    const blind = [
      [3, 1, 4, 2],
      [2, 3, 2],
      [3, 2],
    ].map((shape) => ({ shape }));
    expectGradients(
      slopes((q, k, v) => nn.attention(q!, k!, v!, { causal: true })),
      blind,
      device,
    );
    const may = tensor([true, false, true, true, false, false], { device }).reshape([2, 3]);
    expectGradients(
      slopes((q, k, v) => nn.attention(q!, k!, v!, { mask: may.slice([0, 1]) as Tensor })),
      [{ shape: [2, 2] }, { shape: [3, 2] }, { shape: [3, 2] }],
      device,
    );
    const layer = new nn.SelfAttention(4, 2, { causal: true, device, dtype: "float64", keyHeads: 1 });
    expectGradients(
      slopes((x) => layer(x!)),
      [{ shape: [3, 4] }],
      device,
    );
  });

  test("of heads wider than kernels take", () => {
    for (const dtype of ["float32", "bfloat16"] as const) {
      expectAttention({ queries: 5, keys: 9, heads: 4, keyHeads: 2, width: 300, batch: 1 }, dtype, device);
      expectAttention({ queries: 9, keys: 7, width: 16, values: 270, options: { causal: true } }, dtype, device);
      expectAttention({ queries: 4, keys: 5, width: 257, values: 8, mask: "float", batch: 1 }, dtype, device);
    }
    const layer = new nn.SelfAttention(514, 2, { device });
    expect(layer(ones([3, 514], { device })).shape).toEqual([3, 514]);
    const [q, k, v] = [
      [2, 10, 260],
      [2, 6, 260],
      [2, 6, 3],
    ].map((shape) => ones(shape, { device }) as Tensor);
    // As narrower ones drop them: the weights of all pairs are equal, and the same go.
    const narrow = (x: Tensor) => x.slice(null, null, [0, 3]) as Tensor;
    const options = { dropout: 0.5, seed: 3 };
    expect(nn.attention(q!, k!, v!, options).toArray()).toEqual(
      nn.attention(narrow(q!), narrow(k!), v!, options).toArray(),
    );
  });

  test("drops the weights that dropout drops of all pairs, the same again backward", () => {
    const [queries, keys] = [70, 132];
    const q = made([2, 3, queries, 8], "float32", device).x,
      k = made([2, 3, keys, 8], "float32", device).x,
      v = made([2, 3, keys, 8], "float32", device).x;
    const run = {
      ours: (...x: Tensor[]) => nn.attention(x[0]!, x[1]!, x[2]!, { dropout: 0.4, seed: 77 }),
      composed: (...x: Tensor[]) =>
        dropout(softmax(x[0]!.mul(8 ** -0.5).matmul(x[1]!.transpose())) as Tensor, { p: 0.4, seed: 77 }).matmul(
          x[2]!,
        ) as Tensor,
    };
    const found = Object.values(run).map((each) => {
      const leaves = [q, k, v].map((x) => x.detach().clone() as Tensor);
      for (const leaf of leaves) leaf.requiresGrad = true;
      const out = each(...leaves);
      return [out.detach(), ...gradients(out.square().sum(), leaves)].map((x) => numbers(x as Tensor));
    });
    // Sums of at most 132 products of numbers below some 4.
    found[0]!.forEach((list, which) =>
      expect(list.filter((value, at) => Math.abs(value - found[1]![which]![at]!) > 132 * 64 * 2 ** -24)).toEqual([]),
    );
    // The share that is kept of 1: of so many weights within 5 deviations.
    const one = ones([1, 1, 200, 4], { device }) as Tensor;
    const kept = numbers(nn.attention(one, one, one, { dropout: 0.25 })).filter((_, at) => at % 4 === 0);
    const mean = kept.reduce((a, b) => a + b, 0) / kept.length;
    expect(Math.abs(mean - 1)).toBeLessThan(5 * Math.sqrt(0.25 / 0.75 / 40000));
    expect(numbers(nn.attention(one, one, one, { dropout: 1 }))).toEqual(new Array(800).fill(0));
  });

  test("is the same every time, and keeps nothing of all pairs", () => {
    const [q, k, v] = [0, 1, 2].map(() => made([1, 2, 300, 16], "float32", device).x) as [Tensor, Tensor, Tensor];
    const once = () => {
      const leaves = [q, k, v].map((x) => x.detach().clone() as Tensor);
      for (const leaf of leaves) leaf.requiresGrad = true;
      const out = nn.attention(leaves[0]!, leaves[1]!, leaves[2]!, { causal: true });
      return [out, ...gradients(out.square().sum(), leaves)].map((x) => numbers(x.detach() as Tensor));
    };
    expect(once()).toEqual(once());
    const long = ones([1, 1, 4097, 1], { device }) as Tensor;
    const before = memory()[device]!;
    const out = nn.attention(long, long, long);
    expect(memory()[device]!.peak).toBeLessThanOrEqual(Math.max(before.peak, before.allocated + 2 ** 20));
    expect(numbers(out).filter((each) => Math.abs(each - 1) > 4097 * 2 ** -24)).toEqual([]);
  });

  test("of nothing, and rows that look at nothing: 0, with gradients 0", () => {
    const at = (...shape: number[]) => ones(shape, { device }) as Tensor;
    expect(nn.attention(at(2, 0, 4), at(2, 3, 4), at(2, 3, 5)).shape).toEqual([2, 0, 5]);
    expect(numbers(nn.attention(at(2, 3, 4), at(2, 0, 4), at(2, 0, 5)))).toEqual(new Array(30).fill(0));
    expect(nn.attention(at(0, 3, 4), at(0, 3, 4), at(0, 3, 4)).shape).toEqual([0, 3, 4]);
    expect(numbers(nn.attention(at(1, 3, 0), at(1, 3, 0), at(1, 3, 1)))).toEqual([1, 1, 1]);
    expect(nn.attention(at(1, 3, 2), at(1, 3, 2), at(1, 3, 0)).shape).toEqual([1, 3, 0]);
    for (const [queries, keys] of [
      [3, 0],
      [0, 3],
      [3, 3],
    ] as const) {
      const leaves = [at(1, queries, 4), at(1, keys, 4), at(1, keys, 2)];
      for (const leaf of leaves) leaf.requiresGrad = true;
      const mask = zeros([queries, keys], { dtype: "bool", device }) as Tensor;
      const { out, lse } = nn.attention(leaves[0]!, leaves[1]!, leaves[2]!, { mask, returnLse: true });
      expect(numbers(lse)).toEqual(new Array(queries).fill(-Infinity));
      for (const gradient of gradients(out.sum(), leaves))
        expect(numbers(gradient)).toEqual(new Array(gradient.size).fill(0));
    }
  });

  test("large scores, and a number added to all of them", () => {
    const q = made([1, 1, 5, 8], "float32", device).x,
      k = made([1, 1, 9, 8], "float32", device).x;
    expect(numbers(nn.attention(q, k, ones([1, 1, 9, 2], { device }), { scale: 1e4 }))).toEqual(new Array(10).fill(1));
    const [plain, moved] = [0, 4096].map((by) =>
      numbers(nn.attention(q, k, k, { mask: tensor([by], { dtype: "float32", device }) })),
    );
    // Scores of some 4000 are right to 2⁻¹².
    expect(plain!.filter((each, at) => Math.abs(each - moved![at]!) > 2 ** -10)).toEqual([]);
  });

  test("errors say what is wrong", () => {
    const x = (...shape: number[]) => ones(shape, { device }) as Tensor;
    const [q, k] = [x(2, 3, 4), x(2, 5, 4)];
    const calls: [() => unknown, string][] = [
      [
        () => nn.attention(q, x(2, 5, 3), k),
        "attention takes q […, queries, width], k […, keys, width] and v […, keys, values] but got [2, 3, 4], [2, 5, 3] and [2, 5, 4].",
      ],
      [
        () => nn.attention(x(4, 3, 4), x(3, 5, 4), x(3, 5, 4)),
        "attention takes keys and values of a number of heads that divides that of q but got 3 for 4.",
      ],
      [
        () => nn.attention(q, k, k, { mask: x(2, 3, 4) }),
        "attention of scores of shape [2, 3, 5] takes a mask that broadcasts to it but got [2, 3, 4].",
      ],
      [
        () => nn.attention(q, k, k, { mask: x(3, 5).to("int32") }),
        "attention takes a mask of bool, true where a query may look, or of floats, which are added to the scores, but got int32.",
      ],
      [
        () => nn.attention(q, k, k, { window: 0 }),
        "attention takes a whole number of at least 1, or two of at least 0 for before and after, as window but got 0.",
      ],
      [() => nn.attention(q, k, k, { softcap: 0 }), "attention takes a finite number above 0 as softcap but got 0."],
      [
        () => nn.attention(q, k, k, { dropout: 1.5 }),
        "attention takes a probability from 0 to 1 as dropout but got 1.5.",
      ],
      [
        () => nn.attention(q, k, k, { alignment: "middle" as never }),
        'attention takes "start" or "end" as alignment but got "middle".',
      ],
      [
        () => nn.attention(q, k, 3 as never),
        "attention takes a tensor as v but got 3. Write nn.attention(q, k, v, { mask, score, blocks, causal, alignment, window, scale, softcap, dropout, cache, lengths, returnLse, seed, generator }).",
      ],
      [
        () => nn.attention(q.to("float8_e4m3") as Tensor, k, k),
        'attention takes numbers that compute but got float8_e4m3: convert it, e.g. with .to("float32").',
      ],
      [
        () => new nn.SelfAttention(8, 4, { keyHeads: 3 }),
        "SelfAttention takes a number of keyHeads that divides its heads, but 3 do not divide 4.",
      ],
    ];
    for (const [run, sentence] of calls) expect(run).toThrow(sentence);
  });

  /** What a layer gives for `x`, of its parts: three cuts of its inputs, each head of keys repeated. */
  function byParts(layer: nn.SelfAttention, x: Tensor, mask?: Tensor): Tensor {
    const { heads, keyHeads, causal } = layer;
    const all = layer.inputs(x);
    const before = x.shape.slice(0, -1);
    const width = x.shape.at(-1)! / heads;
    const turned = [...before.slice(0, -1).keys(), before.length, before.length - 1, before.length + 1];
    const part = (from: number, count: number) =>
      all
        .slice(...before.map(() => null), [from * width, (from + count) * width])
        .reshape([...before, count, width])
        .transpose(turned) as Tensor;
    const spread = (y: Tensor) => y.repeatInterleave(heads / keyHeads, { axis: before.length - 1 }) as Tensor;
    const [q, k, v] = [part(0, heads), part(heads, keyHeads), part(heads + keyHeads, keyHeads)];
    const seen = nn.attention(q, spread(k), spread(v), { causal, ...(mask === undefined ? {} : { mask }) });
    return layer.outputs(seen.transpose(turned).reshape(x.shape) as Tensor);
  }

  test.each([
    { heads: 6, keyHeads: 2, causal: true, shape: [2, 5, 12] },
    { heads: 4, keyHeads: 4, causal: false, shape: [3, 8] },
    { heads: 3, keyHeads: 1, causal: false, shape: [2, 2, 7, 12], maskShape: [2, 1, 3, 7, 7] },
    { heads: 2, keyHeads: 2, causal: true, shape: [2, 4, 6], maskShape: [4, 4] },
  ])("a layer is its parts, and so are its gradients: $heads heads, $keyHeads of keys, $shape", (of) => {
    const { heads, keyHeads, causal, shape, maskShape } = of;
    const layer = new nn.SelfAttention(shape.at(-1)!, heads, { keyHeads, causal, device, dtype: "float64" });
    expect(layer.inputs.weight.shape[0]).toBe((shape.at(-1)! / heads) * (heads + 2 * keyHeads));
    const { x } = made(shape, "float64", device);
    const mask = maskShape === undefined ? undefined : made(maskShape, "float64", device).x;
    const leaves = [x, ...(mask === undefined ? [] : [mask]), layer.inputs.weight, layer.inputs.bias!];
    for (const leaf of leaves) leaf.requiresGrad = true;
    const { x: g } = made(shape, "float64", device);
    poison(device, 16 * product(shape) * 3);
    const found = layer(x, mask === undefined ? {} : { mask });
    const wanted = byParts(layer, x, mask);
    // Both are sums of some hundred terms of about 1, in another order.
    const expectSame = (a: Tensor, b: Tensor) => {
      expect(a.shape).toEqual(b.shape);
      const other = numbers(b.detach() as Tensor);
      expect(
        numbers(a.detach() as Tensor).filter((each, at) => !(Math.abs(each - other[at]!) <= 1000 * 2 ** -53)),
      ).toEqual([]);
    };
    expectSame(found, wanted);
    const [own, parts] = [found, wanted].map((y) => gradients(y, leaves, { gradient: g }));
    own!.forEach((each, at) => expectSame(each, parts![at]!));
  });

  test("a layer says how many heads of keys it has", () => {
    expect(String(new nn.SelfAttention(12, 6, { keyHeads: 2, causal: true }))).toContain("6 heads, 2 of keys, causal");
  });
});
