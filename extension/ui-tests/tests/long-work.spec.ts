// Work that takes long says how far it is while it runs and leaves nothing behind; what is printed at length folds.
import { expect, test } from "./jupyterlab";
import { cell, notebookOf, open, shot, typescript } from "./notebook";
import { setTheme } from "./themes";

/** A compiler evaluates it, which takes seconds on any machine. */
const slow = `constexpr int worked(int seed) {
  int sum = seed;
  for (int outer = 0; outer < 100; outer++)
    for (int inner = 0; inner < 6000; inner++) sum = (sum * 31 + inner) % 1009;
  return sum;
}
${[1, 2, 3].map((seed) => `constexpr int value${seed} = worked(${seed});`).join("\n")}
__global__ void slow(int* out) { out[0] = value1 + value2 + value3; }`;

const cells = [
  `%%cuda\n${slow}`,
  'import { progress } from "warpcell";\nlet loss = 1;\nfor (const step of progress(Array(40).keys(), { total: 40, show: () => ({ loss }) })) {\n  loss *= 0.9;\n  await new Promise((done) => setTimeout(done, 50));\n}',
  "for (let line = 0; line < 3000; line++) console.log(`line ${line}`);",
  'for (let at = 0; at <= 20; at++) process.stdout.write(`\\r${"#".repeat(at)} ${at}/20`);',
];

test("lines come and go, and long output folds", async ({ page, tmpPath }) => {
  const path = `${tmpPath}/long.ipynb`;
  await page.contents.uploadContent(
    notebookOf(
      typescript,
      cells.map((source) => ({ source })),
    ),
    "text",
    path,
  );
  await open(page, path);
  const outputs = (index: number) => cell(page, index).locator(".jp-OutputArea-output");
  const running = page.notebook.run();
  await expect(outputs(0).filter({ hasText: /^Compiling Cell \[1\] · 0:0\d$/ })).toBeVisible();
  await page.screenshot({ path: shot("long-work-compile") });
  await expect(outputs(1).filter({ hasText: /%.*│█.*│ \d+\/40 · .*\/s · 0:0\d left · loss 0\.\d+$/ })).toBeVisible();
  await page.screenshot({ path: shot("long-work-progress") });
  await running;

  // The line of the kernels is all that is left of the compile.
  await expect(outputs(0)).toHaveCount(1);
  await expect(outputs(0)).toContainText("slow");
  await expect(outputs(1)).toHaveText(/^100% │█+│ 40\/40 · /);
  const long = outputs(2);
  await expect(long).toContainText("line 2999");
  const { height, whole, end } = await long.evaluate((node) => ({
    height: node.clientHeight,
    whole: node.scrollHeight,
    end: node.scrollTop,
  }));
  expect(height).toBeLessThan(700);
  expect(whole).toBeGreaterThan(20_000);
  // Its end is what is in view.
  expect(Math.abs(end)).toBeLessThan(2);
  await expect(outputs(3)).toHaveText("#################### 20/20");

  for (const theme of ["light", "dark"] as const) {
    await setTheme(page, theme);
    for (const width of [320, 1000, 1600]) {
      await page.setViewportSize({ width, height: 900 });
      await long.scrollIntoViewIfNeeded();
      await page.screenshot({ path: shot(`long-work-${theme}-${width}`) });
    }
  }
});
