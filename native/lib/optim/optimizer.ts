// What all optimisers share: groups of parameters with options of their own, what is kept of earlier steps, and both as
// tensors that can be saved.
import { TensorError } from "../errors.ts";
import { tensor } from "../tensor/create.ts";
import { pythonNames, refuseCalls } from "../instead.ts";
import { Tensor } from "../tensor/tensor.ts";
import { checkGradient, gradientOf } from "../autograd/tape.ts";
import { noGrad } from "../autograd/gradients.ts";
import { updateAll, type UpdateKernel, type Updated } from "../ops/updates.ts";
import { anything, optionsOf } from "../tensor/arguments.ts";
import { worded } from "../wording.ts";
import { Kept, keptLike, needsMaster, Skips, stepsOf } from "./kept.ts";

/** Parameters that share options; those that are left out are the optimiser's. */
export type ParameterGroup<O> = { readonly parameters: Iterable<Tensor> } & Partial<O>;
/** Parameters, or groups of them. */
export type Parameters<O> = Iterable<Tensor> | readonly ParameterGroup<O>[];

/**
 * `lr`: the learning rate. `masterWeights`: parameters of 16 bits are kept in float32, too, where they are changed, and
 * rounded from there in each step, so that no step is too small for them.
 */
export interface SharedOptions {
  lr: number;
  masterWeights: boolean;
}

/** A kernel, and the numbers that it takes. */
export interface Change {
  readonly kernel: UpdateKernel;
  readonly numbers: readonly number[];
}

/** Parameters that one kernel changes. */
interface Run<O> {
  readonly group: O;
  readonly kept: Kept[];
  readonly updated: Updated[];
}

/** What others call options of optimisers. */
const oneKernel = "A step is one kernel for all parameters: leave it out.";
const instead = {
  learningRate: "Write lr.",
  rate: "Write lr.",
  decay: "Write weightDecay.",
  beta: "Write betas.",
  foreach: oneKernel,
  fused: oneKernel,
  capturable: "A graph may record a step as it is: leave it out.",
  differentiable: "Write the step as a function, and take gradients of it.",
  maximize: "Take the gradient of the negative: loss.neg().backward().",
  amsgrad: "AMSGrad is not there: leave it out.",
};

const isGroup = (given: unknown): given is ParameterGroup<SharedOptions> =>
  typeof given === "object" && given !== null && "parameters" in given && !(given instanceof Tensor);

/**
 * Changes parameters by their gradients. Each `step` takes the `grad` of every parameter that has one; those without
 * one are skipped. All parameters of a group and dtype are changed by one kernel. Parameters of 16 bits are changed in
 * float32 and rounded to the nearest, so that steps below half their last bit are lost, unless `masterWeights` keeps
 * them in float32, too.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer: optim.Optimizer = new optim.SGD([w], { lr: 0.5 });
 * optimizer instanceof optim.Optimizer; // → true
 */
export abstract class Optimizer<O extends SharedOptions = SharedOptions> {
  /** The parameters with their options, which may be changed between steps. */
  readonly groups: readonly ({ readonly parameters: readonly Tensor[] } & O)[];
  readonly #kept = new Map<Tensor, Kept>();
  readonly #skips = new Skips();
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
          `The parameters of ${name} must be tensors, but one is ${worded(parameter)}.${Object.hasOwn(Object(parameter), "params") ? " A group is written { parameters, lr }." : ""}`,
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
    for (const group of this.groups) {
      if (typeof group.masterWeights !== "boolean")
        throw new TensorError(
          "OPTIONS",
          `${name} takes true or false as masterWeights but got ${worded(group.masterWeights)}.`,
        );
      this.check(group);
    }
  }

  /** Throws TensorError for options that make no sense. */
  protected abstract check(options: O): void;
  /** One step of one parameter, of which so many tensors are kept; `steps` counts from 1. */
  protected abstract change(options: O, kept: number, steps: number): Change;
  /** How many of the named tensors these options need. */
  protected abstract needed(options: O): number;
  /** What they begin with, where that is not 0. */
  protected begin(_options: O): readonly number[] {
    return [];
  }

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
    this.stepUnless(null);
  }

  /**
   * @internal A step that the device leaves out where `skip`, one float32, is not 0 by then: the parameters, what is
   * kept of them and the count of their steps stay as they are.
   */
  stepUnless(skip: Tensor | null): void {
    const name = `${this.constructor.name}.step`;
    const runs = this.#runs(name);
    for (const { kept } of runs) for (const each of kept) each.advance();
    const slots = this.groups.reduce((sum, { parameters }) => sum + parameters.length, 0);
    for (const { group, kept, updated } of runs) {
      const { execution, deviceProcess } = updated[0]!.weights;
      const change = () => this.change(group, kept[0]!.tensors.length, stepsOf(name, kept));
      const skips = this.#skips.on(deviceProcess, slots, skip !== null);
      updateAll(execution, change().kernel, updated, { skip, skips }, () => change().numbers);
      for (const each of kept) each.changed();
    }
  }

  /** The parameters that have a gradient, those together that a kernel changes with the same numbers. */
  #runs(name: string): Run<O>[] {
    const runs: Run<O>[] = [];
    let slot = 0;
    for (const group of this.groups)
      for (const parameter of group.parameters) {
        const at = slot++;
        const gradient = gradientOf(parameter);
        if (gradient === null) continue;
        checkGradient(parameter, gradient, name);
        parameter.living(name);
        gradient.living(name);
        const kept = this.#keptOf(parameter, group);
        for (const each of kept.tensors) each.living(name);
        kept.master?.living(name);
        const isOf = (run: Run<O>) =>
          run.group === group &&
          run.kept[0]!.steps === kept.steps &&
          run.kept[0]!.tensors.length === kept.tensors.length &&
          run.updated[0]!.weights.dtype === parameter.dtype &&
          run.updated[0]!.weights.deviceProcess === parameter.deviceProcess;
        let run = runs.find(isOf);
        if (run === undefined) runs.push((run = { group, kept: [], updated: [] }));
        run.kept.push(kept);
        run.updated.push({ weights: parameter, gradient, master: kept.master, kept: kept.tensors, slot: at });
      }
    return runs;
  }

  #keptOf(parameter: Tensor, group: O): Kept {
    let kept = this.#kept.get(parameter);
    if (kept === undefined) {
      const first = this.begin(group);
      const tensors = this.#names.slice(0, this.needed(group)).map((_, at) => {
        const made = keptLike(parameter);
        return first[at] ? made.fill_(first[at]) : made;
      });
      this.#kept.set(parameter, (kept = new Kept(parameter, 0, tensors, null)));
    }
    kept.renew(group.masterWeights);
    return kept;
  }

  /** Clears the gradients of all parameters, to which {@link Tensor.backward} would add. */
  zeroGrad(): void {
    for (const { parameters } of this.groups) for (const parameter of parameters) parameter.grad = null;
  }

  /**
   * What is kept of earlier steps as tensors, for `io.save`: "0.steps", "0.mean", …, "0.master" by the number of the
   * parameter, and the learning rates of the groups, "groups.0.lr". They are the optimiser's own.
   */
  stateDict(): Record<string, Tensor> {
    const rates = this.groups.map(({ lr }, index): [string, Tensor] => [`groups.${index}.lr`, scalarOf(lr)]);
    const skipped = this.#skips.read();
    return Object.fromEntries([
      ...rates,
      ...this.groups
        .flatMap(({ parameters }) => parameters)
        .flatMap((parameter, index) => {
          const kept = this.#kept.get(parameter);
          if (kept === undefined) return [];
          return [
            [`${index}.steps`, scalarOf(kept.steps - skipped(parameter, index))],
            ...kept.tensors.map((each, at) => [`${index}.${this.#names[at]!}`, each]),
            ...(kept.master === null ? [] : [[`${index}.master`, kept.master]]),
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
        const load = (name: string) => {
          const found = take(`${at}.${name}`, parameter.shape);
          return keptLike(parameter).copy_(noGrad(() => found.to(parameter.device)));
        };
        const tensors = this.#names.slice(0, this.needed(group)).map(load);
        const hasMaster = group.masterWeights && needsMaster(parameter) && left.has(`${at}.master`);
        loaded.set(parameter, new Kept(parameter, steps, tensors, hasMaster ? load("master") : null));
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
    this.#skips.clear();
    for (const [parameter, kept] of loaded) this.#kept.set(parameter, before.get(parameter)?.load(kept) ?? kept);
  }

  /** The name and the options of each group, as text. */
  toString(): string {
    const lines = this.groups.map(({ parameters, ...options }) => {
      const size = parameters.reduce((sum, each) => sum + each.size, 0);
      const given = Object.entries(options).filter(([key, value]) => key !== "masterWeights" || value === true);
      return `${parameters.length} parameters of ${size.toLocaleString("en-US")} elements, ${given
        .map(([key, value]) => `${key} ${Array.isArray(value) ? `[${value.join(", ")}]` : String(value)}`)
        .join(", ")}`;
    });
    return `${this.constructor.name}: ${lines.join("\n  ")}`;
  }
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }
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
