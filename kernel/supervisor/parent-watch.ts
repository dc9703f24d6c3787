// Notices the death of the process that started the kernel, so that nothing of ours outlives it.

import { readlinkSync } from "node:fs";

/**
 * The process namespace of the one who set `JPY_PARENT_PID`: where it is this process's own, a number that nobody has
 * is that of a client which has died.
 */
export const namespaceVariable = "WARPCELL_PID_NAMESPACE";

/** How often the parent is looked for, in ms. */
const interval = 500;

/**
 * Calls `gone` once when the parent has died. A dead parent's children are handed to another process, whichever that
 * is, so a new parent is the sign, not parent 1. `JPY_PARENT_PID` names the client when a launcher stands between it
 * and the kernel, or when it died before the kernel could look.
 */
export function watchParent(gone: () => void): void {
  const parent = process.ppid;
  const named = Number(process.env["JPY_PARENT_PID"] ?? 0);
  // A number from another process namespace says nothing here.
  const namespace = process.env[namespaceVariable];
  const client =
    named > 1 && ((namespace !== undefined && namespace === processNamespace()) || alive(named)) ? named : null;

  const timer = setInterval(() => {
    if (process.ppid === parent && (client === null || alive(client))) return;
    clearInterval(timer);
    gone();
  }, interval);
  timer.unref();
}

/** The name of this process's namespace of process numbers; `undefined` where there is no such thing. */
export function processNamespace(): string | undefined {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch (error) {
    if (["ENOENT", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It lives, under another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
