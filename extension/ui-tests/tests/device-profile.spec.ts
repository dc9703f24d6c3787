// A profile that was taken on an H200, as a notebook stores it: every view of it from the file alone, light and dark,
// in the whole width and in 300 pixels.
import type { Locator } from "@playwright/test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "./jupyterlab";
import { cell, coloursOf, contrastsOf, notebookOf, open, output, shot, typescript } from "./notebook";
import { isLong } from "./themes";

const mime = "application/vnd.warpcell.trace.v1+json";
const profile = JSON.parse(readFileSync(join(__dirname, "fixtures", "h200-profile.json"), "utf8"));
const slowest = profile.kernels.toSorted((a: { total: number }, b: { total: number }) => b.total - a.total)[0];

/** As many lines as the cell had that was profiled. */
const source = Array.from({ length: 26 }, (_, index) => `// line ${index + 1}`).join("\n");

/** What each tab must show of this profile. */
const views: readonly (readonly [tab: string, check: (view: Locator) => Promise<unknown>])[] = [
  [
    "Timeline",
    async (view) => {
      const canvas = view.locator("canvas").first();
      await canvas.scrollIntoViewIfNeeded();
      await expect.poll(async () => (await coloursOf(canvas)).distinct).toBeGreaterThan(10);
      // The search reaches the kernel that took longest, and its details say so.
      await view.getByRole("searchbox").fill(slowest.name.slice(0, 24));
      await expect(view.locator(".warpcell-trace-found")).toHaveText(/^\d+ slices$/);
      await view.getByRole("searchbox").press("Enter");
      await expect(view.locator(".warpcell-trace-details")).toContainText(slowest.name.slice(0, 24));
      await expect(view.locator(".warpcell-trace-details")).toContainText("registers");
      await expect(view.getByRole("button", { name: "Go to line" })).toBeVisible();
    },
  ],
  [
    "Kernels",
    async (view) => {
      await expect(view.locator(".warpcell-kernels").getByRole("status")).toHaveText(
        `${profile.kernels.length} kernels`,
      );
      await expect(view.locator('td[data-column="name"]').first()).toContainText(slowest.name.slice(0, 24));
      await expect(
        view.locator('td[data-column="bandwidth"]').filter({ hasText: /^[\d.]+ [GT]B\/s · [\d.]+ %$/ }),
      ).not.toHaveCount(0);
      await expect(view.locator(".warpcell-kernels-place").first()).toHaveText(/^Cell \[5\]:\d+$/);
    },
  ],
  [
    "Roofline",
    async (view) => {
      await expect(view.locator(".warpcell-roofline-title")).toHaveText(["cuda:0 NVIDIA H200"]);
      await expect(view.locator(".warpcell-roofline-dot")).not.toHaveCount(0);
      await expect(view.locator(".warpcell-roofline-label").first()).toContainText(/^copy [\d.]+ TB\/s/);
    },
  ],
  [
    "Advice",
    async (view) => {
      await expect(view.locator(".warpcell-advice-button")).toHaveCount(profile.advice.length);
      await expect(view.locator(".warpcell-advice-button").first()).toContainText(profile.advice[0].text);
      await expect(view.locator(".warpcell-advice-place").first()).toHaveText(
        profile.places[profile.advice[0].place].text,
      );
    },
  ],
];

for (const [theme, name] of [
  ["JupyterLab Light", "light"],
  ["JupyterLab Dark", "dark"],
] as const) {
  for (const width of isLong ? [0, 300] : [theme === "JupyterLab Light" ? 0 : 300]) {
    test(`every view of a device's profile is there, ${name}, ${width === 0 ? "in the whole width" : "in 300 pixels"}`, async ({
      page,
      tmpPath,
    }) => {
      await page.contents.uploadContent(
        notebookOf(typescript, [{ source, count: 5, outputs: [output({ [mime]: profile })] }]),
        "text",
        `${tmpPath}/device.ipynb`,
      );
      await page.theme.setTheme(theme);
      await page.sidebar.close("left");
      await open(page, `${tmpPath}/device.ipynb`, { start: false });
      const view = cell(page, 0).locator(".warpcell-trace-view");
      await view.waitFor();
      await expect(cell(page, 0).locator(".warpcell-trace-badge")).toHaveText(/^profile: [\d.]+ (ms|µs)$/);
      if (width > 0)
        await cell(page, 0)
          .locator(".jp-OutputArea-output")
          .evaluate((node, most) => (node.style.maxWidth = `${most}px`), width);
      for (const [tab, check] of views) {
        await view.getByRole("tab", { name: tab }).click();
        await check(view);
        // Nothing sticks out, and all texts can be read. WCAG 2.2, success criterion 1.4.3.
        expect(await view.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0);
        if (width > 0) expect((await view.boundingBox())!.width).toBeLessThanOrEqual(width);
        const texts = view
          .locator(
            ".warpcell-trace-title > *, .warpcell-tab, .warpcell-trace-details strong, .warpcell-kernels-status, .warpcell-roofline-reading, .warpcell-advice-text",
          )
          .filter({ visible: true });
        await expect.poll(async () => Math.min(...(await contrastsOf(texts)))).toBeGreaterThanOrEqual(4.5);
        await view.evaluate((element) => element.scrollIntoView());
        await page.screenshot({ path: shot(`device-${tab.toLowerCase()}-${name}${width || ""}`) });
      }
    });
  }
}
