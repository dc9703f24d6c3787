// Finds which files behind a cell's relative imports changed on disk since they were last looked at.
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** How a file changed: `FileChangeType` of the Language Server Protocol 3.17. */
export interface FileChange {
  path: string;
  type: 1 | 2 | 3;
}

interface Seen {
  modified: number;
  imports: string[];
}

const relativeImport = /(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\()\s*["'](\.{1,2}\/[^"']+)["']/g;

/** What `./name` may stand for; a specifier that ends in .js may mean its TypeScript source. */
const endings = ["", ".ts", ".mts", ".d.ts", ".js", ".mjs", ".json", "/index.ts", "/index.js"];

/** Remembers the files that cells import, and those that they import, with the time of their last change. */
export class LocalFiles {
  readonly #directory: string;
  readonly #seen = new Map<string, Seen>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Files that came, changed or went since the last call, among those that the code leads to. */
  changes(code: string): FileChange[] {
    const changes: FileChange[] = [];
    const wanted = new Set(candidates(this.#directory, code));
    for (const path of wanted) {
      const change = this.#look(path);
      if (change !== null) changes.push(change);
      // A set hands out what is added while it is walked.
      for (const imported of this.#seen.get(path)?.imports ?? []) wanted.add(imported);
    }
    return changes;
  }

  #look(path: string): FileChange | null {
    const known = this.#seen.get(path);
    const status = existsSync(path) ? statSync(path) : null;
    if (status === null || !status.isFile()) return this.#seen.delete(path) ? { path, type: 3 } : null;
    if (known?.modified === status.mtimeMs) return null;

    const imports = path.endsWith(".json") ? [] : candidates(dirname(path), readFileSync(path, "utf8"));
    this.#seen.set(path, { modified: status.mtimeMs, imports });
    return { path, type: known === undefined ? 1 : 2 };
  }
}

function candidates(directory: string, code: string): string[] {
  return [...code.matchAll(relativeImport)].flatMap(([, specifier]) => {
    const path = join(directory, specifier!);
    return [...endings.map((ending) => path + ending), path.replace(/\.(m?)js$/, ".$1ts")];
  });
}
