// Layers with parameters, and dropout. What has neither is a function already: x.relu(), gelu, softmax.
import { checkedShape } from "../memory/shape.ts";
import { TensorError } from "../errors.ts";
import { ones, zeros } from "../tensor/create.ts";
import { embedding } from "../tensor/embedding.ts";
import { linear, type LinearOptions } from "../tensor/linear.ts";
import { dropout, layerNorm, rmsNorm } from "../tensor/normalization.ts";
import { rand, randn } from "../tensor/random.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { Module, type Layer, type ParameterOptions } from "./module.ts";

function parameter(tensor: Tensor): Tensor {
  tensor.requiresGrad = true;
  return tensor;
}

/** Throws TensorError for what is no count. */
export function checkedCount(layer: string, what: string, value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 1)
    throw new TensorError(
      "OPTIONS",
      `${layer} takes a whole number of at least 1 as ${what} but got ${worded(value)}.`,
    );
  return value as number;
}

/** x · weightᵀ + bias for x of shape […, inputs], with an activation if one is named: see {@link linear}. */
export class Linear extends Module {
  /** [outputs, inputs], uniform between ±1/√inputs. */
  readonly weight: Tensor;
  /** [outputs], drawn likewise. */
  readonly bias: Tensor | null;
  readonly activation: LinearOptions["activation"];

  /** Throws TensorError. */
  constructor(
    inputs: number,
    outputs: number,
    { bias = true, activation, ...options }: ParameterOptions & LinearOptions & { readonly bias?: boolean } = {},
  ) {
    super();
    checkedCount("Linear", "inputs", inputs);
    checkedCount("Linear", "outputs", outputs);
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

/** Rows of a table by integer indices: see {@link embedding}. */
export class Embedding extends Module {
  /** [count, width], normal. */
  readonly weight: Tensor;

  /** Throws TensorError. */
  constructor(count: number, width: number, options: ParameterOptions = {}) {
    super();
    this.weight = parameter(
      randn([checkedCount("Embedding", "count", count), checkedCount("Embedding", "width", width)], options),
    );
  }

  forward(indices: Tensor): Tensor {
    return embedding(indices as Tensor<"int64">, this.weight);
  }
  override describe(): string {
    return `${this.weight.shape[0]!} of ${this.weight.shape[1]!}`;
  }
}

/** See {@link layerNorm}. */
export class LayerNorm extends Module {
  /** Of the shape that is normalised, 1 at first. */
  readonly weight: Tensor;
  /** Of that shape, 0 at first. */
  readonly bias: Tensor | null;
  readonly eps: number;

  /** `shape`: of the last axes, which are normalised together. Throws TensorError. */
  constructor(
    shape: number | readonly number[],
    { eps = 1e-5, bias = true, ...options }: ParameterOptions & { readonly eps?: number; readonly bias?: boolean } = {},
  ) {
    super();
    const axes = checkedShape(shape);
    this.weight = parameter(ones(axes, options));
    this.bias = bias ? parameter(zeros(axes, options)) : null;
    this.eps = eps;
  }

  forward(x: Tensor): Tensor {
    return layerNorm(x, this.weight, this.bias, { eps: this.eps });
  }
  override describe(): string {
    return this.weight.shape.join(" × ");
  }
}

/** See {@link rmsNorm}. */
export class RMSNorm extends Module {
  /** Of the shape that is normalised, 1 at first. */
  readonly weight: Tensor;
  readonly eps: number;

  /** `shape`: of the last axes, which are normalised together. Throws TensorError. */
  constructor(
    shape: number | readonly number[],
    { eps = 1e-5, ...options }: ParameterOptions & { readonly eps?: number } = {},
  ) {
    super();
    this.weight = parameter(ones(checkedShape(shape), options));
    this.eps = eps;
  }

  forward(x: Tensor): Tensor {
    return rmsNorm(x, this.weight, { eps: this.eps });
  }
  override describe(): string {
    return this.weight.shape.join(" × ");
  }
}

/** Each element 0 with probability `p`, the others divided by 1 − p, while it is trained; otherwise nothing. */
export class Dropout extends Module {
  readonly p: number;

  /** Throws TensorError. */
  constructor(p = 0.5) {
    super();
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

/** Layers one after the other: modules, and functions of a tensor. */
export class Sequential extends Module {
  readonly layers: readonly Layer[];

  /** Throws TensorError for what is neither. */
  constructor(...layers: Layer[]) {
    super();
    layers.forEach((layer, index) => {
      if (!(layer instanceof Module) && typeof layer !== "function")
        throw new TensorError(
          "OPERANDS",
          `Sequential takes modules and functions of a tensor, but layer ${index} is ${worded(layer)}.`,
        );
    });
    this.layers = layers;
  }

  forward(x: Tensor): Tensor {
    let result = x;
    for (const layer of this.layers)
      result = (layer instanceof Module ? layer.forward(result) : layer(result)) as Tensor;
    return result;
  }
}
