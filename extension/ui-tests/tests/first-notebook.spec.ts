// The first notebook through the real kernel, as a user sees it: colours in the editor, heat maps below the cells,
// gauges that move while a cell spins.
import type { IJupyterLabPageFixture } from "@jupyterlab/galata";
import { expect, test } from "./jupyterlab";
import type { Locator } from "@playwright/test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cell, coloursOf, gauge, open, shot } from "./notebook";

interface Stored {
  cells: { cell_type: string; source: string | string[]; execution_count?: number | null; outputs?: object[] }[];
}

const stored = JSON.parse(
  readFileSync(join(__dirname, "..", "..", "..", "notebooks", "01-first-kernel.ipynb"), "utf8"),
) as Stored;
// What an earlier run may have left in the file must not pass for what this one does.
for (const cell of stored.cells)
  if (cell.cell_type === "code") Object.assign(cell, { execution_count: null, outputs: [] });
const notebook = JSON.stringify(stored);
const cells = stored.cells.map(({ cell_type, source }) => ({ type: cell_type, text: [source].flat().join("") }));
const indexOf = (text: RegExp) => cells.findIndex(({ type, text: source }) => type === "code" && text.test(source));

test.beforeEach(async ({ page, tmpPath }) => {
  await page.contents.uploadContent(notebook, "text", `${tmpPath}/first.ipynb`);
  await open(page, `${tmpPath}/first.ipynb`);
  await expect(page.getByText(/TypeScript \+ CUDA \| Idle/)).toBeVisible();
});

/** Runs every cell and waits until the last one has ended, or one has failed; then tells what failed. */
async function runAll(page: IJupyterLabPageFixture): Promise<string[]> {
  await page.evaluate(() =>
    (
      window as unknown as { jupyterapp: { commands: { execute(command: string): Promise<unknown> } } }
    ).jupyterapp.commands.execute("notebook:run-all-cells"),
  );
  let state = await stateOf(page);
  await expect
    .poll(
      async () => {
        state = await stateOf(page);
        return state.failures.length > 0 || state.ended;
      },
      { timeout: 200_000 },
    )
    .toBe(true);
  return state.failures;
}

/** What the notebook in front holds: the errors among its outputs, and whether its last cell has ended. */
function stateOf(page: IJupyterLabPageFixture): Promise<{ failures: string[]; ended: boolean }> {
  return page.evaluate(() => {
    type Cell = {
      cell_type: string;
      execution_count?: number | null;
      outputs?: { output_type: string; ename?: string; evalue?: string }[];
    };
    const { model } = (
      window as unknown as {
        jupyterapp: { shell: { currentWidget: { content: { model: { toJSON(): { cells: Cell[] } } } } } };
      }
    ).jupyterapp.shell.currentWidget.content;
    const cells = model.toJSON().cells.filter(({ cell_type }) => cell_type === "code");
    const failures = cells
      .flatMap(({ outputs = [] }) => outputs)
      .filter(({ output_type }) => output_type === "error")
      .map(({ ename, evalue }) => `${ename}: ${evalue}`);
    return { failures, ended: typeof cells.at(-1)?.execution_count === "number" };
  });
}

/** The colours in the middle of so many equal parts of the first row. */
function firstRowOf(image: Locator, parts: number): Promise<string[]> {
  return image.evaluate((element, count) => {
    const { naturalWidth: width, naturalHeight: height } = element as HTMLImageElement;
    if (width === 0) return [];
    const context = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d")!;
    context.drawImage(element as HTMLImageElement, 0, 0);
    return Array.from({ length: count }, (_, part) =>
      context.getImageData(Math.floor(((part + 0.5) * width) / count), 0, 1, 1).data.join(),
    );
  }, parts);
}

/** Counts, from now on, how often the item is told something new. */
async function watchUpdates(item: Locator): Promise<() => Promise<number>> {
  const counter = await item.evaluateHandle((element) => {
    const counter = { updates: 0 };
    new MutationObserver((records) => (counter.updates += records.length)).observe(element, {
      attributes: true,
      attributeFilter: ["title"],
    });
    return counter;
  });
  return () => counter.evaluate(({ updates }) => updates);
}

test("a notebook that was opened, with its kernel, has nothing to save", async ({ page }) => {
  // The kernel has said what its language is.
  await page.notebook.selectCells(indexOf(/./));
  await expect(cell(page, indexOf(/./)).locator(".cm-content")).toHaveAttribute("data-language", "typescript");
  await expect(page.locator(".lm-TabBar-tab.jp-mod-dirty")).toHaveCount(0);
});

test("every cell runs; CUDA cells have their colours; tensors have their line and their heat map", async ({ page }) => {
  expect(await runAll(page)).toEqual([]);

  for (const [index, { type, text }] of cells.entries()) {
    if (type !== "code") continue;
    await expect(cell(page, index).locator(".warpcell-cuda-magic")).toHaveCount(text.startsWith("%%cuda") ? 1 : 0);
  }
  await expect(cell(page, indexOf(/^__global__ void tiled/m)).locator(".warpcell-cuda-qualifier")).toHaveText([
    "__global__",
    "__shared__",
  ]);

  const picture = cell(page, indexOf(/mandelbrot\.launch.*\npicture$/)).locator(".warpcell-tensor");
  await expect(picture.locator(".warpcell-tensor-line > *")).toHaveText([
    "[480, 640]",
    "float32",
    /^(cpu|cuda:\d+)$/,
    /^min 0\.69/,
    /^max 5\.3/,
    /^mean /,
    "Open",
  ]);
  await picture.scrollIntoViewIfNeeded();
  await expect
    .poll(async () => (await coloursOf(picture.locator(".warpcell-heat-map-canvas"))).distinct)
    .toBeGreaterThan(100);
  await page.screenshot({ path: shot("first-notebook-light") });

  // The four warps of the first block, in colours of their own.
  const warps = cell(page, indexOf(/whichWarp\.launch/)).locator(".jp-RenderedImage img");
  await expect(warps).toHaveCount(1);
  await warps.scrollIntoViewIfNeeded();
  await expect.poll(async () => new Set(await firstRowOf(warps, 4)).size).toBe(4);

  await page.theme.setDarkTheme();
  await page.screenshot({ path: shot("first-notebook-dark") });
});

test("the drawing is there, and no cell or drawing is wider than its place", async ({ page }) => {
  const drawing = page.locator('.jp-MarkdownOutput img[alt^="A launch is a grid of blocks."]');
  await drawing.scrollIntoViewIfNeeded();
  await expect
    .poll(() => drawing.evaluate((element) => [(element as HTMLImageElement).naturalWidth, element.clientWidth]))
    .toEqual([760, 760]);
  await page.screenshot({ path: shot("first-notebook-drawing") });
  for (const [index, { type }] of cells.entries()) {
    await cell(page, index).scrollIntoViewIfNeeded();
    const box = cell(page, index).locator(type === "code" ? ".cm-scroller" : ".jp-MarkdownOutput");
    expect(
      await box.first().evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
      cells[index]!.text,
    ).toBeLessThanOrEqual(0);
  }
});

test("the gauges move while a cell spins, and come back after a restart", async ({ page, tmpPath }) => {
  const item = gauge(page);
  await expect(item).toHaveText(/^(cpu|cuda:\d+) · /);
  await expect(item).toHaveAttribute("data-busy", "false");
  // It spins until enough has been seen, with more memory each time: what does not change is not written again.
  const spinning = `import { empty } from "warpcell";
let held = null;
for (let mebibytes = 1; !require("fs").existsSync("enough"); mebibytes = (mebibytes % 64) + 1) {
  held?.dispose();
  held = empty([mebibytes, 2 ** 18]);
}`;
  await page.notebook.setCell(1, "code", spinning);
  const updates = await watchUpdates(item);
  const run = page.notebook.runCell(1, true);
  await expect(item).toHaveAttribute("data-busy", "true");
  const before = await updates();
  await expect.poll(updates).toBeGreaterThanOrEqual(before + 3);
  await expect(item).toHaveAttribute("data-busy", "true");
  await page.contents.uploadContent("now", "text", `${tmpPath}/enough`);
  await run;
  await expect(item).toHaveAttribute("data-busy", "false");

  await page.evaluate(async () => {
    const app = (
      window as unknown as {
        jupyterapp: { shell: { currentWidget: { sessionContext: { restartKernel(): Promise<void> } } } };
      }
    ).jupyterapp;
    await app.shell.currentWidget.sessionContext.restartKernel();
  });
  const restarted = await updates();
  await expect.poll(updates).toBeGreaterThanOrEqual(restarted + 1);
  await expect(item).toHaveText(/^(cpu|cuda:\d+) · /);
});
