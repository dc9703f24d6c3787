// Layers without anything to train are the functions, with the options that they were made with, on every device; those
// with parameters are their formulas.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import * as w from "../../native/lib/index.ts";
import { nn, tensor, type Tensor } from "../../native/lib/index.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradients.ts";
import { expectNear, numbersOf, sampler, type Wanted } from "./samples.ts";

const random = seeded(freshSeed());

/** A layer, and the function that it is. */
type Pair = readonly [layer: nn.Module, compute: (x: Tensor) => Tensor];

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const sample = sampler(random, device);
  const doubles = (values: readonly number[]) => tensor([...values], { dtype: "float64", device });

  function expectSame(x: Tensor, pairs: readonly Pair[]): void {
    for (const [layer, compute] of pairs) {
      expect(layer.parameters(), String(layer)).toEqual([]);
      const [got, wanted] = [layer(x) as Tensor, compute(x)];
      expect([String(layer), got.shape, ...numbersOf(got)]).toEqual([
        String(layer),
        wanted.shape,
        ...numbersOf(wanted),
      ]);
    }
  }

  test("activations", () => {
    const { x } = sample([3, 4, 2, 6], "float32", [-4, 4]);
    expectSame(x, [
      [new nn.ReLU(), (x) => x.relu()],
      [new nn.ReLU6(), (x) => x.relu6()],
      [new nn.GELU(), (x) => x.gelu()],
      [new nn.GELU("tanh"), (x) => x.gelu({ approximate: "tanh" })],
      [new nn.GELU({ approximate: "tanh" }), (x) => x.gelu({ approximate: "tanh" })],
      [new nn.LeakyReLU(), (x) => x.leakyRelu()],
      [new nn.LeakyReLU(0.2), (x) => x.leakyRelu(0.2)],
      [new nn.LeakyReLU({ negativeSlope: 0.2 }), (x) => x.leakyRelu(0.2)],
      [new nn.ELU({ alpha: 2 }), (x) => x.elu(2)],
      [new nn.CELU(0.5), (x) => x.celu(0.5)],
      [new nn.SELU(), (x) => x.selu()],
      [new nn.SiLU(), (x) => x.silu()],
      [new nn.Mish(), (x) => x.mish()],
      [new nn.Sigmoid(), (x) => x.sigmoid()],
      [new nn.LogSigmoid(), (x) => x.logSigmoid()],
      [new nn.Tanh(), (x) => x.tanh()],
      [new nn.Tanhshrink(), (x) => x.tanhshrink()],
      [new nn.Softsign(), (x) => x.softsign()],
      [new nn.Softplus(2, 3), (x) => x.softplus({ beta: 2, threshold: 3 })],
      [new nn.Softplus({ beta: 2 }), (x) => x.softplus(2)],
      [new nn.Hardsigmoid(), (x) => x.hardsigmoid()],
      [new nn.Hardswish(), (x) => x.hardswish()],
      [new nn.Hardtanh(-2, 3), (x) => x.hardtanh({ min: -2, max: 3 })],
      [new nn.Hardtanh({ maxVal: 3 }), (x) => x.hardtanh({ max: 3 })],
      [new nn.Hardshrink({ lambd: 1 }), (x) => x.hardshrink(1)],
      [new nn.Softshrink(1), (x) => x.softshrink(1)],
      [new nn.Threshold(1, -7), (x) => x.threshold(1, -7)],
      [new nn.GLU({ dim: 1 }), (x) => x.glu(1)],
      [new nn.Softmax({ dim: 1 }), (x) => x.softmax(1)],
      [new nn.LogSoftmax(2), (x) => x.logSoftmax(2)],
      [new nn.Softmin(0), (x) => w.softmin(x, 0)],
      [new nn.Softmax2d(), (x) => x.softmax(1)],
      [new nn.Identity(3, { of: "anything" }), (x) => x],
      [new nn.RReLU(0.25, 0.5).eval(), (x) => x.leakyRelu(0.375)],
    ]);
    expect(String(new nn.LeakyReLU(0.2))).toBe("LeakyReLU(slope 0.2)  0 parameters");
    const net = new nn.Sequential(new nn.Linear(6, 3, { device }), new nn.ReLU());
    expect(numbersOf(net(x))).toEqual(numbersOf((net.layers[0] as nn.Linear)(x).relu()));
  });

  test("slopes that are drawn lie between their bounds, and gradients go through them", () => {
    const x = tensor(Array<number>(4000).fill(-1), { dtype: "float64", device });
    const slopes = numbersOf(w.rrelu(x, { lower: 0.2, upper: 0.6, training: true })).map((value) => -value);
    expect(Math.min(...slopes)).toBeGreaterThanOrEqual(0.2);
    expect(Math.max(...slopes)).toBeLessThan(0.6);
    // The mean of 4,000 draws from a width of 0.4: six of its deviations.
    const mean = slopes.reduce((a, b) => a + b, 0) / 4000;
    expect(Math.abs(mean - 0.4)).toBeLessThan((6 * 0.4) / Math.sqrt(12 * 4000));
    expectGradients((x) => w.rrelu(x!, { training: true, seed: 3 }), [doubles([-2, -0.5, 0.7, 3])]);
    expect(numbersOf(new nn.RReLU(0.5, 0.5)(doubles([-2, 3])))).toEqual([-1, 3]);
    expect(() => w.rrelu(x, 0.5, 0.25 as never)).toThrow("rrelu takes an upper slope of at least 0.5 but got 0.25.");
  });

  test("losses", () => {
    const [a, b] = [sample([4, 3]).x, sample([4, 3]).x];
    const [p, q] = [a.softmax(), b.softmax()];
    const classes = tensor([2, 0, 1, 1], { dtype: "int64", device });
    const sides = tensor([1, -1, 1, -1], { device });
    const weight = tensor([0.5, 1, 2], { device });
    const distance = (x: Tensor, y: Tensor) => x.sub(y).abs().max(-1);
    const cases: readonly (readonly [got: Tensor, wanted: Tensor])[] = [
      [new nn.CrossEntropyLoss()(a, classes), w.crossEntropy(a, classes)],
      [
        new nn.CrossEntropyLoss({ weight, labelSmoothing: 0.1, reduction: "sum" })(a, classes),
        w.crossEntropy(a, classes, { weight, labelSmoothing: 0.1, reduction: "sum" }),
      ],
      [new nn.NLLLoss({ ignoreIndex: 1 })(a, classes), w.nllLoss(a, classes, { ignoreIndex: 1 })],
      [new nn.MSELoss({ reduction: "none" })(a, b), w.mseLoss(a, b, { reduction: "none" })],
      [new nn.L1Loss()(a, b), w.l1Loss(a, b)],
      [new nn.SmoothL1Loss({ beta: 2 })(a, b), w.smoothL1Loss(a, b, { beta: 2 })],
      [new nn.HuberLoss({ delta: 0.5 })(a, b), w.huberLoss(a, b, { delta: 0.5 })],
      [new nn.BCELoss()(p, q), w.binaryCrossEntropy(p, q)],
      [new nn.BCEWithLogitsLoss({ posWeight: weight })(a, q), w.bceWithLogitsLoss(a, q, { posWeight: weight })],
      [new nn.KLDivLoss({ reduction: "batchmean" })(p.log(), q), w.klDiv(p.log(), q, { reduction: "batchmean" })],
      [new nn.PoissonNLLLoss({ full: true })(a, q), w.poissonNllLoss(a, q, { full: true })],
      [new nn.GaussianNLLLoss()(a, b, p), w.gaussianNllLoss(a, b, p)],
      [
        new nn.MarginRankingLoss({ margin: 1 })(a.get(null, 0), b.get(null, 0), sides),
        w.marginRankingLoss(a.get(null, 0), b.get(null, 0), sides, { margin: 1 }),
      ],
      [new nn.CosineEmbeddingLoss({ margin: 0.1 })(a, b, sides), w.cosineEmbeddingLoss(a, b, sides, { margin: 0.1 })],
      [new nn.TripletMarginLoss({ p: 1 })(a, b, p), w.tripletMarginLoss(a, b, p, { p: 1 })],
      [
        new nn.TripletMarginWithDistanceLoss({ distance })(a, b, p),
        w.tripletMarginWithDistanceLoss(a, b, p, { distance }),
      ],
      [new nn.SoftMarginLoss()(a, b.sign()), w.softMarginLoss(a, b.sign())],
      [new nn.HingeEmbeddingLoss({ margin: 2 })(a, b.sign()), w.hingeEmbeddingLoss(a, b.sign(), { margin: 2 })],
      [new nn.MultiMarginLoss({ p: 2 })(a, classes), w.multiMarginLoss(a, classes, { p: 2 })],
      [
        new nn.MultiLabelMarginLoss()(a, classes.unsqueeze(1).expand([4, 3])),
        w.multilabelMarginLoss(a, classes.unsqueeze(1).expand([4, 3])),
      ],
      [new nn.MultiLabelSoftMarginLoss({ weight })(a, q), w.multilabelSoftMarginLoss(a, q, { weight })],
    ];
    for (const [got, wanted] of cases) {
      expect(got.shape).toEqual(wanted.shape);
      expect(numbersOf(got)).toEqual(numbersOf(wanted));
    }
    const logs = sample([5, 2, 4]).x.logSoftmax();
    const targets = tensor(
      [
        [1, 2],
        [3, 3],
      ].flat(),
      { dtype: "int64", device },
    ).reshape([2, 2]);
    const lengths = { inputLengths: [5, 4], targetLengths: [2, 1] };
    expect(new nn.CTCLoss({ reduction: "sum" })(logs, targets, [5, 4], [2, 1]).item()).toBe(
      w.ctcLoss(logs, targets, { reduction: "sum", ...lengths }).item(),
    );
    // Weights of classes are of the layer's state, and move with it.
    const loss = new nn.CrossEntropyLoss({ weight });
    expect([Object.keys(loss.stateDict()), loss.parameters()]).toEqual([["weight"], []]);
    loss.to("float64");
    expect(loss.options.weight!.dtype).toBe("float64");
  });

  test("borders", () => {
    const volume = sample([1, 2, 3, 4, 5]).x;
    const [list, image] = [volume.get(0, 0), volume.get(0)];
    for (const [name, mode] of [
      ["ZeroPad", "constant"],
      ["ReflectionPad", "reflect"],
      ["ReplicationPad", "replicate"],
      ["CircularPad", "circular"],
    ] as const)
      [list, image, volume].forEach((x, at) => {
        const axes = at + 1;
        const Layer = nn[`${name}${axes as 1 | 2 | 3}d`];
        const widths = Array.from({ length: 2 * axes }, (_, side) => side % 3);
        expectSame(x, [
          [new Layer(1), (x) => x.pad(Array<number>(2 * axes).fill(1), { mode })],
          [new Layer(widths), (x) => x.pad(widths, { mode })],
        ]);
      });
    expectSame(image, [
      [new nn.ConstantPad1d(2, 3.5), (x) => x.pad([2, 2], { value: 3.5 })],
      [new nn.ConstantPad2d([1, 0, 2, -1], 7), (x) => x.pad([1, 0, 2, -1], { value: 7 })],
      [new nn.ConstantPad3d(1, -1), (x) => x.pad([1, 1, 1, 1, 1, 1], { value: -1 })],
    ]);
    expect(() => new nn.ZeroPad2d([1, 2])).toThrow(
      "ZeroPad2d takes a whole number, or 4 of them, as padding but got [1, 2].",
    );
    expect(String(new nn.ConstantPad1d(2, 3))).toBe("ConstantPad1d(2, value 3)  0 parameters");
  });

  test("orders, windows, sizes and pools", () => {
    const { x } = sample([1, 4, 6, 6], "float32", [0, 2]);
    expectSame(x, [
      [new nn.PixelShuffle(2), (x) => w.pixelShuffle(x, 2)],
      [new nn.PixelUnshuffle(3), (x) => w.pixelUnshuffle(x, 3)],
      [new nn.ChannelShuffle(2), (x) => w.channelShuffle(x, 2)],
      [new nn.Unfold(3, { padding: 1, stride: 2 }), (x) => w.im2col(x, 3, { padding: 1, stride: 2 })],
      [new nn.Unflatten(1, [2, 2]), (x) => x.unflatten(1, [2, 2])],
      [new nn.UpsamplingNearest2d({ scaleFactor: 2 }), (x) => w.interpolate(x, { scaleFactor: 2 })],
      [
        new nn.UpsamplingBilinear2d({ size: [9, 7] }),
        (x) => w.interpolate(x, { size: [9, 7], mode: "bilinear", alignCorners: true }),
      ],
      [new nn.LPPool2d(2, 2, { stride: 1 }), (x) => w.lpPool2d(x, 2, 2, { stride: 1 })],
    ]);
    const columns = sample([1, 4 * 9, 36]).x;
    expectSame(columns, [[new nn.Fold(6, 3, { padding: 1 }), (x) => w.col2im(x, [6, 6], 3, { padding: 1 })]]);
    expectSame(x.get(0), [[new nn.LPPool1d(3, 2), (x) => w.lpPool1d(x, 3, 2)]]);
    expectSame(x.unsqueeze(0), [[new nn.LPPool3d(1, 2), (x) => w.lpPool3d(x, 1, 2)]]);
    const { values, indices } = w.maxPool2dWithIndices(x, 2);
    expect(numbersOf(new nn.MaxUnpool2d(2)(values, indices, [6, 6]))).toEqual(
      numbersOf(w.maxUnpool2d(values, indices, 2, { outputSize: [6, 6] })),
    );
    const [a, b] = [sample([5, 3]).x, sample([5, 3]).x];
    expect(numbersOf(new nn.CosineSimilarity()(a, b))).toEqual(numbersOf(w.cosineSimilarity(a, b, { axis: 1 })));
    expect(numbersOf(new nn.CosineSimilarity({ dim: 0 })(a, b))).toEqual(
      numbersOf(w.cosineSimilarity(a, b, { axis: 0 })),
    );
    expect(numbersOf(new nn.PairwiseDistance({ p: 1 })(a, b))).toEqual(numbersOf(w.pairwiseDistance(a, b, { p: 1 })));
  });

  test("dropout of channels, in training alone", () => {
    const x = w.ones([2, 40, 3, 3], { device });
    for (const [Layer, isWhole] of [
      [nn.Dropout2d, true],
      [nn.FeatureAlphaDropout, true],
      [nn.AlphaDropout, false],
    ] as const) {
      const layer = new Layer(0.5);
      const channels = layer(x).reshape([80, 9]).toArray() as number[][];
      expect(channels.every((channel) => new Set(channel).size === 1)).toBe(isWhole);
      expect(new Set(channels.flat()).size).toBe(2);
      expect(numbersOf(layer.eval()(x))).toEqual(numbersOf(x));
    }
    expect(numbersOf(new nn.Dropout1d({ p: 1 })(x.get(0, null, 0)))).toEqual(Array<number>(120).fill(0));
    expect(new nn.Dropout3d(0.25).p).toBe(0.25);
    expect(() => new nn.AlphaDropout(2)).toThrow("AlphaDropout takes a probability from 0 to 1 but got 2.");
    // Mean 0 and variance 1 stay: moments of 40,000 draws of 25 channels' worth.
    const normal = w.randn([4000, 25, 4], { device, seed: 5, dtype: "float64" });
    const kept = w.featureAlphaDropout(normal, { p: 0.3, seed: 6 });
    expect(Math.abs(Number(kept.mean().item()))).toBeLessThan(6 / Math.sqrt(100_000));
    expect(Math.abs(Number(kept.var().item()) - 1)).toBeLessThan(6 * Math.sqrt(4 / 100_000));
  });

  test("a trained slope, and a layer of two inputs", () => {
    const { x, values, shape } = sample([3, 2, 4], "float64");
    const prelu = new nn.PReLU(2, { init: 0.5, dtype: "float64", device });
    expect(prelu.parameters().map((each) => each === prelu.weight)).toEqual([true]);
    expect(numbersOf(prelu(x))).toEqual(values.map((value) => (value > 0 ? value : value / 2)));
    expect(new nn.PReLU({ numParameters: 3 }).weight.shape).toEqual([3]);
    expect(shape).toEqual([3, 2, 4]);

    const layer = new nn.Bilinear(3, 4, 2, { dtype: "float64", device });
    const [a, b] = [sample([5, 3], "float64"), sample([5, 4], "float64")];
    const [weights, biases] = [numbersOf(layer.weight.detach()), numbersOf(layer.bias!.detach())];
    const wanted = Array.from({ length: 10 }, (_, at): Wanted => {
      const [row, k] = [Math.floor(at / 2), at % 2];
      let [sum, size] = [biases[k]!, Math.abs(biases[k]!)];
      for (let i = 0; i < 3; i++)
        for (let j = 0; j < 4; j++) {
          const term = a.values[row * 3 + i]! * weights[(k * 3 + i) * 4 + j]! * b.values[row * 4 + j]!;
          sum += term;
          size += Math.abs(term);
        }
      return [sum, size];
    });
    expectNear(layer(a.x, b.x).detach(), [5, 2], wanted, 20);
    expectGradients((a, b) => layer(a!, b!), [a.x, b.x]);
    expect(() => layer(a.x, a.x)).toThrow(
      "Bilinear takes tensors of shape […, 3] and […, 4] with the same axes in front but got [5, 3] and [5, 3].",
    );
    expect(String(new nn.Bilinear(3, 4, 2, { bias: false }))).toContain("3 × 4 → 2, no bias");
  });

  test("random tensors like another", () => {
    const x = w.zeros([2, 3], { dtype: "float64", device });
    for (const [got, wanted] of [
      [w.randLike(x, { seed: 4, high: 2 }), w.rand([2, 3], { dtype: "float64", device, seed: 4, high: 2 })],
      [w.randnLike(x, { seed: 4, std: 2 }), w.randn([2, 3], { dtype: "float64", device, seed: 4, std: 2 })],
      [w.randnLike(x, { seed: 4, dtype: "float32" }), w.randn([2, 3], { device, seed: 4 })],
      [w.randintLike(x, 2, 9, { seed: 4 }), w.randint(2, 9, [2, 3], { device, seed: 4 }).to("float64")],
      [
        w.randintLike(x, 2, 9, { seed: 4, dtype: "int32" }),
        w.randint(2, 9, [2, 3], { dtype: "int32", device, seed: 4 }),
      ],
    ] as const) {
      expect([got.dtype, got.device, got.shape]).toEqual([wanted.dtype, wanted.device, wanted.shape]);
      expect(numbersOf(got)).toEqual(numbersOf(wanted));
    }
    expect(() => w.randLike(w.zeros([2], { dtype: "int32", device }))).toThrow(
      "Random numbers are drawn as floats, not as int32",
    );
  });

  test("what layers do not take is said", () => {
    for (const [make, message] of [
      [
        () => new nn.ReLU({ inplace: true } as never),
        "ReLU has no option inplace. A layer returns a new tensor: leave it out.",
      ],
      [() => new nn.ReLU(true as never), "ReLU does not take true there. Write new nn.ReLU()."],
      [() => new nn.ELU({ beta: 1 } as object), "ELU has no option beta. Its options are alpha."],
      [
        () => new nn.MSELoss({ sizeAverage: false } as object),
        'MSELoss has no option sizeAverage. Write reduction: "mean", "sum" or "none".',
      ],
      [
        () => new nn.MSELoss({ reduction: "avg" as "mean" }),
        'MSELoss takes "mean", "sum" or "none" as reduction but got "avg".',
      ],
      [() => new nn.PixelShuffle(0), "PixelShuffle takes a whole number of at least 1 as upscaleFactor but got 0."],
      [() => new nn.Threshold(1 as never, undefined as never), "Threshold takes a number as value but got nothing."],
    ] as const)
      expect(make).toThrow(message);
  });
});
