// Cells as text: languages, magics and options, and every sentence for what is not understood.
import { describe, expect, test } from "vitest";
import { type Cell, parse } from "./cell.ts";
import { CellSyntaxError } from "./cell-syntax-error.ts";

function cuda(text: string): Extract<Cell, { language: "cuda" }> {
  const cell = parse(text);
  if (cell.language !== "cuda") throw new Error(`Expected a CUDA cell but got ${cell.language}.`);
  return cell;
}

function problem(text: string): CellSyntaxError {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof CellSyntaxError) return error;
    throw error;
  }
  throw new Error("Expected a CellSyntaxError but the cell was parsed.");
}

describe("TypeScript cells", () => {
  test("are what has no magic", () => {
    expect(parse("const a = 1")).toEqual({ language: "typescript", code: "const a = 1", magics: {}, help: null });
    expect(parse("")).toMatchObject({ language: "typescript", code: "" });
  });

  test("keep their lines when a magic is taken", () => {
    expect(parse("// note\n%types strict\na")).toMatchObject({ code: "// note\n\na", magics: { types: "strict" } });
  });

  test("may contain a remainder at the start of a line", () => {
    expect(parse("a\n% b")).toMatchObject({ code: "a\n% b", magics: {} });
  });

  test.each([
    ["x?", "x", 0],
    ["x.y??", "x.y", 1],
    [" $a? ", "$a", 0],
  ])("ask for help: %s", (text, expression, detail) => {
    expect(parse(text).help).toEqual({ expression, detail });
  });

  test.each(["a ? b : c", "x ?? y", "f()?", "a\n?"])("do not ask for help: %s", (text) => {
    expect(parse(text).help).toBeNull();
  });
});

describe("CUDA cells", () => {
  test("start with %%cuda, also below empty lines, and keep their lines", () => {
    expect(cuda("\n%%cuda\nint a;").code).toBe("\n\nint a;");
  });

  test("take every option, with a space or an equals sign", () => {
    const { options } = cuda(
      '%%cuda --name k --std=c++20 --arch sm_90a --device cuda:1 --define A=1 --define "B=x y" --include ../inc --flags "-lineinfo -G" --fast-math --check --verbose --profile --cells\n',
    );
    expect(options).toEqual({
      name: "k",
      std: "c++20",
      arch: "sm_90a",
      device: "cuda:1",
      defines: ["A=1", "B=x y"],
      includes: ["../inc"],
      flags: ["-lineinfo", "-G"],
      fastMath: true,
      check: true,
      verbose: true,
      profile: true,
      cells: true,
    });
  });
});

describe("magics", () => {
  test.each([
    ["%%profile\na", { counters: false, samples: false, typescript: false }],
    ["%profile --counters\na", { counters: true, samples: false, typescript: false }],
    ["%%profile --samples  --counters\na", { counters: true, samples: true, typescript: false }],
    ["%%profile --typescript\na", { counters: false, samples: false, typescript: true }],
  ])("a profile is asked for: %j", (text, profile) => {
    expect(parse(text)).toMatchObject({ language: "typescript", code: "\na", magics: { profile } });
  });

  test("several of them, each on its line, before the code", () => {
    expect(parse("%types strict\n// note\n%npm install a 'b@1 || 2' --save-dev\n%types\n%time\na")).toMatchObject({
      code: "\n// note\n\n\n\na",
      magics: { types: "strict", tellTypes: true, npm: [["install", "a", "b@1 || 2", "--save-dev"]], time: true },
    });
  });

  test.each([
    ["%time a % b", "      a % b"],
    ["%%time\na", "\na"],
    ["  %time\ta\n%b", "       \ta\n%b"],
  ])("code stays in its columns behind %%time: %j", (text, code) => {
    expect(parse(text)).toMatchObject({ language: "typescript", code, magics: { time: true } });
  });

  test("a file beside the notebook may have the text", () => {
    expect(cuda("%%cuda sub/vector.cu --fast-math").options).toMatchObject({ file: "sub/vector.cu", fastMath: true });
  });

  test("pages are texts", () => {
    expect(parse("%%cuda --name a --help").magics.pages?.[0]).toContain('--flags "FLAG …"');
    expect(parse("%lsmagic\n%help").magics.pages).toHaveLength(2);
  });
});

describe("%%writefile", () => {
  test.each([
    ["%%writefile a.h\nint a;\n%time\n", "a.h", "int a;\n%time\n", false],
    ["\n%%file -a 'with space.h'\nb", "with space.h", "b\n", true],
    ["%%writefile empty", "empty", "", false],
  ])("%j", (text, path, written, append) => {
    const cell = parse(text);
    expect(cell.code).toBe("");
    expect(cell.magics.file).toMatchObject({ path, text: written, append });
  });
});

describe("what is not understood", () => {
  test("has its column", () => {
    const error = problem("%%cuda --nmae k\n");
    expect([error.line, error.column]).toEqual([1, 8]);
    expect([problem("// note\n  %tiem").line, problem("// note\n  %tiem").column]).toEqual([2, 3]);
  });

  test.each([
    ["%%cuda --nmae k", '%%cuda has no option --nmae. Did you mean --name? "%%cuda --help" lists them.'],
    ["%%cuda --optimise", '%%cuda has no option --optimise. "%%cuda --help" lists them.'],
    ["%%cuda --name", "--name needs a value: --name NAME."],
    ["%%cuda --verbose=yes", "--verbose takes no value, but got --verbose=yes."],
    ["%%wgsl\n", "There is no magic %%wgsl. %lsmagic lists them."],
    ["%time\n%%writefile a.h", "%%writefile makes a whole cell the text of a file: it must be its first line."],
    ["%%writefile", "%%writefile needs the name of a file, for example: %%writefile helper.h"],
    ["%%writefile -x a.h", "%%writefile [-a] NAME: there is no option -x."],
    ["%%writefile a b.h", "%%writefile takes one file, but got a and b.h. A name with spaces is quoted."],
    [
      "%%writefile ../a.h",
      '%%writefile writes beside the notebook or below it, but ../a.h is elsewhere: writeFileSync from "node:fs" writes anywhere.',
    ],
    [
      "%%writefile /tmp/a.h",
      '%%writefile writes beside the notebook or below it, but /tmp/a.h is elsewhere: writeFileSync from "node:fs" writes anywhere.',
    ],
    ["%%CUDA\n", "There is no magic %%CUDA. Did you mean %%cuda? %lsmagic lists them."],
    ["%%cu\n", "There is no magic %%cu. Did you mean %%cuda? %lsmagic lists them."],
    [
      "!nvidia-smi",
      '!nvidia-smi runs a program in Python notebooks. Here a cell is TypeScript: import { execFileSync } from "node:child_process". devices() says which devices there are.',
    ],
    ["%%cdua\n", "There is no magic %%cdua. Did you mean %%cuda? %lsmagic lists them."],
    ["%types loose", "%types takes strict, warn or off, but got loose."],
    ["%tiem x", "There is no magic %tiem. Did you mean %time? %lsmagic lists them."],
    ["%lsmagics", "There is no magic %lsmagics. Did you mean %lsmagic? %lsmagic lists them."],
    [
      "%matplotlib inline",
      'There is no magic %matplotlib. Here charts need no magic: import { plot } from "warpcell". %lsmagic lists them.',
    ],
    [
      "%reset",
      "There is no magic %reset. Here exit ends the session, and the next cell begins with fresh variables. %lsmagic lists them.",
    ],
    ["%%latex\n", "There is no magic %%latex. Here md`$x^2$` shows a formula. %lsmagic lists them."],
    ["%constructor", "There is no magic %constructor. %lsmagic lists them."],
    ["%npm", "%npm needs to know what to do, for example: %npm install lodash"],
    ["%time\n%%cuda", "%%cuda makes a whole cell CUDA C++: it must be its first line."],
  ])("%s", (text, sentence) => {
    expect(problem(text).message).toBe(sentence);
  });
});
