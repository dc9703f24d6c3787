// Batches of data, in order or shuffled, epoch after epoch, from where a saved state was; made here or by workers.
import { afterCollection } from "../device/collection.ts";
import { TensorError } from "../errors.ts";
import { anything, count, device, flag, optionsOf, seed as seedKind, type Kind } from "../tensor/arguments.ts";
import { tensor } from "../tensor/create.ts";
import { drawOf } from "../tensor/generator.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { collated, type Collated } from "./collate.ts";
import { Crew, Delivered } from "./crew.ts";
import { Order, Rows } from "./rows.ts";
import { sourceOf, type BatchOf, type Data, type Source } from "./sources.ts";
import { checkTransform, loadTransform, placeOf, type Transform } from "./transform.ts";

/**
 * `batchSize`: rows of a batch, 1 when left out. `shuffle`: another order in each epoch, by `seed`, or by the generator
 * of {@link seed} where there is none. `dropLast`: leave out a last batch that is smaller. `transform`: what becomes of
 * each sample, which is plain values: of a tensor's row a typed array, or a number where it has no axes. A function, or
 * the path of a module whose default export is one; either may be async. `collate`: makes a batch of a list of samples.
 * `prefetch`: batches that `for await` has under way beside the one that the loop has; two for each worker, else 0 when
 * left out. `workers`: threads that transform samples and make batches of them, 0 when left out; of a function only its
 * text gets there, so that it uses what it defines or imports itself. `device`: where batches go.
 */
export interface DataLoaderOptions<C = unknown, R = unknown> {
  readonly batchSize?: number;
  readonly shuffle?: boolean;
  readonly seed?: number | bigint;
  readonly dropLast?: boolean;
  readonly transform?: ((sample: never) => R | Promise<R>) | string | URL;
  readonly collate?: (samples: never[]) => C | Promise<C>;
  readonly prefetch?: number;
  readonly workers?: number;
  readonly device?: string;
}

/** What `collate` makes, or else of what `transform` returns, or else of the data, where its type is known. */
type BatchFrom<D, C, R> = 0 extends 1 & D
  ? any
  : unknown extends C
    ? unknown extends R
      ? BatchOf<D>
      : Collated<R>
    : C;

const size: Kind<number> = {
  wanted: "a whole number of at least 1",
  has: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
};
const fn: Kind<(samples: never[]) => unknown> = {
  wanted: "a function of samples",
  has: (value) => typeof value === "function",
};
const kinds = {
  batchSize: size,
  shuffle: flag,
  seed: seedKind,
  dropLast: flag,
  collate: fn,
  prefetch: count,
  workers: count,
  device,
};
const instead = {
  batch: "Write batchSize.",
  numWorkers: "Write workers.",
  num_workers: "Write workers.",
  map: "Write transform.",
};
const later = "write for await (const batch of loader).";

/** Streams of random numbers of one seed, of which each epoch has one. */
const epochsOfDraw = 2n ** 32n;

/**
 * Batches of data: of a tensor by its first axis, of several or of a record of tensors and lists side by side, of a
 * list of samples, or of an object with `length` and `get(index)`, which may return promises. Batches of tensors are
 * copies on their device, without gradients; of samples, numbers become a tensor, tensors are stacked, and arrays and
 * records are taken entry by entry. Each loop is an epoch; one that was left begins a new one.
 *
 * With `workers` a transform runs in threads, which lay batches into memory that the device reads by itself, on a stream
 * of its own, while the loop goes on: the same batches in the same order. They are ended where a loop is left. Rows of
 * tensors without a transform are gathered on their device, for which no worker is started. Throws TensorError.
 * @example
 * const loader = new DataLoader({ x: arange(10), y: arange(10).mul(2) }, { batchSize: 4 });
 * loader.length; // → 3
 * for (const { x, y } of loader) y.sub(x).sum();
 * @example
 * const words = new DataLoader(["a", "b", "c"], { batchSize: 2, shuffle: true, seed: 1 });
 * [...words].flat().sort().join(" "); // → 'a b c'
 * @example
 * const squares = new DataLoader([1, 2, 3], { batchSize: 3, transform: (x: number) => x * x, workers: 1 });
 * for await (const batch of squares) batch; // → tensor([1, 4, 9], shape [3], float32, cpu)
 */
export class DataLoader<const D extends Data = any, C = unknown, R = unknown>
  implements Iterable<BatchFrom<D, C, R>>, AsyncIterable<BatchFrom<D, C, R>>
{
  /** The rows of a batch; the last one may have less. */
  readonly batchSize: number;
  readonly #source: Source;
  readonly #shuffles: boolean;
  readonly #dropsLast: boolean;
  readonly #collate: ((samples: never[]) => unknown) | undefined;
  readonly #transform: Transform | string | URL | undefined;
  /** Of a module; loaded once. */
  #loaded: Promise<Transform> | null = null;
  readonly #prefetch: number;
  readonly #workers: number;
  #crew: Crew | null = null;
  readonly #device: string | undefined;
  /** Of the shuffled orders; `null` until one is drawn. */
  #seed: readonly [bigint, bigint] | null;
  #epoch = 0;
  /** Batches that loops have got in this epoch. */
  #position = 0;
  #hasBegun = false;

  constructor(data: D, options: DataLoaderOptions<C, R> = {}) {
    const given = optionsOf("DataLoader", { ...kinds, collate: anything, transform: anything }, options, { instead });
    if (given.collate !== undefined && !fn.has(given.collate))
      throw new TensorError("OPTIONS", `DataLoader takes ${fn.wanted} as collate but got ${worded(given.collate)}.`);
    if (given.transform !== undefined) checkTransform(given.transform);
    const { batchSize = 1, shuffle = false, dropLast = false, workers = 0, prefetch = 2 * workers } = given;
    if (given.seed !== undefined && !shuffle)
      throw new TensorError("OPTIONS", "DataLoader takes a seed for shuffle: true, which it was not given.");
    this.#source = sourceOf(data);
    this.batchSize = batchSize;
    this.#shuffles = shuffle;
    this.#dropsLast = dropLast;
    this.#collate = given.collate as typeof fn extends Kind<infer F> ? F : never;
    this.#transform = given.transform as Transform | string | URL | undefined;
    this.#prefetch = prefetch;
    this.#workers = this.#transform === undefined && this.#source.isGathered ? 0 : workers;
    if (this.#workers > 0 && this.#transform !== undefined) placeOf(this.#transform);
    this.#device = given.device;
    this.#seed = given.seed === undefined ? null : [BigInt(given.seed), 0n];
  }

  /** The batches of an epoch. */
  get length(): number {
    const batches = this.#source.length / this.batchSize;
    return this.#dropsLast ? Math.floor(batches) : Math.ceil(batches);
  }

  /** The number of the epoch that runs, or of the next one where none does. */
  get epoch(): number {
    return this.#epoch;
  }

  /** One epoch, or the rest of one that was loaded. Throws TensorError for samples that come later. */
  *[Symbol.iterator](): Generator<BatchFrom<D, C, R>, void> {
    if (this.#workers > 0) throw new TensorError("ASYNC", `Workers make these batches: ${later}`);
    const rowsOf = this.#begin();
    for (let at = this.#position; at < this.length; at++) {
      const batch = this.#batch(rowsOf(at));
      if (batch instanceof Promise) {
        // What it throws is of no interest beside that.
        void batch.catch(() => undefined);
        throw new TensorError("ASYNC", `These samples are promises: ${later}`);
      }
      this.#position = at + 1;
      yield batch as BatchFrom<D, C, R>;
    }
    this.#end();
  }

  /** The same, with `prefetch` batches under way. */
  async *[Symbol.asyncIterator](): AsyncGenerator<BatchFrom<D, C, R>, void> {
    const rowsOf = this.#begin();
    const { length } = this;
    const begun: Promise<unknown>[] = [];
    const begin = async (at: number) => this.#batch(rowsOf(at));
    let next = this.#position;
    try {
      for (let at = next; at < length; at++) {
        for (; next < length && next <= at + this.#prefetch; next++) {
          const batch = begin(next);
          // Whoever waits for it is told; until then it is not unhandled.
          batch.catch(() => undefined);
          begun.push(batch);
        }
        const made = await begun.shift()!;
        const batch = made instanceof Delivered ? made.received() : made;
        this.#position = at + 1;
        yield batch as BatchFrom<D, C, R>;
      }
      next = -1;
    } finally {
      // What is under way is for nobody then.
      if (next !== -1) this.#crew?.stop();
    }
    this.#end();
  }

  #begin(): (at: number) => Rows {
    if (this.#hasBegun) {
      this.#epoch += 1;
      this.#position = 0;
    }
    this.#hasBegun = true;
    const { length } = this.#source;
    const order = this.#shuffles ? this.#order(length) : null;
    return (at) => new Rows(at * this.batchSize, Math.min(length, (at + 1) * this.batchSize), order);
  }

  #end(): void {
    this.#epoch += 1;
    this.#position = 0;
    this.#hasBegun = false;
  }

  #order(length: number): Order {
    if (this.#seed === null) {
      const { seed, stream } = drawOf({});
      this.#seed = [seed, (stream * epochsOfDraw) % 2n ** 64n];
    }
    const [seed, stream] = this.#seed;
    return new Order(length, seed, (stream + BigInt(this.#epoch)) % 2n ** 64n);
  }

  #batch(rows: Rows): unknown {
    if (this.#transform === undefined && this.#workers === 0) {
      if (this.#collate === undefined) return this.#source.batch(rows, this.#device);
      return this.#collated(rows.numbers.map((each) => this.#source.sample(each)));
    }
    const plain = this.#source.plain(rows);
    const use = (samples: readonly unknown[]) => (this.#workers > 0 ? this.#sent(samples, rows) : this.#here(samples));
    return plain.some((each) => each instanceof Promise) ? Promise.all(plain).then(use) : use(plain);
  }

  #collated(samples: readonly unknown[]): unknown {
    const collate = (all: readonly unknown[]) =>
      this.#collate === undefined ? collated(all, this.#device) : this.#collate([...all] as never[]);
    return samples.some((each) => each instanceof Promise) ? Promise.all(samples).then(collate) : collate(samples);
  }

  /** Transformed by this thread. */
  #here(samples: readonly unknown[]): unknown {
    const all = (transform: Transform) => this.#collated(samples.map((each) => transform(each as never)));
    if (typeof this.#transform === "function") return all(this.#transform);
    this.#loaded ??= loadTransform(placeOf(this.#transform!));
    return this.#loaded.then(all);
  }

  async #sent(samples: readonly unknown[], rows: Rows): Promise<unknown> {
    if (this.#crew === null || this.#crew.isStopped) {
      const place = this.#transform === undefined ? null : placeOf(this.#transform);
      const crew = new Crew(this.#workers, place, this.#device);
      afterCollection(this, () => crew.stop());
      this.#crew = crew;
    }
    if (this.#collate === undefined) return this.#crew.make(samples, rows.numbers, false);
    return this.#collated((await this.#crew.make(samples, rows.numbers, true)) as readonly unknown[]);
  }

  /** Where it is, as tensors for `io.save`: epoch, batches that its loop has got, and the seed of shuffled orders. */
  stateDict(): Record<string, Tensor> {
    const number = (value: number) => tensor(value, { dtype: "float64", device: "cpu" });
    return {
      epoch: number(this.#epoch),
      position: number(this.#position),
      ...(this.#seed === null ? {} : { seed: tensor([...this.#seed], { dtype: "uint64", device: "cpu" }) }),
    };
  }

  /**
   * Has the next loop go on behind the batch that the loop had when {@link stateDict} was taken, of the same data with
   * the same options. Throws TensorError for what is not such a state; nothing is changed then.
   */
  loadStateDict(state: Readonly<Record<string, Tensor>>): void {
    const { epoch, position, seed } = state;
    const isNumber = (each: unknown): each is Tensor =>
      each instanceof Tensor &&
      each.size === 1 &&
      Number.isSafeInteger(Number(each.item())) &&
      Number(each.item()) >= 0;
    if (!isNumber(epoch) || !isNumber(position) || (seed !== undefined && (seed.dtype !== "uint64" || seed.size !== 2)))
      throw new TensorError(
        "STATE",
        "loadStateDict of a DataLoader takes what stateDict() gave: epoch, position and seed.",
      );
    const at = Number(position.item());
    if (at > this.length)
      throw new TensorError(
        "STATE",
        `The state is that of ${at} batches of an epoch, but this DataLoader has ${this.length} in all.`,
      );
    this.#epoch = Number(epoch.item());
    this.#position = at;
    this.#hasBegun = false;
    if (seed !== undefined) this.#seed = seed.toArray() as [bigint, bigint];
  }

  /** Its batches, as text. */
  toString(): string {
    return `DataLoader: ${this.length} batches of ${this.batchSize}${this.#shuffles ? ", shuffled" : ""}, epoch ${this.#epoch}`;
  }
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }
}
