// No view has anything that axe finds wrong, in light, in dark and in high contrast.
import type { IJupyterLabPageFixture } from "@jupyterlab/galata";
import { readFileSync } from "node:fs";
import { expect, test } from "./jupyterlab";
import { cell, notebookOf, open, shot, typescript } from "./notebook";
import { run, setTheme, shortName, themes, widen } from "./side-panel";

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

/** What an output looks like in notebooks of three widths, for people to look at; axe looks at the widest. */
async function checkOutput(page: IJupyterLabPageFixture, what: string, selector: string): Promise<void> {
  await check(page, what, selector);
  const output = page.locator(selector).first();
  for (const theme of themes) {
    await page.theme.setTheme(theme);
    for (const width of [320, 1000, 1600]) {
      await page.setViewportSize({ width, height: 1000 });
      await output.scrollIntoViewIfNeeded();
      await output.screenshot({ path: shot(`${what.replaceAll(/[' ]+/g, "-")}-${shortName(theme)}-${width}`) });
    }
  }
  await page.theme.setLightTheme();
}

const sources = [
  "%%cuda\n__global__ void axpy(float* y, const float* x, float a, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] += a * x[i];\n}",
  'import { exercise, ones, plot, rand, zeros } from "warpcell";\nconst x = rand([4, 32, 32], { seed: 1 }), y = zeros([4096]);\nawait axpy.time({ grid: 16, block: 256 }, y, ones([4096]), 1, 4096);\nx',
  "plot({ sine: y.add(1).slice([0, 64]), cosine: y.slice([0, 64]) }, { title: 'Waves' })",
  "exercise('Twice', () => { throw new Error('2 must be 4.'); }, { hints: ['Multiply by two.'], answer: '2 * 2' })",
  "%%profile\nfor (let step = 0; step < 20; step++) axpy.over(4096)(y, ones([4096]), 1, 4096);",
];

const kernelOf = (page: IJupyterLabPageFixture) => page.getByText(/TypeScript \+ CUDA \| Idle/);

test("panels, outputs and the viewer", async ({ page, tmpPath }) => {
  await page.setViewportSize({ width: 1600, height: 1000 });
  const path = `${tmpPath}/views.ipynb`;
  const cells = sources.map((source) => ({ source }));
  await page.contents.uploadContent(notebookOf(typescript, cells), "text", path);
  await open(page, path);
  await expect(kernelOf(page)).toBeVisible();
  await page.notebook.run();
  await page.evaluate(axe);
  // JupyterLab's page has no height and hides what flows over: axe would take all of it for hidden.
  await page.addStyleTag({ content: "body { height: 100vh; }" });

  await page.evaluate(() => {
    const { jupyterapp } = window as unknown as { jupyterapp: { shell: { collapseLeft(): void } } };
    jupyterapp.shell.collapseLeft();
  });
  const output = (index: number) => `.jp-Cell[data-windowed-list-index="${index}"] .jp-OutputArea-output`;
  await expect(cell(page, 1).locator(".warpcell-tensor")).toBeVisible();
  await expect(cell(page, 2).locator(".warpcell-chart svg")).toBeVisible();
  await expect(cell(page, 3).locator(".jp-OutputArea-output summary")).toHaveCount(2);
  await checkOutput(page, "a tensor's picture", output(1));
  await checkOutput(page, "a chart", output(2));
  await checkOutput(page, "an exercise", output(3));
  await expect(cell(page, 4).getByRole("tab", { name: "Timeline" })).toBeVisible();
  for (const tab of ["Timeline", "Kernels", "Operations", "Roofline", "Advice", "Compare"]) {
    await cell(page, 4).getByRole("tab", { name: tab }).click();
    await checkOutput(page, `a profile's ${tab}`, output(4));
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
