// assertClose on every device: it agrees with float64 on which elements differ, and every sentence of it.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { assertClose, complex, tensor, TensorCheckError, zeros, type DType } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());

function said(run: () => void): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(TensorCheckError);
    return (error as TensorCheckError).message;
  }
  return "";
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const make = (values: unknown, dtype: DType = "float32") => tensor(values as number[], { dtype, device });

  test("finds the first element that differs, and the one that differs most", () => {
    for (let round = 0; round < 20; round++) {
      const [rows, columns] = [2 + Math.floor(random() * 40), 2 + Math.floor(random() * 40)];
      const expected = Float32Array.from({ length: rows * columns }, () => Math.fround(random() * 10 - 5));
      const actual = expected.slice();
      const places = new Set(
        Array.from({ length: 2 + Math.floor(random() * 9) }, () => (random() * actual.length) | 0),
      );
      for (const place of places) actual[place]! += 1 + random();
      const distances = [...actual].map((value, k) => Math.abs(value - expected[k]!));
      const most = distances.indexOf(Math.max(...distances));
      const named = (place: number) => `y[${Math.floor(place / columns)}, ${place % columns}]`;
      const shape = [rows, columns];
      const sentence = said(() =>
        assertClose(make(actual).reshape(shape), make(expected).reshape(shape), { name: "y" }),
      );
      const first = Math.min(...places);
      expect(sentence).toMatch(new RegExp(`^y\\[${named(first).slice(2, -1)}\\] must be `));
      if (places.size === 1) continue;
      expect(sentence).toContain(`${places.size} of ${rows * columns} elements differ, the most `);
      expect(sentence).toContain(`the most ${most === first ? "this one" : named(most)}`);
    }
  });

  test("in words", () => {
    const y = make([1, 2, 3]);
    expect(said(() => assertClose(y, [1, 4, 9], { name: "y" }))).toBe(
      "y[1] must be 4, but is 2. 2 of 3 elements differ, the most y[2]: 3 instead of 9.",
    );
    expect(said(() => assertClose(y, [5, 2, 4]))).toBe(
      "result[0] must be 5, but is 1. 2 of 3 elements differ, the most this one.",
    );
    expect(said(() => assertClose(y, make([1, 2, 4])))).toBe(
      "result[2] must be 4, but is 3. It is the only one of 3 elements that differs.",
    );
    expect(said(() => assertClose(make(0.1), 0.2, { name: "share" }))).toBe("share must be 0.2, but is 0.1.");
    expect(said(() => assertClose(make([[1, 2]]), [1, 2], { name: "y" }))).toBe(
      "y must have shape [2], but has shape [1, 2].",
    );
    expect(said(() => assertClose(zeros([2, 2], { device }), 1))).toBe(
      "result[0, 0] must be 1, but is 0. 4 of 4 elements differ, the most this one.",
    );
    expect(said(() => assertClose(complex(make([1]), make([-2])), complex(make([1]), make([2]))))).toBe(
      "result[0] must be 1 + 2i, but is 1 - 2i.",
    );
    expect(said(() => assertClose(make([1, NaN, 3]), [1, 2, 3]))).toBe(
      "result[1] must be 2, but is NaN. It is the only one of 3 elements that differs.",
    );
  });

  test.each<[DType, number, number]>([
    ["float64", 1 + 5e-8, 1 + 5e-7],
    ["float32", 1 + 1e-5, 1 + 4e-5],
    ["float16", 1 + 2 ** -10, 1 + 2 ** -8],
    ["bfloat16", 1 + 2 ** -7, 1 + 2 ** -5],
    ["float8_e4m3", 1.125, 1.5],
    ["int32", 1, 2],
    ["int64", 1, 2],
    ["uint8", 1, 2],
  ])("what %s rounds to is close, and no more", (dtype, near, far) => {
    const one = make([1, 1, 1], dtype);
    expect(said(() => assertClose(make([1, near, 1], dtype), one))).toBe("");
    expect(said(() => assertClose(make([1, far, 1], dtype), one))).toMatch(/^result\[1\] must be 1, but is /);
  });

  test("the coarser dtype counts, and given tolerances do", () => {
    const wide = make([1.0005], "float64");
    assertClose(make([1], "float16"), wide);
    expect(said(() => assertClose(make([1], "float32"), wide))).not.toBe("");
    assertClose(make([1, 100]), [1.5, 149], { rtol: 0.5 });
    assertClose(make([0]), [0.4], { atol: 0.5 });
    expect(said(() => assertClose(make([0]), [0.4], { rtol: 0.9 }))).not.toBe("");
    assertClose(make([NaN]), [NaN]);
    // JavaScript's numbers have the dtype of the others.
    assertClose(1.000001, 1);
    expect(said(() => assertClose(16_777_217, 20_000_001))).toBe("result must be 20000001, but is 16777217.");
    expect(said(() => assertClose(make([1_000_005], "int32"), [1_000_006]))).not.toBe("");
    expect(said(() => assertClose(make([1.000001], "float64"), [1]))).not.toBe("");
    expect(said(() => assertClose(make([NaN]), [NaN], { equalNan: false }))).toBe("result[0] must be NaN, but is NaN.");
  });

  test("a tensor of another device is read, and an empty one has no differences", () => {
    assertClose(make([1, 2]), tensor([1, 2], { device: "cpu" }));
    assertClose(make([[true, false]], "bool"), [[true, false]]);
    assertClose(zeros([0, 3], { device }), zeros([0, 3], { device }));
  });
});

test("what is no numbers is refused by name", () => {
  expect(said(() => assertClose(undefined as never, 1, { name: "y" }))).toBe(
    "y must be a tensor, an array or a number, but is undefined.",
  );
  expect(said(() => assertClose(1, "1" as never))).toBe(
    'What is expected must be a tensor, an array or a number, but is "1".',
  );
  expect(() => assertClose(1, 1, { rtol: -1 })).toThrow("assertClose takes a number of at least 0 as rtol but got -1.");
  const gone = zeros([2]);
  gone.dispose();
  expect(() => assertClose(gone, 1)).toThrow("has been disposed of");
});
