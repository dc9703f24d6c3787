// What a notebook lives through, with the panel of names as the witness: a session that crashes, a restart, another
// name, a reload, a second notebook, a second tab, another author of the same document, kernels that are not ours, and ours
// from before there were panels.
import type { IJupyterLabPageFixture } from "@jupyterlab/galata";
import type { Page } from "@playwright/test";
import { expect, test } from "./jupyterlab";
import { cell, notebookOf, open, python, scripted, typescript } from "./notebook";
import { run } from "./side-panel";

const names = (page: Page) => page.locator("#warpcell-variables .warpcell-variables-name");
const note = (page: Page) => page.locator("#warpcell-variables .warpcell-panel-note");

const cells = [
  'import { ones } from "warpcell";\nconst kept = ones([4, 4]);\nkept',
  "process.kill(process.pid, 'SIGKILL');",
  "const again = 1;",
];

/** What the kernel of the notebook in front does; `undefined`: it has none yet. */
const statusInFront = (page: IJupyterLabPageFixture): Promise<string | undefined> =>
  page.evaluate(() => {
    const { shell } = (
      window as unknown as {
        jupyterapp: {
          shell: { currentWidget?: { sessionContext?: { session?: { kernel?: { status: string } | null } | null } } };
        };
      }
    ).jupyterapp;
    return shell.currentWidget?.sessionContext?.session?.kernel?.status;
  });

async function runCell(page: IJupyterLabPageFixture, index: number): Promise<void> {
  // The status bar may still tell of the notebook that was in front before.
  await expect.poll(() => statusInFront(page)).toBe("idle");
  await page.notebook.selectCells(index);
  await run(page, "notebook:run-cell");
}

async function upload(page: IJupyterLabPageFixture, path: string, kernel = typescript, sources = cells): Promise<void> {
  const notebook = notebookOf(
    kernel,
    sources.map((source) => ({ source })),
  );
  await page.contents.uploadContent(notebook, "text", path);
}

/** What a part of the page's program does with the notebook in front. */
const inFront = (page: Page, what: "restart" | "rename", name = ""): Promise<void> =>
  page.evaluate(
    async ({ what, name }) => {
      type Panel = {
        sessionContext: { restartKernel?(): Promise<void>; session: { kernel: { restart(): Promise<void> } } };
        context: { rename(name: string): Promise<void> };
      };
      const { currentWidget } = (window as unknown as { jupyterapp: { shell: { currentWidget: Panel } } }).jupyterapp
        .shell;
      if (what === "rename") await currentWidget.context.rename(name);
      else await currentWidget.sessionContext.session.kernel.restart();
    },
    { what, name },
  );

test("a crash, a restart, another name and a reload", async ({ page, tmpPath }) => {
  const path = `${tmpPath}/survives.ipynb`;
  await upload(page, path);
  await open(page, path);
  await run(page, "warpcell:show-variables");
  await runCell(page, 0);
  await expect(names(page)).toHaveText(["kept"]);

  await runCell(page, 1);
  await expect(cell(page, 1).locator(".jp-OutputArea-output")).toContainText("SessionEnded");
  await expect(names(page)).toHaveCount(0);
  await runCell(page, 2);
  await expect(names(page)).toHaveText(["again"]);
  // What was shown stays.
  await expect(cell(page, 0).locator(".warpcell-tensor canvas")).toBeVisible();

  await inFront(page, "restart");
  await expect(names(page)).toHaveCount(0);
  await runCell(page, 0);
  await expect(names(page)).toHaveText(["kept"]);

  await inFront(page, "rename", "renamed.ipynb");
  await expect(page.getByRole("tab", { name: "renamed.ipynb" })).toBeVisible();
  await runCell(page, 2);
  await expect(names(page)).toHaveText(["kept", "again"]);

  // A page that is loaded anew finds the file, and the session that goes on.
  await run(page, "docmanager:save");
  await expect(page.locator(".lm-TabBar-tab.jp-mod-dirty")).toHaveCount(0);
  const again = await page.context().newPage();
  await again.goto(new URL(`/lab/workspaces/again/tree/${tmpPath}/renamed.ipynb`, page.url()).href);
  await expect(again.locator(".warpcell-tensor canvas").first()).toBeVisible();
  await run(again as unknown as IJupyterLabPageFixture, "warpcell:show-variables");
  await expect(names(again)).toHaveText(["kept", "again"]);
});

test("two notebooks have their own names, and two tabs of one the same", async ({ page, tmpPath }) => {
  const [one, two] = [`${tmpPath}/one.ipynb`, `${tmpPath}/two.ipynb`];
  await upload(page, one, typescript, ["const first = 1;", "const later = 2;"]);
  await upload(page, two, typescript, ["const second = 2;"]);
  await open(page, one);
  await run(page, "warpcell:show-variables");
  await runCell(page, 0);
  await expect(names(page)).toHaveText(["first"]);
  await open(page, two);
  await expect(names(page)).toHaveCount(0);
  await runCell(page, 0);
  await expect(names(page)).toHaveText(["second"]);
  await page.activity.activateTab("one.ipynb");
  await expect(names(page)).toHaveText(["first"]);

  const other = await page.context().newPage();
  await other.goto(new URL(`/lab/workspaces/other/tree/${one}`, page.url()).href);
  await expect(other.locator(".jp-CodeCell").first()).toBeVisible();
  await run(other as unknown as IJupyterLabPageFixture, "warpcell:show-variables");
  await expect(names(other)).toHaveText(["first"]);
  await runCell(page, 1);
  for (const each of [page, other]) await expect(names(each)).toHaveText(["first", "later"]);
  await other.close();
  await runCell(page, 0);
  // Declared anew, it is the last.
  await expect(names(page)).toHaveText(["later", "first"]);
});

/** What somebody else writes into a shared document comes as changes of its model, with no action of this page. */
const write = (page: IJupyterLabPageFixture, what: "insert" | "set" | "move" | "delete", source = ""): Promise<void> =>
  page.evaluate(
    ({ what, source }) => {
      type Shared = {
        insertCell(at: number, cell: object): void;
        moveCell(from: number, to: number): void;
        deleteCell(at: number): void;
        getCell(at: number): { setSource(source: string): void };
      };
      type Panel = { content: { model: { sharedModel: Shared } } };
      const { currentWidget } = (window as unknown as { jupyterapp: { shell: { currentWidget: Panel } } }).jupyterapp
        .shell;
      const { sharedModel } = currentWidget.content.model;
      if (what === "insert") sharedModel.insertCell(1, { cell_type: "code", source });
      else if (what === "set") sharedModel.getCell(1).setSource(source);
      else if (what === "move") sharedModel.moveCell(1, 0);
      else sharedModel.deleteCell(0);
    },
    { what, source },
  );

test("another author writes, moves and deletes cells of the same document", async ({ page, tmpPath }) => {
  const path = `${tmpPath}/shared.ipynb`;
  await upload(page, path, typescript, [
    'import { ones } from "warpcell";\nconst kept = ones([4, 4]);\nkept',
    "kept.sum();",
  ]);
  await open(page, path);
  await run(page, "warpcell:show-variables");
  await runCell(page, 0);
  await expect(names(page)).toHaveText(["kept"]);
  const marks = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .warpcell-squiggle");

  await write(page, "insert", "const other: string = kept;");
  await expect(marks).toHaveText(["other"]);
  await write(page, "set", "%%cuda\n__global__ void f(float* p) { p[0] = missing; }");
  await expect(marks).toHaveText(["missing"]);
  await write(page, "set", "const other = kept.add(1);\nother");
  await expect(marks).toHaveCount(0);
  await runCell(page, 1);
  await expect(cell(page, 1).locator(".warpcell-tensor canvas")).toBeVisible();
  await expect(names(page)).toHaveText(["kept", "other"]);
  await write(page, "move");
  await expect(cell(page, 0).locator(".warpcell-tensor canvas")).toBeVisible();
  await expect(cell(page, 1).locator(".warpcell-tensor canvas")).toBeVisible();
  await write(page, "delete");
  await expect(page.locator(".warpcell-tensor canvas")).toHaveCount(1);
  // A line of a cell that is no more leads nowhere, and says so by doing nothing.
  await page.locator("#warpcell-variables").getByText("Cell [2]:1").click();
  await runCell(page, 1);
  await expect(names(page)).toHaveText(["kept", "other"]);
});

test("another kernel is left alone, and an older one of ours says what it lacks", async ({ page, tmpPath }) => {
  const errors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" && /warpcell/i.test(message.text())) errors.push(message.text());
  });
  const [foreign, old] = [`${tmpPath}/foreign.ipynb`, `${tmpPath}/old.ipynb`];
  await upload(page, foreign, python, ["1 + 1"]);
  await open(page, foreign);
  await run(page, "warpcell:show-variables");
  await expect(note(page)).toHaveText(/^Open a notebook of the kernel TypeScript \+ CUDA/);
  await runCell(page, 0);
  await expect(cell(page, 0).locator(".jp-OutputArea-output")).toHaveText("2");

  // It closes every comm of a target that it does not know.
  const forget = "for target in list(answers_targets): get_ipython().kernel.comm_manager.targets.pop(target, None)";
  await upload(page, old, scripted, [forget, "'still here'"]);
  await open(page, old);
  await expect(page.getByText("Scripted gauges | Idle")).toBeVisible();
  await runCell(page, 0);
  for (const name of ["memory", "kernel", "variables"]) {
    await run(page, `warpcell:show-${name}`);
    await runCell(page, 1);
    await expect(page.locator(`#warpcell-${name} .warpcell-panel-note`).first()).not.toBeEmpty();
  }
  await expect(cell(page, 1).locator(".jp-OutputArea-output")).toHaveText("'still here'");
  expect(errors).toEqual([]);
});
