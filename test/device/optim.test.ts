// Optimisers on every device: steps against float64, options by group, state that is saved, and every error.
import "./cache.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  GradientError,
  io,
  memory,
  ones,
  optim,
  randn,
  tensor,
  TensorError,
  zeros,
  type Tensor,
} from "../../native/lib/index.ts";
import { collectGarbage } from "../../native/lib/device/collection.ts";
import { devices } from "./devices.ts";
import { poison, roundoff } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const below = (limit: number) => Math.floor(random() * limit);
const numbers = (x: Tensor): number[] => [x.to("float64").reshape([-1]).toArray()].flat() as number[];
const dtypes = ["float32", "float64", "float16", "bfloat16"] as const;

/**
 * One parameter's next value by its gradient, in float64, as the papers and PyTorch's page have it; `kept` is changed.
 */
type Rule = (w: number, g: number, kept: number[], step: number) => number;
function sgd({
  lr = 0.001,
  momentum = 0,
  dampening = 0,
  nesterov = false,
  weightDecay = 0,
}: Partial<optim.SGDOptions>): Rule {
  return (w, gradient, kept, step) => {
    const g = gradient + weightDecay * w;
    if (momentum === 0) return w - lr * g;
    kept[0] = step === 1 ? g : momentum * kept[0]! + (1 - dampening) * g;
    return w - lr * (nesterov ? g + momentum * kept[0] : kept[0]);
  };
}
function adam(
  { lr = 0.001, betas: [first, second] = [0.9, 0.999], eps = 1e-8, weightDecay = 0 }: Partial<optim.AdamOptions>,
  isApart: boolean,
): Rule {
  return (w, gradient, kept, step) => {
    const g = isApart ? gradient : gradient + weightDecay * w;
    kept[0] = first * (kept[0] ?? 0) + (1 - first) * g;
    kept[1] = second * (kept[1] ?? 0) + (1 - second) * g * g;
    const shrunk = isApart ? w * (1 - lr * weightDecay) : w;
    return shrunk - (lr * (kept[0] / (1 - first ** step))) / (Math.sqrt(kept[1] / (1 - second ** step)) + eps);
  };
}
function rmsprop({
  lr = 0.01,
  alpha = 0.99,
  eps = 1e-8,
  momentum = 0,
  weightDecay = 0,
}: Partial<optim.RMSpropOptions>): Rule {
  return (w, gradient, kept) => {
    const g = gradient + weightDecay * w;
    kept[0] = alpha * (kept[0] ?? 0) + (1 - alpha) * g * g;
    const direction = g / (Math.sqrt(kept[0]) + eps);
    kept[1] = momentum * (kept[1] ?? 0) + direction;
    return w - lr * kept[1];
  };
}
const cases: [string, (parameters: Tensor[]) => optim.Optimizer, Rule][] = [
  ["SGD", (p) => new optim.SGD(p, { lr: 0.1 }), sgd({ lr: 0.1 })],
  ["SGD with decay", (p) => new optim.SGD(p, { lr: 0.1, weightDecay: 0.3 }), sgd({ lr: 0.1, weightDecay: 0.3 })],
  [
    "SGD with momentum",
    (p) => new optim.SGD(p, { lr: 0.1, momentum: 0.9, dampening: 0.25, weightDecay: 0.1 }),
    sgd({ lr: 0.1, momentum: 0.9, dampening: 0.25, weightDecay: 0.1 }),
  ],
  [
    "SGD of Nesterov",
    (p) => new optim.SGD(p, { lr: 0.1, momentum: 0.8, nesterov: true }),
    sgd({ lr: 0.1, momentum: 0.8, nesterov: true }),
  ],
  ["Adam", (p) => new optim.Adam(p), adam({}, false)],
  [
    "Adam with decay",
    (p) => new optim.Adam(p, { lr: 0.05, betas: [0.8, 0.95], weightDecay: 0.2 }),
    adam({ lr: 0.05, betas: [0.8, 0.95], weightDecay: 0.2 }, false),
  ],
  ["RMSprop", (p) => new optim.RMSprop(p), rmsprop({})],
  [
    "RMSprop with momentum and decay",
    (p) => new optim.RMSprop(p, { lr: 0.05, alpha: 0.8, eps: 1e-3, momentum: 0.5, weightDecay: 0.2 }),
    rmsprop({ lr: 0.05, alpha: 0.8, eps: 1e-3, momentum: 0.5, weightDecay: 0.2 }),
  ],
  ["AdamW", (p) => new optim.AdamW(p, { lr: 0.05 }), adam({ lr: 0.05, weightDecay: 0.01 }, true)],
];

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  test.each(cases)("steps of %s, in every dtype, of every size", (_, make, rule) => {
    for (const dtype of dtypes)
      for (const size of [1, 3, 65, 1025, 40_003]) {
        const parameter = randn([size], { dtype, device, seed: below(2 ** 31) });
        parameter.requiresGrad = true;
        const optimizer = make([parameter]);
        const kept = Array.from({ length: size }, (): number[] => []);
        const u = dtype === "float64" ? 2 ** -53 : 2 ** -24;
        for (let step = 1; step <= 4; step++) {
          const gradient = randn([size], { dtype, device, seed: below(2 ** 31) });
          const [before, given] = [numbers(parameter.detach()), numbers(gradient)];
          parameter.grad = gradient;
          poison(device, 2 * size);
          optimizer.step();
          const wrong = numbers(parameter.detach()).flatMap((value, at) => {
            const [w, g] = [before[at]!, given[at]!];
            // The gradient with decay has two roundings, to which Adam's quotient may be as sensitive as near 0 it is.
            const off = 4 * u * (Math.abs(g) + Math.abs(w));
            const sensitive = Math.abs(rule(w, g + off, [...kept[at]!], step) - rule(w, g - off, [...kept[at]!], step));
            const wanted = rule(w, g, kept[at]!, step);
            // Some 12 roundings of the step, of which those of a mean that cancels count √step-fold against its root,
            // and 0.1, the largest learning rate, bounds what such a mean is off; those of the new weight, and that to
            // the dtype.
            const allowed =
              sensitive +
              24 * u * step * Math.abs(wanted - w) +
              24 * u * 0.1 +
              4 * u * Math.abs(w) +
              1.01 * roundoff[dtype]! * Math.abs(wanted) +
              (dtype === "float16" ? 2 ** -25 : 0);
            return Math.abs(value - wanted) <= allowed ? [] : [{ dtype, size, at, step, value, wanted, allowed }];
          });
          expect(wrong.slice(0, 3)).toEqual([]);
        }
      }
  });

  test("parameters that are parts of others, and gradients with gaps", () => {
    const whole = randn([3, 7], { device, seed: below(2 ** 31) });
    const before = whole.toArray() as number[][];
    const row = whole.slice(1).detach();
    row.requiresGrad = true;
    row.grad = tensor(
      [
        [1, 9],
        [2, 9],
        [3, 9],
        [4, 9],
        [5, 9],
        [6, 9],
        [7, 9],
      ],
      { device },
    ).slice(null, 0);
    new optim.SGD([row], { lr: 1 }).step();
    expect(whole.toArray()).toEqual([
      before[0],
      before[1]!.map((value, at) => Math.fround(value - (at + 1))),
      before[2],
    ]);
  });

  test("groups have options of their own; without a gradient nothing changes; the learning rate is a number", () => {
    const [a, b, c] = [ones([2], { device }), ones([2], { device }), ones([2], { device })];
    for (const each of [a, b, c]) each.requiresGrad = true;
    const optimizer = new optim.SGD([{ parameters: [a] }, { parameters: [b, c], lr: 0.5 }], { lr: 0.25 });
    for (const each of [a, b]) each.grad = ones([2], { device });
    optimizer.step();
    const values = () => [a, b, c].map((each) => each.detach().toArray());
    expect(values()).toEqual([
      [0.75, 0.75],
      [0.5, 0.5],
      [1, 1],
    ]);
    expect(optimizer.lr).toBe(0.25);
    optimizer.lr = 0;
    optimizer.step();
    expect(values()).toEqual([
      [0.75, 0.75],
      [0.5, 0.5],
      [1, 1],
    ]);
    expect(optimizer.groups.map(({ lr }) => lr)).toEqual([0, 0]);
    optimizer.groups[1]!.lr = 0.5;
    optimizer.step();
    expect(values()).toEqual([
      [0.75, 0.75],
      [0, 0],
      [1, 1],
    ]);
    const kept = a.grad!;
    optimizer.zeroGrad();
    expect([a.grad, b.grad, kept.toArray()]).toEqual([null, null, [1, 1]]);
    expect(String(optimizer)).toBe(
      "SGD: 1 parameters of 2 elements, lr 0, momentum 0, dampening 0, nesterov false, weightDecay 0\n  2 parameters of 4 elements, lr 0.5, momentum 0, dampening 0, nesterov false, weightDecay 0",
    );
  });

  test("a change by a step is seen by gradients that need the old value", () => {
    const w = ones([2], { device });
    w.requiresGrad = true;
    const loss = w.square().sum();
    w.grad = ones([2], { device });
    new optim.SGD([w]).step();
    expect(() => loss.backward()).toThrow("has been changed in place since");
  });

  test("an optimiser goes on from its state as if it had never stopped, also from a file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "optim-"));
    const gradients = [0, 1, 2, 3].map(() => randn([5], { device, seed: below(2 ** 31) }));
    const start = randn([5], { device, seed: below(2 ** 31) });
    const begin = () => {
      const [w, idle] = [start.clone(), ones([2], { device })];
      w.requiresGrad = idle.requiresGrad = true;
      return { w, optimizer: new optim.AdamW([idle, w], { lr: 0.1 }) };
    };
    const take = ({ w, optimizer }: ReturnType<typeof begin>, list: Tensor[]) => {
      for (const each of list) {
        w.grad = each;
        optimizer.step();
      }
      return w;
    };
    const once = take(begin(), gradients).detach().toArray();
    const first = begin();
    take(first, gradients.slice(0, 2));
    expect(Object.keys(first.optimizer.stateDict())).toEqual(["groups.0.lr", "1.steps", "1.mean", "1.square"]);
    await io.save(join(folder, "optimizer.safetensors"), first.optimizer.stateDict());
    const second = begin();
    second.w.detach().copy_(first.w.detach());
    second.optimizer.loadStateDict(
      (await io.load(join(folder, "optimizer.safetensors"), { device })) as Record<string, Tensor>,
    );
    expect(take(second, gradients.slice(2)).detach().toArray()).toEqual(once);
    rmSync(folder, { recursive: true });

    const { optimizer } = begin();
    const state = first.optimizer.stateDict();
    const { "1.mean": mean, ...rest } = state;
    const fails = (given: Record<string, Tensor>, sentence: string) => {
      expect(() => optimizer.loadStateDict(given)).toThrow(sentence);
      expect(Object.keys(optimizer.stateDict())).toEqual(["groups.0.lr"]);
    };
    fails(rest, "The state has no 1.mean: it belongs to another optimiser or to other parameters.");
    fails({ ...rest, "1.mean": zeros([3]) }, "1.mean has shape [3] in the state, but the parameter has [5].");
    fails(
      { ...state, "7.steps": mean!, a: mean!, b: mean!, c: mean! },
      "The state has 7.steps, a, b and 1 more, which do not belong to any parameter here.",
    );
  });

  test("learning rates are in the state; an older state leaves them", () => {
    const parameters = [ones([2], { device }), ones([2], { device })];
    for (const each of parameters) each.requiresGrad = true;
    const groups = () => parameters.map((each, at) => ({ parameters: [each], lr: 0.1 * (at + 1) }));
    const optimizer = new optim.SGD(groups(), { momentum: 0.9 });
    optimizer.groups[1]!.lr = 0.75;
    const state = optimizer.stateDict();
    expect(Object.keys(state)).toEqual(["groups.0.lr", "groups.1.lr"]);
    const other = new optim.SGD(groups(), { momentum: 0.9 });
    other.loadStateDict(state);
    expect(other.groups.map(({ lr }) => lr)).toEqual([0.1, 0.75]);
    other.loadStateDict({});
    expect(other.groups.map(({ lr }) => lr)).toEqual([0.1, 0.75]);
    expect(() => other.loadStateDict({ "groups.0.lr": tensor(-1, { device, dtype: "float64" }) })).toThrow(
      "SGD takes a learning rate of at least 0 but got -1.",
    );
    expect(new optim.AdamW(parameters).groups[0]!.weightDecay).toBe(0.01);
  });

  test("a gradient of another shape, dtype or device reaches no step", () => {
    const p = ones([3], { device });
    p.requiresGrad = true;
    const sentence = (given: string) =>
      `gave a gradient of ${given}, on ${device} to a tensor of shape [3], float32, on ${device}: a gradient is like its tensor. Use .to(…) or .reshape(…).`;
    for (const [gradient, given] of [
      [ones([1], { device }), "shape [1], float32"],
      [ones([3], { device, dtype: "float64" }), "shape [3], float64"],
    ] as const) {
      expect(() => {
        p.grad = gradient as Tensor;
      }).toThrow(new GradientError("GRADIENT", `An assignment ${sentence(given)}`));
      const stop = p.registerHook(() => gradient as Tensor);
      expect(() => p.mul(2).sum().backward()).toThrow(new GradientError("GRADIENT", `A hook ${sentence(given)}`));
      stop();
    }
    expect(() => {
      p.grad = 3 as never;
    }).toThrow("An assignment gave 3 to a tensor of shape [3]");
    const y = p.mul(2);
    const stop = y.registerHook(() => ones([1], { device }));
    expect(() => y.sum().backward()).toThrow("A hook gave a gradient of shape [1]");
    stop();
    const optimizer = new optim.SGD([p], { lr: 1 });
    p.grad = ones([3], { device });
    p.become(ones([4], { device }));
    expect(() => optimizer.step()).toThrow("SGD.step gave a gradient of shape [3]");
  });

  test("gradients are cut to a norm together", () => {
    const [a, b, c] = [zeros([2], { device }), zeros([1, 2], { device, dtype: "bfloat16" }), zeros([3], { device })];
    for (const each of [a, b, c]) each.requiresGrad = true;
    const give = () => {
      a.grad = tensor([3, 0], { device });
      b.grad = tensor([[0, 4]], { device, dtype: "bfloat16" });
    };
    give();
    expect([optim.clipGradNorm([a, b, c], 10).item(), a.grad!.toArray(), b.grad!.toArray()]).toEqual([
      5,
      [3, 0],
      [[0, 4]],
    ]);
    const norm = optim.clipGradNorm([a, b, c], 1);
    expect(norm.item()).toBe(5);
    // 1/(5 + 10⁻⁶) in float32, and rounded to bfloat16.
    expect(Math.abs((a.grad!.toArray() as number[])[0]! - 0.6)).toBeLessThan(3e-7);
    expect(Math.abs((b.grad!.toArray() as number[][])[0]![1]! - 0.8)).toBeLessThan(0.8 * 2 ** -7);
    give();
    (a.grad!.detach() as Tensor).fill_(NaN);
    optim.clipGradNorm([a, b], 1);
    expect(b.grad!.toArray()).toEqual([[NaN, NaN]]);
    expect(() => optim.clipGradNorm([c], 1)).toThrow("clipGradNorm found no gradients: call backward() before it.");
    expect(() => optim.clipGradNorm([a], 0)).toThrow("clipGradNorm takes a norm above 0 but got 0.");
  });

  test("1,000 steps that dispose of nothing: no byte more", async () => {
    const w = ones([1000], { device });
    w.requiresGrad = true;
    const optimizer = new optim.AdamW([w], { lr: 1e-3 });
    const step = () => {
      optimizer.zeroGrad();
      w.square().sum().backward();
      optim.clipGradNorm([w], 1);
      optimizer.step();
    };
    const settled = async () => {
      optimizer.zeroGrad();
      for (let round = 0; round < 3; round++) {
        collectGarbage();
        await new Promise(setImmediate);
      }
      return memory()[device]!.allocated;
    };
    for (let count = 0; count < 10; count++) step();
    const before = await settled();
    for (let count = 0; count < 1000; count++) step();
    // The stack may hold what one step made for a while.
    expect((await settled()) - before).toBeLessThan(6 * w.bytes);
  });
});

test("learning rates over time", () => {
  const cosine = optim.cosine({ lr: 1, steps: 12, warmup: 2, least: 0.1 });
  expect([0, 1, 2, 7, 12, 100].map(cosine).map((rate) => Number(rate.toFixed(12)))).toEqual([
    0.5, 1, 1, 0.55, 0.1, 0.1,
  ]);
  expect([0, 1, 2, 6, 10, 11].map(optim.linear({ lr: 0.8, steps: 10, warmup: 2 }))).toEqual([0.4, 0.8, 0.8, 0.4, 0, 0]);
  expect([0, 9, 10, 25].map(optim.stepwise({ lr: 8, every: 10, factor: 0.5 }))).toEqual([8, 8, 4, 2]);
  for (const [wrong, sentence] of [
    [() => optim.cosine({ lr: -1, steps: 3 }), "cosine takes a number of at least 0 as lr but got -1."],
    [() => optim.cosine({ lr: 1, steps: 2.5 }), "cosine takes a whole number of at least 0 as steps but got 2.5."],
    [() => optim.cosine({ lr: 1, steps: 3, warmup: 3 }), "cosine takes more steps than its warmup of 3 but got 3."],
    [() => optim.linear({ lr: 1, steps: 0 }), "linear takes more steps than its warmup of 0 but got 0."],
    [() => optim.stepwise({ lr: 1, every: 0 }), "stepwise takes at least 1 as every."],
  ] as const)
    expect(wrong).toThrow(sentence);
});

test("what is no parameter, and options that make no sense", () => {
  const w = zeros([2, 3], { device: "cpu" });
  w.requiresGrad = true;
  const leaf = (x: Tensor) => {
    x.requiresGrad = true;
    return x;
  };
  for (const [make, sentence] of [
    [() => new optim.Adam([]), "Adam takes parameters, e.g. new optim.Adam(model.parameters()), but got none."],
    [
      () => new optim.Adam(w as never),
      "Adam takes parameters, e.g. new optim.Adam(model.parameters()), but got a Tensor.",
    ],
    [
      () => new optim.SGD([{ params: [] } as never]),
      "The parameters of SGD must be tensors, but one is an object with params. A group is written { parameters, lr }.",
    ],
    [() => new optim.SGD([3 as never]), "The parameters of SGD must be tensors, but one is 3."],
    [
      () => new optim.SGD([zeros([2, 3], { device: "cpu" })]),
      "A parameter of SGD, of shape [2, 3], does not require a gradient itself: set requiresGrad = true on a tensor that was not computed from others.",
    ],
    [() => new optim.SGD([w.mul(2) as Tensor]), "does not require a gradient itself"],
    [
      () => new optim.SGD([leaf(zeros([2, 3], { device: "cpu" }).T)]),
      "A parameter of SGD, of shape [3, 2], has gaps: take its .contiguous() copy.",
    ],
    [
      () => new optim.SGD([{ parameters: [w] }, { parameters: [w] }]),
      "A parameter of shape [2, 3] was given to SGD twice.",
    ],
    [() => new optim.SGD([w], { lr: -1 }), "SGD takes a learning rate of at least 0 but got -1."],
    [() => new optim.SGD([w], { momentum: 1 }), "SGD takes a momentum from 0 to below 1 but got 1."],
    [() => new optim.SGD([w], { dampening: 2 }), "SGD takes a dampening from 0 to 1 but got 2."],
    [() => new optim.SGD([w], { weightDecay: NaN }), "SGD takes a weightDecay of at least 0 but got NaN."],
    [() => new optim.SGD([w], { nesterov: true }), "SGD with nesterov needs a momentum above 0 and no dampening."],
    [() => new optim.AdamW([w], { betas: [0.9, 1] }), "AdamW takes betas as two numbers from 0 to below 1 but got"],
    [() => new optim.RMSprop([w], { alpha: 1 }), "RMSprop takes an alpha from 0 to below 1 but got 1."],
    [() => new optim.RMSprop([w], { momentum: 1 }), "RMSprop takes a momentum from 0 to below 1 but got 1."],
    [() => new optim.Adam([w], { learningRate: 0.1 } as never), "Adam has no option learningRate. Write lr."],
    [
      () => new optim.AdamW([w], { weight_decay: 0.1 } as never),
      "AdamW has no option weight_decay. Write weightDecay.",
    ],
    [() => new optim.SGD([{ parameters: [w], momentun: 1 } as never]), "SGD has no option momentun. Write momentum."],
    [() => new optim.AdamW([w], 0.1 as never), "AdamW does not take 0.1 there."],
    [() => new optim.Adam([w], { eps: -1 }), "Adam takes an eps of at least 0 but got -1."],
    [
      () => {
        new optim.Adam([w]).lr = "fast" as never;
      },
      'Adam takes a learning rate of at least 0 but got "fast".',
    ],
  ] as const) {
    expect(make).toThrow(TensorError);
    expect(make).toThrow(sentence);
  }
});
