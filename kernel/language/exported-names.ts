// The names that a module exports, read from its text: nothing of it runs.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseSync } from "./parser.ts";

/** Of the module at a `file:` URL, and of those whose names it passes on. Throws what reading throws. */
export function exportedNames(url: URL): Set<string> {
  const names = new Set<string>();
  const { module } = parseSync("module.js", readFileSync(fileURLToPath(url), "utf8"), { sourceType: "module" });
  for (const { exportName, moduleRequest } of module.staticExports.flatMap(({ entries }) => entries)) {
    if (exportName.name !== null) names.add(exportName.name);
    else if (moduleRequest !== null)
      for (const name of exportedNames(new URL(moduleRequest.value, url))) names.add(name);
  }
  return names;
}
