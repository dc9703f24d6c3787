// The panel of the kernel through the real kernel: compiled code, cache and machine, also while a cell runs; restarts ask
// first and do what they say.
import { expect, test } from "./jupyterlab";
import { cell, notebookOf, open, typescript } from "./notebook";
import { pictures, run } from "./side-panel";

const kernels = `%%cuda
__global__ void axpy(float* y, const float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

template <class T> __global__ void sums(T* p) {
  __shared__ T part[128];
  part[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) for (int i = 1; i < 128; i++) p[0] += part[i];
}

warpcell::Tensor scaled(const warpcell::Tensor& x, float a) {
  auto y = warpcell::zeros_like(x);
  axpy<<<1, 128>>>(y.data<float>(), x.data<float>(), a, (int)x.numel());
  return y;
}`;
const sources = [
  kernels,
  'import { ones } from "warpcell";\nconst x = ones([128]), y = ones([128]);\nawait axpy.time({ grid: 1, block: 128 }, y, x, 0, 128);\nawait sums.as("float").time({ grid: 1, block: 128 }, ones([128]));',
  "for (;;) ;",
  "axpy.over(128)(y, x, 1, 128);\ny.sum().item()",
];

test("compiled code, cache and machine, also while a cell runs; a device and the session start anew", async ({
  page,
  tmpPath,
}) => {
  const path = `${tmpPath}/kernel.ipynb`;
  const cells = sources.map((source) => ({ source }));
  await page.contents.uploadContent(notebookOf(typescript, cells), "text", path);
  await open(page, path);
  await expect(page.getByText(/TypeScript \+ CUDA \| Idle/)).toBeVisible();
  await run(page, "warpcell:show-kernel");
  const panel = page.locator("#warpcell-kernel");
  await expect(panel.getByText("The notebook has compiled nothing yet.")).toBeVisible();
  await page.notebook.selectCells(0);
  for (const _ of [0, 1]) await run(page, "notebook:run-cell-and-select-next");
  await expect(cell(page, 1).locator(".jp-InputPrompt")).toHaveText("[2]:");

  const rows = panel.getByRole("table", { name: "Compiled kernels and host functions" }).locator("tbody tr");
  await expect(rows).toHaveCount(3);
  await expect(rows.nth(0)).toContainText("axpy(y: float*, x: const float*, a: float, n: int)");
  await expect(rows.nth(0)).toContainText(/[\d.]+ (ns|µs|ms)/);
  await expect(rows.nth(1)).toContainText(/sums<float>.*512 B/);
  await expect(rows.nth(2)).toContainText(/scaled.*host function on (cpu|cuda:0)/);
  await expect(panel.locator(".warpcell-kernel-path")).toHaveText(/\/warpcell$/);
  const machine = panel.locator(".warpcell-machine");
  await expect(machine.first().locator("dt")).toHaveText(["node", "cache", "new tensors go to"]);
  await expect(machine.filter({ hasText: "cpu" }).last()).toBeVisible();
  await pictures(page, "kernel");
  await rows.nth(1).locator(".warpcell-place").click();
  await expect(cell(page, 0).locator(".cm-content")).toBeFocused();

  // While a cell runs.
  await page.notebook.selectCells(2);
  await run(page, "notebook:run-cell");
  await expect(page.getByText(/TypeScript \+ CUDA \| Busy/)).toBeVisible();
  const said = panel.locator(".warpcell-panel-said");
  await panel.getByRole("button", { name: "Clear" }).click();
  await expect(said).toHaveText(/^\d+ files, [\d.]+ [KM]iB removed\.$/);
  await expect(panel.getByText("0 files, 0 B")).toBeVisible();
  await panel.getByRole("button", { name: "Look again" }).click();
  await expect(panel.getByText("Looking at the machine…")).toBeVisible();
  // A panel that was hidden meanwhile looks once more.
  for (const command of ["warpcell:show-variables", "warpcell:show-kernel"]) await run(page, command);
  await expect(panel.getByText("Looking at the machine…")).toHaveCount(0);
  await expect(machine.first().locator("dt")).toHaveText(["node", "cache", "new tensors go to"]);
  const device = panel.getByRole("button", { name: /^Restart (cpu|cuda:0)…$/ }).first();
  await device.click();
  const question = panel.getByRole("group", { name: /^Restart (cpu|cuda:0) \(.*Tensors stay\./ });
  await question.getByRole("button", { name: /^Restart/ }).click();
  await expect(said).toHaveText("A cell is running. Do this when it has ended.");
  await run(page, "notebook:interrupt-kernel");
  await expect(page.getByText(/TypeScript \+ CUDA \| Idle/)).toBeVisible();

  // Escape and "Cancel" do nothing, and give the focus back.
  for (const key of ["Escape", "Enter"]) {
    await device.click();
    await expect(question.getByRole("button", { name: "Cancel" })).toBeFocused();
    await page.keyboard.press(key);
    await expect(question).toHaveCount(0);
    await expect(device).toBeFocused();
  }
  await device.click();
  await question.getByRole("button", { name: /^Restart/ }).click();
  await expect(said).toHaveText(/^(cpu|cuda:0) has restarted\.$/);
  await page.notebook.selectCells(3);
  await run(page, "notebook:run-cell");
  await expect(cell(page, 3).locator(".jp-OutputArea-output")).toHaveText("256");

  await panel.getByRole("button", { name: "Restart session…" }).click();
  const lost = panel.getByRole("group", { name: /All variables, tensors, kernels and imports/ });
  await lost.getByRole("button", { name: "Restart session" }).click();
  await expect(panel.getByText("The notebook has compiled nothing yet.")).toBeVisible();
  await expect(cell(page, 3).locator(".jp-OutputArea-output")).toHaveText("256");
});

test("without a notebook of ours it says what it is for", async ({ page }) => {
  await run(page, "warpcell:show-kernel");
  const panel = page.locator("#warpcell-kernel");
  await expect(panel.locator(".warpcell-panel-note")).toHaveText(/^Open a notebook of the kernel TypeScript \+ CUDA/);
  await expect(panel.getByRole("button", { name: "Restart session…" })).toBeDisabled();
});
