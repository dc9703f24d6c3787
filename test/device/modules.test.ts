// Modules as objects: where parameters are found and where they are refused, calls and hooks, lists and names, moves
// under an optimiser, and the first values of parameters.
import "./cache.ts";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import {
  GradientError,
  nn,
  noGrad,
  ones,
  optim,
  rand,
  randn,
  relu,
  TensorError,
  tidy,
  zeros,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { freshSeed } from "../helpers/random.ts";

const runSeed = freshSeed();
const numbers = (x: Tensor): number[] => [x.detach().to("float64").reshape([-1]).toArray()].flat(8) as number[];
const names = (module: nn.Module) => [...module.namedParameters()].map(([name]) => name);

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const dense = (inputs = 2, outputs = 2) => new nn.Linear(inputs, outputs, { device, bias: false });

  class Heads extends nn.Module {
    heads = { policy: dense(), value: [dense()] };
    map = new Map<string, nn.Module>([["a", dense()]]);
    nested = [[dense()], new Set([dense()])];
    scale = { w: Object.assign(ones([1], { device }), { requiresGrad: true }) };
    forward(x: Tensor): Tensor {
      return this.heads.policy(x).mul(this.scale.w) as Tensor;
    }
  }

  test("layers in objects, maps, sets and nested arrays are trained, saved, moved and shown", () => {
    const net = new Heads();
    const wanted = [
      "scale.w",
      "heads.policy.weight",
      "heads.value.0.weight",
      "map.a.weight",
      "nested.0.0.weight",
      "nested.1.0.weight",
    ];
    expect(names(net)).toEqual(wanted);
    expect(Object.keys(net.stateDict())).toEqual(wanted);
    net.eval();
    expect([net.heads.value[0]!.training, net.map.get("a")!.training]).toEqual([false, false]);
    net.to("float64");
    expect(new Set(net.parameters().map(({ dtype }) => dtype))).toEqual(new Set(["float64"]));
    expect(String(net)).toContain("\n  map.a: Linear(2 → 2, no bias)\n");
    const other = new Heads().to("float64") as Heads;
    other.loadStateDict(net.stateDict());
    expect(numbers(other.heads.value[0]!.weight)).toEqual(numbers(net.heads.value[0]!.weight));
  });

  test("a class without forward says so when it is called", () => {
    class Bare extends nn.Module {
      layer = dense();
    }
    const bare = new (Bare as unknown as new () => (x: Tensor) => Tensor)();
    expect(() => bare(ones([1, 2], { device }))).toThrow(
      new TensorError(
        "FORWARD",
        "Bare has no forward: write forward(x) { … } in the class, which computes its output.",
      ),
    );
  });

  test("what is hidden from training is refused by name", () => {
    class Private extends nn.Module {
      readonly #layer = dense();
      forward(x: Tensor): Tensor {
        return this.#layer(x);
      }
    }
    const x = ones([1, 2], { device });
    const sentence =
      "Private computes with a tensor of shape [2, 2] that requires a gradient but is not one of its parameters: what #private properties hold is neither trained nor saved. Write private instead of #.";
    expect(() => new Private()(x)).toThrow(new TensorError("PRIVATE", sentence));
    expect(() => new Private().forward(x)).toThrow(sentence);

    class Fine extends nn.Module {
      readonly #times = 2;
      readonly layer = dense();
      forward(x: Tensor, { also }: { also: Tensor }): Tensor {
        return this.layer(x).mul(this.#times).add(also) as Tensor;
      }
    }
    const also = ones([2], { device });
    also.requiresGrad = true;
    const input = ones([1, 2], { device });
    input.requiresGrad = true;
    expect(new Fine()(input, { also }).shape).toEqual([1, 2]);

    class Block {
      layer = dense();
    }
    class Holder extends nn.Module {
      block = new Block();
      forward(): void {}
    }
    expect(() => new optim.SGD(new Holder().parameters())).toThrow(
      new TensorError(
        "MEMBER",
        "block is a Block, which is not a module but has parameters in layer: have Block extend nn.Module, so that they are trained and saved.",
      ),
    );
  });

  test("a module is called like a function, and keeps a name and a length of its own", () => {
    class Named extends nn.Module {
      name = "first";
      override length = 7;
      readonly layer = dense();
      forward(x: Tensor, times = 1): Tensor {
        return this.layer(x).mul(times) as Tensor;
      }
    }
    const net = new Named();
    const x = randn([3, 2], { device, seed: runSeed });
    const y: Tensor = net(x, 3);
    expect(numbers(y)).toEqual(numbers(net.forward(x, 3)));
    expect([net.name, net.length, net instanceof Named, net instanceof nn.Module]).toEqual(["first", 7, true, true]);
    // @ts-expect-error: forward takes a number.
    expect(() => net(x, "3")).toThrow(TensorError);
    expect(new nn.Sequential(dense(), relu, net)(x).shape).toEqual([3, 2]);
  });

  test("hooks see inputs and outputs, change them, and go", () => {
    const layer = dense();
    const net = new nn.Sequential(layer, relu);
    const seen: string[] = [];
    const stop = [
      layer.registerForwardPreHook((module, inputs) => {
        seen.push(`before ${module.describe()}`);
        return [(inputs[0] as Tensor).mul(2)];
      }),
      net.registerForwardHook((_, inputs, output) => {
        seen.push(`after ${(inputs[0] as Tensor).shape}`);
        return (output as Tensor).add(1);
      }),
      net.registerForwardHook(() => undefined),
    ];
    const x = rand([1, 2], { device, seed: runSeed });
    const wanted = numbers(
      layer.weight
        .matmul(x.mul(2).reshape([2, 1]))
        .relu()
        .add(1),
    );
    expect(numbers(net(x)).map(Math.fround)).toEqual(wanted.map((value) => expect.closeTo(value, 5)));
    expect(seen).toEqual(["before 2 → 2, no bias", "after 1,2"]);
    for (const each of stop) each();
    net(x);
    expect(seen.length).toBe(2);
    class Field extends nn.Module {
      override forward = (x: Tensor) => x;
    }
    expect(() => new Field().registerForwardHook(() => 1)).toThrow(
      "The forward of this Field is a property, which no hook sees: write it as a method, forward(x) { … }.",
    );
    expect(() => net.registerForwardHook(3 as never)).toThrow("A hook must be a function, but got 3.");
  });

  test("lists and dictionaries of modules", () => {
    class Deep extends nn.Module {
      blocks = new nn.ModuleList([dense(), dense()]);
      heads = new nn.ModuleDict({ policy: dense(), value: dense(2, 1) });
      forward(x: Tensor): Tensor {
        for (const block of this.blocks) x = block(x);
        return this.heads.get("value")(x);
      }
    }
    const net = new Deep();
    net.blocks.push(dense());
    net.heads.set("extra", dense());
    expect(names(net)).toEqual([
      "blocks.0.weight",
      "blocks.1.weight",
      "blocks.2.weight",
      "heads.policy.weight",
      "heads.value.weight",
      "heads.extra.weight",
    ]);
    expect([
      net(ones([4, 2], { device })).shape,
      net.blocks.length,
      net.blocks.at(-1) === net.blocks.modules[2],
    ]).toEqual([[4, 1], 3, true]);
    expect([net.heads.has("policy"), [...net.heads].map(([name]) => name)]).toEqual([
      true,
      ["policy", "value", "extra"],
    ]);
    for (const [wrong, sentence] of [
      [() => new nn.ModuleList([relu as never]), "ModuleList takes modules, but 0 is a function."],
      [
        () => new nn.ModuleDict({ a: nn.Linear as never }),
        "ModuleDict takes modules, but a is the class Linear: write new nn.Linear(…).",
      ],
      [() => new nn.ModuleDict({ a: 3 as never }), "ModuleDict takes modules, but a is 3."],
      [() => net.heads.set("a.b", dense()), 'ModuleDict takes names without dots but got "a.b".'],
      [() => net.heads.get("x"), 'This ModuleDict has no module "x", but policy, value, extra.'],
      [() => net.blocks.forward(), "A ModuleList computes nothing itself: call the modules in it."],
      [() => net.heads.forward(), "A ModuleDict computes nothing itself: call the modules in it."],
    ] as const)
      expect(wrong).toThrow(sentence);
  });

  test("a Sequential is saved under PyTorch's names, and read from those that it had", () => {
    class Body extends nn.Module {
      body = new nn.Sequential(dense(), new nn.Sequential(relu, dense()));
      forward(x: Tensor): Tensor {
        return this.body(x);
      }
    }
    const [net, other] = [new Body(), new Body()];
    const state = net.stateDict();
    expect(Object.keys(state)).toEqual(["body.0.weight", "body.1.1.weight"]);
    other.loadStateDict({
      "body.layers.0.weight": state["body.0.weight"]!,
      "body.layers.1.layers.1.weight": state["body.1.1.weight"]!,
    });
    expect(Object.values(other.stateDict()).map(numbers)).toEqual(Object.values(state).map(numbers));
  });

  test("a summary counts by layer", () => {
    const net = new nn.Sequential(
      new nn.Linear(2, 64, { device }),
      relu,
      new nn.LayerNorm(64, { device }),
      dense(64, 3),
    );
    expect(String(net.summary())).toBe(
      [
        "name  layer                    parameters",
        "      Sequential()                      0",
        "0     Linear(2 → 64)                  192",
        "2     LayerNorm(64)                   128",
        "3     Linear(64 → 3, no bias)         192",
        `512 parameters, float32, ${device}`,
      ].join("\n"),
    );
    expect(inspect(net.summary())).toBe(String(net.summary()));
    expect(() => (net.summary as (input: unknown) => unknown).call(net, [1, 2])).toThrow(
      new TensorError("ARGUMENTS", "summary takes nothing: it tells layers and parameters, whatever the input."),
    );
  });

  test("an optimiser goes on with a model that moves to another dtype and back, as if it had been there", () => {
    const made = () => {
      const net = new nn.Linear(3, 2, { device });
      nn.init.uniform(net.weight, { seed: runSeed });
      nn.init.zeros(net.bias!);
      return net;
    };
    const x = rand([4, 3], { device, seed: runSeed + 1 });
    const step = (net: nn.Linear, optimizer: optim.Optimizer) => {
      optimizer.zeroGrad();
      net(x.to(net.weight.dtype) as Tensor)
        .square()
        .sum()
        .backward();
      optimizer.step();
    };
    const [moving, staying] = [made(), made()];
    const [first, second] = [moving, staying].map((net) => new optim.Adam(net.parameters(), { lr: 0.1 })) as [
      optim.Adam,
      optim.Adam,
    ];
    const { weight } = moving;
    step(moving, first);
    step(staying, second);
    expect(moving.to("float64")).toBe(moving);
    expect([moving.weight === weight, weight.dtype, weight.grad!.dtype, weight.isLeaf, weight.requiresGrad]).toEqual([
      true,
      "float64",
      "float64",
      true,
      true,
    ]);
    first.zeroGrad();
    expect(weight.grad).toBe(null);
    step(moving, first);
    moving.to("float32");
    step(moving, first);
    step(staying, second);
    step(staying, second);
    // Adam's steps are of some 0.1, and are right to some 2⁻²⁰ of that where no gradient is near 0.
    numbers(moving.weight).forEach((value, at) => expect(value).toBeCloseTo(numbers(staying.weight)[at]!, 4));
    const y = moving(x).sum();
    moving.to("float64");
    expect(() => y.backward()).toThrow(GradientError);
  });

  test("what a module makes in forward, also in tidy, is its own", () => {
    class Lazy extends nn.Module {
      weight: Tensor | null = null;
      count = zeros([1], { device });
      forward(x: Tensor): Tensor {
        this.weight ??= Object.assign(ones([x.shape.at(-1)!], { device }), { requiresGrad: true });
        this.count = noGrad(() => this.count.add(1));
        return x.mul(this.weight) as Tensor;
      }
    }
    const net = new Lazy();
    for (let step = 0; step < 3; step++)
      tidy(() =>
        net
          .forward(ones([2, 3], { device }))
          .sum()
          .backward(),
      );
    expect([numbers(net.weight!), net.weight!.grad!.toArray(), net.count.item()]).toEqual([[1, 1, 1], [6, 6, 6], 3]);
  });

  test.each([
    [4, 4],
    [1, 5],
    [7, 3],
    [70, 200],
    [129, 33],
    [65, 2, 40],
    [0, 3],
  ])("orthogonal first values of shape %j, %j", (...shape) => {
    const made = (options: object) =>
      nn.init.orthogonal(zeros(shape, { device, dtype: "float64" }), { seed: runSeed, ...options });
    const weight = made({}).reshape([shape[0]!, shape.slice(1).reduce((a, b) => a * b, 1)]);
    const [rows, columns] = weight.shape as [number, number];
    const product = rows <= columns ? weight.matmul(weight.T) : weight.T.matmul(weight);
    const least = Math.min(rows, columns);
    numbers(product).forEach((value, at) =>
      expect(Math.abs(value - (at % (least + 1) === 0 ? 1 : 0))).toBeLessThan(2 ** -48),
    );
    expect(numbers(made({ gain: 3 }))).toEqual(numbers(made({})).map((value) => value * 3));
    expect(numbers(made({ seed: runSeed + 1 }))).not.toEqual(shape[0] === 0 ? null : numbers(made({})));
    const narrow = nn.init.orthogonal(new nn.Linear(shape[0]! + 1, 3, { device }).weight, { seed: runSeed });
    expect([narrow.dtype, narrow.requiresGrad, narrow.isLeaf]).toEqual(["float32", true, true]);
    expect(() => nn.init.orthogonal(zeros([3], { device }))).toThrow(
      "init.orthogonal takes a tensor of shape [outputs, inputs, …] but got [3]",
    );
  });

  test("first values have the spread that they say", () => {
    const at = (shape: number[]) => zeros(shape, { device, dtype: "float64" });
    const deviation = (x: Tensor) => Math.sqrt(numbers(x).reduce((sum, value) => sum + value ** 2, 0) / x.size);
    const shape = [200, 50, 2];
    const seed = runSeed;
    // Of 20,000 numbers the deviation is right to 5/√40,000.
    const cases: [Tensor, number, number][] = [
      [nn.init.uniform(at(shape), { low: -2, high: 2, seed }), 2 / Math.sqrt(3), 2],
      [nn.init.normal(at(shape), { std: 3, seed }), 3, Infinity],
      [nn.init.xavierUniform(at(shape), { seed }), Math.sqrt(2 / 500), Math.sqrt(6 / 500)],
      [nn.init.xavierNormal(at(shape), { gain: nn.init.gain("tanh"), seed }), (5 / 3) * Math.sqrt(2 / 500), Infinity],
      [nn.init.kaimingUniform(at(shape), { seed }), Math.sqrt(2 / 100), Math.sqrt(6 / 100)],
      [nn.init.kaimingNormal(at(shape), { mode: "fanOut", gain: 1, seed }), 1 / 20, Infinity],
    ];
    for (const [x, wanted, most] of cases) {
      expect(Math.abs(deviation(x) / wanted - 1)).toBeLessThan(0.025);
      expect(Math.max(...numbers(x).map(Math.abs))).toBeLessThanOrEqual(most * (1 + 1e-12));
    }
    const weight = new nn.Linear(2, 3, { device }).weight;
    expect(nn.init.constant(weight, 4)).toBe(weight);
    expect([numbers(weight), numbers(nn.init.ones(weight)), weight.requiresGrad, weight.isLeaf]).toEqual([
      Array(6).fill(4),
      Array(6).fill(1),
      true,
      true,
    ]);
    expect(nn.init.eye(weight).detach().toArray()).toEqual([
      [1, 0],
      [0, 1],
      [0, 0],
    ]);
    expect([nn.init.gain("relu"), nn.init.gain("leakyRelu", 1)]).toEqual([Math.SQRT2, 1]);
    for (const [wrong, sentence] of [
      [
        () => nn.init.kaimingNormal(zeros([3], { device })),
        "init.kaimingNormal takes a tensor of shape [outputs, inputs, …] but got [3]: a bias is filled by init.zeros or init.uniform.",
      ],
      [() => nn.init.eye(zeros([3], { device })), "init.eye takes a matrix but got shape [3]."],
      [() => nn.init.uniform(weight, { min: 1 } as never), "init.uniform has no option min."],
      [
        () => nn.init.gain("foo" as never),
        "init.gain takes one of linear, sigmoid, tanh, relu, selu, leakyRelu but got",
      ],
      [() => nn.init.constant(weight, "a" as never), 'init.constant takes a number as value but got "a".'],
    ] as const)
      expect(wrong).toThrow(sentence);
  });

  test("options that layers do not have, and arguments that are none, are refused", () => {
    for (const [wrong, sentence] of [
      [
        () => new nn.Linear(3, 4, false as never),
        "Linear does not take false there. Options are an object: new nn.Linear(inputs, outputs, { bias, activation, device, dtype }).",
      ],
      [() => new nn.Linear(3, 4, { biass: false } as never), "Linear has no option biass. Write bias."],
      [() => new nn.LayerNorm(3, { epsilon: 1 } as never), "LayerNorm has no option epsilon."],
      [() => new nn.SelfAttention(4, 2, { isCausal: true } as never), "SelfAttention has no option isCausal."],
      [() => new nn.Embedding(3, 4, { type: "float32" } as never), "Embedding has no option type."],
      [
        () =>
          nn.attention(...([1, 2, 3].map(() => ones([2, 2], { device })) as [Tensor, Tensor, Tensor]), {
            isCausal: true,
          } as never),
        "attention has no option isCausal.",
      ],
    ] as const)
      expect(wrong).toThrow(sentence);
  });
});
