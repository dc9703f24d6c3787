// Adam, and AdamW, whose weight decay is apart from the gradient.
import {
  Optimizer,
  checkedNumber,
  checkedRate,
  type Change,
  type Parameters,
  type SharedOptions,
} from "./optimizer.ts";
import { TensorError } from "../errors.ts";
import { worded } from "../wording.ts";

/**
 * `betas`: how much is kept of the mean of gradients, and of that of their squares, in each step. `eps` is added to the
 * root of the latter.
 */
export interface AdamOptions extends SharedOptions {
  betas: readonly [number, number];
  eps: number;
  weightDecay: number;
}

/** Throws TensorError for options of Adam or a relative that make no sense. */
export function checkAdam(name: string, { lr, betas, eps, weightDecay }: AdamOptions): void {
  checkedRate(name, lr);
  checkedNumber(name, "an eps", eps, (value) => value >= 0, "of at least 0");
  checkedNumber(name, "a weightDecay", weightDecay, (value) => value >= 0, "of at least 0");
  if (!Array.isArray(betas) || betas.length !== 2 || !betas.every((beta) => beta >= 0 && beta < 1))
    throw new TensorError("OPTIONS", `${name} takes betas as two numbers from 0 to below 1 but got ${worded(betas)}.`);
}

/** What is added to the gradient for each unit of weight, and what the weight is multiplied by. */
export interface Decays {
  readonly decay: number;
  readonly shrink: number;
}
/** Those of a weight decay in the gradient, or apart from it. */
export const decaysOf = ({ lr, weightDecay }: AdamOptions, isApart: boolean): Decays =>
  isApart ? { decay: 0, shrink: 1 - lr * weightDecay } : { decay: weightDecay, shrink: 1 };

/**
 * Adam (Kingma and Ba, arXiv 1412.6980, algorithm 1); `weightDecay` · w is added to the gradient. As PyTorch's.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.Adam([w], { lr: 0.1 });
 * w.square().sum().backward();
 * optimizer.step();
 * w; // → tensor([0.9], shape [1], float32, cpu)
 */
export class Adam extends Optimizer<AdamOptions> {
  /** Where none is given. */
  protected static readonly weightDecay: number = 0;

  /** Options that are left out: lr 0.001, betas [0.9, 0.999], eps 1e−8, no decay. Throws TensorError. */
  constructor(parameters: Parameters<AdamOptions>, options: Partial<AdamOptions> = {}) {
    const { weightDecay } = new.target;
    super(parameters, { lr: 0.001, betas: [0.9, 0.999], eps: 1e-8, weightDecay, masterWeights: false }, options, [
      "mean",
      "square",
    ]);
  }

  protected check(options: AdamOptions): void {
    checkAdam(this.constructor.name, options);
  }

  protected needed(): number {
    return 2;
  }

  protected change(options: AdamOptions, _kept: number, steps: number): Change {
    const {
      lr,
      betas: [first, second],
      eps,
    } = options;
    const { decay, shrink } = this.decays(options);
    const numbers = [
      lr / (1 - first ** steps),
      1 / Math.sqrt(1 - second ** steps),
      eps,
      decay,
      shrink,
      1 - first,
      second,
      1 - second,
      lr,
      steps,
      Math.log(first),
      Math.log(second),
    ];
    return { kernel: "adam", numbers };
  }

  /** How its weight decay is taken. */
  protected decays(options: AdamOptions): Decays {
    return decaysOf(options, false);
  }
}

/**
 * Adam whose weights are multiplied by 1 − lr · weightDecay in each step instead (Loshchilov and Hutter, arXiv
 * 1711.05101). As PyTorch's.
 * @example
 * const net = new nn.Linear(2, 1);
 * const optimizer = new optim.AdamW(net.parameters(), { lr: 0.01, weightDecay: 0.1 });
 * net(ones([4, 2])).square().mean().backward();
 * optimizer.step();
 * optimizer.zeroGrad();
 */
export class AdamW extends Adam {
  protected static override readonly weightDecay: number = 0.01;

  /** Options that are left out: lr 0.001, betas [0.9, 0.999], eps 1e−8, weightDecay 0.01. Throws TensorError. */
  constructor(parameters: Parameters<AdamOptions>, options: Partial<AdamOptions> = {}) {
    super(parameters, options);
  }

  /** Apart from the gradient. */
  protected override decays(options: AdamOptions): Decays {
    return decaysOf(options, true);
  }
}
