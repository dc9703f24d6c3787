// Adagrad: gradients over the root of the sum of their squares.
import {
  Optimizer,
  checkedNumber,
  checkedRate,
  type Change,
  type Parameters,
  type SharedOptions,
} from "./optimizer.ts";

/**
 * `lrDecay`: the rate of step t is lr / (1 + (t − 1) · lrDecay). `initialAccumulatorValue`: what the sum of squares
 * begins with; `eps` is added to its root. `weightDecay` · w is added to the gradient.
 */
export interface AdagradOptions extends SharedOptions {
  lrDecay: number;
  weightDecay: number;
  initialAccumulatorValue: number;
  eps: number;
}

/**
 * w −= lr · gradient / (√sum + eps), the sum being that of the squares of all gradients so far (Duchi, Hazan and
 * Singer, 2011). As PyTorch's.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.Adagrad([w], { lr: 0.1 });
 * w.square().sum().backward();
 * optimizer.step();
 * w; // → tensor([0.9], shape [1], float32, cpu)
 */
export class Adagrad extends Optimizer<AdagradOptions> {
  /** Options that are left out: lr 0.01, eps 1e−10, all others 0. Throws TensorError. */
  constructor(parameters: Parameters<AdagradOptions>, options: Partial<AdagradOptions> = {}) {
    super(
      parameters,
      { lr: 0.01, lrDecay: 0, weightDecay: 0, initialAccumulatorValue: 0, eps: 1e-10, masterWeights: false },
      options,
      ["sum"],
    );
  }

  protected check({ lr, ...others }: AdagradOptions): void {
    checkedRate("Adagrad", lr);
    for (const name of ["lrDecay", "weightDecay", "initialAccumulatorValue", "eps"] as const)
      checkedNumber("Adagrad", `a number as ${name}`, others[name], (value) => value >= 0, "of at least 0");
  }

  protected needed(): number {
    return 1;
  }

  protected override begin({ initialAccumulatorValue }: AdagradOptions): readonly number[] {
    return [initialAccumulatorValue];
  }

  protected change({ lr, lrDecay, weightDecay, eps }: AdagradOptions, _kept: number, steps: number): Change {
    return { kernel: "adagrad", numbers: [lr / (1 + (steps - 1) * lrDecay), eps, weightDecay, lr, lrDecay, steps] };
  }
}
