// Generators of random numbers: which part of the stream of a seed the next operation draws.
import { randomBytes } from "node:crypto";
import { captures, type Draw } from "../device/capture.ts";
import { TensorError } from "../errors.ts";
import { formatShape } from "../memory/shape.ts";
import { Repeated } from "../repeated.ts";
import { worded } from "../wording.ts";
import { seed as seedKind, type Kind } from "./arguments.ts";
import { tensor } from "./create.ts";
import { Tensor } from "./tensor.ts";

export type { Draw } from "../device/capture.ts";

/**
 * `seed`: a whole number from 0 to 2^64 − 1; the same seed, shape and dtype give the same numbers on every device.
 * `generator`: one of its own, which advances with each operation. With neither, the generator of {@link seed} is used.
 */
export interface RandomSource {
  readonly seed?: number | bigint;
  readonly generator?: Generator;
}

function checkedSeed(value: unknown): bigint {
  if (!seedKind.has(value))
    throw new TensorError("SEED", `A seed must be a whole number from 0 to 2^64 - 1, but got ${worded(value)}.`);
  return BigInt(value as number | bigint);
}

/** What a function that is run again draws. */
export const draws = new Repeated<Draw>();

/**
 * A sequence of random numbers of its own, for all devices: operations that get it as `generator` continue where the
 * one before stopped, whatever others draw meanwhile. Without a seed it is random. Throws TensorError for what is not a
 * seed.
 * @example
 * const generator = new Generator(7);
 * rand([2], { generator });
 * const saved = generator.state();
 * const next = rand([2], { generator });
 * rand([2], { generator: new Generator().setState(saved) }).arrayEqual(next); // → true
 */
export class Generator {
  #seed: bigint;
  #stream = 0n;

  constructor(seed?: number | bigint) {
    this.#seed = seed === undefined ? randomBytes(8).readBigUInt64LE() : checkedSeed(seed);
  }

  /** What it was started with. */
  get seed(): bigint {
    return this.#seed;
  }

  /** Starts again with that seed. Returns this generator. Throws TensorError. */
  restart(seed: number | bigint): this {
    this.#seed = checkedSeed(seed);
    this.#stream = 0n;
    return this;
  }

  /** Where it is, as two numbers of uint64 on the CPU, which `io.save` keeps with a model. */
  state(): Tensor<"uint64"> {
    return tensor([this.#seed, this.#stream], { dtype: "uint64", device: "cpu" });
  }

  /** Continues from a {@link state}. Returns this generator. Throws TensorError for what is not one. */
  setState(state: Tensor): this {
    const [seed, stream] = checkedState("setState", "state()", state).toArray() as [bigint, bigint];
    this.#seed = seed;
    this.#stream = stream;
    return this;
  }

  /** @internal What the next operation draws. */
  next(): Draw {
    return draws.next(() => this.#fresh());
  }
  #fresh(): Draw {
    const capture = captures.current;
    return capture === null ? this.#advance() : capture.drawn(() => this.#advance());
  }
  #advance(): Draw {
    this.#stream += 1n;
    return { seed: this.#seed, stream: this.#stream };
  }
}

function checkedState(use: string, maker: string, state: unknown): Tensor {
  if (state instanceof Tensor && state.dtype === "uint64" && state.shape.join() === "2") return state;
  const got = state instanceof Tensor ? `shape ${formatShape(state.shape)} of ${state.dtype}` : worded(state);
  throw new TensorError("SEED", `${use} takes what ${maker} gave, two numbers of uint64, but got ${got}.`);
}

/** The generator of all operations that name neither a seed nor a generator. */
const common = new Generator();

const generatorKind: Kind<Generator> = {
  wanted: "a generator, such as new Generator(7),",
  has: (value) => value instanceof Generator,
};

/** The options of {@link RandomSource}. */
export const randomSource = { seed: seedKind, generator: generatorKind };

/** What an operation with these options draws. Throws TensorError for both a seed and a generator. */
export function drawOf({ seed, generator }: RandomSource): Draw {
  if (seed === undefined) return (generator ?? common).next();
  if (generator !== undefined)
    throw new TensorError(
      "OPTIONS",
      "Random numbers are drawn from a seed or from a generator, not both: leave one out.",
    );
  return { seed: checkedSeed(seed), stream: 0n };
}

/**
 * Seeds the generator that all operations without one of their own draw from. Throws TensorError.
 * @example
 * seed(7);
 * const first = rand([2]);
 * seed(7);
 * rand([2]).arrayEqual(first); // → true
 */
export function seed(value: number | bigint): void {
  common.restart(value);
}

/**
 * Where the generator of {@link seed} is, on the CPU: `io.save` keeps it with a model, so that training continues
 * with the numbers that it would have had.
 * @example
 * const state = generatorState();
 * const first = rand([2]);
 * setGeneratorState(state);
 * rand([2]).arrayEqual(first); // → true
 */
export function generatorState(): Tensor<"uint64"> {
  return common.state();
}

/**
 * Has the generator continue from where it was at {@link generatorState}. Throws TensorError for what is not such a
 * state.
 * @example
 * const state = generatorState();
 * const first = randn([2]);
 * setGeneratorState(state);
 * randn([2]).arrayEqual(first); // → true
 */
export function setGeneratorState(state: Tensor): void {
  common.setState(checkedState("setGeneratorState", "generatorState()", state));
}
