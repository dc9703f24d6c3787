// A tensor: what users hold. A strided array with the operations as methods, and what a notebook shows of it.
import { addresses } from "../device/addresses.ts";
import { apply, applyInto } from "../ops/core/apply.ts";
import { deviceNamed, isDeviceName } from "../device/choice.ts";
import { DeviceArray } from "../memory/array.ts";
import { bundleOf, displayKey, lineOf, smallKey, smallOf, textOf } from "./display.ts";
import {
  dtypeNames,
  factsOf,
  type Complex,
  isDType,
  type DType,
  type ElementOf,
  type ItemOf,
  type TypedArrayOf,
} from "../memory/dtype.ts";
import { TensorError } from "../errors.ts";
import {
  checkedAxis,
  checkedShape,
  formatShape,
  reshaped,
  reshapedStrides,
  type AxisSlice,
  type Shape,
} from "../memory/shape.ts";
import type { ElementwiseMethods } from "./elementwise.ts";
import type { InPlaceMethods } from "./in-place.ts";
import { addMethods } from "./methods.ts";
import type { ReductionMethods } from "./reductions.ts";
import { Storage } from "../memory/storage.ts";
import { expose, read as readBytes } from "../memory/transfer.ts";
import { moveTo } from "./to-device.ts";
import type { DeviceProcess } from "../device/process.ts";
import { checkedValue } from "../memory/value.ts";
import { worded } from "../wording.ts";
import {
  axes as axesKind,
  oneOf,
  reader,
  scalar,
  tensor as tensorKind,
  wholeNumber,
  wholeNumbers,
} from "./arguments.ts";

const shape = { required: { shape: wholeNumbers }, spread: true } as const;
/** What the methods of this class take. */
const read = {
  reshape: reader("reshape", shape),
  expand: reader("expand", shape),
  transpose: reader("transpose", { options: { axes: axesKind, other: wholeNumber }, bare: ["axes", "other"] }),
  contiguous: reader("contiguous", { options: { memoryFormat: oneOf("contiguous", "channelsLast") } }),
  to: reader("to", { options: { memoryFormat: oneOf("contiguous", "channelsLast") } }),
  copy_: reader("copy_", { required: { source: tensorKind } }),
  fill_: reader("fill_", { required: { value: scalar } }),
};

/** Arrays in arrays, as deep as a tensor has axes; the element itself for a tensor without axes. */
export type Nested<T> = T | Nested<T>[];

export interface Tensor<D extends DType = any> extends ElementwiseMethods<D>, InPlaceMethods<D>, ReductionMethods<D> {}

/**
 * Numbers of one dtype on one device. Views (`reshape`, `transpose`, `slice`) share memory with their tensor.
 * Operations need operands on one device; they run asynchronously, and reading (`toArray`, `data`, `item`) waits for
 * them. Operands of several dtypes are computed in the smallest that holds both; numbers are weak. The checker knows
 * the dtype as `D`; a bare `Tensor` may be of any, which is checked when it runs.
 * @example
 * const x = tensor([[1, 2], [3, 4]]);
 * x.T.matmul(x).add(1); // → tensor([[11, 15], [15, 21]], shape [2, 2], float32, cpu)
 */
export class Tensor<D extends DType = any> extends DeviceArray<D> {
  /** @internal A new tensor with undefined contents. Throws OutOfMemory. */
  static empty<D extends DType>(device: DeviceProcess, dtype: D, shape: Shape): Tensor<D> {
    let size = 1;
    const strides: number[] = new Array(shape.length);
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      strides[axis] = size;
      size *= shape[axis]!;
    }
    return new Tensor(new Storage(device, size * factsOf(dtype).bytes), dtype, { shape, strides, offset: 0 }, true);
  }

  /**
   * The name of the device that holds it: "cpu", "cuda:0", …
   * @example
   * zeros([2], { device: "cpu" }).device; // → 'cpu'
   */
  get device(): string {
    return this.deviceProcess.name;
  }

  /**
   * A launch that did not finish may have been writing it, and nothing has written the whole of its memory since.
   * @example
   * zeros([2]).isSuspect; // → false
   */
  get isSuspect(): boolean {
    return this.living().isSuspect;
  }

  /**
   * Where kernels find the first element, for a kernel that takes pointers to pointers: `tensor([a.address, b.address],
   * { dtype: "int64" })`. It holds until a fault, an interrupt or a restart begins another device process, and keeps no
   * tensor alive. What is written through it is not known to belong to this tensor. Throws TensorError.
   * @example
   * typeof zeros([2]).address; // → 'bigint'
   */
  get address(): bigint {
    this.living();
    addresses.areGiven = true;
    return BigInt(this.deviceProcess.request("address", { place: this.place }).address);
  }

  /**
   * The transpose of a matrix: a view with the last two axes swapped; a list stays as it is.
   * @example
   * tensor([[1, 2], [3, 4]]).T; // → tensor([[1, 3], [2, 4]], shape [2, 2], float32, cpu)
   */
  get T(): Tensor<D> {
    return this.transpose();
  }

  /**
   * The same elements, in row-major order, under another shape; one size may be −1. A view when the strides allow, else
   * a copy. The shape is a list or numbers in a row. Throws TensorError when the sizes differ.
   * @example
   * arange(6).reshape([2, -1]); // → tensor([[0, 1, 2], [3, 4, 5]], shape [2, 3], float32, cpu)
   */
  reshape(...sizes: number[] | [shape: readonly number[]]): Tensor<D> {
    this.checkLiving("reshape");
    const { shape } = read.reshape(sizes);
    const to = reshaped(this.size, this.shape, shape);
    const strides = reshapedStrides(this, to);
    return (
      strides !== null ? apply("reshape", [this], { shape: to, strides }) : apply("reshapeTo", [this], { shape: to })
    ) as Tensor<D>;
  }

  /**
   * A view with the axes in the order given as a list, with two axes swapped, `x.transpose(-1, -2)`, or without
   * arguments with the last two swapped.
   * @example
   * zeros([2, 3, 4]).transpose(1, 2).shape; // → [ 2, 4, 3 ]
   * zeros([2, 3, 4]).transpose([2, 0, 1]).shape; // → [ 4, 2, 3 ]
   */
  transpose(axes?: readonly number[]): Tensor<D>;
  transpose(first: number, second: number): Tensor<D>;
  transpose(...args: unknown[]): Tensor<D> {
    this.checkLiving("transpose");
    const rank = this.shape.length;
    const { axes, other } = read.transpose(args);
    if (Array.isArray(axes)) return apply("permute", [this], { axes }) as Tensor<D>;
    if (axes !== undefined && other === undefined)
      throw new TensorError(
        "AXIS",
        `transpose takes a list of axes, or two that are swapped, but got ${worded(axes)}.`,
      );
    if (axes === undefined && rank < 2) return apply("permute", [this], { axes: [...Array(rank).keys()] }) as Tensor<D>;
    const [a, b] = [(axes as number | undefined) ?? -2, other ?? -1].map((axis) =>
      checkedAxis(axis, Math.max(1, rank)),
    );
    const order = Array.from({ length: rank }, (_, axis) => (axis === a ? b! : axis === b ? a! : axis));
    return apply("permute", [this], { axes: order }) as Tensor<D>;
  }

  /**
   * A view of a part, e.g. `x.slice(0, [1, 3], null)`: one slice per axis, see {@link AxisSlice}.
   * @example
   * arange(12).reshape([3, 4]).slice(1); // → tensor([4, 5, 6, 7], shape [4], float32, cpu)
   * arange(12).reshape([3, 4]).slice(null, [0, 4, 2]).shape; // → [ 3, 2 ]
   */
  slice(...slices: AxisSlice[]): Tensor<D> {
    return apply("slice", [this], { slices }) as Tensor<D>;
  }

  /**
   * A view over a larger shape: axes of size 1 stretch, and new axes come first; −1 leaves an axis as it is.
   * @example
   * tensor([[1], [2]]).expand([2, 3]); // → tensor([[1, 1, 1], [2, 2, 2]], shape [2, 3], float32, cpu)
   */
  expand(...sizes: number[] | [shape: readonly number[]]): Tensor<D> {
    this.checkLiving("expand");
    const { shape } = read.expand(sizes);
    const missing = shape.length - this.shape.length;
    const whole = shape.map((size, axis) => (size === -1 ? (this.shape[axis - missing] ?? -1) : size));
    return apply("expand", [this], { shape: checkedShape(whole) }) as Tensor<D>;
  }

  /**
   * This tensor when it is contiguous, else a contiguous copy; with "channelsLast" the same, of [batch,
   * channels, height, width], with the channels of a place side by side.
   * @example
   * zeros([2, 3]).T.contiguous().strides; // → [ 2, 1 ]
   */
  contiguous(options?: { readonly memoryFormat?: "contiguous" | "channelsLast" }): Tensor<D>;
  contiguous(...args: unknown[]): Tensor<D> {
    this.checkLiving("contiguous");
    const { memoryFormat = "contiguous" } = read.contiguous(args);
    if (this.isContiguousIn(memoryFormat)) return this.expand(this.shape);
    if (memoryFormat === "contiguous") return this.clone();
    if (this.shape.length !== 4)
      throw new TensorError(
        "SHAPE",
        `Memory format "channelsLast" is for tensors of [batch, channels, height, width], not of shape ${formatShape(this.shape)}.`,
      );
    return this.transpose([0, 2, 3, 1]).clone().transpose([0, 3, 1, 2]);
  }

  /**
   * A contiguous copy in memory of its own; gradients pass through it.
   * @example
   * const x = ones([2]), y = x.clone();
   * y.fill_(5);
   * x; // → tensor([1, 1], shape [2], float32, cpu)
   */
  clone(): Tensor<D> {
    this.checkLiving("clone");
    return apply("clone", [this], {}) as Tensor<D>;
  }

  /**
   * Copies the elements of `source`, which broadcasts to this shape, over these; converts them to this dtype. Returns
   * this tensor.
   * @example
   * zeros([2]).copy_(tensor([1, 2])); // → tensor([1, 2], shape [2], float32, cpu)
   */
  copy_(source: Tensor): this;
  copy_(...args: unknown[]): this {
    this.checkLiving("copy_");
    const { source } = read.copy_(args);
    applyInto("convert", this, [source.expand(this.shape)], { dtype: this.dtype });
    return this;
  }

  /**
   * In place: every element `value`. Returns the tensor. Throws TensorError for a value that the dtype does not hold.
   * @example
   * zeros([3]).fill_(7); // → tensor([7, 7, 7], shape [3], float32, cpu)
   */
  fill_(value: number | bigint | boolean): this;
  fill_(...args: unknown[]): this {
    this.checkLiving("fill_");
    const { value } = read.fill_(args);
    checkedValue("fill_ writes", this.dtype, value);
    applyInto("fullLike", this, [this], { value });
    return this;
  }

  /**
   * The same values as another dtype, on another device ("cpu", "cuda", "cuda:1"), or in another memory format, as
   * {@link Tensor.contiguous} makes it; this tensor when nothing changes. Floats become integers by truncation, beyond
   * the range the nearest limit, NaN 0. Gradients go back to where the tensor was. One GPU copies from another without
   * the host where they reach each other's memory.
   * @example
   * tensor([1.7, -1.7]).to("int32"); // → tensor([1, -1], shape [2], int32, cpu)
   * tensor([1, 2]).to("cpu").device; // → 'cpu'
   * zeros([1, 2, 3, 4]).to({ memoryFormat: "channelsLast" }).strides; // → [ 24, 1, 8, 2 ]
   */
  to<E extends DType>(dtype: E): Tensor<E>;
  to(device: string): Tensor<D>;
  to(options: { readonly memoryFormat: "contiguous" | "channelsLast" }): Tensor<D>;
  to(target: string | { readonly memoryFormat: "contiguous" | "channelsLast" }): Tensor {
    this.checkLiving("to");
    if (typeof target === "object" && target !== null) return this.contiguous(read.to([target]));
    if (isDType(target))
      return target === this.dtype ? this.reshape(this.shape) : (apply("convert", [this], { dtype: target }) as Tensor);
    if (!isDeviceName(target))
      throw new TensorError(
        "TARGET",
        `to() takes a dtype (${dtypeNames.join(", ")}), a device ("cpu", "cuda", "cuda:N") or { memoryFormat } but got ${worded(target)}.`,
      );
    const device = deviceNamed(target);
    if (device === this.deviceProcess) return this.reshape(this.shape);
    if (!this.isContiguous && this.isContiguousIn("channelsLast"))
      return this.transpose([0, 2, 3, 1]).to(target).transpose([0, 3, 1, 2]);
    const copy = Tensor.empty(device, this.dtype, this.shape);
    moveTo(copy, this);
    return copy;
  }

  /** Shows `use` the bytes in row-major order, part by part, after all work submitted before. */
  #read(use: (part: Uint8Array, at: number) => void): void {
    const storage = this.living();
    if (this.isContiguous)
      return readBytes(this.execution, storage, this.offset * factsOf(this.dtype).bytes, this.bytes, use);
    // Whichever stream has written it.
    this.execution.waitForAll();
    using copy = this.clone();
    readBytes(copy.execution, copy.living(), 0, copy.bytes, use);
  }

  /**
   * A copy of the elements in row-major order: what is written to it changes no tensor, and later work does not change
   * it. float16 and bfloat16 are their bits (Uint16Array), bool is 0 and 1. Waits; throws what the work before failed
   * with. {@link memory} shows a tensor of the CPU without a copy.
   * @example
   * tensor([1, 2]).data(); // → Float32Array(2) [ 1, 2 ]
   */
  data(): TypedArrayOf<D> {
    if (!this.isContiguous) {
      this.execution.waitForAll();
      using copy = this.clone();
      return copy.#exposed();
    }
    return this.deviceProcess.kind === "cpu" ? (this.#exposed().slice() as TypedArrayOf<D>) : this.#exposed();
  }

  /**
   * The memory of a contiguous tensor of the CPU itself: it shows later changes, what is written to it is in the
   * tensor, and it is not freed while the array lives. Elements as in {@link data}. Waits; throws what the work before
   * failed with, and TensorError for a tensor on a GPU and for a view with gaps.
   * @example
   * const x = zeros([2], { device: "cpu" });
   * x.memory()[1] = 5;
   * x; // → tensor([0, 5], shape [2], float32, cpu)
   */
  memory(): TypedArrayOf<D> {
    this.checkLiving("memory");
    if (this.deviceProcess.kind !== "cpu")
      throw new TensorError(
        "TARGET",
        `memory() shows a tensor of the cpu in place, and this one is on ${this.device}: data() gives a copy of its elements.`,
      );
    if (!this.isContiguous)
      throw new TensorError(
        "SHAPE",
        `memory() shows a contiguous tensor in place, and this one has strides ${formatShape(this.strides)}: data() gives a copy of its elements.`,
      );
    return this.#exposed();
  }

  /** A contiguous tensor's elements: on the CPU the memory itself, on a GPU a copy. */
  #exposed(): TypedArrayOf<D> {
    const facts = factsOf(this.dtype);
    const storage = this.living();
    // An empty view may begin behind the end of its memory.
    const offset = this.size === 0 ? 0 : this.offset * facts.bytes;
    const { buffer, byteOffset } = expose(storage, offset, this.bytes);
    return new facts.array(buffer, byteOffset, this.bytes / facts.array.BYTES_PER_ELEMENT) as TypedArrayOf<D>;
  }

  /**
   * The elements as arrays in arrays, as deep as there are axes: numbers, bigints of int64 and uint64, booleans of
   * bool. How deep is not known to the checker: `x.toArray<number[]>()` tells it of a matrix. Of a tensor without axes
   * the element itself: {@link item}.
   * @example
   * tensor([[1, 2], [3, 4]]).toArray(); // → [ [ 1, 2 ], [ 3, 4 ] ]
   */
  toArray<Item = any>(): Item[] {
    return nested(this.shape, this.#elements()) as Item[];
  }

  /**
   * For `JSON.stringify`: {@link toArray} with 64-bit integers as numbers, those beyond 2^53 as texts. NaN and
   * infinities become null there.
   * @example
   * JSON.stringify({ weights: tensor([1, 2]) }); // → '{"weights":[1,2]}'
   */
  toJSON(): Nested<number | boolean | string> {
    const elements = this.#elements().map((element: unknown) =>
      typeof element === "bigint"
        ? isExact(element)
          ? Number(element)
          : String(element)
        : (element as number | boolean),
    );
    return nested(this.shape, elements);
  }

  /** The parts along the first axis, as views: `for (const row of x)`. Throws TensorError for a tensor without axes. */
  *[Symbol.iterator](): Generator<Tensor<D>, void, undefined> {
    if (this.shape.length === 0)
      throw new TensorError("SHAPE", "A tensor without axes has no rows to iterate over: x.item() is its element.");
    for (let row = 0; row < this.shape[0]!; row++) yield this.slice(row);
  }

  #elements(): ElementOf<D>[] {
    const { array, decode, kind } = factsOf(this.dtype);
    const elements: (number | bigint | boolean)[] = [];
    this.#read((part) => {
      const count = part.length / array.BYTES_PER_ELEMENT;
      for (const value of new array(part.buffer as ArrayBuffer, part.byteOffset, count) as Iterable<number | bigint>)
        elements.push(decode(value));
    });
    return (kind === "complex" ? paired(elements as number[]) : elements) as ElementOf<D>[];
  }

  /**
   * The element of a tensor of one element, as a number to compute with: `labels.get(i).item() + 1`. Throws TensorError
   * when there is another number of elements, and for a 64-bit integer from 2^53 on, which no number holds for certain:
   * `data()[0]` is its bigint.
   * @example
   * tensor([1, 2, 3]).sum().item(); // → 6
   */
  item(): ItemOf<D> {
    if (this.size !== 1)
      throw new TensorError(
        "SHAPE",
        `item() takes a tensor of one element, but the shape is ${formatShape(this.shape)}.`,
      );
    const element: unknown = this.#elements()[0];
    if (typeof element !== "bigint") return element as ItemOf<D>;
    if (isExact(element)) return Number(element) as ItemOf<D>;
    throw new TensorError(
      "VALUE",
      `item() gives a number, but ${element} is beyond 2^53, up to which numbers are exact: read the bigint with data()[0].`,
    );
  }

  /**
   * What a cell shows: the elements, shape, dtype and device. Waits for the device.
   * @example
   * String(tensor([1, 2])); // → 'tensor([1, 2], shape [2], float32, cpu)'
   */
  override toString(): string {
    return textOf(this);
  }

  /** Inside an object or array, where less depth is left than was asked for, one line. */
  [Symbol.for("nodejs.util.inspect.custom")](depth?: number | null, options?: { depth?: number | null }): string {
    return depth === options?.depth ? textOf(this) : lineOf(this);
  }

  /** For `${x}`. Throws TensorError where JavaScript wants a number, as for `x + 1`. */
  [Symbol.toPrimitive](hint: string): string {
    if (hint === "string") return textOf(this);
    throw new TensorError(
      "OPERATOR",
      "JavaScript's operators do not compute with tensors. Write x.add(1) for x + 1, x.mul(2) for x * 2, x.neg() for -x, x.lt(y) for x < y, x.item() for the number in a tensor of one element, and `${x}` for its text.",
    );
  }

  /** What a notebook shows. The statistics and the picture are reduced on the device. */
  [displayKey](): Record<string, unknown> {
    return bundleOf(this);
  }

  /** As a row among others. */
  [smallKey](): Record<string, string> {
    return smallOf(this);
  }
}

/** Real and imaginary parts in turns as complex numbers. */
function paired(parts: readonly number[]): Complex[] {
  return Array.from({ length: parts.length / 2 }, (_, at) => ({ re: parts[2 * at]!, im: parts[2 * at + 1]! }));
}

/** A flat list as arrays in arrays. */
function nested<T>(shape: Shape, flat: readonly T[]): Nested<T> {
  const build = (axis: number, at: number, step: number): Nested<T> => {
    if (axis === shape.length) return flat[at]!;
    const length = shape[axis]!;
    const inner = step / length;
    return Array.from({ length }, (_, index) => build(axis + 1, at + index * inner, inner));
  };
  return build(0, 0, flat.length);
}

/** Whether a number holds the integer, and no other one besides. */
const isExact = (integer: bigint): boolean => Number.isSafeInteger(Number(integer));

addMethods(Tensor.prototype, (value) => value instanceof Tensor);
