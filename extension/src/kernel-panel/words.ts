// What the panel of the kernel says in sentences: what is lost, and what was done.
import type { CacheSize, OpenDevice } from "../../../kernel/mime.ts";
import { formatBytes, formatCount } from "../drawing/quantity.ts";

export const sessionLoss =
  "Restart the session? All variables, tensors, kernels and imports of the notebook are lost, and a cell that runs is ended. Outputs stay.";

export function deviceLoss({ device, name, keepsArrays }: OpenDevice): string {
  const arrays = keepsArrays
    ? "Tensors stay."
    : "Its tensors are lost: this device cannot share its memory between processes.";
  return `Restart ${device} (${name})? ${arrays} Work that is not done is lost, and so is what kernels have written to __device__ variables. Kernels are loaded again when they are next used.`;
}

const filesText = ({ files, bytes }: Pick<CacheSize, "files" | "bytes">): string =>
  `${formatCount(files, "file", "files")}, ${formatBytes(bytes)}`;

export const cacheText = (cache: CacheSize): string => filesText(cache);
export const clearedText = (removed: Pick<CacheSize, "files" | "bytes">): string => `${filesText(removed)} removed.`;
