// Which rows a batch has: neighbours, or those that a shuffled order has there.
import { keepBeyondScopes } from "../memory/array.ts";
import { Generator } from "../tensor/generator.ts";
import { tensor } from "../tensor/create.ts";
import { randperm } from "../tensor/random.ts";
import type { Tensor } from "../tensor/tensor.ts";

/** All rows in an order that a seed and the number of an epoch determine, on every device the same. */
export class Order {
  readonly numbers: Float64Array;
  readonly #onCpu: Tensor;
  readonly #copies = new Map<string, Tensor>();

  constructor(length: number, seed: bigint, stream: bigint) {
    const state = tensor([seed, stream], { dtype: "uint64", device: "cpu" });
    this.#onCpu = randperm(length, { device: "cpu", generator: new Generator(0).setState(state) });
    keepBeyondScopes(this.#onCpu);
    this.numbers = Float64Array.from(this.#onCpu.data() as BigInt64Array, Number);
  }

  /** The numbers of rows as a tensor on a device. */
  on(device: string): Tensor {
    if (device === "cpu") return this.#onCpu;
    let known = this.#copies.get(device);
    if (known === undefined) {
      this.#copies.set(device, (known = this.#onCpu.to(device)));
      keepBeyondScopes(known);
    }
    return known;
  }
}

/** `end` is the first that is not among them; `order`: `null` for that of the data. */
export class Rows {
  readonly begin: number;
  readonly end: number;
  readonly order: Order | null;

  constructor(begin: number, end: number, order: Order | null) {
    this.begin = begin;
    this.end = end;
    this.order = order;
  }

  get length(): number {
    return this.end - this.begin;
  }

  get numbers(): number[] {
    const { begin, order, length } = this;
    return Array.from({ length }, (_, at) => order?.numbers[begin + at] ?? begin + at);
  }

  /** These rows of a tensor, copied. */
  of(x: Tensor): Tensor {
    const { begin, end, order } = this;
    if (order === null) {
      using shown = x.slice([begin, end]);
      return shown.clone() as Tensor;
    }
    using places = order.on(x.device).slice([begin, end]);
    return x.indexSelect(0, places) as Tensor;
  }
}
