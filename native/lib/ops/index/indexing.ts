// Reading and writing parts of an array as rows of the table: through a window, which is a view, and at positions over
// its leading axes.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { checkedShape, stretch, stridesOf, windowed, type Shape, type Window } from "../../memory/shape.ts";
import { call } from "../core/calls.ts";
import { copy, fill } from "../shape/copy.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import type { Computation, Cost, None, Operand } from "../core/operation.ts";
import { positionsOfTrue, throughTrue } from "./positions.ts";
import { putRows, takeRows, type PutMode } from "./rows.ts";
import { add, asFloat, div, mul, sub } from "../core/terms.ts";

const moved = (inputs: readonly Operand[], outputs: readonly DeviceArray[]): Cost => ({
  bytes: bytesMoved(inputs) + bytesMoved(outputs),
  flops: 0,
});

/** The first operand with the second, of the window's shape, written through it. */
const set: Computation<[x: DeviceArray, values: DeviceArray], { window: Window }> = {
  inPlace: true,
  infer: ([x]) => [{ shape: x.shape, dtype: x.dtype }],
  run([out], [x, values], { window: through }, on) {
    begin(on, out!, x);
    using seen = viewOf(out!, windowed(out!, through));
    if (values.living() !== out!.living()) return copy(on, seen, values);
    using own = DeviceArray.allocate(on.device, values.dtype, values.shape);
    copy(on, own, values);
    copy(on, seen, own);
  },
  gradient: ([g], { inputs: [, values], attributes, wanted }) => [
    wanted[0] ? call("set", [g!, zeros(values, g!)], attributes) : null,
    wanted[1] ? call("slice", [g!], attributes.window) : null,
  ],
  cost: moved,
};

/** `out` becomes `x`, unless it is that. */
function begin(on: Execution, out: DeviceArray, x: DeviceArray): void {
  if (out.living() !== x.living() || out.offset !== x.offset) copy(on, out, x);
}

/** A zero of the dtype of `like`, stretched over the shape of `shaped`. */
function zeros({ shape }: DeviceArray, like: DeviceArray): DeviceArray {
  const on = like.execution;
  using zero = DeviceArray.allocate(on.device, like.dtype, []);
  fill(on, zero, 0);
  return viewOf(zero, stretch(zero, shape));
}

/** Rows at positions over the first `lead` axes. */
const takeAt: Computation<[x: DeviceArray, positions: DeviceArray], { lead: number }> = {
  inPlace: false,
  infer([x, positions], { lead }) {
    const shape = [...positions.shape, ...x.shape.slice(lead)];
    return [{ shape: checkedShape(shape), dtype: x.dtype }];
  },
  run: ([out], [x, positions], { lead }, on) => takeRows(on, out!, x, positions, lead),
  gradient: ([g], { inputs: [x, positions], attributes: { lead } }) => [
    call("takeAtGradient", [g!, positions], { lead, shape: x.shape }),
    null,
  ],
  cost: moved,
};

/** Zeros, to which each row is added at its position. */
const takeAtGradient: Computation<[g: DeviceArray, positions: DeviceArray], { lead: number; shape: Shape }> = {
  inPlace: false,
  infer: ([g], { shape }) => [{ shape, dtype: g.dtype }],
  run([out], [g, positions], { lead }, on) {
    fill(on, out!, 0);
    putRows(on, out!, positions as DeviceArray<"int64">, g, lead, "add", false);
  },
  gradient: ([g], { inputs: [, positions], attributes: { lead } }) => [call("takeAt", [g!, positions], { lead }), null],
  cost: moved,
};

/** The elements of the first operand where the second, a mask of its shape, is true: `total`, with the parts' starts. */
const selectTrue: Computation<[x: DeviceArray, mask: DeviceArray, starts: DeviceArray], { total: number }> = {
  inPlace: false,
  infer: ([x], { total }) => [{ shape: [total], dtype: x.dtype }],
  run: ([out], [x, mask, starts], _, on) => throughTrue(on, out!, x, mask, starts, false),
  gradient: ([g], { inputs: [, mask, starts] }) => [call("spreadTrue", [g!, mask, starts]), null, null],
  cost: moved,
};

/** Zeros of the mask's shape with the first operand's elements where the mask is true. */
const spreadTrue: Computation<[g: DeviceArray, mask: DeviceArray, starts: DeviceArray], None> = {
  inPlace: false,
  infer: ([g, mask]) => [{ shape: mask.shape, dtype: g.dtype }],
  run: ([out], [g, mask, starts], _, on) => throughTrue(on, out!, g, mask, starts, true),
  gradient: ([g], { inputs: [given, mask, starts] }) => [
    call("selectTrue", [g!, mask, starts], { total: given.size }),
    null,
    null,
  ],
  cost: moved,
};

/**
 * Where rows go: through a window, to positions over the first `lead` axes of what it shows. `isUnique`: no position
 * comes twice.
 */
export interface Put {
  readonly window: Window;
  readonly lead: number;
  readonly mode: PutMode;
  readonly isUnique: boolean;
}

/** The first operand with rows of the third written to, or joined with, those at the positions, the second. */
const put: Computation<[x: DeviceArray, positions: DeviceArray, values: DeviceArray], Put> = {
  inPlace: true,
  infer: ([x]) => [{ shape: x.shape, dtype: x.dtype }],
  run([out], [x, positions, values], { window: through, lead, mode, isUnique }, on) {
    begin(on, out!, x);
    using seen = viewOf(out!, windowed(out!, through));
    putRows(on, seen, positions as DeviceArray<"int64">, values, lead, mode, isUnique);
  },
  gradient([g], { inputs: [x, positions, values], outputs: [y], attributes, wanted }) {
    const { window: through, lead, mode, isUnique } = attributes;
    const at = (from: DeviceArray) => call("takeAt", [call("slice", [from], through), positions], { lead });
    if (mode === "add") return [wanted[0] ? g! : null, null, wanted[2] ? at(g!) : null];
    if (mode === "set")
      return [
        wanted[0] ? call("put", [g!, positions, zeros(values, g!)], { ...attributes, isUnique: false }) : null,
        null,
        wanted[2]
          ? isUnique
            ? at(g!)
            : mul(at(g!), asFloat(winners(g!, positions, values.shape, attributes), g!))
          : null,
      ];
    if (mode === "prod") return productGradients(g!, x, positions, values, attributes, wanted);
    // Equal ones share evenly, as they do in max and min.
    const isOld = asFloat(call("eq", [x, y!]), g!);
    const isNew = asFloat(call("eq", [at(y!), values]), g!);
    const share = div(g!, call("put", [isOld, positions, isNew], { ...attributes, mode: "add" }));
    return [wanted[0] ? mul(share, isOld) : null, null, wanted[2] ? mul(at(share), isNew) : null];
  },
  cost: moved,
};

/**
 * Of products at positions: what else is multiplied, without dividing by 0. Gradients of these are right too.
 */
function productGradients(
  g: DeviceArray,
  x: DeviceArray,
  positions: DeviceArray,
  values: DeviceArray,
  attributes: Put,
  wanted: readonly boolean[],
): (DeviceArray | null)[] {
  const like = (value: number) => call("fullLike", [x], { value });
  const at = (from: DeviceArray) =>
    call("takeAt", [call("slice", [from], attributes.window), positions], { lead: attributes.lead });
  const sumOf = (parts: DeviceArray) => at(call("put", [like(0), positions, parts], { ...attributes, mode: "add" }));
  const is = (count: DeviceArray, number: number) => asFloat(call("eq", [count, number]), g);

  const isZero = call("eq", [values, 0]);
  const others = call("where", [isZero, 1, values]);
  const whole = () => at(mul(g, call("put", [x, positions, others], attributes)));
  const zeros = () => {
    const zero = asFloat(isZero, g);
    const [count, sum] = [sumOf(zero), sumOf(mul(values, zero))];
    // The product of the zeros but this one, of which more than one beside it are 0 twice over.
    const beside = add(is(count, 1), mul(is(count, 2), sub(sum, values)));
    const all = add(is(count, 0), mul(is(count, 1), sum));
    return call("where", [isZero, beside, all]);
  };
  return [
    wanted[0] ? mul(g, call("put", [like(1), positions, values], attributes)) : null,
    null,
    wanted[2] ? mul(div(whole(), others), zeros()) : null,
  ];
}

/**
 * Whether each value is the one that stays at its position: of equal positions the last. `like` has the shape that is
 * written to.
 */
function winners(like: DeviceArray, positions: DeviceArray, shape: Shape, attributes: Put): DeviceArray {
  const numbers = call("countFrom", [like], { shape });
  const blank = call("convert", [call("fullLike", [like], { value: 0 })], { dtype: "int64" });
  const last = call("put", [blank, positions, numbers], attributes);
  return call("eq", [
    call("takeAt", [call("slice", [last], attributes.window), positions], { lead: attributes.lead }),
    numbers,
  ]);
}

/** 0, 1, 2, … as int64, on the device of the operand. */
const countFrom: Computation<[like: DeviceArray], { shape: Shape }> = {
  inPlace: false,
  infer: (_, { shape }) => [{ shape, dtype: "int64" }],
  run([out], _inputs, _, on) {
    using all = DeviceArray.allocate(on.device, "bool", out!.shape);
    fill(on, all, true);
    using places = positionsOfTrue(on, all);
    using shaped = viewOf(places, { shape: out!.shape, strides: stridesOf(out!.shape), offset: 0 });
    copy(on, out!, shaped);
  },
  gradient: () => [null],
  cost: moved,
};

export const indexingRows = { set, takeAt, takeAtGradient, selectTrue, spreadTrue, put, countFrom } as const;
