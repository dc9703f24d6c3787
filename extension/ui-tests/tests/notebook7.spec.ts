// Notebook 7, whose page has one notebook, a menu's line and panels at its sides and below it: all plugins are at work.
import type { Locator, Page } from "@playwright/test";
import { expect, test } from "./jupyterlab";
import { coloursOf, notebookOf, shot, typescript } from "./notebook";

const sources = [
  "%%cuda\n__global__ void axpy(float* y, const float* x, float a, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] += a * x[i];\n}",
  'import { ones, plot, rand, zeros } from "warpcell";\nconst picture = rand([4, 32, 32], { seed: 1 });\npicture',
  "plot({ sine: zeros([64]), cosine: ones([64]) }, { title: 'Waves' })",
  "%%profile\nfor (let step = 0; step < 20; step++) axpy.over(4096)(zeros([4096]), ones([4096]), 1, 4096);",
  "const wrong: number = picture;",
];

const cell = (page: Page, index: number): Locator => page.locator(`.jp-Cell[data-windowed-list-index="${index}"]`);

/** Runs a command of the page. */
const run = (page: Page, command: string): Promise<void> =>
  page.evaluate(async (command) => {
    const { jupyterapp } = window as unknown as {
      jupyterapp: { commands: { execute(command: string): Promise<unknown> } };
    };
    void jupyterapp.commands.execute(command);
  }, command);

test("pictures, profiles, gauge, panels, squiggles and viewer are there, and no plugin fails", async ({
  page: lab,
  tmpPath,
}) => {
  const path = `${tmpPath}/seven.ipynb`;
  await lab.contents.uploadContent(
    notebookOf(
      typescript,
      sources.map((source) => ({ source })),
    ),
    "text",
    path,
  );
  const page = await lab.context().newPage();
  const errors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" && /warpcell/i.test(message.text())) errors.push(message.text());
  });
  page.on("pageerror", ({ message, stack = "" }) => {
    if (stack.includes("@warpcell/jupyterlab")) errors.push(message);
  });
  await page.setViewportSize({ width: 1400, height: 1000 });
  await page.goto(new URL(`/notebooks/${path}`, lab.url()).href);
  await expect(cell(page, 4).locator(".cm-content")).toBeVisible();
  // What is wrong is underlined before anything has run.
  await expect(cell(page, 4).locator(".warpcell-squiggle").first()).toBeVisible();
  await run(page, "notebook:run-all-cells");
  await expect(cell(page, 1).locator(".warpcell-tensor canvas").first()).toBeVisible();
  await expect(cell(page, 2).locator(".warpcell-chart svg")).toBeVisible();
  await expect(cell(page, 3).getByRole("tab", { name: "Timeline" })).toBeVisible();
  const gauge = page.locator(".warpcell-gauges");
  await expect(gauge).toContainText(/cpu|cuda/);
  await page.screenshot({ path: shot("notebook7") });

  await gauge.click();
  await expect(page.locator("#warpcell-memory")).toBeVisible();
  for (const panel of ["variables", "kernel", "memory"]) {
    await run(page, `warpcell:show-${panel}`);
    await expect(page.locator(`#warpcell-${panel} table:visible`).first()).toBeVisible();
    await page.screenshot({ path: shot(`notebook7-${panel}`) });
  }

  await cell(page, 1).scrollIntoViewIfNeeded();
  await cell(page, 1).getByRole("button", { name: "Open" }).click();
  const viewer = page.locator(".warpcell-viewer");
  await expect(viewer).toBeVisible();
  await expect.poll(async () => (await coloursOf(viewer.locator("canvas").first())).distinct).toBeGreaterThan(20);
  await page.screenshot({ path: shot("notebook7-viewer") });

  await cell(page, 3).scrollIntoViewIfNeeded();
  await cell(page, 3).getByRole("button", { name: "Enlarge" }).click();
  await expect(page.locator(".warpcell-trace-large")).toBeVisible();
  await page.screenshot({ path: shot("notebook7-profile") });
  expect(errors).toEqual([]);
});
