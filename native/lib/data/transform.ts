// What users do to a sample before it is part of a batch: a function, or the default export of a module, here or in a
// worker thread, where nothing of what stands around a function is.
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { constants, Script } from "node:vm";
import { TensorError } from "../errors.ts";
import { worded } from "../wording.ts";
import type { TransformPlace } from "./worker-link.ts";

export type Transform = (sample: never) => unknown;

/** Throws TensorError for what cannot be one. */
export function checkTransform(value: unknown): void {
  if (typeof value === "function" || typeof value === "string" || value instanceof URL) return;
  throw new TensorError(
    "OPTIONS",
    `DataLoader takes a function of a sample as transform, or the path of a module whose default export is one, but got ${worded(value)}.`,
  );
}

/** For a worker. Throws TensorError for a function that has no text. */
export function placeOf(transform: Transform | string | URL): TransformPlace {
  if (typeof transform !== "function") return { module: addressOf(transform) };
  const text = transform.toString();
  if (/\{\s*\[native code\]\s*\}$/.test(text))
    throw new TensorError(
      "OPTIONS",
      `${transform.name || "This function"} has no text of JavaScript that a worker could run: write transform: (sample) => … around it.`,
    );
  functionOf(text);
  return { text };
}

function addressOf(module: string | URL): string {
  if (module instanceof URL) return module.href;
  if (module.startsWith("file:")) return module;
  // The name of a package is found by Node.
  return isAbsolute(module) || /^\.{1,2}\//.test(module) ? pathToFileURL(resolve(module)).href : module;
}

let importModule = (address: string): Promise<unknown> => import(address);

/** Has modules of transforms be imported so in this thread, where files of the user's are more than Node reads. */
export function importModulesBy(use: (address: string) => Promise<unknown>): void {
  importModule = use;
}

/** The transform in this thread. Throws TensorError for a module without one. */
export async function loadTransform(place: TransformPlace): Promise<Transform> {
  if ("text" in place) return functionOf(place.text);
  let found: unknown;
  try {
    ({ default: found } = (await importModule(place.module)) as { default?: unknown });
  } catch (error) {
    throw new TensorError(
      "TRANSFORM",
      `The module of transform, ${nameOf(place.module)}, cannot be loaded: ${(error as Error).message}`,
      { cause: error },
    );
  }
  if (typeof found !== "function")
    throw new TensorError(
      "TRANSFORM",
      `The module of transform, ${nameOf(place.module)}, has ${found === undefined ? "no default export" : `${worded(found)} as its default export`}: write export default (sample) => ….`,
    );
  return found as Transform;
}

const nameOf = (address: string): string => (address.startsWith("file:") ? fileURLToPath(address) : address);

/** What the stack of an error calls the text of a function. */
export const textName = "transform";

/** Compiles the text of a function. Throws TensorError for one that does not stand by itself. */
function functionOf(text: string): Transform {
  const compiled = (source: string, column: number): unknown =>
    new Script(source, {
      filename: textName,
      columnOffset: -column,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    }).runInThisContext();
  try {
    return compiled(`(${text})`, 1) as Transform;
  } catch (error) {
    // A method of an object is no expression by itself.
    const method = error instanceof SyntaxError ? methodOf(text, compiled) : undefined;
    if (method !== undefined) return method;
    throw new TensorError(
      "TRANSFORM",
      `This transform cannot be run in a worker: its text alone is no function (${(error as Error).message}). Write it as a function, or pass the path of a module whose default export it is.`,
      { cause: error },
    );
  }
}

function methodOf(text: string, compiled: (source: string, column: number) => unknown): Transform | undefined {
  try {
    const [found] = Object.values(compiled(`({${text}})`, 2) as object);
    return typeof found === "function" ? (found as Transform) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
