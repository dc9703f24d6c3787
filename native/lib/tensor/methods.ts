// The methods and functions that derive from the table of operations: their types here, their code made from the rows'
// names.
import { apply, applyInto } from "../ops/core/apply.ts";
import { callNamed } from "../ops/core/calls.ts";
import { binaryRows, operationNamed, unaryRows, type OperationName } from "../ops/core/table.ts";
import type { DeviceArray } from "../memory/array.ts";
import type { DType } from "../memory/dtype.ts";
import type { PromotedWith } from "../memory/promotion.ts";
import type { Computation } from "../ops/core/operation.ts";
import { TensorError } from "../errors.ts";
import { toBeTensor, worded } from "../wording.ts";
import type { CommonOf, ResultOf, Scalar } from "./elementwise.ts";
import type { Tensor } from "./tensor.ts";

type UnaryFunctions = {
  [K in keyof typeof unaryRows]: <D extends DType>(x: Tensor<D>) => Tensor<ResultOf<(typeof unaryRows)[K], D>>;
};
export interface BinaryFunction<Row> {
  <D extends DType, Other extends Tensor | Scalar>(a: Tensor<D>, b: Other): Tensor<ResultOf<Row, CommonOf<D, Other>>>;
  <N extends Scalar, D extends DType>(a: N, b: Tensor<D>): Tensor<ResultOf<Row, PromotedWith<D, N>>>;
}
type BinaryFunctions = { [K in keyof typeof binaryRows]: BinaryFunction<(typeof binaryRows)[K]> };

function checkedOperand(name: string, operand: unknown, isTensor: (value: unknown) => boolean): DeviceArray | number {
  if (isTensor(operand) || typeof operand === "number" || typeof operand === "bigint" || typeof operand === "boolean")
    return operand as DeviceArray;
  throw new TensorError(
    "OPERANDS",
    `${name} takes a tensor or a number but got ${worded(operand)}. ${toBeTensor(operand)}`,
  );
}

/** What to write for options that other libraries have for operations on elements. */
const instead: Readonly<Record<string, (call: string) => string>> = {
  alpha: (call) => `x.${call}(y.mul(2))`,
  rounding_mode: () => "x.floorDivide(y), or x.div(y).trunc()",
  roundingMode: () => "x.floorDivide(y), or x.div(y).trunc()",
  decimals: (call) => `x.copy_(x.${call.replace(/_$/, "")}({ decimals: 2 }))`,
  beta: (call) => `x.copy_(x.${call.replace(/_$/, "")}({ beta: 2 }))`,
  out: (call) => `out.copy_(x.${call}(…))`,
  where: (call) => `where(mask, x.${call}(…), x)`,
};

function refuseSurplus(name: string, count: number, surplus: readonly unknown[]): void {
  const odd = surplus.find((each) => each !== undefined);
  if (odd === undefined) return;
  const key = Object.keys(Object(odd)).find((each) => Object.hasOwn(instead, each));
  throw new TensorError(
    "OPERANDS",
    `${name} does not take ${worded(odd)} there. Write ${key === undefined ? `x.${name}(${count === 1 ? "" : "y"})` : instead[key]!(name)}.`,
  );
}

/** Gives the class the methods of every row. */
export function addMethods(prototype: object, isTensor: (value: unknown) => boolean): void {
  const define = (name: string, count: 1 | 2, compute: (this: DeviceArray, other: unknown) => unknown) => {
    const value = function (this: DeviceArray, other: unknown): unknown {
      if (arguments.length >= count) refuseSurplus(name, count, [...arguments].slice(count - 1));
      return compute.call(this, other);
    };
    Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
  };
  for (const name of Object.keys(unaryRows) as (keyof typeof unaryRows)[]) {
    define(name, 1, function () {
      return apply(name, [this], {});
    });
    if ((operationNamed(name) as Computation).inPlace)
      define(`${name}_`, 1, function () {
        applyInto(name, this, [this], {});
        return this;
      });
  }
  for (const name of Object.keys(binaryRows) as (keyof typeof binaryRows)[]) {
    define(name, 2, function (other) {
      return apply(name, [this, checkedOperand(name, other, isTensor)], {});
    });
    if ((operationNamed(name) as Computation).inPlace)
      define(`${name}_`, 2, function (other) {
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
      return callNamed(name, checked, {})[0];
    };
    functions[name] = Object.defineProperty(compute, "name", { value: name });
  }
  return functions as UnaryFunctions & BinaryFunctions;
}
