// What a cell that does not compile is told, by every compiler: each error with its line and a caret, in order, and
// nothing of ours.
import "./cache.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { mistakesOf } from "../../native/lib/host.ts";
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

  test("what is wrong with a source is known without its compile, errors and warnings alike", async () => {
    const source = "__global__ void k(float* p) {\n  int unused;\n  p[0] = 1.0f;\n}\n";
    const places = async (text: string) =>
      (await mistakesOf(text, { device, name: "Cell [3]" })).map(({ line, column, severity }) => [
        line,
        column,
        severity,
      ]);
    expect(await places(source)).toEqual([[2, 7, "warning"]]);
    expect(await places(source.replace("1.0f", "missing"))).toContainEqual([3, 10, "error"]);
    // A program: its kernels are looked at.
    expect(await places(`${source}int main() { undefined(); }`)).toEqual([[2, 7, "warning"]]);
    expect(await places(`${source.replace("1.0f", "missing")}int main() { }`)).toContainEqual([3, 10, "error"]);
    expect(await places("__global__ void k(struct Unknown u) { }")).toHaveLength(1);
    expect(await places("__global__ void k() { }")).toEqual([]);
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

  test("a kernel that launches a kernel, and a function that does, say what to write", async () => {
    const child = "__global__ void child(int* p) { p[threadIdx.x] += 1; }\n";
    for (const parent of [
      "__global__ void parent(int* p) {\n  if (threadIdx.x == 0) { child<<<1, 32>>>(p); }\n}",
      "__device__ void start(int* p) {\n  for (int i = 0; i < 3; i++) child<<<dim3(1), dim3(32)>>>(p);\n}\n__global__ void parent(int* p) { start(p); }",
    ])
      expect((await refused(child + parent)).message).toMatch(
        /^Cell \[3\] does not compile: a kernel that launches kernels \(dynamic parallelism\) is not available in a cell, not even on a GPU: launch the next one from a TypeScript cell or from main\(\), with a grid from what this one wrote \(count\.item\(\)\), or loop over its work here\.\n\nCell \[3\]:3:\d+\n/,
      );
  });

  test.runIf(device === "cpu")(
    "what the library itself refuses is said without a compiler's words around it",
    async () => {
      expect(
        (await refused("__global__ void k(float* p) { }\nvoid run(float* p) {\n  k<<<1, 1>>>(p);\n}")).message,
      ).toMatch(
        /^Cell \[3\] does not compile: run is host code, but TypeScript can call no function of this cell: write one, not static, that takes const warpcell::Tensor& x and hands on x\.data<float>\(\), or launch from a TypeScript cell, kernel\.launch\(\{ grid, block \}, \.\.\.\)\.\n\nCell \[3\]:2:\d+\n/,
      );
    },
  );

  test.runIf(device === "cpu").each([
    [
      "#include <cuda/std/mdspan>",
      "cuda/std/mdspan needs a GPU (or: include the header of the C++ library: <cmath>, <limits>, <type_traits> …)",
      1,
    ],
    ["#include <cuda/ptx>", "cuda/ptx needs a GPU (or: use atomicAdd, __syncthreads and __threadfence)", 1],
  ])("what only a GPU has: %j", async (source, sentence, line) => {
    expect((await refused(source)).diagnostics[0]).toMatchObject({ line, message: sentence });
  });

  const advised: [string, string, string, number][] = [
    [
      "all of CUB",
      "#include <cub/cub.cuh>",
      "cub/cub.cuh is not available in a cell, not even on a GPU: include CUB's single headers, such as <cub/block/block_reduce.cuh>, or use sum, mean, max … of tensors",
      1,
    ],
    [
      "half without its header",
      "__device__ float f(half* p) { return p[0]; }",
      "half is not known here: write #include <cuda_fp16.h>",
      1,
    ],
    [
      "groups without their header",
      "namespace cg = cooperative_groups;",
      "cooperative_groups is not known here: write #include <cooperative_groups.h> and namespace cg = cooperative_groups;",
      1,
    ],
    [
      "shuffles of old",
      "__global__ void k(float* p) {\n  p[0] = __shfl_down(p[0], 1);\n}",
      "__shfl_down is not known here: CUDA no longer has it; write it with _sync and a mask of lanes, such as __shfl_down_sync(0xffffffff, x, 1)",
      2,
    ],
    [
      "random numbers of the host",
      "#include <cstdlib>\n__global__ void k(int* p) {\n  p[0] = rand();\n}",
      "rand is for host programs, and a cell holds device code: fill an array in a TypeScript cell with rand([n]), or compute a hash of the thread's index",
      3,
    ],
    [
      "constant memory that a kernel writes",
      "__constant__ float table[4];\n__global__ void k(float* p) {\n  p[0] = table[1];\n  table[2] = 1;\n}",
      "table is __constant__ memory, which kernels only read: make it a __device__ variable, or pass a pointer",
      4,
    ],
    [
      "main() that compiles",
      "__global__ void k(float* p) { p[0] = 1; }\nint main() { return 0; }",
      "main() makes this a program, and here kernels are compiled: run it with runProgram(source) or in a %%cuda cell, or leave main() out",
      2,
    ],
  ];
  test.each(advised)("%s: said with what to write", async (_name, source, sentence, line) => {
    const { message, diagnostics } = await refused(source);
    expect(diagnostics[0]).toMatchObject({ line, message: sentence });
    expect(message).toContain(`Cell [3]:${line}:`);
  });

  test("textures: said with what to write, where the compiler does not have them", async () => {
    const source = "__device__ float f(unsigned long long t) {\n  return texCubemap<float>(t, 0, 0, 0);\n}";
    if (compiler === "NVRTC") return expect((await compile(source, { device })).warnings).toBe("");
    const { diagnostics } = await refused(source);
    const message =
      "texCubemap is not available in a cell, not even on a GPU: make the faces layers of a texture, texture(x, { layered: true }), and read them with tex2DLayered";
    expect(diagnostics[0]).toMatchObject({ line: 2, message });
  });

  test("containers and streams of the host in a kernel", async () => {
    const source =
      "#include <vector>\n#include <iostream>\n__global__ void k(int* p) {\n  std::vector<int> v(4);\n  std::cout << v[0];\n}\n__host__ void on_host() { std::cout << 1; }";
    const { diagnostics } = await refused(source);
    if (device === "cpu")
      expect(diagnostics).toMatchObject([
        { line: 4, message: expect.stringContaining("std::vector is for host programs") },
        { line: 5, message: expect.stringContaining("std::cout is for host programs") },
      ]);
  });

  test("names of the host that the cell itself gives its own functions", async () => {
    const source =
      "__device__ unsigned rand(unsigned x) { return x * 1664525u; }\nstruct Log { __device__ int puts(int x) { return x; } };\n__constant__ float table[2];\n__global__ void k(unsigned* p) {\n  Log log; float table_sum = table[0] + table[1]; if (table[0] == 1 || table[1] <= 2) p[1] = 1;\n  p[0] = rand(p[0]) + log.puts(1) + table_sum;\n}";
    expect((await compile(source, { device, name: "Cell [3]" })).warnings).toBe("");
  });

  test("a type that there is not, in as()", async () => {
    const { kernels } = await compile(
      "struct Mine { int x; };\ntemplate <class T> __global__ void fill(T* p, int n) { if (n < 0) p[0] = T(); }\ntemplate <class T> __global__ void set(T v, float* p) { p[0] = 1; }",
      { device },
    );
    for (const name of ["fill", "set"]) {
      const template = kernels[name] as unknown as KernelTemplate;
      expect(() => template.as("floot")).toThrow(
        `${name}.as("floot") names floot, which is not a known type. Known types are float, double, int, unsigned, long long, unsigned char, half (with cuda_fp16.h) …, float4 and the like, and structs that the cell declares.`,
      );
      for (const known of ["float", "unsigned char", "Mine", "float4"]) expect(() => template.as(known)).not.toThrow();
    }
  });

  test("warnings about the cell, with its lines; none about what is right", async () => {
    const source =
      '__global__ void k(float* p, int n) {\n  int unused = n;\n  float sum;\n  for (int i = 0; i < n; i++) sum += p[i];\n  printf("%d", p[0]);\n  p[0] = sum;\n}';
    const { warnings, diagnostics } = await compile(source, { device, name: "Cell [3]" });
    const told = new Set(diagnostics.filter(({ severity }) => severity === "warning").map(({ line }) => line));
    expect([2, 5].filter((line) => !told.has(line))).toEqual([]);
    // What is not initialised one compiler tells where it is declared, another one where it is used, NVRTC not at all.
    expect([3, 4, 6].some((line) => told.has(line))).toBe(compiler !== "NVRTC");
    expect(warnings).toMatch(/Cell \[3\]:5:\d+ warning: .*\n {2}4 \|[^\n]*\n> 5 \|   printf/);
    const right =
      "template <class T> __device__ T twice(T x) { return x + x; }\n__constant__ float table[4];\n__global__ void k(float* p, int n) {\n  unsigned i = threadIdx.x;\n  if (i < n) p[i] = twice(p[i]) + table[i & 3];\n}";
    expect((await compile(right, { device })).warnings).toBe("");
  });

  test("a function that was meant as a kernel", async () => {
    const { warnings, kernels } = await compile("void k(float* p) {\n  p[threadIdx.x] = 1;\n}", { device });
    expect(Object.keys(kernels)).toEqual([]);
    expect(warnings).toContain("k is not a kernel, so no cell can launch it: write __global__ in front of void");
  });

  test("a pasted program: main() is named, and nothing of what it calls", async () => {
    const { message, diagnostics } = await refused(
      "__global__ void k(float* p) { p[0] = 1; }\n\nint main() {\n  float* p;\n  cudaMalloc(&p, 4);\n  k<<<1, 1>>>(p);\n  cudaDeviceSynchronize();\n}",
    );
    expect(message).toMatch(
      /^Cell \[3\] does not compile: main\(\) makes this a program, and here kernels are compiled: run it with runProgram\(source\) or in a %%cuda cell, or leave main\(\) out\.\n\nCell \[3\]:3:5\n/,
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
