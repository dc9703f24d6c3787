// A function of attention's scores, or one that says which keys a query may look at, compiled into attention's kernels:
// it is called once, on tensors without numbers, to see what it computes.
import { Compilation } from "../cuda/compilation.ts";
import { LoadedModule } from "../cuda/loaded-module.ts";
import type { DeviceProcess } from "../device/process.ts";
import { GradientError, TensorError } from "../errors.ts";
import { Expressions, taken } from "../fuse/expression.ts";
import { pullback } from "../fuse/pullback.ts";
import { Trace, Traced } from "../fuse/traced.ts";
import { optionsOf } from "../fuse/generated-module.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { broadcast, formatShape, type Shape } from "../memory/shape.ts";
import type { Bend, BentKernel } from "../ops/attention/problem.ts";
import { readOperand } from "../ops/core/apply.ts";
import { isRecording } from "../ops/core/hooks.ts";
import type { Operand, Operation } from "../ops/core/operation.ts";
import { onDevice } from "../ops/kernels/blocks.ts";
import { LibraryKernel } from "../ops/kernels/library.ts";
import { sameShape } from "../ops/kernels/map.ts";
import { where } from "../tensor/mixing.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { laidOver, type BlockLayout, type LaidBlocks } from "./block-layout.ts";
import { hasSerial, scoreText, type Lines } from "./score-text.ts";

/** Where a score stands, as tensors of int32 that broadcast to the scores' shape, [batches, heads, queries, keys]. */
export interface ScorePlace {
  readonly batch: Tensor<"int32">;
  readonly head: Tensor<"int32">;
  readonly query: Tensor<"int32">;
  readonly key: Tensor<"int32">;
}
/** What becomes of scores, q · kᵀ · scale: elementwise operations of them, of their places, and of other tensors. */
export type ScoreFunction = (score: Tensor, place: ScorePlace) => Tensor;
/** Bools, true where a query may look at a key. */
export type MaskFunction = (place: ScorePlace) => Tensor;

export interface ScoreFunctions {
  readonly score?: ScoreFunction | undefined;
  readonly mask?: MaskFunction | undefined;
  readonly blocks?: BlockLayout | undefined;
}

const placeNames = ["batch", "head", "query", "key"] as const;

/** A trace in which tensors may be read by indices that are computed. */
class ScoreTrace extends Trace {
  /** A tensor that stands for an argument of the kernel's function. */
  given(dtype: DType, shape: Shape): Traced {
    const traced = new Traced(this, { kind: "leaf", leaf: this.leaves.length }, dtype, shape);
    this.leaves.push(traced);
    return traced;
  }

  override trace(name: string, operation: Operation, inputs: readonly Operand[], attributes: object) {
    const [table, index] = inputs;
    const isTaken = name === taken && index instanceof Traced && !(table instanceof Traced);
    if (!isTaken) return super.trace(name, operation, inputs, attributes);
    const leaf = this.leaf(table as Tensor);
    if (leaf.shape.length !== 1)
      throw new TensorError(
        "FUSE",
        "take cannot be compiled along an axis: take elements by their place in row-major order.",
      );
    const element = {
      functor: "",
      operands: [[leaf, leaf.dtype] as const, [index, "int64"] as const],
      dtype: leaf.dtype,
    };
    const output = new Traced(this, { kind: "element", name, element }, leaf.dtype, index.shape);
    this.operations.push({ name, operation: operation, inputs: [leaf, index], outputs: [output], attributes });
    return [output];
  }
}

/** What kernels are written from; `slope`: of those of gradients. */
interface Written {
  readonly expressions: Expressions;
  readonly score: Lines;
  readonly slope: Lines | null;
  readonly layout: readonly string[] | null;
  readonly texts: Map<BentKernel, string>;
}

const kernels = new WeakMap<DeviceProcess, Map<string, LibraryKernel>>();

export class CompiledScores implements Bend {
  readonly skips: boolean;
  readonly #device: DeviceProcess;
  readonly #shape: Shape;
  readonly #trace: ScoreTrace;
  readonly #score: Traced;
  readonly #result: Traced;
  readonly #given: Map<number, string>;
  readonly #blocks: LaidBlocks | null;
  #forward: Written | null = null;
  #backward: Written | null = null;

  /**
   * For scores of a dtype and a shape. Throws TensorError for what no kernel computes, and GradientError for what it
   * has no gradient of.
   */
  constructor(device: DeviceProcess, sums: DType, shape: Shape, { score, mask, blocks }: ScoreFunctions) {
    this.#blocks = blocks === undefined ? null : laidOver(blocks, shape);
    this.skips = blocks !== undefined;
    this.#device = device;
    this.#shape = shape;
    this.#trace = new ScoreTrace(device);
    this.#score = this.#trace.given(sums, shape);
    const of = (axis: number) =>
      this.#trace.given("int32", [shape[axis]!, ...Array<number>(3 - axis).fill(1)]) as unknown as Tensor<"int32">;
    const place: ScorePlace = { batch: of(0), head: of(1), query: of(2), key: of(3) };
    this.#given = new Map(["score", ...placeNames].map((name, at) => [at, name]));
    this.#result = compiling(() =>
      this.#trace.run(() => {
        const bent = score === undefined ? this.#score : this.#checked("score", score(this.#score, place));
        if (mask === undefined) return bent;
        return where(
          this.#checked("mask", mask(place)) as Tensor as Tensor<"bool">,
          bent as Tensor,
          -Infinity,
        ) as Traced;
      }),
    );
    const { leaves } = this.#trace;
    const captured = leaves.find((leaf) => !(leaf instanceof Traced) && leaf.track !== null);
    if (captured !== undefined && isRecording())
      throw new GradientError(
        "NO_GRADIENT",
        `attention has no gradient for the tensor of shape ${formatShape(captured.shape)} that its function uses: give it as mask, of floats that are added to the scores, or use .detach() on it.`,
      );
  }

  #checked(name: "score" | "mask", found: unknown): Traced {
    const isOther = !(found instanceof Traced) || found.tracing !== this.#trace;
    const kind = name === "mask" ? "bool" : "float";
    if (isOther)
      throw new TensorError(
        "FUSE",
        `it must return a tensor that it makes of its arguments, but returned ${worded(found)}.`,
      );
    if (factsOf(found.dtype).kind !== kind)
      throw new TensorError(
        "FUSE",
        `it must return ${kind === "bool" ? "bools" : "floats"}, but returned ${found.dtype}.`,
      );
    if (!sameShape(broadcast(found.shape, this.#shape), this.#shape))
      throw new TensorError(
        "FUSE",
        `it must return a tensor that broadcasts to ${formatShape(this.#shape)}, but returned ${formatShape(found.shape)}.`,
      );
    return found;
  }

  /** The derivative of the result by the score, times what stands for the gradient of the result. */
  #slope(expressions: Expressions): ReturnType<Expressions["of"]> {
    const slope = compiling(() =>
      this.#trace.run(() => {
        const result = this.#result;
        const above = this.#trace.given(result.dtype, result.shape);
        this.#given.set((above.node as { leaf: number }).leaf, "1");
        const found = pullback(this.#trace.operations.slice(), result, above, [true], (traced) => traced)[0];
        return (found ?? null) as Traced | null;
      }),
    );
    return slope === null ? { lines: [], value: "0" } : expressions.of(slope);
  }

  /** Text and members, made once for all kernels forward, and for all of gradients. */
  #written(isForward: boolean): Written {
    const found = isForward ? this.#forward : this.#backward;
    if (found !== null) return found;
    const expressions = new Expressions(this.#shape, placeNames, this.#given);
    const score = compiling(() => expressions.of(this.#result));
    const slope = isForward ? null : compiling(() => this.#slope(expressions));
    const layout = this.#blocks === null ? null : expressions.take(this.#blocks.array, this.#blocks.numbers);
    const written = { expressions, score, slope, layout, texts: new Map<BentKernel, string>() };
    if (isForward) this.#forward = written;
    else this.#backward = written;
    return written;
  }

  launch(...[on, { name, dtype, parameters, kinds }, blocks, args, shared = 0]: Parameters<Bend["launch"]>): void {
    const { expressions, score, slope, layout, texts } = this.#written(
      name === "attend" || name === "attention_forward" || name === "group_forward",
    );
    const { members } = expressions;
    for (const { value } of members) if (typeof value === "object") readOperand("attention", value as Tensor);
    let source = texts.get(name);
    if (source === undefined) texts.set(name, (source = scoreText(name, expressions, score, slope, layout)));
    const kernel = this.#kernel(name, [factsOf(dtype).c, ...parameters].join(", "), dtype, source, [
      ...kinds,
      ...members.map(({ kind }) => kind),
    ]);
    kernel.launch(on, blocks, [...args, ...members.map(({ value }) => value)], shared);
  }

  #kernel(
    name: BentKernel,
    parameters: string,
    dtype: DType,
    source: string,
    kinds: ConstructorParameters<typeof LibraryKernel>[2],
  ): LibraryKernel {
    let known = kernels.get(this.#device);
    if (known === undefined) kernels.set(this.#device, (known = new Map()));
    const expression = `${name}<${parameters}>`;
    const key = `${expression}\n${source}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const { defines, flags } = hasSerial(name) ? onDevice(this.#device, optionsOf) : optionsOf.threads;
    const file = "attention-score.cu";
    const { artifact, lowered } = new Compilation(source, {
      name: file,
      device: this.#device.name,
      defines: [
        ...(factsOf(dtype).bytes === 2 || /__half|__nv_bfloat16/.test(source) ? ["WARPCELL_SIXTEEN_BITS"] : []),
        ...defines,
      ],
      flags: flags(this.#device.properties.architectures),
    }).obtain([expression]);
    const module = LoadedModule.load(this.#device, artifact, lowered, file, [expression]);
    const kernel = new LibraryKernel(expression, { module, index: 0 }, kinds);
    known.set(key, kernel);
    return kernel;
  }
}

/** What goes wrong while a function is traced is said of attention. */
function compiling<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof TensorError && error.code === "FUSE")) throw error;
    throw new TensorError("FUSE", `attention cannot compile its function: ${error.message}`, { cause: error });
  }
}
