// Typed kernels on every device: what a launch passes, what it refuses with which sentence, templates, the cache,
// faults, and its cost.
import { inspect } from "node:util";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  CompileError,
  compile,
  DeviceFault,
  full,
  Kernel,
  KernelTemplate,
  LaunchError,
  ones,
  synchronize,
  Tensor,
  tensor,
  zeros,
  type CudaModule,
} from "../../native/lib/index.ts";
import { describeOrigins, origin } from "../../native/lib/host.ts";
import { devices } from "./devices.ts";

const cache = mkdtempSync(join(tmpdir(), "warpcell-kernel-test-"));
const before = process.env["XDG_CACHE_HOME"];
beforeAll(() => {
  process.env["XDG_CACHE_HOME"] = cache;
});
afterAll(() => {
  if (before === undefined) delete process.env["XDG_CACHE_HOME"];
  else process.env["XDG_CACHE_HOME"] = before;
  rmSync(cache, { recursive: true, force: true });
});

const source = `
struct Box { float2 low; int ids[3]; unsigned char tag; double weight; };

extern "C" __global__ void fill(float* p, int n, float value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = value;
}

template <class T> __global__ void axpy(int n, T a, const T* x, T* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

__global__ void count(int* out, int w, int h, int d) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < w && y < h && z < d) out[(z * h + y) * w + x] += 1 + x + 100 * y + 10000 * z;
}

template <class T, int N = 4> __global__ void constant(T* p) { p[threadIdx.x] = T(N); }

namespace inner {
__global__ void scalars(double* out, bool a, signed char b, unsigned short c, int d, unsigned e, long long f, unsigned long long g, float h, double i) {
  double values[] = {double(a), double(b), double(c), double(d), double(e), double(f), double(g), double(h), double(i)};
  for (int k = 0; k < 9; k++) out[k] = values[k];
}
}

__global__ void compound(double* out, char pad, float3 v, int2 w, Box box) {
  double values[] = {double(pad), v.x, v.y, v.z, double(w.x), double(w.y), box.low.x, box.low.y, double(box.ids[0]), double(box.ids[1]), double(box.ids[2]), double(box.tag), box.weight};
  for (int k = 0; k < 13; k++) out[k] = values[k];
}

__global__ void where(int* out) {
  int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 1000 + thread;
}

__global__ void dynamic(int* out) {
  extern __shared__ int scratch[];
  scratch[threadIdx.x] = threadIdx.x * 3;
  __syncthreads();
  out[threadIdx.x] = scratch[blockDim.x - 1 - threadIdx.x];
}

__global__ void pointers(const void* any, const float4* wide, const short* nothing, int* out) { out[0] = any == nullptr; out[1] = wide == nullptr; out[2] = nothing == nullptr; }
__global__ void declared(float* p) { __shared__ float scratch[1000]; scratch[threadIdx.x] = p[0]; __syncthreads(); p[0] = scratch[blockDim.x - 1]; }
__global__ void stray(int* p) { *(volatile int*)(p == nullptr ? (int*)16 : p) = 1; }
`;

describe.each(devices)("on $name", ({ name: device, properties }) => {
  let module: CudaModule;
  const kernel = (name: string) => module.kernels[name] as Kernel;
  const template = (name: string) => module.kernels[name] as KernelTemplate;
  let p: Tensor<"float32">;

  beforeAll(async () => {
    module = await compile(source, { name: "Cell [3]", device });
    p = full([1000], NaN, { device });
  });

  describe("a launch", () => {
    test("passes its arguments, and over runs one thread per item", () => {
      kernel("fill").launch({ grid: 4, block: 256 }, p, 1000, 1.5);
      expect(new Set(p.toArray() as number[])).toEqual(new Set([1.5]));
      kernel("fill").over(999)(p, 999, 2);
      expect((p.toArray() as number[]).lastIndexOf(2)).toBe(998);
      kernel("fill").over(0)(p, 1000, 7);
      expect((p.toArray() as number[]).includes(7)).toBe(false);
    });

    test("over runs one thread per item along up to three axes", () => {
      const out = zeros([6, 7, 70], { dtype: "int32", device });
      const wanted = (w: number, h: number, d: number): number[] =>
        Array.from({ length: out.size }, (_, at) => {
          const [x, y, z] = [at % w, Math.floor(at / w) % h, Math.floor(at / (w * h))];
          return z < d ? 1 + x + 100 * y + 10_000 * z : 0;
        });
      const run = (items: number | number[], options = {}): unknown => {
        out.fill_(0);
        const [w, h = 1, d = 1] = [items].flat() as [number, number?, number?];
        kernel("count").over(items, options)(out, w, h, d);
        return out.flatten().toArray();
      };
      expect(run([70, 7])).toEqual(wanted(70, 7, 1));
      expect(run([70, 7], { block: 64 })).toEqual(wanted(70, 7, 1));
      expect(run([7, 70], { block: [8, 16] })).toEqual(wanted(7, 70, 1));
      expect(run([70, 7, 6])).toEqual(wanted(70, 7, 6));
      expect(run([7, 6, 70], { block: [2, 4, 8] })).toEqual(wanted(7, 6, 70));
      expect(run([70])).toEqual(wanted(70, 1, 1));
      expect(run([70, 0])).toEqual(wanted(70, 1, 0));
    });

    test("converts every scalar by its declared type", () => {
      const out = full([9], NaN, { device, dtype: "float64" });
      const launch = (...args: unknown[]) => {
        kernel("scalars").launch({ grid: 1, block: 1 }, out, ...args);
        return out.toArray();
      };
      expect(launch(true, -128, 65535, -(2 ** 31), 2 ** 32 - 1, -(2 ** 53 - 1), 2 ** 53 - 1, 0.1, 0.1)).toEqual([
        1,
        -128,
        65535,
        -(2 ** 31),
        2 ** 32 - 1,
        -(2 ** 53 - 1),
        2 ** 53 - 1,
        Math.fround(0.1),
        0.1,
      ]);
      expect(launch(false, 127, 0, 2 ** 31 - 1, 0, -(2n ** 63n), 2n ** 63n, -Infinity, NaN)).toEqual([
        0,
        127,
        0,
        2 ** 31 - 1,
        0,
        -(2 ** 63),
        2 ** 63,
        -Infinity,
        NaN,
      ]);
      expect(launch(false, 0, 0, 0, 0, -1, 2n ** 64n - 2048n, 1e-46, 5e-324)).toEqual([
        0,
        0,
        0,
        0,
        0,
        -1,
        2 ** 64 - 2048,
        0,
        5e-324,
      ]);
    });

    test("passes vectors and structs by value, with the compiler's layout", () => {
      const out = full([13], NaN, { device, dtype: "float64" });
      const box = { low: [8, 9], ids: [10, 11, 12], tag: 255, weight: 0.5 };
      kernel("compound").launch({ grid: 1, block: 1 }, out, 1, [2, 3, 4], { x: 5, y: 6 }, box);
      expect(out.toArray()).toEqual([1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 255, 0.5]);
    });

    test("passes large structs whole, and what is too large is refused", async () => {
      const text = (count: number) =>
        `struct Table { int at[${count}]; }; __global__ void k(int* out, Table t) { for (int i = 0; i < ${count}; i++) out[i] = t.at[i]; }`;
      const out = zeros([3000], { device, dtype: "int32" });
      const at = Array.from({ length: 3000 }, (_, index) => index);
      ((await compile(text(3000), { device })).kernels["k"] as Kernel).launch({ grid: 1, block: 1 }, out, { at });
      expect(out.toArray()).toEqual(at);
      await expect(compile(text(10_000), { device })).rejects.toThrow(CompileError);
    });

    test("takes grids and blocks of up to three axes", () => {
      const out = full([2 * 3 * 4 * 24], -1, { device, dtype: "int32" });
      kernel("where").launch({ grid: [2, 3, 4], block: [4, 3, 2] }, out);
      expect(out.toArray()).toEqual(
        Array.from({ length: 24 * 24 }, (_, index) => Math.floor(index / 24) * 1000 + (index % 24)),
      );
    });

    test("passes dynamic shared memory, more than 48 KiB where the device has it", () => {
      const out = zeros([256], { device, dtype: "int32" });
      kernel("dynamic").launch(
        { grid: 1, block: 256, shared: Math.min(64 * 1024, properties.sharedPerBlockOptin) },
        out,
      );
      expect(out.toArray()).toEqual(Array.from({ length: 256 }, (_, index) => (255 - index) * 3));
    });

    test("passes null, and any tensor for void*", () => {
      const out = full([3], -1, { device, dtype: "int32" });
      kernel("pointers").launch({ grid: 1, block: 1 }, null, null, null, out);
      expect(out.toArray()).toEqual([1, 1, 1]);
      kernel("pointers").launch({ grid: 1, block: 1 }, zeros([1], { device, dtype: "int8" }), p, null, out);
      expect(out.toArray()).toEqual([0, 0, 1]);
    });

    test("reads sizes and parts of structs that are worked out on the device before it is written", () => {
      const out = full([13], NaN, { device, dtype: "float64" });
      kernel("compound").launch(
        { grid: 1, block: 1 },
        out,
        1,
        {
          x: 2,
          y: 3,
          get z() {
            return p.slice([0, 4]).toArray().length as number;
          },
        },
        [5, 6],
        {
          low: [8, 9],
          get ids() {
            return [10, 11, p.size + Number(ones([2], { device }).sum().item())];
          },
          tag: 255,
          weight: 0.5,
        },
      );
      expect(out.toArray()).toEqual([1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 1002, 255, 0.5]);
      kernel("fill").launch(
        {
          get grid() {
            return p.slice([0, 4]).toArray().length as number;
          },
          block: 256,
        },
        p,
        1000,
        6,
      );
      expect(p.toArray()).toEqual(Array(1000).fill(6));
    });

    test("takes a contiguous view at its own place", () => {
      const x = zeros([4, 3], { device });
      kernel("fill").over(3)(x.slice(2) as Tensor<"float32">, 3, 5);
      expect(x.toArray()).toEqual([
        [0, 0, 0],
        [0, 0, 0],
        [5, 5, 5],
        [0, 0, 0],
      ]);
    });
  });

  describe("is refused before anything is submitted", () => {
    const launch =
      (args: unknown[], config: object = { grid: 1, block: 1 }) =>
      () =>
        kernel("fill").launch(config as never, ...args);
    /** As a tensor of a device that this machine may not have looks to a launch. */
    const elsewhere = () => {
      const { storage } = zeros([4], { device });
      const other = Object.create(storage!.device, { name: { value: "cuda:7" } }) as typeof storage & object;
      return new Tensor(Object.create(storage!, { device: { value: other } }) as typeof storage & object, "float32", {
        shape: [4],
        strides: [1],
        offset: 0,
      });
    };
    const scalar = (index: number, value: unknown) => () => {
      const args: unknown[] = [zeros([9], { device, dtype: "float64" }), true, 0, 0, 0, 0, 0, 0, 0, 0];
      args[index] = value;
      kernel("scalars").launch({ grid: 1, block: 1 }, ...args);
    };

    test.each<[string, () => unknown, string, RegExp | string]>([
      [
        "too few arguments",
        () => launch([p, 1])(),
        "ARGUMENT_COUNT",
        "Kernel fill takes 3 arguments (p: float*, n: int, value: float) but got 2.",
      ],
      [
        "none, where they were expected in a second call",
        () => launch([])(),
        "ARGUMENT_COUNT",
        "but got 0. Write fill.launch({ grid, block }, p, n, value), or fill.over(n)(p, n, value).",
      ],
      [
        "a promise for a pointer",
        () => launch([Promise.resolve(p), 1, 0])(),
        "ARGUMENT_TYPE",
        "but got a promise. Write await before it.",
      ],
      ["too many arguments", () => launch([p, 1, 2, 3])(), "ARGUMENT_COUNT", "but got 4."],
      [
        "a fraction for an integer",
        () => launch([p, 1.5, 0])(),
        "ARGUMENT_RANGE",
        "Argument 2 (n) of kernel fill must be a whole number from -2147483648 to 2147483647 (int), but got 1.5.",
      ],
      ["an integer out of range", () => launch([p, 2 ** 31, 0])(), "ARGUMENT_RANGE", "but got 2147483648."],
      ["NaN for an integer", () => launch([p, NaN, 0])(), "ARGUMENT_RANGE", "but got NaN."],
      ["a bigint for a 32-bit integer", () => launch([p, 1n, 0])(), "ARGUMENT_RANGE", "but got 1n."],
      ["a string for a number", () => launch([p, "1", 0])(), "ARGUMENT_TYPE", `but got "1".`],
      [
        "a float out of range",
        () => launch([p, 1, 1e39])(),
        "ARGUMENT_RANGE",
        "Argument 3 (value) of kernel fill must be a number of magnitude below 3.4e38 (float), but got 1e+39.",
      ],
      [
        "a number for a pointer",
        () => launch([0, 1, 0])(),
        "ARGUMENT_TYPE",
        "Argument 1 (p) of kernel fill must be a tensor of float32, or null (float*), but got 0.",
      ],
      [
        "a host array",
        () => launch([new Float32Array(4), 1, 0])(),
        "HOST_ARRAY",
        /got a host Float32Array\. Nothing is copied implicitly: make a tensor of it/,
      ],
      ["a plain array for a pointer", () => launch([[1, 2], 1, 0])(), "HOST_ARRAY", "but got an array of 2."],
      [
        "another dtype",
        () => launch([zeros([4], { device, dtype: "int32" }), 1, 0])(),
        "DTYPE",
        "must be a tensor of float32, or null (float*), but got a tensor of int32.",
      ],
      [
        "a view that is not contiguous",
        () => launch([zeros([4, 4], { device }).T, 1, 0])(),
        "NOT_CONTIGUOUS",
        "must be contiguous, but got one of shape [4, 4] with strides [1, 4]. Pass .contiguous(), a copy in row-major order without gaps.",
      ],
      [
        "a tensor that is gone",
        () => {
          const x = zeros([4], { device });
          x.dispose();
          launch([x, 1, 0])();
        },
        "FREED",
        "Argument 1 (p) of kernel fill is a tensor that has been disposed of.",
      ],
      ["a number for bool", scalar(1, 1), "ARGUMENT_RANGE", "must be true or false (bool), but got 1."],
      [
        "a signed char out of range",
        scalar(2, 128),
        "ARGUMENT_RANGE",
        "a whole number from -128 to 127 (signed char), but got 128.",
      ],
      [
        "an unsigned short below zero",
        scalar(3, -1),
        "ARGUMENT_RANGE",
        "a whole number from 0 to 65535 (unsigned short), but got -1.",
      ],
      [
        "an unsigned int out of range",
        scalar(5, 2 ** 32),
        "ARGUMENT_RANGE",
        "a whole number from 0 to 4294967295 (unsigned int), but got 4294967296.",
      ],
      [
        "an unsafe integer for 64 bits",
        scalar(6, 2 ** 53),
        "ARGUMENT_RANGE",
        "a bigint or a safe integer that fits 64 bits (long long), but got 9007199254740992.",
      ],
      [
        "a bigint beyond 64 bits",
        scalar(7, 2n ** 64n),
        "ARGUMENT_RANGE",
        "a bigint or a safe integer ≥ 0 that fits 64 bits (unsigned long long), but got 18446744073709551616n.",
      ],
      [
        "undefined for a double",
        scalar(9, undefined),
        "ARGUMENT_TYPE",
        "must be a number (double), but got undefined.",
      ],
      [
        "a vector with a lane missing",
        () => kernel("compound").launch({ grid: 1, block: 1 }, null, 0, [1, 2], [1, 2], {}),
        "ARGUMENT_TYPE",
        "Argument 3 (v) of kernel compound must be 3 numbers as an array or as { x, y, z }, each a number of magnitude below 3.4e38 (float3), but got an array of 2.",
      ],
      [
        "a struct with a field missing",
        () => kernel("compound").launch({ grid: 1, block: 1 }, null, 0, [1, 2, 3], [1, 2], { low: [0, 0], tag: 1 }),
        "ARGUMENT_TYPE",
        "must be an object { low, ids[3], tag, weight } with exactly these fields, each in the range of its type (Box), but got an object with low, tag.",
      ],
      [
        "a vector with a hole",
        () => kernel("compound").launch({ grid: 1, block: 1 }, null, 0, [1, , 3], [1, 2], {}),
        "ARGUMENT_TYPE",
        "Argument 3 (v) of kernel compound must be 3 numbers",
      ],
      [
        "a field of a struct out of range",
        () =>
          kernel("compound").launch({ grid: 1, block: 1 }, null, 0, [1, 2, 3], [1, 2], {
            low: [0, 0],
            ids: [1, 2, 3],
            tag: 256,
            weight: 0,
          }),
        "ARGUMENT_RANGE",
        "Argument 5 (box.tag) of kernel compound must be a whole number from 0 to 255 (unsigned char), but got 256.",
      ],
      [
        "an element of a struct's array",
        () =>
          kernel("compound").launch({ grid: 1, block: 1 }, null, 0, [1, 2, 3], [1, 2], {
            low: [0, 0],
            ids: [1, , 3],
            tag: 1,
            weight: 0,
          }),
        "ARGUMENT_TYPE",
        "Argument 5 (box.ids[1]) of kernel compound must be a whole number from -2147483648 to 2147483647 (int), but got undefined.",
      ],
      [
        "a pointer of another dtype",
        () => kernel("pointers").launch({ grid: 1, block: 1 }, null, null, zeros([4], { device }), null),
        "DTYPE",
        "must be a tensor of int16, or null (const short*), but got a tensor of float32.",
      ],
      [
        "a vector pointer at an odd place",
        () => kernel("pointers").launch({ grid: 1, block: 1 }, null, zeros([8], { device }).slice([1]), null, null),
        "MISALIGNED",
        "must start at a multiple of 16 bytes (const float4*), but got a view that starts 4 bytes past one.",
      ],
      [
        "an empty block",
        () => launch([p, 1, 0], { grid: 1, block: 0 })(),
        "BLOCK",
        "The block of kernel fill must be a whole number ≥ 1 or [x, y, z] of them",
      ],
      [
        "a grid of fractions",
        () => launch([p, 1, 0], { grid: [1, 0.5], block: 1 })(),
        "GRID",
        /The grid of kernel fill must .*, but got \[1, 0\.5\]\./,
      ],
      [
        "a grid of four axes",
        () => launch([p, 1, 0], { grid: [1, 1, 1, 1], block: 1 })(),
        "GRID",
        "but got [1, 1, 1, 1].",
      ],
      [
        "a grid over the device's limit",
        () => launch([p, 1, 0], { grid: [1, properties.maxGrid[1] + 1], block: 1 })(),
        "GRID",
        `at most [${properties.maxGrid.join(", ")}] on ${device}, but got`,
      ],
      ["no grid at all", () => launch([p, 1, 0], { block: 1 })(), "GRID", "but got undefined."],
      [
        "a block axis over the device's limit",
        () => launch([p, 1, 0], { grid: 1, block: [1, 1, properties.maxBlock[2] + 1] })(),
        "BLOCK",
        `at most [${properties.maxBlock.join(", ")}] on ${device}, but got`,
      ],
      [
        "too many threads in a block",
        () => launch([p, 1, 0], { grid: 1, block: [properties.maxThreadsPerBlock, 2] })(),
        "BLOCK",
        `threads on ${device}, since the device allows no more, but this one has ${properties.maxThreadsPerBlock * 2}.`,
      ],
      [
        "too much shared memory",
        () => launch([p, 1, 0], { grid: 1, block: 1, shared: properties.sharedPerBlockOptin + 1 })(),
        "SHARED",
        `The dynamic shared memory of kernel fill must be a whole number of bytes from 0 to ${properties.sharedPerBlockOptin} on ${device}, but got ${properties.sharedPerBlockOptin + 1}.`,
      ],
      ["negative shared memory", () => launch([p, 1, 0], { grid: 1, block: 1, shared: -1 })(), "SHARED", "but got -1."],
      [
        "no sizes and no arguments",
        () => (kernel("fill") as unknown as { launch(): void }).launch(),
        "GRID",
        "but got undefined. Sizes come first: launch({ grid: 64, block: 256 }, …).",
      ],
      [
        "arguments without sizes",
        () => (kernel("fill") as unknown as { launch(...args: unknown[]): void }).launch(p, 1, 0),
        "GRID",
        "but got undefined. Sizes come first: launch({ grid: 64, block: 256 }, …).",
      ],
      [
        "items in blocks that are empty",
        () => kernel("fill").over(10, { block: 0 })(p, 1, 0),
        "BLOCK",
        `at most [${properties.maxBlock.join(", ")}] on ${device}, but got 0.`,
      ],
      [
        "items in blocks without their name",
        () => kernel("fill").over(10, 64 as never),
        "BLOCK",
        "The options of over() for kernel fill must be an object such as { block: 256 }, but got 64.",
      ],
      [
        "shared memory over the limit with what the kernel declares",
        () => kernel("declared").launch({ grid: 1, block: 1, shared: properties.sharedPerBlockOptin - 3999 }, p),
        "SHARED",
        `The dynamic shared memory of kernel declared must be a whole number of bytes from 0 to ${properties.sharedPerBlockOptin - 4000} on ${device} besides the 4000 that it declares, but got ${properties.sharedPerBlockOptin - 3999}.`,
      ],
      [
        "a tensor of another device",
        () => launch([elsewhere(), 1, 0])(),
        "OTHER_DEVICE",
        `Argument 1 (p) of kernel fill is a tensor on cuda:7, but the kernel runs on ${device}. Copy it with .to("${device}").`,
      ],
      [
        "a template without arguments",
        () => (template("axpy") as unknown as Kernel).launch({ grid: 1, block: 1 }, 1, 2, p, p),
        "TEMPLATE",
        'axpy is a kernel template, which cannot be launched itself. Choose its arguments first: axpy.as("float").launch(…).',
      ],
      [
        "a call",
        () => (kernel("fill") as unknown as (...args: unknown[]) => void)(p, 1, 1),
        "CALL",
        "A kernel is launched, not called: write fill.over(n)(p, n, value) for n threads, or fill.launch({ grid, block }, p, n, value).",
      ],
      [
        "a call of a template",
        () => (template("axpy") as unknown as () => void)(),
        "TEMPLATE",
        'Choose its arguments first: axpy.as("float").over(n)(…).',
      ],
      [
        "a template without arguments, over items",
        () => (template("constant") as unknown as Kernel).over(1)(p),
        "TEMPLATE",
        'Choose its arguments first: constant.as("float").over(…).',
      ],
      [
        "a number of items that is none",
        () => kernel("fill").over(-1),
        "GRID",
        "The items to launch kernel fill over must be a whole number ≥ 0 or up to three, [x, y, z], but got -1.",
      ],
      [
        "items along four axes",
        () => kernel("fill").over([1, 2, 3, 4]),
        "GRID",
        "The items to launch kernel fill over must be a whole number ≥ 0 or up to three, [x, y, z], but got [1, 2, 3, 4].",
      ],
      ["items along no axis", () => kernel("fill").over([]), "GRID", "but got []."],
      [
        "a block of two axes over items of one",
        () => kernel("fill").over(64, { block: [8, 8] }),
        "BLOCK",
        "A block of [8, 8] threads has more axes than the items that kernel fill is launched over, [64]: write over([x, y]), or a block of one number.",
      ],
      [
        "sizes one after the other",
        () =>
          (kernel("fill") as unknown as { launch(...args: unknown[]): void }).launch([4, 1, 1], [32, 1, 1], p, 1, 0),
        "GRID",
        "but got undefined. Sizes come first: launch({ grid: 64, block: 256 }, …).",
      ],
    ])("%s", (_, act, code, sentence) => {
      const first = Array.from(p.toArray() as number[]);
      let error: unknown;
      try {
        act();
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toBeInstanceOf(LaunchError);
      expect((error as LaunchError).code).toBe(code);
      if (typeof sentence === "string") expect((error as Error).message).toContain(sentence);
      else expect((error as Error).message).toMatch(sentence);
      expect(p.toArray()).toEqual(first);
    });

    test("timing with no repeats", async () => {
      await expect(kernel("fill").time({ grid: 1, block: 1, repeats: 0 }, p, 1, 0)).rejects.toThrow(
        "To time kernel fill, repeats ≥ 1 and warmup ≥ 0 must be whole numbers, but got 0 and 3.",
      );
    });
  });

  describe("templates", () => {
    test("are instances per arguments, made once, with defaults", () => {
      const y = ones([5], { device, dtype: "float64" });
      template("axpy").as("double").over(5)(5, 2, full([5], 3, { device, dtype: "float64" }), y);
      expect(y.toArray()).toEqual([7, 7, 7, 7, 7]);
      expect(template("axpy").as("double")).toBe(template("axpy").as("double"));
      const out = zeros([2], { device, dtype: "int32" });
      template("constant").as("int").launch({ grid: 1, block: 2 }, out);
      expect(out.toArray()).toEqual([4, 4]);
      template("constant").as("int", 9).launch({ grid: 1, block: 2 }, out);
      expect(out.toArray()).toEqual([9, 9]);
      expect(template("axpy").as("float").name).toBe("axpy<float>");
    });

    test("check their instance's types", () => {
      expect(() => template("axpy").as("double").over(1)(1, 2, p, null)).toThrow(
        "Argument 3 (x) of kernel axpy<double> must be a tensor of float64, or null (const double*), but got a tensor of float32.",
      );
      expect(() => template("axpy").as("int").over(1)(1, 2.5, null, null)).toThrow("but got 2.5.");
    });

    test("refuse arguments that are too many, missing or do not compile", () => {
      expect(() => template("axpy").as("float", 3)).toThrow(
        "axpy takes at most 1 template argument but got 2: float, 3.",
      );
      expect(() => template("axpy").as()).toThrow("axpy needs a template argument for T but got none.");
      expect(() => template("axpy").as("Missing")).toThrow(CompileError);
    });
  });

  describe("compiling", () => {
    test("says what it made: kernels, types for the checker, parameters, time", () => {
      expect(Object.keys(module.kernels)).toEqual([
        "fill",
        "axpy",
        "count",
        "constant",
        "scalars",
        "compound",
        "where",
        "dynamic",
        "pointers",
        "declared",
        "stray",
      ]);
      expect(module.declarations[0]).toEqual({
        name: "fill",
        text: `declare const fill: import("warpcell").Kernel<[p: import("warpcell").Tensor<"float32"> | null, n: number, value: number]>`,
      });
      expect(kernel("fill").info).toMatchObject({
        name: "fill",
        device,
        parameters: [
          { name: "p", type: "float*", offset: 0, size: 8 },
          { name: "n", type: "int", offset: 8, size: 4 },
          { name: "value", type: "float", offset: 12, size: 4 },
        ],
      });
      expect(kernel("scalars").name).toBe("inner::scalars");
      expect(String(kernel("fill"))).toBe("fill(p: float*, n: int, value: float)");
      expect(String(template("constant"))).toBe("constant<T, N = 4>(T* p)");
      expect(kernel("fill").source).toBe(source);
      expect(module.milliseconds).toBeGreaterThan(0);
    });

    test("an error has the compiler's log and the line of the source", async () => {
      const error = await compile("\n__global__ void broken(float* p) {\n  p[0] = missing;\n}\n", {
        name: "Cell [7]",
        device,
      }).then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(CompileError);
      const { diagnostics, log } = error as CompileError;
      expect(diagnostics.find(({ severity }) => severity === "error")).toMatchObject({
        line: 3,
        message: expect.stringContaining("missing") as string,
      });
      expect(log).toContain("Cell [7]");
    });

    test("what is wrong in a template is told: at once by a compiler that reads it, at the latest with its first instance", async () => {
      const { kernels } = await compile("template <class T> __global__ void k(T* p) { p[0] = T(3); }", { device });
      expect(kernels["k"]).toBeInstanceOf(KernelTemplate);

      const wrong = compile("template <class T> __global__ void k(T* p) { p[0] = ; }", { device });
      // NVRTC does not parse the body of a template that nothing instantiates.
      const instance =
        device === "cpu" ? wrong : wrong.then((module) => (module.kernels["k"] as KernelTemplate).as("float"));
      await expect(instance).rejects.toThrow(CompileError);
    });

    test("options reach the compiler: defines, includes, the standard, flags", async () => {
      const directory = mkdtempSync(join(tmpdir(), "warpcell-include-"));
      writeFileSync(join(directory, "shape.h"), "struct Shape { int n; };\n#define FACTOR 10\n");
      const text = `#include "shape.h"\n__global__ void k(int* out, Shape s) { out[0] = s.n * FACTOR + N; out[1] = int(__cplusplus >= 202002L); }`;
      const compileIt = async () =>
        (await compile(text, { device, defines: ["N=7"], includes: [directory], std: "c++20" })).kernels["k"] as Kernel;
      const out = zeros([2], { device, dtype: "int32" });
      (await compileIt()).launch({ grid: 1, block: 1 }, out, { n: 4 });
      expect(out.toArray()).toEqual([47, 1]);
      // A changed header is another compilation.
      writeFileSync(join(directory, "shape.h"), "struct Shape { int n; };\n#define FACTOR 100\n");
      (await compileIt()).launch({ grid: 1, block: 1 }, out, { n: 4 });
      expect(out.toArray()).toEqual([407, 1]);
      rmSync(directory, { recursive: true });
    });

    test("what included files declare counts, in the order of their inclusion; a folder is no header", async () => {
      const directory = mkdtempSync(join(tmpdir(), "warpcell-include-"));
      mkdirSync(join(directory, "cstdint"));
      writeFileSync(join(directory, "a.h"), "#define USE_INT\nstruct A { int n; };\n");
      writeFileSync(join(directory, "b.h"), "#ifdef USE_INT\nstruct B { A a; };\n#endif\n");
      const text = `#include "a.h"\n#include "b.h"\n#include <cstdint>\n#ifdef USE_INT\n__global__ void k(int* out, B b, int n) { out[0] = b.a.n + n; }\n#else\n__global__ void k(int* out, B b, float n) {}\n#endif`;
      const out = zeros([1], { device, dtype: "int32" });
      ((await compile(text, { device, includes: [directory] })).kernels["k"] as Kernel).launch(
        { grid: 1, block: 1 },
        out,
        { a: { n: 3 } },
        4,
      );
      expect(out.toArray()).toEqual([7]);
      rmSync(directory, { recursive: true });
    });

    test("a layout that the source hides is refused, not guessed", async () => {
      const text =
        "struct Hidden { double a; };\n#define Hidden int\n__global__ void k(Hidden h, float* p) {}\n#undef Hidden";
      await expect(compile(text, { device })).rejects.toThrow(
        /at bytes 0\+8 8\+8, as its declaration was read, but the compiler has them at 0\+4 8\+8, from h on/,
      );
    });

    test("the same source again comes from the cache, in milliseconds, under another name too", async () => {
      const text = `__global__ void again(int* p) { p[0] = ${Math.floor(Math.random() * 1e9)}; }`;
      const first = await compile(text, { name: "Cell [1]", device });
      const times: number[] = [];
      for (let round = 0; round < 5; round++) {
        const next = await compile(text, { name: `Cell [${round + 2}]`, device });
        expect(next.cached).toBe(true);
        times.push(next.milliseconds);
      }
      console.log(
        `${device}: compiled and loaded in ${first.milliseconds.toFixed(1)} ms, from the cache in ${Math.min(...times).toFixed(2)} ms`,
      );
      expect(first.cached).toBe(false);
      expect((await compile(text, { device, defines: ["X"] })).cached).toBe(false);
    });
  });

  test("time gives figures of the device, one per repeat", async () => {
    const timing = await kernel("fill").time({ grid: 4, block: 256, repeats: 7, warmup: 1 }, p, 1000, 3);
    expect(timing.samples).toHaveLength(7);
    expect(timing.min).toBeGreaterThan(0);
    expect(timing.min).toBeLessThanOrEqual(timing.median);
    expect(timing.median).toBeLessThanOrEqual(timing.max);
    expect(timing.mean).toBeCloseTo(timing.samples.reduce((sum, sample) => sum + sample, 0) / 7, 9);
    expect(inspect(timing)).toMatch(/^[\d.]+ [nµm]?s \(least [\d.]+ [nµm]?s, most [\d.]+ [nµm]?s; 7 samples\)$/);
    expect(Object.keys(timing)).toEqual(["min", "median", "mean", "max", "deviation", "samples"]);
    expect(p.slice(0).item()).toBe(3);
  });

  test("time marks what it may write as soon as it is called, whatever becomes of the tensor or the kernel", async () => {
    const gone = zeros([4], { device });
    const timing = kernel("fill").time({ grid: 1, block: 4, repeats: 3 }, gone, 4, 1);
    gone.dispose();
    expect((await timing).samples).toHaveLength(3);

    const touched = zeros([4], { device });
    await synchronize();
    const { kernels } = await compile(
      "__global__ void writes(float* p, int* q) { p[0] = 1; *(volatile int*)((char*)q + 17) = 1; }",
      { device },
    );
    await expect((kernels["writes"] as Kernel).time({ grid: 1, block: 1 }, touched, null)).rejects.toThrow(DeviceFault);
    expect(touched.isSuspect).toBe(true);
  });

  test("after a fault the kernels work, tensors are as they were, and what the launch may have written is marked until it is written again", async () => {
    const kept = tensor([1, 2, 3], { device });
    const touched = zeros([4], { device, dtype: "int32" });
    await synchronize();
    kernel("stray").launch({ grid: 1, block: 1 }, touched);
    await synchronize();
    expect(touched.isSuspect).toBe(false);
    describeOrigins((number) => (number === 7 ? { label: "Cell [2]", cell: null, count: 2, line: 3 } : undefined));
    origin.current = 7;
    kernel("stray").launch({ grid: 1, block: 1 }, null);
    kernel("where").launch({ grid: 1, block: 1 }, touched);
    origin.current = 0;
    const fault = await synchronize().then(
      () => null,
      (error: unknown) => error,
    );
    expect(fault).toBeInstanceOf(DeviceFault);
    expect(fault).toMatchObject({ kernel: "stray", where: "Cell [2]:3", device });
    expect(kept.toArray()).toEqual([1, 2, 3]);
    expect(kept.isSuspect).toBe(false);
    expect(touched.isSuspect).toBe(true);
    expect(String(touched)).toContain("unfinished: a launch that did not finish may have been writing it");
    const shown = (touched as unknown as Record<symbol, () => Record<string, unknown>>)[
      Symbol.for("Jupyter.display")
    ]!();
    expect(shown["application/vnd.warpcell.tensor.v1+json"]).toMatchObject({ suspect: true });
    using first = touched.slice([0, 1]);
    kernel("where").launch({ grid: 1, block: 1 }, first);
    await synchronize();
    expect([touched.isSuspect, first.isSuspect]).toEqual([true, true]);
    kernel("where").launch({ grid: 1, block: 4 }, touched);
    expect(touched.toArray()).toEqual([0, 1, 2, 3]);
    expect([touched.isSuspect, first.isSuspect]).toEqual([false, false]);
    kernel("fill").over(1000)(p, 1000, 4);
    expect(p.slice(0).item()).toBe(4);
    expect(template("axpy").as("float").info.name).toBe("axpy<float>");
  });
});

describe("between devices", () => {
  test.runIf(devices.length > 1)("a tensor of another device is refused with the way to copy it", async () => {
    const { kernels } = await compile("__global__ void k(float* p) {}", { device: devices[1]!.name });
    expect(() => (kernels["k"] as Kernel).launch({ grid: 1, block: 1 }, zeros([1], { device: "cpu" }))).toThrow(
      /to be on cuda:0, where the kernel runs, but got a tensor on cpu\. Copy it with \.to\("cuda:0"\)\./,
    );
  });
});
