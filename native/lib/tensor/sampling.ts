// Images seen through a grid of places: what spatial transformers, optical flow and warps are made of (Jaderberg et al.
// 2015, "Spatial transformer networks").
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { define, flag, oneOf, tensor, wholeNumbers } from "./arguments.ts";
import { linspace } from "./create.ts";
import { onesLike, stack } from "./joining.ts";
import type { Tensor } from "./tensor.ts";

/** `alignCorners`: −1 and 1 are the middles of the outermost pixels, else the image's edges, as when left out. */
export interface GridOptions {
  readonly alignCorners?: boolean;
}

/**
 * `mode`: "bilinear" when left out. `paddingMode`: what is outside the image, 0 when left out, the nearest pixel of its
 * "border", or its "reflection".
 */
export interface GridSampleOptions extends GridOptions {
  readonly mode?: "bilinear" | "nearest" | "bicubic";
  readonly paddingMode?: "zeros" | "border" | "reflection";
}

/** A pixel's number along an axis, and how much it counts. */
type Tap = readonly [position: Tensor, weight: Tensor];

/** Numbers reflected at two places until they lie between them. */
function reflected(x: Tensor, low: number, high: number): Tensor {
  if (low === high) return x.mul(0) as Tensor;
  const span = high - low;
  const distance = x.sub(low).abs();
  const turns = distance.div(span).floor();
  const rest = distance.sub(turns.mul(span));
  return rest.where(turns.remainder(2).eq(0), rest.neg().add(span)).add(low) as Tensor;
}

/** Places in pixels as they are looked at; what stays outside counts as 0. */
function padded(x: Tensor, size: number, mode: GridSampleOptions["paddingMode"], alignCorners: boolean): Tensor {
  if (mode === "zeros") return x;
  const inside = mode === "border" ? x : reflected(x, alignCorners ? 0 : -0.5, alignCorners ? size - 1 : size - 0.5);
  return inside.clamp({ min: 0, max: size - 1 }) as Tensor;
}

/** Keys' cubic at a distance d of up to 1, and from 1 to 2 (1981, "Cubic convolution interpolation", a = −¾). */
const near = (d: Tensor): Tensor => d.mul(1.25).sub(2.25).mul(d).mul(d).add(1) as Tensor;
const far = (d: Tensor): Tensor => d.mul(-0.75).add(3.75).mul(d).sub(6).mul(d).add(3) as Tensor;

/** The pixels along one axis that a place x is made of. */
const taps: Record<
  NonNullable<GridSampleOptions["mode"]>,
  (x: Tensor, pad: (x: Tensor) => Tensor) => readonly Tap[]
> = {
  nearest: (x, pad) => [[pad(x.detach()).round() as Tensor, onesLike(x)]],
  bilinear(x, pad) {
    const at = pad(x);
    const first = at.detach().floor() as Tensor;
    const right = at.sub(first) as Tensor;
    return [
      [first, right.neg().add(1) as Tensor],
      [first.add(1) as Tensor, right],
    ];
  },
  bicubic(x, pad) {
    const first = x.detach().floor() as Tensor;
    const d = x.sub(first) as Tensor;
    const rest = d.neg().add(1) as Tensor;
    return [far(d.add(1) as Tensor), near(d), near(rest), far(rest.add(1) as Tensor)].map(
      (weight, tap) => [pad(first.add(tap - 1) as Tensor), weight] as const,
    );
  },
};

/**
 * Images [images, channels, height, width] at the places of a grid [images, rows, columns, 2] of x and y from −1, left
 * and top, to 1, see {@link GridSampleOptions}: [images, channels, rows, columns]. Has gradients of the images and of
 * the grid; NaN where the place is NaN. Throws TensorError for shapes that do not fit.
 * @example
 * const x = tensor([[1, 2], [3, 4]]).reshape([1, 1, 2, 2]);
 * gridSample(x, tensor([0, 0, -1, 1]).reshape([1, 1, 2, 2]), { alignCorners: true });
 * // → tensor([[[[2.5, 3.0]]]], shape [1, 1, 1, 2], float32, cpu)
 */
export const gridSample: <D extends DType>(x: Tensor<D>, grid: Tensor, options?: GridSampleOptions) => Tensor<D> =
  define(
    "gridSample",
    {
      required: { grid: tensor },
      options: {
        mode: oneOf("bilinear", "nearest", "bicubic"),
        paddingMode: oneOf("zeros", "border", "reflection"),
        alignCorners: flag,
      },
    },
    (x, { grid, mode = "bilinear", paddingMode = "zeros", alignCorners = false }) => {
      const [images, channels, height, width] = x.shape as [number, number, number, number];
      const [gridImages, rows, columns, both] = grid.shape as [number, number, number, number];
      if (x.shape.length !== 4 || height * width === 0)
        throw new TensorError(
          "SHAPE",
          `gridSample takes images [images, channels, height, width] with elements but got ${formatShape(x.shape)}.`,
        );
      if (grid.shape.length !== 4 || gridImages !== images || both !== 2)
        throw new TensorError(
          "SHAPE",
          `gridSample of ${images} images takes a grid [${images}, rows, columns, 2] but got ${formatShape(grid.shape)}.`,
        );
      const places = grid.to(x.dtype);
      const along = (which: number, size: number) => {
        const unit = places.slice(null, null, null, which).reshape([images, 1, rows * columns]);
        const x = alignCorners
          ? unit.add(1).mul((size - 1) / 2)
          : unit
              .add(1)
              .mul(size / 2)
              .sub(0.5);
        return taps[mode](x as Tensor, (at) => padded(at, size, paddingMode, alignCorners)).map(
          ([position, weight]) => {
            const inside = position.ge(0).logicalAnd(position.le(size - 1));
            const index = position.detach().where(inside, 0).to("int64") as Tensor;
            return [index, inside, weight] as const;
          },
        );
      };
      const flat = x.reshape([images, channels, height * width]);
      let sum: Tensor | null = null;
      for (const [row, isRow, up] of along(1, height))
        for (const [column, isColumn, across] of along(0, width)) {
          const index = row
            .mul(width)
            .add(column)
            .broadcastTo([images, channels, rows * columns]);
          const taken = flat.gather(2, index as Tensor<"int64">).mul(up.mul(across));
          const counted = taken.where(isRow.logicalAnd(isColumn), 0) as Tensor;
          sum = sum === null ? counted : (sum.add(counted) as Tensor);
        }
      const isPlace = places.isnan().any({ axis: -1 }).logicalNot().unsqueeze(1);
      return sum!.reshape([images, channels, rows, columns]).where(isPlace, NaN);
    },
  );

/**
 * The grid [images, height, width, 2] for {@link gridSample} that moves images by matrices [images, 2, 3]: each place
 * (x, y, 1) of the result is looked up at theta · (x, y, 1). `size`: the result's shape, [images, channels, height,
 * width]. Throws TensorError for shapes that do not fit.
 * @example
 * affineGrid(tensor([[[1, 0, 0], [0, 1, 0]]]), [1, 1, 1, 2], { alignCorners: true });
 * // → tensor([[[[-1, 0], [1, 0]]]], shape [1, 1, 2, 2], float32, cpu)
 */
export const affineGrid: <D extends DType>(
  theta: Tensor<D>,
  size: readonly number[],
  options?: GridOptions,
) => Tensor<D> = define(
  "affineGrid",
  { required: { size: wholeNumbers }, options: { alignCorners: flag }, bare: ["alignCorners"] },
  (theta, { size, alignCorners = false }) => {
    const [images, , height, width] = size as [number, number, number, number];
    if (size.length !== 4 || formatShape(theta.shape) !== formatShape([images, 2, 3]))
      throw new TensorError(
        "SHAPE",
        `affineGrid takes matrices [images, 2, 3] and a size of [images, channels, height, width] but got ${formatShape(theta.shape)} and ${formatShape(size)}.`,
      );
    const on = { dtype: theta.dtype, device: theta.device };
    const line = (count: number) => {
      const edge = alignCorners ? 1 : 1 - 1 / count;
      return count === 1 ? linspace(0, 0, 1, on) : linspace(-edge, edge, count, on);
    };
    const [y, x] = [line(height).unsqueeze(1), line(width)];
    const [xs, ys] = [x.broadcastTo([height, width]), y.broadcastTo([height, width])];
    const places = stack([xs, ys, xs.mul(0).add(1)], { axis: -1 }).reshape([1, height * width, 3]);
    return places.matmul(theta.swapAxes(1, 2)).reshape([images, height, width, 2]);
  },
);
