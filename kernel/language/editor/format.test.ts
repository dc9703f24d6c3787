// How cells of both languages are formatted: by the notebook's settings, and by what the folder says.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { applied } from "../../../test/helpers/applied-changes.ts";
import { TypeService } from "../service.ts";
import type { Asked } from "./cell-editor.ts";

let directory: string;
let service: TypeService;

beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "warpcell-format-")));
  service = new TypeService({ directory, bound: 30_000 });
  service.start();
});

afterAll(() => {
  service.stop();
  rmSync(directory, { recursive: true, force: true });
});

const ask = async (text: string, more: Partial<Asked> = {}) => {
  const asked: Asked = { question: "format", cells: [text], cell: 0, offset: 0, ...more };
  const changed = applied(asked.cells, await service.edit("format", asked));
  return typeof changed === "string" ? changed : changed[0];
};

test("spaces and indentation, never words; magics stay", async () => {
  expect(await ask("const  x=1\nif(x){\nf( x,2 )\n}")).toBe("const x = 1\nif (x) {\n    f(x, 2)\n}");
  expect(await ask("if(x){\nf()\n}", { indent: 2 })).toBe("if (x) {\n  f()\n}");
  expect(await ask("if(x){\nf()\n}", { indent: 0 })).toBe("if (x) {\n\tf()\n}");
  expect(await ask("%types   off\n%time const  x=1\nconst  y=1")).toBe("%types   off\n%time const  x=1\nconst y = 1");
  expect(await ask("const x = 1;")).toBe("const x = 1;");
});

test("what the folder's .editorconfig says comes first", async () => {
  writeFileSync(
    join(directory, ".editorconfig"),
    "root = true\n[*]\nindent_style = space\nindent_size = 8\n[*.{js,ts}]\nindent_size = 3\n",
  );
  expect(await ask("if(x){\nf()\n}", { indent: 2 })).toBe("if (x) {\n   f()\n}");
  rmSync(join(directory, ".editorconfig"));
});

test("all cells of both languages; those that cannot be parsed and files' texts are left", async () => {
  const cells = ["const  x=1", "%%cuda\nint  x;", "const  y=", "%%writefile a.txt\na  b", "const  z=1"];
  const changes = await service.edit("format", { question: "format", cells, cell: 0, offset: 0, all: true });
  expect(applied(cells, changes)).toEqual(["const x = 1", "%%cuda\nint x;", cells[2], cells[3], "const z = 1"]);
});

test("one that cannot be formatted says so", async () => {
  expect(await ask("const  y=")).toBe("This cell cannot be parsed: mend what is underlined, then format it.");
  expect(await ask("%%writefile a.txt\na  b")).toBe("This cell is a file's text, which is not formatted.");
});

// That of the project.
beforeEach(
  () =>
    void vi.stubEnv("PATH", `${fileURLToPath(new URL("../../../.venv/bin", import.meta.url))}:${process.env["PATH"]}`),
);
afterEach(() => void vi.unstubAllEnvs());

const kernel = "__global__ void f(float*y,int n){ // ½ → <&>\nif(n>0){y[0]=1;\n}\n}";
const laidOut = (indent: string) =>
  `__global__ void f(float* y, int n) {  // ½ → <&>\n${indent}if (n > 0) {\n${indent}${indent}y[0] = 1;\n${indent}}\n}`;

test("a cell of CUDA is laid out by clang-format; its magic stays", async () => {
  expect(await ask(`%%cuda  -O3\n${kernel}`)).toBe(`%%cuda  -O3\n${laidOut("    ")}`);
  expect(await ask(`%%cuda\n${kernel}`, { indent: 2 })).toBe(`%%cuda\n${laidOut("  ")}`);
  expect(await ask(`%%cuda\n${kernel}`, { indent: 0 })).toBe(`%%cuda\n${laidOut("\t")}`);
  expect(await ask(`%%cuda\n${laidOut("    ")}`)).toBe(`%%cuda\n${laidOut("    ")}`);
  expect(await ask("%%cuda")).toBe("%%cuda");
});

test("a cell of CUDA as the folder's .clang-format or .editorconfig says", async () => {
  onTestFinished(() => {
    for (const name of [".clang-format", ".editorconfig"]) rmSync(join(directory, name), { force: true });
  });
  writeFileSync(join(directory, ".editorconfig"), "root = true\n[*.ts]\nindent_size = 5\n[*.cu]\nindent_size = 3\n");
  expect(await ask(`%%cuda\n${kernel}`)).toBe(`%%cuda\n${laidOut("   ")}`);
  writeFileSync(
    join(directory, ".clang-format"),
    "BasedOnStyle: Google\nPointerAlignment: Right\nDerivePointerAlignment: false\n",
  );
  expect(await ask("%%cuda\nvoid f(int*x);")).toBe("%%cuda\nvoid f(int *x);");
  writeFileSync(join(directory, ".clang-format"), "BasedOnStyle: Nothing\n");
  expect(await ask("%%cuda\nvoid f(int*x);")).toMatch(/^clang-format failed: .*clang-format/);
});

test("where there is no clang-format, a cell of CUDA says what to install", async () => {
  vi.stubEnv("PATH", directory);
  expect(await ask("%%cuda\nint  x;")).toBe(
    'Cells of CUDA are formatted by clang-format, which is not in the PATH of the kernel: install it with LLVM, by your system\'s package manager or by "pip install clang-format", and restart the kernel.',
  );
});
