// Mistakes underlined in the cells of a notebook, through the real kernel: as they are written, before anything has run,
// beside what cells above declare, and said where the pointer rests.
import type { IJupyterLabPageFixture } from "@jupyterlab/galata";
import { expect, test } from "./jupyterlab";
import { cell, notebookOf, open, shot, typescript } from "./notebook";

const sources = [
  'import { zeros } from "warpcell";\nconst width = 3;\nfunction half(x: number) { return x / 2; }',
  "half('3');\nconst grid = zeros([width, width]);\ngrid[0];",
  "const later = grid.shape.toUpperCase();",
  "%%cuda\n__global__ void fill(float* out, float value) { out[threadIdx.x] = value; }",
  "fill.launch({ grid: 1, block: 3 }, zeros([3]), 1);",
  "%%cuda\n#include <warpcell/tensor.h>\nwarpcell::Tensor made(int n) { return warpcell::zeros({n}); }",
  "made('3').sum();",
];

const marks = (page: IJupyterLabPageFixture, index: number) => cell(page, index).locator(".warpcell-squiggle");

async function openNotebook(page: IJupyterLabPageFixture, path: string): Promise<void> {
  const cells = sources.map((source) => ({ source }));
  await page.contents.uploadContent(notebookOf(typescript, cells), "text", path);
  await open(page, path);
}

/** At the end of a cell, as a user does. */
async function type(page: IJupyterLabPageFixture, index: number, text: string): Promise<void> {
  await cell(page, index).locator(".cm-content").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(text);
}

test("what is wrong is underlined before anything has run, and what is mended no longer", async ({ page, tmpPath }) => {
  await openNotebook(page, `${tmpPath}/squiggles.ipynb`);
  await expect(marks(page, 1)).toHaveText(["'3'", "grid[0]"]);
  await expect(marks(page, 2)).toHaveText(["toUpperCase"]);
  await expect(marks(page, 6)).toHaveText(["'3'"]);
  for (const right of [0, 3, 4, 5]) await expect(marks(page, right)).toHaveCount(0);

  await type(page, 0, '\nconst text: number = "no";');
  await expect(marks(page, 0)).toHaveText(["text"]);
  await marks(page, 1).last().hover();
  await expect(page.locator(".warpcell-mistakes")).toContainText("write x.get(0) for x[0]");
  await page.screenshot({ path: shot("squiggles-light") });

  await type(page, 3, "\n__global__ void other(int* p) { p[0] = missing; }");
  await expect(marks(page, 3)).toHaveText(["missing"]);
  await marks(page, 3).hover();
  await expect(page.locator(".warpcell-mistakes")).toContainText("missing");
  await page.screenshot({ path: shot("squiggles-cuda") });

  // What another cell declares counts as it is written now.
  await page.mouse.move(0, 0);
  await type(page, 0, "\nfunction third(x: number) { return x / 3; }");
  await type(page, 4, "\nthird('4');");
  await expect(marks(page, 4)).toHaveText(["'4'"]);
  for (let key = 0; key < "'4');".length; key++) await page.keyboard.press("Backspace");
  await page.keyboard.type("4);");
  await expect(marks(page, 4)).toHaveCount(0);
  await page.theme.setDarkTheme();
  await marks(page, 2).hover();
  await expect(page.locator(".warpcell-mistakes")).toContainText("Property 'toUpperCase' does not exist");
  await page.screenshot({ path: shot("squiggles-dark") });
});

test("a cell that ran has its mistake underlined and no text of it below, also after a restart", async ({
  page,
  tmpPath,
}) => {
  await openNotebook(page, `${tmpPath}/squiggles.ipynb`);
  await expect(marks(page, 1)).toHaveCount(2);
  await type(page, 0, '\nconst text: number = "no"; text');
  await page.notebook.runCell(0, true);
  await expect(cell(page, 0).locator(".jp-OutputArea-output")).toHaveText(["'no'"]);
  await expect(marks(page, 0)).toHaveText(["text"]);

  await page.evaluate(async () => {
    const app = (
      window as unknown as {
        jupyterapp: { shell: { currentWidget: { sessionContext: { restartKernel(): Promise<void> } } } };
      }
    ).jupyterapp;
    await app.shell.currentWidget.sessionContext.restartKernel();
  });
  await type(page, 2, "\nconst other: string = width;");
  await expect(marks(page, 2)).toHaveText(["toUpperCase", "other"]);
});

/** Keeps the texts of the cells that the kernel is asked about from now on. */
async function watchQuestions(page: IJupyterLabPageFixture): Promise<() => Promise<string[]>> {
  const kept = await page.evaluateHandle(() => {
    type Sent = { direction: string; msg: { header: { msg_type: string }; content: { data?: object } } };
    type Connection = { anyMessage: { connect(slot: (kernel: unknown, sent: Sent) => void): void } };
    const { jupyterapp } = window as unknown as {
      jupyterapp: { shell: { currentWidget: { sessionContext: { session: { kernel: Connection } } } } };
    };
    const texts: string[] = [];
    jupyterapp.shell.currentWidget.sessionContext.session.kernel.anyMessage.connect((_, { direction, msg }) => {
      const { code, before } = (msg.content.data ?? {}) as { code?: string; before?: string[] };
      if (direction === "send" && msg.header.msg_type === "comm_msg" && before !== undefined) texts.push(code!);
    });
    return texts;
  });
  return () => kept.jsonValue();
}

test("a cell that changes has itself and those below it checked, and none above", async ({ page, tmpPath }) => {
  await openNotebook(page, `${tmpPath}/squiggles.ipynb`);
  await expect(marks(page, 6)).toHaveText(["'3'"]);
  const asked = await watchQuestions(page);
  await type(page, 2, "\nconst text: number = 'no';");
  await expect(marks(page, 2)).toHaveText(["toUpperCase", "text"]);
  const changed = `${sources[2]}\nconst text: number = 'no';`;
  // The last one is asked about last.
  await expect.poll(async () => (await asked()).slice(-3)).toEqual([changed, sources[4], sources[6]]);
  expect((await asked()).filter((text) => sources.slice(0, 2).includes(text))).toEqual([]);
});

test("while a cell spins, what is written is checked", async ({ page, tmpPath }) => {
  await openNotebook(page, `${tmpPath}/squiggles.ipynb`);
  await expect(marks(page, 1)).toHaveCount(2);
  await type(page, 3, "");
  await page.notebook.setCell(4, "code", 'while (!require("fs").existsSync("enough"));');
  const run = page.notebook.runCell(4, true);
  await expect(cell(page, 4).locator(".jp-InputPrompt")).toHaveText("[*]:");
  await type(page, 2, "\nconst while_: string = 3;");
  await expect(marks(page, 2)).toHaveText(["toUpperCase", "while_"]);
  await page.contents.uploadContent("now", "text", `${tmpPath}/enough`);
  await run;
});
