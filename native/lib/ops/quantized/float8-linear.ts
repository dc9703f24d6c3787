// The products of a linear layer in 8-bit floats, forward and backward, with scales from the steps before (delayed
// scaling): nothing is looked at twice, and nothing waits.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { factsOf, type DType } from "../../memory/dtype.ts";
import { TensorError } from "../../errors.ts";
import { formatShape, sizeOf, transposed } from "../../memory/shape.ts";
import { Repeated } from "../../repeated.ts";
import { call, callAll } from "../core/calls.ts";
import type { Computation } from "../core/operation.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { blocksFor, threadsOf } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";
import { withFlat } from "../shape/copy.ts";
import { reshaped } from "../shape/views.ts";
import { scaledRows } from "./scaled.ts";

/** The histories by which a function that is run again scales. */
export const histories = new Repeated<DeviceArray>();

/** What is rounded: the layer's inputs, its weight, the gradients of its outputs. */
export const float8Roles = ["input", "weight", "gradient"] as const;
type Role = (typeof float8Roles)[number];

interface Delay {
  /** Added to the power of 2. */
  readonly margin: number;
  /** This is a step: it goes into the history. */
  readonly isNoted: boolean;
}
export interface Float8LinearAttributes extends Delay {
  /** Of the outputs. */
  readonly dtype: DType;
  /** The operand once more: a gradient wants operands as they were, but this as it is. */
  readonly history: DeviceArray;
  /** What gradients are rounded to. */
  readonly gradients: Float8;
  /** The step was noted before: only its gradients are yet to be. */
  readonly isAgain: boolean;
}
type Float8 = "float8_e4m3" | "float8_e5m2";

const wide: readonly DType[] = ["float32", "float16", "bfloat16"];
const familiesOf = (format: Float8) => ({
  scale: new KernelFamily("float8", ["float32"], () => `delayed_scale<${factsOf(format).c}>`, [
    "out",
    "out",
    "i32",
    "i32",
    "i32",
  ]),
  round: new KernelFamily("float8", wide, (type) => `delayed_round<${type}, ${factsOf(format).c}>`, [
    "place",
    "place",
    "out",
    "out",
    "i64",
  ]),
});
const kernels = { float8_e4m3: familiesOf("float8_e4m3"), float8_e5m2: familiesOf("float8_e5m2") };
const facts = kernelFacts("float8", {
  threads: "kFloat8Threads",
  each: "kFloat8Each",
  longest: "kFloat8History",
  none: "kFloat8None",
});

/** The most steps that a history has. */
export const longestHistory = (): number => facts().longest;
/** What a history has for steps that showed nothing but zeros, or were not yet. */
export const emptyStep = (): number => facts().none;

/**
 * Fills `out` with x / scale in 8 bits, and `scale` by the history of its role: int32 [roles, steps], the newest first,
 * the power of 2 that each step's largest number needed.
 */
function roundInto(
  on: Execution,
  [out, scale]: readonly [DeviceArray, DeviceArray],
  x: DeviceArray,
  role: Role,
  history: DeviceArray,
  { margin, isNoted }: Delay,
): void {
  const { threads, each, longest } = facts();
  const steps = history.shape[1]!;
  const row = float8Roles.indexOf(role);
  using own = viewOf(history, { shape: [steps], strides: [1], offset: history.offset + row * steps });
  const { scale: scaling, round } = kernels[out.dtype as Float8];
  scaling.launch(on, "float32", { grid: 1, block: threadsOf(on.device, longest) }, [
    own,
    scale,
    steps,
    margin,
    Number(isNoted),
  ]);
  if (x.size === 0) return;
  withFlat(on, x, x.dtype, (flat) => {
    const { grid, block } = blocksFor(on.device, x.size, { threads, each });
    const args = [flat, scale, out, isNoted ? own : null, x.size];
    round.launch(on, x.dtype, { grid: Math.min(grid, mostBlocks), block }, args);
  });
}

/** The kernel goes on with the next elements where blocks are fewer. */
const mostBlocks = 2 ** 16;

const turned = (matrix: DeviceArray) => viewOf(matrix, transposed(matrix, [1, 0]));

/** Fills `out` [m, n] with the product of a [m, k] and b [k, n]. */
function productInto(
  on: Execution,
  out: DeviceArray,
  [a, scaleA]: readonly [DeviceArray, DeviceArray],
  [b, scaleB]: readonly [DeviceArray, DeviceArray],
): void {
  if (out.size > 0) scaledRows.scaledMatmul.run([out], [a, b, scaleA, scaleB], { dtype: out.dtype, fast: false }, on);
}

const flops = (rows: number, weight: DeviceArray) => 2 * rows * weight.size;

/**
 * Inputs x […, in], weight [out, in] and the history, which changes; outputs x · weightᵀ, and what it was made of: x
 * and the weight in 8 bits, as matrices, with their scales.
 */
const float8Linear: Computation<[x: DeviceArray, weight: DeviceArray, history: DeviceArray], Float8LinearAttributes> = {
  inPlace: false,
  infer([x, weight], { dtype }) {
    for (const each of [x, weight])
      if (!wide.includes(each.dtype))
        throw new TensorError(
          "DTYPE",
          `A linear layer in 8-bit floats takes float32, float16 or bfloat16 but got ${each.dtype}.`,
        );
    const [outputs, inputs] = weight.shape as [number, number];
    if (x.shape.length === 0 || x.shape.at(-1) !== inputs)
      throw new TensorError(
        "SHAPE",
        `A linear layer in 8-bit floats with a weight of shape ${formatShape(weight.shape)} takes tensors of shape […, ${inputs}] but got ${formatShape(x.shape)}.`,
      );
    const rows = sizeOf(x.shape.slice(0, -1));
    const scale = { shape: [], dtype: "float32" } as const;
    return [
      { shape: [...x.shape.slice(0, -1), outputs], dtype },
      { shape: [rows, inputs], dtype: "float8_e4m3" },
      { shape: weight.shape, dtype: "float8_e4m3" },
      scale,
      scale,
    ];
  },
  run([y, input, matrix, inputScale, matrixScale], [x, weight, history], { margin, isNoted, isAgain }, on) {
    const rows = input!.shape[0]!;
    const delay = { margin, isNoted: isNoted && !isAgain };
    roundInto(on, [input!, inputScale!], x, "input", history, delay);
    roundInto(on, [matrix!, matrixScale!], weight, "weight", history, delay);
    using across = turned(matrix!);
    const outputs = weight.shape[0]!;
    using out = viewOf(y!, { shape: [rows, outputs], strides: [outputs, 1], offset: y!.offset });
    productInto(on, out, [input!, inputScale!], [across, matrixScale!]);
  },
  gradient([g], { inputs: [x, weight], outputs: [, input, matrix, inputScale, matrixScale], attributes, wanted }) {
    if (g == null) return [null, null, null];
    const rows = input!.shape[0]!;
    const { history, ...delay } = attributes;
    const found = callAll(
      "float8LinearGradient",
      [reshaped(g, [rows, weight.shape[0]!]), input!, matrix!, inputScale!, matrixScale!, history],
      { ...delay, dtypes: [wanted[0] ? x.dtype : null, wanted[1] ? weight.dtype : null] },
    );
    return [wanted[0] ? reshaped(found[0]!, x.shape) : null, wanted[1] ? found.at(-1)! : null, null];
  },
  cost: ([x, weight], outputs) => ({
    bytes: bytesMoved([x, weight]) + bytesMoved(outputs),
    flops: flops(outputs[1]!.shape[0]!, weight),
  }),
};

/**
 * Inputs the gradient [rows, out] of the outputs, what {@link float8Linear} made of its operands, and the history;
 * outputs the gradients of x, as a matrix, and of the weight, of those dtypes; `null` for one that nobody wants.
 */
const float8LinearGradient: Computation<
  [
    g: DeviceArray,
    x: DeviceArray,
    weight: DeviceArray,
    xScale: DeviceArray,
    weightScale: DeviceArray,
    history: DeviceArray,
  ],
  Omit<Float8LinearAttributes, "history"> & { readonly dtypes: readonly [x: DType | null, weight: DType | null] }
> = {
  inPlace: false,
  infer: ([, x, weight], { dtypes }) =>
    [x, weight].flatMap(({ shape }, index) => (dtypes[index] === null ? [] : [{ shape, dtype: dtypes[index]! }])),
  run(outputs, [g, x, weight, xScale, weightScale, history], attributes, on) {
    using rounded = DeviceArray.allocate(on.device, attributes.gradients, g.shape);
    using scale = DeviceArray.allocate(on.device, "float32", []);
    roundInto(on, [rounded, scale], g, "gradient", history, attributes);
    if (attributes.dtypes[0] !== null) productInto(on, outputs[0]!, [rounded, scale], [weight, weightScale]);
    if (attributes.dtypes[1] === null) return;
    using across = turned(rounded);
    productInto(on, outputs.at(-1)!, [across, scale], [x, xScale]);
  },
  gradient: null,
  cost: ([g, x, weight], outputs) => ({
    bytes: bytesMoved([g, x, weight]) + bytesMoved(outputs),
    flops: outputs.length * flops(g.shape[0]!, weight),
  }),
};

export const float8Rows = { float8Linear, float8LinearGradient } as const;
