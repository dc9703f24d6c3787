// The layer that adds up rows of a table in bags.
import { TensorError } from "../errors.ts";
import { flag, oneOf, reader, wholeNumber } from "../tensor/arguments.ts";
import { embeddingBag, type EmbeddingBagOptions } from "../tensor/embedding-bag.ts";
import type { Indices } from "../tensor/indexing.ts";
import { randn } from "../tensor/random.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { Module, type ParameterOptions } from "./module.ts";
import { parameterOptions, size } from "./options.ts";

/** Those of {@link embeddingBag} that stay the same from call to call; `paddingIdx` is PyTorch's name. */
export interface EmbeddingBagLayerOptions
  extends ParameterOptions,
    Pick<EmbeddingBagOptions, "mode" | "includeLastOffset" | "paddingIndex"> {
  readonly paddingIdx?: number;
}
type Kept = Pick<EmbeddingBagOptions, "mode" | "includeLastOffset" | "paddingIndex">;

const check = reader("EmbeddingBag", {
  written: "new nn.EmbeddingBag",
  required: { count: size, width: size },
  options: {
    mode: oneOf("sum", "mean", "max"),
    includeLastOffset: flag,
    paddingIndex: wholeNumber,
    ...parameterOptions,
  },
  aliases: { paddingIdx: "paddingIndex" },
  instead: {
    maxNorm: "Use nn.Embedding, which has it, and sum what it gives.",
    scaleGradByFreq: "Divide what is looked up by how often, or the loss.",
    sparse: "Gradients of tables are dense: leave it out.",
  },
});

/**
 * A layer that adds up rows of a table: of indices [bags, each], or of a list with offsets, [bags, width]; see {@link
 * embeddingBag}. The table [count, width] is drawn from the normal distribution; the row of `paddingIndex` is 0 and
 * counts for nothing. Throws TensorError.
 * @example
 * const layer = new nn.EmbeddingBag(10, 3, { mode: "sum" });
 * layer(tensor([1, 2, 4, 5, 4, 3], { dtype: "int64" }), [0, 4]).shape; // → [ 2, 3 ]
 */
export class EmbeddingBag extends Module {
  /** [count, width], normal. */
  weight: Tensor;
  /** How rows are added up. */
  readonly options: Kept;

  /** Throws TensorError. */
  constructor(count: number, width: number, given: EmbeddingBagLayerOptions = {}) {
    super();
    const { count: _, width: __, device, dtype, ...options } = check([count, width, given]);
    const { paddingIndex } = options;
    if (paddingIndex !== undefined && !(paddingIndex >= -count && paddingIndex < count))
      throw new TensorError(
        "INDEX",
        `EmbeddingBag takes a paddingIndex from ${-count} to ${count - 1} but got ${paddingIndex}.`,
      );
    this.options = options;
    const on = { ...(device === undefined ? {} : { device }), ...(dtype === undefined ? {} : { dtype }) };
    const table = randn([count, width], on) as Tensor;
    if (paddingIndex !== undefined) table.set([paddingIndex], 0);
    table.requiresGrad = true;
    this.weight = table;
  }

  forward(indices: Indices, offsets?: Indices, perSampleWeights?: Tensor): Tensor {
    return embeddingBag(indices, this.weight, {
      ...this.options,
      ...(offsets === undefined ? {} : { offsets }),
      ...(perSampleWeights === undefined ? {} : { perSampleWeights }),
    });
  }
  override describe(): string {
    return `${this.weight.shape.join(" of ")}, ${this.options.mode ?? "mean"}`;
  }
}
