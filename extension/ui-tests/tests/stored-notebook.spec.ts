// A notebook with stored outputs and no kernel: what the editor colours and what the renderer draws from the file
// alone.
import { expect, test } from "./jupyterlab";
import { cell, coloursOf, contrastsOf, inkOf, notebookOf, open, output, shot, typescript } from "./notebook";
import { darkThemes } from "./themes";

const mime = "application/vnd.warpcell.tensor.v1+json";

const cuda = `%%cuda --fast-math
template <class T> __global__ void axpy(int n, T a, const T* __restrict__ x, T* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;  // not threadIdx here
  if (i < n) y[i] += a * x[i];
}
extern "C" __global__ void fill(float* p, int n, float value) {
  __shared__ float tile[256];
  __syncthreads();
  if (threadIdx.x < n) p[threadIdx.x] = value;
}`;

const script = 'import { zeros } from "warpcell";\nconst y: number = 1 << 20;\nzeros([y])';

const encoded = (values: ArrayLike<number>) => Buffer.from(Float32Array.from(values).buffer).toString("base64");

/** A wave of 64 × 256 cells; `hole` gives NaN. */
function tile(rows: number, columns: number, hole: (row: number, column: number) => boolean = () => false, offset = 0) {
  const values = Float32Array.from({ length: rows * columns }, (_, index) => {
    const [row, column] = [Math.floor(index / columns), index % columns];
    return hole(row, column) ? NaN : Math.sin((row + offset) / 9) * Math.cos(column / 21);
  });
  return { rows, columns, rowStep: 1, columnStep: 1, values: encoded(values) };
}

const payload = (shape: number[], changes: object = {}) => {
  const size = shape.reduce((product, length) => product * length, 1);
  return {
    version: 1,
    shape,
    dtype: "float32",
    device: "cuda:0",
    size,
    bytes: size * 4,
    min: -0.9998,
    max: 1,
    mean: 0.012345,
    nan: 0,
    inf: 0,
    suspect: false,
    tile: null,
    ...changes,
  };
};

const holes = tile(64, 256, (row, column) => (row - 30) ** 2 + ((column - 128) / 2) ** 2 < 90);

/** From −1 to 1, with a square each of NaN, +∞ and −∞. */
const kinds = Float32Array.from({ length: 64 * 96 }, (_, index) => {
  const [row, column] = [Math.floor(index / 96), index % 96];
  const isSquare = row >= 20 && row < 40;
  if (isSquare && column >= 12 && column < 28) return NaN;
  if (isSquare && column >= 40 && column < 56) return Infinity;
  if (isSquare && column >= 68 && column < 84) return -Infinity;
  return column / 47.5 - 1;
});

const stored = notebookOf(typescript, [
  {
    source: script,
    outputs: [output({ [mime]: payload([64, 256], { nan: 566, inf: 1, suspect: true, tile: holes }) })],
  },
  { source: cuda },
  {
    source: "vector",
    outputs: [output({ [mime]: payload([1048576], { tile: { ...tile(1, 256, () => false, 9), columnStep: 4096 } }) })],
  },
  { source: "stack", outputs: [output({ [mime]: payload([8, 3, 12, 12], { device: "cpu", tile: tile(12, 12) }) })] },
  { source: "broken", outputs: [output({ [mime]: { ...payload([2]), version: 7 } })] },
  { source: "scalar", outputs: [output({ [mime]: payload([], { min: 2.5, max: 2.5, mean: 2.5 }) })] },
  {
    source: "small",
    outputs: [
      output({
        [mime]: payload([3, 3], {
          nan: 1,
          tile: { rows: 3, columns: 3, rowStep: 1, columnStep: 1, values: encoded([NaN, 2, 2, 2, 2, 2, 2, 2, 2]) },
        }),
      }),
    ],
  },
  {
    source: "kinds",
    outputs: [
      output({
        [mime]: payload([64, 96], {
          min: -1,
          max: 1,
          nan: 100,
          inf: 200,
          tile: { rows: 64, columns: 96, rowStep: 1, columnStep: 1, values: encoded(kinds) },
        }),
      }),
    ],
  },
  {
    source: "mask",
    outputs: [
      output({
        [mime]: payload([8, 40], {
          dtype: "bool",
          bytes: 320,
          min: 0,
          max: 1,
          mean: 0.25,
          tile: {
            rows: 8,
            columns: 40,
            rowStep: 1,
            columnStep: 1,
            values: encoded(Array.from({ length: 320 }, (_, index) => Number(index % 4 === 0))),
          },
        }),
      }),
    ],
  },
]);

test.beforeEach(async ({ page, tmpPath }) => {
  await page.contents.uploadContent(stored, "text", `${tmpPath}/stored.ipynb`);
  await open(page, `${tmpPath}/stored.ipynb`, { start: false });
});

test("a CUDA cell is C++ with CUDA's words, a TypeScript cell stays TypeScript", async ({ page }) => {
  const editor = cell(page, 1).locator(".cm-content");
  await expect(editor.locator(".warpcell-cuda-magic")).toHaveText("%%cuda --fast-math");
  await expect(editor.locator(".warpcell-cuda-qualifier")).toHaveText([
    "__global__",
    "__restrict__",
    "__global__",
    "__shared__",
  ]);
  await expect(editor.locator(".warpcell-cuda-builtin")).toHaveText([
    "blockIdx",
    "blockDim",
    "threadIdx",
    "__syncthreads",
    "threadIdx",
    "threadIdx",
  ]);
  await expect(cell(page, 0).locator(".warpcell-cuda-qualifier, .warpcell-cuda-magic")).toHaveCount(0);

  // "template" is a keyword of C++ alone: TypeScript's highlighter would leave it in the colour of a name.
  const template = await inkOf(editor.getByText("template", { exact: true }));
  const name = await inkOf(editor.locator(".cm-line").nth(3));
  expect(template).not.toBe(name);
  const keyword = await inkOf(cell(page, 0).locator(".cm-content").getByText("const", { exact: true }));
  expect(template).toBe(keyword);
  expect(await inkOf(editor.locator(".warpcell-cuda-qualifier").first())).toBe(keyword);
});

test("the colours follow the magic line as it is typed and removed", async ({ page }) => {
  const editor = cell(page, 3).locator(".cm-content");
  await editor.click();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("%%cuda\n__device__ float f();");
  await expect(editor.locator(".warpcell-cuda-qualifier")).toHaveText(["__device__"]);
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Delete");
  await expect(editor.locator(".warpcell-cuda-qualifier, .warpcell-cuda-magic")).toHaveCount(0);
  await page.keyboard.type("%");
  await expect(editor.locator(".warpcell-cuda-magic")).toHaveText("%%cuda");
});

test("blocks are indented as they are typed", async ({ page }) => {
  const editor = cell(page, 3).locator(".cm-content");
  await editor.click();
  await page.keyboard.press("Control+A");
  await page.keyboard.type(
    "%%cuda\n__global__ void k(float* p) {\nfor (int i = 0; i < 3; i++) {\nif (p[i] < 0) {\np[i] = 0;\n}\n}\n}",
  );
  await expect
    .poll(() => editor.locator(".cm-line").allTextContents())
    .toEqual([
      "%%cuda",
      "__global__ void k(float* p) {",
      "    for (int i = 0; i < 3; i++) {",
      "        if (p[i] < 0) {",
      "            p[i] = 0;",
      "        }",
      "    }",
      "}",
    ]);
});

test("a text that begins with the magic's name is no CUDA cell", async ({ page }) => {
  const magic = cell(page, 1).locator(".cm-content .warpcell-cuda-magic");
  await expect(magic).toHaveCount(1);
  await page.notebook.setCellType(1, "markdown");
  await expect(cell(page, 1).locator(".cm-content")).toContainText("%%cuda");
  await expect(magic).toHaveCount(0);
  await page.notebook.setCellType(1, "code");
  await expect(magic).toHaveCount(1);
});

test("a tensor shows its line and a heat map with the map's colours and the hatch", async ({ page }) => {
  const view = cell(page, 0).locator(".warpcell-tensor");
  await expect(view.locator(".warpcell-tensor-line > *")).toHaveText([
    "[64, 256]",
    "float32",
    "cuda:0",
    "min -0.9998",
    "max 1",
    "mean 0.012345",
    "566 NaN",
    "1 Inf",
    "unfinished",
  ]);
  const canvas = view.locator(".warpcell-heat-map-canvas");
  await expect(canvas).toHaveAttribute("role", "img");
  await expect(canvas).toHaveAttribute(
    "aria-label",
    /^Heat map, 64 by 256 cells, of a tensor: \[64, 256\], float32, cuda:0/,
  );
  // It is painted when its size is known.
  await expect.poll(async () => (await coloursOf(canvas)).distinct).toBeGreaterThan(100);
  const { painted, size } = await coloursOf(canvas);
  expect(painted).toBe(size[0] * size[1]);
  await expect(view.locator(".warpcell-heat-map-missing")).toHaveText("NaN");
  await expect(cell(page, 0).locator("b", { hasText: "fallback" })).toHaveCount(0);
  await page.screenshot({ path: shot("stored-light") });
});

test("a small tensor has its numbers in its cells, and a page too narrow for them has none", async ({ page }) => {
  const canvas = cell(page, 6).locator(".warpcell-heat-map-canvas");
  await canvas.scrollIntoViewIfNeeded();
  // Every finite cell has the same colour.
  const coloursOfMiddle = () =>
    canvas.evaluate((element) => {
      const { width, height } = element as HTMLCanvasElement;
      const { data } = (element as HTMLCanvasElement)
        .getContext("2d")!
        .getImageData(Math.ceil(width / 3), Math.ceil(height / 3), Math.floor(width / 3), Math.floor(height / 3));
      return new Set(new Uint32Array(data.buffer)).size;
    });
  await expect.poll(coloursOfMiddle).toBeGreaterThan(1);
  await page.screenshot({ path: shot("stored-numbers") });
  await canvas.evaluate((element) => (element.style.width = "12px"));
  await expect.poll(coloursOfMiddle).toBe(1);
});

test("pointer and keys name the elements of a cell and their value", async ({ page }) => {
  const view = cell(page, 3).locator(".warpcell-tensor");
  const canvas = view.locator(".warpcell-heat-map-canvas");
  const reading = view.locator(".warpcell-heat-map-reading");
  await canvas.hover({ position: { x: 1, y: 1 } });
  await expect(reading).toHaveText("[0, 0, 0, 0] 0");
  await expect(view.locator(".warpcell-heat-map-note")).toBeHidden();
  await page.mouse.move(0, 0);
  await expect(reading).toHaveText("");
  await expect(view.locator(".warpcell-heat-map-note")).toHaveText("the first slice [0, 0, :, :]");
  await canvas.focus();
  for (const key of ["ArrowRight", "ArrowDown", "ArrowDown", "End"]) await page.keyboard.press(key);
  await expect(reading).toHaveText(`[0, 0, 2, 11] ${Number((Math.sin(2 / 9) * Math.cos(11 / 21)).toPrecision(5))}`);
  await expect(canvas).toBeFocused();
  await page.screenshot({ path: shot("stored-cursor") });
  await expect(reading).toHaveAttribute("aria-live", "polite");
  await page.keyboard.press("Escape");
  await expect(reading).toHaveText("");

  const vector = cell(page, 2).locator(".warpcell-tensor");
  await vector.locator("canvas").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(vector.locator(".warpcell-heat-map-reading")).toHaveText(/^\[4096…8191\] mean 0\.84/);
});

test("NaN and both infinities look different, values of both signs have a neutral zero in their middle, booleans are true and false", async ({
  page,
}) => {
  const view = cell(page, 7).locator(".warpcell-tensor");
  const canvas = view.locator(".warpcell-heat-map-canvas");
  await canvas.scrollIntoViewIfNeeded();
  await expect(view.locator(".warpcell-heat-map-missing")).toHaveText(["NaN", "+∞", "−∞"]);
  await expect(view.locator(".warpcell-heat-map-limit")).toHaveText(["-1", "1"]);
  await expect.poll(async () => (await coloursOf(canvas)).distinct).toBeGreaterThan(90);
  /** The colours of a square of the picture, given in cells. */
  const patch = (row: number, column: number, size: number) =>
    canvas.evaluate(
      (element, { row, column, size }) => {
        const { width, height } = element as HTMLCanvasElement;
        const { data } = (element as HTMLCanvasElement)
          .getContext("2d")!
          .getImageData((column * width) / 96, (row * height) / 64, (size * width) / 96, (size * height) / 64);
        const colours = new Set<string>();
        for (let at = 0; at < data.length; at += 4) colours.add([...data.slice(at, at + 3)].join());
        return [...colours].sort();
      },
      { row, column, size },
    );
  const [nan, positive, negative, low, zero, high] = [
    await patch(22, 14, 12),
    await patch(22, 42, 12),
    await patch(22, 70, 12),
    await patch(2, 0, 1),
    await patch(2, 47, 1),
    await patch(2, 95, 1),
  ];
  const patterns = [nan, positive, negative].map((colours) => new Set(colours));
  for (const [index, one] of patterns.entries())
    for (const other of patterns.slice(index + 1))
      expect([...one].filter((colour) => other.has(colour)).length).toBeLessThan(one.size / 2);
  expect(Math.min(...zero![0]!.split(",").map(Number))).toBeGreaterThan(230);
  expect(low).not.toEqual(high);
  await canvas.hover({ position: { x: 3, y: 3 } });
  await expect(view.locator(".warpcell-heat-map-reading")).toHaveText("[0, 0] -1");
  await page.screenshot({ path: shot("stored-kinds") });

  const mask = cell(page, 8).locator(".warpcell-tensor");
  await expect(mask.locator(".warpcell-tensor-line > *")).toHaveText([
    "[8, 40]",
    "bool",
    "cuda:0",
    "80 true",
    "240 false",
  ]);
  await expect(mask.locator(".warpcell-heat-map-limit")).toHaveText(["false", "true"]);
  await mask.locator("canvas").hover({ position: { x: 2, y: 2 } });
  await expect(mask.locator(".warpcell-heat-map-reading")).toHaveText("[0, 0] true");
});

test("an output that cannot be read is one sentence", async ({ page }) => {
  const broken = cell(page, 4).locator(".warpcell-tensor");
  await expect(broken).toHaveText(
    '"version" of a tensor preview is 7 but should be 1. Bring the kernel and the JupyterLab extension to the same version.',
  );
  await expect(broken.locator("canvas")).toHaveCount(0);
  await expect(cell(page, 5).locator(".warpcell-tensor-line > *")).toHaveText(["tensor(2.5)", "float32", "cuda:0"]);
});

for (const [theme, name] of darkThemes) {
  test(`everything is seen in ${theme}`, async ({ page }) => {
    await page.theme.setTheme(theme);
    const view = cell(page, 0).locator(".warpcell-tensor");
    // WCAG 2.2, success criterion 1.4.3.
    const texts = page.locator(
      ".warpcell-tensor-line > *, .warpcell-problem, .warpcell-heat-map-legend > *, .warpcell-heat-map-note",
    );
    await expect(page.locator(".warpcell-tensor-line, .warpcell-problem")).toHaveCount(8);
    // The theme's colours come with its style sheet.
    await expect.poll(async () => Math.min(...(await contrastsOf(texts)))).toBeGreaterThanOrEqual(4.5);
    await expect
      .poll(async () => (await coloursOf(view.locator(".warpcell-heat-map-canvas"))).distinct)
      .toBeGreaterThan(100);
    await page.screenshot({ path: shot(`stored-${name}`) });
  });
}

test.describe("on a screen of two device pixels to one", () => {
  test.use({ deviceScaleFactor: 2 });

  test("a heat map is painted in device pixels", async ({ page }) => {
    const canvas = cell(page, 0).locator(".warpcell-heat-map-canvas");
    await expect.poll(async () => (await coloursOf(canvas)).size).toEqual([2 * 768, 2 * 192]);
    expect((await coloursOf(canvas)).painted).toBe(4 * 768 * 192);
  });
});
