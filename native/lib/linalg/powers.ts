// Products of several matrices: powers, chains, the exponential, Kronecker's.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { matrixDType, squaresOf } from "../ops/linalg/matrices.ts";
import { define, free, tensor, tensors, wholeNumber } from "../tensor/arguments.ts";
import { eye } from "../tensor/joining.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { MatrixOf } from "./operands.ts";
import { inv, solve } from "./solving.ts";

/** The unit matrix beside a batch of square matrices. */
const unitBeside = (x: Tensor): Tensor => eye(x.shape.at(-1)!, { dtype: x.dtype, device: x.device });

/**
 * xⁿ of square matrices [B…, k, k] for a whole n, by repeated squaring; of a negative one that of the inverse, and the
 * unit matrix for 0.
 * @example
 * linalg.matrixPower(tensor([[1, 1], [0, 1]]), 5); // → tensor([[1, 5], [0, 1]], shape [2, 2], float32, cpu)
 */
export const matrixPower: <D extends DType>(x: Tensor<D>, n: number) => Tensor<D> = define(
  "matrixPower",
  { required: { n: wholeNumber } },
  (x, { n }) => {
    squaresOf("matrixPower", x);
    if (n === 0) return unitBeside(x).expand(x.shape).clone();
    let square: Tensor = n < 0 ? inv(x) : x;
    let power: Tensor | null = null;
    for (let rest = Math.abs(n); rest > 0; rest = Math.floor(rest / 2)) {
      if (rest % 2 === 1) power = power === null ? square : power.matmul(square);
      if (rest > 1) square = square.matmul(square);
    }
    return power === x ? x.clone() : power;
  },
);

/**
 * The product of two or more matrices in the order that takes the fewest multiplications (Cormen, Leiserson, Rivest and
 * Stein, "Introduction to Algorithms", 15.2). The first and the last may be vectors.
 * @example
 * linalg.multiDot([ones([10, 100]), ones([100, 5]), ones([5, 50])]).shape; // → [ 10, 50 ]
 */
export const multiDot: (matrices: readonly Tensor[]) => Tensor = free(
  "multiDot",
  { required: { matrices: tensors } },
  ({ matrices }) => {
    const last = matrices.length - 1;
    const isRow = last > 0 && matrices[0]!.shape.length === 1;
    const isColumn = last > 0 && matrices[last]!.shape.length === 1;
    const chain = matrices.map((x, at) =>
      at === 0 && isRow ? x.unsqueeze(0) : at === last && isColumn ? x.unsqueeze(1) : x,
    );
    const fits = chain.every(
      ({ shape }, at) => shape.length === 2 && (at === 0 || shape[0] === chain[at - 1]!.shape[1]),
    );
    if (!fits)
      throw new TensorError(
        "SHAPE",
        `multiDot takes matrices whose rows are as many as the columns of the one before but got shapes ${matrices.map(({ shape }) => formatShape(shape)).join(", ")}.`,
      );
    const whole = multiplied(chain, cheapest([chain[0]!.shape[0]!, ...chain.map(({ shape }) => shape[1]!)]), 0, last);
    const row = isRow ? whole.squeeze(0) : whole;
    return isColumn ? row.squeeze(-1) : row;
  },
);

/** After which matrix the chain from one to another is cut. */
type Cuts = readonly (readonly number[])[];

/** Matrix i has `sizes[i]` rows and `sizes[i + 1]` columns. */
function cheapest(sizes: readonly number[]): Cuts {
  const count = sizes.length - 1;
  const table = (value: number) => Array.from({ length: count }, () => Array<number>(count).fill(value));
  const [costs, cuts] = [table(0), table(0)];
  for (let length = 1; length < count; length++)
    for (let from = 0; from + length < count; from++) {
      const to = from + length;
      costs[from]![to] = Infinity;
      for (let cut = from; cut < to; cut++) {
        const cost = costs[from]![cut]! + costs[cut + 1]![to]! + sizes[from]! * sizes[cut + 1]! * sizes[to + 1]!;
        if (cost >= costs[from]![to]!) continue;
        costs[from]![to] = cost;
        cuts[from]![to] = cut;
      }
    }
  return cuts;
}

function multiplied(chain: readonly Tensor[], cuts: Cuts, from: number, to: number): Tensor {
  if (from === to) return chain[from]!;
  const cut = cuts[from]![to]!;
  return multiplied(chain, cuts, from, cut).matmul(multiplied(chain, cuts, cut + 1, to));
}

// Of the [13/13] Padé approximant, divided by the first; and up to which norm it is exact to float64.
const coefficients = [
  64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600,
  670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1,
].map((each) => each / 64764752532480000);
const largestNorm = 5.371920351148152;

/**
 * The exponential of square matrices [B…, n, n], Σ xᵏ/k!, by a Padé approximant of x / 2ˢ squared s times, with an s
 * for each matrix (Higham 2005, "The scaling and squaring method for the matrix exponential revisited"). Waits for the
 * device to learn s.
 * @example
 * linalg.matrixExp(zeros([2, 2])); // → tensor([[1, 0], [0, 1]], shape [2, 2], float32, cpu)
 */
export const matrixExp: <D extends DType>(x: Tensor<D>) => Tensor<MatrixOf<D>> = define("matrixExp", {}, (x) => {
  squaresOf("matrixExp", x);
  const floats = x.to(matrixDType("matrixExp", x));
  if (x.size === 0) return floats.clone();
  const sizes = floats.detach().abs().sum(-2).max({ axis: -1, keepdims: true }).unsqueeze(-1);
  const squarings = sizes.div(largestNorm).log2().ceil().clamp({ min: 0, max: 1100 });
  const most = Number(squarings.max().item());
  const a = floats.mul(squarings.neg().exp2());
  const unit = unitBeside(a);
  const b = (at: number) => coefficients[at]!;
  const a2 = a.matmul(a);
  const a4 = a2.matmul(a2);
  const a6 = a4.matmul(a2);
  /** Σ of the even or odd terms, without the power of a that all odd ones have. */
  const terms = (at: number) => {
    const upper = a6
      .mul(b(at + 12))
      .add(a4.mul(b(at + 10)))
      .add(a2.mul(b(at + 8)));
    return a6
      .matmul(upper)
      .add(a6.mul(b(at + 6)))
      .add(a4.mul(b(at + 4)))
      .add(a2.mul(b(at + 2)))
      .add(unit.mul(b(at)));
  };
  const [odd, even] = [a.matmul(terms(1)), terms(0)];
  let result = solve(even.sub(odd) as Tensor, even.add(odd) as Tensor) as Tensor;
  for (let done = 0; done < most; done++) result = result.matmul(result).where(squarings.gt(done), result) as Tensor;
  return result;
});

/**
 * Kronecker's product: each element of a multiplied by all of b, [a₀ · b₀, a₁ · b₁]; of tensors with several axes along
 * each of them.
 * @example
 * linalg.kron(tensor([1, 10]), tensor([1, 2, 3])); // → tensor([1, 2, 3, 10, 20, 30], shape [6], float32, cpu)
 */
export const kron: <D extends DType>(a: Tensor<D>, b: Tensor) => Tensor = define(
  "kron",
  { required: { b: tensor } },
  (a, { b }) => {
    const rank = Math.max(a.shape.length, b.shape.length);
    const padded = [a, b].map(({ shape }) => [...Array<number>(rank - shape.length).fill(1), ...shape]);
    const [left, right] = padded.map((shape, which) => shape.flatMap((size) => (which === 0 ? [size, 1] : [1, size])));
    const whole = padded[0]!.map((size, axis) => size * padded[1]![axis]!);
    return a.reshape(left!).mul(b.reshape(right!)).reshape(whole);
  },
);
