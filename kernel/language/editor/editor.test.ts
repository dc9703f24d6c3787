// What an editor is told of cells that are being written, by a real checker in a temporary folder: hovers, signatures,
// matches with their imports, places of names, new names and hints.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EditorMatch, EditorPlace } from "warpcell/payloads";
import { applied } from "../../../test/helpers/applied-changes.ts";
import { TypeService } from "../service.ts";
import type { Asked } from "./cell-editor.ts";

let directory: string;
let service: TypeService;

beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "warpcell-editor-")));
  mkdirSync(join(directory, "node_modules/typed"), { recursive: true });
  writeFileSync(
    join(directory, "node_modules/typed/package.json"),
    JSON.stringify({ name: "typed", type: "module", exports: { types: "./types.d.ts", default: "./main.js" } }),
  );
  writeFileSync(
    join(directory, "node_modules/typed/types.d.ts"),
    "/** Pads. */ export declare function padEverything(text: string, width: number): string;\n",
  );
  writeFileSync(join(directory, "node_modules/typed/main.js"), "export const padEverything = (text) => text;\n");
  writeFileSync(join(directory, "package.json"), JSON.stringify({ dependencies: { typed: "*" } }));
  writeFileSync(
    join(directory, "shapes.ts"),
    "// Shapes.\nexport class Circle {\n  radius = 1;\n  area() {\n    return this.radius ** 2;\n  }\n}\n",
  );
  service = new TypeService({ directory, bound: 30_000 });
  service.start();
});

afterAll(() => {
  service.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Cells of which one has a | where it is asked about. */
function at(...texts: string[]): Asked & { cells: string[] } {
  const cell = texts.findIndex((text) => text.includes("¦"));
  const offset = texts[cell]!.indexOf("¦");
  return { question: "hover", cells: texts.map((text) => text.replace("¦", "")), cell, offset };
}

/** `cell:line word`, of places in the cells that were asked about. */
const placed = (cells: readonly string[], places: readonly EditorPlace[]) =>
  places.map(({ cell, file, start, end, line }) =>
    cell === null ? `${file}:${line}` : `${cell}:${line} ${cells[cell]!.slice(start, end)}`,
  );

const matched = (matches: readonly EditorMatch[], name: string) => matches.find(({ text }) => text === name);

describe("hover", () => {
  test("type and documentation of what is written, though nothing has run", async () => {
    const asked = at("/** Half of it. */\nfunction half(x: number) { return x / 2; }", "const y = 1 + ha¦lf(3);");
    const hover = (await service.edit("hover", asked))!;
    expect(hover.markdown).toMatch(/function half\(x: number\): number[^]*Half of it\./);
    expect(asked.cells[1]!.slice(hover.start, hover.end)).toBe("half");
  });

  test("of a host function and a kernel of a CUDA cell that has not run, with hints and completion", async () => {
    const above =
      "%%cuda\n__global__ void blur(float* out, int radius) {}\nwarpcell::Tensor soften(const warpcell::Tensor& image, float by) { return image; }";
    const host = await service.edit("hover", at(above, "sof¦ten(zeros([3]), 2);"));
    expect(host!.markdown).toContain("const soften: (image: Tensor<any>, by: number) => Tensor<any>");
    const written = at(above, "blur.launch({ grid: 1, block: 3 }, null, 3);¦");
    expect((await service.edit("hints", written)).map(({ text }) => text)).toEqual(["out:", "radius:"]);
    const { matches } = await service.edit("complete", at(above, "soften(zeros([3]), 2).softm¦"));
    expect(matched(matches, "softmax")).toBeDefined();
  });

  test("of the library", async () => {
    const { markdown } = (await service.edit("hover", at('import { zeros } from "warpcell";', "ze¦ros([3])")))!;
    expect(markdown).toMatch(/function zeros[^]*Zeros, or false/);
  });

  test.each([
    [
      "threadIdx.x",
      "%%cuda\n__global__ void f(int* p) { p[thr¦eadIdx.x] = 1; }",
      /const uint3 threadIdx[^]*Which thread/,
    ],
    [
      "a shuffle",
      "%%cuda\n__device__ int f(int v) { return __shfl_d¦own_sync(~0u, v, 1); }",
      /T __shfl_down_sync\(unsigned mask[^]*thread `delta` behind/,
    ],
    [
      "a tile",
      "%%cuda\nnamespace cg = cooperative_groups;\n__device__ void f() { auto t = cg::tiled_partition<32>(cg::this_thread_block()); t.sy¦nc(); }",
      /void sync\(\) const[^]*Waits/,
    ],
    [
      "what auto is",
      "%%cuda\n__device__ void f() { auto four = make_float4(1, 2, 3, 4); fo¦ur.x = 2; }",
      /float4 four/,
    ],
  ])("%s in a CUDA cell", async (_, cell, expected) => {
    expect((await service.edit("hover", at(cell)))!.markdown).toMatch(expected);
  });

  test("structs, fields, functions and macros of this and of other CUDA cells", async () => {
    const first =
      "%%cuda --verbose\n#define TILE 16\n// Two numbers.\nstruct Pair { float a; float b; };\n/* Their sum. */\n__device__ float sum(const Pair& pair) { return pair.a + pair.b; }";
    const ask = async (second: string) => (await service.edit("hover", at(first, second)))?.markdown;
    expect(await ask("%%cuda\n__device__ Pa¦ir p;")).toBe(
      "```c++\nstruct Pair {\n  float a;\n  float b;\n}\n```\n\nTwo numbers.",
    );
    expect(await ask("%%cuda\n__device__ float f(Pair* p) { return s¦um(*p) * TILE; }")).toBe(
      "```c++\n__device__ float sum(const Pair& pair)\n```\n\nTheir sum.",
    );
    expect(await ask("%%cuda\n__device__ float f(Pair* p) { return sum(*p) * TI¦LE; }")).toBe(
      "```c++\n#define TILE 16\n```",
    );
    expect(await ask("%%cuda\n__device__ float f(Pair* p) { return p[1].b¦; }")).toBe("```c++\nfloat Pair::b\n```");
    expect(await ask("%%cuda\n__device__ float f(Pair* p) { return 1; } // su¦m")).toBeUndefined();
  });

  test("nothing where there is nothing, and in a file's text", async () => {
    expect(await service.edit("hover", at("const x = 1; ¦  "))).toBeNull();
    expect(await service.edit("hover", at("%%writefile a.ts\nconst x¦ = 1;"))).toBeNull();
    expect(await service.edit("definition", at("%%writefile a.ts\nconst x¦ = 1;"))).toBeNull();
  });
});

describe("signatures", () => {
  const shown = async (asked: Asked) => {
    const help = await service.edit("signature", asked);
    return (help?.signatures ?? []).map(({ label, parameter }) => [label, parameter && label.slice(...parameter)]);
  };

  test("of a function, with the parameter at the cursor", async () => {
    const ask = (call: string) => shown(at("function mix(a: number, b: string, ...more: boolean[]) {}", call));
    expect(await ask("mix(¦")).toEqual([["mix(a: number, b: string, ...more: boolean[]): void", "a: number"]]);
    expect(await ask('mix(1, "(,", ¦true)')).toEqual([[expect.any(String), "...more: boolean[]"]]);
    expect(await ask('mix(1, "(,", true, fal¦se)')).toEqual([[expect.any(String), "...more: boolean[]"]]);
    expect(await ask("mix(1)¦")).toEqual([]);
  });

  test("in CUDA cells: own functions, macros, methods, constructors of vectors, CUDA's own", async () => {
    const first =
      "%%cuda\ntemplate <class T> __device__ T twice(T x, int times = 2) { return x * times; }\n#define SQUARE(x) ((x) * (x))";
    const ask = (call: string) => shown(at(first, `%%cuda\n__device__ void f(int* p) { ${call} }`));
    expect(await ask("twice<int>(p[f(1, 2)], ¦")).toEqual([
      ["template <class T> __device__ T twice(T x, int times = 2)", "int times = 2"],
    ]);
    expect(await ask("SQUARE(¦3)")).toEqual([["#define SQUARE(x) ((x) * (x))", "x"]]);
    expect(await ask("atomicAdd(&p[0], ¦1)")).toEqual([["T atomicAdd(T* address, T value)", "T value"]]);
    expect(await ask('printf("%d %d", 1, ¦2)')).toEqual([["int printf(const char* format, …)", "…"]]);
    expect(await ask("if (¦")).toEqual([]);
    expect(await ask("twice(1); ¦")).toEqual([]);
  });

  test("of a kernel that a program launches", async () => {
    const asked = at(
      "%%cuda\n__global__ void fill(float* p, int n) {}\nint main() { fill<<<dim3(1, 2), 32>>>(nullptr, ¦); }",
    );
    expect(await shown(asked)).toEqual([["__global__ void fill(float* p, int n)", "int n"]]);
  });
});

describe("matches", () => {
  const complete = (...cells: string[]) => service.edit("complete", at(...cells));
  const withImport = async (name: string, ...cells: string[]) => {
    const asked = at(...cells);
    const { matches, start, end } = await service.edit("complete", asked);
    const match = matched(matches, name)!;
    const text = asked.cells[asked.cell]!;
    const completed = text.slice(0, start) + match.text + text.slice(end);
    return match.edits.reduce(
      (result, edit) => result.slice(0, edit.start) + edit.text + result.slice(edit.end),
      completed,
    );
  };

  test("names of cells that have not run", async () => {
    const { matches } = await complete("function halfOf(x: number) { return x / 2; }", "halfO¦");
    expect(matches).toEqual([
      {
        text: "halfOf",
        type: "function",
        signature: expect.stringContaining("halfOf(x: number)"),
        documentation: "",
        from: null,
        edits: [],
      },
    ]);
  });

  test("a name of the library brings its import", async () => {
    expect(await withImport("softmax", "const a = softma¦")).toBe(
      'import { softmax } from "warpcell";\nconst a = softmax',
    );
    expect(await withImport("softmax", 'import { zeros } from "warpcell";\nsoftma¦')).toBe(
      'import { zeros, softmax } from "warpcell";\nsoftmax',
    );
    expect(await withImport("softmax", 'import {\n  zeros,\n} from "warpcell";\nsoftma¦')).toBe(
      'import {\n  zeros, softmax\n} from "warpcell";\nsoftmax',
    );
    expect(await withImport("softmax", "// Of rows.\n%time\n%types off\nsoftma¦")).toBe(
      '// Of rows.\n%time\n%types off\nimport { softmax } from "warpcell";\nsoftmax',
    );
  });

  test("one that an earlier cell has imported is there", async () => {
    const { matches } = await complete('import { softmax } from "warpcell";', "softma¦");
    expect(matched(matches, "softmax")).toMatchObject({ from: null, edits: [] });
  });

  test("names of installed packages", async () => {
    expect(await withImport("padEverything", "padEv¦")).toBe('import { padEverything } from "typed";\npadEverything');
  });

  test("no names of modules that stand for cells", async () => {
    const { matches } = await complete("const somewhere = 1;", "somewh¦", "const somewhereElse = 2;");
    expect(matches.map(({ text, from }) => [text, from])).toEqual([["somewhere", null]]);
  });

  test("in CUDA cells: members, words of CUDA, names of all cells", async () => {
    const first =
      "%%cuda\nstruct Pair { float first; float second; };\n__constant__ float filter[9];\n#define FILTERS 9";
    const ask = async (text: string) =>
      (
        await complete(first, `%%cuda\n__device__ void f(Pair* pairs, int filled) { int filler = 1; ${text} }`)
      ).matches.map(({ text: name }) => name);
    expect(await ask("pairs[0].¦")).toEqual(["first", "second"]);
    expect(await ask("pairs->s¦")).toEqual(["second"]);
    expect(await ask("blockIdx.¦")).toEqual(["x", "y", "z"]);
    expect(await ask("blockI¦")).toEqual(["blockIdx"]);
    expect(await ask("fil¦")).toEqual(["filler", "filled", "filter"]);
    expect(await ask("FIL¦")).toEqual(["FILTERS"]);
    expect(await ask("__shfl_d¦")).toEqual(["__shfl_down_sync"]);
    expect(await ask('printf("fil¦")')).toEqual([]);
    expect(await ask("// fil¦")).toEqual([]);
    const { matches } = await complete("%%cuda\n__device__ void f() { __shfl_d¦ }");
    expect(matches[0]).toMatchObject({ type: "function", signature: expect.stringContaining("unsigned delta") });
  });

  test("options on the magic line", async () => {
    expect((await complete("%%cuda --verb¦")).matches.map(({ text }) => text)).toEqual(["--verbose"]);
  });
});

describe("definitions", () => {
  const ask = async (...texts: string[]) => {
    const asked = at(...texts);
    const found = await service.edit("definition", asked);
    return found && placed(asked.cells, found.places);
  };

  test("in the nearest cell above that declares it", async () => {
    expect(await ask("let x = 1;", "let x = 2;", "x¦ + 1", "let x = 3;")).toEqual(["1:1 x"]);
    expect(await ask("x¦ + 1", "let y = 1;", "const x = 3;")).toEqual(["2:1 x"]);
    expect(await ask("class A { area() {} }\nconst a = new A();", "a.are¦a()")).toEqual(["0:1 area"]);
    expect(await ask("interface Size { width: number }", "const s: Si¦ze = { width: 3 };")).toEqual(["0:1 Size"]);
    expect(await ask("export const x = 1;", "x¦")).toEqual(["0:1 x"]);
    expect(await ask("%time const x = 1;", "x¦")).toEqual(["0:1 x"]);
  });

  test("in a file beside the notebook", async () => {
    expect(await ask('import { Circle } from "./shapes.ts";', "new Cir¦cle()")).toEqual(["shapes.ts:2"]);
    expect(await ask('import { Circle } from "./shapes.ts";', "new Circle().are¦a()")).toEqual(["shapes.ts:4"]);
  });

  test("of the library: what is known of it", async () => {
    const found = await service.edit("definition", at('import { zeros } from "warpcell";\nze¦ros([3])'));
    expect(found!.places).toEqual([]);
    expect(found!.hover!.markdown).toMatch(/function zeros/);
  });

  test("between the languages, and in CUDA cells", async () => {
    const cuda =
      "%%cuda\nstruct Pair { float a; };\n__constant__ float filter[9];\n__global__ void scale(Pair* p, float by) { p[0].a *= by; }";
    expect(await ask(cuda, "sca¦le.over(3)")).toEqual(["0:4 scale"]);
    expect(await ask(cuda, "filt¦er.set([])")).toEqual(["0:3 filter"]);
    expect(await ask(cuda, "%%cuda\n__device__ Pai¦r pair;")).toEqual(["0:2 Pair"]);
    expect(await ask(cuda.replace("*= by", "*= b¦y"))).toEqual(["0:4 by"]);
    expect(await ask(cuda.replace("[0].a", "[0].¦a"))).toEqual(["0:2 a"]);
    const builtin = await service.edit("definition", at("%%cuda\n__device__ int f() { return thread¦Idx.x; }"));
    expect(builtin).toMatchObject({ places: [], hover: { markdown: expect.stringContaining("threadIdx") } });
  });

  test("nothing where nothing has a name", async () => {
    expect(await ask("1 + ¦2")).toBeNull();
    expect(await ask("%%cuda\n// tex¦t")).toBeNull();
  });
});

describe("references", () => {
  const ask = async (...texts: string[]) => {
    const asked = at(...texts);
    const found = await service.edit("references", asked);
    return found && [found.name, ...placed(asked.cells, found.places)];
  };

  test("across cells, those that shadow the name left out", async () => {
    expect(await ask("let step = 1;", "step¦ + 1;\nfunction f(step: number) { return step; }", "({ step })")).toEqual([
      "step",
      "0:1 step",
      "1:1 step",
      "2:1 step",
    ]);
    expect(await ask("class A { are¦a() {} }", "new A().area()")).toEqual(["area", "0:1 area", "1:1 area"]);
    expect(await ask('import { Circle } from "./shapes.ts";', "new Circle().are¦a()")).toEqual([
      "area",
      "1:1 area",
      "shapes.ts:4",
    ]);
  });

  test("between the languages", async () => {
    const cuda = "%%cuda\n__global__ void scale(float* p) { p[0] = 1; }\nint main() { scale<<<1, 1>>>(nullptr); }";
    const expected = ["scale", "0:2 scale", "0:3 scale", "1:1 scale", "2:1 scale"];
    expect(await ask(cuda, "sca¦le.over(3)", "console.log(scale)")).toEqual(expected);
    expect(await ask(cuda.replace("scale", "s¦cale"), "scale.over(3)", "console.log(scale)")).toEqual(expected);
  });

  test("in CUDA cells", async () => {
    const first = "%%cuda\n#define TILE 16\n#define AREA (TILE * TILE)\nstruct Pair { float a; };";
    expect(await ask(first, "%%cuda\n__device__ float f(Pair p) { int a = TI¦LE; return p.a; }")).toEqual([
      "TILE",
      "0:2 TILE",
      "0:3 TILE",
      "0:3 TILE",
      "1:2 TILE",
    ]);
    expect(await ask(first, "%%cuda\n__device__ float f(Pair p) { int a = TILE; return p.a¦ + a; }")).toEqual([
      "a",
      "0:4 a",
      "1:2 a",
    ]);
    const loops =
      "%%cuda\n__device__ void f(int n) {\n  for (int i = 0; i < n; i++) g(i);\n  for (int i = 0; i¦ < n; i++) g(i);\n}";
    expect(await ask(loops)).toEqual(["i", "0:4 i", "0:4 i", "0:4 i", "0:4 i"]);
  });
});

describe("rename", () => {
  const ask = async (to: string, ...texts: string[]) => {
    const asked = at(...texts);
    return applied(asked.cells, await service.edit("rename", { ...asked, name: to }));
  };

  test("in all cells, with what has to be written around it", async () => {
    expect(await ask("rate", "let step = 1;", "st¦ep + 1;\nconst o = { step };", "({ step }).step")).toEqual([
      "let rate = 1;",
      "rate + 1;\nconst o = { step: rate };",
      "({ step: rate }).step",
    ]);
    expect(await ask("rate", "export const st¦ep = 1;", "step")).toEqual(["export const rate = 1;", "rate"]);
    expect(await ask("size", "class A { are¦a() {} }", "new A().area()")).toEqual([
      "class A { size() {} }",
      "new A().size()",
    ]);
    expect(await ask("y", "function f(x¦: number) { return x; }", "const x = 1;")).toEqual([
      "function f(y: number) { return y; }",
      "const x = 1;",
    ]);
    expect(await ask("make", 'import { zeros } from "warpcell";', "zer¦os([3])")).toEqual([
      'import { zeros as make } from "warpcell";',
      "make([3])",
    ]);
  });

  test("between the languages", async () => {
    const cuda = "%%cuda\n__global__ void scale(float* p) { p[0] = 1; }";
    const expected = ["%%cuda\n__global__ void grow(float* p) { p[0] = 1; }", "grow.over(3)"];
    expect(await ask("grow", cuda, "scal¦e.over(3)")).toEqual(expected);
    expect(await ask("grow", cuda.replace("scale", "sc¦ale"), "scale.over(3)")).toEqual(expected);
    expect(await ask("out", cuda.replace("* p", "* ¦p"), "const p = 1;")).toEqual([
      "%%cuda\n__global__ void scale(float* out) { out[0] = 1; }",
      "const p = 1;",
    ]);
  });

  test.each<[string, string[], string | RegExp]>([
    ["3x", ["const x¦ = 1;"], '"3x" is not a name: use letters, digits and _, and no keyword.'],
    ["class", ["const x¦ = 1;"], '"class" is not a name: use letters, digits and _, and no keyword.'],
    ["y", ["const x¦ = 1;", "const y = 2;"], "y is a name of the notebook already. Choose another one."],
    ["y", ["1 + ¦1"], "Nothing that has a name of its own stands here. Put the cursor into the name to change."],
    [
      "y",
      ["%%cuda\n// tex¦t"],
      "Nothing that has a name of its own stands here. Put the cursor into the name to change.",
    ],
    ["y", ["%%writefile a.ts\nx¦"], "This cell is a file's text, in which nothing is renamed."],
    [
      "size",
      ['import { Circle } from "./shapes.ts";', "new Circle().are¦a()"],
      "This is declared in shapes.ts, which the notebook does not change: rename it there.",
    ],
    [
      "size",
      ['import { zeros } from "warpcell";', "zeros([3]).sha¦pe"],
      "This is declared outside of the notebook, and cannot be renamed here.",
    ],
    [
      "y",
      ["%%cuda\n__device__ int f() { return thread¦Idx.x; }"],
      "threadIdx is a name of CUDA, which cannot be changed.",
    ],
    [
      "$y",
      ["%%cuda\n__device__ int f(int x¦) { return x; }"],
      "$y is not a name in CUDA C++: use letters, digits and _.",
    ],
    ["y", ["%%cuda\n__device__ int f(int x¦, int y) { return x; }"], "y is a name already. Choose another one."],
  ])("to %s is refused in %j", async (to, cells, sentence) => {
    expect(await ask(to, ...cells)).toEqual(sentence);
  });
});

test("hints name the parameters of kernels, and of nothing else", async () => {
  service.declare(1, [
    {
      name: "blur",
      text: 'declare const blur: import("warpcell").Kernel<[out: import("warpcell").Tensor, radius: number]>;',
    },
  ]);
  const asked = at(
    'import { zeros } from "warpcell";\nconst image = zeros([3]);',
    "%time blur.launch({ grid: 1, block: 3 }, image, 3);¦\nMath.max(1, 2);",
  );
  const hints = await service.edit("hints", asked);
  const text = asked.cells[1]!;
  expect(hints.map(({ offset, text: hint }) => `${hint} ${text.slice(offset, offset + 5)}`)).toEqual([
    "out: image",
    "radius: 3);\nM",
  ]);
});

test("questions leave what is checked as it was", async () => {
  const cells = ["const x = 1;", "x + 1;"];
  await service.edit("references", { question: "references", cells, cell: 1, offset: 0 });
  service.commit(2, "const later = 'text';");
  expect(await service.diagnose(3, "const n: number = later;")).toMatchObject([{ code: "TS2322" }]);
  expect(await service.mistakes("const n: number = word;", ["const word = 'text';"])).toMatchObject([
    { code: "TS2322" },
  ]);
  expect((await service.complete("softma", 6)).matches).toEqual([]);
});
