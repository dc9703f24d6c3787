// Attention as rows of the table: softmax(q · kᵀ · scale + mask) · v without the weights of all pairs, and its gradients.
import { GradientError } from "../../errors.ts";
import type { Execution } from "../../device/execution.ts";
import type { DType } from "../../memory/dtype.ts";
import { DeviceArray } from "../../memory/array.ts";
import { promoted } from "../../memory/promotion.ts";
import { sizeOf, stridesOf, type Shape, type View } from "../../memory/shape.ts";
import { call, callAll } from "../core/calls.ts";
import type { Computation, Cost, Facts } from "../core/operation.ts";
import { bytesMoved, unbroadcast } from "../elementwise/elementwise.ts";
import { accumulatorOf } from "../reduce/reducers.ts";
import { floatDType } from "../rows/row-lines.ts";
import { contiguous, fill } from "../shape/copy.ts";
import { deltaInto, maskGradientInto } from "./generic.ts";
import { pathOf, type AttentionCall, type BackwardCall } from "./paths.ts";
import { composedGradient } from "./composed.ts";
import { Laid, stepsOf, type PairSteps, type Problem, type Settings, type Steps } from "./problem.ts";
import { shapesOf, type Shapes } from "./shapes.ts";

export type AttentionAttributes = Settings;

const withHeads = ({ before, hasHeads }: Shapes, heads: number, ...rest: number[]): Shape => [
  ...before,
  ...(hasHeads ? [heads] : []),
  ...rest,
];

/** In the order of an operand whose heads lie within its rows, as those of one product for all heads do. */
function inOrderOf({ shape: own, strides }: View, shape: Shape): Pick<Facts, "strides"> {
  const isWithin = own.length > 2 && own.at(-3)! > 1 && own.at(-2)! > 1 && strides.at(-3)! < strides.at(-2)!;
  if (!isWithin) return {};
  const rank = shape.length;
  const axes = [...Array(rank - 3).keys(), rank - 2, rank - 3, rank - 1];
  const steps = stridesOf(axes.map((axis) => shape[axis]!));
  return { strides: axes.map((axis) => steps[axis]!) };
}

const shapesFor = ([q, k, v]: readonly DeviceArray[]) => shapesOf(q!.shape, k!.shape, v!.shape);
/** What it is computed in. */
export const attentionDType = (inputs: readonly DeviceArray[]): DType => {
  const [q, k, v] = inputs.map((each) => floatDType("attention", each));
  return promoted(promoted(q!, k!), v!);
};

type Taken = Pick<BackwardCall, "problem" | "q" | "k" | "v" | "mask">;

/** Calls `use` with the operands as kernels take them, and the problem; `out`: how its result lies. */
function withOperands(
  on: Execution,
  dtype: DType,
  [q, k, v, mask]: readonly (DeviceArray | undefined)[],
  { scale, softcap, first, last, p, seed, stream, now, bend }: Settings,
  out: Steps,
  use: (taken: Taken) => void,
): void {
  const { before, batches, heads, group, queries, keys, width, valueWidth } = shapesOf(q!.shape, k!.shape, v!.shape);
  using ownQ = new Laid(on, q!, dtype, { before, heads, rows: queries, columns: width });
  using ownK = new Laid(on, k!, dtype, { before, heads: heads / group, rows: keys, columns: width });
  using ownV = new Laid(on, v!, dtype, { before, heads: heads / group, rows: keys, columns: valueWidth });
  const isBool = mask?.dtype === "bool";
  using ownMask =
    mask === undefined
      ? null
      : new Laid(
          on,
          mask,
          isBool ? "bool" : dtype,
          { before, heads, rows: queries, columns: keys },
          { isDense: false },
        );
  // Field by field: spreading this many costs as much as the launch.
  const problem: Problem = {
    batches,
    heads,
    group,
    queries,
    keys,
    width,
    valueWidth,
    scale,
    softcap,
    first,
    last,
    p,
    seed,
    stream,
    q: ownQ.steps,
    k: ownK.steps,
    v: ownV.steps,
    out,
    mask: ownMask?.pairSteps ?? noSteps,
    maskKind: mask === undefined ? "none" : isBool ? "mayLook" : "added",
    ...(now && { now }),
    ...(bend && { bend }),
  };
  use({ problem, q: ownQ.array, k: ownK.array, v: ownV.array, mask: ownMask?.array ?? null });
}
const noSteps: PairSteps = { batch: 0, head: 0, query: 0, key: 0 };

const costOf =
  (products: number) =>
  (inputs: readonly DeviceArray[], outputs: readonly DeviceArray[]): Cost => {
    const { batches, heads, queries, keys, width, valueWidth } = shapesFor(inputs);
    return {
      bytes: bytesMoved(inputs) + bytesMoved(outputs),
      flops: products * batches * heads * queries * keys * (width + valueWidth),
    };
  };

/** Inputs q, k, v and perhaps a mask; outputs the result and log Σ e^score of each query. */
export const attention: Computation<
  [q: DeviceArray, k: DeviceArray, v: DeviceArray, ...mask: DeviceArray[]],
  AttentionAttributes
> = {
  inPlace: false,
  infer([q, k, v]) {
    const shapes = shapesFor([q, k, v]);
    const dtype = attentionDType([q, k, v]);
    const { heads, queries, valueWidth } = shapes;
    const shape = withHeads(shapes, heads, queries, valueWidth);
    return [
      { shape, dtype, ...inOrderOf(q, shape) },
      { shape: withHeads(shapes, heads, queries), dtype: accumulatorOf(dtype) },
    ];
  },
  run([out, lse], inputs, settings, on) {
    const { before } = shapesFor(inputs);
    const dtype = attentionDType(inputs);
    withOperands(on, dtype, inputs, settings, stepsOf(out!, before.length), ({ problem, q, k, v, mask }) => {
      const whole: AttentionCall = { dtype, problem, q, k, v, mask, out: out!, lse: lse! };
      pathOf(on, whole).forward(on, whole);
    });
  },
  gradient([g, dLse], { inputs, outputs: [out, lse], attributes, wanted, isDifferentiated }) {
    const [q, k, v, mask] = inputs;
    if (isDifferentiated && attributes.bend !== undefined)
      throw new GradientError(
        "NO_GRADIENT",
        "attention with a function of scores has no gradient of its gradient: write the formula with softmax and matmul where you need one.",
      );
    if (isDifferentiated) return composedGradient([q, k, v], mask, attributes, g ?? null, dLse ?? null);
    const above = g ?? call("mul", [out!, 0]);
    const found = callAll(
      "attentionGradient",
      [q, k, v, above, out!, lse!, ...(mask === undefined ? [] : [mask]), ...(dLse == null ? [] : [dLse])],
      { ...attributes, hasMask: mask !== undefined, wantsMask: wanted[3] === true },
    );
    return inputs.map((input, at) => (wanted[at] ? unbroadcast(found[at]!, input) : null));
  },
  cost: costOf(2),
};

export interface AttentionGradientAttributes extends AttentionAttributes {
  readonly hasMask: boolean;
  readonly wantsMask: boolean;
}

/** The shape of a mask's gradient: the axes before the heads whole or 1, as its kernel sums them. */
export function maskGradientShape(
  mask: Shape,
  { before, hasHeads, heads, queries, keys }: Pick<Shapes, "before" | "hasHeads" | "heads" | "queries" | "keys">,
): Shape {
  const sizes = [heads, queries, keys].slice(hasHeads ? 0 : 1);
  const last = sizes.map((size, at) => ((mask.at(at - sizes.length) ?? 1) === size ? size : 1));
  const isWhole = mask.slice(0, -3).some((size) => size > 1);
  return [...(isWhole ? before : before.map(() => 1)), ...last];
}
/** Its steps: 0 along axes that are summed. */
function maskGradientSteps({ shape, strides }: DeviceArray, { before, hasHeads }: Shapes): PairSteps {
  const step = (axis: number) => (shape.at(axis) === 1 ? 0 : strides.at(axis)!);
  return {
    batch: sizeOf(shape.slice(0, before.length)) === 1 ? 0 : sizeOf(shape.slice(before.length)),
    head: hasHeads ? step(-3) : 0,
    query: step(-2),
    key: step(-1),
  };
}

/**
 * Inputs q, k, v, the gradient of the result, the result, its log-sum-exp, and perhaps the mask and the gradient of the
 * log-sum-exp; outputs the gradients of q, k, v and, with `wantsMask`, of the mask.
 */
export const attentionGradient: Computation<
  [
    q: DeviceArray,
    k: DeviceArray,
    v: DeviceArray,
    g: DeviceArray,
    out: DeviceArray,
    lse: DeviceArray,
    ...DeviceArray[],
  ],
  AttentionGradientAttributes
> = {
  inPlace: false,
  infer(inputs, { wantsMask }) {
    const [q, k, v, , , , mask] = inputs;
    const shapes = shapesFor([q, k, v]);
    const { heads, group, queries, keys, width, valueWidth } = shapes;
    const dtype = attentionDType([q, k, v]);
    const of = (operand: DeviceArray, ...sizes: [number, number, number]): Facts => {
      const shape = withHeads(shapes, ...sizes);
      return { shape, dtype, ...inOrderOf(operand, shape) };
    };
    return [
      of(q, heads, queries, width),
      of(k, heads / group, keys, width),
      of(v, heads / group, keys, valueWidth),
      ...(wantsMask ? [{ shape: maskGradientShape(mask!.shape, shapes), dtype }] : []),
    ];
  },
  run([dq, dk, dv, dMask], inputs, { hasMask, ...settings }, on) {
    const [q, k, v, g, out, lse, ...more] = inputs;
    const shapes = shapesFor([q, k, v]);
    const { before, heads, queries, valueWidth } = shapes;
    const mask = hasMask ? more[0] : undefined,
      dLse = more[hasMask ? 1 : 0];
    const dtype = attentionDType([q, k, v]);
    const sizes = { before, heads, rows: queries, columns: valueWidth };
    using ownG = new Laid(on, g, dtype, sizes);
    using ownOut = new Laid(on, out, dtype, sizes);
    using sums = contiguous(on, lse);
    using dSums = dLse === undefined ? null : contiguous(on, dLse);
    using delta = DeviceArray.allocate(on.device, lse.dtype, lse.shape);
    withOperands(on, dtype, [q, k, v, mask], settings, ownOut.steps, (taken) => {
      const whole: BackwardCall = {
        dtype,
        problem: taken.problem,
        q: taken.q,
        k: taken.k,
        v: taken.v,
        mask: taken.mask,
        out: ownOut.array,
        lse: sums,
        dLse: dSums,
        delta,
        dOut: ownG.array,
        dq: dq!,
        dk: dk!,
        dv: dv!,
        steps: {
          dOut: ownG.steps,
          dq: stepsOf(dq!, before.length),
          dk: stepsOf(dk!, before.length),
          dv: stepsOf(dv!, before.length),
          dMask: dMask === undefined ? noSteps : maskGradientSteps(dMask, shapes),
        },
      };
      const path = pathOf(on, whole);
      if (path.makesDelta !== true) deltaInto(on, whole);
      path.backward(on, whole);
      if (dMask === undefined) return;
      if (sizeOf([...before, heads, queries, taken.problem.keys]) === 0) fill(on, dMask, 0);
      else maskGradientInto(on, whole, dMask);
    });
  },
  gradient: null,
  cost: costOf(5),
};

export const attentionRows = { attention, attentionGradient } as const;
