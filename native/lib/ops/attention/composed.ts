// Attention of operations that have gradients themselves, with the weights of all pairs in memory: for gradients of its
// gradients, and for heads wider than the kernels take.
import type { DeviceArray } from "../../memory/array.ts";
import { call } from "../core/calls.ts";
import { unbroadcast } from "../elementwise/elementwise.ts";
import { flip, product } from "../linalg/terms.ts";
import { accumulatorOf } from "../reduce/reducers.ts";
import type { Settings } from "./problem.ts";
import { shapesOf, type Shapes } from "./shapes.ts";

type Inputs = readonly [q: DeviceArray, k: DeviceArray, v: DeviceArray];
type Mask = DeviceArray | undefined;

const last = ({ shape }: DeviceArray) => ({ axes: [shape.length - 1], keepdims: true });
const total = (x: DeviceArray) => call("sum", [x], last(x));
const converted = (x: DeviceArray, dtype: DeviceArray["dtype"]) =>
  x.dtype === dtype ? x : call("convert", [x], { dtype });

/** Keys or values for each head of queries, [before…, heads, rows, columns], and the gradient of them for the original. */
function spread(x: DeviceArray, { heads, group }: Shapes): { all: DeviceArray; back: (g: DeviceArray) => DeviceArray } {
  const asBefore = (g: DeviceArray) => unbroadcast(g, x)!;
  if (group === 1) return { all: x, back: asBefore };
  const [rows, columns] = x.shape.slice(-2) as [number, number];
  const before = x.shape.slice(0, -3);
  const own = x.shape.at(-3) ?? 1;
  const each = [...before, heads / group, group, rows, columns];
  const lone = call("reshapeTo", [x], { shape: [...before, own, 1, rows, columns] });
  return {
    all: call("reshapeTo", [call("expand", [lone], { shape: each })], { shape: [...before, heads, rows, columns] }),
    back: (g) => {
      const outer = g.shape.slice(0, -3);
      const parts = call("reshapeTo", [g], { shape: [...outer, heads / group, group, rows, columns] });
      return asBefore(call("sum", [parts], { axes: [outer.length + 1], keepdims: false }));
    },
  };
}

/** Which keys queries see by their places, [queries, keys]; `null`: each sees all. */
function visible(like: DeviceArray, { queries, keys }: Shapes, { first, last }: Settings): DeviceArray | null {
  if (first <= 1 - queries && last >= keys - 1) return null;
  const query = call("countFrom", [like], { shape: [queries, 1] }),
    key = call("countFrom", [like], { shape: [keys] });
  const isAfter = call("ge", [key, call("add", [query, first])]);
  return call("logicalAnd", [isAfter, call("le", [key, call("add", [query, last])])]);
}

/** Weights are dropped as the kernels do it: by the words of a row's counters, of four keys each. */
function dropped(weights: DeviceArray, { p, seed, stream }: Settings): DeviceArray {
  if (p === 0) return weights;
  const { shape } = weights;
  const missing = -shape.at(-1)! & 3;
  const whole =
    missing === 0
      ? weights
      : call("padConstant", [weights], {
          before: shape.map(() => 0),
          after: shape.map((_, axis) => (axis === shape.length - 1 ? missing : 0)),
          value: 0,
        });
  const kept = call("dropout", [whole], { p, seed, stream });
  if (missing === 0) return kept;
  return call("slice", [kept], { slices: [...shape.slice(0, -1).map(() => null), [0, shape.at(-1)!]] });
}

/** All that attention and its gradient are made of, in the dtype of sums. */
function parts([q, k, v]: Inputs, mask: Mask, settings: Settings) {
  const shapes = shapesOf(q.shape, k.shape, v.shape);
  const { scale, softcap } = settings;
  const sums = accumulatorOf(q.dtype);
  const query = converted(q, sums);
  const keys = spread(converted(k, sums), shapes),
    values = spread(converted(v, sums), shapes);
  let scores = call("mul", [product(query, flip(keys.all)), scale]);
  const bent = softcap === 0 ? null : call("tanh", [call("div", [scores, softcap])]);
  if (bent !== null) scores = call("mul", [bent, softcap]);
  if (mask !== undefined)
    scores =
      mask.dtype === "bool"
        ? call("where", [mask, scores, -Infinity])
        : call("add", [scores, converted(mask, scores.dtype)]);
  const seen = visible(q, shapes, settings);
  if (seen !== null) scores = call("where", [seen, scores, -Infinity]);
  // A query that sees nothing has no weights, and no number on the way to them.
  const sees = call("any", [call("gt", [scores, -Infinity])], last(scores));
  const finite = call("where", [sees, scores, 0]);
  const weights = call("where", [sees, call("softmax", [finite]), 0]);
  return { query, keys, values, bent, sees, finite, weights };
}

/** The result and log Σ e^score. */
export function composedAttention(inputs: Inputs, mask: Mask, settings: Settings): [DeviceArray, DeviceArray] {
  const { values, sees, finite, weights } = parts(inputs, mask, settings);
  const dtype = inputs[0]!.dtype;
  const lse = call("where", [sees, call("logsumexp", [finite], last(finite)), -Infinity]);
  return [
    converted(product(dropped(weights, settings), values.all), dtype),
    call("reshapeTo", [lse], { shape: lse.shape.slice(0, -1) }),
  ];
}

/** The gradients of q, k, v and, where it is of floats, of the mask. */
export function composedGradient(
  inputs: Inputs,
  mask: Mask,
  settings: Settings,
  g: DeviceArray | null,
  dLse: DeviceArray | null,
): (DeviceArray | null)[] {
  const { query, keys, values, bent, weights } = parts(inputs, mask, settings);
  const [q, k, v] = inputs;
  const turnedWeights = flip(dropped(weights, settings));
  const above = g === null ? null : converted(g, weights.dtype);
  const ofWeights = above === null ? null : dropped(product(above, flip(values.all)), settings);
  // Softmax leaves out what all weights of a row have in common.
  let slopes =
    ofWeights === null
      ? call("mul", [weights, 0])
      : call("mul", [weights, call("sub", [ofWeights, total(call("mul", [weights, ofWeights]))])]);
  if (dLse !== null) {
    const each = call("reshapeTo", [converted(dLse, weights.dtype)], { shape: [...dLse.shape, 1] });
    slopes = call("add", [slopes, call("mul", [weights, each])]);
  }
  const ofMask = mask === undefined || mask.dtype === "bool" ? null : unbroadcast(slopes, mask);
  if (bent !== null) slopes = call("mul", [slopes, call("sub", [1, call("square", [bent])])]);
  slopes = call("mul", [slopes, settings.scale]);
  const ofValues = above === null ? call("mul", [v, 0]) : values.back(product(turnedWeights, above));
  return [
    converted(unbroadcast(product(slopes, keys.all), query)!, q.dtype),
    converted(keys.back(product(flip(slopes), query)), k.dtype),
    converted(ofValues, v.dtype),
    ...(mask === undefined ? [] : [ofMask]),
  ];
}
