// First values of parameters: fills a tensor in place, without its gradient's knowing.
import { noGrad } from "../autograd/gradients.ts";
import { TensorError } from "../errors.ts";
import { formatShape, sizeOf } from "../memory/shape.ts";
import { number, oneOf, reader, seed, tensor, type Kind } from "../tensor/arguments.ts";
import { eye as identity } from "../tensor/joining.ts";
import type { Tensor } from "../tensor/tensor.ts";

/** `seed`: as of {@link rand}. */
interface Seeded {
  readonly seed?: number | bigint;
}
/** `gain`: what the deviation is multiplied by, see {@link gain}. */
export interface XavierOptions extends Seeded {
  readonly gain?: number;
}
/**
 * `mode`: "fanIn" keeps the variance of what goes forward, "fanOut" that of gradients. `gain`: √2 for relu when left
 * out.
 */
export interface KaimingOptions extends XavierOptions {
  readonly mode?: "fanIn" | "fanOut";
}

const filled = (tensor: Tensor, fill: () => unknown): Tensor => {
  noGrad(fill);
  return tensor;
};

/** How many inputs an output has, and outputs an input: of [outputs, inputs, …] with all of a kernel's places. */
function fans(name: string, { shape }: Tensor): { fanIn: number; fanOut: number } {
  if (shape.length < 2)
    throw new TensorError(
      "SHAPE",
      `init.${name} takes a tensor of shape [outputs, inputs, …] but got ${formatShape(shape)}: a bias is filled by init.zeros or init.uniform.`,
    );
  const places = sizeOf(shape.slice(2));
  return { fanIn: shape[1]! * places, fanOut: shape[0]! * places };
}

const gains = { linear: 1, sigmoid: 1, tanh: 5 / 3, relu: Math.SQRT2, selu: 3 / 4 } as const;

/**
 * What deviations are multiplied by before a function, so that what it gives has about the variance of its input.
 * @example
 * nn.init.gain("relu"); // → 1.4142135623730951
 */
export function gain(of: keyof typeof gains | "leakyRelu", slope = 0.01): number {
  if (of === "leakyRelu") return Math.sqrt(2 / (1 + slope ** 2));
  if (Object.hasOwn(gains, of)) return gains[of];
  throw new TensorError(
    "OPTIONS",
    `init.gain takes one of ${[...Object.keys(gains), "leakyRelu"].join(", ")} but got ${JSON.stringify(of)}.`,
  );
}

const target = tensor as Kind<Tensor>;
const readUniform = reader("init.uniform", {
  required: { tensor: target },
  options: { low: number, high: number, seed },
});
const readNormal = reader("init.normal", {
  required: { tensor: target },
  options: { mean: number, std: number, seed },
});
const readConstant = reader("init.constant", { required: { tensor: target, value: number } });

/**
 * Uniform in [low, high), 0 and 1 when left out. Returns the tensor. Throws TensorError.
 * @example
 * nn.init.uniform(empty([2]), { low: -1, high: 1, seed: 1 });
 * // → tensor([0.780518, 0.789369], shape [2], float32, cpu)
 */
export function uniform(
  tensor: Tensor,
  options: Seeded & { readonly low?: number; readonly high?: number } = {},
): Tensor {
  readUniform([tensor, options]);
  return filled(tensor, () => tensor.uniform_(options));
}

/**
 * Normal, of mean 0 and deviation 1 when left out. Returns the tensor. Throws TensorError.
 * @example
 * nn.init.normal(empty([2]), { std: 0.02, seed: 1 });
 * // → tensor([0.007608, -0.005926], shape [2], float32, cpu)
 */
export function normal(
  tensor: Tensor,
  options: Seeded & { readonly mean?: number; readonly std?: number } = {},
): Tensor {
  readNormal([tensor, options]);
  return filled(tensor, () => tensor.normal_(options));
}

/**
 * All elements that number. Returns the tensor. Throws TensorError.
 * @example
 * nn.init.constant(empty([2]), 0.5); // → tensor([0.5, 0.5], shape [2], float32, cpu)
 */
export function constant(tensor: Tensor, value: number): Tensor {
  readConstant([tensor, value]);
  return filled(tensor, () => tensor.fill_(value));
}
/**
 * All elements 0. Returns the tensor.
 * @example
 * nn.init.zeros(empty([2])); // → tensor([0, 0], shape [2], float32, cpu)
 */
export const zeros = (tensor: Tensor): Tensor => constant(tensor, 0);
/**
 * All elements 1. Returns the tensor.
 * @example
 * nn.init.ones(empty([2])); // → tensor([1, 1], shape [2], float32, cpu)
 */
export const ones = (tensor: Tensor): Tensor => constant(tensor, 1);

/**
 * 1 on the diagonal of a matrix, else 0. Returns the tensor. Throws TensorError.
 * @example
 * nn.init.eye(empty([2, 2])); // → tensor([[1, 0], [0, 1]], shape [2, 2], float32, cpu)
 */
export function eye(tensor: Tensor): Tensor {
  if (tensor.shape.length !== 2)
    throw new TensorError("SHAPE", `init.eye takes a matrix but got shape ${formatShape(tensor.shape)}.`);
  const [rows, columns] = tensor.shape as [number, number];
  return filled(tensor, () => tensor.copy_(identity(rows, columns, { dtype: tensor.dtype, device: tensor.device })));
}

/** Fills by a deviation: uniform between ±√3 of it, or normal. */
function spread(tensor: Tensor, std: number, isNormal: boolean, { seed }: Seeded): Tensor {
  const seeded = seed === undefined ? {} : { seed };
  return isNormal
    ? normal(tensor, { std, ...seeded })
    : uniform(tensor, { low: -Math.sqrt(3) * std, high: Math.sqrt(3) * std, ...seeded });
}

function xavier(name: string, isNormal: boolean): (tensor: Tensor, options?: XavierOptions) => Tensor {
  const read = reader(`init.${name}`, { required: { tensor: target }, options: { gain: number, seed } });
  return (tensor, options = {}) => {
    read([tensor, options]);
    const { fanIn, fanOut } = fans(name, tensor);
    return spread(tensor, (options.gain ?? 1) * Math.sqrt(2 / (fanIn + fanOut)), isNormal, options);
  };
}

function kaiming(name: string, isNormal: boolean): (tensor: Tensor, options?: KaimingOptions) => Tensor {
  const read = reader(`init.${name}`, {
    required: { tensor: target },
    options: { gain: number, mode: oneOf("fanIn", "fanOut"), seed },
  });
  return (tensor, options = {}) => {
    read([tensor, options]);
    const fan = fans(name, tensor)[options.mode ?? "fanIn"];
    return spread(tensor, (options.gain ?? Math.SQRT2) / Math.sqrt(fan), isNormal, options);
  };
}

/**
 * Uniform, of deviation gain · √(2 / (inputs + outputs)) (Glorot and Bengio 2010). Returns the tensor.
 * @example
 * nn.init.xavierUniform(empty([2, 2]), { seed: 1 });
 * // → tensor([[0.955936, 0.966776], [0.209985, 0.517499]], shape [2, 2], float32, cpu)
 */
export const xavierUniform = xavier("xavierUniform", false);
/**
 * Normal, of deviation gain · √(2 / (inputs + outputs)) (Glorot and Bengio 2010). Returns the tensor.
 * @example
 * nn.init.xavierNormal(empty([2, 2]), { seed: 1 });
 * // → tensor([[0.268984, -0.209500], [-0.176235, -0.709820]], shape [2, 2], float32, cpu)
 */
export const xavierNormal = xavier("xavierNormal", true);
/**
 * Uniform, of deviation gain / √inputs, or outputs (He and others, arXiv 1502.01852). Returns the tensor.
 * @example
 * nn.init.kaimingUniform(empty([2, 2]), { seed: 1 });
 * // → tensor([[1.351900, 1.367230], [0.296963, 0.731854]], shape [2, 2], float32, cpu)
 */
export const kaimingUniform = kaiming("kaimingUniform", false);
/**
 * Normal, of deviation gain / √inputs, or outputs (He and others, arXiv 1502.01852). Returns the tensor.
 * @example
 * nn.init.kaimingNormal(empty([2, 2]), { seed: 1 });
 * // → tensor([[0.380401, -0.296278], [-0.249233, -1.003840]], shape [2, 2], float32, cpu)
 */
export const kaimingNormal = kaiming("kaimingNormal", true);
