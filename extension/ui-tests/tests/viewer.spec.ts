// The viewer of tensors through the real kernel: opened from an output, the variables and a cell; zoom to single numbers
// and back, other axes, colours, statistics, jumps, differences, while a cell runs, and when the tensor is gone.
import type { IJupyterLabPageFixture } from "@jupyterlab/galata";
import type { Locator } from "@playwright/test";
import { expect, test } from "./jupyterlab";
import { cell, coloursOf, notebookOf, open, shot, typescript } from "./notebook";
import { begin, run } from "./side-panel";
import { shortName, themes } from "./themes";

const first = `import { arange } from "warpcell";
const waves = arange(2048).div(200).sin().reshape([2048, 1]).mul(arange(2048).div(300).cos());
waves.set([1234, 777], NaN);
waves.set([3, 2000], -Infinity);
waves`;

async function start(page: IJupyterLabPageFixture, path: string, sources: readonly string[]): Promise<void> {
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
  await page.notebook.selectCells(0);
}

/** Runs a cell to its end. */
async function ran(page: IJupyterLabPageFixture, index: number): Promise<void> {
  await begin(page, index);
  await expect(cell(page, index).locator(".jp-InputPrompt")).toHaveText(/\[\d+\]:/);
  await expect(cell(page, index).locator('[data-mime-type="application/vnd.jupyter.stderr"]')).toHaveCount(0);
}

const viewerOf = (page: IJupyterLabPageFixture): Locator => page.locator(".warpcell-viewer:not(.lm-mod-hidden)").last();
const reading = (viewer: Locator) => viewer.locator(".warpcell-viewer-reading");
const figure = (viewer: Locator, name: string) =>
  viewer.locator(".warpcell-viewer-figures > div").filter({ hasText: name }).locator("dd");

test("from an overview to single numbers and back, by pointer and by keys", async ({ page, tmpPath }) => {
  await page.setViewportSize({ width: 1600, height: 900 });
  await start(page, `${tmpPath}/viewer.ipynb`, [first]);
  await ran(page, 0);
  await cell(page, 0).getByRole("button", { name: "Open" }).click();
  const viewer = viewerOf(page);
  const canvas = viewer.locator("canvas");
  await expect(viewer.locator(".warpcell-viewer-facts")).toHaveText(/^\[2048, 2048\] · float32 · (cpu|cuda:0)$/);
  await expect(figure(viewer, "NaN")).toHaveText("1");
  await expect(figure(viewer, "±∞")).toHaveText("1");
  await expect.poll(async () => (await coloursOf(canvas)).distinct).toBeGreaterThan(100);
  await page.screenshot({ path: shot("viewer-overview") });

  await canvas.hover();
  await expect(reading(viewer)).toHaveText(/^\[\d+…\d+, \d+…\d+\] mean .*, min .*, max /);
  for (let turn = 0; turn < 8; turn++) await page.mouse.wheel(0, -600);
  await expect(reading(viewer)).toHaveText(/^\[\d+, \d+\] -?[\d.e-]+$/);
  await page.screenshot({ path: shot("viewer-numbers") });

  await canvas.focus();
  await page.keyboard.press("0");
  await page.keyboard.press("n");
  await expect(reading(viewer)).toHaveText("[1234, 777] NaN");
  await page.screenshot({ path: shot("viewer-nan") });
  await page.keyboard.press("ArrowRight");
  await expect(reading(viewer)).toHaveText(/^\[1234, 778\] -?[\d.e-]+$/);
  await page.keyboard.press("i");
  await expect(reading(viewer)).toHaveText("[3, 2000] −∞");
  await page.keyboard.press("-");
  await page.keyboard.press("Shift+ArrowDown");
  await viewer.getByRole("button", { name: "Go to the next max" }).click();
  await expect(reading(viewer)).toHaveText(/^\[\d+, \d+\] 0\.99/);
  await viewer.getByRole("button", { name: "Fit" }).click();

  await viewer.getByRole("combobox", { name: "range" }).selectOption("percentiles");
  await viewer.getByRole("combobox", { name: "colours" }).selectOption("perceptual");
  await viewer.getByLabel("logarithmic").check();
  await page.screenshot({ path: shot("viewer-perceptual") });
  await viewer.getByRole("combobox", { name: "range" }).selectOption("fixed");
  await viewer.getByLabel("Lowest value of the colours").fill("0");
  await viewer.getByLabel("Highest value of the colours").fill("0.5");
  await viewer.getByLabel("Highest value of the colours").press("Enter");
  await expect(viewer.locator(".warpcell-viewer-legend")).toHaveText("00.5");
});

test("more axes, differences, lines and a number; while a cell runs, and when the tensor is gone", async ({
  page,
  tmpPath,
}) => {
  await page.setViewportSize({ width: 1600, height: 900 });
  await start(page, `${tmpPath}/axes.ipynb`, [
    `import { arange, rand, tensor, synchronize } from "warpcell";
const stack = arange(5 * 40 * 60).reshape([5, 40, 60]);
const other = stack.add(3);
await show(stack, "stack"); display.clear()`,
    `const line = arange(100000).div(5000).sin().add(rand([100000]).mul(0.3)); await show(line, "line"); display.clear()`,
    `await show(tensor(0.25), "number"); display.clear()`,
    `stack.fill_(7); await synchronize(); for (;;) ;`,
    `stack.dispose()`,
  ]);
  await ran(page, 0);
  const viewer = viewerOf(page);
  await expect(page.locator(".lm-TabBar-tabLabel").getByText("stack", { exact: true })).toBeVisible();
  const canvas = viewer.locator("canvas");
  await expect(figure(viewer, "max")).toHaveText("11999");
  await viewer.locator(".warpcell-tensor-slider").fill("2");
  await canvas.focus();
  await page.keyboard.press("ArrowRight");
  await expect(reading(viewer)).toHaveText("[2, 0, 0] 4800");
  // It plays to the end and on from the beginning, until it is stopped, and shows what it plays.
  const play = viewer.getByRole("button", { name: "Play along axis 0" });
  const position = viewer.locator(".warpcell-tensor-slider-position");
  await position.evaluate((node) => {
    const window_ = window as unknown as { played: string[] };
    window_.played = [];
    const note = (): void => {
      if (window_.played.at(-1) !== node.textContent) window_.played.push(node.textContent!);
    };
    new MutationObserver(note).observe(node, { childList: true });
  });
  const played = () => page.evaluate(() => (window as unknown as { played: string[] }).played);
  await play.click();
  await expect(play).toHaveAttribute("aria-pressed", "true");
  await expect.poll(async () => (await played()).length).toBeGreaterThan(6);
  await play.click();
  await expect(play).toHaveAttribute("aria-pressed", "false");
  const seen = await played();
  expect(seen).toEqual(seen.map((_, index) => String((Number(seen[0]) + index) % 5)));
  await expect(reading(viewer)).toHaveText(`[${seen.at(-1)}, 0, 0] ${Number(seen.at(-1)) * 2400}`);
  await viewer.getByRole("combobox", { name: "rows" }).selectOption("0");
  await expect(viewer.locator(".warpcell-tensor-slider-label")).toHaveText(/^axis 1/);
  await canvas.focus();
  await page.keyboard.press("ArrowRight");
  await expect(reading(viewer)).toHaveText("[0, 0, 0] 0");
  await page.screenshot({ path: shot("viewer-axes") });
  await viewer.getByRole("combobox", { name: "minus" }).selectOption({ label: "other" });
  await expect(figure(viewer, "max")).toHaveText("-3");
  await expect(reading(viewer)).toHaveText("[0, 0, 0] -3");
  await viewer.getByRole("combobox", { name: "minus" }).selectOption({ label: "nothing" });
  await expect(figure(viewer, "max")).toHaveText("11999");

  await viewer.getByLabel("live").check();
  await begin(page, 3);
  await expect(figure(viewer, "max")).toHaveText("7");
  await expect(page.getByText(/TypeScript \+ CUDA \| Busy/).first()).toBeVisible();
  await expect(reading(viewer)).toHaveText("[0, 0, 0] 7");
  await viewer.getByLabel("live").uncheck();
  await run(page, "notebook:interrupt-kernel");
  // What runs before the interrupted cell has ended goes with it.
  await expect(cell(page, 3).locator(".jp-InputPrompt")).toHaveText(/\[\d+\]:/);
  await ran(page, 4);
  await viewer.getByRole("button", { name: "Refresh" }).click();
  await expect(viewer.locator(".warpcell-viewer-status")).toHaveText(
    /no longer in memory\..*This is the last picture\.$/,
  );
  await expect(reading(viewer)).toHaveText("[0, 0, 0] 7");
  expect((await coloursOf(canvas)).painted).toBeGreaterThan(1000);
  await page.screenshot({ path: shot("viewer-gone") });

  await ran(page, 1);
  const line = viewerOf(page);
  await expect(line.locator(".warpcell-viewer-facts")).toHaveText(/^\[100000\]/);
  await expect.poll(async () => (await coloursOf(line.locator("canvas"))).painted).toBeGreaterThan(1000);
  await line.locator("canvas").hover();
  await expect(reading(line)).toHaveText(/^\[\d+…\d+\] mean/);
  await page.screenshot({ path: shot("viewer-line") });
  await ran(page, 2);
  const number = viewerOf(page);
  await expect(number.locator(".warpcell-viewer-facts")).toHaveText(/^\[\] · float32/);
  await number.locator("canvas").focus();
  await page.keyboard.press("ArrowRight");
  await expect(reading(number)).toHaveText("0.25");
  await page.screenshot({ path: shot("viewer-number") });
});

test("from the variables; narrow and wide, in every theme", async ({ page, tmpPath }) => {
  await start(page, `${tmpPath}/themes.ipynb`, [
    `import { rand, tensor } from "warpcell"; const labels = rand([40, 60]).mul(6).to("int32"); const noise = rand([900, 1200]).sub(0.3);`,
  ]);
  await ran(page, 0);
  await run(page, "warpcell:show-variables");
  const panel = page.locator("#warpcell-variables");
  for (const name of ["noise", "labels"]) {
    await panel.locator(".warpcell-variables-name").filter({ hasText: name }).click();
    await panel.getByRole("button", { name: "Open" }).last().click();
    await expect(page.locator(".lm-TabBar-tabLabel").getByText(name, { exact: true })).toBeVisible();
    await panel.locator(".warpcell-variables-name").filter({ hasText: name }).click();
  }
  await run(page, "warpcell:show-variables");
  await page.evaluate(() => {
    const { shell } = (
      window as unknown as { jupyterapp: { shell: { collapseRight(): void; collapseLeft(): void; mode: string } } }
    ).jupyterapp;
    shell.collapseRight();
    shell.collapseLeft();
    shell.mode = "single-document";
  });
  const viewer = viewerOf(page);
  await expect(figure(viewer, "max")).toHaveText("5");
  for (const theme of themes) {
    await page.theme.setTheme(theme);
    for (const width of [320, 1000, 1600]) {
      await page.setViewportSize({ width, height: 900 });
      // JupyterLab lays itself out anew some time after the window has another size.
      const beyond = () => viewer.evaluate((node) => node.scrollWidth - Math.ceil(node.getBoundingClientRect().width));
      await expect.poll(beyond).toBeLessThanOrEqual(0);
      await page.screenshot({ path: shot(`viewer-${shortName(theme)}-${width}`) });
    }
  }
});
