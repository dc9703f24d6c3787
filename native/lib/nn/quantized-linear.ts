// A linear layer whose weight is in 8 or 4 bits: made from one that has been trained.
import { TensorError } from "../errors.ts";
import { noGrad } from "../autograd/gradients.ts";
import { gelu } from "../tensor/activations.ts";
import type { LinearOptions } from "../tensor/linear.ts";
import { matmulQuantized, quantize, QuantizedTensor, type QuantizeOptions } from "../tensor/quantized.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { Linear } from "./layers.ts";
import { Module } from "./module.ts";

/**
 * A linear layer with a quantised weight: x · weightᵀ + bias, and its activation, see {@link quantize} for what the
 * weight loses and {@link matmul} for how it is multiplied. Its codes and scales are in its state and are not trained;
 * the bias stays as it was, and gradients reach x and the bias. `to("bfloat16")` rounds the scales, too.
 * @example
 * const layer = nn.QuantizedLinear.from(new nn.Linear(64, 32), { bits: 4, groupSize: 32 });
 * layer(ones([5, 64])).shape; // → [ 5, 32 ]
 * layer.weight.bits; // → 4
 */
export class QuantizedLinear extends Module {
  /** The codes of the weight [outputs, inputs], see {@link QuantizedTensor}. */
  codes: Tensor;
  /** Their scales, one for each group of inputs. */
  scales: Tensor;
  /** Their zero points; `null` where codes lie around 0. */
  zeroPoints: Tensor | null;
  /** [outputs]. */
  bias: Tensor | null;
  /** What is applied to the product; `undefined` for nothing. */
  readonly activation: LinearOptions["activation"];
  /** Of the weight: [outputs, inputs]. */
  readonly sizes: readonly [outputs: number, inputs: number];
  /** Bits of a code. */
  readonly bits: 8 | 4;
  /** Inputs that share a scale. */
  readonly groupSize: number;

  /** Of a quantised weight [outputs, inputs] along its last axis. Throws TensorError for another. */
  constructor(weight: QuantizedTensor, bias: Tensor | null = null, activation?: LinearOptions["activation"]) {
    super();
    if (!(weight instanceof QuantizedTensor) || weight.shape.length !== 2 || weight.axis !== 1)
      throw new TensorError(
        "OPERANDS",
        `new nn.QuantizedLinear takes a matrix [outputs, inputs] that is quantised along axis 1 but got ${weight instanceof QuantizedTensor ? weight.toString() : worded(weight)}.`,
      );
    this.codes = weight.codes;
    this.scales = weight.scales;
    this.zeroPoints = weight.zeroPoints;
    this.bias = bias;
    this.activation = activation;
    this.sizes = [weight.shape[0]!, weight.shape[1]!];
    this.bits = weight.bits;
    this.groupSize = weight.groupSize;
  }

  /**
   * The layer with its weight quantised along the inputs: `bits` 8, groups of 128 and symmetric when left out. The bias
   * is the layer's own. Throws TensorError.
   * @example
   * nn.QuantizedLinear.from(new nn.Linear(8, 2)); // → QuantizedLinear(8 → 2, 8 bits)  2 parameters, float32, cpu
   */
  static from(linear: Linear, options: Omit<QuantizeOptions, "axis"> = {}): QuantizedLinear {
    if (!(linear instanceof Linear))
      throw new TensorError("OPERANDS", `nn.QuantizedLinear.from takes an nn.Linear but got ${worded(linear)}.`);
    const weight = noGrad(() => quantize(linear.weight, { ...options, axis: 1 }));
    return new QuantizedLinear(weight, linear.bias, linear.activation);
  }

  /** The weight [outputs, inputs], of the layer's own tensors. */
  get weight(): QuantizedTensor {
    const parts = [this.codes, this.scales, ...(this.zeroPoints === null ? [] : [this.zeroPoints])];
    return new QuantizedTensor(parts, { shape: this.sizes, axis: 1, bits: this.bits, groupSize: this.groupSize });
  }

  forward(x: Tensor): Tensor {
    const product = matmulQuantized(x, this.weight.T);
    const y = this.bias === null ? product : product.add(this.bias);
    return this.activation === undefined ? y : this.activation === "relu" ? y.relu() : gelu(y, { approximate: "tanh" });
  }
  override describe(): string {
    return `${this.sizes[1]} → ${this.sizes[0]}, ${this.bits} bits${this.bias === null ? ", no bias" : ""}${this.activation === undefined ? "" : `, ${this.activation}`}`;
  }
}
