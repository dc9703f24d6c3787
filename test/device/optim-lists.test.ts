// Steps over all parameters at once, on every device: the same as one by one, in few kernels, with wider weights beside
// narrow ones, and gradients cut to a norm together.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { graph, noGrad, ones, optim, randn, tensor, zeros, type DType, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const below = (limit: number) => Math.floor(random() * limit);
const dtypes = ["float32", "float64", "float16", "bfloat16"] as const;
const numbers = (x: Tensor): number[] => [x.detach().to("float64").reshape([-1]).toArray()].flat() as number[];

const makers: Record<string, (parameters: Tensor[]) => optim.Optimizer> = {
  SGD: (p) => new optim.SGD(p, { lr: 0.1 }),
  "SGD with momentum": (p) => new optim.SGD(p, { lr: 0.1, momentum: 0.9, dampening: 0.5 }),
  Adam: (p) => new optim.Adam(p, { lr: 0.1 }),
  AdamW: (p) => new optim.AdamW(p, { lr: 0.1, masterWeights: true }),
  RMSprop: (p) => new optim.RMSprop(p),
  "RMSprop with momentum": (p) => new optim.RMSprop(p, { momentum: 0.5 }),
  Adagrad: (p) => new optim.Adagrad(p, { initialAccumulatorValue: 0.5 }),
  Adadelta: (p) => new optim.Adadelta(p),
  Adamax: (p) => new optim.Adamax(p),
  NAdam: (p) => new optim.NAdam(p),
  RAdam: (p) => new optim.RAdam(p, { masterWeights: true }),
  ASGD: (p) => new optim.ASGD(p, { t0: 1 }),
  Rprop: (p) => new optim.Rprop(p),
};

/** The nodes of a graph of what a function does. */
function nodesOf(device: string, fn: () => void): string[] {
  using run = graph(fn, { device });
  run();
  run();
  return run.toString().split("\n").slice(1);
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const parameter = (x: Tensor) => {
    x.requiresGrad = true;
    return x;
  };
  /** Of all dtypes and many shapes, more than a launch takes, some with channels last, one without elements. */
  function many(): Tensor[] {
    return Array.from({ length: 210 }, (_, index) => {
      const dtype = dtypes[index % 7 < 4 ? index % 7 : 0]!;
      const seed = below(2 ** 31);
      if (index === 5) return parameter(zeros([0, 3], { device }));
      if (index % 10 === 3)
        return parameter(randn([2, 3, 4, 5], { dtype, device, seed }).to({ memoryFormat: "channelsLast" }));
      return parameter(randn([1 + below(index % 50 === 0 ? 40_000 : 70)], { dtype, device, seed }));
    });
  }
  /** Every eighth parameter has none; some lie otherwise than their parameter. */
  function gradientsFor(list: readonly Tensor[]): (Tensor | null)[] {
    return list.map(({ shape, dtype }, index) => {
      if (index % 8 === 7) return null;
      const made = randn(shape, { dtype, device, seed: below(2 ** 31) });
      return index % 20 === 13 ? made.to({ memoryFormat: "channelsLast" }) : made;
    });
  }
  const copyOf = (x: Tensor) => {
    const copy = x.isContiguous ? x.detach().clone() : x.detach().clone().to({ memoryFormat: "channelsLast" });
    return parameter(copy as Tensor);
  };

  test.each(Object.entries(makers))("a step of %s over many parameters is the same as over each", (_, make) => {
    const together = many();
    const alone = together.map(copyOf);
    const [one, each] = [make(together), alone.map((x) => make([x]))];
    for (let step = 0; step < 3; step++) {
      const gradients = gradientsFor(together);
      together.forEach((x, index) => (x.grad = gradients[index]!));
      alone.forEach((x, index) => (x.grad = gradients[index]!));
      one.step();
      for (const optimizer of each) optimizer.step();
    }
    together.forEach((x, index) => expect(numbers(x)).toEqual(numbers(alone[index]!)));
  });

  test("a launch takes as many parameters as there is room for, whose steps and rate graphs count and follow", () => {
    const list = Array.from({ length: 20 }, () => parameter(ones([30], { device })));
    const optimizer = new optim.AdamW(list, { lr: 0.1 });
    for (const each of list) each.grad = ones([30], { device });
    expect(nodesOf(device, () => optimizer.step()).filter((node) => node.includes("adam")).length).toBe(1);
    expect(nodesOf(device, () => optim.clipGradNorm(list, 1)).length).toBeLessThanOrEqual(3);

    const [a, b] = [parameter(ones([3], { device })), parameter(ones([3], { device }))];
    const [first, second] = [new optim.Adam([a], { lr: 0.1 }), new optim.Adam([b], { lr: 0.1 })];
    using run = graph(() => first.step(), { device });
    for (let step = 0; step < 5; step++) {
      a.grad ??= zeros([3], { device });
      noGrad(() => a.grad!.copy_(tensor([1, -2, step], { device })));
      b.grad = tensor([1, -2, step], { device });
      first.lr = second.lr = 0.1 * (step + 1);
      run();
      second.step();
      expect(numbers(a)).toEqual(numbers(b));
    }
    first.loadStateDict({});
    expect(() => run()).not.toThrow();
  });

  test("a graph says so where its parameters no longer take their steps together", () => {
    const [a, b] = [parameter(ones([3], { device })), parameter(ones([2], { device }))];
    const optimizer = new optim.Adam([a, b]);
    a.grad = ones([3], { device });
    b.grad = ones([2], { device });
    using run = graph(() => optimizer.step(), { device });
    for (let call = 0; call < 3; call++) run();
    optimizer.loadStateDict({ ...optimizer.stateDict(), "1.steps": tensor(7, { dtype: "float64", device: "cpu" }) });
    expect(() => run()).toThrow(
      "Adam.step was recorded in a graph for parameters of as many steps, but they have 4 and 8 now: record the graph again.",
    );
  });

  test("a state that was disposed of is an error by name, and changes nothing", () => {
    const [a, b] = [parameter(ones([3], { device })), parameter(ones([2], { device }))];
    const optimizer = new optim.AdamW([a, b]);
    a.grad = ones([3], { device });
    b.grad = ones([2], { device });
    optimizer.step();
    const before = numbers(a);
    optimizer.stateDict()["1.square"]!.dispose();
    expect(() => optimizer.step()).toThrow("An operand of AdamW.step, shape [2], has been disposed of.");
    expect(numbers(a)).toEqual(before);
    expect(optimizer.stateDict()["0.steps"]!.item()).toBe(1);
  });

  test.each(["bfloat16", "float16"] as const)("master weights of %s take steps below its last bit", (dtype) => {
    const start = randn([300], { dtype, device, seed: below(2 ** 31) });
    const wide = parameter(start.to("float32") as Tensor);
    const narrow = parameter(start.clone());
    const options = { lr: 2 ** -14, momentum: 0.5 };
    const [reference, optimizer] = [
      new optim.SGD([wide], options),
      new optim.SGD([narrow], { ...options, masterWeights: true }),
    ];
    const take = () => {
      const gradient = randn([300], { dtype, device, seed: below(2 ** 31) });
      wide.grad = gradient.to("float32") as Tensor;
      narrow.grad = gradient;
      reference.step();
      optimizer.step();
    };
    for (let step = 0; step < 20; step++) take();
    // The same numbers in float32, and rounded.
    const state = optimizer.stateDict();
    expect(numbers(state["0.master"]!)).toEqual(numbers(wide));
    expect(numbers(narrow)).toEqual(numbers(wide.detach().to(dtype)));
    expect(numbers(narrow)).not.toEqual(numbers(start));

    const other = parameter(narrow.detach().clone() as Tensor);
    const next = new optim.SGD([other], { ...options, masterWeights: true });
    next.loadStateDict(state);
    narrow.grad = other.grad = ones([300], { dtype, device });
    optimizer.step();
    next.step();
    expect(numbers(next.stateDict()["0.master"]!)).toEqual(numbers(optimizer.stateDict()["0.master"]!));

    // Who changes the parameter changes what is kept of it.
    noGrad(() => narrow.fill_(1));
    optimizer.stateDict()["0.momentum"]!.fill_(0);
    narrow.grad = ones([300], { dtype, device });
    optimizer.step();
    expect(numbers(optimizer.stateDict()["0.master"]!)[7]).toBe(1 - 2 ** -14);
    narrow.become(narrow.detach().to("float32"));
    narrow.grad = ones([300], { device });
    optimizer.step();
    expect(Object.keys(optimizer.stateDict())).toEqual(["groups.0.lr", "0.steps", "0.momentum"]);
  });

  test("wide parameters have no master weights; a graph takes them along", () => {
    const [a, b] = [parameter(ones([3], { device, dtype: "bfloat16" })), parameter(ones([3], { device }))];
    const optimizer = new optim.AdamW([a, b], { lr: 1e-4, masterWeights: true });
    a.grad = ones([3], { device, dtype: "bfloat16" });
    b.grad = ones([3], { device });
    using run = graph(() => optimizer.step(), { device });
    for (let call = 0; call < 6; call++) run();
    expect(Object.keys(optimizer.stateDict()).filter((name) => name.endsWith("master"))).toEqual(["0.master"]);
    expect(numbers(optimizer.stateDict()["0.master"]!)).toEqual(numbers(b));
    noGrad(() => a.fill_(2));
    noGrad(() => b.fill_(2));
    run();
    expect(numbers(optimizer.stateDict()["0.master"]!)).toEqual(numbers(b));
    expect(String(optimizer)).toContain("masterWeights true");
    expect(() => new optim.AdamW([b], { masterWeights: 1 as never })).toThrow(
      "AdamW takes true or false as masterWeights but got 1.",
    );
  });

  test("gradients of many parameters are cut to a norm together, the same from run to run", () => {
    const list = many();
    const given = gradientsFor(list);
    const gapped = () =>
      randn([2 * list[11]!.size], { dtype: list[11]!.dtype, device, seed: 3 }).slice([null, null, 2]) as Tensor;
    given[11] = gapped();
    const copied = (x: Tensor) =>
      (x.isContiguous ? x.clone() : x.clone().to({ memoryFormat: "channelsLast" })) as Tensor;
    const run = (most: number) => {
      list.forEach((x, index) => {
        const gradient = given[index]!;
        if (index === 11) x.grad = gapped();
        else x.grad = gradient === null ? null : copied(gradient);
      });
      const norm = optim.clipGradNorm(list, most);
      return { norm, all: list.flatMap((x) => (x.grad === null ? [] : [numbers(x.grad)])) };
    };
    const before = given.flatMap((each) => (each === null ? [] : [numbers(each)]));
    const wanted = Math.sqrt(before.flat().reduce((sum, each) => sum + each * each, 0));
    const { norm, all } = run(Infinity);
    expect(norm.dtype).toBe("float64");
    // Sums of at most some thousand squares one after another in float32.
    expect(Math.abs((norm.item() as number) / wanted - 1)).toBeLessThan(2000 * 2 ** -24);
    expect(all).toEqual(before);
    const [first, second] = [run(1), run(1)];
    expect(second.norm.item()).toBe(first.norm.item());
    expect(second.all).toEqual(first.all);
    const after = Math.sqrt(first.all.flat().reduce((sum, each) => sum + each * each, 0));
    expect(Math.abs(after - 1)).toBeLessThan(2 ** -8);
    const cut = list.find(({ dtype }) => dtype === ("float32" as DType))!;
    const at = list.filter(({ grad }) => grad !== null).indexOf(cut);
    first.all[at]!.forEach((value, index) =>
      expect(Math.abs(value - before[at]![index]! / wanted)).toBeLessThanOrEqual(1e-5 * Math.abs(value) + 1e-6),
    );
  });

  test("the norm of nothing is 0", () => {
    const x = parameter(zeros([0], { device }));
    x.grad = zeros([0], { device });
    expect(optim.clipGradNorm([x], 1).item()).toBe(0);
  });
});
