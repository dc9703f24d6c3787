// Adadelta: changes as large as those before, by the gradient's direction.
import {
  Optimizer,
  checkedNumber,
  checkedRate,
  type Change,
  type Parameters,
  type SharedOptions,
} from "./optimizer.ts";

/**
 * `rho`: how much is kept of both means of squares in each step; `eps` is added to them. `weightDecay` · w is added to
 * the gradient.
 */
export interface AdadeltaOptions extends SharedOptions {
  rho: number;
  eps: number;
  weightDecay: number;
}

/**
 * w −= lr · change, the change being √(changes + eps) / √(square + eps) · gradient, with the means of the squares of
 * gradients and of changes so far (Zeiler, arXiv 1212.5701). As PyTorch's.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.Adadelta([w]);
 * w.square().sum().backward();
 * optimizer.step();
 */
export class Adadelta extends Optimizer<AdadeltaOptions> {
  /** Options that are left out: lr 1, rho 0.9, eps 1e−6, no decay. Throws TensorError. */
  constructor(parameters: Parameters<AdadeltaOptions>, options: Partial<AdadeltaOptions> = {}) {
    super(parameters, { lr: 1, rho: 0.9, eps: 1e-6, weightDecay: 0, masterWeights: false }, options, [
      "square",
      "change",
    ]);
  }

  protected check({ lr, rho, eps, weightDecay }: AdadeltaOptions): void {
    checkedRate("Adadelta", lr);
    checkedNumber("Adadelta", "a rho", rho, (value) => value >= 0 && value <= 1, "from 0 to 1");
    checkedNumber("Adadelta", "an eps", eps, (value) => value >= 0, "of at least 0");
    checkedNumber("Adadelta", "a weightDecay", weightDecay, (value) => value >= 0, "of at least 0");
  }

  protected needed(): number {
    return 2;
  }

  protected change({ lr, rho, eps, weightDecay }: AdadeltaOptions): Change {
    return { kernel: "adadelta", numbers: [lr, rho, 1 - rho, eps, weightDecay] };
  }
}
