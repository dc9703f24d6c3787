// The set-up of a checkout, with stand-ins for npm, Python and the compilers that only write what the real ones would:
// which steps run, when again, and how they end.
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { runs, until } from "./helpers/kernel.ts";

const scripts = fileURLToPath(new URL("../scripts", import.meta.url));
const everything = [
  "node packages",
  "python environment",
  "native addon and device program",
  "library",
  "kernels of the library",
  "kernel",
  "JupyterLab extension",
  "kernelspec",
];

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}

/** Writes the files named after `--`, as a stand-in for a tool's work. */
const writing = (...files: string[]) =>
  files
    .map((file) => `mkdir -p "$(dirname "${file}")" && echo '#!/bin/sh' > "${file}" && chmod 755 "${file}"`)
    .join("\n");

/** A folder with the real scripts and stand-ins. */
function checkout(): { folder: string; npmOf(text: string): void } {
  const parent = mkdtempSync(join(tmpdir(), "warpcell-setup-"));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const folder = join(parent, "checkout"),
    tools = join(parent, "tools");
  for (const name of ["setup.mjs", "build.mjs", "checks.mjs"])
    cpSync(join(scripts, name), join(folder, "scripts", name));

  const tsc = `#!/bin/sh\nmkdir -p "$2/dist"\necho "import { mkdirSync, writeFileSync } from 'node:fs'; import { join } from 'node:path'; const at = join(process.argv[4], 'share/jupyter/kernels/warpcell'); mkdirSync(at, { recursive: true }); writeFileSync(join(at, 'kernel.json'), process.argv[1]);" | tee "$2/dist/main.js" > "$2/dist/index.js"\n`;
  const npm = `case "$1" in ci) mkdir -p node_modules/.bin; ln -sfn ../kernel node_modules/warpcell-kernel; ${writing("node_modules/.package-lock.json")}\ncat > node_modules/.bin/tsc <<'END'\n${tsc}END\nchmod 755 node_modules/.bin/tsc ;; esac\n`;
  const npmOf = (text: string): void => write(join(tools, "npm"), `#!/bin/sh\n${text}`);
  npmOf(npm);
  write(
    join(tools, "python3"),
    `#!/bin/sh\ncase "$1" in -c) echo 3 12 ;; -m) ${writing("$3/bin/python", "$3/bin/jupyter-lab", "$3/bin/cmake")} ;; esac\n`,
  );
  write(join(folder, "kernel", "package.json"), '{"type": "module"}');
  write(
    join(folder, "scripts", "build-native.mjs"),
    `import { mkdirSync, writeFileSync } from "node:fs"; mkdirSync("native/build/Release", { recursive: true }); for (const name of ["addon.node", "warpcell-device"]) writeFileSync(\`native/build/Release/\${name}\`, "");`,
  );
  write(join(folder, "scripts", "declarations.mjs"), "");
  write(
    join(folder, "scripts", "build-kernels.mjs"),
    `import { mkdirSync } from "node:fs"; mkdirSync("native/build/Release/kernels", { recursive: true });`,
  );
  write(
    join(folder, "scripts", "install-extension.mjs"),
    `import { mkdirSync, writeFileSync } from "node:fs"; const at = \`\${process.argv[2]}/share/jupyter/labextensions/@warpcell/jupyterlab\`; mkdirSync(at, { recursive: true }); writeFileSync(\`\${at}/package.json\`, "{}");`,
  );
  return { folder, npmOf };
}

function build(folder: string) {
  const child = spawn(process.execPath, [join(folder, "scripts", "build.mjs")], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, PYTHON: undefined, PATH: `${join(folder, "..", "tools")}:${process.env["PATH"]}` },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const ended = new Promise<number | string>((resolve) =>
    child.once("close", (code, signal) => resolve(signal ?? code!)),
  );
  return { child, ended, text: () => text, ran: () => [...text.matchAll(/^✓ (.*) \(/gm)].map(([, name]) => name) };
}

function endsWithTest(pid: number): void {
  onTestFinished(async () => {
    if (await runs(pid)) process.kill(pid, "SIGKILL");
  });
}

async function built(folder: string): Promise<(string | undefined)[]> {
  const { ended, text, ran } = build(folder);
  expect(await ended, text()).toBe(0);
  return ran();
}

test("a second set-up skips what is done", async () => {
  const { folder } = checkout();
  expect(await built(folder)).toEqual(everything);
  expect(await built(folder)).toEqual([]);
});

test("IPython has its folder from the first run on, and warns of nothing", async () => {
  const { folder } = checkout();
  await built(folder);
  const { environment } = (await import(join(folder, "scripts", "setup.mjs"))) as { environment(): NodeJS.ProcessEnv };
  const python = process.env["WARPCELL_PYTHON"] ?? join(scripts, "..", ".venv", "bin", "python");
  const program = "from IPython.paths import get_ipython_dir; print(get_ipython_dir())";
  const { stdout, stderr } = spawnSync(python, ["-W", "error", "-c", program], {
    encoding: "utf8",
    env: { ...environment(), IPYTHONDIR: join(folder, ".cache", "jupyter", "ipython") },
  });
  expect({ stdout, stderr }).toEqual({ stdout: `${join(folder, ".cache", "jupyter", "ipython")}\n`, stderr: "" });
});

test("what holds absolute paths is made again where the folder was moved", async () => {
  const { folder } = checkout();
  await built(folder);
  const moved = join(folder, "..", "moved");
  renameSync(folder, moved);
  expect(await built(moved)).toEqual(["python environment", "JupyterLab extension", "kernelspec"]);
  expect(readFileSync(join(moved, ".venv/share/jupyter/kernels/warpcell/kernel.json"), "utf8")).toBe(
    join(moved, "kernel", "dist", "main.js"),
  );
});

test("an environment whose Python is gone is made again", async () => {
  const { folder } = checkout();
  await built(folder);
  rmSync(join(folder, ".venv", "bin", "python"));
  expect(await built(folder)).toContain("python environment");
});

test("of two set-ups at once the second waits, and finds all done", async () => {
  const { folder, npmOf } = checkout();
  const npm = readFileSync(join(folder, "..", "tools", "npm"), "utf8");
  npmOf(`touch npm-runs; until [ -e go ]; do sleep 0.01; done\n${npm}`);
  const first = build(folder);
  await until(() => existsSync(join(folder, "npm-runs")));
  const second = build(folder);
  await until(() => second.text().includes("waiting for another set-up of this folder"));
  writeFileSync(join(folder, "go"), "");
  expect(await Promise.all([first.ended, second.ended])).toEqual([0, 0]);
  expect([first.ran(), second.ran()]).toEqual([everything, []]);
});

test("a set-up that waits goes on when the other one is killed", async () => {
  const { folder, npmOf } = checkout();
  const npm = readFileSync(join(folder, "..", "tools", "npm"), "utf8");
  npmOf(`[ -e npm-pid ] || { echo $$ > npm-pid; exec sleep 1000; }\n${npm}`);
  const first = build(folder);
  await until(() => existsSync(join(folder, "npm-pid")) && readFileSync(join(folder, "npm-pid"), "utf8") !== "");
  const stuck = Number(readFileSync(join(folder, "npm-pid"), "utf8"));
  endsWithTest(stuck);
  const second = build(folder);
  await until(() => second.text().includes("waiting for another set-up of this folder"));
  first.child.kill("SIGKILL");
  expect(await second.ended).toBe(0);
  expect(second.ran()).toEqual(everything);
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s ends a set-up with all that it started; the next one does the step again", async (signal, status) => {
  const { folder, npmOf } = checkout();
  const npm = readFileSync(join(folder, "..", "tools", "npm"), "utf8");
  npmOf("sleep 1000 & echo $! > npm-child; wait\n");
  const { child, ended } = build(folder);
  await until(() => existsSync(join(folder, "npm-child")) && readFileSync(join(folder, "npm-child"), "utf8") !== "");
  const grandchild = Number(readFileSync(join(folder, "npm-child"), "utf8"));
  endsWithTest(grandchild);
  child.kill(signal);
  expect(await ended).toBe(status);
  await until(async () => !(await runs(grandchild)));
  npmOf(npm);
  expect(await built(folder)).toEqual(everything);
});
