// The keys and values that a model has seen, kept for the tokens still to come: each step adds its own and attends to
// all.
import { GradientError, TensorError } from "../errors.ts";
import { keepBeyondScopes } from "../memory/array.ts";
import { formatShape } from "../memory/shape.ts";
import { isRecording } from "../ops/core/hooks.ts";
import { count, reader, type Kind } from "../tensor/arguments.ts";
import { zeros } from "../tensor/create.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { ParameterOptions } from "./module.ts";
import { parameterOptions, size } from "./options.ts";

const checkCache = reader("KeyValueCache", {
  written: "new nn.KeyValueCache",
  required: { batch: size, heads: size, capacity: size, width: size },
  options: { valueWidth: size, ...parameterOptions },
});
const readTruncate = reader("truncate", { required: { length: count } });

/**
 * Room for `capacity` keys and values of each of `heads` heads of `batch` sequences, of which the first `length` are
 * filled. It is taken at once, and what is added is written in place: nothing of before is copied. {@link attention}
 * and the layers of attention take it as `cache`, one for each layer. `width` is that of a head, `valueWidth` that of
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
  #length = 0;

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

  /** How many tokens it has of each sequence. */
  get length(): number {
    return this.#length;
  }
  /** How many it has room for. */
  get capacity(): number {
    return this.#keys.shape[2]!;
  }
  /** [batch, heads, length, width]: a view of the keys that are filled. */
  get keys(): Tensor {
    return this.#keys.slice(null, null, [0, this.#length]) as Tensor;
  }
  /** [batch, heads, length, valueWidth]: a view of the values that are filled. */
  get values(): Tensor {
    return this.#values.slice(null, null, [0, this.#length]) as Tensor;
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
    if (this.#length + rows > this.capacity)
      throw new TensorError(
        "VALUE",
        `This KeyValueCache has room for ${this.capacity} tokens, of which ${this.#length} are filled, and got ${rows} more: make a larger one, or truncate it.`,
      );
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
    const from = this.#length;
    const to = from + k.shape[2]!;
    this.#keys.set([null, null, [from, to]], k);
    this.#values.set([null, null, [from, to]], v);
    this.#length = to;
    return this;
  }

  /**
   * Forgets all but the first `length` tokens, as after a guess that was wrong. Returns this cache. Throws TensorError
   * for more than there are.
   * @example
   * new nn.KeyValueCache(1, 1, 8, 2).append(ones([1, 1, 3, 2]), ones([1, 1, 3, 2])).truncate(1).length; // → 1
   */
  truncate(length: number): this {
    readTruncate([length]);
    if (length > this.#length)
      throw new TensorError(
        "VALUE",
        `truncate takes at most the ${this.#length} tokens that this KeyValueCache has but got ${length}.`,
      );
    this.#length = length;
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
    this.#length = 0;
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
