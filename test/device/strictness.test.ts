// What CUDA refuses or defines and a host compiler would let pass, the same on every device: launch bounds, __host__
// functions, printf's result, lambdas.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { compile, full, type Kernel, type KernelTemplate } from "../../native/lib/index.ts";
import { CompileError, LaunchError } from "../../native/lib/errors.ts";
import { devices } from "./devices.ts";

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const bounds = `#define THREADS 64
namespace inner { template <class T, int N = 4> __global__ void
  __launch_bounds__(N * (THREADS > 3 ? 8 : 1), 2) k(T* p) { p[threadIdx.x] = N; } }
extern "C" __global__ __launch_bounds__(THREADS) void j(int* p) { p[threadIdx.x] = 1; }
__global__ void free_of_them(int* p) { p[threadIdx.x] = 2; }`;

  test("__launch_bounds__ is what a launch keeps to, also of a template", async () => {
    const { kernels } = await compile(bounds, { device });
    const p = full([1024], 0, { dtype: "int32", device });
    const [k, j, free] = [
      (kernels["k"] as unknown as KernelTemplate).as("int", 4),
      kernels["j"] as Kernel,
      kernels["free_of_them"] as Kernel,
    ];
    expect([k.info.maxThreads, j.info.maxThreads, free.info.maxThreads]).toEqual([32, 64, 1024]);
    expect(() => j.launch({ grid: 1, block: 65 }, p)).toThrow(
      new LaunchError(
        "BLOCK",
        `A block of kernel j has at most 64 threads on ${device}, since its __launch_bounds__ or registers allow no more there, but this one has 65.`,
      ),
    );
    j.over(128)(p);
    k.launch({ grid: 1, block: 32 }, p);
    free.launch({ grid: 1, block: 1024 }, p);
    expect((p.toArray() as number[]).every((value) => value === 2)).toBe(true);
  });

  // NVRTC refuses every function that is for the host alone; the CPU's compilers refuse its call.
  test("a __host__ function called by a kernel is a compile error", async () => {
    const host =
      "__host__ int helper(int x) { return x + 1; }\nstatic __host__ inline int other() { return helper(2); }\n__host__ __device__ int both(int x) { return x * 2; }\n";
    const { kernels } = await compile(
      `${device === "cpu" ? host : host.split("\n")[2]!}\n__global__ void k(int* p) { p[0] = both(21); }`,
      { device },
    );
    const p = full([1], 0, { dtype: "int32", device });
    (kernels["k"] as Kernel).launch({ grid: 1, block: 1 }, p);
    expect(p.toArray()).toEqual([42]);
    const error = await compile(`${host}__global__ void k(int* p) {\n  p[0] = helper(p[0]);\n}`, { device }).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(CompileError);
    expect((error as CompileError).diagnostics[0]).toMatchObject({
      line: device === "cpu" ? 5 : 1,
      severity: "error",
      message: expect.stringMatching(/__host__ function/) as string,
    });
  });

  test("printf returns how many arguments it has read", async () => {
    const { kernels } = await compile(
      String.raw`__global__ void k(int* p) { p[0] = printf("none %%\n"); p[1] = printf("%d %5.2f %s\n", 1, 2.5, "x"); p[2] = printf("%-4d %lld\n", 4, 5ll); }`,
      { device },
    );
    const p = full([3], -9, { dtype: "int32", device });
    (kernels["k"] as Kernel).launch({ grid: 1, block: 1 }, p);
    expect(p.toArray()).toEqual([0, 3, 2]);
  });

  test("a lambda may be marked __device__, or __host__ __device__", async () => {
    const source = `__global__ void k(int* p) {
  auto add = [=] __device__ (int x) { return x + p[1]; };
  auto twice = [] __host__ __device__ (int x) { return 2 * x; };
  const char* text = "[] __device__ ("; // [] __device__ (
  p[0] = twice(add(3)) + text[3] - ' ';
}`;
    const { kernels } = await compile(source, { device });
    const p = full([2], 4, { dtype: "int32", device });
    (kernels["k"] as Kernel).launch({ grid: 1, block: 1 }, p);
    expect(p.toArray()).toEqual([14 + "_".charCodeAt(0) - 32, 4]);
  });
});
