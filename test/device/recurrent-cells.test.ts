// RNNCell, LSTMCell and GRUCell, EmbeddingBag, ParameterList and ParameterDict on every device: against the layers and
// functions that they are steps and forms of, on random numbers of a printed seed.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { embeddingBag, nn, ones, optim, tensor, TensorError, zeros, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients, numbersOf } from "./gradient-check.ts";
import { roundoff } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const sizeOf = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);
const kinds = ["RNN", "LSTM", "GRU"] as const;

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  type DType = "float32" | "float64" | "float16" | "bfloat16";
  const draw = (shape: readonly number[], dtype: DType = "float64") =>
    tensor(
      Array.from({ length: sizeOf(shape) }, () => 2 * random() - 1),
      { device, dtype },
    ).reshape(shape as number[]) as Tensor;

  test.each(
    kinds.flatMap((kind) => [true, false].map((bias) => ({ kind, bias }))),
  )("steps are those of the layer: %o", ({ kind, bias }) => {
    for (const dtype of ["float32", "float64", "float16", "bfloat16"] as const)
      for (const batch of [3, null]) {
        const cell = new nn[`${kind}Cell`](4, 5, { bias, device, dtype });
        const layer = new nn[kind](4, 5, { bias, device, dtype });
        layer.loadStateDict(
          Object.fromEntries(Object.entries(cell.stateDict()).map(([name, value]) => [`${name}_l0`, value])),
        );
        const x = draw(batch === null ? [6, 4] : [6, batch, 4], dtype);
        const shape = batch === null ? [5] : [batch, 5];
        const [hidden, inner] = [draw(shape, dtype), draw(shape, dtype)];
        const first = { hidden: hidden.unsqueeze(0), cell: inner.unsqueeze(0) } as unknown as nn.LSTMState;
        const whole = layer(x, first) as nn.LSTMResult;
        let state: nn.LSTMState = { hidden, cell: inner };
        for (const [at, each] of x.unbind(0).entries()) {
          state =
            cell instanceof nn.LSTMCell
              ? cell(each as Tensor, state)
              : { hidden: cell(each as Tensor, state.hidden), cell: inner };
          expect(state.hidden.shape).toEqual(shape);
          const wanted = numbersOf(whole.output.get(at).to("float64") as Tensor);
          // Products of 4 and 5 terms may be added in another order; states of at most 1 carry it on.
          numbersOf(state.hidden.to("float64") as Tensor).forEach((value, i) =>
            expect(Math.abs(value - wanted[i]!)).toBeLessThanOrEqual(40 * (at + 1) * roundoff[dtype]!),
          );
        }
        // Where there is no state, it is 0.
        const none = { hidden: zeros(shape, { device, dtype }), cell: zeros(shape, { device, dtype }) };
        const one = x.get(0) as Tensor;
        const same =
          cell instanceof nn.LSTMCell
            ? [cell(one).hidden, cell(one, none).hidden]
            : [cell(one), cell(one, none.hidden)];
        expect(numbersOf(same[0]!.to("float64") as Tensor)).toEqual(numbersOf(same[1]!.to("float64") as Tensor));
      }
  });

  test("gradients of everything, and an RNNCell by relu", () => {
    const on = { device, dtype: "float64" } as const;
    const [plain, lstm, gru] = [
      new nn.RNNCell(2, 3, { nonlinearity: "relu", ...on }),
      new nn.LSTMCell(2, 3, on),
      new nn.GRUCell(2, 3, on),
    ];
    const x = draw([2, 2]);
    const sum = x
      .matmul(plain.weight_ih.T)
      .add(plain.bias_ih!)
      .add(draw([2, 3]).mul(0).matmul(plain.weight_hh.T).add(plain.bias_hh!));
    const wanted = numbersOf(sum.detach() as Tensor).map((value) => Math.max(0, value));
    numbersOf(plain(x).detach()).forEach((value, at) => expect(Math.abs(value - wanted[at]!)).toBeLessThan(2 ** -48));
    const shapes = [
      [2, 2],
      [2, 3],
      [2, 3],
    ].map((shape) => ({ shape }));
    expectGradients(
      (x, hidden, cell) => {
        const first = lstm(x!, { hidden: hidden!, cell: cell! });
        const second = lstm(x!, first);
        return second.hidden.square().sum().add(second.cell.exp().sum()) as Tensor;
      },
      shapes,
      device,
    );
    expectGradients((x, hidden) => gru(x!, gru(x!, hidden)).square().sum() as Tensor, shapes.slice(0, 2), device);
  });

  test("a layer of bags is the function, and its padding stays 0", () => {
    for (const mode of ["sum", "mean", "max"] as const) {
      const layer = new nn.EmbeddingBag(7, 3, { mode, paddingIdx: -1, device });
      const at = tensor([1, 2, 6, 5, 4, 3], { dtype: "int64", device });
      const grouped = at.reshape([2, 3]) as Tensor<"int64">;
      expect(numbersOf(layer.weight.detach()).slice(-3)).toEqual([0, 0, 0]);
      const wanted = (options: object) => {
        const found = embeddingBag(options === none ? grouped : at, layer.weight.detach(), {
          mode,
          paddingIndex: 6,
          ...options,
        });
        return numbersOf(found as Tensor);
      };
      const none = {};
      expect(numbersOf(layer(grouped).detach())).toEqual(wanted(none));
      expect(numbersOf(layer(at, [0, 4]).detach())).toEqual(wanted({ offsets: [0, 4] }));
      if (mode === "sum") {
        const perSampleWeights = draw([6], "float32");
        expect(numbersOf(layer(at, [0, 4], perSampleWeights).detach())).toEqual(
          wanted({ offsets: [0, 4], perSampleWeights }),
        );
      }
      const optimizer = new optim.SGD(layer.parameters(), { lr: 1 });
      layer(grouped).sum().backward();
      optimizer.step();
      expect(numbersOf(layer.weight.detach()).slice(-3)).toEqual([0, 0, 0]);
      expect(String(layer)).toContain(`EmbeddingBag(7 of 3, ${mode})`);
    }
    const last = new nn.EmbeddingBag(4, 2, { includeLastOffset: true, device });
    expect(last(tensor([1, 2, 3], { dtype: "int64", device }), [0, 1, 3]).shape).toEqual([2, 2]);
  });

  test("parameters in lists and maps are trained and saved under PyTorch's names", () => {
    class Net extends nn.Module {
      weights = new nn.ParameterList([ones([2, 2], { device }), ones([2, 2], { device })]);
      scales = new nn.ParameterDict({ left: ones([2], { device }), right: zeros([2], { device }) });
      forward(x: Tensor): Tensor {
        let y = x;
        for (const weight of this.weights) y = y.matmul(weight) as Tensor;
        return y.mul(this.scales.get("left")).add(this.scales.get("right")) as Tensor;
      }
    }
    const net = new Net();
    expect(Object.keys(net.stateDict())).toEqual(["weights.0", "weights.1", "scales.left", "scales.right"]);
    expect(net.parameters().length).toBe(4);
    expect(numbersOf(net(ones([1, 2], { device })).detach())).toEqual([4, 4]);
    expect([net.weights.length, net.weights.at(-1) === [...net.weights][1], net.scales.has("left")]).toEqual([
      2,
      true,
      true,
    ]);
    expect([...net.scales].map(([name]) => name)).toEqual(["left", "right"]);
    net.scales.set("left", zeros([2], { device }));
    expect(numbersOf(net(ones([1, 2], { device })).detach())).toEqual([0, 0]);
  });

  test("what does not fit is told", () => {
    const cell = new nn.LSTMCell(3, 4, { device });
    const gru = new nn.GRUCell(3, 4, { device });
    const x = ones([2, 3], { device });
    const derived = ones([2], { device });
    derived.requiresGrad = true;
    for (const [run, sentence] of [
      [() => cell(ones([2, 2], { device })), "LSTMCell takes tensors of shape [batch, 3] or [3] but got [2, 2]."],
      [
        () => cell(x, [x, x] as never),
        "LSTMCell takes a state as { hidden, cell }, as a call gives it, but got an array of 2.",
      ],
      [
        () => cell(x, { hidden: ones([2, 3], { device }), cell: ones([2, 4], { device }) }),
        "LSTMCell takes a state hidden of shape [2, 4] but got [2, 3].",
      ],
      [
        () => [...(cell(x) as unknown as Iterable<unknown>)],
        "LSTMCell gives an object, not a list: write const { hidden, cell } = layer(x, state).",
      ],
      [() => gru(x, { hidden: x } as never), "GRUCell takes a tensor as hidden but got an object with hidden."],
      [
        () => new nn.RNNCell(3, 4, { nonlinearity: "gelu" as "relu" }),
        'RNNCell takes "tanh" or "relu" as nonlinearity but got "gelu".',
      ],
      [() => new nn.GRUCell(3, 0), "GRUCell takes a whole number of at least 1 as width but got 0."],
      [
        () => new nn.EmbeddingBag(3, 2, { paddingIndex: 3 }),
        "EmbeddingBag takes a paddingIndex from -3 to 2 but got 3.",
      ],
      [
        () => new nn.EmbeddingBag(3, 2, { sparse: true } as never),
        "EmbeddingBag has no option sparse. Gradients of tables are dense: leave it out.",
      ],
      [() => new nn.ParameterList([3 as never]), "ParameterList takes tensors, but 0 is 3."],
      [
        () => new nn.ParameterList([derived.mul(2) as Tensor]),
        "ParameterList takes tensors of their own, but 0 was computed from others: write x.detach().",
      ],
      [
        () => new nn.ParameterDict({ "a.b": ones([1], { device }) }),
        'ParameterDict takes names without dots but got "a.b".',
      ],
      [
        () => new nn.ParameterDict({ a: ones([1], { device }) }).get("b"),
        'This ParameterDict has no parameter "b", but a.',
      ],
      [() => new nn.ParameterList()(), "A ParameterList computes nothing itself: use the tensors in it."],
      [() => new nn.ParameterDict()(), "A ParameterDict computes nothing itself: use the tensors in it."],
    ] as const) {
      expect(run).toThrow(TensorError);
      expect(run).toThrow(sentence);
    }
  });
});
