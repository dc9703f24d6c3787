// What makes a cell a CUDA cell, which words of it are CUDA's, and how its magic line is hidden from the C++ parser.
import type { Input, PartialParse, Tree } from "@lezer/common";
import { Parser } from "@lezer/common";
import { expect, test } from "vitest";
import { cudaLanguage } from "./cuda-language.ts";
import { cudaWords, kindOf } from "./cuda-words.ts";
import { magicEnd } from "./magic-line.ts";
import { blankBefore, CudaCellParser } from "./masked-input.ts";

test.each<[string, number]>([
  ["%%cuda", 6],
  ["%%cuda --arch sm_90\nint x;", 19],
  ["%%cuda\t\n", 7],
  ["\n  \n %%cuda -O\nint x;", 14],
])("%j is a CUDA cell", (head, end) => expect(magicEnd(head)).toBe(end));
test.each(["", "%cuda", "x %%cuda", "%%cudax", "%%cuda-graph", "// %%cuda", "1;\n%%cuda"])("%j is not", (head) =>
  expect(magicEnd(head)).toBeNull());

test("each word has its kind", () => {
  const kinds = (text: string) =>
    [...text.matchAll(cudaWords())].map((match) => [match[0], kindOf(match as RegExpExecArray)]);
  expect(kinds("%%cuda --fast-math")).toEqual([["%%cuda --fast-math", "magic"]]);
  expect(kinds("__global__ void k(float4* p, const int* __restrict__ q)")).toEqual([
    ["__global__", "qualifier"],
    ["float4", "builtin"],
    ["__restrict__", "qualifier"],
  ]);
  expect(kinds("k<<<dim3(1), 32>>>(__shfl_down_sync(m, v, 1), atomicAdd(p, 1))")).toEqual([
    ["<<<", "launch"],
    ["dim3", "builtin"],
    [">>>", "launch"],
    ["__shfl_down_sync", "builtin"],
    ["atomicAdd", "builtin"],
  ]);
  expect(kinds("my__global__ threadIdxs int5 __globals__")).toEqual([]);
});

test("a match of another pattern is refused", () => {
  expect(() => kindOf(/x/.exec("x")!)).toThrow('"x" is no match of cudaWords().');
});

test("only what lies before the end of the magic line is blank, wherever a chunk starts", () => {
  const text = "%%cuda\nint x;";
  const end = 6;
  for (let from = 0; from <= text.length; from++) {
    const masked = blankBefore(end, text.slice(from), from);
    expect(masked).toBe(`${" ".repeat(end)}\nint x;`.slice(from));
  }
});

test("the C++ parser reads the cell in place, without its magic line", () => {
  let seen = "";
  class Recorder extends Parser {
    override createParse(input: Input): PartialParse {
      seen = input.chunk(0).slice(0, 9) + input.read(9, input.length);
      return { advance: () => null as Tree | null, parsedPos: 0, stopAt: () => undefined, stoppedAt: null };
    }
  }
  new CudaCellParser(new Recorder()).startParse("%%cuda -O\n__global__ void k();");
  expect(seen).toBe("         \n__global__ void k();");
});

test("without C++ there are no CUDA colours, and the reason is said", async () => {
  await expect(cudaLanguage({ getLanguage: async () => null })).rejects.toThrow(
    'JupyterLab knows no language "C++": %%cuda cells keep the colours of TypeScript.',
  );
});
