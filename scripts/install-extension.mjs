// Installs the built JupyterLab extension below a Python prefix: `node scripts/install-extension.mjs PREFIX [--link]`.
// Copies, or links for development.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { builtExtension as built, copyExtension } from "../kernel/dist/command-line/extension.js";

/** Puts the extension where the JupyterLab of `prefix` finds it, in place of an earlier one. Returns that folder. */
export function installExtension(prefix, { link = false, from = built } = {}) {
  if (!existsSync(join(from, "package.json")))
    throw new Error(
      `There is no built extension in ${from}. Run "npm run build:labextension -w @warpcell/jupyterlab".`,
    );
  const data = join(resolve(prefix), "share", "jupyter");
  if (!link) return copyExtension(data, from);
  const { name } = JSON.parse(readFileSync(join(from, "package.json"), "utf8"));
  const target = join(data, "labextensions", name);
  mkdirSync(dirname(target), { recursive: true });
  rmSync(target, { recursive: true, force: true });
  symlinkSync(from, target);
  return target;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [prefix] = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
  try {
    if (!prefix) throw new Error("Name a Python prefix. Usage: node scripts/install-extension.mjs PREFIX [--link]");
    console.log(installExtension(prefix, { link: process.argv.includes("--link") }));
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
