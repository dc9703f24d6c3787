// Gradients of recurrent layers of operations that have gradients themselves, step by step: for gradients of their
// gradients.
import type { DeviceArray } from "../../memory/array.ts";
import { promoted } from "../../memory/promotion.ts";
import { call } from "../core/calls.ts";
import { flip, product } from "../linalg/terms.ts";
import { accumulatorOf } from "../reduce/reducers.ts";
import { cut } from "../shape/joining.ts";
import { asOperand, inOrder, weightGradient, type SequenceAttributes } from "./sequence.ts";

type A = DeviceArray;
const add = (a: A, b: A) => call("add", [a, b]);
const sub = (a: A | number, b: A) => call("sub", [a, b]);
const mul = (...all: readonly A[]) => all.reduce((a, b) => call("mul", [a, b]));
const sigmoid = (x: A) => call("sigmoid", [x]);
const tanh = (x: A) => call("tanh", [x]);
/** y·(1 − y), the slope of the sigmoid y, and 1 − y², that of the hyperbolic tangent. */
const sigmoidSlope = (y: A) => mul(y, sub(1, y));
const tanhSlope = (y: A) => sub(1, mul(y, y));

const sumsOf = (inputs: readonly A[]) => accumulatorOf(inputs.map((each) => each.dtype).reduce(promoted));
const converted = (x: A, dtype: A["dtype"]) => (x.dtype === dtype ? x : call("convert", [x], { dtype }));
/** The matrix of a step, and one with the axis of steps. */
const stepOf = (x: A, step: number) => call("slice", [x], { slices: [step] });
const asStep = (x: A) => call("slice", [x], { slices: [], added: [0] });
/** All steps in one, of those in their places. */
const joined = (steps: readonly A[]) => call("cat", steps.map(asStep), { axis: 0 });
const sideBySide = (parts: readonly A[]) => call("cat", [...parts], { axis: 1 });
/** The columns of each gate. */
function gatesOf(x: A, count: number): A[] {
  const width = x.shape[1]! / count;
  return Array.from({ length: count }, (_, at) => call("slice", [x], { slices: cut(1, at * width, (at + 1) * width) }));
}
const sum = (a: A | null, b: A | null): A | null => (a === null || b === null ? (a ?? b) : add(a, b));

/** The gradients of what {@link lstm} takes: of what is given, of the first states and of the weight. */
export function composedLstmGradient(
  inputs: readonly [given: A, hidden: A, cell: A, weight: A],
  [above, ofCells]: readonly (A | null | undefined)[],
  attributes: SequenceAttributes,
): A[] {
  const dtype = sumsOf(inputs);
  const [given, hidden, cell, weight] = inputs.map((each) => converted(each, dtype)) as [A, A, A, A];
  const [aboveAll, cellsAll] = [above, ofCells].map((each) => (each == null ? null : converted(each, dtype))) as [
    A | null,
    A | null,
  ];
  const turned = flip(weight);
  const order = [...inOrder(given.shape[0]!, attributes)];
  const states: A[] = [];
  let [state, past] = [hidden, cell];
  const kept = order.map(([step]) => {
    const before = past;
    const [i, f, g, o] = gatesOf(add(stepOf(given, step), product(state, turned)), 4) as [A, A, A, A];
    const gates = { input: sigmoid(i), forget: sigmoid(f), fresh: tanh(g), output: sigmoid(o) };
    past = add(mul(gates.forget, before), mul(gates.input, gates.fresh));
    const bent = tanh(past);
    state = states[step] = mul(gates.output, bent);
    return { step, before, bent, ...gates };
  });
  const slopes: A[] = [];
  let ofState: A | null = null,
    ofPast: A | null = null;
  const none = call("fullLike", [hidden], { value: 0 });
  for (const { step, before, bent, input, forget, fresh, output } of kept.reverse()) {
    const toState: A = sum(ofState, aboveAll && stepOf(aboveAll, step)) ?? none;
    const outer: A | null = sum(ofPast, cellsAll && stepOf(cellsAll, step));
    const toCell: A = sum(outer, mul(toState, output, tanhSlope(bent)))!;
    const slope = sideBySide([
      mul(toCell, fresh, sigmoidSlope(input)),
      mul(toCell, before, sigmoidSlope(forget)),
      mul(toCell, input, tanhSlope(fresh)),
      mul(toState, bent, sigmoidSlope(output)),
    ]);
    slopes[step] = slope;
    [ofState, ofPast] = [product(slope, weight), mul(toCell, forget)];
  }
  const all = joined(slopes);
  const found = [all, ofState!, ofPast!, weightGradient(all, hidden, joined(states), attributes)];
  return found.map((each, at) => asOperand(each, inputs[at]!));
}

/** The gradients of what {@link gru} takes: of what is given, of the first state, of the weight and of its bias. */
export function composedGruGradient(
  inputs: readonly [given: A, hidden: A, weight: A, ...bias: A[]],
  above: A,
  attributes: SequenceAttributes,
): A[] {
  const dtype = sumsOf(inputs);
  const [given, hidden, weight, bias] = inputs.map((each) => converted(each, dtype)) as [A, A, A, A | undefined];
  const aboveAll = converted(above, dtype);
  const turned = flip(weight);
  const states: A[] = [];
  let state = hidden;
  const kept = [...inOrder(given.shape[0]!, attributes)].map(([step]) => {
    const before = state;
    const plain = product(before, turned);
    const own = gatesOf(bias === undefined ? plain : add(plain, bias), 3) as [A, A, A];
    const [r, z, n] = gatesOf(stepOf(given, step), 3) as [A, A, A];
    const [reset, update] = [sigmoid(add(r, own[0])), sigmoid(add(z, own[1]))];
    const fresh = tanh(add(n, mul(reset, own[2])));
    state = states[step] = add(fresh, mul(update, sub(before, fresh)));
    return { step, before, own: own[2], reset, update, fresh };
  });
  const slopes: A[] = [];
  const ownSlopes: A[] = [];
  let ofState: A | null = null;
  for (const { step, before, own, reset, update, fresh } of kept.reverse()) {
    const toState = sum(ofState, stepOf(aboveAll, step))!;
    const toFresh = mul(toState, sub(1, update), tanhSlope(fresh));
    const toReset = mul(toFresh, own, sigmoidSlope(reset));
    const toUpdate = mul(toState, sub(before, fresh), sigmoidSlope(update));
    slopes[step] = sideBySide([toReset, toUpdate, toFresh]);
    const toOwn = (ownSlopes[step] = sideBySide([toReset, toUpdate, mul(toFresh, reset)]));
    ofState = add(product(toOwn, weight), mul(toState, update));
  }
  const allOwn = joined(ownSlopes);
  const found = [
    joined(slopes),
    ofState!,
    weightGradient(allOwn, hidden, joined(states), attributes),
    ...(bias === undefined ? [] : [call("sum", [allOwn], { axes: [0, 1], keepdims: false })]),
  ];
  return found.map((each, at) => asOperand(each, inputs[at]!));
}
