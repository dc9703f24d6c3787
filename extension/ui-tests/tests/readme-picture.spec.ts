// A kernel written, launched and looked at in one window: the picture of the README, taken from the real thing.
import { expect, test } from "./jupyterlab";
import { cell, coloursOf, gauge, notebookOf, open, shot, typescript } from "./notebook";

const kernel = `%%cuda
__global__ void mandelbrot(int width, int height, float left, float top, float step, float* out) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= width || row >= height) return;

  float re = left + column * step, im = top - row * step, x = 0, y = 0;
  int n = 0;
  while (n < 500 && x * x + y * y < 4) {
    float next = x * x - y * y + re;
    y = 2 * x * y + im;
    x = next;
    n++;
  }
  out[row * width + column] = logf(n);
}`;

const launch = `import { zeros } from "warpcell";

const [height, width] = [320, 1280];
const image = zeros([height, width]);
mandelbrot.launch({ grid: [width / 16, height / 16], block: [16, 16] }, width, height, -0.7535, 0.1336, 1.5e-5, image);
image`;

test("a kernel of one cell is launched in the next, and its array is a picture", async ({ page, tmpPath }) => {
  await page.contents.uploadContent(
    notebookOf(typescript, [{ source: kernel }, { source: launch }]),
    "text",
    `${tmpPath}/mandelbrot.ipynb`,
  );
  await page.setViewportSize({ width: 1180, height: 900 });
  await page.sidebar.close("left");
  await open(page, `${tmpPath}/mandelbrot.ipynb`);
  await expect(page.getByText(/TypeScript \+ CUDA \| Idle/)).toBeVisible();
  await page.notebook.run();

  const view = cell(page, 1).locator(".warpcell-tensor");
  await expect(view.locator(".warpcell-tensor-shape")).toHaveText("[320, 1280]");
  await expect
    .poll(async () => (await coloursOf(view.locator(".warpcell-heat-map-canvas"))).distinct)
    .toBeGreaterThan(200);
  await expect(gauge(page)).toBeVisible();
  await expect(page.getByText(/TypeScript \+ CUDA \| Idle/)).toBeVisible();
  await page.mouse.move(5, 400);
  await page.screenshot({ path: shot("readme") });
});
