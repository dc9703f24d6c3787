// fuse(fn): the function whose elementwise operations and reductions run as one kernel, made for what it is called
// with.
import { TensorError } from "../errors.ts";
import { append } from "../autograd/tape.ts";
import type { DeviceArray } from "../memory/array.ts";
import { factsOf } from "../memory/dtype.ts";
import { isRecording } from "../ops/core/hooks.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { Parts } from "./parts.ts";
import { programOf, type Program } from "./program.ts";
import { pullback, replayed } from "./pullback.ts";
import { Trace, Traced } from "./traced.ts";
import { Variant } from "./variant.ts";

/**
 * `wait`: the first call of each variant waits for its kernel, instead of running unfused while that compiles. `parts`:
 * the function is no kernel as a whole; see {@link fuse}.
 */
export interface FuseOptions {
  readonly wait?: boolean;
  readonly parts?: boolean;
}

/** A function whose elementwise operations run as one kernel. */
export interface Fused<A extends readonly unknown[]> {
  (...args: A): Tensor;
  /** The CUDA C++ of the kernel that the last call ran, or has had compiled; `null` before the first call. */
  readonly source: string | null;
  /** Resolves when the kernels of all calls so far are compiled, or have failed to: the next call says why. */
  settled(): Promise<void>;
}

/** A function whose elementwise operations run together where they follow each other. */
export interface FusedParts<A extends readonly unknown[], R> {
  (...args: A): R;
  /** The CUDA C++ of the kernels that the last call ran, or has had compiled; `null` before the first call. */
  readonly source: string | null;
  /** Resolves when the kernels of all calls so far are compiled, or have failed to: the next call says why. */
  settled(): Promise<void>;
}

class Fusion {
  readonly #waits: boolean;
  /** The compilations that calls have begun or met. */
  readonly #pending = new Set<Promise<void>>();
  source: string | null = null;
  /** Texts of traces whose gradients no kernel computes. */
  readonly #unfusable = new Set<string>();

  constructor({ wait = false }: FuseOptions) {
    this.#waits = wait;
  }

  call(fn: (...args: never[]) => Tensor, args: readonly unknown[]): Tensor {
    const first = args.find((argument) => argument instanceof Tensor);
    if (first === undefined) throw new TensorError("OPERANDS", "A fused function takes at least one tensor.");
    if (first instanceof Traced) return fn(...(args as never[]));
    const trace = new Trace(first.living("a fused function").device);
    const traced = trace.run(() =>
      fn(...(args.map((argument) => (argument instanceof Tensor ? trace.leaf(argument) : argument)) as never[])),
    );
    if (!(traced instanceof Traced)) {
      throw new TensorError(
        "FUSE",
        traced instanceof Tensor
          ? "The tensor that a fused function returns does not depend on any of its arguments."
          : `A fused function must return one tensor, but this one returned ${worded(traced)}.`,
      );
    }
    const program = programOf(traced);
    const isEmpty = program.space.shape.includes(0);
    const variant = Variant.of(trace.device, program);
    this.source = variant.source;
    if (isEmpty || !this.#isReady(variant)) return fn(...(args as never[]));
    const result = variant.run(program);
    const isTracked =
      isRecording() && factsOf(result.dtype).kind === "float" && trace.leaves.some((leaf) => leaf.track !== null);
    if (isTracked) this.#record(trace, traced, program, result);
    return result;
  }

  #isReady(variant: Variant): boolean {
    if (this.#waits) variant.prepare();
    if (variant.isReady()) return true;
    this.#pending.add(variant.compiled);
    return false;
  }

  async settled(): Promise<void> {
    await Promise.all(this.#pending);
    this.#pending.clear();
  }

  #record(trace: Trace, traced: Traced, { source }: Program, result: Tensor): void {
    const { operations, leaves } = trace;
    append(
      "fuse",
      {
        gradient: ([g], { inputs, wanted }) =>
          this.#gradients(source, operations, traced, inputs as readonly DeviceArray[], wanted, g!),
      },
      leaves,
      [result],
      {},
    );
  }

  /**
   * By fused kernels where they are ready and nobody differentiates further; else by the operations one by one, run
   * again from the leaves.
   */
  #gradients(
    source: string,
    operations: Trace["operations"],
    traced: Traced,
    leaves: readonly DeviceArray[],
    wanted: readonly boolean[],
    g: DeviceArray,
  ): (DeviceArray | null)[] {
    const key = `${source}\n${wanted.join()}`;
    if (!isRecording() && !this.#unfusable.has(key)) {
      try {
        const fused = this.#fusedGradients(operations, traced, leaves, wanted, g);
        if (fused !== null) return fused;
      } catch (error) {
        if (!(error instanceof TensorError && error.code === "FUSE")) throw error;
        this.#unfusable.add(key);
      }
    }
    return pullback(operations, traced, g, wanted, replayed(operations, leaves));
  }

  #fusedGradients(
    operations: Trace["operations"],
    traced: Traced,
    leaves: readonly DeviceArray[],
    wanted: readonly boolean[],
    g: DeviceArray,
  ): (DeviceArray | null)[] | null {
    const trace = new Trace(g.living().device);
    const found = trace.run(() => {
      const again = leaves.map((leaf) => trace.leaf(leaf));
      const valueOf = replayed(operations, again);
      return pullback(operations, traced, trace.leaf(g), wanted, valueOf);
    });
    const programs = found.map((gradient) =>
      gradient instanceof Traced && gradient.node.kind !== "leaf" ? programOf(gradient) : null,
    );
    const ready = programs.map((program) => program === null || this.#isReady(Variant.of(trace.device, program)));
    if (ready.includes(false)) return null;
    return found.map((gradient, index) => {
      const program = programs[index]!;
      if (program !== null) return Variant.of(trace.device, program).run(program);
      return gradient instanceof Traced ? trace.leaves[(gradient.node as { leaf: number }).leaf]! : gradient;
    });
  }
}

/**
 * The function that computes what `fn` does, but as one kernel: elementwise operations, broadcasts, and reductions over
 * the last axes (or all), whose results may be used row by row, as in softmax. A kernel is made for each combination of
 * dtypes and of operands that broadcast, not for each size; until it is compiled, calls run `fn` as it is ({@link
 * FuseOptions.wait} waits instead).
 *
 * Every call runs `fn`, on tensors without numbers, to see what it computes: numbers in it (`x.mul(rate)`) are
 * arguments of the kernel, so that another one compiles nothing; tensors that it captures are operands. `fn` must not
 * read a tensor, change one in place, or do what no kernel of this kind can: the TensorError names it. Narrow floats
 * are computed in float32 and rounded once, at the end. Gradients run as fused kernels too, where their rules are
 * elementwise or sum over the last axes; otherwise, and for gradients of gradients, as the operations one by one, which
 * are then run again.
 * @example
 * const f = fuse((x: Tensor) => x.mul(2).add(1).tanh().sum({ axis: -1 }));
 * f(ones([2, 3])); // → tensor([2.98516, 2.98516], shape [2], float32, cpu)
 */
export function fuse<A extends readonly unknown[]>(
  fn: (...args: A) => Tensor,
  options?: FuseOptions & { readonly parts?: false },
): Fused<A>;
/**
 * With `parts`, the function that does all that `fn` does, which may be anything: a model, or a training step with
 * `backward` and an optimiser. Elementwise operations that follow each other, and give results of one shape, are put off
 * and run as one kernel when anything else is to be done: another operation, a read, the end. That goes for those of
 * gradients and changes in place, too. All other operations run as they are, and so does a single one.
 *
 * Results are those of the operations one by one; only where float32 or float64 is multiplied and then added to may
 * both be rounded at once. Memory that is freed on the way is not written: dispose of what is made on the way, or let
 * {@link tidy} do so. Kernels are made as without `parts`, and a {@link graph} that records the function waits for them.
 * `fn` runs in every call, which takes JavaScript longer than launches would; a graph spares that. Throws TensorError
 * ASYNC for a function that is async.
 * @example
 * const w = tensor([1, 2]);
 * w.requiresGrad = true;
 * const step = fuse((x: Tensor) => {
 *   x.mul(w).sub(1).square().sum().backward();
 *   noGrad(() => w.sub_(w.grad!.mul(0.1)));
 *   w.grad = null;
 * }, { parts: true });
 * step(ones([2]));
 * w; // → tensor([1.0, 1.8], shape [2], float32, cpu)
 */
export function fuse<A extends readonly unknown[], R>(
  fn: (...args: A) => R,
  options: FuseOptions & { readonly parts: true },
): FusedParts<A, R>;
export function fuse<A extends readonly unknown[]>(
  fn: (...args: A) => unknown,
  { wait = false, parts = false }: FuseOptions = {},
): FusedParts<A, unknown> {
  if (typeof fn !== "function")
    throw new TensorError("OPERANDS", `fuse takes a function of tensors but got ${worded(fn)}.`);
  const own = parts ? new Parts(wait) : new Fusion({ wait });
  const fused = (...args: A) => own.call(fn as unknown as (...args: never[]) => Tensor, args);
  Object.defineProperties(fused, { source: { get: () => own.source }, settled: { value: () => own.settled() } });
  return fused as unknown as FusedParts<A, unknown>;
}
