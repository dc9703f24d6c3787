// Brings what benchmarks run against: turns a list of Python packages into an environment of their own, .cache/rivals,
// once. It is no part of the project.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { quietly, root } from "./setup.mjs";

const folder = join(root, ".cache", "rivals");
export const rivalPython = join(folder, "bin", "python");
const stamp = join(folder, "packages.txt");

/**
 * NumPy always; JAX, whose wheels take 100 MB, when WARPCELL_BENCH_JAX is 1, PyTorch, whose take more, when
 * WARPCELL_BENCH_TORCH is 1. PyTorch for a GPU is the user's own.
 */
const packages = () => [
  "numpy>=2,<3",
  ...(process.env.WARPCELL_BENCH_JAX === "1" ? ["jax[cpu]>=0.4,<1"] : []),
  ...(process.env.WARPCELL_BENCH_TORCH === "1" ? ["torch>=2.7,<3"] : []),
];

/**
 * Makes the environment unless it is there with these packages. Where that cannot be done, the benchmark runs without
 * it, and the reason is said.
 */
export async function rivals(log = console.error) {
  const wanted = packages();
  const found = existsSync(stamp) && existsSync(rivalPython) ? readFileSync(stamp, "utf8").split("\n") : [];
  if (wanted.every((each) => found.includes(each))) return;
  const names = wanted.map((each) => /^\w+/.exec(each)[0]).join(" and ");
  log(
    `… ${names} for comparison, in .cache/rivals${wanted.length === 1 ? " (JAX and PyTorch too with WARPCELL_BENCH_JAX=1 and WARPCELL_BENCH_TORCH=1)" : ""}`,
  );
  try {
    rmSync(folder, { recursive: true, force: true });
    await quietly(process.env.PYTHON ?? "python3", ["-m", "venv", folder]);
    await quietly(rivalPython, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...wanted]);
    writeFileSync(stamp, wanted.join("\n"));
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    log(
      `No rival was installed: ${error.message}\nThe benchmark runs without, or with a Python that has NumPy: name it in WARPCELL_RIVAL_PYTHON.`,
    );
  }
}
