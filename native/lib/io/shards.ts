// A checkpoint in shards, as the package transformers saves large models: reads the index that says which file holds
// which tensor, and finds the files of a folder.
import { existsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { FormatError, TensorError } from "../errors.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { chosenNames, type Naming } from "./names.ts";
import { safetensorsHeader } from "./safetensors.ts";
import { withFile, type Source } from "./source.ts";
import { tensorOf } from "./stored.ts";

const indexEnd = ".safetensors.index.json";
const maxIndex = 100_000_000;
// What the files of a checkpoint are called, the index first: beside one, a single file is an older save.
const inFolder = ["model.safetensors.index.json", "model.safetensors", "diffusion_pytorch_model.safetensors"];

export const isIndex = (path: string): boolean => path.toLowerCase().endsWith(indexEnd);

/** The file to load where a folder is named; any other path as it is. Throws TensorError for a folder without one. */
export function checkpointAt(path: string): string {
  if (!(statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false)) return path;
  const found = inFolder.map((name) => join(path, name)).find((each) => existsSync(each));
  if (found !== undefined) return found;
  throw new TensorError(
    "NAME",
    `The folder ${path} holds no checkpoint: none of ${inFolder.join(", ")}. Name the file to load.`,
  );
}

/** The files of the index and the names of the tensors in each, as it lists them. Throws FormatError. */
function filesOf(source: Source): ReadonlyMap<string, readonly string[]> {
  const wrong = (why: string, cause?: unknown) =>
    new FormatError("HEADER", source.name, `The index ${source.name} ${why}.`, { cause });
  if (source.size > maxIndex) throw wrong(`has ${source.size} bytes, but at most ${maxIndex} are allowed`);
  let map: unknown;
  try {
    const parsed: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(source.read(0, source.size)));
    map = (parsed as { weight_map?: unknown } | null)?.weight_map;
  } catch (error) {
    throw wrong("cannot be read as JSON", error);
  }
  if (typeof map !== "object" || map === null || Array.isArray(map))
    throw wrong('has no "weight_map", an object that gives the file of each tensor by its name');
  const files = new Map<string, string[]>();
  for (const [name, file] of Object.entries(map as Record<string, unknown>)) {
    // A path could name any file of the machine.
    if (typeof file !== "string" || file !== basename(file) || file.includes("\\") || [".", "..", ""].includes(file))
      throw wrong(
        `gives ${JSON.stringify(file).slice(0, 100)} for ${JSON.stringify(name)}, but files of a checkpoint lie beside its index`,
      );
    const names = files.get(file);
    if (names === undefined) files.set(file, [name]);
    else names.push(name);
  }
  return files;
}

/**
 * The tensors of all files of an index, one file open at a time, and none that has nothing wanted. Throws FormatError
 * for an index that is damaged or names tensors that its files do not have, and the system's error for a file that is
 * not there.
 */
export async function loadShards(
  path: string,
  naming: Naming,
  device: string | undefined,
): Promise<Record<string, Tensor>> {
  const files = await withFile(path, filesOf);
  const places = [...files].flatMap(([file, names]) => names.map((name) => ({ file, name })));
  const wanted = chosenNames(
    path,
    places.map(({ name }) => name),
    naming,
  );
  const made: [string, Tensor][] = [];
  try {
    for (const file of files.keys()) {
      const here = wanted.filter(({ index }) => places[index]!.file === file);
      if (here.length === 0) continue;
      await withFile(join(dirname(path), file), (source) => {
        const { tensors } = safetensorsHeader(source);
        for (const { name, called } of here) {
          const stored = tensors.get(name);
          if (stored === undefined)
            throw new FormatError(
              "HEADER",
              path,
              `The index ${path} places ${JSON.stringify(name)} in ${file}, which does not have it. The files are of different checkpoints, or one is damaged.`,
            );
          made.push([called, tensorOf(source, stored, device)]);
        }
      });
    }
  } catch (error) {
    for (const [, tensor] of made) tensor.dispose();
    throw error;
  }
  return Object.fromEntries(made);
}
