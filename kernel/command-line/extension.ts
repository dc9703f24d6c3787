// Copies the built JupyterLab extension to where a JupyterLab finds it.
import { cpSync, existsSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeReadable, makeReadableFolder } from "./readable-files.ts";

export const builtExtension = fileURLToPath(new URL("../../../extension/labextension", import.meta.url));

/**
 * Puts the extension of `from` below one of Jupyter's data directories, in place of an earlier one. Returns its folder;
 * `null` when none is built.
 */
export function copyExtension(dataDirectory: string, from = builtExtension): string | null {
  if (!existsSync(join(from, "package.json"))) return null;
  const { name } = JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as { name: string };
  const target = join(dataDirectory, "labextensions", name);
  makeReadableFolder(dirname(target));
  // A link to the build, as developers have it, is newer than any copy.
  if (from === builtExtension && existsSync(target) && realpathSync(target) === realpathSync(from)) return target;
  // A server that reads the folder meanwhile sees the old extension or the new one, never half of one.
  const staged = `${target}.${process.pid}`;
  cpSync(from, staged, { recursive: true });
  writeFileSync(
    join(staged, "install.json"),
    `${JSON.stringify({ packageManager: "npm", packageName: name, uninstallInstructions: `Remove the folder ${target}` }, null, 2)}\n`,
  );
  makeReadable(staged);
  rmSync(target, { recursive: true, force: true });
  renameSync(staged, target);
  return target;
}
