// A version for a local source file, which changes when it or a local file that it imports does.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, resolve, sep } from "node:path";
import { parseSync } from "../../language/parser.ts";
import { isPackage, packageFolder } from "./package-lookup.ts";

/** What a specifier without its extension, or with that of the file it compiles to, may stand for. */
const completions = ["", ".ts", ".mts", ".js", ".mjs", ".cjs", "/index.ts", "/index.js"];

const sources = new Set([".ts", ".mts", ".js", ".mjs", ".cjs"]);

/** CommonJS has no syntax for what a file needs: a call that looks like it. */
const required = /\brequire\s*\(\s*["']([^"']+)["']/g;

/** What a file needs: the user's own files, and names of packages. */
interface Needs {
  files: string[];
  packages: string[];
}

interface Scanned extends Needs {
  modified: number;
}

const scanned = new Map<string, Scanned>();

/** Whether a file is the user's own, as opposed to a package. */
export function isLocal(path: string): boolean {
  return !path.split(sep).includes("node_modules");
}

/**
 * The file that a path in an import means: itself, with an extension, or the `.ts` of a `.js`; `undefined` when there
 * is none.
 */
export function completed(path: string): string | undefined {
  const candidates = [...completions.map((completion) => path + completion), path.replace(/\.(m?)js$/, ".$1ts")];
  return candidates.find((candidate) => existsSync(candidate) && statSync(candidate).isFile());
}

/** The file and every local file it imports, directly or not. */
export function closure(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const next of needs(path).files) closure(next, found);
  return found;
}

/**
 * Differs when any file of the closure was written at another time, also an earlier one, as when an old file is put
 * back; and when a package that one needs has come or gone: Node remembers of a module that it could not be loaded.
 */
export function versionOf(path: string): string {
  const hash = createHash("sha256");
  for (const file of [...closure(path)].sort()) {
    hash.update(`${file}\0${statSync(file).mtimeMs}\0`);
    for (const name of needs(file).packages) hash.update(`${packageFolder(name, dirname(file)) ?? ""}\0`);
  }
  return hash.digest("hex").slice(0, 16);
}

/** `FILE:LINE:COLUMN` of the first file of the closure that does not parse. */
export function misspelt(path: string): string | undefined {
  for (const file of closure(path)) {
    const source = sources.has(extname(file)) ? readFileSync(file, "utf8") : "";
    const start = parseSync(file, source, { showSemanticErrors: true }).errors[0]?.labels.at(-1)?.start;
    if (start === undefined) continue;
    const before = source.slice(0, start).split("\n");
    return `${file}:${before.length}:${before.at(-1)!.length + 1}`;
  }
  return undefined;
}

function needs(path: string): Needs {
  if (!sources.has(extname(path))) return { files: [], packages: [] };
  const modified = statSync(path).mtimeMs;
  const known = scanned.get(path);
  if (known?.modified === modified) return known;

  const source = readFileSync(path, "utf8");
  const { module } = parseSync(path, source);
  const specifiers = [
    ...module.staticImports.map((statement) => statement.moduleRequest.value),
    ...module.staticExports.flatMap((statement) => statement.entries.map((entry) => entry.moduleRequest?.value ?? "")),
    ...[...source.matchAll(required)].map((match) => match[1]!),
  ];
  const files = specifiers
    .filter((specifier) => /^\.{1,2}\//.test(specifier))
    .map((specifier) => completed(resolve(dirname(path), specifier)));
  const found = {
    files: files.filter((file) => file !== undefined && isLocal(file)) as string[],
    packages: specifiers.filter(isPackage),
    modified,
  };
  scanned.set(path, found);
  return found;
}
