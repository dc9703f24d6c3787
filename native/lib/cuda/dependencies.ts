// The files that a compilation has read: notes what they held, and tells later whether the same compilation would read
// the same again.
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

export interface Dependencies {
  /** Path and SHA-256 of each file. */
  readonly files: readonly (readonly [path: string, hash: string])[];
  /** Where the compiler looks for headers first: what appears there later may hide one of the files. */
  readonly folders: readonly string[];
  /** Files in those folders that could have been meant by an include too, and were not. */
  readonly others: readonly string[];
}

/**
 * What a compilation depends on that began at `started` (milliseconds of the clock) and has read `paths`, also from the
 * folders `searched`; `null` when that cannot be told: a file changed meanwhile, or one outside of the compiler's own
 * folders, `systems`, asks by `__has_include` for files that may not be there.
 */
export function dependenciesOf(
  paths: readonly string[],
  searched: readonly string[],
  systems: readonly string[],
  started: number,
): Dependencies | null {
  const files: [string, string][] = [];
  const folders = new Set(searched);
  for (const path of [...new Set(paths)].sort()) {
    const stat = statSync(path, { throwIfNoEntry: false });
    // `started` is a whole number; the compiler takes longer than a millisecond to begin.
    if (stat === undefined || stat.mtimeMs >= started + 1 || stat.ctimeMs >= started + 1) return null;
    const bytes = readFileSync(path);
    files.push([path, hashOf(bytes)]);
    // The compiler's own headers ask for each other; their answers come with its version.
    if (systems.some((folder) => path.startsWith(`${folder}/`))) continue;
    if (probes(bytes.toString("latin1"))) return null;
    folders.add(dirname(path));
  }
  return { files, folders: [...folders], others: others(files, folders) };
}

/** Whether all files still hold what they held, and no other one has come to stand before them. */
export function areCurrent({ files, folders, others: known }: Dependencies): boolean {
  try {
    return (
      files.every(([path, hash]) => hashOfFile(path) === hash) && others(files, folders).join("\0") === known.join("\0")
    );
  } catch {
    // One is gone, or cannot be read any more.
    return false;
  }
}

/** Whether text asks the preprocessor if a file exists, and so depends on one that no compiler lists. */
export function probes(text: string): boolean {
  return text.replace(/\\\r?\n/g, "").includes("__has_include");
}

/** What files held, by their paths, and the times and the size that they had then. */
const hashes = new Map<string, { readonly stamp: string; readonly hash: string }>();
/** A file that changed so little ago may change again without its times telling. */
const settledMilliseconds = 2000;

/** The C++ library has some hundred headers, which are read once as long as they stay. */
function hashOfFile(path: string): string {
  const { mtimeMs, ctimeMs, size, ino } = statSync(path);
  const stamp = [mtimeMs, ctimeMs, size, ino].join();
  const known = hashes.get(path);
  if (known?.stamp === stamp) return known.hash;
  const hash = hashOf(readFileSync(path));
  if (Date.now() - Math.max(mtimeMs, ctimeMs) > settledMilliseconds) hashes.set(path, { stamp, hash });
  return hash;
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * Files that exist in `folders` under the end of the path of one of `files` ("a.h", "sub/a.h"), without those
 * themselves.
 */
function others(files: Dependencies["files"], folders: Iterable<string>): string[] {
  const own = new Set(files.map(([path]) => path));
  const found = new Set<string>();
  for (const folder of folders) {
    for (const path of own) {
      const parts = relative("/", path).split(sep);
      for (let length = 1; length <= Math.min(parts.length, 5); length++) {
        const candidate = join(folder, ...parts.slice(-length));
        if (!own.has(candidate) && statSync(candidate, { throwIfNoEntry: false })?.isFile() === true)
          found.add(candidate);
      }
    }
  }
  return [...found].sort();
}
