// The CTC loss on every device: against all paths, one by one, in float64, and against the recursion for long ones; its
// gradient, lengths, the blank, and what it refuses.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  ctcLoss,
  graph,
  ones,
  randint,
  randn,
  synchronize,
  tensor,
  TensorError,
  zeros,
  type DType,
  type Tensor,
  GradientError,
  gradients,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { poison, roundoff } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { expectWithin, numbersOf } from "./samples.ts";

const random = seeded(freshSeed());
const below = (limit: number) => Math.floor(random() * limit);
const numbers = (x: Tensor): number[] => numbersOf(x.detach().to("float64") as Tensor);

/** What a path says: without repetitions, then without blanks. */
const told = (path: readonly number[], blank: number) =>
  path.filter((label, t) => label !== path[t - 1] && label !== blank).join();

/** By all paths: the loss of one sequence, and its derivatives [T, C]. `logs`: [T][C]. */
function byPaths(logs: readonly (readonly number[])[], labels: readonly number[], blank: number) {
  const classes = logs[0]?.length ?? 0;
  let sum = 0;
  const shares = logs.map((row) => row.map(() => 0));
  const visit = (path: number[], probability: number) => {
    if (path.length < logs.length) {
      for (let c = 0; c < classes; c++) visit([...path, c], probability * Math.exp(logs[path.length]![c]!));
      return;
    }
    if (told(path, blank) !== labels.join()) return;
    sum += probability;
    path.forEach((label, t) => (shares[t]![label]! += probability));
  };
  visit([], 1);
  return { loss: -Math.log(sum), slopes: shares.map((row) => row.map((each) => (each === 0 ? 0 : -each / sum))) };
}

/** By the recursion over prefixes of the labels, in probabilities, scaled at each step. */
function byRecursion(logs: readonly (readonly number[])[], labels: readonly number[], blank: number): number {
  const extended = [blank, ...labels.flatMap((label) => [label, blank])];
  let ways = extended.map((label, s) => (s < 2 ? Math.exp(logs[0]![label]!) : 0));
  let log = 0;
  for (const row of logs.slice(1)) {
    const total = ways.reduce((sum, each) => sum + each, 0);
    log += Math.log(total);
    const before = ways.map((each) => each / total);
    ways = extended.map((label, s) => {
      const skips = s >= 2 && label !== blank && label !== extended[s - 2];
      return Math.exp(row[label]!) * (before[s]! + (before[s - 1] ?? 0) + (skips ? before[s - 2]! : 0));
    });
  }
  return -(log + Math.log(ways.at(-1)! + (ways.at(-2) ?? 0)));
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const integers = (values: readonly unknown[]) => tensor(values as never, { dtype: "int64", device }) as Tensor;
  const rowsOf = (x: Tensor, n: number, steps: number): number[][] =>
    x.detach().to("float64").slice([0, steps], n).toArray() as number[][];

  test.each([
    ["float32", 0],
    ["float64", 2],
    ["float32", 1],
  ] as const)("all paths of short sequences, %s, blank %i", (dtype, blank) => {
    for (let round = 0; round < 6; round++) {
      const [steps, batch, classes, width] = [1 + below(5), 1 + below(4), 3, below(4)];
      const logits = randn([steps, batch, classes], { dtype, device, seed: below(2 ** 31) });
      const labels = Array.from({ length: batch }, () =>
        Array.from({ length: width }, () => [0, 1, 2].filter((label) => label !== blank)[below(2)]!),
      );
      const inputLengths = labels.map(() => below(steps + 1));
      const targetLengths = labels.map(() => below(width + 1));
      // What lies behind a sequence's labels does not matter.
      const padded = labels.map((row, n) => row.map((label, i) => (i < targetLengths[n]! ? label : -7)));
      const logs = logits.logSoftmax(2).detach() as Tensor;
      logs.requiresGrad = true;
      poison(device, steps * batch * (2 * width + 1));
      const targets = width === 0 ? zeros([batch, 0], { dtype: "int64", device }) : integers(padded);
      const options = { inputLengths, targetLengths: integers(targetLengths), blank, zeroInfinity: true };
      const losses = ctcLoss(logs, targets, { ...options, reduction: "none" });
      expect([losses.dtype, losses.shape]).toEqual([dtype, [batch]]);
      const wanted = labels.map((row, n) =>
        byPaths(rowsOf(logs, n, inputLengths[n]!), row.slice(0, targetLengths[n]), blank),
      );
      const finite = wanted.map(({ loss }) => (loss === Infinity ? 0 : loss));
      const u = roundoff[dtype]!;
      // A sum of logarithms in each step, each off by a few roundings of at most so much.
      const bound = (n: number) => 16 * (steps + 1) * u * (4 + Math.abs(finite[n]!) + 8 * steps);
      expectWithin(numbers(losses), finite, bound);
      const plain = ctcLoss(logs, targets, { ...options, zeroInfinity: false, reduction: "none" });
      expect(numbers(plain).map((each) => each === Infinity)).toEqual(wanted.map(({ loss }) => loss === Infinity));
      const weights = labels.map(() => 1 + below(4));
      losses.backward(tensor(weights, { dtype, device }) as never);
      const slopes = Array.from({ length: steps }, (_, t) =>
        wanted.map(({ loss, slopes: own }, n) =>
          Array.from({ length: classes }, (__, c) => (loss === Infinity ? 0 : weights[n]! * (own[t]?.[c] ?? 0))),
        ),
      ).flat(2);
      expectWithin(
        numbers(logs.grad!),
        slopes,
        (at) => 4 * weights[Math.floor(at / classes) % batch]! * bound(Math.floor(at / classes) % batch),
      );
      // The mean of what each label costs, and the sum.
      const sum = finite.reduce((all, each) => all + each, 0);
      const all = finite.reduce((most, _, n) => most + bound(n), 0);
      expectWithin([ctcLoss(logs, targets, { ...options, reduction: "sum" }).item()], [sum], () => 2 * all);
      const mean = finite.reduce((total, each, n) => total + each / Math.max(1, targetLengths[n]!), 0) / batch;
      expectWithin([ctcLoss(logs, targets, options).item()], [mean], () => 2 * all);
    }
  });

  test("long sequences with labels that repeat, by the recursion, and logits' gradients that sum to 0", () => {
    const [steps, batch, classes, width] = [120, 3, 20, 300];
    const logits = randn([steps, batch, classes], { device, seed: below(2 ** 31) }).mul(2) as Tensor;
    logits.requiresGrad = true;
    const labels = randint(1, 4, [batch, width], { device, seed: below(2 ** 31) });
    const targetLengths = [50, 0, 33];
    const rows = labels.toArray() as (number | bigint)[][];
    const logs = logits.logSoftmax(2);
    const losses = ctcLoss(logs, labels, { targetLengths, reduction: "none" });
    const wanted = targetLengths.map((count, n) =>
      byRecursion(rowsOf(logs, n, steps), rows[n]!.slice(0, count).map(Number), 0),
    );
    expectWithin(numbers(losses), wanted, (n) => 8 * steps * 2 ** -24 * Math.abs(wanted[n]!));
    losses.sum().backward();
    // Each step has one label: what softmax − shares sums to.
    const sums = numbers(logits.grad!.sum(2));
    expectWithin(sums, Array(steps * batch).fill(0), () => 16 * steps * 2 ** -24 * Math.max(...wanted));
  });

  test("one sequence without a batch, 16 bits, a graph", () => {
    const logs = randn([6, 4], { device, seed: below(2 ** 31) }).logSoftmax(1) as Tensor;
    const labels = integers([1, 3]);
    const batched = ctcLoss(logs.reshape([6, 1, 4]), labels.reshape([1, 2]), { reduction: "none" });
    const one = ctcLoss(logs, labels, { reduction: "none" });
    expect([one.shape, one.item()]).toEqual([[], batched.item()]);
    expect(ctcLoss(logs.to("bfloat16"), labels).dtype).toBe("float32");
    const step = graph((x: Tensor) =>
      ctcLoss(x.logSoftmax(1), labels, { inputLengths: ones([1], { dtype: "int64", device }).mul(6) as Tensor }),
    );
    for (let round = 0; round < 4; round++) {
      const x = randn([6, 4], { device, seed: round });
      expect(step(x).item()).toBe(ctcLoss(x.logSoftmax(1), labels).item());
    }
  });

  test("what no way leads to is infinite, and so is its gradient NaN; or both are 0", () => {
    const logs = zeros([2, 1, 3], { device }) as Tensor;
    logs.requiresGrad = true;
    const found = [false, true].map((zeroInfinity) => {
      logs.grad = null;
      // Two that are the same want a blank between them.
      const loss = ctcLoss(logs, integers([[1, 1]]), { zeroInfinity });
      loss.backward();
      return [loss.item(), [...new Set(numbers(logs.grad!))]];
    });
    expect(found[0]![0]).toBe(Infinity);
    expect((found[0]![1] as number[]).some(Number.isNaN)).toBe(true);
    expect(found[1]).toEqual([0, [0]]);
  });

  test("what it refuses", async () => {
    const logs = zeros([4, 2, 3], { device });
    const targets = integers([
      [1, 2],
      [2, 1],
    ]);
    const refused: [() => unknown, string, string][] = [
      [
        () => ctcLoss(logs, integers([1, 2, 2, 1])),
        "SHAPE",
        "ctcLoss takes logarithms of probabilities [T, N, C] and targets [N, S], or [T, C] and [S], but got [4, 2, 3] and [4].",
      ],
      [
        () => ctcLoss(logs, ones([2, 2], { device })),
        "DTYPE",
        "ctcLoss takes integer class numbers as targets but got float32.",
      ],
      [
        () => ctcLoss(logs, targets, { blank: 3 }),
        "VALUE",
        "ctcLoss of 3 classes takes one of them as blank but got 3.",
      ],
      [
        () => ctcLoss(logs, targets, { inputLengths: [4] }),
        "SHAPE",
        "ctcLoss takes inputLengths as integers of shape [2] but got int64 of shape [1].",
      ],
      [
        () => ctcLoss(logs, targets, { targetLengths: ones([2], { device }) }),
        "SHAPE",
        "ctcLoss takes targetLengths as integers of shape [2] but got float32 of shape [2].",
      ],
    ];
    for (const [run, code, message] of refused) {
      expect(run).toThrow(TensorError);
      expect(run).toThrow(expect.objectContaining({ code, message }));
    }
    logs.requiresGrad = true;
    const [slope] = gradients(ctcLoss(logs, targets), [logs], { createGraph: true });
    expect(() => gradients(slope!.square().sum(), [logs])).toThrow(
      new GradientError(
        "NO_GRADIENT",
        "ctcLoss has no gradient of its gradient: write its sums over ways with logsumexp where you need one.",
      ),
    );
    logs.requiresGrad = false;
    const later = async (run: () => unknown) => {
      run();
      return synchronize().then(
        () => undefined,
        (error: Error) => error.message,
      );
    };
    const label = (which: number) =>
      `ctcLoss of 3 classes takes targets from 0 to 2 other than the blank, 0, but there is ${which}.`;
    for (const odd of [0, 3, -1])
      expect(
        await later(() =>
          ctcLoss(
            logs,
            integers([
              [1, odd],
              [1, 2],
            ]),
          ),
        ),
      ).toBe(label(odd));
    expect(await later(() => ctcLoss(logs, targets, { inputLengths: [4, 5] }))).toBe(
      "ctcLoss of 4 steps and up to 2 labels takes lengths within those, but there is 5.",
    );
    expect(await later(() => ctcLoss(logs, targets, { targetLengths: [-1, 2] }))).toBe(
      "ctcLoss of 4 steps and up to 2 labels takes lengths within those, but there is -1.",
    );
    expect(await later(() => ctcLoss(logs, targets))).toBeUndefined();
    const dtype: DType = "float64";
    expect(ctcLoss(logs.to(dtype), targets).dtype).toBe(dtype);
  });
});
