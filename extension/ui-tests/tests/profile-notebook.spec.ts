// A cell is profiled by the real kernel: its timeline, table, roofline and advice, the line that lights up, and the
// machine code of a kernel.
import { expect, test } from "./jupyterlab";
import { cell, notebookOf, open, shot, typescript } from "./notebook";
import { setTheme } from "./themes";

const kernel = `%%cuda
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}`;

const profiled = `%%profile
import { ones, range, zeros } from "warpcell";
const n = 1 << 20, x = ones([n]), y = zeros([n]);
range("loop", () => {
  for (let i = 0; i < 40; i++) saxpy.over(n, { bytes: 12 * n, flops: 2 * n })(n, 2, x, y);
});
y.mul(2).add(x).sum().item()`;

test("what a cell did is a timeline below it, linked with its lines", async ({ page, tmpPath }) => {
  await page.contents.uploadContent(
    notebookOf(typescript, [{ source: kernel }, { source: profiled }, { source: "saxpy.asm" }]),
    "text",
    `${tmpPath}/profile.ipynb`,
  );
  await page.setViewportSize({ width: 1280, height: 1100 });
  await page.sidebar.close("left");
  await open(page, `${tmpPath}/profile.ipynb`);
  await expect(page.getByText(/TypeScript \+ CUDA \| Idle/)).toBeVisible();
  await page.notebook.run();

  const view = cell(page, 1).locator(".warpcell-trace");
  await expect(view.getByRole("tab", { name: "Timeline" })).toBeVisible();
  await expect(view.locator("canvas").first()).toBeVisible();
  await expect(cell(page, 0).getByText(/last launch [\d.]+ (µs|ms), [\d.]+ GB\/s/)).toBeVisible();
  await page.screenshot({ path: shot("profile-timeline") });
  for (const [tab, text] of [
    ["Kernels", "saxpy"],
    ["Roofline", ""],
    ["Advice", ""],
  ] as const) {
    await view.getByRole("tab", { name: tab }).click();
    if (text !== "") await expect(view.getByText(text).first()).toBeVisible();
    await page.screenshot({ path: shot(`profile-${tab.toLowerCase()}`) });
  }
  await expect(cell(page, 2).locator(".warpcell-asm")).toBeVisible();
  await cell(page, 2).scrollIntoViewIfNeeded();
  await page.screenshot({ path: shot("profile-asm") });
});

const functions = `%%profile --typescript
import { ones } from "warpcell";
function spin(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}
const prepare = () => spin(20);
const train = () => { spin(80); return ones([4]).sum().item(); };
prepare();
train();`;

test("where the time of TypeScript goes is a flame chart in the timeline", async ({ page, tmpPath }) => {
  await page.contents.uploadContent(notebookOf(typescript, [{ source: functions }]), "text", `${tmpPath}/flames.ipynb`);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.sidebar.close("left");
  await open(page, `${tmpPath}/flames.ipynb`);
  await expect(page.getByText(/TypeScript \+ CUDA \| Idle/)).toBeVisible();
  await page.notebook.run();
  const view = cell(page, 0).locator(".warpcell-trace");
  await expect(view.locator("canvas").first()).toBeVisible();
  for (const theme of ["light", "dark"] as const) {
    await setTheme(page, theme);
    // The corner of the canvas is the page's ground.
    await expect
      .poll(() =>
        view
          .locator("canvas")
          .first()
          .evaluate(
            (canvas) => (canvas as HTMLCanvasElement).getContext("2d")!.getImageData(2, 2, 1, 1).data[0]! > 127,
          ),
      )
      .toBe(theme === "light");
    await page.screenshot({ path: shot(`profile-functions-${theme}`) });
  }
  // By keys, as in every track.
  const search = view.getByRole("searchbox");
  await search.fill("train");
  await search.press("Enter");
  await expect(view.getByText("function on functions").first()).toBeVisible();
  await expect(view.getByText("Cell [1]:8").first()).toBeVisible();
});
