// Charts and pictures into files.
import { writeFileSync } from "node:fs";
import { extname } from "node:path";
import { TensorError } from "../errors.ts";
import { worded } from "../wording.ts";

/** Throws TensorError for a path of another kind of file. */
export function savePicture(what: string, extension: string, path: unknown, data: string | Uint8Array): void {
  if (typeof path !== "string" || extname(path).toLowerCase() !== extension)
    throw new TensorError("OPTIONS", `${what} is saved in a file that ends in ${extension}, but got ${worded(path)}.`);
  writeFileSync(path, data);
}
