// `warpcell doctor`: the library's own view of this machine, in a process of its own, since what it looks at may crash.
import { fileURLToPath } from "node:url";
import { Problem } from "../supervisor/problem.ts";
import { runScript } from "./script.ts";

const script = fileURLToPath(new URL("../session/doctor.js", import.meta.url));

/** Prints the report. Returns 1 when no device works. */
export async function doctor(words: readonly string[]): Promise<number> {
  if (words.length > 0) throw new Problem("COMMAND_WORDS", `doctor takes no arguments but got "${words.join(" ")}".`);
  const status = await runScript([script]);
  if (typeof status === "string")
    throw new Problem(
      "KERNEL_ENDED",
      `The process that reports on this machine ended with ${status}, which a broken driver or library can cause. What it printed last says which.`,
    );
  return status;
}
