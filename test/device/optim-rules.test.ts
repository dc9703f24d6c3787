// The rules of optimisers beside descent, Adam and RMSprop, on every device: steps and what is kept of them against
// float64, steps that a device leaves out, and options that make no sense.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { ones, optim, randn, tensor, TensorError, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { poison, roundoff } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const below = (limit: number) => Math.floor(random() * limit);
const numbers = (x: Tensor): number[] => [x.detach().to("float64").reshape([-1]).toArray()].flat() as number[];
const dtypes = ["float32", "float64", "float16", "bfloat16"] as const;

/**
 * One parameter's next value by its gradient, in float64, as the papers and PyTorch's page have it; `kept` is changed.
 */
type Rule = (w: number, g: number, kept: number[], step: number) => number;

const adagrad =
  ({
    lr = 0.01,
    lrDecay = 0,
    weightDecay = 0,
    initialAccumulatorValue = 0,
    eps = 1e-10,
  }: Partial<optim.AdagradOptions> = {}): Rule =>
  (w, gradient, kept, step) => {
    const g = gradient + weightDecay * w;
    kept[0] = (kept[0] ?? initialAccumulatorValue) + g * g;
    return w - ((lr / (1 + (step - 1) * lrDecay)) * g) / (Math.sqrt(kept[0]) + eps);
  };
const adadelta =
  ({ lr = 1, rho = 0.9, eps = 1e-6, weightDecay = 0 }: Partial<optim.AdadeltaOptions> = {}): Rule =>
  (w, gradient, kept) => {
    const g = gradient + weightDecay * w;
    kept[0] = rho * (kept[0] ?? 0) + (1 - rho) * g * g;
    const change = (Math.sqrt((kept[1] ?? 0) + eps) / Math.sqrt(kept[0] + eps)) * g;
    kept[1] = rho * (kept[1] ?? 0) + (1 - rho) * change * change;
    return w - lr * change;
  };
const adamax =
  ({
    lr = 0.002,
    betas: [first, second] = [0.9, 0.999],
    eps = 1e-8,
    weightDecay = 0,
  }: Partial<optim.AdamOptions> = {}): Rule =>
  (w, gradient, kept, step) => {
    const g = gradient + weightDecay * w;
    kept[0] = first * (kept[0] ?? 0) + (1 - first) * g;
    kept[1] = Math.max(second * (kept[1] ?? 0), Math.abs(g) + eps);
    return w - (lr / (1 - first ** step)) * (kept[0] / kept[1]);
  };
const nadam =
  ({
    lr = 0.002,
    betas: [first, second] = [0.9, 0.999],
    eps = 1e-8,
    weightDecay = 0,
    momentumDecay = 0.004,
    decoupledWeightDecay = false,
  }: Partial<optim.NAdamOptions> = {}): Rule =>
  (w, gradient, kept, step) => {
    const g = decoupledWeightDecay ? gradient : gradient + weightDecay * w;
    const momentum = (at: number) => first * (1 - 0.5 * 0.96 ** (at * momentumDecay));
    const product = Array.from({ length: step }, (_, at) => momentum(at + 1)).reduce((a, b) => a * b, 1);
    kept[0] = first * (kept[0] ?? 0) + (1 - first) * g;
    kept[1] = second * (kept[1] ?? 0) + (1 - second) * g * g;
    const root = Math.sqrt(kept[1] / (1 - second ** step)) + eps;
    const [now, next] = [momentum(step), momentum(step + 1)];
    const shrunk = decoupledWeightDecay ? w * (1 - lr * weightDecay) : w;
    return shrunk - (lr * (1 - now) * g) / (1 - product) / root - (lr * next * kept[0]) / (1 - product * next) / root;
  };
const radam =
  ({
    lr = 0.001,
    betas: [first, second] = [0.9, 0.999],
    eps = 1e-8,
    weightDecay = 0,
    decoupledWeightDecay = false,
  }: Partial<optim.RAdamOptions> = {}): Rule =>
  (w, gradient, kept, step) => {
    const g = decoupledWeightDecay ? gradient : gradient + weightDecay * w;
    kept[0] = first * (kept[0] ?? 0) + (1 - first) * g;
    kept[1] = second * (kept[1] ?? 0) + (1 - second) * g * g;
    const shrunk = decoupledWeightDecay ? w * (1 - lr * weightDecay) : w;
    const mean = kept[0] / (1 - first ** step);
    const most = 2 / (1 - second) - 1;
    const known = most - (2 * step * second ** step) / (1 - second ** step);
    if (known <= 5) return shrunk - lr * mean;
    const rectified = Math.sqrt(((known - 4) * (known - 2) * most) / ((most - 4) * (most - 2) * known));
    return shrunk - (lr * mean * rectified * Math.sqrt(1 - second ** step)) / (Math.sqrt(kept[1]) + eps);
  };
const asgd =
  ({ lr = 0.01, lambd = 1e-4, alpha = 0.75, t0 = 1e6, weightDecay = 0 }: Partial<optim.ASGDOptions> = {}): Rule =>
  (w, gradient, kept, step) => {
    const rate = lr / (1 + lambd * lr * (step - 1)) ** alpha;
    const next = w * (1 - lambd * rate) - rate * (gradient + weightDecay * w);
    kept[0] = (kept[0] ?? 0) + (next - (kept[0] ?? 0)) / Math.max(1, step - 1 - t0);
    return next;
  };
const rprop =
  ({
    lr = 0.01,
    etas: [shrink, grow] = [0.5, 1.2],
    stepSizes: [least, most] = [1e-6, 50],
  }: Partial<optim.RpropOptions> = {}): Rule =>
  (w, gradient, kept) => {
    const turn = Math.sign(gradient * (kept[0] ?? 0));
    const factor = turn > 0 ? grow : turn < 0 ? shrink : 1;
    kept[1] = Math.min(most, Math.max(least, (kept[1] ?? lr) * factor));
    kept[0] = turn < 0 ? 0 : gradient;
    return w - Math.sign(kept[0]) * kept[1];
  };

/** What is kept: a mean of numbers of either sign, which may cancel, a sum of positive ones, or a number as it is. */
type Kind = "mean" | "positive" | "exact";
interface Case {
  readonly kept: readonly (readonly [name: string, kind: Kind])[];
  readonly make: (parameters: Tensor[], options: never) => optim.Optimizer;
  readonly rule: (options: never) => Rule;
  readonly options: readonly object[];
}
const decayed = { lr: 0.05, weightDecay: 0.2 };
const cases: Record<string, Case> = {
  Adagrad: {
    kept: [["sum", "positive"]],
    make: (p, options) => new optim.Adagrad(p, options),
    rule: adagrad,
    options: [{}, { ...decayed, lrDecay: 0.5, initialAccumulatorValue: 0.25, eps: 1e-3 }],
  },
  Adadelta: {
    kept: [
      ["square", "positive"],
      ["change", "positive"],
    ],
    make: (p, options) => new optim.Adadelta(p, options),
    rule: adadelta,
    options: [{}, { ...decayed, rho: 0.7, eps: 1e-3 }],
  },
  Adamax: {
    kept: [
      ["mean", "mean"],
      ["largest", "positive"],
    ],
    make: (p, options) => new optim.Adamax(p, options),
    rule: adamax,
    options: [{}, { ...decayed, betas: [0.8, 0.95], eps: 1e-3 }],
  },
  NAdam: {
    kept: [
      ["mean", "mean"],
      ["square", "positive"],
    ],
    make: (p, options) => new optim.NAdam(p, options),
    rule: nadam,
    options: [{}, { ...decayed, momentumDecay: 0.5 }, { ...decayed, betas: [0.8, 0.95], decoupledWeightDecay: true }],
  },
  RAdam: {
    kept: [
      ["mean", "mean"],
      ["square", "positive"],
    ],
    make: (p, options) => new optim.RAdam(p, options),
    rule: radam,
    options: [{}, { ...decayed, betas: [0.8, 0.9] }, { ...decayed, betas: [0.5, 0.5], decoupledWeightDecay: true }],
  },
  ASGD: {
    kept: [["average", "mean"]],
    make: (p, options) => new optim.ASGD(p, options),
    rule: asgd,
    options: [{}, { ...decayed, lambd: 0.25, alpha: 0.5, t0: 2 }],
  },
  Rprop: {
    kept: [
      ["previous", "exact"],
      ["stepSize", "positive"],
    ],
    make: (p, options) => new optim.Rprop(p, options),
    rule: rprop,
    options: [{}, { lr: 0.2, etas: [0.3, 2], stepSizes: [0.1, 0.5] }],
  },
};

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const parameter = (x: Tensor) => {
    x.requiresGrad = true;
    return x;
  };

  test.each(Object.entries(cases))("steps of %s, and what is kept of them", (_, {
    kept: kinds,
    make,
    rule,
    options,
  }) => {
    for (const given of options)
      for (const dtype of dtypes)
        for (const [size, steps] of [
          [1, 9],
          [67, 9],
          [4099, 2],
        ] as const) {
          const w = parameter(randn([size], { dtype, device, seed: below(2 ** 31) }));
          const optimizer = make([w], given as never);
          const next = rule(given as never);
          const kept = Array.from({ length: size }, (): number[] => []);
          const scale = Array<number>(size).fill(0);
          /** What was kept before the step. */
          let again: number[][] = [];
          const u = dtype === "float64" ? 2 ** -53 : 2 ** -24;
          for (let step = 1; step <= steps; step++) {
            const gradient = randn([size], { dtype, device, seed: below(2 ** 31) });
            const [before, given] = [numbers(w), numbers(gradient)];
            w.grad = gradient;
            poison(device, 2 * size);
            optimizer.step();
            const state = optimizer.stateDict();
            const found = kinds.map(([name]) => numbers(state[`0.${name}`]!));
            const wrong = numbers(w).flatMap((value, at) => {
              const [x, g] = [before[at]!, given[at]!];
              scale[at] = Math.max(scale[at]!, Math.abs(x) + Math.abs(g));
              // Some four roundings a step, of numbers as large as the sums' terms where they may cancel.
              const off = (kind: Kind, of: number) =>
                kind === "exact" ? 0 : 8 * u * step * (kind === "mean" ? scale[at]! : Math.abs(of));
              const past = kept[at]!;
              const wanted = next(x, g, past, step);
              // What the rule makes of what was kept that much off, and of the gradient with its decay.
              const beside = (change: number, which: number) => {
                const moved = [...(again[at] ?? [])];
                if (which >= 0) moved[which] = (moved[which] ?? 0) + change;
                return Math.abs(next(x, which < 0 ? g + change : g, moved, step) - wanted);
              };
              const ofGradient = 4 * u * (Math.abs(g) + Math.abs(x));
              const sensitive = [
                Math.max(beside(ofGradient, -1), beside(-ofGradient, -1)),
                ...kinds.map(([, kind], which) => {
                  const before = again[at]?.[which];
                  if (before === undefined) return 0;
                  return Math.max(beside(off(kind, before), which), beside(-off(kind, before), which));
                }),
              ].reduce((a, b) => a + b, 0);
              const allowed =
                sensitive +
                24 * u * Math.abs(wanted - x) +
                4 * u * Math.abs(x) +
                1.01 * roundoff[dtype]! * Math.abs(wanted) +
                (dtype === "float16" ? 2 ** -25 : 0);
              const wrongKept = kinds.flatMap(([name, kind], which) => {
                const [got, should] = [found[which]![at]!, past[which]!];
                // Squares have the gradient's error twice.
                const most = off(kind, should) + (kind === "exact" ? 0 : 2 * ofGradient * (Math.abs(g) + Math.abs(x)));
                return Math.abs(got - should) <= most ? [] : [{ dtype, size, at, step, name, got, should, most }];
              });
              return [
                ...wrongKept,
                ...(Math.abs(value - wanted) <= allowed ? [] : [{ dtype, size, at, step, value, wanted, allowed }]),
              ];
            });
            again = kept.map((each) => [...each]);
            expect(wrong.slice(0, 3)).toEqual([]);
          }
        }
  });
  test.each(Object.entries(cases))("a step of %s that a device leaves out is as if there had been none", (_, of) => {
    for (const given of of.options) {
      const start = randn([50], { device, seed: below(2 ** 31) });
      const [a, b] = [parameter(start.clone()), parameter(start.clone())];
      const [leaving, without] = [of.make([a], given as never), of.make([b], given as never)];
      for (let step = 0; step < 9; step++) {
        const gradient = randn([50], { device, seed: below(2 ** 31) });
        const isLeftOut = step === 0 || step === 4;
        a.grad = b.grad = gradient;
        const before = numbers(a);
        leaving.stepUnless(tensor(isLeftOut ? 1 : 0, { device }));
        if (isLeftOut) {
          expect(numbers(a)).toEqual(before);
          continue;
        }
        without.step();
        const wanted = numbers(b);
        // The same numbers, worked out by the device: some roundings of the change, and one of the weight.
        numbers(a).forEach((value, at) => {
          const allowed =
            2 ** -24 * (32 * (step + 1) * Math.abs(wanted[at]! - before[at]!) + 4 * Math.abs(wanted[at]!));
          expect(Math.abs(value - wanted[at]!)).toBeLessThanOrEqual(allowed + 2 ** -20 * 1e-3);
        });
      }
      expect(leaving.stateDict()["0.steps"]!.item()).toBe(7);
    }
  });

  test("a NaN stays, also in what Adamax takes the largest of; a gradient that turned lets Rprop's weight rest", () => {
    const w = parameter(ones([2], { device }));
    const optimizer = new optim.Adamax([w]);
    for (const value of [NaN, 1]) {
      w.grad = tensor([value, 1], { device });
      optimizer.step();
    }
    expect(numbers(optimizer.stateDict()["0.largest"]!)[0]).toBeNaN();
    expect(numbers(w)[1]).toBeLessThan(1);
    const x = parameter(ones([4], { device }));
    const signs = new optim.Rprop([x], { lr: 0.25, etas: [0.5, 2], stepSizes: [0.125, 0.5] });
    const taken = [
      [1, 1, -1, 0],
      [1, -1, -1, 0],
      [1, -1, NaN, 3],
    ].map((gradient) => {
      x.grad = tensor(gradient, { device });
      signs.step();
      return numbers(x);
    });
    expect(taken).toEqual([
      [0.75, 0.75, 1.25, 1],
      [0.25, 0.75, 1.75, 1],
      [-0.25, 0.875, NaN, 0.75],
    ]);
  });
});

test("options that make no sense", () => {
  const w = ones([2], { device: "cpu" });
  w.requiresGrad = true;
  for (const [make, sentence] of [
    [() => new optim.Adagrad([w], { lrDecay: -1 }), "Adagrad takes a number as lrDecay of at least 0 but got -1."],
    [
      () => new optim.Adagrad([w], { initialAccumulatorValue: NaN }),
      "Adagrad takes a number as initialAccumulatorValue of at least 0 but got NaN.",
    ],
    [() => new optim.Adadelta([w], { rho: 2 }), "Adadelta takes a rho from 0 to 1 but got 2."],
    [() => new optim.Adadelta([w], { eps: -1 }), "Adadelta takes an eps of at least 0 but got -1."],
    [() => new optim.Adadelta([w], { weightDecay: -1 }), "Adadelta takes a weightDecay of at least 0 but got -1."],
    [() => new optim.Adamax([w], { betas: [1, 1] }), "Adamax takes betas as two numbers from 0 to below 1 but got"],
    [() => new optim.NAdam([w], { momentumDecay: -1 }), "NAdam takes a momentumDecay of at least 0 but got -1."],
    [
      () => new optim.NAdam([w], { decoupledWeightDecay: 1 as never }),
      "NAdam takes true or false as decoupledWeightDecay but got 1.",
    ],
    [() => new optim.RAdam([w], { lr: -1 }), "RAdam takes a learning rate of at least 0 but got -1."],
    [() => new optim.ASGD([w], { t0: -1 }), "ASGD takes a number as t0 of at least 0 but got -1."],
    [
      () => new optim.Rprop([w], { etas: [0.5, 0.9] }),
      "Rprop takes etas as two numbers, one from 0 to 1 and one above 1, but got",
    ],
    [
      () => new optim.Rprop([w], { stepSizes: [2, 1] }),
      "Rprop takes stepSizes as two numbers of at least 0, the larger one last, but got",
    ],
    [
      () => new optim.Adam([w], { amsgrad: true } as never),
      "Adam has no option amsgrad. AMSGrad is not there: leave it out.",
    ],
    [
      () => new optim.SGD([w], { maximize: true } as never),
      "SGD has no option maximize. Take the gradient of the negative: loss.neg().backward().",
    ],
    [
      () => new optim.AdamW([w], { fused: true } as never),
      "AdamW has no option fused. A step is one kernel for all parameters: leave it out.",
    ],
  ] as const) {
    expect(make).toThrow(TensorError);
    expect(make).toThrow(sentence);
  }
});
