// Losses of margins beside their definitions in float64, on every device, on random numbers of a printed seed.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  hingeEmbeddingLoss,
  multiMarginLoss,
  multilabelMarginLoss,
  multilabelSoftMarginLoss,
  softMarginLoss,
  tensor,
  TensorError,
  zeros,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradient-check.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { at, expectNear, floats, indicesOf, numbersOf, sampler, type Wanted } from "./samples.ts";

const random = seeded(freshSeed());
const below = (limit: number) => Math.floor(random() * limit);
const total = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0);
const softplus = (x: number) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
const [size, count] = [7, 5];

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const sample = sampler(random, device);
  const whole = (values: unknown): Tensor<"int64"> => tensor(values as number[], { dtype: "int64", device });
  /** The losses are those, and their mean and sum are what becomes of them. */
  function expectLosses(run: (reduction?: "none" | "mean" | "sum") => Tensor, shape: number[], wanted: Wanted[]): void {
    expectNear(run("none"), shape, wanted, 16);
    const [all, scale] = [total(wanted.map(([value]) => value)), total(wanted.map(([, each]) => each))];
    expectNear(run("sum"), [], [[all, scale]], 24);
    expectNear(run(), [], [[all / wanted.length, scale / wanted.length]], 24);
  }

  test.each(floats)("of two sides, of %s", (dtype) => {
    const x = sample([size, count], dtype);
    const sides = x.values.map(() => (random() < 0.5 ? -1 : 1));
    const target = tensor(sides, { dtype, device }).reshape([size, count]);
    expectLosses(
      (reduction) => softMarginLoss(x.x, target, { reduction }),
      [size, count],
      x.values.map((value, k): Wanted => [softplus(-sides[k]! * value), 2]),
    );
    expectLosses(
      (reduction) => hingeEmbeddingLoss(x.x, target, { margin: 0.75, reduction }),
      [size, count],
      x.values.map((value, k): Wanted => [sides[k]! > 0 ? value : Math.max(0, 0.75 - value), 3]),
    );
  });

  test.each(floats)("of one class and of several, of %s", (dtype) => {
    const x = sample([size, count], dtype);
    const [weight, likely] = [sample([count], dtype, [0, 2]), sample([size, count], dtype, [0, 1])];
    const classes = Array.from({ length: size }, () => below(count));
    const others = (row: number) => [0, 1, 2, 3, 4].filter((i) => i !== classes[row]);
    for (const p of [1, 2])
      expectLosses(
        (reduction) => multiMarginLoss(x.x, whole(classes), { p, margin: 0.5, weight: weight.x, reduction }),
        [size],
        classes.map((own, row): Wanted => {
          const near = others(row).map((i) => Math.max(0, 0.5 - at(x, [row, own]) + at(x, [row, i])) ** p);
          return [(weight.values[own]! * total(near)) / count, 2 * 4.5 ** p];
        }),
      );
    // Several of them, some of them twice, and what comes after −1.
    const lists = classes.map((own, row) => [own, below(count), own, row % 2 === 0 ? -1 : below(count), below(count)]);
    lists[1] = [-1, 0, 1, 2, 3];
    expectLosses(
      (reduction) => multilabelMarginLoss(x.x, whole(lists), { reduction }),
      [size],
      lists.map((list, row): Wanted => {
        const end = list.indexOf(-1);
        const targets = end < 0 ? list : list.slice(0, end);
        const none = [0, 1, 2, 3, 4].filter((i) => !targets.includes(i));
        const near = targets.flatMap((j) => none.map((i) => Math.max(0, 1 - at(x, [row, j]) + at(x, [row, i]))));
        return [total(near) / count, 25];
      }),
    );
    expectLosses(
      (reduction) => multilabelSoftMarginLoss(x.x, likely.x, { weight: weight.x, reduction }),
      [size],
      classes.map((_, row): Wanted => {
        const each = indicesOf([count]).map(([i]) => {
          const [value, part] = [at(x, [row, i!]), at(likely, [row, i!])];
          return weight.values[i!]! * (part * softplus(-value) + (1 - part) * softplus(value));
        });
        return [total(each) / count, 10];
      }),
    );
    expect(numbersOf(multiMarginLoss(x.x.get(0), whole(classes[0])))).toEqual(
      numbersOf(multiMarginLoss(x.x.slice([0, 1]), whole([classes[0]]))),
    );
    expect(numbersOf(multilabelMarginLoss(x.x.get(0), whole(lists[0])))).toEqual(
      numbersOf(multilabelMarginLoss(x.x.slice([0, 1]), whole([lists[0]]))),
    );
  });

  test("gradients", () => {
    const sides = tensor([1, -1, -1], { device });
    const shape = { shape: [2, 3] };
    expectGradients((x) => softMarginLoss(x!, sides), [{ shape: [3] }], device);
    expectGradients((x) => hingeEmbeddingLoss(x!, sides, { margin: 3 }), [{ shape: [3] }], device);
    for (const p of [1, 2])
      expectGradients(
        (x, weight) => multiMarginLoss(x!, whole([2, 0]), { p, weight, margin: 4 }),
        [shape, { shape: [3] }],
        device,
      );
    expectGradients(
      (x) =>
        multilabelMarginLoss(
          x!.mul(0.25),
          whole([
            [2, -1, 0],
            [0, 1, -1],
          ]),
        ),
      [shape],
      device,
    );
    expectGradients((x, t) => multilabelSoftMarginLoss(x!, t!.sigmoid()), [shape, shape], device);
  });

  const of = (...shape: number[]): Tensor => zeros(shape, { device });
  test.each<[string, () => unknown, string]>([
    [
      "a target of another shape",
      () => softMarginLoss(of(2), of(3)),
      "softMarginLoss takes a target of the input's shape, [2], but got [3].",
    ],
    [
      "scores that are no rows",
      () => multiMarginLoss(of(2, 3, 4), whole([0])),
      "multiMarginLoss takes scores of shape [C] or [N, C] but got [2, 3, 4].",
    ],
    [
      "targets of other rows",
      () => multiMarginLoss(of(2, 3), whole([0])),
      "multiMarginLoss takes a target for each row of [2, 3] but got shape [1].",
    ],
    [
      "another power",
      () => multiMarginLoss(of(3), whole(0), { p: 3 }),
      "multiMarginLoss takes a p of 1 or 2 but got 3.",
    ],
    [
      "a weight of other classes",
      () => multilabelSoftMarginLoss(of(2, 3), of(2, 3), { weight: of(2) }),
      "multilabelSoftMarginLoss of 3 classes takes a weight of shape [3] but got [2].",
    ],
    [
      "targets that are floats",
      () => multilabelMarginLoss(of(3), of(3)),
      "multilabelMarginLoss takes integer class numbers as targets but got float32.",
    ],
  ])("a sentence for %s", (_, act, sentence) => {
    expect(act).toThrow(sentence);
  });

  test("a target that is no class is told of at the next wait", () => {
    const outside = (name: string, wrong: number) =>
      new TensorError("INDEX", `${name} of 3 classes takes targets from 0 to 2, but there is ${wrong}.`);
    for (const wrong of [3, -1, -100])
      expect(() => multiMarginLoss(of(1, 3), whole([wrong])).item()).toThrow(outside("multiMarginLoss", wrong));
    expect(() => multilabelMarginLoss(of(3), whole([1, 3, -1])).item()).toThrow(outside("multilabelMarginLoss", 3));
  });
});
