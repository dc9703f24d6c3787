// First values of parameters: fills a tensor in place, without its gradient's knowing.
import { noGrad } from "../autograd/gradients.ts";
import { TensorError } from "../errors.ts";
import { formatShape, sizeOf } from "../memory/shape.ts";
import { number, oneOf, reader, tensor, type Kind } from "../tensor/arguments.ts";
import { randomSource, type RandomSource } from "../tensor/generator.ts";
import { tensor as fromArray } from "../tensor/create.ts";
import { eye as identity } from "../tensor/joining.ts";
import { randn } from "../tensor/random.ts";
import type { Tensor } from "../tensor/tensor.ts";
export * from "./init-instead.ts";

/** `gain`: what the deviation is multiplied by, see {@link gain}. */
export interface XavierOptions extends RandomSource {
  readonly gain?: number;
}
/**
 * `mode`: "fanIn" keeps the variance of what goes forward, "fanOut" that of gradients. `gain`: √2 for relu when left
 * out.
 */
export interface KaimingOptions extends XavierOptions {
  readonly mode?: "fanIn" | "fanOut";
}

const sourceOf = ({ seed, generator }: RandomSource): RandomSource => ({
  ...(seed === undefined ? {} : { seed }),
  ...(generator === undefined ? {} : { generator }),
});

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
  options: { low: number, high: number, ...randomSource },
  bare: ["low", "high"],
});
const readNormal = reader("init.normal", {
  required: { tensor: target },
  options: { mean: number, std: number, ...randomSource },
  bare: ["mean", "std"],
});
const readOrthogonal = reader("init.orthogonal", {
  required: { tensor: target },
  options: { gain: number, ...randomSource },
});
const readConstant = reader("init.constant", { required: { tensor: target, value: number } });

/** Both numbers may stand without their names, as PyTorch's. */
type Drawn<O> = readonly [options?: O] | readonly [first: number, second: number, options?: RandomSource];

/**
 * Uniform in [low, high), 0 and 1 when left out. Returns the tensor. Throws TensorError.
 * @example
 * nn.init.uniform(empty([2]), { low: -1, high: 1, seed: 1 });
 * // → tensor([0.780518, 0.789369], shape [2], float32, cpu)
 */
export function uniform(
  tensor: Tensor,
  ...given: Drawn<RandomSource & { readonly low?: number; readonly high?: number }>
): Tensor {
  const { tensor: _, ...options } = readUniform([tensor, ...given]);
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
  ...given: Drawn<RandomSource & { readonly mean?: number; readonly std?: number }>
): Tensor {
  const { tensor: _, ...options } = readNormal([tensor, ...given]);
  return filled(tensor, () => tensor.normal_(options));
}

/**
 * Sets all elements to that number. Returns the tensor. Throws TensorError.
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
function spread(tensor: Tensor, std: number, isNormal: boolean, given: RandomSource): Tensor {
  const source = sourceOf(given);
  return isNormal
    ? normal(tensor, { std, ...source })
    : uniform(tensor, { low: -Math.sqrt(3) * std, high: Math.sqrt(3) * std, ...source });
}

function xavier(name: string, isNormal: boolean): (tensor: Tensor, options?: XavierOptions) => Tensor {
  const read = reader(`init.${name}`, { required: { tensor: target }, options: { gain: number, ...randomSource } });
  return (tensor, options = {}) => {
    read([tensor, options]);
    const { fanIn, fanOut } = fans(name, tensor);
    return spread(tensor, (options.gain ?? 1) * Math.sqrt(2 / (fanIn + fanOut)), isNormal, options);
  };
}

function kaiming(name: string, isNormal: boolean): (tensor: Tensor, options?: KaimingOptions) => Tensor {
  const read = reader(`init.${name}`, {
    required: { tensor: target },
    options: { gain: number, mode: oneOf("fanIn", "fanOut"), ...randomSource },
  });
  return (tensor, options = {}) => {
    read([tensor, options]);
    const fan = fans(name, tensor)[options.mode ?? "fanIn"];
    return spread(tensor, (options.gain ?? Math.SQRT2) / Math.sqrt(fan), isNormal, options);
  };
}

/** Rows that are made orthogonal to each other here, after the device has made them so to all before. */
const panel = 32;

/** Makes these rows orthogonal to each other and 1 long, in place (Gram and Schmidt's way, one row off the next). */
function orthonormalised(rows: Float64Array, length: number): void {
  const at = (row: number) => rows.subarray(row * length, (row + 1) * length);
  const product = (a: Float64Array, b: Float64Array) => {
    let sum = 0;
    for (let i = 0; i < length; i++) sum += a[i]! * b[i]!;
    return sum;
  };
  for (let row = 0; row < rows.length / length; row++) {
    const own = at(row);
    for (let before = 0; before < row; before++) {
      const other = at(before);
      const part = product(own, other);
      for (let i = 0; i < length; i++) own[i]! -= part * other[i]!;
    }
    const norm = Math.sqrt(product(own, own));
    for (let i = 0; i < length; i++) own[i]! /= norm;
  }
}

/**
 * Orthonormal rows, or columns where there are fewer of them, times `gain`, evenly distributed (Saxe and others, arXiv
 * 1312.6120; Mezzadri, arXiv math-ph/0609050); a tensor of more axes counts as [outputs, the rest]. Waits for the
 * device. Returns the tensor. Throws TensorError for one without at least two axes.
 * @example
 * const weight = nn.init.orthogonal(empty([4, 8]), { seed: 1 });
 * weight.matmul(weight.T).allclose(eye(4), { atol: 1e-5 }); // → true
 */
export function orthogonal(tensor: Tensor, options: XavierOptions = {}): Tensor {
  readOrthogonal([tensor, options]);
  fans("orthogonal", tensor);
  const [first, rest] = [tensor.shape[0]!, sizeOf(tensor.shape.slice(1))];
  if (tensor.size === 0) return tensor;
  return filled(tensor, () => {
    const [count, length] = [Math.min(first, rest), Math.max(first, rest)];
    const rows = randn([count, length], { dtype: "float64", device: tensor.device, ...sourceOf(options) });
    for (let begin = 0; begin < count; begin += panel) {
      const [done, own] = [rows.slice([0, begin]), rows.slice([begin, Math.min(begin + panel, count)])];
      // Twice is enough (Giraud, Langou and Rozložník, Computers & Mathematics with Applications 50, 2005).
      for (let pass = 0; pass < 2; pass++) {
        if (begin > 0) own.sub_(own.matmul(done.T).matmul(done));
        const values = Float64Array.from(own.data());
        orthonormalised(values, length);
        own.copy_(fromArray(values, { device: tensor.device }).reshape(own.shape));
      }
    }
    const filling = (first <= rest ? rows : rows.T).mul(options.gain ?? 1);
    tensor.copy_(filling.reshape(tensor.shape).to(tensor.dtype));
  });
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
