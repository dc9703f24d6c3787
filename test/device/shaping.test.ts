// Shape operations on every device against loops over arrays: what is a view stays one, what is joined, repeated and
// padded is right, and gradients by finite differences.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  arange,
  cat,
  diag,
  empty,
  emptyLike,
  eye,
  fullLike,
  meshgrid,
  ones,
  onesLike,
  stack,
  tensor,
  zeros,
  zerosLike,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients, numbersOf as numbers } from "./gradient-check.ts";
import { poison } from "./numbers.ts";

const counted = (shape: number[], device: string) =>
  arange(
    0,
    shape.reduce((a, b) => a * b, 1),
    1,
    { device },
  ).reshape(shape);
const nested = (x: Tensor) => x.toArray();

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  test("views: squeeze, unsqueeze, flatten, unflatten, swapAxes, moveAxis, permute, broadcastTo, flip, split, chunk, unbind, diagonal", () => {
    const x = counted([2, 1, 3, 4], device);
    const views: [Tensor, number[]][] = [
      [x.squeeze(), [2, 3, 4]],
      [x.squeeze(1), [2, 3, 4]],
      [x.squeeze([0, 1]), [2, 3, 4]],
      [x.squeeze(0), [2, 1, 3, 4]],
      [x.unsqueeze(-1), [2, 1, 3, 4, 1]],
      [x.unsqueeze(0), [1, 2, 1, 3, 4]],
      [x.unsqueeze([-1, 0, 2]), [1, 2, 1, 1, 3, 4, 1]],
      [x.unsqueeze([]), [2, 1, 3, 4]],
      [x.flatten(), [24]],
      [x.flatten(1, 2), [2, 3, 4]],
      [x.unflatten(-1, [2, -1]), [2, 1, 3, 2, 2]],
      [x.swapAxes(0, -1), [4, 1, 3, 2]],
      [x.moveAxis(0, -1), [1, 3, 4, 2]],
      [x.moveAxis([0, 3], [1, 0]), [4, 2, 1, 3]],
      [x.permute([3, 2, 1, 0]), [4, 3, 1, 2]],
      [x.broadcastTo([2, 5, 3, 4]), [2, 5, 3, 4]],
      [x.flip(), [2, 1, 3, 4]],
      [x.flip(-1), [2, 1, 3, 4]],
      [x.split(2, { axis: 3 })[1]!, [2, 1, 3, 2]],
      [x.chunk(2, { axis: 2 })[1]!, [2, 1, 1, 4]],
      [x.unbind(2)[2]!, [2, 1, 4]],
      [x.diagonal({ axes: [2, 3], offset: 1 }), [2, 1, 3]],
    ];
    for (const [view, shape] of views) {
      expect(view.shape).toEqual(shape);
      expect(view.storage).toBe(x.storage);
    }
    expect(numbers(x.moveAxis([0, 3], [1, 0])).slice(0, 6)).toEqual([0, 4, 8, 12, 16, 20]);
    expect(numbers(x.roll(1, { axis: [2, 3] }))).toEqual(numbers(x.roll(1, 2).roll(1, 3)));
    expect(numbers(x.swapAxes(0, -1).clone()).slice(0, 6)).toEqual([0, 12, 4, 16, 8, 20]);
    expect(numbers(x.flip([0, 3])).slice(0, 5)).toEqual([15, 14, 13, 12, 19]);
    expect(numbers(x.diagonal({ axes: [2, 3], offset: 1 }))).toEqual([1, 6, 11, 13, 18, 23]);
    expect(numbers(x.diagonal({ axes: [2, 3], offset: -2 }))).toEqual([8, 20]);
    expect(x.diagonal({ axes: [2, 3], offset: 9 }).shape).toEqual([2, 1, 0]);
    expect(counted([7], device).split([3, 0, 4]).map(nested)).toEqual([[0, 1, 2], [], [3, 4, 5, 6]]);
    expect(counted([7], device).chunk(3).map(nested)).toEqual([[0, 1, 2], [3, 4, 5], [6]]);
    expect(
      zeros([0], { device })
        .split(2)
        .map(({ shape }) => shape),
    ).toEqual([[0]]);
    expect(counted([], device).flatten().shape).toEqual([1]);
  });

  test.each([
    1, 65, 1000,
  ])("cat and stack of %d columns, strided, along every axis, with dtypes promoted", (columns) => {
    const [a, b] = [counted([3, columns], device), counted([columns, 3], device).T];
    const [left, right] = [numbers(a), numbers(b.clone())];
    poison(device, columns * 6);
    expect(numbers(cat([a, b]))).toEqual([...left, ...right]);
    expect(numbers(cat([a, b, a.slice(null, [0, 1])], { axis: 1 }))).toEqual(
      [0, 1, 2].flatMap((row) => [
        ...left.slice(row * columns, (row + 1) * columns),
        ...right.slice(row * columns, (row + 1) * columns),
        left[row * columns]!,
      ]),
    );
    expect(stack([a, b], { axis: -1 }).shape).toEqual([3, columns, 2]);
    expect(numbers(stack([a, b], { axis: -1 }))).toEqual(left.flatMap((value, at) => [value, right[at]!]));
    const several = [a, a.add(1), b, a.mul(2), b.neg(), a];
    for (const axis of [0, 1, 2])
      expect(numbers(stack(several, { axis }).moveAxis(axis, 0))).toEqual(several.flatMap(numbers));
    expect(numbers(stack([a.to("int32"), b.to("float64")]))).toEqual([...left, ...right]);
    expect(cat([a.to("int32"), b.to("float64")]).dtype).toBe("float64");
    expect(numbers(cat([a, tensor(7, { device }), b], null))).toEqual([...left, 7, ...right]);
    expect(cat([a, b], { axis: null }).shape).toEqual([a.size + b.size]);
    expect(cat([zeros([0, columns], { device }), a]).shape).toEqual([3, columns]);
  });

  // Parts that a GPU joins 1, 2, 4, 8 and 16 bytes at a time, in one launch or several; rows with gaps.
  test.each([
    "uint8",
    "bfloat16",
    "float32",
    "int64",
  ] as const)("cat of %s of two to nine parts, wherever they begin", (dtype) => {
    for (const widths of [
      [16, 32],
      [3, 1, 5],
      [8, 4, 8, 12],
      [1, 2, 3, 4, 5],
      [8, 16, 8, 8, 32, 24, 8, 8, 16],
      [0, 7, 2],
    ])
      for (const inner of [1, 2, 16])
        for (const from of [0, 1]) {
          const parts = widths.map((width, at) =>
            counted([4, width + from, inner], device)
              .add(at)
              .to(dtype)
              .slice(null, [from, null]),
          );
          const wanted = [0, 1, 2, 3].flatMap((row) =>
            parts.flatMap((part, at) =>
              numbers(part).slice(row * widths[at]! * inner, (row + 1) * widths[at]! * inner),
            ),
          );
          poison(device, 4 * wanted.length);
          expect(numbers(cat(parts, { axis: 1 }))).toEqual(wanted);
        }
  });

  // Large enough that a core copies long rows past its caches; blocks begin and end within rows.
  test.each([
    [900_001, [2, 3]],
    [70_001, [40, 41]],
    [3, [1_000_003, 999_999]],
  ] as const)("a large result of %d rows is its parts side by side", (rows, widths) => {
    const parts = widths.map((width, at) => counted([rows, width], device).add(at));
    const turned = counted([widths[0], rows], device).T;
    for (const some of [parts, [parts[1]!, turned]]) {
      const width = some[0]!.shape[1]!;
      poison(device, 5 * parts[0]!.size);
      const joined = cat(some, { axis: 1 });
      expect(joined.slice(null, [0, width]).eq(some[0]!).all().item()).toBe(true);
      expect(joined.slice(null, [width, null]).eq(some[1]!).all().item()).toBe(true);
    }
  });

  test("a large padding has its borders around it", () => {
    const padded = ones([1100, 1000], { device }).pad([2, 3, 1, 4], { value: 5 });
    expect(padded.shape).toEqual([1105, 1005]);
    expect(padded.slice([1, 1101], [2, 1002]).eq(1).all().item()).toBe(true);
    expect(padded.eq(5).to("int64").sum().item()).toBe(1105 * 1005 - 1100 * 1000);
  });

  test.each([
    "float32",
    "uint8",
    "int64",
  ] as const)("pad of %s along one axis, wide and narrow, of views too", (dtype) => {
    const whole = counted([3, 40, 16], device).remainder(100).to(dtype);
    for (const x of [whole, whole.slice(null, [1, 38]), whole.slice(null, null, [2, 9]), whole.swapAxes(0, 1)])
      for (const [widths, axis] of [
        [[2, 3], 2],
        [[0, 0, 1, 0], 1],
        [[0, 0, 0, 0, 2, 1], 0],
        [[4, 8], 2],
        [[0, 5000], 2],
      ] as const) {
        const [before, after] = widths.slice(-2) as [number, number];
        const border = (size: number) =>
          fullLike(x, 7)
            .slice(...Array<null>(axis).fill(null), [0, 1])
            .expand(x.shape.with(axis, size));
        poison(device, 2 * x.size);
        const parts = [border(before), x, border(after)].map((each) => each.clone());
        expect(numbers(x.pad(widths, { value: 7 }))).toEqual(numbers(cat(parts, { axis })));
      }
  });

  test("repeat, tile, repeatInterleave and roll", () => {
    const x = counted([2, 3], device);
    expect(nested(x.repeat([2, 2]))).toEqual([
      [0, 1, 2, 0, 1, 2],
      [3, 4, 5, 3, 4, 5],
      [0, 1, 2, 0, 1, 2],
      [3, 4, 5, 3, 4, 5],
    ]);
    expect(nested(x.tile([2]))).toEqual([
      [0, 1, 2, 0, 1, 2],
      [3, 4, 5, 3, 4, 5],
    ]);
    expect(x.repeat([2, 1, 1, 0]).shape).toEqual([2, 1, 2, 0]);
    const same = tensor([7], { device }).tile([3]);
    same.set([0], 1);
    expect(nested(same)).toEqual([1, 7, 7]);
    expect(nested(x.repeatInterleave(2, { axis: 1 }))).toEqual([
      [0, 0, 1, 1, 2, 2],
      [3, 3, 4, 4, 5, 5],
    ]);
    expect(nested(x.repeatInterleave([2, 0, 1], { axis: 1 }))).toEqual([
      [0, 0, 2],
      [3, 3, 5],
    ]);
    expect(nested(x.repeatInterleave(2))).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    // One number is for all rows wherever it is, as in the array API.
    for (const times of [[2], tensor([2], { dtype: "int32", device }), tensor(2, { dtype: "uint8", device })]) {
      expect(nested(x.repeatInterleave(times, { axis: 1 }))).toEqual(nested(x.repeatInterleave(2, { axis: 1 })));
      expect(nested(x.repeatInterleave(times))).toEqual(nested(x.repeatInterleave(2)));
    }
    expect(zeros([3, 0], { device }).repeatInterleave([9], { axis: 0 }).shape).toEqual([27, 0]);
    expect(nested(x.roll(1))).toEqual([
      [5, 0, 1],
      [2, 3, 4],
    ]);
    expect(nested(x.roll([1, -1], { axis: [0, 1] }))).toEqual([
      [4, 5, 3],
      [1, 2, 0],
    ]);
    const large = counted([3, 40, 16], device);
    for (const [axis, by] of [
      [1, 8],
      [2, 5],
      [0, -1],
      [1, 43],
    ] as const) {
      const size = large.shape[axis]!;
      poison(device, 2 * large.size);
      const wanted = large.indexSelect(axis, arange(size, { dtype: "int64", device }).sub(by).remainder(size));
      expect(numbers(large.roll(by, { axis }))).toEqual(numbers(wanted));
    }
    expect(x.roll(0, { axis: 0 }).storage).not.toBe(x.storage);
  });

  test("pad in every mode", () => {
    const x = counted([2, 3], device);
    poison(device, 64);
    expect(nested(x.pad([1, 2], { value: 9 }))).toEqual([
      [9, 0, 1, 2, 9, 9],
      [9, 3, 4, 5, 9, 9],
    ]);
    expect(nested(x.pad([-1, 0, 0, 1]))).toEqual([
      [1, 2],
      [4, 5],
      [0, 0],
    ]);
    expect(nested(x.pad([2, 1, 1, 0], { mode: "reflect" }))).toEqual([
      [5, 4, 3, 4, 5, 4],
      [2, 1, 0, 1, 2, 1],
      [5, 4, 3, 4, 5, 4],
    ]);
    expect(nested(x.pad([2, 1, 0, 2], { mode: "replicate" }))).toEqual([
      [0, 0, 0, 1, 2, 2],
      [3, 3, 3, 4, 5, 5],
      [3, 3, 3, 4, 5, 5],
      [3, 3, 3, 4, 5, 5],
    ]);
    expect(nested(x.pad([3, 1], { mode: "circular" }))).toEqual([
      [0, 1, 2, 0, 1, 2, 0],
      [3, 4, 5, 3, 4, 5, 3],
    ]);
    expect(nested(tensor([true], { device }).pad([1, 0]))).toEqual([false, true]);
  });

  test("triangles, diagonals, grids and tensors like others", () => {
    const x = counted([3, 4], device).add(1);
    expect(nested(x.tril())).toEqual([
      [1, 0, 0, 0],
      [5, 6, 0, 0],
      [9, 10, 11, 0],
    ]);
    expect(nested(x.triu(1))).toEqual([
      [0, 2, 3, 4],
      [0, 0, 7, 8],
      [0, 0, 0, 12],
    ]);
    expect(
      nested(
        tensor(
          [
            [NaN, Infinity],
            [1, NaN],
          ],
          { device },
        ).tril(-1),
      ),
    ).toEqual([
      [0, 0],
      [1, 0],
    ]);
    expect(nested(eye(2, 3, { device, dtype: "int32" }))).toEqual([
      [1, 0, 0],
      [0, 1, 0],
    ]);
    expect(nested(eye(2, { device, dtype: "bool" }))).toEqual([
      [true, false],
      [false, true],
    ]);
    expect(nested(diag(tensor([1, 2], { device }), -1))).toEqual([
      [0, 0, 0],
      [1, 0, 0],
      [0, 2, 0],
    ]);
    expect(nested(diag(x, 2))).toEqual([3, 8]);
    const [rows, columns] = meshgrid([tensor([1, 2], { device }), tensor([3, 4, 5], { device })]);
    expect([nested(rows!), nested(columns!)]).toEqual([
      [
        [1, 1, 1],
        [2, 2, 2],
      ],
      [
        [3, 4, 5],
        [3, 4, 5],
      ],
    ]);
    expect(nested(meshgrid(tensor([1, 2], { device }), tensor([3, 4, 5], { device }), { indexing: "xy" })[0]!)).toEqual(
      [
        [1, 2],
        [1, 2],
        [1, 2],
      ],
    );
    expect(nested(zerosLike(x.to("int64")))).toEqual(Array(3).fill([0n, 0n, 0n, 0n]));
    expect(nested(onesLike(x.gt(3)))).toEqual(Array(3).fill([true, true, true, true]));
    expect(fullLike(x, 2, { dtype: "uint8" }).dtype).toBe("uint8");
    expect([empty([2, 3], { device }).shape, emptyLike(x).device]).toEqual([[2, 3], x.device]);
  });

  test("channels last: the same elements, channels side by side", () => {
    const x = counted([2, 3, 4, 5], device);
    const last = x.contiguous({ memoryFormat: "channelsLast" });
    expect(last.shape).toEqual([2, 3, 4, 5]);
    expect(last.strides).toEqual([60, 1, 15, 3]);
    expect([
      last.isContiguousIn("channelsLast"),
      last.isContiguousIn("contiguous"),
      x.isContiguousIn("channelsLast"),
    ]).toEqual([true, false, false]);
    expect(nested(last)).toEqual(nested(x));
    expect(last.contiguous({ memoryFormat: "channelsLast" }).storage).toBe(last.storage);
    expect(last.contiguous().strides).toEqual([60, 20, 5, 1]);
    expect(counted([2, 1, 4, 5], device).isContiguousIn("channelsLast")).toBe(true);
  });

  test("lerp, addcmul and addcdiv", () => {
    const [a, b] = [tensor([1, 2, 3], { device }), tensor([5, 6, 1e9], { device })];
    expect(nested(a.lerp(b, 0.25))).toEqual([2, 3, Math.fround(250000002.25)]);
    expect(nested(a.lerp(b, 1))).toEqual([5, 6, 1e9]);
    expect(nested(a.lerp(b, tensor([0, 0.5, 1], { device })))).toEqual([1, 4, 1e9]);
    expect(nested(a.addcmul(a, a, { value: 2 }))).toEqual([3, 10, 21]);
    expect(nested(a.addcdiv(a, tensor([2, 4, 6], { device })))).toEqual([1.5, 2.5, 3.5]);
  });

  test("gradients", () => {
    const one = [{ shape: [3, 4] }];
    const functions: ((x: Tensor) => Tensor)[] = [
      (x) => x.flip(1),
      (x) => x.roll([1, 2], { axis: [0, 1] }),
      (x) => x.tile([2, 1, 2]),
      (x) => x.repeatInterleave([1, 0, 2], { axis: 0 }),
      (x) => x.repeatInterleave(2, { axis: 1 }),
      (x) => x.pad([1, 2, -1, 1], { value: 3 }),
      (x) => x.pad([2, 1, 1, 2], { mode: "reflect" }),
      (x) => x.pad([2, 1], { mode: "replicate" }),
      (x) => x.pad([2, 4, 1, 0], { mode: "circular" }),
      (x) => x.tril(),
      (x) => x.triu(1),
      (x) => x.diagonal({ offset: 1 }),
      (x) => diag(x.get(0), 1),
      (x) => x.split([1, 3], { axis: 1 })[1]!.unsqueeze(0).squeeze().moveAxis(0, 1),
      (x) => x.unflatten(1, [2, 2]).contiguous({ memoryFormat: "contiguous" }).flatten(),
      (x) => x.reshape([1, 3, 2, 2]).contiguous({ memoryFormat: "channelsLast" }),
      (x) => meshgrid([x.get(0), x.get(1)])[1]!,
    ];
    for (const f of functions) expectGradients(f, one, device);
    expectGradients((x, y) => cat([x, y, x], { axis: 1 }), [{ shape: [2, 3] }, { shape: [2, 1] }], device);
    expectGradients((x, y) => stack([x, y], { axis: 1 }), [{ shape: [2, 3] }, { shape: [2, 3] }], device);
    for (const weight of [0.25, 0.75])
      expectGradients((x, y) => x.lerp(y, weight), [{ shape: [3] }, { shape: [3] }], device);
    expectGradients(
      (x, y, z) => x.addcmul(y, z, { value: 2 }).addcdiv(y, z.square().add(1), { value: -1 }),
      [{ shape: [3] }, { shape: [3] }, { shape: [3] }],
      device,
    );
  });

  test("what does not fit is said", () => {
    const x = counted([2, 3], device);
    const cases: [() => unknown, string][] = [
      [() => cat([]), "cat takes an array of at least one tensor but got []."],
      [() => cat(x as never), "cat takes an array of at least one tensor but got"],
      [
        () => cat([x, ones([3, 2], { device })]),
        "cat along axis 0 takes tensors that agree in all other axes, but tensor 0 has shape [2, 3] and tensor 1 has [3, 2].",
      ],
      [
        () => stack([x, x, ones([3, 2], { device })]),
        "stack takes tensors of one shape, but tensor 0 has shape [2, 3] and tensor 2 has [3, 2].",
      ],
      [() => x.split(0), "split takes a size ≥ 1 or a list of sizes but got 0."],
      [() => x.split([1, 2]), "split takes sizes that add up to the 2 elements of axis 0 but got [1, 2]."],
      [() => x.chunk(0), "chunk takes a count ≥ 1 but got 0."],
      [() => x.flatten(1, 0), "flatten takes a first axis that is not after the last but got 1 and 0."],
      [() => x.unflatten(1, [2, 2]), "unflatten of axis 1 takes sizes whose product is 3 but got [2, 2]."],
      [() => x.moveAxis([0, 1], [0]), "moveAxis takes as many places as axes, each once"],
      [() => x.unsqueeze([0, -4]), "unsqueeze makes each axis once, but [0, -4] names one twice."],
      [() => x.unsqueeze([0, 4]), "There is no axis 4 in a tensor with 4 axes"],
      [
        () => x.roll([1, 2], { axis: [0] }),
        "roll takes as many whole shifts as axes but got an array of 2 and an array of 1.",
      ],
      [() => x.roll([1, 2]), "roll takes one shift, or as many axes as shifts"],
      [() => x.roll(1.5, { axis: 0 }), "roll takes as many whole shifts as axes but got 1.5 and 0."],
      [() => x.repeat([2]), "repeat takes a number for each of the 2 axes but got [2]: use tile for fewer."],
      [() => x.tile([-1]), "tile takes whole numbers ≥ 0 but got [-1]."],
      [
        () => x.repeatInterleave([1, 2, 3], { axis: 0 }),
        "repeatInterleave takes one number, or one for each of the 2 rows of axis 0, but got 3.",
      ],
      [
        () => x.pad([1]),
        "pad takes pairs of widths, before and after, for the last axis, the one before it and so on, e.g. [1, 1, 2, 2], at most 4 numbers for shape [2, 3], but got [1].",
      ],
      [
        () => x.pad([3, 0], { mode: "reflect" }),
        'pad with mode "reflect" takes widths from 0 to 2 on axis 1, which has 3 elements, but got 3 and 0.',
      ],
      [() => x.pad([-2, -2]), "pad cuts more off axis 1 than its 3 elements."],
      [
        () => x.pad([1, 1], { mode: "mirror" as never }),
        'pad takes "constant", "reflect", "replicate" or "circular" as mode but got "mirror".',
      ],
      [() => x.to("uint8").pad([1, 1], { value: -1 }), "pad of uint8 cannot write -1."],
      [() => x.diagonal({ axes: [0, 0] }), "diagonal takes two different axes but got [0, 0]."],
      [() => x.diagonal({ offset: 0.5 }), "diagonal takes a whole number as offset but got 0.5."],
      [() => x.flatten().tril(), "tril takes at least two axes but got shape [6]."],
      [() => diag(zeros([1, 1, 1], { device })), "diag takes a list or a matrix but got 3 axes."],
      [() => meshgrid([x]), "meshgrid takes lists of coordinates, but tensor 0 has 2 axes."],
      [
        () => meshgrid([x.flatten()], { indexing: "yx" as never }),
        'meshgrid takes "ij" or "xy" as indexing but got "yx".',
      ],
      [() => eye(undefined as never), "eye takes a whole number of at least 0 as rows but got nothing."],
      [() => fullLike(x.to("uint8"), 300), "fullLike makes uint8, which does not hold 300."],
      [
        () => x.contiguous({ memoryFormat: "channelsLast" }),
        'Memory format "channelsLast" is for tensors of [batch, channels, height, width], not of shape [2, 3].',
      ],
      [
        () => x.isContiguousIn("nhwc" as never),
        'isContiguousIn takes "contiguous" or "channelsLast" as format but got "nhwc".',
      ],
      [() => x.flip("a" as never), 'flip takes an axis or a list of them as axis but got "a".'],
    ];
    for (const [run, sentence] of cases) expect(run, sentence).toThrow(sentence);
  });
});
