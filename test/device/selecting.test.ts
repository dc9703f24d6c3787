// Elements that differ, that are among others, counted, chosen by masks and classes; matrices turned and stacked; on
// every device, on random numbers of a printed seed.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  broadcastArrays,
  broadcastShapes,
  countNonzero,
  dstack,
  hstack,
  isin,
  maskedScatter,
  oneHot,
  rot90,
  tensor,
  trilIndices,
  triuIndices,
  unique,
  uniqueAll,
  uniqueConsecutive,
  vstack,
  zeros,
  type DType,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradient-check.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { at, floats, indicesOf, integers, numbersOf, sampler } from "./samples.ts";

const random = seeded(freshSeed());
const dtypes: readonly DType[] = [...floats, ...integers, "bool"];
/** Rows by their first elements, then the second … */
function byElements(a: readonly number[], b: readonly number[]): number {
  const place = a.findIndex((value, k) => value !== b[k]);
  return place < 0 ? 0 : a[place]! - b[place]!;
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const sample = sampler(random, device);
  const make = (values: unknown, dtype: DType = "float32"): Tensor => tensor(values as number[], { dtype, device });

  test.each(dtypes)("unique elements of %s", (dtype) => {
    for (const shape of [[1], [7], [40, 5], [3, 1, 2]]) {
      const x = sample(shape, dtype, [-3, 3]);
      const whole = x.x.to("int32").to(dtype);
      const given = numbersOf(whole);
      const wanted = [...new Set(given.map((value) => value + 0))].sort((a, b) => a - b);
      const { values, indices, inverse, counts } = whole.unique();
      expect(numbersOf(values).map((value) => value + 0)).toEqual(wanted);
      expect(numbersOf(indices)).toEqual(wanted.map((value) => given.findIndex((each) => each === value)));
      expect(numbersOf(inverse)).toEqual(given.map((value) => wanted.indexOf(value + 0)));
      expect(numbersOf(counts)).toEqual(wanted.map((value) => given.filter((each) => each === value).length));
      expect(inverse.shape).toEqual(shape);
      expect(values.dtype).toBe(dtype);
      expect(numbersOf(uniqueAll(whole).indices)).toEqual(numbersOf(indices));
    }
  });

  test.each(dtypes)("unique rows of %s, along every axis", (dtype) => {
    for (const shape of [
      [20, 2],
      [6, 30],
      [30, 3, 1],
      [2, 5, 3],
      [4, 1],
    ]) {
      const x = sample(shape, dtype, [0, 1.6]);
      const whole = x.x.to("int32").to(dtype);
      for (const axis of shape.keys()) {
        const rowOf = (k: number) => numbersOf(whole.moveAxis(axis, 0).slice(k));
        const rows = Array.from({ length: shape[axis]! }, (_, k) => rowOf(k));
        const keys = rows.map(String);
        const sorted = [...new Map(rows.map((row) => [String(row), row])).values()].sort(byElements).map(String);
        const { values, indices, inverse, counts } = unique(whole, axis);
        expect(values.shape).toEqual(shape.with(axis, sorted.length));
        expect(sorted.map((_, k) => String(numbersOf(values.moveAxis(axis, 0).slice(k))))).toEqual(sorted);
        expect(numbersOf(indices)).toEqual(sorted.map((key) => keys.indexOf(key)));
        expect(numbersOf(inverse)).toEqual(keys.map((key) => sorted.indexOf(key)));
        expect(numbersOf(counts)).toEqual(sorted.map((key) => keys.filter((each) => each === key).length));
      }
    }
  });

  test.each(dtypes)("runs of equal elements and rows of %s", (dtype) => {
    for (const shape of [[1], [60], [30, 2], [2, 40], [20, 1, 2], [3, 15, 1]]) {
      const x = sample(shape, dtype, [0, 1.6]);
      const whole = x.x.to("int32").to(dtype) as Tensor;
      for (const axis of [undefined, ...shape.keys()]) {
        const rows: string[] =
          axis === undefined
            ? numbersOf(whole).map(String)
            : Array.from({ length: shape[axis]! }, (_, k) => String(numbersOf(whole.moveAxis(axis, 0).slice(k))));
        const begins = [...rows.keys()].filter((at) => at === 0 || rows[at] !== rows[at - 1]);
        const { values, indices, inverse, counts } = uniqueConsecutive(whole, axis === undefined ? {} : { axis });
        expect(numbersOf(indices)).toEqual(begins);
        expect(numbersOf(inverse)).toEqual(rows.map((_, at) => begins.filter((first) => first <= at).length - 1));
        expect(numbersOf(counts)).toEqual(begins.map((first, run) => (begins[run + 1] ?? rows.length) - first));
        expect(inverse.shape).toEqual(axis === undefined ? shape : [rows.length]);
        expect([values.dtype, values.shape]).toEqual([
          dtype,
          axis === undefined ? [begins.length] : shape.with(axis, begins.length),
        ]);
        const found = (run: number) => String(numbersOf(values.moveAxis(axis ?? 0, 0).slice(run)));
        expect(begins.map((_, run) => found(run))).toEqual(begins.map((first) => rows[first]));
      }
    }
  });

  test("runs of NaN and of nothing", () => {
    expect(numbersOf(make([NaN, NaN, 1, 1]).uniqueConsecutive().counts)).toEqual([1, 1, 2]);
    const none = zeros([0, 3], { device });
    expect([none.uniqueConsecutive().values.shape, none.uniqueConsecutive().inverse.shape]).toEqual([[0], [0, 3]]);
    expect(none.uniqueConsecutive({ dim: 0 }).values.shape).toEqual([0, 3]);
    const thin = zeros([3, 0], { device }).uniqueConsecutive(0);
    expect([thin.values.shape, numbersOf(thin.inverse), numbersOf(thin.counts)]).toEqual([[1, 0], [0, 0, 0], [3]]);
  });

  test("unique of NaN and of nothing", () => {
    const { values, counts } = make([NaN, 1, NaN, 1]).unique();
    expect(values.toArray()).toEqual([1, NaN, NaN]);
    expect(numbersOf(counts)).toEqual([2, 1, 1]);
    const none = zeros([0, 3], { device });
    expect([none.unique().values.shape, none.unique().inverse.shape]).toEqual([[0], [0, 3]]);
    expect(none.unique({ axis: 0 }).values.shape).toEqual([0, 3]);
    const thin = zeros([3, 0], { device }).unique({ dim: 0 });
    expect([thin.values.shape, numbersOf(thin.inverse), numbersOf(thin.counts)]).toEqual([[1, 0], [0, 0, 0], [3]]);
  });

  test.each(dtypes)("elements of %s among others, and those that are not 0", (dtype) => {
    const [x, others] = [sample([5, 9], dtype, [-5, 5]), sample([2, 3], dtype, [-5, 5])];
    const members = new Set([...others.values, x.values[3]!]);
    const among = make(
      [...members].map((value) => (dtype === "bool" ? value !== 0 : value)),
      dtype,
    );
    const wanted = x.values.map((value) => Number(members.has(value)));
    expect(numbersOf(isin(x.x, among))).toEqual(wanted);
    expect(numbersOf(x.x.isin(among, { invert: true }))).toEqual(wanted.map((value) => 1 - value));
    const rows = [0, 1, 2, 3, 4].map(
      (i) => Array.from({ length: 9 }, (_, k) => at(x, [i, k])).filter((value) => value !== 0).length,
    );
    expect(numbersOf(countNonzero(x.x, 1))).toEqual(rows);
    expect(x.x.countNonzero({ axis: 1, keepdims: true }).shape).toEqual([5, 1]);
    expect(x.x.countNonzero().dtype).toBe("int64");
  });

  test("NaN is among nothing; nothing has no members; dtypes mix", () => {
    expect(
      make([1, NaN])
        .isin(make([NaN, 1]))
        .toArray(),
    ).toEqual([true, false]);
    expect(
      make([1, 2])
        .isin(zeros([0], { device }))
        .toArray(),
    ).toEqual([false, false]);
    expect(
      make([1, 2])
        .isin(zeros([0], { device }), { invert: true })
        .toArray(),
    ).toEqual([true, true]);
    expect(
      make([1, 2], "int32")
        .isin(make([2.5, 2]))
        .toArray(),
    ).toEqual([false, true]);
    expect(
      make(3)
        .isin(make([3]))
        .item(),
    ).toBe(true);
    expect(Number(make([NaN, 0, -0]).countNonzero().item())).toBe(1);
    expect(zeros([0, 2], { device }).countNonzero(0).toArray()).toEqual([0n, 0n]);
  });

  test.each(integers)("classes of %s as ones", (dtype) => {
    const x = sample([4, 3], dtype, [0, 6]);
    expect(numbersOf(oneHot(x.x, 8))).toEqual(indicesOf([4, 3, 8]).map(([i, j, k]) => Number(at(x, [i!, j!]) === k)));
    const own = oneHot(x.x, { dtype: "float16" });
    expect([own.dtype, own.shape]).toEqual(["float16", [4, 3, Math.max(...x.values) + 1]]);
    expect(oneHot(x.x).dtype).toBe("int64");
    expect(zeros([0], { dtype, device }).oneHot().shape).toEqual([0, 0]);
  });

  test.each(dtypes)("elements of %s put where a mask is true", (dtype) => {
    const [x, mask, source] = [sample([4, 5], dtype), sample([4, 1], "bool"), sample([30], dtype)];
    let next = 0;
    const wanted = indicesOf([4, 5]).map(([i, j]) =>
      mask.values[i!] === 1 ? source.values[next++]! : at(x, [i!, j!]),
    );
    expect(numbersOf(maskedScatter(x.x, mask.x, source.x))).toEqual(wanted);
    expect(numbersOf(x.x)).toEqual(x.values);
  });

  test("indices of triangles", () => {
    for (const [rows, columns] of [
      [3, 3],
      [2, 5],
      [4, 1],
      [0, 3],
    ] as const)
      for (const offset of [0, 1, -2, 9]) {
        const all = indicesOf([rows, columns]) as [number, number][];
        const [low, high] = [all.filter(([i, j]) => j - i <= offset), all.filter(([i, j]) => j - i >= offset)];
        const turned = (list: [number, number][]) => [...list.map(([i]) => i), ...list.map(([, j]) => j)];
        expect(numbersOf(trilIndices(rows, columns, { offset, device }))).toEqual(turned(low));
        expect(numbersOf(triuIndices(rows, { columns, offset, device }))).toEqual(turned(high));
      }
    expect(trilIndices(2, { device }).toArray()).toEqual([
      [0n, 1n, 1n],
      [0n, 0n, 1n],
    ]);
  });

  test.each(dtypes)("matrices of %s turned, mirrored and stacked", (dtype) => {
    const x = sample([2, 3, 4], dtype);
    const turns: ((i: number, j: number) => [number, number])[] = [
      (i, j) => [i, j],
      (i, j) => [j, 2 - i],
      (i, j) => [1 - i, 2 - j],
      (i, j) => [1 - j, i],
    ];
    for (const k of [0, 1, 2, 3, 4, -1]) {
      const of = turns[((k % 4) + 4) % 4]!;
      const shape = k % 2 === 0 ? [2, 3, 4] : [3, 2, 4];
      expect(rot90(x.x, k).shape).toEqual(shape);
      expect(numbersOf(rot90(x.x, { k }))).toEqual(indicesOf(shape).map(([i, j, l]) => at(x, [...of(i!, j!), l!])));
    }
    expect(numbersOf(x.x.rot90(1, [1, 0]))).toEqual(numbersOf(x.x.rot90(3)));
    expect(numbersOf(x.x.fliplr())).toEqual(numbersOf(x.x.flip(1)));
    expect(numbersOf(x.x.flipud())).toEqual(numbersOf(x.x.flip(0)));
    const [a, b] = [sample([3], dtype), sample([3], dtype)];
    expect(numbersOf(hstack([a.x, b.x]))).toEqual([...a.values, ...b.values]);
    expect(vstack([a.x, b.x]).shape).toEqual([2, 3]);
    expect(dstack([a.x, b.x]).shape).toEqual([1, 3, 2]);
    expect(numbersOf(dstack([a.x, b.x]))).toEqual(a.values.flatMap((value, k) => [value, b.values[k]!]));
    expect(hstack([x.x, x.x]).shape).toEqual([2, 6, 4]);
    expect(dstack([x.x.slice(null, null, 0), x.x.slice(null, null, 1)]).shape).toEqual([2, 3, 2]);
    expect(hstack([a.x.slice(0), b.x.slice(0)]).shape).toEqual([2]);
  });

  test("shapes and tensors together", () => {
    expect(broadcastShapes([3, 1], [4], [2, 1, 1])).toEqual([2, 3, 4]);
    expect(broadcastShapes()).toEqual([]);
    expect(broadcastShapes([0, 1], [1, 5])).toEqual([0, 5]);
    const [a, b] = broadcastArrays(make([[1], [2]]), make([3, 4, 5]));
    expect([a!.toArray(), b!.toArray()]).toEqual([
      [
        [1, 1, 1],
        [2, 2, 2],
      ],
      [
        [3, 4, 5],
        [3, 4, 5],
      ],
    ]);
    expect(broadcastArrays([make([1]), make([1, 2])]).map(({ shape }) => shape)).toEqual([[2], [2]]);
  });

  test("gradients", () => {
    const of = (...shape: number[]): { shape: number[] } => ({ shape });
    const mask = tensor(
      [
        [true, false, true],
        [false, true, true],
      ],
      { device },
    );
    expectGradients((x, source) => maskedScatter(x!, mask, source!), [of(2, 3), of(5)], device);
    expectGradients((x) => rot90(x!).add(x!.T.fliplr()), [of(3, 3)], device);
    expectGradients((a, b) => hstack([a!, b!]).mul(dstack([a!, a!]).sum()), [of(2), of(3)], device);
    expectGradients((a, b) => broadcastArrays(a!, b!).reduce((x, y) => x.mul(y)), [of(2, 1), of(3)], device);
  });

  const of = (...shape: number[]): Tensor => zeros(shape, { device });
  test.each<[string, () => unknown, string]>([
    ["rows along no axis", () => of(3).unique(1), "There is no axis 1 in a tensor with 1 axis"],
    [
      "others that are no tensor",
      () => isin(of(3), [1] as never),
      "isin takes a tensor as others but got [1]. Write isin(others, { invert }).",
    ],
    [
      "classes of floats",
      () => oneHot(of(3)),
      'oneHot takes classes as integers but got float32: convert it, e.g. with .to("int64").',
    ],
    ["a class beyond", () => oneHot(make([0, 4], "int32"), 4), "oneHot of 4 classes takes them from 0 on but got 4."],
    ["a class below", () => oneHot(make([-1, 2], "int32")), "oneHot of 3 classes takes them from 0 on but got -1."],
    [
      "a mask of numbers",
      () => maskedScatter(of(2), of(2), of(2)),
      "maskedScatter takes a mask, a tensor of bool, but got float32: compare one, e.g. with .gt(0).",
    ],
    [
      "too few elements",
      () => maskedScatter(of(2), make([true, true], "bool"), of(1)),
      "maskedScatter takes a source of at least 2 elements, as many as the mask has true ones, but got shape [1].",
    ],
    ["a list turned", () => rot90(of(3)), "rot90 takes a tensor of at least two axes but got shape [3]."],
    ["one axis twice", () => rot90(of(2, 2), 1, [0, 0]), "rot90 takes two different axes but got [0, 0]."],
    ["a list mirrored", () => of(3).fliplr(), "fliplr takes a tensor of at least two axes but got shape [3]."],
    ["a number mirrored", () => of().flipud(), "flipud takes a tensor of at least one axis but got shape []."],
    [
      "nothing to stack",
      () => vstack([]),
      "vstack takes an array of at least one tensor but got []. Write vstack(tensors).",
    ],
    ["shapes that do not go together", () => broadcastShapes([2], [3]), "[2] and [3]"],
    [
      "no tensors together",
      () => broadcastArrays(),
      "broadcastArrays takes an array of at least one tensor but got [].",
    ],
    [
      "fewer rows than none",
      () => trilIndices(-1),
      "trilIndices takes a whole number of at least 0 as rows but got -1.",
    ],
  ])("a sentence for %s", (_, act, sentence) => {
    expect(act).toThrow(sentence);
  });
});
