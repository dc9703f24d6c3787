// A linear layer as an operation: x · weightᵀ + bias and an activation, by one call of a library where it has them,
// else by a product and one pass over it.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { factsOf, type DType } from "../../memory/dtype.ts";
import { TensorError } from "../../errors.ts";
import { floatOf, promoted } from "../../memory/promotion.ts";
import { formatShape, sizeOf, transposed, type Shape } from "../../memory/shape.ts";
import { call, callAll } from "../core/calls.ts";
import { withDType, withFlat } from "../shape/copy.ts";
import { reshaped } from "../shape/views.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { onDevice } from "../kernels/blocks.ts";
import { KernelFamily } from "../kernels/library.ts";
import { flatBlocks, repeatedPlane, sameShape, widestOf } from "../kernels/map.ts";
import { fewRowsInto } from "./few-rows.ts";
import { matmulInto, matmulWithEpilogue } from "./matrix-product.ts";
import type { Computation, Operand } from "../core/operation.ts";
import { reduceInto } from "../reduce/reduce.ts";

/** "gelu" is its form by tanh. */
export type Activation = "none" | "relu" | "gelu";
/** `keep`: what the gradient of the activation needs becomes a second result. */
export interface LinearAttributes {
  readonly activation: Activation;
  readonly hasBias: boolean;
  readonly keep: boolean;
}

const floats: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];
const finish = Object.fromEntries(
  (
    [
      ["none", "Same"],
      ["relu", "Relu"],
      ["gelu", "GeluTanh"],
    ] as const
  ).map(([name, functor]) => [
    name,
    new KernelFamily("linear", floats, (type) => `finish<${functor}, ${type}>`, [
      "place",
      "place",
      "struct",
      "out",
      "out",
      "i64",
    ]),
  ]),
) as Record<Activation, KernelFamily>;

const isKept = ({ activation, keep }: LinearAttributes) => keep && activation === "gelu";

/** The last axis as columns, all others as rows: a view of a contiguous array. */
function flattened(x: DeviceArray): DeviceArray {
  const columns = x.shape.at(-1)!;
  return viewOf(x, { shape: [sizeOf(x.shape.slice(0, -1)), columns], strides: [columns, 1], offset: x.offset });
}
const toDType = (gradient: DeviceArray, { dtype }: DeviceArray) =>
  gradient.dtype === dtype ? gradient : call("convert", [gradient], { dtype });

/**
 * The epilogue that does bias and activation in a library, or `null`. Its GELU is right to 2⁻¹¹, which only a result of
 * 16 bits does not show.
 */
function epilogueName(attributes: LinearAttributes, dtype: DType): string | null {
  const { activation, hasBias } = attributes;
  if (activation === "gelu" && factsOf(dtype).bytes > 2) return null;
  const parts = [
    hasBias ? "bias" : "",
    activation === "none" ? "" : activation,
    isKept(attributes) ? "keep" : "",
  ].filter(Boolean);
  return parts.length === 0 ? null : parts.join("_");
}

function checkedShapes(x: DeviceArray, weight: DeviceArray, bias: DeviceArray | null): Shape {
  if (weight.shape.length !== 2)
    throw new TensorError("SHAPE", `linear takes a weight of shape [out, in] but got ${formatShape(weight.shape)}.`);
  const [rows, columns] = weight.shape as [number, number];
  if (x.shape.length === 0 || x.shape.at(-1) !== columns)
    throw new TensorError(
      "SHAPE",
      `linear with a weight of shape ${formatShape(weight.shape)} takes tensors of shape […, ${columns}] but got ${formatShape(x.shape)}.`,
    );
  if (bias !== null && !sameShape(bias.shape, [rows]))
    throw new TensorError(
      "SHAPE",
      `linear with a weight of shape ${formatShape(weight.shape)} takes a bias of shape [${rows}] but got ${formatShape(bias.shape)}.`,
    );
  return [...x.shape.slice(0, -1), rows];
}

/** Fills y, and z where it is kept, with matrices that are all of one dtype. */
function linearInto(
  on: Execution,
  y: DeviceArray,
  z: DeviceArray | null,
  x: DeviceArray,
  weight: DeviceArray,
  bias: DeviceArray | null,
  attributes: LinearAttributes,
): void {
  const { device } = on;
  const { activation } = attributes;
  const [depth, outputs] = [weight.shape[1]!, weight.shape[0]!];
  if (
    weight.strides[1] === 1 &&
    fewRowsInto(
      on,
      y,
      { array: x, count: x.shape[0]!, step: depth },
      { array: weight, count: outputs, step: weight.strides[0]! },
      depth,
      { bias, activation, kept: z, row: outputs, output: 1 },
    )
  )
    return;
  using turned = viewOf(weight, transposed(weight, [1, 0]));
  const vector = bias === null ? {} : { vector: bias.place };
  const whole = epilogueName(attributes, y.dtype);
  if (
    whole !== null &&
    matmulWithEpilogue(
      on,
      y,
      x,
      turned,
      { name: whole, ...vector, ...(z === null ? {} : { auxiliary: z.place }) },
      z === null ? [] : [z],
    )
  )
    return;
  const product = z ?? y;
  const hasBias =
    bias !== null && whole !== "bias" && matmulWithEpilogue(on, product, x, turned, { name: "bias", ...vector }, []);
  if (!hasBias) matmulInto(on, product, x, turned);
  const left = hasBias ? null : bias;
  if (left === null && activation === "none") return;
  const [rows, columns] = y.shape as [number, number];
  const { grid, block } = flatBlocks(device, y.size, widestOf(y));
  // A block of one thread takes whole rows.
  const most = onDevice(device, { serial: rows, threads: grid });
  finish[activation].launch(on, y.dtype, { grid: Math.min(grid, most), block }, [
    product,
    left,
    repeatedPlane(rows, columns),
    left === null ? null : z,
    y,
    rows,
  ]);
}

/**
 * Inputs x, weight [out, in] and, with `hasBias`, bias [out]; outputs y and, where it is kept, what the activation was
 * applied to.
 */
const linear: Computation<[x: DeviceArray, weight: DeviceArray, ...bias: DeviceArray[]], LinearAttributes> = {
  inPlace: false,
  infer([x, weight, bias], attributes) {
    const added = attributes.hasBias ? bias! : null;
    const shape = checkedShapes(x, weight, added);
    const dtype = [x, weight, ...(added === null ? [] : [added])].map((each) => each.dtype).reduce(promoted);
    if (dtype === "bool" || factsOf(dtype).isStorage || !floats.includes(floatOf(dtype)))
      throw new TensorError(
        "DTYPE",
        `linear takes numbers that compute but got ${dtype}: convert them, e.g. with .to("float32").`,
      );
    const facts = { shape, dtype: floatOf(dtype) };
    return isKept(attributes) ? [facts, facts] : [facts];
  },
  run([y, z], [x, weight, bias], attributes, on) {
    const { dtype } = y!;
    withFlat(on, x, dtype, (input) =>
      withDType(on, weight, dtype, (w) => {
        using rows = flattened(input);
        using out = flattened(y!);
        using kept = z === undefined ? null : flattened(z);
        if (!attributes.hasBias) linearInto(on, out, kept, rows, w, null, attributes);
        else withFlat(on, bias!, dtype, (b) => linearInto(on, out, kept, rows, w, b, attributes));
      }),
    );
  },
  gradient([g, other], { inputs, outputs: [y, z], attributes, wanted }) {
    const { activation, hasBias } = attributes;
    const [x, weight] = inputs;
    const before = () => z ?? callAll("linear", inputs, { ...attributes, activation: "none" })[0]!;
    const own = g
      ? activation === "none"
        ? g
        : activation === "relu"
          ? call("reluGradient", [g, y!])
          : call("geluTanhGradient", [g, before()])
      : null;
    // A gradient's gradient reaches what was kept, too.
    const slope = own === null ? other! : other ? call("add", [own, other]) : own;
    const matrix = (each: DeviceArray) => {
      const columns = each.shape.at(-1)!;
      return reshaped(each, [sizeOf(each.shape.slice(0, -1)), columns]);
    };
    const dx = wanted[0] ? toDType(call("matmul", [slope, weight]), x) : null;
    if (!wanted[1] && !wanted[2]) return [dx, null, ...(hasBias ? [null] : [])];
    const found = callAll("linearWeightGradient", [matrix(slope), matrix(x)], { hasBias: wanted[2] === true });
    const back = (gradient: DeviceArray | undefined, which: number) =>
      wanted[which] ? toDType(gradient!, inputs[which]!) : null;
    return [dx, back(found[0], 1), ...(hasBias ? [back(found[1], 2)] : [])];
  },
  cost: (inputs, outputs) => ({
    bytes: bytesMoved(inputs) + bytesMoved(outputs),
    flops: outputs[0]!.size * (2 * (inputs[0].shape.at(-1) ?? 1) + 20),
  }),
};

/**
 * Inputs the gradient [rows, out] and the input [rows, in] of a layer; outputs the gradients of its weight and, with
 * `hasBias`, of its bias: the sums over rows come with the product.
 */
const linearWeightGradient: Computation<[g: DeviceArray, x: DeviceArray], { readonly hasBias: boolean }> = {
  inPlace: false,
  infer([g, x], { hasBias }) {
    const dtype = promoted(g.dtype, x.dtype);
    const facts = { shape: [g.shape[1]!, x.shape[1]!], dtype };
    return hasBias ? [facts, { shape: [g.shape[1]!], dtype }] : [facts];
  },
  run([weight, bias], [g, x], _, on) {
    const { dtype } = weight!;
    withFlat(on, g, dtype, (above) =>
      withFlat(on, x, dtype, (input) => {
        using turned = viewOf(above, transposed(above, [1, 0]));
        if (
          bias !== undefined &&
          matmulWithEpilogue(on, weight!, turned, input, { name: "sum_of_a", vector: bias.place }, [bias])
        )
          return;
        if (weight!.size > 0) matmulInto(on, weight!, turned, input);
        if (bias !== undefined) reduceInto(on, "sum", bias, above, [0]);
      }),
    );
  },
  gradient([hw, hb], { inputs: [g, x], wanted }) {
    const [above, input] = [g, x];
    const weights = (h: DeviceArray, matrix: DeviceArray, isTurned: boolean) =>
      call("matmul", [matrix, isTurned ? call("permute", [h], { axes: [1, 0] }) : h]);
    const spread = () => call("expand", [hb!], { shape: above.shape });
    const part = hw ? weights(hw, input, true) : null;
    return [
      wanted[0] ? (part === null ? contiguousCopy(spread()) : hb ? call("add", [part, spread()]) : part) : null,
      wanted[1] ? (hw ? weights(hw, above, false) : call("mul", [input, 0])) : null,
    ];
  },
  cost: (inputs, outputs) => ({
    bytes: bytesMoved(inputs) + bytesMoved(outputs),
    flops: 2 * inputs[0].size * inputs[1].shape[1]!,
  }),
};

const contiguousCopy = (x: DeviceArray) => call("clone", [x]);

export const linearRows = { linear, linearWeightGradient } as const;
