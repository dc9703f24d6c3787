// RAdam: Adam that divides by the root of squares once enough of them are known.
import { checkAdam, decaysOf, type AdamOptions } from "./adam.ts";
import { checkDecoupled } from "./nadam.ts";
import { Optimizer, type Change, type Parameters } from "./optimizer.ts";

/** Those of Adam; `decoupledWeightDecay`: the decay is apart from the gradient, as AdamW's. */
export interface RAdamOptions extends AdamOptions {
  decoupledWeightDecay: boolean;
}

/**
 * Adam whose first steps, with fewer than 5 squares known by its means, go by the mean of gradients alone, and later
 * ones by Adam's quotient times a correction of its variance (Liu and others, arXiv 1908.03265, algorithm 2): ρ∞ = 2 /
 * (1 − β₂) − 1, ρ = ρ∞ − 2t · β₂ᵗ / (1 − β₂ᵗ), √((ρ − 4)(ρ − 2)ρ∞ / ((ρ∞ − 4)(ρ∞ − 2)ρ)). As PyTorch's.
 * @example
 * const net = new nn.Linear(2, 1);
 * const optimizer = new optim.RAdam(net.parameters(), { lr: 0.01 });
 * net(ones([4, 2])).square().mean().backward();
 * optimizer.step();
 */
export class RAdam extends Optimizer<RAdamOptions> {
  /** Options that are left out: lr 0.001, betas [0.9, 0.999], eps 1e−8, no decay. Throws TensorError. */
  constructor(parameters: Parameters<RAdamOptions>, options: Partial<RAdamOptions> = {}) {
    super(
      parameters,
      {
        lr: 0.001,
        betas: [0.9, 0.999],
        eps: 1e-8,
        weightDecay: 0,
        decoupledWeightDecay: false,
        masterWeights: false,
      },
      options,
      ["mean", "square"],
    );
  }

  protected check(options: RAdamOptions): void {
    checkAdam("RAdam", options);
    checkDecoupled("RAdam", options);
  }

  protected needed(): number {
    return 2;
  }

  protected change(options: RAdamOptions, _kept: number, steps: number): Change {
    const {
      lr,
      betas: [first, second],
      eps,
    } = options;
    const power = second ** steps;
    const most = 2 / (1 - second) - 1;
    const known = most - (2 * steps * power) / (1 - power);
    const share = ((known - 4) * (known - 2) * most) / ((most - 4) * (most - 2) * known);
    const { decay, shrink } = decaysOf(options, options.decoupledWeightDecay);
    const numbers = [
      lr / (1 - first ** steps),
      known > 5 ? Math.sqrt(share * (1 - power)) : 0,
      eps,
      decay,
      shrink,
      1 - first,
      second,
      1 - second,
      lr,
      first,
      second,
      steps,
    ];
    return { kernel: "rectifiedAdam", numbers };
  }
}
