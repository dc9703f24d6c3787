// `warpcell test`: runs the device tests on exactly the devices that are named, in the checkout as in an unpacked
// bundle.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Problem } from "../supervisor/problem.ts";
import { runScript } from "./script.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const vitest = fileURLToPath(new URL("../../../node_modules/vitest/vitest.mjs", import.meta.url));
const tests = fileURLToPath(new URL("../../../test/device", import.meta.url));
const deviceCheck = fileURLToPath(new URL("../session/requests/device-check.js", import.meta.url));

// By the word a user types: what WARPCELL_TEST_DEVICES calls it and what the library does. In the order in which the
// tests take them.
const devices: Record<string, { test: string; device: string }> = {
  cpu: { test: "cpu", device: "cpu" },
  gpu: { test: "cuda", device: "cuda:0" },
};

/**
 * Runs the tests on the named devices and returns vitest's status. A device that does not work here is a `Problem`: its
 * tests are never passed over.
 */
export async function test(words: readonly string[]): Promise<number> {
  const unknown = words.find((word) => !Object.hasOwn(devices, word));
  if (words.length === 0 || unknown !== undefined)
    throw new Problem(
      "COMMAND_WORDS",
      `test takes ${Object.keys(devices).join(" or ")} but got ${unknown === undefined ? "nothing" : `"${unknown}"`}.`,
    );
  if (!existsSync(vitest) || !existsSync(tests))
    throw new Problem(
      "TESTS_MISSING",
      `The device tests and vitest are not in ${root}. Use a checkout of the repository or its offline bundle, which have both.`,
    );

  const named = Object.entries(devices)
    .filter(([word]) => words.includes(word))
    .map(([, names]) => names);
  const checked = await status([deviceCheck, ...named.map(({ device }) => device)]);
  if (checked !== 0) return checked;
  // Files named after the CPU are about it alone; those named after CUDA see for themselves.
  const others = words.includes("cpu") ? [] : ["--exclude", "test/device/cpu-*.test.ts"];
  // Nothing is written beside the config or the packages: an installation may be read-only.
  return status([vitest, "run", "--root", root, "--configLoader", "runner", "--no-cache", ...others, "test/device/"], {
    WARPCELL_TEST_DEVICES: named.map(({ test }) => test).join(","),
  });
}

async function status(script: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<number> {
  const ended = await runScript(script, { cwd: root, env: { ...process.env, ...environment } });
  return typeof ended === "number" ? ended : 1;
}
