// RNN, LSTM and GRU on every device against float64, whose errors are carried along, on random numbers of a printed
// seed.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { gradients, nn, noGrad, TensorError, tensor, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients, numbersOf } from "./gradient-check.ts";
import { expectGradients as expectGradientsTwice } from "./gradients.ts";
import { poison, rounded, roundoff } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());

/** A number, and how far a device's may be from it (running error analysis: Higham, Accuracy and Stability, 3.3). */
type Inexact = readonly [value: number, error: number];
class Arithmetic {
  readonly u: number;
  constructor(u: number) {
    this.u = u;
  }
  add = ([a, ea]: Inexact, [b, eb]: Inexact): Inexact => [a + b, ea + eb + this.u * (Math.abs(a + b) + ea + eb)];
  mul([a, ea]: Inexact, [b, eb]: Inexact): Inexact {
    const error = Math.abs(a) * eb + Math.abs(b) * ea + ea * eb;
    return [a * b, error + this.u * (Math.abs(a * b) + error)];
  }
  // Steepest at 0, where their slopes are ¼ and 1; a device is right to 4 units.
  sigmoid = ([a, e]: Inexact): Inexact => [1 / (1 + Math.exp(-a)), e / 4 + 4 * this.u];
  tanh = ([a, e]: Inexact): Inexact => [Math.tanh(a), e + 4 * this.u];
  product = (matrix: readonly number[], from: number, columns: number, vector: readonly Inexact[]): Inexact =>
    vector.reduce<Inexact>((sum, each, at) => this.add(sum, this.mul([matrix[from * columns + at]!, 0], each)), [0, 0]);
}

type State = Readonly<Record<"hidden" | "cell", readonly Inexact[]>>;
type Cell = (
  n: Arithmetic,
  given: (gate: number, column: number) => Inexact,
  own: (gate: number, column: number) => Inexact,
  before: State,
) => State;

const negated = ([value, error]: Inexact): Inexact => [-value, error];
type Kind = "RNN" | "LSTM" | "GRU";
const cells: Record<Kind, Cell> = {
  RNN: (n, given, own, before) => ({
    hidden: before.hidden.map((_, j) => n.tanh(n.add(given(0, j), own(0, j)))),
    cell: before.cell,
  }),
  LSTM(n, given, own, before) {
    const sum = (gate: number, column: number) => n.add(given(gate, column), own(gate, column));
    const cell = before.cell.map((past, j) =>
      n.add(n.mul(n.sigmoid(sum(1, j)), past), n.mul(n.sigmoid(sum(0, j)), n.tanh(sum(2, j)))),
    );
    return { cell, hidden: cell.map((state, j) => n.mul(n.sigmoid(sum(3, j)), n.tanh(state))) };
  },
  GRU(n, given, own, before) {
    const hidden = before.hidden.map((past, j) => {
      const [reset, update] = [0, 1].map((gate) => n.sigmoid(n.add(given(gate, j), own(gate, j)))) as [
        Inexact,
        Inexact,
      ];
      const fresh = n.tanh(n.add(given(2, j), n.mul(reset, own(2, j))));
      return n.add(fresh, n.mul(update, n.add(past, negated(fresh))));
    });
    return { hidden, cell: before.cell };
  },
};

/** The outputs of one sequence [steps][inputs], and the states after it, by the definition. */
function reference(
  kind: Kind,
  n: Arithmetic,
  weights: Readonly<Record<string, readonly number[]>>,
  width: number,
  layers: number,
  directions: number,
  sequence: readonly (readonly number[])[],
  start: readonly State[],
): { output: Inexact[][]; states: State[] } {
  let current: Inexact[][] = sequence.map((row) => row.map((value) => [value, 0]));
  const states: State[] = [];
  for (let layer = 0; layer < layers; layer++) {
    const sides = Array.from({ length: directions }, (_, direction) => {
      const end = `l${layer}${direction === 1 ? "_reverse" : ""}`;
      const bias = (which: string, at: number): Inexact => [weights[`bias_${which}_${end}`]?.[at] ?? 0, 0];
      const out: Inexact[][] = [];
      let state = start[layer * directions + direction]!;
      const order = current.map((_, step) => (direction === 1 ? current.length - 1 - step : step));
      for (const step of order) {
        const linear = (which: string, vector: readonly Inexact[]) => (gate: number, column: number) => {
          const row = gate * width + column;
          return n.add(n.product(weights[`weight_${which}_${end}`]!, row, vector.length, vector), bias(which, row));
        };
        state = cells[kind](n, linear("ih", current[step]!), linear("hh", state.hidden), state);
        out[step] = [...state.hidden];
      }
      states.push(state);
      return out;
    });
    current = current.map((_, step) => sides.flatMap((side) => side[step]!));
  }
  return { output: current, states };
}

const draw = (count: number, dtype: "float32" | "float64" | "float16" | "bfloat16", scale = 1) =>
  Array.from({ length: count }, () => Number(rounded((random() * 2 - 1) * scale, dtype)));
function expectWithin(got: Tensor, wanted: readonly Inexact[]): void {
  const numbers = numbersOf(got);
  expect(numbers.length).toBe(wanted.length);
  const wrong = numbers.flatMap((value, at) =>
    Math.abs(value - wanted[at]![0]) <= wanted[at]![1]
      ? []
      : [`${at}: ${value} for ${wanted[at]![0]} ± ${wanted[at]![1]}`],
  );
  expect(wrong).toEqual([]);
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  test.each(
    (["RNN", "LSTM", "GRU"] as const).flatMap((kind) =>
      (["float32", "float64", "float16", "bfloat16"] as const).flatMap((dtype) => [
        { kind, dtype, inputs: 3, width: 5, batch: 2, steps: 7 },
        { kind, dtype, inputs: 1, width: 1, batch: 1, steps: 1, bias: false },
        { kind, dtype, inputs: 4, width: 33, batch: 3, steps: 3, layers: 2, bidirectional: true, batchFirst: true },
        { kind, dtype, inputs: 2, width: 6, batch: null, steps: 4, bidirectional: true, hasState: true },
      ]),
    ),
  )("%o", ({ kind, dtype, inputs, width, batch, steps, hasState = false, ...given }) => {
    const { layers = 1, bidirectional = false, batchFirst = false } = given as nn.RecurrentOptions;
    const layer = new nn[kind](inputs, width, { ...(given as nn.RecurrentOptions), device, dtype });
    const directions = bidirectional ? 2 : 1;
    const rows = batch ?? 1;
    const sequences = Array.from({ length: rows }, () => Array.from({ length: steps }, () => draw(inputs, dtype)));
    const starts = Array.from({ length: rows }, () =>
      Array.from({ length: layers * directions }, () => ({
        hidden: draw(width, dtype, hasState ? 1 : 0).map((value): Inexact => [value, 0]),
        cell: draw(width, dtype, hasState ? 1 : 0).map((value): Inexact => [value, 0]),
      })),
    );
    const of = (values: unknown) => tensor(values as number[], { device, dtype });
    const stateOf = (which: "hidden" | "cell") =>
      of(
        starts[0]!.map((_, at) => {
          const all = starts.map((row) => row[at]![which].map(([value]) => value));
          return batch === null ? all[0] : all;
        }),
      );
    const x =
      batch === null ? of(sequences[0]) : batchFirst ? of(sequences) : of(sequences).transpose([1, 0, 2]).contiguous();
    const state = hasState ? { hidden: stateOf("hidden"), cell: stateOf("cell") } : undefined;
    poison(device, 4 * rows * steps * width * directions);
    const found = layer(x as Tensor, state as nn.LSTMState);
    const weights = Object.fromEntries(
      Object.entries(layer.stateDict()).map(([name, value]) => [name, numbersOf((value as Tensor).to("float64"))]),
    );
    const wanted = sequences.map((sequence, row) =>
      reference(kind, new Arithmetic(roundoff[dtype]!), weights, width, layers, directions, sequence, starts[row]!),
    );
    const output =
      batch === null ? found.output.unsqueeze(1) : batchFirst ? found.output.transpose([1, 0, 2]) : found.output;
    expect(output.shape).toEqual([steps, rows, width * directions]);
    expectWithin(
      output.to("float64") as Tensor,
      Array.from({ length: steps }, (_, step) => wanted.flatMap((each) => each.output[step]!)).flat(),
    );
    for (const which of kind === "LSTM" ? (["hidden", "cell"] as const) : (["hidden"] as const)) {
      const states = (found as nn.LSTMResult)[which];
      expect(states.shape).toEqual([layers * directions, ...(batch === null ? [] : [batch]), width]);
      expectWithin(
        states.to("float64") as Tensor,
        starts[0]!.flatMap((_, at) => wanted.flatMap((each) => each.states[at]![which])),
      );
    }
  });

  test.each([false, true])("gradients of everything, from either end (bidirectional: %s)", (bidirectional) => {
    const [inputs, width, batch, steps] = [2, 3, 2, 4];
    const directions = bidirectional ? 2 : 1;
    const shapes = [
      [steps, batch, inputs],
      [directions, batch, width],
      [directions, batch, width],
    ];
    const named = (gates: number) => [
      ["weight_ih_l0", [gates * width, inputs]],
      ["weight_hh_l0", [gates * width, width]],
      ["bias_ih_l0", [gates * width]],
      ["bias_hh_l0", [gates * width]],
    ];
    const lstm = new nn.LSTM(inputs, width, { bidirectional, device, dtype: "float64" });
    expectGradients(
      (x, hidden, cell, ...weights) => {
        named(4).forEach(([name], at) => (lstm[name as "weight_ih_l0"] = weights[at]!));
        const found = lstm(x!, { hidden: hidden!, cell: cell! });
        return found.output.sum().add(found.output.square().sum()).add(found.cell.exp().sum()) as Tensor;
      },
      [...shapes, ...named(4).map(([, shape]) => shape as number[])].map((shape) => ({ shape })),
      device,
    );
    // The cell alone.
    expectGradients((x) => lstm(x!).cell, [{ shape: shapes[0]! }], device);
    const gru = new nn.GRU(inputs, width, { bidirectional, device, dtype: "float64" });
    expectGradients(
      (x, hidden, ...weights) => {
        named(3).forEach(([name], at) => (gru[name as "weight_ih_l0"] = weights[at]!));
        const found = gru(x!, { hidden: hidden! });
        return found.output.square().sum().add(found.hidden.exp().sum()) as Tensor;
      },
      [...shapes.slice(0, 2), ...named(3).map(([, shape]) => shape as number[])].map((shape) => ({ shape })),
      device,
    );
    const plain = new nn.RNN(inputs, width, { bidirectional, device, dtype: "float64" });
    expectGradients(
      (x, hidden, ...weights) => {
        named(1).forEach(([name], at) => (plain[name as "weight_ih_l0"] = weights[at]!));
        const found = plain(x!, { hidden: hidden! });
        return found.output.square().sum().add(found.hidden.exp().sum()) as Tensor;
      },
      [...shapes.slice(0, 2), ...named(1).map(([, shape]) => shape as number[])].map((shape) => ({ shape })),
      device,
    );
    const withoutBias = new nn.GRU(inputs, width, { bidirectional, bias: false, device, dtype: "float64" });
    expectGradients((x) => withoutBias(x!).output, [{ shape: shapes[0]! }], device);
  });

  test.each(["RNN", "LSTM", "GRU"] as const)("gradients of the gradients of an %s, from either end", (kind) => {
    const layer = new nn[kind](2, 3, { bidirectional: true, device, dtype: "float64" });
    const of = (...shape: number[]) =>
      tensor(
        draw(
          shape.reduce((a, b) => a * b, 1),
          "float64",
        ),
        { device, dtype: "float64" },
      ).reshape(shape) as Tensor;
    const names = ["weight_ih_l0", "weight_hh_l0", "bias_hh_l0", "weight_hh_l0_reverse"] as const;
    const weights = names.map((name) => layer[name]);
    expectGradientsTwice(
      (x, hidden, cell, ...given) => {
        names.forEach((name, at) => (layer[name] = given[at]!));
        const found = layer(x!, { hidden: hidden!, cell: cell! } as nn.LSTMState) as nn.LSTMResult;
        const parts = [found.output.square().sum(), found.hidden.exp().sum()];
        parts.push((kind === "LSTM" ? found.cell : cell!).square().sum());
        return parts.reduce((a, b) => a.add(b)) as Tensor;
      },
      [of(3, 2, 2), of(2, 2, 3), of(2, 2, 3), ...weights.map((each) => each.detach())],
      { twice: true },
    );
    if (kind === "LSTM") expectGradientsTwice((x) => (layer as nn.LSTM)(x!).cell, [of(3, 1, 2)], { twice: true });
  });

  test("a gradient of a gradient is the sum of its steps' in every dtype", () => {
    for (const dtype of ["float32", "float16", "bfloat16"] as const) {
      const [narrow, wide] = [
        new nn.GRU(2, 3, { device, dtype }),
        new nn.GRU(2, 3, { device, dtype: "float64" }),
      ] as const;
      wide.loadStateDict(narrow.stateDict());
      const values = draw(8, dtype);
      const penalty = (layer: nn.GRU, type: "float64" | typeof dtype) => {
        const x = tensor(values, { device, dtype: type }).reshape([2, 2, 2]) as Tensor;
        x.requiresGrad = true;
        const [slope] = gradients(layer(x).output.square().sum(), [x], { createGraph: true });
        const [second] = gradients(slope!.square().sum(), [x]);
        return numbersOf(second!.to("float64") as Tensor);
      };
      const wanted = penalty(wide, "float64");
      const most = Math.max(...wanted.map(Math.abs), 1);
      // Some 40 roundings of numbers of at most about that size.
      penalty(narrow, dtype).forEach((value, at) =>
        expect(Math.abs(value - wanted[at]!)).toBeLessThanOrEqual(80 * roundoff[dtype]! * most),
      );
    }
  });

  test("a sequence in two parts gives what it gives whole, and dropout lies between layers in training alone", () => {
    const layer = new nn.LSTM(3, 4, { layers: 2, dropout: 0.5, device, dtype: "float64" });
    const x = tensor(
      Array.from({ length: 6 }, () => [draw(3, "float64")]),
      { device, dtype: "float64" },
    ) as Tensor;
    layer.eval();
    const whole = numbersOf(layer(x).output);
    const first = layer(x.slice([0, 2]));
    const parts = [first.output, layer(x.slice([2, 6]), first).output].flatMap(numbersOf);
    parts.forEach((value, at) => expect(Math.abs(value - whole[at]!)).toBeLessThanOrEqual(2 ** -48));
    layer.train();
    expect(numbersOf(layer(x).output)).not.toEqual(whole);
  });

  test("parameters have PyTorch's names, and a model with one learns", () => {
    const layer = new nn.GRU(2, 3, { layers: 2, bidirectional: true, device });
    expect(Object.keys(layer.stateDict()).sort()).toEqual(
      ["weight_ih", "weight_hh", "bias_ih", "bias_hh"]
        .flatMap((name) => ["l0", "l0_reverse", "l1", "l1_reverse"].map((end) => `${name}_${end}`))
        .sort(),
    );
    expect(layer.weight_ih_l1.shape).toEqual([9, 6]);
    expect(String(layer)).toContain("2 → 3, 2 layers, bidirectional");
    const x = tensor([[[0.5, 1]], [[1, -1]]], { device }) as Tensor;
    const loss = () => layer(x).output.sub(0.5).square().sum();
    const before = Number(loss().item());
    const parameters = [...layer.parameters()];
    const found = gradients(loss(), parameters);
    noGrad(() => parameters.forEach((parameter, at) => parameter.sub_(found[at]!.mul(0.05))));
    expect(Number(loss().item())).toBeLessThan(before);
  });

  test("what does not fit is told", () => {
    const layer = new nn.LSTM(3, 4, { device, batchFirst: true });
    const x = (...shape: number[]) =>
      tensor(
        Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => 1),
        { device },
      ).reshape(shape) as Tensor;
    expect(() => layer(x(2, 5, 2))).toThrow(
      new TensorError("SHAPE", "LSTM takes tensors of shape [batch, steps, 3] or [steps, 3] but got [2, 5, 2]."),
    );
    expect(() => [...(layer(x(2, 5, 3)) as unknown as Iterable<unknown>)]).toThrow(
      new TensorError("RESULT", "LSTM gives an object, not a list: write const { output, hidden, cell } = layer(x)."),
    );
    expect(new nn.GRU(3, 4, { numLayers: 2 } as never).layers).toBe(2);
    expect(() => new nn.RNN(3, 4, { nonlinearity: "gelu" as "relu" })).toThrow(
      new TensorError("ARGUMENTS", 'RNN takes "tanh" or "relu" as nonlinearity but got "gelu".'),
    );
    expect(() => layer(x(2, 0, 3))).toThrow(
      new TensorError("SHAPE", "LSTM takes at least one step but got [2, 0, 3]."),
    );
    expect(() => layer(x(2, 5, 3), { hidden: x(1, 2, 4) } as nn.LSTMState)).toThrow(
      new TensorError("SHAPE", "LSTM of 1 layer takes a state cell of shape [1, 2, 4] but got none."),
    );
    expect(() => new nn.GRU(3, 4)(x(5, 2, 3), { hidden: x(2, 4) })).toThrow(
      new TensorError("SHAPE", "GRU of 1 layer takes a state hidden of shape [1, 2, 4] but got [2, 4]."),
    );
    expect(() => new nn.GRU(3, 4)(x(5, 2, 3), x(1, 2, 4) as never)).toThrow(
      new TensorError("OPERANDS", "GRU takes a state as { hidden }, as a call gives it, but got a Tensor."),
    );
    expect(() => new nn.LSTM(3, 4)(x(5, 2, 3), [x(1, 2, 4), x(1, 2, 4)] as never)).toThrow(
      new TensorError("OPERANDS", "LSTM takes a state as { hidden, cell }, as a call gives it, but got an array of 2."),
    );
    expect(() => new nn.GRU(3, 4, { dropout: 1 })).toThrow(
      new TensorError("OPTIONS", "GRU takes a dropout of at least 0 and less than 1 but got 1."),
    );
  });
});
