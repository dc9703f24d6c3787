// Conversions (`convert`, `.to(dtype)`) between all dtypes, and the dtype of what operands of several dtypes give.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { dtypes, tensor, type DType, type Tensor } from "../../native/lib/index.ts";
import { dtypeNames, factsOf } from "../../native/lib/memory/dtype.ts";
import { devices } from "./devices.ts";
import { poison, rounded } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const runSeed = freshSeed();
/** Complex numbers are converted by complex.test.ts. */
const realNames = dtypeNames.filter((dtype) => factsOf(dtype).kind !== "complex");
const isFloat = (dtype: DType) => factsOf(dtype).kind === "float";

/**
 * What `value`, an element of some dtype, becomes: rounded once to nearest even; truncated and kept in range; or
 * wrapped around.
 */
function convertedTo(value: number | bigint, dtype: DType): number | bigint | boolean {
  const { kind, bytes, range } = factsOf(dtype);
  if (kind === "bool") return Number(value) !== 0;
  if (kind === "float") return rounded(Number(value), dtype);
  const [low, high] = range!.map(BigInt) as [bigint, bigint];
  const show = (integer: bigint) => (bytes === 8 ? integer : Number(integer));
  if (typeof value === "bigint")
    return show(low < 0n ? BigInt.asIntN(8 * bytes, value) : BigInt.asUintN(8 * bytes, value));
  if (Number.isNaN(value)) return show(0n);
  const whole = Math.abs(value) === Infinity ? (value > 0 ? high : low) : BigInt(Math.trunc(value));
  return show(whole > high ? high : whole < low ? low : whole);
}

/** Numbers that a dtype holds: zeros, limits, what lies about the limits of others, and random ones. */
function elements(dtype: DType): (number | bigint | boolean)[] {
  const random = seeded(runSeed);
  const { kind, range } = factsOf(dtype);
  if (kind === "bool") return [true, false, true];
  if (kind === "int") {
    const [low, high] = range!.map(BigInt) as [bigint, bigint];
    const some = [
      low,
      high,
      0n,
      1n,
      -1n,
      127n,
      128n,
      255n,
      256n,
      32767n,
      65535n,
      65536n,
      2n ** 31n - 1n,
      2n ** 31n,
      2n ** 32n,
      -129n,
      16777217n,
      2049n,
      257n,
    ];
    const others = Array.from(
      { length: 1000 },
      () =>
        low +
        (((BigInt(Math.floor(random() * 2 ** 32)) << 32n) | BigInt(Math.floor(random() * 2 ** 32))) %
          (high - low + 1n)),
    );
    return [...some, ...others].filter((value) => value >= low && value <= high);
  }
  const some = [
    0,
    -0,
    NaN,
    Infinity,
    -Infinity,
    0.5,
    -0.5,
    1.5,
    2.5,
    127.9,
    128,
    -128.9,
    255,
    256,
    65504,
    65520,
    448,
    464,
    465,
    57344,
    61440,
    2 ** -6,
    2 ** -9,
    2 ** -10,
    3 * 2 ** -11,
    2 ** -14,
    2 ** -24,
    2 ** -25,
    2 ** -16,
    2 ** 31,
    2 ** 63,
    2 ** 64,
    -(2 ** 63),
    1e30,
    3.4e38,
  ];
  return [...some, ...Array.from({ length: 1000 }, () => (random() - 0.5) * 2 ** Math.floor(random() * 40 - 20))].map(
    (value) => rounded(value, dtype),
  );
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const make = (values: readonly unknown[], dtype: DType) => tensor(values as number[], { dtype, device });

  test.each(realNames)("convert: %s to every real dtype", (from) => {
    const values = elements(from);
    const x = make(values, from);
    for (const to of realNames) {
      poison(device, values.length);
      // A float that only stores is widened exactly; integers that a double does not hold are compared as they are.
      const wanted = values.map((value) =>
        convertedTo(typeof value === "boolean" ? BigInt(value) : isFloat(from) ? Number(value) : BigInt(value), to),
      );
      const got = x.to(to).toArray() as (number | bigint | boolean)[];
      const wrong = wanted.flatMap((want, index) =>
        Object.is(got[index], want) || (to === from && Object.is(got[index], values[index]))
          ? []
          : [{ to, value: values[index], want, got: got[index] }],
      );
      expect(wrong.slice(0, 4)).toEqual([]);
    }
  });

  test.each(["float8_e4m3", "float8_e5m2"] as const)("every code of %s there and back", (dtype) => {
    const codes = Uint8Array.from({ length: 256 }, (_, code) => code);
    const x = tensor(codes, { dtype, device });
    const values = [...codes].map((code) => dtypes[dtype].decode(code));
    expect(x.to("float32").toArray()).toEqual(values);
    const back = x.to("float32").to(dtype).data();
    expect([...back].filter((code, index) => code !== index && !Number.isNaN(values[index]))).toEqual([]);
    // Between two neighbours the nearer one, halfway the even one.
    const finite = [...codes]
      .filter((code) => code < 128 && Number.isFinite(values[code]))
      .map((code) => [code, values[code]!] as const);
    for (const [at, [code, value]] of finite.slice(0, -1).entries()) {
      const [next, above] = finite[at + 1]!;
      const middle = (value + above) / 2;
      const step = (above - value) / 8;
      const codesOf = [
        ...make([middle - step, middle, middle + step], "float32")
          .to(dtype)
          .data(),
      ];
      expect(codesOf).toEqual([code, code % 2 === 0 ? code : next, next]);
    }
  });

  // Rows and columns of one table: the smallest dtype that holds both, floats staying what they are beside integers.
  test.each<[DType, DType, DType]>([
    ["int8", "uint8", "int16"],
    ["int8", "int32", "int32"],
    ["uint8", "int16", "int16"],
    ["uint16", "int16", "int32"],
    ["uint32", "int8", "int64"],
    ["uint8", "uint32", "uint32"],
    ["uint64", "uint8", "uint64"],
    ["int64", "float16", "float16"],
    ["uint64", "bfloat16", "bfloat16"],
    ["float16", "bfloat16", "float32"],
    ["float16", "float32", "float32"],
    ["bfloat16", "float64", "float64"],
    ["bool", "int8", "int8"],
    ["bool", "float16", "float16"],
  ])("%s and %s give %s, in either order", (a, b, wanted) => {
    const [x, y] = [make([1, 1, 0], a), make([1, 0, 0], b)];
    expect([x.add(y).dtype, y.add(x).dtype]).toEqual([wanted, wanted]);
    expect(x.add(y).to("float64").toArray()).toEqual([2, 1, 0]);
  });

  test.each<[DType, number | bigint | boolean, DType]>([
    ["float16", 2, "float16"],
    ["bfloat16", 0.1, "bfloat16"],
    ["int8", 3, "int8"],
    ["uint8", 3n, "uint8"],
    ["int32", 0.5, "float32"],
    ["uint64", 1, "uint64"],
    ["int16", true, "int16"],
    ["float64", 0.1, "float64"],
  ])("%s with the number %s stays weak: %s", (dtype, number, wanted) => {
    const sum = make([1, 2], dtype).add(number);
    expect(sum.dtype).toBe(wanted);
    expect(sum.to("float64").toArray()).toEqual(
      [1, 2]
        .map((value) => rounded(value + rounded(Number(number), "float32"), wanted === "float64" ? "float64" : wanted))
        .map((value, index) =>
          wanted === "float64" ? index + 1 + Number(number) : isFloat(wanted) ? value : index + 1 + Number(number),
        ),
    );
  });

  test("uint64 compares above 2^63, and with numbers", () => {
    const x = tensor([0n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n], { dtype: "uint64", device });
    expect(x.gt(2n ** 63n - 1n).toArray()).toEqual([false, false, true, true]);
    expect(x.eq(2n ** 64n - 1n).toArray()).toEqual([false, false, false, true]);
    const y: Tensor = tensor([2n ** 64n - 1n, 2n ** 63n, 2n ** 63n, 0n], { dtype: "uint64", device });
    expect(x.lt(y).toArray()).toEqual([true, true, false, false]);
    expect([x.max().toArray(), x.min().toArray()]).toEqual([2n ** 64n - 1n, 0n]);
  });
});
