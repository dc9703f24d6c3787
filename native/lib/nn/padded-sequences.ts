// Sequences of several lengths as one tensor, filled up, and back.
import { TensorError } from "../errors.ts";
import { formatShape } from "../memory/shape.ts";
import { flag, number, reader, tensor, tensors, type Kind } from "../tensor/arguments.ts";
import { full } from "../tensor/create.ts";
import { cat, stack } from "../tensor/joining.ts";
import type { Tensor } from "../tensor/tensor.ts";

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
