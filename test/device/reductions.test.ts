// Reductions against float64: every operation, every choice of axes, views, edge values, and their gradients by finite
// differences.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { arange, gradients, std, sum, tensor, zeros, type DType, type Tensor } from "../../native/lib/index.ts";
import { roundingsOf } from "../../native/lib/ops/reduce/reduce-plans.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradients.ts";
import { poison, randomValues, roundoff } from "./numbers.ts";

type Figure = { value: number; bound: number };
type Case = {
  readonly run: (x: Tensor, options: object) => Tensor;
  readonly of: (values: number[], u: number) => Figure;
};

const sumOf = (values: readonly number[], each: (x: number) => number = (x) => x) =>
  values.reduce((sum, value) => sum + each(value), 0);
const added = (values: readonly number[], u: number, each: (x: number) => number, slack = 1): Figure => ({
  value: sumOf(values, each),
  bound: (roundingsOf(values.length) + slack) * u * sumOf(values, (x) => Math.abs(each(x))),
});
const exact = (value: number): Figure => ({ value, bound: 0 });

function variance(values: readonly number[], u: number, correction: number): Figure {
  const mean = sumOf(values) / values.length;
  const squares = sumOf(values, (x) => (x - mean) ** 2);
  // Chan, Golub and LeVeque: the condition number of the variance times the depth of the tree.
  const condition = Math.sqrt(1 + (values.length * mean ** 2) / (squares || 1));
  const value = squares / (values.length - correction);
  return { value, bound: 8 * (roundingsOf(values.length) + 2) * u * condition * Math.abs(value) };
}

const cases: Record<string, Case> = {
  sum: { run: (x, o) => x.sum(o), of: (v, u) => added(v, u, (x) => x) },
  mean: {
    run: (x, o) => x.mean(o),
    of: (v, u) => {
      const { value, bound } = added(v, u, (x) => x, 2);
      return { value: value / v.length, bound: bound / v.length };
    },
  },
  prod: {
    run: (x, o) => x.prod(o),
    of: (v, u) => {
      const value = v.reduce((p, x) => p * x, 1);
      return { value, bound: 2 * v.length * u * Math.abs(value) + 1e-40 };
    },
  },
  max: { run: (x, o) => x.max(o), of: (v) => exact(v.reduce((a, b) => Math.max(a, b), -Infinity)) },
  min: { run: (x, o) => x.min(o), of: (v) => exact(v.reduce((a, b) => Math.min(a, b), Infinity)) },
  argmax: { run: (x, o) => x.argmax(o), of: (v) => exact(v.reduce((best, x, at) => (x > v[best]! ? at : best), 0)) },
  argmin: { run: (x, o) => x.argmin(o), of: (v) => exact(v.reduce((best, x, at) => (x < v[best]! ? at : best), 0)) },
  any: { run: (x, o) => x.gt(1.95).any(o), of: (v) => exact(Number(v.some((x) => x > 1.95))) },
  all: { run: (x, o) => x.lt(1.95).all(o), of: (v) => exact(Number(v.every((x) => x < 1.95))) },
  norm: {
    run: (x, o) => x.norm(o),
    of: (v, u) => {
      const value = Math.sqrt(sumOf(v, (x) => x * x));
      return { value, bound: (roundingsOf(v.length) + 3) * u * value };
    },
  },
  "norm of ord 1": { run: (x, o) => x.norm({ ...o, ord: 1 }), of: (v, u) => added(v, u, Math.abs) },
  "norm of ord Infinity": {
    run: (x, o) => x.norm({ ...o, ord: Infinity }),
    of: (v) => exact(v.reduce((a, b) => Math.max(a, Math.abs(b)), 0)),
  },
  "norm of ord -Infinity": {
    run: (x, o) => x.norm({ ...o, ord: -Infinity }),
    of: (v) => exact(v.reduce((a, b) => Math.min(a, Math.abs(b)), Infinity)),
  },
  "norm of ord 0": { run: (x, o) => x.norm({ ...o, ord: 0 }), of: (v, u) => added(v, u, (x) => Number(x !== 0)) },
  logsumexp: {
    run: (x, o) => x.logsumexp(o),
    // Each joining of two states rounds a difference, an exponential and a product; an error of the sum is one of the
    // logarithm relative to 1.
    of: (v, u) => {
      const value = Math.log(sumOf(v, Math.exp));
      return { value, bound: u * (8 * (roundingsOf(v.length) + 4) + 2 * Math.abs(value)) };
    },
  },
  var: { run: (x, o) => x.var(o), of: (v, u) => variance(v, u, 1) },
  "var with correction 0": { run: (x, o) => x.var({ ...o, correction: 0 }), of: (v, u) => variance(v, u, 0) },
  std: {
    run: (x, o) => x.std(o),
    of: (v, u) => {
      const { value, bound } = variance(v, u, 1);
      return { value: Math.sqrt(value), bound: bound / Math.sqrt(value || 1) + u * value };
    },
  },
};

/** The elements that each result is made of, in row-major order of the results. */
function groups(values: readonly number[], shape: readonly number[], axes: readonly number[]): number[][] {
  const kept = shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
  const result: number[][] = Array.from({ length: kept.reduce((n, axis) => n * shape[axis]!, 1) }, () => []);
  const position = shape.map(() => 0);
  for (const value of values) {
    result[kept.reduce((at, axis) => at * shape[axis]! + position[axis]!, 0)]!.push(value);
    for (let axis = shape.length - 1; axis >= 0 && ++position[axis]! === shape[axis]; axis--) position[axis] = 0;
  }
  return result;
}

/** Random numbers; for products most are 1 and none is near 0, so that they stay in the range of float16. */
function valuesFor(name: string, size: number, dtype: DType): number[] {
  return randomValues(size, dtype).map((value, at) =>
    name === "prod" && (at % 9 !== 0 || Math.abs(value) < 0.5) ? 1 : value,
  );
}

const flat = (x: Tensor) => [x.reshape([-1]).toArray()].flat().map(Number);

describe.each(devices.map(({ name }) => name))("reductions on %s", (device) => {
  function check(
    name: string,
    dtype: DType,
    x: Tensor,
    values: readonly number[],
    shape: readonly number[],
    axes: readonly number[],
  ): void {
    const { run, of } = cases[name]!;
    poison(device, x.size);
    const y = run(x, { axis: axes });
    const got = flat(y);
    const rounding = y.dtype === dtype ? roundoff[dtype]! : 0;
    const wanted = groups(values, shape, axes);
    expect(got.length).toBe(wanted.length);
    wanted.forEach((group, index) => {
      const { value, bound } = of(group, roundoff[dtype === "float64" ? "float64" : "float32"]!);
      const rounded = cases[name] === cases["sum"] || bound > 0 ? rounding * Math.abs(value) * 1.01 : 0;
      const difference = Math.abs(got[index]! - value);
      if (
        !(difference <= bound + rounded + group.length * 2 ** -53 * Math.abs(value)) &&
        !(Number.isNaN(value) && Number.isNaN(got[index]!))
      ) {
        throw new Error(
          `${name} of ${dtype} [${shape.join(", ")}] over [${axes.join(", ")}], result ${index}: ${got[index]} is ${difference} from ${value}, bound ${bound + rounded}.`,
        );
      }
    });
  }

  const shapes: readonly (readonly number[])[] = [[65], [1, 768, 1], [3, 5, 7], [2, 65, 130], [1025, 3], [2, 3, 1000]];
  describe.each(Object.keys(cases))("%s", (name) => {
    test.each(["float32", "float64", "float16", "bfloat16"] as const)("of %s over every choice of axes", (dtype) => {
      for (const shape of dtype === "float32" || dtype === "float64" ? shapes : shapes.slice(2, 4)) {
        const size = shape.reduce((n, each) => n * each, 1);
        const values = valuesFor(name, size, dtype);
        const x = tensor(values, { dtype, device }).reshape(shape);
        const rank = shape.length;
        for (let mask = 1; mask < 2 ** rank; mask++) {
          const axes = [...Array(rank).keys()].filter((axis) => (mask >> axis) & 1);
          if (name === "prod" && axes.reduce((n, axis) => n * shape[axis]!, 1) > 130) continue;
          if (/var|std/.test(name) && axes.reduce((n, axis) => n * shape[axis]!, 1) < 3) continue;
          check(name, dtype, x, values, shape, axes);
        }
      }
    });

    test("of views: transposed, stepped, stretched", () => {
      const values = valuesFor(name, 24 * 10, "float32");
      const x = tensor(values, { dtype: "float32", device }).reshape([4, 6, 10]);
      const turned = x.transpose([2, 0, 1]);
      check(name, "float32", turned, flat(turned), [10, 4, 6], [1, 2]);
      check(name, "float32", turned, flat(turned), [10, 4, 6], [0]);
      const stepped = x.slice(null, [0, 6, 2], [1, 9, 3]);
      check(name, "float32", stepped, flat(stepped), [...stepped.shape], [0, 2]);
      const wide = x.slice([0, 1]).expand([3, 6, 10]);
      check(name, "float32", wide, flat(wide), [3, 6, 10], [0, 1]);
    });
  });

  test("long rows, many rows and odd counts go in parts", () => {
    for (const [shape, axes] of [
      [[1, 300_001], [1]],
      [[300_001, 1], [0]],
      [[66_000, 5], [1]],
      [[5, 66_000], [0]],
      [[70_001, 3], [0]],
      [[3, 1001, 70], [1]],
    ] as const) {
      const values = randomValues(
        shape.reduce((n: number, each) => n * each, 1),
        "float32",
      );
      const x = tensor(values, { dtype: "float32", device }).reshape(shape);
      for (const name of ["sum", "max", "argmin", "var", "logsumexp", "norm"])
        check(name, "float32", x, values, shape, axes);
    }
  });

  // Rows of 32 to 512 elements are made 32 at a time where a block is one thread.
  describe("short rows, with gaps and without", () => {
    const lengths = [31, 32, 33, 64, 95, 257, 512, 513];
    const ofRows = (values: readonly number[], dtype: DType, rows: number, length: number) => {
      const x = tensor(values, { dtype, device })
        .reshape([rows, length + 3])
        .slice(null, [0, length]);
      return [x, x.clone()];
    };
    test.each(["float32", "float64"] as const)("of %s, some not a number", (dtype) => {
      for (const length of lengths)
        for (const rows of [1, 31, 70]) {
          const values = randomValues(rows * (length + 3), dtype);
          for (const [row, at] of [
            [3, 0],
            [11, 17],
            [30, length - 1],
          ] as const)
            if (row < rows) values[row * (length + 3) + at] = NaN;
          for (const x of ofRows(values, dtype, rows, length))
            for (const name of ["sum", "max", "min", "norm"]) check(name, dtype, x, flat(x), [rows, length], [1]);
        }
    });
    test.each(["int32", "int64"] as const)("of %s", (dtype) => {
      for (const length of lengths) {
        const values = randomValues(70 * (length + 3), "float32").map((x) => Math.round(1000 * x));
        for (const x of ofRows(values, dtype, 70, length))
          for (const name of ["sum", "max", "min"])
            expect(flat(cases[name]!.run(x, { axis: 1 }))).toEqual(
              groups(flat(x), [70, length], [1]).map((group) => cases[name]!.of(group, 0).value),
            );
      }
    });
    test("of infinities", () => {
      const x = tensor(Array(40 * 64).fill(-Infinity), { dtype: "float32", device }).reshape([40, 64]);
      expect(flat(x.max({ axis: 1 }))).toEqual(Array(40).fill(-Infinity));
      expect(flat(x.neg().min({ axis: 1 }))).toEqual(Array(40).fill(Infinity));
    });
  });

  // Rows with gaps, elements that lie apart, and columns of which rows begin anywhere are reduced where they lie.
  test.each(["float32", "float64", "float16", "bfloat16"] as const)("of %s where they lie", (dtype) => {
    const store = (...shape: number[]) =>
      tensor(
        randomValues(
          shape.reduce((n, each) => n * each, 1),
          dtype,
        ),
        { dtype, device },
      ).reshape(shape);
    const views: Record<string, readonly [Tensor, readonly number[]]> = {
      "sliced rows": [store(9, 1007).slice(null, [3, 1003]), [1]],
      "short sliced rows": [store(70, 19).slice(null, [1, 12]), [1]],
      "stepped rows": [store(9, 1400).slice(null, [0, null, 2]), [1]],
      "turned rows": [store(9, 131).slice(null, [null, null, -1]), [1]],
      "a long stepped row": [store(1, 40_001).slice(null, [1, null, 2]), [1]],
      "stretched rows": [store(1, 300).expand([40, 300]), [1]],
      "rows of one": [store(777, 1), [1]],
      "transposed rows": [store(40, 131).swapAxes(0, 1), [1]],
      "sliced columns": [store(37, 203).slice(null, [3, 134]), [0]],
      "columns of odd slabs": [store(6, 9, 131).slice(null, null, [1, null]), [1]],
      "many sliced rows of columns": [store(1300, 70).slice([1, null], [2, 69]), [0]],
      "turned columns": [store(30, 67).slice([null, null, -1]), [0]],
    };
    for (const [where, [x, axes]] of Object.entries(views))
      for (const name of ["sum", "max", "argmin", "var", "norm", "logsumexp"]) {
        if (where === "rows of one" && name === "var") continue;
        check(name, dtype, x, flat(x), x.shape, axes);
      }
    const any = store(35, 131).slice(null, [2, null]).gt(1.5);
    expect(any.any({ axis: 0 }).toArray()).toEqual(any.to("float32").sum({ axis: 0 }).gt(0).toArray());
  });

  test("small integers where they lie", () => {
    const x = arange(40 * 150, { device })
      .remainder(251)
      .sub(125)
      .to("int8")
      .reshape([40, 150])
      .slice(null, [3, 148]);
    const rows = x.toArray() as number[][];
    const columns = rows[0]!.map((_, column) => rows.map((row) => row[column]!));
    expect(x.max({ axis: 0 }).toArray()).toEqual(columns.map((column) => Math.max(...column)));
    expect(x.argmin({ axis: 0 }).toArray().map(Number)).toEqual(
      columns.map((column) => column.indexOf(Math.min(...column))),
    );
    expect(x.sum({ axis: 1 }).toArray().map(Number)).toEqual(
      rows.map((row) => row.reduce((sum, each) => sum + each, 0)),
    );
  });

  test("many rows that are the same are reduced once", () => {
    const row = randomValues(70, "float32");
    const x = tensor(row, { device }).reshape([1, 70]).expand([2, 66_000, 70]);
    const one = tensor(row, { device });
    for (const name of ["sum", "argmax", "std", "any"] as const) {
      const got = x[name]({ axis: 2, keepdims: true });
      expect(got.shape).toEqual([2, 66_000, 1]);
      expect(got.to("float32").min().item()).toBe(one[name]().to("float32").item());
      expect(got.to("float32").max().item()).toBe(one[name]().to("float32").item());
    }
  });

  test("the same bits from run to run", () => {
    const x = tensor(randomValues(200_000, "float32"), { dtype: "float32", device });
    for (const run of [
      () => x.sum(),
      () => x.std(),
      () => x.logsumexp(),
      () => x.norm(),
      () => x.reshape([1000, 200]).sum({ axis: 0 }).sum(),
    ])
      expect(run().item()).toBe(run().item());
  });

  test("NaN, infinities and zeros", () => {
    const of = (values: number[]) => tensor(values, { device });
    expect(of([1, NaN, 3, NaN]).argmax().item()).toBe(1);
    expect(of([1, NaN, 3, NaN]).argmin().item()).toBe(1);
    expect(of([2, 5, 5, 2]).argmax().item()).toBe(1);
    expect(of([2, 5, 5, 2]).argmin().item()).toBe(0);
    expect(of([-Infinity, -Infinity]).argmax().item()).toBe(0);
    expect(of([1, NaN]).max().item()).toBe(NaN);
    expect(of([1, NaN]).prod().item()).toBe(NaN);
    expect(of([1, NaN]).logsumexp().item()).toBe(NaN);
    expect(of([-Infinity, -Infinity]).logsumexp().item()).toBe(-Infinity);
    expect(of([Infinity, -Infinity, 1]).logsumexp().item()).toBe(Infinity);
    expect(of([Infinity, Infinity]).logsumexp().item()).toBe(Infinity);
    expect(of([1000, 1000]).logsumexp().item()).toBeCloseTo(1000 + Math.log(2), 3);
    expect(of([-Infinity, 0]).logsumexp().item()).toBe(0);
    expect(of([0, 0]).any().item()).toBe(false);
    expect(of([0, NaN]).any().item()).toBe(true);
    expect(of([NaN, 1]).all().item()).toBe(true);
    expect(of([-0, 1]).all().item()).toBe(false);
    expect(of([5]).var().item()).toBe(NaN);
    expect(of([5]).var({ correction: 0 }).item()).toBe(0);
    expect(of([1, Infinity]).std().item()).toBe(NaN);
    expect(of([Infinity, 1]).norm().item()).toBe(Infinity);
  });

  test("over no elements", () => {
    const none = zeros([0, 3], { device });
    expect(none.prod({ axis: 0 }).toArray()).toEqual([1, 1, 1]);
    expect(none.any({ axis: 0 }).toArray()).toEqual([false, false, false]);
    expect(none.all({ axis: 0 }).toArray()).toEqual([true, true, true]);
    expect(none.logsumexp({ axis: 0 }).toArray()).toEqual([-Infinity, -Infinity, -Infinity]);
    expect(none.norm({ axis: 0 }).toArray()).toEqual([0, 0, 0]);
    expect(none.std({ axis: 0 }).toArray()).toEqual([NaN, NaN, NaN]);
    expect(none.argmax({ axis: 1 }).shape).toEqual([0]);
    expect(() => none.argmax({ axis: 0 })).toThrow("argmax over no elements has no value: the shape is [0, 3].");
  });

  test("integers and bool: products in 64 bits, extremes, positions", () => {
    const x = tensor([3, -2, 7, 7], { dtype: "int8", device });
    expect(x.prod().item()).toBe(-294);
    expect(x.argmax().item()).toBe(2);
    expect(x.min().item()).toBe(-2);
    expect(
      tensor(
        [
          [true, false],
          [true, true],
        ],
        { device },
      )
        .all({ axis: 1, keepdims: true })
        .toArray(),
    ).toEqual([[false], [true]]);
    expect(tensor([0, 0, 3], { dtype: "int16", device }).any().item()).toBe(true);
    expect(
      tensor([2n ** 63n, 1n], { dtype: "uint64", device })
        .max()
        .toArray(),
    ).toBe(2n ** 63n);
  });

  test("gradients of every one, and of its gradient", () => {
    const values = [
      [0.5, -1.25, 2],
      [1.5, 0.75, -0.4],
    ];
    const x = tensor(values, { dtype: "float64", device });
    for (const axis of [0, 1, [0, 1]]) {
      for (const run of [
        (y: Tensor) => y.sum({ axis }),
        (y: Tensor) => y.mean({ axis }),
        (y: Tensor) => y.prod({ axis }),
        (y: Tensor) => y.max({ axis }),
        (y: Tensor) => y.min({ axis }),
        (y: Tensor) => y.norm({ axis }),
        (y: Tensor) => y.norm({ axis, ord: 1 }),
        (y: Tensor) => y.norm({ axis, ord: 3 }),
        (y: Tensor) => y.norm({ axis, ord: Infinity }),
        (y: Tensor) => y.logsumexp({ axis }),
        (y: Tensor) => y.var({ axis }),
        (y: Tensor) => y.std({ axis, correction: 0 }),
      ])
        expectGradients(run, [x], { twice: true });
    }
    expectGradients(
      (y) => y.prod({ axis: 1 }),
      [
        tensor(
          [
            [2, 0, 3],
            [0, 0, 1],
          ],
          { dtype: "float64", device },
        ),
      ],
    );
    const tied = tensor([1, 3, 3], { device });
    tied.requiresGrad = true;
    expect(gradients(tied.max(), [tied])[0]!.toArray()).toEqual([0, 0.5, 0.5]);
    expect(() => gradients(tied.argmax().to("float32").mul(tied).sum(), [tied])).not.toThrow();
  });

  test("NumPy's and PyTorch's spellings, functions, the elements' dtype, and axes of a tensor without any", () => {
    const x = tensor(
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
      { device },
    );
    expect(x.sum(0).toArray()).toEqual([5, 7, 9]);
    expect(x.sum(-1, true).toArray()).toEqual([[6], [15]]);
    expect(x.mean({ dim: 1, keepdim: true }).toArray()).toEqual([[2], [5]]);
    expect(x.max([0, 1]).item()).toBe(6);
    expect(sum(x, { axis: 1 }).toArray()).toEqual([6, 15]);
    expect(x.var({ ddof: 0 }).item()).toBe(x.var({ correction: 0 }).item());
    expect(x.std({ unbiased: false }).item()).toBe(x.std({ correction: 0 }).item());
    expect(std(x, 1).toArray()).toEqual([1, 1]);
    expect(x.sum({ dtype: "int32" }).dtype).toBe("int32");
    expect(x.to("int32").mean({ dtype: "float64" }).dtype).toBe("float64");
    expect(tensor(3, { device }).sum(0).item()).toBe(3);
    expect(tensor(3, { device }).argmax(-1).item()).toBe(0);
  });

  test.each([
    [
      "another library's spelling",
      () => zeros([2], { device }).sum({ keepDims: true } as never),
      "sum has no option keepDims. Write keepdims.",
    ],
    [
      "an option that is none",
      () => zeros([2], { device }).max({ where: true } as never),
      "max has no option where. Its options are axis, keepdims.",
    ],
    [
      "an axis twice",
      () => zeros([2], { device }).sum({ axis: [0, 0] }),
      "Each axis is reduced once, but [0, 0] names one twice.",
    ],
    [
      "a third argument",
      () => zeros([2], { device }).sum(0, true, 1 as never),
      "sum does not take 1 there. Options are an object: sum({ axis, keepdims, dtype }).",
    ],
    [
      "a function of no tensor",
      () => sum([1, 2] as never),
      "sum takes a tensor but got an array of 2. Make a tensor of it with tensor(…).",
    ],
    [
      "a function of what is still loading",
      () => sum(Promise.resolve() as never),
      "sum takes a tensor but got a promise. Write await before it.",
    ],
    [
      "the norm of integers",
      () => zeros([2], { device, dtype: "int32" }).norm({ ord: 1 }),
      'norm takes floats but got int32: convert it, e.g. with .to("float32").',
    ],
    [
      "a variance of integers",
      () => zeros([2], { device, dtype: "int32" }).var(),
      'var takes floats but got int32: convert it, e.g. with .to("float32").',
    ],
    [
      "an ord that is none",
      () => zeros([2], { device }).norm({ ord: "max" as never }),
      'norm takes a number or "fro" or "nuc" as ord but got "max".',
    ],
    [
      "a correction that is none",
      () => zeros([2], { device }).std({ correction: NaN }),
      "std takes a number as correction but got NaN.",
    ],
  ])("%s is refused in a sentence", (_, run, message) => {
    expect(run).toThrow(message);
  });
});
