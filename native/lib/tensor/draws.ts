// What is drawn by the numbers that a tensor holds, and what replaces them by random ones.
import type { DType } from "../memory/dtype.ts";
import { TensorError } from "../errors.ts";
import { worded } from "../wording.ts";
import {
  define,
  either,
  finite,
  flag,
  install,
  number,
  tensor,
  wholeNumber,
  type FunctionOf,
  type Kind,
} from "./arguments.ts";
import { full } from "./create.ts";
import { randomSource, type RandomSource } from "./generator.ts";
import { stack } from "./joining.ts";
import { checkedFloat, rand, randn, type NormalOptions, type RandomOptions, type UniformOptions } from "./random.ts";
import { Tensor } from "./tensor.ts";

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * 1 with the probability that each element says, else 0, in the dtype of the probabilities.
     * @example
     * tensor([0, 1]).bernoulli(); // → tensor([0, 1], shape [2], float32, cpu)
     */
    bernoulli(options?: RandomSource): Tensor<D>;
    /**
     * `count` positions along the last axis of rows of weights, each with a probability in proportion to its weight;
     * int64 of shape […, count]. Without `replacement` no position comes twice. A weight of 0 is never drawn. Weights
     * need not add up to 1. Waits for the device to look at them. Throws TensorError for one that is negative or not
     * finite, for a row of zeros, and without `replacement` for fewer weights above 0 than `count`.
     * @example
     * tensor([0, 0, 1]).multinomial(2, { replacement: true }); // → tensor([2, 2], shape [2], int64, cpu)
     */
    multinomial(
      count: number,
      replacement?: boolean | (RandomSource & { readonly replacement?: boolean }),
    ): Tensor<"int64">;
    /**
     * Replaces the elements by uniform ones of [low, high). Returns this tensor.
     * @example
     * zeros([2]).uniform_({ low: 5, high: 6 }).ge(5).all().item(); // → true
     */
    uniform_(options?: UniformOptions & RandomSource): this;
    /**
     * Replaces the elements by normal ones. Returns this tensor.
     * @example
     * zeros([1000]).normal_({ mean: 3, std: 0 }).mean().item(); // → 3
     */
    normal_(options?: NormalOptions & RandomSource): this;
    /**
     * Replaces the elements by 1 with a probability, a number or a tensor that broadcasts, ½ when left out, and else by
     * 0. Returns this tensor.
     * @example
     * zeros([2]).bernoulli_(1); // → tensor([1, 1], shape [2], float32, cpu)
     */
    bernoulli_(p?: number | Tensor | (RandomSource & { readonly p?: number | Tensor }), options?: RandomSource): this;
  }
}

/** {@link Tensor.bernoulli} as a function. */
export const bernoulli: FunctionOf<"bernoulli"> = define(
  "bernoulli",
  { options: randomSource },
  (probabilities, options) => {
    checkedFloat(probabilities.dtype);
    const drawn = rand(probabilities.shape, {
      ...options,
      device: probabilities.device,
      dtype: probabilities.dtype === "float64" ? "float64" : "float32",
    });
    return drawn.lt(probabilities.detach()).to(probabilities.dtype);
  },
);

/** Throws TensorError for weights that draw nothing, or too few above 0 to draw `least` different ones of each row. */
function checkedWeights(wide: Tensor, least: number): void {
  const isValid = wide.ge(0).logicalAnd(wide.lt(Infinity)) as Tensor<"bool">;
  const above = (wide.gt(0) as Tensor).sum({ axis: -1 }).min() as Tensor;
  const total = wide.sum({ axis: -1 }).max() as Tensor;
  const [valid, fewest, largest] = stack(
    [isValid.all(), above, total].map((each) => each.to("float64")),
  ).toArray() as number[];
  if (valid === 0)
    throw new TensorError(
      "VALUE",
      `multinomial takes weights ≥ 0 that are finite and not all 0 in a row, but there is ${wide.maskedSelect(isValid.logicalNot()).get(0).item()}.`,
    );
  if (fewest === 0)
    throw new TensorError(
      "VALUE",
      "multinomial takes weights ≥ 0 that are finite and not all 0 in a row, but there is a row of zeros.",
    );
  if (Number(fewest) < least)
    throw new TensorError(
      "VALUE",
      `multinomial draws ${least} different positions of each row, but there is a row with ${fewest} weights above 0: take a smaller count, or { replacement: true }.`,
    );
  if (largest === Infinity)
    throw new TensorError(
      "VALUE",
      "multinomial takes rows of weights whose sum float64 holds, but there is one beyond it: divide them by their largest.",
    );
}

/** {@link Tensor.multinomial} as a function. */
export const multinomial: FunctionOf<"multinomial"> = define(
  "multinomial",
  {
    required: { count: wholeNumber },
    options: { replacement: flag, ...randomSource },
    bare: ["replacement"],
  },
  (weights, { count, replacement = false, ...random }) => {
    checkedFloat(weights.dtype);
    const length = weights.shape.at(-1);
    if (length === undefined || count < 0 || (!replacement && count > length)) {
      throw new TensorError(
        "VALUE",
        `multinomial takes a count from 0${length === undefined || replacement ? "" : ` to ${length}, the number of weights in a row`}, but got ${worded(count)} for weights of shape [${weights.shape.join(", ")}].`,
      );
    }
    const wide = weights.detach().to("float64");
    const rows = weights.shape.slice(0, -1);
    if (rows.every((size) => size > 0) && count > 0) {
      if (length === 0)
        throw new TensorError("VALUE", `multinomial draws ${count} positions of each row, but rows have no weights.`);
      checkedWeights(wide, replacement ? 1 : count);
    }
    const isAbove = wide.gt(0) as Tensor<"bool">;
    if (!replacement) {
      // The first of exponential waiting times, each at the rate of its weight. For what is never drawn NaN, the last of
      // all: the others may be infinite.
      const times = rand(weights.shape, { ...random, device: weights.device, dtype: "float64" })
        .neg()
        .log1p()
        .neg()
        .div(wide) as Tensor;
      return times.where(isAbove, NaN).topk(count, { largest: false }).indices;
    }
    // The sums up to weights above 0, which go up there only: sums that threads share may differ in their last bits.
    const { values: sums } = (wide.cumsum({ axis: -1 }) as Tensor<"float64">).where(isAbove, 0).cummax({ axis: -1 });
    const totals = sums.slice(...Array<null>(rows.length).fill(null), [-1, null]);
    const at = rand([...rows, count], { ...random, device: weights.device, dtype: "float64" }).mul(
      totals,
    ) as Tensor<"float64">;
    return (sums as Tensor<"float64">).searchsorted(at, { right: true });
  },
);

const refill = (
  name: "uniform_" | "normal_",
  options: Readonly<Record<string, Kind<unknown>>>,
  make: (shape: readonly number[], options: RandomOptions<DType>) => Tensor,
) =>
  define(name, { options }, (target, given) => {
    checkedFloat(target.dtype);
    using drawn = make(target.shape, { ...given, dtype: target.dtype, device: target.device });
    return target.copy_(drawn);
  }) as (x: Tensor) => unknown;

const probability: Kind<number> = {
  wanted: "a number from 0 to 1",
  has: (value) => typeof value === "number" && value >= 0 && value <= 1,
};

const bernoulli_: (x: Tensor) => Tensor = define(
  "bernoulli_",
  { options: { p: either(probability, tensor), ...randomSource }, bare: ["p"] },
  (target, { p = 0.5, ...random }) => {
    const { shape, device } = target;
    const dtype = target.dtype === "float64" ? "float64" : "float32";
    const probabilities = p instanceof Tensor ? p.expand(shape) : full(shape, p, { dtype, device });
    using drawn = probabilities.bernoulli(random);
    return target.copy_(drawn);
  },
);

install(Tensor.prototype, {
  bernoulli,
  multinomial,
  bernoulli_,
  uniform_: refill("uniform_", { low: finite, high: finite, ...randomSource }, rand),
  normal_: refill("normal_", { mean: finite, std: finite, ...randomSource }, randn),
});
