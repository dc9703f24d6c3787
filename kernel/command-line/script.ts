// Runs a script of Node and passes on its exit status; signals that end this process end it first.
import { spawn, type SpawnOptions } from "node:child_process";
import { constants } from "node:os";

/** Resolves with the exit code, or the name of the signal that ended the script on its own. */
export async function runScript(words: readonly string[], options: SpawnOptions = {}): Promise<number | string> {
  // In a group of its own, which one signal reaches with all that the script started.
  const child = spawn(process.execPath, words, { ...options, stdio: ["ignore", "inherit", "inherit"], detached: true });
  let passed: NodeJS.Signals | null = null;
  const pass = (signal: NodeJS.Signals): void => {
    passed = signal;
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, pass);
  const ended = await new Promise<number | string>((resolve, reject) =>
    child.once("exit", (code, signal) => resolve(signal ?? code ?? 1)).once("error", reject),
  );
  for (const signal of signals) process.off(signal, pass);
  return passed === null ? ended : 128 + constants.signals[passed];
}
