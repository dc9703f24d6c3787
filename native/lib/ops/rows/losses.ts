// Losses of two tensors of one shape as rows of the table: of each element, their sum or their mean, in one pass over
// both; and their gradients, in one pass.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray } from "../../memory/array.ts";
import { factsOf, type DType } from "../../memory/dtype.ts";
import { TensorError } from "../../errors.ts";
import { floatOf, promoted } from "../../memory/promotion.ts";
import { formatShape } from "../../memory/shape.ts";
import { call } from "../core/calls.ts";
import { contiguous, fill, withFlat } from "../shape/copy.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { threadsOf } from "../kernels/blocks.ts";
import { KernelFamily } from "../kernels/library.ts";
import { flatBlocks, sameShape, widestOf } from "../kernels/map.ts";
import type { Computation, Operand } from "../core/operation.ts";
import { reduceInto } from "../reduce/reduce.ts";
import { rowParts } from "../reduce/reduce-plans.ts";
import { accumulatorOf } from "../reduce/reducers.ts";
import { asFloat, div, mul, of, sub } from "../core/terms.ts";

export type LossReduction = "mean" | "sum" | "none";
/** `parameter`: where a smooth loss becomes linear; others take 0. */
export interface LossAttributes {
  readonly reduction: LossReduction;
  readonly parameter: number;
}

const floats: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];
const sumThreads = 256;

/** The second derivatives in (x, x), (x, t) and (t, t), in terms of other operations. */
type Curvature = (x: DeviceArray, t: DeviceArray, parameter: number) => readonly [Operand, Operand, Operand];
const ofDifference =
  (bend: (size: DeviceArray, parameter: number) => DeviceArray): Curvature =>
  (x, t, parameter) => {
    const found = bend(of("abs", sub(x, t)), parameter);
    return [found, of("neg", found), found];
  };
const losses: Record<string, { readonly functor: string; readonly flops: number; readonly curvature: Curvature }> = {
  mseLoss: { functor: "SquaredError", flops: 2, curvature: () => [2, -2, 2] },
  l1Loss: { functor: "AbsoluteError", flops: 2, curvature: () => [0, 0, 0] },
  smoothL1Loss: {
    functor: "SmoothError",
    flops: 5,
    curvature: ofDifference((size, beta) =>
      beta === 0 ? mul(size, 0) : div(asFloat(call("lt", [size, beta]), size), beta),
    ),
  },
  huberLoss: {
    functor: "HuberError",
    flops: 5,
    curvature: ofDifference((size, delta) => asFloat(call("le", [size, delta]), size)),
  },
  bceWithLogitsLoss: {
    functor: "LogitError",
    flops: 28,
    curvature: (x) => {
      const share = of("sigmoid", x);
      return [mul(share, sub(1, share)), -1, 0];
    },
  },
};

const kernels = Object.fromEntries(
  Object.entries(losses).map(([name, { functor }]) => [
    name,
    {
      each: new KernelFamily("losses", floats, (type) => `losses<${functor}, ${type}>`, [
        "place",
        "place",
        "out",
        "i64",
        "f64",
      ]),
      sums: new KernelFamily("losses", floats, (type) => `loss_sums<${functor}, ${type}>`, [
        "place",
        "place",
        "out",
        "i64",
        "i64",
        "f64",
      ]),
      slope: new KernelFamily("losses", floats, (type) => `loss_gradient<${functor}, ${type}, false>`, [
        "place",
        "place",
        "place",
        "out",
        "i64",
        "i32",
        "f64",
        "f64",
      ]),
      targetSlope: new KernelFamily("losses", floats, (type) => `loss_gradient<${functor}, ${type}, true>`, [
        "place",
        "place",
        "place",
        "out",
        "i64",
        "i32",
        "f64",
        "f64",
      ]),
    },
  ]),
) as Record<string, Record<"each" | "sums" | "slope" | "targetSlope", KernelFamily>>;

/** The dtype of a loss of two tensors of one shape. */
function commonDType(name: string, x: DeviceArray, target: DeviceArray): DType {
  if (!sameShape(x.shape, target.shape))
    throw new TensorError(
      "SHAPE",
      `${name} takes tensors of one shape but got ${formatShape(x.shape)} and ${formatShape(target.shape)}.`,
    );
  const dtype = promoted(x.dtype, target.dtype);
  if (factsOf(dtype).isStorage || !floats.includes(floatOf(dtype)))
    throw new TensorError(
      "DTYPE",
      `${name} takes numbers that compute but got ${dtype}: convert them, e.g. with .to("float32").`,
    );
  return floatOf(dtype);
}

/** Calls `use` with both as contiguous arrays of one dtype. */
function withBoth(
  on: Execution,
  x: DeviceArray,
  target: DeviceArray,
  dtype: DType,
  use: (x: DeviceArray, target: DeviceArray) => void,
): void {
  withFlat(on, x, dtype, (left) => withFlat(on, target, dtype, (right) => use(left, right)));
}

const toDType = (gradient: DeviceArray, like: DeviceArray) =>
  gradient.dtype === like.dtype ? gradient : call("convert", [gradient], { dtype: like.dtype });

/** Inputs the prediction and the target. */
function lossRow(name: string): Computation<[x: DeviceArray, target: DeviceArray], LossAttributes> {
  return {
    inPlace: false,
    infer([x, target], { reduction }) {
      const dtype = commonDType(name, x, target);
      return [{ shape: reduction === "none" ? x.shape : [], dtype }];
    },
    run([out], [x, target], { reduction, parameter }, on) {
      const { device } = on;
      const { each, sums } = kernels[name]!;
      const count = x.size;
      if (count === 0) return fill(on, out!, reduction === "mean" ? NaN : 0);
      withBoth(on, x, target, out!.dtype, (left, right) => {
        if (reduction === "none")
          return each.launch(on, out!.dtype, flatBlocks(device, count, widestOf(left)), [
            left,
            right,
            out!,
            count,
            parameter,
          ]);
        const { parts, chunk } = rowParts(device, 1, count);
        using partial = DeviceArray.allocate(device, accumulatorOf(out!.dtype), [parts]);
        sums.launch(on, out!.dtype, { grid: parts, block: threadsOf(device, sumThreads) }, [
          left,
          right,
          partial,
          count,
          chunk,
          parameter,
        ]);
        reduceInto(on, reduction, out!, partial, [0], reduction === "mean" ? count : 0);
      });
    },
    gradient: ([g], { inputs: [x, target], attributes, wanted }) =>
      [x, target].map((operand, at) =>
        wanted[at]
          ? toDType(call("lossGradient", [g!, x, target], { ...attributes, loss: name, ofTarget: at === 1 }), operand)
          : null,
      ),
    cost: (inputs, outputs) => ({
      bytes: bytesMoved(inputs) + bytesMoved(outputs),
      flops: inputs[0].size * losses[name]!.flops,
    }),
  };
}

export interface LossGradientAttributes extends LossAttributes {
  readonly loss: string;
  readonly ofTarget: boolean;
}

/** Inputs the gradient of the loss, the prediction and the target; the gradient of one of the two. */
const lossGradient: Computation<[g: DeviceArray, x: DeviceArray, target: DeviceArray], LossGradientAttributes> = {
  inPlace: false,
  infer: ([, x, target], { loss }) => [{ shape: x.shape, dtype: commonDType(loss, x, target) }],
  run([out], [g, x, target], { loss, ofTarget, reduction, parameter }, on) {
    const { device } = on;
    const { slope, targetSlope } = kernels[loss]!;
    using above = contiguous(on, g);
    withBoth(on, x, target, out!.dtype, (left, right) =>
      withFlat(on, above, out!.dtype, (from) => {
        const blocks = flatBlocks(device, out!.size, widestOf(out!));
        (ofTarget ? targetSlope : slope).launch(on, out!.dtype, blocks, [
          from,
          left,
          right,
          out!,
          out!.size,
          reduction === "none" ? 1 : 0,
          reduction === "mean" ? 1 / out!.size : 1,
          parameter,
        ]);
      }),
    );
  },
  gradient([h], { inputs: [g, x, target], attributes, wanted }) {
    const { loss, ofTarget, reduction, parameter } = attributes;
    const [above, left, right] = [g, x, target];
    const share = reduction === "mean" ? 1 / left.size : 1;
    const [own, mixed, ofBoth] = losses[loss]!.curvature(left, right, parameter);
    const weighed = () => mul(mul(h!, above), share);
    const back = (curvature: Operand, like: DeviceArray) => toDType(mul(weighed(), curvature), like);
    const each = () => call("lossGradient", [h!, left, right], { ...attributes, reduction: "none" });
    return [
      wanted[0]
        ? toDType(
            reduction === "none"
              ? each()
              : mul(call("sum", [each()], { axes: [...left.shape.keys()], keepdims: false }), share),
            above,
          )
        : null,
      wanted[1] ? back(ofTarget ? mixed : own, left) : null,
      wanted[2] ? back(ofTarget ? ofBoth : mixed, right) : null,
    ];
  },
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: outputs[0]!.size * 3 }),
};

export const lossRows = {
  /** (x − t)². */
  mseLoss: lossRow("mseLoss"),
  /** |x − t|. */
  l1Loss: lossRow("l1Loss"),
  /** ½(x − t)²/beta within beta of 0, |x − t| − ½beta beyond. */
  smoothL1Loss: lossRow("smoothL1Loss"),
  /** ½(x − t)² within delta of 0, delta · (|x − t| − ½delta) beyond. */
  huberLoss: lossRow("huberLoss"),
  /** (1 − t)x + log(1 + e^−x). */
  bceWithLogitsLoss: lossRow("bceWithLogitsLoss"),
  lossGradient,
} as const;
