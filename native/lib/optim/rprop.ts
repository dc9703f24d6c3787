// Rprop: steps by the signs of gradients alone.
import { Optimizer, checkedRate, type Change, type Parameters, type SharedOptions } from "./optimizer.ts";
import { TensorError } from "../errors.ts";
import { worded } from "../wording.ts";

/** `etas`: by what a step shrinks and grows. `stepSizes`: the smallest and the largest. `lr`: the first. */
export interface RpropOptions extends SharedOptions {
  etas: readonly [shrink: number, grow: number];
  stepSizes: readonly [least: number, most: number];
}

const arePair = (value: unknown, test: (low: number, high: number) => boolean): boolean =>
  Array.isArray(value) && value.length === 2 && test(value[0] as number, value[1] as number);

/**
 * Each weight goes by a step of its own against its gradient's sign; the step grows while the sign stays, and shrinks
 * where it turns, where the weight rests (Riedmiller and Braun, 1993). For gradients of all data, not of batches. As
 * PyTorch's.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.Rprop([w], { lr: 0.25 });
 * w.square().sum().backward();
 * optimizer.step();
 * w; // → tensor([0.75], shape [1], float32, cpu)
 */
export class Rprop extends Optimizer<RpropOptions> {
  /** Options that are left out: lr 0.01, etas [0.5, 1.2], stepSizes [1e−6, 50]. Throws TensorError. */
  constructor(parameters: Parameters<RpropOptions>, options: Partial<RpropOptions> = {}) {
    super(parameters, { lr: 0.01, etas: [0.5, 1.2], stepSizes: [1e-6, 50], masterWeights: false }, options, [
      "previous",
      "stepSize",
    ]);
  }

  protected check({ lr, etas, stepSizes }: RpropOptions): void {
    checkedRate("Rprop", lr);
    if (!arePair(etas, (shrink, grow) => shrink > 0 && shrink < 1 && grow > 1))
      throw new TensorError(
        "OPTIONS",
        `Rprop takes etas as two numbers, one from 0 to 1 and one above 1, but got ${worded(etas)}.`,
      );
    if (!arePair(stepSizes, (least, most) => least >= 0 && most >= least))
      throw new TensorError(
        "OPTIONS",
        `Rprop takes stepSizes as two numbers of at least 0, the larger one last, but got ${worded(stepSizes)}.`,
      );
  }

  protected needed(): number {
    return 2;
  }

  protected override begin({ lr }: RpropOptions): readonly number[] {
    return [0, lr];
  }

  protected change({ etas, stepSizes }: RpropOptions): Change {
    return { kernel: "resilientPropagation", numbers: [...etas, ...stepSizes] };
  }
}
