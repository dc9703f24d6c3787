// Gradients as users ask for them: of tensors, of functions, and with recording off.
import { DeviceArray } from "../memory/array.ts";
import { factsOf, hasGradients, type DType } from "../memory/dtype.ts";
import { GradientError } from "../errors.ts";
import { call } from "../ops/core/calls.ts";
import { sameShape } from "../ops/kernels/map.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { backward, withAnomalies, type BackwardOptions } from "./backward.ts";
import { withoutWaiting } from "./scopes.ts";
import { startRecording, withRecording } from "./recording.ts";
import { addHook, keepGradient, setGradient, setLeaf, shownGradientOf, trackOf } from "./tape.ts";

/** `retainGraph`: the tape can be used again. `createGraph`: the gradients can be differentiated in turn. */
export type { BackwardOptions } from "./backward.ts";

declare module "../tensor/tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * Whether gradients reach this tensor. Setting it makes a leaf of the tensor. Throws GradientError for integers,
     * and for a tensor that was computed.
     * @example
     * const w = tensor([3]);
     * w.requiresGrad = true;
     * w.square().sum().backward();
     * w.grad; // → tensor([6], shape [1], float32, cpu)
     */
    requiresGrad: boolean;
    /**
     * The gradient that {@link Tensor.backward} left here, or `null`. Gradients add up until it is set to `null`.
     * @example
     * const w = tensor([1, 2]);
     * w.requiresGrad = true;
     * w.mul(5).sum().backward();
     * w.grad; // → tensor([5, 5], shape [2], float32, cpu)
     */
    grad: Tensor<D> | null;
    /**
     * Whether it was not computed by a recorded operation: leaves keep their `grad`.
     * @example
     * const w = tensor([1]);
     * w.requiresGrad = true;
     * w.isLeaf; // → true
     * w.mul(2).isLeaf; // → false
     */
    readonly isLeaf: boolean;
    /**
     * Gradients of this tensor for all leaves that it was computed from, added to their `grad`. Without `gradient` it
     * must have one element.
     * @example
     * const w = tensor([1, 2]);
     * w.requiresGrad = true;
     * w.square().sum().backward();
     * w.grad; // → tensor([2, 4], shape [2], float32, cpu)
     */
    backward(gradient?: Tensor | BackwardOptions, options?: BackwardOptions): void;
    /**
     * The same memory as a tensor outside the graph: no gradient reaches it.
     * @example
     * const w = tensor([1]);
     * w.requiresGrad = true;
     * w.detach().requiresGrad; // → false
     */
    detach(): Tensor<D>;
    /**
     * Makes a computed tensor keep its `grad`, as leaves do. Returns the tensor.
     * @example
     * const w = tensor([2]);
     * w.requiresGrad = true;
     * const y = w.square().retainGrad();
     * y.mul(3).sum().backward();
     * y.grad; // → tensor([3], shape [1], float32, cpu)
     */
    retainGrad(): this;
    /**
     * Calls `hook` with each gradient that reaches this tensor; what it returns takes its place. Returns a function
     * that removes the hook.
     * @example
     * const w = tensor([2]);
     * w.requiresGrad = true;
     * w.registerHook((gradient) => gradient.clamp(-1, 1));
     * w.square().sum().backward();
     * w.grad; // → tensor([1], shape [1], float32, cpu)
     */
    registerHook(hook: (gradient: Tensor<D>) => Tensor<D> | void): () => void;
  }
}

function seedFor(root: Tensor, gradient: Tensor | undefined): DeviceArray {
  if (trackOf(root) === null)
    throw new GradientError(
      "NOT_TRACKED",
      "This tensor does not depend on any that requires a gradient: set requiresGrad = true on a tensor that it is computed from.",
    );
  if (gradient === undefined) {
    if (root.size !== 1)
      throw new GradientError(
        "SHAPE",
        `A gradient starts from one number, but this tensor has shape [${root.shape.join(", ")}]: take its sum() or mean(), or pass the gradient to start with.`,
      );
    return call("fullLike", [root], { value: 1 });
  }
  if (!sameShape(gradient.shape, root.shape))
    throw new GradientError(
      "SHAPE",
      `The gradient to start with has shape [${gradient.shape.join(", ")}], but the tensor has [${root.shape.join(", ")}].`,
    );
  return gradient.dtype === root.dtype ? gradient : call("convert", [gradient], { dtype: root.dtype });
}

const methods: PropertyDescriptorMap & ThisType<Tensor> = {
  requiresGrad: {
    get() {
      return this.track !== null;
    },
    set(wanted: boolean) {
      setLeaf(this, wanted);
    },
  },
  grad: {
    get() {
      return shownGradientOf(this);
    },
    set(gradient: Tensor | null) {
      setGradient(this, gradient);
    },
  },
  isLeaf: {
    get() {
      return trackOf(this)?.kind !== "node";
    },
  },
  backward: {
    value(this: Tensor, first?: Tensor | BackwardOptions, second: BackwardOptions = {}) {
      const gradient = first instanceof Tensor ? first : undefined;
      const options = first instanceof Tensor ? second : { ...first, ...second };
      withRecording(false, () => backward([this], [seedFor(this, gradient)], null, options));
    },
  },
  detach: {
    value(this: Tensor) {
      this.checkLiving("detach");
      const shown = withRecording(false, () => call("expand", [this], { shape: this.shape }));
      shown.lineage = null;
      return shown;
    },
  },
  retainGrad: {
    value(this: Tensor) {
      keepGradient(this);
      return this;
    },
  },
  registerHook: {
    value(this: Tensor, hook: (gradient: DeviceArray) => DeviceArray | void) {
      return addHook(this, hook);
    },
  },
};
for (const descriptor of Object.values(methods)) descriptor.configurable = true;
Object.defineProperties(Tensor.prototype, methods);

// Operations are recorded unless somebody says otherwise; one on tensors that want no gradient costs a look at each
// operand.
startRecording();

const advice = "code after an await runs when it has already ended. Await first, or use it between awaits";

/**
 * Runs `fn` without recording: nothing computed in it has a gradient. Throws TensorError for an async function, which
 * would continue after it.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * noGrad(() => w.mul(2)).requiresGrad; // → false
 */
export function noGrad<T>(fn: () => T): T {
  return withoutWaiting("noGrad", advice, fn, () => withRecording(false, fn));
}

/**
 * Runs `fn` with recording, also within {@link noGrad}. Throws TensorError for an async function.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * noGrad(() => enableGrad(() => w.mul(2))).requiresGrad; // → true
 */
export function enableGrad<T>(fn: () => T): T {
  return withoutWaiting("enableGrad", advice, fn, () => withRecording(true, fn));
}

/**
 * Runs `fn`; gradients computed in it are checked for NaN. The error names the operation, and the cell and line that
 * ran it. Throws TensorError for an async function.
 * @example
 * const w = tensor([-1]);
 * w.requiresGrad = true;
 * try {
 *   detectAnomaly(() => w.sqrt().sum().backward());
 * } catch (error) {
 *   error instanceof GradientError; // → true
 * }
 */
export function detectAnomaly<T>(fn: () => T): T {
  return withoutWaiting("detectAnomaly", advice, fn, () => withAnomalies(fn));
}

/**
 * The gradients of `output`, which has one element or comes with `gradient`, for each of `inputs`; leaves' `grad` stay
 * as they are. Throws GradientError for an input that the output does not depend on.
 * @example
 * const x = tensor([1, 2]);
 * x.requiresGrad = true;
 * gradients(x.square().sum(), [x]); // → [ tensor([2, 4], shape [2], float32, cpu) ]
 */
export function gradients(
  output: Tensor,
  inputs: readonly Tensor[],
  options: BackwardOptions & { readonly gradient?: Tensor } = {},
): Tensor[] {
  inputs.forEach((input, index) => {
    if (!(input instanceof Tensor))
      throw new GradientError("OPERANDS", `Input ${index} is not a tensor but ${worded(input)}.`);
    if (trackOf(input) === null)
      throw new GradientError(
        "NOT_TRACKED",
        `Input ${index} takes no part in gradients: set requiresGrad = true on it before it is used.`,
      );
  });
  const found = withRecording(options.createGraph === true, () =>
    backward([output], [seedFor(output, options.gradient)], inputs, options),
  );
  return found.map((gradient, index) => {
    if (gradient === null) throw new GradientError("UNUSED", `The output does not depend on input ${index}.`);
    return gradient as Tensor;
  });
}

/**
 * Arguments to differentiate for: `leaves` are the tensors of floats among them. `isNested`: a function around is
 * differentiated, too. Throws GradientError where there are none.
 *
 * @internal
 */
export function tracked<A extends readonly unknown[]>(args: A): { passed: A; leaves: Tensor[]; isNested: boolean } {
  const leaves: Tensor[] = [];
  const passed = args.map((argument) => {
    if (!(argument instanceof Tensor) || !hasGradients(argument.dtype)) return argument;
    // A view of its own: what the caller's tensor records is not touched, and grad(grad(fn)) goes through it.
    const leaf =
      argument.track !== null ? (call("expand", [argument], { shape: argument.shape }) as Tensor) : argument.detach();
    if (leaf.track === null) leaf.requiresGrad = true;
    leaves.push(leaf);
    return leaf;
  });
  if (leaves.length === 0)
    throw new GradientError("OPERANDS", "A gradient needs at least one tensor of floats among the arguments.");
  const isNested = args.some((argument) => argument instanceof Tensor && argument.track !== null);
  return { passed: passed as unknown as A, leaves, isNested };
}

type TensorsOf<A extends readonly unknown[]> = { [K in keyof A]: A[K] };

/**
 * The function that computes the value of `fn` and its gradients for the tensors among the arguments, floats, in their
 * order.
 * @example
 * const both = valueAndGrad((x: Tensor) => x.square().sum());
 * both(tensor([1, 2])).value; // → tensor(5, shape [], float32, cpu)
 */
export function valueAndGrad<A extends readonly unknown[]>(
  fn: (...args: TensorsOf<A>) => Tensor,
): (...args: A) => { value: Tensor; gradients: Tensor[] } {
  return (...args) => {
    const { passed, leaves, isNested } = tracked(args);
    return withRecording(true, () => {
      const value = fn(...(passed as unknown as TensorsOf<A>));
      if (!(value instanceof Tensor))
        throw new GradientError(
          "OPERANDS",
          `A function with gradients must return a tensor, but this one returned ${worded(value)}.`,
        );
      return { value, gradients: gradients(value, leaves, { createGraph: isNested }) };
    });
  };
}

/**
 * The function that computes the gradient of `fn`, whose result has one element: for one tensor among its arguments a
 * tensor, for several an array.
 * @example
 * const slope = grad((x: Tensor) => x.square().sum());
 * slope(tensor([1, 2])); // → tensor([2, 4], shape [2], float32, cpu)
 */
export function grad<A extends readonly unknown[]>(
  fn: (...args: TensorsOf<A>) => Tensor,
): (...args: A) => A extends readonly [Tensor] ? Tensor : Tensor | Tensor[] {
  const both = valueAndGrad(fn);
  return (...args) => {
    const { value, gradients: found } = both(...args);
    if (value.track === null) value.dispose();
    return (found.length === 1 ? found[0]! : found) as never;
  };
}
