// Brings a checkout to the point where it runs: turns sources into installed packages, programs and a project-local .venv. A step whose inputs have not changed
// since it last succeeded is skipped. Needs Node's own modules only, since it runs before anything is installed.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { missing } from "./checks.mjs";

export const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
export const venv = join(root, ".venv");
export const python = join(venv, "bin", "python");
const stamps = join(root, ".cache", "setup");

/** The environment in which the project's own tools are found first. */
export const environment = () => ({ ...process.env, PATH: [join(venv, "bin"), join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter), VIRTUAL_ENV: venv, WARPCELL_PYTHON: python });

/** Runs a command in the root; its output is shown only when it fails. */
function quietly(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env: environment(), stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`"${[command, ...args].join(" ")}" failed (exit ${code}):\n${output.trim()}`))));
  });
}

const ignored = new Set(["node_modules", "dist", "build", "lib-out", "labextension", "__pycache__", "test-results", "ui-tests"]);

function* filesUnder(path) {
  if (!existsSync(path)) return;
  if (statSync(path).isFile()) return yield path;
  for (const name of readdirSync(path).sort()) if (!ignored.has(name)) yield* filesUnder(join(path, name));
}

function fingerprint(inputs) {
  const hash = createHash("sha256").update(process.version);
  for (const input of inputs) for (const file of filesUnder(join(root, input))) hash.update(relative(root, file)).update("\0").update(readFileSync(file)).update("\0");
  return hash.digest("hex");
}

const tsc = join("node_modules", ".bin", "tsc");

const command = join("node_modules", ".bin", "warpcell");

/** What npm does with a package's `bin`, and skips here because the packages are installed before the kernel is built. */
function linkCommand() {
  chmodSync(join(root, "kernel", "dist", "main.js"), 0o755);
  rmSync(join(root, command), { force: true });
  symlinkSync(join("..", "warpcell-kernel", "dist", "main.js"), join(root, command));
}

// In order. `outputs` must exist for a step to count as done; a step does not see the stamps of the others, so its inputs name all it reads.
const steps = [
  { name: "node packages", inputs: ["package-lock.json", "package.json", "native/package.json", "kernel/package.json", "extension/package.json"], outputs: ["node_modules/.package-lock.json"],
    run: () => quietly("npm", ["ci", "--no-audit", "--no-fund"]) },
  { name: "python environment", inputs: ["requirements.txt"], outputs: [".venv/bin/jupyter-lab", ".venv/bin/cmake"],
    run: async () => {
      rmSync(venv, { recursive: true, force: true });
      await quietly(process.env.PYTHON ?? "python3", ["-m", "venv", venv]);
      await quietly(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", "requirements.txt"]);
    } },
  { name: "native addon and device program", inputs: ["native/CMakeLists.txt", "native/package.json", "native/addon", "native/protocol", "native/engine"], outputs: ["native/build/Release/addon.node", "native/build/Release/warpcell-device"],
    run: () => quietly(process.execPath, [join("scripts", "build-native.mjs")]) },
  { name: "library", inputs: ["tsconfig.base.json", "native/tsconfig.json", "native/lib"], outputs: ["native/dist/index.js"], run: () => quietly(tsc, ["-p", "native"]) },
  { name: "kernel", inputs: ["tsconfig.base.json", "kernel", "native/lib"], outputs: ["kernel/dist/main.js", command],
    run: async () => {
      await quietly(tsc, ["-p", "kernel"]);
      linkCommand();
    } },
  { name: "JupyterLab extension", inputs: ["extension", "kernel/mime.ts", "scripts/install-extension.mjs", "requirements.txt"], outputs: [".venv/share/jupyter/labextensions/@warpcell/jupyterlab/package.json"],
    run: async () => {
      await quietly("npm", ["run", "build:lib", "-w", "@warpcell/jupyterlab"]);
      await quietly("npm", ["run", "build:labextension", "-w", "@warpcell/jupyterlab"]);
      await quietly(process.execPath, [join("scripts", "install-extension.mjs"), venv]);
    } },
  { name: "kernelspec", inputs: ["kernel", "requirements.txt"], outputs: [".venv/share/jupyter/kernels/warpcell/kernel.json"],
    run: () => quietly(process.execPath, [join("kernel", "dist", "main.js"), "install", "--prefix", venv]) },
];

const stampOf = (step) => join(stamps, step.name.replaceAll(" ", "-"));
const isDone = (step, print) => step.outputs.every((output) => existsSync(join(root, output))) && existsSync(stampOf(step)) && readFileSync(stampOf(step), "utf8") === print;

/** Runs every step that is not done. `only`: names of steps to consider. Writes one line per step run to `log`. */
export async function setup({ log = (line) => console.error(line), only } = {}) {
  const sentences = missing();
  if (sentences.length > 0) {
    for (const sentence of sentences) console.error(sentence);
    process.exit(1);
  }
  mkdirSync(stamps, { recursive: true });
  for (const step of steps) {
    if (only && !only.includes(step.name)) continue;
    const print = fingerprint(step.inputs);
    if (isDone(step, print)) continue;
    const started = Date.now();
    log(`… ${step.name}`);
    await step.run();
    writeFileSync(stampOf(step), print);
    log(`✓ ${step.name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  }
}
