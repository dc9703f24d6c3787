// A stored profile in a notebook without a kernel: what the timeline draws, says and does by pointer and by keys.
import type { IJupyterLabPageFixture } from "@jupyterlab/galata";
import type { Locator } from "@playwright/test";
import { expect, test } from "./jupyterlab";
import { cell, coloursOf, contrastsOf, notebookOf, open, output, shot, typescript } from "./notebook";
import { payloadOf, trainingSlices } from "./trace-payload";
import { darkThemes } from "./themes";

const mime = "application/vnd.warpcell.trace.v1+json";
const source = `import { profile } from "warpcell";

async function train() {
  const batch = await next();
  loss = model.forward(batch);
  loss.backward();
}
await profile(train);`;

const stored = notebookOf(typescript, [
  { source: "// first" },
  { source, outputs: [output({ [mime]: payloadOf(trainingSlices()) })] },
  { source: "// augment\nworker.run();", count: 3 },
  { source: "broken", outputs: [output({ [mime]: { ...payloadOf(trainingSlices(1)), version: 4 } })] },
]);

const view = (page: IJupyterLabPageFixture): Locator => cell(page, 1).locator(".warpcell-trace-view");
const canvasOf = (page: IJupyterLabPageFixture): Locator => view(page).locator(".warpcell-trace-canvas");
const head = (page: IJupyterLabPageFixture): Locator =>
  view(page).locator(".warpcell-trace-details .warpcell-trace-head");

async function press(page: IJupyterLabPageFixture, ...names: string[]): Promise<void> {
  for (const name of names) await page.keyboard.press(name);
}

test.beforeEach(async ({ page, tmpPath }) => {
  await page.contents.uploadContent(stored, "text", `${tmpPath}/trace.ipynb`);
  await page.sidebar.close("left");
  await open(page, `${tmpPath}/trace.ipynb`, { start: false });
  await canvasOf(page).scrollIntoViewIfNeeded();
  await expect.poll(async () => (await coloursOf(canvasOf(page))).distinct).toBeGreaterThan(40);
});

test("a profile shows its title, tracks and notes", async ({ page }) => {
  await expect(view(page).locator(".warpcell-trace-title > *")).toHaveText([
    "five steps of training",
    "3.71 ms",
    "361 slices",
    "cuda:0, cpu",
  ]);
  await expect(canvasOf(page)).toHaveAttribute(
    "aria-label",
    /^Timeline of five steps of training: 361 slices in 3\.71 ms\./,
  );
  await expect(view(page).locator(".warpcell-trace-notes li")).toHaveText(/^Counters of the GPU/);
  await expect(cell(page, 1).locator("b", { hasText: "fallback" })).toHaveCount(0);
  await page.screenshot({ path: shot("trace-light") });
});

test("keys alone reach every slice, its cause, the search, sums and marks, and all is read aloud", async ({ page }) => {
  const aloud = view(page).locator(".warpcell-trace-announcer");
  await expect(aloud).toHaveAttribute("aria-live", "polite");
  await canvasOf(page).focus();
  await press(page, "ArrowRight");
  await expect(aloud).toHaveText("cell Cell [2], 704 µs, main thread, at 20 µs, Cell [2]:4");
  await press(page, "ArrowDown", "ArrowDown");
  await expect(aloud).toHaveText(/^launch launch /);
  await press(page, "e");
  await expect(head(page)).toContainText("sm90_gemm_f32f32_tf32");
  await press(page, "ArrowRight");
  await expect(aloud).toHaveText(
    /^kernel relu<float>, 23\.0 µs, stream 7 of cuda:0, at .*, Cell \[2\]:5, grid 4096, block 256, registers 24, bytes 128 MiB, 5\.84 TB\/s, follows from launch relu<float>$/,
  );
  await press(page, "c");
  await expect(head(page)).toContainText("launch relu<float>");
  await press(page, "e", "ArrowLeft");
  await expect(head(page)).toContainText("sm90_gemm_f32f32_tf32");
  await expect(view(page).locator(".warpcell-trace-facts dd").last()).toHaveText(/TFLOP\/s$/);
  await press(page, "m", "f", "w", "s", "a", "d");
  await page.screenshot({ path: shot("trace-slice") });

  await press(page, "/");
  await expect(view(page).locator(".warpcell-trace-search")).toBeFocused();
  await page.keyboard.type("SAXPY");
  await expect(view(page).locator(".warpcell-trace-found")).toHaveText("60 slices");
  await press(page, "Enter");
  await expect(head(page)).toContainText("saxpy");
  const first = await aloud.textContent();
  await press(page, "Enter", "Shift+Enter");
  await expect(aloud).toHaveText(first!);
  await press(page, "ArrowDown", "n", "0");
  await expect(canvasOf(page)).toBeFocused();
  await page.screenshot({ path: shot("trace-search") });
  await press(page, "Escape");
  await expect(view(page).locator(".warpcell-trace-found")).toBeHidden();

  for (let times = 0; times < 12; times++) await press(page, "Shift+ArrowRight");
  await expect(aloud).toHaveText(/ chosen, \d+ slices$/);
  await expect(view(page).locator(".warpcell-trace-sums table").first().locator("tbody tr").first()).not.toBeEmpty();
  await press(page, "?");
  await expect(view(page).locator(".warpcell-trace-help")).toBeVisible();
  await view(page).evaluate((element) => element.scrollIntoView());
  await page.screenshot({ path: shot("trace-help") });
  await press(page, "?", "Escape", "Escape");
  await expect(aloud).toHaveText("");
  // Where nothing is selected any more, keys are the cell's.
  await canvasOf(page).focus();
  await press(page, "x");
  await page.screenshot({ path: shot("trace-closed") });
  await press(page, "x", "Escape");
  await expect(canvasOf(page)).not.toBeFocused();
});

test("the pointer names what is under it, moves, zooms and chooses spans", async ({ page }) => {
  const canvas = canvasOf(page);
  const tip = view(page).locator(".warpcell-trace-tip");
  const { width } = (await canvas.boundingBox())!;
  // The fourth step's product: row of stream 7.
  await canvas.hover({ position: { x: width * 0.52, y: 190 } });
  await expect(tip.locator(".warpcell-trace-head")).toContainText(/sm90_gemm|relu/);
  await expect(tip).toContainText("Cell [2]:5");
  await page.screenshot({ path: shot("trace-hover") });
  await canvas.hover({ position: { x: width * 0.6, y: 240 } });
  await expect(tip).toContainText(/^memory of cuda:0.* MiB at .* ms, at most 1008 MiB$/);

  await canvas.click({ position: { x: width * 0.52, y: 190 } });
  await expect(head(page)).toContainText(/sm90_gemm|relu/);
  await canvas.dblclick({ position: { x: width * 0.52, y: 190 } });
  await page.screenshot({ path: shot("trace-focused") });

  const { x, y } = (await canvas.boundingBox())!;
  await page.mouse.move(x + width * 0.5, y + 60);
  const before = await canvas.screenshot();
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, 300);
  await page.keyboard.up("Control");
  await expect.poll(async () => (await canvas.screenshot()).equals(before)).toBe(false);
  await canvas.focus();
  await press(page, "Escape", "0");
  await page.keyboard.down("Shift");
  await page.mouse.move(x + width * 0.35, y + 120);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.7, y + 130, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await expect(view(page).locator(".warpcell-trace-sums")).toContainText("sm90_gemm_f32f32_tf32");
  await expect(view(page).locator(".warpcell-trace-sums")).toContainText("stream 7");
  await page.screenshot({ path: shot("trace-span") });
});

test("a slice lights up its cell and line, and a cell's badge shows what it ran", async ({ page }) => {
  const line = cell(page, 1).locator(".warpcell-trace-lit-line");
  await canvasOf(page).focus();
  await press(page, "ArrowRight");
  await expect(line).toHaveText("  const batch = await next();");
  await expect(cell(page, 1)).toHaveClass(/warpcell-trace-lit-cell/);
  await press(page, "ArrowDown");
  await expect(line).toHaveText("  loss = model.forward(batch);");
  await view(page).locator(".warpcell-trace-link", { hasText: "Go to line" }).click();
  await expect(cell(page, 1).locator(".cm-content")).toBeFocused();
  await expect(page.getByText("Ln 5, Col 1")).toBeVisible();
  await page.screenshot({ path: shot("trace-line") });

  await expect(cell(page, 0).locator(".warpcell-trace-badge")).toHaveCount(0);
  await expect(cell(page, 1).locator(".warpcell-trace-badge")).toHaveText("profile: 3.38 ms");
  const badge = cell(page, 2).locator(".warpcell-trace-badge");
  await expect(badge).toHaveCount(0);
  await expect(page.locator(".warpcell-trace-badge")).toHaveCount(1);
  await cell(page, 1).locator(".warpcell-trace-badge").click();
  await expect(view(page).locator(".warpcell-trace-found")).toHaveText(/^\d+ slices in front$/);
  await expect(canvasOf(page)).toBeFocused();
  await press(page, "Escape", "Escape");
  await expect(page.locator(".warpcell-trace-lit-line")).toHaveCount(0);
});

test("a profile opens in a tab of its own, below its notebook", async ({ page }) => {
  await view(page).getByRole("button", { name: "Enlarge" }).click();
  const large = page.locator(".warpcell-trace-large");
  await expect.poll(async () => (await coloursOf(large.locator("canvas"))).distinct).toBeGreaterThan(40);
  await large.locator("canvas").focus();
  await press(page, "ArrowRight", "ArrowDown");
  await expect(cell(page, 1).locator(".warpcell-trace-lit-line")).toHaveText("  loss = model.forward(batch);");
  await page.screenshot({ path: shot("trace-large") });
});

test("a profile of another version is one sentence", async ({ page }) => {
  await expect(cell(page, 3).locator(".warpcell-trace")).toHaveText(
    '"version" of a profile is 4 but should be 1. Bring the kernel and the JupyterLab extension to the same version.',
  );
});

for (const [theme, name] of darkThemes) {
  test(`everything is seen in ${theme}`, async ({ page }) => {
    await page.theme.setTheme(theme);
    await canvasOf(page).focus();
    await press(page, "ArrowRight", "ArrowDown", "ArrowDown", "e", "?");
    // WCAG 2.2, success criterion 1.4.3.
    const texts = view(page).locator(
      ".warpcell-trace-title > *, .warpcell-trace-details :is(strong, span, dt, dd, button), .warpcell-trace-help :is(kbd, dd), .warpcell-trace-button, .warpcell-trace-notes",
    );
    await expect.poll(async () => Math.min(...(await contrastsOf(texts)))).toBeGreaterThanOrEqual(4.5);
    // The canvas has the theme's background.
    await expect
      .poll(() =>
        canvasOf(page).evaluate((element) =>
          (element as HTMLCanvasElement)
            .getContext("2d")!
            .getImageData(2, 2, 1, 1)
            .data.slice(0, 3)
            .every((channel) => channel < 40),
        ),
      )
      .toBe(true);
    await press(page, "?");
    await cell(page, 1).evaluate((element) => element.scrollIntoView());
    await page.screenshot({ path: shot(`trace-${name}`) });
  });
}

test("a notebook of 300 pixels shows all of it", async ({ page }) => {
  await page.setViewportSize({ width: 416, height: 900 });
  await expect
    .poll(() => view(page).evaluate((element) => Math.round(element.getBoundingClientRect().width)))
    .toBeLessThanOrEqual(300);
  await canvasOf(page).scrollIntoViewIfNeeded();
  await canvasOf(page).focus();
  await press(page, "ArrowRight", "ArrowDown", "ArrowDown", "e");
  await expect(head(page)).toContainText("sm90_gemm");
  const overflow = await view(page).evaluate((element) => element.scrollWidth - element.clientWidth);
  expect(overflow).toBeLessThanOrEqual(0);
  await page.screenshot({ path: shot("trace-narrow") });
});

test.describe("on a screen of two device pixels to one", () => {
  test.use({ deviceScaleFactor: 2 });

  test("the timeline is painted in device pixels", async ({ page }) => {
    const { width } = (await canvasOf(page).boundingBox())!;
    await expect.poll(async () => (await coloursOf(canvasOf(page))).size[0]).toBe(Math.round(2 * width));
    await canvasOf(page).screenshot({ path: shot("trace-sharp") });
  });
});
