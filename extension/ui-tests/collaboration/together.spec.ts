// Two people on one document of jupyter-collaboration, each in a page of their own: what one writes is checked at the
// other's, what one runs is drawn at the other's, and names are the same for both. Started by test/long/collaboration.test.ts,
// which brings that package.
import type { IJupyterLabPageFixture } from "@jupyterlab/galata";
import type { Page } from "@playwright/test";
import { expect, test } from "../tests/jupyterlab";
import { cell, notebookOf, open, typescript } from "../tests/notebook";
import { run } from "../tests/side-panel";

const names = (page: Page) => page.locator("#warpcell-variables .warpcell-variables-name");
const marks = (page: Page) => page.locator(".warpcell-squiggle");
const idle = (page: Page) => expect(page.getByText(/ \| Idle$/)).toBeVisible();

test("what one writes and runs, both see", async ({ page, tmpPath }) => {
  const path = `${tmpPath}/together.ipynb`;
  const sources = ['import { ones } from "warpcell";\nconst kept = ones([4, 4]);\nkept', ""];
  const cells = sources.map((source) => ({ source }));
  await page.contents.uploadContent(notebookOf(typescript, cells), "text", path);
  await open(page, path);
  await run(page, "warpcell:show-variables");
  await idle(page);
  // The document is a room of the server's, not a file that each page loads.
  const isShared = await page.evaluate(() => {
    type Panel = { context: { urlResolver: unknown; model: { collaborative: boolean } } };
    const { currentWidget } = (window as unknown as { jupyterapp: { shell: { currentWidget: Panel } } }).jupyterapp
      .shell;
    return currentWidget.context.model.collaborative;
  });
  expect(isShared).toBe(true);

  const other = await page.context().newPage();
  await other.goto(new URL(`/lab/workspaces/other/tree/${path}`, page.url()).href);
  await expect(other.locator(".jp-CodeCell").nth(1)).toBeVisible();
  await run(other as unknown as IJupyterLabPageFixture, "warpcell:show-variables");
  await idle(other);

  // The cell that one runs is drawn at the other's.
  await page.notebook.selectCells(0);
  await run(page, "notebook:run-cell");
  for (const each of [page, other]) {
    await expect(each.locator(".warpcell-tensor canvas")).toBeVisible();
    await expect(names(each)).toHaveText(["kept"]);
  }

  // What the other writes is underlined at both, at the keyboard of one.
  const written = other.locator(".jp-CodeCell").nth(1).locator(".cm-content");
  await written.click();
  await other.keyboard.type("const text: string = kept;");
  for (const each of [page, other]) await expect(marks(each)).toHaveText(["text"]);
  await expect(cell(page, 1).locator(".cm-content")).toHaveText("const text: string = kept;");
  for (let turn = 0; turn < "const text: string = kept;".length; turn++) await other.keyboard.press("Backspace");
  await other.keyboard.type("const twice = kept.mul(2); twice");
  for (const each of [page, other]) await expect(marks(each)).toHaveCount(0);

  await other.keyboard.press("Control+Enter");
  for (const each of [page, other]) {
    await expect(each.locator(".warpcell-tensor canvas")).toHaveCount(2);
    await expect(names(each)).toHaveText(["kept", "twice"]);
  }
});
