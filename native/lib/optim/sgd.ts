// Stochastic gradient descent, with and without momentum.
import {
  Optimizer,
  checkedNumber,
  checkedRate,
  type Change,
  type Parameters,
  type SharedOptions,
} from "./optimizer.ts";
import { TensorError } from "../errors.ts";

/**
 * `momentum`: how much of the last direction is kept. `dampening`: how much of a gradient is left out of it.
 * `nesterov`: look ahead by the momentum. `weightDecay` · w is added to the gradient.
 */
export interface SGDOptions extends SharedOptions {
  momentum: number;
  dampening: number;
  nesterov: boolean;
  weightDecay: number;
}

/**
 * w −= lr · direction, the direction being the gradient, or with momentum v = momentum · v + (1 − dampening) ·
 * gradient, which begins as the first gradient. As PyTorch's.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.SGD([w], { lr: 0.1 });
 * w.square().sum().backward();
 * optimizer.step();
 * w; // → tensor([0.8], shape [1], float32, cpu)
 */
export class SGD extends Optimizer<SGDOptions> {
  /** Options that are left out: lr 0.001, no momentum, no decay. Throws TensorError. */
  constructor(parameters: Parameters<SGDOptions>, options: Partial<SGDOptions> = {}) {
    super(
      parameters,
      { lr: 0.001, momentum: 0, dampening: 0, nesterov: false, weightDecay: 0, masterWeights: false },
      options,
      ["momentum"],
    );
  }

  protected check({ lr, momentum, dampening, nesterov, weightDecay }: SGDOptions): void {
    checkedRate("SGD", lr);
    checkedNumber("SGD", "a momentum", momentum, (value) => value >= 0 && value < 1, "from 0 to below 1");
    checkedNumber("SGD", "a dampening", dampening, (value) => value >= 0 && value <= 1, "from 0 to 1");
    checkedNumber("SGD", "a weightDecay", weightDecay, (value) => value >= 0, "of at least 0");
    if (nesterov && (momentum === 0 || dampening !== 0))
      throw new TensorError("OPTIONS", "SGD with nesterov needs a momentum above 0 and no dampening.");
  }

  protected needed({ momentum }: SGDOptions): number {
    return momentum === 0 ? 0 : 1;
  }

  protected change(
    { lr, momentum, dampening, nesterov, weightDecay }: SGDOptions,
    kept: number,
    steps: number,
  ): Change {
    if (kept === 0) return { kernel: "plainDescent", numbers: [lr, weightDecay] };
    const later = 1 - dampening;
    const share = steps === 1 ? 1 : later;
    const numbers = [lr, weightDecay, momentum, share, nesterov ? 1 : 0, nesterov ? momentum : 1, steps, later];
    return { kernel: "descent", numbers };
  }
}
