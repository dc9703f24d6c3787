// Every notebook with all launches on the CPU checked from its first cell on: a report outside of the cells that expect
// one fails its cell, and the run. What a notebook leaves unchecked for its size stays so.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { cellsOf, notebook, run } from "../helpers/notebooks.ts";

const folder = fileURLToPath(new URL("../../notebooks", import.meta.url));
const notebooks = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ipynb"))
  .sort();

const head = `import { setChecking as checkAll } from "warpcell";
checkAll(true);`;

test.each(notebooks)("%s is clean when its launches are checked", async (name) => {
  const code = cellsOf(join(folder, name)).filter(({ kind }) => kind === "code");
  const { code: status, stdout, stderr } = await run(notebook(head, ...code.map(({ source }) => source)));
  expect(status, stdout + stderr).toBe(0);
});

test("a mistake in a notebook fails the run", async () => {
  const { code, stderr } = await run(
    notebook(
      head,
      "%%cuda\n__global__ void past(float* x, int n) { x[n] = 1; }",
      `import { zeros } from "warpcell";\npast.launch({ grid: 1, block: 1 }, zeros([3], { device: "cpu" }), 3);`,
    ),
  );
  expect(code).not.toBe(0);
  expect(stderr).toContain("writes x[3], one past the end of x");
});
