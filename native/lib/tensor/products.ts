// Products of vectors, matrices and tensors beyond matmul.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import type { SumOf } from "../memory/promotion.ts";
import { broadcast, checkedAxis, formatShape, sizeOf } from "../memory/shape.ts";
import { promoted } from "../memory/promotion.ts";
import { listed } from "../wording.ts";
import {
  anything,
  axis,
  define,
  dtype,
  install,
  number,
  tensor,
  wholeNumber,
  wholeNumbers,
  type FunctionOf,
} from "./arguments.ts";
import { conj } from "./complex.ts";
import { stack } from "./joining.ts";
import { Tensor } from "./tensor.ts";

/** beta · this + alpha · product; both are 1 when left out, and with `beta` 0 this is not looked at. */
export interface ProductSumOptions {
  readonly beta?: number;
  readonly alpha?: number;
}
/** Which axes of two tensors are summed over: that many of the last and first, or lists of both. */
export type ProductAxes = number | readonly [readonly number[], readonly number[]];
/** `offset` > 0 is above the main diagonal; `axes`: the first two when left out. */
export interface TraceOptions<E extends DType = DType> {
  readonly offset?: number;
  readonly axes?: readonly [number, number];
  readonly dtype?: E;
}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * Σ a · b over axes of both, see {@link ProductAxes}; 2 when left out. The other axes stay, those of a first.
     * @example
     * ones([2, 3, 4]).tensordot(ones([3, 4, 5])).shape; // → [ 2, 5 ]
     */
    tensordot(other: Tensor, axes?: ProductAxes | { readonly axes?: ProductAxes }): Tensor;
    /**
     * Products of vectors: Σ a · b along an axis, the last when left out; the other axes broadcast. Of complex numbers
     * those of a are conjugated.
     * @example
     * tensor([[1, 2], [3, 4]]).vecdot(tensor([5, 6])); // → tensor([17, 39], shape [2], float32, cpu)
     */
    vecdot(other: Tensor, axis?: number | { readonly axis?: number; readonly dim?: number }): Tensor;
    /**
     * The outer product of all elements, a matrix: aᵢ · bⱼ.
     * @example
     * tensor([1, 2]).outer(tensor([3, 4])); // → tensor([[3, 4], [6, 8]], shape [2, 2], float32, cpu)
     */
    outer(other: Tensor): Tensor;
    /**
     * The inner product: Σ a · b over the last axis of both; without axes their product. Throws TensorError for axes of
     * two lengths.
     * @example
     * tensor([1, 2]).inner(tensor([3, 4])); // → tensor(11, shape [], float32, cpu)
     */
    inner(other: Tensor): Tensor;
    /**
     * NumPy's dot: Σ a · b over the last axis of a and the last but one of b, or its only one: of lists a number, of
     * matrices their product.
     * @example
     * tensor([1, 2]).dot(tensor([3, 4])); // → tensor(11, shape [], float32, cpu)
     */
    dot(other: Tensor): Tensor;
    /**
     * The cross product of vectors of 3 along an axis, the last when left out; the other axes broadcast.
     * @example
     * tensor([1, 0, 0]).cross(tensor([0, 1, 0])); // → tensor([0, 0, 1], shape [3], float32, cpu)
     */
    cross(other: Tensor, axis?: number | { readonly axis?: number; readonly dim?: number }): Tensor;
    /**
     * The sum of a diagonal of two axes, the first two when left out, see {@link TraceOptions}.
     * @example
     * tensor([[1, 2], [3, 4]]).trace(); // → tensor(5, shape [], float32, cpu)
     */
    trace<E extends DType = SumOf<D>>(options?: TraceOptions<E>): Tensor<E>;
    /**
     * A matrix product added: beta · x + alpha · a b; x broadcasts, and both factors are 1 when left out. Throws
     * TensorError for shapes that do not fit.
     * @example
     * ones([2, 2]).addmm(ones([2, 3]), ones([3, 2]), { beta: 10 });
     * // → tensor([[13, 13], [13, 13]], shape [2, 2], float32, cpu)
     */
    addmm(a: Tensor, b: Tensor, options?: ProductSumOptions): Tensor;
    /**
     * Products of batches of matrices added: beta · x + alpha · a b; x broadcasts, and both factors are 1 when left
     * out. Throws TensorError for shapes that do not fit.
     * @example
     * ones([1, 2, 2]).baddbmm(ones([1, 2, 3]), ones([1, 3, 2]));
     * // → tensor([[[4, 4], [4, 4]]], shape [1, 2, 2], float32, cpu)
     */
    baddbmm(a: Tensor, b: Tensor, options?: ProductSumOptions): Tensor;
  }
}

/** {@link Tensor.tensordot} as a function. */
export const tensordot: FunctionOf<"tensordot"> = define(
  "tensordot",
  { required: { other: tensor }, options: { axes: anything }, bare: ["axes"] },
  (x, { other, axes = 2 }) => {
    const [left, right] = summedAxes(x, other, axes);
    const sizes = left.map((each) => x.shape[each]!);
    if (sizes.some((size, at) => size !== other.shape[right[at]!]))
      throw new TensorError(
        "SHAPE",
        `tensordot sums over axes of equal sizes but got ${formatShape(sizes)} of ${formatShape(x.shape)} and ${formatShape(right.map((each) => other.shape[each]!))} of ${formatShape(other.shape)}.`,
      );
    const rest = (of: Tensor, without: readonly number[]) =>
      [...of.shape.keys()].filter((each) => !without.includes(each));
    const [rows, columns] = [rest(x, left), rest(other, right)];
    const sizesOf = (of: Tensor, list: readonly number[]) => list.map((each) => of.shape[each]!);
    const depth = sizeOf(sizes);
    const a = x.transpose([...rows, ...left]).reshape([sizeOf(sizesOf(x, rows)), depth]);
    const b = other.transpose([...right, ...columns]).reshape([depth, sizeOf(sizesOf(other, columns))]);
    return a.matmul(b).reshape([...sizesOf(x, rows), ...sizesOf(other, columns)]);
  },
);

function summedAxes(a: Tensor, b: Tensor, axes: unknown): readonly [number[], number[]] {
  if (Number.isSafeInteger(axes) && (axes as number) >= 0) {
    const many = axes as number;
    if (many > Math.min(a.shape.length, b.shape.length))
      throw new TensorError(
        "AXIS",
        `tensordot over ${many} axes takes tensors that have them but got shapes ${formatShape(a.shape)} and ${formatShape(b.shape)}.`,
      );
    return [Array.from({ length: many }, (_, at) => a.shape.length - many + at), [...Array(many).keys()]];
  }
  const lists = axes as readonly (readonly number[])[];
  const isPair =
    Array.isArray(axes) &&
    lists.length === 2 &&
    lists.every((list) => wholeNumbers.has(list)) &&
    lists[0]!.length === lists[1]!.length;
  if (!isPair)
    throw new TensorError(
      "AXIS",
      `tensordot takes axes as a number of them or two lists of as many, such as [[1, 2], [0, 1]], but got ${listed(axes)}.`,
    );
  const [left, right] = [a, b].map((each, at) => lists[at]!.map((one) => checkedAxis(one, each.shape.length)));
  if (new Set(left).size !== left!.length || new Set(right).size !== right!.length)
    throw new TensorError(
      "AXIS",
      `tensordot sums over each axis once but got ${listed(lists[0])} and ${listed(lists[1])}.`,
    );
  return [left!, right!];
}

/** {@link Tensor.vecdot} as a function. */
export const vecdot: FunctionOf<"vecdot"> = define(
  "vecdot",
  { required: { other: tensor }, options: { axis }, bare: ["axis"] },
  (x, { other, axis: named = -1 }) => {
    const [a, b] = [x, other].map((each) => vectorsLast("vecdot", each, named));
    if (a!.shape.at(-1) !== b!.shape.at(-1)) throw unequal("vecdot", x, other);
    return conj(a!)
      .mul(b!)
      .sum({ axis: -1, dtype: promoted(a!.dtype, b!.dtype) });
  },
);

const unequal = (name: string, a: Tensor, b: Tensor) =>
  new TensorError(
    "SHAPE",
    `${name} takes vectors of one length but got shapes ${formatShape(a.shape)} and ${formatShape(b.shape)}.`,
  );

/** With the axis of the vectors moved to the end. */
function vectorsLast(name: string, x: Tensor, named: number): Tensor {
  if (x.shape.length === 0) throw new TensorError("AXIS", `${name} takes tensors with axes but got one without.`);
  return x.moveAxis(checkedAxis(named, x.shape.length), -1);
}

/** {@link Tensor.outer} as a function. */
export const outer: FunctionOf<"outer"> = define("outer", { required: { other: tensor } }, (x, { other }) =>
  x.reshape([-1, 1]).mul(other.reshape([1, -1])),
);

/** {@link Tensor.inner} as a function. */
export const inner: FunctionOf<"inner"> = define("inner", { required: { other: tensor } }, (x, { other }) => {
  if (x.shape.length === 0 || other.shape.length === 0) return x.mul(other);
  if (x.shape.at(-1) !== other.shape.at(-1)) throw unequal("inner", x, other);
  return tensordot(x, other, [[-1], [-1]]);
});

/** {@link Tensor.dot} as a function. */
export const dot: FunctionOf<"dot"> = define("dot", { required: { other: tensor } }, (x, { other }) => {
  if (x.shape.length === 0 || other.shape.length === 0) return x.mul(other);
  return tensordot(x, other, [[-1], [other.shape.length === 1 ? 0 : -2]]);
});

/** {@link Tensor.cross} as a function. */
export const cross: FunctionOf<"cross"> = define(
  "cross",
  { required: { other: tensor }, options: { axis }, bare: ["axis"] },
  (x, { other, axis: named = -1 }) => {
    const [a, b] = [x, other].map((each) => vectorsLast("cross", each, named));
    if (a!.shape.at(-1) !== 3 || b!.shape.at(-1) !== 3)
      throw new TensorError(
        "SHAPE",
        `cross takes vectors of 3 along axis ${named} but got shapes ${formatShape(x.shape)} and ${formatShape(other.shape)}.`,
      );
    const of = (each: Tensor, at: number) => each.slice(...each.shape.slice(1).map(() => null), at);
    const component = (at: number) => {
      const [next, after] = [(at + 1) % 3, (at + 2) % 3];
      return of(a!, next)
        .mul(of(b!, after))
        .sub(of(a!, after).mul(of(b!, next)));
    };
    const rank = broadcast(a!.shape, b!.shape).length;
    const place = named < 0 ? named : named - Math.max(x.shape.length, other.shape.length);
    return stack([component(0), component(1), component(2)], { axis: place + rank });
  },
);

/** {@link Tensor.trace} as a function. */
export const trace: FunctionOf<"trace"> = define(
  "trace",
  { options: { offset: wholeNumber, axes: wholeNumbers, dtype } },
  (x, { offset = 0, axes = [0, 1], dtype: wanted }) => {
    if (x.shape.length < 2)
      throw new TensorError(
        "SHAPE",
        `trace takes a matrix, or batches of them, but got shape ${formatShape(x.shape)}.`,
      );
    const diagonal = x.diagonal({ offset, axes: axes as [number, number] });
    return diagonal.sum(wanted === undefined ? { axis: -1 } : { axis: -1, dtype: wanted });
  },
);

function productSum(name: "addmm" | "baddbmm", rank: 2 | 3): FunctionOf<"addmm"> {
  return define(
    name,
    { required: { a: tensor, b: tensor }, options: { beta: number, alpha: number } },
    (x, { a, b, beta = 1, alpha = 1 }) => {
      if (a.shape.length !== rank || b.shape.length !== rank)
        throw new TensorError(
          "SHAPE",
          `${name} takes two tensors of ${rank} axes but got shapes ${formatShape(a.shape)} and ${formatShape(b.shape)}.`,
        );
      const product = a.matmul(b);
      if (formatShape(broadcast(x.shape, product.shape)) !== formatShape(product.shape))
        throw new TensorError(
          "SHAPE",
          `${name} adds a tensor that broadcasts to ${formatShape(product.shape)} but got shape ${formatShape(x.shape)}.`,
        );
      const scaled = alpha === 1 ? product : product.mul(alpha);
      return beta === 0 ? scaled : scaled.add(beta === 1 ? x : x.mul(beta));
    },
  );
}

/** {@link Tensor.addmm} as a function. */
export const addmm: FunctionOf<"addmm"> = productSum("addmm", 2);
/** {@link Tensor.baddbmm} as a function. */
export const baddbmm: FunctionOf<"baddbmm"> = productSum("baddbmm", 3);

install(Tensor.prototype, { tensordot, vecdot, outer, inner, dot, cross, trace, addmm, baddbmm });
