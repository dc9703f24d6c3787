// Makes notebooks as files, opens them in the JupyterLab under test, and finds what the tests look at.
import type { IJupyterLabPageFixture } from "@jupyterlab/galata";
import type { Locator } from "@playwright/test";
import { join } from "node:path";

export interface CellText {
  source: string;
  outputs?: object[];
  /** Its execution count; it has not run without one. */
  count?: number;
}

export interface KernelName {
  name: string;
  display_name: string;
  language: string;
}

export const typescript: KernelName = { name: "warpcell", display_name: "TypeScript + CUDA", language: "typescript" };
export const scripted: KernelName = { name: "scripted", display_name: "Scripted gauges", language: "python" };
export const python: KernelName = { name: "python3", display_name: "Python 3", language: "python" };

export function notebookOf(kernelspec: KernelName, cells: CellText[]): string {
  const language =
    kernelspec.language === "typescript"
      ? { name: "typescript", mimetype: "application/typescript", file_extension: ".ts" }
      : { name: kernelspec.language };
  return JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { kernelspec, language_info: language },
    cells: cells.map(({ source, outputs = [], count = null }, index) => ({
      id: `cell-${index}`,
      cell_type: "code",
      execution_count: count,
      metadata: {},
      source,
      outputs,
    })),
  });
}

/** An output as a kernel would have stored it. */
export const output = (data: object): object => ({
  output_type: "display_data",
  metadata: {},
  data: { "text/plain": "fallback", "text/html": "<b>fallback</b>", ...data },
});

/** Opens a notebook file of the server. With `start: false` no kernel is asked for. */
export async function open(page: IJupyterLabPageFixture, path: string, { start = true } = {}): Promise<void> {
  await page.evaluate(
    async ({ path, start }) => {
      const app = (
        window as unknown as {
          jupyterapp: { commands: { execute(command: string, options: object): Promise<unknown> } };
        }
      ).jupyterapp;
      await app.commands.execute("docmanager:open", {
        path,
        factory: "Notebook",
        kernelPreference: { shouldStart: start, canStart: start, autoStartDefault: start },
      });
    },
    { path, start },
  );
  await page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-CodeCell .cm-content").first().waitFor();
}

export const cell = (page: IJupyterLabPageFixture, index: number): Locator =>
  page.locator(`.jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell[data-windowed-list-index="${index}"]`);
export const gauge = (page: IJupyterLabPageFixture): Locator => page.locator(".warpcell-gauges");

/** Where a test leaves a picture for people to look at. */
export const shot = (name: string): string => join(process.env["WARPCELL_SHOTS"]!, `${name}.png`);

/** Colours of a painted canvas: how many pixels of it are set, and how many distinct colours they have. */
export function coloursOf(canvas: Locator): Promise<{ painted: number; distinct: number; size: [number, number] }> {
  return canvas.evaluate((element) => {
    const { width, height } = element as HTMLCanvasElement;
    const { data } = (element as HTMLCanvasElement).getContext("2d")!.getImageData(0, 0, width, height);
    const seen = new Set<number>();
    let painted = 0;
    for (let index = 0; index < data.length; index += 4) {
      if (data[index + 3] === 0) continue;
      painted++;
      seen.add((data[index]! << 16) | (data[index + 1]! << 8) | data[index + 2]!);
    }
    return { painted, distinct: seen.size, size: [width, height] as [number, number] };
  });
}

/** The colour in which the text of an element is shown. */
export const inkOf = (text: Locator): Promise<string> => text.evaluate((element) => getComputedStyle(element).color);

/** Contrast of each text with the notebook behind it, as WCAG 2.2 defines it: 1 … 21. */
export function contrastsOf(texts: Locator): Promise<number[]> {
  return texts.evaluateAll((elements) => {
    const linear = (channel: number) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4);
    const luminance = (colour: string) => {
      const [red, green, blue] = colour.match(/[\d.]+/g)!.map((channel) => linear(Number(channel) / 255));
      return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
    };
    return elements.map((element) => {
      const behind = luminance(getComputedStyle(element.closest(".jp-Notebook")!).backgroundColor);
      const ink = luminance(getComputedStyle(element).color);
      return (Math.max(ink, behind) + 0.05) / (Math.min(ink, behind) + 0.05);
    });
  });
}
