// Builds addon.node and warpcell-device with cmake-js.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { delimiter, join } from "node:path";

const root = fileURLToPath(new URL("..", import.meta.url));
const cmakeJs = createRequire(import.meta.url).resolve("cmake-js/bin/cmake-js");

/**
 * Runs cmake-js on native/. `config` is Release or Debug; `folder`: in place of native/build; `sanitizers`: what
 * -fsanitize= takes. Throws with the compiler's output when it fails.
 */
export function buildNative(config = "Release", { folder, sanitizers } = {}) {
  const path = join(root, ".venv", "bin") + delimiter + process.env.PATH;
  const result = spawnSync(
    process.execPath,
    [
      cmakeJs,
      "compile",
      "--directory",
      join(root, "native"),
      "--config",
      config,
      "--parallel",
      String(availableParallelism()),
      ...(folder === undefined ? [] : ["--out", folder]),
      ...(sanitizers === undefined ? [] : [`--CDWARPCELL_SANITIZE=${sanitizers}`]),
    ],
    { encoding: "utf8", env: { ...process.env, PATH: path } },
  );
  if (result.status !== 0)
    throw new Error(`The native build failed (cmake-js, exit ${result.status}):\n${result.stdout}\n${result.stderr}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildNative(process.argv[2]);
