// ASGD: descent with the mean of the weights of later steps beside them.
import {
  Optimizer,
  checkedNumber,
  checkedRate,
  type Change,
  type Parameters,
  type SharedOptions,
} from "./optimizer.ts";

/**
 * `lambd` · w is taken off in each step, times the rate, which falls as lr / (1 + lambd · lr · (t − 1))^alpha. `t0`:
 * the step from which weights are averaged. `weightDecay` · w is added to the gradient.
 */
export interface ASGDOptions extends SharedOptions {
  lambd: number;
  alpha: number;
  t0: number;
  weightDecay: number;
}

/**
 * Averaged stochastic gradient descent (Polyak and Juditsky, 1992): w ← w · (1 − lambd · η) − η · gradient, and the
 * mean of w from step `t0` on, which is "0.average" of {@link Optimizer.stateDict}, and w itself before. As PyTorch's.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.ASGD([w], { lr: 0.25, lambd: 0 });
 * w.square().sum().backward();
 * optimizer.step();
 * w; // → tensor([0.5], shape [1], float32, cpu)
 */
export class ASGD extends Optimizer<ASGDOptions> {
  /** Options that are left out: lr 0.01, lambd 1e−4, alpha 0.75, t0 1e6, no decay. Throws TensorError. */
  constructor(parameters: Parameters<ASGDOptions>, options: Partial<ASGDOptions> = {}) {
    super(parameters, { lr: 0.01, lambd: 1e-4, alpha: 0.75, t0: 1e6, weightDecay: 0, masterWeights: false }, options, [
      "average",
    ]);
  }

  protected check({ lr, ...others }: ASGDOptions): void {
    checkedRate("ASGD", lr);
    for (const name of ["lambd", "alpha", "t0", "weightDecay"] as const)
      checkedNumber("ASGD", `a number as ${name}`, others[name], (value) => value >= 0, "of at least 0");
  }

  protected needed(): number {
    return 1;
  }

  protected change({ lr, lambd, alpha, t0, weightDecay }: ASGDOptions, _kept: number, steps: number): Change {
    const before = steps - 1;
    const rate = lr / (1 + lambd * lr * before) ** alpha;
    return {
      kernel: "averagedDescent",
      numbers: [rate, 1 - lambd * rate, 1 / Math.max(1, before - t0), weightDecay, lr, lambd, alpha, t0, steps],
    };
  }
}
