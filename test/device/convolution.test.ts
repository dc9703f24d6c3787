// Convolutions, their gradients and their transposes on every device against float64, on random numbers of a printed
// seed.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  col2im,
  conv1d,
  conv2d,
  conv3d,
  convTranspose1d,
  convTranspose2d,
  convTranspose3d,
  crossEntropy,
  gradients,
  im2col,
  nn,
  ones,
  optim,
  tensor,
  zeros,
  type ConvolutionOptions,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradient-check.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { expectNear, floats, numbersOf, sampler, type Wanted } from "./samples.ts";
import { convolved, countOf, windowsOf } from "./windows.ts";

const random = seeded(freshSeed());
const byAxes = { 1: conv1d, 2: conv2d, 3: conv3d } as const;

interface Case {
  readonly what: string;
  readonly x: readonly number[];
  readonly w: readonly number[];
  readonly stride?: readonly number[];
  readonly padding?: readonly number[];
  readonly dilation?: readonly number[];
  readonly groups?: number;
}
const cases: readonly Case[] = [
  { what: "a plain one", x: [2, 3, 7, 6], w: [4, 3, 3, 3] },
  { what: "as many windows as elements", x: [2, 3, 9, 17], w: [4, 3, 3, 3], padding: [1, 1] },
  { what: "even kernels and uneven sides", x: [1, 2, 6, 9], w: [3, 2, 2, 4], padding: [1, 2], stride: [1, 2] },
  { what: "windows of one element", x: [3, 5, 4, 5], w: [2, 5, 1, 1] },
  { what: "windows of one element, apart", x: [3, 5, 5, 5], w: [2, 5, 1, 1], stride: [2, 3] },
  { what: "images of one element", x: [4, 3, 1, 1], w: [2, 3, 1, 1] },
  { what: "a kernel larger than the image", x: [2, 2, 3, 3], w: [2, 2, 5, 5], padding: [2, 2] },
  { what: "strides beyond the kernel", x: [2, 2, 11, 10], w: [3, 2, 2, 2], stride: [4, 3] },
  { what: "dilation", x: [1, 2, 9, 11], w: [2, 2, 3, 3], dilation: [2, 3], padding: [2, 3] },
  { what: "windows that are padding alone", x: [1, 1, 2, 2], w: [2, 1, 2, 2], padding: [3, 3] },
  { what: "groups", x: [2, 6, 5, 5], w: [4, 3, 3, 3], padding: [1, 1], groups: 2 },
  { what: "a group for each channel", x: [2, 5, 9, 33], w: [5, 1, 3, 3], padding: [1, 1], groups: 5 },
  { what: "several filters of each channel", x: [3, 3, 8, 21], w: [6, 1, 3, 2], stride: [2, 2], groups: 3 },
  { what: "a line", x: [2, 3, 40], w: [4, 3, 5], stride: [2], padding: [3], dilation: [2] },
  { what: "a volume", x: [1, 2, 4, 5, 6], w: [3, 2, 2, 3, 3], padding: [1, 1, 1], stride: [1, 2, 1] },
  { what: "a volume of even windows", x: [1, 2, 4, 5, 6], w: [2, 2, 3, 3, 3], padding: [1, 1, 1] },
  { what: "more windows than are worked on at a time", x: [1, 3, 40, 41], w: [2, 3, 3, 3], padding: [1, 1] },
  { what: "many small images", x: [41, 2, 5, 5], w: [3, 2, 3, 3], padding: [1, 1] },
  { what: "many channels", x: [2, 130, 4, 4], w: [70, 130, 3, 3], padding: [1, 1] },
];

/** All that is left out, as it is meant. */
function whole({ x, w, stride, padding, dilation, groups = 1 }: Case) {
  const ones = w.slice(2).map(() => 1);
  const sliding = { stride: stride ?? ones, padding: padding ?? ones.map(() => 0), dilation: dilation ?? ones };
  const y = [x[0]!, w[0]!, ...countOf(x.slice(2), w.slice(2), sliding)];
  return { shapes: { x, w, y }, sliding, groups, options: { ...sliding, groups } };
}
const convolve = (x: Tensor, w: Tensor, bias: Tensor | null, options: ConvolutionOptions): Tensor =>
  byAxes[(x.shape.length - 2) as 1 | 2 | 3](x, w, bias, options);

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const sample = sampler(random, device);

  describe.each(floats)("%s", (dtype) => {
    test.each(cases)("$what", (given) => {
      const { shapes, sliding, groups, options } = whole(given);
      const [x, w, g] = [sample(shapes.x, dtype), sample(shapes.w, dtype), sample(shapes.y, dtype)];
      const bias = sample([shapes.w[0]!], dtype);
      const values = { x: x.values, w: w.values, y: g.values };
      const windows = g.values.length / (shapes.y[0]! * shapes.y[1]!);
      const wanted = convolved("y", shapes, values, groups, sliding).map(([sum, size], at): Wanted => {
        const added = bias.values[Math.floor(at / windows) % shapes.w[0]!]!;
        return [sum + added, size + Math.abs(added)];
      });
      x.x.requiresGrad = true;
      w.x.requiresGrad = true;
      bias.x.requiresGrad = true;
      const y = convolve(x.x, w.x, bias.x, options);
      // Sums of n products in some order, each of at most n roundings; 16 bits are summed in 32.
      const n = (terms: number) => (dtype === "float16" || dtype === "bfloat16" ? 2 : terms + 2);
      expect(y.dtype).toBe(dtype);
      expectNear(y, shapes.y, wanted, n(shapes.w.slice(1).reduce((a, b) => a * b, 1)));
      const [dx, dw, db] = gradients(y, [x.x, w.x, bias.x], { gradient: g.x });
      const depth = shapes.w.reduce((a, b) => a * b, 1);
      expectNear(dx!, shapes.x, convolved("x", shapes, values, groups, sliding), n(depth));
      expectNear(dw!, shapes.w, convolved("w", shapes, values, groups, sliding), n(shapes.y[0]! * windows));
      const total = Array.from({ length: shapes.w[0]! }, (): [number, number] => [0, 0]);
      g.values.forEach((value, at) => {
        const sum = total[Math.floor(at / windows) % shapes.w[0]!]!;
        sum[0] += value;
        sum[1] += Math.abs(value);
      });
      expectNear(db!, [shapes.w[0]!], total, n(shapes.y[0]! * windows));
    });
  });

  test("transposes are the gradients of convolutions, with more elements at the end", () => {
    for (const [transpose, given] of [
      [convTranspose1d, { x: [2, 3, 10], w: [4, 3, 3], stride: [2], padding: [1] }],
      [convTranspose2d, { x: [2, 4, 9, 8], w: [6, 2, 3, 2], stride: [2, 3], padding: [1, 0], groups: 2 }],
      [convTranspose2d, { x: [1, 2, 8, 7], w: [3, 2, 3, 3], dilation: [2, 1], stride: [3, 1] }],
      [convTranspose3d, { x: [1, 2, 5, 4, 5], w: [3, 2, 2, 2, 3], stride: [2, 2, 1] }],
    ] as const) {
      const { shapes, sliding, groups } = whole({ what: "", ...given } as Case);
      const [g, w] = [sample(shapes.y, "float32"), sample(shapes.w, "float32")];
      const bias = sample([shapes.x[1]!], "float32");
      const outputPadding = shapes.x
        .slice(2)
        .map(
          (size, axis) =>
            size -
            ((shapes.y[axis + 2]! - 1) * sliding.stride[axis]! -
              2 * sliding.padding[axis]! +
              sliding.dilation[axis]! * (shapes.w[axis + 2]! - 1) +
              1),
        );
      const y = (transpose as typeof convTranspose2d)(g.x, w.x, bias.x, { ...sliding, groups, outputPadding });
      const elements = shapes.x.slice(2).reduce((a, b) => a * b, 1);
      const wanted = convolved("x", shapes, { w: w.values, y: g.values }, groups, sliding).map(
        ([sum, size], at): Wanted => {
          const added = bias.values[Math.floor(at / elements) % shapes.x[1]!]!;
          return [sum + added, size + Math.abs(added)];
        },
      );
      expectNear(y, shapes.x, wanted, w.values.length + 3);
    }
  });

  test("strided operands: channels last, slices, turned axes", () => {
    const x = sample([2, 7, 6, 3], "float32");
    const w = sample([3, 3, 3, 4], "float32");
    const lists = { x: [2, 3, 7, 6], w: [4, 3, 3, 3], y: [2, 4, 7, 6] };
    const sliding = { stride: [1, 1], padding: [1, 1], dilation: [1, 1] };
    const [turnedX, turnedW] = [x.x.permute(0, 3, 1, 2), w.x.permute(3, 0, 1, 2)];
    const values = { x: numbersOf(turnedX), w: numbersOf(turnedW) };
    expectNear(conv2d(turnedX, turnedW, null, { padding: 1 }), lists.y, convolved("y", lists, values, 1, sliding), 30);
    for (const [kernel, stride, groups] of [
      [1, 1, 1],
      [3, 2, 1],
      [3, 1, 3],
    ] as const) {
      const padding = (kernel - 1) / 2;
      const own = sample([6, 3 / groups, kernel, kernel], "float32");
      const count = [Math.ceil(7 / stride), Math.ceil(6 / stride)];
      const shapes = { x: [2, 3, 7, 6], w: own.shape, y: [2, 6, ...count] };
      const g = sample([2, ...count, 6], "float32");
      const above = g.x.permute(0, 3, 1, 2);
      const leaf = turnedX.detach();
      leaf.requiresGrad = true;
      own.x.requiresGrad = true;
      const bias = sample([6], "float32");
      const y = conv2d(leaf, own.x, bias.x, { stride, padding, groups });
      const given = { stride: [stride, stride], padding: [padding, padding], dilation: [1, 1] };
      const all = { x: values.x, w: own.values, y: numbersOf(above) };
      const plane = count[0]! * count[1]!;
      const added = convolved("y", shapes, all, groups, given).map(([sum, size], at): Wanted => {
        const more = bias.values[Math.floor(at / plane) % 6]!;
        return [sum + more, size + Math.abs(more)];
      });
      expectNear(y, shapes.y, added, 32);
      const [dx, dw] = gradients(y, [leaf, own.x], { gradient: above });
      expectNear(dx!, shapes.x, convolved("x", shapes, all, groups, given), 60);
      expectNear(dw!, shapes.w, convolved("w", shapes, all, groups, given), 90);
    }
    const wide = sample([2, 5, 9, 8], "float32");
    const part = wide.x.slice(null, [1, 4], [1, 8], [1, 7]);
    const own = { x: numbersOf(part), w: values.w };
    expectNear(conv2d(part, turnedW, null, { padding: 1 }), lists.y, convolved("y", lists, own, 1, sliding), 30);
  });

  // So many that a GPU lays them with their channels last for its library.
  test("a million elements with a group for each channel", () => {
    const given = { what: "", x: [1, 64, 130, 127], w: [64, 1, 3, 3], stride: [8, 8], padding: [1, 1], groups: 64 };
    const { shapes, sliding, groups, options } = whole(given);
    const [x, w, g] = [sample(shapes.x, "float32"), sample(shapes.w, "float32"), sample(shapes.y, "float32")];
    const values = { x: x.values, w: w.values, y: g.values };
    x.x.requiresGrad = true;
    w.x.requiresGrad = true;
    const y = conv2d(x.x, w.x, null, options);
    const [dx, dw] = gradients(y, [x.x, w.x], { gradient: g.x });
    expectNear(y, shapes.y, convolved("y", shapes, values, groups, sliding), 11);
    expectNear(dx!, shapes.x, convolved("x", shapes, values, groups, sliding), 11);
    expectNear(dw!, shapes.w, convolved("w", shapes, values, groups, sliding), 17 * 16 + 2);
  });

  test("same and valid padding, one image, dtypes together, no images", () => {
    const x = sample([1, 2, 6, 5], "float32");
    for (const [kernel, dilation] of [
      [3, 1],
      [2, 1],
      [4, 2],
    ] as const) {
      const w = sample([3, 2, kernel, kernel], "float32");
      const y = conv2d(x.x, w.x, null, { padding: "same", dilation });
      const all = dilation * (kernel - 1);
      const padded = x.x.pad([Math.floor(all / 2), Math.ceil(all / 2), Math.floor(all / 2), Math.ceil(all / 2)]);
      expect(y.shape).toEqual([1, 3, 6, 5]);
      expectNear(
        y,
        y.shape,
        numbersOf(conv2d(padded.to("float64"), w.x.to("float64"), null, { dilation })).map((each) => [each, 20]),
        40,
      );
    }
    const w = sample([3, 2, 2, 2], "float32");
    expect(conv2d(x.x, w.x, { padding: "valid" }).shape).toEqual([1, 3, 5, 4]);
    const bias = ones([3], { device });
    expect(numbersOf(conv2d(x.x, w.x, { bias }))).toEqual(numbersOf(conv2d(x.x, w.x, bias)));
    const alone = conv2d(x.x.squeeze(0), w.x);
    expect(alone.shape).toEqual([3, 5, 4]);
    expect(numbersOf(alone)).toEqual(numbersOf(conv2d(x.x, w.x)));
    expect(conv2d(x.x.to("bfloat16"), w.x).dtype).toBe("float32");
    expect(conv2d(ones([1, 1, 2, 2], { dtype: "int32", device }), ones([1, 1, 2, 2], { device })).item()).toBe(4);
    const none = zeros([0, 2, 5, 5], { device });
    none.requiresGrad = true;
    w.x.requiresGrad = true;
    const y = conv2d(none, w.x);
    expect(y.shape).toEqual([0, 3, 4, 4]);
    const [dx, dw] = gradients(y.sum(), [none, w.x]);
    expect(dx!.shape).toEqual([0, 2, 5, 5]);
    expect(numbersOf(dw!)).toEqual(Array(24).fill(0));
  });

  test("windows as columns, whose product with filters is a convolution, and back", () => {
    for (const dtype of floats) {
      const x = sample([2, 3, 7, 6], dtype);
      const given = { stride: [2, 1], padding: [1, 2], dilation: [1, 2] };
      const kernel = [3, 2];
      const windows = windowsOf([7, 6], kernel, given);
      const columns = im2col(x.x, kernel, given);
      const wanted = Array.from({ length: 6 * 6 }, (_, row) =>
        windows.map((window) => {
          const found = window.find(({ tap }) => tap === row % 6);
          return found === undefined ? 0 : x.values[Math.floor(row / 6) * 42 + found.element]!;
        }),
      );
      expect(columns.shape).toEqual([2, 18, windows.length]);
      expect(numbersOf(columns)).toEqual(wanted.flat());
      const g = sample(columns.shape, dtype);
      const sums = x.values.map((): [number, number] => [0, 0]);
      g.values.forEach((value, at) => {
        const [row, window] = [Math.floor(at / windows.length), at % windows.length];
        const found = windows[window]!.find(({ tap }) => tap === row % 6);
        if (found === undefined) return;
        const sum = sums[Math.floor(row / 6) * 42 + found.element]!;
        sum[0] += value;
        sum[1] += Math.abs(value);
      });
      expectNear(col2im(g.x, [7, 6], kernel, given), [2, 3, 7, 6], sums, 8);
    }
    const of = (...shape: number[]) => ({ shape });
    expectGradients((x) => im2col(x!, 2, { padding: 1 }).square(), [of(1, 2, 3, 3)], device);
    expectGradients((x) => col2im(x!, [3, 3], 2).square(), [of(1, 4, 4)], device);
    expect(im2col(zeros([3, 4, 4], { device }), 2).shape).toEqual([12, 9]);
  });

  test("gradients and gradients of gradients, by differences", () => {
    const of = (...shape: number[]) => ({ shape });
    expectGradients(
      (x, w, b) => conv2d(x!, w!, b!, { padding: 1, stride: 2 }),
      [of(2, 2, 4, 5), of(3, 2, 3, 3), of(3)],
      device,
    );
    expectGradients(
      (x, w) => conv2d(x!, w!, null, { groups: 2, dilation: 2 }),
      [of(1, 4, 5, 5), of(4, 2, 2, 2)],
      device,
    );
    expectGradients((x, w) => conv1d(x!, w!, null, { groups: 3, padding: "same" }), [of(2, 3, 5), of(3, 1, 2)], device);
    expectGradients(
      (x, w, b) => convTranspose2d(x!, w!, b!, { stride: 2, outputPadding: 1, padding: 1 }),
      [of(1, 2, 3, 2), of(2, 2, 3, 3), of(2)],
      device,
    );
    const slope = (x: Tensor, w: Tensor) => {
      const [dx, dw] = gradients(conv2d(x, w, null, { padding: 1, stride: 2 }).square().sum(), [x, w], {
        createGraph: true,
      });
      return dx!.reshape([-1]).square().sum().add(dw!.square().sum());
    };
    const leaf = (x: Tensor) => (x.requiresGrad ? x : Object.assign(x, { requiresGrad: true }));
    expectGradients((x, w) => slope(leaf(x!), leaf(w!)).mul(1e-3), [of(1, 2, 4, 3), of(2, 2, 3, 3)], device);
  });

  test("layers: PyTorch's names, borders of the image itself, transposes", () => {
    const layer = new nn.Conv2d(4, 6, [3, 2], { groups: 2, stride: 2, device });
    expect(Object.entries(layer.stateDict()).map(([name, { shape }]) => [name, shape])).toEqual([
      ["weight", [6, 2, 3, 2]],
      ["bias", [6]],
    ]);
    expect(String(layer)).toBe(`Conv2d(4 → 6, 3 × 2, 2 groups)  78 parameters, float32, ${device}`);
    const most = Math.max(...numbersOf(layer.weight.abs()));
    expect(most).toBeLessThanOrEqual(1 / Math.sqrt(12));
    expect(most).toBeGreaterThan(0.5 / Math.sqrt(12));
    const x = sample([1, 1, 4, 4], "float32");
    for (const paddingMode of ["reflect", "replicate", "circular"] as const) {
      const padded = new nn.Conv2d(1, 1, 3, { padding: 1, paddingMode, bias: false, device });
      expect(numbersOf(padded(x.x))).toEqual(
        numbersOf(conv2d(x.x.pad([1, 1, 1, 1], { mode: paddingMode }), padded.weight)),
      );
    }
    const back = new nn.ConvTranspose2d(4, 6, 2, { stride: 2, groups: 2, device });
    expect(back.weight.shape).toEqual([4, 3, 2, 2]);
    expect(back(zeros([1, 4, 3, 3], { device })).shape).toEqual([1, 6, 6, 6]);
    expect(String(back)).toBe(`ConvTranspose2d(4 → 6, 2 × 2, 2 groups)  54 parameters, float32, ${device}`);
  });

  const x = zeros([1, 4, 5, 5], { device });
  const w = zeros([6, 4, 3, 3], { device });
  test.each<[string, () => unknown, string]>([
    [
      "a picture",
      () => conv2d(zeros([4, 5], { device }), w),
      "conv2d takes tensors of shape [images, channels, height, width] but got [4, 5]. Of one without channels write x.reshape([1, 1, 4, 5]).",
    ],
    [
      "a list",
      () => conv2d(zeros([4], { device }), w),
      "conv2d takes tensors of shape [images, channels, height, width] but got [4].",
    ],
    [
      "other channels",
      () => conv2d(x, zeros([6, 3, 3, 3], { device })),
      "conv2d of 4 channels in 1 group takes a weight of shape [outputs, 4, …] with 2 more axes, but got [6, 3, 3, 3].",
    ],
    [
      "groups that do not divide",
      () => conv2d(x, zeros([3, 2, 3, 3], { device }), null, { groups: 2 }),
      "takes a weight of shape [outputs, 2, …] with 2 more axes, the outputs a multiple of 2, but got [3, 2, 3, 3].",
    ],
    ["no groups", () => conv2d(x, w, null, { groups: 0 }), "conv2d takes at least 1 group but got 0."],
    [
      "another bias",
      () => conv2d(x, w, zeros([4], { device })),
      "conv2d with 6 outputs takes a bias of shape [6] but got [4].",
    ],
    [
      "a kernel that does not fit",
      () => conv2d(x, zeros([1, 4, 9, 3], { device }), null, { padding: 1 }),
      "conv2d slides windows of [9, 3] over axes of [7, 7] with their padding: no window fits.",
    ],
    [
      "strides of other axes",
      () => conv2d(x, w, null, { stride: [1, 2, 3] }),
      "conv2d takes a whole number of at least 1 as stride, or a list of 2, but got [1, 2, 3].",
    ],
    [
      "stride 0",
      () => conv2d(x, w, null, { stride: 0 }),
      "conv2d takes a whole number of at least 1 as stride, or a list of 2, but got 0.",
    ],
    [
      "a stride that is same",
      () => conv2d(x, w, null, { stride: 2, padding: "same" }),
      'conv2d with padding "same" takes stride 1 but got [2, 2]: give the padding in numbers.',
    ],
    [
      "bools",
      () => conv2d(x.to("bool"), w.to("bool")),
      'conv2d takes numbers that compute but got bool: convert them, e.g. with .to("float32").',
    ],
    [
      "a transpose of other channels",
      () => convTranspose2d(x, w),
      "convTranspose2d takes tensors of shape [images, channels, …] and a weight of shape [channels, outputs / groups, …], both with 2 more axes, the channels a multiple of the 1 group, but got [1, 4, 5, 5] and [6, 4, 3, 3].",
    ],
    [
      "a transpose's bias",
      () => convTranspose2d(x, zeros([4, 2, 3, 3], { device }), zeros([4], { device })),
      "convTranspose2d with 2 outputs takes a bias of shape [2] but got [4].",
    ],
    [
      "too much at the end",
      () => convTranspose2d(x, zeros([4, 2, 3, 3], { device }), null, { outputPadding: 1 }),
      "convTranspose2d takes an outputPadding below the stride, 1, but got 1.",
    ],
    [
      "too little left",
      () => convTranspose2d(x, zeros([4, 2, 3, 3], { device }), null, { padding: 4 }),
      "convTranspose2d would make an axis of -1 elements of one of 5: take less padding off it.",
    ],
    [
      "columns of other images",
      () => col2im(zeros([1, 4, 5], { device }), [3, 3], 2),
      "col2im of images of [3, 3] takes columns of shape [images, a multiple of 4, 4] but got [1, 4, 5].",
    ],
    [
      "columns of windows that do not fit",
      () => im2col(x, 6),
      "im2col slides windows of [6, 6] over axes of [5, 5] with their padding: no window fits.",
    ],
    [
      "a layer of uneven groups",
      () => new nn.Conv2d(4, 6, 3, { groups: 3 }),
      "Conv2d takes a number of groups that divides its 4 inputs and 6 outputs but got 3.",
    ],
    [
      "a layer of no size",
      () => new nn.Conv2d(4, 6, 0),
      "Conv2d takes a whole number of at least 1 as kernelSize, or a list of 2, but got 0.",
    ],
  ])("a sentence for %s", (_, act, sentence) => {
    expect(act).toThrow(sentence);
  });

  test("a small network learns images that are made here, and its state has PyTorch's names", () => {
    const net = new nn.Sequential(
      new nn.Conv2d(1, 8, 3, { padding: 1, bias: false, device }),
      new nn.BatchNorm2d(8, { device }),
      (x) => x.relu(),
      new nn.MaxPool2d(2),
      new nn.Conv2d(8, 16, 3, { padding: 1, device }),
      (x) => x.relu(),
      new nn.AdaptiveAvgPool2d(1),
      new nn.Flatten(),
      new nn.Linear(16, 2, { device }),
    );
    expect(Object.keys(net.stateDict())).toEqual(
      "0.weight 1.weight 1.bias 1.running_mean 1.running_var 1.num_batches_tracked 4.weight 4.bias 8.weight 8.bias".split(
        " ",
      ),
    );
    // Lines, across or down, with noise on them.
    const images: number[] = [];
    const labels: number[] = [];
    for (let image = 0; image < 64; image++) {
      const [label, at] = [image % 2, Math.floor(random() * 8)];
      labels.push(label);
      for (let i = 0; i < 8; i++)
        for (let j = 0; j < 8; j++) images.push(((label === 0 ? i : j) === at ? 2 : 0) + random() - 0.5);
    }
    const x = tensor(images, { device }).reshape([64, 1, 8, 8]);
    const c = tensor(labels, { dtype: "int64", device });
    const adam = new optim.Adam(net.parameters(), { lr: 0.02 });
    let loss = 0;
    for (let step = 0; step < 40; step++) {
      const error = crossEntropy(net(x), c);
      adam.zeroGrad();
      error.backward();
      adam.step();
      loss = error.item() as number;
    }
    expect(loss).toBeLessThan(0.2);
    net.eval();
    const right = net(x).argmax({ axis: 1 }).eq(c).to("float32").mean().item();
    expect(right).toBeGreaterThan(0.95);
    const again = new nn.Conv2d(1, 8, 3, { padding: 1, bias: false, device });
    again.loadStateDict({ weight: net.stateDict()["0.weight"]! });
    expect(numbersOf(again.weight)).toEqual(numbersOf(net.stateDict()["0.weight"]!));
  });
});
