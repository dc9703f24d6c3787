// Sorting, selection, unique elements, searches and counts against JavaScript's own stable sort.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { full, sort, tensor, zeros, type DType, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradients.ts";
import { poison, randomValues } from "./numbers.ts";

const flat = (x: Tensor) => [x.reshape([-1]).toArray()].flat().map(Number);

/** Positions in sorted order: stable, NaN last. */
function order(values: readonly number[], descending: boolean): number[] {
  return values
    .map((_, at) => at)
    .sort((a, b) => {
      const [x, y] = [values[a]!, values[b]!];
      if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || a - b;
      return (descending ? y - x : x - y) || a - b;
    });
}

describe.each(devices.map(({ name }) => name))("order on %s", (device) => {
  function check(x: Tensor, values: readonly number[], axis: number, descending: boolean): void {
    poison(device, 4 * x.size);
    const { values: sorted, indices } = x.sort({ axis, descending });
    const [got, at] = [flat(sorted), flat(indices)];
    const { shape } = x;
    const inner = shape.slice(axis + 1).reduce((a, b) => a * b, 1);
    const length = shape[axis]!;
    let wrong = "";
    for (let row = 0; row < x.size / length; row++) {
      const place = (i: number) => (Math.floor(row / inner) * length + i) * inner + (row % inner);
      const line = Array.from({ length }, (_, i) => values[place(i)]!);
      order(line, descending).forEach((wanted, i) => {
        if (at[place(i)] !== wanted || !Object.is(got[place(i)], line[wanted]))
          wrong ||= `element ${i} of row ${row}: ${got[place(i)]} from ${at[place(i)]}, not ${line[wanted]} from ${wanted}`;
      });
    }
    expect(wrong, `${x.dtype} [${shape.join(", ")}] along ${axis}${descending ? ", descending" : ""}`).toBe("");
    expect(flat(x.argsort({ axis, descending }))).toEqual(at);
  }

  test.each([
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "int8",
    "uint8",
    "int32",
    "uint32",
    "int64",
    "bool",
  ] as const)("of %s along every axis, both ways", (dtype: DType) => {
    for (const shape of [[1], [65], [3, 50, 7], [2, 1025], [1, 768, 1]]) {
      const values = randomValues(
        shape.reduce((a, b) => a * b, 1),
        dtype === "uint32" ? "uint8" : dtype,
      );
      const x = tensor(dtype === "bool" ? values.map(Boolean) : values, { dtype, device }).reshape(shape);
      shape.forEach((_, axis) => [false, true].forEach((descending) => check(x, values, axis, descending)));
    }
  });

  test("as NumPy and PyTorch have them: axes without names, sides, sorters, numbers, several quantiles, functions", () => {
    const x = tensor(
      [
        [3, 1, 2],
        [6, 5, 4],
      ],
      { device },
    );
    expect(x.sort(0).values.toArray()).toEqual([
      [3, 1, 2],
      [6, 5, 4],
    ]);
    expect(x.sort(-1, true).values.toArray()).toEqual([
      [3, 2, 1],
      [6, 5, 4],
    ]);
    expect(sort(x, { dim: 1 }).values.toArray()).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(x.topk(1, 0, false).values.toArray()).toEqual([[3, 1, 2]]);
    expect(x.quantile([0, 0.5, 1], 1).toArray()).toEqual([
      [1, 4],
      [2, 5],
      [3, 6],
    ]);
    const list = tensor([1, 3, 3, 5], { device });
    expect(list.searchsorted(3).item()).toBe(1);
    expect(list.searchsorted(3, { side: "right" }).item()).toBe(3);
    expect(list.searchsorted(tensor([0, 4], { device, dtype: "int32" })).toArray()).toEqual([0n, 3n]);
    const mixed = tensor([5, 1, 3], { device });
    expect(mixed.searchsorted(4, { sorter: mixed.argsort() }).item()).toBe(2);
    expect(tensor([1, 3], { device, dtype: "int64" }).searchsorted(2.5).item()).toBe(1);
  });

  test.each([
    [
      "another library's order of arguments",
      () => zeros([2], { device }).topk(1, 0, true, 3 as never),
      "topk does not take 3 there. Options are an object: topk(k, { axis, largest }).",
    ],
    [
      "an option that is none",
      () => zeros([2], { device }).sort({ reverse: true } as never),
      "sort has no option reverse. Its options are axis, descending, stable.",
    ],
    [
      "unique along an axis by another name",
      () => zeros([2], { device }).histogram({ bin: 5 } as never),
      "histogram has no option bin. Its options are bins, range, weights, density.",
    ],
    [
      "a quantile beyond 1",
      () => zeros([2], { device }).quantile([0.5, 2]),
      "quantile takes a number from 0 to 1 but got 2.",
    ],
  ])("%s is refused in a sentence", (_, run, message) => {
    expect(run).toThrow(message);
  });

  test("long rows go in tiles, with many equal elements and none", () => {
    for (const [shape, axis] of [
      [[200_003], 0],
      [[2, 70_001], 1],
      [[5, 4097], 1],
    ] as const) {
      const size = shape.reduce((a: number, b) => a * b, 1);
      for (const values of [randomValues(size, "float32"), randomValues(size, "float32").map(Math.round)])
        check(tensor(values, { device }).reshape(shape), values, axis, false);
    }
    const wide = randomValues(100_001, "float64");
    check(tensor(wide, { dtype: "float64", device }), wide, 0, true);
  });

  // Elements of a tile of a GPU (swept of ops/order/sort.ts); `patterns` give keys that share digits, and runs that the
  // tiles before know nothing of.
  const patterns: Record<string, (i: number, length: number) => number> = {
    equal: () => 7,
    ascending: (i) => i,
    descending: (i, length) => length - i,
    few: () => Math.floor(Math.random() * 5),
    special: () => [NaN, 0, -0, Infinity, -Infinity, 1, -1][Math.floor(Math.random() * 7)]!,
  };

  test.each([
    ["float32", 8448],
    ["bfloat16", 8448],
    ["uint8", 8448],
    ["int32", 8448],
    ["float64", 4224],
    ["int64", 4224],
    ["uint64", 4224],
  ] as const)("of %s with just as much as fits in tiles of %i, less, and more", (dtype, tile) => {
    for (const length of [tile - 1, tile, tile + 1, 3 * tile + 1])
      for (const descending of [false, true]) {
        const values = randomValues(length, dtype === "uint64" ? "uint8" : dtype);
        check(tensor(values, { dtype, device }), values, 0, descending);
      }
    const isFloat = dtype.includes("float");
    for (const [name, make] of Object.entries(patterns)) {
      if (name === "special" && !isFloat) continue;
      const values = Array.from({ length: 2 * tile + 1 }, (_, i) =>
        isFloat || dtype.includes("64") || dtype === "int32" ? make(i, 2 * tile + 1) : make(i, 2 * tile + 1) % 256,
      );
      const x = tensor(values, { dtype, device });
      for (const descending of [false, true]) check(x, flat(x), 0, descending);
    }
  });

  test("long rows, along each axis, of what is sorted as another dtype", () => {
    for (const dtype of ["uint32", "bool", "int16"] as const) {
      const values = randomValues(3 * 10_001, dtype === "bool" ? "bool" : "uint8");
      const x = tensor(dtype === "bool" ? values.map(Boolean) : values, { dtype, device });
      check(x.reshape([3, 10_001]), values, 1, false);
      check(x.reshape([10_001, 3]), values, 0, true);
    }
  });

  // Rows of a thread of a GPU, of some lanes of a warp, of a warp and of a block; more than a block takes at once.
  test.each([
    "float32",
    "bfloat16",
    "int64",
    "uint8",
  ] as const)("short rows of %s along each axis, and the first of them", (dtype) => {
    for (const length of [2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 127, 128, 257, 512, 1000, 1024, 1025])
      for (const [shape, axis] of [
        [[length < 64 ? 131 : 5, length], 1],
        [[length, length < 64 ? 131 : 5], 0],
        [[3, length, 7], 1],
      ] as const) {
        const size = shape.reduce((a: number, b) => a * b, 1);
        const values =
          dtype === "float32" || dtype === "bfloat16"
            ? Array.from({ length: size }, () => [NaN, 0, -0, 1, -1, 2.5, Infinity][Math.floor(Math.random() * 7)]!)
            : randomValues(size, "uint8");
        const x = tensor(values, { dtype, device }).reshape(shape);
        const descending = length % 2 === 0;
        check(x, values, axis, descending);
        const { indices } = x.sort({ axis, descending });
        const k = Math.min(length, 10);
        const part = indices.slice(...shape.map((_, each) => (each === axis ? ([0, k] as [number, number]) : null)));
        expect(flat(x.topk(k, { axis, largest: descending }).indices)).toEqual(flat(part));
        if (descending) continue;
        const last = indices.slice(
          ...shape.map((_, each) => (each === axis ? ([k - 1, k] as [number, number]) : null)),
        );
        expect(flat(x.kthvalue(k, { axis }).indices)).toEqual(flat(last));
      }
  });

  test("rows of one element are what they are", () => {
    for (const dtype of ["float32", "bool", "int64"] as const) {
      const x = full([3, 1, 5], 1, { dtype, device });
      for (const { values, indices } of [
        x.sort(1),
        x.topk(1, { axis: 1 }),
        ...(dtype === "bool" ? [] : [x.cummax(1), x.cummin(1)]),
      ]) {
        expect(values.dtype).toBe(dtype);
        expect(flat(values)).toEqual(Array(15).fill(1));
        expect(flat(indices)).toEqual(Array(15).fill(0));
      }
      expect(x.cumsum(1).dtype).toBe(dtype === "float32" ? "float32" : "int64");
      expect(flat(x.cumsum(1))).toEqual(Array(15).fill(1));
    }
  });

  test("a million and more", () => {
    const values = randomValues(2 ** 20 + 1, "float32");
    check(tensor(values, { device }), values, 0, false);
  });

  test("values keep their bits: NaNs their payloads, zeros their sign", () => {
    for (const length of [100, 70_001])
      for (const descending of [false, true]) {
        const words = Uint32Array.from(
          { length },
          () =>
            [0x7fc00001, 0xffc00002, 0x7f800003, 0, 0x80000000, 0x3f800000, 0xbf800000][Math.floor(Math.random() * 7)]!,
        );
        const { values, indices } = tensor(new Float32Array(words.buffer), { device }).sort({ descending });
        const sorted = values.data();
        expect([...new Uint32Array(sorted.buffer, sorted.byteOffset, length)]).toEqual(
          flat(indices).map((at) => words[at]),
        );
      }
  });

  test("of views", () => {
    const x = tensor(randomValues(240, "float32"), { device }).reshape([4, 6, 10]);
    for (const view of [
      x.transpose([2, 0, 1]),
      x.slice(null, [1, 6, 2], [0, 9, 3]),
      x.slice([0, 1]).expand([3, 6, 10]),
    ])
      [0, 1, 2].forEach((axis) => check(view, flat(view), axis, false));
  });

  test("NaN last, zeros equal, infinities, extremes, nothing", () => {
    const values = [NaN, 0, -0, Infinity, -Infinity, 1e-45, -1e-45, NaN, 0, 3.4e38];
    const exact = values.map(Math.fround);
    for (const descending of [false, true]) check(tensor(values, { device }), exact, 0, descending);
    expect(
      tensor([2n ** 63n - 1n, -(2n ** 63n), 0n], { device })
        .argsort()
        .toArray(),
    ).toEqual([1n, 2n, 0n]);
    expect(
      tensor([2n ** 64n - 1n, 0n, 2n ** 63n], { dtype: "uint64", device })
        .argsort({ descending: true })
        .toArray(),
    ).toEqual([0n, 2n, 1n]);
    expect(tensor(3, { device }).sort().values.item()).toBe(3);
    expect(zeros([0], { device }).sort().indices.shape).toEqual([0]);
    expect(zeros([3, 0], { device }).sort({ axis: 0 }).values.shape).toEqual([3, 0]);
  });

  test("topk, kthvalue, median, quantile", () => {
    const x = tensor(
      [
        [3, 1, 2, 5],
        [NaN, 0, 9, 4],
      ],
      { device },
    );
    expect(x.topk(2).values.toArray()).toEqual([
      [5, 3],
      [9, 4],
    ]);
    expect(x.topk(2).indices.toArray()).toEqual([
      [3n, 0n],
      [2n, 3n],
    ]);
    expect(x.topk(1, { axis: 0, largest: false }).values.toArray()).toEqual([[3, 0, 2, 4]]);
    expect(x.topk(0).values.shape).toEqual([2, 0]);
    expect(x.kthvalue(2).values.toArray()).toEqual([2, 4]);
    expect(x.median(1).values.toArray()).toEqual([2, NaN]);
    expect(x.median({ axis: 0 }).indices.toArray()).toEqual([0n, 1n, 0n, 1n]);
    expect(x.quantile(0.5, -1).toArray()).toEqual([2.5, NaN]);
    expect(tensor([Infinity, Infinity, 1], { device }).quantile(0.9).item()).toBe(Infinity);
    expect(tensor([1, 2, 3, 4, 5], { dtype: "float64", device }).quantile(0.1).item()).toBeCloseTo(1.4, 12);
  });

  // Rows that a block of a GPU sorts, and longer ones; elements that a CPU's core takes at once, and more; many that
  // are equal, in their first digits or wholly.
  test.each([
    [[1, 1], [1]],
    [
      [7, 40],
      [1, 5, 39, 40],
    ],
    [
      [300, 9],
      [1, 2],
    ],
    [
      [3, 4096],
      [1, 100, 511, 4096],
    ],
    [
      [2, 4097],
      [1, 10, 513, 2048, 2049, 4097],
    ],
    [
      [1, 70_001],
      [1, 100, 2048, 8750, 9000],
    ],
    [
      [2, 140_001],
      [3, 1000],
    ],
  ] as const)("the first elements of rows %j, and the last of them alone", (shape, counts) => {
    const [rows, length] = shape;
    const makes: [DType, () => number][] = [
      ["float32", () => Math.fround(Math.random() * 2 - 1)],
      ["float32", () => [NaN, 0, -0, Infinity, -Infinity, 1e-40, 3, 3][Math.floor(Math.random() * 8)]!],
      ["bfloat16", () => Math.floor(Math.random() * 256) - 128],
      ["int32", () => Math.floor(Math.random() * 5)],
      ["int64", () => Math.floor((Math.random() - 0.5) * 2 ** 50)],
      ["float64", () => Math.random()],
      ["uint8", () => 7],
    ];
    for (const [dtype, make] of makes) {
      const values = Array.from({ length: rows * length }, make);
      const x = tensor(values, { dtype, device }).reshape(shape);
      const exact = flat(x);
      for (const largest of [true, false]) {
        const orders = Array.from({ length: rows }, (_, row) =>
          order(exact.slice(row * length, (row + 1) * length), largest),
        );
        for (const k of counts) {
          const said = `${dtype}, ${k} of ${length}, ${largest ? "largest" : "smallest"}`;
          poison(device, 16 * rows * k);
          const top = x.topk(k, { largest });
          const wanted = orders.flatMap((row) => row.slice(0, k));
          expect(flat(top.indices), said).toEqual(wanted);
          expect(flat(top.values), said).toEqual(wanted.map((at, i) => exact[Math.floor(i / k) * length + at]));
          if (largest) continue;
          const alone = x.kthvalue(k);
          expect(flat(alone.indices), said).toEqual(orders.map((row) => row[k - 1]));
        }
      }
    }
  });

  test("unique elements, where each is among them, how often it occurs", () => {
    const { values, inverse, counts } = tensor(
      [
        [3, 1, 3],
        [2, 1, 1],
      ],
      { dtype: "int32", device },
    ).unique();
    expect(values.toArray()).toEqual([1, 2, 3]);
    expect(inverse.toArray()).toEqual([
      [2n, 0n, 2n],
      [1n, 0n, 0n],
    ]);
    expect(counts.toArray()).toEqual([3n, 1n, 2n]);
    expect(zeros([0], { device }).unique().values.shape).toEqual([0]);
    expect(tensor([7], { device }).unique().counts.toArray()).toEqual([1n]);
    const many = randomValues(30_000, "int8");
    const found = tensor(many, { dtype: "int8", device }).unique();
    expect(found.values.toArray()).toEqual([...new Set(many)].sort((a, b) => a - b));
    expect(flat(found.counts).reduce((a, b) => a + b, 0)).toBe(30_000);
    // NaNs differ from each other, zeros do not; the first of each group counts.
    const list = Array.from({ length: 5001 }, () => [NaN, 0, -0, 3, -2, 1e30][Math.floor(Math.random() * 6)]!);
    const at = order(list, false);
    const firsts = at.filter((place, i) => i === 0 || list[place] !== list[at[i - 1]!]);
    poison(device, 40_000);
    const mixed = tensor(list, { device }).unique();
    expect(flat(mixed.indices)).toEqual(firsts);
    expect(flat(mixed.values)).toEqual(firsts.map((place) => Math.fround(list[place]!)));
    let rank = -1;
    const ranks = Array<number>(list.length);
    at.forEach((place, i) => (ranks[place] = i === 0 || list[place] !== list[at[i - 1]!] ? ++rank : rank));
    expect(flat(mixed.inverse)).toEqual(ranks);
    expect(flat(mixed.counts)).toEqual(firsts.map((_, group) => ranks.filter((each) => each === group).length));
  });

  test("searches and counts", () => {
    const edges = tensor([1, 3, 3, 7], { device });
    expect(
      edges
        .searchsorted(
          tensor(
            [
              [0, 3],
              [8, NaN],
            ],
            { device },
          ),
        )
        .toArray(),
    ).toEqual([
      [0n, 1n],
      [4n, 4n],
    ]);
    expect(edges.searchsorted(tensor([3, 7, 1], { device }), { right: true }).toArray()).toEqual([3n, 4n, 1n]);
    expect(
      tensor(
        [
          [1, 2],
          [3, 4],
        ],
        { device },
      )
        .searchsorted(tensor([[2], [2]], { device }))
        .toArray(),
    ).toEqual([[1n], [0n]]);
    expect(tensor([1, 1, 4], { dtype: "uint8", device }).bincount().toArray()).toEqual([0n, 2n, 0n, 0n, 1n]);
    expect(tensor([0], { dtype: "int64", device }).bincount({ minlength: 3 }).toArray()).toEqual([1n, 0n, 0n]);
    expect(zeros([0], { dtype: "int32", device }).bincount().shape).toEqual([0]);
    const { counts, edges: steps } = tensor([0, 1, 1.5, 2, 4, 9], { device }).histogram({ bins: 4, range: [0, 4] });
    expect(counts.toArray()).toEqual([1n, 2n, 1n, 1n]);
    expect(steps.toArray()).toEqual([0, 1, 2, 3, 4]);
    expect(tensor([1, 2, 3], { device }).histogram({ bins: 2 }).counts.toArray()).toEqual([1n, 2n]);
    expect(tensor([5, 5], { device }).histogram({ bins: 1 }).counts.toArray()).toEqual([2n]);
  });

  test.each([
    [1, 1],
    [1000, 7],
    [100_000, 3],
    [100_000, 4096],
    [100_000, 5000],
    [50, 200_000],
  ])("%d counts of numbers below %d", (count, below) => {
    const values = Array.from({ length: count }, () => Math.floor(Math.random() * below));
    const wanted = Array<number>(Math.max(...values) + 1).fill(0);
    for (const value of values) wanted[value]!++;
    for (const dtype of ["int32", "int64"] as const) {
      poison(device, 8 * (below + count));
      expect(flat(tensor(values, { dtype, device }).bincount())).toEqual(wanted);
    }
  });

  test("a histogram of many numbers: each bin has its lower edge, the last one both, and what is outside or NaN is in none", () => {
    const x = tensor(
      Array.from({ length: 30_000 }, (_, at) => (at % 1000 === 0 ? NaN : Math.random() * 12 - 6)),
      { device },
    );
    const values = flat(x);
    for (const bins of [1, 10, 777]) {
      const { counts, edges } = x.histogram({ bins, range: [-5, 5] });
      const steps = flat(edges);
      const wanted = Array<number>(bins).fill(0);
      for (const value of values) {
        const bin = value === steps[bins] ? bins - 1 : steps.findLastIndex((edge) => edge <= value);
        if (value <= steps[bins]! && bin >= 0) wanted[bin]!++;
      }
      expect(flat(counts)).toEqual(wanted);
    }
  });

  /** Counts by the edges that came, with exact comparisons. */
  function countsBetween(values: readonly (number | bigint)[], edges: readonly number[], weights?: readonly number[]) {
    const bins = edges.length - 1;
    const counts = Array<number>(bins).fill(0);
    values.forEach((value, at) => {
      if (!(value >= edges[0]! && value <= edges[bins]!)) return;
      let bin = bins - 1;
      while (bin > 0 && !(value >= edges[bin]!)) bin--;
      counts[bin]! += weights === undefined ? 1 : weights[at]!;
    });
    return counts;
  }

  test.each([
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "int8",
    "uint8",
    "int16",
    "int32",
    "int64",
    "uint64",
  ] as const)("a histogram of %s counts every element, the least and the greatest too", (dtype) => {
    for (let round = 0; round < 40; round++) {
      const size = 1 + Math.floor(Math.random() * 3000);
      const bins = 1 + Math.floor(Math.random() * (round % 4 === 0 ? 5000 : 60));
      const scale = dtype === "float64" ? 10 ** Math.floor(Math.random() * 12 - 6) : 1;
      const x = tensor(randomValues(size, dtype === "uint64" || dtype === "int16" ? "uint8" : dtype), {
        dtype,
        device,
      }).mul(dtype === "float64" ? scale : 1) as Tensor;
      const { counts, edges } = x.histogram({ bins });
      const said = `${size} elements in ${bins} bins`;
      expect(edges.dtype, said).toBe(dtype === "float64" || !dtype.includes("float") ? "float64" : "float32");
      expect(flat(counts), said).toEqual(countsBetween(flat(x), flat(edges)));
      expect(Number(counts.sum().item()), said).toBe(size);
    }
  });

  test("a histogram of integers counts each exactly, however large", () => {
    for (const [first, dtype] of [
      [2n ** 24n, "int32"],
      [2n ** 24n, "int64"],
      [-(2n ** 40n), "int64"],
      [2n ** 50n, "uint64"],
    ] as const) {
      const x = tensor([first, first + 1n, first + 2n], { dtype, device });
      expect(x.histogram({ bins: 3 }).counts.toArray()).toEqual([1n, 1n, 1n]);
    }
    const wide = tensor([-(2n ** 63n), -1n, 0n, 2n ** 63n - 1n], { device });
    expect(wide.histogram({ bins: 2 }).counts.toArray()).toEqual([2n, 2n]);
    const top = tensor([2n ** 64n - 1n, 0n, 2n ** 63n], { dtype: "uint64", device });
    expect(top.histogram({ bins: 2 }).counts.toArray()).toEqual([1n, 2n]);
    expect(
      tensor([0, 1, 2, 3, 4], { dtype: "int32", device })
        .histogram({ bins: 2, range: [0.5, 3.5] })
        .counts.toArray(),
    ).toEqual([1n, 2n]);
  });

  test("a histogram of many, of one value, and with more bins than counters fit a block", () => {
    const many = tensor(randomValues(1_000_001, "float32"), { device });
    for (const bins of [1, 256, 5000, 20_000]) {
      poison(device, 8 * bins);
      const { counts, edges } = many.histogram({ bins });
      const steps = flat(edges);
      const wanted = Array<number>(bins).fill(0);
      for (const value of flat(many)) {
        let [low, high] = [0, bins - 1];
        while (low < high) {
          const middle = Math.ceil((low + high) / 2);
          if (value >= steps[middle]!) low = middle;
          else high = middle - 1;
        }
        wanted[low]!++;
      }
      expect(flat(counts)).toEqual(wanted);
    }
    expect(full([100_000], 3, { device }).histogram({ bins: 4 }).counts.toArray()).toEqual([0n, 0n, 100_000n, 0n]);
    expect(zeros([0], { device }).histogram({ bins: 2 }).counts.toArray()).toEqual([0n, 0n]);
    expect(flat(zeros([0], { device }).histogram({ bins: 2 }).edges)).toEqual([0, 0.5, 1]);
    const part = many.slice([1, 300_000, 3]);
    expect(flat(part.histogram().counts)).toEqual(flat(part.clone().histogram().counts));
  });

  test("weights of a histogram and of counts are summed where their elements are", () => {
    const values = randomValues(5000, "float32");
    const x = tensor(values, { device });
    const weights = randomValues(5000, "int8");
    const { counts, edges } = x.histogram({ bins: 7, weights: tensor(weights, { dtype: "float64", device }) });
    expect(counts.dtype).toBe("float64");
    expect(flat(counts)).toEqual(countsBetween(flat(x), flat(edges), weights));
    const outside = x.histogram({ bins: 3, range: [0, 0.5], weights: tensor(weights, { dtype: "int8", device }) });
    expect(outside.counts.dtype).toBe("int64");
    expect(flat(outside.counts)).toEqual(countsBetween(flat(x), flat(outside.edges), weights));
    const numbers = tensor([1, 1, 4, 0], { dtype: "uint8", device });
    expect(numbers.bincount({ weights: tensor([0.5, 0.25, 2, -1], { device }) }).toArray()).toEqual([
      -1, 0.75, 0, 0, 2,
    ]);
    expect(
      numbers.bincount({ minlength: 6, weights: tensor([true, true, false, true], { device }) }).toArray(),
    ).toEqual([1n, 2n, 0n, 0n, 0n, 0n]);
  });

  test("many searches in one row, and in rows of their own", () => {
    for (const length of [1, 2, 3, 64, 1000, 3000]) {
      const row = Array.from({ length }, () => Math.floor(Math.random() * 50)).sort((a, b) => a - b);
      const wanted = Array.from({ length: 333 }, () => Math.floor(Math.random() * 52) - 1);
      for (const right of [false, true]) {
        const places = wanted.map((value) => row.filter((each) => (right ? each <= value : each < value)).length);
        for (const dtype of ["float32", "int64", "uint8"] as const) {
          const values = dtype === "uint8" ? wanted.map((value) => Math.max(0, value)) : wanted;
          const expected =
            values === wanted
              ? places
              : values.map((value) => row.filter((each) => (right ? each <= value : each < value)).length);
          const sorted = tensor(row, { dtype, device });
          expect(flat(sorted.searchsorted(tensor(values, { dtype, device }), { right }))).toEqual(expected);
          expect(
            flat(
              sorted.expand([3, length]).searchsorted(tensor([values, values, values], { dtype, device }), { right }),
            ),
          ).toEqual([...expected, ...expected, ...expected]);
        }
      }
    }
  });

  test("gradients go where the elements came from", () => {
    const x = tensor(
      [
        [0.5, -1.25, 2, 0.1],
        [1.5, 0.75, -0.4, 3],
      ],
      { dtype: "float64", device },
    );
    for (const axis of [0, 1]) {
      expectGradients((y) => y.sort({ axis, descending: true }).values, [x], { twice: true });
      expectGradients((y) => y.topk(1, { axis }).values, [x]);
      expectGradients((y) => y.median({ axis }).values, [x]);
      expectGradients((y) => y.quantile(0.3, { axis }), [x]);
    }
  });

  test.each([
    [
      "more than there are",
      () => zeros([2], { device }).topk(3),
      "topk takes a whole number from 0 to the size of the axis, 2, but got 3.",
    ],
    ["a part that is none", () => zeros([2], { device }).quantile(2), "quantile takes a number from 0 to 1 but got 2."],
    [
      "rows that do not match",
      () => zeros([2, 3], { device }).searchsorted(zeros([3, 1], { device })),
      "searchsorted takes one sorted row, or as many as there are rows of values, but got shapes [2, 3] and [3, 1].",
    ],
    [
      "counts of what is negative",
      () => tensor([-1], { dtype: "int32", device }).bincount(),
      "bincount takes integers ≥ 0 but got -1.",
    ],
    [
      "counts of floats",
      () => zeros([1], { device }).bincount(),
      'bincount takes integers but got float32: convert it, e.g. with .to("int64").',
    ],
    [
      "a range of nothing",
      () => tensor([NaN], { device }).histogram(),
      "histogram takes a range of finite numbers, the smaller first, but the elements go from NaN to NaN: give a range.",
    ],
    [
      "a range the wrong way round",
      () => tensor([1], { device }).histogram({ range: [2, 1] }),
      "histogram takes a range of two finite numbers, the smaller first, such as [0, 1], but got",
    ],
    [
      "no bins",
      () => tensor([1], { device }).histogram({ bins: 0 }),
      "histogram takes a whole number of bins from 1 to 2147483647 but got 0.",
    ],
    [
      "a histogram of what only stores",
      () => zeros([2], { device }).to("float8_e4m3").histogram(),
      "histogram takes numbers that compute but got float8_e4m3: convert it",
    ],
    [
      "weights of another shape",
      () => tensor([1, 2], { device }).histogram({ weights: zeros([3], { device }) }),
      "histogram takes weights of the tensor's own shape, [2], but got [3].",
    ],
    [
      "a dtype that only stores",
      () => zeros([2], { device, dtype: "float8_e4m3" }).sort(),
      'sort takes numbers that compute but got float8_e4m3: convert it, e.g. with .to("float32").',
    ],
  ])("%s is refused in a sentence", (_, run, message) => {
    expect(run).toThrow(message);
  });
});
