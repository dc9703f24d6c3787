// Functions with a gradient of the user's own: forward and backward written side by side, and recorded as one step of
// the tape.
import { isRecording, recording } from "../ops/core/hooks.ts";
import { call } from "../ops/core/calls.ts";
import { sameShape } from "../ops/kernels/map.ts";
import type { Operand } from "../ops/core/operation.ts";
import type { DeviceArray } from "../memory/array.ts";
import { GradientError } from "../errors.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { append, trackOf } from "./tape.ts";

/**
 * What forward leaves for backward. Numbers and the like may be set on it under names of their own.
 * @example
 * class Twice extends AutogradFunction {
 *   static forward(context: FunctionContext, x: Tensor, factor: number) {
 *     context.factor = factor;
 *     return x.mul(factor);
 *   }
 *   static backward(context: FunctionContext, gradient: Tensor) {
 *     return [gradient.mul(context.factor as number), null];
 *   }
 * }
 * grad((x: Tensor) => Twice.apply(x, 2).sum())(tensor([1, 1])); // → tensor([2, 2], shape [2], float32, cpu)
 */
export class FunctionContext {
  [name: string]: unknown;
  /** Which arguments want a gradient. */
  readonly needsInputGrad: readonly boolean[];
  #saved: readonly Tensor[] = [];

  constructor(needsInputGrad: readonly boolean[]) {
    this.needsInputGrad = needsInputGrad;
  }

  /** Keeps tensors for backward: arguments, results, or others. Their memory is freed when backward has used them. */
  saveForBackward(...tensors: readonly Tensor[]): void {
    this.#saved = tensors;
  }
  /** What {@link saveForBackward} kept, in its order. */
  get savedTensors(): readonly Tensor[] {
    return this.#saved;
  }
}

interface FunctionClass<A extends readonly unknown[], R extends Tensor | readonly Tensor[]> {
  readonly name: string;
  forward(context: FunctionContext, ...args: A): R;
  backward(context: FunctionContext, ...gradients: Tensor[]): Tensor | null | readonly (Tensor | null)[];
}

/**
 * A function with its own gradient: a class with `static forward(context, …args)`, which returns a tensor or an
 * array of them and is not recorded itself, and `static backward(context, …gradients)`, which takes one gradient for
 * each result and returns one for each argument, `null` for none. Called with `apply(…args)`.
 * @example
 * class Cube extends AutogradFunction {
 *   static forward(context: FunctionContext, x: Tensor) {
 *     context.saveForBackward(x);
 *     return x.pow(3);
 *   }
 *   static backward(context: FunctionContext, gradient: Tensor) {
 *     return context.savedTensors[0].square().mul(gradient).mul(3);
 *   }
 * }
 * grad((x: Tensor) => Cube.apply(x).sum())(tensor([2])); // → tensor([12], shape [1], float32, cpu)
 */
export abstract class AutogradFunction {
  /**
   * The results of forward. Throws GradientError when backward does not return one gradient for each argument, of its
   * shape.
   */
  static apply<A extends readonly unknown[], R extends Tensor | readonly Tensor[]>(
    this: FunctionClass<A, R>,
    ...args: A
  ): R {
    const wanted = args.map((argument) => argument instanceof Tensor && trackOf(argument) !== null);
    const context = new FunctionContext(wanted);
    const result = recording.run(null, () => this.forward(context, ...args));
    const list: readonly unknown[] = Array.isArray(result) ? result : [result];
    const odd = list.find((each) => !(each instanceof Tensor));
    if (odd !== undefined)
      throw new GradientError(
        "OPERANDS",
        `Forward of ${this.name} must return a tensor or an array of tensors, but returned ${worded(odd)}.`,
      );
    if (!isRecording() || !wanted.includes(true)) return result;
    // An argument that comes back is another tensor: one that was computed.
    const outputs = (list as readonly Tensor[]).map((each) => (args.includes(each) ? each.detach() : each));
    // Views of arguments, too: how they came about is for backward to say.
    for (const output of outputs) output.lineage = null;
    record(this, context, args, list as readonly Tensor[], outputs);
    return (Array.isArray(result) ? outputs : outputs[0]) as R;
  }
}

function record(
  made: Pick<FunctionClass<never, Tensor>, "name" | "backward">,
  context: FunctionContext,
  args: readonly unknown[],
  returned: readonly Tensor[],
  outputs: readonly Tensor[],
): void {
  const saved = context.savedTensors;
  // The tape holds what is saved, and knows when it is changed: results as outputs, the rest as further inputs, which
  // get no gradient.
  const others = saved.filter((tensor) => !returned.includes(tensor));
  const gradient = (
    gradients: readonly (DeviceArray | null)[],
    forward: { readonly inputs: readonly Operand[]; readonly outputs: readonly DeviceArray[] },
  ) => {
    context.saveForBackward(
      ...saved.map(
        (tensor) =>
          (returned.includes(tensor)
            ? forward.outputs[returned.indexOf(tensor)]
            : forward.inputs[args.length + others.indexOf(tensor)]) as Tensor,
      ),
    );
    const whole = gradients.map((each, index) => each ?? call("fullLike", [forward.outputs[index]!], { value: 0 }));
    const back = made.backward(context, ...(whole as Tensor[]));
    context.saveForBackward();
    return checked(made.name, Array.isArray(back) ? back : [back], args, context.needsInputGrad);
  };
  append(made.name, { gradient }, [...args, ...others] as Operand[], outputs, {});
}

function checked(
  name: string,
  gradients: readonly unknown[],
  args: readonly unknown[],
  wanted: readonly boolean[],
): (DeviceArray | null)[] {
  if (gradients.length !== args.length)
    throw new GradientError(
      "BACKWARD",
      `Backward of ${name} returns one gradient for each of its ${args.length} arguments, but returned ${gradients.length}.`,
    );
  return gradients.map((gradient, index) => {
    const argument = args[index];
    if (gradient === null || gradient === undefined || !wanted[index]) return null;
    if (!(gradient instanceof Tensor))
      throw new GradientError(
        "BACKWARD",
        `Backward of ${name} returned ${worded(gradient)} as the gradient of argument ${index}.`,
      );
    const { shape, dtype } = argument as Tensor;
    if (!sameShape(gradient.shape, shape))
      throw new GradientError(
        "BACKWARD",
        `Backward of ${name} returned a gradient of shape [${gradient.shape.join(", ")}] for argument ${index}, which has shape [${shape.join(", ")}].`,
      );
    return gradient.dtype === dtype ? gradient : call("convert", [gradient], { dtype });
  });
}
