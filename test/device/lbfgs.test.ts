// L-BFGS on every device: its directions against the method in plain float64, losses that it finds the least of, and
// every error.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  crossEntropy,
  nn,
  ones,
  optim,
  randint,
  randn,
  seed,
  tensor,
  TensorError,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const product = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, at) => sum + value * b[at]!, 0);

/**
 * The method without a search, on Σ weights · x² / 2 + coupling · x₀ · x₁ (Nocedal and Wright, algorithms 7.4 and 7.5).
 */
function reference(
  start: readonly number[],
  gradient: (x: readonly number[]) => number[],
  lr: number,
  rounds: number,
  kept: number,
): number[] {
  let x = [...start];
  const changes: [y: number[], s: number[]][] = [];
  let before: number[] | null = null,
    taken: number[] = [],
    scale = 1;
  for (let round = 0; round < rounds; round++) {
    const g = gradient(x);
    if (before !== null) {
      const y = g.map((value, at) => value - before![at]!);
      if (product(y, taken) > 1e-10) {
        changes.push([y, taken]);
        if (changes.length > kept) changes.shift();
        scale = product(y, taken) / product(y, y);
      }
    }
    let d = g.map((value) => -value);
    const shares: number[] = [];
    for (const [at, [y, s]] of [...changes.entries()].reverse()) {
      shares[at] = product(s, d) / product(y, s);
      d = d.map((value, i) => value - shares[at]! * y[i]!);
    }
    d = d.map((value) => value * scale);
    changes.forEach(([y, s], at) => {
      const other = product(y, d) / product(y, s);
      d = d.map((value, i) => value + s[i]! * (shares[at]! - other));
    });
    const length = round === 0 ? Math.min(1, 1 / g.reduce((sum, value) => sum + Math.abs(value), 0)) * lr : lr;
    taken = d.map((value) => value * length);
    before = g;
    x = x.map((value, at) => value + taken[at]!);
  }
  return x;
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const on = { device, dtype: "float64" } as const;
  const leaf = (values: number[]) => {
    const x = tensor(values, on) as Tensor;
    x.requiresGrad = true;
    return x;
  };

  test.each([100, 2])("directions are those of the last %i changes", (historySize) => {
    const weights = Array.from({ length: 6 }, () => 0.5 + random());
    const start = Array.from({ length: 6 }, () => 2 * random() - 1);
    const gradient = (x: readonly number[]) =>
      x.map(
        (value, at) => weights[at]! * value + Math.sinh(value) + (at === 0 ? 0.3 * x[1]! : at === 1 ? 0.3 * x[0]! : 0),
      );
    const [a, b] = [leaf(start.slice(0, 2)), leaf(start.slice(2))];
    const optimizer = new optim.LBFGS([a, b], {
      lr: 0.7,
      maxIter: 3,
      maxEval: 9,
      historySize,
      toleranceGrad: 0,
      toleranceChange: 0,
    });
    const closure = () => {
      optimizer.zeroGrad();
      const part = (x: Tensor, from: number) =>
        x
          .square()
          .mul(tensor(weights.slice(from, from + x.size), on))
          .mul(0.5)
          .add(x.cosh())
          .sum();
      const loss = part(a, 0)
        .add(part(b, 2))
        .add(a.get(0).mul(a.get(1)).mul(0.3)) as Tensor;
      loss.backward();
      return loss;
    };
    for (let step = 0; step < 2; step++) optimizer.step(closure);
    const wanted = reference(start, gradient, 0.7, 6, historySize);
    // Six directions of some ten products of six numbers of about 1 each; quotients of differences lose some digits.
    [a, b]
      .flatMap((x) => x.detach().toArray() as number[])
      .forEach((value, at) => expect(Math.abs(value - wanted[at]!)).toBeLessThan(1e-10));
  });

  test("a search finds the least of Rosenbrock's function, and asks no oftener than it may", () => {
    const x = leaf([-1.2 - random(), 1 + random()]);
    const optimizer = new optim.LBFGS([x], {
      maxIter: 200,
      lineSearchFn: "strong_wolfe",
      toleranceGrad: 1e-9,
      toleranceChange: 0,
    });
    let asked = 0;
    const losses: number[] = [];
    const closure = () => {
      asked += 1;
      optimizer.zeroGrad();
      const [a, b] = [x.get(0), x.get(1)];
      const loss = b.sub(a.square()).square().mul(100).add(a.sub(1).square()) as Tensor;
      loss.backward();
      losses.push(Number(loss.item()));
      return loss;
    };
    const first = optimizer.step(closure);
    expect(Number(first.item())).toBe(losses[0]);
    // There curvature is 0.4 at least: a gradient of 10⁻⁹ is some 10⁻⁹ away.
    (x.detach().toArray() as number[]).forEach((value) => expect(Math.abs(value - 1)).toBeLessThan(1e-8));
    expect(asked).toBeLessThanOrEqual(250);
    const w = leaf([-1, 1]);
    const few = new optim.LBFGS([w], { maxEval: 3 });
    asked = 0;
    few.step(() => {
      asked += 1;
      few.zeroGrad();
      const loss = w.pow(4).sum() as Tensor;
      loss.backward();
      return loss;
    });
    expect(asked).toBe(3);
  });

  test("a layer learns in float32, and the loss falls", () => {
    seed(3);
    const x = randn([40, 4], { device, seed: 5 });
    const y = randint(0, 3, [40], { device, seed: 6 });
    const net = new nn.Linear(4, 3, { device });
    const optimizer = new optim.LBFGS(net.parameters(), { lineSearchFn: "strong_wolfe" });
    const closure = () => {
      optimizer.zeroGrad();
      const loss = crossEntropy(net(x), y);
      loss.backward();
      return loss;
    };
    const [first, second] = [optimizer.step(closure), optimizer.step(closure)].map((loss) => Number(loss.item()));
    expect(second!).toBeLessThan(first!);
    closure();
    // At the least of a smooth loss, its gradient is some roundings of its terms.
    for (const each of net.parameters()) expect(Number(each.grad!.abs().max().item())).toBeLessThan(1e-3);
  });

  test("what does not fit is told", () => {
    const [wide, narrow] = [leaf([1]), ones([1], { device })];
    narrow.requiresGrad = true;
    const optimizer = new optim.LBFGS([wide]);
    for (const [run, sentence] of [
      [
        () => new optim.LBFGS(wide as never),
        "LBFGS takes parameters, as model.parameters() gives them, as parameters but got a Tensor.",
      ],
      [() => new optim.LBFGS([]), "LBFGS takes at least one parameter but got none."],
      [
        () => new optim.LBFGS([ones([1], { device })]),
        "LBFGS takes parameters that require a gradient themselves, but one is a Tensor.",
      ],
      [
        () => new optim.LBFGS([wide, narrow]),
        `LBFGS takes parameters of one dtype and device but got float64, ${device} and float32, ${device}.`,
      ],
      [
        () => new optim.LBFGS([wide], { lineSearchFn: "wolfe" as never }),
        'LBFGS takes "strong_wolfe" or null as lineSearchFn but got "wolfe".',
      ],
      [
        () => (optimizer as unknown as { step(): void }).step(),
        "LBFGS.step takes a function that computes the loss again: write optimizer.step(() => { optimizer.zeroGrad(); const loss = …; loss.backward(); return loss; }).",
      ],
      [
        () => optimizer.step((() => undefined) as never),
        "The function of LBFGS.step returns the loss but gave undefined.",
      ],
    ] as const) {
      expect(run).toThrow(TensorError);
      expect(run).toThrow(sentence);
    }
  });
});
