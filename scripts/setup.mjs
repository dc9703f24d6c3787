// Brings a checkout to the point where it runs: turns sources into installed packages, programs and a project-local
// .venv. A step whose inputs have not changed since it last succeeded is skipped. Needs Node's own modules only, since
// it runs before anything is installed.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createConnection, createServer } from "node:net";
import { delimiter, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { missing } from "./checks.mjs";

export const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
export const venv = join(root, ".venv");
export const python = join(venv, "bin", "python");
const stamps = join(root, ".cache", "setup");

const jupyterHome = join(root, ".cache", "jupyter");
const jupyterFolders = {
  JUPYTER_CONFIG_DIR: "config",
  JUPYTER_DATA_DIR: "data",
  JUPYTER_RUNTIME_DIR: "runtime",
  IPYTHONDIR: "ipython",
};

/**
 * The environment in which the project's own tools are found first, and Jupyter keeps its files here unless the user
 * has said where.
 */
export const environment = () => ({
  ...Object.fromEntries(Object.entries(jupyterFolders).map(([name, folder]) => [name, join(jupyterHome, folder)])),
  ...process.env,
  PATH: [join(venv, "bin"), join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter),
  VIRTUAL_ENV: venv,
  WARPCELL_PYTHON: python,
});

/** What a shell shows of a command that a signal ended. */
export const statuses = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/**
 * Calls `stop` with each signal that asks this process to end, and when npm has died, which passes no signal on.
 * Returns what takes that back.
 */
export function onSignals(stop) {
  for (const signal of Object.keys(statuses)) process.on(signal, stop);
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.env.npm_lifecycle_event === undefined || process.ppid === parent) return;
    clearInterval(watch);
    stop("SIGTERM");
  }, 500).unref();
  return () => {
    clearInterval(watch);
    for (const signal of Object.keys(statuses)) process.off(signal, stop);
  };
}

/**
 * Runs a command in the root; its output is shown only when it fails. A signal ends it with all that it started, then
 * this process. `variables`: for its environment.
 */
export function quietly(command, args, variables = {}) {
  return new Promise((resolve, reject) => {
    let signals = 0;
    // Before the command starts, which may have done much by the time that this process goes on.
    const forget = onSignals((signal) => {
      if (child.pid !== undefined) process.kill(-child.pid, signals++ === 0 ? "SIGTERM" : "SIGKILL");
      child.once("close", () => process.exit(statuses[signal]));
    });
    // In a group of its own, which one signal reaches as a whole.
    const child = spawn(command, args, {
      cwd: root,
      env: { ...environment(), ...variables },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    child.on("close", forget);
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0
        ? resolve()
        : reject(new Error(`"${[command, ...args].join(" ")}" failed (exit ${code}):\n${output.trim()}`)),
    );
  });
}

const ignored = new Set([
  "node_modules",
  "dist",
  "build",
  "lib-out",
  "labextension",
  "__pycache__",
  "test-results",
  "ui-tests",
]);

function* filesUnder(path) {
  if (!existsSync(path)) return;
  if (statSync(path).isFile()) return yield path;
  for (const name of readdirSync(path).sort()) if (!ignored.has(name)) yield* filesUnder(join(path, name));
}

function fingerprint({ inputs, places = [] }) {
  const hash = createHash("sha256").update([process.version, ...places].join("\0"));
  for (const input of inputs)
    for (const file of filesUnder(join(root, input)))
      hash.update(relative(root, file)).update("\0").update(readFileSync(file)).update("\0");
  return hash.digest("hex");
}

const tsc = join("node_modules", ".bin", "tsc");

const command = join("node_modules", ".bin", "warpcell");

/**
 * What npm does with a package's `bin`, and skips here because the packages are installed before the kernel is built.
 */
function linkCommand() {
  chmodSync(join(root, "kernel", "dist", "main.js"), 0o755);
  rmSync(join(root, command), { force: true });
  symlinkSync(join("..", "warpcell-kernel", "dist", "main.js"), join(root, command));
}

// In order. `outputs` must exist for a step to count as done; a step does not see the stamps of the others, so its
// inputs name all it reads. `places` are the absolute paths that its outputs hold: a folder that was moved, or another
// Node, makes it run again.
const steps = [
  {
    name: "node packages",
    inputs: [
      "package-lock.json",
      "package.json",
      "native/package.json",
      "kernel/package.json",
      "extension/package.json",
    ],
    outputs: ["node_modules/.package-lock.json"],
    run: () => quietly("npm", ["ci", "--no-audit", "--no-fund"]),
  },
  {
    name: "python environment",
    inputs: ["requirements.txt"],
    places: [root],
    outputs: [".venv/bin/python", ".venv/bin/jupyter-lab", ".venv/bin/cmake"],
    run: async () => {
      rmSync(venv, { recursive: true, force: true });
      await quietly(process.env.PYTHON ?? "python3", ["-m", "venv", venv]);
      await quietly(python, [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-r",
        "requirements.txt",
      ]);
    },
  },
  {
    name: "native addon and device program",
    inputs: ["native/CMakeLists.txt", "native/package.json", "native/addon", "native/protocol", "native/engine"],
    outputs: ["native/build/Release/addon.node", "native/build/Release/warpcell-device"],
    run: () => quietly(process.execPath, [join("scripts", "build-native.mjs")]),
  },
  {
    name: "library",
    inputs: ["tsconfig.base.json", "native/tsconfig.json", "native/lib", "scripts/declarations.mjs"],
    outputs: ["native/dist/index.js"],
    run: async () => {
      await quietly(tsc, ["-p", "native"]);
      await quietly(process.execPath, [join("scripts", "declarations.mjs")]);
    },
  },
  {
    name: "kernels of the library",
    inputs: ["native/device", "native/lib", "native/engine", "native/protocol", "scripts/build-kernels.mjs"],
    outputs: ["native/build/Release/kernels"],
    run: () => quietly(process.execPath, [join("scripts", "build-kernels.mjs")]),
  },
  {
    name: "kernel",
    inputs: ["tsconfig.base.json", "kernel", "native/lib", "scripts/declarations.mjs"],
    outputs: ["kernel/dist/main.js", command],
    run: async () => {
      await quietly(tsc, ["-p", "kernel"]);
      linkCommand();
    },
  },
  {
    name: "JupyterLab extension",
    inputs: [
      "extension",
      "kernel/mime.ts",
      "native/lib/payloads.ts",
      "native/lib/payloads-editor.ts",
      "native/lib/payloads-notebook.ts",
      "scripts/install-extension.mjs",
      "requirements.txt",
    ],
    outputs: [".venv/share/jupyter/labextensions/@warpcell/jupyterlab/package.json"],
    run: async () => {
      await quietly("npm", ["run", "build:lib", "-w", "@warpcell/jupyterlab"]);
      await quietly("npm", ["run", "build:labextension", "-w", "@warpcell/jupyterlab"]);
      await quietly(process.execPath, [join("scripts", "install-extension.mjs"), venv]);
    },
  },
  {
    name: "kernelspec",
    inputs: ["kernel", "requirements.txt"],
    places: [root, process.execPath],
    outputs: [".venv/share/jupyter/kernels/warpcell/kernel.json"],
    run: () => quietly(process.execPath, [join("kernel", "dist", "main.js"), "install", "--prefix", venv]),
  },
];

const stampOf = (step) => join(stamps, step.name.replaceAll(" ", "-"));
const isDone = (step, print) =>
  step.outputs.every((output) => existsSync(join(root, output))) &&
  existsSync(stampOf(step)) &&
  readFileSync(stampOf(step), "utf8") === print;

/**
 * Waits until no other process sets this folder up, and returns what lets the next one. The system itself lets go of a
 * holder that is killed.
 */
async function hold(log) {
  const name = `\0warpcell-setup-${createHash("sha256").update(root).digest("hex")}`;
  for (let told = false; ; told = true) {
    const waiters = new Set();
    const holder = createServer((waiter) => waiters.add(waiter.on("error", () => undefined).resume()));
    const error = await new Promise((resolve) => holder.once("error", resolve).listen(name, () => resolve(null)));
    if (error === null) {
      return () => {
        holder.close();
        for (const waiter of waiters) waiter.destroy();
      };
    }
    if (error.code !== "EADDRINUSE") throw error;
    if (!told) log("… waiting for another set-up of this folder");
    // The connection ends, or is refused, when the holder is gone.
    await new Promise((resolve) =>
      createConnection(name)
        .on("error", () => undefined)
        .resume()
        .once("close", resolve),
    );
  }
}

/** Runs every step that is not done. `only`: names of steps to consider. Writes one line per step run to `log`. */
export async function setup({ log = (line) => console.error(line), only } = {}) {
  const sentences = missing();
  if (sentences.length > 0) {
    for (const sentence of sentences) console.error(sentence);
    process.exit(1);
  }
  mkdirSync(stamps, { recursive: true });
  // IPython, which nbclient loads, wants the folder above its own to be there, and warns of a temporary one otherwise.
  mkdirSync(jupyterHome, { recursive: true });
  const release = await hold(log);
  try {
    for (const step of steps) {
      if (only && !only.includes(step.name)) continue;
      const print = fingerprint(step);
      if (isDone(step, print)) continue;
      const started = Date.now();
      log(`… ${step.name}`);
      await step.run();
      writeFileSync(stampOf(step), print);
      log(`✓ ${step.name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
    }
  } finally {
    release();
  }
}
