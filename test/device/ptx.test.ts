// Inline PTX on every device and with every compiler: each instruction that the guide lists, against what the PTX ISA says
// of it; what there is no C++ for is named.
import "./cache.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { compile, full, tensor, zeros, type Kernel } from "../../native/lib/index.ts";
import { targets, use } from "./cpu-cell.ts";
import { below, bits, edgy, uniform } from "./random-integers.ts";

type Of = (a: number, b: number, c: number) => number | bigint;
const s = (x: number): number => x | 0;
const big = (x: number): bigint => BigInt(x);
const high = (product: bigint): bigint => product >> 32n;
const bit = (x: number, i: number): number => (x >>> i) & 1;
const count = (x: number): number => Array.from({ length: 32 }, (_, i) => bit(x, i)).reduce((sum, one) => sum + one);
const clz = (x: number): number => Math.clz32(x);
const amount = (x: number): number => x % 40;
function field(x: number, first: number, length: number): number {
  let result = 0;
  for (let i = 0; i < Math.min(length, 32); i++) if (first + i < 32) result |= bit(x, first + i) << i;
  return result;
}
function signedField(x: number, first: number, length: number): number {
  if (length === 0) return 0;
  const sign = bit(x, Math.min(first + length - 1, 31));
  let result = 0;
  for (let i = 0; i < 32; i++) result |= (i < length && first + i < 32 ? bit(x, first + i) : sign) << i;
  return result;
}
function inserted(a: number, b: number, first: number, length: number): number {
  let result = b;
  for (let i = 0; i < length && first + i < 32; i++)
    result = (result & ~(1 << (first + i))) | (bit(a, i) << (first + i));
  return result;
}
function permuted(a: number, b: number, selector: number): number {
  const bytes = [a, b].flatMap((x) => [0, 8, 16, 24].map((shift) => (x >>> shift) & 255));
  let result = 0;
  for (let i = 0; i < 4; i++) {
    const choice = (selector >>> (4 * i)) & 15,
      byte = bytes[choice & 7]!;
    result |= (choice & 8 ? (byte & 128 ? 255 : 0) : byte) << (8 * i);
  }
  return result;
}
const lop =
  (table: number): Of =>
  (a, b, c) => {
    let result = 0;
    for (let i = 0; i < 32; i++) result |= bit(table, bit(a, i) * 4 + bit(b, i) * 2 + bit(c, i)) << i;
    return result;
  };

/** Of 32 bits: the text, with %0 the result and %1, %2, %3 the sources. */
const words: [string, Of][] = [
  ["mov.u32 %0, %1;", (a) => a],
  ["add.s32 %0, %1, %2;", (a, b) => a + b],
  ["sub.u32 %0, %1, %2;", (a, b) => a - b],
  ["mul.lo.u32 %0, %1, %2;", (a, b) => big(a) * big(b)],
  ["mul.hi.u32 %0, %1, %2;", (a, b) => high(big(a) * big(b))],
  ["mul.hi.s32 %0, %1, %2;", (a, b) => high(big(s(a)) * big(s(b)))],
  ["mad.lo.s32 %0, %1, %2, %3;", (a, b, c) => big(a) * big(b) + big(c)],
  ["mad.hi.u32 %0, %1, %2, %3;", (a, b, c) => high(big(a) * big(b)) + big(c)],
  ["mul24.lo.u32 %0, %1, %2;", (a, b) => (big(a) & 0xffffffn) * (big(b) & 0xffffffn)],
  ["sad.u32 %0, %1, %2, %3;", (a, b, c) => Math.abs(a - b) + c],
  ["min.s32 %0, %1, %2;", (a, b) => Math.min(s(a), s(b))],
  ["max.u32 %0, %1, %2;", (a, b) => Math.max(a, b)],
  ["and.b32 %0, %1, %2;", (a, b) => a & b],
  ["or.b32 %0, %1, %2;", (a, b) => a | b],
  ["xor.b32 %0, %1, %2;", (a, b) => a ^ b],
  ["not.b32 %0, %1;", (a) => ~a],
  ["neg.s32 %0, %1;", (a) => -s(a)],
  ["{ .reg .u32 n; and.b32 n, %2, 63; shl.b32 %0, %1, n; }", (a, b) => ((b & 63) < 32 ? a << (b & 63) : 0)],
  ["{ .reg .u32 n; and.b32 n, %2, 63; shr.u32 %0, %1, n; }", (a, b) => ((b & 63) < 32 ? a >>> (b & 63) : 0)],
  ["{ .reg .u32 n; and.b32 n, %2, 63; shr.s32 %0, %1, n; }", (a, b) => s(a) >> Math.min(b & 63, 31)],
  ["popc.b32 %0, %1;", (a) => count(a)],
  ["clz.b32 %0, %1;", (a) => clz(a)],
  ["bfind.u32 %0, %1;", (a) => (a === 0 ? -1 : 31 - clz(a))],
  ["brev.b32 %0, %1;", (a) => Array.from({ length: 32 }, (_, i) => bit(a, i) << (31 - i)).reduce((x, y) => x | y)],
  [
    "{ .reg .u32 p, n; rem.u32 p, %2, 40; rem.u32 n, %3, 40; bfe.u32 %0, %1, p, n; }",
    (a, b, c) => field(a, amount(b), amount(c)),
  ],
  [
    "{ .reg .u32 p, n; rem.u32 p, %2, 40; rem.u32 n, %3, 40; bfe.s32 %0, %1, p, n; }",
    (a, b, c) => signedField(a, amount(b), amount(c)),
  ],
  ["bfi.b32 %0, %1, %2, 5, 11;", (a, b) => inserted(a, b, 5, 11)],
  ["bfi.b32 %0, %1, %2, 0x1c, 8;", (a, b) => inserted(a, b, 28, 8)],
  ["prmt.b32 %0, %1, %2, 0x3b71;", (a, b) => permuted(a, b, 0x3b71)],
  ["lop3.b32 %0, %1, %2, %3, 0x96;", lop(0x96)],
  ["lop3.b32 %0, %1, %2, %3, 0xE8;", lop(0xe8)],
  ["shf.l.wrap.b32 %0, %1, %2, 7;", (a, b) => (big(b) << 7n) | (big(a) >> 25n)],
  ["shf.r.clamp.b32 %0, %1, %2, 40;", (_, b) => b],
  [
    "dp4a.u32.u32 %0, %1, %2, %3;",
    (a, b, c) => [0, 8, 16, 24].reduce((sum, i) => sum + ((a >>> i) & 255) * ((b >>> i) & 255), c),
  ],
  ["{ .reg .pred p; setp.lt.s32 p, %1, %2; selp.b32 %0, %3, %1, p; }", (a, b, c) => (s(a) < s(b) ? c : a)],
  [
    "{ .reg .pred p, q; setp.ge.u32 p|q, %1, %2; mov.u32 %0, 1; @q mov.u32 %0, %3; @!q add.u32 %0, %0, 4; }",
    (a, b, c) => (a >= b ? 5 : c),
  ],
  ["{ .reg .u32 low; add.cc.u32 low, %1, %2; addc.u32 %0, 0, 0; }", (a, b) => (a + b >= 2 ** 32 ? 1 : 0)],
  ["{ .reg .u64 w; mul.wide.u32 w, %1, %2; { .reg .u32 lo; mov.b64 {lo, %0}, w; } }", (a, b) => high(big(a) * big(b))],
  [
    "{ .reg .u64 w; mov.b64 w, {%1, %2}; shr.u64 w, w, 12; cvt.u32.u64 %0, w; }",
    (a, b) => ((big(b) << 32n) | big(a)) >> 12n,
  ],
  ["{ .reg .s16 h; cvt.u16.u32 h, %1; cvt.s32.s16 %0, h; }", (a) => (a << 16) >> 16],
  [
    "{ .reg .f32 f; cvt.rn.f32.s32 f, %1; cvt.rzi.s32.f32 %0, f; }",
    (a) => Math.max(Math.min(Math.fround(s(a)), 2 ** 31 - 1), -(2 ** 31)),
  ],
];

/** Of floats. */
const floats: [string, (a: number, b: number, c: number) => number, number][] = [
  ["add.f32 %0, %1, %2;", (a, b) => a + b, 0],
  ["mul.rn.f32 %0, %1, %2;", (a, b) => a * b, 0],
  ["fma.rn.f32 %0, %1, %2, %3;", (a, b, c) => a * b + c, 0],
  ["sub.rn.f32 %0, %1, 0f3F800000;", (a) => a - 1, 0],
  ["max.f32 %0, %1, %2;", (a, b) => Math.max(a, b), 0],
  ["abs.f32 %0, %1;", (a) => Math.abs(a), 0],
  ["neg.f32 %0, %1;", (a) => -a, 0],
  ["div.rn.f32 %0, %1, %2;", (a, b) => a / b, 0],
  ["{ .reg .f32 t; abs.f32 t, %1; sqrt.rn.f32 %0, t; }", (a) => Math.sqrt(Math.abs(a)), 0],
  // The approximations: 2 ulp and some 2^-22 of the result.
  ["{ .reg .f32 t; abs.f32 t, %1; rsqrt.approx.f32 %0, t; }", (a) => 1 / Math.sqrt(Math.abs(a)), 2 ** -21],
  ["rcp.approx.f32 %0, %1;", (a) => 1 / a, 2 ** -21],
  ["ex2.approx.f32 %0, %1;", (a) => 2 ** a, 2 ** -20],
  ["add.sat.f32 %0, %1, %2;", (a, b) => Math.min(Math.max(Math.fround(a + b), 0), 1), 0],
  ["cvt.rmi.f32.f32 %0, %1;", (a) => Math.floor(a), 0],
];

describe.each(targets)("on $device with $compiler", ({ device, compiler }) => {
  beforeAll(() => use(compiler));
  const kernel = async (source: string): Promise<Kernel<unknown[]>> =>
    (await compile(source, { device })).kernels["k"] as Kernel<unknown[]>;

  test("instructions of 32 bits", async () => {
    const n = 128;
    const k = await kernel(`__global__ void k(const unsigned* x, const unsigned* y, const unsigned* z, unsigned* out) {
      int i = threadIdx.x; unsigned r = 0;
      ${words.map(([text], at) => `asm volatile("${text}" : "=r"(r) : "r"(x[i]), "r"(y[i]), "r"(z[i])); out[${at} * ${n} + i] = r;`).join("\n")}
    }`);
    const [a, b, c] = [edgy, edgy, bits].map((draw) => Uint32Array.from({ length: n }, draw)) as [
      Uint32Array,
      Uint32Array,
      Uint32Array,
    ];
    const out = full([words.length, n], 7, { dtype: "uint32", device });
    k.launch({ grid: 1, block: n }, ...[a, b, c].map((values) => tensor(values, { device })), out);
    const got = out.toArray() as number[][];
    const wrong = words.flatMap(([text, of], at) =>
      Array.from(a, (value, i) => {
        const wanted = Number(BigInt.asUintN(32, BigInt(of(value, b[i]!, c[i]!))));
        return wanted === got[at]![i] ? [] : [{ text, a: value, b: b[i], c: c[i], got: got[at]![i], wanted }];
      }).flat(),
    );
    expect(wrong.slice(0, 5)).toEqual([]);
  });

  test("instructions of floats", async () => {
    const n = 128;
    const k = await kernel(`__global__ void k(const float* x, const float* y, const float* z, float* out) {
      int i = threadIdx.x; float r = 0;
      ${floats.map(([text], at) => `asm("${text}" : "=f"(r) : "f"(x[i]), "f"(y[i]), "f"(z[i])); out[${at} * ${n} + i] = r;`).join("\n")}
    }`);
    const draw = () => Math.fround((uniform() - 0.5) * 2 ** below(6) + 2 ** -20);
    const [a, b, c] = [draw, draw, draw].map((of) => Float32Array.from({ length: n }, of)) as [
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    const out = zeros([floats.length, n], { device });
    k.launch({ grid: 1, block: n }, ...[a, b, c].map((values) => tensor(values, { device })), out);
    const got = out.toArray() as number[][];
    const wrong = floats.flatMap(([text, of, bound], at) =>
      Array.from(a, (value, i) => {
        const exact = of(value, b[i]!, c[i]!);
        // Rounded once: float64 rounds sums of products first, so half an ulp and a little.
        const allowed = Math.abs(exact) * Math.max(bound, 2 ** -24 * 1.0001) + 2 ** -149;
        return Math.abs(got[at]![i]! - exact) <= allowed
          ? []
          : [{ text, a: value, b: b[i], c: c[i], got: got[at]![i], exact }];
      }).flat(),
    );
    expect(wrong.slice(0, 5)).toEqual([]);
  });

  test("special registers", async () => {
    const k = await kernel(`__global__ void k(unsigned* out) {
      unsigned r; int t = threadIdx.x + blockDim.x * threadIdx.y; out += 12 * t;
      asm("mov.u32 %0, %%laneid;" : "=r"(r)); out[0] = r; asm("mov.u32 %0, %%warpid;" : "=r"(r)); out[1] = r;
      asm("mov.u32 %0, %%tid.y;" : "=r"(r)); out[2] = r; asm("mov.u32 %0, %%ntid.x;" : "=r"(r)); out[3] = r; asm("mov.u32 %0, %%nctaid.x;" : "=r"(r)); out[4] = r;
      asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r)); out[5] = r; asm("mov.u32 %0, %%lanemask_ge;" : "=r"(r)); out[6] = r; asm("mov.u32 %0, %%lanemask_eq;" : "=r"(r)); out[7] = r;
      unsigned c, d; asm volatile("mov.u32 %0, %%clock;" : "=r"(c) :: "memory"); unsigned long long g; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g)); out[8] = g > 1000000000ull;
      asm volatile("mov.u32 %0, %%smid;" : "=r"(d)); out[9] = d < 1024; asm volatile("activemask.b32 %0;" : "=r"(r)); out[10] = r; (void)c;
    }`);
    const out = zeros([64, 12], { dtype: "uint32", device });
    k.launch({ grid: 1, block: [16, 4] }, out);
    // A GPU's warps have their numbers on the multiprocessor, in no order.
    const isOrdered = device === "cpu";
    expect((out.toArray() as number[][]).map((row) => (isOrdered ? row : row.with(1, 0)))).toEqual(
      Array.from({ length: 64 }, (_, t) => {
        const lane = t % 32,
          equal = 2 ** lane;
        return [lane, isOrdered ? t >> 5 : 0, t >> 4, 16, 1, equal - 1, 2 ** 32 - equal, equal, 1, 1, 0xffffffff, 0];
      }),
    );
  });

  test("lanes exchange: shfl.sync with its predicate, vote, match, redux", async () => {
    const k = await kernel(`__global__ void k(const int* in, int* out) {
      int v = in[threadIdx.x], r, p; out += 14 * threadIdx.x;
      asm volatile("{ .reg .pred q; shfl.sync.down.b32 %0|q, %2, 3, 0x1f, 0xffffffff; selp.s32 %1, 1, 0, q; }" : "=r"(r), "=r"(p) : "r"(v)); out[0] = r; out[1] = p;
      asm volatile("{ .reg .pred q; shfl.sync.up.b32 %0|q, %2, 2, 0x1800, 0xffffffff; selp.s32 %1, 1, 0, q; }" : "=r"(r), "=r"(p) : "r"(v)); out[2] = r; out[3] = p;
      asm volatile("shfl.sync.bfly.b32 %0, %1, 5, 0x1f, 0xffffffff;" : "=r"(r) : "r"(v)); out[4] = r;
      asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x101f, -1;" : "=r"(r) : "r"(v), "r"(threadIdx.x + 5)); out[5] = r;
      asm volatile("{ .reg .pred q; setp.gt.s32 q, %1, 50; vote.sync.ballot.b32 %0, q, 0xffffffff; }" : "=r"(r) : "r"(v)); out[6] = r;
      asm volatile("{ .reg .pred q, a; setp.gt.s32 q, %1, -1; vote.sync.all.pred a, q, 0xffffffff; selp.s32 %0, 7, 8, a; }" : "=r"(r) : "r"(v)); out[7] = r;
      asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(v % 4)); out[8] = r;
#if __CUDA_ARCH__ >= 800
      asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(v)); out[9] = r;
#endif
      asm volatile("bar.sync 0;" ::: "memory"); asm volatile("bar.warp.sync 0xffffffff; membar.gl; fence.acq_rel.gpu;" ::: "memory");
    }`);
    const x = Array.from({ length: 32 }, () => below(100)),
      out = zeros([32, 14], { dtype: "int32", device });
    k.launch({ grid: 1, block: 32 }, tensor(Int32Array.from(x), { device }), out);
    const mask = (holds: (value: number) => boolean) =>
      x.reduce((all, value, i) => all | (holds(value) ? 1 << i : 0), 0);
    expect(out.toArray()).toEqual(
      x.map((v, t) => [
        ...[x[t + 3] ?? v, Number(t + 3 < 32), t % 8 >= 2 ? x[t - 2] : v, Number(t % 8 >= 2), x[t ^ 5]],
        ...[x[(t & 16) | ((t + 5) & 15)], mask((value) => value > 50), 7, mask((value) => value % 4 === v % 4)],
        ...[x.reduce((a, b) => a + b), 0, 0, 0, 0],
      ]),
    );
  });

  test("loads and stores with hints, vectors, shared memory by its own addresses, cp.async, atomics", async () => {
    const k = await kernel(`__global__ void k(const int* in, int* out, int* sum) {
      __shared__ int stage[128]; extern __shared__ int more[];
      int t = threadIdx.x, r, s; long long w;
      asm("ld.global.nc.u32 %0, [%1];" : "=r"(r) : "l"(in + t)); out[t] = r;
      asm volatile("ld.global.cg.v2.u32 {%0, %1}, [%2+8];" : "=r"(r), "=r"(s) : "l"(in + 4 * (t / 4))); out[32 + t] = r + s;
      asm volatile("st.global.cs.u32 [%0+256], %1;" :: "l"(out + t), "r"(in[t] * 2) : "memory");
      unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(&stage[t * 4])), dynamic = (unsigned)__cvta_generic_to_shared(more + t);
#if __CUDA_ARCH__ >= 800
      asm volatile("cp.async.ca.shared.global [%0], [%1], 16;\\n" :: "r"(place), "l"(in + 4 * t) : "memory");
      asm volatile("cp.async.commit_group;"); asm volatile("cp.async.wait_group %0;" :: "n"(0)); asm volatile("cp.async.wait_all;");
#endif
      asm volatile("st.shared.u32 [%0], %1;" :: "r"(dynamic), "r"(in[t] + 1) : "memory");
      __syncthreads();
      out[96 + t] = stage[127 - t];
      asm volatile("ld.shared.u32 %0, [%1];" : "=r"(r) : "r"((unsigned)__cvta_generic_to_shared(more) + 4 * (31 - t))); out[128 + t] = r;
      asm volatile("{ .reg .u64 a; cvta.to.shared.u64 a, %1; ld.shared.u32 %0, [a+4]; }" : "=r"(r) : "l"(stage)); out[160 + t] = r;
      asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(r) : "l"(sum), "r"(in[t])); asm volatile("red.global.max.s32 [%0+4], %1;" :: "l"(sum), "r"(in[t]) : "memory");
      asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(s) : "l"(in + t)); asm volatile("ld.global.s32 %0, [%1];" : "=l"(w) : "l"(in + t)); out[192 + t] = s + (int)w;
    }`);
    const x = Array.from({ length: 128 }, () => below(1000)),
      out = zeros([224], { dtype: "int32", device }),
      sum = zeros([2], { dtype: "int32", device });
    k.launch({ grid: 1, block: 32, shared: 128 }, tensor(Int32Array.from(x), { device }), out, sum);
    const each = (of: (t: number) => number) => Array.from({ length: 32 }, (_, t) => of(t));
    expect(out.toArray()).toEqual(
      [
        each((t) => x[t]!),
        each((t) => x[(t & ~3) + 2]! + x[(t & ~3) + 3]!),
        each((t) => 2 * x[t]!),
        each((t) => x[127 - t]!),
        each((t) => x[31 - t]! + 1),
        each(() => x[1]!),
        each((t) => 2 * x[t]!),
      ].flat(),
    );
    expect(sum.toArray()).toEqual([x.slice(0, 32).reduce((a, b) => a + b), Math.max(...x.slice(0, 32))]);
  });
});

test.each(targets.filter(({ device }) => device === "cpu"))("what there is no C++ for is named ($compiler)", async ({
  compiler,
}) => {
  use(compiler);
  for (const [text, name] of [
    [
      'asm("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %0, %0, %0}, [%0];" : "=r"(r));',
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
    ],
    ['asm volatile("wgmma.fence.sync.aligned;");', "wgmma.fence.sync.aligned"],
    ['asm("L: bra L;");', "L:"],
    ['asm("{ mov.u32 %0, 1;" : "=r"(r));', "a brace without its partner"],
    ['asm("redux.sync %0, %0;" : "=r"(r));', "redux.sync"],
    ["asm(TEXT);", "text that is not written out"],
  ] as const)
    await expect(
      compile(`#define TEXT "exit;"\n__global__ void k(int* x) { int r = 0;\n${text} x[0] = r; }`, { device: "cpu" }),
    ).rejects.toThrow(
      `inline PTX needs a GPU for ${name} (or: put it inside #if !defined(WARPCELL_CPU), and C++ into #else)`,
    );
});
