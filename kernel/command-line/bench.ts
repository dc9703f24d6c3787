// `warpcell bench`: the device benchmark of a checkout or of an unpacked bundle, one JSON object per figure on stdout.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Problem } from "../supervisor/problem.ts";
import { runScript } from "./script.ts";

const script = fileURLToPath(new URL("../../../test/bench/device.mjs", import.meta.url));

/** Runs the benchmark and returns its status. */
export async function bench(words: readonly string[]): Promise<number> {
  if (words.length > 0) throw new Problem("COMMAND_WORDS", `bench takes no arguments but got "${words.join(" ")}".`);
  if (!existsSync(script))
    throw new Problem(
      "TESTS_MISSING",
      `The device benchmark is not at ${script}. Use a checkout of the repository or its offline bundle, which have it.`,
    );
  const ended = await runScript(["--expose-gc", script]);
  return typeof ended === "number" ? ended : 1;
}
