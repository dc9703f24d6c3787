// What PyTorch has in `nn.utils`: parameters as one vector, sequences of several lengths as one tensor, and weights
// whose size is kept apart from their direction.
import { noGrad } from "../autograd/gradients.ts";
import { TensorError } from "../errors.ts";
import { absent } from "../instead.ts";
import { formatShape } from "../memory/shape.ts";
import { flag, number, reader, tensor, tensors, type Kind } from "../tensor/arguments.ts";
import { full } from "../tensor/create.ts";
import { cat, stack } from "../tensor/joining.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";

export { removeSpectralNorm, removeWeightNorm, spectralNorm, weightNorm } from "./weight-norms.ts";
export type { SpectralNormOptions, WeightNormOptions } from "./weight-norms.ts";

const lengths: Kind<readonly number[]> = {
  wanted: "a list of whole numbers of at least 1",
  has: (value) => Array.isArray(value) && value.every((each) => Number.isSafeInteger(each) && each >= 1),
};
const readPad = reader("padSequence", {
  written: "nn.utils.padSequence",
  required: { sequences: tensors },
  options: { batchFirst: flag, paddingValue: number },
  instead: { paddingSide: "Use flip() on the sequences and the result." },
});
const readUnpad = reader("unpadSequence", {
  written: "nn.utils.unpadSequence",
  required: { padded: tensor, lengths },
  options: { batchFirst: flag },
});

/** The parameters of a list. Throws TensorError for what is none. */
function listOf(name: string, parameters: Iterable<Tensor>): Tensor[] {
  if ((parameters as unknown) instanceof Tensor)
    throw new TensorError("OPERANDS", `${name} takes a list of parameters but got a tensor: write [x].`);
  const list = typeof parameters === "object" && Symbol.iterator in parameters ? [...parameters] : [];
  const odd = list.find((each) => !(each instanceof Tensor));
  if (list.length === 0 || odd !== undefined)
    throw new TensorError(
      "OPERANDS",
      `${name} takes parameters, as model.parameters() gives them, but got ${odd === undefined ? worded(parameters) : worded(odd)}.`,
    );
  return list;
}

/**
 * All elements of parameters one after the other, as one vector, through which gradients go. Throws TensorError.
 * @example
 * nn.utils.parametersToVector([ones([2, 2]), zeros([1])]); // → tensor([1, 1, 1, 1, 0], shape [5], float32, cpu)
 */
export function parametersToVector(parameters: Iterable<Tensor>): Tensor {
  const list = listOf("parametersToVector", parameters);
  return cat(list.map((each) => each.reshape([-1])) as Tensor[]) as Tensor;
}

/**
 * Writes the elements of a vector into parameters one after the other, without a gradient. Throws TensorError for a
 * vector of another length.
 * @example
 * const layer = new nn.Linear(2, 1);
 * nn.utils.vectorToParameters(tensor([1, 2, 3]), layer.parameters());
 * layer.weight.detach(); // → tensor([[1, 2]], shape [1, 2], float32, cpu)
 */
export function vectorToParameters(vector: Tensor, parameters: Iterable<Tensor>): void {
  const list = listOf("vectorToParameters", parameters);
  const size = list.reduce((sum, each) => sum + each.size, 0);
  if (!(vector instanceof Tensor) || vector.shape.length !== 1 || vector.size !== size)
    throw new TensorError(
      "SHAPE",
      `vectorToParameters takes a vector of ${size} elements for these parameters but got ${vector instanceof Tensor ? formatShape(vector.shape) : worded(vector)}.`,
    );
  noGrad(() => {
    let at = 0;
    for (const each of list) {
      each.copy_(
        vector
          .slice([at, at + each.size])
          .reshape(each.shape)
          .to(each.device),
      );
      at += each.size;
    }
  });
}

/** `batchFirst`: the result is [batch, length, …] and not [length, batch, …]; `paddingValue`: 0 when left out. */
export interface PadOptions {
  readonly batchFirst?: boolean;
  readonly paddingValue?: number;
}

/**
 * Sequences [length, …] of several lengths as one tensor [longest, batch, …], or as `batchFirst` has it, filled up with
 * `paddingValue`. Throws TensorError.
 * @example
 * nn.utils.padSequence([tensor([1, 2, 3]), tensor([4])], { batchFirst: true });
 * // → tensor([[1, 2, 3], [4, 0, 0]], shape [2, 3], float32, cpu)
 */
export function padSequence(sequences: readonly Tensor[], options: PadOptions = {}): Tensor {
  const { batchFirst = false, paddingValue = 0 } = readPad([sequences, options]);
  const [first] = sequences as readonly [Tensor, ...Tensor[]];
  const rest = first.shape.slice(1);
  const odd = sequences.find(({ shape }) => shape.length === 0 || shape.slice(1).join() !== rest.join());
  if (odd !== undefined)
    throw new TensorError(
      "SHAPE",
      `padSequence takes sequences [length, …] that differ in length alone but got ${formatShape(first.shape)} and ${formatShape(odd.shape)}.`,
    );
  const longest = Math.max(...sequences.map(({ shape }) => shape[0]!));
  const filled = sequences.map((each) => {
    const missing = longest - each.shape[0]!;
    if (missing === 0) return each;
    const { dtype, device } = each;
    return cat([each, full([missing, ...rest], paddingValue, { dtype, device }) as Tensor]) as Tensor;
  });
  return stack(filled, { axis: batchFirst ? 0 : 1 }) as Tensor;
}

/**
 * The sequences of what {@link padSequence} made, of those lengths. Throws TensorError.
 * @example
 * const padded = tensor([[1, 2, 3], [4, 0, 0]]);
 * nn.utils.unpadSequence(padded, [3, 1], { batchFirst: true })[1]; // → tensor([4], shape [1], float32, cpu)
 */
export function unpadSequence(
  padded: Tensor,
  lengths: readonly number[],
  options: { readonly batchFirst?: boolean } = {},
): Tensor[] {
  const { batchFirst = false } = readUnpad([padded, lengths, options]);
  const [batch, longest] = batchFirst ? padded.shape : [padded.shape[1], padded.shape[0]];
  if (padded.shape.length < 2 || batch !== lengths.length || lengths.some((each) => each > longest!))
    throw new TensorError(
      "SHAPE",
      `unpadSequence takes a length of at most ${longest ?? 0} for each of ${batch ?? 0} sequences but got [${lengths.join(", ")}] for ${formatShape(padded.shape)}.`,
    );
  return lengths.map(
    (length, at) => (batchFirst ? padded.slice(at, [0, length]) : padded.slice([0, length], at)) as Tensor,
  );
}

const clipping = (name: string, written: string) => absent(`nn.utils.${name}`, written);
/** @internal */
export const clip_grad_norm_ = clipping("clip_grad_norm_", "optim.clipGradNorm(model.parameters(), 1)");
/** @internal */
export const clipGradNorm = clipping("clipGradNorm", "optim.clipGradNorm(model.parameters(), 1)");
/** @internal */
export const clip_grad_value_ = clipping("clip_grad_value_", "optim.clipGradValue(model.parameters(), 1)");
/** @internal */
export const clipGradValue = clipping("clipGradValue", "optim.clipGradValue(model.parameters(), 1)");
