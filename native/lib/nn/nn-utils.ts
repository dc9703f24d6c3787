// What PyTorch has in `nn.utils`.
import { absent } from "../instead.ts";

export { parametersToVector, vectorToParameters } from "./parameter-vectors.ts";
export { padSequence, unpadSequence, type PadOptions } from "./padded-sequences.ts";
export {
  removeSpectralNorm,
  removeWeightNorm,
  spectralNorm,
  weightNorm,
  type SpectralNormOptions,
  type WeightNormOptions,
} from "./weight-norms.ts";

const clipping = (name: string, written: string) => absent(`nn.utils.${name}`, written);
/** @internal */
export const clip_grad_norm_ = clipping("clip_grad_norm_", "optim.clipGradNorm(model.parameters(), 1)");
/** @internal */
export const clipGradNorm = clipping("clipGradNorm", "optim.clipGradNorm(model.parameters(), 1)");
/** @internal */
export const rnn = {
  pad_sequence: absent("nn.utils.rnn.pad_sequence", "nn.utils.padSequence([x, y], { batchFirst: true })"),
  padSequence: absent("nn.utils.rnn.padSequence", "nn.utils.padSequence([x, y], { batchFirst: true })"),
  pack_padded_sequence: absent(
    "nn.utils.rnn.pack_padded_sequence",
    "layer(nn.utils.padSequence([x, y])), and take output.get(lengths - 1, i) of each sequence",
  ),
  packPaddedSequence: absent(
    "nn.utils.rnn.packPaddedSequence",
    "layer(nn.utils.padSequence([x, y])), and take output.get(lengths - 1, i) of each sequence",
  ),
} as const;
/** @internal */
export const clip_grad_value_ = clipping("clip_grad_value_", "optim.clipGradValue(model.parameters(), 1)");
/** @internal */
export const clipGradValue = clipping("clipGradValue", "optim.clipGradValue(model.parameters(), 1)");
