// Tensors as the last values of cells, through the real kernel: their lines, images and grids, below the cell and in the
// stored notebook.
import { expect, test } from "./jupyterlab";
import { cell, notebookOf, open, shot, typescript } from "./notebook";

const sources = [
  'import { arange, rand, sin, tensor } from "warpcell";\nsin(arange(2000).mul(0.01));',
  "rand([60, 80, 3]);",
  "arange(20).reshape([20, 1, 1]).add(rand([20, 28, 28]).mul(4));",
  "tensor(0.213);",
  "arange(12).reshape([3, 4]);",
];

test("a line, an image, a grid, a scalar and numbers, and all pictures are in the file", async ({ page, tmpPath }) => {
  const path = `${tmpPath}/pictures.ipynb`;
  const cells = sources.map((source) => ({ source }));
  await page.contents.uploadContent(notebookOf(typescript, cells), "text", path);
  await open(page, path);
  await page.notebook.run();
  const picture = (index: number) => cell(page, index).locator(".warpcell-tensor-picture");
  const sizeOf = (index: number) =>
    picture(index).evaluate((image) => [
      (image as HTMLImageElement).naturalWidth,
      (image as HTMLImageElement).naturalHeight,
    ]);
  await expect(picture(0)).toHaveAttribute("alt", /^Line of a tensor: \[2000\], float32, (cpu|cuda:0), min -1, max 1/);
  await expect.poll(() => sizeOf(0)).toEqual([640, 160]);
  await expect.poll(() => sizeOf(1)).toEqual([320, 240]);
  await expect(cell(page, 1).locator(".warpcell-heat-map, .warpcell-tensor-slider")).toHaveCount(0);
  await expect(picture(2)).toHaveAttribute("alt", /^Slices of a tensor/);
  await expect(cell(page, 2).locator(".warpcell-tensor-slider")).toHaveCount(1);
  await expect(cell(page, 3).locator(".warpcell-tensor-line > *")).toHaveText(["tensor(0.213)", "float32", /./]);
  await expect(picture(4)).toHaveCount(0);
  await cell(page, 0).scrollIntoViewIfNeeded();
  await page.screenshot({ path: shot("pictures-light") });
  await page.theme.setDarkTheme();
  await cell(page, 2).scrollIntoViewIfNeeded();
  await page.screenshot({ path: shot("pictures-dark") });

  await page.notebook.save();
  const stored = await page.evaluate(async (path) => {
    type Contents = { get(path: string): Promise<{ content: { cells: { outputs: { data: object }[] }[] } }> };
    const app = (window as unknown as { jupyterapp: { serviceManager: { contents: Contents } } }).jupyterapp;
    return (await app.serviceManager.contents.get(path)).content;
  }, path);
  const types = stored.cells.map(({ outputs }) => Object.keys(outputs[0]!.data));
  for (const index of [0, 1, 2, 4]) expect(types[index]).toContain("image/png");
  expect(types.map((each) => each.includes("text/html"))).toEqual([false, false, false, true, true]);
});
