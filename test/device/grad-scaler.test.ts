// GradScaler on every device: scales, steps that are left out and counts as PyTorch's, without a wait, in graphs, and
// every error.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  autocast,
  crossEntropy,
  GradScaler,
  graph,
  nn,
  noGrad,
  ones,
  optim,
  randint,
  randn,
  tensor,
  tidy,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const below = (limit: number) => Math.floor(random() * limit);
const numbers = (x: Tensor): number[] => [x.detach().to("float64").reshape([-1]).toArray()].flat() as number[];

const makers: Record<string, (parameters: Tensor[]) => optim.Optimizer> = {
  SGD: (p) => new optim.SGD(p, { lr: 0.1, momentum: 0.9, dampening: 0.5 }),
  "plain SGD": (p) => new optim.SGD(p, { lr: 0.1 }),
  Adam: (p) => new optim.Adam(p, { lr: 0.1 }),
  RMSprop: (p) => new optim.RMSprop(p, { lr: 0.1, momentum: 0.5 }),
};

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const leaf = (x: Tensor) => {
    x.requiresGrad = true;
    return x;
  };
  /** Two parameters: small and of several blocks. */
  const parameters = () => [ones([3], { device }), ones([20_000], { device })].map(leaf);

  test.each(Object.entries(makers))("steps of %s with gradients that are not finite are as if not taken", (_, make) => {
    for (const isGraph of [false, true]) {
      const [mine, theirs] = [parameters(), parameters()];
      const [optimizer, reference] = [make(mine), make(theirs)];
      const options = { initScale: 1024, growthFactor: 4, backoffFactor: 0.25, growthInterval: 3 };
      const scaler = new GradScaler(options);
      let [scale, tracker, taken] = [1024, 0, 0];
      const factors = [ones([3], { device }), ones([20_000], { device })];
      const once = () => {
        optimizer.zeroGrad();
        const loss = mine[0]!.mul(factors[0]!).sum().add(mine[1]!.mul(factors[1]!).sum());
        scaler.scale(loss).backward();
        scaler.step(optimizer);
        scaler.update();
      };
      using step = graph(once, { device });
      for (let turn = 0; turn < 12; turn++) {
        const odd = [Infinity, -Infinity, NaN][below(3)]!;
        // The first one is left out, too.
        const isOdd = turn === 0 || below(3) === 0;
        const given = factors.map(({ size }) => Array.from({ length: size }, () => Math.fround(random() - 0.5)));
        if (isOdd) given[below(2)]![below(3)] = odd;
        given.forEach((values, index) => factors[index]!.copy_(tensor(values, { device })));
        if (isGraph) step();
        else once();
        if (isOdd) [scale, tracker] = [scale * options.backoffFactor, 0];
        else {
          taken += 1;
          tracker += 1;
          if (tracker === options.growthInterval) [scale, tracker] = [scale * options.growthFactor, 0];
          theirs.forEach((x, index) => (x.grad = factors[index]!.clone()));
          reference.step();
        }
        expect([scaler.getScale(), numbers(scaler.stateDict()["growthTracker"]!)]).toEqual([scale, [tracker]]);
      }
      const state = optimizer.stateDict();
      expect([state["0.steps"]?.item(), state["1.steps"]?.item()]).toEqual([taken, taken]);
      mine.forEach((x, index) => {
        const wanted = numbers(theirs[index]!);
        // The device works out the corrections of skipped steps in float32: some roundings more in each step.
        const off = numbers(x).map((value, at) => Math.abs(value - wanted[at]!));
        expect(Math.max(...off)).toBeLessThan(12 * 32 * 2 ** -24);
      });
      // What was saved counts the steps that were taken, and an optimiser without a scaler goes on from there.
      const next = make(theirs);
      next.loadStateDict(state);
      mine.forEach(
        (x, index) => (x.grad = theirs[index]!.grad = factors[index]!.clone().clamp(-1, 1).nanToNum() as Tensor),
      );
      noGrad(() => theirs.forEach((x, index) => x.copy_(mine[index]!.detach())));
      optimizer.step();
      next.step();
      mine.forEach((x, index) => {
        const wanted = numbers(theirs[index]!);
        const off = numbers(x).map((value, at) => Math.abs(value - wanted[at]!));
        expect(Math.max(...off)).toBeLessThan(32 * 2 ** -24);
      });
    }
  });

  test("gradients may be looked at between: cut to a norm; two optimisers have one scale", () => {
    const [a, b] = [leaf(tensor([3, 4], { device })), leaf(tensor([1, 1], { device }))];
    const [first, second] = [new optim.SGD([a], { lr: 1 }), new optim.SGD([b], { lr: 1 })];
    const scaler = new GradScaler({ initScale: 8 });
    const loss = a.square().sum().mul(0.5).add(b.sum());
    const scaled = scaler.scale(loss);
    expect(scaled.item()).toBe(8 * 14.5);
    scaled.backward();
    scaler.unscale(first);
    expect(numbers(a.grad!)).toEqual([3, 4]);
    expect(optim.clipGradNorm([a], 0.5).item()).toBe(5);
    b.grad!.fill_(Infinity);
    scaler.step(first);
    scaler.step(second);
    scaler.update();
    // The second one's alone was left out, and the scale is smaller.
    expect(numbers(a).map((value) => Math.round(value * 1e5) / 1e5)).toEqual([2.7, 3.6]);
    expect(numbers(b)).toEqual([1, 1]);
    expect(scaler.getScale()).toBe(4);
    scaler.update(32);
    expect(scaler.getScale()).toBe(32);
  });

  test("the state goes on, on the device or before there is one", () => {
    const w = leaf(ones([2], { device }));
    const optimizer = new optim.SGD([w], { lr: 0.1 });
    const scaler = new GradScaler({ initScale: 16, growthInterval: 2 });
    const step = (each: GradScaler) => {
      optimizer.zeroGrad();
      each.scale(w.sum()).backward();
      each.step(optimizer);
      each.update();
    };
    step(scaler);
    const other = new GradScaler();
    other.loadStateDict(scaler.stateDict());
    expect(String(other)).toBe("GradScaler: growthFactor 2, backoffFactor 0.5, growthInterval 2");
    step(other);
    expect(other.getScale()).toBe(32);
    other.loadStateDict(scaler.stateDict());
    expect(other.getScale()).toBe(16);
    expect(numbers(new GradScaler({ initScale: 4 }).stateDict()["scale"]!)).toEqual([4]);
    const { growthFactor, ...rest } = scaler.stateDict();
    expect(growthFactor!.item()).toBe(2);
    expect(() => other.loadStateDict(rest)).toThrow(
      "The state has no growthFactor: it belongs to no GradScaler that is enabled.",
    );
  });

  test("one that is not enabled passes everything through", () => {
    const w = leaf(ones([2], { device }));
    const optimizer = new optim.SGD([w], { lr: 0.5 });
    const scaler = new GradScaler({ enabled: false });
    const loss = w.sum();
    expect(scaler.scale(loss)).toBe(loss);
    loss.backward();
    scaler.unscale(optimizer);
    scaler.step(optimizer);
    scaler.update();
    expect([numbers(w), scaler.getScale(), scaler.stateDict(), scaler.isEnabled, String(scaler)]).toEqual([
      [0.5, 0.5],
      1,
      {},
      false,
      "GradScaler: not enabled",
    ]);
    scaler.loadStateDict({});
  });

  test("calls in another order, and what is no optimiser", () => {
    const w = leaf(ones([2], { device }));
    const optimizer = new optim.SGD([w], { lr: 0.5 });
    const scaler = new GradScaler();
    for (const [call, sentence] of [
      [() => scaler.step(optimizer), "step was called before scale: write scaler.scale(loss).backward() instead of"],
      [() => scaler.update(), "update was called before step: there is nothing to judge the scale by."],
      [() => scaler.step(3 as never), "step of a GradScaler takes an optimiser but got 3."],
      [() => scaler.unscale(w as never), "unscale of a GradScaler takes an optimiser but got a Tensor."],
      [() => scaler.step(optimizer, () => 1), "step of a GradScaler takes an optimiser and nothing else, but got"],
      [() => scaler.scale(1 as never), "scale takes a loss, a tensor, but got 1."],
      [() => scaler.update(0), "update takes a number above 0 as a scale but got 0."],
      [
        () => new GradScaler({ backoffFactor: 1 }),
        "GradScaler takes a number between 0 and 1 as backoffFactor but got 1.",
      ],
      [() => new GradScaler({ growth: 2 } as never), "GradScaler has no option growth."],
      [
        () => (scaler as never as { unscale_(x: unknown): void }).unscale_(optimizer),
        "write scaler.unscale(optimizer).",
      ],
    ] as const)
      expect(call).toThrow(sentence);
    const scaled = scaler.scale(w.sum());
    expect(() => scaler.step(optimizer)).toThrow(
      "step found no gradients: call scaler.scale(loss).backward() before it.",
    );
    scaled.backward();
    scaler.unscale(optimizer);
    expect(() => scaler.unscale(optimizer)).toThrow(
      "unscale was called twice for this optimiser since the last update()",
    );
    scaler.step(optimizer);
    expect(() => scaler.step(optimizer)).toThrow("step was called twice for this optimiser since the last update()");
    expect(() => scaler.unscale(optimizer)).toThrow(
      "unscale was called after step: call it before, or update() first.",
    );
    const half = leaf(ones([2], { device, dtype: "float16" }));
    half.grad = ones([2], { device, dtype: "float16" });
    expect(() => scaler.unscale(new optim.SGD([half]))).toThrow("unscale found a gradient of float16, which has lost");
  });

  test("training in float16: a loss that shrinks, the same in a graph", () => {
    const x = randn([16, 8], { device, seed: below(2 ** 31) });
    const y = randint(0, 3, [16], { device, seed: below(2 ** 31) });
    const seed = below(2 ** 30);
    const train = (isGraph: boolean) => {
      const net = new nn.Linear(8, 3, { device });
      noGrad(() => net.weight.copy_(randn([3, 8], { device, seed })));
      noGrad(() => net.bias!.fill_(0));
      const optimizer = new optim.AdamW(net.parameters(), { lr: 0.05 });
      const scaler = new GradScaler({ initScale: 2 ** 40 });
      const plain = () =>
        tidy(() => {
          optimizer.zeroGrad();
          const loss = autocast(() => crossEntropy(net(x), y), { dtype: "float16" });
          scaler.scale(loss).backward();
          scaler.step(optimizer);
          scaler.update();
          return loss.detach();
        });
      const step = isGraph ? graph(plain, { device }) : plain;
      return { losses: Array.from({ length: 40 }, () => step().item() as number), scale: scaler.getScale() };
    };
    const [one, other] = [train(false), train(true)];
    expect(other).toEqual(one);
    expect(one.scale).toBeLessThan(2 ** 40);
    expect(one.losses.at(-1)!).toBeLessThan(one.losses[0]!);
  });
});
