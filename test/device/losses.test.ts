// Losses on every device against float64: each element's, sums and means of all, their gradients by formula and by
// finite differences, and what is refused.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  bceWithLogitsLoss,
  crossEntropy,
  gradients,
  huberLoss,
  l1Loss,
  layerNorm,
  logSoftmax,
  mseLoss,
  nllLoss,
  rand,
  randint,
  randn,
  smoothL1Loss,
  softmax,
  tensor,
  TensorError,
  type DType,
  type LossOptions,
  type Tensor,
} from "../../native/lib/index.ts";
import { roundingsOf } from "../../native/lib/ops/reduce/reduce-plans.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradients.ts";
import { poison, rounded, roundoff } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { expectWithin } from "./samples.ts";

const floats: DType[] = ["float32", "float64", "float16", "bfloat16"];
const random = seeded(freshSeed());
const numbers = (x: Tensor): number[] => [x.to("float64").reshape([-1]).toArray()].flat() as number[];
const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
const mean = (values: readonly number[]) => total(values) / values.length;
const normals = (shape: readonly number[], device: string, dtype: DType = "float64") =>
  randn(shape, { dtype, device, seed: Math.floor(random() * 2 ** 31) });

interface Loss {
  readonly name: string;
  readonly run: (x: Tensor, t: Tensor, options?: LossOptions) => Tensor;
  readonly of: (x: number, t: number) => number;
  readonly slopes: (x: number, t: number) => readonly [number, number];
  /** The most that a loss may be off before it is rounded, and a slope. */
  readonly allowed: (u: number, x: number, t: number) => number;
  readonly allowedSlope: (u: number, x: number, t: number) => number;
}
const of = (f: (d: number) => number, slope: (d: number) => number): Pick<Loss, "of" | "slopes"> => ({
  of: (x, t) => f(x - t),
  slopes: (x, t) => [slope(x - t), -slope(x - t)],
});
const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
const size = (x: number, t: number) => Math.abs(x - t);

const list: readonly Loss[] = [
  // A difference, and a product of it with itself.
  {
    name: "mseLoss",
    run: mseLoss,
    ...of(
      (d) => d * d,
      (d) => 2 * d,
    ),
    allowed: (u, x, t) => 4 * u * (x - t) ** 2,
    allowedSlope: (u, x, t) => 5 * u * size(x, t),
  },
  {
    name: "l1Loss",
    run: l1Loss,
    ...of(Math.abs, Math.sign),
    allowed: (u, x, t) => u * size(x, t),
    allowedSlope: () => 0,
  },
  // Four roundings of numbers no larger than the difference and beta; both pieces have the same value and slope where
  // they meet.
  {
    name: "smoothL1Loss",
    run: (x, t, options) => smoothL1Loss(x, t, { beta: 0.75, ...options }),
    ...of(
      (d) => (Math.abs(d) < 0.75 ? (0.5 * d * d) / 0.75 : Math.abs(d) - 0.375),
      (d) => (Math.abs(d) < 0.75 ? d / 0.75 : Math.sign(d)),
    ),
    allowed: (u, x, t) => 5 * u * (size(x, t) + 0.75),
    allowedSlope: (u, x, t) => 4 * u * Math.min(2, size(x, t) + 1),
  },
  {
    name: "huberLoss",
    run: (x, t, options) => huberLoss(x, t, { delta: 1.5, ...options }),
    ...of(
      (d) => (Math.abs(d) <= 1.5 ? 0.5 * d * d : 1.5 * (Math.abs(d) - 0.75)),
      (d) => (Math.abs(d) <= 1.5 ? d : 1.5 * Math.sign(d)),
    ),
    allowed: (u, x, t) => 5 * u * 1.5 * (size(x, t) + 0.75),
    allowedSlope: (u, x, t) => 4 * u * Math.min(3, size(x, t) + 1),
  },
  // log1p (4) of exp (4), a product and two sums; σ (8) less the target.
  {
    name: "bceWithLogitsLoss",
    run: bceWithLogitsLoss,
    of: (x, t) => Math.max(x, 0) - x * t + Math.log1p(Math.exp(-Math.abs(x))),
    slopes: (x, t) => [sigmoid(x) - t, -x],
    allowed: (u, x, t) => 2 * u * (9 + 3 * Math.abs(x) + 2 * Math.abs(x * t)),
    allowedSlope: (u, x, t) => 2 * u * (9 + Math.abs(x) + Math.abs(t)),
  },
];

function logSoftmaxOf(row: readonly number[]): number[] {
  const most = Math.max(...row);
  const log = most + Math.log(total(row.map((x) => Math.exp(x - most))));
  return row.map((x) => x - log);
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  describe.each(floats)("of %s", (dtype) => {
    const u = Math.max(roundoff[dtype === "float64" ? "float64" : "float32"]!, 2 ** -53);
    // A narrow dtype rounds once more, and below its smallest step; float64 references have roundings of their own.
    const after = (wanted: number) =>
      dtype === "float16" || dtype === "bfloat16"
        ? 1.01 * roundoff[dtype]! * Math.abs(wanted) + 2 ** -25
        : dtype === "float64"
          ? 2 ** -50 * (1 + Math.abs(wanted))
          : 2 ** -140;

    test.each(list.map((each) => [each.name, each] as const))("%s, its mean, its sum and both gradients", (_, {
      run,
      of,
      slopes,
      allowed,
      allowedSlope,
    }) => {
      for (const count of [1, 65, 768, 1000, 1025, ...(dtype === "float32" ? [40_003] : [])]) {
        const draw = () => Array.from({ length: count }, () => rounded(6 * random() - 3, dtype));
        const [x, t] = [draw(), draw()];
        const [a, b] = [x, t].map((values) => tensor(values, { dtype, device }) as Tensor) as [Tensor, Tensor];
        const wanted = x.map((value, i) => of(value, t[i]!));
        const own = (i: number) => allowed(u, x[i]!, t[i]!);
        poison(device, count);
        const each = run(a, b, { reduction: "none" });
        expect([each.shape, each.dtype]).toEqual([[count], dtype]);
        expectWithin(numbers(each), wanted, (i) => own(i) + after(wanted[i]!));
        const sumError = total(
          wanted.map((value, i) => own(i) + Math.abs(value) * (roundingsOf(count) + 8) * (u + 2 ** -53)),
        );
        poison(device, count);
        expectWithin(numbers(run(a, b, { reduction: "sum" })), [total(wanted)], () => sumError + after(total(wanted)));
        poison(device, count);
        expectWithin(
          numbers(run(a, b)),
          [mean(wanted)],
          () => sumError / count + 2 * u * Math.abs(mean(wanted)) + after(mean(wanted)),
        );
        expect(numbers(run(a, b))).toEqual(numbers(run(a, b)));

        const upper = draw();
        for (const leaf of [a, b]) leaf.requiresGrad = true;
        for (const [reduction, weightOf] of [
          ["none", (i: number) => upper[i]!],
          ["sum", () => upper[0]!],
          ["mean", () => upper[0]! / count],
        ] as const) {
          poison(device, count);
          const gradient = tensor(reduction === "none" ? upper : upper[0]!, { dtype, device });
          const found = gradients(run(a, b, { reduction }), [a, b], { gradient });
          found.forEach((slope, which) => {
            const right = x.map((value, i) => weightOf(i) * slopes(value, t[i]!)[which]!);
            expectWithin(
              numbers(slope),
              right,
              (i) =>
                Math.abs(weightOf(i)) * allowedSlope(u, x[i]!, t[i]!) + 4 * u * Math.abs(right[i]!) + after(right[i]!),
            );
          });
        }
      }
    });
  });

  test.each(
    list.map((each) => [each.name, each] as const),
  )("%s: gradients once and twice beside finite differences", (_, { run }) => {
    // Differences are away from the kinks, which are at 0, 0.75 and 1.5.
    const x = normals([3, 4], device);
    const t = x.add(
      tensor([0.25, -0.5, 1, -1.125, 2, -3, 0.375, 0.875, -0.125, 1.25, -1.75, 0.5], {
        dtype: "float64",
        device,
      }).reshape([3, 4]),
    ) as Tensor;
    for (const reduction of ["mean", "sum", "none"] as const)
      expectGradients((x, t) => run(x!, t!, { reduction }).square() as Tensor, [x, t], { twice: true });
  });

  test("views, integers, two dtypes, no elements, and weights of bceWithLogitsLoss", () => {
    const [x, t] = [normals([4, 6], device, "float32"), normals([6, 4], device, "float32")];
    expect(numbers(mseLoss(x, t.T))).toEqual(numbers(mseLoss(x, t.T.contiguous())));
    expect(numbers(l1Loss(x.slice(null, [1, 6]), t.T.slice(null, [1, 6])))).toEqual(
      numbers(l1Loss(x.slice(null, [1, 6]).contiguous(), t.T.slice(null, [1, 6]).contiguous())),
    );
    const whole = mseLoss(tensor([1, 3], { device, dtype: "int32" }), tensor([2, 5], { device, dtype: "float64" }));
    expect([whole.dtype, whole.item()]).toEqual(["float64", 2.5]);
    expect(mseLoss(tensor([1, 3], { device, dtype: "int32" }), tensor([2, 5], { device, dtype: "int32" })).dtype).toBe(
      "float32",
    );
    const none = tensor([], { device, dtype: "float32" });
    expect([
      mseLoss(none, none).item(),
      mseLoss(none, none, { reduction: "sum" }).item(),
      mseLoss(none, none, { reduction: "none" }).shape,
    ]).toEqual([NaN, 0, [0]]);
    expect(
      smoothL1Loss(tensor([1, -2], { device }), tensor([0, 0], { device }), { beta: 0, reduction: "sum" }).item(),
    ).toBe(3);
    const [logits, targets, weight, posWeight] = [
      normals([5, 3], device),
      normals([5, 3], device).sigmoid() as Tensor,
      normals([5, 1], device).abs() as Tensor,
      normals([3], device).abs() as Tensor,
    ];
    const [a, b, w, p] = [logits, targets, weight, posWeight].map(numbers) as [number[], number[], number[], number[]];
    const wanted = a.map(
      (value, i) =>
        -w[Math.floor(i / 3)]! *
        (p[i % 3]! * b[i]! * Math.log(sigmoid(value)) + (1 - b[i]!) * Math.log(1 - sigmoid(value))),
    );
    expectWithin(
      numbers(bceWithLogitsLoss(logits, targets, { weight, posWeight, reduction: "none" })),
      wanted,
      (i) => 2 ** -46 * (1 + wanted[i]!),
    );
    expectWithin(
      numbers(bceWithLogitsLoss(logits, targets, { weight, posWeight })),
      [mean(wanted)],
      () => 2 ** -46 * (1 + mean(wanted)),
    );
    expectGradients(
      (x, t) => bceWithLogitsLoss(x!, t!, { weight, posWeight }),
      [normals([5, 3], device), normals([5, 3], device)],
    );
    // No overflow, and 0 where the answer is sure.
    expect(
      numbers(
        bceWithLogitsLoss(tensor([1e30, -1e30, 200], { device }), tensor([1, 0, 0], { device }), { reduction: "none" }),
      ),
    ).toEqual([0, 0, 200]);
  });

  test("nllLoss beside its definition: weights, targets that are ignored, more axes", () => {
    const logs = logSoftmax(normals([7, 5], device));
    const flat = numbers(logs);
    const targets = [0, 4, -100, 2, 2, -100, 1];
    const classes = tensor(targets, { device, dtype: "int64" });
    const weight = normals([5], device).abs() as Tensor;
    const w = numbers(weight);
    const losses = targets.map((target, row) => (target < 0 ? 0 : -w[target]! * flat[row * 5 + target]!));
    expectWithin(numbers(nllLoss(logs, classes, { weight, reduction: "none" })), losses, () => 2 ** -50);
    expectWithin(
      numbers(nllLoss(logs, classes, { weight })),
      [total(losses) / total(targets.map((target) => (target < 0 ? 0 : w[target]!)))],
      () => 2 ** -48,
    );
    const plain = targets.map((target, row) => (target < 0 ? 0 : -flat[row * 5 + target]!));
    expectWithin(numbers(nllLoss(logs, classes)), [total(plain) / 5], () => 2 ** -48);
    expectWithin(numbers(nllLoss(logs, classes)), numbers(crossEntropy(logs, classes)), () => 2 ** -46);
    const image = normals([2, 3, 2, 2], device);
    const spots = [0, 2, 1, 1, 2, -100, 0, 0];
    const pixels = numbers(image);
    expectWithin(
      numbers(nllLoss(image, tensor(spots, { device, dtype: "int64" }).reshape([2, 2, 2]), { reduction: "none" })),
      spots.map((target, i) => (target < 0 ? 0 : -pixels[Math.floor(i / 4) * 12 + target * 4 + (i % 4)]!)),
      () => 2 ** -50,
    );
    for (const options of [{}, { weight }, { reduction: "none", weight }] as const)
      expectGradients((x) => nllLoss(logSoftmax(x!), classes, options), [normals([7, 5], device)]);
  });

  test("crossEntropy: gradients", () => {
    const targets = tensor([1, 4, -100, 0], { device, dtype: "int64" });
    for (const options of [
      {},
      { reduction: "sum" },
      { reduction: "none", labelSmoothing: 0.1 },
      { ignoreIndex: 4, labelSmoothing: 0.3, reduction: "none" },
    ] as const) {
      expectGradients(
        (x) =>
          crossEntropy(
            x!,
            options.reduction === "none" && "ignoreIndex" in options
              ? tensor([1, 4, 2, 0], { device, dtype: "int64" })
              : targets,
            options,
          ),
        [normals([4, 5], device)],
      );
    }
  });

  test("crossEntropy beside −log softmax; targets that are ignored, smoothed and wrong", () => {
    const x = normals([50, 33], device, "float32").mul(5) as Tensor;
    const rows = x.toArray() as number[][];
    const targets = rows.map((_, row) => (row % 7 === 3 ? -100 : (row * 5) % 33));
    const logs = rows.map(logSoftmaxOf);
    for (const smoothing of [0, 0.2]) {
      const losses = logs.map((row, r) =>
        targets[r]! < 0 ? 0 : -(1 - smoothing) * row[targets[r]!]! - smoothing * mean(row),
      );
      const classes = tensor(targets, { device, dtype: "int64" });
      expectWithin(
        numbers(crossEntropy(x, classes, { reduction: "none", labelSmoothing: smoothing })),
        losses,
        (i) => 1e-5 * (1 + losses[i]!),
      );
      expectWithin(
        numbers(crossEntropy(x, classes, { labelSmoothing: smoothing })),
        [total(losses) / targets.filter((target) => target >= 0).length],
        () => 1e-5 * (1 + total(losses)),
      );
    }
    expect(
      crossEntropy(tensor([[0, 0]], { device, dtype: "bfloat16" }), tensor([1], { device, dtype: "uint8" })).item(),
    ).toBe(Math.fround(Math.LN2));
    expect(() => crossEntropy(tensor([1, 2], { device }), tensor([1], { device, dtype: "int64" }))).toThrow(
      "crossEntropy takes logits of shape [N, C, …] and targets of shape [N, …], or of the logits' own, but got [2] and [1].",
    );
    expect(() => crossEntropy(tensor([[1, 2]], { device }), tensor([1], { device }))).toThrow(
      "crossEntropy takes integer class numbers as targets but got float32.",
    );
    expect(() =>
      crossEntropy(tensor([[1, 2]], { device }), tensor([1], { device, dtype: "int64" }), { labelSmoothing: 2 }),
    ).toThrow("labelSmoothing must be a number from 0 to 1 but got 2.");
  });

  test("a target that is no class is an error at the next wait, unless it is ignored", () => {
    const logits = normals([4, 3], device).to("float32");
    const weight = tensor([1, 2, 3], { device });
    const losses = {
      crossEntropy: [crossEntropy, {}],
      "crossEntropy with a weight": [crossEntropy, { weight }],
      nllLoss: [nllLoss, {}],
      "nllLoss with a weight": [nllLoss, { weight }],
    } as const;
    for (const [what, [loss, options]] of Object.entries(losses)) {
      const name = what.split(" ")[0]!;
      for (const wrong of [3, 9, -1, 1n - 2n ** 63n, 2n ** 63n - 1n]) {
        const targets = tensor([0n, BigInt(wrong), 2n, 1n], { device });
        for (const reduction of ["none", "mean"] as const)
          expect(() => loss(logits, targets, { ...options, reduction }).toArray(), `${what} of ${wrong}`).toThrow(
            new TensorError(
              "INDEX",
              `${name} of 3 classes takes targets from 0 to 2, but there is ${wrong}: give that one as ignoreIndex to leave it out.`,
            ),
          );
        if (typeof wrong === "bigint") continue;
        expect(
          loss(logits, targets, { ...options, ignoreIndex: wrong })
            .isfinite()
            .item(),
          `${what}, ignored`,
        ).toBe(true);
      }
      const ignored = tensor([0n, 2n, 2n, 1n], { device });
      expect(numbers(loss(logits, ignored, { ...options, ignoreIndex: 2, reduction: "none" })).slice(1, 3)).toEqual([
        0, 0,
      ]);
    }
    expect(() => crossEntropy(tensor([[1]], { device }), tensor([1n], { device })).item()).toThrow(
      "crossEntropy of 1 class takes targets from 0 to 0, but there is 1: give that one as ignoreIndex to leave it out.",
    );
  });

  test("crossEntropy's mean over so many targets that it is made of parts, some of them ignored", () => {
    for (const dtype of ["float32", "float64"] as const)
      for (const count of [1, 300, 70_001]) {
        const logits = normals([count, 3], device, dtype);
        const targets = Array.from({ length: count }, (_, row) => (row % 7 === 3 ? -100 : row % 3));
        const classes = tensor(targets, { device, dtype: "int64" });
        const each = numbers(crossEntropy(logits, classes, { reduction: "none" }));
        const counted = targets.filter((target) => target >= 0).length;
        poison(device, count);
        const got = numbers(crossEntropy(logits, classes));
        const wanted = total(each) / counted;
        expect(Math.abs(got[0]! - wanted)).toBeLessThanOrEqual((roundingsOf(count) + 2) * roundoff[dtype]! * wanted);
      }
    const ignored = tensor([-100, -100], { device, dtype: "int64" });
    expect(crossEntropy(normals([2, 3], device), ignored).item()).toBe(NaN);
    expect(crossEntropy(normals([0, 3], device), ignored.slice([0, 0])).item()).toBe(NaN);
  });

  test("crossEntropy of further axes, weights of classes, and likelihoods as targets", () => {
    const [batch, count, places] = [3, 4, 5];
    const logits = randn([batch, count, places], { device, dtype: "float64" });
    const weight = rand([count], { device, dtype: "float64" }).add(0.5);
    const targets = randint(0, count, [batch, places], { device }).set([0, 0], -100);
    const likely = softmax(randn([batch, count, places], { device, dtype: "float64" }), 1);
    const [x, w, t, q] = [logits.toArray(), weight.toArray(), targets.toArray(), likely.toArray()] as [
      number[][][],
      number[],
      bigint[][],
      number[][][],
    ];
    const logAt = (n: number, c: number, p: number) =>
      x[n]![c]![p]! -
      Math.log(Array.from({ length: count }, (_, k) => Math.exp(x[n]![k]![p]!)).reduce((a, b) => a + b));
    const classes = Array.from({ length: count }, (_, c) => c);
    const each = (of: (n: number, p: number) => number) =>
      Array.from({ length: batch }, (_, n) => Array.from({ length: places }, (_, p) => of(n, p)));
    const sum = (list: number[][]) => list.flat().reduce((a, b) => a + b, 0);
    const close = (got: Tensor, want: number | number[][]) =>
      expectWithin(numbers(got), [want].flat(3) as number[], () => 2 ** -44);

    for (const smoothing of [0, 0.3]) {
      for (const weighed of [false, true]) {
        const of = (c: number) => (weighed ? w[c]! : 1);
        const own = each((n, p) => {
          const c = Number(t[n]![p]!);
          if (c < 0) return 0;
          const spread = classes.reduce((total, k) => total - of(k) * logAt(n, k, p), 0) / count;
          return (1 - smoothing) * -of(c) * logAt(n, c, p) + smoothing * spread;
        });
        const total = sum(each((n, p) => (t[n]![p]! < 0n ? 0 : of(Number(t[n]![p]!)))));
        const options = { labelSmoothing: smoothing, ...(weighed && { weight }) };
        close(crossEntropy(logits, targets, { ...options, reduction: "none" }), own);
        close(crossEntropy(logits, targets, { ...options, reduction: "sum" }), sum(own));
        close(crossEntropy(logits, targets, options), sum(own) / total);

        const soft = each((n, p) =>
          classes.reduce(
            (all, k) => all - of(k) * ((1 - smoothing) * q[n]![k]![p]! + smoothing / count) * logAt(n, k, p),
            0,
          ),
        );
        close(crossEntropy(logits, likely, { ...options, reduction: "none" }), soft);
        close(crossEntropy(logits, likely, options), sum(soft) / (batch * places));
      }
    }
    const row = logits.get(0, null, 0);
    close(crossEntropy(row, tensor(2n, { device })), -logAt(0, 2, 0));
    expectGradients((each) => crossEntropy(each, likely, { weight, labelSmoothing: 0.1 }), [logits]);
    expectGradients((each) => crossEntropy(each, targets, { weight }), [logits]);
    expect(() => crossEntropy(logits, targets, { weights: weight } as never)).toThrow(
      "crossEntropy has no option weights. Write weight.",
    );
    expect(() => crossEntropy(logits, targets, { weight: row.slice([0, 2]) })).toThrow(
      "crossEntropy of 4 classes takes a weight of shape [4] but got [2].",
    );
    expect(() => layerNorm(logits, [5] as never)).toThrow("layerNorm takes a tensor or null as weight but got [5].");
    expect(() => softmax(logits, { dims: 0, axes: 1 } as never)).toThrow("softmax has no option axes. Write axis.");
    expect(softmax(logits, 0).toArray()).toEqual(softmax(logits, { dim: 0 }).toArray());
  });

  test("what losses refuse", () => {
    const [one, two] = [tensor([1], { device }), tensor([1, 2], { device })];
    expect(() => mseLoss(one, two)).toThrow(
      new TensorError("SHAPE", "mseLoss takes tensors of one shape but got [1] and [2]."),
    );
    expect(() => mseLoss(one, one, { reduction: "most" as never })).toThrow(
      new TensorError("ARGUMENTS", 'mseLoss takes "mean", "sum" or "none" as reduction but got "most".'),
    );
    expect(() => mseLoss(one.to("float8_e4m3"), one.to("float8_e4m3"))).toThrow(
      new TensorError(
        "DTYPE",
        'mseLoss takes numbers that compute but got float8_e4m3: convert them, e.g. with .to("float32").',
      ),
    );
    expect(() => smoothL1Loss(one, one, { beta: -1 })).toThrow(
      new TensorError("ARGUMENTS", "smoothL1Loss takes a number of at least 0 as beta but got -1."),
    );
    expect(() => huberLoss(one, one, { delta: 0 })).toThrow(
      new TensorError("VALUE", "The delta of huberLoss must be a number above 0 but got 0."),
    );
    const [logs, classes] = [tensor([[1, 2]], { device }), tensor([1], { device, dtype: "int64" })];
    expect(() => nllLoss(logs, two.to("int64"))).toThrow(
      new TensorError(
        "SHAPE",
        "nllLoss takes an input of shape [N, C, …] and targets of shape [N, …] but got [1, 2] and [2].",
      ),
    );
    expect(() => nllLoss(logs, one)).toThrow(
      new TensorError("DTYPE", "nllLoss takes integer class numbers as targets but got float32."),
    );
    expect(() => nllLoss(logs, classes, { weight: one })).toThrow(
      new TensorError("SHAPE", "nllLoss of 2 classes takes a weight of shape [2] but got [1]."),
    );
  });
});
