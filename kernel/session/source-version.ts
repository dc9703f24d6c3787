// Turns a local source file into a version that changes when it or a local file that it imports does. It must not know who loads it.
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, resolve, sep } from "node:path";
import { parseSync } from "oxc-parser";

/** What a specifier without its extension, or with that of the file it compiles to, may stand for. */
const completions = ["", ".ts", ".mts", ".js", ".mjs", ".cjs", "/index.ts", "/index.js"];

const sources = new Set([".ts", ".mts", ".js", ".mjs", ".cjs"]);

interface Scanned { modified: number; imports: string[]; }

const scanned = new Map<string, Scanned>();

/** Whether a file is the user's own, as opposed to a package. */
export function isLocal(path: string): boolean {
  return !path.split(sep).includes("node_modules");
}

/** The file that a path in an import means: itself, with an extension, or the `.ts` of a `.js`; `undefined` when there is none. */
export function completed(path: string): string | undefined {
  const candidates = [...completions.map((completion) => path + completion), path.replace(/\.(m?)js$/, ".$1ts")];
  return candidates.find((candidate) => existsSync(candidate) && statSync(candidate).isFile());
}

/** The file and every local file it imports, directly or not. */
export function closure(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const next of imports(path)) closure(next, found);
  return found;
}

/** Milliseconds at which the newest file of the closure was written. */
export function versionOf(path: string): number {
  return Math.max(...[...closure(path)].map((file) => statSync(file).mtimeMs));
}

function imports(path: string): string[] {
  if (!sources.has(extname(path))) return [];
  const modified = statSync(path).mtimeMs;
  const known = scanned.get(path);
  if (known?.modified === modified) return known.imports;

  const { module } = parseSync(path, readFileSync(path, "utf8"));
  const specifiers = [
    ...module.staticImports.map((statement) => statement.moduleRequest.value),
    ...module.staticExports.flatMap((statement) => statement.entries.map((entry) => entry.moduleRequest?.value ?? "")),
  ];
  const files = specifiers.filter((specifier) => /^\.{1,2}\//.test(specifier)).map((specifier) => completed(resolve(dirname(path), specifier)));
  const found = files.filter((file) => file !== undefined && isLocal(file)) as string[];
  scanned.set(path, { modified, imports: found });
  return found;
}
