// Discrete Fourier transforms over one or several axes, of complex numbers, of real ones and to them:
// y[k] = scale · Σ x[j] · exp(∓2πi·jk/n), by a library of the device, else by the library's own kernels.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { factsOf } from "../../memory/dtype.ts";
import { sizeOf, transposed } from "../../memory/shape.ts";
import { call } from "../core/calls.ts";
import { mayTake, refusal, takes } from "../core/dispatch.ts";
import type { Computation } from "../core/operation.ts";
import { inverse } from "../core/order.ts";
import { complexDType } from "../complex/parts.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { aroundAxis } from "../index/along.ts";
import { contiguous, copy } from "../shape/copy.ts";
import type { PartDType } from "./chain.ts";
import { complexFft, scaleInto } from "./complex-fft.ts";
import { fftPlan, hasLibraryFft, mostLibraryAxes, runFft } from "./library-fft.ts";
import { realFft, realInverse } from "./real-fft.ts";

export interface Transform {
  /** Of complex numbers; of real ones, to the half that the other follows from; back from that half. */
  readonly kind: "c2c" | "r2c" | "c2r";
  /** The last one is that of real numbers. */
  readonly axes: readonly number[];
  /** The exponent's sign is +. */
  readonly isInverse: boolean;
  readonly scale: number;
  /**
   * Of r2c and c2r, what the complex numbers are multiplied by that stand for two: not the first, nor the last of an
   * even length. 1 but in gradients, of which one transform is then the other's.
   */
  readonly inside: number;
  /** Real numbers along the last axis. */
  readonly length: number;
}

/** Arrays without gaps: of complex numbers, or `dtype` itself. */
interface Task {
  readonly out: DeviceArray;
  readonly x: DeviceArray;
  readonly dtype: PartDType;
  readonly transform: Transform;
}

/** Where a library takes axes: behind all others, or one in front of all, along columns. */
function libraryWay({ x: { shape }, transform: { kind, axes } }: Task): "rows" | "columns" | null {
  const first = shape.length - axes.length;
  if (axes.every((axis, at) => axis === first + at)) return "rows";
  return kind === "c2c" && axes.length === 1 && aroundAxis(shape, axes[0]!).outer === 1 ? "columns" : null;
}

/** By a library of the device, whose results have no factors; whether one did it. */
function byLibrary(on: Execution, task: Task): boolean {
  const way = libraryWay(task);
  if (way === null) return inOrder(on, task, task.transform.axes, (moved) => byLibrary(on, moved));
  const { out, x, dtype, transform } = task;
  const { kind, axes, isInverse, scale, inside, length } = transform;
  const inner = way === "columns" ? aroundAxis(x.shape, axes[0]!).inner : 1;
  const sizes = axes.map((axis, at) => (kind === "c2r" && at === axes.length - 1 ? length : x.shape[axis]!));
  const batches = way === "columns" ? inner : sizeOf(x.shape.slice(0, axes[0]));
  const terms = { kind, sizes, batches, stride: inner, isInverse: kind === "c2c" ? isInverse : kind === "c2r" };
  const plan = fftPlan(on, dtype, [out, x], terms);
  if (plan === null) return false;
  // A library gives the first half of one direction, and takes that of the other: the conjugates stand for the rest.
  const conjugates = kind === "c2c" ? false : isInverse !== (kind === "c2r");
  const ends = { width: kind === "c2c" ? 1 : Math.floor(length / 2) + 1, n: length, inside, conjugates };
  if (kind === "c2r") {
    // It writes over what it reads.
    using scaled = DeviceArray.allocate(on.device, x.dtype, x.shape);
    scaleInto(on, dtype, scaled, x, x.size, scale, ends);
    runFft(on, plan, out, scaled);
    return true;
  }
  runFft(on, plan, out, x);
  if (scale !== 1 || inside !== 1 || conjugates) scaleInto(on, dtype, out, out, out.size, scale, ends);
  return true;
}

/** By the library's own kernels, one axis after the other. */
function byKernels(on: Execution, task: Task): void {
  const { out, x, dtype, transform } = task;
  const { kind, axes, isInverse, scale, inside, length } = transform;
  const last = axes.at(-1)!;
  if (kind !== "c2c" && last !== x.shape.length - 1)
    return void inOrder(on, task, [last], (moved) => (byKernels(on, moved), true));
  const others = (kind === "c2c" ? [...axes] : axes.slice(0, -1)).reverse();
  const along = (to: DeviceArray, from: DeviceArray, factor: number) =>
    others.forEach((axis, at) => {
      const { outer, length: n, inner } = aroundAxis(to.shape, axis);
      const own = at === others.length - 1 ? factor : 1;
      complexFft(on, dtype, to, at === 0 ? from : to, { outer, n, inner }, isInverse, own);
    });
  if (kind === "c2c") return along(out, x, scale);
  const real = { rows: sizeOf(x.shape.slice(0, -1)), n: length, inside, conjugates: isInverse !== (kind === "c2r") };
  if (kind === "r2c") {
    realFft(on, dtype, out, x, { ...real, scale: others.length === 0 ? scale : 1 });
    return along(out, out, scale);
  }
  if (others.length === 0) return realInverse(on, dtype, out, x, { ...real, scale });
  using turned = DeviceArray.allocate(on.device, x.dtype, x.shape);
  along(turned, x, 1);
  realInverse(on, dtype, out, turned, { ...real, scale });
}

/** Has `use` work on copies with some axes at the end. */
function inOrder(
  on: Execution,
  { out, x, dtype, transform }: Task,
  behind: readonly number[],
  use: (task: Task) => boolean,
): boolean {
  const order = [...x.shape.keys()].filter((axis) => !behind.includes(axis)).concat(behind);
  using turned = viewOf(x, transposed(x, order));
  using source = contiguous(on, turned);
  const shape = order.map((axis) => out.shape[axis]!);
  using target = DeviceArray.allocate(on.device, out.dtype, shape);
  const axes = transform.axes.map((axis) => order.indexOf(axis));
  if (!use({ out: target, x: source, dtype, transform: { ...transform, axes } })) return false;
  using back = viewOf(target, transposed(target, inverse(order)));
  copy(on, out, back);
  return true;
}

/** Its axes in the order of memory, but for the last one of real numbers. */
function sorted(transform: Transform): Transform {
  const { kind, axes } = transform;
  const free = kind === "c2c" ? axes.length : axes.length - 1;
  return { ...transform, axes: [...axes.slice(0, free).sort((a, b) => a - b), ...axes.slice(free)] };
}

const fourier: Computation<[x: DeviceArray], Transform> = {
  inPlace: false,
  infer([x], { kind, axes, length }) {
    const last = axes.at(-1)!;
    const along = kind === "r2c" ? Math.floor(length / 2) + 1 : length;
    const shape = kind === "c2c" ? x.shape : x.shape.map((size, axis) => (axis === last ? along : size));
    const { parts, kind: numbers } = factsOf(x.dtype);
    return [{ shape, dtype: kind === "c2r" ? parts! : numbers === "complex" ? x.dtype : complexDType("fft", x.dtype) }];
  },
  run([out], [x], transform, on) {
    using source = contiguous(on, x);
    const dtype = (factsOf(x.dtype).parts ?? x.dtype) as PartDType;
    const task = { out: out!, x: source, dtype, transform: sorted(transform) };
    const isForLibrary = transform.axes.length <= mostLibraryAxes && mayTake("fft", "library");
    if (isForLibrary && hasLibraryFft(on.device) && byLibrary(on, task)) return;
    if (!mayTake("fft", "kernel")) throw refusal("fft");
    takes(on, "fft", "kernel");
    byKernels(on, task);
  },
  // The transposed transform: the other direction, from the complex numbers to the real ones and back.
  gradient([g], { attributes }) {
    const { kind, isInverse, inside } = attributes;
    const back = { ...attributes, isInverse: !isInverse };
    if (kind === "r2c") return [call("fourier", [g!], { ...back, kind: "c2r", inside: inside / 2 })];
    if (kind === "c2r") return [call("fourier", [g!], { ...back, kind: "r2c", inside: inside * 2 })];
    return [call("fourier", [g!], back)];
  },
  cost(inputs, outputs, { kind, axes }) {
    const [x] = inputs;
    const points = Math.max(x.size, outputs[0]!.size) / (kind === "c2c" ? 1 : 2);
    const sizes = axes.map((axis) => x.shape[axis]!);
    return {
      bytes: bytesMoved(inputs) + bytesMoved(outputs),
      flops: 5 * points * Math.log2(Math.max(2, sizeOf(sizes))),
    };
  },
};

export const fourierRows = { fourier } as const;
