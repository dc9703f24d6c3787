// Images made larger or smaller by interpolation, along one axis after the other.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import type { FloatOf } from "../memory/promotion.ts";
import { formatShape } from "../memory/shape.ts";
import { isChannelsLast } from "../ops/spatial/channels-last.ts";
import { worded } from "../wording.ts";
import { define, flag, either, number, numbers, oneOf } from "./arguments.ts";
import { tensor } from "./create.ts";
import { adaptiveAvgPool1d, adaptiveAvgPool2d, adaptiveAvgPool3d } from "./pooling.ts";
import { spreadOver, type PerAxis } from "./per-axis.ts";
import type { Tensor } from "./tensor.ts";

/** "linear", "bilinear" and "trilinear" are one, for one, two and three axes. */
export type InterpolationMode = "nearest" | "nearest-exact" | "linear" | "bilinear" | "trilinear" | "bicubic" | "area";

/**
 * `size` of the axes behind the channels, or how many times as large they become (`scaleFactor`). `alignCorners`: the
 * first and last elements stay where they are; else elements are areas, which keep their borders. `antialias`: of modes
 * "bilinear" and "bicubic", which weigh more elements where the image becomes smaller, so that no detail turns into a
 * pattern. `recomputeScaleFactor`: elements are as far apart as the size of the result, a whole number, says, not as
 * `scaleFactor` does.
 */
export interface InterpolateOptions {
  readonly size?: PerAxis;
  readonly scaleFactor?: number | readonly number[];
  readonly mode?: InterpolationMode;
  readonly alignCorners?: boolean;
  readonly antialias?: boolean;
  readonly recomputeScaleFactor?: boolean;
}

/** Where each element of a result lies between those of an axis, and what those around it count. */
interface Taps {
  readonly places: readonly number[][];
  readonly weights: readonly number[][];
}

type Way = (at: { readonly position: number; readonly index: number }) => readonly (readonly [number, number])[];

/** Keys' convolution, of a distance, with a slope of a at 1 (IEEE Transactions on Acoustics 29, 1981). */
function cubic(distance: number, a = -0.75): number {
  const d = Math.abs(distance);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}
const linear: Way = ({ position }) => {
  const low = Math.floor(Math.max(0, position));
  const part = Math.max(0, position) - low;
  return [
    [low, 1 - part],
    [low + 1, part],
  ];
};
const ways: Record<Exclude<InterpolationMode, "area">, { readonly axes: readonly number[]; readonly way: Way }> = {
  nearest: { axes: [1, 2, 3], way: ({ index }) => [[index, 1]] },
  "nearest-exact": { axes: [1, 2, 3], way: ({ position }) => [[Math.floor(position + 0.5), 1]] },
  linear: { axes: [1], way: linear },
  bilinear: { axes: [2], way: linear },
  trilinear: { axes: [3], way: linear },
  bicubic: {
    axes: [2],
    way: ({ position }) => {
      const low = Math.floor(position);
      return [-1, 0, 1, 2].map((each) => [low + each, cubic(position - low - each)] as const);
    },
  },
};

function tapsOf(from: number, to: number, scale: number, alignCorners: boolean, way: Way): Taps {
  const step = alignCorners ? (to > 1 ? (from - 1) / (to - 1) : 0) : scale;
  const found = Array.from({ length: to }, (_, at) =>
    way({ position: alignCorners ? at * step : (at + 0.5) * step - 0.5, index: Math.floor(at * scale) }),
  );
  const each = found[0]!.map((_, tap) => tap);
  return {
    places: each.map((tap) => found.map((taps) => Math.min(from - 1, Math.max(0, taps[tap]![0])))),
    weights: each.map((tap) => found.map((taps) => taps[tap]![1])),
  };
}

function along(x: Tensor, axis: number, { places, weights }: Taps): Tensor {
  const { device } = x;
  const shape = x.shape.map((_, each) => (each === axis ? places[0]!.length : 1));
  const parts = places.map((own, tap) => {
    const taken = x.indexSelect(axis, tensor(own, { dtype: "int64", device }));
    if (weights[tap]!.every((weight) => weight === 1)) return taken;
    return taken.mul(tensor(weights[tap]!, { dtype: x.dtype as "float32", device }).reshape(shape));
  });
  return parts.reduce((sum, part) => sum.add(part));
}

/** What elements weigh by their distance, and how far they reach. */
const filters: Partial<Record<InterpolationMode, { readonly reach: number; weight(distance: number): number }>> = {
  bilinear: { reach: 1, weight: (distance) => Math.max(0, 1 - Math.abs(distance)) },
  bicubic: { reach: 2, weight: (distance) => cubic(distance, -0.5) },
};

/** Each element as the mean of those around its place, of which there are more where the axis becomes shorter. */
function smoothed(x: Tensor, axis: number, to: number, scale: number, mode: InterpolationMode): Tensor {
  const { reach, weight } = filters[mode]!;
  const [from, stretch] = [x.shape[axis]!, Math.max(1, scale)];
  const weights = Array.from({ length: to }, (_, at) => {
    const centre = (at + 0.5) * scale;
    const first = Math.max(0, Math.floor(centre - reach * stretch + 0.5));
    const last = Math.min(from, Math.floor(centre + reach * stretch + 0.5));
    const own = Array.from({ length: from }, (_, place) =>
      place < first || place >= last ? 0 : weight((place + 0.5 - centre) / stretch),
    );
    const total = own.reduce((sum, each) => sum + each, 0);
    return own.map((each) => each / total);
  });
  // As a product: of an axis that becomes an eighth each element has up to 32 weights.
  const matrix = tensor(weights.flat(), { dtype: x.dtype as "float32", device: x.device }).reshape([to, from]);
  return x.moveAxis(axis, -1).matmul(matrix.T).moveAxis(-1, axis);
}

/** The sizes that are wanted, and how far elements of the result are apart in the image. Throws TensorError. */
function sizesOf(
  x: Tensor,
  { size, scaleFactor, recomputeScaleFactor = false }: InterpolateOptions,
): { size: number; scale: number }[] {
  const own = x.shape.slice(2);
  if ((size === undefined) === (scaleFactor === undefined))
    throw new TensorError("OPTIONS", "interpolate takes either a size or a scaleFactor.");
  if (size !== undefined)
    return spreadOver("interpolate", "size", size, own.length, 1).map((each, axis) => ({
      size: each,
      scale: own[axis]! / each,
    }));
  const factors = typeof scaleFactor === "number" ? own.map(() => scaleFactor) : [...scaleFactor!];
  if (factors.length !== own.length || factors.some((each, axis) => !(each > 0 && Math.floor(own[axis]! * each) >= 1)))
    throw new TensorError(
      "VALUE",
      `interpolate takes a positive scaleFactor, or one for each of the ${own.length} axes, that leaves elements, but got ${worded(scaleFactor)}.`,
    );
  return factors.map((each, axis) => {
    const size = Math.floor(own[axis]! * each);
    return { size, scale: recomputeScaleFactor ? own[axis]! / size : 1 / each };
  });
}

const areas = [adaptiveAvgPool1d, adaptiveAvgPool2d, adaptiveAvgPool3d];

/**
 * Images [images, channels, …] of another size: each element by those around its place. `mode` "nearest" (the default)
 * takes one, "nearest-exact" the one that is really nearest, "linear", "bilinear" and "trilinear" weigh two along each
 * of one, two and three axes, "bicubic" four of each of two (Keys, 1981), and "area" is the mean of all that it covers.
 * Throws TensorError.
 * @example
 * interpolate(tensor([[[1, 2]]]), { scaleFactor: 2 }); // → tensor([[[1, 1, 2, 2]]], shape [1, 1, 4], float32, cpu)
 * interpolate(tensor([[[0, 3]]]), { size: 4, mode: "linear", alignCorners: true });
 * // → tensor([[[0, 1, 2, 3]]], shape [1, 1, 4], float32, cpu)
 */
export const interpolate: <D extends DType>(x: Tensor<D>, options: InterpolateOptions) => Tensor<FloatOf<D>> = define(
  "interpolate",
  {
    options: {
      size: either(number, numbers),
      scaleFactor: either(number, numbers),
      mode: oneOf("nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic", "area"),
      alignCorners: flag,
      antialias: flag,
      recomputeScaleFactor: flag,
    },
  },
  (x, { mode = "nearest", alignCorners = false, antialias = false, ...given }) => {
    const axes = x.shape.length - 2;
    if (axes < 1 || axes > 3 || x.shape.slice(2).includes(0))
      throw new TensorError(
        "SHAPE",
        `interpolate takes images [images, channels, …] with one to three more axes, which have elements, but got ${formatShape(x.shape)}.`,
      );
    const sizes = sizesOf(x, given);
    if (alignCorners && (mode === "area" || mode.startsWith("nearest")))
      throw new TensorError("OPTIONS", `interpolate with mode "${mode}" has no corners to align.`);
    if (antialias && (alignCorners || filters[mode] === undefined))
      throw new TensorError(
        "OPTIONS",
        'interpolate has antialias for the modes "bilinear" and "bicubic", without alignCorners.',
      );
    if (mode === "area")
      return areas[axes - 1]!(
        x,
        sizes.map(({ size }) => size),
      ) as Tensor;
    const { axes: allowed, way } = ways[mode];
    if (!allowed.includes(axes))
      throw new TensorError(
        "VALUE",
        `interpolate with mode "${mode}" is for ${allowed[0]} ax${allowed[0] === 1 ? "is" : "es"} behind the channels but got ${formatShape(x.shape)}.`,
      );
    const floats = x.dtype.includes("float") ? x : x.to("float32");
    // Images with channels last are resized, and stay, as they lie.
    const isLast = isChannelsLast(x);
    const image = sizes.reduce<Tensor>(
      (image, { size, scale }, axis) => {
        if (size === x.shape[axis + 2] && scale === 1) return image;
        if (antialias) return smoothed(image, isLast ? axis + 1 : axis + 2, size, scale, mode);
        const taps = tapsOf(x.shape[axis + 2]!, size, scale, alignCorners, way);
        return along(image, isLast ? axis + 1 : axis + 2, taps);
      },
      isLast ? floats.moveAxis(1, -1) : floats,
    );
    return isLast ? image.moveAxis(-1, 1) : image;
  },
);
