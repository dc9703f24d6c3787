// Turns the death of the process that started the kernel into one call, so that nothing of ours outlives it. Knows no kernel.

/** How often the parent is looked for, in ms. */
const interval = 500;

/**
 * Calls `gone` once when the parent has died. A dead parent's children are handed to another process, whichever that is, so a new parent
 * is the sign, not parent 1. `JPY_PARENT_PID` names the client when a launcher stands between it and the kernel.
 */
export function watchParent(gone: () => void): void {
  const parent = process.ppid;
  const named = Number(process.env["JPY_PARENT_PID"] ?? 0);
  // A number from another process namespace says nothing here.
  const client = named > 1 && alive(named) ? named : null;

  const timer = setInterval(() => {
    if (process.ppid === parent && (client === null || alive(client))) return;
    clearInterval(timer);
    gone();
  }, interval);
  timer.unref();
}

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It lives, under another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
