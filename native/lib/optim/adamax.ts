// Adamax: Adam by the largest gradient of late in place of the mean of squares.
import { checkAdam, type AdamOptions } from "./adam.ts";
import { Optimizer, type Change, type Parameters } from "./optimizer.ts";

/**
 * w −= lr / (1 − β₁ᵗ) · mean / largest, where largest is the larger of β₂ · largest and |gradient| + eps (Kingma and
 * Ba, arXiv 1412.6980, algorithm 2). `weightDecay` · w is added to the gradient. As PyTorch's.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.Adamax([w], { lr: 0.1 });
 * w.square().sum().backward();
 * optimizer.step();
 * w; // → tensor([0.9], shape [1], float32, cpu)
 */
export class Adamax extends Optimizer<AdamOptions> {
  /** Options that are left out: lr 0.002, betas [0.9, 0.999], eps 1e−8, no decay. Throws TensorError. */
  constructor(parameters: Parameters<AdamOptions>, options: Partial<AdamOptions> = {}) {
    super(parameters, { lr: 0.002, betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0, masterWeights: false }, options, [
      "mean",
      "largest",
    ]);
  }

  protected check(options: AdamOptions): void {
    checkAdam("Adamax", options);
  }

  protected needed(): number {
    return 2;
  }

  protected change(
    { lr, betas: [first, second], eps, weightDecay }: AdamOptions,
    _kept: number,
    steps: number,
  ): Change {
    const rate = lr / (1 - first ** steps);
    return {
      kernel: "adamax",
      numbers: [rate, 1 - first, second, eps, weightDecay, lr, steps, Math.log(first)],
    };
  }
}
