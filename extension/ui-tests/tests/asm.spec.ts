// A kernel's assembly from a stored notebook: linked by line both ways, searched, folded, resized, by pointer and by
// keys.
import type { Locator } from "@playwright/test";
import { axpy, listing, mime } from "./asm-payload";
import { expect, test } from "./jupyterlab";
import { cell, contrastsOf, inkOf, notebookOf, open, output, shot, typescript } from "./notebook";
import { darkThemes } from "./themes";

type Page = Parameters<typeof open>[0];

async function upload(page: Page, folder: string, payloads: object[]): Promise<Locator> {
  const stored = notebookOf(
    typescript,
    payloads.map((payload, index) => ({ source: `kernel ${index}`, outputs: [output({ [mime]: payload })] })),
  );
  await page.contents.uploadContent(stored, "text", `${folder}/asm.ipynb`);
  await open(page, `${folder}/asm.ipynb`, { start: false });
  const view = cell(page, 0).locator(".warpcell-asm");
  await view.waitFor();
  return view;
}

const pane = (view: Locator, name: string): Locator => view.locator(`.warpcell-asm-pane[aria-label="${name}"]`);
const lit = (view: Locator, name: string): Locator => pane(view, name).locator(".warpcell-asm-lit");
/** Half of a pixel belongs to the page's rounding. */
const isWithin = async (inner: Locator, outer: Locator): Promise<boolean> => {
  const [small, large] = [await inner.boundingBox(), await outer.boundingBox()];
  return (
    small !== null && large !== null && small.y >= large.y - 1 && small.y + small.height <= large.y + large.height + 1
  );
};

test("source, PTX and SASS stand side by side, each in its colours", async ({ page, tmpPath }) => {
  const view = await upload(page, tmpPath, [axpy()]);
  await expect(view.locator(".warpcell-asm-pane-name")).toHaveText(["Source", "PTX", "SASS"]);
  await expect(view.locator(".warpcell-asm-facts > *")).toHaveText([
    "axpy<float>(int, float, const float *, float *)",
    "Cell [2]",
    "cuda:0",
    "sm_90a",
    "16 registers",
    "0 B shared",
    "no spills",
  ]);
  await expect(pane(view, "Source").locator(".warpcell-cuda-qualifier")).toHaveText(["__global__", "__restrict__"]);
  await expect(pane(view, "Source").locator('.warpcell-asm-line [class*="band"]')).toHaveText(["1", "3", "4", "5"]);
  await expect(pane(view, "SASS").locator(".warpcell-asm-live .warpcell-asm-figure[title]").nth(4)).toHaveAttribute(
    "title",
    /live registers$/,
  );
  await expect(pane(view, "SASS").locator(".warpcell-asm-heat").first()).toHaveAttribute(
    "title",
    /^\d+ samples? of 1,000$/,
  );
  const keyword = await inkOf(pane(view, "Source").getByText("if", { exact: true }));
  expect(await inkOf(pane(view, "SASS").getByText("FFMA", { exact: true }))).toBe(keyword);
  expect(await inkOf(pane(view, "PTX").getByText("ld.global.nc.f32", { exact: true }))).toBe(keyword);
  await page.screenshot({ path: shot("asm-light") });
});

test("an instruction says what it does, to the pointer and to the keyboard", async ({ page, tmpPath }) => {
  const view = await upload(page, tmpPath, [axpy()]);
  await pane(view, "SASS").getByText("FFMA", { exact: true }).hover();
  const meaning = page.locator(".warpcell-asm-meaning");
  await expect(meaning).toHaveText("FFMA multiplies and adds float32: a · b + c");
  await page.screenshot({ path: shot("asm-meaning") });
  await page.theme.setDarkTheme();
  await pane(view, "PTX").getByText("ld.global.nc.f32", { exact: true }).hover();
  await expect(meaning).toHaveText("ld.global.nc.f32 loads from global memory");
  await page.screenshot({ path: shot("asm-meaning-dark") });
  await page.mouse.move(0, 0);
  await view.locator(".warpcell-search").fill("setp.ge.s32");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await page.keyboard.press("ArrowDown");
  await expect(view.locator(".warpcell-asm-status")).toHaveText(/ · bra jumps, where its predicate holds$/);
});

test("a kernel that is compiled again shows what has changed", async ({ page, tmpPath }) => {
  const texts = ["%%cuda\n__global__ void fill(float* out) { out[threadIdx.x] = 1; }", "fill.asm"];
  const cells = texts.map((source) => ({ source }));
  await page.contents.uploadContent(notebookOf(typescript, cells), "text", `${tmpPath}/changes.ipynb`);
  await open(page, `${tmpPath}/changes.ipynb`);
  await page.notebook.run();
  const view = cell(page, 1).locator(".warpcell-asm");
  const changes = view.getByRole("button", { name: "Changes" });
  await expect(view).toBeVisible();
  await expect(changes).toHaveCount(0);
  await page.notebook.setCell(0, "code", texts[0]!.replace("= 1", "= sqrtf(out[threadIdx.x + 1]) / 3"));
  await page.notebook.run();
  await expect(changes).toHaveAttribute(
    "title",
    /^\d+ lines? (is|are) new, \d+ (has|have) gone since the compile before$/,
  );
  await changes.click();
  await expect(view.locator(".warpcell-asm-added").first()).toBeVisible();
  await expect(view.locator(".warpcell-asm-gone").first()).toBeVisible();
  await expect(view.locator(".warpcell-asm-status")).toHaveText(/new, .* gone$/);
  await expect(view).not.toContainText("_Z");
  await page.screenshot({ path: shot("asm-changes") });
  await page.theme.setDarkTheme();
  await page.screenshot({ path: shot("asm-changes-dark") });
  await changes.click();
  await expect(view.locator(".warpcell-asm-added, .warpcell-asm-gone")).toHaveCount(0);
});

test("a line of the source lights up its instructions, and an instruction its line", async ({ page, tmpPath }) => {
  const view = await upload(page, tmpPath, [axpy()]);
  await pane(view, "Source")
    .locator(".cm-line")
    .nth(3)
    .hover({ position: { x: 40, y: 6 } });
  await expect(lit(view, "Source")).toHaveCount(1);
  await expect(lit(view, "PTX").first()).toBeVisible();
  expect((await lit(view, "SASS").allTextContents()).join("\n")).toContain("FFMA");
  await expect(view.locator(".warpcell-asm-status")).toHaveText(/^Line 4: \d+ lines of PTX, \d+ of SASS$/);
  await page.screenshot({ path: shot("asm-linked") });
  await page.mouse.move(0, 0);
  await expect(view.locator(".warpcell-asm-lit")).toHaveCount(0);

  await pane(view, "SASS")
    .locator(".cm-line", { hasText: "S2R" })
    .first()
    .hover({ position: { x: 40, y: 6 } });
  await expect(lit(view, "Source")).toHaveText(/blockIdx\.x/);
  await pane(view, "SASS")
    .locator(".cm-line", { hasText: "S2R" })
    .first()
    .click({ position: { x: 40, y: 6 } });
  await page.mouse.move(0, 0);
  await expect(lit(view, "Source")).toHaveText(/blockIdx\.x/);
});

test("an instruction far below is scrolled to, and the notebook stays where it is", async ({ page, tmpPath }) => {
  const source = Array.from({ length: 300 }, (_, index) => `float x${index} = ${index};`);
  const sass = listing(
    "SASS",
    source.flatMap((_line, index) =>
      Array.from({ length: 10 }, (_, part): [string, number] => [
        `        /*${(index * 160 + part * 16).toString(16).padStart(4, "0")}*/   FFMA R${part}, R2, R3, R4 ;`,
        index + 1,
      ]),
    ),
  );
  const view = await upload(page, tmpPath, [axpy({ source, listings: [sass] })]);
  const scroll = () => page.locator(".jp-WindowedPanel-outer").evaluate((node) => node.scrollTop);
  const before = await scroll();
  await pane(view, "Source").locator(".cm-content").focus();
  await page.keyboard.press("End");
  await expect(lit(view, "SASS")).toHaveCount(10);
  expect(await isWithin(lit(view, "SASS").first(), pane(view, "SASS").locator(".cm-scroller"))).toBe(true);
  expect(await scroll()).toBe(before);
  await page.keyboard.press("Home");
  await expect(lit(view, "SASS").first()).toContainText("/*0000*/ FFMA");
  // Only what is seen is in the page.
  expect(await pane(view, "SASS").locator(".cm-line").count()).toBeLessThan(400);
});

test("keys alone: from line to line, from pane to pane, to the search and its matches", async ({ page, tmpPath }) => {
  const view = await upload(page, tmpPath, [axpy()]);
  await pane(view, "Source").locator(".cm-content").focus();
  await page.keyboard.press("ArrowDown");
  await expect(pane(view, "Source").locator(".warpcell-asm-cursor")).toHaveCount(1);
  await page.keyboard.press("/");
  await expect(view.getByRole("searchbox")).toBeFocused();
  await page.keyboard.type("ffma");
  await expect(view.locator(".warpcell-asm-search-count")).toHaveText("1 line");
  await page.keyboard.press("Enter");
  await expect(view.locator(".warpcell-asm-search-count")).toHaveText("1 of 1 line");
  await expect(view.locator(".warpcell-asm-found-current")).toHaveText("FFMA");
  await expect(lit(view, "Source")).toHaveText(/y\[i\] \+=/);
  await page.screenshot({ path: shot("asm-search") });
  await page.keyboard.press("Escape");
  await expect(pane(view, "SASS").locator(".cm-content")).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect(pane(view, "SASS").locator(".warpcell-asm-cursor")).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(view.locator(".warpcell-asm-lit, .warpcell-asm-cursor")).toHaveCount(0);
});

test("directives are hidden until they are asked for, and copied all the same", async ({ page, tmpPath, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const view = await upload(page, tmpPath, [axpy()]);
  await expect(pane(view, "PTX").locator(".cm-content")).not.toContainText(".loc");
  await view.getByRole("button", { name: "Directives" }).click();
  await expect(pane(view, "PTX").locator(".cm-content")).toContainText(".loc");
  await expect(pane(view, "PTX").locator(".cm-content")).toContainText(".file");
  await pane(view, "PTX").getByRole("button", { name: "Copy" }).click();
  await expect(view.locator(".warpcell-asm-status")).toHaveText(/^\d+ lines of PTX copied$/);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(".loc\t1 3 11");
});

test("columns are as wide as they are made, by pointer and by keys", async ({ page, tmpPath }) => {
  const view = await upload(page, tmpPath, [axpy()]);
  const width = async () => (await pane(view, "Source").boundingBox())!.width;
  const before = await width();
  const separator = view.getByRole("separator").first();
  await separator.focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  const narrower = await width();
  expect(narrower).toBeLessThan(before - 30);
  const { x, y, height } = (await separator.boundingBox())!;
  await page.mouse.move(x, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + 120, y + height / 2, { steps: 4 });
  await page.mouse.up();
  expect(Math.abs((await width()) - narrower - 120)).toBeLessThan(12);
});

test("the occupancy names what limits each size of block", async ({ page, tmpPath }) => {
  const view = await upload(page, tmpPath, [axpy()]);
  const reading = view.locator(".warpcell-asm-occupancy-reading");
  await expect(reading).toHaveText("occupancy up to 100 % with blocks of 64, limited by warps");
  await view.locator(".warpcell-asm-occupancy-chart").focus();
  await page.keyboard.press("Home");
  await expect(reading).toHaveText("blocks of 32: 50 %, limited by blocks");
  await page.keyboard.press("ArrowRight");
  await expect(reading).toHaveText("blocks of 64: 100 %, limited by warps");
  await view.locator(".warpcell-asm-step").nth(20).hover();
  await expect(reading).toHaveText("blocks of 672: 98 %, limited by warps");
});

test("names and lines with markup, controls and 10 MB do nothing, and what cannot be read is a sentence", async ({
  page,
  tmpPath,
}) => {
  const hostile = `<img src=x onerror="window.hacked=1">\u202e\u0007\n${"x".repeat(10_000_000)}`;
  const view = await upload(page, tmpPath, [
    axpy({
      kernel: hostile,
      title: hostile.slice(0, 999),
      arch: hostile.slice(0, 999),
      source: [hostile.slice(0, 99_999), "b"],
      listings: [
        listing("PTX", [
          [hostile, 1],
          ["ret;", 2],
        ]),
      ],
      notes: [hostile.slice(0, 999)],
    }),
    { ...axpy(), listings: [{ name: "PTX" }] },
  ]);
  await expect(pane(view, "PTX").locator(".cm-line")).toHaveCount(2);
  await expect(view.locator("img")).toHaveCount(0);
  expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  await expect(cell(page, 1).locator(".warpcell-asm")).toHaveText(
    '"lines" of listing 1 of a kernel\'s assembly is missing but should be a list of strings.',
  );
});

for (const [theme, name] of darkThemes) {
  test(`everything is seen in ${theme}`, async ({ page, tmpPath }) => {
    await page.theme.setTheme(theme);
    const view = await upload(page, tmpPath, [axpy()]);
    await pane(view, "Source")
      .locator(".cm-line")
      .nth(3)
      .hover({ position: { x: 40, y: 6 } });
    await expect(lit(view, "SASS").first()).toBeVisible();
    await page.screenshot({ path: shot(`asm-${name}`) });
    // WCAG 2.2, success criterion 1.4.3.
    await expect
      .poll(async () =>
        Math.min(
          ...(await contrastsOf(
            view.locator(
              ".warpcell-asm-fact, .warpcell-asm-figure, .warpcell-asm-pane-head span, .warpcell-asm-status, .warpcell-asm-occupancy-reading",
            ),
          )),
        ),
      )
      .toBeGreaterThanOrEqual(4.5);
  });
}

test("300 pixels are enough: panes are behind tabs that tell how many of their lines are lit", async ({
  page,
  tmpPath,
}) => {
  const view = await upload(page, tmpPath, [axpy()]);
  await view.evaluate((node) => (node.style.maxWidth = "300px"));
  await expect(view.getByRole("tab")).toHaveText(["Source", "PTX", "SASS"]);
  await expect(pane(view, "SASS")).toBeHidden();
  await pane(view, "Source")
    .locator(".cm-line")
    .nth(3)
    .click({ position: { x: 40, y: 6 } });
  await expect(view.getByRole("tab").nth(2)).toHaveAttribute("data-note", /^\d+$/);
  await view.screenshot({ path: shot("asm-narrow") });
  await view.getByRole("tab").first().focus();
  await page.keyboard.press("End");
  await expect(pane(view, "SASS")).toBeVisible();
  await expect(lit(view, "SASS").first()).toBeVisible();
  await expect(pane(view, "Source")).toBeHidden();
  await view.screenshot({ path: shot("asm-narrow-sass") });
});
