// The scratch memory in which records are laid out before they are submitted, as typed arrays.
import { binding } from "./binding.ts";

export const scratchBytes = new Uint8Array(binding.scratch);
export const scratchWords = new Uint32Array(binding.scratch);
export const scratchFloats = new Float32Array(binding.scratch);
export const scratchDoubles = new Float64Array(binding.scratch);
export const scratchLongs = new BigInt64Array(binding.scratch);
