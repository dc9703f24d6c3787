// Weights of a layer as made of others before each use: of a direction and a size, or divided by their largest singular
// value.
import { noGrad } from "../autograd/gradients.ts";
import { TensorError } from "../errors.ts";
import { formatShape } from "../memory/shape.ts";
import { atLeast, orNull, reader, text, wholeNumber, type Kind } from "../tensor/arguments.ts";
import { randn } from "../tensor/random.ts";
import { Tensor } from "../tensor/tensor.ts";
import { Module } from "./module.ts";
import { size } from "./options.ts";

/** `name`: the tensor's, "weight" when left out. `axis`: along which sizes are kept, 0; `null`: one size for all. */
export interface WeightNormOptions {
  readonly name?: string;
  readonly axis?: number | null;
  readonly dim?: number | null;
}
/**
 * `name`: the tensor's, "weight" when left out. `powerIterations`, PyTorch's `nPowerIterations`: how many steps are
 * made before each forward in training, 1. `eps`: the least length that is divided by, 1e−12. `axis`: whose rows the
 * matrix has, 0.
 */
export interface SpectralNormOptions {
  readonly name?: string;
  readonly powerIterations?: number;
  readonly nPowerIterations?: number;
  readonly eps?: number;
  readonly axis?: number;
  readonly dim?: number;
}

const aModule: Kind<Module> = { wanted: "a module", has: (value) => value instanceof Module };
const readWeight = reader("weightNorm", {
  written: "nn.utils.weightNorm",
  required: { module: aModule },
  options: { name: text, axis: orNull(wholeNumber) },
});
const readSpectral = reader("spectralNorm", {
  written: "nn.utils.spectralNorm",
  required: { module: aModule },
  options: { name: text, powerIterations: size, eps: atLeast(0), axis: wholeNumber },
  aliases: { nPowerIterations: "powerIterations" },
});
const readRemove = (name: string) =>
  reader(name, { written: `nn.utils.${name}`, required: { module: aModule }, options: { name: text }, bare: ["name"] });

type Tensors = Record<string, Tensor>;
/** How to undo what was done to a tensor of a module, by the tensor's name. */
const undoing = new WeakMap<Module, Map<string, { readonly kind: string; readonly undo: () => void }>>();

/** Replaces a parameter by others, and has reading it compute it. Throws TensorError for what is no parameter. */
function replace(
  kind: string,
  module: Module,
  name: string,
  others: (weight: Tensor) => Tensors,
  compute: (own: Tensors) => Tensor,
  stop: () => void = () => {},
): void {
  const own = module as unknown as Tensors;
  const weight = own[name];
  const known = undoing.get(module) ?? new Map<string, { readonly kind: string; readonly undo: () => void }>();
  if (known.has(name))
    throw new TensorError("OPERANDS", `${kind} found ${name} to be normalised already: remove that first.`);
  if (!(weight instanceof Tensor) || !weight.requiresGrad)
    throw new TensorError(
      "OPERANDS",
      `${kind} takes the name of a parameter of the ${module.constructor.name} but got ${JSON.stringify(name)}.`,
    );
  const made = noGrad(() => others(weight.detach()));
  delete own[name];
  Object.assign(own, made);
  // Not enumerable: no parameter itself.
  Object.defineProperty(own, name, { get: () => compute(own), configurable: true, enumerable: false });
  const undo = () => {
    const last = noGrad(() => compute(own).detach().clone()) as Tensor;
    for (const each of Object.keys(made)) delete own[each];
    last.requiresGrad = true;
    Object.defineProperty(own, name, { value: last, writable: true, configurable: true, enumerable: true });
    stop();
  };
  known.set(name, { kind, undo });
  undoing.set(module, known);
}

/** Makes the tensor a parameter again. Throws TensorError where it is none of that kind. */
function remove(kind: string, module: Module, name: string): void {
  const found = undoing.get(module)?.get(name);
  if (found?.kind !== kind)
    throw new TensorError("OPERANDS", `The ${module.constructor.name} has no ${name} of ${kind}.`);
  found.undo();
  undoing.get(module)!.delete(name);
}

/** Throws TensorError for an axis that the weight has not. */
function checkedAxis(kind: string, { shape }: Tensor, axis: number): number {
  if (axis < -shape.length || axis >= shape.length)
    throw new TensorError("AXIS", `${kind} of a weight of shape ${formatShape(shape)} has no axis ${axis}.`);
  return axis < 0 ? axis + shape.length : axis;
}

const parameter = (x: Tensor): Tensor => {
  const made = x.detach().clone() as Tensor;
  made.requiresGrad = true;
  return made;
};

/**
 * Has a module's weight be made of a size and a direction, which are trained in its place as `weight_g` and `weight_v`:
 * w = g · v / |v|, with a size for each slice along `axis` (Salimans and Kingma, arXiv 1602.07868). Returns the module;
 * {@link removeWeightNorm} undoes it. Throws TensorError.
 * @example
 * const layer = nn.utils.weightNorm(new nn.Linear(3, 2));
 * [...layer.namedParameters()].map(([name]) => name).join(); // → 'bias,weight_g,weight_v'
 */
export function weightNorm<M extends Module>(module: M, options: WeightNormOptions = {}): M {
  const { name = "weight", axis = 0 } = readWeight([module, options]);
  const lengthOf = (v: Tensor) => {
    const others = [...v.shape.keys()].filter((each) => axis === null || each !== checkedAxis("weightNorm", v, axis));
    return v.square().sum({ axis: others, keepdims: true }).sqrt() as Tensor;
  };
  replace(
    "weightNorm",
    module,
    name,
    (weight) => ({ [`${name}_g`]: parameter(lengthOf(weight)), [`${name}_v`]: parameter(weight) }),
    (own) => {
      const v = own[`${name}_v`]!;
      return v.mul(own[`${name}_g`]!.div(lengthOf(v))) as Tensor;
    },
  );
  return module;
}

/**
 * Makes a weight that {@link weightNorm} took apart one parameter again. Returns the module. Throws TensorError.
 * @example
 * const layer = nn.utils.removeWeightNorm(nn.utils.weightNorm(new nn.Linear(3, 2)));
 * [...layer.namedParameters()].map(([name]) => name).sort().join(); // → 'bias,weight'
 */
export function removeWeightNorm<M extends Module>(module: M, name = "weight"): M {
  readRemove("removeWeightNorm")([module, name]);
  remove("weightNorm", module, name);
  return module;
}

/**
 * Has a module's weight be divided by its largest singular value, so that a step changes no input by more than its
 * length (Miyato and others, arXiv 1802.05957): `weight_orig` is trained, and the singular vectors `weight_u` and
 * `weight_v` follow by steps of the power method before each forward in training. Gradients take them for constants.
 * Returns the module; {@link removeSpectralNorm} undoes it. Throws TensorError.
 * @example
 * const layer = nn.utils.spectralNorm(new nn.Linear(4, 4));
 * for (let step = 0; step < 20; step++) layer(ones([1, 4]));
 * Math.abs(linalg.svdvals(layer.weight).max().item() - 1) < 1e-2; // → true
 */
export function spectralNorm<M extends Module>(module: M, options: SpectralNormOptions = {}): M {
  const { name = "weight", powerIterations = 1, eps = 1e-12, axis = 0 } = readSpectral([module, options]);
  const [original, left, right] = [`${name}_orig`, `${name}_u`, `${name}_v`] as const;
  const matrixOf = (w: Tensor) => {
    const rows = checkedAxis("spectralNorm", w, axis);
    return w.moveAxis(rows, 0).reshape([w.shape[rows]!, -1]) as Tensor;
  };
  const unit = (x: Tensor) => x.div(x.square().sum().sqrt().clamp({ min: eps })) as Tensor;
  const improve = (matrix: Tensor, u: Tensor, v: Tensor, steps: number) => {
    for (let step = 0; step < steps; step++) {
      v.copy_(unit(matrix.T.matmul(u) as Tensor));
      u.copy_(unit(matrix.matmul(v) as Tensor));
    }
  };
  let stop = () => {};
  replace(
    "spectralNorm",
    module,
    name,
    (weight) => {
      const matrix = matrixOf(weight);
      const { dtype, device } = weight;
      const vector = (length: number) => unit(randn([length], { dtype: dtype as "float32", device }) as Tensor);
      const [u, v] = matrix.shape.map(vector) as [Tensor, Tensor];
      // As PyTorch begins.
      improve(matrix, u, v, 15);
      return { [original]: parameter(weight), [left]: u, [right]: v };
    },
    (own) => {
      const weight = own[original]!;
      // Copies, since the vectors change before what is recorded here is used.
      const [u, v] = [left, right].map((each) => own[each]!.clone()) as [Tensor, Tensor];
      return weight.div(u.mul(matrixOf(weight).matmul(v)).sum()) as Tensor;
    },
    () => stop(),
  );
  stop = module.registerForwardPreHook(() => {
    const own = module as unknown as Tensors;
    if (module.training)
      noGrad(() => improve(matrixOf(own[original]!.detach() as Tensor), own[left]!, own[right]!, powerIterations));
  });
  return module;
}

/**
 * Makes a weight that {@link spectralNorm} divides a parameter as it is now. Returns the module. Throws TensorError.
 * @example
 * const layer = nn.utils.removeSpectralNorm(nn.utils.spectralNorm(new nn.Linear(3, 2)));
 * [...layer.namedParameters()].map(([name]) => name).sort().join(); // → 'bias,weight'
 */
export function removeSpectralNorm<M extends Module>(module: M, name = "weight"): M {
  readRemove("removeSpectralNorm")([module, name]);
  remove("spectralNorm", module, name);
  return module;
}
