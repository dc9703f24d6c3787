// float32 functions and random numbers on the CPU: by every compiler of this machine, loops over them become vectors.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { compile, type Kernel, type KernelTemplate } from "../../native/lib/index.ts";
import { kernelFile } from "../../native/lib/ops/kernels/library.ts";
import { compilers, use } from "./cpu-cell.ts";

// `near`: of arguments that are not too far (functors.cuh).
const loop = (
  kernel: string,
  value: string,
) => `template <class Op> __global__ void ${kernel}(const float* x, float* y, int n) {
#pragma GCC ivdep
  for (int i = 0; i < n; i++) y[i] = Op::${value};
}`;
const source = [
  "#include <warpcell/functors.cuh>",
  loop("near", "near(x[i])"),
  loop("one", "of(x[i])"),
  loop("two", "of(x[i], y[i])"),
].join("\n");
const functions = {
  near: ["Sin", "Cos", "Tan"],
  one: [
    "Exp",
    "Exp2",
    "Expm1",
    "Log",
    "Log2",
    "Log10",
    "Log1p",
    "Sinh",
    "Cosh",
    "Tanh",
    "Erf",
    "Erfc",
    "Asin",
    "Acos",
    "Atan",
    "Asinh",
    "Acosh",
    "Atanh",
    "Cbrt",
    "Sigmoid",
    "Gelu",
  ],
  two: ["Atan2"],
};

/** One of each form: the others' compiles, two of each by each compiler, are the long run's. */
const forms = ["Sin", "Exp", "Log1p", "Tanh", "Erf", "Asin", "Cbrt", "Gelu", "Atan2"];
const isWanted = (name: string): boolean => process.env["WARPCELL_LONG"] === "1" || forms.includes(name);

// What the library's kernels are compiled with, for processors of which all tests run on one.
const options = {
  device: "cpu",
  defines: ["WARPCELL_SERIAL"],
  flags: ["-O3", ...(process.arch === "x64" ? ["-march=x86-64-v3"] : [])],
};
/** A product and a sum of whole vectors. */
const vectors = process.arch === "x64" ? /vfn?m(add|sub)\d+p[sd].*%ymm/ : /fml[as]\s+v\d+\.(4s|2d)/;
/** A product of whole vectors, also where it is rounded before the sum, so that devices agree. */
const products = process.arch === "x64" ? /v(mul|fn?m(add|sub)\d+)p[sd].*%ymm/ : /fml[as]|fmul\s+v\d+\.(4s|2d)/;
/** The same in vectors of any length. */
const anyVectors = process.arch === "x64" ? /vfn?m(add|sub)\d+ps.*%[yz]mm/ : vectors;
const assembly = (kernel: Kernel) =>
  (kernel.asm as unknown as { listings: { lines: string[] }[] }).listings[0]!.lines.join("\n");

test.each(
  compilers,
)("by %s, a kernel without barriers becomes vectors, also beside kernels that are split", async (compiler) => {
  use(compiler);
  // g++ makes no vectors of such a loop at -O2, as cells are compiled, so there it is split.
  const isClang = compiler.startsWith("clang");
  const cell = `
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void reversed(const float* x, float* y) {
  __shared__ float s[256];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
__global__ void summed(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffff, sum, k);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}`;
  const { kernels } = await compile(cell, { device: "cpu" });
  expect(Object.values(kernels).map((kernel) => (kernel as Kernel).info.execution)).toEqual([
    isClang ? "loop" : "split",
    "split",
    "split",
  ]);
  expect((kernels["reversed"] as Kernel).info.shared).toBe(1024);
  if (isClang) expect(assembly(kernels["saxpy"] as Kernel)).toMatch(anyVectors);
});

describe.each(compilers)("by %s", (compiler) => {
  test("loops over functions become vectors", async () => {
    use(compiler);
    const { kernels } = await compile(source, options);
    const instances = Object.entries(functions).flatMap(([kernel, names]) =>
      names
        .filter(isWanted)
        .map((name) => ({ name, kernel: (kernels[kernel] as unknown as KernelTemplate).as(`warpcell::${name}`) })),
    );
    expect(instances.filter(({ kernel }) => !vectors.test(assembly(kernel))).map(({ name }) => name)).toEqual([]);
  });

  test("normal numbers are drawn by vectors", async () => {
    use(compiler);
    const own = (
      type: string,
    ) => `__global__ void normals_of_${type}(${type}* out, long long count, unsigned long long seed) {
  draw_all(out, count, seed, 1, Normal<${type}>{0, 1});
}`;
    const { kernels } = await compile([kernelFile("create"), own("float"), own("double")].join("\n"), options);
    for (const type of ["float", "double"]) expect(assembly(kernels[`normals_of_${type}`] as Kernel)).toMatch(products);
  });
});
