// Turns the word bench into the device benchmark of a checkout or of an unpacked bundle, one JSON object per figure on stdout. Knows no device.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Problem } from "../supervisor/problem.ts";

const script = fileURLToPath(new URL("../../../test/bench/device.mjs", import.meta.url));

/** Runs the benchmark and returns its status. */
export async function bench(words: readonly string[]): Promise<number> {
  if (words.length > 0) throw new Problem("COMMAND_WORDS", `Expected nothing after bench but got "${words.join(" ")}".`);
  if (!existsSync(script)) throw new Problem("TESTS_MISSING", `Expected the device benchmark at ${script} but it is not there. Use a checkout of the repository or its offline bundle, which have it.`);
  const child = spawn(process.execPath, ["--expose-gc", script], { stdio: ["ignore", "inherit", "inherit"] });
  return new Promise((resolve, reject) => child.once("exit", (code) => resolve(code ?? 1)).once("error", reject));
}
