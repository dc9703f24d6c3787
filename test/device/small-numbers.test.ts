// 8-bit floats, pairs of 16-bit floats and cuComplex.h in cells, on every device and with every compiler.
import "./cache.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { full, tensor, zeros } from "../../native/lib/index.ts";
import { targets, use } from "./cpu-cell.ts";
import { below, bits, uniform } from "./random-integers.ts";
import { kernelOf } from "./toolkit.ts";

/** What 8 bits stand for: NaN and infinities as well. */
function float8(code: number, mantissa: number): number {
  const bias = mantissa === 3 ? 7 : 15,
    size = code & 0x7f,
    exponent = size >> mantissa,
    fraction = (size & (2 ** mantissa - 1)) / 2 ** mantissa;
  const sign = code & 0x80 ? -1 : 1;
  if (mantissa === 3 && size === 0x7f) return NaN;
  if (mantissa === 2 && size >= 0x7c) return size === 0x7c ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (exponent - bias));
}

/** The nearest code of a finite number by search; a tie goes to the even one. */
function nearest(x: number, mantissa: number): number {
  const greatest = mantissa === 3 ? 0x7e : 0x7b;
  let best = 0;
  for (let code = 1; code <= greatest; code++) {
    const closer = Math.abs(float8(code, mantissa) - Math.abs(x)) - Math.abs(float8(best, mantissa) - Math.abs(x));
    if (closer < 0 || (closer === 0 && code % 2 === 0)) best = code;
  }
  return best | (x < 0 || Object.is(x, -0) ? 0x80 : 0);
}

const float = new Float32Array(1),
  floatBits = new Uint32Array(float.buffer);
function anyFloat(): number {
  if (below(4) === 0) return Math.fround((uniform() - 0.5) * 2 ** below(20));
  floatBits[0] =
    ((below(2) << 31) | ((103 + below(45)) << 23) | (below(2) ? bits() & 0x7fffff : below(16) << 19)) >>> 0;
  return float[0]!;
}

describe.each(targets)("on $device with $compiler", ({ device, compiler }) => {
  beforeAll(() => use(compiler));

  test.each([
    ["e4m3", 3],
    ["e5m2", 2],
  ] as const)("%s: every code is a number, and every float has its nearest code", async (name, mantissa) => {
    const k = await kernelOf(
      `#include <cuda_fp8.h>
      __global__ void k(const float* in, int* out, float* values) {
        int i = threadIdx.x; using T = __nv_fp8_${name};
        T code; code.__x = (__nv_fp8_storage_t)i; values[i] = float(code); values[256 + i] = __half2float(__half(code));
        float x = in[i]; T one(x); out[i * 8] = one.__x; out[i * 8 + 1] = T((double)x).__x;
        __nv_fp8x2_${name} two(make_float2(x, in[255 - i])); out[i * 8 + 2] = two.__x;
        __nv_fp8x4_${name} four(make_float4(x, in[255 - i], in[i ^ 1], 1.0f)); out[i * 8 + 3] = (int)four.__x;
        float4 back = float4(four); out[i * 8 + 4] = back.z == float(T(in[i ^ 1])) && back.w == 1.0f;
        out[i * 8 + 5] = __nv_cvt_float_to_fp8(x * 4096.0f, __NV_SATFINITE, __NV_${name.toUpperCase()});
        out[i * 8 + 6] = __nv_cvt_float_to_fp8(x * 4096.0f, __NV_NOSAT, __NV_${name.toUpperCase()}) & 0x7f;
        out[i * 8 + 7] = T(__float2half(x)).__x;
      }`,
      device,
    );
    if (k === null) return;
    const x = Float32Array.from({ length: 256 }, anyFloat);
    const out = full([256, 8], -1, { dtype: "int32", device }),
      values = zeros([512], { device });
    k.launch({ grid: 1, block: 256 }, tensor(x, { device }), out, values);
    const codes = Array.from({ length: 256 }, (_, code) => float8(code, mantissa));
    expect(values.toArray()).toEqual([...codes, ...codes]);
    const greatest = mantissa === 3 ? 0x7e : 0x7b,
      limit = mantissa === 3 ? 464 : 61440;
    const isBeyond = (y: number) => (mantissa === 3 ? Math.abs(y) > limit : Math.abs(y) >= limit);
    const of = (y: number) => (isBeyond(y) ? greatest | (y < 0 ? 0x80 : 0) : nearest(y, mantissa));
    const half = (y: number) => halfOf(y);
    const wanted = Array.from(x, (y, i) => {
      const code = of(y),
        other = of(x[255 - i]!),
        scaled = Math.fround(y * 4096);
      return [
        code,
        code,
        code | (other << 8),
        code | (other << 8) | (of(x[i ^ 1]!) << 16) | (nearest(1, mantissa) << 24),
        1,
        of(scaled),
        isBeyond(scaled) ? greatest + 1 : of(scaled) & 0x7f,
        of(half(y)),
      ];
    });
    expect(out.toArray()).toEqual(wanted);
  });

  test("infinities and numbers that are none", async () => {
    const k = await kernelOf(
      `#include <cuda_fp8.h>
      __global__ void k(float inf, int* out) {
        out[0] = __nv_fp8_e4m3(inf).__x; out[1] = __nv_fp8_e4m3(-inf).__x; out[2] = __nv_fp8_e5m2(inf).__x; out[3] = __nv_cvt_float_to_fp8(inf, __NV_NOSAT, __NV_E5M2);
        out[4] = __nv_cvt_float_to_fp8(inf, __NV_NOSAT, __NV_E4M3) & 0x7f; out[5] = __nv_fp8_e4m3(inf - inf).__x & 0x7f; float n = float(__nv_fp8_e5m2(inf - inf)); out[6] = n != n;
        out[7] = int(__nv_fp8_e4m3(-3)) * 10 + bool(__nv_fp8_e5m2(0.0f));
      }`,
      device,
    );
    if (k === null) return;
    const out = full([8], -1, { dtype: "int32", device });
    k.launch({ grid: 1, block: 1 }, Infinity, out);
    expect(out.toArray()).toEqual([0x7e, 0xfe, 0x7b, 0x7c, 0x7f, 0x7f, 1, -30]);
  });

  test.each([
    ["__half", "half", "cuda_fp16.h", 10, 5],
    ["__nv_bfloat16", "bfloat16", "cuda_bf16.h", 7, 8],
  ] as const)("%s: directed rounding, fused operations, extremes, masks", async (type, name, header, mantissa, exponent) => {
    const k = await kernelOf(
      `#include <${header}>
      __global__ void k(const float* in, float* out) {
        int i = threadIdx.x; float x = in[i]; out += i * 12;
        out[0] = (float)__float2${name}_rd(x); out[1] = (float)__float2${name}_ru(x); out[2] = (float)__float2${name}_rz(x);
        ${type} a(x), b(in[i ^ 1]), c(in[i ^ 2]);
        out[3] = (float)__hfma_relu(a, b, c) == fmaxf((float)__hfma(a, b, c), 0.0f); out[4] = (float)__hfma_sat(a, b, c) == __saturatef((float)__hfma(a, b, c));
        ${type} none = a - a; none = none / none;
        out[5] = __hisnan(__hmax_nan(a, none)) && __hisnan(__hmin_nan(none, a)) && (float)__hmax_nan(a, b) == fmaxf((float)a, (float)b);
        ${type}2 p; p.x = a; p.y = b; ${type}2 q; q.x = b; q.y = b;
        out[6] = (float)(__hle2_mask(p, q) == ((float)a <= (float)b ? 0xffffffffu : 0xffff0000u));
        ${type}2 r; r.x = c; r.y = a;
        ${type}2 m = __hcmadd(p, q, r); out[7] = (float)m.x == (float)__hfma(-p.y, q.y, __hfma(p.x, q.x, r.x)); out[8] = (float)m.y == (float)__hfma(p.y, q.x, __hfma(p.x, q.y, r.y));
        ${type}_raw raw = a; out[9] = (float)(${type})raw == (float)a;
        out[10] = (float)__hmin2_nan(p, q).x == fminf((float)a, (float)b); out[11] = (float)__int2${name}_rz(123457 + i);
      }`,
      device,
    );
    if (k === null) return;
    const x = Float32Array.from({ length: 256 }, () => Math.fround((uniform() - 0.5) * 2 ** (below(24) - 12)));
    const out = full([256, 12], NaN, { device });
    k.launch({ grid: 1, block: 256 }, tensor(x, { device }), out);
    const least = 2 - 2 ** (exponent - 1);
    const step = (y: number) => 2 ** (Math.max(y === 0 ? least : Math.floor(Math.log2(Math.abs(y))), least) - mantissa);
    const down = (y: number) => Math.floor(y / step(y)) * step(y),
      up = (y: number) => Math.ceil(y / step(y)) * step(y);
    const toZero = (y: number) => Math.trunc(y / step(y)) * step(y);
    const greatest = (2 - 2 ** -mantissa) * 2 ** (2 ** (exponent - 1) - 1);
    expect(out.toArray()).toEqual(
      Array.from(x, (y, i) => [
        ...[down(y), up(y), toZero(y)],
        ...Array(8).fill(1),
        Math.min(toZero(123457 + i), greatest),
      ]),
    );
  });

  test("cuComplex.h", async () => {
    const k = await kernelOf(
      `#include <cuComplex.h>
      __global__ void k(const cuDoubleComplex* in, cuDoubleComplex* out, cuFloatComplex* single) {
        int i = threadIdx.x; cuDoubleComplex a = in[2 * i], b = in[2 * i + 1]; out += 8 * i;
        out[0] = cuCadd(a, b); out[1] = cuCsub(a, b); out[2] = cuCmul(a, b); out[3] = cuCdiv(a, b); out[4] = cuConj(a);
        out[5] = make_cuDoubleComplex(cuCabs(a), cuCreal(b) + cuCimag(b)); out[6] = cuCfma(a, b, a); out[7] = cuComplexFloatToDouble(cuCmulf(cuComplexDoubleToFloat(a), make_cuComplex(2, 0)));
        single[i] = cuCdivf(make_cuFloatComplex(3e30f, 3e30f), make_cuFloatComplex(1e30f, 0));
      }`,
      device,
    );
    if (k === null) return;
    const x = Float64Array.from({ length: 64 * 4 }, () => uniform() * 4 - 2);
    const out = zeros([64 * 16], { dtype: "float64", device }),
      single = zeros([128], { device });
    k.launch({ grid: 1, block: 64 }, tensor(x, { device }), out, single);
    const got = out.toArray() as number[];
    for (let i = 0; i < 64; i++) {
      const [a, b, c, d] = x.slice(4 * i, 4 * i + 4) as unknown as [number, number, number, number];
      const wanted = [
        ...[a + c, b + d, a - c, b - d, a * c - b * d, a * d + b * c],
        ...[(a * c + b * d) / (c * c + d * d), (b * c - a * d) / (c * c + d * d), a, -b, Math.hypot(a, b), c + d],
        ...[a * c - b * d + a, a * d + b * c + b, 2 * Math.fround(a), 2 * Math.fround(b)],
      ];
      // A sum of two products of at most 4, each rounded; a quotient by at least its divisor's square.
      wanted.forEach((value, at) => {
        const bound = 2 ** -50 * (16 + (at === 6 || at === 7 ? 64 / (c * c + d * d) : 0));
        expect(Math.abs(got[16 * i + at]! - value), `${i}, ${at}`).toBeLessThanOrEqual(bound);
      });
    }
    expect((single.toArray() as number[]).every((value) => Math.abs(value - 3) < 1e-6)).toBe(true);
  });
});

/** The nearest number of 16 bits. */
function halfOf(x: number): number {
  if (x === 0) return x;
  const unit = 2 ** (Math.max(Math.floor(Math.log2(Math.abs(x))), -14) - 10);
  const whole = Math.floor(Math.abs(x) / unit),
    rest = Math.abs(x) / unit - whole;
  const rounded = rest > 0.5 || (rest === 0.5 && whole % 2 === 1) ? whole + 1 : whole;
  return Math.sign(x) * (rounded * unit > 65504 ? Infinity : rounded * unit);
}
