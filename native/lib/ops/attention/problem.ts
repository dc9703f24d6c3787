// What attention is to compute, as its kernels are told it: sizes and steps of `struct Problem` and `struct Gradients`
// (device/include/warpcell/attention/problem.cuh).
import type { Execution } from "../../device/execution.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import type { DType } from "../../memory/dtype.ts";
import { merged, sizeOf, stretch, stridesOf, type Shape, type View } from "../../memory/shape.ts";
import { putLong } from "../../wire/long.ts";
import type { Blocks } from "../kernels/blocks.ts";
import { kernelFacts, offsetIn } from "../kernels/kernel-facts.ts";
import type { LibraryArgument, ParameterKind } from "../kernels/library.ts";
import { converted } from "../shape/copy.ts";

/** Elements between neighbours; those of the last axis lie side by side. */
export interface Steps {
  readonly batch: number;
  readonly head: number;
  readonly token: number;
}
/** The same of what has a number for each query and key; 0 where it is broadcast. */
export interface PairSteps {
  readonly batch: number;
  readonly head: number;
  readonly query: number;
  readonly key: number;
}

/** `none`: every key counts; `mayLook`: bools, true where a query may look at a key; `added`: numbers for the scores. */
export type MaskKind = "none" | "mayLook" | "added";
const maskKinds: Readonly<Record<MaskKind, number>> = { none: 0, mayLook: 1, added: 2 };

/** The kernels of the library's in which a function of the user's can stand. */
export interface Bend {
  /** Whether it leaves out tiles, by which blocks of queries look at which of keys. */
  readonly skips: boolean;
  /**
   * `parameters`: of the kernel's template, after the dtype; `kinds`: of the parameters that the library's own kernel
   * of this name has.
   */
  launch(
    on: Execution,
    kernel: {
      readonly name: BentKernel;
      readonly dtype: DType;
      readonly parameters: readonly (number | boolean)[];
      readonly kinds: readonly ParameterKind[];
    },
    blocks: Blocks,
    args: readonly LibraryArgument[],
    shared?: number,
  ): void;
}
/** Those of ops/attention.cu, of ops/attention_mma.cu, and what stands for those of ops/attention_wgmma.cu. */
export type BentKernel =
  | "attend"
  | "attention_keys"
  | "attention_queries"
  | "attention_mask"
  | "attention_forward"
  | "attention_gradient"
  | "group_forward"
  | "group_gradient";

/** What is the same for all tensors of these shapes. */
export interface Settings {
  readonly scale: number;
  /** Scores are softcap · tanh(score / softcap); 0: they are not. */
  readonly softcap: number;
  /** Query i sees keys i + first to i + last. */
  readonly first: number;
  readonly last: number;
  /** The probability that a weight is dropped, and what draws it. */
  readonly p: number;
  readonly seed: bigint;
  readonly stream: bigint;
  /** Of what is recorded: how many of the keys there are at each run, and which of them a query then sees. */
  readonly now?: () => Pick<Problem, "keys" | "first" | "last">;
  /** What a function of the user's makes of scores, before the mask is added. */
  readonly bend?: Bend;
}
/** As far as no key is. */
export const unbounded = 2 ** 40;

export interface Sizes {
  readonly batches: number;
  readonly heads: number;
  /** Heads of queries that share one of keys. */
  readonly group: number;
  readonly queries: number;
  readonly keys: number;
  readonly width: number;
  readonly valueWidth: number;
}
export interface Problem extends Sizes, Settings {
  readonly q: Steps;
  readonly k: Steps;
  readonly v: Steps;
  readonly out: Steps;
  readonly mask: PairSteps;
  readonly maskKind: MaskKind;
}
/** How many keys all queries together see at most. */
export const seenKeys = ({ queries, keys, first, last }: Problem) =>
  Math.min(keys, queries + last) - Math.max(0, Math.min(first, keys));

export interface GradientSteps {
  readonly dOut: Steps;
  readonly dq: Steps;
  readonly dk: Steps;
  readonly dv: Steps;
  readonly dMask: PairSteps;
}

const steps = (struct: string, name: string) => [
  offsetIn(struct, `${name}.batch`),
  offsetIn(struct, `${name}.head`),
  offsetIn(struct, `${name}.token`),
];
const pairSteps = (struct: string, name: string) =>
  ["batch", "head", "query", "key"].map((axis) => offsetIn(struct, `${name}_${axis}`));
const problemFields = [
  ...["q", "k", "v", "out"].flatMap((name) => steps("Problem", name)),
  ...pairSteps("Problem", "mask"),
  ...["batches", "heads", "group", "queries", "keys", "width", "value_width", "first", "last", "mask_kind"].map(
    (name) => offsetIn("Problem", name),
  ),
  ...["scale", "softcap", "dropout", "seed", "stream"].map((name) => offsetIn("Problem", name)),
];
const gradientFields = [
  ...["d_out", "dq", "dk", "dv"].flatMap((name) => steps("Gradients", name)),
  ...pairSteps("Gradients", "d_mask"),
];
const named = (fields: readonly string[]) => Object.fromEntries(fields.map((text) => [text, text]));
const facts = kernelFacts("attention", {
  problemBytes: "sizeof(Problem)",
  gradientsBytes: "sizeof(Gradients)",
  mostWidth: "attention::kMostWidth",
});

/** The most columns of keys and values. */
export const mostWidth = (): number => facts().mostWidth;

/** Writes a struct's fields, one after the other as they are listed. */
class Fields {
  readonly words: Uint32Array;
  readonly #reals: Float64Array;
  readonly #longs: BigUint64Array;
  readonly #offsets: readonly number[];
  #next = 0;

  constructor(bytes: number, offsets: readonly number[]) {
    this.words = new Uint32Array(bytes / 4);
    this.#reals = new Float64Array(this.words.buffer);
    this.#longs = new BigUint64Array(this.words.buffer);
    this.#offsets = offsets;
  }

  count(value: number): void {
    putLong(this.words, this.#offsets[this.#next++]! / 4, value);
  }
  real(value: number): void {
    this.#reals[this.#offsets[this.#next++]! / 8] = value;
  }
  long(value: bigint): void {
    this.#longs[this.#offsets[this.#next++]! / 8] = value;
  }
  steps({ batch, head, token }: Steps): void {
    this.count(batch);
    this.count(head);
    this.count(token);
  }
  pairSteps({ batch, head, query, key }: PairSteps): void {
    this.count(batch);
    this.count(head);
    this.count(query);
    this.count(key);
  }
}

/** Where fields lie, in order: worked out once, since kernels are small and calls many. */
function inOrder(offsets: () => Readonly<Record<string, number>>, fields: readonly string[]): () => readonly number[] {
  let known: readonly number[] | null = null;
  return () => (known ??= fields.map((field) => offsets()[field]!));
}
const problemOffsets = inOrder(kernelFacts("attention", named(problemFields)), problemFields);
const gradientOffsets = inOrder(kernelFacts("attention", named(gradientFields)), gradientFields);

/** `struct Problem`. */
export function problemWords(problem: Problem): Uint32Array {
  const fields = new Fields(facts().problemBytes, problemOffsets());
  fields.steps(problem.q);
  fields.steps(problem.k);
  fields.steps(problem.v);
  fields.steps(problem.out);
  fields.pairSteps(problem.mask);
  fields.count(problem.batches);
  fields.count(problem.heads);
  fields.count(problem.group);
  fields.count(problem.queries);
  fields.count(problem.keys);
  fields.count(problem.width);
  fields.count(problem.valueWidth);
  fields.count(problem.first);
  fields.count(problem.last);
  fields.count(maskKinds[problem.maskKind]);
  fields.real(problem.scale);
  fields.real(problem.softcap);
  fields.real(problem.p);
  fields.long(problem.seed);
  fields.long(problem.stream);
  return fields.words;
}

/** `struct Gradients`. */
export function gradientWords({ dOut, dq, dk, dv, dMask }: GradientSteps): Uint32Array {
  const fields = new Fields(facts().gradientsBytes, gradientOffsets());
  fields.steps(dOut);
  fields.steps(dq);
  fields.steps(dk);
  fields.steps(dv);
  fields.pairSteps(dMask);
  return fields.words;
}

/**
 * What kernels are told whose blocks share the keys in `parts` parts, some of which may have none: the keys of a part,
 * and the problem; of what is recorded, as they are when it is asked.
 */
export function partTerms(problem: Problem, parts: number): () => { partKeys: number; words: Uint32Array } {
  const of = (whole: Problem) => ({
    partKeys: Math.max(1, Math.ceil(seenKeys(whole) / parts)),
    words: problemWords(whole),
  });
  const { now } = problem;
  if (now !== undefined) return () => of({ ...problem, ...now() });
  const terms = of(problem);
  return () => terms;
}

/** An array as [batches, heads, rows, columns], whose last axis lies side by side: of itself, or of a copy. */
export class Laid implements Disposable {
  readonly array: DeviceArray;
  readonly #strides: readonly number[];

  /** `rows` and `columns`: those that it is broadcast to. */
  constructor(
    on: Execution,
    array: DeviceArray,
    dtype: DType,
    { before, heads, rows, columns }: { before: Shape; heads: number; rows: number; columns: number },
    { isDense = true }: { readonly isDense?: boolean } = {},
  ) {
    const whole = [...before, heads, rows, columns];
    const take = (from: DeviceArray) => {
      const view = stretch(from, whole);
      const joined = joinedAxes(view, before.length);
      const isWhole = joined !== null && (!isDense || columns <= 1 || view.strides.at(-1) === 1);
      return isWhole ? { view, joined } : null;
    };
    const own = array.dtype === dtype ? take(array) : null;
    if (own !== null) {
      this.array = viewOf(array, array);
      this.#strides = [own.joined, ...own.view.strides.slice(-3)];
      return;
    }
    const copied = converted(on, array, dtype);
    const found = take(copied);
    if (found !== null) {
      this.array = copied;
      this.#strides = [found.joined, ...found.view.strides.slice(-3)];
      return;
    }
    using dense = copied;
    using spread = viewOf(dense, stretch(dense, whole));
    this.array = converted(on, spread, dtype);
    this.#strides = stridesOf([sizeOf(before), heads, rows, columns]);
  }

  get steps(): Steps {
    const [batch, head, token] = this.#strides;
    return { batch: batch!, head: head!, token: token! };
  }
  get pairSteps(): PairSteps {
    const [batch, head, query, key] = this.#strides;
    return { batch: batch!, head: head!, query: query!, key: key! };
  }

  [Symbol.dispose](): void {
    this.array.dispose();
  }
}

/** The step of the first `count` axes as one; `null` where they have none. */
function joinedAxes({ shape, strides }: View, count: number): number | null {
  const joined = merged([{ shape: shape.slice(0, count), strides: strides.slice(0, count), offset: 0 }]);
  return joined.shape.length > 1 ? null : (joined.strides[0]![0] ?? 0);
}

/** The steps of a result of shape [before…, heads, rows, columns], which was made for it. */
export function stepsOf({ shape, strides }: View, before: number): Steps {
  const [head, token] = shape.length === before + 2 ? [0, strides.at(-2)!] : [strides.at(-3)!, strides.at(-2)!];
  return { batch: joinedAxes({ shape, strides, offset: 0 }, before) ?? 0, head, token };
}
