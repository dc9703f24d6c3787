// CUDA's named conversions of floats to integers: each rounds as its name says, saturates beyond the type, and makes of
// a NaN what PTX says (ISA 9.0, "cvt"): 0, or the top bit alone where one of both types has 64 bits.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { compile, tensor, zeros, type DType, type Kernel } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { rounded } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());

const roundings: Record<string, (x: number) => number> = {
  rn: (x) => (Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x)),
  rz: Math.trunc,
  rd: Math.floor,
  ru: Math.ceil,
};
interface Target {
  readonly type: string;
  readonly bits: number;
  readonly isSigned: boolean;
}
const wide: Record<string, Target> = {
  int: { type: "int", bits: 32, isSigned: true },
  uint: { type: "unsigned", bits: 32, isSigned: false },
  ll: { type: "long long", bits: 64, isSigned: true },
  ull: { type: "unsigned long long", bits: 64, isSigned: false },
};
const narrow: Record<string, Target> = {
  short: { type: "short", bits: 16, isSigned: true },
  ushort: { type: "unsigned short", bits: 16, isSigned: false },
};
const bytes: Record<string, Target> = {
  char: { type: "signed char", bits: 8, isSigned: true },
  uchar: { type: "unsigned char", bits: 8, isSigned: false },
};
const sources: { name: string; type: string; dtype: DType }[] = [
  { name: "float", type: "float", dtype: "float32" },
  { name: "double", type: "double", dtype: "float64" },
  { name: "half", type: "__half", dtype: "float16" },
  { name: "bfloat16", type: "__nv_bfloat16", dtype: "bfloat16" },
];

function expected(x: number, { bits, isSigned }: Target, dtype: DType, rounding: string): bigint {
  const top = 1n << BigInt(bits - 1);
  const [least, most] = isSigned ? [-top, top - 1n] : [0n, 2n * top - 1n];
  if (Number.isNaN(x)) return bits === 64 || dtype === "float64" ? (isSigned ? -top : top) : 0n;
  if (!Number.isFinite(x)) return x < 0 ? least : most;
  const whole = BigInt(roundings[rounding]!(x));
  return whole < least ? least : whole > most ? most : whole;
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  test.each(sources)("from $name", async ({ name, type, dtype }) => {
    const isNarrow = dtype === "float16" || dtype === "bfloat16";
    const calls = Object.keys(roundings).flatMap((rounding) =>
      Object.entries({ ...wide, ...(isNarrow ? narrow : {}), ...(isNarrow && rounding === "rz" ? bytes : {}) }).map(
        ([to, target]) => ({ call: `__${name}2${to}_${rounding}`, target, rounding }),
      ),
    );
    const source = `#include <cuda_fp16.h>
      #include <cuda_bf16.h>
      ${calls
        .map(
          ({ call, target }, at) => `__global__ void cast${at}(const ${type}* in, long long* out, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            ${target.type} made = 0;
            if (i < n) { made = ${call}(in[i]); out[i] = (long long)made; }
          }`,
        )
        .join("\n")}`;
    const { kernels } = await compile(source, { device });
    const edges = [7, 8, 15, 16, 31, 32, 53, 63, 64, 100].flatMap((bits) =>
      [-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1].flatMap((by) => [2 ** bits + by, -(2 ** bits) + by]),
    );
    const plain = [0, -0, 0.5, -0.5, 1.5, -1.5, 2.5, 0.49999997, 1e-40, NaN, -NaN, Infinity, -Infinity];
    const draws = Array.from({ length: 400 }, () => (random() - 0.5) * 2 ** Math.floor(random() * 70));
    const values = [...plain, ...edges, ...draws].map((value) => rounded(value, dtype));
    const input = tensor(values, { dtype, device });
    for (const [at, { call, target, rounding }] of calls.entries()) {
      const out = zeros([values.length], { dtype: "int64", device });
      (kernels[`cast${at}`] as Kernel).launch(
        { grid: Math.ceil(values.length / 128), block: 128 },
        input,
        out,
        values.length,
      );
      const found = out.toArray() as bigint[];
      const wrong = values.flatMap((value, index) => {
        const wanted = BigInt.asIntN(64, expected(value, target, dtype, rounding));
        return found[index] === wanted ? [] : [`${call}(${value}) is ${found[index]}, not ${wanted}`];
      });
      expect(wrong).toEqual([]);
    }
  });
});
