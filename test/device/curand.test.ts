// curand_kernel.h in cells on every device: the words of XORWOW, Philox and MRG32k3a against the published algorithms in
// BigInts, on a GPU so NVIDIA's against them too; what is drawn from the words.
import "./cache.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { full, tensor, zeros } from "../../native/lib/index.ts";
import { targets, use } from "./cpu-cell.ts";
import { below, bits } from "./random-integers.ts";
import { kernelOf } from "./toolkit.ts";

const u32 = (x: bigint): bigint => BigInt.asUintN(32, x);

/** A generator's words from a seed, a subsequence and an offset on. */
type Words = (seed: bigint, subsequence: bigint, offset: bigint, count: number) => number[];

// XORWOW: five words as one number of 160 bits, the first of them lowest.
const step = (state: bigint): bigint => {
  const word = (i: number) => u32(state >> BigInt(32 * i));
  const t = word(0) ^ (word(0) >> 2n);
  const next = u32(word(4) ^ (word(4) << 4n) ^ t ^ (t << 1n));
  return (state >> 32n) | (next << 128n);
};
/** A linear map of 160 bits as the images of each. */
type Linear = bigint[];
const applied = (map: Linear, state: bigint): bigint => {
  let result = 0n;
  for (let i = 0; i < 160; i++) if ((state >> BigInt(i)) & 1n) result ^= map[i]!;
  return result;
};
const steps: Linear[] = [Array.from({ length: 160 }, (_, i) => step(1n << BigInt(i)))];
/** 2^k steps. */
const power = (k: number): Linear => {
  while (steps.length <= k) {
    const last = steps.at(-1)!;
    steps.push(last.map((image) => applied(last, image)));
  }
  return steps[k]!;
};
const xorwow: Words = (from, subsequence, offset, count) => {
  const t0 = u32(1099087573n * u32(from ^ 0xaad26b49n)),
    t1 = u32(2591861531n * u32((from >> 32n) ^ 0xf7dcefddn));
  const words = [123456789n + t0, 362436069n ^ t0, 521288629n + t1, 88675123n ^ t1, 5783321n + t0];
  let state = words.reduce((all, word, i) => all | (u32(word) << BigInt(32 * i)), 0n);
  for (const [times, first] of [
    [subsequence, 67],
    [offset, 0],
  ] as const)
    for (let k = 0; times >> BigInt(k) > 0n; k++)
      if ((times >> BigInt(k)) & 1n) state = applied(power(first + k), state);
  let d = 6615241n + t0 + t1 + 362437n * offset;
  return Array.from({ length: count }, () => {
    state = step(state);
    d += 362437n;
    return Number(u32((state >> 128n) + d));
  });
};

const philox: Words = (from, subsequence, offset, count) =>
  Array.from({ length: count }, (_, i) => {
    const at = offset + BigInt(i),
      counter = (subsequence << 64n) + at / 4n;
    let x = [0n, 32n, 64n, 96n].map((shift) => u32(counter >> shift));
    let key = [u32(from), u32(from >> 32n)];
    for (let round = 0; round < 10; round++) {
      const a = 0xd2511f53n * x[0]!,
        b = 0xcd9e8d57n * x[2]!;
      x = [(b >> 32n) ^ x[1]! ^ key[0]!, u32(b), (a >> 32n) ^ x[3]! ^ key[1]!, u32(a)];
      key = [u32(key[0]! + 0x9e3779b9n), u32(key[1]! + 0xbb67ae85n)];
    }
    return Number(x[Number(at % 4n)]);
  });

const m1 = 4294967087n,
  m2 = 4294944443n;
type Matrix = bigint[][];
const product = (a: Matrix, b: Matrix, m: bigint): Matrix =>
  a.map((row) => b[0]!.map((_, j) => row.reduce((sum, value, k) => (sum + value * b[k]![j]!) % m, 0n)));
const jumped = (matrix: Matrix, exponent: bigint, m: bigint, state: bigint[]): bigint[] => {
  let result = state.map((value) => [value]);
  for (let left = exponent, square = matrix; left > 0n; left >>= 1n, square = product(square, square, m))
    if (left & 1n) result = product(square, result, m);
  return result.map(([value]) => value!);
};
/** From 1 to m1, before it is scaled. */
const mrg = (from: bigint, subsequence: bigint, offset: bigint, count: number): number[] => {
  const low = u32(from) ^ 0x55555555n,
    high = u32(from >> 32n) ^ 0xaaaaaaaan;
  const scale = (factors: bigint[], m: bigint) => factors.map((factor) => ((from === 0n ? 1n : factor) * 12345n) % m);
  const distance = (subsequence << 76n) + offset;
  let a = jumped(
    [
      [0n, 1n, 0n],
      [0n, 0n, 1n],
      [m1 - 810728n, 1403580n, 0n],
    ],
    distance,
    m1,
    scale([low, high, low], m1),
  );
  let b = jumped(
    [
      [0n, 1n, 0n],
      [0n, 0n, 1n],
      [m2 - 1370589n, 0n, 527612n],
    ],
    distance,
    m2,
    scale([high, low, high], m2),
  );
  return Array.from({ length: count }, () => {
    const p = (1403580n * a[1]! + (m1 - 810728n) * a[0]!) % m1,
      q = (527612n * b[2]! + (m2 - 1370589n) * b[0]!) % m2;
    a = [a[1]!, a[2]!, p];
    b = [b[1]!, b[2]!, q];
    return Number(p <= q ? p - q + m1 : p - q);
  });
};

const generators: [string, Words][] = [
  ["curandStateXORWOW_t", xorwow],
  ["curandStatePhilox4_32_10_t", philox],
  ["curandStateMRG32k3a_t", (...args) => mrg(...args).map((value) => Math.trunc(value * 1.000000048662))],
];
const seeds = [0n, 1n, 1234n, (BigInt(bits()) << 32n) | BigInt(bits())];
const places: [bigint, bigint][] = [
  [0n, 0n],
  [0n, 1n],
  [1n, 0n],
  [5n, 3n],
  [BigInt(below(1 << 20)), BigInt(below(1 << 30))],
  [(1n << 40n) + BigInt(bits()), (1n << 45n) + BigInt(bits())],
];
const inputs = seeds.flatMap((from) => places.map(([subsequence, offset]) => [from, subsequence, offset] as const));

test("the references give the numbers that are published", () => {
  // Random123's known answers; L'Ecuyer's first numbers of the seed 12345.
  expect(philox(0n, 0n, 0n, 4)).toEqual([0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
  expect(mrg(0n, 0n, 0n, 5).map((value) => Number((value / (2 ** 32 - 208)).toFixed(6)))).toEqual([
    0.127011, 0.318528, 0.309186, 0.825847, 0.22163,
  ]);
  expect(xorwow(7n, 0n, 100n, 5)).toEqual(xorwow(7n, 0n, 0n, 105).slice(100));
});

describe.each(targets)("on $device with $compiler", ({ device, compiler }) => {
  beforeAll(() => use(compiler));

  test.each(generators)("%s: its words from any seed, subsequence and offset on", async (type, words) => {
    const k = await kernelOf(
      `#include <curand_kernel.h>
      __global__ void k(const unsigned long long* in, unsigned* out) {
        int i = threadIdx.x; in += 3 * i; out += 8 * i;
        ${type} state; curand_init(in[0], in[1], in[2], &state);
        for (int j = 0; j < 6; j++) out[j] = curand(&state);
        skipahead(1000003ull, &state); out[6] = curand(&state); out[7] = sizeof state;
      }`,
      device,
    );
    if (k === null) return;
    const out = full([inputs.length, 8], 7, { dtype: "uint32", device });
    k.launch({ grid: 1, block: inputs.length }, tensor(BigUint64Array.from(inputs.flat()), { device }), out);
    const bytes = type.includes("Philox") ? 64 : 48;
    expect(out.toArray()).toEqual(
      inputs.map(([from, subsequence, offset]) => [
        ...words(from, subsequence, offset, 6),
        ...words(from, subsequence, offset + 1000009n, 1),
        bytes,
      ]),
    );
  });

  test("uniform, normal and log-normal numbers are made of the words as cuRAND makes them", async () => {
    const k = await kernelOf(
      `#include <curand_kernel.h>
      template <class State> __device__ double* draw(State* s, double* out) {
        for (int i = 0; i < 3; i++) *out++ = curand_uniform(s);
        for (int i = 0; i < 2; i++) *out++ = curand_uniform_double(s);
        for (int i = 0; i < 3; i++) *out++ = curand_normal(s);
        float2 two = curand_normal2(s); *out++ = two.x; *out++ = two.y;
        for (int i = 0; i < 2; i++) *out++ = curand_normal_double(s);
        *out++ = curand_log_normal(s, 0.5f, 0.25f); *out++ = curand_log_normal(s, 0.5f, 0.25f);
        return out;
      }
      __global__ void k(double* out) {
        curandState a; curand_init(1234, threadIdx.x, 0, &a); curandStatePhilox4_32_10_t b; curand_init(1234, threadIdx.x, 0, &b); curandStateMRG32k3a_t c; curand_init(1234, threadIdx.x, 0, &c);
        out += threadIdx.x * 50; out = draw(&c, draw(&b, draw(&a, out)));
        curand_init(99, threadIdx.x, 1, &b); float4 u = curand_uniform4(&b), n = curand_normal4(&b);
        *out++ = u.x; *out++ = u.w; *out++ = n.x; *out++ = n.w;
        double2 d = curand_uniform2_double(&b); *out++ = d.x; *out++ = d.y;
      }`,
      device,
    );
    if (k === null) return;
    const out = zeros([64, 50], { dtype: "float64", device });
    k.launch({ grid: 1, block: 64 }, out);
    const uniform = (x: number) => x * 2 ** -32 + 2 ** -33;
    const precise = (x: number, y: number) => Number(BigInt(x) ^ (BigInt(y) << 21n)) * 2 ** -53 + 2 ** -54;
    const normals = (u: number, turns: number): [number, number] => {
      const size = Math.sqrt(-2 * Math.log(u));
      return [size * Math.sin(2 * Math.PI * turns), size * Math.cos(2 * Math.PI * turns)];
    };
    /** What draw() of the kernel draws: by the functions that make a float or a double of words. */
    const drawn = (one: () => number, two: () => number, double = two): number[] => {
      const pair = () => normals(one(), one());
      const [first, second, third] = [[one(), one(), one(), double(), double()], pair(), pair()];
      const whole = pair(),
        exact = normals(two(), two()),
        log = pair();
      return [...first, ...second, third[0], ...whole, ...exact, ...log.map((value) => Math.exp(0.5 + 0.25 * value))];
    };
    /** `isShort`: a uniform double is made of one word. */
    const of = (words: number[], isShort: boolean) => {
      let at = 0;
      const next = () => words[at++]!;
      const [one, two] = [
        () => uniform(next()),
        () => {
          const x = next();
          return precise(x, next());
        },
      ];
      return drawn(one, two, isShort ? one : two);
    };
    const rows = Array.from({ length: 64 }, (_, t) => {
      const sub = BigInt(t);
      const raw = mrg(1234n, sub, 0n, 64);
      let at = 0;
      const next = () => raw[at++]! * 2.3283065498378288e-10;
      const words = philox(99n, sub, 1n, 12);
      const last = normals(uniform(words[6]!), uniform(words[7]!))[1];
      return [
        ...of(xorwow(1234n, sub, 0n, 64), false),
        ...of(philox(1234n, sub, 0n, 64), true),
        ...drawn(next, next),
        ...[uniform(words[0]!), uniform(words[3]!), normals(uniform(words[4]!), uniform(words[5]!))[0], last],
        ...[precise(words[8]!, words[9]!), precise(words[10]!, words[11]!)],
      ];
    });
    const got = out.toArray() as number[][];
    // Floats: a few places of a logarithm near 1 and of a sine of up to 2π, where a GPU's fast one is off by 2^-21.
    const wrong = rows.flatMap((row, t) =>
      row.flatMap((value, i) => {
        const bound = 2 ** -20 * (1 + Math.abs(value)) + (i % 14 >= 5 ? 2 ** -18 : 0);
        return Math.abs(got[t]![i]! - value) <= bound ? [] : [{ thread: t, number: i, got: got[t]![i], wanted: value }];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test.each([3.5, 63, 400, 9000])("Poisson numbers of mean %d have that mean and variance", async (lambda) => {
    const k = await kernelOf(
      `#include <curand_kernel.h>
      __global__ void k(double lambda, int* out) {
        int i = blockIdx.x * blockDim.x + threadIdx.x; curandStatePhilox4_32_10_t s; curand_init(17, i, 0, &s);
        for (int j = 0; j < 16; j++) out[i * 16 + j] = curand_poisson(&s, lambda);
      }`,
      device,
    );
    if (k === null) return;
    const n = 4096 * 16,
      out = zeros([n], { dtype: "int32", device });
    k.launch({ grid: 16, block: 256 }, lambda, out);
    const x = out.toArray() as number[];
    const mean = x.reduce((a, b) => a + b, 0) / n;
    const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / n;
    // Six standard deviations of the mean, and of the variance (whose own variance is about 2 λ² / n + λ / n).
    expect(Math.abs(mean - lambda)).toBeLessThan(6 * Math.sqrt(lambda / n) + 0.5 * Number(lambda > 4000));
    expect(Math.abs(variance - lambda)).toBeLessThan(6 * Math.sqrt((2 * lambda ** 2 + lambda) / n) + 1 / 12);
  });
});
