// The methods and functions that derive from the table of operations: their types here, their code made from the rows' names.
import { apply, applyAll, applyInto } from "../ops/apply.ts";
import { binaryRows, operationNamed, unaryRows, type OperationName } from "../ops/table.ts";
import type { DeviceArray } from "../memory/array.ts";
import type { DType } from "../memory/dtype.ts";
import type { Computation } from "../ops/operation.ts";
import { TensorError } from "../errors.ts";
import { worded } from "../wording.ts";
import type { Tensor } from "./tensor.ts";

export type FloatDType = "float32" | "float64" | "float16" | "bfloat16";
type FloatOf<D extends DType> = D extends FloatDType ? D : "float32";

/** The dtype of a function of one tensor. */
type UnaryResult<Row, D extends DType> = Row extends { result: "bool" }
  ? "bool"
  : Row extends { domain: "float" }
    ? FloatOf<D>
    : D;
/** The dtype of an operation on a tensor and another, or a number, which is weak. */
type Common<D extends DType, E extends DType> = [D] extends [E] ? ([E] extends [D] ? D : DType) : DType;
type WithNumber<D extends DType> = D extends FloatDType ? D : D extends "bool" ? DType : D | "float32";
type BinaryResult<Row, D extends DType> = Row extends { result: "bool" }
  ? "bool"
  : Row extends { domain: "float" }
    ? FloatOf<D>
    : Row extends { domain: "logical" }
      ? "bool"
      : D;
type Number = number | bigint | boolean;

export interface BinaryMethod<Row, D extends DType> {
  <E extends DType>(other: Tensor<E>): Tensor<BinaryResult<Row, Common<D, E>>>;
  (other: Number): Tensor<BinaryResult<Row, WithNumber<D>>>;
}

type InPlace<Rows> = { [K in keyof Rows as Rows[K] extends { result: "same" } ? K : never]: Rows[K] };

export type UnaryMethods<D extends DType> = {
  [K in keyof typeof unaryRows]: () => Tensor<UnaryResult<(typeof unaryRows)[K], D>>;
};
export type BinaryMethods<D extends DType> = {
  [K in keyof typeof binaryRows]: BinaryMethod<(typeof binaryRows)[K], D>;
};
/** The in-place form of each: the result replaces this tensor's elements, and the tensor is returned. */
export type InPlaceMethods<D extends DType> = {
  [K in keyof InPlace<typeof unaryRows> as `${K & string}_`]: () => Tensor<D>;
} & { [K in keyof InPlace<typeof binaryRows> as `${K & string}_`]: (other: Tensor | Number) => Tensor<D> };

type UnaryFunctions = {
  [K in keyof typeof unaryRows]: <D extends DType>(x: Tensor<D>) => Tensor<UnaryResult<(typeof unaryRows)[K], D>>;
};
export interface BinaryFunction<Row> {
  <D extends DType, E extends DType>(a: Tensor<D>, b: Tensor<E>): Tensor<BinaryResult<Row, Common<D, E>>>;
  <D extends DType>(a: Tensor<D>, b: Number): Tensor<BinaryResult<Row, WithNumber<D>>>;
  <D extends DType>(a: Number, b: Tensor<D>): Tensor<BinaryResult<Row, WithNumber<D>>>;
}
type BinaryFunctions = { [K in keyof typeof binaryRows]: BinaryFunction<(typeof binaryRows)[K]> };

function checkedOperand(name: string, operand: unknown, isTensor: (value: unknown) => boolean): DeviceArray | number {
  if (isTensor(operand) || typeof operand === "number" || typeof operand === "bigint" || typeof operand === "boolean")
    return operand as DeviceArray;
  throw new TensorError(
    "OPERANDS",
    `${name} takes a tensor or a number but got ${worded(operand)}. Make a tensor of it with tensor(…).`,
  );
}

/** Gives the class the methods of every row. */
export function addMethods(prototype: object, isTensor: (value: unknown) => boolean): void {
  const define = (name: string, value: (this: DeviceArray, ...args: never[]) => unknown) =>
    Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
  for (const name of Object.keys(unaryRows) as (keyof typeof unaryRows)[]) {
    define(name, function () {
      return apply(name, [this], {});
    });
    if ((operationNamed(name) as Computation<object>).inPlace)
      define(`${name}_`, function () {
        applyInto(name, this, [this], {});
        return this;
      });
  }
  for (const name of Object.keys(binaryRows) as (keyof typeof binaryRows)[]) {
    define(name, function (other: unknown) {
      return apply(name, [this, checkedOperand(name, other, isTensor)], {});
    });
    if ((operationNamed(name) as Computation<object>).inPlace)
      define(`${name}_`, function (other: unknown) {
        applyInto(name, this, [this, checkedOperand(`${name}_`, other, isTensor)], {});
        return this;
      });
  }
}

/** The same operations as functions: `exp(x)`, `maximum(x, 0)`, `sub(1, x)`. */
export function functionsOf(isTensor: (value: unknown) => boolean): UnaryFunctions & BinaryFunctions {
  const functions: Record<string, unknown> = {};
  for (const name of [...Object.keys(unaryRows), ...Object.keys(binaryRows)] as OperationName[]) {
    const count = name in unaryRows ? 1 : 2;
    const compute = (...operands: unknown[]) => {
      if (operands.length !== count)
        throw new TensorError(
          "OPERANDS",
          `${name} takes ${count} operand${count === 1 ? "" : "s"} but got ${operands.length}.`,
        );
      const checked = operands.map((operand) => checkedOperand(name, operand, isTensor));
      if (!checked.some(isTensor))
        throw new TensorError(
          "OPERANDS",
          `${name} takes at least one tensor but got ${operands.map(worded).join(" and ")}. Use Math for numbers.`,
        );
      return applyAll(name, checked, {})[0];
    };
    functions[name] = Object.defineProperty(compute, "name", { value: name });
  }
  return functions as UnaryFunctions & BinaryFunctions;
}
