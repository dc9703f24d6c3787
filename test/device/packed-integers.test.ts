// SIMD video instructions, dot products of bytes and other intrinsics of integers on every device and with every
// compiler, against what each part is by itself.
import "./cache.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { compile, full, tensor, type Kernel } from "../../native/lib/index.ts";
import { targets, use } from "./cpu-cell.ts";
import { below, bits, edgy } from "./random-integers.ts";

/** What becomes of two parts, each within a range that has a sign or has none. */
type Part = (a: number, b: number, least: number, most: number) => number;
const clamp = (x: number, least: number, most: number): number => Math.min(Math.max(x, least), most);
const distance: Part = (a, b) => Math.abs(a - b);

/** By the name's middle; s: parts have a sign. */
const parts: Record<string, Part> = {
  vabs_s: (a) => Math.abs(a),
  vabsss_s: (a, _, least, most) => clamp(Math.abs(a), least, most),
  vneg_s: (a) => -a,
  vnegss_s: (a, _, least, most) => clamp(-a, least, most),
  vabsdiffs_s: distance,
  vabsdiffu_u: distance,
  vadd_u: (a, b) => a + b,
  vsub_u: (a, b) => a - b,
  vaddss_s: (a, b, least, most) => clamp(a + b, least, most),
  vaddus_u: (a, b, least, most) => clamp(a + b, least, most),
  vsubss_s: (a, b, least, most) => clamp(a - b, least, most),
  vsubus_u: (a, b, least, most) => clamp(a - b, least, most),
  vavgs_s: (a, b) => Math.sign(a + b) * Math.ceil(Math.abs(a + b) / 2),
  vavgu_u: (a, b) => Math.ceil((a + b) / 2),
  vhaddu_u: (a, b) => Math.floor((a + b) / 2),
  vmaxs_s: (a, b) => Math.max(a, b),
  vmaxu_u: (a, b) => Math.max(a, b),
  vmins_s: (a, b) => Math.min(a, b),
  vminu_u: (a, b) => Math.min(a, b),
};
const comparisons: Record<string, (a: number, b: number) => boolean> = {
  eq_u: (a, b) => a === b,
  ne_u: (a, b) => a !== b,
  ges_s: (a, b) => a >= b,
  geu_u: (a, b) => a >= b,
  gts_s: (a, b) => a > b,
  gtu_u: (a, b) => a > b,
  les_s: (a, b) => a <= b,
  leu_u: (a, b) => a <= b,
  lts_s: (a, b) => a < b,
  ltu_u: (a, b) => a < b,
};
for (const [name, holds] of Object.entries(comparisons)) {
  parts[`vcmp${name}`] = (a, b) => (holds(a, b) ? -1 : 0);
  parts[`vset${name}`] = (a, b) => Number(holds(a, b));
}

const partOf = (x: number, i: number, width: number, isSigned: boolean): number => {
  const value = (x >>> (i * width)) & (2 ** width - 1);
  return isSigned && value >= 2 ** (width - 1) ? value - 2 ** width : value;
};
const packed = (of: Part, isSigned: boolean, count: number, a: number, b: number): number => {
  const width = 32 / count,
    least = isSigned ? -(2 ** (width - 1)) : 0,
    mask = 2 ** width - 1;
  let result = 0;
  for (let i = 0; i < count; i++) {
    const value = of(partOf(a, i, width, isSigned), partOf(b, i, width, isSigned), least, least + mask);
    result |= (value & mask) << (i * width);
  }
  return result >>> 0;
};
const summed = (isSigned: boolean, count: number, a: number, b: number): number => {
  let sum = 0;
  for (let i = 0; i < count; i++)
    sum += Math.abs(partOf(a, i, 32 / count, isSigned) - partOf(b, i, 32 / count, isSigned));
  return sum;
};

type Of = (a: number, b: number, c: number) => number;
/** Expressions of a, b and c, each with what it is. */
const functions: [string, Of][] = [];
for (const count of [2, 4]) {
  for (const [name, of] of Object.entries(parts)) {
    const [call, kind] = name.split("_") as [string, string];
    const isOfOne = ["vabs", "vabsss", "vneg", "vnegss"].includes(call);
    functions.push([`__${call}${count}(a${isOfOne ? "" : ", b"})`, (a, b) => packed(of, kind === "s", count, a, b)]);
  }
  for (const kind of ["s", "u"])
    functions.push([`__vsad${kind}${count}(a, b)`, (a, b) => summed(kind === "s", count, a, b)]);
}
const dot = (isSigned: boolean, first: number): Of => {
  return (a, b, c) => {
    const term = (i: number) => BigInt(partOf(a, i, 16, isSigned)) * BigInt(partOf(b, first + i, 8, isSigned));
    return Number(BigInt.asUintN(32, BigInt(c) + term(0) + term(1)));
  };
};
const signed = (x: number): number => x | 0;
const three = (pick: (...x: number[]) => number, isSigned: boolean, isRelu: boolean, adds: boolean): Of => {
  return (a, b, c) => {
    let result = 0;
    for (const i of [0, 1]) {
      const [x, y, z] = [a, b, c].map((value) => partOf(value, i, 16, isSigned)) as [number, number, number];
      const value = adds ? pick(partOf(x + y, 0, 16, isSigned), z) : pick(x, y, z);
      result |= ((isRelu ? Math.max(value, 0) : value) & 0xffff) << (16 * i);
    }
    return result >>> 0;
  };
};
functions.push(
  ["__dp2a_lo((int)a, (int)b, (int)c)", dot(true, 0)],
  ["__dp2a_hi((int)a, (int)b, (int)c)", dot(true, 2)],
  ["__dp2a_lo(a, b, c)", dot(false, 0)],
  ["__dp2a_hi(a, b, c)", dot(false, 2)],
  ["__vimax3_s16x2(a, b, c)", three(Math.max, true, false, false)],
  ["__vimin3_u16x2(a, b, c)", three(Math.min, false, false, false)],
  ["__vimax3_s16x2_relu(a, b, c)", three(Math.max, true, true, false)],
  ["__viaddmax_s16x2(a, b, c)", three(Math.max, true, false, true)],
  ["__viaddmin_u16x2(a, b, c)", three(Math.min, false, false, true)],
  ["__viaddmin_s16x2_relu(a, b, c)", three(Math.min, true, true, true)],
  ["__vimax3_s32((int)a, (int)b, (int)c)", (a, b, c) => Math.max(signed(a), signed(b), signed(c))],
  ["__vimin3_u32(a, b, c)", (a, b, c) => Math.min(a, b, c)],
  ["__vimin_s32_relu((int)a, (int)b)", (a, b) => Math.max(Math.min(signed(a), signed(b)), 0)],
  ["__viaddmax_s32((int)a, (int)b, (int)c)", (a, b, c) => Math.max(signed(a + b), signed(c))],
  ["__fns(a, b % 32, (int)(c % 9) - 4)", (a, b, c) => found(a, b % 32, (c % 9) - 4)],
  [
    "[&] { bool first; int m = __vibmax_s32((int)a, (int)b, &first); return first == ((int)a >= (int)b) ? m : -1; }()",
    (a, b) => Math.max(signed(a), signed(b)),
  ],
  [
    "[&] { bool high, low; unsigned m = __vibmin_u16x2(a, b, &high, &low); return (a >> 16 <= b >> 16) == high && ((a & 0xffff) <= (b & 0xffff)) == low ? m : 0xdeadu; }()",
    (a, b) => packed((x, y) => Math.min(x, y), false, 2, a, b),
  ],
);

/** The bit that __fns looks for. */
function found(mask: number, base: number, offset: number): number {
  if (offset === 0) return mask & (1 << base) ? base : 0xffffffff;
  let left = Math.abs(offset);
  for (let at = base; at >= 0 && at < 32; at += Math.sign(offset)) if (mask & (1 << at) && --left === 0) return at;
  return 0xffffffff;
}

describe.each(targets)("on $device with $compiler", ({ device, compiler }) => {
  beforeAll(() => use(compiler));

  test("every intrinsic, on random numbers and on the ends of ranges", async () => {
    const n = 512;
    const { kernels } = await compile(
      `__global__ void k(const unsigned* x, const unsigned* y, const unsigned* z, unsigned* out) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        unsigned a = x[i], b = y[i], c = z[i];
        ${functions.map(([expression], at) => `out[${at} * ${n} + i] = (unsigned)(${expression});`).join("\n")}
      }`,
      { device },
    );
    const [a, b, c] = [edgy, edgy, bits].map((draw) => Uint32Array.from({ length: n }, draw)) as [
      Uint32Array,
      Uint32Array,
      Uint32Array,
    ];
    const out = full([functions.length, n], 77, { dtype: "uint32", device });
    (kernels["k"] as Kernel<unknown[]>).launch(
      { grid: n / 64, block: 64 },
      ...[a, b, c].map((values) => tensor(values, { device })),
      out,
    );
    const got = out.toArray() as number[][];
    functions.forEach(([expression, of], at) => {
      const wanted = Array.from(a, (value, i) => of(value, b[i]!, c[i]!) >>> 0);
      const wrong = wanted.findIndex((value, i) => value !== got[at]![i]);
      expect(
        wrong < 0 ? null : [a[wrong], b[wrong], c[wrong], got[at]![wrong], wanted[wrong]],
        `${expression}: a, b, c, got, wanted`,
      ).toBeNull();
    });
  });

  test("dot products of vectors of bytes, overloads for float and sums of vectors", async () => {
    const { kernels } = await compile(
      `__global__ void k(const int* in, int* out, float* sums) {
        char4 c = make_char4(in[0], in[1], in[2], in[3]), d = make_char4(in[3], in[2], in[1], in[0]);
        out[0] = __dp4a(c, d, 5); out[1] = __dp2a_lo(make_short2(in[4], in[5]), c, 7); out[2] = __dp2a_hi(make_short2(in[4], in[5]), c, 7);
        out[3] = (int)__dp4a(make_uchar4(200, 100, 3, 255), make_uchar4(255, 2, 3, 255), 1u); out[4] = (int)__nv_bswap32(0x01020304u);
        float s, t; sincospi(0.25f, &s, &t); sums[8 + 0] = s - t; sums[8 + 1] = fabsf(s * s - 0.5f) < 1e-6f; sincos(0.0f, &s, &t); sums[8 + 2] = s; sums[8 + 3] = t;
#if __CUDA_ARCH__ >= 900 || defined(WARPCELL_CPU)
        for (int i = 0; i < 3; i++) { atomicAdd((float2*)sums, make_float2(1, 2)); atomicAdd((float4*)(sums + 4), make_float4(1, 2, 3, 4)); }
#endif
      }`,
      { device },
    );
    const x = [127, -128, 5, below(200) - 100, -30000, 20000];
    const out = full([5], 0, { dtype: "int32", device }),
      sums = full([12], 0, { device });
    (kernels["k"] as Kernel<unknown[]>).launch(
      { grid: 1, block: 1 },
      tensor(Int32Array.from(x), { device }),
      out,
      sums,
    );
    const [a, b, c, d, e, f] = x as [number, number, number, number, number, number];
    expect(out.toArray()).toEqual([
      2 * a * d + 2 * b * c + 5,
      e * a + f * b + 7,
      e * c + f * d + 7,
      200 * 255 + 200 + 9 + 255 * 255 + 1,
      0x04030201,
    ]);
    const got = sums.toArray() as number[];
    expect(got[8]).toBeCloseTo(0, 6);
    expect(got.slice(9)).toEqual([1, 0, 1]);
    if (device === "cpu") expect(got.slice(0, 8)).toEqual([3, 6, 0, 0, 3, 6, 9, 12]);
  });
});
