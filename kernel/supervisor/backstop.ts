// Writes a line on stderr for an error that nobody caught, and lets the kernel go on: cells wait for it, and its
// session holds their variables.

/**
 * What Node throws while it reads a session's channel comes from no code of this process: `misused` hears of it. Any
 * other error is a mistake of the kernel, whose stack is worth a report.
 */
export function goOnAfterErrors(misused: (error: unknown) => void): void {
  process.on("uncaughtException", (error: unknown) => {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    if (/^\s+at .*node:internal\/child_process/m.test(stack)) misused(error);
    else process.stderr.write(`warpcell: the kernel continues after an internal error; please report it: ${stack}\n`);
  });
}
