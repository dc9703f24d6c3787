// Gradients kept from growing too large.
import { noGrad } from "../autograd/gradients.ts";
import { gradientOf } from "../autograd/tape.ts";
import { TensorError } from "../errors.ts";
import type { DeviceArray } from "../memory/array.ts";
import { Tensor } from "../tensor/tensor.ts";
import { cutToNorm } from "../ops/gradient-lists.ts";
import { checkedNumber } from "./optimizer.ts";

/**
 * Multiplies the gradients of all parameters by one number, so that their norm together is at most `most`; smaller ones
 * stay as they are. Two kernels for all gradients of a dtype, with the same result from run to run. Returns what the
 * norm was, as a tensor: nothing waits for the device. With a gradient that is not
 * finite all of them become NaN. Throws TensorError when no parameter has a gradient.
 * @example
 * const w = tensor([3, 4]);
 * w.requiresGrad = true;
 * w.square().sum().mul(0.5).backward();
 * optim.clipGradNorm([w], 1); // → tensor(5, shape [], float32, cpu)
 * w.grad; // → tensor([0.6, 0.8], shape [2], float32, cpu)
 */
export function clipGradNorm(parameters: Iterable<Tensor>, most: number): Tensor {
  checkedNumber("clipGradNorm", "a norm", most, (value) => value > 0, "above 0");
  const gradients = gradientsOf("clipGradNorm", parameters);
  const { deviceProcess, execution } = gradients[0]!;
  for (const each of gradients) {
    each.living("clipGradNorm");
    if (each.deviceProcess !== deviceProcess)
      throw new TensorError(
        "DEVICE",
        `clipGradNorm found gradients on ${deviceProcess.name} and on ${each.deviceProcess.name}: their norm together has no device. Cut those of each device alone.`,
      );
  }
  const norm = Tensor.empty(
    deviceProcess,
    gradients.some(({ dtype }) => dtype === "float64") ? "float64" : "float32",
    [],
  );
  cutToNorm(execution, gradients, most, norm);
  return norm;
}

/**
 * Makes each element of the gradients of all parameters at least −`most` and at most `most`, in place; NaN stays.
 * Throws TensorError when no parameter has a gradient.
 * @example
 * const w = tensor([3, -4]);
 * w.requiresGrad = true;
 * w.square().sum().mul(0.5).backward();
 * optim.clipGradValue([w], 3.5);
 * w.grad; // → tensor([3.0, -3.5], shape [2], float32, cpu)
 */
export function clipGradValue(parameters: Iterable<Tensor>, most: number): void {
  checkedNumber("clipGradValue", "a value", most, (value) => value >= 0, "of at least 0");
  const list = (parameters as unknown) instanceof Tensor ? parameters : [...parameters];
  for (const each of gradientsOf("clipGradValue", list)) each.living("clipGradValue");
  for (const { grad } of list) if (grad !== null) noGrad(() => grad.copy_(grad.clamp(-most, most)));
}

/** The gradients of those parameters that have one. Throws TensorError where none has. */
function gradientsOf(name: string, parameters: Iterable<Tensor>): DeviceArray[] {
  if ((parameters as unknown) instanceof Tensor)
    throw new TensorError("OPERANDS", `${name} takes a list of parameters but got a tensor: write [x].`);
  const gradients = [...parameters].flatMap((parameter) => gradientOf(parameter) ?? []);
  if (gradients.length === 0)
    throw new TensorError("OPERANDS", `${name} found no gradients: call backward() before it.`);
  return gradients;
}
