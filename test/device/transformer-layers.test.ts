// PyTorch's transformers on every device against float64 in plain JavaScript: encoders, decoders and both, in either
// order of sequences, with norms first and last, masks and padding; the weights of attention; names, copies and every
// error.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { nn, noGrad, tensor, TensorError, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients, numbersOf } from "./gradient-check.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const sizeOf = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);

/** Rows of a sequence. */
type Rows = number[][];
/** What is added to the score of a query and a key. */
type Added = (query: number, key: number) => number;
type State = (name: string) => number[];

/** x · weightᵀ + bias. */
const linear = (state: State, name: string, x: Rows, [from, to]: [number, number] = [0, Infinity]): Rows =>
  x.map((row) => {
    const isPacked = name.endsWith("in_proj");
    const [weight, bias] = isPacked
      ? [state(`${name}_weight`), state(`${name}_bias`)]
      : [state(`${name}.weight`), state(`${name}.bias`)];
    return bias
      .map((b, at) => b + row.reduce((sum, value, i) => sum + value * weight[at * row.length + i]!, 0))
      .slice(from, to);
  });
const norm = (state: State, name: string, x: Rows): Rows =>
  x.map((row) => {
    const mean = row.reduce((a, b) => a + b, 0) / row.length;
    const variance = row.reduce((a, b) => a + (b - mean) ** 2, 0) / row.length;
    return row.map(
      (value, i) =>
        ((value - mean) / Math.sqrt(variance + 1e-5)) * state(`${name}.weight`)[i]! + state(`${name}.bias`)[i]!,
    );
  });
const plus = (a: Rows, b: Rows): Rows => a.map((row, i) => row.map((value, j) => value + b[i]![j]!));

/** What heads give together, and the weights of each; a query that sees nothing gives 0. */
function attended(state: State, name: string, x: Rows, memory: Rows, heads: number, added: Added): [Rows, Rows[]] {
  const width = x[0]!.length,
    each = width / heads;
  const [q, k, v] = [0, 1, 2].map((at) =>
    linear(state, `${name}.in_proj`, at === 0 ? x : memory, [at * width, (at + 1) * width]),
  ) as [Rows, Rows, Rows];
  const all: Rows[] = [];
  const joined = x.map(() => [] as number[]);
  for (let head = 0; head < heads; head++) {
    const part = (row: number[]) => row.slice(head * each, (head + 1) * each);
    const weights = q.map((row, query) => {
      const scores = k.map(
        (key, at) =>
          part(row).reduce((sum, value, i) => sum + value * part(key)[i]!, 0) / Math.sqrt(each) + added(query, at),
      );
      const most = Math.max(...scores);
      const powers = scores.map((score) => (score === -Infinity ? 0 : Math.exp(score - most)));
      const sum = powers.reduce((a, b) => a + b, 0);
      return powers.map((power) => (sum === 0 ? 0 : power / sum));
    });
    all.push(weights);
    weights.forEach((row, query) =>
      joined[query]!.push(
        ...part(v[0]!).map((_, column) => row.reduce((sum, w, at) => sum + w * part(v[at]!)[column]!, 0)),
      ),
    );
  }
  return [linear(state, `${name}.out_proj`, joined), all];
}

const think = (state: State, x: Rows): Rows =>
  linear(
    state,
    "linear2",
    linear(state, "linear1", x).map((row) => row.map((value) => Math.max(0, value))),
  );
/** x and what a part makes of it, normalised before or after. */
const step = (state: State, first: boolean, name: string, x: Rows, part: (x: Rows) => Rows): Rows =>
  first ? plus(x, part(norm(state, name, x))) : norm(state, name, plus(x, part(x)));

function encoded(state: State, x: Rows, heads: number, first: boolean, added: Added): Rows {
  const seen = step(state, first, "norm1", x, (y) => attended(state, "self_attn", y, y, heads, added)[0]);
  return step(state, first, "norm2", seen, (y) => think(state, y));
}
function decoded(state: State, x: Rows, memory: Rows, heads: number, first: boolean, own: Added, beyond: Added): Rows {
  const seen = step(state, first, "norm1", x, (y) => attended(state, "self_attn", y, y, heads, own)[0]);
  const both = step(state, first, "norm2", seen, (y) => attended(state, "multihead_attn", y, memory, heads, beyond)[0]);
  return step(state, first, "norm3", both, (y) => think(state, y));
}
const none: Added = () => 0;
const causal: Added = (query, key) => (key > query ? -Infinity : 0);

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const on = { device, dtype: "float64" } as const;
  const draw = (...shape: number[]) =>
    tensor(
      Array.from({ length: sizeOf(shape) }, () => 2 * random() - 1),
      on,
    ).reshape(shape) as Tensor;
  /** Biases and norms are not what they begin as. */
  function stirred<M extends nn.Module>(module: M): M {
    module.eval();
    noGrad(() => {
      for (const parameter of module.parameters()) parameter.add_(draw(...parameter.shape).mul(0.2));
    });
    return module;
  }
  const stateOf = (module: nn.Module, prefix = ""): State => {
    const state = Object.fromEntries(Object.entries(module.stateDict()).map(([name, x]) => [name, numbersOf(x)]));
    return (name) => state[`${prefix}${name}`]!;
  };
  const batches = (x: Tensor, batchFirst = true) => (batchFirst ? x : x.transpose([1, 0, 2])).toArray() as number[][][];
  function expectClose(found: Tensor, wanted: readonly Rows[], batchFirst = true): void {
    const rows = batches(found.detach(), batchFirst);
    expect(rows.length).toBe(wanted.length);
    // Sums of some tens of terms of about 1, in float64, through up to three layers and norms.
    rows.forEach((each, at) =>
      each.forEach((row, i) =>
        row.forEach((value, j) => expect(Math.abs(value - wanted[at]![i]![j]!)).toBeLessThan(2 ** -38)),
      ),
    );
  }
  const bools = (rows: readonly (readonly boolean[])[]) => tensor(rows as boolean[][], { device }) as Tensor;
  const padding = [
    [false, false, true, false, true],
    [true, false, false, false, false],
  ];
  const padded =
    (batch: number): Added =>
    (_, key) =>
      padding[batch]![key]! ? -Infinity : 0;

  test.each([
    { batchFirst: true, normFirst: false },
    { batchFirst: false, normFirst: true },
  ])("a layer of an encoder: %o", ({ batchFirst, normFirst }) => {
    const layer = stirred(new nn.TransformerEncoderLayer(6, 2, { dimFeedforward: 9, batchFirst, normFirst, ...on }));
    const x = batchFirst ? draw(2, 5, 6) : draw(5, 2, 6);
    const state = stateOf(layer);
    const all = (added: (batch: number) => Added) =>
      batches(x, batchFirst).map((rows, batch) => encoded(state, rows, 2, normFirst, added(batch)));
    const triangle = nn.Transformer.generateSquareSubsequentMask(5, on);
    const seen = bools(Array.from({ length: 5 }, (_, query) => Array.from({ length: 5 }, (__, key) => key <= query)));
    expectClose(
      layer(x),
      all(() => none),
      batchFirst,
    );
    for (const found of [
      layer(x, triangle),
      layer(x, { srcMask: triangle }),
      layer(x, { mask: seen }),
      layer(x, { causal: true }),
      layer(x, { isCausal: true }),
    ])
      expectClose(
        found,
        all(() => causal),
        batchFirst,
      );
    const both =
      (batch: number): Added =>
      (query, key) =>
        causal(query, key) + padded(batch)(query, key);
    const keyPaddingMask = bools(padding);
    expectClose(layer(x, { keyPaddingMask }), all(padded), batchFirst);
    for (const found of [
      layer(x, { mask: triangle, keyPaddingMask }),
      layer(x, { mask: seen, srcKeyPaddingMask: keyPaddingMask }),
      layer(x, { causal: true, keyPaddingMask }),
    ])
      expectClose(found, all(both), batchFirst);
    const biases = draw(2, 5);
    const added = (batch: number): Added => {
      const row = (biases.toArray() as number[][])[batch]!;
      return (_, key) => row[key]!;
    };
    expectClose(layer(x, { keyPaddingMask: biases }), all(added), batchFirst);
    const joint =
      (batch: number): Added =>
      (query, key) =>
        causal(query, key) + added(batch)(query, key);
    for (const mask of [seen, triangle])
      expectClose(layer(x, { mask, keyPaddingMask: biases }), all(joint), batchFirst);
    const [alone] = batches(x, batchFirst);
    expectClose(layer(tensor(alone!, on)).unsqueeze(0) as Tensor, [encoded(state, alone!, 2, normFirst, none)]);
  });

  test.each([
    { batchFirst: false, normFirst: false },
    { batchFirst: true, normFirst: true },
  ])("a layer of a decoder: %o", ({ batchFirst, normFirst }) => {
    const layer = stirred(new nn.TransformerDecoderLayer(6, 3, { dimFeedforward: 9, batchFirst, normFirst, ...on }));
    const [x, memory] = batchFirst ? [draw(2, 4, 6), draw(2, 5, 6)] : [draw(4, 2, 6), draw(5, 2, 6)];
    const state = stateOf(layer);
    const all = (own: Added, beyond: (batch: number) => Added) => {
      const memories = batches(memory, batchFirst);
      return batches(x, batchFirst).map((rows, batch) =>
        decoded(state, rows, memories[batch]!, 3, normFirst, own, beyond(batch)),
      );
    };
    const mask = nn.Transformer.generateSquareSubsequentMask(4, on);
    expectClose(
      layer(x, memory),
      all(none, () => none),
      batchFirst,
    );
    for (const found of [
      layer(x, memory, mask),
      layer(x, memory, { tgtMask: mask }),
      layer(x, memory, { causal: true }),
      layer(x, memory, { tgtIsCausal: true }),
    ])
      expectClose(
        found,
        all(causal, () => none),
        batchFirst,
      );
    const near: Added = (query, key) => (Math.abs(query - key) <= 1 ? 0 : -Infinity);
    const memoryMask = bools(
      Array.from({ length: 4 }, (_, query) => Array.from({ length: 5 }, (__, key) => near(query, key) === 0)),
    );
    expectClose(
      layer(x, memory, { causal: true, memoryMask, memoryKeyPaddingMask: bools(padding) }),
      all(causal, (batch) => (query, key) => near(query, key) + padded(batch)(query, key)),
      batchFirst,
    );
  });

  test("a transformer is its layers and norms, in which places that are padding count for nothing", () => {
    const model = stirred(
      new nn.Transformer({
        dModel: 6,
        nhead: 2,
        numEncoderLayers: 2,
        numDecoderLayers: 2,
        dimFeedforward: 7,
        batchFirst: true,
        ...on,
      }),
    );
    const [source, target] = [draw(2, 5, 6), draw(2, 3, 6)];
    const found = model(source, target, {
      tgtIsCausal: true,
      srcKeyPaddingMask: bools(padding),
      memoryKeyPaddingMask: bools(padding),
    });
    const targets = batches(target);
    const wanted = batches(source).map((rows, batch) => {
      const through = [0, 1].reduce(
        (x, at) => encoded(stateOf(model, `encoder.layers.${at}.`), x, 2, false, padded(batch)),
        rows,
      );
      const memory = norm(stateOf(model), "encoder.norm", through);
      const out = [0, 1].reduce(
        (x, at) => decoded(stateOf(model, `decoder.layers.${at}.`), x, memory, 2, false, causal, padded(batch)),
        targets[batch]!,
      );
      return norm(stateOf(model), "decoder.norm", out);
    });
    expectClose(found, wanted);
  });

  test("the weights of attention, of each head and their mean, and what they give", () => {
    const layer = stirred(new nn.MultiheadAttention(6, 2, on));
    const [x, memory] = [draw(2, 4, 6), draw(2, 5, 6)];
    const prefixed: State = (name) => stateOf(layer)(name.replace("a.", ""));
    const wanted = batches(x).map((rows, batch) =>
      attended(prefixed, "a", rows, batches(memory)[batch]!, 2, padded(batch)),
    );
    const keyPaddingMask = bools(padding);
    const mean = layer.withWeights(x, memory, memory, { keyPaddingMask });
    expectClose(
      mean.output,
      wanted.map(([out]) => out),
    );
    expectClose(
      mean.weights,
      wanted.map(([, [a, b]]) => plus(a!, b!).map((row) => row.map((value) => value / 2))),
    );
    const { weights } = layer.withWeights(x, memory, memory, { keyPaddingMask, averageAttnWeights: false });
    expect(weights.shape).toEqual([2, 2, 4, 5]);
    expectClose(
      weights.reshape([4, 4, 5]) as Tensor,
      wanted.flatMap(([, all]) => all),
    );
    expectClose(
      layer(x, memory, memory, { keyPaddingMask }),
      wanted.map(([out]) => out),
    );
    // More keys than the kernels' heads are wide.
    const long = draw(1, 300, 6);
    const own = layer.withWeights(long, long, long, { causal: true });
    expectClose(own.output, [attended(prefixed, "a", batches(long)[0]!, batches(long)[0]!, 2, causal)[0]]);
  });

  test("gradients reach everything", () => {
    const layer = new nn.TransformerDecoderLayer(4, 2, { dimFeedforward: 3, activation: "gelu", dropout: 0, ...on });
    const weight = layer.multihead_attn.in_proj_weight.shape as number[];
    expectGradients(
      (x, memory, projection) => {
        layer.multihead_attn.in_proj_weight = projection!;
        return layer(x!, memory!, { causal: true });
      },
      [{ shape: [3, 1, 4] }, { shape: [2, 1, 4] }, { shape: weight }],
      device,
    );
    const model = new nn.Transformer({ width: 4, heads: 2, encoderLayers: 1, decoderLayers: 1, ...on });
    model(draw(3, 1, 4), draw(2, 1, 4))
      .sum()
      .backward();
    expect(model.parameters().filter(({ grad }) => grad === null)).toEqual([]);
  });

  test("copies begin alike and are trained apart; names are PyTorch's; what is dropped is in training alone", () => {
    const layer = new nn.TransformerEncoderLayer(4, 2, {
      dimFeedforward: 6,
      activation: (x) => x.silu() as Tensor,
      ...on,
    });
    const encoder = new nn.TransformerEncoder(layer, 2, new nn.LayerNorm(4, on));
    const names = [
      ...["in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"].map((name) => `self_attn.${name}`),
      ...["linear1", "linear2", "norm1", "norm2"].flatMap((name) => [`${name}.weight`, `${name}.bias`]),
    ];
    expect(Object.keys(encoder.stateDict()).sort()).toEqual(
      [...[0, 1].flatMap((at) => names.map((name) => `layers.${at}.${name}`)), "norm.weight", "norm.bias"].sort(),
    );
    const [first, second] = encoder.layers as [nn.TransformerEncoderLayer, nn.TransformerEncoderLayer];
    expect(first.linear1.weight === second.linear1.weight).toBe(false);
    expect(numbersOf(first.linear1.weight)).toEqual(numbersOf(layer.linear1.weight));
    expect(first.linear1.weight.device).toBe(device);
    const x = draw(3, 2, 4);
    expect(numbersOf(encoder(x))).not.toEqual(numbersOf(encoder(x)));
    encoder.eval();
    expect(numbersOf(encoder(x))).toEqual(numbersOf(encoder(x)));
    const decoder = new nn.TransformerDecoder(new nn.TransformerDecoderLayer(4, 2, on), 1);
    expect(Object.keys(decoder.stateDict())).toContain("layers.0.multihead_attn.in_proj_weight");
    expect(String(encoder)).toContain("TransformerEncoderLayer(length first");
  });

  test("what does not fit is told", () => {
    const layer = new nn.TransformerEncoderLayer(4, 2, { device });
    const attention = new nn.MultiheadAttention(4, 2, { device });
    const x = draw(3, 2, 4).to("float32") as Tensor;
    const model = new nn.Transformer({ width: 4, heads: 2, encoderLayers: 1, decoderLayers: 1, device });
    for (const [run, sentence] of [
      [
        () => layer(draw(3, 2, 5)),
        "TransformerEncoderLayer takes tensors of shape [length, batch, 4] or [length, 4] but got [3, 2, 5].",
      ],
      [
        () => layer(x, { keyPaddingMask: bools(padding) }),
        "attention of keys of shape [2, 3, 4] takes a keyPaddingMask of shape [2, 3] but got [2, 5].",
      ],
      [
        () =>
          layer(x, {
            keyPaddingMask: tensor(
              [
                [1, 2, 3],
                [1, 2, 3],
              ],
              { device, dtype: "int32" },
            ),
          }),
        "attention takes a keyPaddingMask of bool, true where a key is padding, or of floats, which are added to the scores, but got int32.",
      ],
      [
        () => layer(x, { padding: true } as never),
        "TransformerEncoderLayer has no option padding. Its options are mask, keyPaddingMask, causal.",
      ],
      [
        () => new nn.TransformerEncoderLayer(4, 3),
        "MultiheadAttention takes a width that its heads divide, but 3 heads do not divide 4.",
      ],
      [
        () => new nn.TransformerEncoder(new nn.Linear(2, 2) as never, 2),
        "TransformerEncoder takes an nn.TransformerEncoderLayer as layer but got a Linear.",
      ],
      [
        () => new nn.TransformerDecoder(layer as never, 2),
        "TransformerDecoder takes an nn.TransformerDecoderLayer as layer but got a TransformerEncoderLayer.",
      ],
      [
        () => model(x, draw(2, 3, 4).to("float32") as Tensor),
        "Transformer takes a source and a target of as many sequences but got [3, 2, 4] and [2, 3, 4], of which the length comes first: write { batchFirst: true } for batches.",
      ],
      [
        () => attention(x, x, x, { needWeights: true } as never),
        "MultiheadAttention has no option needWeights. A call gives the result alone: leave it out, or write layer.withWeights(query, key, value).",
      ],
      [
        () => attention(x, x, x, { averageAttnWeights: true } as never),
        "MultiheadAttention averages weights where it gives them: write layer.withWeights(query, key, value, { averageAttnWeights }).",
      ],
      [
        () =>
          attention(x, x, x, {
            mask: ({ query, key }) => key.le(query),
            keyPaddingMask: bools([
              [true, false],
              [true, false],
              [true, false],
            ]),
          }),
        "MultiheadAttention takes a keyPaddingMask or a mask by function, not both: write the padding as a mask.",
      ],
      [
        () => attention.withWeights(x, x, x, { cache: new nn.KeyValueCache(3, 2, 8, 2, { device }) } as never),
        "withWeights takes no cache: give it the keys and values themselves.",
      ],
      [
        () => nn.Transformer.generateSquareSubsequentMask(0),
        "generateSquareSubsequentMask takes a whole number of at least 1 as length but got 0.",
      ],
    ] as const) {
      expect(run).toThrow(TensorError);
      expect(run).toThrow(sentence);
    }
  });
});
