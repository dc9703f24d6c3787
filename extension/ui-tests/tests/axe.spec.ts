// No view has anything that axe finds wrong, in light, in dark and in high contrast.
import type { IJupyterLabPageFixture } from "@jupyterlab/galata";
import { readFileSync } from "node:fs";
import { expect, test } from "./jupyterlab";
import { cell, notebookOf, open, shot, typescript } from "./notebook";
import { run, widen } from "./side-panel";
import { isLong, setTheme, shortName, themes } from "./themes";

const pictured = isLong ? themes : themes.slice(0, 1);
const widths = isLong ? [320, 1000, 1600] : [320];

const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

interface Rule {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

/** What is wrong with the view, a line each, and the rules that it was held to, whether or not axe can tell. */
function found(page: IJupyterLabPageFixture, selector: string): Promise<{ wrong: string[]; rules: string[] }> {
  return page.evaluate(async (selector) => {
    const { axe } = window as unknown as {
      axe: { run(what: Element[]): Promise<Record<"violations" | "passes" | "incomplete", Rule[]>> };
    };
    const { violations, passes, incomplete } = await axe.run([...document.querySelectorAll(selector)]);
    const wrong = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    );
    return { wrong, rules: [...passes, ...incomplete].map(({ id }) => id) };
  }, selector);
}

async function check(page: IJupyterLabPageFixture, what: string, selector: string): Promise<void> {
  await expect(page.locator(selector).first()).toBeVisible();
  // A cell out of sight is not laid out.
  await page.locator(selector).first().scrollIntoViewIfNeeded();
  // The light one last, as it was.
  for (const theme of themes.toReversed()) {
    await page.theme.setTheme(theme);
    const { wrong, rules } = await found(page, selector);
    expect.soft(wrong, `${what}, ${theme}`).toEqual([]);
    // Text that axe takes for hidden would not be looked at.
    expect(rules, `${what}, ${theme}`).toContain("color-contrast");
  }
}

const sources = [
  "%%cuda\n__global__ void axpy(float* y, const float* x, float a, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] += a * x[i];\n}",
  'import { exercise, ones, plot, rand, zeros } from "warpcell";\nconst x = rand([4, 32, 32], { seed: 1 }), y = zeros([4096]);\nawait axpy.time({ grid: 16, block: 256 }, y, ones([4096]), 1, 4096);\nx',
  "plot({ sine: y.add(1).slice([0, 64]), cosine: y.slice([0, 64]) }, { title: 'Waves' })",
  "exercise('Twice', () => { throw new Error('2 must be 4.'); }, { hints: ['Multiply by two.'], answer: '2 * 2' })",
  "%%profile\nfor (let step = 0; step < 20; step++) axpy.over(4096)(y, ones([4096]), 1, 4096);",
];

const kernelOf = (page: IJupyterLabPageFixture) => page.getByText(/TypeScript \+ CUDA \| Idle/);

const tabs = ["Timeline", "Kernels", "Operations", "Roofline", "Advice", "Compare"] as const;
const output = (index: number) => `.jp-Cell[data-windowed-list-index="${index}"] .jp-OutputArea-output`;

/** A notebook that has run, in a window without panels at its left. */
async function start(page: IJupyterLabPageFixture, path: string): Promise<void> {
  await page.setViewportSize({ width: 1600, height: 1000 });
  const cells = sources.map((source) => ({ source }));
  await page.contents.uploadContent(notebookOf(typescript, cells), "text", path);
  await open(page, path);
  await expect(kernelOf(page)).toBeVisible();
  await run(page, "notebook:run-all-cells");
  await page.evaluate(() => {
    const { jupyterapp } = window as unknown as { jupyterapp: { shell: { collapseLeft(): void } } };
    jupyterapp.shell.collapseLeft();
  });
  await expect(cell(page, 1).locator(".warpcell-tensor")).toBeVisible();
  await expect(cell(page, 2).locator(".warpcell-chart svg")).toBeVisible();
  await expect(cell(page, 3).locator(".jp-OutputArea-output summary")).toHaveCount(2);
  await expect(cell(page, 4).getByRole("tab", { name: "Timeline" })).toBeVisible();
}

test("panels, outputs and the viewer", async ({ page, tmpPath }) => {
  await start(page, `${tmpPath}/views.ipynb`);
  await page.evaluate(axe);
  // JupyterLab's page has no height and hides what flows over: axe would take all of it for hidden.
  await page.addStyleTag({ content: "body { height: 100vh; }" });

  await check(page, "a tensor's picture", output(1));
  await check(page, "a chart", output(2));
  await check(page, "an exercise", output(3));
  for (const tab of tabs) {
    await cell(page, 4).getByRole("tab", { name: tab }).click();
    await check(page, `a profile's ${tab}`, output(4));
  }

  for (const panel of ["variables", "memory", "kernel"]) {
    await run(page, `warpcell:show-${panel}`);
    await expect(page.locator(`#warpcell-${panel} table:visible`).first()).toBeVisible();
    for (const width of [320, 1000]) {
      await widen(page, width);
      await check(page, `the panel of ${panel} at ${width} px`, `#warpcell-${panel}`);
    }
  }
  await page.locator("#warpcell-kernel").getByRole("button", { name: "Restart session…" }).click();
  await check(page, "the question before a restart", "#warpcell-kernel");
  await widen(page, 320);
  await cell(page, 1).getByRole("button", { name: "Open" }).click();
  const viewer = ".warpcell-viewer:not(.lm-mod-hidden)";
  await expect(page.locator(`${viewer} canvas`).first()).toBeVisible();
  await page.setViewportSize({ width: 2000, height: 1000 });
  await page.evaluate(() => {
    const { jupyterapp } = window as unknown as { jupyterapp: { shell: { mode: string } } };
    jupyterapp.shell.mode = "single-document";
  });
  for (const width of [200, 320, 1600]) {
    const [dock, side] = await Promise.all(
      ["#jp-main-dock-panel", "#jp-right-stack"].map((each) =>
        page.locator(each).evaluate(({ clientWidth }) => clientWidth),
      ),
    );
    await widen(page, dock! + side! - width);
    await expect
      .poll(() => page.locator(viewer).evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))
      .toBe(0);
    await check(page, `the viewer at ${width} px`, viewer);
    for (const theme of ["light", "dark"] as const) {
      await setTheme(page, theme);
      await page.screenshot({ path: shot(`viewer-${theme}-${width}`) });
    }
  }
});

test("pictures of outputs in every theme, in notebooks of three widths, for people to look at", async ({
  page,
  tmpPath,
}) => {
  await start(page, `${tmpPath}/pictures.ipynb`);
  const take = async (name: string, index: number): Promise<void> => {
    const shown = page.locator(output(index)).first();
    for (const theme of pictured) {
      await page.theme.setTheme(theme);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 1000 });
        await shown.scrollIntoViewIfNeeded();
        await shown.screenshot({ path: shot(`${name}-${shortName(theme)}-${width}`) });
      }
    }
  };
  for (const [index, name] of ["tensor", "chart", "exercise"].entries()) await take(`output-${name}`, index + 1);
  for (const tab of tabs) {
    await cell(page, 4).getByRole("tab", { name: tab }).click();
    await take(`output-${tab.toLowerCase()}`, 4);
  }
  // Nothing is wider than its place but the chart, whose words stay readable.
  await page.setViewportSize({ width: 320, height: 1000 });
  const beyond = () =>
    page
      .locator(".jp-Notebook .jp-OutputArea-output:not(.warpcell-chart)")
      .evaluateAll((nodes) => nodes.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length);
  await expect.poll(beyond).toBe(0);
});
