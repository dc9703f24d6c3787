// The keys and values that a model has seen, kept for the tokens still to come: each step adds its own and attends to
// all.
import { captures } from "../device/capture.ts";
import { GradientError, TensorError } from "../errors.ts";
import { keepBeyondScopes } from "../memory/array.ts";
import { formatShape } from "../memory/shape.ts";
import { appendRows } from "../ops/attention/append.ts";
import { isRecording } from "../ops/core/hooks.ts";
import { count, reader, type Kind } from "../tensor/arguments.ts";
import { countedFrom, zeros } from "../tensor/create.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { ParameterOptions } from "./module.ts";
import { parameterOptions, size } from "./options.ts";

const checkCache = reader("KeyValueCache", {
  written: "new nn.KeyValueCache",
  required: { batch: size, heads: size, capacity: size, width: size },
  options: { valueWidth: size, ...parameterOptions },
});
const readTruncate = reader("truncate", { required: { length: count } });
const readPositions = reader("positions", { required: { tokens: count } });

/** What is looked at: `filled` rows of each head, at each run of what is recorded; all where it is `null`. */
export interface SeenTokens {
  readonly keys: Tensor;
  readonly values: Tensor;
  readonly filled: (() => number) | null;
}

/** Throws TensorError while a graph is recorded, which would keep what is read as it is now. */
function refuseRecorded(what: string, instead: string): void {
  if (captures.current !== null)
    throw new TensorError("RECORDED", `A graph would keep the ${what} of a KeyValueCache as it is now: ${instead}.`);
}

/**
 * Room for `capacity` keys and values of each of `heads` heads of `batch` sequences, of which the first `length` are
 * filled. It is taken at once, and what is added is written in place: nothing of before is copied. {@link attention}
 * and the layers of attention take it as `cache`, one for each layer, in a graph, too: each run adds its tokens behind
 * those of the one before. `width` is that of a head, `valueWidth` that of
 * its values, the same when left out. It keeps no gradients. Throws TensorError.
 * @example
 * const cache = new nn.KeyValueCache(1, 2, 16, 4); // room for 16 tokens
 * const layer = new nn.SelfAttention(8, 2, { causal: true });
 * noGrad(() => layer(randn([1, 5, 8]), { cache })); // what is there already
 * noGrad(() => layer(randn([1, 1, 8]), { cache })).shape; // → [ 1, 1, 8 ]
 * cache.length; // → 6
 */
export class KeyValueCache {
  readonly #keys: Tensor;
  readonly #values: Tensor;
  #filled = 0;

  /** Throws TensorError. */
  constructor(
    batch: number,
    heads: number,
    capacity: number,
    width: number,
    given: ParameterOptions & { readonly valueWidth?: number } = {},
  ) {
    checkCache([batch, heads, capacity, width, given]);
    const { valueWidth = width, ...options } = given;
    this.#keys = zeros([batch, heads, capacity, width], options);
    this.#values = zeros([batch, heads, capacity, valueWidth], options);
    keepBeyondScopes(this.#keys);
    keepBeyondScopes(this.#values);
  }

  /** How many tokens it has of each sequence. Throws TensorError while a graph is recorded: see {@link positions}. */
  get length(): number {
    refuseRecorded("length", "take positions(tokens), whose numbers are those of each run");
    return this.#filled;
  }
  /** How many it has room for. */
  get capacity(): number {
    return this.#keys.shape[2]!;
  }
  /** [batch, heads, length, width]: a view of the keys that are filled. */
  get keys(): Tensor {
    return this.#part("keys", this.#keys);
  }
  /** [batch, heads, length, valueWidth]: a view of the values that are filled. */
  get values(): Tensor {
    return this.#part("values", this.#values);
  }
  #part(name: string, whole: Tensor): Tensor {
    refuseRecorded(name, "give the cache to nn.attention, which looks at those of each run");
    return whole.slice(null, null, [0, this.#filled]) as Tensor;
  }

  /**
   * The places of the next `tokens` tokens, 1 when left out: int64 [tokens] from {@link length} on, for embeddings of
   * places. In a graph they are those of each run. Throws TensorError.
   * @example
   * const cache = new nn.KeyValueCache(1, 1, 8, 2).append(ones([1, 1, 3, 2]), ones([1, 1, 3, 2]));
   * cache.positions(2); // → tensor([3, 4], shape [2], int64, cpu)
   */
  positions(tokens = 1): Tensor<"int64"> {
    readPositions([tokens]);
    return countedFrom(() => this.#filled, tokens, this.#keys.device);
  }

  /** @internal */
  get filled(): number {
    return this.#filled;
  }
  /** @internal */
  seen(): SeenTokens {
    return captures.current === null
      ? { keys: this.keys, values: this.values, filled: null }
      : { keys: this.#keys, values: this.#values, filled: () => this.#filled };
  }

  /** @internal Throws where `append` would. */
  check(k: Tensor, v: Tensor): void {
    const shapeFor = (room: Tensor, rows: number) => [...room.shape.slice(0, 2), rows, room.shape[3]!];
    const rows = k.shape.at(-2) ?? 0;
    const wanted = [shapeFor(this.#keys, rows), shapeFor(this.#values, rows)].map(formatShape);
    if (formatShape(k.shape) !== wanted[0] || formatShape(v.shape) !== wanted[1]) {
      const [batch, heads, , width] = this.#keys.shape;
      throw new TensorError(
        "SHAPE",
        `This KeyValueCache takes keys [${batch}, ${heads}, tokens, ${width}] and values [${batch}, ${heads}, tokens, ${this.#values.shape[3]}] but got ${formatShape(k.shape)} and ${formatShape(v.shape)}.`,
      );
    }
    for (const each of [k, v])
      if (each.dtype !== this.#keys.dtype || each.device !== this.#keys.device)
        throw new TensorError(
          "DTYPE",
          `This KeyValueCache holds ${this.#keys.dtype} on ${this.#keys.device} but got ${each.dtype} on ${each.device}.`,
        );
    this.#checkRoom(rows);
    if (isRecording() && [k, v].some(({ track }) => track !== null))
      throw new GradientError(
        "NO_GRADIENT",
        "A KeyValueCache keeps no gradients: use it within noGrad, or detach what it gets.",
      );
  }

  /**
   * Adds keys [batch, heads, tokens, width] and values [batch, heads, tokens, valueWidth] of as many tokens behind
   * those that are there. Returns this cache. Throws TensorError where there is no room for them, and GradientError
   * where they have a gradient.
   * @example
   * new nn.KeyValueCache(1, 1, 8, 2).append(ones([1, 1, 3, 2]), ones([1, 1, 3, 2])).length; // → 3
   */
  append(k: Tensor, v: Tensor): this {
    this.check(k, v);
    const rows = k.shape[2]!;
    const advance = () => void (this.#filled += rows);
    advance();
    captures.current?.again(() => {
      this.#checkRoom(rows);
      advance();
    });
    appendRows(this.#keys.execution, [this.#keys, this.#values], [k, v], () => this.#filled - rows);
    return this;
  }
  #checkRoom(rows: number): void {
    if (this.#filled + rows > this.capacity)
      throw new TensorError(
        "VALUE",
        `This KeyValueCache has room for ${this.capacity} tokens, of which ${this.#filled} are filled, and got ${rows} more: make a larger one, or truncate it.`,
      );
  }
  /** @internal Forgets the last tokens, which were not used. */
  takeBack(rows: number): void {
    this.#filled -= rows;
  }

  /**
   * Forgets all but the first `length` tokens, as after a guess that was wrong. Returns this cache. Throws TensorError
   * for more than there are.
   * @example
   * new nn.KeyValueCache(1, 1, 8, 2).append(ones([1, 1, 3, 2]), ones([1, 1, 3, 2])).truncate(1).length; // → 1
   */
  truncate(length: number): this {
    readTruncate([length]);
    const forget = () => {
      if (length > this.#filled)
        throw new TensorError(
          "VALUE",
          `truncate takes at most the ${this.#filled} tokens that this KeyValueCache has but got ${length}.`,
        );
      this.#filled = length;
    };
    forget();
    captures.current?.again(forget);
    return this;
  }

  /**
   * Forgets all tokens. Returns this cache.
   * @example
   * new nn.KeyValueCache(1, 1, 8, 2).append(ones([1, 1, 3, 2]), ones([1, 1, 3, 2])).reset().length; // → 0
   */
  reset(): this {
    return this.truncate(0);
  }

  /** Frees its memory. */
  dispose(): void {
    this.#keys.dispose();
    this.#values.dispose();
    this.#filled = 0;
  }
  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** What functions take as `cache`. */
export const keyValueCache: Kind<KeyValueCache> = {
  wanted: "an nn.KeyValueCache",
  has: (value) => value instanceof KeyValueCache,
};
