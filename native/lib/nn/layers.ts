// Layers with parameters, and dropout.
import { checkedShape, formatShape } from "../memory/shape.ts";
import { TensorError } from "../errors.ts";
import { ones, zeros } from "../tensor/create.ts";
import { embedding, embeddingOptions, type EmbeddingOptions } from "../tensor/embedding.ts";
import { linear, type LinearOptions } from "../tensor/linear.ts";
import { dropout, layerNorm, rmsNorm } from "../tensor/normalization.ts";
import { rand, randn } from "../tensor/random.ts";
import { Tensor } from "../tensor/tensor.ts";
import { anything, flag, number, oneOf, reader } from "../tensor/arguments.ts";
import { worded } from "../wording.ts";
import { Module, type ParameterOptions } from "./module.ts";
import { parameterOptions, size } from "./options.ts";

function parameter(tensor: Tensor): Tensor {
  tensor.requiresGrad = true;
  return tensor;
}

const checkLinear = reader("Linear", {
  written: "new nn.Linear",
  required: { inputs: size, outputs: size },
  options: { bias: flag, activation: oneOf("gelu", "relu"), ...parameterOptions },
});
const checkEmbedding = reader("Embedding", {
  written: "new nn.Embedding",
  required: { count: size, width: size },
  ...embeddingOptions,
  options: { ...embeddingOptions.options, ...parameterOptions },
});
const checkLayerNorm = reader("LayerNorm", {
  written: "new nn.LayerNorm",
  required: { shape: anything },
  options: { eps: number, bias: flag, elementwiseAffine: flag, ...parameterOptions },
});
const checkRmsNorm = reader("RMSNorm", {
  written: "new nn.RMSNorm",
  required: { shape: anything },
  options: { eps: number, elementwiseAffine: flag, ...parameterOptions },
});
const checkDropout = reader("Dropout", {
  written: "new nn.Dropout",
  options: { p: anything },
  bare: ["p"],
  instead: { inplace: "A layer returns a new tensor: leave it out." },
});

/**
 * A layer that multiplies by a matrix: x · weightᵀ + bias, for x of shape […, inputs] of shape […, outputs], with an
 * activation if one is named, see {@link linear}. weight and bias are drawn uniformly between ±1/√inputs. `bias: false`
 * leaves the bias out. Throws TensorError for sizes that are not whole numbers ≥ 1.
 * @example
 * const layer = new nn.Linear(3, 2);
 * layer(ones([5, 3])).shape; // → [ 5, 2 ]
 * layer; // → Linear(3 → 2) 8 parameters, float32, cpu
 */
export class Linear extends Module {
  /** [outputs, inputs], uniform between ±1/√inputs. */
  weight: Tensor;
  /** [outputs], drawn likewise. */
  bias: Tensor | null;
  /** What is applied to the product; `undefined` for nothing. */
  readonly activation: LinearOptions["activation"];

  /** Throws TensorError. */
  constructor(
    inputs: number,
    outputs: number,
    given: ParameterOptions & LinearOptions & { readonly bias?: boolean } = {},
  ) {
    super();
    checkLinear([inputs, outputs, given]);
    const { bias = true, activation, ...options } = given;
    const most = 1 / Math.sqrt(inputs);
    this.weight = parameter(rand([outputs, inputs], { ...options, low: -most, high: most }));
    this.bias = bias ? parameter(rand([outputs], { ...options, low: -most, high: most })) : null;
    this.activation = activation;
  }

  forward(x: Tensor): Tensor {
    return linear(x, this.weight, this.bias, this.activation === undefined ? {} : { activation: this.activation });
  }
  override describe(): string {
    return `${this.weight.shape[1]!} → ${this.weight.shape[0]!}${this.bias === null ? ", no bias" : ""}${this.activation === undefined ? "" : `, ${this.activation}`}`;
  }
}

/**
 * A layer that looks rows up in a table: for integer indices of any shape, that shape and then `width`; see {@link
 * embedding}. The table [count, width] is drawn from the normal distribution. With `paddingIndex`, PyTorch's
 * `paddingIdx`, that row is 0 and stays so; `maxNorm` and `normType` as there.
 * @example
 * const table = new nn.Embedding(10, 4);
 * table(tensor([1, 7], { dtype: "int64" })).shape; // → [ 2, 4 ]
 */
export class Embedding extends Module {
  /** [count, width], normal. */
  weight: Tensor;

  /** How rows are looked up. */
  readonly options: EmbeddingOptions;

  /** Throws TensorError. */
  constructor(count: number, width: number, given: ParameterOptions & EmbeddingOptions = {}) {
    super();
    const read = checkEmbedding([count, width, given]);
    const { paddingIndex, maxNorm, normType } = read;
    this.options = {
      ...(paddingIndex === undefined ? {} : { paddingIndex }),
      ...(maxNorm === undefined ? {} : { maxNorm }),
      ...(normType === undefined ? {} : { normType }),
    };
    if (paddingIndex !== undefined && !(paddingIndex >= -count && paddingIndex < count))
      throw new TensorError(
        "INDEX",
        `Embedding takes a paddingIndex from ${-count} to ${count - 1} but got ${paddingIndex}.`,
      );
    const { device, dtype } = given;
    const table = randn([count, width], {
      ...(device === undefined ? {} : { device }),
      ...(dtype === undefined ? {} : { dtype }),
    }) as Tensor;
    if (paddingIndex !== undefined) table.set([paddingIndex], 0);
    this.weight = parameter(table);
  }

  forward(indices: Tensor): Tensor {
    return embedding(indices as Tensor<"int64">, this.weight, this.options);
  }
  override describe(): string {
    return `${this.weight.shape[0]!} of ${this.weight.shape[1]!}`;
  }
}

/** Throws TensorError for a tensor that does not end in the axes that a layer normalises. */
function checkEnd(name: string, x: Tensor, axes: readonly number[]): void {
  if (x.shape.slice(-axes.length).join() !== axes.join())
    throw new TensorError(
      "SHAPE",
      `${name} of shape ${formatShape(axes)} takes tensors that end in it but got ${formatShape(x.shape)}.`,
    );
}

/**
 * A layer that normalises the last axes, with a weight of ones and a bias of zeros to be trained; see {@link
 * layerNorm}. `shape`: of those axes; eps is 1e-5 when left out, `bias: false` leaves the bias out, and
 * `elementwiseAffine: false` both.
 * @example
 * const layer = new nn.LayerNorm(3);
 * layer(tensor([[1, 2, 3]])); // → tensor([[-1.22474, 0.00000, 1.22474]], shape [1, 3], float32, cpu)
 */
export class LayerNorm extends Module {
  /** Of the shape that is normalised, 1 at first. */
  weight: Tensor | null;
  /** Of that shape, 0 at first. */
  bias: Tensor | null;
  /** What is added to the variance, or the mean square. */
  readonly eps: number;
  /** Of the last axes, which are normalised together. */
  readonly shape: readonly number[];

  /** `shape`: of the last axes, which are normalised together. Throws TensorError. */
  constructor(
    shape: number | readonly number[],
    given: ParameterOptions & {
      readonly eps?: number;
      readonly bias?: boolean;
      readonly elementwiseAffine?: boolean;
    } = {},
  ) {
    super();
    checkLayerNorm([shape, given]);
    const { eps = 1e-5, bias = true, elementwiseAffine = true, ...options } = given;
    const axes = checkedShape(shape);
    this.weight = elementwiseAffine ? parameter(ones(axes, options)) : null;
    this.bias = elementwiseAffine && bias ? parameter(zeros(axes, options)) : null;
    this.eps = eps;
    this.shape = axes;
  }

  forward(x: Tensor): Tensor {
    if (this.weight === null) checkEnd("LayerNorm", x, this.shape);
    return layerNorm(x, this.weight, this.bias, { eps: this.eps, axes: this.shape.length });
  }
  override describe(): string {
    return `${this.shape.join(" × ")}${this.weight === null ? ", without weight" : ""}`;
  }
}

/**
 * A layer that normalises the last axes by their mean square, with a weight of ones to be trained; see {@link rmsNorm}.
 * `shape`: of those axes; eps is 1e-5 when left out, `elementwiseAffine: false` leaves the weight out.
 * @example
 * const layer = new nn.RMSNorm(2);
 * layer(tensor([[3, 4]])); // → tensor([[0.848528, 1.131370]], shape [1, 2], float32, cpu)
 */
export class RMSNorm extends Module {
  /** Of the shape that is normalised, 1 at first. */
  weight: Tensor | null;
  /** What is added to the variance, or the mean square. */
  readonly eps: number;
  /** Of the last axes, which are normalised together. */
  readonly shape: readonly number[];

  /** `shape`: of the last axes, which are normalised together. Throws TensorError. */
  constructor(
    shape: number | readonly number[],
    given: ParameterOptions & { readonly eps?: number; readonly elementwiseAffine?: boolean } = {},
  ) {
    super();
    checkRmsNorm([shape, given]);
    const { eps = 1e-5, elementwiseAffine = true, ...options } = given;
    const axes = checkedShape(shape);
    this.weight = elementwiseAffine ? parameter(ones(axes, options)) : null;
    this.eps = eps;
    this.shape = axes;
  }

  forward(x: Tensor): Tensor {
    if (this.weight === null) checkEnd("RMSNorm", x, this.shape);
    return rmsNorm(x, this.weight, { eps: this.eps, axes: this.shape.length });
  }
  override describe(): string {
    return `${this.shape.join(" × ")}${this.weight === null ? ", without weight" : ""}`;
  }
}

/**
 * A layer that sets each element to 0 with probability `p`, 0.5 when left out, and divides the others by 1 − p, while
 * it is trained; after `eval()` it changes nothing.
 * @example
 * const layer = new nn.Dropout(0.5);
 * layer.eval();
 * layer(ones([3])); // → tensor([1, 1, 1], shape [3], float32, cpu)
 */
export class Dropout extends Module {
  /** The probability that an element is 0. */
  readonly p: number;

  /** Throws TensorError. */
  constructor(given: number | { readonly p?: number } = 0.5) {
    super();
    const { p = 0.5 } = checkDropout([given]) as { p?: number };
    if (!(p >= 0 && p <= 1))
      throw new TensorError("VALUE", `Dropout takes a probability from 0 to 1 but got ${worded(p)}.`);
    this.p = p;
  }

  forward(x: Tensor): Tensor {
    return dropout(x, this.p, { training: this.training });
  }
  override describe(): string {
    return String(this.p);
  }
}
