// CUDA C++ on the cpu device: types, functions, variables, headers and what no host compiler says by itself, with every
// compiler that is here.
import { beforeAll, describe, expect, test } from "vitest";
import { compile, type Kernel } from "../../native/lib/index.ts";
import { CompileError } from "../../native/lib/errors.ts";
import { Cell, compilers, cpu, integers, poisoned, use } from "./cpu-cell.ts";
import { compiled, fill, launch, read } from "./records.ts";

const source = `
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#define N 4
__constant__ int table[3] = {7, 11, 13};
__device__ int counter = 100;
struct Pair { int first, second; };
namespace inner { namespace deep { template <int K, class T = int> __global__ void add(const T* in, T* out) { out[threadIdx.x] = in[threadIdx.x] + K; } } }
extern "C" __global__ void __launch_bounds__(256, 2) fill(int* __restrict__ out, const int* __restrict__ in) { out[threadIdx.x] = in[threadIdx.x]; }
static __device__ __forceinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__global__ void by_value(int* out, int* unused, int4 v, Pair p, float f) { out[0] = v.x; out[1] = v.y; out[2] = v.z; out[3] = v.w; out[4] = p.first; out[5] = p.second; out[6] = __float_as_int(f); }
__global__ void variables(int* out) {
  int before = atomicAdd(&counter, twice(table[threadIdx.x % 3]));
  out[threadIdx.x] = before + factorial(5) * 1000;
}
__global__ void vectors(const int* in, int* out) {
  float4 a = make_float4(1, 2, 3, 4);
  int2 b = reinterpret_cast<const int2*>(in)[threadIdx.x];
  dim3 d(3, 4);
  const uint3 g = gridDim;
  out[threadIdx.x] = b.x - b.y + int(a.w) * 1000 + d.y * d.z + (sizeof(float3) == 12 && alignof(int4) == 16) * 100000 + g.x * 0;
}
// A thread's local array is its own: compilers once made one of all.
__global__ void local_arrays(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, a[8];
  if (i >= n) return;
  #pragma unroll
  for (int j = 0; j < 8; j++) a[j] = j;
  a[in[i] & 7] = 100;
  a[in[i + 1] & 7] += 50;
#pragma unroll N
  for (int j = 0; j < N; j++) a[j]++;
  #pragma unroll 2
  for (int j = 0; j < 8; j++) a[j]++;
  out[i] = a[in[i + 2] & 7];
}
__global__ void bits(const int* in, int* out) {
  int x = in[threadIdx.x], y = in[threadIdx.x + 32];
  int* o = out + threadIdx.x * 12;
  o[0] = __popc(x); o[1] = __clz(x); o[2] = __ffs(x); o[3] = __brev(x); o[4] = __byte_perm(x, y, 0x6240); o[5] = __mulhi(x, y);
  o[6] = __umulhi(x, y); o[7] = __funnelshift_l(x, y, 5); o[8] = __float2int_rn(x * 0.5f); o[9] = __float2int_rz(1e20f); o[10] = __sad(x, y, 1u); o[11] = __dp4a(x, y, 3);
}
__global__ void functions(const float* in, float* out, double* wide) {
  float x = in[threadIdx.x], s, c;
  sincosf(x, &s, &c);
  float* o = out + threadIdx.x * 12;
  o[0] = sqrtf(x); o[1] = rsqrtf(x); o[2] = __expf(x); o[3] = logf(x); o[4] = s; o[5] = c; o[6] = powf(x, 1.5f); o[7] = fmaf(x, x, -1); o[8] = exp10f(x); o[9] = tanh(x);
  o[10] = max(x, 1.0f) + min(x, 2.0f) + fabsf(-x) + floorf(x); o[11] = __fdividef(1, x);
  wide[threadIdx.x] = sqrt(double(x)) + exp(double(x)) + cospi(0.25);
}
__global__ void special(float* out) {
  float nan = __int_as_float(0x7fc00000);
  out[0] = fmaxf(nan, 1.0f); out[1] = max(nan, 2.0f); out[2] = min(3.0f, nan); out[3] = isnan(nan); out[4] = isinf(1.0f / (threadIdx.x * 0.0f)); out[5] = float(__float2int_rn(nan));
  out[6] = __fmul_rn(1.0f + 0x1p-12f, 1.0f + 0x1p-12f) - (1.0f + 0x1p-11f);
}
template <class T> __device__ T narrow(double x);
template <> __device__ __half narrow<__half>(double x) { return __double2half(x); }
template <> __device__ __nv_bfloat16 narrow<__nv_bfloat16>(double x) { return __double2bfloat16(x); }
template <class T> __global__ void to_narrow(const double* in, unsigned short* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { T fromDouble = narrow<T>(in[i]); out[i] = *reinterpret_cast<unsigned short*>(&fromDouble); }
}
template <class T> __global__ void from_narrow(const unsigned short* in, float* out, unsigned short* back, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const T value = *reinterpret_cast<const T*>(in + i);
  out[i] = float(value);
  T again = T(out[i]);
  back[i] = *reinterpret_cast<unsigned short*>(&again);
}
__global__ void halves(float* out) {
  half a = __float2half(1.5f), b = 2;
  half2 p = __halves2half2(a, b), q = __hfma2(p, p, p);
  out[0] = __half2float(a + b); out[1] = __low2float(q); out[2] = __high2float(q); out[3] = a < b; out[4] = hsqrt(half(2.25f)); out[5] = __half2int_rn(__float2half(2.5f));
  __nv_bfloat16 c = 3.0f; c *= __float2bfloat16(1.5f);
  half2 r = __lows2half2(p, q), s = __highs2half2(p, q), z = r++;
  out[10] = (r > z) + 2 * (r == z) + 4 * __hblt2(p, q) + 8 * (__low2half2(q) == __halves2half2(q.x, q.x)) + 16 * (p != __lowhigh2highlow(p)); out[11] = float(--s.y) + float(r.x);
  out[12] = (p < s) + 2 * __hbequ2(p, __halves2half2(half(0.0f) / half(0.0f), b)) + 4 * (__high2half2(q) >= q);
  out[6] = c; out[7] = __bfloat162float(__hmax(c, __int2bfloat16_rn(7))); out[8] = float(__shfl_sync(1, a, 0)); out[9] = __hisnan(half(0.0f) / half(0.0f));
}
`;
const expressions = [
  "inner::deep::add<5>",
  "inner::deep::add<7, float>",
  "fill",
  "by_value",
  "variables",
  "vectors",
  "local_arrays",
  "bits",
  "functions",
  "special",
  "to_narrow<__half>",
  "to_narrow<__nv_bfloat16>",
  "from_narrow<__half>",
  "from_narrow<__nv_bfloat16>",
  "halves",
];

/**
 * The bits of the 16-bit float nearest to x, ties to even; found by search, so that nothing here resembles the device's
 * way.
 */
function nearest(x: number, values: Float64Array, largest: number): number {
  const magnitude = Math.abs(x);
  let low = 0,
    high = largest; // bits of the largest finite number
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (values[middle]! <= magnitude) low = middle;
    else high = middle - 1;
  }
  const next = low === largest ? 2 * values[largest]! - values[largest - 1]! : values[low + 1]!;
  const [below, above] = [magnitude - values[low]!, next - magnitude];
  const bits = below < above || (below === above && low % 2 === 0) ? low : low + 1;
  return bits + (x < 0 || Object.is(x, -0) ? 0x8000 : 0);
}

function narrowValue(bits: number, exponentBits: number, fractionBits: number): number {
  const exponent = (bits >> fractionBits) & (2 ** exponentBits - 1),
    fraction = bits & (2 ** fractionBits - 1),
    bias = 2 ** (exponentBits - 1) - 1;
  if (exponent === 2 ** exponentBits - 1) return fraction ? NaN : bits & 0x8000 ? -Infinity : Infinity;
  const magnitude =
    exponent === 0
      ? fraction * 2 ** (1 - bias - fractionBits)
      : (1 + fraction / 2 ** fractionBits) * 2 ** (exponent - bias);
  return bits & 0x8000 ? -magnitude : magnitude;
}

describe.each(compilers)("compiled by %s", (compiler) => {
  let cell: Cell;
  beforeAll(() => {
    use(compiler);
    cell = new Cell(source, expressions);
  });
  const block: [number, number, number] = [32, 1, 1];

  test("templates in namespaces, extern C, restrict, launch bounds", () => {
    const input = integers(32, 1000);
    const out = poisoned(32);
    cell.run("inner::deep::add<5>", { block }, [input, out]);
    expect([...out]).toEqual([...input].map((v) => v + 5));
    const floats = new Float32Array(32).fill(NaN);
    cell.run("inner::deep::add<7, float>", { block }, [Float32Array.from(input), floats]);
    expect([...floats]).toEqual([...input].map((v) => v + 7));
    cell.run("fill", { block }, [out, input]);
    expect([...out]).toEqual([...input]);
  });

  test("vectors and structs by value, at their alignment", () => {
    const out = poisoned(7);
    cell.run("by_value", {}, [out, poisoned(1)], [1, -2, 3, 4, 5, 6, 0x40490fdb]);
    expect([...out]).toEqual([1, -2, 3, 4, 5, 6, 0x40490fdb]);
    const input = integers(64, 500),
      results = poisoned(32);
    cell.run("vectors", { block }, [input, results]);
    expect([...results]).toEqual(Array.from(results, (_, t) => input[2 * t]! - input[2 * t + 1]! + 104004));
  });

  test("__constant__ and __device__ variables live as long as the module, and are its own", () => {
    const out = poisoned(3);
    cell.run("variables", { block: [3, 1, 1] }, [out]);
    expect([...out]).toEqual([120100, 120114, 120136]);
    new Cell(source, ["variables"]).run("variables", { block: [3, 1, 1] }, [out]);
    expect([...out]).toEqual([120100, 120114, 120136]);
    cell.run("variables", { block: [3, 1, 1] }, [out]);
    expect([...out]).toEqual([120162, 120176, 120198]);
  });

  test("local arrays that data index, in a kernel without barriers", () => {
    const n = 1000;
    const input = integers(n + 2, 1 << 30),
      out = poisoned(n);
    cell.run("local_arrays", { grid: [4, 1, 1], block: [256, 1, 1] }, [input, out], [n]);
    expect([...out]).toEqual(
      Array.from(out, (_, i) => {
        const a = [0, 1, 2, 3, 4, 5, 6, 7];
        a[input[i]! & 7] = 100;
        a[input[i + 1]! & 7]! += 50;
        return a[input[i + 2]! & 7]! + 1 + Number((input[i + 2]! & 7) < 4);
      }),
    );
  });

  test("more cells than the linker has prepared for: the first launch of each is right", () => {
    const one =
      "__global__ void spaced(float* out, float* unused, float start, float step) { if (threadIdx.x < 24) out[threadIdx.x] = start + threadIdx.x * step; }";
    const { artifact, lowered } = compiled(cpu, one, ["spaced"]);
    const integers = [...new Int32Array(Float32Array.from([3, 0.5]).buffer)];
    const place = cpu.allocate(96, "device");
    for (let i = 0; i < 150; i++) {
      cpu.request("module_load", { module: 900_000 + i, firstKernel: 900_000 + i, artifact, lowered });
      fill(cpu, place, 96, 0xffff_ffffn, 4);
      launch(cpu, { kernel: 900_000 + i, block, pointers: [place, null], integers });
      const out = read(cpu, place, 96);
      expect([...new Float32Array(out.buffer, out.byteOffset, 24)]).toEqual(
        Array.from({ length: 24 }, (_, t) => 3 + t / 2),
      );
    }
    cpu.free(place);
  });

  test("integer intrinsics", () => {
    const input = integers(64, 2 ** 31);
    const out = poisoned(32 * 12);
    cell.run("bits", { block }, [input, out]);
    for (let t = 0; t < 32; t++) {
      const x = input[t]!,
        y = input[t + 32]!;
      const product = BigInt(x) * BigInt(y);
      const bytes = (BigInt(y) << 32n) | BigInt(x);
      const byte = (i: bigint): number => Number((bytes >> (8n * i)) & 255n);
      const signed = (v: number, i: number): number => (v << (24 - 8 * i)) >> 24;
      const half = x / 2,
        rounded = Math.fround(x) * 0.5;
      const even =
        Math.floor(rounded) + (rounded % 1 > 0.5 || (rounded % 1 === 0.5 && Math.floor(rounded) % 2 === 1) ? 1 : 0);
      expect(half).toBeLessThan(2 ** 30);
      expect([...out.slice(t * 12, t * 12 + 12)]).toEqual([
        x.toString(2).replaceAll("0", "").length,
        Math.clz32(x),
        32 - Math.clz32(x & -x),
        Number.parseInt([...x.toString(2).padStart(32, "0")].reverse().join(""), 2) | 0,
        byte(0n) | (byte(4n) << 8) | (byte(2n) << 16) | (byte(6n) << 24),
        Number(product >> 32n),
        Number(product >> 32n),
        Number(BigInt.asIntN(32, (bytes << 5n) >> 32n)),
        even,
        2147483647,
        Math.abs(x - y) + 1,
        [0, 1, 2, 3].reduce((sum, i) => sum + signed(x, i) * signed(y, i), 3),
      ]);
    }
  });

  test("elementary functions within 4 ulp of float64", () => {
    const input = Float32Array.from({ length: 32 }, () => 0.1 + Math.random() * 8);
    const out = new Float32Array(32 * 12).fill(NaN),
      wide = new Float64Array(32).fill(NaN);
    cell.run("functions", { block }, [input, out, wide]);
    input.forEach((x, t) => {
      const wanted = [
        Math.sqrt(x),
        1 / Math.sqrt(x),
        Math.exp(x),
        Math.log(x),
        Math.sin(x),
        Math.cos(x),
        x ** 1.5,
        x * x - 1,
        10 ** x,
        Math.tanh(x),
        Math.max(x, 1) + Math.min(x, 2) + x + Math.floor(x),
        1 / x,
      ];
      wanted.forEach((value, i) =>
        expect(Math.abs(out[t * 12 + i]! - value), `function ${i} of ${x}`).toBeLessThanOrEqual(
          4 * 2 ** -23 * Math.max(Math.abs(value), i === 10 ? 4 * x : 0),
        ),
      );
      const sum = Math.sqrt(x) + Math.exp(x) + Math.SQRT1_2;
      expect(Math.abs(wide[t]! - sum)).toBeLessThanOrEqual(8 * 2 ** -52 * sum);
    });
    const special = new Float32Array(7).fill(-9);
    cell.run("special", {}, [special]);
    expect([...special]).toEqual([1, 2, 3, 1, 1, 0, 0]);
  });

  test.each([
    ["with the processor's conversions", []],
    ["without them", ["--flag=-mno-f16c", "--flag=-mno-avx512f"]],
  ])("16-bit floats: every value, and roundings, %s", (_name, options) => {
    const mine = options.length > 0 ? new Cell(source, expressions, options) : cell;
    for (const [type, exponentBits, fractionBits, largest] of [
      ["__half", 5, 10, 0x7bff],
      ["__nv_bfloat16", 8, 7, 0x7f7f],
    ] as const) {
      const all = Uint16Array.from({ length: 65536 }, (_, bits) => bits);
      const values = Float64Array.from(all, (bits) => narrowValue(bits, exponentBits, fractionBits));
      const floats = new Float32Array(65536).fill(-77),
        back = new Uint16Array(65536).fill(0x1234);
      mine.run(`from_narrow<${type}>`, { grid: [256, 1, 1], block: [256, 1, 1] }, [all, floats, back], [65536]);
      const same = (bits: number, value: number): boolean =>
        Object.is(floats[bits], value) && (Number.isNaN(value) || back[bits] === bits);
      expect([...all].filter((bits) => !same(bits, values[bits]!))).toEqual([]);

      // Random ones of every size, ties, and doubles that a detour over float would round twice.
      const doubles = Float64Array.from({ length: 60000 }, (_, i) => {
        const at = Math.floor(Math.random() * largest),
          middle = (values[at]! + values[at + 1]!) / 2;
        const offset = [0, 2 ** -40, -(2 ** -40), Math.random() - 0.5][i % 4]! * (values[at + 1]! - values[at]!);
        return (Number.isFinite(middle) ? middle + offset : values[at]!) * (Math.random() < 0.5 ? -1 : 1);
      });
      doubles.set([
        0,
        -0,
        65519.999,
        65520,
        1e6,
        1e300,
        -1e300,
        2 ** -25,
        2 ** -26,
        1e-300,
        3.4e38,
        Infinity,
        -Infinity,
      ]);
      const got = new Uint16Array(60000).fill(0x1234);
      mine.run(`to_narrow<${type}>`, { grid: [235, 1, 1], block: [256, 1, 1] }, [doubles, got], [60000]);
      const wrong = [...doubles]
        .map((x, i) => ({ x, got: got[i], wanted: nearest(x, values, largest) }))
        .filter((row) => row.got !== row.wanted);
      expect(wrong.slice(0, 5)).toEqual([]);
    }
    const out = new Float32Array(13).fill(-9);
    mine.run("halves", {}, [out]);
    expect([...out]).toEqual([3.5, 3.75, 6, 1, 1.5, 2, 4.5, 7, 1.5, 1, 1 + 4 + 8 + 16, 5 + 2.5, 1 + 2 + 4]);
  });

  test.each([
    ["", ""],
    [", with the C library's mathematics", "#include <cmath>\n"],
  ])("inverses of the error function and the normal distribution%s", (_name, library) => {
    const text = `${library}__global__ void k(const double* y, double* x, double* back) {
  int i = threadIdx.x;
  x[i * 3] = erfinv(1 - y[i]); x[i * 3 + 1] = erfcinv(y[i]); x[i * 3 + 2] = normcdfinv(y[i] / 2);
  back[i * 3] = erf(x[i * 3]); back[i * 3 + 1] = erfc(x[i * 3 + 1]); back[i * 3 + 2] = normcdf(x[i * 3 + 2]);
}
__global__ void f(const double* y, double* x) { x[0] = erfinvf(y[0]); x[1] = erfcinvf(y[0]); x[2] = normcdfinvf(y[0]); x[3] = erfinv(-1.0); x[4] = erfcinv(0.0); x[5] = normcdfinv(1.0); x[6] = erfinv(1.5); x[7] = erfinv(1e-12); }`;
    const y = Float64Array.from({ length: 512 }, (_, i) =>
      i % 2 === 0 ? 2 * Math.random() : 10 ** (-300 * Math.random()),
    );
    const x = new Float64Array(1536).fill(NaN),
      back = new Float64Array(1536).fill(NaN);
    const inverses = new Cell(text, ["k", "f"]);
    inverses.run("k", { block: [512, 1, 1] }, [y, x, back]);
    y.forEach((value, i) =>
      [1 - value, value, value / 2].forEach((wanted, which) => {
        const at = x[i * 3 + which]!;
        if (Math.abs(wanted) === 1 && which === 0) return expect(Math.abs(at)).toBe(Infinity);
        // What an error of 4 ulp of x makes of the function, by its slope, and 4 ulp of the function itself.
        const bound =
          2 ** -50 * (Math.abs(wanted) + Math.abs(at) * 1.2 * Math.exp(which === 2 ? (-at * at) / 2 : -at * at));
        expect(Math.abs(back[i * 3 + which]! - wanted), `${which} of ${value}`).toBeLessThanOrEqual(bound);
      }),
    );
    const out = new Float64Array(8).fill(-9);
    inverses.run("f", {}, [Float64Array.from([0.5]), out]);
    expect([...out.slice(3, 7)]).toEqual([-Infinity, Infinity, Infinity, NaN]);
    [Math.fround(0.47693627620446987), Math.fround(0.47693627620446987), 0].forEach((value, i) =>
      expect(Math.abs(out[i]! - value)).toBeLessThanOrEqual(2 ** -24),
    );
    expect(Math.abs(out[7]! - 8.86226925452758e-13)).toBeLessThanOrEqual(1e-27);
  });

  test("headers of the C++ library, C++20, defines, fast mathematics", () => {
    const text = `#include <cmath>\n#include <algorithm>\n#include <type_traits>\n#include <cassert>
template <class T> concept Number = std::is_arithmetic_v<T>;
template <Number T> __global__ void k(T* x) { assert(x != nullptr); x[0] = std::max(std::sqrt(x[0]), sqrt(x[0])) + VALUE + std::abs(T(-1)) + rsqrtf(T(4)) + exp10(T(1)) + max(1, 2) + isnan(x[0]); }`;
    const out = Float32Array.from([16]);
    new Cell(text, ["k<float>"], ["--std=c++20", "--define=VALUE=100", "--fast-math"]).run("k<float>", {}, [out]);
    expect(out[0]).toBeCloseTo(4 + 100 + 1 + 0.5 + 10 + 2, 4);
  });

  test("a compile error is on the cell's own line, also after dynamic shared memory", () => {
    const text =
      "__global__ void k(float* x) {\n  extern __shared__\n    float s[];\n  s[0] = 1;\n  x[0] = s[0] + undefined_name;\n}\n";
    const error = caught(() => new Cell(text, ["k"]));
    expect(error.code).toBe("COMPILE");
    expect(error.message).toMatch(/^test\.cu does not compile \((g|clang)\+\+ [\d.]+\)\.$/);
    expect(error.log).toMatch(/^test\.cu:5:\d+: error: .*undefined_name/m);
    expect(error.log).toContain("x[0] = s[0] + undefined_name;");
  });

  test("inline PTX that there is no C++ for is a compile error that says what to do, unless the cell leaves it out itself", () => {
    const body = 'int lane = 0; asm volatile("elect.sync %0|q, 0xffffffff;" : "=r"(lane)); x[0] = lane;';
    expect(caught(() => new Cell(`__global__ void k(int* x) {\n${body}\n}`, ["k"])).log).toMatch(
      /test\.cu:2.*inline PTX needs a GPU for elect\.sync \(or: put it inside #if !defined\(WARPCELL_CPU\)/s,
    );
    const out = poisoned(1);
    new Cell(
      `__global__ void k(int* x) {\n#if !defined(WARPCELL_CPU)\n${body}\n#else\nx[0] = 5; // asm("no")\n#endif\n}`,
      ["k"],
    ).run("k", {}, [out]);
    expect(out[0]).toBe(5);
  });

  test("words where CUDA takes them: inline kernels, alignas in the middle, an empty asm, casts of dynamic shared memory", () => {
    const text = `extern __shared__ unsigned char whole[];
template <class T> inline __global__ void t(T* o) { o[0] = T(1); }
__global__ __inline__ void k(float* o) {
  __shared__ alignas(
    64) double s[4];
  static volatile __shared__ alignas(16) char unused[3];
  s[threadIdx.x & 3] = 0.5;
  float* a = reinterpret_cast<float*>(whole);
  int* b = (int*)whole + blockDim.x;
  a[threadIdx.x] = threadIdx.x;
  b[threadIdx.x] = 100 * threadIdx.x;
  asm volatile("" ::: "memory");
  __syncthreads();
  o[threadIdx.x] = s[0] + a[31 - threadIdx.x] + b[31 - threadIdx.x] + (size_t)s % 64 + __LINE__;
}
`;
    const out = new Float32Array(32).fill(NaN);
    new Cell(text, ["k", "t<int>"]).run("k", { block, shared: 256 }, [out]);
    expect([...out]).toEqual(Array.from(out, (_, t) => 0.5 + 101 * (31 - t) + 14));
  });

  test.each([
    "__shared__ int s = 0;",
    "__shared__ int s[2] = {0, 0};",
    "static __shared__ float s\n= 1;",
  ])("an initial value of shared memory is a compile error, as in CUDA: %s", (declaration) => {
    const text = `__global__ void k(int* o) {\n${declaration}\n__syncthreads(); o[0] = 1; }`;
    expect(caught(() => new Cell(text, ["k"])).log).toMatch(
      /test\.cu:2:\d+: error: static.assert\w* failed:? "?a __shared__ variable has no initial value in CUDA: assign it in one thread, then call __syncthreads\(\)/,
    );
  });

  test("an array of variable length is a compile error, as in CUDA", () => {
    expect(
      caught(() => new Cell("__global__ void k(int* o, int n) {\nint a[n]; a[0] = 1; o[0] = a[0]; }", ["k"])).log,
    ).toMatch(/test\.cu:2:\d+: error: .*variable.length/);
  });

  test("a launch with <<<…>>> is a compile error that says where kernels are launched", () => {
    const text = "__global__ void k(int* o) { o[0] = 8 << 1 >> 2; }\nint main() {\n  k<<<1, 256>>>(nullptr);\n}\n";
    expect(caught(() => new Cell(text, ["k"])).log).toMatch(
      /test\.cu:3:\d+: error: static.assert\w* failed:? "?<<<\.\.\.>>> is for host programs, and a cell holds device code: launch from a TypeScript cell/,
    );
  });

  test.each([
    ["", ""],
    ["with the C library's mathematics", "#include <cmath>\n#include <ctime>\n"],
  ])("norms, constants, clocks and hinted stores %s", (_name, library) => {
    const text = `${library}#include <math_constants.h>\n#include <vector_types.h>\n#include <vector_functions.h>\n#include <cuda_runtime_api.h>
__global__ void k(double* o) {
  int q; double s, c; float sf, cf;
  sincospi(0.5, &s, &c); sincospif(1.0f, &sf, &cf);
  o[0] = norm3d(2.0, 3.0, 6.0); o[1] = norm4df(1, 2, 2, 4); o[2] = rnorm3d(2.0, 3.0, 6.0) * 7; o[3] = rnorm4df(1, 2, 2, 4); o[4] = rhypot(3.0, 4.0); o[5] = remquof(7, 2, &q); o[6] = q;
  o[7] = s + 10 * c; o[8] = sf + 10 * cf; o[9] = isnan(nan("")) + isnan(nanf("")); o[10] = CUDART_PI; o[11] = CUDART_INF_F; o[12] = CUDART_MAX_NORMAL_F; o[13] = isnan(CUDART_NAN_F);
  __stcg(o + 14, 5); float f; __stcs(&f, 2); o[15] = f;
  clock_t before = clock(); o[16] = clock() >= before;
}`;
    const out = new Float64Array(17).fill(-9);
    new Cell(text, ["k"]).run("k", {}, [out]);
    const wanted = [7, 5, 1, 0.2, 0.2, -1, 4, 1, -10, 2, Math.PI, Infinity, 3.4028234663852886e38, 1, 5, 2, 1];
    wanted.forEach((value, i) =>
      expect(out[i], `value ${i}`).toSatisfy(
        (got: number) => got === value || Math.abs(got - value) <= 2 ** -23 * Math.abs(value),
      ),
    );
  });

  test("a cell's own macros, also in front of CUDA's headers, change nothing but the cell", () => {
    const names = [
      "N",
      "T",
      "X",
      "K",
      "M",
      "A",
      "B",
      "count",
      "size",
      "bytes",
      "offset",
      "layout",
      "entry",
      "used",
      "visibility",
    ];
    const text = `${names.map((name, index) => `#define ${name} ${index}\n`).join("")}#include <cuda_fp16.h>\n#include <cuda_bf16.h>
__global__ void k(int* o) { half h = N + M; __nv_bfloat16 b = count; o[0] = int(float(h) + float(b)) + size; }`;
    const out = poisoned(1);
    new Cell(text, ["k"]).run("k", {}, [out]);
    expect(out[0]).toBe(4 + 7 + 8);
  });

  test("more local memory than a GPU's thread can have is a compile error", () => {
    const text =
      "__global__ void k(int* o, int n) {\n  int here[200000];\n  for (int i = 0; i < 200000; i++) here[i] = i * n;\n  o[threadIdx.x] = here[o[threadIdx.x] * 64];\n}";
    expect(caught(() => new Cell(text, ["k"])).log).toMatch(
      /^test\.cu:1:1: error: a thread may have at most 512 KB of local memory, but this cell's local arrays take 7\d\d KB: put them into an array in global memory, a part for each thread$/m,
    );
  });

  test("a cell that no edit fits is compiled as it stands, and says so", async () => {
    const text =
      "template <class T> struct Box { T value; };\n__global__ void k(int* o, float x) { int T = 3; o[0] = (T)*o[1] + (int)x; }";
    const module = await compile(text, { device: "cpu", name: "named.cu" });
    expect(module.warnings).toContain(
      "conversions of floats and shifts that are out of range are those of this processor in this cell, not a GPU's",
    );
    const out = Int32Array.from([0, 5]);
    new Cell(text, ["k"]).run("k", {}, [out], [0]);
    expect(out[0]).toBe(15);
  });

  test("a float that becomes an integer inside of a macro is told", async () => {
    const text =
      "#define SET(x, v) x = v\n__global__ void k(unsigned char* o, const float* x) {\n  SET(o[0], x[0] * 2);\n}";
    expect((await compile(text, { device: "cpu", name: "macro.cu" })).warnings).toMatch(
      /^macro\.cu:3:\d+ warning: a float becomes an integer here, and what is out of range becomes something else than on a GPU: write the conversion, \(int\)x$/m,
    );
  });

  test("an unknown option lists the known ones", () => {
    expect(() => new Cell("__global__ void k() {}", ["k"], ["--speed=9"])).toThrow(
      "--speed=9 is not an option of a CUDA cell. There are --std=, --arch=, --define=, --include=, --flag=, --fast-math, --library, --syntax, --check, --count, --follow, --split, --fibers, --verbose.",
    );
  });
});

function caught(body: () => unknown): CompileError {
  try {
    body();
  } catch (error) {
    if (error instanceof CompileError) return error;
    throw error;
  }
  throw new Error("Expected a CompileError but there was none.");
}

test("the shared memory of each kernel, as its compiled code has it", async () => {
  const text = `__device__ int helper(int x) { __shared__ int pad[10]; pad[0] = x; __syncthreads(); return pad[x & 7]; }
template <class T, int N> __global__ void a(T* x) { __shared__ T s[N]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[N - 1 - threadIdx.x]; }
__global__ void b(int* x) { __shared__ int s[100], t[3]; s[threadIdx.x] = x[0]; t[0] = x[1]; __syncthreads(); x[threadIdx.x] = s[7] + t[threadIdx.x & 1]; }
__global__ void c(int* x) { x[0] = 1; }`;
  const { kernels } = await compile(text, { device: "cpu", name: "shared.cu" });
  const { b, c } = kernels as Record<string, { info: { shared: number } }>;
  // A function that is no kernel counts for each, which may call it.
  expect([b!.info.shared, c!.info.shared]).toEqual([412 + 40, 40]);
  const unnamed =
    "namespace { __global__ void a(int* x) { __shared__ int s[10]; s[threadIdx.x] = x[1]; __syncthreads(); x[0] = s[1]; } }\n__global__ void b(int* x) { x[0] = 1; }";
  const others = (await compile(unnamed, { device: "cpu", name: "unnamed.cu" })).kernels as typeof kernels;
  expect(Object.values(others).map((kernel) => (kernel as { info: { shared: number } }).info.shared)).toEqual([40, 0]);
});

test("shared memory of functions that a kernel does not call is no reason to refuse its launch", () => {
  const helper = (name: string): string =>
    `__device__ int ${name}(int x) { __shared__ int s[8000]; s[threadIdx.x] = x; __syncthreads(); return s[0]; }\n`;
  const cell = new Cell(
    `${helper("f")}${helper("g")}__global__ void a(int* x) { x[0] = f(x[0]) + 1; }\n__global__ void b(int* x) { x[0] = g(x[0]) + 2; }`,
    ["a", "b"],
  );
  const out = Int32Array.from([5]);
  cell.run("a", {}, [out]);
  cell.run("b", { shared: 190_000 }, [out]);
  expect(out[0]).toBe(8);
});

test("more static shared memory than a launch can have is refused by what the kernel declares", async () => {
  const { kernels } = await compile(
    "__global__ void k(float* x) { __shared__ float s[200000]; s[threadIdx.x] = x[0]; __syncthreads(); x[0] = s[1]; }",
    { device: "cpu" },
  );
  expect(() => (kernels["k"] as Kernel).launch({ grid: 1, block: 1 }, null)).toThrow(
    "Kernel k declares 800000 bytes of shared memory, but it may declare at most 49152 on cpu. Use dynamic shared memory for more, up to 232448 bytes.",
  );
});

test("without a compiler that runs, the sentence names what was looked for and how to get it", () => {
  const path = process.env["PATH"];
  process.env["PATH"] = "/nonexistent";
  use("");
  process.env["PATH"] = path;
  const nothing = "__global__ void k() {}";
  expect(() => new Cell(nothing, ["k"])).toThrow(
    "The cpu device compiles CUDA cells with a C++ compiler (clang++, clang++-22 to clang++-14, g++ or c++ in PATH), but that does not run here. Install one: apt-get install g++.",
  );
  use("/nonexistent/cxx");
  expect(() => new Cell(nothing, ["k"])).toThrow(
    "The cpu device compiles CUDA cells with the compiler that WARPCELL_CXX names (/nonexistent/cxx), but that does not run here.",
  );
});
