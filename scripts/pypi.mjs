// Brings packages from PyPI into a folder of .cache, where they are not there yet: whole or not at all.
import { existsSync, mkdtempSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { python, quietly, root } from "./setup.mjs";

/**
 * The folder with the packages ("name==version"), below `.cache/PURPOSE`; `file`: one of theirs, by which they are
 * known to be there.
 */
export async function obtainPackages(purpose, packages, file) {
  const home = join(root, ".cache", purpose);
  const folder = join(home, packages.join("+").replaceAll("==", "-"));
  if (existsSync(join(folder, file))) return folder;
  mkdirSync(home, { recursive: true });
  const part = mkdtempSync(join(home, ".part-"));
  try {
    await quietly(python, [
      "-m",
      "pip",
      "install",
      "--quiet",
      "--disable-pip-version-check",
      "--no-deps",
      "--only-binary=:all:",
      "--target",
      part,
      ...packages,
    ]);
    rmSync(folder, { recursive: true, force: true });
    renameSync(part, folder);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
  return folder;
}
