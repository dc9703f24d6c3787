// Indexing on every device against loops over arrays: reading and assigning through slices, indices and masks;
// gathering and scattering, with gradients by finite differences.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  arange,
  full,
  gradients,
  newAxis,
  normalize,
  ones,
  takeAlongAxis,
  tensor,
  zeros,
  type DType,
  type IndexEntry,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { below, expectGradients, numbersOf as numbers, random } from "./gradient-check.ts";
import { sizeOf } from "../../native/lib/memory/shape.ts";
import { poison, randomValues } from "./numbers.ts";

type Nest = number | Nest[];
const shapeOf = (nest: Nest): number[] => (Array.isArray(nest) ? [nest.length, ...shapeOf(nest[0] ?? 0)] : []);
const counted = (shape: number[], device: string, dtype: DType = "float32") =>
  arange(
    0,
    shape.reduce((a, b) => a * b, 1),
    1,
    { device, dtype },
  ).reshape(shape);

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const indices = (list: Nest) => tensor(list as number[], { dtype: "int64", device });

  test("slices with steps, negative ones too, an ellipsis and new axes are views", () => {
    const x = counted([4, 5, 6], device);
    const at = (i: number, j: number, k: number) => (i * 5 + j) * 6 + k;
    const cases: [IndexEntry[], Nest][] = [
      [[-1, 2], Array.from({ length: 6 }, (_, k) => at(3, 2, k))],
      [["...", 1], Array.from({ length: 4 }, (_, i) => Array.from({ length: 5 }, (_, j) => at(i, j, 1)))],
      [[0, [null, null, -1], [5, 0, -2]], [4, 3, 2, 1, 0].map((j) => [5, 3, 1].map((k) => at(0, j, k)))],
      [
        [[3, null, -2], "...", [-2, null]],
        [3, 1].map((i) => [0, 1, 2, 3, 4].map((j) => [4, 5].map((k) => at(i, j, k)))),
      ],
      [[1, newAxis, [0, 2], 0], [[at(1, 0, 0), at(1, 1, 0)]]],
      [[[2, 1]], []],
    ];
    for (const [entries, wanted] of cases) {
      const part = x.get(...entries);
      if (part.size > 0) expect(part.shape).toEqual(shapeOf(wanted));
      expect(part.toArray()).toEqual(wanted);
      expect(part.storage).toBe(x.storage);
    }
    // What comes out of a view that goes backwards computes as any other.
    const turned = x.get([null, null, -1], [null, null, -1], [null, null, -1]);
    expect(numbers(turned.add(1))).toEqual(Array.from({ length: 120 }, (_, i) => 120 - i));
    expect(numbers(turned.exp().log().round())).toEqual(numbers(turned.clone()).map((v) => (v > 88 ? Infinity : v)));
    expect(turned.sum().item()).toBe(7140);
    expect(numbers(turned.T.clone()).slice(0, 3)).toEqual([119, 113, 107]);
    const m = x.get(0, [0, 3], [0, 3]);
    expect(numbers(m.get([null, null, -1], [null, null, -1]).matmul(m.get([null, null, -1])))).toEqual([
      14 * 12 + 13 * 6,
      14 * 13 + 13 * 7 + 12,
      14 * 14 + 13 * 8 + 12 * 2,
      8 * 12 + 7 * 6,
      8 * 13 + 7 * 7 + 6,
      8 * 14 + 7 * 8 + 6 * 2,
      2 * 12 + 6,
      2 * 13 + 7,
      2 * 14 + 8,
    ]);
  });

  test.each<DType>([
    "float32",
    "bfloat16",
    "uint8",
    "int64",
    "bool",
  ])("index arrays of %s broadcast; masks and slices beside them", (dtype) => {
    const x = counted([3, 4, 5], device, dtype === "bool" ? "int32" : dtype === "uint8" ? "uint8" : dtype).to(dtype);
    const flat = numbers(x);
    const at = (i: number, j: number, k: number) => flat[(i * 4 + j) * 5 + k]!;
    poison(device, 100);
    const rows = [[2], [-3]];
    const columns = [1, 3, -1];
    const pairs = x.get(indices(rows), { at: columns });
    expect(pairs.shape).toEqual([2, 3, 5]);
    expect(numbers(pairs)).toEqual(
      [2, 0].flatMap((i) => [1, 3, 3].flatMap((j) => [0, 1, 2, 3, 4].map((k) => at(i, j, k)))),
    );
    const middle = x.get([0, 2], Int32Array.of(3, 0, 0), [null, null, -1]);
    expect(middle.shape).toEqual([2, 3, 5]);
    expect(numbers(middle)).toEqual(
      [0, 1].flatMap((i) => [3, 0, 0].flatMap((j) => [4, 3, 2, 1, 0].map((k) => at(i, j, k)))),
    );
    const apart = x.get({ at: [0, 2] }, null, { at: indices([4, 1]) });
    expect(apart.shape).toEqual([2, 4]);
    expect(numbers(apart)).toEqual(
      [
        [0, 4],
        [2, 1],
      ].flatMap(([i, k]) => [0, 1, 2, 3].map((j) => at(i!, j, k!))),
    );
    const mask = tensor(
      [
        [true, false, false, true],
        [false, false, false, false],
        [false, true, true, false],
      ],
      { device },
    );
    const chosen = x.get(mask, [1, 3]);
    expect(chosen.shape).toEqual([4, 2]);
    expect(numbers(chosen)).toEqual(
      [
        [0, 0],
        [0, 3],
        [2, 1],
        [2, 2],
      ].flatMap(([i, j]) => [1, 2].map((k) => at(i!, j!, k))),
    );
    expect(x.get(zeros([3], { dtype: "bool", device })).shape).toEqual([0, 4, 5]);
    expect(x.get(indices([0, 0]).slice([0, 0])).shape).toEqual([0, 4, 5]);
  });

  test("assignment through every kind of entry", () => {
    const x = counted([4, 6], device);
    const wanted = numbers(x).map((_, at) => at);
    const write = (i: number, j: number, value: number) => {
      wanted[i * 6 + j] = value;
    };
    x.set([0, [1, 4]], 7);
    for (const j of [1, 2, 3]) write(0, j, 7);
    x.set([[null, null, -2], -1], tensor([1, 2], { device }));
    write(3, 5, 1);
    write(1, 5, 2);
    x.set([{ at: [2, 2, 0] }, { at: [0, 0, 5] }], tensor([10, 20, 30], { device }));
    write(2, 0, 20);
    write(0, 5, 30);
    x.set(["...", indices([0, 1])], tensor([[5], [6], [7], [8]], { device, dtype: "int32" }));
    for (const i of [0, 1, 2, 3]) for (const j of [0, 1]) write(i, j, 5 + i);
    expect(numbers(x)).toEqual(wanted);
    x.set([x.gt(15)], -1);
    expect(numbers(x)).toEqual(wanted.map((v) => (v > 15 ? -1 : v)));
    // What is written may be a part of what it is written to.
    const y = counted([5], device);
    y.set([[1, null]], y.get([null, -1]));
    expect(numbers(y)).toEqual([0, 0, 1, 2, 3]);
    y.set([{ at: [4, 3, 2, 1, 0] }], y);
    expect(numbers(y)).toEqual([3, 2, 1, 0, 0]);
  });

  // Rows and columns that a block of a GPU takes several of, and more than it has room for; indices that agree or not.
  test.each([
    [[5, 100], 1, 100],
    [[700, 3], 1, 4],
    [[3, 7], 1, 50],
    [[2, 30, 37], 1, 40],
    [[5, 3], 0, 2000],
    [[3000, 5], 0, 3000],
    [[1, 20_000], 1, 17_000],
    [[4097], 0, 9000],
  ] as const)("elements put along an axis of %j", (shape, axis, own) => {
    const size = sizeOf(shape);
    const given = shape.map((length, at) => (at === axis ? own : length));
    const [length, inner] = [shape[axis]!, sizeOf(shape.slice(axis + 1))];
    for (const dtype of ["float32", "bfloat16", "int32", "float64"] as const)
      for (const reduce of ["set", "add", "prod", "max", "min"] as const)
        for (const indexType of ["int32", "int64"] as const) {
          // Products of powers of two are exact, and those of integers wrap around.
          const power = () => (1 - 2 * below(2)) * 2 ** (below(3) - 1);
          const made = (count: number) =>
            reduce === "prod" && dtype !== "int32" ? Array.from({ length: count }, power) : randomValues(count, "int8");
          const [values, more] = [made(size), made(sizeOf(given))];
          const at = more.map(() => below(2 * length) - length);
          const wanted = [...values];
          more.forEach((value, i) => {
            const row = Math.floor(i / (own * inner)) * length + ((at[i]! + length) % length);
            const to = row * inner + (i % inner);
            if (reduce === "set") wanted[to] = value;
            else if (reduce === "add") wanted[to]! += value;
            else if (reduce === "prod")
              wanted[to] = dtype === "int32" ? Math.imul(wanted[to]!, value) : wanted[to]! * value;
            else wanted[to] = Math[reduce](wanted[to]!, value);
          });
          poison(device, 8 * size);
          const x = tensor(values, { dtype, device }).reshape(shape);
          const source = tensor(more, { dtype, device }).reshape(given);
          const result = x.scatter(axis, tensor(at, { dtype: indexType, device }).reshape(given), source, { reduce });
          // Sums are rounded once.
          const rounded = tensor(wanted, { dtype: dtype === "bfloat16" ? "float32" : dtype, device }).to(dtype);
          expect(numbers(result), `${dtype}, ${reduce}`).toEqual(numbers(rounded));
          expect(numbers(x)).toEqual(numbers(tensor(values, { dtype, device })));
        }
  });

  test("an index that only the device knows is told of by the next wait, once, and spoils nothing else", () => {
    const x = counted([3, 4], device);
    const good = x.gather(0, indices([[2, 1, 0, -3]]));
    const late = [
      [() => x.gather(1, indices([[9], [0], [1]])), "Index 9 is outside axis 1, which has 4 elements"],
      [() => x.indexSelect(0, indices([0, -4])), "Index -4 is outside axis 0, which has 3 elements"],
      [() => x.take(indices([12])), "Index 12 is outside axis 0, which has 12 elements"],
      [() => x.take(tensor([5n, -(2n ** 63n)], { device })), "is outside axis 0, which has 12 elements"],
    ] as const;
    for (const [run, message] of late) {
      const result = run();
      expect(() => good.data()).toThrow(message);
      expect(numbers(good)).toEqual([8, 5, 2, 3]);
      expect(numbers(result)).toHaveLength(result.size);
    }
    // More of them than there is room for at a time, of which one is outside.
    const many = Array.from({ length: 600 }, (_, at) => () => x.take(indices([at === 300 ? 99 : at % 12])));
    expect(() => many.map((run) => run()).forEach((each) => numbers(each))).toThrow("Index 99 is outside axis 0");
    expect(numbers(x.take(indices([11, 0])))).toEqual([11, 0]);
  });

  test("an index that is outside is an error that names it, the axis and its limit", () => {
    const x = counted([3, 4], device);
    expect(() => x.get(indices([0, 3]))).toThrow(
      "Index 3 is outside axis 0, which has 3 elements: give one from -3 to 2.",
    );
    expect(() => x.get(null, { at: [[0], [-5]] })).toThrow(
      "Index -5 is outside axis 1, which has 4 elements: give one from -4 to 3.",
    );
    expect(() => x.gather(1, indices([[0, 9, 8]]))).toThrow("Index 9 is outside axis 1");
    expect(() => zeros([0, 2], { device }).indexSelect(0, [0])).toThrow(
      "Axis 0 has no elements, so there is none at index 0.",
    );
    expect(() => x.get(0, 1, 2)).toThrow("The index has entries for 3 axes, but shape [3, 4] has 2.");
    expect(() => x.get("...", "...")).toThrow('An index has "..." at most once.');
    expect(() => x.get(zeros([4], { dtype: "bool", device }))).toThrow(
      "A mask of shape [4] does not fit axis 0 of shape [3, 4].",
    );
    expect(() => x.get(zeros([4, 3], { dtype: "bool", device }))).toThrow(
      "A mask of shape [4, 3] does not fit the 2 axes from 0 on of shape [3, 4].",
    );
    // A mask without elements fits, and chooses nothing.
    expect(x.get(zeros([0], { dtype: "bool", device })).shape).toEqual([0, 4]);
    expect(x.get(zeros([3, 0], { dtype: "bool", device })).shape).toEqual([0]);
    expect(x.get(zeros([0, 0], { dtype: "bool", device })).shape).toEqual([0]);
    expect(x.get(null, zeros([0], { dtype: "bool", device })).shape).toEqual([3, 0]);
    const before = x.toArray();
    x.set([zeros([0, 4], { dtype: "bool", device })], 7);
    expect(x.toArray()).toEqual(before);
    expect(() => x.get(full([1], 0.5, { device }))).toThrow(
      'get takes integer indices but got a tensor of float32: convert it, e.g. with .to("int64").',
    );
    expect(() => x.set([0], tensor([1, 2, 3], { device }))).toThrow(
      "set writes to shape [4], to which a tensor of shape [3] does not broadcast.",
    );
    expect(() => x.to("uint8").set([0], 300)).toThrow("set writes to uint8, which does not hold 300.");
    expect(() => x.set([[] as never, 0], 1)).toThrow("[] is not a slice of axis 0: give [start, stop, step] in whole");
    expect(() => x.set(0 as never, 1)).toThrow(
      "set takes the entries of the index as an array, then the value, e.g. x.set([0, [1, 3]], 5), but got 0.",
    );
    expect(() => x.gather(1, indices([0]))).toThrow(
      "gather along axis 1 takes indices of as many axes as the tensor, [3, 4], none longer except axis 1, but got [1].",
    );
    expect(() => x.indexSelect(0, indices([[0]]))).toThrow(
      "indexSelect takes a list of indices but got shape [1, 1]: use take for more axes.",
    );
    expect(() => x.takeAlongAxis(indices([0]), 0)).toThrow(
      "takeAlongAxis takes indices of as many axes as the tensor, [3, 4], but got [1].",
    );
    expect(() => x.scatter(0, indices([[0, 1]]), counted([1, 1], device))).toThrow(
      "scatter takes a source at least as large as the indices, [1, 2], but got [1, 1].",
    );
    expect(() => x.scatter(0, indices([[0]]), 1, { reduce: "median" as never })).toThrow(
      'scatter takes "set", "add", "prod", "mean", "max", "min", "sum", "multiply", "amax" or "amin" as reduce but got "median".',
    );
    expect(() => x.maskedFill(x, 0)).toThrow(
      "maskedFill takes a mask, a tensor of bool, but got float32: compare one, e.g. with .gt(0).",
    );
    expect(() => x.get({ at: "a" } as never)).toThrow(
      'get takes indices as a tensor of integers or an array but got "a".',
    );
    expect(() => x.indexReduce(0, indices([[0]]), x)).toThrow(
      "indexReduce takes a list of indices but got shape [1, 1].",
    );
    expect(() => x.indexAdd(0, indices([[0]]), x)).toThrow("indexAdd takes a list of indices but got shape [1, 1].");
  });

  test.each([1, 65, 1000, 9000])("gather and take of %d rows", (count) => {
    const table = counted([50, 16], device);
    const list = Array.from({ length: count }, () => below(100) - 50);
    poison(device, count * 8);
    const rows = table.take(indices(list), { axis: 0 });
    const places = list.map((i) => (i < 0 ? i + 50 : i));
    expect(numbers(rows)).toEqual(places.flatMap((i) => Array.from({ length: 16 }, (_, k) => i * 16 + k)));
    expect(numbers(table.T.indexSelect(1, indices(list)).T)).toEqual(numbers(rows));
    expect(numbers(table.slice(null, [1, 4]).take(indices(list), { axis: 0 }))).toEqual(
      places.flatMap((i) => [1, 2, 3].map((k) => i * 16 + k)),
    );
    expect(numbers(table.take(indices(list)))).toEqual(list.map((i) => (i < 0 ? i + 800 : i)));
    const wide = counted([3, 50], device);
    const index = indices(Array.from({ length: 3 }, () => list));
    expect(numbers(wide.gather(1, index))).toEqual([0, 1, 2].flatMap((i) => places.map((j) => i * 50 + j)));
    expect(numbers(wide.T.gather(0, index.T).T)).toEqual(numbers(wide.gather(1, index)));
    expect(numbers(wide.takeAlongAxis(indices(list).reshape([1, -1]), 1))).toEqual(numbers(wide.gather(1, index)));
    expect(numbers(takeAlongAxis(wide, indices(list).reshape([1, -1])))).toEqual(numbers(wide.gather(1, index)));
    expect(numbers(takeAlongAxis(wide.T, indices(list).reshape([-1, 1]), { dim: 0 }).T)).toEqual(
      numbers(wide.gather(1, index)),
    );
  });

  // Blocks begin and end within rows, which are of every length that has a loop of its own.
  test.each([
    [[5003, 17], 0],
    [[5003, 17], 1],
    [[20_011, 3], 1],
    [[700, 3, 33], 1],
    [[9, 700, 5], 1],
    [[3, 301, 40], 1],
    [[4001, 8], 0],
    [[9, 4999], 1],
    [[41_003], 0],
  ])("rows and elements of %j taken along axis %i", (shape, axis) => {
    const x = counted(shape, device);
    const values = numbers(x);
    const [length, inner] = [shape[axis]!, shape.slice(axis + 1).reduce((product, size) => product * size, 1)];
    const from = (at: number, e: number) =>
      values[Math.floor(e / inner / length) * length * inner + (at < 0 ? at + length : at) * inner + (e % inner)]!;
    const list = Array.from({ length }, () => below(2 * length) - length);
    poison(device, values.length);
    expect(numbers(x.indexSelect(axis, indices(list)))).toEqual(
      values.map((_, e) => from(list[Math.floor(e / inner) % length]!, e)),
    );
    const own = Array.from(values, () => below(2 * length) - length);
    poison(device, values.length);
    expect(numbers(x.gather(axis, indices(own).reshape(shape)))).toEqual(own.map(from));
    const [wrong, at] = [[...own], below(own.length)];
    wrong[at] = length;
    expect(() => numbers(x.gather(axis, indices(wrong).reshape(shape)))).toThrow(`${length}`);
  });

  test.each(["float32", "uint8", "bfloat16", "int64"] as const)("gather and take of %s, however they lie", (dtype) => {
    const shape = [6, 20, 16] as const;
    const made = (shape: readonly number[]) => counted(shape, device).remainder(120).to(dtype);
    const ways: Record<string, Tensor> = {
      sliced: made([6, 20, 19]).slice(null, null, [3, 19]),
      turned: made([16, 20, 6]).permute([2, 1, 0]),
      "back to front": made(shape).slice([null, null, -1], null, [null, null, -1]),
      "every other": made([6, 40, 16]).slice(null, [0, null, 2]),
      stretched: made([16]).expand(shape),
      "one column": made([6, 20, 1]).expand(shape),
      odd: made([6 * 20 * 16 + 1])
        .slice([1])
        .reshape(shape),
    };
    for (const [way, x] of Object.entries(ways))
      for (const axis of [0, 1, 2] as const) {
        const values = numbers(x);
        const at = (place: readonly number[]) => values[(place[0]! * 20 + place[1]!) * 16 + place[2]!]!;
        const own = shape.with(axis, 9);
        const list = Array.from({ length: own[0]! * own[1]! * own[2]! }, () => below(shape[axis]));
        const index = indices(list).reshape(own);
        poison(device, list.length * 2);
        const places = list.map((_, flat) => [
          Math.floor(flat / (own[1]! * own[2]!)),
          Math.floor(flat / own[2]!) % own[1]!,
          flat % own[2]!,
        ]);
        const wanted = places.map((place, flat) => at(place.with(axis, list[flat]!)));
        expect([way, axis, numbers(x.gather(axis, index))]).toEqual([way, axis, wanted]);
        // Indices that lie in another order, too.
        const turned = index.permute([2, 0, 1]).clone().permute([1, 2, 0]);
        expect(numbers(x.gather(axis, turned))).toEqual(wanted);
        const shared = list.slice(0, 9);
        expect(numbers(x.indexSelect(axis, indices(shared)))).toEqual(
          places.map((place) => at(place.with(axis, shared[place[axis]!]!))),
        );
      }
  });

  // Rows and columns that a block of a GPU has room for, longer ones, more elements than places, and fewer.
  test.each([
    [[3, 700], [3, 700], 1],
    [[2, 9001], [2, 700], 1],
    [[1, 5], [1, 40_000], 1],
    [[17, 300], [40, 300], 0],
    [[3001, 9], [3001, 9], 0],
    [[20_011, 3], [20_011, 3], 0],
    [[2, 65, 33], [2, 7, 33], 1],
    // So many slabs that blocks would have little to do.
    [[1500, 3, 5], [1500, 2, 5], 1],
    // Several tiles of columns, the last of them narrower.
    [[2000, 40], [300, 40], 0],
    [[4, 1, 3], [4, 5, 3], 1],
    [[5, 4], [0, 4], 0],
  ] as const)("scattered to %j from %j along axis %i: the last stays, sums are near, and the same again", (to, from, axis) => {
    const [length, own] = [to[axis]!, from[axis]!];
    const inner = to.slice(axis + 1).reduce((a, b) => a * b, 1);
    const [size, count] = [to.reduce((a: number, b) => a * b, 1), from.reduce((a: number, b) => a * b, 1)];
    const list = Array.from({ length: count }, () => below(length) - (Math.random() < 0.5 ? length : 0));
    const number = () => Math.fround((Math.random() - 0.5) * 10 ** (Math.random() * 12 - 6));
    const special = (value: number) =>
      Math.random() < 0.01 ? [NaN, Infinity, -Infinity, 0, -0, 1e-42][below(6)]! : value;
    for (const dtype of ["float32", "bfloat16"] as const)
      for (const kind of [number, () => special(number())]) {
        const x = tensor(Array.from({ length: size }, number), { dtype, device }).reshape(to);
        const source = tensor(Array.from({ length: count }, kind), { dtype, device }).reshape(from);
        for (const indexType of ["int32", "int64"] as const) {
          const index = tensor(list, { dtype: indexType, device }).reshape(from);
          const [before, values] = [numbers(x), numbers(source)];
          const [last, sums, sizes, most] = [
            [...before],
            [...before],
            before.map(Math.abs),
            Array<number>(size).fill(0),
          ];
          list.forEach((at, e) => {
            const place = (Math.floor(e / (own * inner)) * length + ((at + length) % length)) * inner + (e % inner);
            last[place] = values[e]!;
            sums[place]! += values[e]!;
            sizes[place]! += Math.abs(values[e]!);
            most[place] = Math.max(most[place]!, Math.abs(values[e]!));
          });
          expect(numbers(x.scatter(axis, index, source))).toEqual(last);
          const got = numbers(x.scatterAdd(axis, index, source));
          // One rounding to the dtype; each element half a unit of 2^(log2(own) - 38) last places of the largest, or in
          // order with what roundings took off; and the reference itself.
          const rounding = dtype === "float32" ? 2 ** -24 : 2 ** -8;
          got.forEach((sum, place) => {
            const exact = sums[place]!;
            const bound =
              Math.abs(exact) * rounding * 1.001 +
              own * (own + 1) * most[place]! * 2 ** -61 +
              own * own * 2 ** -48 * sizes[place]! +
              2 ** -133;
            if (Number.isFinite(exact) ? !(Math.abs(sum - exact) <= bound) : !Object.is(sum, exact))
              expect.fail(`${dtype}, place ${place}: ${sum}, not ${exact}`);
          });
          expect(numbers(x.scatterAdd(axis, index, source))).toEqual(got);
        }
      }
  });

  test.each<DType>([
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "int32",
    "int64",
    "uint8",
  ])("scatter of %s: the last stays, sums are exact to rounding, the largest wins", (dtype) => {
    const [count, width, limit] = [5000, 3, 37];
    const list = Array.from({ length: count }, () => below(limit));
    const values = Array.from({ length: count * width }, () => below(5));
    const source = tensor(values, { dtype, device }).reshape([count, width]);
    const base = full([limit, width], 1, { dtype, device });
    const start = () => Array<number>(limit * width).fill(1);
    const [last, sum, most, least] = [start(), start(), start(), start()];
    list.forEach((i, at) => {
      for (let k = 0; k < width; k++) {
        const value = values[at * width + k]!;
        last[i * width + k] = value;
        sum[i * width + k]! += value;
        most[i * width + k] = Math.max(most[i * width + k]!, value);
        least[i * width + k] = Math.min(least[i * width + k]!, value);
      }
    });
    poison(device, 1000);
    const index = indices(list);
    const spread = index.reshape([-1, 1]).expand([count, width]);
    // What a sum becomes in the dtype.
    const held = (all: number[]) => numbers(tensor(all, { dtype: "float64", device }).to(dtype));
    const sums = dtype === "uint8" ? sum.map((v) => v % 256) : held(sum);
    expect(numbers(base.indexCopy(0, index, source))).toEqual(last);
    expect(numbers(base.scatter(0, spread, source))).toEqual(last);
    expect(numbers(base.indexAdd(0, index, source))).toEqual(sums);
    expect(numbers(base.scatterAdd(0, spread, source))).toEqual(sums);
    expect(numbers(base.T.clone().indexAdd(1, index, source.T).T)).toEqual(sums);
    expect(numbers(base.scatter(0, spread, source, { reduce: "max" }))).toEqual(most);
    expect(numbers(base.scatter(0, spread, source, { reduce: "min" }))).toEqual(least);
    expect(numbers(base.indexFill(0, [1, 1, -1], 2)).filter((v) => v === 2).length).toBe(2 * width);
    expect(numbers(base)).toEqual(start());
    base.scatterAdd_(0, spread, source);
    expect(numbers(base)).toEqual(sums);
  });

  test.each([
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "int32",
    "int64",
    "uint8",
  ] as const)("scatter of %s by mean and product, and without the elements that were there", (dtype) => {
    const [count, limit] = [60, 23];
    const isWhole = dtype === "int32" || dtype === "int64" || dtype === "uint8";
    const list = Array.from({ length: count }, () => below(limit - 2));
    const draw = (length: number) => Array.from({ length }, () => below(4) + (isWhole ? 0 : 0.5));
    const [old, added] = [draw(limit), draw(count)];
    const base = tensor(old, { dtype, device });
    const source = tensor(added, { dtype, device });
    const joins: Record<string, (all: readonly number[]) => number> = {
      set: (all) => all.at(-1)!,
      add: (all) => all.reduce((a, b) => a + b),
      prod: (all) => all.reduce((a, b) => a * b),
      max: (all) => Math.max(...all),
      min: (all) => Math.min(...all),
      mean: (all) => all.reduce((a, b) => a + b) / all.length,
    };
    for (const [reduce, join] of Object.entries(joins))
      for (const includeSelf of [true, false]) {
        const wanted = old.map((value, at) => {
          const coming = added.filter((_, from) => list[from] === at);
          if (coming.length === 0) return value;
          const joined = join(includeSelf ? [value, ...coming] : coming);
          return isWhole ? Number(BigInt.asUintN(dtype === "uint8" ? 8 : 31, BigInt(Math.floor(joined)))) : joined;
        });
        const options = { reduce: reduce as "mean", includeSelf };
        const held = numbers(tensor(wanted, { dtype: "float64", device }).to(dtype));
        const found = numbers(base.scatter(0, indices(list), source, options));
        // A mean of a rounded sum; products are rounded once for each factor in the wider type.
        const bound =
          { float64: 2 ** -46, float32: 2 ** -18, float16: 2 ** -9, bfloat16: 2 ** -6 }[dtype as string] ?? 0;
        found.forEach((value, at) =>
          expect(
            Math.abs(value - held[at]!),
            `${reduce}, ${includeSelf}, ${at}: ${value}, ${held[at]}`,
          ).toBeLessThanOrEqual(bound * Math.abs(held[at]!)),
        );
        expect(numbers(base.clone().scatter_(0, indices(list), source, options))).toEqual(found);
        // The same of rows, which are all alike.
        const [rows, coming] = [base, source].map((x) => x.unsqueeze(0).expand(3, -1).contiguous());
        for (const joined of [
          rows!.indexReduce(1, indices(list), coming!, options),
          rows!.clone().indexReduce_(1, indices(list), coming!, options),
        ])
          for (const row of joined.unbind(0)) expect(numbers(row)).toEqual(found);
      }
    expect(numbers(base)).toEqual(old);
  });

  test("axis 0 of a tensor without axes is the one element", () => {
    const s = tensor(3, { device });
    const zero = tensor(0, { dtype: "int64", device });
    const five = tensor(5, { device });
    const same: [string, () => unknown, unknown][] = [
      ["gather", () => s.gather(0, zero), 3],
      ["gather by a list", () => s.gather(-1, indices([0, -1])), [3, 3]],
      ["take", () => s.take(0, { axis: 0 }), 3],
      ["take by a list", () => s.take([0, 0], { axis: 0 }), [3, 3]],
      ["indexSelect", () => s.indexSelect(0, indices([0])), 3],
      ["takeAlongAxis", () => takeAlongAxis(s, zero, 0), 3],
      ["scatter", () => s.scatter(0, zero, five), 5],
      ["scatter by mean", () => s.scatter(0, zero, five, { reduce: "mean" }), 4],
      ["scatterAdd", () => s.scatterAdd(0, [0], five), 8],
      ["indexAdd", () => s.indexAdd(0, indices([0, 0]), tensor([1, 2], { device })), 6],
      ["indexCopy", () => s.indexCopy(0, [0], five), 5],
      ["indexFill", () => s.indexFill(0, 0, 7), 7],
      ["squeeze", () => s.squeeze(0), 3],
      ["flip", () => s.flip(-1), 3],
      ["roll", () => s.roll(2, { axis: 0 }), 3],
      ["swapAxes", () => s.swapAxes(0, -1), 3],
      ["transpose", () => s.transpose(0, 0), 3],
      ["moveAxis", () => s.moveAxis(0, 0), 3],
      ["unflatten", () => s.unflatten(0, [1, 1]), [[3]]],
      ["unfold", () => s.unfold(0, 1), [[3]]],
      ["normalize", () => normalize(s, { axis: 0 }), 1],
      ["sort", () => s.sort({ axis: 0 }).values, 3],
      ["cumsum", () => s.cumsum({ axis: 0 }), 3],
      ["softmax", () => s.softmax(0), 1],
    ];
    for (const [name, compute, wanted] of same) expect((compute() as typeof s).toArray(), name).toEqual(wanted);
    expect(s.flip(0).storage).toBe(s.storage);
    expect(s.scatter_(0, zero, five)).toBe(s);
    expect(s.indexFill_(0, 0, 9)).toBe(s);
    expect(s.item()).toBe(9);
    expect(() => s.gather(1, zero)).toThrow("There is no axis 1 in a tensor with 1 axis");
    expect(() => s.gather(0, tensor(1, { dtype: "int64", device })).item()).toThrow(
      "outside axis 0, which has 1 element",
    );
    expectGradients((x, v) => x.scatterAdd(0, zero, v).mul(x.gather(0, zero)), [{ shape: [] }, { shape: [] }], device);
  });

  test("long sums at one place lose nothing, and come out the same each time", () => {
    const count = 100_000;
    const values = Array.from({ length: count }, () => Math.fround(random() * 2 - 1));
    const source = tensor(values, { device });
    const index = zeros([count], { dtype: "int32", device });
    const [first, second] = [0, 1].map(() => zeros([2], { device }).indexAdd(0, index, source).toArray() as number[]);
    const exact = values.reduce((sum, value) => sum + value, 0);
    expect(Math.abs(first![0]! - exact)).toBeLessThanOrEqual(Math.abs(exact) * 2 ** -23 + 1e-9);
    expect(first).toEqual(second);
    const special = tensor([NaN, 1, Infinity, 1, -Infinity, Infinity], { device });
    expect(
      zeros([3], { device })
        .indexAdd(0, indices([0, 0, 1, 1, 2, 2]), special)
        .toArray(),
    ).toEqual([NaN, Infinity, NaN]);
    expect(
      full([2], -Infinity, { device })
        .scatter(0, indices([0, 0]), special, { reduce: "max" })
        .toArray(),
    ).toEqual([NaN, -Infinity]);
  });

  test.each([1, 64, 4097, 200_000])("masks over %d elements", (count) => {
    const values = Array.from({ length: count }, () => below(3));
    const x = tensor(values, { device });
    const places = values.flatMap((value, at) => (value === 0 ? [at] : []));
    poison(device, count);
    expect(numbers(x.eq(0).nonzero())).toEqual(places);
    expect(numbers(arange(count, { device }).maskedSelect(x.eq(0)))).toEqual(places);
    expect(numbers(x.maskedFill(x.eq(0), 9))).toEqual(values.map((value) => value || 9));
    expect(numbers(x.maskedFill_(x.eq(2), -1))).toEqual(values.map((value) => (value === 2 ? -1 : value)));
  });

  test.each([15, 700, 70_001])("masks that begin anywhere, over %d elements", (count) => {
    const values = Array.from({ length: count }, () => below(2));
    const whole = tensor([0, 1, 1, ...values], { device }).to("bool");
    const mask = whole.slice([3, null]);
    const x = arange(count, { device });
    poison(device, count);
    const places = values.flatMap((value, at) => (value === 1 ? [at] : []));
    expect(numbers(mask.nonzero())).toEqual(places);
    expect(numbers(x.maskedSelect(mask))).toEqual(places);
    expect(numbers(x.remainder(100).to("int8").maskedSelect(mask))).toEqual(places.map((at) => at % 100));
    const weights = ones([count], { device });
    weights.requiresGrad = true;
    weights.maskedSelect(mask).mul(arange(places.length, { device }).add(1)).sum().backward();
    let before = 0;
    expect(numbers(weights.grad!)).toEqual(values.map((value) => (value === 1 ? ++before : 0)));
  });

  test("nonzero of several axes, and a mask that broadcasts", () => {
    expect(
      tensor(
        [
          [0, 3, 0],
          [4, 0, 5],
        ],
        { device },
      )
        .nonzero()
        .toArray(),
    ).toEqual([
      [0n, 1n],
      [1n, 0n],
      [1n, 2n],
    ]);
    expect(numbers(counted([2, 3], device).maskedSelect(tensor([true, false, true], { device })))).toEqual([
      0, 2, 3, 5,
    ]);
    expect(zeros([0, 3], { device }).nonzero().shape).toEqual([0, 2]);
  });

  test("gradients of reading", () => {
    const list = indices([2, 0, 2, -1]);
    const mask = tensor(
      [
        [true, false, true],
        [false, true, true],
      ],
      { device },
    );
    expectGradients((x) => x.get([null, null, -1], newAxis, [0, 2]), [{ shape: [3, 4] }], device);
    expectGradients((x) => x.get(null, list), [{ shape: [2, 3] }], device);
    expectGradients((x) => x.get(mask), [{ shape: [2, 3, 2] }], device);
    expectGradients(
      (x) =>
        x.gather(
          0,
          indices([
            [1, 1, 0],
            [0, 1, 1],
          ]),
        ),
      [{ shape: [2, 3] }],
      device,
    );
    expectGradients((x) => x.maskedSelect(mask), [{ shape: [2, 3] }], device);
    expectGradients((x) => x.maskedFill(mask, 2), [{ shape: [2, 3] }], device);
    expectGradients(
      (x) =>
        x.take(
          indices([
            [1, 1],
            [0, 1],
          ]),
        ),
      [{ shape: [2, 3] }],
      device,
    );
  });

  test("gradients of writing, also in place and where places coincide", () => {
    const list = indices([1, 0, 1]);
    expectGradients((x, v) => x.mul(2).set([[0, 2], 1], v), [{ shape: [3, 4] }, { shape: [2] }], device);
    expectGradients((x, v) => x.mul(2).set([null, list], v), [{ shape: [3, 4] }, { shape: [3, 1] }], device);
    expectGradients((x, v) => x.indexCopy(0, list, v), [{ shape: [3, 2] }, { shape: [3, 2] }], device);
    expectGradients((x, v) => x.indexAdd(1, list, v, { alpha: 3 }), [{ shape: [3, 2] }, { shape: [3, 3] }], device);
    for (const reduce of ["set", "mean", "prod", "max"] as const)
      for (const includeSelf of [true, false])
        expectGradients(
          (x, v) => x.indexReduce(1, list, v, { reduce, includeSelf }),
          [{ shape: [3, 2] }, { shape: [3, 3] }],
          device,
        );
    for (const reduce of ["set", "add", "prod", "mean", "max", "min"] as const)
      expectGradients(
        (x, v) =>
          x.scatter(
            0,
            indices([
              [0, 1],
              [0, 0],
            ]),
            v,
            { reduce },
          ),
        [{ shape: [3, 2] }, { shape: [2, 2] }],
        device,
      );
    expectGradients((x) => x.indexFill(0, [0], 5), [{ shape: [3, 2] }], device);
    const leaf = zeros([3], { device });
    leaf.requiresGrad = true;
    expect(() => leaf.set([0], 1)).toThrow("set would change a tensor whose gradient is wanted");
    const squared = leaf.mul(2);
    const kept = squared.square();
    squared.set([0], 1);
    expect(() => kept.sum().backward()).toThrow("has been changed in place since");
  });

  test("arguments that it does not take are refused by name", () => {
    const x = zeros([2, 3], { device });
    expect(() => x.take([0], { axes: 0 } as never)).toThrow("take has no option axes. Write axis.");
    expect(() => x.gather([0] as never, 1 as never)).toThrow(
      "gather takes an axis, a whole number, as axis but got [0]. Write gather(axis, index).",
    );
    expect(() => x.indexAdd(0, [0], [1] as never)).toThrow("indexAdd takes a tensor as source but got [1].");
    expect(() => x.maskedFill(x.gt(0), "a" as never)).toThrow(
      'maskedFill takes a number or a tensor without axes as value but got "a". Write maskedFill(mask, value).',
    );
    expect(() => x.nonzero({ asTuple: true } as never)).toThrow("nonzero has no option asTuple. It takes no options.");
    expect(() => (x.set as (...args: unknown[]) => unknown)([0], 1, 2)).toThrow(
      "set takes the entries and one value but got 2.",
    );
    expect(x.take([0], 0).shape).toEqual([1, 3]);
  });

  test("gradients of gradients", () => {
    const list = indices([1, 0, 1]);
    const x = tensor([1, 2, 3], { dtype: "float64", device });
    x.requiresGrad = true;
    const y = x.take(list, { axis: 0 });
    const [first] = gradients(y.mul(y).mul(y).sum(), [x], { createGraph: true });
    const [second] = gradients(first!.sum(), [x]);
    expect(numbers(second!)).toEqual([6, 24, 0]);
  });
});
