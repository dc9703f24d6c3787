// The methods that derive from the rows of operations on one tensor, and on two: what each says stands at its row, and
// scripts/declarations.mjs writes it out with the signature, since of a type that is mapped from rows no editor shows the
// sentences. Their code is made in methods.ts.
import type { DType } from "../memory/dtype.ts";
import type { FloatOf, Promoted, PromotedWith } from "../memory/promotion.ts";
import type { binaryRows, unaryRows } from "../ops/core/table.ts";
import type { Tensor } from "./tensor.ts";

export type Scalar = number | bigint | boolean;

/** The dtype that a tensor is computed in with another, or with a number, which is weak. */
export type CommonOf<D extends DType, Other> =
  Other extends Tensor<infer E> ? Promoted<D, E> : Other extends Scalar ? PromotedWith<D, Other> : never;

/** The dtype of a row's result, of operands that are computed in `D`. */
export type ResultOf<Row, D extends DType> = Row extends { result: "bool" }
  ? "bool"
  : Row extends { domain: "float" | "wide" }
    ? FloatOf<D>
    : D;

type Unary<D extends DType> = {
  [Name in keyof typeof unaryRows]: () => Tensor<ResultOf<(typeof unaryRows)[Name], D>>;
};
type Binary<D extends DType> = {
  [Name in keyof typeof binaryRows]: <O extends Tensor | Scalar>(
    other: O,
  ) => Tensor<ResultOf<(typeof binaryRows)[Name], CommonOf<D, O>>>;
};

/** Each gives a new tensor; of two, of the shape that both have together. */
export interface ElementwiseMethods<D extends DType> extends Unary<D>, Binary<D> {}
