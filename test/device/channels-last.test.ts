// Images with their channels last: what operations make of them lies so, too, has the values that it has in rows, and is
// made without copies.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  adaptiveAvgPool2d,
  adaptiveMaxPool2d,
  avgPool2d,
  avgPool3d,
  batchNorm,
  conv2d,
  convTranspose2d,
  gradients,
  interpolate,
  maxPool1d,
  maxPool2d,
  maxPool2dWithIndices,
  nn,
  optim,
  profile,
  tensor,
  zeros,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { expectNear, floats, numbersOf, sampler } from "./samples.ts";

const random = seeded(freshSeed());
const last = { memoryFormat: "channelsLast" } as const;

/** [images, channels, …] with channels densest, of any number of axes. */
const turned = (x: Tensor): Tensor => x.moveAxis(1, -1).contiguous().moveAxis(-1, 1).detach();
const stridesLast = (shape: readonly number[]) => turned(zeros([...shape], { device: "cpu" })).strides;

describe.each(devices.map(({ name, kind }) => ({ name, kind })))("on $name", ({ name: device, kind }) => {
  const sample = sampler(random, device);
  const own = () => ({ by: tensor([0.5, -1, 2], { device }), of: tensor([4, 0.25, 1], { device }) });

  test.each<[string, readonly number[], (x: Tensor) => Tensor]>([
    ["maxPool2d", [2, 3, 7, 9], (x) => maxPool2d(x, 3, { stride: 2, padding: 1 })],
    ["maxPool2d of wide images", [2, 40, 7, 9], (x) => maxPool2d(x, 2)],
    ["maxPool2d with dilation", [1, 36, 9, 11], (x) => maxPool2d(x, [3, 2], { stride: [1, 2], dilation: [2, 3] })],
    ["maxPool1d", [2, 4, 30], (x) => maxPool1d(x, 3)],
    ["avgPool2d", [2, 8, 7, 9], (x) => avgPool2d(x, 3, { stride: 2, padding: 1 })],
    ["avgPool2d without padding", [2, 37, 7, 9], (x) => avgPool2d(x, 3, { padding: 1, countIncludePad: false })],
    ["avgPool3d", [2, 12, 4, 5, 6], (x) => avgPool3d(x, 2)],
    ["adaptiveAvgPool2d", [2, 16, 7, 9], (x) => adaptiveAvgPool2d(x, [3, 2])],
    ["adaptiveMaxPool2d", [2, 6, 7, 9], (x) => adaptiveMaxPool2d(x, [3, 2])],
    ["interpolate, nearest", [2, 3, 4, 5], (x) => interpolate(x, { scaleFactor: 2 })],
    ["interpolate, area", [2, 3, 4, 6], (x) => interpolate(x, { size: [2, 3], mode: "area" })],
    ["relu", [2, 3, 4, 5], (x) => x.relu()],
    ["add", [2, 3, 4, 5], (x) => x.add(x.mul(2))],
    ["by channel", [2, 3, 4, 5], (x) => x.mul(own().of.reshape([3, 1, 1])).add(own().by.reshape([3, 1, 1]))],
    ["batchNorm by running statistics", [2, 3, 4, 5], (x) => batchNorm(x, own().by, own().of)],
  ])("%s", (_, shape, run) => {
    for (const dtype of floats) {
      const x = sample(shape, dtype).x;
      const [rows, images] = [x.detach(), turned(x)];
      rows.requiresGrad = true;
      images.requiresGrad = true;
      const [wanted, y] = [run(rows), run(images)];
      expect(y.shape).toEqual(wanted.shape);
      expect(y.strides).toEqual(stridesLast(y.shape));
      expect(numbersOf(y)).toEqual(numbersOf(wanted));
      const g = sample(y.shape, y.dtype).x;
      const [dRows] = gradients(wanted, [rows], { gradient: g });
      const [dImages] = gradients(y, [images], { gradient: turned(g), retainGraph: true });
      expect(dImages!.strides).toEqual(images.strides);
      expect(numbersOf(dImages!)).toEqual(numbersOf(dRows!));
      const [inRows] = gradients(y, [images], { gradient: g });
      expect(numbersOf(inRows!)).toEqual(numbersOf(dRows!));
    }
  });

  test("the mean of each channel, whose gradient lies as the images", () => {
    for (const dtype of floats) {
      const x = sample([3, 40, 5, 4], dtype).x;
      const [rows, images] = [x.detach(), turned(x)];
      rows.requiresGrad = true;
      images.requiresGrad = true;
      const [wanted, y] = [adaptiveAvgPool2d(rows.square(), 1), adaptiveAvgPool2d(images.square(), 1)];
      // Sums of 20 numbers of at most 4, in another order.
      expectNear(
        y,
        wanted.shape,
        numbersOf(wanted).map((value) => [value, 4]),
        20,
      );
      const g = sample(y.shape, y.dtype).x;
      const [dRows] = gradients(wanted, [rows], { gradient: g });
      const [dImages] = gradients(y, [images], { gradient: g });
      expect(dImages!.strides).toEqual(images.strides);
      expect(numbersOf(dImages!)).toEqual(numbersOf(dRows!));
    }
  });

  test("places of the largest are those in rows", () => {
    const x = sample([2, 5, 6, 7], "float32").x;
    const [rows, images] = [x, turned(x)].map((each) => maxPool2dWithIndices(each, 3, { stride: 1 }));
    expect(images!.indices.strides).toEqual(images!.values.strides);
    expect(numbersOf(images!.indices)).toEqual(numbersOf(rows!.indices));
  });

  test.each<[string, readonly number[], (x: Tensor, w: Tensor) => Tensor]>([
    ["a convolution", [6, 4, 3, 3], (x, w) => conv2d(x, w, null, { padding: 1, stride: 2 })],
    ["windows of one element", [6, 4, 1, 1], (x, w) => conv2d(x, w)],
    ["filters of each channel", [4, 1, 3, 3], (x, w) => conv2d(x, w, null, { groups: 4 })],
    ["a transposed convolution", [4, 6, 2, 2], (x, w) => convTranspose2d(x, w, null, { stride: 2 })],
  ])("%s: results and gradients lie as images and filters do", (_, shape, run) => {
    const [x, w] = [sample([2, 4, 7, 6], "float32").x, sample(shape, "float32").x];
    const [wideX, wideW] = [x.to("float64"), w.to("float64")];
    wideX.requiresGrad = true;
    wideW.requiresGrad = true;
    const exact = run(wideX, wideW);
    const g = sample(exact.shape, "float32").x;
    const [exactDx, exactDw] = gradients(exact, [wideX, wideW], { gradient: g.to("float64") });
    // At most as many products as images have places, each of numbers of at most 2.
    const near = (got: Tensor, wanted: Tensor) =>
      expectNear(
        got,
        wanted.shape,
        numbersOf(wanted).map((value) => [value, 4 * 2 * 42]),
        4,
      );
    for (const [images, filters] of [
      [turned(x), turned(w)],
      [turned(x), w.detach()],
      [x.detach(), turned(w)],
    ] as const) {
      images.requiresGrad = true;
      filters.requiresGrad = true;
      const y = run(images, filters);
      const isLast = images.isContiguousIn("channelsLast");
      expect(y.isContiguousIn(isLast ? "channelsLast" : "contiguous")).toBe(true);
      const [dx, dw] = gradients(y, [images, filters], { gradient: isLast ? turned(g) : g });
      expect(dx!.strides).toEqual(images.strides);
      expect(dw!.strides).toEqual(filters.strides);
      near(y, exact);
      near(dx!, exactDx!);
      near(dw!, exactDw!);
    }
  });

  test("modules and tensors turn; optimisers go on with what they kept", () => {
    const layers = () => new nn.Sequential(new nn.Conv2d(3, 4, 3, { device }), new nn.BatchNorm2d(4, { device }));
    const [rows, turning] = [layers(), layers()];
    turning.loadStateDict(rows.stateDict());
    const made = [rows, turning].map((model) => new optim.Adam(model.parameters(), { lr: 0.1 }));
    const weights = [rows, turning].map((model) => model.parameters()[0]!);
    for (let step = 0; step < 3; step++) {
      if (step === 1) turning.to(last);
      const g = sample(weights[0]!.shape, "float32").x;
      for (const weight of weights) weight.grad = g.detach();
      for (const optimizer of made) optimizer.step();
      expect(numbersOf(weights[1]!)).toEqual(numbersOf(weights[0]!));
    }
    expect(weights.map((each) => each.isContiguousIn("channelsLast"))).toEqual([false, true]);
    expect(turning.to("bfloat16").parameters()[0]!.isContiguousIn("channelsLast")).toBe(true);
    expect(turning.to({ memoryFormat: "contiguous" }).parameters()[0]!.isContiguous).toBe(true);
    expect(zeros([2, 3, 4, 5], { device }).to(last).to("float64").isContiguousIn("channelsLast")).toBe(true);
    const x = sample([2, 3, 4, 5], "float32").x;
    expect(x.to(last).isContiguousIn("channelsLast")).toBe(true);
    expect(numbersOf(x.to(last))).toEqual(numbersOf(x));
    expect(() => x.to({ memoryFormat: "last" as "contiguous" })).toThrow(
      'to takes "contiguous" or "channelsLast" as memoryFormat but got "last".',
    );
    expect(() => turning.to({ memoryFormat: "last" as "contiguous" })).toThrow(
      'to takes "contiguous" or "channelsLast" as memoryFormat but got "last".',
    );
    expect(() => zeros([3], { device }).to(last)).toThrow(
      'Memory format "channelsLast" is for tensors of [batch, channels, height, width], not of shape [3].',
    );
  });

  test("a residual block there and back makes no copies", async () => {
    // A processor's convolutions go along rows: there it is the rest of the block that has none.
    const isTurned = kind === "cuda";
    const convolution = () => new nn.Conv2d(8, 8, 3, { padding: 1, bias: false, device }).to(last);
    const [first, second] = [convolution(), convolution()];
    const normalised = () => new nn.BatchNorm2d(8, { trackRunningStats: false, device });
    const [one, two] = [normalised(), normalised()];
    const x = sample([4, 8, 6, 6], "float32").x.to(last).detach();
    x.requiresGrad = true;
    const convolved = (layer: nn.Conv2d, images: Tensor) => (isTurned ? layer(images) : images.mul(2));
    const step = () => {
      const inner = one(convolved(first, x)).relu();
      const block = two(convolved(second, inner)).add(x).relu();
      const pooled = maxPool2d(block, 2).relu();
      adaptiveAvgPool2d(pooled, 1).square().sum().backward();
    };
    step();
    const p = await profile(step);
    const names = p
      .events()
      .filter((event) => event.kind === "kernel")
      .map((event) => event.name);
    expect(names.length).toBeGreaterThan(10);
    // Ours: what a vendor's library does inside a call is its own.
    expect(names.filter((name) => /\b(copy_flat|copy_strided|transpose)</.test(name))).toEqual([]);
    expect(x.grad!.isContiguousIn("channelsLast")).toBe(true);
  });
});
