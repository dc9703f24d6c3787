// Attention of queries, keys and values that lie side by side in one tensor, as one product for all heads leaves them:
// its gradient is one tensor, too, and nothing is cut up or joined.
import { viewOf, type DeviceArray } from "../../memory/array.ts";
import { sizeOf, stridesOf, type Shape, type View } from "../../memory/shape.ts";
import { call, callAll } from "../core/calls.ts";
import type { Computation, Cost } from "../core/operation.ts";
import { bytesMoved, unbroadcast } from "../elementwise/elementwise.ts";
import { accumulatorOf } from "../reduce/reducers.ts";
import { floatDType } from "../rows/row-lines.ts";
import { composedGradient } from "./composed.ts";
import { attention, attentionGradient, maskGradientShape, type AttentionAttributes } from "./attention.ts";

export interface PackedAttributes extends AttentionAttributes {
  /** How many heads keys have, and values. */
  readonly keyHeads: number;
}
export interface PackedGradientAttributes extends PackedAttributes {
  readonly hasMask: boolean;
  readonly wantsMask: boolean;
}

/** How many heads queries have: those that are not of keys or values. */
const queryHeads = (shape: Shape, keyHeads: number): number => shape.at(-2)! - 2 * keyHeads;

/** Heads of […, length, heads, width] as […, heads, length, width]. */
function headsFrom({ shape, strides, offset }: View, from: number, count: number): View {
  const before = shape.length - 3;
  const turn = <T>(list: readonly T[], of: T): T[] => [...list.slice(0, before), of, list[before]!, list[before + 2]!];
  return {
    shape: turn(shape, count),
    strides: turn(strides, strides[before + 1]!),
    offset: offset + from * strides[before + 1]!,
  };
}

/** Queries, keys and values of one array, and of no other once `use` has ended. */
function withParts(
  all: DeviceArray,
  keyHeads: number,
  use: (q: DeviceArray, k: DeviceArray, v: DeviceArray) => void,
): void {
  const heads = queryHeads(all.shape, keyHeads);
  using q = viewOf(all, headsFrom(all, 0, heads));
  using k = viewOf(all, headsFrom(all, heads, keyHeads));
  using v = viewOf(all, headsFrom(all, heads + keyHeads, keyHeads));
  use(q, k, v);
}

/** The gradients of what lies side by side and of the mask, of operations that have gradients. */
function composedPacked(
  all: DeviceArray,
  mask: DeviceArray | undefined,
  { keyHeads, ...settings }: PackedAttributes,
  g: DeviceArray | null,
  dLse: DeviceArray | null,
): (DeviceArray | null)[] {
  const rank = all.shape.length;
  const axes = [...Array(rank - 3).keys(), rank - 2, rank - 3, rank - 1];
  const turned = call("permute", [all], { axes });
  const heads = queryHeads(all.shape, keyHeads);
  const part = (from: number, count: number) =>
    call("slice", [turned], { slices: [...Array<null>(rank - 3).fill(null), [from, from + count]] });
  const parts = [part(0, heads), part(heads, keyHeads), part(heads + keyHeads, keyHeads)] as const;
  const [dq, dk, dv, ...ofMask] = composedGradient(parts, mask, settings, g, dLse);
  const joined = call("cat", [dq!, dk!, dv!], { axis: rank - 3 });
  return [call("permute", [joined], { axes }), ...ofMask];
}

const costOf =
  (products: number) =>
  (
    inputs: readonly [all: DeviceArray, ...DeviceArray[]],
    outputs: readonly DeviceArray[],
    { keyHeads }: PackedAttributes,
  ): Cost => {
    const { shape } = inputs[0];
    const [length, width] = [shape.at(-3)!, shape.at(-1)!];
    return {
      bytes: bytesMoved(inputs) + bytesMoved(outputs),
      flops: products * sizeOf(shape.slice(0, -3)) * queryHeads(shape, keyHeads) * length * length * 2 * width,
    };
  };

/**
 * Inputs queries, keys and values […, length, heads + 2 · keyHeads, width] and perhaps a mask; outputs
 * […, heads, length, width], whose rows lie as those of the input, and log Σ e^score of each query.
 */
const packedAttention: Computation<[all: DeviceArray, ...mask: DeviceArray[]], PackedAttributes> = {
  inPlace: false,
  infer([all], { keyHeads }) {
    const heads = queryHeads(all.shape, keyHeads);
    const dtype = floatDType("attention", all);
    const packed = [...all.shape.slice(0, -2), heads, all.shape.at(-1)!];
    const { shape, strides } = headsFrom({ shape: packed, strides: stridesOf(packed), offset: 0 }, 0, heads);
    return [
      { shape, dtype, strides },
      { shape: shape.slice(0, -1), dtype: accumulatorOf(dtype) },
    ];
  },
  run(outputs, [all, ...mask], { keyHeads, ...settings }, on) {
    withParts(all, keyHeads, (...parts) => attention.run(outputs, [...parts, ...mask], settings, on));
  },
  gradient([g, dLse], { inputs, outputs: [out, lse], attributes, wanted, isDifferentiated }) {
    const [all, mask] = inputs;
    if (isDifferentiated) return composedPacked(all, mask, attributes, g ?? null, dLse ?? null);
    const found = callAll(
      "packedAttentionGradient",
      [
        all,
        g ?? call("mul", [out!, 0]),
        out!,
        lse!,
        ...(mask === undefined ? [] : [mask]),
        ...(dLse == null ? [] : [dLse]),
      ],
      { ...attributes, hasMask: mask !== undefined, wantsMask: wanted[1] === true },
    );
    return inputs.map((input, at) => (wanted[at] ? unbroadcast(found[at]!, input) : null));
  },
  cost: costOf(2),
};

/**
 * Inputs as `packedAttention` takes them, but for the mask; the gradient of its result, the result, its log-sum-exp, and
 * perhaps the mask and the gradient of the log-sum-exp. Outputs the gradient of what lies side by side and, with
 * `wantsMask`, of the mask.
 */
const packedAttentionGradient: Computation<
  [all: DeviceArray, g: DeviceArray, out: DeviceArray, lse: DeviceArray, ...DeviceArray[]],
  PackedGradientAttributes
> = {
  inPlace: false,
  infer([all, , , , mask], { keyHeads, wantsMask }) {
    const dtype = floatDType("attention", all);
    const { shape } = all;
    if (!wantsMask) return [{ shape, dtype }];
    const rows = { before: shape.slice(0, -3), hasHeads: true, heads: queryHeads(shape, keyHeads) };
    const length = shape.at(-3)!;
    return [
      { shape, dtype },
      { shape: maskGradientShape(mask!.shape, { ...rows, queries: length, keys: length }), dtype },
    ];
  },
  run([dAll, ...dMask], [all, ...rest], { keyHeads, ...settings }, on) {
    withParts(all, keyHeads, (...parts) =>
      withParts(dAll!, keyHeads, (...gradients) =>
        attentionGradient.run([...gradients, ...dMask], [...parts, ...rest], settings, on),
      ),
    );
  },
  gradient: null,
  cost: costOf(5),
};

export const packedAttentionRows = { packedAttention, packedAttentionGradient } as const;
