// Sources cut into declarations: what each is called, what it adds to, and whether it defines anything.
import { expect, test } from "vitest";
import { piecesOf } from "./pieces.ts";

const told = (source: string) =>
  piecesOf(source).map(({ names, label, kind, extends: base, isDefinition }) =>
    [kind, names.join(" "), label, base.join(" "), isDefinition ? "" : "declared"].join("|"),
  );

test.each([
  ["#define N 4", "declaration|N|N||"],
  ["#define SQUARE(x) ((x) * (x))", "declaration|SQUARE|SQUARE||"],
  ["#include <cuda_fp16.h>", "include||#include <cuda_fp16.h>||"],
  ["struct P;", "declaration|P|struct P||declared"],
  ["struct P { float x; void f() { } } a, b[2];", "declaration|P a b|struct P||"],
  ["struct alignas(16) P { float x; };", "declaration|P|struct P||"],
  ["typedef struct { int a; } Q, *PQ;", "declaration|Q|struct Q||"],
  ["typedef unsigned char byte[4];", "declaration|byte|byte||"],
  ["typedef float (*op)(float);", "declaration|op|op||"],
  ["enum Color { red, green = 4 };", "declaration|Color red green|enum Color||"],
  ["enum class Mode : char { a };", "declaration|Mode|enum Mode||"],
  ["using namespace ns;", "using|||ns|"],
  ["using V = float4;", "declaration|V|V||"],
  ["namespace cg = cooperative_groups;", "declaration|cg|namespace cg||"],
  ["template <class T, int N = 2> struct A { T x[N]; };", "declaration|A|struct A||"],
  ["template <> struct A<float, 2> { };", "declaration|A<float,2>|struct A<float,2>|A|"],
  ["template <class T> __device__ T twice(const T& x) { return x + x; }", "declaration|twice|twice(const T&)||"],
  [
    "template <> __device__ int twice<int>(const int& x) { return 0; }",
    "declaration|twice<int>(const int&)|twice<int>(const int&)|twice|",
  ],
  ["__device__ __forceinline__ float f(const float* p, int n = 3);", "declaration|f|f(const float*, int)||declared"],
  ["__device__ float P::norm() const { return x; }", "declaration|P::norm()|P::norm()|P|"],
  [
    "__device__ P operator+(P a, const P& b) { return a; }",
    "declaration|operator+(P, const P&)|operator+(P, const P&)|P P|",
  ],
  ["constexpr float pi = 3.14f, table[] = {1, 2};", "declaration|pi table|pi, table||"],
  ["static constexpr int n = f(3);", "declaration|n|n||"],
  ["__constant__ float w[2 * R + 1][3];", "variable|w|w||"],
  ["extern __shared__ float tile[];", "declaration|tile|tile||"],
  ["extern __device__ int later;", "variable|later|later||declared"],
  ['extern "C" __global__ void __launch_bounds__(128) k(float* p) { }', "kernel|k|k||"],
  ["int main() { return 0; }", undefined],
  ["static_assert(sizeof(int) == 4);", undefined],
])("%s", (source, expected) => {
  expect(told(source)[0]).toBe(expected);
});

test("namespaces stand around what is in them, and places are those of the source", () => {
  const source =
    '\nnamespace a::b { inline namespace c {\n  struct P { }; } }\nextern "C" { __device__ int f() { return 1; } }';
  expect(
    piecesOf(source).map(({ names, around, line, column, text }) => ({ names, around, line, column, text })),
  ).toEqual([
    {
      names: ["a::b::c::P"],
      around: ["namespace a::b", "inline namespace c"],
      line: 3,
      column: 3,
      text: "struct P { };",
    },
    { names: ["f"], around: ['extern "C"'], line: 4, column: 14, text: "__device__ int f() { return 1; }" },
  ]);
});

test("what is between #if and #endif is one piece, but in the body of a function", () => {
  const source =
    "#ifndef A\n#define A 1\nstruct S { };\n#else\nint f() { return A; }\n#endif\n__device__ int g() {\n#if X\n  return 1;\n#else\n  return 2;\n#endif\n}";
  expect(piecesOf(source).map(({ names, line }) => [names.join(" "), line])).toEqual([
    ["S A", 1],
    ["g", 7],
  ]);
  expect([...piecesOf(source)[1]!.words]).toContain("X");
});
