// Runs the browser tests: `node extension/ui-tests/run.mjs [playwright arguments]`. Sets up a JupyterLab that sees
// nothing of the user's, with the built extension and the kernels under test, has Playwright drive it, and ends with
// `N passed, N failed`. Variables name other parts than the checkout's:
//
//     WARPCELL_PYTHON    the Python whose JupyterLab is tested; .venv/bin/python without it
//     CHROMIUM           the browser; /usr/bin/chromium without it
//     WARPCELL_COMMAND   the kernel's command line program; kernel/dist/main.js without it
//     WARPCELL_SHOTS     a folder that keeps the screenshots
//     WARPCELL_UI_TESTS  the folder of the tests; tests without it, bench has the figures of `npm run bench -- screen`
//     WARPCELL_UI_PACKAGES  a folder of more packages for that Python, with their extensions of JupyterLab
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "..", "..");
const python = process.env.WARPCELL_PYTHON ?? join(root, ".venv", "bin", "python");
const chromium = process.env.CHROMIUM ?? "/usr/bin/chromium";
const command = process.env.WARPCELL_COMMAND ?? join(root, "kernel", "dist", "main.js");
const packages = process.env.WARPCELL_UI_PACKAGES === undefined ? [] : [process.env.WARPCELL_UI_PACKAGES];
const playwright = createRequire(import.meta.url).resolve("@playwright/test/cli");

/** What must be there, with the way to get it. */
const needs = [
  [python, `There is no Python with JupyterLab at ${python}. Run "npm run build", or name one in WARPCELL_PYTHON.`],
  [chromium, `There is no Chromium at ${chromium}. Run "apt-get install chromium", or name one in CHROMIUM.`],
  [command, `There is no built kernel at ${command}. Run "npm run build".`],
];

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** A kernel of Python that sends what a test tells it to, where the real one would never send it. */
function installScriptedKernel(prefix) {
  const folder = join(prefix, "share", "jupyter", "kernels", "scripted");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "kernel.json"),
    JSON.stringify({
      argv: [python, join(here, "scripted_kernel.py"), "-f", "{connection_file}"],
      display_name: "Scripted gauges",
      language: "python",
    }),
  );
}

/** The extension comes with the kernel. */
function installKernel(prefix) {
  const result = spawnSync(process.execPath, [command, "install", "--prefix", prefix], { encoding: "utf8" });
  if (result.status !== 0)
    throw new Error(`"warpcell install" ended with ${result.status}:\n${result.stdout}${result.stderr}`);
}

function environmentIn(folder, port) {
  const prefix = join(folder, "prefix");
  const inside = (name) => {
    mkdirSync(join(folder, name), { recursive: true });
    return join(folder, name);
  };
  return {
    ...process.env,
    // As where this Python is activated: cells of CUDA are formatted by a program beside it.
    PATH: [dirname(python), process.env.PATH].join(delimiter),
    HOME: inside("home"),
    TMPDIR: inside("tmp"),
    XDG_CACHE_HOME: inside("cache"),
    JUPYTER_CONFIG_DIR: inside("config"),
    JUPYTER_DATA_DIR: inside("data"),
    JUPYTER_RUNTIME_DIR: inside("runtime"),
    JUPYTERLAB_GALATA_ROOT_DIR: inside("root"),
    JUPYTER_PATH: [join(prefix, "share", "jupyter"), ...packages.map((each) => join(each, "share", "jupyter"))].join(
      delimiter,
    ),
    JUPYTER_CONFIG_PATH: packages.map((each) => join(each, "etc", "jupyter")).join(delimiter),
    PYTHONPATH: packages.join(delimiter),
    WARPCELL_PYTHON: python,
    WARPCELL_UI_PORT: String(port),
    WARPCELL_UI_REPORT: join(folder, "report.json"),
    WARPCELL_UI_RESULTS: join(folder, "results"),
    WARPCELL_SHOTS: process.env.WARPCELL_SHOTS ?? inside("shots"),
    TARGET_URL: `http://127.0.0.1:${port}`,
    CHROMIUM: chromium,
  };
}

/** Playwright's own counts; a run that wrote none counts as one failure. */
function countsIn(report) {
  if (!existsSync(report)) return { passed: 0, failed: 1 };
  const { stats, errors } = JSON.parse(readFileSync(report, "utf8"));
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky + stats.skipped + errors.length };
}

async function main() {
  const lacking = needs.find(([path]) => !existsSync(path));
  if (lacking) throw new Error(lacking[1]);
  const folder = mkdtempSync(join(tmpdir(), "warpcell-ui-"));
  try {
    const prefix = join(folder, "prefix");
    installKernel(prefix);
    installScriptedKernel(prefix);
    const environment = environmentIn(folder, await freePort());
    const child = spawn(
      process.execPath,
      [playwright, "test", "--config", join(here, "playwright.config.cjs"), ...process.argv.slice(2)],
      { cwd: here, env: environment, stdio: "inherit" },
    );
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
    await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
    return countsIn(environment.WARPCELL_UI_REPORT);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

try {
  const { passed, failed } = await main();
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
} catch (error) {
  console.error(error.message);
  console.log("0 passed, 1 failed");
  process.exitCode = 1;
}
