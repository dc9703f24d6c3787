// The forms in place of the methods that derive from the table: of each whose result has the operands' dtype.
// scripts/declarations.mjs writes them out in the declarations, with what the method without the underscore says.
import type { DType } from "../memory/dtype.ts";
import type { binaryRows, unaryRows } from "../ops/core/table.ts";
import type { Tensor } from "./tensor.ts";

type InPlace<Rows, Method> = {
  [Name in keyof Rows & string as Rows[Name] extends { result: "same" } ? `${Name}_` : never]: Method;
};
type Unary<D extends DType> = InPlace<typeof unaryRows, () => Tensor<D>>;
type Binary<D extends DType> = InPlace<typeof binaryRows, (other: Tensor | number | bigint | boolean) => Tensor<D>>;

/** Each writes its result over the tensor's elements, in their dtype, and returns the tensor. */
export interface InPlaceMethods<D extends DType> extends Unary<D>, Binary<D> {}
