// The picture of a tensor as any front end shows it: pixels against the elements, for every kind of picture.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { colourAt, scaleOf } from "../../extension/src/tensor-view/colour-map.ts";
import { arange, full, rand, tensor, zeros, type Tensor } from "../../native/lib/index.ts";
import { readPng, type ReadPicture } from "../helpers/png.ts";
import { devices } from "./devices.ts";

const bundleOf = (x: Tensor) =>
  (x as unknown as Record<symbol, () => Record<string, string>>)[Symbol.for("Jupyter.display")]!();
const pictureOf = (x: Tensor) => readPng(bundleOf(x)["image/png"]);
const sizeOf = ({ width, height }: ReadPicture) => [width, height];
const nan = [136, 136, 136, 255];
const ink = [58, 123, 213, 255];
const missing = [214, 39, 90, 255];
const paper = [0, 0, 0, 0];

describe.each(devices)("on $name", ({ name: device }) => {
  test("a matrix: an element a pixel, from the colour of the least to that of the greatest", () => {
    const picture = pictureOf(arange(300 * 400, { device }).reshape(300, 400));
    expect(sizeOf(picture)).toEqual([400, 300]);
    expect(picture.at(0, 0).slice(0, 3)).toEqual(colourAt(0));
    expect(picture.at(399, 299).slice(0, 3)).toEqual(colourAt(1));
    const lightness = Array.from({ length: 300 }, (_, y) => picture.at(200, y)[1]!);
    expect(lightness).toEqual(lightness.toSorted((a, b) => a - b));
  });

  test("of both signs: zero is lightest, and the same distance has the same shade", () => {
    const picture = pictureOf(
      tensor(
        [
          [-2, 0],
          [1, 2],
        ],
        { device },
      ),
    );
    expect(sizeOf(picture)).toEqual([384, 384]);
    const { colourOf } = scaleOf(-2, 2);
    const corners = [
      [0, 0],
      [383, 0],
      [383, 383],
    ] as const;
    expect(corners.map(([x, y]) => picture.at(x, y).slice(0, 3))).toEqual([-2, 0, 2].map(colourOf));
  });

  test("what is no number has colours of its own, and leaves those of the others alone", () => {
    const picture = pictureOf(
      tensor(
        [
          [NaN, Infinity],
          [-Infinity, 1],
          [0, 1],
        ],
        { device },
      ),
    );
    const cell = 384 / 3;
    expect(
      [
        [0, 0],
        [1, 0],
        [0, 1],
      ].map(([x, y]) => picture.at(x! * cell, y! * cell)),
    ).toEqual([nan, [230, 0, 160, 255], [0, 190, 230, 255]]);
    expect(picture.at(0, 2 * cell).slice(0, 3)).toEqual(colourAt(0));
    expect(pictureOf(full([2, 2], NaN, { device })).at(0, 0)).toEqual(nan);
  });

  test("a great matrix: means of blocks, at most 512 along an axis, and a file of less than a third of its numbers", () => {
    const picture = pictureOf(arange(2048 * 1024, { device }).reshape(2048, 1024));
    expect(sizeOf(picture)).toEqual([256, 512]);
    const smooth = pictureOf(arange(1000, { device }).reshape(1000, 1).mul(arange(1000, { device })));
    expect(sizeOf(smooth)).toEqual([1000, 1000]);
    expect(smooth.bytes).toBeLessThan((4 * 1000 * 1000) / 3);
  });

  test("colours: bytes as they are, numbers from 0 to 1, and others from their least to their greatest", () => {
    const bytes = rand([16, 20, 3], { device }).mul(256).floor();
    const picture = pictureOf(bytes.to("uint8"));
    expect(sizeOf(picture)).toEqual([20 * 19, 16 * 19]);
    const values = bytes.data();
    for (const [x, y] of [
      [0, 0],
      [19, 0],
      [7, 15],
    ] as const)
      expect(picture.at(x * 19, y * 19)).toEqual([...values.slice((y * 20 + x) * 3, (y * 20 + x) * 3 + 3), 255]);
    expect(pictureOf(full([8, 8, 4], 0.2, { device })).at(0, 0)).toEqual([51, 51, 51, 51]);
    const wide = zeros([8, 8, 3], { device }).sub(1);
    expect(pictureOf(wide.add(tensor([0, 2, 4], { device }))).at(0, 0)).toEqual([0, 128, 255, 255]);
    // No image: an axis of 3 beside a short one.
    expect(
      pictureOf(zeros([20, 4, 3], { device }))
        .at(0, 0)
        .slice(0, 3),
    ).not.toEqual([0, 0, 0]);
  });

  test("a batch: a grid in one range, of channels first too, and of matrices", () => {
    const batch = arange(4, { device })
      .reshape(4, 1, 1, 1)
      .mul(tensor([1, 0, 0], { device }).reshape(1, 3, 1, 1))
      .add(zeros([4, 3, 64, 64], { device }))
      .div(3);
    const picture = pictureOf(batch);
    expect(sizeOf(picture)).toEqual([386, 386]);
    expect(
      [
        [0, 0],
        [200, 0],
        [0, 200],
        [200, 200],
      ].map(([x, y]) => picture.at(x!, y!)),
    ).toEqual([0, 85, 170, 255].map((red) => [red, 0, 0, 255]));
    const matrices = pictureOf(
      arange(3, { device })
        .reshape(3, 1, 1)
        .add(zeros([3, 30, 30], { device })),
    );
    expect(matrices.at(0, 0).slice(0, 3)).toEqual(colourAt(0));
    expect(sizeOf(pictureOf(zeros([100, 28, 28, 1], { device })))).toEqual([8 * 28 + 14, 8 * 28 + 14]);
  });

  test("a vector: a line from the least to the greatest, and one element of many is seen", () => {
    const rows = ({ height, at }: ReadPicture, x: number) =>
      Array.from({ length: height }, (_, y) => y).filter((y) => String(at(x, y)) === String(ink));
    const ramp = pictureOf(arange(100, { device }));
    expect(sizeOf(ramp)).toEqual([640, 160]);
    expect(rows(ramp, 0)).toContain(155);
    expect(rows(ramp, 639)).toContain(4);
    for (let x = 0; x < 640; x++) expect(rows(ramp, x).length, `column ${x}`).toBeGreaterThan(0);
    for (const count of [100_000, 2_000_000]) {
      const x = zeros([count], { device });
      x.set([count / 2], 5);
      x.set([10], NaN);
      const picture = pictureOf(x);
      expect(rows(picture, 320)).toContain(4);
      expect(rows(picture, 320)).toContain(100);
      expect(rows(picture, 600)).toEqual([155, 156]);
      expect(picture.at(0, 159)).toEqual(missing);
      expect(picture.at(1, 159)).toEqual(paper);
    }
    expect(rows(pictureOf(tensor([3, 3], { device })), 300)).toEqual([80, 81]);
  });

  test("bool, integers, complex numbers and tensors with gradients have pictures", () => {
    expect(
      pictureOf(tensor([[true, true]], { device }))
        .at(0, 0)
        .slice(0, 3),
    ).toEqual(colourAt(1));
    expect(
      pictureOf(tensor([[1n, 2n ** 60n]], { device }))
        .at(383, 0)
        .slice(0, 3),
    ).toEqual(colourAt(1));
    expect(sizeOf(pictureOf(zeros([3, 3], { device, dtype: "complex64" })))).toEqual([384, 384]);
    const x = zeros([3, 3], { device });
    x.requiresGrad = true;
    expect(sizeOf(pictureOf(x.mul(2)))).toEqual([384, 384]);
  });

  test("the payload says what the picture shows beside a heat map", () => {
    const shows = (shape: number[]) =>
      (bundleOf(zeros(shape, { device }))["application/vnd.warpcell.tensor.v1+json"] as unknown as { picture?: string })
        .picture;
    const shapes = [[5], [4, 4], [2, 4, 4], [8, 8, 3], [2, 3, 8, 8], [], [0]];
    expect(shapes.map(shows)).toEqual(["line", undefined, "slices", "colours", "colours", undefined, undefined]);
  });

  test("HTML shows numbers where it shows all of them; other front ends have the picture", () => {
    expect(Object.keys(bundleOf(zeros([16, 16], { device })))).toContain("text/html");
    for (const shape of [[17, 2], [1000], [2, 3, 3]]) {
      const types = Object.keys(bundleOf(zeros(shape, { device })));
      expect(types).toContain("image/png");
      expect(types).not.toContain("text/html");
    }
    for (const shape of [[], [0], [3, 0], [1]]) {
      const types = Object.keys(bundleOf(zeros(shape, { device })));
      expect(types).not.toContain("image/png");
      expect(types).toContain("text/html");
    }
  });
});
