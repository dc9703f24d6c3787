// L-BFGS: steps along directions that the last gradients tell of the curvature, of a loss that it may ask for again.
import { gradientOf } from "../autograd/tape.ts";
import { noGrad } from "../autograd/gradients.ts";
import { TensorError } from "../errors.ts";
import { keepBeyondScopes } from "../memory/array.ts";
import { atLeast, count, oneOf, orNull, reader, type Kind } from "../tensor/arguments.ts";
import { zeros } from "../tensor/create.ts";
import { cat } from "../tensor/joining.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { strongWolfe, type Evaluated } from "./line-search.ts";

/**
 * `lr`: what the first length of a step is multiplied by, 1 when left out. `maxIter`: directions in a step, 20.
 * `maxEval`: how often the loss is asked for in a step, 1.25 · maxIter. `toleranceGrad`: a largest element of the
 * gradient at which it ends, 10⁻⁷; `toleranceChange`: a change of parameters or loss, 10⁻⁹. `historySize`: how many
 * changes are kept, 100. `lineSearchFn`: "strong_wolfe" looks for a length at which the loss falls by enough and its
 * slope, too; `null` takes `lr`.
 */
export interface LBFGSOptions {
  readonly lr?: number;
  readonly maxIter?: number;
  readonly maxEval?: number;
  readonly toleranceGrad?: number;
  readonly toleranceChange?: number;
  readonly historySize?: number;
  readonly lineSearchFn?: "strong_wolfe" | null;
}

const parameters: Kind<Iterable<Tensor>> = {
  wanted: "parameters, as model.parameters() gives them,",
  has: (value) => typeof value === "object" && value !== null && !(value instanceof Tensor) && Symbol.iterator in value,
};
const read = reader("LBFGS", {
  written: "new optim.LBFGS",
  required: { parameters },
  options: {
    lr: atLeast(0),
    maxIter: count,
    maxEval: count,
    toleranceGrad: atLeast(0),
    toleranceChange: atLeast(0),
    historySize: count,
    lineSearchFn: orNull(oneOf("strong_wolfe")),
  },
});

const dot = (a: Tensor, b: Tensor): number => Number(a.mul(b).sum().item());
const largest = (x: Tensor): number => Number(x.abs().max().item());

/**
 * The quasi-Newton method of few vectors (Liu and Nocedal, 1989), for losses of all data: `step` takes a function that
 * clears gradients, computes the loss, calls backward and returns it, which is called several times. Parameters are of
 * one dtype and device. Each call waits for the device. As PyTorch's, see {@link LBFGSOptions}.
 * @example
 * const w = tensor([3, -2], { dtype: "float64" });
 * w.requiresGrad = true;
 * const optimizer = new optim.LBFGS([w], { lineSearchFn: "strong_wolfe" });
 * optimizer.step(() => {
 *   optimizer.zeroGrad();
 *   const loss = w.square().mul(tensor([1, 10], { dtype: "float64" })).sum();
 *   loss.backward();
 *   return loss;
 * });
 * w.detach().abs().max().item() < 1e-4; // → true
 */
export class LBFGS {
  /** What the first length of a step is multiplied by. */
  lr: number;
  readonly #parameters: readonly Tensor[];
  readonly #options: Required<Omit<LBFGSOptions, "lr">>;
  /** Changes of the gradient and of the parameters, and 1 over the product of both. */
  readonly #changes: { readonly gradient: Tensor; readonly step: Tensor; readonly share: number }[] = [];
  #direction: Tensor | null = null;
  #length = 0;
  #before: Tensor | null = null;
  #scale = 1;
  #iterations = 0;

  /** Throws TensorError. */
  constructor(given: Iterable<Tensor>, options: LBFGSOptions = {}) {
    const found = read([given, options]);
    const { lr = 1, maxIter = 20 } = found;
    const { maxEval = Math.floor((maxIter * 5) / 4), toleranceGrad = 1e-7, toleranceChange = 1e-9 } = found;
    const { historySize = 100, lineSearchFn = null } = found;
    this.lr = lr;
    this.#options = { maxIter, maxEval, toleranceGrad, toleranceChange, historySize, lineSearchFn };
    this.#parameters = [...given];
    const [first] = this.#parameters;
    for (const each of this.#parameters) {
      if (!(each instanceof Tensor) || !each.requiresGrad || !each.isLeaf)
        throw new TensorError(
          "OPERANDS",
          `LBFGS takes parameters that require a gradient themselves, but one is ${worded(each)}.`,
        );
      if (each.dtype !== first!.dtype || each.device !== first!.device)
        throw new TensorError(
          "OPERANDS",
          `LBFGS takes parameters of one dtype and device but got ${first!.dtype}, ${first!.device} and ${each.dtype}, ${each.device}.`,
        );
    }
    if (first === undefined) throw new TensorError("OPERANDS", "LBFGS takes at least one parameter but got none.");
  }

  /** Clears the gradients of all parameters. */
  zeroGrad(): void {
    for (const each of this.#parameters) each.grad = null;
  }

  /**
   * Changes the parameters along up to `maxIter` directions. `closure` computes the loss, and its gradients by
   * backward. Returns the first loss, as it gave it. Throws TensorError for what gives no loss.
   */
  step<L extends Tensor | number>(closure: () => L): L {
    if (typeof closure !== "function")
      throw new TensorError(
        "OPERANDS",
        "LBFGS.step takes a function that computes the loss again: write optimizer.step(() => { optimizer.zeroGrad(); const loss = …; loss.backward(); return loss; }).",
      );
    const { maxIter, maxEval, toleranceGrad, toleranceChange, lineSearchFn } = this.#options;
    let first: L | undefined;
    const evaluate = (): Evaluated => {
      const found = closure();
      first ??= found;
      const loss = Number(found instanceof Tensor ? found.item() : found);
      if (typeof found !== "number" && !(found instanceof Tensor))
        throw new TensorError("OPERANDS", `The function of LBFGS.step returns the loss but gave ${worded(found)}.`);
      return { loss, gradient: this.#gradient() };
    };
    let { loss, gradient } = evaluate();
    let evaluations = 1;
    for (let round = 1; largest(gradient) > toleranceGrad && round <= maxIter; round++) {
      this.#iterations += 1;
      noGrad(() => this.#turn(gradient));
      const direction = this.#direction!;
      const past = loss;
      this.#length = this.#iterations === 1 ? Math.min(1, 1 / Number(gradient.abs().sum().item())) * this.lr : this.lr;
      const slope = dot(gradient, direction);
      if (slope > -toleranceChange) break;
      if (lineSearchFn === null) {
        this.#move(direction, this.#length);
        if (round < maxIter) {
          ({ loss, gradient } = evaluate());
          evaluations += 1;
        }
      } else {
        const start = this.#parameters.map((each) => each.detach().clone() as Tensor);
        const at = (length: number) => {
          this.#place(start);
          this.#move(direction, length);
          return evaluate();
        };
        const found = strongWolfe(at, this.#length, { loss, gradient }, slope, direction, toleranceChange);
        ({ loss, gradient } = found);
        evaluations += found.evaluations;
        this.#length = found.length;
        this.#place(start);
        this.#move(direction, found.length);
      }
      const isLittle = largest(direction) * Math.abs(this.#length) <= toleranceChange;
      if (evaluations >= maxEval || isLittle || Math.abs(loss - past) < toleranceChange) break;
    }
    return first!;
  }

  /** The gradients of all parameters, 0 of those that have none, as one vector. */
  #gradient(): Tensor {
    return noGrad(() => {
      const parts = this.#parameters.map((each) => {
        const { dtype, device, size } = each;
        const found = gradientOf(each) === null ? null : each.grad;
        return (found === null ? zeros([size], { dtype, device }) : found.reshape([-1])) as Tensor;
      });
      const all = cat(parts) as Tensor;
      keepBeyondScopes(all);
      return all;
    });
  }

  /** The next direction: by the changes that are kept (Nocedal and Wright, Numerical Optimization, algorithm 7.4). */
  #turn(gradient: Tensor): void {
    if (this.#before !== null && this.#direction !== null) {
      const change = gradient.sub(this.#before) as Tensor;
      const step = this.#direction.mul(this.#length) as Tensor;
      const product = dot(change, step);
      if (product > 1e-10) {
        if (this.#changes.length >= this.#options.historySize) this.#changes.shift();
        for (const each of [change, step]) keepBeyondScopes(each);
        this.#changes.push({ gradient: change, step, share: 1 / product });
        this.#scale = product / dot(change, change);
      }
    }
    let direction = gradient.neg() as Tensor;
    const shares = this.#changes.map(() => 0);
    for (let at = this.#changes.length - 1; at >= 0; at--) {
      const { gradient: change, step, share } = this.#changes[at]!;
      shares[at] = dot(step, direction) * share;
      direction = direction.sub(change.mul(shares[at]!)) as Tensor;
    }
    direction = direction.mul(this.#scale) as Tensor;
    this.#changes.forEach(({ gradient: change, step, share }, at) => {
      direction = direction.add(step.mul(shares[at]! - dot(change, direction) * share)) as Tensor;
    });
    this.#before = gradient.clone() as Tensor;
    for (const each of [direction, this.#before]) keepBeyondScopes(each);
    this.#direction = direction;
  }

  #place(start: readonly Tensor[]): void {
    noGrad(() => this.#parameters.forEach((each, at) => each.copy_(start[at]!)));
  }
  #move(direction: Tensor, length: number): void {
    noGrad(() => {
      let from = 0;
      for (const each of this.#parameters) {
        each.add_(
          direction
            .slice([from, from + each.size])
            .reshape(each.shape)
            .mul(length),
        );
        from += each.size;
      }
    });
  }
}
