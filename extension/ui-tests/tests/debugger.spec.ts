// JupyterLab's own debugger with the real kernel: a breakpoint set by a click beside a line, the stop with its stack and
// variables, a step, and on.
import type { IJupyterLabPageFixture } from "@jupyterlab/galata";
import { expect, test } from "./jupyterlab";
import { cell, notebookOf, open, shot, typescript } from "./notebook";

const sources = [
  'import { zeros } from "warpcell";\nfunction area(width: number, height: number) {\n  const grid = zeros([width, height]);\n  const product = width * height;\n  return product;\n}',
  "let total = 0;\nfor (const side of [2, 3]) {\n  total += area(side, 10);\n}\ntotal",
];

/** Without waiting for its end. */
function run(page: IJupyterLabPageFixture): Promise<void> {
  return page.evaluate(() => {
    const app = (window as unknown as { jupyterapp: { commands: { execute(command: string): Promise<unknown> } } })
      .jupyterapp;
    void app.commands.execute("notebook:run-cell");
  });
}

const frames = (page: IJupyterLabPageFixture) => page.locator(".jp-DebuggerCallstackFrame");
const stoppedLine = (page: IJupyterLabPageFixture, index: number) =>
  cell(page, index).locator(".jp-DebuggerEditor-highlight");
const variable = (page: IJupyterLabPageFixture, name: string) =>
  page.locator(".jp-DebuggerVariables-name", { hasText: new RegExp(`^${name}$`) }).locator("+ *");
const press = (page: IJupyterLabPageFixture, command: string) =>
  page.locator(`#jp-debugger-sidebar [data-command="debugger:${command}"]`).click();

/** Opens the notebook, runs its first cell, and sets a breakpoint there by a click. */
async function begin(page: IJupyterLabPageFixture, path: string): Promise<void> {
  const cells = sources.map((source) => ({ source }));
  await page.contents.uploadContent(notebookOf(typescript, cells), "text", path);
  await open(page, path);
  await page.notebook.runCell(0, true);
  await page.debugger.switchOn();
  await page.notebook.waitForCellGutter(0);
  await page.notebook.clickCellGutter(0, 4);
  await page.debugger.waitForBreakPoints();
}

test("a click beside a line stops there, with stack and variables; a step, and on to the end", async ({
  page,
  tmpPath,
}) => {
  await begin(page, `${tmpPath}/debugged.ipynb`);
  await cell(page, 1).locator(".cm-content").click();
  await run(page);
  await page.debugger.waitForCallStack();
  await expect(frames(page)).toHaveCount(2);
  await expect(frames(page)).toHaveText([/^area *Cell \[1\]:4$/, /^Cell \[2\] *Cell \[\*\]:3$/]);
  await expect(stoppedLine(page, 0)).toHaveText("  const product = width * height;");
  await expect(variable(page, "width")).toHaveText("2");
  await expect(variable(page, "height")).toHaveText("10");
  await expect(variable(page, "grid")).toHaveText(/^Tensor float32 \[2, 10\] (cpu|cuda:0)$/);
  await page.screenshot({ path: shot("debugger-stopped") });

  await press(page, "next");
  await expect(stoppedLine(page, 0)).toHaveText("  return product;");
  await expect(variable(page, "product")).toHaveText("20");
  await press(page, "continue");
  await expect(stoppedLine(page, 0)).toHaveText("  const product = width * height;");
  await expect(variable(page, "width")).toHaveText("3");
  await press(page, "continue");
  await expect(cell(page, 1).locator(".jp-OutputArea-output")).toHaveText(["50"]);
  await expect(frames(page)).toHaveCount(0);
  // Nothing is stopped: the notebook's names.
  await expect(variable(page, "total")).toHaveText("50");
  await page.theme.setDarkTheme();
  await page.screenshot({ path: shot("debugger-dark") });
  await page.debugger.switchOff();
});

test("a restart and an interrupt while code is stopped: nothing hangs, and the notebook runs again", async ({
  page,
  tmpPath,
}) => {
  await begin(page, `${tmpPath}/debugged.ipynb`);
  await cell(page, 1).locator(".cm-content").click();
  await run(page);
  await page.debugger.waitForCallStack();
  await page.menu.clickMenuItem("Kernel>Interrupt Kernel");
  await expect(cell(page, 1).locator(".jp-OutputArea-output")).toContainText(["Interrupted"]);
  await expect(frames(page)).toHaveCount(0);

  await cell(page, 1).locator(".cm-content").click();
  await run(page);
  await page.debugger.waitForCallStack();
  await page.evaluate(async () => {
    const app = (
      window as unknown as {
        jupyterapp: { shell: { currentWidget: { sessionContext: { restartKernel(): Promise<void> } } } };
      }
    ).jupyterapp;
    await app.shell.currentWidget.sessionContext.restartKernel();
  });
  await page.notebook.setCell(1, "code", "6 * 7");
  await page.notebook.runCell(1, true);
  await expect(cell(page, 1).locator(".jp-OutputArea-output")).toHaveText(["42"]);
});
