// RMSProp: gradients over the root of the mean of their squares.
import {
  Optimizer,
  checkedNumber,
  checkedRate,
  type Change,
  type Parameters,
  type SharedOptions,
} from "./optimizer.ts";

/**
 * `alpha`: how much is kept of the mean of squares in each step. `eps` is added to its root. `momentum`: how much of
 * the last direction is kept. `weightDecay` · w is added to the gradient.
 */
export interface RMSpropOptions extends SharedOptions {
  alpha: number;
  eps: number;
  momentum: number;
  weightDecay: number;
}

/**
 * w −= lr · direction, the direction being gradient / (√square + eps) with square = alpha · square + (1 − alpha) ·
 * gradient², or with momentum v = momentum · v + that (Hinton's lecture 6e). As PyTorch's.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.RMSprop([w], { lr: 0.01 });
 * w.square().sum().backward();
 * optimizer.step();
 */
export class RMSprop extends Optimizer<RMSpropOptions> {
  /** Options that are left out: lr 0.01, alpha 0.99, eps 1e−8, no momentum, no decay. Throws TensorError. */
  constructor(parameters: Parameters<RMSpropOptions>, options: Partial<RMSpropOptions> = {}) {
    super(
      parameters,
      { lr: 0.01, alpha: 0.99, eps: 1e-8, momentum: 0, weightDecay: 0, masterWeights: false },
      options,
      ["square", "momentum"],
    );
  }

  protected check({ lr, alpha, eps, momentum, weightDecay }: RMSpropOptions): void {
    checkedRate("RMSprop", lr);
    checkedNumber("RMSprop", "an alpha", alpha, (value) => value >= 0 && value < 1, "from 0 to below 1");
    checkedNumber("RMSprop", "an eps", eps, (value) => value >= 0, "of at least 0");
    checkedNumber("RMSprop", "a momentum", momentum, (value) => value >= 0 && value < 1, "from 0 to below 1");
    checkedNumber("RMSprop", "a weightDecay", weightDecay, (value) => value >= 0, "of at least 0");
  }

  protected needed({ momentum }: RMSpropOptions): number {
    return momentum === 0 ? 1 : 2;
  }

  protected change({ lr, alpha, eps, momentum, weightDecay }: RMSpropOptions, kept: number): Change {
    const numbers = [lr, alpha, 1 - alpha, eps, weightDecay];
    return kept === 1 ? { kernel: "plainRmsprop", numbers } : { kernel: "rmsprop", numbers: [...numbers, momentum] };
  }
}
