// Models on every device: parameters and their names, layers against what they are made of, attention against float64,
// files, training, and every error.
import "./cache.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  crossEntropy,
  io,
  layerNorm,
  linear,
  memory,
  nn,
  optim,
  randn,
  relu,
  rmsNorm,
  seed,
  tensor,
  TensorError,
  type Tensor,
} from "../../native/lib/index.ts";
import { collectGarbage } from "../../native/lib/device/collection.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradients.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const below = (limit: number) => Math.floor(random() * limit);
const numbers = (x: Tensor): number[] => [x.to("float64").reshape([-1]).toArray()].flat() as number[];

class Net extends nn.Module {
  readonly blocks: readonly nn.Linear[];
  readonly out: nn.Linear;
  readonly shift: Tensor;

  constructor(device: string) {
    super();
    this.blocks = [new nn.Linear(4, 6, { device, activation: "relu" }), new nn.Linear(6, 6, { device })];
    this.out = new nn.Linear(6, 3, { device, bias: false });
    this.shift = tensor([1, 2, 3, 4], { device });
  }

  forward(x: Tensor): Tensor {
    let result = x.sub(this.shift) as Tensor;
    for (const block of this.blocks) result = block.forward(result);
    return this.out.forward(result);
  }
}

/**
 * softmax(q · kᵀ · scale) · v of one pair of matrices in float64, over the keys that `sees` admits; 0 where there are
 * none.
 */
function attended(
  q: number[][],
  k: number[][],
  v: number[][],
  scale: number,
  sees: (query: number, key: number) => boolean,
): number[][] {
  return q.map((row, query) => {
    const scores = k.map((key, at) =>
      sees(query, at) ? row.reduce((sum, value, i) => sum + value * key[i]!, 0) * scale : -Infinity,
    );
    const most = Math.max(...scores);
    const powers = scores.map((score) => (score === -Infinity ? 0 : Math.exp(score - most)));
    const sum = powers.reduce((a, b) => a + b, 0);
    return v[0]!.map((_, column) =>
      sum === 0 ? 0 : powers.reduce((total, power, at) => total + (power / sum) * v[at]![column]!, 0),
    );
  });
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  test("parameters are the tensors in properties, arrays and modules that want gradients", () => {
    const net = new Net(device);
    expect([...net.namedParameters()].map(([name, { shape }]) => [name, shape])).toEqual([
      ["blocks.0.weight", [6, 4]],
      ["blocks.0.bias", [6]],
      ["blocks.1.weight", [6, 6]],
      ["blocks.1.bias", [6]],
      ["out.weight", [3, 6]],
    ]);
    expect(Object.keys(net.stateDict())).toEqual([
      "shift",
      "blocks.0.weight",
      "blocks.0.bias",
      "blocks.1.weight",
      "blocks.1.bias",
      "out.weight",
    ]);
    expect([...net.namedModules()].map(([name]) => name)).toEqual(["", "blocks.0", "blocks.1", "out"]);
    expect(String(net)).toBe(
      `Net(\n  blocks.0: Linear(4 → 6, relu)\n  blocks.1: Linear(6 → 6)\n  out: Linear(6 → 3, no bias)\n)  90 parameters, float32, ${device}`,
    );

    // One that two layers share is one parameter.
    const tied = new nn.Sequential(new nn.Linear(5, 5, { device }), (x) => x.tanh() as Tensor);
    const shared = new nn.Sequential(tied, tied, ...tied.layers);
    expect(shared.parameters().length).toBe(2);
    expect(Object.keys(shared.stateDict())).toEqual(["0.0.weight", "0.0.bias"]);
    expect(String(shared)).toBe(
      [
        "Sequential(",
        "  0: Sequential(",
        "    0: Linear(5 → 5)",
        "    1: a function",
        "  )",
        "  1: Sequential(",
        "    0: Linear(5 → 5)",
        "    1: a function",
        "  )",
        "  2: Linear(5 → 5)",
        "  3: a function",
        `)  30 parameters, float32, ${device}`,
      ].join("\n"),
    );

    expect(String(new nn.Sequential(relu)).split("\n")[1]).toBe("  0: relu");
    net.requiresGrad(false);
    expect([net.parameters().length, net.out.weight.requiresGrad]).toEqual([0, false]);
    expect(net.to("float64").requiresGrad().parameters().length).toBe(5);
    for (const parameter of net.parameters()) parameter.requiresGrad = false;
    expect(net.parameters()).toEqual([]);
    expect(net.requiresGrad().parameters().length).toBe(5);
    expect(net.shift.requiresGrad).toBe(false);
  });

  test("layers compute what the functions do, and begin as they say", () => {
    const x = randn([3, 5, 8], { device, seed: below(2 ** 31) });
    const dense = new nn.Linear(8, 400, { device, activation: "relu" });
    expect(numbers(dense.forward(x).detach())).toEqual(
      numbers(linear(x, dense.weight.detach(), dense.bias!.detach(), { activation: "relu" })),
    );
    const weights = numbers(dense.weight.detach()),
      most = 1 / Math.sqrt(8);
    expect([
      Math.max(...weights.map(Math.abs)) <= Math.fround(most),
      Math.max(...weights) > 0.98 * most,
      Math.min(...weights) < -0.98 * most,
    ]).toEqual([true, true, true]);
    const norm = new nn.LayerNorm([5, 8], { device, eps: 0.1 }),
      root = new nn.RMSNorm(8, { device });
    expect(numbers(norm.forward(x).detach())).toEqual(
      numbers(layerNorm(x, norm.weight.detach(), norm.bias!.detach(), { eps: 0.1 })),
    );
    expect(numbers(root.forward(x).detach())).toEqual(numbers(rmsNorm(x, root.weight.detach())));
    const table = new nn.Embedding(7, 3, { device });
    expect(
      table
        .forward(tensor([[6, 0]], { device, dtype: "int64" }))
        .detach()
        .toArray(),
    ).toEqual([
      [(table.weight.detach().toArray() as number[][])[6], (table.weight.detach().toArray() as number[][])[0]],
    ]);

    const model = new nn.Sequential(new nn.Dropout(0.5));
    const dropped = numbers(model.forward(x));
    expect(dropped.every((value, at) => value === 0 || value === 2 * numbers(x)[at]!)).toBe(true);
    expect(dropped.filter((value) => value === 0).length).toBeGreaterThan(20);
    expect(numbers(model.eval().forward(x))).toEqual(numbers(x));
    expect([(model.layers[0] as nn.Dropout).training, model.train().training]).toEqual([false, true]);
  });

  test("a model moves to another dtype and device, with what it holds", () => {
    const net = new Net(device);
    expect(net.to("bfloat16")).toBe(net);
    expect([...Object.values(net.stateDict())].map(({ dtype }) => dtype)).toEqual(Array(6).fill("bfloat16"));
    expect(net.parameters().every((each) => each.requiresGrad && each.isLeaf)).toBe(true);
    const y = net.forward(randn([2, 4], { device, dtype: "bfloat16" }));
    expect([y.dtype, y.shape]).toEqual(["bfloat16", [2, 3]]);
    net.to("float64").to("cpu");
    expect(net.parameters().map((each) => `${each.dtype} ${each.device}`)).toEqual(Array(5).fill("float64 cpu"));
    expect(() => net.to("int32")).toThrow(
      new TensorError("DTYPE", "A module computes in floats: its parameters cannot be int32."),
    );
  });

  test("a model comes back from a file, and what does not fit is named", async () => {
    const folder = mkdtempSync(join(tmpdir(), "nn-"));
    const net = new Net(device),
      other = new Net(device),
      file = join(folder, "net.safetensors");
    const x = randn([2, 4], { device, seed: below(2 ** 31) });
    await io.save(file, net.stateDict());
    const state = (await io.load(file, { device: "cpu" })) as Record<string, Tensor>;
    other.loadStateDict(state);
    expect(numbers(other.forward(x).detach())).toEqual(numbers(net.forward(x).detach()));
    rmSync(folder, { recursive: true });

    const { shift, "out.weight": out, ...rest } = state;
    const before = numbers(other.out.weight.detach());
    const fails = (given: unknown, sentence: string) =>
      expect(() => other.loadStateDict(given as never)).toThrow(new TensorError("STATE", sentence));
    fails(
      rest,
      "The state does not fit this Net: it has no shift, out.weight. Pass { strict: false } to load what fits.",
    );
    fails(
      { ...state, a: out, b: out, c: out, d: out },
      "The state does not fit this Net: the module has no a, b, c and 1 more. Pass { strict: false } to load what fits.",
    );
    fails({ ...state, "out.weight": shift }, "out.weight has shape [4] in the state but [3, 6] in the module.");
    fails(shift, "loadStateDict takes tensors by name, as stateDict gives them, but got a Tensor.");
    fails(
      Promise.resolve(state),
      "loadStateDict takes tensors by name, as stateDict gives them, but got a promise. Write await before it.",
    );
    other.loadStateDict({ "out.weight": out!.add(1) as Tensor, a: out! }, { strict: false });
    expect(numbers(other.out.weight.detach())).toEqual(before.map((value) => Math.fround(value + 1)));
  });

  test.each([
    [5, 5],
    [3, 6],
    [6, 3],
    [1, 4],
  ])("attention of %i queries to %i keys, masked and causal", (queries, keys) => {
    const made = (rows: number, width: number) => randn([2, rows, width], { device, seed: below(2 ** 31) });
    const [q, k, v] = [made(queries, 4), made(keys, 4), made(keys, 3)];
    const lists = [q, k, v].map((each) => each.toArray() as number[][][]);
    const seen = Array.from({ length: queries }, (_, query) =>
      Array.from({ length: keys }, () => query !== 0 && random() < 0.6),
    );
    const mask = tensor(seen, { device });
    const options: [nn.AttentionOptions, number, (query: number, key: number) => boolean][] = [
      [{}, 0.5, () => true],
      [{ scale: 3 }, 3, () => true],
      [{ causal: true }, 0.5, (query, key) => key <= query + keys - queries],
      [{ mask }, 0.5, (query, key) => seen[query]![key]!],
      [{ mask, causal: true }, 0.5, (query, key) => seen[query]![key]! && key <= query + keys - queries],
    ];
    for (const [given, scale, sees] of options) {
      const wanted = [0, 1]
        .flatMap((batch) => attended(lists[0]![batch]!, lists[1]![batch]!, lists[2]![batch]!, scale, sees))
        .flat();
      // The score's error, of 4 products of at most some 4 each, times e's slope; then weights that add up to 1, and
      // values of at most some 5.
      const allowed = 2 ** -24 * (8 * scale * 16 + 32) * 5;
      const wrong = numbers(nn.attention(q, k, v, given)).filter(
        (value, at) => !(Math.abs(value - wanted[at]!) <= allowed),
      );
      expect(wrong).toEqual([]);
    }
    const wide = [q, k, v].map((each) => each.to("float64"));
    for (const [given] of options) expectGradients((...x) => nn.attention(x[0]!, x[1]!, x[2]!, given), wide);
  });

  test("what a causal sequence says of its beginning does not depend on its end", () => {
    const layer = new nn.SelfAttention(8, 2, { device, causal: true });
    const x = randn([2, 3, 6, 8], { device, seed: below(2 ** 31) });
    const changed = x.clone();
    changed.slice(null, null, [4, null]).normal_();
    const [before, after] = [x, changed].map((each) => numbers(layer.forward(each).detach().slice(null, null, [0, 4])));
    expect(after).toEqual(before);
    expect(layer.forward(x).shape).toEqual([2, 3, 6, 8]);
    // All heads, put together by hand.
    const qkv = layer.inputs.forward(x).detach(),
      each = 4;
    const heads = [0, 1].map((head) =>
      nn.attention(
        ...([0, 1, 2].map((part) =>
          qkv.slice(null, null, null, [part * 8 + head * each, part * 8 + (head + 1) * each]),
        ) as [Tensor, Tensor, Tensor]),
        { causal: true },
      ),
    );
    const joined = tensor(heads.map((one) => one.toArray()) as never, { device, dtype: "float32" })
      .transpose([1, 2, 3, 0, 4])
      .reshape([2, 3, 6, 8]);
    const wanted = numbers(layer.outputs.forward(joined).detach());
    // Other products of the same numbers, each of 8 terms below 4.
    expect(
      numbers(layer.forward(x).detach()).filter((value, at) => Math.abs(value - wanted[at]!) > 64 * 2 ** -24 * 8),
    ).toEqual([]);
  });

  test("it learns: three classes by two circles, the same from the same seed", () => {
    const run = () => {
      seed(7);
      const x = randn([256, 2], { device });
      const radius = x.square().sum({ axis: 1 }).sqrt();
      const classes = radius.gt(0.8).to("int64").add(radius.gt(1.5).to("int64")) as Tensor<"int64">;
      const net = new nn.Sequential(
        new nn.Linear(2, 32, { device }),
        (each) => each.tanh() as Tensor,
        new nn.LayerNorm(32, { device }),
        new nn.Linear(32, 3, { device }),
      );
      const optimizer = new optim.AdamW(net.parameters(), { lr: 0.02 });
      const losses: number[] = [];
      for (let step = 0; step < 150; step++) {
        optimizer.zeroGrad();
        const loss = crossEntropy(net.forward(x), classes);
        loss.backward();
        optimizer.step();
        losses.push(Number(loss.item()));
      }
      return losses;
    };
    const losses = run();
    expect(losses[0]).toBeGreaterThan(0.8);
    expect(losses.at(-1)).toBeLessThan(0.25);
    expect(run()).toEqual(losses);
  });

  test("500 steps of a model that disposes of nothing: no byte more", async () => {
    const net = new nn.Sequential(
      new nn.Linear(8, 16, { device }),
      (x) => x.relu() as Tensor,
      new nn.Linear(16, 4, { device }),
    );
    const optimizer = new optim.SGD(net.parameters(), { lr: 0.01, momentum: 0.9 });
    const x = randn([32, 8], { device });
    const step = () => {
      optimizer.zeroGrad();
      net.forward(x).square().mean().backward();
      optimizer.step();
    };
    for (let count = 0; count < 10; count++) step();
    const settled = async () => {
      optimizer.zeroGrad();
      for (let round = 0; round < 3; round++) {
        collectGarbage();
        await new Promise(setImmediate);
      }
      return memory()[device]!.allocated;
    };
    const before = await settled();
    for (let count = 0; count < 500; count++) step();
    // The stack may hold what one step made for a while: 6 tensors of 32 × 16 at most.
    expect((await settled()) - before).toBeLessThan(6 * 32 * 16 * 4);
  });
});

test("layers that make no sense", () => {
  const x = tensor([[1, 2]], { device: "cpu" });
  const cpu = { device: "cpu" } as const;
  for (const [make, sentence] of [
    [() => new nn.Linear(0, 3, cpu), "Linear takes a whole number of at least 1 as inputs but got 0."],
    [() => new nn.Linear(3, 2.5, cpu), "Linear takes a whole number of at least 1 as outputs but got 2.5."],
    [() => new nn.Embedding(3, -1, cpu), "Embedding takes a whole number of at least 1 as width but got -1."],
    [() => new nn.Embedding(0, 1, cpu), "Embedding takes a whole number of at least 1 as count but got 0."],
    [() => new nn.Dropout(2), "Dropout takes a probability from 0 to 1 but got 2."],
    [
      () => new nn.Sequential(x as never),
      "Sequential takes modules and functions of a tensor, but layer 0 is a Tensor.",
    ],
    [
      () => new nn.SelfAttention(8, 3, cpu),
      "SelfAttention takes a width that its heads divide, but 3 heads do not divide 8.",
    ],
    [() => new nn.SelfAttention(8, 0, cpu), "SelfAttention takes a whole number of at least 1 as heads but got 0."],
    [
      () => new nn.SelfAttention(8, 2, cpu).forward(x),
      "SelfAttention of width 8 takes tensors of shape […, length, 8] but got [1, 2].",
    ],
    [
      () => nn.attention(x, x, tensor([[1], [2]], cpu)),
      "attention takes q […, queries, width], k […, keys, width] and v […, keys, values] but got [1, 2], [1, 2] and [2, 1].",
    ],
    [
      () => nn.attention(x, x, x, { mask: x.to("int64") as never }),
      "attention takes a mask of bool, true where a query may look, or of floats, which are added to the scores, but got int64.",
    ],
  ] as const)
    expect(make).toThrow(sentence);
});
