// Drives the panels beside a notebook: their commands, their width, and pictures of them for people to look at.
import type { IJupyterLabPageFixture } from "@jupyterlab/galata";
import { shot } from "./notebook";
import { shortName, themes } from "./themes";

export const run = (page: IJupyterLabPageFixture, command: string) =>
  page.evaluate(async (command) => {
    const { jupyterapp } = window as unknown as {
      jupyterapp: { commands: { execute(command: string): Promise<unknown> } };
    };
    void jupyterapp.commands.execute(command);
  }, command);

/** Begins a cell of the notebook, whichever tab is in front. */
export async function begin(page: IJupyterLabPageFixture, index: number): Promise<void> {
  await page.evaluate((index) => {
    type Tab = { id: string; content?: { activeCellIndex?: number } };
    type Shell = { widgets(area: string): Iterable<Tab>; activateById(id: string): void };
    const { shell } = (window as unknown as { jupyterapp: { shell: Shell } }).jupyterapp;
    const notebook = [...shell.widgets("main")].find(({ content }) => content?.activeCellIndex !== undefined)!;
    shell.activateById(notebook.id);
    notebook.content!.activeCellIndex = index;
  }, index);
  await run(page, "notebook:run-cell");
}

/** The right sidebar as wide as given, in pixels. */
export const widen = (page: IJupyterLabPageFixture, width: number) =>
  page.evaluate((width) => {
    type Split = { node: HTMLElement; setRelativeSizes(sizes: number[]): void };
    const { jupyterapp } = window as unknown as { jupyterapp: { shell: { _hsplitPanel: Split } } };
    const { _hsplitPanel: split } = jupyterapp.shell;
    split.setRelativeSizes([0, split.node.clientWidth - width, width]);
  }, width);

/** In every theme and width. */
export async function pictures(page: IJupyterLabPageFixture, name: string): Promise<void> {
  await page.setViewportSize({ width: 2000, height: 1000 });
  for (const theme of themes) {
    await page.theme.setTheme(theme);
    for (const width of [200, 320, 1000, 1600]) {
      await widen(page, width);
      await page.screenshot({ path: shot(`${name}-${shortName(theme)}-${width}`) });
    }
    await widen(page, 320);
  }
  await page.theme.setLightTheme();
  await page.setViewportSize({ width: 1280, height: 900 });
}
