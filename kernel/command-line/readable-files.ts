// Makes folders and files that every user can read, whatever the umask: what root installs is for others.
import { chmodSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Makes a folder with all above it that are missing. */
export function makeReadableFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true });
  if (first !== undefined) makeReadable(first);
}

/** Lets everyone read a file, or all that a folder holds. */
export function makeReadable(path: string): void {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return;
  chmodSync(path, stat.isDirectory() ? 0o755 : 0o644);
  if (stat.isDirectory()) for (const name of readdirSync(path)) makeReadable(join(path, name));
}
