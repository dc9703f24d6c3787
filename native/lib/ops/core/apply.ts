// Runs one operation: checks that its operands go together, allocates the results, launches, and tells what records it.
import { DeviceArray, relate, viewOf } from "../../memory/array.ts";
import { checkRank, stridesOf, transposed } from "../../memory/shape.ts";
import { Storage } from "../../memory/storage.ts";
import { factsOf } from "../../memory/dtype.ts";
import { TensorError } from "../../errors.ts";
import { callsGoTo } from "./calls.ts";
import { composed, isOfComplex } from "../complex/composed.ts";
import { copy } from "../shape/copy.ts";
import { casting, deferring, observing, recording, tracing, watching } from "./hooks.ts";
import { sameShape } from "../kernels/map.ts";
import { inverse, orderOf, turned } from "./order.ts";
import type { Computation, Facts, Operand, Viewing } from "./operation.ts";
import { operationNamed, type AttributesOf, type InputsOf, type OperationName } from "./table.ts";
import { promoted } from "../../memory/promotion.ts";

/** Says that something outside of the table reads an operand. Throws TensorError where it has been disposed of. */
export function readOperand(name: string, operand: DeviceArray): void {
  operand.living(name);
  watching.current?.(operand);
}

type Constructor = new (
  storage: Storage,
  dtype: Facts["dtype"],
  view: DeviceArray,
  contiguous?: boolean,
) => DeviceArray;

/**
 * The results of an operation, of the class of its first tensor. They are computed asynchronously. Throws TensorError,
 * OutOfMemory.
 */
export function applyAll<N extends OperationName>(
  name: N,
  inputs: InputsOf<N>,
  attributes: AttributesOf<N>,
): readonly DeviceArray[] {
  return applyNamed(name, inputs, attributes);
}

/** The results of an operation that is known by its name only. */
function applyNamed(name: string, given: readonly Operand[], attributes: object): readonly DeviceArray[] {
  const operation = operationNamed(name);
  const caster = casting.current;
  const inputs = caster === null ? given : caster.operands(name, given);
  const tracer = tracing.current;
  if (tracer !== null) {
    const traced = tracer.trace(name, operation, inputs, attributes);
    if (traced !== null) return traced;
  }
  const first = checkedOperands(name, inputs);
  if (isOfComplex(name, inputs, attributes)) {
    const made = composed(name, inputs, attributes);
    if (made !== null) return made;
  }
  const seenBy = observing.current;
  const before = seenBy === null ? 0 : seenBy.before();
  const outputs =
    "view" in operation
      ? [show(name, operation, first, attributes)]
      : compute(name, operation, first, inputs, attributes);
  if (seenBy !== null) seenBy.after({ name, operation, inputs, outputs, attributes }, before);
  recording.current?.record({ name, operation, inputs, outputs, attributes });
  return outputs;
}

/** The result of an operation that has one. */
export function apply<N extends OperationName>(name: N, inputs: InputsOf<N>, attributes: AttributesOf<N>): DeviceArray {
  return applyNamed(name, inputs, attributes)[0]!;
}

function show(name: string, operation: Viewing, input: DeviceArray, attributes: object): DeviceArray {
  const view = operation.view(input, attributes);
  checkRank(`the result of ${name}`, view.shape);
  const shown = make(input, input.living().hold(), view, operation.dtype?.(input) ?? input.dtype);
  relate(shown, input, name, attributes);
  return shown;
}

function compute(
  name: string,
  operation: Computation,
  first: DeviceArray,
  inputs: readonly Operand[],
  attributes: object,
): DeviceArray[] {
  const { device } = first.living();
  const facts = operation.infer(inputs, attributes);
  for (const { shape } of facts) checkRank(`the result of ${name}`, shape);
  const axes = orderOf(operation, facts[0]!.shape, inputs);
  if (axes !== null) return [computeInOrder(operation, first, inputs, attributes, facts[0]!, axes)];
  const outputs = facts.map(({ shape, dtype, strides: own }) => {
    const strides = own ?? (first.isContiguous && shape === first.shape ? first.strides : stridesOf(shape));
    let size = 1;
    for (const length of shape) size *= length;
    const isRowMajor = own === undefined || undefined;
    return make(
      first,
      new Storage(device, size * factsOf(dtype).bytes),
      { shape, strides, offset: 0 },
      dtype,
      isRowMajor,
    );
  });
  try {
    if (outputs.some(({ size }) => size > 0)) {
      const isPutOff = deferring.current?.takes(name, operation, outputs[0]!, inputs, attributes, device.execution);
      if (isPutOff !== true) operation.run(outputs, inputs, attributes, device.execution);
    }
  } catch (error) {
    for (const output of outputs) output.dispose();
    throw error;
  }
  return outputs;
}

/** The result of an operation with one, its axes lying in another order than row-major. */
function computeInOrder(
  operation: Computation,
  first: DeviceArray,
  inputs: readonly Operand[],
  attributes: object,
  { shape, dtype }: Facts,
  axes: readonly number[],
): DeviceArray {
  const { device } = first.living();
  using target = DeviceArray.allocate(
    device,
    dtype,
    axes.map((axis) => shape[axis]!),
  );
  if (target.size > 0) runTurned(operation, target, turned(inputs, shape, axes), attributes);
  return make(first, target.living().hold(), transposed(target, inverse(axes)), dtype);
}

/** Runs an operation on views, which end with it. */
function runTurned(operation: Computation, target: DeviceArray, views: readonly Operand[], attributes: object): void {
  try {
    operation.run([target], views, attributes, target.execution);
  } finally {
    for (const view of views) if (view instanceof DeviceArray) view.dispose();
  }
}

/**
 * Writes the result of an operation over `target`, which may be one of its inputs. Throws TensorError when the result
 * has another shape, or a dtype of a higher kind.
 */
export function applyInto<N extends OperationName>(
  name: N,
  target: DeviceArray,
  inputs: InputsOf<N>,
  attributes: AttributesOf<N>,
): void {
  const operation = operationNamed(name) as Computation;
  checkedOperands(`${name}_`, [target, ...inputs]);
  if (name !== "convert" && isOfComplex(name, inputs, attributes)) {
    const made = composed(name, inputs, attributes);
    if (made !== null) return applyInto("convert", target, [made[0]!], { dtype: target.dtype });
  }
  const [facts] = operation.infer(inputs, attributes);
  if (!sameShape(facts!.shape, target.shape)) {
    throw new TensorError(
      "SHAPE",
      `${name}_ would give shape [${facts!.shape.join(", ")}], which does not fit in place of [${target.shape.join(", ")}].`,
    );
  }
  if (facts!.dtype !== target.dtype && promoted(facts!.dtype, target.dtype) !== target.dtype) {
    throw new TensorError(
      "DTYPE",
      `${name}_ computes in ${facts!.dtype}, which ${target.dtype} does not hold: use ${name}, or convert the tensor first.`,
    );
  }
  if (target.size === 0) return;
  const recorded = recording.current?.recordInPlace(name, operation, target, inputs, attributes);
  const seenBy = observing.current;
  const before = seenBy === null ? 0 : seenBy.before();
  runInto(name, operation, facts!, target, inputs, attributes);
  recorded?.();
  if (seenBy !== null) seenBy.after({ name, operation, inputs, outputs: [target], attributes }, before);
}

function runInto(
  name: string,
  operation: Computation,
  facts: Facts,
  target: DeviceArray,
  inputs: readonly Operand[],
  attributes: object,
): void {
  const on = target.living().device.execution;
  if (
    operation.inPlace &&
    facts.dtype === target.dtype &&
    !inputs.some((input) => input instanceof DeviceArray && overlapsUnevenly(input, target))
  ) {
    if (deferring.current?.takes(name, operation, target, inputs, attributes, on) === true) return;
    const axes = orderOf(operation, target.shape, [target, ...inputs]);
    if (axes === null) return operation.run([target], inputs, attributes, on);
    using view = viewOf(target, transposed(target, axes));
    return runTurned(operation, view, turned(inputs, target.shape, axes), attributes);
  }
  using result = DeviceArray.allocate(on.device, facts.dtype, facts.shape);
  operation.run([result], inputs, attributes, on);
  copy(on, target, result);
}

/** Whether writing `target` may change an element of `input` before it is read. */
function overlapsUnevenly(input: DeviceArray, target: DeviceArray): boolean {
  if (input.storage !== target.storage) return false;
  return (
    input.offset !== target.offset || !sameShape(input.shape, target.shape) || !sameShape(input.strides, target.strides)
  );
}

function make(
  like: DeviceArray,
  storage: Storage,
  view: { shape: readonly number[]; strides: readonly number[]; offset: number },
  dtype: Facts["dtype"],
  contiguous?: boolean,
): DeviceArray {
  return new (like.constructor as Constructor)(storage, dtype, view as DeviceArray, contiguous);
}

/** The first array among the operands, with all of them alive and on its device. */
function checkedOperands(name: string, inputs: readonly Operand[]): DeviceArray {
  const watcher = watching.current;
  let first: DeviceArray | undefined;
  for (const input of inputs) {
    if (!(input instanceof DeviceArray)) continue;
    const { device } = input.living(name);
    if (watcher !== null) watcher(input);
    if (first === undefined) first = input;
    else if (device !== first.storage!.device) {
      throw new TensorError(
        "DEVICE",
        `The operands of ${name} are on ${first.storage!.device.name} and ${device.name}: copy one with .to("${first.storage!.device.name}").`,
      );
    }
  }
  if (first === undefined) throw new TensorError("OPERANDS", `${name} takes at least one tensor.`);
  return first;
}

callsGoTo(applyNamed);
