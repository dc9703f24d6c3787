// What the table says of one operation: its rule for shape and dtype, how it runs, its gradient and its cost. `I` is
// what it takes, operand for operand, and `A` what it is told beside them.
import type { Execution } from "../../device/execution.ts";
import type { DType } from "../../memory/dtype.ts";
import type { DeviceArray } from "../../memory/array.ts";
import type { Shape, View } from "../../memory/shape.ts";

export interface Facts {
  readonly shape: Shape;
  readonly dtype: DType;
  /** Where its elements lie in another order than row-major, without gaps. */
  readonly strides?: readonly number[];
}

/** A number among the operands: weak, it takes the dtype of the tensor beside it. */
export type Scalar = number | bigint | boolean;
export type Operand = DeviceArray | Scalar;
type Operands = readonly Operand[];

/** Bytes that must move at least, and arithmetic operations. */
export interface Cost {
  readonly bytes: number;
  readonly flops: number;
}

/** What a gradient may use of the forward run. */
export interface Forward<I extends Operands, A> {
  readonly inputs: Readonly<I>;
  readonly outputs: readonly DeviceArray[];
  readonly attributes: A;
  /** Which inputs want a gradient. */
  readonly wanted: readonly boolean[];
  /** The gradients are differentiated in turn: they are made of operations that have gradients. */
  readonly isDifferentiated: boolean;
}

/** A gradient for each operand; `null` for one that has none. */
export type Gradients = readonly (DeviceArray | null)[];

/**
 * Turns the gradients of the outputs (`null`: that output reached no result) into those of the inputs, in terms of
 * other operations. A gradient has the shape and dtype of what it is the gradient of.
 */
export type Gradient<I extends Operands, A> = (gradients: Gradients, forward: Forward<I, A>) => Gradients;

interface Row<I extends Operands, A> {
  /** `null`: the operation has no gradient, and asking for one is an error. */
  readonly gradient: Gradient<I, A> | null;
  cost(inputs: Readonly<I>, outputs: readonly DeviceArray[], attributes: A): Cost;
}

/**
 * What one element of a result is, for a kernel that computes several operations at once: a functor of functors.cuh on
 * operands, each taken as a dtype.
 */
export interface Element {
  readonly functor: string;
  readonly operands: readonly (readonly [Operand, DType])[];
  readonly dtype: DType;
}

/** A reducer of reductions (reduction.cuh) with its parameter, over the last or other axes. */
export interface Reducing {
  readonly reducer: string;
  readonly axes: readonly number[];
  readonly parameter: number;
}

/** Computes new arrays. */
export interface Computation<I extends Operands = Operands, A = object> extends Row<I, A> {
  /** Shape and dtype of each result. Throws TensorError for operands that do not go together. */
  infer(inputs: Readonly<I>, attributes: A): readonly Facts[];
  /** Fills the outputs, which may be poisoned and have elements, by work that it writes to `on`. */
  run(outputs: readonly DeviceArray[], inputs: Readonly<I>, attributes: A, on: Execution): void;
  /** `run` fills outputs of any strides, also where an output is an input: the operation has an in-place form. */
  readonly inPlace: boolean;
  /**
   * For operations of one result per element, which lie in the order of the operands'. `dtype`: what the functor
   * computes in.
   */
  readonly element?: (inputs: Readonly<I>, attributes: A) => Element;
  /** One result per element, but in row-major order. */
  readonly isRowMajor?: true;
  /** For reductions. */
  readonly reducing?: (input: DeviceArray, attributes: A) => Reducing;
}

/** Shows the same memory another way. */
export interface Viewing<I extends Operands = Operands, A = object> extends Row<I, A> {
  view(input: DeviceArray, attributes: A): View;
  /** Where it shows the memory as another one than it is of. */
  dtype?(input: DeviceArray): DType;
  /** It shows each element at most once, and `view` depends on no strides: gradients of parts add up in one array. */
  readonly isPart?: true;
}

export type Operation = Computation | Viewing;

/** Nothing beside the operands. */
export type None = Readonly<Record<string, never>>;
