// fuse(fn): the function whose elementwise operations and reductions run as one kernel, made for what it is called
// with.
import { TensorError } from "../errors.ts";
import { append } from "../autograd/tape.ts";
import type { DeviceArray } from "../memory/array.ts";
import { factsOf } from "../memory/dtype.ts";
import { isRecording } from "../ops/core/hooks.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { programOf, type Program } from "./program.ts";
import { pullback, replayed } from "./pullback.ts";
import { Trace, Traced } from "./traced.ts";
import { Variant } from "./variant.ts";

/** `wait`: the first call of each variant waits for its kernel, instead of running unfused while that compiles. */
export interface FuseOptions {
  readonly wait?: boolean;
}

/** A function whose elementwise operations run as one kernel. */
export interface Fused<A extends readonly unknown[]> {
  (...args: A): Tensor;
  /** The CUDA C++ of the kernel that the last call ran, or has had compiled; `null` before the first call. */
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
export function fuse<A extends readonly unknown[]>(fn: (...args: A) => Tensor, options: FuseOptions = {}): Fused<A> {
  if (typeof fn !== "function")
    throw new TensorError("OPERANDS", `fuse takes a function of tensors but got ${worded(fn)}.`);
  const fusion = new Fusion(options);
  const fused = (...args: A): Tensor => fusion.call(fn as unknown as (...args: never[]) => Tensor, args);
  Object.defineProperties(fused, { source: { get: () => fusion.source }, settled: { value: () => fusion.settled() } });
  return fused as Fused<A>;
}
