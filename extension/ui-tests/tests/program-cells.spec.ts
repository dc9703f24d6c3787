// A program as cells: what `%%cuda --cells` answers comes below it, one cell after the other.
import { expect, test } from "./jupyterlab";
import { cell, notebookOf, open, shot, typescript } from "./notebook";

const program = `%%cuda --cells
#include <cstdio>
__global__ void square(int* x) { x[threadIdx.x] *= x[threadIdx.x]; }
int main() {
  int x[3] = {1, 2, 3}, *d;
  cudaMalloc(&d, sizeof(x));
  cudaMemcpy(d, x, sizeof(x), cudaMemcpyHostToDevice);
  square<<<1, 3>>>(d);
  cudaMemcpy(x, d, sizeof(x), cudaMemcpyDeviceToHost);
  printf("last is %d\\n", x[2]);
}`;

test("each cell brings the next one below it, and the last one prints what the program prints", async ({
  page,
  tmpPath,
}) => {
  await page.contents.uploadContent(notebookOf(typescript, [{ source: program }]), "text", `${tmpPath}/program.ipynb`);
  await open(page, `${tmpPath}/program.ipynb`);
  await expect(page.getByText(/TypeScript \+ CUDA \| Idle/)).toBeVisible();
  const run = async (index: number): Promise<void> => {
    await cell(page, index).locator(".cm-content").click();
    await page.keyboard.press("Control+Enter");
  };
  await run(0);
  const shown = cell(page, 0).locator(".jp-RenderedMarkdown");
  await expect(shown).toContainText("All of it is translated.");
  await expect(shown.locator("pre")).toHaveCount(2);
  await expect(cell(page, 1).locator(".cm-content")).toContainText("__global__ void square");
  await run(1);
  await expect(cell(page, 2).locator(".cm-content")).toContainText("square.launch({ grid: 1, block: 3 }, d);");
  await page.screenshot({ path: shot("program-cells") });
  await run(2);
  await expect(cell(page, 2).locator(".jp-OutputArea-output")).toHaveText(/last is 9/);
  await expect(page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-CodeCell")).toHaveCount(3);
});
