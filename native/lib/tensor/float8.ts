// Matrices in 8-bit floats with scales beside them, and their products.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { checkedAxis, formatShape, type Shape } from "../memory/shape.ts";
import { apply } from "../ops/core/apply.ts";
import { listed } from "../wording.ts";
import { axis, define, flag, oneOf, tensor, wholeNumbers } from "./arguments.ts";
import { finfo } from "./dtype-facts.ts";
import { Tensor } from "./tensor.ts";

const fp8 = oneOf("float8_e4m3", "float8_e5m2");
type Fp8DType = "float8_e4m3" | "float8_e5m2";
type Wide = "float32" | "float16" | "bfloat16";

/** Numbers in 8 bits and what to multiply them by: x ≈ values · scale. */
export interface Fp8<D extends Fp8DType = Fp8DType> {
  readonly values: Tensor<D>;
  /** float32: of no axes, with the axis kept as one, or one for each block. */
  readonly scale: Tensor<"float32">;
}

/**
 * `dtype`: "float8_e4m3" when left out. `axis`: a scale for each line along it, which of a product is the axis that is
 * summed over. `block`: a scale for each such rectangle of a matrix, [1, 128] or [128, 128]. With neither, one scale.
 */
export interface QuantizeFp8Options<D extends Fp8DType = "float8_e4m3"> {
  readonly dtype?: D;
  readonly axis?: number;
  readonly block?: readonly [rows: number, columns: number];
}

/**
 * `scaleA`, `scaleB`: what a and b are multiplied by, see {@link scaledMatmul}. `dtype` of the result: "bfloat16" when
 * left out. `fastAccumulation`: tensor cores may keep sums in some 14 bits, false when left out.
 */
export interface ScaledMatmulOptions<D extends Wide = "bfloat16"> {
  readonly scaleA: Tensor;
  readonly scaleB: Tensor;
  readonly dtype?: D;
  readonly fastAccumulation?: boolean;
}

/** The largest of |x| in each block, [rows / height, columns / width]. */
function largestOfBlocks(x: Tensor, [height, width]: readonly [number, number]): Tensor {
  const [rows, columns] = x.shape as [number, number];
  const counts = [Math.ceil(rows / height), Math.ceil(columns / width)] as const;
  const padded = x.pad([0, counts[1] * width - columns, 0, counts[0] * height - rows]);
  return padded.reshape([counts[0], height, counts[1], width]).max({ axis: [1, 3] }) as Tensor;
}

/** A scale for each element of a matrix. */
function spread(scale: Tensor, shape: Shape, [height, width]: readonly [number, number]): Tensor {
  const long = scale.repeatInterleave(height, { axis: 0 }).repeatInterleave(width, { axis: 1 });
  return long.slice([0, shape[0]!], [0, shape[1]!]) as Tensor;
}

/**
 * Rounds floats to 8 bits with float32 scales: scale = max |x| / 448 (57,344 for float8_e5m2) of each part, 1 where
 * that is 0; values = x / scale, rounded to nearest even. Each element is off by 2⁻⁴ of itself at most, or by 2⁻¹⁰ ·
 * scale where that is more (float8_e5m2: 2⁻³, 2⁻¹⁷). A part with NaN or an infinity is NaN. It has no gradient. Throws
 * TensorError.
 * @example
 * const { values, scale } = quantizeFp8(tensor([[1, -448], [3, 7]]), { axis: 1 });
 * scale.toArray(); // → [ [ 1 ], [ 0.015625 ] ]
 * values.to("float32"); // → tensor([[1, -448], [192, 448]], shape [2, 2], float32, cpu)
 */
export const quantizeFp8: <D extends Fp8DType = "float8_e4m3">(x: Tensor, options?: QuantizeFp8Options<D>) => Fp8<D> =
  define(
    "quantizeFp8",
    { options: { dtype: fp8, axis, block: wholeNumbers } },
    (given, { dtype = "float8_e4m3", axis: named, block }) => {
      const x = given.detach().to("float32") as Tensor;
      if (named !== undefined && block !== undefined)
        throw new TensorError("OPTIONS", "quantizeFp8 takes axis or block but got both.");
      if (block !== undefined && (block.length !== 2 || block.some((size) => size < 1)))
        throw new TensorError(
          "VALUE",
          `quantizeFp8 takes [rows, columns] of at least 1 as block but got ${listed(block)}.`,
        );
      if (block !== undefined && x.shape.length !== 2)
        throw new TensorError("SHAPE", `quantizeFp8 takes a matrix with block but got shape ${formatShape(x.shape)}.`);
      if (x.size === 0)
        throw new TensorError(
          "SHAPE",
          `quantizeFp8 takes a tensor with elements but got shape ${formatShape(x.shape)}.`,
        );
      const rectangle = block as readonly [number, number] | undefined;
      const sizes = x.abs();
      const largest =
        rectangle !== undefined
          ? largestOfBlocks(sizes, rectangle)
          : named === undefined
            ? sizes.max()
            : sizes.max({ axis: checkedAxis(named, x.shape.length), keepdims: true });
      // Short of normal numbers a scale would not be exact enough.
      const least = 2 ** -126;
      const scale = largest.div(finfo(dtype).max).clamp({ min: least }).where(largest.ne(0), 1) as Tensor;
      const over = rectangle === undefined ? scale : spread(scale, x.shape, rectangle);
      const ratio = x.div(over);
      // Beside an infinity, x / scale is 0.
      return { values: ratio.where(over.isfinite(), NaN).to(dtype), scale } as Fp8;
    },
  );

/**
 * The product of matrices in 8-bit floats, a [m, k] and b [k, n], each element multiplied by its scale, summed in
 * float32; at most one of them is float8_e5m2. A scale is a tensor of one element for all, [m, 1] and [1, n] for each
 * row of a and column of b, or for blocks along k: [m, ⌈k/128⌉] and [⌈k/128⌉, n] for 128 elements, [⌈m/128⌉, ⌈k/128⌉]
 * and [⌈k/128⌉, ⌈n/128⌉] for 128 × 128. What {@link quantizeFp8} makes along k fits.
 *
 * On a GPU with 8-bit tensor cores cuBLASLt computes it (from 12.9 on for more than one scale) where k and n are
 * multiples of 16, without copies where b is the transpose of a row-major matrix; else a and b become float32 first. It
 * has no gradient. Throws TensorError.
 * @example
 * const a = quantizeFp8(tensor([[1, 2], [8, 4]]), { axis: 1 });
 * const b = quantizeFp8(tensor([[2, 0], [0, 4]]), { axis: 0 });
 * scaledMatmul(a.values, b.values, { scaleA: a.scale, scaleB: b.scale, dtype: "float32" });
 * // → tensor([[ 2,  8], [16, 16]], shape [2, 2], float32, cpu)
 */
export const scaledMatmul: <D extends Wide = "bfloat16">(
  a: Tensor,
  b: Tensor,
  options: ScaledMatmulOptions<D>,
) => Tensor<D> = define(
  "scaledMatmul",
  {
    required: { b: tensor },
    options: {
      scaleA: tensor,
      scaleB: tensor,
      dtype: oneOf("float32", "float16", "bfloat16"),
      fastAccumulation: flag,
    },
  },
  (a, { b, scaleA, scaleB, dtype = "bfloat16", fastAccumulation = false }) => {
    if (scaleA === undefined || scaleB === undefined)
      throw new TensorError(
        "ARGUMENTS",
        `scaledMatmul takes scaleA and scaleB but got ${scaleA === undefined ? "no scaleA" : "no scaleB"}.`,
      );
    return apply("scaledMatmul", [a, b, scaleA, scaleB], { dtype: dtype as DType, fast: fastAccumulation });
  },
);
