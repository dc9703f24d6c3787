// `npm start` as a user types it, once everything is built: an address that answers, and nothing left behind; a missing
// notebook is one sentence.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { runs, until } from "./helpers/kernel.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "warpcell-start-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function start({
  words = [],
  through = [],
  env = {},
}: {
  words?: string[];
  through?: string[];
  env?: NodeJS.ProcessEnv;
} = {}) {
  const [program, ...rest] = [...through, process.execPath, join(root, "scripts", "start.mjs"), ...words];
  const child = spawn(program!, rest, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    env: { ...process.env, npm_lifecycle_event: "start", DISPLAY: undefined, WAYLAND_DISPLAY: undefined, ...env },
  });
  // With what it started, also when the test fails.
  onTestFinished(() => {
    try {
      process.kill(-child.pid!, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, ended, text: () => text };
}

test("npm start prints an address that answers, and ends with all it started", async () => {
  const { child, ended, text } = start();
  await until(() => text().includes("Stop it with Ctrl+C."));
  const url = new URL(/http:\S+/.exec(text())![0]);
  expect(url.pathname).toBe("/lab/tree/01-first-kernel.ipynb");

  const status = await fetch(new URL(`/api/status?token=${url.searchParams.get("token")}`, url));
  expect(status.status).toBe(200);
  expect((await fetch(new URL("/api/contents", url))).status).toBe(403);
  const specs = (await (
    await fetch(new URL(`/api/kernelspecs?token=${url.searchParams.get("token")}`, url))
  ).json()) as { kernelspecs: Record<string, { spec: { display_name: string } }> };
  expect(specs.kernelspecs["warpcell"]?.spec.display_name).toBe("TypeScript + CUDA");

  child.kill("SIGINT");
  expect(await ended).toBe(130);
  expect(await runs(child.pid!)).toBe(false);
  await expect(fetch(url)).rejects.toThrow();
});

test("npm start writes nothing in the user's home but the cache of kernels, also when notebooks are saved", async () => {
  const home = temporary();
  // npm's own cache is npm's; it says where to its children, which is where these tests mostly run.
  const { child, ended, text } = start({
    env: {
      HOME: home,
      npm_config_cache: temporary(),
      ...Object.fromEntries(
        [
          "XDG_DATA_HOME",
          "XDG_CACHE_HOME",
          "XDG_CONFIG_HOME",
          "JUPYTER_CONFIG_DIR",
          "JUPYTER_DATA_DIR",
          "JUPYTER_RUNTIME_DIR",
          "IPYTHONDIR",
        ].map((name) => [name, undefined]),
      ),
    },
  });
  await until(() => text().includes("Stop it with Ctrl+C."));
  const url = new URL(/http:\S+/.exec(text())![0]),
    token = url.searchParams.get("token");
  const at = (path: string) => new URL(`${path}?token=${token}`, url);
  const content = { nbformat: 4, nbformat_minor: 4, metadata: {}, cells: [] };
  onTestFinished(() => rmSync(join(root, "notebooks", "saved-by-a-test.ipynb"), { force: true }));
  expect(
    (
      await fetch(at("/api/contents/saved-by-a-test.ipynb"), {
        method: "PUT",
        body: JSON.stringify({ type: "notebook", format: "json", content }),
      })
    ).status,
  ).toBe(201);
  const workspace = { data: {}, metadata: { id: "default" } };
  expect(
    (await fetch(at("/lab/api/workspaces/default"), { method: "PUT", body: JSON.stringify(workspace) })).status,
  ).toBe(204);
  expect((await fetch(at("/api/kernels"), { method: "POST", body: JSON.stringify({ name: "warpcell" }) })).status).toBe(
    201,
  );
  child.kill("SIGINT");
  expect(await ended).toBe(130);
  expect(readdirSync(home).filter((name) => name !== ".cache")).toEqual([]);
});

test("npm start ends with the terminal that it was started in", async () => {
  const { child, ended, text } = start();
  await until(() => text().includes("Stop it with Ctrl+C."));
  child.kill("SIGHUP");
  expect(await ended).toBe(129);
  await expect(fetch(/http:\S+/.exec(text())![0])).rejects.toThrow();
});

test("npm start ends when npm is killed, which passes no signal on", async () => {
  const { child, ended, text } = start({ through: ["sh", "-c", '"$@" & wait', "npm"] });
  await until(() => text().includes("Stop it with Ctrl+C."));
  child.kill("SIGKILL");
  await ended;
  await expect(fetch(/http:\S+/.exec(text())![0])).rejects.toThrow();
});

test("npm start of a notebook that is stopped names the cell in one sentence and ends with 130", async () => {
  const file = join(temporary(), "waits.ipynb");
  writeFileSync(
    file,
    JSON.stringify({
      nbformat: 4,
      nbformat_minor: 4,
      metadata: {},
      cells: [
        {
          cell_type: "code",
          metadata: {},
          execution_count: null,
          outputs: [],
          source: 'const word = "waits";\nconsole.log(word);\nawait new Promise(() => undefined);',
        },
      ],
    }),
  );
  const { child, ended, text } = start({ words: [file] });
  await until(() => text().includes("\nwaits\n"));
  process.kill(-child.pid!, "SIGINT");
  expect(await ended).toBe(130);
  expect(text()).toBe('── cell 1: const word = "waits";\nwaits\nCell 1 was stopped.\n');
});

test("an option is refused in a sentence, before anything is set up", async () => {
  const { ended, text } = start({ words: ["--help"] });
  expect(await ended).toBe(1);
  expect(text()).toBe(
    'npm start has no option --help: alone it opens JupyterLab, and "npm start notebooks/02-tensors.ipynb" runs that notebook without a browser.\n',
  );
});

test("a notebook that is not there is one sentence", async () => {
  const { ended, text } = start({ words: ["none.ipynb"] });
  expect(await ended).toBe(1);
  expect(text()).toMatch(/^There is no notebook .*none\.ipynb\.\n$/);
});
