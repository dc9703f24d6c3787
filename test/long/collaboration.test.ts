// The extension where documents are shared by jupyter-collaboration, which comes from PyPI: two people on one notebook,
// and all that a notebook must live through.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { obtainPackages } from "../../scripts/pypi.mjs";

const runner = fileURLToPath(new URL("../../extension/ui-tests/run.mjs", import.meta.url));
let packages = "";

beforeAll(async () => {
  const wanted = [
    "jupyter-server-ydoc==3.0.4",
    "jupyter-collaboration-ui==3.0.4",
    "jupyter-docprovider==3.0.4",
    "jupyter-server-fileid==0.10.0",
    "jupyter-ydoc==4.2.1",
    "pycrdt==0.14.13",
    "pycrdt-store==0.1.5",
    "pycrdt-websocket==0.16.5",
    "sqlite-anyio==0.2.10",
  ];
  packages = await obtainPackages("collaboration", wanted, join("jupyter_server_ydoc", "__init__.py"));
});

test.each([
  ["two people", "collaboration", "together.spec"],
  ["a crash, a restart, another name, a reload, other kernels", "tests", "survival.spec"],
])("%s", (_what, folder, spec) => {
  const { status, stdout } = spawnSync(process.execPath, [runner, spec], {
    encoding: "utf8",
    env: { ...process.env, WARPCELL_UI_TESTS: folder, WARPCELL_UI_PACKAGES: packages },
  });
  expect(status, stdout).toBe(0);
});
