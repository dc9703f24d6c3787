// Recurrent layers: RNN, LSTM and GRU, of several layers and both directions, with PyTorch's names of weights.
import { TensorError } from "../errors.ts";
import { formatShape } from "../memory/shape.ts";
import { apply, applyAll } from "../ops/core/apply.ts";
import { anything, flag, oneOf, optionsOf, reader } from "../tensor/arguments.ts";
import { zeros } from "../tensor/create.ts";
import { cat, stack } from "../tensor/joining.ts";
import { linear } from "../tensor/linear.ts";
import { dropout } from "../tensor/normalization.ts";
import { rand } from "../tensor/random.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { Module, type ParameterOptions } from "./module.ts";
import { parameterOptions, size } from "./options.ts";

/**
 * `layers`, PyTorch's `numLayers`: how many run one after the other, 1 when left out. `bias: false` leaves biases out.
 * `batchFirst`: sequences are [batch, steps, …] and not [steps, batch, …]. `dropout`: of what goes from a layer to the
 * next, while it is trained. `bidirectional`: each layer runs from both ends, its results side by side.
 */
export interface RecurrentOptions extends ParameterOptions {
  readonly layers?: number;
  readonly numLayers?: number;
  readonly bias?: boolean;
  readonly batchFirst?: boolean;
  readonly dropout?: number;
  readonly bidirectional?: boolean;
}
/** The state after the last step of each layer and direction: [layers · directions, batch, width]. */
export interface LSTMState {
  readonly hidden: Tensor;
  readonly cell: Tensor;
}
/** `output`: the hidden states of the last layer, [steps, batch, directions · width], or as `batchFirst` has it. */
export interface LSTMResult extends LSTMState {
  readonly output: Tensor;
}
/** The state after the last step of each layer and direction: [layers · directions, batch, width]. */
export interface GRUState {
  readonly hidden: Tensor;
}
/** `output`: the hidden states of the last layer, [steps, batch, directions · width], or as `batchFirst` has it. */
export interface GRUResult extends GRUState {
  readonly output: Tensor;
}

const options = {
  layers: size,
  bias: flag,
  batchFirst: flag,
  dropout: anything,
  bidirectional: flag,
  ...parameterOptions,
};
const taken = {
  required: { inputs: size, width: size },
  options,
  aliases: { numLayers: "layers", num_layers: "layers" } as const,
  instead: { projSize: "Put new nn.Linear(width, size) behind it." },
};
const nonlinearities = ["tanh", "relu"] as const;
const checks = {
  RNN: reader("RNN", {
    written: "new nn.RNN",
    ...taken,
    options: { ...options, nonlinearity: oneOf(...nonlinearities) },
  }),
  LSTM: reader("LSTM", { written: "new nn.LSTM", ...taken }),
  GRU: reader("GRU", { written: "new nn.GRU", ...taken }),
};

type States = Readonly<Record<string, Tensor>>;
/** The parameters of a layer and direction. */
interface Weights {
  readonly ofInput: Tensor;
  readonly ofState: Tensor;
  readonly biasOfInput: Tensor | null;
  readonly biasOfState: Tensor | null;
}

/** What both kinds share. `S`: the names of the states that go from step to step. */
abstract class Recurrent extends Module {
  /** `weight_ih_l0` [gates · width, inputs], `weight_hh_l0` [gates · width, width], …, as PyTorch names them. */
  [parameter: `weight_${string}` | `bias_${string}`]: Tensor;
  /** Columns of what each step is given. */
  readonly inputs: number;
  /** Columns of a state. */
  readonly width: number;
  /** How many layers run one after the other. */
  readonly layers: number;
  /** Whether a sequence is [batch, steps, …]. */
  readonly batchFirst: boolean;
  /** Whether each layer runs from both ends. */
  readonly bidirectional: boolean;
  /** The share of what goes from a layer to the next that is left out while it is trained. */
  readonly dropout: number;

  constructor(name: keyof typeof checks, gates: number, inputs: number, width: number, given: RNNOptions) {
    super();
    const { layers = 1 } = checks[name]([inputs, width, given]);
    const { bias = true, batchFirst = false, bidirectional = false, dropout: p = 0, device, dtype } = given;
    const rest = { ...(device === undefined ? {} : { device }), ...(dtype === undefined ? {} : { dtype }) };
    if (!(typeof p === "number" && p >= 0 && p < 1))
      throw new TensorError("OPTIONS", `${name} takes a dropout of at least 0 and less than 1 but got ${String(p)}.`);
    this.inputs = inputs;
    this.width = width;
    this.layers = layers;
    this.batchFirst = batchFirst;
    this.bidirectional = bidirectional;
    this.dropout = p;
    const most = 1 / Math.sqrt(width);
    const drawn = (...shape: number[]) => {
      const parameter = rand(shape, { ...rest, low: -most, high: most }) as Tensor;
      parameter.requiresGrad = true;
      return parameter;
    };
    const directions = bidirectional ? ["", "_reverse"] : [""];
    for (let layer = 0; layer < layers; layer++)
      for (const direction of directions) {
        const end = `l${layer}${direction}`;
        this[`weight_ih_${end}`] = drawn(gates * width, layer === 0 ? inputs : directions.length * width);
        this[`weight_hh_${end}`] = drawn(gates * width, width);
        if (!bias) continue;
        this[`bias_ih_${end}`] = drawn(gates * width);
        this[`bias_hh_${end}`] = drawn(gates * width);
      }
  }

  /** The hidden states of all steps, and the states after the last, of one layer and direction. */
  protected abstract run(x: Tensor, weights: Weights, states: States, reverse: boolean): [output: Tensor, ...Tensor[]];

  /** The output and the states, stacked, of x and the states before. Throws TensorError. */
  protected through(name: string, names: readonly string[], x: Tensor, before: States | undefined): States {
    const rank = x.shape.length;
    if ((rank !== 2 && rank !== 3) || x.shape.at(-1) !== this.inputs)
      throw new TensorError(
        "SHAPE",
        `${name} takes tensors of shape ${this.batchFirst ? "[batch, steps" : "[steps, batch"}, ${this.inputs}] or [steps, ${this.inputs}] but got ${formatShape(x.shape)}.`,
      );
    const turned = rank === 3 && this.batchFirst;
    const sequence = rank === 2 ? x.unsqueeze(1) : turned ? x.transpose([1, 0, 2]) : x;
    const [steps, batch] = sequence.shape as readonly number[] as [number, number];
    if (steps === 0) throw new TensorError("SHAPE", `${name} takes at least one step but got ${formatShape(x.shape)}.`);
    const directions = this.bidirectional ? 2 : 1;
    const shape = [this.layers * directions, ...(rank === 2 ? [] : [batch]), this.width];
    if (before !== undefined && (before instanceof Tensor || Array.isArray(before) || typeof before !== "object"))
      throw new TensorError(
        "OPERANDS",
        `${name} takes a state as { ${names.join(", ")} }, as a call gives it, but got ${worded(before)}.`,
      );
    for (const state of names) {
      const found = before?.[state];
      if (before !== undefined && (found === undefined || `${found.shape}` !== `${shape}`))
        throw new TensorError(
          "SHAPE",
          `${name} of ${this.layers} ${this.layers === 1 ? "layer" : "layers"} takes a state ${state} of shape ${formatShape(shape)} but got ${found === undefined ? "none" : formatShape(found.shape)}.`,
        );
    }
    const after: Record<string, Tensor[]> = Object.fromEntries(names.map((state) => [state, []]));
    const none = before === undefined ? zeros([batch, this.width], { device: x.device, dtype: "float32" }) : undefined;
    let current = sequence as Tensor;
    for (let layer = 0; layer < this.layers; layer++) {
      const outputs = Array.from({ length: directions }, (_, direction) => {
        const at = layer * directions + direction;
        const stateOf = (state: string): Tensor => {
          const own = before?.[state]?.get(at);
          if (own === undefined) return none!.to(this[`weight_hh_l0`]!.dtype as "float32") as Tensor;
          return (rank === 2 ? own.unsqueeze(0) : own) as Tensor;
        };
        const states = Object.fromEntries(names.map((state) => [state, stateOf(state)]));
        const [output, ...last] = this.run(current, this.#weights(layer, direction === 1), states, direction === 1);
        names.forEach((state, index) => after[state]!.push(last[index]!));
        return output;
      });
      current = outputs.length === 1 ? outputs[0]! : (cat(outputs, { axis: -1 }) as Tensor);
      if (this.training && this.dropout > 0 && layer + 1 < this.layers) current = dropout(current, this.dropout);
    }
    const laid = rank === 2 ? current.squeeze(1) : turned ? current.transpose([1, 0, 2]) : current;
    const stacked = (each: Tensor[]) => (rank === 2 ? stack(each).squeeze(1) : stack(each)) as Tensor;
    const result = {
      output: laid as Tensor,
      ...Object.fromEntries(names.map((state) => [state, stacked(after[state]!)])),
    };
    // Not in the type, so that the checker says it, too.
    return Object.defineProperty(result, Symbol.iterator, {
      value: () => {
        throw new TensorError(
          "RESULT",
          `${name} gives an object, not a list: write const { ${Object.keys(result).join(", ")} } = layer(x).`,
        );
      },
    });
  }

  #weights(layer: number, reverse: boolean): Weights {
    const end = `l${layer}${reverse ? "_reverse" : ""}`;
    return {
      ofInput: this[`weight_ih_${end}`]!,
      ofState: this[`weight_hh_${end}`]!,
      biasOfInput: this[`bias_ih_${end}`] ?? null,
      biasOfState: this[`bias_hh_${end}`] ?? null,
    };
  }

  override describe(): string {
    const parts = [
      this.layers === 1 ? "" : `${this.layers} layers`,
      this.bidirectional ? "bidirectional" : "",
      this.batchFirst ? "batch first" : "",
    ].filter(Boolean);
    return [`${this.inputs} → ${this.width}`, ...parts].join(", ");
  }
}

/** The state that the last step computed leaves. */
const lastOf = (states: Tensor, reverse: boolean): Tensor => states.get(reverse ? 0 : -1) as Tensor;

/** `nonlinearity`: "tanh" when left out. */
export interface RNNOptions extends RecurrentOptions {
  readonly nonlinearity?: (typeof nonlinearities)[number];
}

/**
 * A plain recurrent layer (Elman, 1990) over sequences x [steps, batch, inputs], or [steps, inputs]: h ← tanh(W_ih·x +
 * b_ih + W_hh·h + b_hh), or with `nonlinearity: "relu"`. Gives `output`, the hidden states of all steps, and `hidden`
 * after the last, which the next call may take. Weights have PyTorch's names. Throws TensorError.
 * @example
 * const layer = new nn.RNN(3, 8);
 * const { output, hidden } = layer(ones([5, 2, 3]));
 * output.shape; // → [ 5, 2, 8 ]
 * hidden.shape; // → [ 1, 2, 8 ]
 */
export class RNN extends Recurrent {
  /** What makes a state of a sum. */
  readonly nonlinearity: (typeof nonlinearities)[number];

  /** Throws TensorError. */
  constructor(inputs: number, width: number, given: RNNOptions = {}) {
    super("RNN", 1, inputs, width, given);
    this.nonlinearity = given.nonlinearity ?? "tanh";
  }

  forward(x: Tensor, state?: GRUState): GRUResult {
    return this.through("RNN", ["hidden"], x, state as States | undefined) as unknown as GRUResult;
  }

  protected run(x: Tensor, weights: Weights, states: States, reverse: boolean): [Tensor, Tensor] {
    const { biasOfInput, biasOfState } = weights;
    const given = linear(x, weights.ofInput, biasOfInput === null ? null : biasOfInput.add(biasOfState!)) as Tensor;
    let state = states["hidden"]!;
    const steps = given.unbind(0).map((each, step, all) => (reverse ? all[all.length - 1 - step]! : each));
    const found = steps.map(
      (step) => (state = step.add(linear(state, weights.ofState))[this.nonlinearity]() as Tensor),
    );
    return [stack(reverse ? found.reverse() : found), state];
  }
}

/**
 * Long short-term memory (Hochreiter and Schmidhuber, 1997) over sequences x [steps, batch, inputs], or [steps,
 * inputs]: i, f, o = σ(…), g = tanh(…) of W_ih·x + b_ih + W_hh·h + b_hh; c ← f·c + i·g; h ← o·tanh(c). Gives
 * `output`, the hidden states of all steps, and `hidden` and `cell` after the last, which the next call may take.
 * Weights have PyTorch's names and order (input, forget, cell, output gate), drawn uniformly between ±1/√width. Each
 * step is a product and one kernel. Throws TensorError.
 * @example
 * const layer = new nn.LSTM(3, 8, { layers: 2 });
 * const { output, hidden, cell } = layer(ones([5, 2, 3]));
 * output.shape; // → [ 5, 2, 8 ]
 * hidden.shape; // → [ 2, 2, 8 ]
 */
export class LSTM extends Recurrent {
  /** Throws TensorError. */
  constructor(inputs: number, width: number, given: RecurrentOptions = {}) {
    super("LSTM", 4, inputs, width, given);
  }

  forward(x: Tensor, state?: LSTMState): LSTMResult {
    return this.through("LSTM", ["hidden", "cell"], x, state as States | undefined) as unknown as LSTMResult;
  }

  protected run(x: Tensor, weights: Weights, states: States, reverse: boolean): [Tensor, Tensor, Tensor] {
    const { biasOfInput, biasOfState } = weights;
    const given = linear(x, weights.ofInput, biasOfInput === null ? null : biasOfInput.add(biasOfState!)) as Tensor;
    const [output, cells] = applyAll("lstm", [given, states["hidden"]!, states["cell"]!, weights.ofState], {
      reverse,
    }) as [Tensor, Tensor];
    return [output, lastOf(output, reverse), lastOf(cells, reverse)];
  }
}

/**
 * Gated recurrent units (Cho and others, arXiv 1406.1078) over sequences x [steps, batch, inputs], or [steps, inputs]:
 * r, z = σ(…) of W_ih·x + b_ih + W_hh·h + b_hh; n = tanh(W_in·x + b_in + r·(W_hn·h + b_hn)); h ← (1 − z)·n + z·h, as
 * PyTorch has it. Gives `output`, the hidden states of all steps, and `hidden` after the last, which the next call may
 * take. Throws TensorError.
 * @example
 * const layer = new nn.GRU(3, 8, { batchFirst: true });
 * const { output, hidden } = layer(ones([2, 5, 3]));
 * output.shape; // → [ 2, 5, 8 ]
 * hidden.shape; // → [ 1, 2, 8 ]
 */
export class GRU extends Recurrent {
  /** Throws TensorError. */
  constructor(inputs: number, width: number, given: RecurrentOptions = {}) {
    super("GRU", 3, inputs, width, given);
  }

  forward(x: Tensor, state?: GRUState): GRUResult {
    return this.through("GRU", ["hidden"], x, state as States | undefined) as unknown as GRUResult;
  }

  protected run(x: Tensor, weights: Weights, states: States, reverse: boolean): [Tensor, Tensor] {
    const given = linear(x, weights.ofInput, weights.biasOfInput) as Tensor;
    const bias = weights.biasOfState === null ? [] : [weights.biasOfState];
    const output = apply("gru", [given, states["hidden"]!, weights.ofState, ...bias], { reverse }) as Tensor;
    return [output, lastOf(output, reverse)];
  }
}
