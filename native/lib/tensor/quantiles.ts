// Middles and quantiles along an axis, also of rows with elements that are not there.
import { TensorError } from "../errors.ts";
import { adviceToCompute, factsOf, type DType } from "../memory/dtype.ts";
import { checkedAxis } from "../memory/shape.ts";
import { worded } from "../wording.ts";
import { axis, define, either, flag, install, number, numbers, oneOf, tensor, type FunctionOf } from "./arguments.ts";
import { tensor as createTensor } from "./create.ts";
import { selected, type AxisOptions, type Selected } from "./scans.ts";
import { axisIn, checkedCount, kth } from "./sorting.ts";
import { Tensor } from "./tensor.ts";

/** Where a place between two elements counts as lying; `nearest`: of a half the even place. */
const interpolations = {
  linear: (place: Tensor) => place,
  lower: (place: Tensor) => place.floor(),
  higher: (place: Tensor) => place.ceil(),
  midpoint: (place: Tensor) => place.floor().add(place.ceil()).mul(0.5),
  nearest: (place: Tensor) => place.round(),
} as const satisfies Record<string, (place: Tensor) => Tensor>;

/**
 * What a quantile between two elements is: "linear" in proportion, as when left out, the "lower", the "higher", the
 * "midpoint" of both, or the "nearest", of a half that at the even place.
 */
export type QuantileInterpolation = keyof typeof interpolations;

/** `axis`: all elements when left out. `interpolation`, NumPy's `method`: see {@link QuantileInterpolation}. */
export interface QuantileOptions extends AxisOptions {
  readonly interpolation?: QuantileInterpolation;
  readonly method?: QuantileInterpolation;
  readonly keepdims?: boolean;
}

/** `keepdims`: the axis stays, with one element; all axes where none is named. */
export interface MedianOptions extends AxisOptions {
  readonly keepdims?: boolean;
  readonly keepdim?: boolean;
}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * The middle element along an axis, of two the lower, and where it is; of all elements, row by row, when the axis
     * is left out. NaN where there is one. The mean of two is `quantile(0.5)`.
     * @example
     * tensor([5, 1, 3, 2]).median().values; // → tensor(2, shape [], float32, cpu)
     */
    median(axis?: number | MedianOptions, keepdims?: boolean): Selected<D>;
    /**
     * {@link Tensor.median} of the elements that are not NaN; NaN where all are.
     * @example
     * tensor([5, NaN, 3, 2]).nanmedian().values; // → tensor(3, shape [], float32, cpu)
     */
    nanmedian(axis?: number | MedianOptions, keepdims?: boolean): Selected<D>;
    /**
     * The number below which the part `q` (0 to 1) of the elements, or of those along an axis, lies, see
     * {@link QuantileOptions}; of
     * several parts, a list or a tensor, one after the other along new first axes. Floats; NaN where there is one.
     * Waits for a `q` that is a tensor.
     * @example
     * tensor([1, 2, 3, 4, 5]).quantile([0.25, 0.5]); // → tensor([2, 3], shape [2], float32, cpu)
     * tensor([1, 2, 4]).quantile(0.25, { interpolation: "lower" }); // → tensor(1, shape [], float32, cpu)
     */
    quantile(q: number | readonly number[] | Tensor, axis?: number | QuantileOptions): Tensor<D>;
    /**
     * {@link Tensor.quantile} of the elements that are not NaN; NaN where all are.
     * @example
     * tensor([1, NaN, 2, 3]).nanquantile(0.5); // → tensor(2, shape [], float32, cpu)
     */
    nanquantile(q: number | readonly number[] | Tensor, axis?: number | QuantileOptions): Tensor<D>;
  }
}

/** Where no axis is named, all elements as one row, as NumPy and PyTorch have it. */
export const rowsOf = (x: Tensor, axis: number | undefined): { rows: Tensor; along: number } =>
  axis === undefined || x.shape.length === 0
    ? { rows: x.reshape([-1]) as Tensor, along: axisIn(x.reshape([-1]) as Tensor, axis) }
    : { rows: x, along: axisIn(x, axis) };

const isFloat = ({ dtype }: Tensor) => factsOf(dtype).kind === "float";

/** NaN where the row has one. */
function orNaN(x: Tensor, axis: number, values: Tensor): Tensor {
  return isFloat(x) ? values.where(x.isnan().any({ axis, keepdims: true }).logicalNot(), NaN) : values;
}

/** The parts as a list, and the shape that they came in. */
function partsOf(name: string, q: number | readonly number[] | Tensor): { parts: number[]; shape: readonly number[] } {
  const parts = q instanceof Tensor ? q.detach().reshape([-1]).to("float64").toArray() : [q].flat();
  const wrong = parts.find((each) => !(each >= 0 && each <= 1));
  if (wrong !== undefined)
    throw new TensorError("VALUE", `${name} takes a number from 0 to 1 but got ${worded(wrong)}.`);
  return { parts, shape: q instanceof Tensor ? q.shape : Array.isArray(q) ? [q.length] : [] };
}

const quantiles = <F extends (x: never, ...args: never[]) => unknown>(name: "quantile" | "nanquantile"): F =>
  define(
    name,
    {
      required: { q: either(either(number, numbers), tensor) },
      options: {
        axis,
        interpolation: oneOf(...(Object.keys(interpolations) as QuantileInterpolation[])),
        keepdims: flag,
      },
      bare: ["axis"],
      aliases: { method: "interpolation" },
    },
    (given, { q, axis, interpolation = "linear", keepdims = false }) => {
      if (!isFloat(given) || factsOf(given.dtype).isStorage)
        throw new TensorError(
          "DTYPE",
          `${name} takes floats that compute but got ${given.dtype}: ${adviceToCompute(given.dtype)}.`,
        );
      const { parts, shape } = partsOf(name, q);
      const { rows: x, along } = rowsOf(given, axis);
      checkedCount(`${name} of an empty axis`, Math.min(1, x.shape[along]!), x, along, 1);
      const { values: sorted } = selected("sort", x, { axis: along, descending: false });
      const { device } = x;
      const wanted = createTensor(parts, { dtype: "float64", device }).reshape(
        x.shape.map((_, each) => (each === along ? -1 : 1)),
      );
      const last =
        name === "quantile"
          ? x.shape[along]! - 1
          : x.isnan().logicalNot().sum({ axis: along, keepdims: true }).sub(1).clamp({ min: 0 }).to("float64");
      const place = interpolations[interpolation](wanted.mul(last));
      const at = (places: Tensor) => sorted.takeAlongAxis(places.to("int64"), along);
      const low = place.floor();
      // 16 bits hold no difference to take a part of, and beside an infinity there is none.
      const dtype = x.dtype === "float64" ? "float64" : "float32";
      const [below, above] = [at(low), at(place.ceil())].map((each) => each.to(dtype)) as [Tensor, Tensor];
      const between = below.add(above.sub(below).mul(place.sub(low).to(dtype))).where(below.ne(above), below);
      const found = (name === "quantile" ? orNaN(x, along, between) : between).to(x.dtype).moveAxis(along, 0);
      const rest = keepdims
        ? given.shape.map((size, each) => (axis === undefined || each === along ? 1 : size))
        : found.shape.slice(1);
      return found.reshape([...shape, ...rest]);
    },
  );

/** {@link Tensor.quantile} as a function. */
export const quantile: FunctionOf<"quantile"> = quantiles("quantile");
/** {@link Tensor.nanquantile} as a function. */
export const nanquantile: FunctionOf<"nanquantile"> = quantiles("nanquantile");

/** Both with the axis that was worked on, or with all where none was named. */
function keeping(
  { values, indices }: Selected,
  { shape }: Tensor,
  axis: number | undefined,
  keepdims = false,
): Selected {
  if (!keepdims || shape.length === 0) return { values, indices };
  const at = axis === undefined ? null : checkedAxis(axis, shape.length);
  const kept = shape.map((size, each) => (at === null || each === at ? 1 : size));
  return { values: values.reshape(kept), indices: indices.reshape(kept) };
}
const medianOptions = { options: { axis, keepdims: flag }, bare: ["axis", "keepdims"] } as const;

/** {@link Tensor.median} as a function. */
export const median: FunctionOf<"median"> = define("median", medianOptions, (given, { axis, keepdims }) => {
  const { rows: x, along } = rowsOf(given, axis);
  checkedCount("median of an empty axis", Math.min(1, x.shape[along]!), x, along, 1);
  const { values, indices } = kth(x, Math.floor((x.shape[along]! - 1) / 2), along);
  const found = orNaN(x, along, values.unsqueeze(along)).squeeze(along);
  return keeping({ values: found, indices }, given, axis, keepdims);
});

/** {@link Tensor.nanmedian} as a function. */
export const nanmedian: FunctionOf<"nanmedian"> = define("nanmedian", medianOptions, (given, { axis, keepdims }) => {
  if (!isFloat(given)) return given.median(axis, keepdims);
  const { rows: x, along } = rowsOf(given, axis);
  checkedCount("nanmedian of an empty axis", Math.min(1, x.shape[along]!), x, along, 1);
  const { values, indices } = selected("sort", x, { axis: along, descending: false });
  const count = x.isnan().logicalNot().sum({ axis: along, keepdims: true });
  const middle = count.sub(1).clamp({ min: 0 }).floorDivide(2);
  const at = (each: Tensor) => each.takeAlongAxis(middle, along).squeeze(along);
  return keeping({ values: at(values), indices: at(indices) }, given, axis, keepdims);
});

install(Tensor.prototype, { median, nanmedian, quantile, nanquantile });
