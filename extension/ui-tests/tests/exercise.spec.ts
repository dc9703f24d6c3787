// The card of an exercise as a stored notebook shows it: no kernel, no scripts, and a page that does not trust it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "./jupyterlab";
import { cell, contrastsOf, open, shot } from "./notebook";

const chapter = join(__dirname, "..", "..", "..", "notebooks", "course", "01-vectors.ipynb");
const sources = (JSON.parse(readFileSync(chapter, "utf8")) as { cells: { source: string[] }[] }).cells;
const first = sources.findIndex(({ source }) => source[0]?.startsWith('exercise("Every second element"'));

test.beforeEach(async ({ page, tmpPath }) => {
  await page.contents.uploadContent(readFileSync(chapter, "utf8"), "text", `${tmpPath}/vectors.ipynb`);
  await open(page, `${tmpPath}/vectors.ipynb`, { start: false });
  await cell(page, first).scrollIntoViewIfNeeded();
});

test("hints open one after another, and the answer when it is asked for", async ({ page }) => {
  const card = cell(page, first).locator(".jp-OutputArea-output");
  await expect(card.locator("strong")).toHaveText("○ Every second element");
  // The code, which has the answer in it, is folded.
  await expect(cell(page, first).locator(".cm-content")).toHaveCount(0);
  await expect(card).toContainText("y[1] must be 2, but is 1.");
  const summaries = card.locator("summary");
  await expect(summaries).toHaveText(["Hint 1 of 2", "Hint 2 of 2", "An answer"]);
  const [one, two] = [card.getByText("Which element of"), card.getByText("Thread 3 needs")];
  const answer = card.getByText("y[i] = x[2 * i];");
  for (const hidden of [one, two, answer, summaries.nth(1)]) await expect(hidden).toBeHidden();
  await summaries.nth(0).click();
  await expect(one).toBeVisible();
  await expect(two).toBeHidden();
  await summaries.nth(1).click();
  await expect(two).toBeVisible();
  await expect(answer).toBeHidden();
  await summaries.nth(2).click();
  await expect(answer).toBeVisible();
  await page.screenshot({ path: shot("exercise-light") });
});

test("everything on it is seen in the dark, too", async ({ page }) => {
  await page.theme.setTheme("JupyterLab Dark");
  const card = cell(page, first).locator(".jp-OutputArea-output");
  await card.locator("summary").first().click();
  await expect
    .poll(async () => Math.min(...(await contrastsOf(card.locator("strong, small, p, summary, code")))))
    .toBeGreaterThanOrEqual(4.5);
  await page.screenshot({ path: shot("exercise-dark") });
});
