// Batch, group and instance normalisation on every device against float64, on random numbers of a printed seed.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  batchNorm,
  gradients,
  groupNorm,
  instanceNorm,
  localResponseNorm,
  nn,
  tensor,
  zeros,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradient-check.ts";
import { roundoff } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { floats, numbersOf, sampler, sizeOf, type Sample } from "./samples.ts";

const random = seeded(freshSeed());
const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/** Places of each channel's elements. */
function channelsOf(shape: readonly number[]): number[][] {
  const plane = sizeOf(shape.slice(2));
  return Array.from({ length: shape[1]! }, (_, channel) =>
    Array.from(
      { length: shape[0]! * plane },
      (_, at) => (Math.floor(at / plane) * shape[1]! + channel) * plane + (at % plane),
    ),
  );
}

interface Normed {
  readonly y: number[];
  readonly means: number[];
  readonly variances: number[];
  readonly dx: number[];
  readonly dw: number[];
  readonly db: number[];
  /** Of the roundings that sums over a channel have. */
  readonly size: number;
}
function batchNormed(x: Sample, w: Sample, b: Sample, g: Sample, eps: number): Normed {
  const y = Array<number>(x.values.length);
  const dx = Array<number>(x.values.length);
  const [means, variances, dw, db]: number[][] = [[], [], [], []] as never;
  channelsOf(x.shape).forEach((places, channel) => {
    const n = places.length;
    const mean = total(places.map((at) => x.values[at]!)) / n;
    const variance = total(places.map((at) => (x.values[at]! - mean) ** 2)) / n;
    const rate = 1 / Math.sqrt(variance + eps);
    const normalized = places.map((at) => (x.values[at]! - mean) * rate);
    const above = places.map((at) => g.values[at]!);
    const [sum, product] = [total(above), total(above.map((each, i) => each * normalized[i]!))];
    places.forEach((at, i) => {
      y[at] = normalized[i]! * w.values[channel]! + b.values[channel]!;
      dx[at] = w.values[channel]! * rate * (above[i]! - sum / n - (normalized[i]! * product) / n);
    });
    means.push(mean);
    variances.push(variance);
    dw.push(product);
    db.push(sum);
  });
  return { y, means, variances, dx, dw, db, size: channelsOf(x.shape)[0]!.length };
}

function expectClose(got: Tensor, wanted: readonly number[], bound: (value: number) => number): void {
  const wrong = numbersOf(got).flatMap((value, at) =>
    Math.abs(value - wanted[at]!) <= bound(wanted[at]!)
      ? []
      : [{ at, value, wanted: wanted[at], bound: bound(wanted[at]!) }],
  );
  expect(wrong.slice(0, 4)).toEqual([]);
  expect(got.size).toBe(wanted.length);
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const sample = sampler(random, device);

  test.each(floats)("local response norm of %s, of channels fewer and more than it takes together", (dtype) => {
    for (const [shape, size] of [
      [[2, 7, 5], 5],
      [[1, 3, 4, 2], 4],
      [[3, 2, 2, 3, 2], 5],
      [[2, 4, 3], 1],
    ] as const) {
      const x = sample([...shape], dtype);
      const plane = sizeOf(shape.slice(2));
      const given = { alpha: 0.5, beta: 0.7, k: 1.5 };
      const wanted = x.values.map((value, at) => {
        const channel = Math.floor(at / plane) % shape[1];
        let sum = 0;
        for (let each = channel - Math.floor(size / 2); each <= channel + Math.floor((size - 1) / 2); each++)
          if (each >= 0 && each < shape[1]) sum += x.values[at + (each - channel) * plane]! ** 2;
        return value / (given.k + (given.alpha * sum) / size) ** given.beta;
      });
      // A sum of squares, a product, a sum, a power (4 units, and beta times what is off before) and a quotient.
      const wide = dtype === "float64" ? 2 ** -53 : 2 ** -24;
      const off = (value: number) => Math.abs(value) * (wide * (2 * size + 24) + roundoff[dtype]!);
      const y = localResponseNorm(x.x, size, given);
      expect(y.dtype).toBe(dtype);
      expectClose(y, wanted, off);
      expectClose(new nn.LocalResponseNorm(size, given)(x.x), wanted, off);
      const turned = x.x.transpose([...shape.keys()].toReversed()).contiguous();
      expectClose(localResponseNorm(turned.transpose([...shape.keys()].toReversed()), size, given), wanted, off);
    }
    expect(localResponseNorm(zeros([0, 3, 2], { dtype, device }), 2).shape).toEqual([0, 3, 2]);
    expect(localResponseNorm(zeros([2, 3, 0], { dtype, device }), 2).shape).toEqual([2, 3, 0]);
  });

  test("local response norm: its gradient, what it takes for granted, what it refuses", () => {
    expectGradients((x) => localResponseNorm(x!, 3, { alpha: 0.5, beta: 0.7, k: 1.5 }), [{ shape: [2, 4, 3] }], device);
    const x = tensor([[[3], [4]]], { dtype: "float64", device });
    expect(numbersOf(localResponseNorm(x, 2))).toEqual([
      expect.closeTo(3 / (1 + (1e-4 * 9) / 2) ** 0.75, 14),
      expect.closeTo(4 / (1 + (1e-4 * 25) / 2) ** 0.75, 14),
    ]);
    expect(String(new nn.LocalResponseNorm(5))).toContain("5 channels");
    expect(() => localResponseNorm(x, 0)).toThrow("localResponseNorm takes a size of at least 1 but got 0.");
    expect(() => localResponseNorm(x.slice(0), 2)).toThrow(
      "localResponseNorm takes tensors of shape [images, channels, …], with at least 3 axes, but got [2, 1].",
    );
    expect(() => new nn.LocalResponseNorm(2, { gamma: 1 } as never)).toThrow("LocalResponseNorm");
  });

  describe.each(floats)("%s", (dtype) => {
    test.each([
      [[4, 3, 5, 7]],
      [[64, 10]],
      [[3, 70, 1, 1]],
      [[1, 2, 9]],
      [[2, 3, 70, 71]],
      [[3, 5, 16, 24]],
      [[40, 3, 3, 5]],
      [[40, 5, 6, 6]],
      [[2, 2, 3, 4, 5]],
      // More than a block holds: whole packs, and one by one.
      [[2, 2, 160, 112]],
      [[3, 1, 111, 101]],
    ])("batch norm of %j", (shape) => {
      const x = sample(shape, dtype, [3, 5]);
      const [w, b, g] = [sample([shape[1]!], dtype), sample([shape[1]!], dtype), sample(shape, dtype)];
      const wanted = batchNormed(x, w, b, g, 1e-5);
      const [runningMean, runningVar] = [sample([shape[1]!], "float32"), sample([shape[1]!], "float32", [1, 2])];
      const was = [runningMean.values, runningVar.values];
      for (const each of [x, w, b]) each.x.requiresGrad = true;
      const y = batchNorm(x.x, runningMean.x, runningVar.x, { weight: w.x, bias: b.x, training: true, momentum: 0.25 });
      const { size } = wanted;
      // Sums of deviations, at most 2, on 16 lanes at least, in stretches of 4096; each has roundings of as many steps.
      const wide = dtype === "float64" ? 2 ** -53 : 2 ** -24;
      const rate = 1 / Math.sqrt(Math.min(...wanted.variances));
      const off = (16 + Math.min(256, Math.ceil(size / 16))) * wide;
      const own = 2 * (roundoff[dtype] ?? 0);
      expect(y.dtype).toBe(dtype);
      expectClose(y, wanted.y, (value) => own * (Math.abs(value) + 2) + 8 * off * rate * (1 + rate));
      const followed = (at: 0 | 1, found: readonly number[]) =>
        found.map((each, i) => was[at]![i]! * 0.75 + each * 0.25);
      expectClose(runningMean.x, followed(0, wanted.means), () => 2 ** -21 + 2 * off);
      expectClose(
        runningVar.x,
        followed(
          1,
          wanted.variances.map((each) => (each * size) / (size - 1)),
        ),
        () => 2 ** -21 + 8 * off,
      );
      const [dx, dw, db] = gradients(y, [x.x, w.x, b.x], { gradient: g.x });
      expectClose(dx!, wanted.dx, (value) => own * (Math.abs(value) + 2 ** -12) + 16 * off * rate * (1 + rate) ** 2);
      expectClose(dw!, wanted.dw, (value) => own * Math.abs(value) + 8 * size * off * (1 + rate));
      expectClose(db!, wanted.db, (value) => own * Math.abs(value) + 2 * size * off);
    });
  });

  test.each([
    [[4, 3, 5, 7]],
    [[3, 70, 2, 3]],
    [[2, 300, 3, 5]],
    [[700, 16, 1, 3]],
    [[2, 9, 1, 8]],
    [[2, 8, 3, 4, 5]],
  ])("channels last stay so: batch norm of %j", (shape) => {
    for (const dtype of floats) {
      const [images, channels, ...rest] = shape as [number, number, ...number[]];
      const toLast = [0, shape.length - 1, ...rest.keys()].map((axis, at) => (at > 1 ? axis + 1 : axis));
      const lying = (range?: [number, number]): Sample => {
        const x = sample([images, ...rest, channels], dtype, range).x.permute(toLast);
        return { x: x.detach(), shape, values: numbersOf(x) };
      };
      const [x, g] = [lying([3, 5]), lying()];
      const [w, b] = [sample([channels], dtype), sample([channels], dtype)];
      const wanted = batchNormed(x, w, b, g, 1e-5);
      for (const each of [x, w, b]) each.x.requiresGrad = true;
      const y = batchNorm(x.x, null, null, { weight: w.x, bias: b.x, training: true });
      const [dx, dw, db] = gradients(y, [x.x, w.x, b.x], { gradient: g.x, retainGraph: true });
      // As above; of each thread and stretch at most 256 additions one after the other.
      const { size } = wanted;
      const wide = dtype === "float64" ? 2 ** -53 : 2 ** -24;
      const rate = 1 / Math.sqrt(Math.min(...wanted.variances));
      const off = (16 + Math.min(256, size)) * wide;
      const own = 2 * (roundoff[dtype] ?? 0);
      for (const each of [y, dx!]) {
        expect(each.shape).toEqual(shape);
        expect(each.strides).toEqual(x.x.strides);
      }
      expectClose(y, wanted.y, (value) => own * (Math.abs(value) + 2) + 8 * off * rate * (1 + rate));
      expectClose(dx!, wanted.dx, (value) => own * (Math.abs(value) + 2 ** -12) + 16 * off * rate * (1 + rate) ** 2);
      expectClose(dw!, wanted.dw, (value) => own * Math.abs(value) + 8 * size * off * (1 + rate));
      expectClose(db!, wanted.db, (value) => own * Math.abs(value) + 2 * size * off);
      const inRows = gradients(y, [x.x], { gradient: g.x.contiguous() })[0]!;
      expect(inRows.strides).toEqual(x.x.strides);
      expect(numbersOf(inRows)).toEqual(numbersOf(dx!));
      const [means, variances] = [wanted.means, wanted.variances].map((each) =>
        tensor(each, { device, dtype: dtype === "float64" ? dtype : "float32" }),
      );
      const by = batchNorm(x.x, means!, variances!, { weight: w.x, bias: b.x });
      expect(by.strides).toEqual(x.x.strides);
      expectClose(by, wanted.y, (value) => own * (Math.abs(value) + 2) + 8 * off * rate * (1 + rate));
    }
  });

  test("means that are far larger than deviations", () => {
    const x = sample([16, 2, 8, 8], "float32", [-1, 1]);
    const far = x.x.add(1000);
    const exact: Sample = { x: far, shape: x.shape, values: numbersOf(far) };
    const [one, none] = [
      { ...x, values: [1, 1] },
      { ...x, values: [0, 0] },
    ];
    const wanted = batchNormed(exact, one, none, exact, 1e-5);
    // 1000 · 2⁻²⁴ of the mean, over a deviation of 0.58, and as much of each sum.
    expectClose(batchNorm(far, null, null, { training: true }), wanted.y, () => 1000 * 2 ** -24 * 4);
  });

  test("by running statistics, without weight or bias, and strided", () => {
    const x = sample([3, 2, 4], "float32");
    const [mean, variance] = [tensor([0.5, -1], { device }), tensor([4, 0.25], { device })];
    const y = batchNorm(x.x, mean, variance, { eps: 0 });
    const of = (at: number) => Math.floor(at / 4) % 2;
    expectClose(
      y,
      x.values.map((value, at) => (value - [0.5, -1][of(at)]!) / [2, 0.5][of(at)]!),
      () => 2 ** -20,
    );
    expect(numbersOf(mean)).toEqual([0.5, -1]);
    const last = sample([3, 4, 2], "float32");
    const turned = last.x.transpose([0, 2, 1]);
    expectClose(
      batchNorm(turned, null, null, { training: true }),
      numbersOf(batchNorm(turned.contiguous().to("float64"), null, null, { training: true })),
      () => 2 ** -18,
    );
  });

  test("gradients by differences, first and second", () => {
    const of = (...shape: number[]) => ({ shape });
    const training = (x: Tensor, w: Tensor, b: Tensor) =>
      batchNorm(x, null, null, { weight: w, bias: b, training: true });
    expectGradients((x, w, b) => training(x!, w!, b!), [of(3, 2, 2, 2), of(2), of(2)], device);
    expectGradients(
      (x, m, v, w, b) => batchNorm(x!, m!, v!.square().add(1), { weight: w!, bias: b! }),
      [of(3, 2, 2), of(2), of(2), of(2), of(2)],
      device,
    );
    expectGradients((x, w, b) => groupNorm(x!, 2, { weight: w!, bias: b! }), [of(2, 4, 3), of(4), of(4)], device);
    const leaf = (x: Tensor) => (x.requiresGrad ? x : Object.assign(x, { requiresGrad: true }));
    const slope = (x: Tensor, w: Tensor) => {
      const [dx, dw] = gradients(
        batchNorm(x, null, null, { weight: w, training: true, eps: 0.1 }).pow(3).sum(),
        [x, w],
        { createGraph: true },
      );
      return dx!.square().sum().add(dw!.square().sum());
    };
    expectGradients((x, w) => slope(leaf(x!), leaf(w!)).mul(1e-3), [of(2, 2, 3), of(2)], device);
  });

  test("groups and instances", () => {
    const x = sample([2, 6, 5], "float32");
    const [w, b] = [sample([6], "float32"), sample([6], "float32")];
    for (const groups of [1, 2, 3, 6]) {
      const each = (6 / groups) * 5;
      const wanted = x.values.map((value, at) => {
        const first = Math.floor(at / each) * each;
        const own = x.values.slice(first, first + each);
        const mean = total(own) / each;
        const variance = total(own.map((one) => (one - mean) ** 2)) / each;
        const channel = Math.floor(at / 5) % 6;
        return ((value - mean) / Math.sqrt(variance + 1e-5)) * w.values[channel]! + b.values[channel]!;
      });
      expectClose(groupNorm(x.x, groups, { weight: w.x, bias: b.x }), wanted, () => 2 ** -16);
      if (groups === 6) expectClose(instanceNorm(x.x, { weight: w.x, bias: b.x }), wanted, () => 2 ** -16);
    }
  });

  test("layers: states under PyTorch's names, modes, dtypes, means over all batches", async () => {
    const layer = new nn.BatchNorm2d(3, { device });
    expect(Object.keys(layer.stateDict())).toEqual([
      "weight",
      "bias",
      "running_mean",
      "running_var",
      "num_batches_tracked",
    ]);
    expect(layer.parameters().length).toBe(2);
    expect(String(layer)).toBe(`BatchNorm2d(3)  6 parameters, float32, ${device}`);
    const x = sample([8, 3, 4, 4], "float32", [2, 4]);
    layer(x.x);
    expect(layer.batchesTracked!.item()).toBe(1);
    const mean = numbersOf(layer.runningMean!);
    layer.eval();
    const y = layer(x.x);
    expect(numbersOf(layer.runningMean!)).toEqual(mean);
    expectClose(y, numbersOf(batchNorm(x.x, layer.runningMean, layer.runningVar)), () => 2 ** -20);
    const other = new nn.BatchNorm2d(3, { device });
    other.loadStateDict(layer.stateDict());
    other.eval();
    expect(numbersOf(other(x.x))).toEqual(numbersOf(y));
    other.to("float64");
    expect([other.runningMean!.dtype, other.batchesTracked!.dtype]).toEqual(["float64", "int64"]);
    const all = new nn.BatchNorm1d(3, { momentum: null, affine: false, device });
    expect(Object.keys(all.stateDict())).toEqual(["running_mean", "running_var", "num_batches_tracked"]);
    const [first, second] = [sample([4, 3], "float32"), sample([4, 3], "float32")];
    all(first.x);
    all(second.x);
    const both = numbersOf(first.x.add(second.x).mean({ axis: 0 }).div(2));
    expectClose(all.runningMean!, both, () => 2 ** -20);
    const none = new nn.BatchNorm1d(3, { trackRunningStats: false, device }).eval();
    expectClose(none(first.x), numbersOf(batchNorm(first.x, null, null, { training: true })), () => 2 ** -20);
    expect(new nn.GroupNorm(3, 6, { device })(sample([2, 6, 2], "float32").x).shape).toEqual([2, 6, 2]);
    expect(new nn.InstanceNorm2d(3, { affine: true, device }).parameters().length).toBe(2);
    expect(new nn.InstanceNorm2d(3, { device })(x.x).shape).toEqual(x.shape);
  });

  const x = zeros([2, 3, 4], { device });
  test.each<[string, () => unknown, string]>([
    [
      "a list",
      () => batchNorm(zeros([3], { device }), null, null, { training: true }),
      "batchNorm takes tensors of shape [images, channels, …] but got [3].",
    ],
    [
      "nothing to normalise by",
      () => batchNorm(x, null, null),
      "batchNorm takes a running mean and variance where it is not { training: true }, but got null.",
    ],
    [
      "another weight",
      () => batchNorm(x, null, null, { training: true, weight: zeros([4], { device }) }),
      "batchNorm of 3 channels takes a weight of shape [3] but got [4].",
    ],
    [
      "other statistics",
      () => batchNorm(x, zeros([4], { device }), zeros([3], { device })),
      "batchNorm of 3 channels takes a running mean of shape [3] but got [4].",
    ],
    [
      "one element",
      () => batchNorm(zeros([1, 3], { device }), null, null, { training: true }),
      "batchNorm in training takes at least 2 elements of each channel but got shape [1, 3]. Pass { training: false } to normalise by the running statistics.",
    ],
    ["groups", () => groupNorm(x, 2), "groupNorm takes a number of groups that divides 3 channels but got 2."],
    [
      "a list in groups",
      () => groupNorm(zeros([3], { device }), 1),
      "groupNorm takes tensors of shape [images, channels, …] but got [3].",
    ],
    [
      "a group's weight",
      () => groupNorm(x, 3, { weight: zeros([2], { device }) }),
      "groupNorm of 3 channels takes a weight of shape [3] but got [2].",
    ],
    [
      "a layer for other axes",
      () => new nn.BatchNorm2d(3, { device })(x),
      "BatchNorm2d takes tensors with 4 axes, images and channels first, but got [2, 3, 4].",
    ],
    [
      "axes of an instance",
      () => new nn.InstanceNorm2d(3)(x),
      "InstanceNorm2d takes tensors with 4 axes, images and channels first, but got [2, 3, 4].",
    ],
    [
      "a layer of groups",
      () => new nn.GroupNorm(2, 3),
      "GroupNorm takes a number of groups that divides 3 channels but got 2.",
    ],
  ])("a sentence for %s", (_, act, sentence) => {
    expect(act).toThrow(sentence);
  });

  test("statistics have no gradient", () => {
    const leaf = sample([2, 3, 4], "float32").x;
    leaf.requiresGrad = true;
    const [running, spread] = [zeros([3], { device }), zeros([3], { device })];
    batchNorm(leaf, running, spread, { training: true });
    expect(running.requiresGrad).toBe(false);
  });
});
