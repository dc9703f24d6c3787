// Finds the folder a package is installed in, as seen from this file.
import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(import.meta.url);

/** The real path of an installed package's folder, or `null` when it is not installed. Its `exports` do not matter. */
export function packageFolder(name: string): string | null {
  for (const folder of require.resolve.paths(name) ?? []) {
    const candidate = join(folder, name);
    if (existsSync(join(candidate, "package.json"))) return realpathSync(candidate);
  }
  return null;
}
