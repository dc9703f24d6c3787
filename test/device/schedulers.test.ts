// Schedulers of learning rates against closed formulas in float64: each alone, chained and one after the other, with
// groups, momentum, states that are saved, and every error.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { ones, optim, tensor, TensorError, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());

/** An optimiser with a group for each rate. */
function optimizerOf(rates: readonly number[], device = "cpu"): optim.SGD {
  const groups = rates.map((lr) => {
    const w = ones([2], { device });
    w.requiresGrad = true;
    return { parameters: [w], lr };
  });
  return new optim.SGD(groups, { momentum: 0.5 });
}
const ratesOf = ({ groups }: optim.Optimizer) => groups.map(({ lr }) => lr);
const count = (milestones: readonly number[], step: number) => milestones.filter((each) => each <= step).length;
const between = (from: number, to: number, part: number) => to + ((from - to) / 2) * (1 + Math.cos(Math.PI * part));
const within = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value));

const power = 0.5 + 2 * random();
const gamma = 0.5 + 0.5 * random();
type Formula = (step: number, base: number) => number;
const cases: [name: string, make: (optimizer: optim.Optimizer) => optim.LRScheduler, formula: Formula][] = [
  ["StepLR", (o) => new optim.StepLR(o, 4), (step, base) => base * 0.1 ** Math.floor(step / 4)],
  ["StepLR by gamma", (o) => new optim.StepLR(o, 3, gamma), (step, base) => base * gamma ** Math.floor(step / 3)],
  [
    "MultiStepLR",
    (o) => new optim.MultiStepLR(o, [2, 5, 5, 9], { gamma }),
    (step, base) => base * gamma ** count([2, 5, 5, 9], step),
  ],
  ["ConstantLR", (o) => new optim.ConstantLR(o), (step, base) => (step < 5 ? base / 3 : base)],
  [
    "ConstantLR by a factor",
    (o) => new optim.ConstantLR(o, { factor: 0.25, totalIters: 7 }),
    (step, base) => (step < 7 ? base / 4 : base),
  ],
  ["LinearLR", (o) => new optim.LinearLR(o), (step, base) => base * (1 / 3 + (2 / 3) * Math.min(1, step / 5))],
  [
    "LinearLR down",
    (o) => new optim.LinearLR(o, { startFactor: 1, endFactor: 0.2, totalIters: 12 }),
    (step, base) => base * (1 - 0.8 * Math.min(1, step / 12)),
  ],
  ["PolynomialLR", (o) => new optim.PolynomialLR(o), (step, base) => base * (1 - Math.min(1, step / 5))],
  [
    "PolynomialLR of a power",
    (o) => new optim.PolynomialLR(o, { totalIters: 14, power }),
    (step, base) => base * (1 - Math.min(1, step / 14)) ** power,
  ],
  ["ExponentialLR", (o) => new optim.ExponentialLR(o, gamma), (step, base) => base * gamma ** step],
  ["LambdaLR", (o) => new optim.LambdaLR(o, (step) => 1 / (1 + step)), (step, base) => base / (1 + step)],
  [
    "MultiplicativeLR",
    (o) => new optim.MultiplicativeLR(o, (step) => step / (1 + step)),
    (step, base) => base / (1 + step),
  ],
  ["CosineAnnealingLR", (o) => new optim.CosineAnnealingLR(o, 7), (step, base) => between(base, 0, step / 7)],
  [
    "CosineAnnealingLR above 0",
    (o) => new optim.CosineAnnealingLR(o, 5, { etaMin: 0.01 }),
    (step, base) => between(base, 0.01, step / 5),
  ],
  [
    "CosineAnnealingWarmRestarts",
    (o) => new optim.CosineAnnealingWarmRestarts(o, 6, { etaMin: 0.01 }),
    (step, base) => between(base, 0.01, (step % 6) / 6),
  ],
  [
    "CosineAnnealingWarmRestarts that grow",
    (o) => new optim.CosineAnnealingWarmRestarts(o, 3, { tMult: 2 }),
    (step, base) => {
      const [start, length] = step < 3 ? [0, 3] : step < 9 ? [3, 6] : step < 21 ? [9, 12] : [21, 24];
      return between(base, 0, (step - start) / length);
    },
  ],
  [
    "CyclicLR",
    (o) => new optim.CyclicLR(o, 0.1, 0.5, { stepSizeUp: 4 }),
    (step) => 0.1 + 0.4 * (1 - Math.abs((step % 8) / 4 - 1)),
  ],
  [
    "CyclicLR, each half as high",
    (o) => new optim.CyclicLR(o, 0, 1, { stepSizeUp: 2, stepSizeDown: 6, mode: "triangular2" }),
    (step) => {
      const at = step % 8;
      return (at <= 2 ? at / 2 : (8 - at) / 6) / 2 ** Math.floor(step / 8);
    },
  ],
  [
    "CyclicLR that shrinks",
    (o) => new optim.CyclicLR(o, 0, 1, { stepSizeUp: 4, mode: "exp_range", gamma }),
    (step) => (1 - Math.abs((step % 8) / 4 - 1)) * gamma ** step,
  ],
  [
    "CyclicLR by a function",
    (o) => new optim.CyclicLR(o, 0, 1, { stepSizeUp: 4, scaleFn: (cycle) => 1 / cycle }),
    (step) => (1 - Math.abs((step % 8) / 4 - 1)) / Math.floor(1 + step / 8),
  ],
  [
    "OneCycleLR",
    (o) => new optim.OneCycleLR(o, 0.5, { totalSteps: 20 }),
    (step) => (step <= 5 ? between(0.02, 0.5, step / 5) : between(0.5, 0.02 / 1e4, (step - 5) / 14)),
  ],
  [
    "OneCycleLR in lines and three parts",
    (o) =>
      new optim.OneCycleLR(o, 0.5, {
        epochs: 4,
        stepsPerEpoch: 5,
        annealStrategy: "linear",
        threePhase: true,
        divFactor: 5,
        finalDivFactor: 10,
      }),
    (step) =>
      step <= 5 ? 0.1 + (0.4 * step) / 5 : step <= 10 ? 0.5 - (0.4 * (step - 5)) / 5 : 0.1 - (0.09 * (step - 10)) / 9,
  ],
  [
    "ReduceLROnPlateau that sees no change",
    (o) => {
      const plateau = new optim.ReduceLROnPlateau(o, { patience: 1, factor: 0.5 });
      const step = plateau.step.bind(plateau, 1);
      return Object.defineProperty(plateau, "step", { value: step });
    },
    (step, base) => base * 0.5 ** Math.floor(Math.max(0, step - 1) / 2),
  ],
  [
    "ChainedScheduler",
    (o) =>
      new optim.ChainedScheduler([
        new optim.LinearLR(o, { startFactor: 0.5, totalIters: 4 }),
        new optim.ExponentialLR(o, gamma),
      ]),
    (step, base) => base * (0.5 + 0.5 * Math.min(1, step / 4)) * gamma ** step,
  ],
  [
    "SequentialLR",
    (o) =>
      new optim.SequentialLR(
        o,
        [
          new optim.LinearLR(o, { startFactor: 0.1, totalIters: 4 }),
          new optim.CosineAnnealingLR(o, 6),
          new optim.StepLR(o, 2),
        ],
        [4, 10],
      ),
    (step, base) =>
      step < 4
        ? base * (0.1 + (0.9 * step) / 4)
        : step < 10
          ? between(base, 0, (step - 4) / 6)
          : base * 0.1 ** Math.floor((step - 10) / 2),
  ],
];

test.each(cases)("%s", (_, make, formula) => {
  const bases = [0.5 + random(), 0.1 * random()];
  const optimizer = optimizerOf(bases);
  const scheduler = make(optimizer);
  for (let step = 0; step < 20; step++) {
    expect(scheduler.lastEpoch).toBe(step);
    const wanted = bases.map((base) => formula(step, base));
    expect(scheduler.getLastLr()).toEqual(ratesOf(optimizer));
    // Some ten roundings in each step from the one before, of a rate that the cosine may leave by a hundredth of its size.
    ratesOf(optimizer).forEach((rate, group) =>
      expect(Math.abs(rate - wanted[group]!)).toBeLessThanOrEqual(20 * 10 * 100 * 2 ** -53 * Math.max(...bases, 1)),
    );
    optimizer.step();
    scheduler.step();
  }
});

test.each(cases)("%s goes on from its state", (_, make) => {
  const bases = [0.75, 0.125];
  const [first, second] = [optimizerOf(bases), optimizerOf(bases)];
  const one = make(first);
  for (let step = 0; step < 7; step++) one.step();
  const other = make(second);
  other.loadStateDict(one.stateDict());
  second.loadStateDict(first.stateDict());
  for (let step = 0; step < 6; step++) {
    one.step();
    other.step();
    expect(ratesOf(second)).toEqual(ratesOf(first));
    expect(other.lastEpoch).toBe(one.lastEpoch);
  }
});

test("momentum goes down as rates go up", () => {
  const optimizer = optimizerOf([0.1, 0.1]);
  const cyclic = new optim.CyclicLR(optimizer, 0, 1, { stepSizeUp: 4, baseMomentum: [0.5, 0.25], maxMomentum: 0.75 });
  const momenta = () => optimizer.groups.map(({ momentum }) => momentum);
  const found = Array.from({ length: 6 }, () => {
    const now = momenta();
    cyclic.step();
    return now;
  });
  const height = (step: number) => 1 - Math.abs(step / 4 - 1);
  expect(found).toEqual(found.map((_, step) => [0.75 - 0.25 * height(step), 0.75 - 0.5 * height(step)]));
  const w = ones([1], { device: "cpu" });
  w.requiresGrad = true;
  const adam = new optim.AdamW([w]);
  const once = new optim.OneCycleLR(adam, 1, { totalSteps: 20, annealStrategy: "linear" });
  const betas = Array.from({ length: 20 }, () => {
    const now = adam.groups[0]!.betas;
    once.step();
    return now;
  });
  betas.forEach(([first, second], step) => {
    const wanted = step <= 5 ? 0.95 - (0.1 * step) / 5 : 0.85 + (0.1 * (step - 5)) / 14;
    expect(Math.abs(first - wanted)).toBeLessThan(1e-15);
    expect(second).toBe(0.999);
  });
  expect(() => once.step()).toThrow(
    new TensorError("ORDER", "OneCycleLR was made for 20 steps, which have been taken."),
  );
  const still = optimizerOf([0.1]);
  new optim.CyclicLR(still, 0, 1, { cycleMomentum: false });
  expect(still.groups[0]!.momentum).toBe(0.5);
});

test("a plateau is told from progress by share or size, rests after a change, and stops at the least rate", () => {
  const run = (figures: readonly number[], options: optim.PlateauOptions, rates = [1]) => {
    const optimizer = optimizerOf(rates);
    const scheduler = new optim.ReduceLROnPlateau(optimizer, { factor: 0.5, patience: 0, ...options });
    return figures.map((figure) => {
      scheduler.step(figure);
      return ratesOf(optimizer)[0];
    });
  };
  expect(run([1, 0.95, 0.85, 0.8], { threshold: 0.1 })).toEqual([1, 0.5, 0.5, 0.25]);
  expect(run([10, 9.95, 9.85, 9.8], { threshold: 0.1, thresholdMode: "abs" })).toEqual([1, 0.5, 0.5, 0.25]);
  expect(run([1, 1.05, 1.2, 1.3], { threshold: 0.1, mode: "max" })).toEqual([1, 0.5, 0.5, 0.25]);
  expect(run([1, 1.05, 1.2, 1.25], { threshold: 0.1, mode: "max", thresholdMode: "abs" })).toEqual([1, 0.5, 0.5, 0.25]);
  expect(run([1, 1, 1, 1, 1], { cooldown: 2 })).toEqual([1, 0.5, 0.5, 0.5, 0.25]);
  expect(run([1, 1, 1, 1], { minLr: 0.3 })).toEqual([1, 0.5, 0.3, 0.3]);
  expect(run([1, 1, 1], { eps: 0.3 })).toEqual([1, 0.5, 0.5]);
  expect(run([NaN, NaN], {})).toEqual([0.5, 0.25]);
});

test("a restart of cosines goes to any time, also between epochs", () => {
  const optimizer = optimizerOf([1]);
  const scheduler = new optim.CosineAnnealingWarmRestarts(optimizer, 2, { tMult: 2 });
  for (const [epoch, part] of [
    [0.5, 0.25],
    [1.5, 0.75],
    [2, 0],
    [5, 0.75],
    [6, 0],
    [within(9, 6, 14), 3 / 8],
    [14, 0],
  ] as const) {
    scheduler.step(epoch);
    expect(Math.abs(optimizer.lr - between(1, 0, part))).toBeLessThan(1e-15);
    expect(scheduler.lastEpoch).toBe(Math.floor(epoch));
  }
  scheduler.step();
  expect(Math.abs(optimizer.lr - between(1, 0, 1 / 16))).toBeLessThan(1e-15);
  expect(() => scheduler.step(-1)).toThrow("step takes a number of at least 0 as epoch but got -1.");
});

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  test("steps take the rates that a scheduler sets, and a loss may be its figure", () => {
    const optimizer = optimizerOf([1], device);
    const [w] = optimizer.groups[0]!.parameters as [Tensor];
    optimizer.groups[0]!.momentum = 0;
    const halves = new optim.ExponentialLR(optimizer, 0.5);
    for (let step = 0; step < 3; step++) {
      w.grad = tensor([0.25, 0], { device });
      optimizer.step();
      halves.step();
    }
    expect(w.detach().toArray()).toEqual([1 - 0.25 - 0.125 - 0.0625, 1]);
    const plateau = new optim.ReduceLROnPlateau(optimizer, { patience: 0, factor: 0.5 });
    for (let step = 0; step < 2; step++) plateau.step(tensor(3, { device }));
    expect(optimizer.lr).toBe(0.0625);
    expect(String(halves)).toBe("ExponentialLR: step 3, lr 0.125");
  });
});

test("what does not fit is told", () => {
  const optimizer = optimizerOf([1, 2]);
  const other = optimizerOf([1]);
  const one = new optim.StepLR(optimizer, 3);
  const w = ones([1], { device: "cpu" });
  w.requiresGrad = true;
  for (const [make, sentence] of [
    [
      () => new optim.StepLR(optimizer, { stepSize: 3 } as never),
      "StepLR takes a whole number of at least 1 as stepSize but got an object with stepSize. Write new optim.StepLR(optimizer, stepSize, { gamma }).",
    ],
    [() => new optim.StepLR([w] as never, 3), "StepLR takes an optimiser as optimizer but got [a Tensor]."],
    [() => new optim.StepLR(optimizer, 0), "StepLR takes a whole number of at least 1 as stepSize but got 0."],
    [
      () => new optim.MultiStepLR(optimizer, [1.5]),
      "MultiStepLR takes a list of whole numbers as milestones but got [1.5].",
    ],
    [
      () => new optim.ConstantLR(optimizer, { factor: 2 }),
      "ConstantLR takes a factor above 0 and at most 1 but got 2.",
    ],
    [
      () => new optim.LinearLR(optimizer, { startFactor: 0 }),
      "LinearLR takes a startFactor above 0 and an endFactor, both at most 1, but got 0 and 1.",
    ],
    [() => new optim.LambdaLR(optimizer, [() => 1]), "LambdaLR takes a function for each of 2 groups but got 1."],
    [
      () => new optim.LambdaLR(optimizer, 3 as never),
      "LambdaLR takes a function of the step, or a list of one for each group, as lrLambda but got 3.",
    ],
    [
      () => new optim.CosineAnnealingLR(optimizer, 0),
      "CosineAnnealingLR takes a whole number of at least 1 as tMax but got 0.",
    ],
    [() => new optim.CyclicLR(optimizer, 0, [1]), "CyclicLR takes a maxLr for each of 2 groups but got 1."],
    [
      () => new optim.CyclicLR(new optim.Adagrad([w]), 0, 1),
      "CyclicLR changes momentum, which Adagrad has not: write { cycleMomentum: false }.",
    ],
    [
      () => new optim.OneCycleLR(optimizer, 1, { epochs: 3 }),
      "OneCycleLR takes totalSteps, or both epochs and stepsPerEpoch: write { totalSteps: epochs * loader.length }.",
    ],
    [
      () => new optim.ReduceLROnPlateau(optimizer, { factor: 1 }),
      "ReduceLROnPlateau takes a number from 0 to below 1 as factor but got 1.",
    ],
    [
      () => new optim.ReduceLROnPlateau(optimizer, { minLr: [1] }),
      "ReduceLROnPlateau takes a minLr for each of 2 groups but got 1.",
    ],
    [
      () => new optim.ReduceLROnPlateau(optimizer).step(),
      "step takes a number or a tensor without axes as metric but got nothing. Write scheduler.step(metric).",
    ],
    [
      () => new optim.SequentialLR(optimizer, [one, new optim.StepLR(other, 3)], [4]),
      "SequentialLR takes schedulers of one optimiser, but they have several.",
    ],
    [
      () => new optim.SequentialLR(optimizer, [one, one], [4, 5]),
      "SequentialLR of 2 schedulers takes 1 milestones that rise from 1 on but got [4, 5].",
    ],
    [
      () => new optim.ChainedScheduler([]),
      "ChainedScheduler takes a list of at least one scheduler as schedulers but got [].",
    ],
    [() => one.loadStateDict({}), "StepLR goes on from lastEpoch, but the state has no lastEpoch."],
    [
      () => one.loadStateDict({ ...one.stateDict(), rate: tensor(1) }),
      "StepLR goes on from lastEpoch, but the state has rate.",
    ],
    [() => one.loadStateDict({ lastEpoch: ones([2]) }), "StepLR goes on from one number as lastEpoch but got [2]."],
    [
      () => (one as never as { get_last_lr: () => void }).get_last_lr(),
      "A scheduler has no get_last_lr: write scheduler.getLastLr().",
    ],
  ] as const) {
    expect(make).toThrow(TensorError);
    expect(make).toThrow(sentence);
  }
});
