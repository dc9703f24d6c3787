// Layers with a trained slope, and of two inputs.
import { TensorError } from "../errors.ts";
import { formatShape } from "../memory/shape.ts";
import { prelu } from "../tensor/activations.ts";
import { flag, number, reader } from "../tensor/arguments.ts";
import { full } from "../tensor/create.ts";
import { rand } from "../tensor/random.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { Module, type ParameterOptions } from "./module.ts";
import { parameterOptions, size } from "./options.ts";

const checkPrelu = reader("PReLU", {
  written: "new nn.PReLU",
  options: { channels: size, init: number, ...parameterOptions },
  bare: ["channels"],
  aliases: { numParameters: "channels" },
});
const checkBilinear = reader("Bilinear", {
  written: "new nn.Bilinear",
  required: { first: size, second: size, outputs: size },
  options: { bias: flag, ...parameterOptions },
});

/** `channels`: how many slopes, 1 when left out; `init`: what they are at first, 0.25 when left out. */
export interface PreluOptions extends ParameterOptions {
  readonly channels?: number;
  readonly numParameters?: number;
  readonly init?: number;
}

/**
 * {@link Tensor.prelu} as a layer, whose slope is trained: one, or one for each channel.
 * @example
 * new nn.PReLU()(tensor([-2, 3])); // → tensor([-0.5, 3.0], shape [2], float32, cpu)
 */
export class PReLU extends Module {
  /** [channels], 0.25 at first. */
  weight: Tensor;

  /** Throws TensorError. */
  constructor(channels?: number | PreluOptions, options?: PreluOptions) {
    super();
    const {
      channels: count = 1,
      init = 0.25,
      ...rest
    } = checkPrelu(options === undefined ? [channels] : [channels, options]);
    this.weight = full([count], init, rest as ParameterOptions);
    this.weight.requiresGrad = true;
  }
  forward(x: Tensor): Tensor {
    return prelu(x, this.weight);
  }
  override describe(): string {
    return String(this.weight.size);
  }
}

/**
 * A layer of two inputs: yₖ = aᵀ · weightₖ · b + biasₖ, for a […, first] and b […, second] of shape […, outputs].
 * weight and bias are drawn uniformly between ±1/√first. `bias: false` leaves the bias out. Throws TensorError.
 * @example
 * new nn.Bilinear(2, 3, 4)(ones([5, 2]), ones([5, 3])).shape; // → [ 5, 4 ]
 */
export class Bilinear extends Module {
  /** [outputs, first, second]. */
  weight: Tensor;
  /** [outputs]. */
  bias: Tensor | null;

  /** Throws TensorError. */
  constructor(
    first: number,
    second: number,
    outputs: number,
    given: ParameterOptions & { readonly bias?: boolean } = {},
  ) {
    super();
    checkBilinear([first, second, outputs, given]);
    const { bias = true, ...options } = given;
    const most = 1 / Math.sqrt(first);
    const drawn = (shape: number[]): Tensor => {
      const parameter = rand(shape, { ...options, low: -most, high: most });
      parameter.requiresGrad = true;
      return parameter;
    };
    this.weight = drawn([outputs, first, second]);
    this.bias = bias ? drawn([outputs]) : null;
  }
  forward(a: Tensor, b: Tensor): Tensor {
    const [outputs, first, second] = this.weight.shape as [number, number, number];
    const outer = a.shape.slice(0, -1);
    if (a.shape.at(-1) !== first || b.shape.at(-1) !== second || outer.join() !== b.shape.slice(0, -1).join())
      throw new TensorError(
        "SHAPE",
        `Bilinear takes tensors of shape […, ${first}] and […, ${second}] with the same axes in front but got ${formatShape(a.shape)} and ${formatShape(b.shape)}.`,
      );
    // Row by row: a with all matrices side by side, then each result with b.
    const rows = a.reshape([-1, first]).matmul(this.weight.permute([1, 0, 2]).reshape([first, outputs * second]));
    const products = rows
      .reshape([-1, outputs, second])
      .mul(b.reshape([-1, 1, second]))
      .sum(-1);
    const result = products.reshape([...outer, outputs]) as Tensor;
    return this.bias === null ? result : result.add(this.bias);
  }
  override describe(): string {
    const [outputs, first, second] = this.weight.shape;
    return `${first} × ${second} → ${outputs}${this.bias === null ? ", no bias" : ""}`;
  }
}
