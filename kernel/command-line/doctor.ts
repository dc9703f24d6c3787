// Turns the library's own view of this machine into a report, in a process of its own: what it looks at may crash. Knows no device.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Problem } from "../supervisor/problem.ts";

const script = fileURLToPath(new URL("../session/doctor.js", import.meta.url));

/** Prints the report. Returns 1 when no device works. */
export async function doctor(words: readonly string[]): Promise<number> {
  if (words.length > 0) throw new Problem("COMMAND_WORDS", `Expected nothing after doctor but got "${words.join(" ")}".`);
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "inherit", "inherit"] });
  const status = await new Promise<number | string>((resolve, reject) => child.once("exit", (code, signal) => resolve(signal ?? code ?? 1)).once("error", reject));
  if (typeof status === "string") throw new Problem("KERNEL_ENDED", `Expected a report on this machine but its process ended with ${status}, as a broken driver or library makes it. What it printed last says which.`);
  return status;
}
