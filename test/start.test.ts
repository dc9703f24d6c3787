// `npm start` as a user types it, once everything is built: an address that answers, and nothing left behind; a missing notebook is one sentence.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { runs, until } from "./helpers/kernel.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

function start(...words: string[]) {
  const child = spawn(process.execPath, [join(root, "scripts", "start.mjs"), ...words], { cwd: root, stdio: ["ignore", "pipe", "pipe"], detached: true, env: { ...process.env, DISPLAY: undefined, WAYLAND_DISPLAY: undefined } });
  // With what it started, also when the test fails.
  onTestFinished(() => {
    try {
      process.kill(-child.pid!, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
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
  const specs = (await (await fetch(new URL(`/api/kernelspecs?token=${url.searchParams.get("token")}`, url))).json()) as { kernelspecs: Record<string, { spec: { display_name: string } }> };
  expect(specs.kernelspecs["warpcell"]?.spec.display_name).toBe("TypeScript + CUDA");

  child.kill("SIGINT");
  await ended;
  expect(await runs(child.pid!)).toBe(false);
  await expect(fetch(url)).rejects.toThrow();
});

test("a notebook that is not there is one sentence", async () => {
  const { ended, text } = start("none.ipynb");
  expect(await ended).toBe(1);
  expect(text()).toMatch(/^Expected a notebook but there is no file .*none\.ipynb\.\n$/);
});
