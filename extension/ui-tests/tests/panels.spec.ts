// The panels of variables and memory through the real kernel: what they list, what opens, while a cell runs too, and that
// shortcuts of JupyterLab work from within views.
import type { IJupyterLabPageFixture } from "@jupyterlab/galata";
import { expect, test } from "./jupyterlab";
import { cell, gauge, notebookOf, open, typescript } from "./notebook";
import { pictures, run } from "./side-panel";

const sources = [
  'import { arange, ones, rand, zeros, nn, synchronize } from "warpcell";\nconst images = rand([12, 64, 64]);\nconst model = new nn.Linear(512, 256);',
  'const weights = rand([1024, 1024]), bias = zeros([1024]);\nconst batches = [rand([256, 256]), rand([256, 256])];\nconst title = "Digits", rate = 1e-3, seen = new Map([["a", 1]]);',
  "for (let step = 0; step < 3; step++) rand([2048, 512]).sum().item();\nconst labels = arange(4096);",
  "images.fill_(7); await synchronize(); const late = 1; for (;;) ;",
];

const variables = (page: IJupyterLabPageFixture) => page.locator("#warpcell-variables");
const memory = (page: IJupyterLabPageFixture) => page.locator("#warpcell-memory");

async function openNotebook(page: IJupyterLabPageFixture, path: string): Promise<void> {
  const cells = sources.map((source) => ({ source }));
  await page.contents.uploadContent(notebookOf(typescript, cells), "text", path);
  await open(page, path);
  await expect(page.getByText(/TypeScript \+ CUDA \| Idle/)).toBeVisible();
  await page.notebook.selectCells(0);
  for (let index = 0; index < 3; index++) await run(page, "notebook:run-cell-and-select-next");
  await expect(cell(page, 2).locator(".jp-InputPrompt")).toHaveText("[3]:");
}

test("variables: a table that filters and sorts, opens a tensor also while a cell runs, and disposes of one", async ({
  page,
  tmpPath,
}) => {
  await openNotebook(page, `${tmpPath}/variables.ipynb`);
  await run(page, "warpcell:show-variables");
  const panel = variables(page);
  const names = panel.locator(".warpcell-variables-name");
  const own = ["images", "model", "weights", "bias", "batches", "title", "rate", "seen", "labels"];
  await expect(names).toHaveText(own);
  const row = (name: string) =>
    panel.locator(".warpcell-variables-row").filter({ has: page.getByText(name, { exact: true }) });
  await expect(row("weights").locator("th, td")).toHaveText([
    "weights",
    "Tensor",
    "[1024, 1024]",
    "float32",
    /^(cpu|cuda:0)$/,
    "4.0 MiB",
    "Cell [2]:1",
  ]);
  await expect(row("batches").locator("td").nth(1)).toHaveText("2 items, 2 tensors");

  await panel.getByRole("button", { name: "Size" }).click();
  await expect(names.first()).toHaveText("weights");
  await expect(panel.locator('[aria-sort="ascending"]')).toHaveText("Size");
  await panel.getByRole("button", { name: "Name" }).click();
  await panel.getByLabel("Filter variables").fill("tensor 102");
  await expect(names).toHaveText(["bias", "weights"]);
  await panel.getByLabel("Filter variables").fill("");
  await panel.getByLabel("imports").check();
  await expect(names).toHaveCount(own.length + 6);
  await panel.getByLabel("imports").uncheck();

  // By keys alone: down the names, open, and close.
  await names.first().focus();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await expect(panel.locator(".warpcell-tensor-shape")).toHaveText("[1024, 1024]");
  await page.keyboard.press("Enter");
  await expect(panel.locator(".warpcell-tensor-shape")).toHaveCount(0);
  await names.filter({ hasText: "images" }).click();
  await expect(panel.locator(".warpcell-tensor-slider")).toHaveCount(1);
  await pictures(page, "variables");

  await page.notebook.selectCells(3);
  await run(page, "notebook:run-cell");
  await expect(page.getByText(/TypeScript \+ CUDA \| Busy/)).toBeVisible();
  await names.filter({ hasText: "images" }).click();
  await names.filter({ hasText: "images" }).click();
  await expect(panel.locator(".warpcell-tensor-statistic").first()).toHaveText("min 7");
  await panel.getByRole("button", { name: "Dispose…" }).click();
  await panel.getByRole("button", { name: "Dispose", exact: true }).click();
  await expect(panel.locator(".warpcell-problem")).toHaveText("A cell is running. Do this when it has ended.");
  await run(page, "notebook:interrupt-kernel");
  await expect(names.filter({ hasText: "late" })).toBeVisible();

  await names.filter({ hasText: "labels" }).focus();
  await page.keyboard.press("Delete");
  await expect(panel.getByRole("button", { name: "Keep" })).toBeFocused();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await expect(row("labels").locator("td").nth(1)).toHaveText("[4096] disposed");

  await row("bias").locator(".warpcell-place").click();
  await expect(cell(page, 1).locator(".cm-content")).toBeFocused();
  // Another notebook has none of these names.
  await page.contents.uploadContent(notebookOf(typescript, [{ source: "1" }]), "text", `${tmpPath}/other.ipynb`);
  await open(page, `${tmpPath}/other.ipynb`);
  await expect(panel.locator(".warpcell-panel-note")).toHaveText(/has no variables yet/);
});

test("memory: figures, largest tensors, a map and cells, by a click on the gauge; collect and trim", async ({
  page,
  tmpPath,
}) => {
  await openNotebook(page, `${tmpPath}/memory.ipynb`);
  await gauge(page).getByRole("button").focus();
  await page.keyboard.press("Enter");
  const panel = memory(page);
  await expect(panel).toBeVisible();
  const device = panel.locator(".warpcell-memory-device").filter({ has: page.locator(".warpcell-map-bar") });
  await expect(device.locator("dt")).toContainText(["in tensors", "held for them", "at most so far"]);
  const largest = device.getByRole("table", { name: "Largest tensors" });
  await expect(largest.locator("tbody tr").first()).toContainText(
    /4\.0 MiB.*weights.*float32 \[1024, 1024\].*Cell \[2\]:1/,
  );
  const cells = device.getByRole("table", { name: "Memory before, during and after cells" });
  await expect(cells.locator("tbody tr td:first-child")).toHaveText(["Cell [3]", "Cell [2]", "Cell [1]"]);
  await expect(device.locator(".warpcell-legend li").first()).toContainText(/Cell \[\d\] [\d.]+ MiB/);

  const map = device.locator(".warpcell-map-bars");
  const reading = device.locator(".warpcell-map-reading");
  await map.focus();
  await expect(reading).toContainText("Cell [1]:2");
  await page.keyboard.press("End");
  await expect(reading).toHaveText(/free$/);
  await device.locator(".warpcell-map-used").first().hover();
  await expect(reading).toContainText("images");
  await pictures(page, "memory");

  await panel.getByRole("button", { name: "Collect" }).click();
  await expect(panel.locator(".warpcell-panel-said")).toHaveText(/^[\d.]+ (B|KiB|MiB) freed\.$/);
  await panel.getByRole("button", { name: "Trim" }).click();
  await expect(panel.locator(".warpcell-panel-said")).toHaveText(/ given back\.$/);
  await largest.locator(".warpcell-place").first().click();
  await expect(cell(page, 1).locator(".cm-content")).toBeFocused();

  await page.notebook.selectCells(3);
  await run(page, "notebook:run-cell");
  await expect(cells.locator("tbody tr").first()).toContainText("Cell [4] runs");
  await panel.getByRole("button", { name: "Trim" }).click();
  await expect(panel.locator(".warpcell-panel-said")).toHaveText("A cell is running. Do this when it has ended.");
  await run(page, "notebook:interrupt-kernel");
  await expect(page.getByText(/TypeScript \+ CUDA \| Idle/)).toBeVisible();
});

test("memory that runs out: above the error stands what held it, with its lines", async ({ page, tmpPath }) => {
  const sources = [
    'import { memory, ones, setMemoryLimit } from "warpcell";\nconst weights = ones([2048, 1024]);\nsetMemoryLimit(memory()[weights.device].reserved + 2 ** 25);',
    "const more = ones([2 ** 24]);",
  ];
  const path = `${tmpPath}/shortage.ipynb`;
  await page.contents.uploadContent(
    notebookOf(
      typescript,
      sources.map((source) => ({ source })),
    ),
    "text",
    path,
  );
  await open(page, path);
  await expect(page.getByText(/TypeScript \+ CUDA \| Idle/)).toBeVisible();
  for (const at of sources.keys()) {
    await page.notebook.selectCells(at);
    await run(page, "notebook:run-cell");
    await expect(cell(page, at).locator(".jp-InputPrompt")).toHaveText(/\[\d+\]:/);
  }
  const shown = cell(page, 1).locator(".warpcell-shortage");
  await expect(shown.locator("h4")).toHaveText("Memory of cpu when 64.0 MiB more were wanted");
  await expect(shown.locator("tbody tr").first()).toContainText(
    /8\.0 MiB.*weights.*float32 \[2048, 1024\].*Cell \[1\]:2/,
  );
  await shown.locator(".warpcell-map-used").first().hover();
  await expect(shown.locator(".warpcell-map-reading")).toContainText("Cell [1]:2");
  await pictures(page, "shortage");
  await shown.locator(".warpcell-place").first().click();
  await expect(cell(page, 0).locator(".cm-content")).toBeFocused();
});

test("from a heat map and a slider Ctrl+S saves, Esc returns to the cell, and arrows stay", async ({
  page,
  tmpPath,
}) => {
  const path = `${tmpPath}/keys.ipynb`;
  const source = 'import { arange } from "warpcell";\narange(3 * 40 * 40).reshape([3, 40, 40]);';
  await page.contents.uploadContent(notebookOf(typescript, [{ source }, { source: "1" }]), "text", path);
  await open(page, path);
  await page.notebook.runCell(0);
  const canvas = cell(page, 0).locator(".warpcell-heat-map-canvas");
  const dirty = page.locator(".jp-mod-dirty").first();
  for (const view of [canvas, cell(page, 0).locator(".warpcell-tensor-slider")]) {
    await page.notebook.setCell(1, "code", `${await view.evaluate(({ className }) => className.length)} + 1`);
    await expect(dirty).toBeVisible();
    await view.focus();
    await page.keyboard.press("ArrowRight");
    await expect(view).toBeFocused();
    await page.keyboard.press("Control+s");
    await expect(dirty).toHaveCount(0);
    await expect(view).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(cell(page, 0)).toBeFocused();
    // Keys are the notebook's again.
    await page.keyboard.press("ArrowDown");
    await expect(page.locator(".jp-Notebook .jp-mod-active")).toHaveAttribute("data-windowed-list-index", "1");
  }
});

test("panels are in the menu of views and in the palette", async ({ page, tmpPath }) => {
  const notebook = notebookOf(typescript, [{ source: "1" }]);
  await page.contents.uploadContent(notebook, "text", `${tmpPath}/commands.ipynb`);
  await open(page, `${tmpPath}/commands.ipynb`);
  for (const name of ["variables", "memory", "kernel"]) {
    await page.menu.clickMenuItem(`View>Warpcell: Show ${name}`);
    await expect(page.locator(`#warpcell-${name}`)).toBeVisible();
  }
  const palette = page.locator("#modal-command-palette");
  // JupyterLab activates a notebook once more a while after it was opened, which takes the focus and closes the palette.
  await expect(async () => {
    await page.keyboard.press("Control+Shift+C");
    await palette.locator("input").fill("Warpcell", { timeout: 5_000 });
    for (const name of ["Show variables", "Show memory", "Show kernel"])
      await expect(palette.locator(".lm-CommandPalette-item").filter({ hasText: name }).first()).toBeVisible({
        timeout: 5_000,
      });
  }).toPass({ timeout: 60_000 });
});
