// The kernels of a stored profile: the table, the rooflines and the advice, from the file alone.
import type { Locator } from "@playwright/test";
import { expect, test } from "./jupyterlab";
import { kernel, mime, profile } from "./kernel-profile";
import { cell, contrastsOf, notebookOf, open, output, shot, typescript } from "./notebook";
import { darkThemes } from "./themes";

const hostile = `<img src=x onerror="window.hacked=1">\u202e\u0007${"x".repeat(10_000_000)}`;
const many = Array.from({ length: 10_000 }, (_, index) =>
  kernel({ name: `kernel_${index}`, mean: 1000 + ((index * 7919) % 10_000) }),
);

const stored = (outputs: object[]): string =>
  notebookOf(
    typescript,
    outputs.map((payload, index) => ({ source: `profile ${index}`, outputs: [output({ [mime]: payload })] })),
  );

async function upload(page: Parameters<typeof open>[0], folder: string, outputs: object[]): Promise<void> {
  await page.contents.uploadContent(stored(outputs), "text", `${folder}/kernels.ipynb`);
  await open(page, `${folder}/kernels.ipynb`, { start: false });
}

/** A view of an output; where views are behind tabs, its tab is chosen. */
async function view(
  page: Parameters<typeof open>[0],
  index: number,
  name: "kernels" | "roofline" | "advice",
): Promise<Locator> {
  const found = cell(page, index).locator(`.warpcell-${name}`);
  const tab = cell(page, index).getByRole("tab", { name: new RegExp(name, "i") });
  await found.or(tab).first().waitFor();
  if (await tab.count()) await tab.click();
  await found.scrollIntoViewIfNeeded();
  return found;
}

const column = (table: Locator, id: string): Locator => table.locator(`td[data-column="${id}"]`);

test("the table says what each kernel took, in columns that say something, the slowest first", async ({
  page,
  tmpPath,
}) => {
  await upload(page, tmpPath, [profile()]);
  const table = await view(page, 0, "kernels");
  await expect(table.locator("th")).toHaveText([
    "Name",
    "Time %",
    "Total",
    "Calls",
    "Mean ± std",
    "Min … Max",
    "Device",
    "Grid",
    "Block",
    "Registers",
    "Shared",
    "Occupancy",
    "Bandwidth",
    "Throughput",
    "warp stalls",
    "Launched at",
  ]);
  await expect(column(table, "name").first()).toHaveText("axpy<float>(int, float, const float *, float *)");
  await expect(column(table, "device").first()).toHaveText("cpu");
  await expect(column(table, "name").nth(1)).toHaveText("matmul sgemm_128x128x16_nt");
  await expect(column(table, "mean").nth(1)).toHaveText("368 ± 15 µs");
  await expect(column(table, "occupancy").nth(1)).toHaveText("18 / 19 % · registers");
  await expect(column(table, "bandwidth").nth(2)).toHaveText("3.68 TB/s · 94 %");
  await expect(column(table, "throughput").nth(1)).toHaveText("373 TFLOP/s · 95 %");
  await page.screenshot({ path: shot("kernels-light") });
});

test("titles sort, by pointer and by key, and the filter leaves what it names", async ({ page, tmpPath }) => {
  await upload(page, tmpPath, [profile()]);
  const table = await view(page, 0, "kernels");
  await table.getByRole("button", { name: "Mean ± std" }).click();
  await expect(column(table, "name").first()).toContainText("mandelbrot");
  await expect(table.locator('th[data-column="mean"]')).toHaveAttribute("aria-sort", "descending");
  await page.keyboard.press("Enter");
  await expect(table.locator('th[data-column="mean"]')).toHaveAttribute("aria-sort", "ascending");
  await expect(column(table, "name").first()).toContainText("hash_rounds");
  await table.getByRole("searchbox").fill("axpy cuda");
  await expect(column(table, "name")).toHaveCount(1);
  await expect(table.getByRole("status")).toHaveText("1 of 11 kernels");
  await table.getByRole("searchbox").fill("nothing of the kind");
  await expect(column(table, "name")).toHaveCount(0);
});

test("keys alone go from row to row and to its lines", async ({ page, tmpPath }) => {
  await upload(page, tmpPath, [profile()]);
  const table = await view(page, 0, "kernels");
  await table.getByRole("searchbox").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await expect(table.locator('[aria-selected="true"] td[data-column="name"]')).toHaveText(
    "hash_rounds(unsigned int *)",
  );
  const current = await table.locator('[aria-selected="true"]').getAttribute("id");
  await expect(table.getByRole("grid")).toHaveAttribute("aria-activedescendant", current!);
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Shift+Tab");
  await expect(table.locator('[aria-selected="true"] td[data-column="name"]')).toHaveText("matmul sgemm_128x128x16_nt");
  await expect(table.locator('[aria-selected="true"] .warpcell-kernels-place').first()).toHaveJSProperty("tabIndex", 0);
  await page.screenshot({ path: shot("kernels-keyboard") });
});

test("10,000 kernels are a table of which the page holds what is seen", async ({ page, tmpPath }) => {
  await upload(page, tmpPath, [profile(many)]);
  const table = await view(page, 0, "kernels");
  await expect(table.getByRole("status")).toHaveText("10,000 kernels");
  await table.getByRole("grid").focus();
  await page.keyboard.press("End");
  await expect(table.locator('[aria-selected="true"]')).toHaveAttribute("aria-rowindex", "10001");
  await expect(table.locator('[aria-selected="true"]')).toBeInViewport();
  expect(await table.locator("tbody tr").count()).toBeLessThan(80);
  await page.screenshot({ path: shot("kernels-many") });
});

test("rows are copied as tab-separated values", async ({ page, tmpPath, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await upload(page, tmpPath, [profile()]);
  const table = await view(page, 0, "kernels");
  await table.getByRole("searchbox").fill("mandelbrot");
  await table.getByRole("button", { name: "Copy" }).click();
  await expect(table.getByRole("status")).toHaveText("1 row copied");
  const [titles, values] = (await page.evaluate(() => navigator.clipboard.readText()))
    .split("\n")
    .map((line) => line.split("\t"));
  expect(values![titles!.indexOf("Total (ns)")]).toBe("9400000");
  expect(values![titles!.indexOf("Name")]).toBe("mandelbrot");
});

test("a roofline has its ceilings, a dot per kernel, and names the one that is pointed at or reached by keys", async ({
  page,
  tmpPath,
}) => {
  await upload(page, tmpPath, [profile()]);
  const roofline = await view(page, 0, "roofline");
  const device = roofline.locator(".warpcell-roofline-device").first();
  await expect(device.locator(".warpcell-roofline-dot")).toHaveCount(7);
  await expect(device.locator(".warpcell-roofline-ceiling")).toHaveCount(4);
  await expect(device.locator(".warpcell-roofline-label")).toContainText([
    "copy 3.91 TB/s",
    "float16 760 TFLOP/s",
    "tf32 395 TFLOP/s",
    "float32 51 TFLOP/s",
  ]);
  await expect(device.locator(".warpcell-roofline-list button")).toContainText(["mandelbrot", "transpose_tile"]);
  await device.locator(".warpcell-roofline-field").focus();
  await page.keyboard.press("ArrowRight");
  await expect(device.getByRole("status")).toHaveText(
    /^sgemm_128x128x16_nt 684 FLOP\/B · 373 TFLOP\/s · 546 GB\/s · 95 % of what tf32 arithmetic allows/,
  );
  await page.keyboard.press("ArrowRight");
  await expect(device.getByRole("status")).toContainText("94 % of what memory allows");
  await device.screenshot({ path: shot("roofline-light") });
  await page.keyboard.press("Escape");
  await device.locator(".warpcell-roofline-dot").nth(2).hover();
  await expect(device.getByRole("status")).toContainText("reduce_naive");
});

test("a device that was not measured says so, and advice leads to its line", async ({ page, tmpPath }) => {
  const devices = [{ device: "cuda:0", name: "NVIDIA H200", copy: null, product: {}, busy: 1 }];
  await upload(page, tmpPath, [profile(undefined, { devices })]);
  const roofline = await view(page, 0, "roofline");
  await expect(roofline.locator(".warpcell-roofline-note").first()).toHaveText(
    "No rates of this device were measured, so the picture has no ceilings.",
  );
  const advice = await view(page, 0, "advice");
  await expect(advice.getByRole("button")).toHaveCount(3);
  await expect(advice.getByRole("button").first()).toContainText("Cell [3]:4");
});

test("names with markup, controls and 10 MB do nothing", async ({ page, tmpPath }) => {
  await upload(page, tmpPath, [
    profile([
      kernel({
        name: hostile,
        operation: hostile.slice(0, 5000),
        mean: 10,
        bytes: 1,
        flops: 1,
        dtype: hostile.slice(0, 100),
        limiter: hostile.slice(0, 100),
      }),
    ]),
  ]);
  const table = await view(page, 0, "kernels");
  await expect(column(table, "name")).toContainText(/<img src=x onerror="window\.hacked=1">..xxx/);
  await view(page, 0, "roofline");
  expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  await expect(cell(page, 0).locator("img")).toHaveCount(0);
  await expect(await view(page, 0, "kernels")).toBeVisible();
});

for (const [theme, name] of darkThemes) {
  test(`everything is seen in ${theme}`, async ({ page, tmpPath }) => {
    await page.theme.setTheme(theme);
    await upload(page, tmpPath, [profile()]);
    const table = await view(page, 0, "kernels");
    await page.screenshot({ path: shot(`kernels-${name}`) });
    // WCAG 2.2, success criterion 1.4.3.
    await expect
      .poll(async () => Math.min(...(await contrastsOf(table.locator("td, th button")))))
      .toBeGreaterThanOrEqual(4.5);
    const roofline = await view(page, 0, "roofline");
    await expect
      .poll(async () =>
        Math.min(
          ...(await contrastsOf(roofline.locator(".warpcell-roofline-title, .warpcell-roofline-reading, li *"))),
        ),
      )
      .toBeGreaterThanOrEqual(4.5);
    await roofline.screenshot({ path: shot(`roofline-${name}`) });
  });
}

test("300 pixels are enough", async ({ page, tmpPath }) => {
  await upload(page, tmpPath, [profile()]);
  await cell(page, 0)
    .locator(".jp-OutputArea-output")
    .evaluate((node) => (node.style.maxWidth = "300px"));
  const table = await view(page, 0, "kernels");
  await expect(table.locator("th").first()).toHaveText("Name");
  const [field, name] = [await table.locator(".warpcell-kernels-field").boundingBox(), column(table, "name").first()];
  expect(field!.width).toBeLessThanOrEqual(300);
  await table.locator(".warpcell-kernels-field").evaluate((node) => (node.scrollLeft = 400));
  await expect(name).toBeInViewport();
  expect((await name.boundingBox())!.width).toBeLessThan(180);
  await cell(page, 0)
    .locator(".jp-OutputArea-output")
    .screenshot({ path: shot("kernels-narrow") });
  const roofline = await view(page, 0, "roofline");
  expect((await roofline.locator("svg").first().boundingBox())!.width).toBeLessThanOrEqual(300);
  await roofline.screenshot({ path: shot("roofline-narrow") });
});
