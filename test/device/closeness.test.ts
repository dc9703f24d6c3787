// Whether tensors are equal or nearly, on every device against float64; and what is known of dtypes by themselves.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  allclose,
  arrayEqual,
  canCast,
  dtypes,
  finfo,
  full,
  iinfo,
  isclose,
  isdtype,
  resultType,
  tensor,
  zeros,
  type DType,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { rounded, roundoff } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { floats, numbersOf, sampler } from "./samples.ts";

const random = seeded(freshSeed());

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const sample = sampler(random, device);
  const make = (values: unknown, dtype: DType = "float32"): Tensor => tensor(values as number[], { dtype, device });

  test.each(floats)("close elements of %s", (dtype) => {
    const [a, b] = [sample([500], dtype), sample([500], dtype)];
    // Half of them near.
    const near = b.values.map((value, k) =>
      k % 2 === 0 ? value : rounded(a.values[k]! * (1 + 0.02 * (random() - 0.5)), dtype),
    );
    const [rtol, atol] = [0.005, 0.002];
    const got = numbersOf(isclose(a.x, make(near, dtype), { rtol, atol }));
    const margins = a.values.map((value, k) => Math.abs(value - near[k]!) - (atol + rtol * Math.abs(near[k]!)));
    margins.forEach((margin, k) => {
      // Sums of 4 numbers up to 4, in float32 or float64.
      if (Math.abs(margin) > 32 * (dtype === "float64" ? 2 ** -53 : 2 ** -24)) expect(got[k]).toBe(Number(margin <= 0));
    });
    const next = make([1 + 2 * roundoff[dtype]!], dtype);
    expect(isclose(make([1], dtype), next, { rtol: 0, atol: 0 }).item()).toBe(false);
    expect(allclose(make([1], dtype), next, { rtol: 0, atol: 3 * roundoff[dtype]! })).toBe(true);
    // Tolerances that float16 does not hold.
    expect(isclose(make([0], dtype), make([2 ** -14], dtype)).item()).toBe(false);
  });

  test("infinities, NaN, numbers, shapes that broadcast", () => {
    const x = make([Infinity, -Infinity, NaN, Infinity, 1]);
    const y = make([Infinity, Infinity, NaN, 1, Infinity]);
    expect(isclose(x, y, { rtol: 1 }).toArray()).toEqual([true, false, false, false, false]);
    expect(isclose(x, y, { equalNan: true }).toArray()).toEqual([true, false, true, false, false]);
    expect(
      make([[1], [2]])
        .isclose(make([1, 2]))
        .toArray(),
    ).toEqual([
      [true, false],
      [false, true],
    ]);
    expect(make([3, 3]).allclose(3)).toBe(true);
    expect(zeros([0], { device }).allclose(1)).toBe(true);
    expect(make([1, 2, NaN]).allclose(make([1, 2, NaN]))).toBe(false);
    expect(make([1, 2, NaN]).allclose(make([1, 2, NaN]), { equalNan: true })).toBe(true);
  });

  test("integers, bool and dtypes together, exactly", () => {
    const big = 2n ** 62n;
    const exactly = { rtol: 0, atol: 0.5 };
    expect(
      make([big, -big, -(2n ** 63n)], "int64")
        .isclose(make([big + 1n, -big, 2n ** 63n - 1n], "int64"), exactly)
        .toArray(),
    ).toEqual([false, true, false]);
    expect(
      make([2n ** 64n - 1n, 5n], "uint64")
        .isclose(make([2n ** 64n - 2n, 5n], "uint64"), exactly)
        .toArray(),
    ).toEqual([false, true]);
    expect(
      make([127, -128], "int8")
        .isclose(make([-128, -128], "int8"), { atol: 254 })
        .toArray(),
    ).toEqual([false, true]);
    expect(
      make([127, -128], "int8")
        .isclose(make([-128, 127], "int8"), { atol: 255, rtol: 0 })
        .toArray(),
    ).toEqual([true, true]);
    expect(
      make([true, false], "bool")
        .isclose(make([true, true], "bool"))
        .toArray(),
    ).toEqual([true, false]);
    expect(
      make([1, 2], "int32")
        .isclose(make([1.000001, 2.5]))
        .toArray(),
    ).toEqual([true, false]);
  });

  test.each([...floats, "int64", "uint8", "bool"] as const)("equal tensors of %s", (dtype) => {
    const x = sample([3, 4], dtype);
    expect(arrayEqual(x.x, x.x.clone())).toBe(true);
    expect(arrayEqual(x.x, x.x.T)).toBe(false);
    expect(arrayEqual(x.x.T.T, x.x)).toBe(true);
    const other = x.x.clone();
    other.set([1, 2], x.values[6] === 0 ? 1 : 0);
    expect(arrayEqual(x.x, other)).toBe(false);
    expect(arrayEqual(zeros([0], { dtype, device }), zeros([0], { dtype, device }))).toBe(true);
    expect(arrayEqual(zeros([0, 2], { dtype, device }), zeros([0], { dtype, device }))).toBe(false);
  });

  test("equal tensors with NaN", () => {
    expect(make([NaN]).arrayEqual(make([NaN]))).toBe(false);
    expect(make([NaN, 1]).arrayEqual(make([NaN, 1]), { equalNan: true })).toBe(true);
  });

  // What a dtype's limits are is what its arithmetic does.
  test.each(floats)("limits of %s", (dtype) => {
    const { eps, max, min, smallestNormal, bits } = finfo(dtype);
    expect(rounded(1 + eps, dtype)).toBe(1 + eps);
    expect(rounded(1 + eps / 4, dtype)).toBe(1);
    expect(rounded(max, dtype)).toBe(max);
    expect(
      full([1], max, { dtype, device })
        .mul(1 + 2 * eps)
        .item(),
    ).toBe(Infinity);
    expect(min).toBe(-max);
    expect(rounded(smallestNormal * (1 + eps), dtype)).toBe(smallestNormal * (1 + eps));
    expect(bits).toBe(8 * dtypes[dtype].bytes);
    expect(finfo(zeros([1], { dtype, device }))).toEqual(finfo(dtype));
  });

  test("a tensor stands for its dtype", () => {
    expect(iinfo(make([1], "int8"))).toEqual({ dtype: "int8", bits: 8, max: 127, min: -128 });
    expect(resultType(make([1], "int32"), "float16", 2.5)).toBe("float16");
    expect(canCast(make([1], "int8"), "int32")).toBe(true);
  });

  test.each<[string, () => unknown, string]>([
    [
      "a tolerance that is none",
      () => isclose(make([1]), 1, { rtol: "a" as never }),
      'isclose takes a number as rtol but got "a".',
    ],
    [
      "another spelling",
      () => allclose(make([1]), 1, { equal_nan: true } as never),
      "allclose has no option equal_nan. Write equalNan.",
    ],
    [
      "nothing to compare with",
      () => (make([1]) as unknown as { allclose(): void }).allclose(),
      "allclose takes a tensor or a number as other but got nothing.",
    ],
    ["a list", () => arrayEqual(make([1]), [1] as never), "arrayEqual takes a tensor as other but got [1]."],
    ["limits of integers as floats", () => finfo("int8"), "finfo takes a dtype of floats but got int8: see iinfo."],
    [
      "limits of floats as integers",
      () => iinfo("float32"),
      "iinfo takes a dtype of integers but got float32: see finfo.",
    ],
    ["limits of bool", () => iinfo("bool"), "iinfo takes a dtype of integers but got bool."],
    ["what is no dtype", () => canCast("float" as never, "int8"), 'or a tensor as from but got "float".'],
    ["nothing at all", () => resultType(1, 2), "resultType takes at least one tensor or dtype but got none."],
    [
      "a name that is none",
      () => resultType("int3" as never),
      'resultType takes tensors, dtypes and numbers but got "int3".',
    ],
    ["a kind that is none", () => isdtype("int8", "whole" as never), 'but got "whole".'],
    ["a dtype that is none", () => isdtype("float" as never, "integral"), 'but got "float".'],
  ])("a sentence for %s", (_, act, sentence) => {
    expect(act).toThrow(sentence);
  });
});

test("what becomes what", () => {
  expect(iinfo("uint64")).toEqual({ dtype: "uint64", bits: 64, max: 2n ** 64n - 1n, min: 0n });
  expect(finfo("float8_e4m3").max).toBe(448);
  expect(finfo("float8_e5m2").max).toBe(57344);
  const cases: readonly [DType, DType, boolean][] = [
    ["int8", "int16", true],
    ["int16", "int8", false],
    ["uint8", "int8", false],
    ["uint8", "int16", true],
    ["int8", "uint64", false],
    ["uint64", "int64", false],
    ["bool", "uint8", true],
    ["float32", "float64", true],
    ["float64", "float32", false],
    ["float16", "bfloat16", false],
    ["int32", "float32", true],
    ["float32", "int64", false],
    ["float8_e4m3", "float32", false],
    ["float8_e4m3", "float8_e4m3", true],
  ];
  for (const [from, to, wanted] of cases) expect(canCast(from, to), `${from} to ${to}`).toBe(wanted);
  expect(resultType("int8", "uint8")).toBe("int16");
  expect(resultType("int32", 1.5)).toBe("float32");
  expect(resultType("bool", 3)).toBe("int64");
  expect(resultType("float16", "bfloat16")).toBe("float32");
  expect(() => resultType("int64", "uint64")).toThrow("No integer holds all of int64 and uint64");
});

test("kinds of dtypes", () => {
  const of = (kind: Parameters<typeof isdtype>[1]) =>
    (Object.keys(dtypes) as DType[]).filter((each) => isdtype(each, kind));
  expect(of("bool")).toEqual(["bool"]);
  expect(of("signed integer")).toEqual(["int8", "int16", "int32", "int64"]);
  expect(of("unsigned integer")).toEqual(["uint8", "uint16", "uint32", "uint64"]);
  expect(of("integral")).toEqual(["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]);
  expect(of("real floating")).toEqual(["float32", "float64", "float16", "bfloat16", "float8_e4m3", "float8_e5m2"]);
  expect(of("complex floating")).toEqual(["complex64", "complex128"]);
  expect(of("numeric")).toHaveLength(16);
  expect(of(["bool", "float64"])).toEqual(["float64", "bool"]);
  expect(isdtype("int8", "int8")).toBe(true);
});
