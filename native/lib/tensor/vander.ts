// Vandermonde matrices: powers of numbers side by side.
import type { DType } from "../memory/dtype.ts";
import { TensorError } from "../errors.ts";
import { count, define, flag } from "./arguments.ts";
import { cat, onesLike } from "./joining.ts";
import type { Tensor } from "./tensor.ts";

/** `n`: how many powers, as many as numbers when left out; `increasing`: the power 0 first instead of last. */
export interface VanderOptions {
  readonly n?: number;
  readonly increasing?: boolean;
}

/**
 * The matrix of the powers of numbers, x^(n − 1), …, x, 1 in each row: of a list [P] a [P, n], of [B…, P] a [B…, P, n],
 * see {@link VanderOptions}. Throws TensorError.
 * @example
 * vander(tensor([2, 3])); // → tensor([[2, 1], [3, 1]], shape [2, 2], float32, cpu)
 * vander(tensor([2, 3]), { n: 3, increasing: true }); // → tensor([[1, 2, 4], [1, 3, 9]], shape [2, 3], float32, cpu)
 */
export const vander: <D extends DType>(
  x: Tensor<D>,
  n?: number | VanderOptions,
  increasing?: boolean | VanderOptions,
) => Tensor<D> = define(
  "vander",
  { options: { n: count, increasing: flag }, bare: ["n", "increasing"], aliases: { N: "n" } },
  (x, { n = x.shape.at(-1), increasing = false }) => {
    if (n === undefined) throw new TensorError("SHAPE", "vander takes a tensor of at least one axis but got shape [].");
    const numbers = x.dtype === "bool" ? x.to("int32") : x;
    if (n === 0) return numbers.unsqueeze(-1).expand([...x.shape, 0]);
    // Products rather than powers: whole numbers stay whole on every device.
    const factors = cat([onesLike(numbers).unsqueeze(-1), numbers.unsqueeze(-1).expand([...x.shape, n - 1])], -1);
    const powers = factors.cumprod(-1);
    return increasing ? powers : powers.flip(-1);
  },
);
