// Every operation of the table on every device against float64 (cases.ts): random input from a printed seed, poisoned
// memory, views, sizes around those of blocks, edge values.
import "./cache.ts";
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { full, tensor, type DType, type Tensor } from "../../native/lib/index.ts";
import { factsOf } from "../../native/lib/memory/dtype.ts";
import { apply } from "../../native/lib/ops/core/apply.ts";
import type { Operand } from "../../native/lib/ops/core/operation.ts";
import { roundingsOf } from "../../native/lib/ops/reduce/reduce-plans.ts";
import { accumulatorOf } from "../../native/lib/ops/reduce/reducers.ts";
import { binaryRows, operations, type OperationName } from "../../native/lib/ops/core/table.ts";
import { elementwiseCases, elsewhere, reductionCases, wholeCases, type Allowed, type Numbers } from "./cases.ts";
import { devices } from "./devices.ts";
import { poison, rounded, roundoff } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const floats: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];
const integers: readonly DType[] = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"];
const sizes: readonly number[] = [0, 1, 65, 768, 1000, 1025];
const most = sizes.at(-1)!;
const runSeed = freshSeed();

/** Smallest steps above zero, and largest numbers. */
const steps: Partial<Record<DType, number>> = {
  float32: 2 ** -149,
  float64: 2 ** -1074,
  float16: 2 ** -24,
  bfloat16: 2 ** -133,
};
const largest: Partial<Record<DType, number>> = {
  float32: (2 - 2 ** -23) * 2 ** 127,
  float64: Number.MAX_VALUE,
  float16: 65504,
  bfloat16: (2 - 2 ** -7) * 2 ** 127,
};
const smallestNormal: Partial<Record<DType, number>> = {
  float32: 2 ** -126,
  float64: 2 ** -1022,
  float16: 2 ** -14,
  bfloat16: 2 ** -126,
};
const computing = (dtype: DType): DType => (dtype === "float64" ? "float64" : "float32");

const run = (name: OperationName, inputs: readonly Operand[], attributes: object = {}) =>
  apply(name, inputs, attributes as never) as Tensor;
const flat = (result: Tensor): (number | bigint | boolean)[] =>
  [result.reshape([-1]).toArray()].flat() as (number | bigint | boolean)[];
/** The elements as they lie in memory. */
function bits(result: Tensor): Buffer {
  const { buffer, byteOffset, byteLength } = result.contiguous().data();
  return Buffer.from(Buffer.from(buffer, byteOffset, byteLength));
}
/** Bit for bit; only the first difference is shown. */
function expectSame(got: Tensor, wanted: Tensor): void {
  if (!bits(got).equals(bits(wanted)))
    expect(
      flat(got)
        .map((value, index) => ({ index, value }))
        .filter(({ value, index }) => !Object.is(value, flat(wanted)[index]))
        .slice(0, 3),
    ).toEqual("no difference");
}

/** Whether `got` may stand for `wanted`: NaN for NaN, the same infinity or one within the bound, the same zero. */
function isWithin(got: number, wanted: number, bound: number, dtype: DType): boolean {
  if (Number.isNaN(wanted)) return Number.isNaN(got);
  if (wanted === 0 && bound === 0) return Object.is(got, wanted);
  if (Math.abs(wanted) === Infinity) return got === wanted;
  if (Math.abs(got) === Infinity)
    return Math.sign(got) === Math.sign(wanted) && rounded(Math.abs(wanted) + bound, dtype) === Infinity;
  return got === wanted || Math.abs(got - wanted) <= bound;
}

/** The difference that a result may show before it is rounded to its dtype. */
type Difference = (wanted: number, index: number) => number;

/** What a case allows: less is worked out for 16 bits on a GPU. */
const allowedOf = (
  { allowed = 0, allowedBrief = allowed }: ElementwiseCase,
  dtype: DType,
  hasThreads: boolean,
): Allowed => (hasThreads && dtype !== computing(dtype) ? allowedBrief : allowed);

function differenceOf(allowed: Allowed, dtype: DType, operands: (index: number) => readonly number[]): Difference {
  const u = roundoff[computing(dtype)]!;
  return (wanted, index) =>
    typeof allowed === "number"
      ? allowed * (2 * u * Math.abs(wanted) + steps[computing(dtype)]!)
      : allowed(u, wanted, operands(index)) + steps[computing(dtype)]!;
}

function expectNear(
  got: readonly (number | bigint | boolean)[],
  wanted: readonly (number | boolean)[],
  dtype: DType,
  difference: Difference,
  of: (index: number) => unknown,
): void {
  expect(got.length).toBe(wanted.length);
  const isNarrow = dtype !== computing(dtype);
  const wrong = wanted.flatMap((want, index) => {
    if (typeof want === "boolean") return got[index] === want ? [] : [{ index, got: got[index], want, of: of(index) }];
    const before = difference(want, index);
    // A float64 reference has roundings of its own, and a narrow dtype one more.
    const after =
      dtype === "float64"
        ? 4 * 2 ** -53 * Math.abs(want)
        : isNarrow
          ? roundoff[dtype]! * (Math.abs(want) + before) + steps[dtype]! / 2
          : 0;
    const bound = before === 0 && (!isNarrow || rounded(want, dtype) === want) ? 0 : before + after;
    return isWithin(Number(got[index]), want, bound, dtype)
      ? []
      : [{ index, got: got[index], want, bound, of: of(index) }];
  });
  expect(wrong.slice(0, 4)).toEqual([]);
}

/** Results of reductions: bool and int64 exactly. */
function expectReduced(
  got: readonly (number | bigint | boolean)[],
  groups: readonly (readonly number[])[],
  of: (values: readonly number[]) => number | boolean,
  difference: (wanted: number, group: readonly number[]) => number,
  dtype: DType,
): void {
  if (typeof got[0] === "bigint") expect(got.map(Number)).toEqual(groups.map(of));
  else
    expectNear(
      got,
      groups.map(of),
      dtype,
      (want, index) => difference(want, groups[index]!),
      (index) => groups[index]!.slice(0, 5),
    );
}

/** Numbers of a dtype within a range, some of them wherever its integers are. */
function randomNumbers(seed: number, count: number, dtype: DType, [low, high]: readonly [number, number]): number[] {
  const random = seeded(seed);
  return Array.from({ length: count }, () => rounded(low + (high - low) * random(), dtype));
}

function randomIntegers(seed: number, count: number, dtype: DType): bigint[] {
  const random = seeded(seed);
  const [low, high] = factsOf(dtype).range!.map(BigInt) as [bigint, bigint];
  const special = [low, high, 0n, 1n, low + 1n, high - 1n, -1n, 2n, 3n].filter((x) => x >= low && x <= high);
  return Array.from({ length: count }, () => {
    if (random() < 0.3) return special[Math.floor(random() * special.length)]!;
    if (random() < 0.3) return BigInt(Math.floor(random() * 20)) - (low < 0n ? 10n : 0n);
    return (
      low +
      (((BigInt(Math.floor(random() * 2 ** 32)) << 32n) | BigInt(Math.floor(random() * 2 ** 32))) % (high - low + 1n))
    );
  });
}

const wrapped = (value: bigint, dtype: DType) => {
  const { bytes, range } = factsOf(dtype);
  const result = range![0] < 0 ? BigInt.asIntN(8 * bytes, value) : BigInt.asUintN(8 * bytes, value);
  return bytes === 8 ? result : Number(result);
};

/** Three ways to hold the same numbers: as they are, transposed, and every second one of a longer array. */
function views(
  values: readonly (number | bigint | boolean)[],
  shape: readonly [number, number],
  dtype: DType,
  device: string,
): Tensor[] {
  const [rows, columns] = shape;
  const make = (list: readonly (number | bigint | boolean)[]) => tensor(list as number[], { dtype, device });
  const turned = Array.from(
    { length: rows * columns },
    (_, index) => values[(index % rows) * columns + Math.floor(index / rows)]!,
  );
  const spaced = values.flatMap((value) => [values[0]!, value]);
  return [
    make(values).reshape(shape),
    make(turned).reshape([columns, rows]).T,
    make(spaced).reshape([rows, columns, 2]).slice(null, null, 1),
  ];
}

/** The same numbers with the first axis innermost in memory. */
function otherwiseLaidOut(x: Tensor): Tensor {
  const axes = [...x.shape.keys()];
  return x.transpose(axes.toReversed()).clone().transpose(axes.toReversed());
}

/** Where a function has no value that every system agrees on, edge values are those for which this holds. */
const special: Partial<Record<OperationName, (x: number, y: number) => boolean>> = {
  lgamma: (x) => !(x < 0),
  // Powers of numbers below 0 have no sign in the limit.
  zeta: (s, q) => !(s === Infinity && q < 0),
  // The reference works out as many values as x is large.
  ...Object.fromEntries(
    ["besselJ0", "besselJ1", "besselY0", "besselY1"].map((name) => [
      name,
      (x: number) => !(Math.abs(x) > 1000) || Math.abs(x) === Infinity,
    ]),
  ),
  // Its second operand is a tanh.
  tanhGradient: (_, y) => !(Math.abs(y) > 1),
};

const label = ({ name, attributes }: { name: string; attributes?: object }) =>
  `${name}${attributes === undefined ? "" : ` ${JSON.stringify(attributes)}`}`;
const listed = <C extends { name: string; attributes?: object }>(cases: readonly C[]) =>
  cases.map((each) => [label(each), each] as const);

describe.each(
  devices.map(({ name, properties }) => [name, properties.libraryBlock > 1] as const),
)("on %s", (device, hasThreads) => {
  const make = (values: readonly (number | bigint | boolean)[], dtype: DType) =>
    tensor(values as number[], { dtype, device });

  describe.each(floats)("%s", (dtype) => {
    test.each(listed(elementwiseCases.filter(({ of }) => of !== undefined)))("%s", (_, row) => {
      const { name, attributes, ranges, of } = row;
      const allowed = allowedOf(row, dtype, hasThreads);
      const columns = ranges.map((range, operand) => randomNumbers(runSeed + operand, most, dtype, range));
      const check = (got: Tensor, operands: (index: number) => number[], count: number) =>
        expectNear(
          flat(got),
          Array.from({ length: count }, (_, index) => of!(...operands(index))),
          dtype,
          differenceOf(allowed, dtype, operands),
          operands,
        );
      const straight = (index: number) => columns.map((column) => column[index]!);
      for (const size of sizes) {
        const operands = columns.map((column) => make(column.slice(0, size), dtype));
        poison(device, size);
        const got = run(name, operands, attributes);
        check(got, straight, size);
        // Bit for bit the same the second time.
        expectSame(run(name, operands, attributes), got);
      }
      const shape = [25, 41] as const;
      const held = columns.map((column) => views(column, shape, dtype, device));
      for (let view = 1; view < 3; view++) {
        poison(device, most);
        check(
          run(
            name,
            held.map((list, operand) => list[operand === 0 ? view : view - 1]!),
            attributes,
          ),
          straight,
          most,
        );
      }
      if (ranges.length === 1) return;
      const [a, b] = columns as [number[], number[]];
      check(
        run(name, [make(a, dtype).reshape([...shape]), make(b.slice(0, 41), dtype)], attributes),
        (index) => [a[index]!, b[index % 41]!],
        most,
      );
      check(
        run(name, [make(a.slice(0, 25), dtype).reshape([25, 1]), make(b.slice(0, 41), dtype)], attributes),
        (index) => [a[Math.floor(index / 41)]!, b[index % 41]!],
        most,
      );
    });

    test.each(
      listed(elementwiseCases.filter(({ of }) => of !== undefined)),
    )("%s of NaN, infinities, zeros and extremes", (_, row) => {
      const { name, attributes, ranges, of } = row;
      const allowed = allowedOf(row, dtype, hasThreads);
      const limits = [0, -0, Infinity, -Infinity, NaN, 1, -1, largest[dtype]!, -largest[dtype]!];
      const tiny = [smallestNormal[dtype]!, -smallestNormal[dtype]!];
      const list = [...limits, 2.5, ...tiny];
      // A gradient's operands are results and finite gradients.
      const points = ranges.length === 1 ? list.map((x) => [x]) : list.flatMap((x) => list.map((y) => [x, y]));
      const domain = special[name];
      const chosen = domain === undefined ? points : points.filter((point) => domain(...(point as [number, number])));
      const operands = ranges.map((_, operand) =>
        make(
          chosen.map((point) => point[operand]!),
          dtype,
        ),
      );
      const point = (index: number) => chosen[index]!;
      expectNear(
        flat(run(name, operands, attributes)),
        chosen.map((values) => of!(...values)),
        dtype,
        differenceOf(allowed, dtype, point),
        point,
      );
    });

    test.each(
      listed(elementwiseCases.filter(({ name, of }) => of !== undefined && name in binaryRows)),
    )("%s with a number on either side, and in place", (_, { name }) => {
      const values = randomNumbers(runSeed, most, dtype, [-3, 3]);
      for (const number of [1.5, -2, 0]) {
        const x = make(values, dtype);
        const same = full([most], number, { dtype, device });
        expectSame(run(name, [x, number]), run(name, [x, same]));
        expectSame(run(name, [number, x]), run(name, [same, x]));
        const changed = (x as unknown as Record<string, ((other: number) => Tensor) | undefined>)[`${name}_`];
        if (changed === undefined) continue;
        const wanted = run(name, [x, number]);
        expectSame(changed.call(x, number), wanted);
      }
    });

    test.each(listed(reductionCases))("%s", (_, { name, attributes, range, of, allowed }) => {
      const u = roundoff[accumulatorOf(dtype)]!;
      // The long one is worked out by several blocks.
      for (const length of [...sizes.filter((size) => size > 0), ...(dtype === "float32" ? [40_000] : [])]) {
        const values = randomNumbers(runSeed, length * 6, dtype, range).map((x) =>
          range[0] === 0 ? Math.round(x) : x,
        );
        const x = make(values, dtype);
        const layouts: [number[], number[], (group: number, index: number) => number][] = [
          [[6, length], [1], (group, index) => group * length + index],
          [[length, 6], [0], (group, index) => index * 6 + group],
          [[2, length, 3], [1], (group, index) => (Math.floor(group / 3) * length + index) * 3 + (group % 3)],
          [[3, length, 2], [1, 2], (group, index) => group * 2 * length + index],
          [[2, length, 3], [0, 2], (group, index) => (Math.floor(index / 3) * length + group) * 3 + (index % 3)],
        ];
        for (const [shape, axes, place] of length > most ? layouts.slice(0, 2) : layouts) {
          const count = axes.reduce((size, axis) => size * shape[axis]!, 1);
          const groups = Array.from({ length: (6 * length) / count }, (_, group) =>
            Array.from({ length: count }, (_, index) => values[place(group, index)]!),
          );
          if (groups.length > 200) continue;
          poison(device, values.length);
          const shaped = x.reshape(shape);
          const got = run(name, [shaped], { axes, keepdims: false, ...attributes });
          expectReduced(flat(got), groups, of, (want, group) => allowed(u, want, group, roundingsOf(count)), dtype);
          expectSame(run(name, [shaped], { axes, keepdims: true, ...attributes }).reshape(got.shape), got);
        }
        const turned = run(name, [x.reshape([length, 6]).T], { axes: [1], keepdims: true, ...attributes });
        expect(turned.shape).toEqual([6, 1]);
        const groups = Array.from({ length: 6 }, (_, group) =>
          Array.from({ length }, (_, index) => values[index * 6 + group]!),
        );
        expectReduced(flat(turned), groups, of, (want, group) => allowed(u, want, group, roundingsOf(length)), dtype);
      }
    });

    test.each(listed(reductionCases))("%s of NaN and infinities", (_, { name, attributes, of }) => {
      for (const values of [
        [NaN, 1, 2],
        [1, NaN, 2],
        [Infinity, 1, 2],
        [-Infinity, 1, 2],
        [Infinity, 2, Infinity],
        [0, 0, 0],
        [-1, NaN, NaN],
      ]) {
        const long = Array.from({ length: 300 }, (_, index) => values[index % 3]!);
        const group = [long];
        expectReduced(
          flat(run(name, [make(long, dtype)], { axes: [0], keepdims: false, ...attributes })),
          group,
          of,
          (want) => (Number.isFinite(want) ? 2 ** -7 * Math.abs(want) : 0),
          dtype,
        );
      }
    });

    test.each(
      listed(wholeCases).map(
        ([text, each]) =>
          [`${text} of ${each.shapes.map((shape) => `[${shape.join(", ")}]`).join(", ")}`, each] as const,
      ),
    )("%s", (_, { name, shapes, attributes, of, allowed, isMasked }) => {
      const inputs: Numbers[] = shapes.map((shape, operand) => {
        const values = randomNumbers(
          runSeed + operand,
          shape.reduce((size, length) => size * length, 1),
          dtype,
          [-2, 2],
        );
        return { shape, values: isMasked && operand === 0 ? values.map((x) => Number(x > 0)) : values };
      });
      const wanted = of(...inputs);
      const u = roundoff[accumulatorOf(dtype)]!;
      const operands = inputs.map(({ shape, values }, operand) =>
        (isMasked && operand === 0 ? make(values.map(Boolean), "bool") : make(values, dtype)).reshape(shape),
      );
      // A view by strides is told which strides.
      for (const given of name === "reshape" ? [operands] : [operands, operands.map(otherwiseLaidOut)]) {
        poison(device, wanted.values.length);
        const got = run(name, given, attributes);
        expect(got.shape).toEqual(wanted.shape);
        expect(got.dtype).toBe(dtype);
        expectNear(
          flat(got),
          wanted.values,
          dtype,
          allowed === undefined ? () => 0 : (_, index) => allowed(u, index, ...inputs),
          () => shapes,
        );
      }
    });
  });

  test.each(
    listed(elementwiseCases.filter(({ ofIntegers }) => ofIntegers !== undefined)).flatMap(([text, each]) =>
      integers.map((dtype) => [text, dtype, each] as const),
    ),
  )("%s of %s wraps around", (_, dtype, { name, ranges, ofIntegers }) => {
    const columns = ranges.map((_, operand) => randomIntegers(runSeed + operand, most, dtype));
    const wanted = columns[0]!
      .map((_, index) => ofIntegers!(...columns.map((column) => column[index]!)))
      .map((value) => (typeof value === "boolean" ? value : wrapped(value, dtype)));
    for (const size of sizes) {
      const operands = columns.map((column) => make(column.slice(0, size), dtype));
      poison(device, size);
      const got = run(name, operands);
      expect(got.dtype).toBe(typeof wanted[0] === "boolean" ? "bool" : dtype);
      expect(flat(got)).toEqual(wanted.slice(0, size));
    }
    const held = columns.map((column) => views(column, [25, 41], dtype, device));
    expect(
      flat(
        run(
          name,
          held.map((list) => list[1]!),
        ),
      ),
    ).toEqual(wanted);
    expect(
      flat(
        run(
          name,
          held.map((list) => list[2]!),
        ),
      ),
    ).toEqual(wanted);
    if (ranges.length === 1) return;
    for (const number of [3n, 0n, factsOf(dtype).range![0] < 0 ? -1n : 1n]) {
      const given = factsOf(dtype).bytes === 8 ? number : Number(number);
      const [x] = columns as [bigint[]];
      const right = x
        .map((value) => ofIntegers!(value, number))
        .map((value) => (typeof value === "boolean" ? value : wrapped(value, dtype)));
      const left = x
        .map((value) => ofIntegers!(number, value))
        .map((value) => (typeof value === "boolean" ? value : wrapped(value, dtype)));
      expect(flat(run(name, [make(x, dtype), given]))).toEqual(right);
      expect(flat(run(name, [given, make(x, dtype)]))).toEqual(left);
    }
  });

  test.each(listed(elementwiseCases.filter(({ ofBools }) => ofBools !== undefined)))("%s of bools", (_, {
    name,
    ranges,
    ofBools,
  }) => {
    const columns =
      ranges.length === 1
        ? [[true, false]]
        : [
            [true, true, false, false],
            [true, false, true, false],
          ];
    expect(
      flat(
        run(
          name,
          columns.map((column) => make(column, "bool")),
        ),
      ),
    ).toEqual(columns[0]!.map((_, index) => ofBools!(...columns.map((column) => column[index]!))));
  });

  test.each(
    listed(reductionCases.filter(({ ofIntegers }) => ofIntegers !== undefined)).flatMap(([text, each]) =>
      integers.map((dtype) => [text, dtype, each] as const),
    ),
  )("%s of %s is exact", (_, dtype, { name, ofIntegers }) => {
    for (const length of sizes.filter((size) => size > 0)) {
      const values = randomIntegers(runSeed + length, 3 * length, dtype);
      const groups = [0, 1, 2].map((row) => values.slice(row * length, (row + 1) * length));
      const wanted = groups.map((group) => ofIntegers!(group));
      for (const [shaped, axes] of [
        [make(values, dtype).reshape([3, length]), [1]],
        [otherwiseLaidOut(make(values, dtype).reshape([3, length])), [1]],
        [make(values, dtype).reshape([3, length]).T.clone(), [0]],
      ] as const) {
        poison(device, 3);
        const got = run(name, [shaped], { axes, keepdims: false });
        const exact = wanted.map((value) =>
          typeof value !== "bigint"
            ? value
            : got.dtype === "int64" || got.dtype === "uint64"
              ? wrapped(value, got.dtype)
              : Number(value),
        );
        expect(flat(got)).toEqual(exact);
      }
    }
  });
});

test("every operation of the table has a case, here or in the file that says so", () => {
  const here = new Set<string>([...elementwiseCases, ...reductionCases, ...wholeCases].map(({ name }) => name));
  const missing = Object.keys(operations).filter((name) => {
    const file = elsewhere[name as OperationName];
    return !here.has(name) && (file === undefined || !existsSync(new URL(`../../${file}`, import.meta.url)));
  });
  expect(missing).toEqual([]);
});
