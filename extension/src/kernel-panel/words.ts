// What the panel of the kernel says in sentences: what is lost, and what was done.
import { trans } from "../drawing/trans.ts";
import type { CacheSize, OpenDevice } from "../../../kernel/mime.ts";
import { formatBytes, grouped } from "../drawing/quantity.ts";

export const sessionLoss = (): string =>
  trans.__(
    "Restart the session? All variables, tensors, kernels and imports of the notebook are lost, and a cell that runs is ended. Outputs stay.",
  );

export function deviceLoss({ device, name, keepsArrays }: OpenDevice): string {
  const arrays = keepsArrays
    ? trans.__("Tensors stay.")
    : trans.__("Its tensors are lost: this device cannot share its memory between processes.");
  return trans.__(
    "Restart %1 (%2)? %3 Work that is not done is lost, and so is what kernels have written to __device__ variables. Kernels are loaded again when they are next used.",
    device,
    name,
    arrays,
  );
}

const filesText = ({ files, bytes }: Pick<CacheSize, "files" | "bytes">): string =>
  `${trans._n("%2 file", "%2 files", files, grouped(files))}, ${formatBytes(bytes)}`;

export const cacheText = (cache: CacheSize): string => filesText(cache);
export const clearedText = (removed: Pick<CacheSize, "files" | "bytes">): string =>
  trans.__("%1 removed.", filesText(removed));
