// `npm start`: sets up, then opens JupyterLab on notebooks/, or runs the notebook named after `--` without a browser.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { get } from "node:http";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { environment, onSignals, python, root, setup, statuses, venv } from "./setup.mjs";

/** The first free port from `first` on, on this machine only. */
async function freePort(first) {
  for (let port = first; port < first + 100; port++) {
    const free = await new Promise((answer) => {
      const server = createServer()
        .once("error", () => answer(false))
        .listen(port, "127.0.0.1", () => server.close(() => answer(true)));
    });
    if (free) return port;
  }
  throw new Error(`All ports from ${first} to ${first + 99} are in use. Stop another server and try again.`);
}

const answers = (url) =>
  new Promise((answer) =>
    get(url, (response) => answer(response.resume().statusCode < 500)).on("error", () => answer(false)),
  );

async function lab() {
  const port = await freePort(8888);
  const token = process.env.JUPYTER_TOKEN ?? randomBytes(24).toString("hex");
  const args = [
    join(venv, "bin", "jupyter-lab"),
    "--no-browser",
    `--port=${port}`,
    "--ServerApp.port_retries=0",
    `--ServerApp.root_dir=${join(root, "notebooks")}`,
    "--ServerApp.log_level=WARN",
  ];
  if (process.getuid?.() === 0) args.push("--allow-root");
  const server = spawn(python, args, {
    cwd: root,
    env: { ...environment(), JUPYTER_TOKEN: token },
    stdio: ["ignore", "inherit", "inherit"],
  });
  let ended = false,
    stopped = null;
  server.on("exit", (code) => {
    ended = true;
    process.exit(stopped ?? code ?? 1);
  });
  onSignals((signal) => {
    stopped = statuses[signal];
    server.kill("SIGTERM");
  });
  // Polling is how readiness of a server of another make is seen; nothing is ordered by the delay itself.
  while (!ended && !(await answers(`http://127.0.0.1:${port}/api`))) await delay(50);
  const url = `http://localhost:${port}/lab/tree/01-first-kernel.ipynb?token=${token}`;
  console.log(`JupyterLab is at ${url}\nStop it with Ctrl+C.`);
  if (process.env.DISPLAY ?? process.env.WAYLAND_DISPLAY)
    spawn("xdg-open", [url], { stdio: "ignore", detached: true })
      .on("error", () => console.log("No browser could be opened; open the address above."))
      .unref();
}

/** The file that is asked for, before all is built for it; `null` without one. */
function notebookOf(path) {
  if (path === undefined) return null;
  if (path.startsWith("-"))
    throw new Error(
      `npm start has no option ${path}: alone it opens JupyterLab, and "npm start notebooks/02-tensors.ipynb" runs that notebook without a browser.`,
    );
  const file = resolve(process.env.INIT_CWD ?? process.cwd(), path);
  if (!existsSync(file)) throw new Error(`There is no notebook ${file}.`);
  return file;
}

async function headless(file) {
  const client = spawn(python, [join(root, "scripts", "run_notebook.py"), file], {
    env: environment(),
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  let stopped = null;
  // In a group of its own, so that it hears of a Ctrl+C once; whoever presses it again does not want to wait.
  onSignals((signal) => {
    client.kill(stopped === null ? "SIGINT" : "SIGKILL");
    stopped = statuses[signal];
  });
  client.on("exit", (code) => process.exit(stopped ?? code ?? 1));
}

try {
  const notebook = notebookOf(process.argv[2]);
  await setup();
  await (notebook === null ? lab() : headless(notebook));
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
