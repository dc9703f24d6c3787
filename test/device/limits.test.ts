// What C++ leaves open and a GPU does in one way, on every device and with every compiler for the CPU: floats beyond an
// integer's range, shifts by the width and more. The reference is the instructions' own (PTX ISA: cvt, shl, shr).
import { afterAll, describe, expect, test } from "vitest";
import "./cache.ts";
import { compile, tensor, zeros, type Kernel, type KernelTemplate } from "../../native/lib/index.ts";
import { compilers, use } from "./cpu-cell.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const types = {
  "unsigned char": ["uint8", 8, false],
  "signed char": ["int8", 8, true],
  "unsigned short": ["uint16", 16, false],
  short: ["int16", 16, true],
  unsigned: ["uint32", 32, false],
  int: ["int32", 32, true],
  "unsigned long long": ["uint64", 64, false],
  "long long": ["int64", 64, true],
} as const;

const source = `
#define TO_INTEGER(T, x) ((T)(x))
using Alias = int;
template <class T, class F> __device__ T same(F x) { return x; }
template <class T> __device__ T taken(T x) { return x; }
template <class T, class F> __global__ void all(T* o, const F* x, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  o[i] = x[i];
  o[i + n] = 1 * x[i];
  T initial = x[i];
  o[i + 2 * n] = initial;
  o[i + 3 * n] = same<T>(x[i]);
  o[i + 4 * n] = taken<T>(x[i]);
  o[i + 5 * n] = 0;
  o[i + 5 * n] += x[i];
  o[i + 6 * n] = (T)x[i];
  o[i + 7 * n] = T(x[i] * 1);
  o[i + 8 * n] = static_cast<T>(x[i]);
  o[i + 9 * n] = TO_INTEGER(T, x[i]);
  o[i + 10 * n] = i < n ? x[i] : F(0);
}
struct Pair { const float* values; float last; };
__global__ void plain(unsigned char* o, const float* x, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  Pair pair = {x, x[i]};
  const Pair* there = &pair;
  o[i] = x[i]; o[i + n] = pair.values[i]; o[i + 2 * n] = there->last; unsigned char c = 0.5f + x[i] - 0.5f; o[i + 3 * n] = c; o[i + 4 * n] = i >= 0 ? x[i] : pair.last;
}
__global__ void spelled(int* o, const float* x, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  o[i] = (int)x[i]; o[i + n] = int(-x[i]); o[i + 2 * n] = (Alias)x[i]; o[i + 3 * n] = (unsigned char)x[i]; o[i + 4 * n] = -(short)x[i];
  float halves[2] = {x[i], 0.5f};
  o[i + 5 * n] = (int)halves[0] + (int)sizeof(int);
}
__global__ void shifts(unsigned* l, unsigned* r, int* s, unsigned long long* wide, const unsigned* amounts, const unsigned* values, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  unsigned v = values[i], a = amounts[i];
  r[i + n] = values[i] >> amounts[i];  // of what it may only read
  if (v >> a == 7 && n < 0) return;
  l[i] = v << a; r[i] = v >> a; s[i] = (int)v >> (int)a;
  unsigned long long w = (unsigned long long)v << 32 | v;
  wide[i] = w << a; wide[i + n] = w >> a;
  v <<= a; l[i + n] = v; int q = values[i]; q >>= a; s[i + n] = q;
  l[i + 2 * n] = (1u << (a + 1)) - 1;
}
`;
const spellings = 11;

/** What cvt.rzi makes of x; a type of less than 32 bits has the low bits of that. */
function converted(x: number, bits: number, isSigned: boolean, isDouble: boolean): bigint {
  const width = Math.max(bits, 32);
  const [low, high] = isSigned
    ? [-(2n ** BigInt(width - 1)), 2n ** BigInt(width - 1) - 1n]
    : [0n, 2n ** BigInt(width) - 1n];
  let value: bigint;
  if (Number.isNaN(x)) value = width === 64 || isDouble ? 2n ** BigInt(width - 1) : 0n;
  else if (x === Infinity) value = high;
  else if (x === -Infinity) value = low;
  else {
    const whole = BigInt(Math.trunc(x));
    value = whole < low ? low : whole > high ? high : whole;
  }
  return isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
}

const random = seeded(freshSeed());
const wild = [
  NaN,
  Infinity,
  -Infinity,
  300.7,
  -5.5,
  -0.9,
  128,
  -129,
  70000,
  2 ** 31,
  2 ** 32,
  -(2 ** 31) - 256,
  1e10,
  1e20,
];
const inputs = [...wild, ...Array.from({ length: 50 }, () => (random() - 0.5) * 2 ** (random() * 70))];
const choices = devices.flatMap((device) =>
  device.kind === "cpu" ? compilers.map((compiler) => ({ device, compiler })) : [{ device, compiler: "nvrtc" }],
);

describe.each(choices)("on $device.name by $compiler", ({ device, compiler }) => {
  const where = { device: device.name };
  const begin = (): void => {
    if (device.kind === "cpu") use(compiler);
  };

  test("floats beyond an integer's range, by every spelling of the conversion", async () => {
    begin();
    const { kernels } = await compile(source, { ...where, name: "limits.cu" });
    for (const [text, [dtype, bits, isSigned]] of Object.entries(types))
      for (const [from, made] of [
        ["float", "float32"],
        ["double", "float64"],
      ] as const) {
        const x = tensor(made === "float32" ? Float32Array.from(inputs) : Float64Array.from(inputs), where);
        const wanted = (x.toArray() as number[]).map((value) => converted(value, bits, isSigned, from === "double"));
        const out = zeros([spellings, inputs.length], { dtype, ...where }).fill_(99);
        (kernels["all"] as unknown as KernelTemplate)
          .as(text, from)
          .launch({ grid: 1, block: 64 }, out, x, inputs.length);
        (out.toArray() as (number | bigint)[][]).forEach((row, spelling) =>
          expect(row.map(BigInt), `spelling ${spelling}, ${from} to ${text}`).toEqual(wanted),
        );
      }
  });

  test("casts in every position", async () => {
    begin();
    const { kernels } = await compile(source, { ...where, name: "limits.cu" });
    const n = wild.length;
    const x = tensor(Float32Array.from(wild), where),
      out = zeros([6 * n], { dtype: "int32", ...where });
    (kernels["spelled"] as Kernel).launch({ grid: 1, block: 64 }, out, x, n);
    const int = (v: number, bits = 32, isSigned = true): number => Number(converted(v, bits, isSigned, false));
    const values = x.toArray() as number[];
    expect(out.toArray()).toEqual([
      ...values.map((v) => int(v)),
      ...values.map((v) => int(-v)),
      ...values.map((v) => int(v)),
      ...values.map((v) => int(v, 8, false)),
      ...values.map((v) => -int(v, 16) + 0),
      ...values.map((v) => (int(v) + 4) | 0),
    ]);
  });

  test("conversions without a word, in a kernel that is no template", async () => {
    begin();
    const { kernels } = await compile(source, { ...where, name: "limits.cu" });
    const x = tensor(Float32Array.from(wild), where),
      out = zeros([5, wild.length], { dtype: "uint8", ...where });
    (kernels["plain"] as Kernel).launch({ grid: 1, block: 64 }, out, x, wild.length);
    const wanted = (x.toArray() as number[]).map((value) => Number(converted(value, 8, false, false)));
    expect(out.toArray()).toEqual(Array(5).fill(wanted));
  });

  test("shifts by the width and more give 0 or the sign", async () => {
    begin();
    const { kernels, warnings } = await compile(source, { ...where, name: "limits.cu" });
    expect(warnings).not.toMatch(/shifts|>>/);
    const amounts = Uint32Array.from([0, 1, 30, 31, 32, 33, 63, 64, 65, 255, 256, 0x80000000, 0xffffffff]);
    const values = amounts.map((_, i) => Math.floor(random() * 2 ** 32) | (i % 2 === 0 ? 0x80000001 : 1));
    const n = amounts.length;
    const [l, s] = [zeros([3 * n], { dtype: "uint32", ...where }), zeros([2 * n], { dtype: "int32", ...where })];
    const [r, wide] = [zeros([2 * n], { dtype: "uint32", ...where }), zeros([2 * n], { dtype: "uint64", ...where })];
    (kernels["shifts"] as Kernel).launch(
      { grid: 1, block: 64 },
      l,
      r,
      s,
      wide,
      tensor(amounts, where),
      tensor(values, where),
      n,
    );
    const pairs = [...amounts].map((amount, i) => [BigInt(values[i]!), BigInt(amount)] as const);
    const left = (v: bigint, a: bigint, bits: number): bigint => (a < bits ? BigInt.asUintN(bits, v << a) : 0n);
    const right = (v: bigint, a: bigint): bigint => v >> (a < 64n ? a : 64n);
    const numbers = (list: bigint[]): number[] => list.map(Number);
    const lefts = numbers(pairs.map(([v, a]) => left(v, a, 32)));
    const signed = numbers(pairs.map(([v, a]) => right(BigInt.asIntN(32, v), a)));
    expect(l.toArray()).toEqual([
      ...lefts,
      ...lefts,
      ...numbers(pairs.map(([, a]) => BigInt.asUintN(32, left(1n, BigInt.asUintN(32, a + 1n), 32) - 1n))),
    ]);
    const rights = numbers(pairs.map(([v, a]) => right(v, a)));
    expect(r.toArray()).toEqual([...rights, ...rights]);
    expect(s.toArray()).toEqual([...signed, ...signed]);
    const double = (v: bigint): bigint => (v << 32n) | v;
    expect(wide.toArray()).toEqual([
      ...pairs.map(([v, a]) => left(double(v), a, 64)),
      ...pairs.map(([v, a]) => right(double(v), a)),
    ]);
  });

  test("text that only looks like a shift or a cast stays what it is", async () => {
    begin();
    const text = `
#define LOG 3
#define SIZE (1 << LOG)
#if SIZE != 8 || (64 >> LOG) != 8
#error "the preprocessor shifts, too"
#endif
template <class T> struct Box { T value; };
template <class T, int N = (4 >> 1)> struct Row { T at[N << 1]; };
template <bool> struct If;
template <> struct If<true> { using type = int; };
template <class T, class = typename If<(sizeof(T) >> 2) == 1>::type> __device__ T first(T x) { return x; }
struct Pack { unsigned low : 5; unsigned high : 27; };
struct Stream { int sum; __device__ Stream& operator<<(int x) { sum += x; return *this; } };
__device__ int call(int (*function)(int), int x) { return function(x); }
__device__ int half_of(int x) { return x >> 1; }
constexpr int table[1 << LOG] = {1 << 0, 1 << LOG};
enum { flag = 1 << LOG };
__global__ void k(int* o, int n) {
  Box<Box<int>> box = {{n}};
  Row<Box<Box<int>>> row = {};
  row.at[3].value.value = 3;
  Pack pack = {5, 6};
  int a = n, b = 2;
  bool less = a < n >> 1;
  switch (n) { case (1 << 2) + 1: o[9] = 1; break; default: o[9] = 0; }
  Stream stream = {0};
  stream << n << 2;
  auto twice = [](int x) { return x << 1; };
  o[0] = box.value.value + row.at[3].value.value; o[1] = sizeof(row) / sizeof(int); o[2] = pack.low << n | pack.high >> n;
  o[3] = less; o[4] = first(n); o[5] = call(half_of, n) + (int)sizeof(int); o[6] = table[1] + flag; o[7] = twice(n); o[8] = stream.sum;
  o[10] = (int)(size_t)(o + 1) - (int)(size_t)o; o[11] = a << b << 1; o[12] = (int)2.5f;
  o[13] = a << b + 1; o[14] = (a) - b; o[15] = (int)'a';
}`;
    const { k } = (await compile(text, { ...where, name: "looks.cu" })).kernels as Record<string, Kernel>;
    const out = zeros([16], { dtype: "int32", ...where });
    k!.launch({ grid: 1, block: 1 }, out, 5);
    expect(out.toArray()).toEqual([8, 4, 160, 0, 5, 6, 16, 10, 7, 1, 4, 40, 2, 40, 3, 97]);
  });
});

afterAll(() => {
  delete process.env["WARPCELL_CXX"];
});
