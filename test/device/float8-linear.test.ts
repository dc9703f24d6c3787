// Linear layers in 8-bit floats with delayed scaling, on every device: against a model of the same roundings in
// float64, in training beside float32, within graphs.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  autocast,
  checkpoint,
  graph,
  GradientError,
  grad,
  nn,
  noGrad,
  ones,
  optim,
  randn,
  relu,
  tensor,
  TensorError,
  tidy,
  zeros,
  type DType,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { poison, rounded, roundoff } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { expectWithin, numbersOf } from "./samples.ts";

const random = seeded(freshSeed());
const below = (limit: number) => Math.floor(random() * limit);
const numbers = (x: Tensor): number[] => numbersOf(x.detach().to("float64") as Tensor);

type Float8 = "float8_e4m3" | "float8_e5m2";
const largest = { float8_e4m3: 448, float8_e5m2: 57344 } as const;
const none = -1000;

/** The least power of 2 that times the largest number of a dtype is no less than all of `values`. */
function neededPower(values: readonly number[], dtype: Float8): number {
  const most = values.reduce((found, value) => Math.max(found, Math.abs(value)), 0);
  if (most === 0) return none;
  let power = -126;
  while (largest[dtype] * 2 ** power < most) power++;
  return power;
}

/** Delayed scaling of one tensor, as its definition has it. */
class Delayed {
  history: number[];
  readonly #dtype: Float8;
  readonly #margin: number;
  constructor(dtype: Float8, steps: number, margin: number) {
    this.history = Array<number>(steps).fill(none);
    this.#dtype = dtype;
    this.#margin = margin;
  }

  /** What the 8-bit floats stand for. */
  step(values: readonly number[], isNoted = true): number[] {
    const most = Math.max(...this.history);
    const scale = 2 ** ((most === none ? 0 : most) + this.#margin);
    if (isNoted) this.history = [neededPower(values, this.#dtype), ...this.history.slice(0, -1)];
    const limit = largest[this.#dtype];
    return values.map((value) => rounded(Math.max(-limit, Math.min(limit, value / scale)), this.#dtype) * scale);
  }
}

/** a [m, k] · b [k, n], and the same of sizes, for bounds. */
function product(a: readonly number[], b: readonly number[], [m, k, n]: readonly [number, number, number]) {
  const [sums, sizes] = [Array<number>(m * n).fill(0), Array<number>(m * n).fill(0)];
  for (let i = 0; i < m; i++)
    for (let d = 0; d < k; d++)
      for (let j = 0; j < n; j++) {
        const each = a[i * k + d]! * b[d * n + j]!;
        sums[i * n + j]! += each;
        sizes[i * n + j]! += Math.abs(each);
      }
  return { sums, sizes };
}
const turned = (x: readonly number[], rows: number, columns: number) =>
  Array.from({ length: x.length }, (_, at) => x[(at % rows) * columns + Math.floor(at / rows)]!);

describe.each(devices.map(({ name, kind }) => [name, kind] as const))("on %s", (device, kind) => {
  const normals = (shape: readonly number[], dtype: DType = "float32") =>
    randn(shape, { dtype: "float32", device, seed: below(2 ** 31) }).to(dtype) as Tensor;
  // Hopper's tensor cores keep at least 13 bits below the largest of a sum of 32 products.
  const inner = (k: number) => (kind === "cuda" ? (k / 32 + 1) * 2 ** -13 : (k + 4) * 2 ** -24);

  test.each([
    ["float32", "hybrid", 32, 48, 64],
    ["bfloat16", "hybrid", 16, 16, 16],
    ["float16", "hybrid", 5, 7, 3],
    ["float32", "e4m3", 33, 17, 130],
    ["float32", "hybrid", 1, 1, 1],
  ] as const)("steps of %s, %s, %i rows, %i inputs, %i outputs", (dtype, format, rows, inputs, outputs) => {
    const [steps, margin] = [3, below(2)];
    const layer = new nn.Float8Linear(inputs, outputs, { device, format, amaxHistory: steps, margin });
    const low = format === "hybrid" ? "float8_e5m2" : "float8_e4m3";
    const model = {
      input: new Delayed("float8_e4m3", steps, margin),
      weight: new Delayed("float8_e4m3", steps, margin),
      gradient: new Delayed(low, steps, margin),
    };
    for (let step = 0; step < 6; step++) {
      layer.train(step !== 4);
      // Sizes that change by powers of 10, so that numbers are cut off, and are lost below.
      const x = normals([rows, inputs])
        .mul(10 ** (below(5) - 2))
        .to(dtype) as Tensor;
      x.requiresGrad = true;
      const g = normals([rows, outputs])
        .mul(10 ** (below(5) - 2))
        .to(dtype) as Tensor;
      noGrad(() => layer.weight.mul_(step === 2 ? 4 : 0.9));
      layer.zeroGrad();
      poison(device, rows * Math.max(inputs, outputs));
      const y = layer(x);
      expect([y.dtype, y.shape]).toEqual([dtype, [rows, outputs]]);
      y.backward(g);

      const of = {
        input: model.input.step(numbers(x), step !== 4),
        weight: model.weight.step(numbers(layer.weight), step !== 4),
        gradient: model.gradient.step(numbers(g), step !== 4),
      };
      expect(layer.history.toArray()).toEqual([model.input.history, model.weight.history, model.gradient.history]);
      const bias = numbers(layer.bias!).map((value) => rounded(value, dtype));
      const u = roundoff[dtype]!;
      const least = dtype === "float16" ? 2 ** -25 : 0;
      const forward = product(of.input, turned(of.weight, outputs, inputs), [rows, inputs, outputs]);
      const wanted = forward.sums.map((sum, at) => sum + bias[at % outputs]!);
      expectWithin(
        numbers(y),
        wanted,
        // The product is rounded, and its sum with the bias.
        (at) =>
          forward.sizes[at]! * inner(inputs) +
          (2 * Math.abs(forward.sums[at]!) + Math.abs(wanted[at]!)) * u +
          2 * least,
      );
      const back = product(of.gradient, of.weight, [rows, outputs, inputs]);
      expectWithin(
        numbers(x.grad!),
        back.sums,
        (at) => back.sizes[at]! * inner(outputs) + 2 * Math.abs(back.sums[at]!) * u + least,
      );
      const weights = product(turned(of.gradient, rows, outputs), of.input, [outputs, rows, inputs]);
      expect(layer.weight.grad!.dtype).toBe("float32");
      expectWithin(
        numbers(layer.weight.grad!),
        weights.sums,
        (at) => weights.sizes[at]! * inner(rows) + 2 * Math.abs(weights.sums[at]!) * 2 ** -24,
      );
      // A gradient of a bias is that of a sum of what was not rounded to 8 bits.
      const columns = turned(numbers(g), rows, outputs);
      const sums = Array.from({ length: outputs }, (_, at) => columns.slice(at * rows, (at + 1) * rows));
      expectWithin(
        numbers(layer.bias!.grad!),
        sums.map((column) => column.reduce((sum, each) => sum + each, 0)),
        (at) => sums[at]!.reduce((sum, each) => sum + Math.abs(each), 0) * ((rows + 2) * 2 ** -24 + u),
      );
    }
  });

  // The largest 8-bit float over a scale has every boundary around it.
  test("powers of 2 at their limits, zeros, NaN and infinities", () => {
    const layer = new nn.Float8Linear(1, 1, { device, bias: false, amaxHistory: 1 });
    const noted = (value: number, role: number) => {
      const x = tensor([[value]], { device });
      if (role === 0) layer(x);
      else layer(ones([1, 1], { device })).backward(x);
      return (layer.history.toArray() as number[][])[role]![0];
    };
    for (const [role, dtype] of [
      [0, "float8_e4m3"],
      [2, "float8_e5m2"],
    ] as const)
      for (const value of [448, 57344, 1, 2 ** -126, 2 ** -149, 3.4e38, Math.fround(Math.PI), 2 ** -100])
        for (const near of [1 - 2 ** -24, 1, 1 + 2 ** -23]) {
          const exact = Math.fround(value * near);
          expect([value, noted(-exact, role)]).toEqual([value, neededPower([exact], dtype)]);
        }
    expect([0, NaN, Infinity, -Infinity].map((value) => noted(value, 0))).toEqual([none, none, none, none]);
    expect([0, NaN, Infinity].map((value) => noted(value, 2))).toEqual([none, none, none]);
    const outcomes = [NaN, Infinity, -Infinity].map((value) => layer(tensor([[value]], { device })).item());
    expect(outcomes).toEqual([NaN, NaN, NaN]);
    layer.zeroGrad();
    noGrad(() => layer.weight.fill_(1));
    layer(ones([1, 1], { device })).backward(tensor([[Infinity]], { device }));
    expect(layer.weight.grad!.item()).toBe(Infinity);
  });

  test("the longest history is looked through, and forgotten step by step", () => {
    const layer = new nn.Float8Linear(2, 1, { device, amaxHistory: 1024 });
    const model = new Delayed("float8_e4m3", 1024, 0);
    for (let step = 0; step < 40; step++) {
      const x = normals([1, 2]).mul(2 ** below(20)) as Tensor;
      tidy(() => void layer(x));
      model.step(numbers(x));
    }
    expect((layer.history.toArray() as number[][])[0]).toEqual(model.history);
  });

  /** A perceptron that learns what another one says; `last`: the mean of its last losses. */
  function trained(layers: (inputs: number, outputs: number) => nn.Linear, seed: number, isRecorded: boolean) {
    const net = new nn.Sequential(layers(16, 64), relu, layers(64, 64), relu, layers(64, 16));
    const draw = seeded(seed);
    noGrad(() => {
      for (const each of net.parameters())
        each.copy_(
          tensor(
            Array.from({ length: each.size }, () => (draw() * 2 - 1) / Math.sqrt(each.shape.at(-1)!)),
            { device },
          ).reshape(each.shape),
        );
    });
    const optimizer = new optim.AdamW(net.parameters(), { lr: 0.005 });
    const teacher = randn([16, 16], { device, seed });
    const run = (x: Tensor) => {
      optimizer.zeroGrad();
      const loss = net(x).sub(x.matmul(teacher).tanh()).square().mean();
      loss.backward();
      optimizer.step();
      return loss;
    };
    const step = isRecorded ? graph(run) : run;
    const losses: number[] = [];
    for (let at = 0; at < 120; at++) losses.push(tidy(() => step(randn([64, 16], { device, seed: seed + at })).item()));
    const mean = (of: readonly number[]) => of.reduce((sum, each) => sum + each, 0) / of.length;
    return { first: losses[0]!, last: mean(losses.slice(-20)), losses, net };
  }

  test("training goes as far as in float32", () => {
    const seed = below(2 ** 30);
    const wide = trained((inputs, outputs) => new nn.Linear(inputs, outputs, { device }), seed, false);
    const low = trained((inputs, outputs) => new nn.Float8Linear(inputs, outputs, { device }), seed, false);
    expect(wide.last).toBeLessThan(0.5 * wide.first);
    expect(low.last).toBeLessThan(wide.last + 0.02 * wide.first);
  });

  test("a graph trains as without it", () => {
    const seed = below(2 ** 30);
    const made = (inputs: number, outputs: number) => new nn.Float8Linear(inputs, outputs, { device });
    const [eager, recorded] = [trained(made, seed, false), trained(made, seed, true)];
    expect(recorded.losses).toEqual(eager.losses);
    for (const [name, value] of Object.entries(eager.net.stateDict()))
      expect([name, numbers(recorded.net.stateDict()[name]!)]).toEqual([name, numbers(value)]);
  });

  test("a layer goes on where its state was saved", () => {
    const first = new nn.Float8Linear(8, 4, { device, amaxHistory: 4 });
    for (let step = 0; step < 3; step++)
      first(normals([2, 8]))
        .sum()
        .backward();
    const second = new nn.Float8Linear(8, 4, { device, amaxHistory: 4 });
    second.loadStateDict(first.stateDict());
    expect(Object.keys(first.stateDict())).toEqual(["weight", "bias", "history"]);
    const x = normals([2, 8]);
    expect(numbers(second(x))).toEqual(numbers(first(x)));
    expect(second.history.toArray()).toEqual(first.history.toArray());
    // Another dtype of the parameters leaves the history as it is.
    first.to("bfloat16");
    expect([first.weight.dtype, first.history.dtype, first(x.to("bfloat16")).dtype]).toEqual([
      "bfloat16",
      "int32",
      "bfloat16",
    ]);
  });

  test("a layer made from another has its parameters, activation and device", () => {
    for (const activation of ["relu", "gelu", undefined] as const)
      for (const bias of [true, false]) {
        const linear = new nn.Linear(16, 32, { device, bias, ...(activation === undefined ? {} : { activation }) });
        const layer = nn.Float8Linear.from(linear, { amaxHistory: 2 });
        expect(layer.weight === linear.weight && layer.bias === linear.bias).toBe(true);
        const x = normals([4, 3, 16]);
        layer(x);
        const [found, wanted] = [numbers(layer(x)), numbers(linear(x))];
        const off = Math.sqrt(found.reduce((sum, each, at) => sum + (each - wanted[at]!) ** 2, 0));
        // Two factors, each off by 2⁻⁴ / √3 of itself or less.
        const all = Math.sqrt(numbers(x.matmul(linear.weight.T)).reduce((sum, each) => sum + each ** 2, 0));
        expect(off).toBeLessThan(2 ** -4 * all);
      }
    expect(String(nn.Float8Linear.from(new nn.Linear(2, 3, { bias: false })))).toContain("2 → 3, no bias, hybrid");
  });

  test("a layer that is used twice before its gradients, which add up", () => {
    const layer = new nn.Float8Linear(16, 16, { device });
    // Whole numbers that every scale keeps.
    const inputs = [4, 8].map(
      (rows) =>
        tensor(
          Array.from({ length: rows * 16 }, () => below(9) - 4),
          { device },
        )
          .to("float32")
          .reshape([rows, 16]) as Tensor,
    );
    layer.eval();
    const apart = inputs.map((x) => {
      layer.zeroGrad();
      layer(x).sum().backward();
      return numbers(layer.weight.grad!);
    });
    layer.train();
    layer.zeroGrad();
    const [first, second] = inputs.map((x) => layer(x).sum()) as [Tensor, Tensor];
    first.add(second).backward();
    expect(numbers(layer.weight.grad!)).toEqual(apart[0]!.map((each, at) => each + apart[1]![at]!));
    expect(numbers(layer.history).filter((each) => each !== none)).toHaveLength(6);
  });

  test("a checkpoint scales twice as it did once, and is one step of the history", () => {
    const train = (isKept: boolean) => {
      const layers = [0, 1].map(() => new nn.Float8Linear(16, 16, { device, amaxHistory: 1, bias: false }));
      layers.forEach((layer, at) => noGrad(() => layer.weight.copy_(weights[at]!)));
      const inner = (h: Tensor) => layers[1]!(layers[0]!(h).mul(9)) as Tensor;
      const within = (h: Tensor) => layers[0]!(isKept ? inner(h) : checkpoint(inner, h)) as Tensor;
      return inputs.map((input) => {
        const x = input.clone();
        x.requiresGrad = true;
        const y = isKept ? within(x) : checkpoint(within, x);
        layers.forEach((layer) => layer.zeroGrad());
        y.square().sum().backward();
        const kept = layers.flatMap(({ weight, history }) => [numbers(weight.grad!), numbers(history)]);
        return [numbers(y), numbers(x.grad!), ...kept];
      });
    };
    const weights = [normals([16, 16]), normals([16, 16]).mul(5) as Tensor];
    // Of another size at each step, so that no two steps have one scale.
    const inputs = [1, 50, 0.01, 7].map((size) => normals([32, 16]).mul(size) as Tensor);
    expect(train(false)).toEqual(train(true));
  });

  test("what is computed within autocast, checkpoint and without rows", () => {
    const layer = new nn.Float8Linear(16, 16, { device });
    const x = normals([16, 16]);
    expect(autocast(() => layer(x), { dtype: "bfloat16" }).dtype).toBe("bfloat16");
    expect(autocast(() => autocast(() => layer(x), { enabled: false })).dtype).toBe("float32");
    layer.eval();
    const gradients = [
      () => layer(x).square().sum(),
      () =>
        checkpoint((h: Tensor) => layer(h), x)
          .square()
          .sum(),
    ].map((loss) => {
      layer.zeroGrad();
      loss().backward();
      return numbers(layer.weight.grad!);
    });
    expect(gradients[1]).toEqual(gradients[0]);
    layer.train();
    layer.zeroGrad();
    const empty = zeros([0, 16], { device });
    empty.requiresGrad = true;
    const y = layer(empty);
    y.sum().backward();
    expect([y.shape, empty.grad!.shape]).toEqual([
      [0, 16],
      [0, 16],
    ]);
    expect(numbers(layer.weight.grad!)).toEqual(Array(256).fill(0));
    layer.requiresGrad(false);
    x.requiresGrad = true;
    layer(x).sum().backward();
    expect([layer.weight.grad, x.grad!.shape]).toEqual([null, [16, 16]]);
  });

  test("what it refuses", () => {
    const refused = (run: () => unknown, code: string, message: string, kind: new (...of: never[]) => Error) => {
      expect(run).toThrow(kind);
      expect(run).toThrow(expect.objectContaining({ code, message }));
    };
    const layer = new nn.Float8Linear(4, 2, { device });
    refused(
      () => layer(ones([3, 5], { device })),
      "SHAPE",
      "A linear layer in 8-bit floats with a weight of shape [2, 4] takes tensors of shape […, 4] but got [3, 5].",
      TensorError,
    );
    refused(
      () => layer(ones([3, 4], { device, dtype: "float64" })),
      "DTYPE",
      "A linear layer in 8-bit floats takes float32, float16 or bfloat16 but got float64.",
      TensorError,
    );
    refused(
      () => new nn.Float8Linear(4, 2, { dtype: "float64" }),
      "DTYPE",
      "new nn.Float8Linear takes float32, float16 or bfloat16 but got float64.",
      TensorError,
    );
    for (const amaxHistory of [0, 1025])
      refused(
        () => new nn.Float8Linear(4, 2, { amaxHistory }),
        "VALUE",
        `new nn.Float8Linear takes an amaxHistory from 1 to 1024 but got ${amaxHistory}.`,
        TensorError,
      );
    refused(
      () => nn.Float8Linear.from(relu as never),
      "OPERANDS",
      "nn.Float8Linear.from takes an nn.Linear but got a function.",
      TensorError,
    );
    const second = () => {
      const inner = grad((x: Tensor) => layer(x).square().sum());
      return grad((x: Tensor) => inner(x).square().sum())(ones([3, 4], { device }));
    };
    expect(second).toThrow(GradientError);
    expect(second).toThrow("float8LinearGradient has no gradient: use .detach() on its operand if you need none.");
  });
});
