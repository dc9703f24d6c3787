// A large profile, of which the output has an overview alone: the kernel is asked for what is in view, once it stands
// still, and a kernel that no longer has it is said.
import { expect, test } from "./jupyterlab";
import { cell, notebookOf, open, output, scripted, shot } from "./notebook";
import { payloadOf, tablesOf, trainingSlices } from "./trace-payload";

const mime = "application/vnd.warpcell.trace.v1+json";
const slices = trainingSlices();

/** Without copies and workers, and without what follows from what. */
const overview = slices.filter(({ track }) => track <= 2).map((slice) => ({ ...slice, cause: undefined }));

/** The reply's columns, each from a multiple of 8 bytes on, as Python's text of its bytes. */
function replyInPython(): string {
  const { length, columns } = tablesOf(slices);
  const parts: { name: string; offset: number }[] = [];
  const bytes: Buffer[] = [];
  let size = 0;
  for (const [name, values] of Object.entries(columns)) {
    parts.push({ name, offset: size });
    const padded = Buffer.alloc(Math.ceil(values.byteLength / 8) * 8);
    padded.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    bytes.push(padded);
    size += padded.length;
  }
  return `import base64\nbuffer = base64.b64decode("${Buffer.concat(bytes).toString("base64")}")
def window(request):
    if request["start"] > 1_000_000:
        return {"length": 0, "columns": [], "complete": False, "problem": "The profile is gone: it was made before the kernel restarted. Run its cell again."}, []
    return {"length": ${length}, "columns": ${JSON.stringify(parts)}, "complete": True, "problem": None}, [buffer]`;
}

/** The overview's columns with the tables of the whole: indices of one are indices of the other. */
function overviewPayload() {
  const whole = payloadOf(slices);
  const { columns, length, names, details } = tablesOf(overview);
  const rename = (values: Uint32Array, from: string[], to: string[]) => values.map((index) => to.indexOf(from[index]!));
  const keys = (items: object[]) => items.map((item) => JSON.stringify(item));
  const own = {
    ...columns,
    name: rename(columns.name, names, whole.names),
    detail: rename(columns.detail, keys(details), keys(whole.details)),
    merged: new Uint32Array(length).fill(3),
    busy: columns.duration.map((time) => time * 0.6),
  };
  const text = Object.fromEntries(
    Object.entries(own).map(([name, values]) => [
      name,
      Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString("base64"),
    ]),
  );
  return { ...whole, complete: false, id: "profile-7", count: slices.length, slices: { length, ...text } };
}

test("what is in view comes from the kernel, until it no longer has it", async ({ page, tmpPath }) => {
  const cells = [
    { source: replyInPython() },
    { source: "profile", outputs: [output({ [mime]: overviewPayload() })] },
    { source: "print(windows[-1], len(windows))" },
  ];
  await page.contents.uploadContent(notebookOf(scripted, cells), "text", `${tmpPath}/windows.ipynb`);
  await open(page, `${tmpPath}/windows.ipynb`);
  await expect(page.getByText(/Scripted gauges \| Idle/)).toBeVisible();
  await page.notebook.runCell(0);
  const view = cell(page, 1).locator(".warpcell-trace-view");
  await expect(view.locator(".warpcell-trace-title > *").nth(2)).toHaveText("361 slices, overview");
  await view.locator("canvas").scrollIntoViewIfNeeded();
  const head = view.locator(".warpcell-trace-details");
  await view.locator("canvas").focus();
  await page.keyboard.press("ArrowRight");
  await expect(head).toContainText(/stands for\s*3 slices/);
  await page.keyboard.press("f");
  // What was merged is now one slice, and chosen still.
  await expect(head).not.toContainText("stands for");
  await expect(head).toContainText("Cell [2]");
  for (const key of ["ArrowDown", "ArrowDown", "e"]) await page.keyboard.press(key);
  await expect(head).toContainText(/grid\s*\[32, 32\]/);
  await page.screenshot({ path: shot("trace-window") });

  // To the end, which the first window did not reach.
  for (const key of ["0", ...Array<string>(6).fill("w"), ...Array<string>(60).fill("d")])
    await page.keyboard.press(key);
  const problem = view.locator(".warpcell-trace-problem-line");
  await expect(problem).toHaveText("The profile is gone: it was made before the kernel restarted. Run its cell again.");
  await expect(problem).toHaveAttribute("role", "status");
  await page.screenshot({ path: shot("trace-gone") });

  // Far fewer than views: one when they stand still, and each for more than is seen.
  await page.notebook.runCell(2);
  const asked = cell(page, 2).locator(".jp-OutputArea-output");
  await expect(asked).toContainText("'id': 'profile-7'");
  expect(Number((await asked.textContent())!.trim().split(" ").at(-1))).toBeLessThanOrEqual(12);
});

test("without a kernel the overview is all, and says so", async ({ page, tmpPath }) => {
  await page.contents.uploadContent(
    notebookOf(scripted, [{ source: "profile", outputs: [output({ [mime]: overviewPayload() })] }]),
    "text",
    `${tmpPath}/alone.ipynb`,
  );
  await open(page, `${tmpPath}/alone.ipynb`, { start: false });
  const view = cell(page, 0).locator(".warpcell-trace-view");
  await view.locator("canvas").focus();
  for (const key of ["w", "w", "w"]) await page.keyboard.press(key);
  await expect(view.locator(".warpcell-trace-problem-line")).toHaveText(
    "The kernel that made this profile is gone. Run its cell again to see more than an overview.",
  );
  for (const key of ["0", "Shift+ArrowRight", "Shift+ArrowRight"]) await page.keyboard.press(key);
  await expect(view.locator(".warpcell-trace-announcer")).toHaveText(/ chosen, \d+ slices? in the overview$/);
  await expect(view.locator(".warpcell-trace-details")).toContainText(/slices? in the overview/);
  await page.keyboard.press("/");
  await page.keyboard.type("cell");
  await expect(view.locator(".warpcell-trace-found")).toHaveText(/^\d+ slices in the overview$/);
  await page.screenshot({ path: shot("trace-alone") });
});
