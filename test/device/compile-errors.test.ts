// What a cell that does not compile is told, by every compiler: each error with its line and a caret, in order, and nothing of ours.
import "./cache.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { CompileError, compile, type KernelTemplate } from "../../native/lib/index.ts";
import { compilers, use } from "./cpu-cell.ts";
import { devices } from "./devices.ts";

const targets = devices.flatMap(({ name }): { device: string; compiler: string }[] =>
  (name === "cpu" ? compilers : ["NVRTC"]).map((compiler) => ({ device: name, compiler })),
);
const internal = /WARPCELL_CPU|__nv_name_map|kernels:|nv_mangled|cell\.cc/;

describe.each(targets)("on $device with $compiler", ({ device, compiler }) => {
  beforeAll(() => {
    if (device === "cpu") use(compiler);
  });

  const refused = async (source: string): Promise<CompileError> => {
    const error = await compile(source, { device, name: "Cell [3]" }).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(CompileError);
    expect((error as Error).message).not.toMatch(internal);
    return error as CompileError;
  };

  test("one error: the sentence says it, the line and a caret show it", async () => {
    const { message, diagnostics } = await refused("__global__ void k(float* p) {\n\tp[0] = missing;\n}");
    expect(message).toMatch(
      /^Cell \[3\] does not compile: [^\n]*missing[^\n]*\n\nCell \[3\]:2:9\n {2}1 \| __global__ void k\(float\* p\) \{\n> 2 \| \tp\[0\] = missing;\n {4}\| \t {7}\^$/,
    );
    expect(diagnostics).toMatchObject([{ line: 2, column: 9, severity: "error" }]);
  });

  test("several errors: all of them, in the order of their lines", async () => {
    const { message, diagnostics } = await refused(
      "__global__ void j(float* p) {\n  p[0] = first;\n}\n__global__ void k(float* p) {\n  p[0] = second;\n  p[1] = third;\n}",
    );
    expect(message).toMatch(/^Cell \[3\] does not compile: [^\n]*first[^\n]*\. 3 errors in all:\n\n/);
    expect(diagnostics.map(({ line, column }) => [line, column])).toEqual([
      [2, 10],
      [5, 10],
      [6, 10],
    ]);
    expect(message.match(/^> \d \| .*\n {4}\| {10}\^$/gm)).toHaveLength(3);
  });

  test("more than twenty errors: the first twenty, and how many more there are", async () => {
    const { message } = await refused(
      `__global__ void k(float* p) {\n${Array.from({ length: 25 }, (_, index) => `  p[${index}] = missing${index};`).join("\n")}\n}`,
    );
    expect(message).toMatch(/ 25 errors in all:[^]*\n\n… and 5 more\.$/);
    expect(message.match(/^> /gm)).toHaveLength(20);
  });

  test("a type that is nowhere declared is the one error, whatever follows from it", async () => {
    const { diagnostics } = await refused("__global__ void k(nowhere_t* p) { p[0] = 1; }");
    expect(diagnostics).toEqual([
      { line: 1, column: 19, severity: "error", message: expect.stringContaining("nowhere_t") },
    ]);
  });

  test.each([
    [
      "of an if",
      "__global__ void k(int* p) {\n  if (p) {\n    p[0] = 1;\n}\n__global__ void j(int* p) {\n  p[0] = 2;\n}",
      2,
      10,
    ],
    ["of a kernel", "__global__ void k(int* p) {\n  p[0] = 1;\n\n__global__ void j(int* p) {\n  p[0] = 2;\n}", 1, 27],
    [
      "of the last kernel",
      "__global__ void k(int* p) {\n  p[0] = 1;\n}\n__global__ void j(int* p) {\n  p[0] = '}';",
      4,
      27,
    ],
  ])("a missing brace %s: the one that is never closed", async (_, source, line, column) => {
    const { diagnostics, message } = await refused(source);
    expect(diagnostics).toEqual([{ line, column, severity: "error", message: "this { is never closed" }]);
    expect(message).toMatch(/^Cell \[3\] does not compile: this \{ is never closed\.\n\n/);
  });

  test("an instance that cannot be, and one whose kernel cannot be compiled for it", async () => {
    const { kernels } = await compile(
      "struct S {};\ntemplate <class T> __global__ void k(T* p) {\n  p[0] = T::value;\n}",
      { device, name: "Cell [3]" },
    );
    const instance = (type: string) => () => (kernels["k"] as KernelTemplate).as(type);
    expect(instance("nowhere_t*")).toThrow(
      /^Cell \[3\] does not compile: in k<nowhere_t\*>: [^\n]*nowhere_t[^\n]*\.\n\nCell \[3\]:2:1\n/,
    );
    expect(instance("S")).toThrow(/^Cell \[3\] does not compile: [^\n]*value[^\n]*\.\n\nCell \[3\]:3:\d+\n/);
    for (const type of ["nowhere_t*", "S"]) expect(instance(type)).not.toThrow(internal);
  });

  test("a declaration that TypeScript cannot call is shown too", async () => {
    const { message } = await refused("__global__ void k(int n) {}\n__global__ void j(int& n) {}");
    expect(message).toMatch(
      /A kernel cannot take a reference: pass a pointer or a value\.\n\nCell \[3\]:2:1\n {2}1 \|[^]*\n> 2 \| __global__ void j\(int& n\) \{\}\n/,
    );
  });

  test.runIf(device === "cpu")(
    "what the library itself refuses is said without a compiler's words around it",
    async () => {
      expect(
        (await refused("__global__ void k(float* p) { }\nvoid run(float* p) {\n  k<<<1, 1>>>(p);\n}")).message,
      ).toMatch(
        /^Cell \[3\] does not compile: <<<\.\.\.>>> is for host programs, and a cell holds device code: launch from a TypeScript cell, kernel\.launch\(\{ grid, block \}, \.\.\.\)\.\n\nCell \[3\]:3:\d+\n/,
      );
    },
  );

  test.runIf(device === "cpu").each([
    [
      "#include <mma.h>\nusing namespace nvcuda;",
      "mma.h needs a GPU (or: use a tiled loop over __shared__ memory, or matmul of tensors)",
      1,
    ],
    [
      "#include <cub/cub.cuh>",
      "cub/cub.cuh needs a GPU (or: use sum, mean, max … of tensors, or __shfl_down_sync and __shared__ memory)",
      1,
    ],
    ["#include <cuda/atomic>", "cuda/atomic needs a GPU (or: use atomicAdd, __syncthreads and __threadfence)", 1],
    [
      "__device__ float f(unsigned long long t) {\n  return tex2D<float>(t, 0, 0);\n}",
      "tex2D needs a GPU (or: read the array through a pointer)",
      2,
    ],
  ])("what only a GPU has: %j", async (source, sentence, line) => {
    expect((await refused(source)).diagnostics[0]).toMatchObject({ line, message: sentence });
  });

  test("a pasted program: main() is named, and nothing of what it calls", async () => {
    const { message, diagnostics } = await refused(
      "__global__ void k(float* p) { p[0] = 1; }\n\nint main() {\n  float* p;\n  cudaMalloc(&p, 4);\n  k<<<1, 1>>>(p);\n  cudaDeviceSynchronize();\n}",
    );
    expect(message).toMatch(
      /^Cell \[3\] does not compile: main\(\) is for host programs, and a cell holds device code: launch its kernels from a TypeScript cell, kernel\.launch\(\{ grid, block \}, …\)\.\n\nCell \[3\]:3:5\n/,
    );
    expect(diagnostics).toHaveLength(1);
  });

  test("a call of the host's interface says what takes its place", async () => {
    expect((await refused("__global__ void k(float* p) {\n  cudaMalloc(&p, 4);\n}")).diagnostics).toMatchObject([
      {
        line: 2,
        column: 3,
        message:
          "cudaMalloc is for host programs, and a cell holds device code: make arrays in a TypeScript cell: zeros([n]), tensor(data)",
      },
    ]);
  });

  test("a kernel called as a function of CUDA is", async () => {
    expect((await refused("\n__global__ void min(int* p, float x) { *p = x; }")).message).toMatch(
      /^Cell \[3\] does not compile: a function of CUDA is called min too: give the kernel another name\.\n\nCell \[3\]:2:1\n/,
    );
  });
});
