// Attention of sequences of different lengths whose rows lie one after the other: each looks at its own keys alone, by
// the kernels that take its shape, and nothing is padded.
import { viewOf, type DeviceArray } from "../../memory/array.ts";
import { promoted } from "../../memory/promotion.ts";
import { sizeOf, stridesOf, type Shape, type View } from "../../memory/shape.ts";
import { call, callAll } from "../core/calls.ts";
import type { Computation, Cost } from "../core/operation.ts";
import { bytesMoved, unbroadcast } from "../elementwise/elementwise.ts";
import { accumulatorOf } from "../reduce/reducers.ts";
import { floatDType } from "../rows/row-lines.ts";
import { attention, attentionGradient } from "./attention.ts";
import { composedGradient } from "./composed.ts";
import type { Settings } from "./problem.ts";
import { shapesOf } from "./shapes.ts";

/** Where one sequence begins among all rows of queries and of keys, how many it has, and what its queries see. */
export interface Sequence extends Pick<Settings, "first" | "last"> {
  readonly query: number;
  readonly queries: number;
  readonly key: number;
  readonly keys: number;
}
export interface SequencesAttributes extends Settings {
  readonly sequences: readonly Sequence[];
}
type Operands = [q: DeviceArray, k: DeviceArray, v: DeviceArray];

const rowsFrom = ({ shape, strides, offset }: View, from: number, count: number): View => ({
  shape: shape.with(-2, count),
  strides,
  offset: offset + from * strides.at(-2)!,
});

/** Log-sum-exps of a sequence, which lie together: those of all heads of the first sequence, then of the next. */
function sumsOf({ offset }: View, lines: Shape, { query, queries }: Sequence): View {
  const shape = [...lines, queries];
  return { shape, strides: stridesOf(shape), offset: offset + sizeOf(lines) * query };
}

/** Calls `use` with views of arrays, which no other has once it has ended. */
function withViews(arrays: readonly (readonly [DeviceArray, View])[], use: (...views: DeviceArray[]) => void): void {
  const views = arrays.map(([array, view]) => viewOf(array, view));
  try {
    use(...views);
  } finally {
    for (const view of views) view.dispose();
  }
}

/** All axes of a result but that of tokens and columns. */
function linesOf([q, k, v]: readonly DeviceArray[]): Shape {
  const { before, hasHeads, heads } = shapesOf(q!.shape, k!.shape, v!.shape);
  return hasHeads ? [...before, heads] : before;
}
const dtypeOf = (inputs: readonly DeviceArray[]) =>
  inputs.map((each) => floatDType("attention", each)).reduce((a, b) => promoted(a, b));

const costOf =
  (products: number) =>
  (
    inputs: readonly DeviceArray[],
    outputs: readonly DeviceArray[],
    { sequences }: Pick<SequencesAttributes, "sequences">,
  ): Cost => ({
    bytes: bytesMoved(inputs) + bytesMoved(outputs),
    flops: sequences.reduce(
      (sum, { queries, keys }) =>
        sum +
        products * sizeOf(linesOf(inputs)) * queries * keys * (inputs[0]!.shape.at(-1)! + inputs[2]!.shape.at(-1)!),
      0,
    ),
  });

const settingsOf = ({ sequences: _, ...settings }: SequencesAttributes, { first, last }: Sequence): Settings => ({
  ...settings,
  first,
  last,
});

/** The gradients of operations that have gradients: of each sequence, joined. */
function composed(
  [q, k, v]: Readonly<Operands>,
  attributes: SequencesAttributes,
  g: DeviceArray | null,
  dLse: DeviceArray | null,
): DeviceArray[] {
  const rows = (x: DeviceArray, from: number, count: number) =>
    call("slice", [x], { slices: [...x.shape.slice(0, -2).map(() => null), [from, from + count]] });
  const lines = linesOf([q, k, v]);
  const found = attributes.sequences.map((each) => {
    const { query, queries, key, keys } = each;
    const count = sizeOf(lines);
    const sums =
      dLse === null
        ? null
        : call("reshapeTo", [call("slice", [dLse], { slices: [[count * query, count * (query + queries)]] })], {
            shape: [...lines, queries],
          });
    return composedGradient(
      [rows(q, query, queries), rows(k, key, keys), rows(v, key, keys)],
      undefined,
      settingsOf(attributes, each),
      g === null ? null : rows(g, query, queries),
      sums,
    );
  });
  return [q, k, v].map((x, at) =>
    found.length === 0
      ? call("mul", [x, 0])
      : call("cat", found.map((each) => each[at]!) as [DeviceArray], { axis: x.shape.length - 2 }),
  );
}

/** Inputs q, k and v; outputs the result and, sequence by sequence, log Σ e^score of each query of all heads. */
const sequencesAttention: Computation<Operands, SequencesAttributes> = {
  inPlace: false,
  infer(inputs) {
    const [q, , v] = inputs;
    const dtype = dtypeOf(inputs);
    const lines = linesOf(inputs);
    const tokens = q.shape.at(-2)!;
    return [
      { shape: [...lines, tokens, v.shape.at(-1)!], dtype },
      { shape: [sizeOf(lines) * tokens], dtype: accumulatorOf(dtype) },
    ];
  },
  run([out, lse], inputs, attributes, on) {
    const [q, k, v] = inputs;
    const lines = linesOf(inputs);
    for (const each of attributes.sequences) {
      const { query, queries, key, keys } = each;
      withViews(
        [
          [out!, rowsFrom(out!, query, queries)],
          [lse!, sumsOf(lse!, lines, each)],
          [q, rowsFrom(q, query, queries)],
          [k, rowsFrom(k, key, keys)],
          [v, rowsFrom(v, key, keys)],
        ],
        (out, lse, q, k, v) => attention.run([out!, lse!], [q!, k!, v!], settingsOf(attributes, each), on),
      );
    }
  },
  gradient([g, dLse], { inputs, outputs: [out, lse], attributes, wanted, isDifferentiated }) {
    const found = isDifferentiated
      ? composed(inputs, attributes, g ?? null, dLse ?? null)
      : callAll(
          "sequencesAttentionGradient",
          [...inputs, g ?? call("mul", [out!, 0]), out!, lse!, ...(dLse == null ? [] : [dLse])],
          attributes,
        );
    return inputs.map((input, at) => (wanted[at] ? unbroadcast(found[at]!, input) : null));
  },
  cost: costOf(2),
};

/** Inputs as `attentionGradient` takes them, without a mask; outputs the gradients of q, k and v. */
const sequencesAttentionGradient: Computation<
  [...Operands, g: DeviceArray, out: DeviceArray, lse: DeviceArray, ...DeviceArray[]],
  SequencesAttributes
> = {
  inPlace: false,
  infer([q, k, v]) {
    const { before, hasHeads, heads, group } = shapesOf(q.shape, k.shape, v.shape);
    const dtype = dtypeOf([q, k, v]);
    return [q, k, v].map((x, at) => ({
      shape: [...before, ...(hasHeads ? [at === 0 ? heads : heads / group] : []), ...x.shape.slice(-2)],
      dtype,
    }));
  },
  run([dq, dk, dv], [q, k, v, g, out, lse, dLse], attributes, on) {
    const lines = linesOf([q, k, v]);
    for (const each of attributes.sequences) {
      const { query, queries, key, keys } = each;
      const ofQueries = (array: DeviceArray) => [array, rowsFrom(array, query, queries)] as const;
      const ofKeys = (array: DeviceArray) => [array, rowsFrom(array, key, keys)] as const;
      withViews(
        [
          ...[ofQueries(dq!), ofKeys(dk!), ofKeys(dv!)],
          ...[ofQueries(q), ofKeys(k), ofKeys(v), ofQueries(g), ofQueries(out)],
          [lse, sumsOf(lse, lines, each)],
          ...(dLse === undefined ? [] : [[dLse, sumsOf(dLse, lines, each)] as const]),
        ],
        (dq, dk, dv, ...taken) =>
          attentionGradient.run(
            [dq!, dk!, dv!],
            taken as never,
            { ...settingsOf(attributes, each), hasMask: false, wantsMask: false },
            on,
          ),
      );
    }
  },
  gradient: null,
  cost: costOf(5),
};

export const sequencesAttentionRows = { sequencesAttention, sequencesAttentionGradient } as const;
