// Losses as layers, which keep their options; weights of classes move with the layer. The functions do as well.
import { crossEntropy, nllLoss, type CrossEntropyOptions, type NllOptions } from "../tensor/class-losses.ts";
import {
  cosineEmbeddingLoss,
  marginRankingLoss,
  tripletMarginLoss,
  tripletMarginWithDistanceLoss,
  type DistanceTripletOptions,
  type MarginOptions,
  type TripletOptions,
} from "../tensor/embedding-losses.ts";
import {
  binaryCrossEntropy,
  gaussianNllLoss,
  klDiv,
  poissonNllLoss,
  type BinaryCrossEntropyOptions,
  type DivergenceOptions,
  type GaussianOptions,
  type PoissonOptions,
} from "../tensor/likelihoods.ts";
import {
  bceWithLogitsLoss,
  huberLoss,
  l1Loss,
  mseLoss,
  smoothL1Loss,
  type BceOptions,
  type LossOptions,
  type WeightedOptions,
} from "../tensor/losses.ts";
import {
  hingeEmbeddingLoss,
  multiMarginLoss,
  multilabelMarginLoss,
  multilabelSoftMarginLoss,
  softMarginLoss,
  type ClassMarginOptions,
  type WeightedLossOptions,
} from "../tensor/margin-losses.ts";
import { ctcLoss, type CtcOptions } from "../tensor/sequence-losses.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { FunctionLayer } from "./function-layer.ts";

/**
 * {@link crossEntropy} as a layer.
 * @example
 * const loss = new nn.CrossEntropyLoss();
 * loss(zeros([1, 2]), tensor([0], { dtype: "int64" })); // → tensor(0.693147, shape [], float32, cpu)
 */
export class CrossEntropyLoss extends FunctionLayer<CrossEntropyOptions> {
  /** Throws TensorError. */
  constructor(options: CrossEntropyOptions = {}) {
    super(crossEntropy, [options], { bare: [] });
  }
  forward(input: Tensor, target: Tensor): Tensor {
    return crossEntropy(input, target, this.options) as Tensor;
  }
}

/**
 * {@link nllLoss} as a layer.
 * @example
 * new nn.NLLLoss()(tensor([[-1, -2]]), tensor([1], { dtype: "int64" })); // → tensor(2, shape [], float32, cpu)
 */
export class NLLLoss extends FunctionLayer<NllOptions> {
  /** Throws TensorError. */
  constructor(options: NllOptions = {}) {
    super(nllLoss, [options], { bare: [] });
  }
  forward(input: Tensor, target: Tensor): Tensor {
    return nllLoss(input, target, this.options) as Tensor;
  }
}

/**
 * {@link mseLoss} as a layer.
 * @example
 * new nn.MSELoss()(tensor([1, 2]), tensor([2, 4])); // → tensor(2.5, shape [], float32, cpu)
 */
export class MSELoss extends FunctionLayer<WeightedOptions> {
  /** Throws TensorError. */
  constructor(options: WeightedOptions = {}) {
    super(mseLoss, [options], { bare: [] });
  }
  forward(input: Tensor, target: Tensor): Tensor {
    return mseLoss(input, target, this.options) as Tensor;
  }
}

/**
 * {@link l1Loss} as a layer.
 * @example
 * new nn.L1Loss()(tensor([1, 2]), tensor([2, 4])); // → tensor(1.5, shape [], float32, cpu)
 */
export class L1Loss extends FunctionLayer<WeightedOptions> {
  /** Throws TensorError. */
  constructor(options: WeightedOptions = {}) {
    super(l1Loss, [options], { bare: [] });
  }
  forward(input: Tensor, target: Tensor): Tensor {
    return l1Loss(input, target, this.options) as Tensor;
  }
}

/**
 * {@link smoothL1Loss} as a layer.
 * @example
 * new nn.SmoothL1Loss()(tensor([0, 5]), tensor([0.5, 0])); // → tensor(2.3125, shape [], float32, cpu)
 */
export class SmoothL1Loss extends FunctionLayer<LossOptions & { readonly beta?: number }> {
  /** Throws TensorError. */
  constructor(options: LossOptions & { readonly beta?: number } = {}) {
    super(smoothL1Loss, [options], { bare: [] });
  }
  forward(input: Tensor, target: Tensor): Tensor {
    return smoothL1Loss(input, target, this.options) as Tensor;
  }
}

/**
 * {@link huberLoss} as a layer.
 * @example
 * new nn.HuberLoss()(tensor([0, 5]), tensor([0.5, 0])); // → tensor(2.3125, shape [], float32, cpu)
 */
export class HuberLoss extends FunctionLayer<LossOptions & { readonly delta?: number }> {
  /** Throws TensorError. */
  constructor(options: LossOptions & { readonly delta?: number } = {}) {
    super(huberLoss, [options], { bare: [] });
  }
  forward(input: Tensor, target: Tensor): Tensor {
    return huberLoss(input, target, this.options) as Tensor;
  }
}

/**
 * {@link binaryCrossEntropy} as a layer: of probabilities; {@link BCEWithLogitsLoss} is of logits.
 * @example
 * new nn.BCELoss()(tensor([0.5]), tensor([1])); // → tensor(0.693147, shape [], float32, cpu)
 */
export class BCELoss extends FunctionLayer<BinaryCrossEntropyOptions> {
  /** Throws TensorError. */
  constructor(options: BinaryCrossEntropyOptions = {}) {
    super(binaryCrossEntropy, [options], { bare: [] });
  }
  forward(input: Tensor, target: Tensor): Tensor {
    return binaryCrossEntropy(input, target, this.options) as Tensor;
  }
}

/**
 * {@link bceWithLogitsLoss} as a layer.
 * @example
 * new nn.BCEWithLogitsLoss()(tensor([2, -1]), tensor([1, 0])); // → tensor(0.220095, shape [], float32, cpu)
 */
export class BCEWithLogitsLoss extends FunctionLayer<BceOptions> {
  /** Throws TensorError. */
  constructor(options: BceOptions = {}) {
    super(bceWithLogitsLoss, [options], { bare: [] });
  }
  forward(input: Tensor, target: Tensor): Tensor {
    return bceWithLogitsLoss(input, target, this.options) as Tensor;
  }
}

/**
 * {@link klDiv} as a layer.
 * @example
 * new nn.KLDivLoss({ reduction: "sum" })(tensor([0]), tensor([1])).item(); // → 0
 */
export class KLDivLoss extends FunctionLayer<DivergenceOptions> {
  /** Throws TensorError. */
  constructor(options: DivergenceOptions = {}) {
    super(klDiv, [options], { bare: [] });
  }
  forward(input: Tensor, target: Tensor): Tensor {
    return klDiv(input, target, this.options) as Tensor;
  }
}

/**
 * {@link ctcLoss} as a layer, which is called with the lengths, too.
 * @example
 * const loss = new nn.CTCLoss();
 * const logs = logSoftmax(zeros([3, 1, 2]));
 * loss(logs, tensor([[1]], { dtype: "int64" }), [3], [1]).item() > 0; // → true
 */
export class CTCLoss extends FunctionLayer<Pick<CtcOptions, "blank" | "reduction" | "zeroInfinity">> {
  /** Throws TensorError. */
  constructor(options: Pick<CtcOptions, "blank" | "reduction" | "zeroInfinity"> = {}) {
    super(ctcLoss, [options], { bare: [] });
  }
  forward(
    logs: Tensor,
    targets: Tensor,
    inputLengths?: CtcOptions["inputLengths"],
    targetLengths?: CtcOptions["targetLengths"],
  ): Tensor {
    return ctcLoss(logs, targets, {
      ...this.options,
      ...(inputLengths === undefined ? {} : { inputLengths }),
      ...(targetLengths === undefined ? {} : { targetLengths }),
    }) as Tensor;
  }
}

/**
 * {@link poissonNllLoss} as a layer.
 * @example
 * new nn.PoissonNLLLoss()(tensor([0]), tensor([1])); // → tensor(1, shape [], float32, cpu)
 */
export class PoissonNLLLoss extends FunctionLayer<PoissonOptions> {
  /** Throws TensorError. */
  constructor(options: PoissonOptions = {}) {
    super(poissonNllLoss, [options], { bare: [] });
  }
  forward(input: Tensor, target: Tensor): Tensor {
    return poissonNllLoss(input, target, this.options) as Tensor;
  }
}

/**
 * {@link gaussianNllLoss} as a layer, which is called with the variance, too.
 * @example
 * new nn.GaussianNLLLoss()(tensor([1]), tensor([3]), tensor([1])); // → tensor(2, shape [], float32, cpu)
 */
export class GaussianNLLLoss extends FunctionLayer<GaussianOptions> {
  /** Throws TensorError. */
  constructor(options: GaussianOptions = {}) {
    super(gaussianNllLoss, [options], { bare: [] });
  }
  forward(input: Tensor, target: Tensor, variance: Tensor): Tensor {
    return gaussianNllLoss(input, target, variance, this.options) as Tensor;
  }
}

/**
 * {@link marginRankingLoss} as a layer.
 * @example
 * new nn.MarginRankingLoss()(tensor([1]), tensor([3]), tensor([1])); // → tensor(2, shape [], float32, cpu)
 */
export class MarginRankingLoss extends FunctionLayer<MarginOptions> {
  /** Throws TensorError. */
  constructor(options: MarginOptions = {}) {
    super(marginRankingLoss, [options], { bare: [] });
  }
  forward(a: Tensor, b: Tensor, target: Tensor): Tensor {
    return marginRankingLoss(a, b, target, this.options) as Tensor;
  }
}

/**
 * {@link cosineEmbeddingLoss} as a layer.
 * @example
 * new nn.CosineEmbeddingLoss()(tensor([[1, 0]]), tensor([[0, 1]]), tensor([1])); // → tensor(1, shape [], float32, cpu)
 */
export class CosineEmbeddingLoss extends FunctionLayer<MarginOptions> {
  /** Throws TensorError. */
  constructor(options: MarginOptions = {}) {
    super(cosineEmbeddingLoss, [options], { bare: [] });
  }
  forward(a: Tensor, b: Tensor, target: Tensor): Tensor {
    return cosineEmbeddingLoss(a, b, target, this.options) as Tensor;
  }
}

/**
 * {@link tripletMarginLoss} as a layer.
 * @example
 * new nn.TripletMarginLoss()(tensor([[0, 0]]), tensor([[0, 0]]), tensor([[9, 9]])).item(); // → 0
 */
export class TripletMarginLoss extends FunctionLayer<TripletOptions> {
  /** Throws TensorError. */
  constructor(options: TripletOptions = {}) {
    super(tripletMarginLoss, [options], { bare: [] });
  }
  forward(anchor: Tensor, positive: Tensor, negative: Tensor): Tensor {
    return tripletMarginLoss(anchor, positive, negative, this.options) as Tensor;
  }
}

/**
 * {@link tripletMarginWithDistanceLoss} as a layer.
 * @example
 * const distance = (a: Tensor, b: Tensor) => a.sub(b).abs().max(-1);
 * const loss = new nn.TripletMarginWithDistanceLoss({ distance });
 * loss(tensor([[0, 0]]), tensor([[0, 0]]), tensor([[9, 9]])).item(); // → 0
 */
export class TripletMarginWithDistanceLoss extends FunctionLayer<DistanceTripletOptions> {
  /** Throws TensorError. */
  constructor(options: DistanceTripletOptions = {}) {
    super(tripletMarginWithDistanceLoss, [options], { bare: [] });
  }
  forward(anchor: Tensor, positive: Tensor, negative: Tensor): Tensor {
    return tripletMarginWithDistanceLoss(anchor, positive, negative, this.options) as Tensor;
  }
}

/**
 * {@link softMarginLoss} as a layer.
 * @example
 * new nn.SoftMarginLoss()(tensor([0]), tensor([1])); // → tensor(0.693147, shape [], float32, cpu)
 */
export class SoftMarginLoss extends FunctionLayer<LossOptions> {
  /** Throws TensorError. */
  constructor(options: LossOptions = {}) {
    super(softMarginLoss, [options], { bare: [] });
  }
  forward(input: Tensor, target: Tensor): Tensor {
    return softMarginLoss(input, target, this.options) as Tensor;
  }
}

/**
 * {@link hingeEmbeddingLoss} as a layer.
 * @example
 * new nn.HingeEmbeddingLoss()(tensor([2]), tensor([1])); // → tensor(2, shape [], float32, cpu)
 */
export class HingeEmbeddingLoss extends FunctionLayer<MarginOptions> {
  /** Throws TensorError. */
  constructor(options: MarginOptions = {}) {
    super(hingeEmbeddingLoss, [options], { bare: [] });
  }
  forward(input: Tensor, target: Tensor): Tensor {
    return hingeEmbeddingLoss(input, target, this.options) as Tensor;
  }
}

/**
 * {@link multiMarginLoss} as a layer.
 * @example
 * new nn.MultiMarginLoss()(tensor([[3, 1]]), tensor([0], { dtype: "int64" })).item(); // → 0
 */
export class MultiMarginLoss extends FunctionLayer<ClassMarginOptions> {
  /** Throws TensorError. */
  constructor(options: ClassMarginOptions = {}) {
    super(multiMarginLoss, [options], { bare: [] });
  }
  forward(input: Tensor, target: Tensor): Tensor {
    return multiMarginLoss(input, target, this.options) as Tensor;
  }
}

/**
 * {@link multilabelMarginLoss} as a layer.
 * @example
 * new nn.MultiLabelMarginLoss()(tensor([[3, 1]]), tensor([[0, -1]], { dtype: "int64" })).item(); // → 0
 */
export class MultiLabelMarginLoss extends FunctionLayer<LossOptions> {
  /** Throws TensorError. */
  constructor(options: LossOptions = {}) {
    super(multilabelMarginLoss, [options], { bare: [] });
  }
  forward(input: Tensor, target: Tensor): Tensor {
    return multilabelMarginLoss(input, target, this.options) as Tensor;
  }
}

/**
 * {@link multilabelSoftMarginLoss} as a layer.
 * @example
 * new nn.MultiLabelSoftMarginLoss()(tensor([[0]]), tensor([[1]])); // → tensor(0.693147, shape [], float32, cpu)
 */
export class MultiLabelSoftMarginLoss extends FunctionLayer<WeightedLossOptions> {
  /** Throws TensorError. */
  constructor(options: WeightedLossOptions = {}) {
    super(multilabelSoftMarginLoss, [options], { bare: [] });
  }
  forward(input: Tensor, target: Tensor): Tensor {
    return multilabelSoftMarginLoss(input, target, this.options) as Tensor;
  }
}
