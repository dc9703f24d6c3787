// Tensors in 8 or 4 bits: a code for each element, and a scale for each group of them.
import { TensorError } from "../errors.ts";
import { sizeText } from "../figures.ts";
import type { DType } from "../memory/dtype.ts";
import { checkedAxis, formatShape, sizeOf, type Shape } from "../memory/shape.ts";
import { apply } from "../ops/core/apply.ts";
import { callAll } from "../ops/core/calls.ts";
import type { CodeBits, CodeFacts } from "../ops/quantized/quantized.ts";
import { worded } from "../wording.ts";
import { axis, define, flag, oneOf, optionsOf, wholeNumber, type Kind } from "./arguments.ts";
import { tensor } from "./create.ts";
import { Tensor } from "./tensor.ts";

const bits: Kind<CodeBits> = { wanted: "8 or 4", has: (value) => value === 8 || value === 4 };
const floatDTypes = ["float32", "float64", "float16", "bfloat16"] as const;
type FloatDType = (typeof floatDTypes)[number];
const floats = oneOf(...floatDTypes);

/**
 * `bits` of a code: 8 when left out. `axis`: the one that groups lie along, the last when left out; for a matrix on the
 * right of a product, that is the one that is summed over, 0. `groupSize`: elements that share a scale, 128 when left
 * out; even for 4 bits, and the last group may be shorter. `symmetric`: codes lie around 0, true when left out; else
 * from the least to the largest number of the group, with a zero point.
 */
export interface QuantizeOptions {
  readonly bits?: CodeBits;
  readonly groupSize?: number;
  readonly axis?: number;
  readonly symmetric?: boolean;
}

interface Layout {
  readonly shape: Shape;
  readonly axis: number;
  readonly bits: CodeBits;
  readonly groupSize: number;
}

/** The name of a part to save. */
type Part = "codes" | "scales" | "zeroPoints" | "layout";

/**
 * A tensor in codes of 8 or 4 bits, see {@link quantize}: each element is (code − zero point) · scale, both of its
 * group. Without zero points codes of 8 bits are signed, and those of 4 bits count from 8.
 *
 * The parts have the quantised axis last: `codes` int8 (uint8 with zero points), or uint8 with two codes of 4 bits in a
 * byte, the first in the low half, and half a byte left over where the axis is odd; `scales` float32 and `zeroPoints`
 * uint8, one for each group.
 * @example
 * const q = quantize(tensor([[1, -2], [0.5, 4]]), { bits: 8 });
 * q; // → QuantizedTensor(shape [2, 2], 8 bits, groups of 2 along axis 1, 12 bytes, cpu)
 * q.codes; // → tensor([[64, -127], [16, 127]], shape [2, 2], int8, cpu)
 */
export class QuantizedTensor implements Disposable {
  /** The codes, with the quantised axis last. */
  readonly codes: Tensor;
  /** float32, a scale for each group, which lie along the last axis. */
  readonly scales: Tensor;
  /** uint8, a zero point for each group; `null` where codes lie around 0. */
  readonly zeroPoints: Tensor | null;
  /** The shape of what it stands for. */
  readonly shape: Shape;
  /** Bits of a code. */
  readonly bits: CodeBits;
  /** Elements of a group. */
  readonly groupSize: number;
  /** The axis that groups lie along. */
  readonly axis: number;

  /** @internal Of parts that go together. */
  constructor(parts: readonly Tensor[], { shape, axis, bits, groupSize }: Layout) {
    [this.codes, this.scales] = parts as [Tensor, Tensor];
    this.zeroPoints = parts[2] ?? null;
    this.shape = shape;
    this.axis = axis;
    this.bits = bits;
    this.groupSize = groupSize;
  }

  /**
   * One of its parts again, see {@link QuantizedTensor.parts}. Throws TensorError for parts that do not go together.
   * @example
   * QuantizedTensor.of(quantize(ones([2, 4]), { bits: 4 }).parts()).shape; // → [ 2, 4 ]
   */
  static of(parts: Readonly<Record<string, Tensor>>): QuantizedTensor {
    const { codes, scales, zeroPoints, layout } = parts as Partial<Record<Part, Tensor>>;
    if (!(codes instanceof Tensor && scales instanceof Tensor && layout instanceof Tensor))
      throw new TensorError(
        "STATE",
        `A QuantizedTensor is made of codes, scales and layout, perhaps with zeroPoints, but got ${Object.keys(parts).join(", ") || "nothing"}.`,
      );
    const [bits, groupSize, axis, ...shape] = (layout.toArray() as (number | bigint)[]).map(Number) as number[];
    const made = { shape, axis: axis!, bits: bits as CodeBits, groupSize: groupSize! };
    const wanted = partsOf(made, zeroPoints !== undefined);
    const given = [codes, scales, ...(zeroPoints === undefined ? [] : [zeroPoints])];
    given.forEach((part, at) => {
      const [shape, dtype] = wanted[at]!;
      if (formatShape(part.shape) !== formatShape(shape) || part.dtype !== dtype)
        throw new TensorError(
          "STATE",
          `A QuantizedTensor of shape ${formatShape(made.shape)} in ${made.bits} bits has ${dtype} of shape ${formatShape(shape)} as ${["codes", "scales", "zeroPoints"][at]} but got ${part.dtype} of ${formatShape(part.shape)}.`,
        );
    });
    return new QuantizedTensor(given, made);
  }

  /** @internal What operations are told of it. */
  get facts(): CodeFacts {
    return { bits: this.bits, groupSize: this.groupSize, length: this.shape[this.axis]! };
  }
  /** @internal */
  get operands(): [codes: Tensor, scales: Tensor, ...zeros: Tensor[]] {
    return this.zeroPoints === null ? [this.codes, this.scales] : [this.codes, this.scales, this.zeroPoints];
  }

  /** Whether codes lie around 0, without zero points. */
  get isSymmetric(): boolean {
    return this.zeroPoints === null;
  }
  /** The name of its device. */
  get device(): string {
    return this.codes.device;
  }
  /** What its parts take. */
  get bytes(): number {
    return this.operands.reduce((sum, { bytes }) => sum + bytes, 0);
  }
  /** The transpose of a matrix, of the same parts. Throws TensorError for another number of axes. */
  get T(): QuantizedTensor {
    if (this.shape.length !== 2)
      throw new TensorError(
        "SHAPE",
        `The transpose of a QuantizedTensor is of a matrix but the shape is ${formatShape(this.shape)}.`,
      );
    const { bits, groupSize } = this;
    return new QuantizedTensor(this.operands, {
      shape: [this.shape[1]!, this.shape[0]!],
      axis: 1 - this.axis,
      bits,
      groupSize,
    });
  }

  /**
   * The numbers that it stands for, float32 unless `dtype` is another float; float16 and bfloat16 round once more.
   * Throws TensorError.
   * @example
   * quantize(tensor([7, -3, 1]), { bits: 4 }).dequantize(); // → tensor([7, -3, 1], shape [3], float32, cpu)
   */
  dequantize<D extends FloatDType = "float32">(options?: { readonly dtype?: D }): Tensor<D> {
    const { dtype = "float32" } = optionsOf("dequantize", { dtype: floats }, options);
    const found = apply("dequantize", this.operands, { ...this.facts, dtype: dtype as DType }) as Tensor;
    return (this.axis === this.shape.length - 1 ? found : found.moveAxis(-1, this.axis)) as Tensor<D>;
  }

  /**
   * Its tensors by name, for `io.save("weights.safetensors", q.parts())` and {@link QuantizedTensor.of}; `layout` has
   * bits, group size, axis and shape.
   * @example
   * Object.keys(quantize(ones([4])).parts()); // → [ 'codes', 'scales', 'layout' ]
   */
  parts(): Record<string, Tensor> {
    const layout = tensor([this.bits, this.groupSize, this.axis, ...this.shape], {
      dtype: "int64",
      device: this.device,
    });
    return {
      codes: this.codes,
      scales: this.scales,
      ...(this.zeroPoints === null ? {} : { zeroPoints: this.zeroPoints }),
      layout,
    };
  }

  /** What a cell shows. */
  toString(): string {
    return `QuantizedTensor(shape ${formatShape(this.shape)}, ${this.bits} bits${this.isSymmetric ? "" : " with zero points"}, groups of ${Math.min(this.groupSize, this.shape[this.axis]!)} along axis ${this.axis}, ${sizeText(this.bytes)}, ${this.device})`;
  }
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }

  /** Frees its memory. */
  dispose(): void {
    for (const part of this.operands) part.dispose();
  }
  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** The shapes and dtypes of codes, scales and zero points. Throws TensorError for a layout that is none. */
function partsOf({ shape, axis, bits, groupSize }: Layout, hasZeroPoints: boolean): [shape: Shape, dtype: DType][] {
  if ((bits !== 8 && bits !== 4) || !(groupSize >= 1) || !(axis >= 0 && axis < shape.length))
    throw new TensorError(
      "STATE",
      `The layout of a QuantizedTensor is bits, group size, axis and shape but got ${formatShape([bits, groupSize, axis, ...shape])}.`,
    );
  const rest = shape.filter((_, at) => at !== axis);
  const length = shape[axis]!;
  const groups = [...rest, Math.ceil(length / groupSize)];
  const codes: [Shape, DType] =
    bits === 8 ? [[...rest, length], hasZeroPoints ? "uint8" : "int8"] : [[...rest, Math.ceil(length / 2)], "uint8"];
  return [codes, [groups, "float32"], ...(hasZeroPoints ? [[groups, "uint8"] as [Shape, DType]] : [])];
}

/** What functions take as a quantised tensor. */
export const quantizedTensor: Kind<QuantizedTensor> = {
  wanted: "a quantised tensor",
  has: (value) => value instanceof QuantizedTensor,
};

/**
 * Rounds floats to codes of 8 or 4 bits, with a float32 scale for each group, see {@link QuantizeOptions}. Symmetric
 * codes are −127 … 127 or −7 … 7 steps of max |x| / 127 or / 7; others are 0 … 255 or 0 … 15 steps from the least to
 * the largest number of the group and 0. Each element is off by half a step of its group at most, and float32's
 * rounding of the steps that it is away from 0. A group with NaN or an infinity is NaN. It has no gradient. Throws
 * TensorError.
 * @example
 * const q = quantize(tensor([0.15, 0.9, -1.4, 0.5]), { bits: 4, groupSize: 4 });
 * q.dequantize(); // → tensor([0.2, 0.8, -1.4, 0.4], shape [4], float32, cpu)
 * q.bytes; // → 6
 */
export const quantize: (x: Tensor, options?: QuantizeOptions) => QuantizedTensor = define(
  "quantize",
  { options: { bits, groupSize: wholeNumber, axis, symmetric: flag } },
  (x, { bits: width = 8, groupSize = 128, axis: named = -1, symmetric = true }) => {
    if (groupSize < 1 || (width === 4 && groupSize % 2 !== 0))
      throw new TensorError(
        "VALUE",
        `quantize takes a groupSize of at least 1, an even one for 4 bits, but got ${worded(groupSize)}.`,
      );
    if (x.shape.length === 0 || sizeOf(x.shape) === 0)
      throw new TensorError(
        "SHAPE",
        `quantize takes a tensor with elements along an axis but got shape ${formatShape(x.shape)}.`,
      );
    const at = checkedAxis(named, x.shape.length);
    const last = at === x.shape.length - 1 ? x : x.moveAxis(at, -1);
    const parts = callAll("quantize", [last.detach()], {
      bits: width,
      groupSize,
      length: x.shape[at]!,
      symmetric,
    }) as readonly Tensor[];
    return new QuantizedTensor(parts, { shape: x.shape, axis: at, bits: width, groupSize });
  },
);

/** x times a quantised matrix [k, n]. */
export function matmulQuantized(x: Tensor, q: QuantizedTensor): Tensor {
  if (q.shape.length !== 2)
    throw new TensorError(
      "SHAPE",
      `matmul takes a quantised matrix but got one of shape ${formatShape(q.shape)}: dequantize it first.`,
    );
  if (q.axis !== 0)
    throw new TensorError(
      "AXIS",
      `matmul takes a matrix that is quantised along the axis that is summed over, 0, but got one along axis ${q.axis}: quantize it with { axis: 0 }, or dequantize it first.`,
    );
  return apply("quantizedMatmul", [x, ...q.operands], q.facts) as Tensor;
}
