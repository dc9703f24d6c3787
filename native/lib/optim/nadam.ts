// NAdam: Adam with Nesterov's momentum.
import { checkAdam, decaysOf, type AdamOptions } from "./adam.ts";
import { Optimizer, checkedNumber, type Change, type Parameters } from "./optimizer.ts";
import { TensorError } from "../errors.ts";
import { worded } from "../wording.ts";

/**
 * Those of Adam; `momentumDecay`: how fast momentum grows to the first of `betas`, μₜ = β₁ · (1 − 0.96^(t ·
 * momentumDecay) / 2). `decoupledWeightDecay`: the decay is apart from the gradient, as AdamW's.
 */
export interface NAdamOptions extends AdamOptions {
  momentumDecay: number;
  decoupledWeightDecay: boolean;
}

/**
 * Adam that looks ahead by its momentum (Dozat, 2016): the step is (1 − μₜ) · gradient / (1 − Πμ) + μₜ₊₁ · mean /
 * (1 − Πμ · μₜ₊₁) over Adam's root, see {@link NAdamOptions}. As PyTorch's.
 * @example
 * const net = new nn.Linear(2, 1);
 * const optimizer = new optim.NAdam(net.parameters(), { lr: 0.01 });
 * net(ones([4, 2])).square().mean().backward();
 * optimizer.step();
 */
export class NAdam extends Optimizer<NAdamOptions> {
  /**
   * Options that are left out: lr 0.002, betas [0.9, 0.999], eps 1e−8, momentumDecay 0.004, no decay. Throws
   * TensorError.
   */
  constructor(parameters: Parameters<NAdamOptions>, options: Partial<NAdamOptions> = {}) {
    super(
      parameters,
      {
        lr: 0.002,
        betas: [0.9, 0.999],
        eps: 1e-8,
        weightDecay: 0,
        momentumDecay: 0.004,
        decoupledWeightDecay: false,
        masterWeights: false,
      },
      options,
      ["mean", "square"],
    );
  }

  protected check(options: NAdamOptions): void {
    checkAdam("NAdam", options);
    checkDecoupled("NAdam", options);
    checkedNumber("NAdam", "a momentumDecay", options.momentumDecay, (value) => value >= 0, "of at least 0");
  }

  protected needed(): number {
    return 2;
  }

  protected change(options: NAdamOptions, _kept: number, steps: number): Change {
    const {
      lr,
      betas: [first, second],
      eps,
      momentumDecay,
    } = options;
    const momentum = (step: number) => first * (1 - 0.5 * 0.96 ** (step * momentumDecay));
    // What is left below 10⁻¹⁷ is nothing beside 1.
    let product = 1;
    for (let step = 1; step <= steps && product > 1e-17; step++) product *= momentum(step);
    const [now, next] = [momentum(steps), momentum(steps + 1)];
    const { decay, shrink } = decaysOf(options, options.decoupledWeightDecay);
    const numbers = [
      (lr * (1 - now)) / (1 - product),
      (lr * next) / (1 - product * next),
      1 / Math.sqrt(1 - second ** steps),
      eps,
      decay,
      shrink,
      1 - first,
      second,
      1 - second,
      lr,
      first,
      second,
      momentumDecay,
      steps,
    ];
    return { kernel: "nesterovAdam", numbers };
  }
}

/** Throws TensorError for what is neither true nor false. */
export function checkDecoupled(
  name: string,
  { decoupledWeightDecay }: Pick<NAdamOptions, "decoupledWeightDecay">,
): void {
  if (typeof decoupledWeightDecay !== "boolean")
    throw new TensorError(
      "OPTIONS",
      `${name} takes true or false as decoupledWeightDecay but got ${worded(decoupledWeightDecay)}.`,
    );
}
