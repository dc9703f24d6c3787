// Attention as models use it: the function with all its options, and the layer of a sequence that attends to itself.
import { TensorError } from "../errors.ts";
import { factsOf } from "../memory/dtype.ts";
import { formatShape, sizeOf, type Shape } from "../memory/shape.ts";
import { attentionDType } from "../ops/attention/attention.ts";
import { composedAttention } from "../ops/attention/composed.ts";
import { cannotGrow } from "../ops/attention/paths.ts";
import { mostWidth, unbounded, type Settings } from "../ops/attention/problem.ts";
import { shapesOf } from "../ops/attention/shapes.ts";
import type { Sequence } from "../ops/attention/sequences.ts";
import { applyAll } from "../ops/core/apply.ts";
import { accumulatorOf } from "../ops/reduce/reducers.ts";
import { either, finite, flag, number, oneOf, reader, tensor, type Kind } from "../tensor/arguments.ts";
import { drawOf, randomSource, type RandomSource } from "../tensor/generator.ts";
import { cat } from "../tensor/joining.ts";
import { Tensor } from "../tensor/tensor.ts";
import { blockLayoutKind, type BlockLayout } from "./block-layout.ts";
import { keyValueCache, type KeyValueCache, type SeenTokens } from "./key-value-cache.ts";
import { Dropout, Linear } from "./layers.ts";
import { Module, type ParameterOptions } from "./module.ts";
import { parameterOptions, size } from "./options.ts";
import { CompiledScores, type MaskFunction, type ScoreFunction, type ScoreFunctions } from "./score-function.ts";
import { sequenceLengths, startsOf, type SequenceLengths } from "./sequence-lengths.ts";

/**
 * `mask`: of bool, true where a query may look at a key, or of floats, which are added to the scores and have a
 * gradient; of a shape that broadcasts to […, heads, queries, keys]; or a function of places that returns bools (see
 * `score`). `causal`: a query looks at no key after its own place. `window`: it looks at so many keys, its own and those
 * before it, and without `causal` as many after it; or how many before and how many after it. `alignment`: which key is
 * a query's own where there are other numbers of both: counted from the "end", when left out, as for a cache of keys, or
 * from the "start", as PyTorch's `is_causal`. `scale`: 1/√width when left out. `softcap`: scores become
 * softcap · tanh(score / softcap) before the mask is added. `score`: what becomes of scores then, still before the mask,
 * compiled into the kernels; it and a mask by function are called once, on tensors without numbers, and compute by
 * elementwise operations and `take`: an index that is outside gives NaN, or 0 of integers. They have the derivative by
 * the score, and none by tensors that they use. `blocks`: which blocks of queries look at which of keys, see
 * {@link blockLayout}; others are left out, and cost nothing. `dropout`: the probability that a weight is 0, the others divided by
 * 1 − dropout, drawn from `seed` or `generator`. `cache`: k and v are added to it, and what it then has is looked at.
 * `lengths`: the rows of q, k and v are sequences of these lengths, one after the other, of which each looks at its own
 * keys alone, without mask, function, dropout and cache.
 */
export interface AttentionOptions extends RandomSource {
  readonly mask?: Tensor | MaskFunction;
  readonly score?: ScoreFunction;
  readonly blocks?: BlockLayout;
  readonly causal?: boolean;
  readonly alignment?: "start" | "end";
  readonly window?: number | readonly [before: number, after: number];
  readonly scale?: number;
  readonly softcap?: number;
  readonly dropout?: number;
  readonly cache?: KeyValueCache;
  readonly lengths?: SequenceLengths;
  readonly returnLse?: boolean;
}
/** What `returnLse: true` gives: the result, and log Σ e^score of each query, −∞ of one that may look at nothing. */
export interface AttentionWithLse {
  readonly out: Tensor;
  readonly lse: Tensor;
}

const isCount = (value: unknown, least: number) => Number.isSafeInteger(value) && (value as number) >= least;
const window: Kind<number | readonly [number, number]> = {
  wanted: "a whole number of at least 1, or two of at least 0 for before and after,",
  has: (value) =>
    isCount(value, 1) || (Array.isArray(value) && value.length === 2 && value.every((each) => isCount(each, 0))),
};
const aFunction = { wanted: "a function", has: (value: unknown) => typeof value === "function" };
const scoreFunction: Kind<ScoreFunction> = aFunction;
const maskFunction: Kind<MaskFunction> = aFunction;
const positive: Kind<number> = {
  wanted: "a finite number above 0",
  has: (value) => Number.isFinite(value) && (value as number) > 0,
};
const probability: Kind<number> = {
  wanted: "a probability from 0 to 1",
  has: (value) => typeof value === "number" && value >= 0 && value <= 1,
};
const readAttention = reader("attention", {
  written: "nn.attention",
  required: { q: tensor, k: tensor, v: tensor },
  options: {
    mask: either(tensor, maskFunction),
    score: scoreFunction,
    blocks: blockLayoutKind,
    causal: flag,
    alignment: oneOf("start", "end"),
    window,
    scale: finite,
    softcap: positive,
    dropout: probability,
    cache: keyValueCache,
    lengths: sequenceLengths,
    returnLse: flag,
    ...randomSource,
  },
});
const checkSelfAttention = reader("SelfAttention", {
  written: "new nn.SelfAttention",
  required: { width: size, heads: size },
  options: { causal: flag, bias: flag, dropout: number, keyHeads: size, ...parameterOptions },
});

/** Which keys a query sees, relative to its own place. */
function seenKeys(
  { causal = false, window = unbounded, alignment = "end" }: AttentionOptions,
  queries: number,
  keys: number,
): Pick<Settings, "first" | "last"> {
  const [before, after] = typeof window === "number" ? [window - 1, window - 1] : window;
  const own = alignment === "end" ? keys - queries : 0;
  const within = (distance: number) => Math.max(-unbounded, Math.min(unbounded, distance));
  return { first: within(own - before), last: within(own + (causal ? Math.min(after, 0) : after)) };
}

function settingsOf(options: AttentionOptions, queries: number, keys: number, width: number): Settings {
  const { dropout: p = 0, softcap = 0, scale = 1 / Math.sqrt(Math.max(1, width)) } = options;
  const { first, last } = seenKeys(options, queries, keys);
  const { seed, stream } = p > 0 ? drawOf(options) : undrawn;
  return { scale, softcap, first, last, p, seed, stream };
}
const undrawn = { seed: 0n, stream: 0n };

/** Throws TensorError for a mask of another dtype, or of a shape that does not broadcast to the scores'. */
function checkMask(mask: Tensor, scores: Shape): void {
  const { kind, isStorage } = factsOf(mask.dtype);
  if (mask.dtype !== "bool" && (kind !== "float" || isStorage))
    throw new TensorError(
      "DTYPE",
      `attention takes a mask of bool, true where a query may look, or of floats, which are added to the scores, but got ${mask.dtype}.`,
    );
  const missing = scores.length - mask.shape.length;
  if (missing < 0 || mask.shape.some((length, axis) => length !== 1 && length !== scores[axis + missing]))
    throw new TensorError(
      "SHAPE",
      `attention of scores of shape ${formatShape(scores)} takes a mask that broadcasts to it but got ${formatShape(mask.shape)}.`,
    );
}

/**
 * softmax(q · kᵀ · scale + mask) · v for q […, heads, queries, width], k […, heads, keys, width] and v
 * […, heads, keys, values]: […, heads, queries, values] (Vaswani and others, arXiv 1706.03762, section 3.2.1), without
 * the weights of all pairs in memory (Dao and others, arXiv 2205.14135). The axis of heads may be missing; k and v may
 * have fewer, of a number that divides that of q, each for as many neighbours of q. Sums are kept in float32 at
 * least, and the same comes out every time. A query that may look at nothing gives 0, with gradient 0. Heads wider than
 * 256 and second gradients, which functions of scores have not, do take memory for the weights of all pairs. Throws
 * TensorError.
 * @example
 * nn.attention(ones([1, 2, 4]), ones([1, 3, 4]), ones([1, 3, 5])).shape; // → [ 1, 2, 5 ]
 * const [q, k, v] = [randn([2, 8, 5, 16]), randn([2, 2, 9, 16]), randn([2, 2, 9, 16])]; // 4 heads of q for one of k
 * nn.attention(q, k, v, { causal: true, window: 4 }).shape; // → [ 2, 8, 5, 16 ]
 * nn.attention(q, k, v, { returnLse: true }).lse.shape; // → [ 2, 8, 5 ]
 * const cache = new nn.KeyValueCache(2, 2, 32, 16);
 * nn.attention(q, k, v, { cache, causal: true }).shape; // → [ 2, 8, 5, 16 ]
 * cache.length; // → 9
 * const slopes = tensor([1, 0.5, 0.25, 0.125, 1, 1, 1, 1]); // a bias by function, as ALiBi's
 * const score: nn.ScoreFunction = (score, { head, query, key }) => score.sub(slopes.take(head).mul(query.sub(key)));
 * nn.attention(q, k, v, { score }).shape;
 * // → [ 2, 8, 5, 16 ]
 * const rows = randn([8, 12, 16]); // sequences of 3, 4 and 5 tokens
 * nn.attention(rows, rows, rows, { lengths: [3, 4, 5], causal: true }).shape; // → [ 8, 12, 16 ]
 */
export function attention(
  q: Tensor,
  k: Tensor,
  v: Tensor,
  options: AttentionOptions & { readonly returnLse: true },
): AttentionWithLse;
export function attention(q: Tensor, k: Tensor, v: Tensor, options?: AttentionOptions): Tensor;
export function attention(...given: readonly unknown[]): Tensor | AttentionWithLse {
  const { q, k, v, mask: masked, cache, lengths, score, blocks, ...options } = readAttention(given);
  if (lengths !== undefined)
    return sequencesAttention(q, k, v, lengths, { ...options, mask: masked, cache, score, blocks });
  const mask = masked instanceof Tensor ? masked : undefined;
  const { before, hasHeads, heads, queries, keys: added } = shapesOf(q.shape, k.shape, v.shape);
  cache?.check(k, v);
  const keys = added + (cache?.filled ?? 0);
  if (mask !== undefined) checkMask(mask, [...before, ...(hasHeads ? [heads] : []), queries, keys]);
  const { returnLse = false } = options;
  cache?.append(k, v);
  try {
    const functions = { score, blocks, mask: masked instanceof Tensor ? undefined : masked } as const;
    const [out, lse] = attended(q, cache?.seen() ?? { keys: k, values: v, filled: null }, mask, functions, options);
    return returnLse ? { out: out!, lse: lse! } : out!;
  } catch (error) {
    cache?.takeBack(added);
    throw error;
  }
}

function attended(
  q: Tensor,
  { keys: k, values: v, filled }: SeenTokens,
  mask: Tensor | undefined,
  functions: ScoreFunctions,
  options: AttentionOptions,
) {
  const [queries, width] = q.shape.slice(-2) as [number, number];
  const isBent = Object.values(functions).some((each) => each !== undefined);
  const settings = settingsOf(options, queries, k.shape.at(-2)!, width);
  const now = filled && (() => ({ keys: filled(), ...seenKeys(options, queries, filled()) }));
  const isWide = Math.max(width, v.shape.at(-1)!) > mostWidth();
  if ((isWide || isBent) && now !== null) throw cannotGrow();
  if (isWide && isBent)
    throw new TensorError(
      "SHAPE",
      `attention with a function takes heads of at most ${mostWidth()} columns but got ${Math.max(width, v.shape.at(-1)!)}.`,
    );
  const bend = isBent ? { bend: bendOf(q, k, v, functions) } : {};
  return (
    isWide
      ? composedAttention([q, k, v], mask, settings)
      : applyAll(
          "attention",
          mask === undefined ? [q, k, v] : [q, k, v, mask],
          now === null ? { ...settings, ...bend } : { ...settings, now },
        )
  ) as Tensor[];
}

function bendOf(q: Tensor, k: Tensor, v: Tensor, functions: ScoreFunctions): CompiledScores {
  const { batches, heads, queries, keys } = shapesOf(q.shape, k.shape, v.shape);
  const sums = accumulatorOf(attentionDType([q, k, v]));
  return new CompiledScores(q.deviceProcess, sums, [batches, heads, queries, keys], functions);
}

type Beside = "mask" | "cache" | "score" | "blocks";

/** What each of several sequences gives, one after the other. */
function sequencesAttention(
  q: Tensor,
  k: Tensor,
  v: Tensor,
  lengths: SequenceLengths,
  { mask, cache, score, blocks, ...options }: Omit<AttentionOptions, Beside> & Record<Beside, unknown>,
): Tensor | AttentionWithLse {
  const { before, hasHeads, heads, queries, keys, width, valueWidth } = shapesOf(q.shape, k.shape, v.shape);
  const { dropout = 0, returnLse = false } = options;
  const others = {
    "a mask": mask,
    "a function of scores": score,
    blocks,
    "a cache": cache,
    dropout: dropout || undefined,
  };
  const beside = Object.entries(others).find(([, value]) => value !== undefined)?.[0] ?? null;
  if (beside !== null)
    throw new TensorError("OPTIONS", `attention takes lengths of sequences or ${beside}, not both: leave one out.`);
  if (Math.max(width, valueWidth) > mostWidth())
    throw new TensorError(
      "SHAPE",
      `attention of sequences takes heads of at most ${mostWidth()} columns but got ${Math.max(width, valueWidth)}.`,
    );
  const parts = startsOf(lengths, queries, keys);
  const sequences = parts.map((each): Sequence => ({ ...each, ...seenKeys(options, each.queries, each.keys) }));
  const [out, lse] = applyAll("sequencesAttention", [q, k, v], {
    ...settingsOf(options, queries, keys, width),
    sequences,
  }) as Tensor[];
  if (!returnLse) return out!;
  const lines = [...before, ...(hasHeads ? [heads] : [])];
  const count = sizeOf(lines);
  const sums = parts.map(({ query, queries }) =>
    (lse!.slice([count * query, count * (query + queries)]) as Tensor).reshape([...lines, queries]),
  );
  return { out: out!, lse: sums.length === 0 ? lse!.reshape([...lines, 0]) : cat(sums as Tensor[], { axis: -1 }) };
}

/** Attention of queries, keys and values that lie side by side: […, length, heads + 2 · keyHeads, width]. */
function packedAttention(
  all: Tensor,
  keyHeads: number,
  { mask, ...options }: Pick<AttentionOptions, "causal"> & { readonly mask?: Tensor },
): Tensor {
  const [length, heads, width] = all.shape.slice(-3) as [number, number, number];
  if (mask !== undefined) checkMask(mask, [...all.shape.slice(0, -3), heads - 2 * keyHeads, length, length]);
  return applyAll("packedAttention", mask === undefined ? [all] : [all, mask], {
    ...settingsOf(options, length, length, width),
    keyHeads,
  })[0] as Tensor;
}

/**
 * Attention of a sequence to itself in several heads, each of width/heads, with linear layers before and after it
 * (arXiv 1706.03762, section 3.2.2). x and the result are […, length, width]. `keyHeads`: how many heads keys and values
 * have, each for heads/keyHeads of the queries (Ainslie and others, arXiv 2305.13245); as many as queries when left out.
 * @example
 * const layer = new nn.SelfAttention(8, 2, { causal: true });
 * layer(randn([1, 5, 8])).shape; // → [ 1, 5, 8 ]
 */
export class SelfAttention extends Module {
  /** How many heads there are. */
  readonly heads: number;
  /** How many of them keys and values have. */
  readonly keyHeads: number;
  /** Whether a query looks at no key after its own place. */
  readonly causal: boolean;
  /** Queries, keys and values of all heads, side by side. */
  readonly inputs: Linear;
  /** What the heads give, joined, goes through this layer. */
  readonly outputs: Linear;
  /** What is left out of the result while it is trained. */
  readonly dropout: Dropout;

  /** `dropout`: of the result, while it is trained. Throws TensorError. */
  constructor(
    width: number,
    heads: number,
    given: ParameterOptions & {
      readonly causal?: boolean;
      readonly bias?: boolean;
      readonly dropout?: number;
      readonly keyHeads?: number;
    } = {},
  ) {
    super();
    checkSelfAttention([width, heads, given]);
    const { causal = false, bias = true, dropout = 0, keyHeads = heads, ...options } = given;
    if (width % heads !== 0)
      throw new TensorError(
        "OPTIONS",
        `SelfAttention takes a width that its heads divide, but ${heads} heads do not divide ${width}.`,
      );
    if (heads % keyHeads !== 0)
      throw new TensorError(
        "OPTIONS",
        `SelfAttention takes a number of keyHeads that divides its heads, but ${keyHeads} do not divide ${heads}.`,
      );
    this.heads = heads;
    this.keyHeads = keyHeads;
    this.causal = causal;
    this.inputs = new Linear(width, (width / heads) * (heads + 2 * keyHeads), { bias, ...options });
    this.outputs = new Linear(width, width, { bias, ...options });
    this.dropout = new Dropout(dropout);
  }

  forward(x: Tensor, { mask, cache }: Pick<AttentionOptions, "mask" | "cache"> = {}): Tensor {
    const { heads, keyHeads, causal } = this;
    const width = this.outputs.weight.shape[0]!,
      [length] = x.shape.slice(-2),
      before = x.shape.slice(0, -2);
    if (x.shape.length < 2 || x.shape.at(-1) !== width)
      throw new TensorError(
        "SHAPE",
        `SelfAttention of width ${width} takes tensors of shape […, length, ${width}] but got ${formatShape(x.shape)}.`,
      );
    // […, length, heads of queries, of keys and of values, each]
    const all = this.inputs(x).reshape([...before, length!, heads + 2 * keyHeads, width / heads]);
    const rank = before.length;
    const turned = [...before.keys(), rank + 1, rank, rank + 2];
    const part = (from: number, to: number) =>
      all.slice(...before.map(() => null), null, [from, to]).transpose(turned) as Tensor;
    const seen =
      cache === undefined && typeof mask !== "function" && width / heads <= mostWidth()
        ? packedAttention(all, keyHeads, { causal, ...(mask === undefined ? {} : { mask }) })
        : attention(part(0, heads), part(heads, heads + keyHeads), part(heads + keyHeads, heads + 2 * keyHeads), {
            causal,
            ...(mask === undefined ? {} : { mask }),
            ...(cache === undefined ? {} : { cache }),
          });
    return this.dropout(this.outputs(seen.transpose(turned).reshape([...before, length!, width])));
  }

  override describe(): string {
    return `${this.heads} heads${this.keyHeads === this.heads ? "" : `, ${this.keyHeads} of keys`}${this.causal ? ", causal" : ""}`;
  }
}
