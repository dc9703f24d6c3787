// Single steps of recurrent layers, for loops of one's own: RNNCell, LSTMCell and GRUCell, with PyTorch's names of
// weights.
import { TensorError } from "../errors.ts";
import { formatShape } from "../memory/shape.ts";
import { apply, applyAll } from "../ops/core/apply.ts";
import { flag, oneOf, reader } from "../tensor/arguments.ts";
import { zeros } from "../tensor/create.ts";
import { linear } from "../tensor/linear.ts";
import { rand } from "../tensor/random.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { Module, type ParameterOptions } from "./module.ts";
import { parameterOptions, size } from "./options.ts";
import type { LSTMState, RNNOptions } from "./recurrent.ts";

/** `bias: false` leaves both biases out. */
export interface CellOptions extends ParameterOptions {
  readonly bias?: boolean;
}

const taken = { required: { inputs: size, width: size }, options: { bias: flag, ...parameterOptions } };
const checks = {
  RNNCell: reader("RNNCell", {
    written: "new nn.RNNCell",
    ...taken,
    options: { ...taken.options, nonlinearity: oneOf("tanh", "relu") },
  }),
  LSTMCell: reader("LSTMCell", { written: "new nn.LSTMCell", ...taken }),
  GRUCell: reader("GRUCell", { written: "new nn.GRUCell", ...taken }),
};

/** What all three share. */
abstract class RecurrentCell extends Module {
  /** Columns of what a step is given. */
  readonly inputs: number;
  /** Columns of a state. */
  readonly width: number;
  /** [gates · width, inputs], uniform between ±1/√width, as all of them. */
  weight_ih: Tensor;
  /** [gates · width, width]. */
  weight_hh: Tensor;
  /** [gates · width]. */
  bias_ih: Tensor | null;
  /** [gates · width]. */
  bias_hh: Tensor | null;

  constructor(name: keyof typeof checks, gates: number, inputs: number, width: number, given: CellOptions) {
    super();
    checks[name]([inputs, width, given]);
    const { bias = true, device, dtype } = given;
    const on = { ...(device === undefined ? {} : { device }), ...(dtype === undefined ? {} : { dtype }) };
    const most = 1 / Math.sqrt(width);
    const drawn = (...shape: number[]) => {
      const parameter = rand(shape, { ...on, low: -most, high: most }) as Tensor;
      parameter.requiresGrad = true;
      return parameter;
    };
    this.inputs = inputs;
    this.width = width;
    this.weight_ih = drawn(gates * width, inputs);
    this.weight_hh = drawn(gates * width, width);
    this.bias_ih = bias ? drawn(gates * width) : null;
    this.bias_hh = bias ? drawn(gates * width) : null;
  }

  /** The rows of x, and a state's, 0 where there is none. Throws TensorError. */
  protected rowsOf(x: Tensor, states: Readonly<Record<string, Tensor | undefined>>): [Tensor, Record<string, Tensor>] {
    const { name } = this.constructor;
    const rank = x.shape.length;
    if ((rank !== 1 && rank !== 2) || x.shape.at(-1) !== this.inputs)
      throw new TensorError(
        "SHAPE",
        `${name} takes tensors of shape [batch, ${this.inputs}] or [${this.inputs}] but got ${formatShape(x.shape)}.`,
      );
    const shape = [...x.shape.slice(0, -1), this.width];
    const rows = (each: Tensor) => (rank === 1 ? each.unsqueeze(0) : each) as Tensor;
    const { dtype } = this.weight_hh;
    const given = Object.entries(states).map(([key, state]): [string, Tensor] => {
      if (state === undefined) return [key, rows(zeros(shape, { device: x.device, dtype }))];
      if (!(state instanceof Tensor))
        throw new TensorError("OPERANDS", `${name} takes a tensor as ${key} but got ${worded(state)}.`);
      if (state.shape.join() !== shape.join())
        throw new TensorError(
          "SHAPE",
          `${name} takes a state ${key} of shape ${formatShape(shape)} but got ${formatShape(state.shape)}.`,
        );
      return [key, rows(state)];
    });
    return [rows(x), Object.fromEntries(given)];
  }

  /** What the step is given, times its weight. */
  protected product(x: Tensor, bias: Tensor | null): Tensor {
    return linear(x, this.weight_ih, bias) as Tensor;
  }
  /** Both biases as one. */
  protected get bias(): Tensor | null {
    return this.bias_ih === null ? null : (this.bias_ih.add(this.bias_hh!) as Tensor);
  }

  override describe(): string {
    return `${this.inputs} → ${this.width}${this.bias_ih === null ? ", no bias" : ""}`;
  }
}

const likeGiven = (x: Tensor, state: Tensor): Tensor => (x.shape.length === 1 ? state.squeeze(0) : state) as Tensor;

/**
 * A step of {@link RNN}: h ← tanh(W_ih·x + b_ih + W_hh·h + b_hh), or with `nonlinearity: "relu"`, of x [batch, inputs]
 * or [inputs] and a hidden state [batch, width] or [width], 0 when left out; the state after it. Throws TensorError.
 * @example
 * const cell = new nn.RNNCell(3, 8);
 * let hidden: Tensor | undefined;
 * for (const x of ones([5, 2, 3]).unbind(0)) hidden = cell(x, hidden);
 * hidden!.shape; // → [ 2, 8 ]
 */
export class RNNCell extends RecurrentCell {
  /** What makes a state of a sum. */
  readonly nonlinearity: "tanh" | "relu";

  /** Throws TensorError. */
  constructor(inputs: number, width: number, given: CellOptions & Pick<RNNOptions, "nonlinearity"> = {}) {
    super("RNNCell", 1, inputs, width, given);
    this.nonlinearity = given.nonlinearity ?? "tanh";
  }

  forward(x: Tensor, hidden?: Tensor): Tensor {
    const [rows, before] = this.rowsOf(x, { hidden });
    const sum = this.product(rows, this.bias).add(linear(before["hidden"]!, this.weight_hh));
    return likeGiven(x, sum[this.nonlinearity]() as Tensor);
  }
}

/**
 * A step of {@link LSTM}: i, f, o = σ(…), g = tanh(…) of W_ih·x + b_ih + W_hh·h + b_hh; c ← f·c + i·g; h ← o·tanh(c),
 * of x [batch, inputs] or [inputs] and the states `hidden` and `cell` [batch, width] or [width], 0 when left out; the
 * states after it. Throws TensorError.
 * @example
 * const cell = new nn.LSTMCell(3, 8);
 * let state: nn.LSTMState | undefined;
 * for (const x of ones([5, 2, 3]).unbind(0)) state = cell(x, state);
 * state!.hidden.shape; // → [ 2, 8 ]
 */
export class LSTMCell extends RecurrentCell {
  /** Throws TensorError. */
  constructor(inputs: number, width: number, given: CellOptions = {}) {
    super("LSTMCell", 4, inputs, width, given);
  }

  forward(x: Tensor, state?: LSTMState): LSTMState {
    if (state !== undefined && (state instanceof Tensor || Array.isArray(state) || typeof state !== "object"))
      throw new TensorError(
        "OPERANDS",
        `LSTMCell takes a state as { hidden, cell }, as a call gives it, but got ${worded(state)}.`,
      );
    const [rows, before] = this.rowsOf(x, { hidden: state?.hidden, cell: state?.cell });
    const given = this.product(rows, this.bias).unsqueeze(0) as Tensor;
    const [hidden, cell] = applyAll("lstm", [given, before["hidden"]!, before["cell"]!, this.weight_hh], {
      reverse: false,
    })
      .slice(0, 2)
      .map((each) => likeGiven(x, (each as Tensor).squeeze(0) as Tensor)) as [Tensor, Tensor];
    // Not in the type, so that the checker says it, too.
    return Object.defineProperty({ hidden, cell }, Symbol.iterator, {
      value: () => {
        throw new TensorError(
          "RESULT",
          "LSTMCell gives an object, not a list: write const { hidden, cell } = layer(x, state).",
        );
      },
    });
  }
}

/**
 * A step of {@link GRU}: r, z = σ(…) of W_ih·x + b_ih + W_hh·h + b_hh; n = tanh(W_in·x + b_in + r·(W_hn·h + b_hn));
 * h ← (1 − z)·n + z·h, of x [batch, inputs] or [inputs] and a hidden state [batch, width] or [width], 0 when left out;
 * the state after it. Throws TensorError.
 * @example
 * const cell = new nn.GRUCell(3, 8);
 * let hidden: Tensor | undefined;
 * for (const x of ones([5, 2, 3]).unbind(0)) hidden = cell(x, hidden);
 * hidden!.shape; // → [ 2, 8 ]
 */
export class GRUCell extends RecurrentCell {
  /** Throws TensorError. */
  constructor(inputs: number, width: number, given: CellOptions = {}) {
    super("GRUCell", 3, inputs, width, given);
  }

  forward(x: Tensor, hidden?: Tensor): Tensor {
    const [rows, before] = this.rowsOf(x, { hidden });
    const given = this.product(rows, this.bias_ih).unsqueeze(0) as Tensor;
    const bias = this.bias_hh === null ? [] : [this.bias_hh];
    const states = apply("gru", [given, before["hidden"]!, this.weight_hh, ...bias], { reverse: false }) as Tensor;
    return likeGiven(x, states.squeeze(0) as Tensor);
  }
}
