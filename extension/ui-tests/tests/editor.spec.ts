// The editor's help in the cells of a notebook, through the real kernel: what stands under the pointer, the call that is
// written, completion with imports, definitions, references, rename, format and hints; nothing where the kernel is another.
import { galata, type IJupyterLabPageFixture } from "@jupyterlab/galata";
import { expect, test } from "./jupyterlab";
import { cell, notebookOf, open, python, shot, typescript, type KernelName } from "./notebook";

const sources = [
  '/** Half of it. */\nfunction half(x: number, times = 1) { return x / 2 ** times; }\nimport { zeros } from "warpcell";',
  "%%cuda\n// Two numbers.\nstruct Pair { float first; float second; };\n__global__ void scale(float* out, float by) {\n  out[threadIdx.x] *= by;\n}",
  "const step = half(3);\nconst out = zeros([4]);\nscale.launch({ grid: 1, block: 4 }, out, 2);",
  "step + half(step);",
];

const tip = (page: IJupyterLabPageFixture) => page.locator(".warpcell-hover");
const signature = (page: IJupyterLabPageFixture) => page.locator(".warpcell-signature");
const offers = (page: IJupyterLabPageFixture) => page.locator(".jp-Completer .jp-Completer-item");
const note = (page: IJupyterLabPageFixture) => page.locator(".Toastify__toast").last();

/** A note that comes while another one is shown or leaves may never be seen. */
const said = (page: IJupyterLabPageFixture) => expect(page.locator(".Toastify__toast")).toHaveCount(0);

async function openNotebook(
  page: IJupyterLabPageFixture,
  path: string,
  texts: readonly string[] = sources,
  kernel: KernelName = typescript,
): Promise<void> {
  await page.contents.uploadContent(
    notebookOf(
      kernel,
      texts.map((source) => ({ source })),
    ),
    "text",
    path,
  );
  await open(page, path);
  if (kernel === typescript) await expect(page.locator(".jp-Notebook.warpcell-editor")).toBeVisible();
}

/** The cursor at the end of the first `text` of a cell. */
async function put(page: IJupyterLabPageFixture, index: number, text: string, inside = text.length): Promise<void> {
  await cell(page, index).locator(".cm-content").click();
  await page.evaluate(
    ({ index, text, inside }) => {
      type Position = { line: number; column: number };
      type Editor = {
        model: { sharedModel: { getSource(): string } };
        getPositionAt(offset: number): Position;
        setCursorPosition(position: Position): void;
      };
      const { jupyterapp } = window as unknown as {
        jupyterapp: { shell: { currentWidget: { content: { widgets: { editor: Editor }[] } } } };
      };
      const { editor } = jupyterapp.shell.currentWidget.content.widgets[index]!;
      editor.setCursorPosition(editor.getPositionAt(editor.model.sharedModel.getSource().indexOf(text) + inside));
    },
    { index, text, inside },
  );
}

/** Types at the end of a cell. */
async function type(page: IJupyterLabPageFixture, index: number, text: string): Promise<void> {
  await cell(page, index).locator(".cm-content").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(text);
}

/** What a cell holds; Galata's own way to read it would choose the text. */
const textOf = (page: IJupyterLabPageFixture, index: number) => () =>
  page.evaluate((index) => {
    type Widget = { model: { sharedModel: { getSource(): string } } };
    const { jupyterapp } = window as unknown as {
      jupyterapp: { shell: { currentWidget: { content: { widgets: Widget[] } } } };
    };
    return jupyterapp.shell.currentWidget.content.widgets[index]!.model.sharedModel.getSource();
  }, index);

/** The pointer on a word of a cell, and away before, so that it rests anew. */
async function point(page: IJupyterLabPageFixture, index: number, word: string): Promise<void> {
  await page.mouse.move(2, 2);
  const place = await cell(page, index)
    .locator(".cm-content")
    .evaluate((content, word) => {
      const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const at = node.textContent!.indexOf(word);
        if (at < 0) continue;
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        const { x, y, width, height } = range.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      }
      throw new Error(`"${word}" is in no text of the cell.`);
    }, word);
  await page.mouse.move(place.x - 2, place.y);
  await page.mouse.move(place.x, place.y);
}

/** The pointer rests on a word until its box says `text`: a checker that has just started may not answer at once. */
async function hover(page: IJupyterLabPageFixture, index: number, word: string, text: RegExp): Promise<void> {
  await expect(async () => {
    await point(page, index, word);
    await expect(tip(page)).toContainText(text, { timeout: 3000 });
  }).toPass();
}

test("the pointer is told what a word is, in both languages, light and dark, though nothing has run", async ({
  page,
  tmpPath,
}) => {
  await openNotebook(page, `${tmpPath}/editor.ipynb`);
  await hover(page, 3, "half", /function half\(x: number, times\?: number\): number\s*Half of it\./);
  await page.screenshot({ path: shot("editor-hover-light") });
  await hover(page, 1, "threadIdx", /const uint3 threadIdx\s*Which thread of its block/);
  await hover(page, 1, "Pair", /struct Pair \{[^]*Two numbers\./);
  await page.theme.setDarkTheme();
  await hover(page, 1, "scale", /__global__ void scale\(float\* out, float by\)/);
  await page.screenshot({ path: shot("editor-hover-dark") });

  // By keyboard.
  await page.mouse.move(2, 2);
  await put(page, 3, "half", 2);
  await page.keyboard.press("Shift+Tab");
  await expect(tip(page)).toContainText("Half of it.");
  await page.keyboard.press("Escape");
  await expect(tip(page)).toHaveCount(0);
});

test("the call that is written is shown with its parameter, and goes with Escape", async ({ page, tmpPath }) => {
  await openNotebook(page, `${tmpPath}/editor.ipynb`);
  await hover(page, 3, "half", /function half/);
  await page.mouse.move(2, 2);
  await type(page, 3, "\nhalf(");
  await expect(signature(page)).toContainText("half(x: number, times?: number): number");
  await expect(signature(page).locator("mark")).toHaveText("x: number");
  await page.keyboard.type("1, ");
  await expect(signature(page).locator("mark")).toHaveText("times?: number");
  await page.screenshot({ path: shot("editor-signature") });
  await page.keyboard.press("Escape");
  await expect(signature(page)).toHaveCount(0);
  await expect(page.locator(".jp-Notebook")).toHaveClass(/jp-mod-editMode/);
  await page.keyboard.press("Control+Shift+Space");
  await expect(signature(page).locator("mark")).toHaveText("times?: number");
  await page.keyboard.type("2)");
  await expect(signature(page)).toHaveCount(0);

  await type(page, 1, "\n__device__ void f(int* p) { atomicAdd(");
  await expect(signature(page).locator("mark")).toHaveText("T* address");
  await page.keyboard.type("p, ");
  await expect(signature(page).locator("mark")).toHaveText("T value");
  await page.theme.setDarkTheme();
  await page.screenshot({ path: shot("editor-signature-cuda-dark") });
});

test("a name of the library is completed with its import, and both are undone at once", async ({ page, tmpPath }) => {
  await openNotebook(page, `${tmpPath}/editor.ipynb`);
  await hover(page, 3, "half", /function half/);
  const before = sources[3]!;
  await type(page, 3, "\nsoftma");
  await page.keyboard.press("Tab");
  await expect(offers(page)).toHaveText([/softmax \(from "warpcell"\)/]);
  await page.screenshot({ path: shot("editor-import") });
  await page.keyboard.press("Enter");
  await expect.poll(textOf(page, 3)).toBe(`import { softmax } from "warpcell";\n${before}\nsoftmax`);
  await page.keyboard.type("(out)");
  await expect.poll(textOf(page, 3)).toMatch(/softmax\(out\)$/);

  // Into the import that is there.
  await type(page, 0, "\nlogSoftma");
  await page.keyboard.press("Tab");
  await expect(offers(page)).toHaveText([/logSoftmax \(from "warpcell"\)/]);
  await page.keyboard.press("Enter");
  await expect.poll(textOf(page, 0)).toBe(`${sources[0]!.replace("zeros", "zeros, logSoftmax")}\nlogSoftmax`);
  await page.keyboard.press("Control+z");
  await expect.poll(textOf(page, 0)).not.toContain("logSoftmax");
  await expect.poll(textOf(page, 0)).toContain("import { zeros } from");
});

test("CUDA's words, and names of all cells, are completed in CUDA cells", async ({ page, tmpPath }) => {
  await openNotebook(page, `${tmpPath}/editor.ipynb`, [...sources, "%%cuda\n__device__ float f(Pair* pairs) {\n  "]);
  await hover(page, 3, "half", /function half/);
  await page.mouse.move(2, 2);
  await type(page, 4, "atomicA");
  await page.keyboard.press("Tab");
  await expect(offers(page).filter({ hasText: "atomicAdd(T* address, T value)" })).toBeVisible();
  await page.screenshot({ path: shot("editor-completion-cuda") });
  await page.keyboard.press("Escape");
  await page.keyboard.type(";\n  pairs->");
  await page.keyboard.press("Tab");
  await expect(offers(page).filter({ hasText: /^(?:p\s*)?first/ })).toHaveCount(1);
  await expect(offers(page)).toHaveCount(2);
  await page.keyboard.press("Escape");
  await page.keyboard.type("sec");
  await page.keyboard.press("Tab");
  await expect(offers(page)).toHaveCount(1);
  await page.keyboard.press("Enter");
  await expect.poll(textOf(page, 4)).toMatch(/pairs->second$/);
});

test("definitions across cells, languages and files; references in a list; all by keyboard", async ({
  page,
  tmpPath,
}) => {
  await page.contents.uploadContent(
    "// Shapes.\nexport function area(side: number) {\n  return side * side;\n}\n",
    "text",
    `${tmpPath}/shapes.ts`,
  );
  const texts = [...sources, 'import { area } from "./shapes.ts";\narea(3);\nzeros([3]);'];
  await openNotebook(page, `${tmpPath}/editor.ipynb`, texts);
  await hover(page, 3, "half", /function half/);
  await page.mouse.move(2, 2);
  const active = page.locator(".jp-Notebook .jp-Cell.jp-mod-active");

  await put(page, 3, "step", 2);
  await page.keyboard.press("F12");
  await expect(active).toContainText("const step = half(3)");
  await expect(page.locator(".jp-Notebook")).toHaveClass(/jp-mod-editMode/);
  await put(page, 2, "scale", 2);
  await page.keyboard.press("F12");
  await expect(active).toContainText("__global__ void scale");

  await put(page, 4, "\nzeros", 3);
  await page.keyboard.press("F12");
  await expect(tip(page)).toContainText("function zeros");
  await page.keyboard.press("Escape");
  await expect(tip(page)).toHaveCount(0);

  await put(page, 1, "scale", 2);
  await page.keyboard.press("Shift+F12");
  const rows = page.getByRole("listbox", { name: "Places of scale" }).getByRole("option");
  await expect(rows).toHaveCount(2);
  await expect(page.getByRole("listbox", { name: "Places of scale" })).toBeFocused();
  await page.screenshot({ path: shot("editor-references") });
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(active).toContainText("scale.launch");

  await point(page, 3, "half");
  await page.keyboard.down("Control");
  await page.mouse.down();
  await page.mouse.up();
  await page.keyboard.up("Control");
  await expect(active).toContainText("function half");

  await put(page, 4, "\narea", 3);
  await page.keyboard.press("F12");
  await expect(page.locator(".jp-FileEditor:visible .cm-content")).toBeFocused();
  await page.keyboard.type("of_");
  await expect(page.locator(".jp-FileEditor:visible")).toContainText("function of_area(side");
});

test("a name is another in all cells, cells are formatted, what cannot be says so", async ({ page, tmpPath }) => {
  const texts = [...sources, "const  messy=[ 1,2 ]\nif(messy){\nhalf( 3 )\n}", "zeros([1]).shape", "const also  = 1"];
  await openNotebook(page, `${tmpPath}/editor.ipynb`, texts);
  await hover(page, 3, "half", /function half/);
  await page.mouse.move(2, 2);
  await put(page, 2, "scale", 2);
  await page.keyboard.press("F2");
  const dialog = page.locator(".jp-Dialog input");
  await expect(dialog).toHaveValue("scale");
  await page.screenshot({ path: shot("editor-rename") });
  await dialog.fill("grow");
  await page.keyboard.press("Enter");
  await expect.poll(textOf(page, 1)).toContain("void grow(float* out");
  await expect.poll(textOf(page, 2)).toContain("grow.launch(");
  await expect(note(page)).toContainText("scale is grow now: 2 places in 2 cells.");
  await page.keyboard.press("Control+z");
  await expect.poll(textOf(page, 2)).toContain("scale.launch(");
  await said(page);

  await put(page, 5, "shape", 2);
  await page.keyboard.press("F2");
  await expect(dialog).toHaveValue("shape");
  await dialog.fill("size");
  await dialog.press("Enter");
  await expect(dialog).toHaveCount(0);
  await expect(note(page)).toContainText("This is declared outside of the notebook, and cannot be renamed here.");

  await said(page);
  await put(page, 4, "messy", 2);
  await page.keyboard.press("Alt+Shift+F");
  await expect.poll(textOf(page, 4)).toBe("const messy = [1, 2]\nif (messy) {\n    half(3)\n}");
  await page.notebook.setCell(1, "code", "%%cuda\nstruct Half{ float part; };\n__device__ int one( ){\nreturn 1; }");
  await put(page, 1, "struct", 2);
  await page.keyboard.press("Alt+Shift+F");
  await expect
    .poll(textOf(page, 1))
    .toBe("%%cuda\nstruct Half {\n    float part;\n};\n__device__ int one() { return 1; }");
  await page.evaluate(async () => {
    const { jupyterapp } = window as unknown as {
      jupyterapp: { commands: { execute(command: string): Promise<unknown> } };
    };
    await jupyterapp.commands.execute("warpcell:format-all-cells");
  });
  await expect.poll(textOf(page, 6)).toBe("const also = 1");
});

test("hints name a kernel's parameters once its cell has run; also while a cell spins, all is answered", async ({
  page,
  tmpPath,
}) => {
  await openNotebook(page, `${tmpPath}/editor.ipynb`, [...sources, 'while (!require("fs").existsSync("enough"));']);
  await page.notebook.runCell(0, true);
  await page.notebook.runCell(1, true);
  const hints = cell(page, 2).locator(".warpcell-hint");
  await expect(hints).toHaveText(["by:"]);
  await page.screenshot({ path: shot("editor-hints") });
  expect(await textOf(page, 2)()).toBe(sources[2]);

  const run = page.notebook.runCell(4, true);
  await expect(cell(page, 4).locator(".jp-InputPrompt")).toHaveText("[*]:");
  await hover(page, 3, "half", /function half/);
  await put(page, 3, "step", 2);
  await page.keyboard.press("F12");
  await expect(page.locator(".jp-Cell.jp-mod-active")).toContainText("const step");
  await page.contents.uploadContent("now", "text", `${tmpPath}/enough`);
  await run;
});

test("another kernel is left alone", async ({ page, tmpPath }) => {
  await openNotebook(page, `${tmpPath}/python.ipynb`, ["def half(x): return x / 2", "half(1)"], python);
  await expect(page.getByText(/Python 3.* \| Idle/)).toBeVisible();
  await expect(page.locator(".warpcell-editor")).toHaveCount(0);
  await type(page, 1, "\nhalf(");
  await put(page, 1, "half", 2);
  await page.keyboard.press("F2");
  await expect(page.locator(".jp-Dialog")).toHaveCount(0);
  await expect(signature(page)).toHaveCount(0);
});

test.describe("what the settings turn off", () => {
  test.use({
    mockSettings: { ...galata.DEFAULT_SETTINGS, "@warpcell/jupyterlab:editor": { signatures: false } },
  });

  test("is off, and the rest is not", async ({ page, tmpPath }) => {
    await openNotebook(page, `${tmpPath}/editor.ipynb`);
    await hover(page, 3, "half", /function half/);
    await page.mouse.move(2, 2);
    await type(page, 3, "\nhalf(");
    await hover(page, 1, "threadIdx", /const uint3/);
    await expect(signature(page)).toHaveCount(0);
  });
});
