// A linear layer that multiplies in 8-bit floats while it is trained, with scales from the steps before.
import { TensorError } from "../errors.ts";
import { casting } from "../ops/core/hooks.ts";
import { emptyStep, float8Roles, histories, longestHistory } from "../ops/quantized/float8-linear.ts";
import { viewOf } from "../memory/array.ts";
import { applyAll } from "../ops/core/apply.ts";
import { gelu } from "../tensor/activations.ts";
import { flag, oneOf, reader, wholeNumber } from "../tensor/arguments.ts";
import { full } from "../tensor/create.ts";
import type { LinearOptions } from "../tensor/linear.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { Linear } from "./layers.ts";
import type { ParameterOptions } from "./module.ts";
import { parameterOptions, size } from "./options.ts";

/**
 * `format`: "hybrid" rounds gradients to float8_e5m2, "e4m3" to float8_e4m3 as the rest; "hybrid" when left out.
 * `amaxHistory`: over how many steps the largest number is sought, 16 when left out. `margin`: so many powers of 2 more
 * room above it, 0 when left out.
 */
export interface Float8Options {
  readonly format?: "hybrid" | "e4m3";
  readonly amaxHistory?: number;
  readonly margin?: number;
}

const float8Options = { format: oneOf("hybrid", "e4m3"), amaxHistory: wholeNumber, margin: wholeNumber };
const check = reader("Float8Linear", {
  written: "new nn.Float8Linear",
  required: { inputs: size, outputs: size },
  options: { bias: flag, activation: oneOf("gelu", "relu"), ...parameterOptions, ...float8Options },
});
const checkFrom = reader("Float8Linear.from", { written: "nn.Float8Linear.from", options: float8Options });

/**
 * A {@link Linear} whose three products are computed in 8-bit floats: inputs and weight in float8_e4m3, gradients of
 * the outputs in float8_e5m2, each tensor with one scale. Parameters and their gradients stay as they are; results are
 * of x's dtype, or that of {@link autocast}.
 *
 * Scaling is delayed: the scale is the least power of 2 with which the largest number of the steps before fits, 1 at
 * the first step, and the pass that rounds notes the largest number of its own. What is larger becomes the largest
 * 8-bit float; NaN and infinities reach the results, but not the history. A step is a forward in training mode, and its
 * gradient; after `eval()` scales stay as they are, and a {@link checkpoint} is one step. Nothing waits for the device, so it works within a {@link graph}.
 *
 * A GPU with 8-bit tensor cores uses them where rows, inputs and outputs are multiples of 16; else the rounded numbers
 * are multiplied in float32. Its gradient has no gradient.
 * @example
 * const layer = new nn.Float8Linear(32, 16);
 * const y = autocast(() => layer(ones([64, 32])), { dtype: "bfloat16" });
 * y.dtype; // → 'bfloat16'
 * y.sum().backward();
 * layer.weight.grad!.dtype; // → 'float32'
 */
export class Float8Linear extends Linear {
  /**
   * int32 [3, steps], the newest first: which power of 2 the largest of the inputs, of the weight and of the gradients
   * needed at each step; −1000 for one that was all zeros, or is yet to come.
   */
  history: Tensor<"int32">;
  /** What gradients are rounded to. */
  readonly format: "hybrid" | "e4m3";
  /** Powers of 2 of room above the largest number. */
  readonly margin: number;

  /** Throws TensorError. */
  constructor(
    inputs: number,
    outputs: number,
    given: ParameterOptions & LinearOptions & Float8Options & { readonly bias?: boolean } = {},
  ) {
    check([inputs, outputs, given]);
    const { format = "hybrid", amaxHistory = 16, margin = 0, ...options } = given;
    if (options.dtype === "float64")
      throw new TensorError("DTYPE", "new nn.Float8Linear takes float32, float16 or bfloat16 but got float64.");
    if (amaxHistory < 1 || amaxHistory > longestHistory())
      throw new TensorError(
        "VALUE",
        `new nn.Float8Linear takes an amaxHistory from 1 to ${longestHistory()} but got ${amaxHistory}.`,
      );
    super(inputs, outputs, options);
    const { device } = this.weight;
    this.history = full([float8Roles.length, amaxHistory], emptyStep(), { dtype: "int32", device });
    this.format = format;
    this.margin = margin;
  }

  /**
   * A layer with the very parameters of another, which optimisers go on with. Throws TensorError.
   * @example
   * nn.Float8Linear.from(new nn.Linear(32, 16), { format: "e4m3" });
   * // → Float8Linear(32 → 16, e4m3) 528 parameters, float32, cpu
   */
  static from(linear: Linear, options: Float8Options = {}): Float8Linear {
    if (!(linear instanceof Linear))
      throw new TensorError("OPERANDS", `nn.Float8Linear.from takes an nn.Linear but got ${worded(linear)}.`);
    checkFrom([options]);
    const { weight, bias, activation } = linear;
    const [outputs, inputs] = weight.shape as [number, number];
    const layer = new Float8Linear(inputs, outputs, {
      ...options,
      bias: false,
      device: weight.device,
      ...(activation === undefined ? {} : { activation }),
    });
    layer.weight = weight;
    layer.bias = bias;
    return layer;
  }

  override forward(x: Tensor): Tensor {
    const { weight, bias, activation, history, margin, training: isNoted, format } = this;
    const dtype = casting.current?.dtype ?? x.dtype;
    const gradients = format === "hybrid" ? "float8_e5m2" : "float8_e4m3";
    const then = histories.isIdle ? history : histories.next(() => history.clone());
    const isAgain = histories.isRepeating;
    // The gradient's history is what it will be by then, so it is not this operand.
    const source = isAgain ? then : history;
    using seen = viewOf(source, source);
    const [product, ...parts] = applyAll("float8Linear", [x, weight, seen], {
      dtype,
      history,
      margin,
      isNoted,
      isAgain,
      gradients,
    }) as Tensor[];
    for (const each of parts) each.dispose();
    const y = bias === null ? product! : (product!.add(bias.to(dtype)) as Tensor);
    return activation === undefined ? y : activation === "relu" ? y.relu() : gelu(y, { approximate: "tanh" });
  }
  override describe(): string {
    return `${super.describe()}, ${this.format}`;
  }
}
