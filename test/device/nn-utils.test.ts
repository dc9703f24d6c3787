// What `nn.utils` has, on every device: parameters as a vector, sequences filled up, and weights made of others.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { linalg, nn, noGrad, ones, optim, tensor, TensorError, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients, numbersOf } from "./gradient-check.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const sizeOf = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);
const { utils } = nn;

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const on = { device, dtype: "float64" } as const;
  const draw = (...shape: number[]) =>
    tensor(
      Array.from({ length: sizeOf(shape) }, () => 2 * random() - 1),
      on,
    ).reshape(shape) as Tensor;
  const expectNear = (found: Tensor, wanted: readonly number[], bound = 2 ** -46) =>
    numbersOf(found.detach()).forEach((value, at) => expect(Math.abs(value - wanted[at]!)).toBeLessThan(bound));

  test("parameters go into a vector and back, gradients with them", () => {
    const net = new nn.Sequential(new nn.Linear(3, 2, on), new nn.Linear(2, 1, on));
    const vector = utils.parametersToVector(net.parameters());
    expect(numbersOf(vector.detach())).toEqual(net.parameters().flatMap((each) => numbersOf(each.detach())));
    vector.square().sum().backward();
    net
      .parameters()
      .forEach((each) => expect(numbersOf(each.grad!)).toEqual(numbersOf(each.detach().mul(2) as Tensor)));
    const values = Array.from({ length: vector.size }, (_, at) => at);
    utils.vectorToParameters(tensor(values, on), net.parameters());
    expect(net.parameters().flatMap((each) => numbersOf(each.detach()))).toEqual(values);
    expect(net.parameters().every(({ requiresGrad }) => requiresGrad)).toBe(true);
  });

  test("sequences of several lengths are filled up and taken apart", () => {
    const sequences = [draw(3, 2), draw(1, 2), draw(4, 2)];
    for (const batchFirst of [true, false]) {
      const padded = utils.padSequence(sequences, { batchFirst, paddingValue: 7 });
      expect(padded.shape).toEqual(batchFirst ? [3, 4, 2] : [4, 3, 2]);
      const rows = (batchFirst ? padded : padded.transpose([1, 0, 2])).toArray() as number[][][];
      expect(rows).toEqual(
        sequences.map((each) => {
          const own = each.toArray() as number[][];
          return [...own, ...Array.from({ length: 4 - own.length }, () => [7, 7])];
        }),
      );
      expect(utils.unpadSequence(padded, [3, 1, 4], { batchFirst }).map((each) => each.toArray())).toEqual(
        sequences.map((each) => each.toArray()),
      );
    }
    expectGradients((a, b) => utils.padSequence([a!, b!]).square(), [{ shape: [3, 2] }, { shape: [1, 2] }], device);
  });

  test.each([0, 1, -1, null])("a weight is a size times a direction (axis %s)", (axis) => {
    const layer = new nn.Conv1d(2, 3, 2, on);
    const before = numbersOf(layer.weight.detach());
    const x = draw(1, 2, 5);
    const wanted = numbersOf(layer(x).detach());
    expect(utils.weightNorm(layer, { axis }) === layer).toBe(true);
    expect([...layer.namedParameters()].map(([name]) => name).sort()).toEqual(["bias", "weight_g", "weight_v"]);
    expect(Object.keys(layer.stateDict()).sort()).toEqual(["bias", "weight_g", "weight_v"]);
    const own = layer as unknown as Record<"weight_g" | "weight_v", Tensor>;
    const sizes = { 0: [3, 1, 1], 1: [1, 2, 1], "-1": [1, 1, 2], null: [1, 1, 1] };
    expect(own.weight_g.shape).toEqual(sizes[String(axis) as "0"]);
    expectNear(layer(x), wanted);
    // Twice the size, twice the weight; another length of the direction, none.
    noGrad(() => own.weight_g.mul_(2));
    noGrad(() => own.weight_v.mul_(3));
    expectNear(
      layer.weight,
      before.map((value) => 2 * value),
    );
    const shape = own.weight_v.shape as number[];
    const size = own.weight_g.shape as number[];
    expectGradients(
      (g, v) => {
        Object.assign(own, { weight_g: g!, weight_v: v! });
        return layer(x);
      },
      [{ shape: size }, { shape }],
      device,
    );
    const last = numbersOf(layer.weight.detach());
    utils.removeWeightNorm(layer);
    expect([...layer.namedParameters()].map(([name]) => name).sort()).toEqual(["bias", "weight"]);
    expect(numbersOf(layer.weight.detach())).toEqual(last);
  });

  test("a weight is divided by its largest singular value, which training follows", () => {
    const layer = utils.spectralNorm(new nn.Linear(5, 4, on), { nPowerIterations: 2 });
    const own = layer as unknown as Record<"weight_orig" | "weight_u" | "weight_v", Tensor>;
    const largest = (x: Tensor) => Math.max(...numbersOf(linalg.svdvals(x.detach())));
    const x = draw(2, 5);
    for (let step = 0; step < 400; step++) layer(x);
    expect(Math.abs(largest(layer.weight) - 1)).toBeLessThan(1e-6);
    const scale = largest(own.weight_orig);
    expectNear(
      layer.weight,
      numbersOf(own.weight_orig.detach()).map((value) => value / scale),
      1e-6,
    );
    expect(Object.keys(layer.stateDict()).sort()).toEqual(["bias", "weight_orig", "weight_u", "weight_v"]);
    expect([...layer.namedParameters()].map(([name]) => name).sort()).toEqual(["bias", "weight_orig"]);
    layer.eval();
    const still = numbersOf(own.weight_u);
    layer(x);
    expect(numbersOf(own.weight_u)).toEqual(still);
    // With the vectors as constants: u·W·v is linear in W.
    expectGradients(
      (weight) => {
        own.weight_orig = weight!;
        return layer(x);
      },
      [{ shape: [4, 5] }],
      device,
    );
    layer.train();
    const other = utils.spectralNorm(new nn.Linear(5, 4, { device }));
    const optimizer = new optim.SGD(other.parameters(), { lr: 0.1 });
    const begun = numbersOf((other as unknown as typeof own).weight_orig.detach());
    other(x.to("float32")).square().sum().backward();
    optimizer.step();
    expect(numbersOf((other as unknown as typeof own).weight_orig.detach())).not.toEqual(begun);
    utils.removeSpectralNorm(layer);
    expect([...layer.namedParameters()].map(([name]) => name).sort()).toEqual(["bias", "weight"]);
    expect(layer(x).shape).toEqual([2, 4]);
  });

  test("what does not fit is told", () => {
    const layer = new nn.Linear(2, 3, { device });
    const normed = utils.weightNorm(new nn.Linear(2, 3, { device }));
    for (const [run, sentence] of [
      [
        () => utils.parametersToVector(layer.weight),
        "parametersToVector takes a list of parameters but got a tensor: write [x].",
      ],
      [
        () => utils.parametersToVector([]),
        "parametersToVector takes parameters, as model.parameters() gives them, but got an array of 0.",
      ],
      [
        () => utils.vectorToParameters(ones([4], { device }), layer.parameters()),
        "vectorToParameters takes a vector of 9 elements for these parameters but got [4].",
      ],
      [() => utils.padSequence([]), "padSequence takes an array of at least one tensor but got []."],
      [
        () => utils.padSequence([ones([2, 3], { device }), ones([2, 4], { device })]),
        "padSequence takes sequences [length, …] that differ in length alone but got [2, 3] and [2, 4].",
      ],
      [
        () => utils.unpadSequence(ones([3, 2], { device }), [3, 4]),
        "unpadSequence takes a length of at most 3 for each of 2 sequences but got [3, 4] for [3, 2].",
      ],
      [() => utils.weightNorm(layer.weight as never), "weightNorm takes a module as module but got a Tensor."],
      [
        () => utils.weightNorm(layer, { name: "kernel" }),
        'weightNorm takes the name of a parameter of the Linear but got "kernel".',
      ],
      [() => utils.weightNorm(normed), "weightNorm found weight to be normalised already: remove that first."],
      [() => utils.weightNorm(layer, { axis: 2 }), "weightNorm of a weight of shape [3, 2] has no axis 2."],
      [() => utils.spectralNorm(layer, { axis: 2 }), "spectralNorm of a weight of shape [3, 2] has no axis 2."],
      [() => utils.removeWeightNorm(layer), "The Linear has no weight of weightNorm."],
      [() => utils.removeSpectralNorm(normed), "The Linear has no weight of spectralNorm."],
      [
        () => (utils as never as { clip_grad_norm_: () => void }).clip_grad_norm_(),
        "There is no nn.utils.clip_grad_norm_: write optim.clipGradNorm(model.parameters(), 1).",
      ],
      [
        () => (utils as never as { rnn: Record<string, () => void> }).rnn["pack_padded_sequence"]!(),
        "There is no nn.utils.rnn.pack_padded_sequence: write layer(nn.utils.padSequence([x, y])), and take output.get(lengths - 1, i) of each sequence.",
      ],
    ] as const) {
      expect(run).toThrow(TensorError);
      expect(run).toThrow(sentence);
    }
    expect([...layer.namedParameters()].map(([name]) => name)).toEqual(["weight", "bias"]);
  });
});
