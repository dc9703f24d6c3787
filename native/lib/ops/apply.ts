// Runs one operation: checks that its operands go together, allocates the result and launches.
import { admits } from "../memory/dtype.ts";
import { TensorError } from "../errors.ts";
import { operations, type Attributes, type Operation, type OperationName } from "./table.ts";
import { fill } from "./operand.ts";
import type { Storage } from "../memory/storage.ts";
import { formatShape } from "../memory/shape.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";

/** The result of an operation, which runs asynchronously. The first operand is a tensor; numbers are taken in its dtype. Throws TensorError, OutOfMemory. */
export function apply<N extends OperationName>(name: N, operands: readonly (Tensor | number | bigint)[], attributes: Attributes[N]): Tensor {
  const operation = operations[name] as Operation<Attributes[N]>;
  const first = operands[0] as Tensor;
  const { device } = living(first, name);
  const scalars: Tensor[] = [];
  const inputs = operands.map((operand) => {
    if (operand instanceof Tensor) return operand;
    const made = scalarLike(first, operand, name);
    scalars.push(made);
    return made;
  });
  for (const input of inputs) {
    const storage = living(input, name);
    if (storage.device !== device) throw new TensorError("DEVICE", `Expected operands of ${name} on one device but got ${first.device} and ${input.device}: copy one with .to("${first.device}").`);
    if (input.dtype !== first.dtype) throw new TensorError("DTYPE", `Expected operands of ${name} of one dtype but got ${first.dtype} and ${input.dtype}: convert one with .to("${first.dtype}").`);
  }
  const { shape, dtype } = operation.infer(inputs, attributes);
  const out = Tensor.empty(device, dtype, shape);
  if (out.size > 0) operation.run(device, out, inputs, attributes);
  for (const scalar of scalars) scalar.dispose();
  return out;
}

function living(tensor: Tensor, name: string): Storage {
  if (tensor.storage === null) throw new TensorError("DISPOSED", `Expected living tensors for ${name} but got one of shape ${formatShape(tensor.shape)} that has been disposed of.`);
  return tensor.storage;
}

function scalarLike(tensor: Tensor, value: unknown, name: string): Tensor {
  const { dtype } = tensor;
  if (!admits(dtype, value)) throw new TensorError("VALUE", `Expected a tensor or a number that ${dtype} holds for ${name} but got ${worded(value)}.`);
  const scalar = Tensor.empty(tensor.storage!.device, dtype, []);
  fill(scalar, value);
  return scalar;
}
