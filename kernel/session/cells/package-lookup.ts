// Keeps Node's search for packages away from folders that hold none: it would remember for good that there is no
// package.json, also when npm has put one there since.
import { existsSync, statSync } from "node:fs";
import { Module } from "node:module";
import { dirname, isAbsolute, join } from "node:path";

type Find = (request: string, folders: readonly string[] | null, ...more: unknown[]) => string | false;

const nameIn = /^(?:@[^/]+\/)?[^/]+/;

/** What a request may stand for where no package.json says so. */
const completions = [".js", ".json", ".node", "/index.js", "/index.json", "/index.node", "/package.json"];

/**
 * From now on, in this thread. Also `import` asks for a package this way, for the hint in its error, and so do packages
 * for what they can do without.
 */
export function skipMissingPackages(): void {
  const module = Module as unknown as { _findPath: Find };
  const find = module._findPath;
  module._findPath = (request, folders, ...more) =>
    find(
      request,
      isPackage(request) ? folders && folders.filter((folder) => holds(folder, request)) : folders,
      ...more,
    );
}

/** Where a file in `folder` finds a package; `undefined` when it is not installed. */
export function packageFolder(specifier: string, folder: string): string | undefined {
  const [name] = nameIn.exec(specifier) ?? [];
  for (let above = folder; name !== undefined; above = dirname(above)) {
    const found = join(above, "node_modules", name);
    if (existsSync(join(found, "package.json"))) return found;
    if (above === dirname(above)) return undefined;
  }
  return undefined;
}

/** Whether a specifier is the name of a package, or of a file in one. */
export function isPackage(specifier: string): boolean {
  return !/^\.{1,2}(?:\/|$)|^[a-z]+:/.test(specifier) && !isAbsolute(specifier);
}

function holds(folder: string, request: string): boolean {
  const path = join(folder, request);
  const [name = request] = nameIn.exec(request) ?? [];
  if (existsSync(join(folder, name, "package.json")) || completions.some((completion) => existsSync(path + completion)))
    return true;
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
