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

  test.each([["x?", "x", 0], ["x.y??", "x.y", 1], [" $a? ", "$a", 0]])("ask for help: %s", (text, expression, detail) => {
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
    const { options } = cuda('%%cuda --name k --std=c++20 --arch sm_90a --device cuda:1 --define A=1 --define "B=x y" --include ../inc --flags "-lineinfo -G" --fast-math --verbose\n');
    expect(options).toEqual({
      name: "k", std: "c++20", arch: "sm_90a", device: "cuda:1", defines: ["A=1", "B=x y"], includes: ["../inc"], flags: ["-lineinfo", "-G"], fastMath: true, verbose: true,
    });
  });
});

describe("what is not understood", () => {
  test("an option names those that exist, and its column", () => {
    const error = problem("%%cuda --nmae k\n");
    expect(error.message).toBe("Expected an option of %%cuda (--name, --std, --arch, --define, --include, --flags, --device, --fast-math, --verbose) but got --nmae.");
    expect([error.line, error.column]).toEqual([1, 8]);
  });

  test.each([
    ["%%cuda --name", "Expected a value after --name but got nothing."],
    ["%%cuda --verbose=yes", "Expected --verbose without a value but got --verbose=yes."],
    ["%%wgsl\n", "Expected %%cuda, the only language besides TypeScript, but got %%wgsl."],
    ["%types loose", 'Expected %types to be followed by strict, warn, off but got "loose".'],
    ["%time x", "Expected a magic (%types, or %%cuda as the first line) but got %time."],
    ["%constructor", "Expected a magic (%types, or %%cuda as the first line) but got %constructor."],
  ])("%s", (text, sentence) => {
    expect(problem(text).message).toBe(sentence);
  });
});
