// What all optimisers share: groups of parameters with options of their own, what is kept of earlier steps, and both as
// tensors that can be saved.
import { TensorError } from "../errors.ts";
import { zeros, tensor } from "../tensor/create.ts";
import { pythonNames, refuseCalls } from "../instead.ts";
import { Tensor } from "../tensor/tensor.ts";
import { keepBeyondScopes } from "../memory/array.ts";
import { checkGradient } from "../autograd/tape.ts";
import { noGrad } from "../autograd/gradients.ts";
import { captures } from "../device/capture.ts";
import { keptDType, update, type UpdateKernel } from "../ops/updates.ts";
import { anything, optionsOf } from "../tensor/arguments.ts";
import { worded } from "../wording.ts";

/** Parameters that share options; those that are left out are the optimiser's. */
export type ParameterGroup<O> = { readonly parameters: Iterable<Tensor> } & Partial<O>;
/** Parameters, or groups of them. */
export type Parameters<O> = Iterable<Tensor> | readonly ParameterGroup<O>[];

/** `lr`: the learning rate. */
interface Options {
  lr: number;
}

/** What is kept of a parameter: how many steps it took, and tensors of its shape, in float32 at least. */
interface Kept {
  steps: number;
  tensors: readonly Tensor[];
}

/** A kernel, and the numbers that it takes. */
export interface Change {
  readonly kernel: UpdateKernel;
  readonly numbers: readonly number[];
}

/** What others call options of optimisers. */
const instead = { learningRate: "Write lr.", rate: "Write lr.", decay: "Write weightDecay.", beta: "Write betas." };

const isGroup = (given: unknown): given is ParameterGroup<Options> =>
  typeof given === "object" && given !== null && "parameters" in given && !(given instanceof Tensor);

/**
 * Changes parameters by their gradients. Each `step` takes the `grad` of every parameter that has one; those without
 * one are skipped. Parameters of 16 bits are changed in float32 and rounded to the nearest, so that steps below half
 * their last bit are lost.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer: optim.Optimizer = new optim.SGD([w], { lr: 0.5 });
 * optimizer instanceof optim.Optimizer; // → true
 */
export abstract class Optimizer<O extends Options = Options> {
  /** The parameters with their options, which may be changed between steps. */
  readonly groups: readonly ({ readonly parameters: readonly Tensor[] } & O)[];
  readonly #kept = new Map<Tensor, Kept>();
  readonly #names: readonly string[];

  /** `names`: of the tensors that are kept of a parameter. */
  protected constructor(given: Parameters<O>, defaults: O, options: Partial<O>, names: readonly string[]) {
    this.#names = names;
    const kinds = Object.fromEntries(Object.keys(defaults).map((key) => [key, anything]));
    const checked = (own: object) => optionsOf(new.target.name, kinds, own, { instead }) as Partial<O>;
    const shared: O = { ...defaults, ...checked(options) };
    const list =
      typeof given === "object" && given !== null && Symbol.iterator in given && !(given instanceof Tensor)
        ? [...(given as Iterable<Tensor | ParameterGroup<O>>)]
        : undefined;
    const name = new.target.name;
    if (list === undefined || list.length === 0)
      throw new TensorError(
        "OPERANDS",
        `${name} takes parameters, e.g. new optim.${name}(model.parameters()), but got ${list === undefined ? worded(given) : "none"}.`,
      );
    const groups = list.some(isGroup) ? (list as ParameterGroup<O>[]) : [{ parameters: list as Tensor[] }];
    this.groups = groups.map(({ parameters, ...own }) => ({ ...shared, ...checked(own), parameters: [...parameters] }));
    const seen = new Set<Tensor>();
    for (const parameter of this.groups.flatMap(({ parameters }) => parameters)) {
      if (!(parameter instanceof Tensor))
        throw new TensorError(
          "OPERANDS",
          `The parameters of ${name} must be tensors, but one is ${worded(parameter)}.`,
        );
      if (!parameter.requiresGrad || !parameter.isLeaf)
        throw new TensorError(
          "OPERANDS",
          `A parameter of ${name}, of shape [${parameter.shape.join(", ")}], does not require a gradient itself: set requiresGrad = true on a tensor that was not computed from others.`,
        );
      if (!parameter.isContiguous && !parameter.isContiguousIn("channelsLast"))
        throw new TensorError(
          "OPERANDS",
          `A parameter of ${name}, of shape [${parameter.shape.join(", ")}], has gaps: take its .contiguous() copy.`,
        );
      if (seen.has(parameter))
        throw new TensorError(
          "OPERANDS",
          `A parameter of shape [${parameter.shape.join(", ")}] was given to ${name} twice.`,
        );
      seen.add(parameter);
    }
    for (const group of this.groups) this.check(group);
  }

  /** Throws TensorError for options that make no sense. */
  protected abstract check(options: O): void;
  /** One step of one parameter, of which so many tensors are kept; `steps` counts from 1. */
  protected abstract change(options: O, kept: number, steps: number): Change;
  /** How many of the named tensors these options need. */
  protected abstract needed(options: O): number;

  /** The learning rate of the first group. Setting it sets that of all. */
  get lr(): number {
    return this.groups[0]!.lr;
  }
  set lr(rate: number) {
    checkedRate(this.constructor.name, rate);
    for (const group of this.groups) group.lr = rate;
  }

  /** Changes every parameter that has a gradient. Gradients stay: see {@link zeroGrad}. Throws TensorError. */
  step(): void {
    const name = `${this.constructor.name}.step`;
    for (const group of this.groups)
      for (const parameter of group.parameters) {
        const gradient = parameter.grad;
        if (gradient === null) continue;
        checkGradient(parameter, gradient, name);
        const kept = this.#keptOf(parameter, group);
        for (const each of [parameter, gradient, ...kept.tensors]) each.living(name);
        kept.steps += 1;
        captures.current?.again(() => void (kept.steps += 1));
        const { kernel } = this.change(group, kept.tensors.length, kept.steps);
        const numbers = () => this.change(group, kept.tensors.length, kept.steps).numbers;
        update(parameter.execution, kernel, parameter, gradient, kept.tensors, numbers);
      }
  }

  #keptOf(parameter: Tensor, group: O): Kept {
    let kept = this.#kept.get(parameter);
    if (kept === undefined) {
      kept = { steps: 0, tensors: this.#names.slice(0, this.needed(group)).map(() => keptLike(parameter)) };
      this.#kept.set(parameter, kept);
    } else if (
      kept.tensors.some(
        (each) =>
          each.device !== parameter.device ||
          each.dtype !== keptDType(parameter.dtype) ||
          each.isContiguous !== parameter.isContiguous,
      )
    )
      // The parameter has moved, or lies another way: Module.to.
      kept.tensors = kept.tensors.map((each) => keptLike(parameter).copy_(noGrad(() => each.to(parameter.device))));
    return kept;
  }

  /** Clears the gradients of all parameters, to which {@link Tensor.backward} would add. */
  zeroGrad(): void {
    for (const { parameters } of this.groups) for (const parameter of parameters) parameter.grad = null;
  }

  /**
   * What is kept of earlier steps as tensors, for `io.save`: "0.steps", "0.mean", … by the number of the parameter, and
   * the learning rates of the groups, "groups.0.lr". They are the optimiser's own.
   */
  stateDict(): Record<string, Tensor> {
    const rates = this.groups.map(({ lr }, index): [string, Tensor] => [`groups.${index}.lr`, scalarOf(lr)]);
    return Object.fromEntries([
      ...rates,
      ...this.groups
        .flatMap(({ parameters }) => parameters)
        .flatMap((parameter, index) => {
          const kept = this.#kept.get(parameter);
          if (kept === undefined) return [];
          return [
            [`${index}.steps`, scalarOf(kept.steps)],
            ...kept.tensors.map((each, at) => [`${index}.${this.#names[at]!}`, each]),
          ] as [string, Tensor][];
        }),
    ]);
  }

  /**
   * Continues from where {@link stateDict} was taken, with the same parameters in the same order. A state without
   * learning rates leaves them as they are. Throws TensorError for what does not fit; nothing is changed then.
   */
  loadStateDict(state: Readonly<Record<string, Tensor>>): void {
    const left = new Set(Object.keys(state));
    const take = (name: string, shape: readonly number[]): Tensor => {
      const found = state[name];
      if (found === undefined)
        throw new TensorError(
          "STATE",
          `The state has no ${name}: it belongs to another optimiser or to other parameters.`,
        );
      if (found.shape.join() !== shape.join())
        throw new TensorError(
          "STATE",
          `${name} has shape [${found.shape.join(", ")}] in the state, but the parameter has [${shape.join(", ")}].`,
        );
      left.delete(name);
      return found;
    };
    const rates = this.groups.map((group, index) => {
      const name = `groups.${index}.lr`;
      const rate = left.has(name) ? Number(take(name, []).item()) : group.lr;
      checkedRate(this.constructor.name, rate);
      return rate;
    });
    const loaded = new Map<Tensor, Kept>();
    let index = 0;
    for (const group of this.groups)
      for (const parameter of group.parameters) {
        const at = String(index++);
        if (!left.has(`${at}.steps`)) continue;
        const steps = take(`${at}.steps`, []).item();
        const tensors = this.#names.slice(0, this.needed(group)).map((name) => {
          const found = take(`${at}.${name}`, parameter.shape);
          return keptLike(parameter).copy_(noGrad(() => found.to(parameter.device)));
        });
        loaded.set(parameter, { steps, tensors });
      }
    if (left.size > 0)
      throw new TensorError(
        "STATE",
        `The state has ${[...left].slice(0, 3).join(", ")}${left.size > 3 ? ` and ${left.size - 3} more` : ""}, which do not belong to any parameter here.`,
      );
    this.groups.forEach((group, index) => {
      group.lr = rates[index]!;
    });
    const before = new Map(this.#kept);
    this.#kept.clear();
    for (const [parameter, kept] of loaded) this.#kept.set(parameter, renewed(before.get(parameter), kept));
  }

  /** The name and the options of each group, as text. */
  toString(): string {
    const lines = this.groups.map(({ parameters, ...options }) => {
      const size = parameters.reduce((sum, each) => sum + each.size, 0);
      return `${parameters.length} parameters of ${size.toLocaleString("en-US")} elements, ${Object.entries(options)
        .map(([key, value]) => `${key} ${Array.isArray(value) ? `[${value.join(", ")}]` : String(value)}`)
        .join(", ")}`;
    });
    return `${this.constructor.name}: ${lines.join("\n  ")}`;
  }
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }
}

/** What was kept before, with what is kept now: graphs go on with it where it lies. */
function renewed(before: Kept | undefined, now: Kept): Kept {
  if (before === undefined || before.tensors.length !== now.tensors.length) return now;
  const isLike = before.tensors.every((each, index) => isLaidOutAs(each, now.tensors[index]!));
  if (!isLike) return now;
  before.steps = now.steps;
  before.tensors.forEach((each, index) => each.copy_(now.tensors[index]!));
  return before;
}

const isLaidOutAs = (one: Tensor, other: Tensor): boolean =>
  !one.isDisposed &&
  one.device === other.device &&
  one.dtype === other.dtype &&
  one.strides.join() === other.strides.join();

/** What is kept of a parameter at first, as it lies. It is the optimiser's, and so outlives a `tidy` around a step. */
function keptLike({ shape, dtype, device, isContiguous }: Tensor): Tensor {
  const zero = zeros(shape, { dtype: keptDType(dtype), device });
  const made = isContiguous ? zero : zero.to({ memoryFormat: "channelsLast" });
  keepBeyondScopes(made);
  return made;
}

const scalarOf = (value: number): Tensor => tensor(value, { dtype: "float64", device: "cpu" });

/** Throws TensorError for what is not a learning rate. */
export function checkedRate(name: string, rate: unknown): void {
  checkedNumber(name, "a learning rate", rate, (value) => value >= 0, "of at least 0");
}

/** Throws TensorError for an option that is not a number, or out of its range. */
export function checkedNumber(
  name: string,
  what: string,
  value: unknown,
  test: (value: number) => boolean,
  wanted: string,
): void {
  if (typeof value !== "number" || !test(value))
    throw new TensorError("OPTIONS", `${name} takes ${what} ${wanted} but got ${worded(value)}.`);
}

refuseCalls(Optimizer.prototype, "An optimiser", pythonNames(Optimizer.prototype, "optimizer"));
