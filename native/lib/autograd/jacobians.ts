// Derivatives of functions whose results have many elements: their matrices, and products with these, from passes
// through the tape.
import { factsOf, hasGradients } from "../memory/dtype.ts";
import { GradientError } from "../errors.ts";
import { call } from "../ops/core/calls.ts";
import { formatShape } from "../memory/shape.ts";
import { full } from "../tensor/create.ts";
import { stack } from "../tensor/joining.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { backward } from "./backward.ts";
import { grad, tracked } from "./gradients.ts";
import { withRecording } from "./recording.ts";
import { trackOf } from "./tape.ts";

type Differentiated<A extends readonly unknown[]> = (...args: A) => Tensor;

/** `gradients(v)`: the sums of `v` with all derivatives of the value, one tensor for each of the inputs. */
export interface PulledBack {
  readonly value: Tensor;
  gradients(v: Tensor): Tensor[];
}
/** `tangent`: how the value changes as the inputs do. */
export interface PushedForward {
  readonly value: Tensor;
  readonly tangent: Tensor;
}

function checkedFunction(name: string, fn: unknown): void {
  if (typeof fn !== "function")
    throw new GradientError("OPERANDS", `${name} takes a function of tensors but got ${worded(fn)}.`);
}

function checkedValue(name: string, value: unknown): Tensor {
  if (value instanceof Tensor && hasGradients(value.dtype) && factsOf(value.dtype).kind !== "complex") return value;
  throw new GradientError(
    "OPERANDS",
    `${name} takes a function that returns a tensor of real floats, but this one returned ${value instanceof Tensor ? value.dtype : worded(value)}.`,
  );
}

const like = ({ shape, dtype, device }: Tensor, value: number): Tensor => full(shape, value, { dtype, device });

/** The gradients of `value` for the leaves, zeros where it does not depend on one. */
function back(value: Tensor, seed: Tensor, leaves: readonly Tensor[], retainGraph: boolean, createGraph: boolean) {
  if (trackOf(value) === null) return leaves.map((leaf) => like(leaf, 0));
  const found = backward([value], [seed], leaves, { retainGraph, createGraph });
  return found.map((each, at) => (each as Tensor | null) ?? like(leaves[at]!, 0));
}

/**
 * The function that computes all derivatives of `fn`, $J_{i,j} = \partial y_i / \partial x_j$, of shape
 * [...shape of y, ...shape of x]: for one tensor of floats among its arguments a tensor, for several an array. Takes a
 * pass through the tape for each element of y. Throws GradientError for a result that is no tensor of floats.
 * @example
 * const slopes = jacobian((x: Tensor) => x.square());
 * slopes(tensor([1, 2])); // → tensor([[2, 0], [0, 4]], shape [2, 2], float32, cpu)
 */
export function jacobian<A extends readonly unknown[]>(
  fn: Differentiated<A>,
): (...args: A) => A extends readonly [Tensor] ? Tensor : Tensor | Tensor[] {
  checkedFunction("jacobian", fn);
  return (...args) => {
    const { passed, leaves, isNested } = tracked(args);
    const found = withRecording(true, () => {
      const value = checkedValue("jacobian", fn(...passed));
      const seeds = like(value, 0).flatten();
      const rows = Array.from({ length: value.size }, (_, at) => {
        const seed = seeds.clone();
        seed.set([at], 1);
        return back(value, seed.reshape(value.shape), leaves, isNested || at + 1 < value.size, isNested);
      });
      return leaves.map((leaf, which) => {
        const shape = [...value.shape, ...leaf.shape];
        if (rows.length === 0) return like(leaf, 0).reshape([-1]).slice([0, 0]).reshape(shape);
        return stack(rows.map((row) => row[which]!)).reshape(shape);
      });
    });
    return (found.length === 1 ? found[0]! : found) as never;
  };
}

/**
 * The function that computes all second derivatives of `fn`, whose result has one element,
 * $H_{i,j} = \partial^2 y / \partial x_i \partial x_j$, of shape [...shape of x, ...shape of x]; for one tensor of floats
 * among its arguments. Throws GradientError.
 * @example
 * const curvature = hessian((x: Tensor) => x.pow(3).sum());
 * curvature(tensor([1, 2])); // → tensor([[6, 0], [0, 12]], shape [2, 2], float32, cpu)
 */
export function hessian<A extends readonly unknown[]>(fn: Differentiated<A>): (...args: A) => Tensor {
  checkedFunction("hessian", fn);
  const slope = grad(fn as Differentiated<readonly unknown[]>) as (...args: readonly unknown[]) => Tensor;
  return (...args) => {
    const count = args.filter((each) => each instanceof Tensor && hasGradients(each.dtype)).length;
    if (count > 1)
      throw new GradientError(
        "OPERANDS",
        `hessian takes a function of one tensor of floats but got ${count}: write hessian((x) => fn(x, y))(x), of which y is a constant.`,
      );
    return jacobian((...given: readonly unknown[]) => slope(...given))(...args) as Tensor;
  };
}

/**
 * The value of `fn` and, for any `v` of its shape, $v^\top J$: one tensor for each tensor of floats among the inputs, in
 * one pass through the tape. May be asked again and again. Throws GradientError for a `v` of another shape.
 * @example
 * const both = vjp((x: Tensor) => x.square(), tensor([1, 2, 3]));
 * both.value; // → tensor([1, 4, 9], shape [3], float32, cpu)
 * both.gradients(tensor([1, 0, 1])); // → [ tensor([2, 0, 6], shape [3], float32, cpu) ]
 */
export function vjp<A extends readonly unknown[]>(fn: Differentiated<A>, ...inputs: A): PulledBack {
  checkedFunction("vjp", fn);
  const { passed, leaves, isNested } = tracked(inputs);
  const value = withRecording(true, () => checkedValue("vjp", fn(...passed)));
  return {
    value: isNested ? value : value.detach(),
    gradients(v) {
      checkVector("vjp", "v", v, value, "the value");
      return withRecording(true, () => back(value, v, leaves, true, isNested || trackOf(v) !== null));
    },
  };
}

/**
 * The value of `fn` at `inputs` and $J\,v$: how it changes as the inputs, tensors of floats, change along `v`, one tensor
 * for each of them, of its shape. Takes two passes through the tape, so that the operations of `fn` must have second
 * gradients. Throws GradientError.
 * @example
 * const { tangent } = jvp((x: Tensor) => x.square(), [tensor([1, 2, 3])], [tensor([1, 0, 1])]);
 * tangent; // → tensor([2, 0, 6], shape [3], float32, cpu)
 */
export function jvp(
  fn: (...inputs: Tensor[]) => Tensor,
  inputs: readonly Tensor[],
  v: readonly Tensor[],
): PushedForward {
  checkedFunction("jvp", fn);
  if (!Array.isArray(inputs) || !Array.isArray(v) || inputs.length !== v.length)
    throw new GradientError(
      "OPERANDS",
      "jvp takes a list of inputs and a list of as many directions: write jvp(fn, [x], [v]).",
    );
  const { passed, leaves, isNested } = tracked(inputs);
  if (leaves.length !== inputs.length)
    throw new GradientError(
      "OPERANDS",
      "jvp takes tensors of floats as inputs: write jvp((x) => fn(x, y), [x], [v]), of which y is a constant.",
    );
  v.forEach((each, at) => checkVector("jvp", `direction ${at}`, each, leaves[at]!, `input ${at}`));
  return withRecording(true, () => {
    const value = checkedValue("jvp", fn(...(passed as Tensor[])));
    const shown = isNested ? value : value.detach();
    if (trackOf(value) === null) return { value: shown, tangent: like(value, 0) };
    // What the first pass gives is linear in its seed: its slope along v is the product from the other side.
    const seed = like(value, 0);
    seed.requiresGrad = true;
    const firsts = back(value, seed, leaves, true, true);
    const along = firsts.map((first, at) => first.mul(v[at]!).sum()).reduce((sum, each) => sum.add(each));
    const createGraph = isNested || v.some((each) => trackOf(each) !== null);
    const [tangent] = back(along as Tensor, like(along as Tensor, 1), [seed], createGraph, createGraph);
    return { value: shown, tangent: tangent! };
  });
}

function checkVector(name: string, what: string, v: unknown, of: Tensor, noun: string): void {
  if (!(v instanceof Tensor))
    throw new GradientError("OPERANDS", `${name} takes a tensor as ${what} but got ${worded(v)}.`);
  if (formatShape(v.shape) !== formatShape(of.shape) || v.dtype !== of.dtype)
    throw new GradientError(
      "SHAPE",
      `${name} takes ${what} of the shape and dtype of ${noun}, ${formatShape(of.shape)} ${of.dtype}, but got ${formatShape(v.shape)} ${v.dtype}.`,
    );
}
