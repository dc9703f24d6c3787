// A tensor: what users hold. A strided array with the operations as methods, and what a notebook shows of it.
import { apply, applyInto } from "../ops/apply.ts";
import { contiguous } from "../ops/copy.ts";
import { deviceNamed, isDeviceName } from "../device/choice.ts";
import { DeviceArray } from "../memory/array.ts";
import { displayKey, htmlOf, lineOf, payloadOf, textOf } from "./display.ts";
import { dtypeNames, factsOf, isDType, type DType, type ElementOf, type TypedArrayOf } from "../memory/dtype.ts";
import { TensorError } from "../errors.ts";
import { checkedShape, formatShape, reshaped, reshapedStrides, type AxisSlice, type Shape } from "../memory/shape.ts";
import { addMethods, type BinaryMethods, type InPlaceMethods, type UnaryMethods } from "./methods.ts";
import { Storage } from "../memory/storage.ts";
import { expose, read, upload } from "../memory/transfer.ts";
import type { DeviceProcess } from "../device/process.ts";
import { Op } from "../wire/commands.ts";
import { worded } from "../wording.ts";

/** Arrays in arrays, as deep as a tensor has axes; the element itself for a tensor without axes. */
export type Nested<T> = T | Nested<T>[];

export interface Tensor<D extends DType = DType> extends UnaryMethods<D>, BinaryMethods<D>, InPlaceMethods<D> {}

/**
 * Numbers of one dtype on one device. Views (`reshape`, `transpose`, `slice`) share memory with their tensor. Operations need operands on one device; they run
 * asynchronously, and reading (`toArray`, `data`, `item`) waits for them. Operands of several dtypes are computed in the smallest that holds both; numbers are weak.
 */
export class Tensor<D extends DType = DType> extends DeviceArray<D> {
  /** A new tensor with undefined contents. Throws OutOfMemory. */
  static empty<D extends DType>(device: DeviceProcess, dtype: D, shape: Shape): Tensor<D> {
    let size = 1;
    const strides: number[] = new Array(shape.length);
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      strides[axis] = size;
      size *= shape[axis]!;
    }
    return new Tensor(new Storage(device, size * factsOf(dtype).bytes), dtype, { shape, strides, offset: 0 }, true);
  }

  /** "cpu", "cuda:0", … */
  get device(): string {
    return this.deviceProcess.name;
  }

  /** A launch that did not finish may have been writing it, and nothing has written the whole of its memory since. */
  get isSuspect(): boolean {
    return this.living().isSuspect;
  }

  /**
   * Where kernels find the first element, for a kernel that takes pointers to pointers: `tensor([a.address, b.address], { dtype: "int64" })`. It holds until a fault, an
   * interrupt or a restart begins another device process, and keeps no tensor alive. What is written through it is not known to belong to this tensor. Throws TensorError.
   */
  get address(): bigint {
    this.living();
    const [address] = this.deviceProcess.request(Op.address, [
      String((BigInt(this.placeHigh) << 32n) + BigInt(this.placeLow)),
    ]);
    return BigInt(Buffer.from(address!).toString());
  }

  /** The transpose of a matrix: the last two axes swapped. */
  get T(): Tensor<D> {
    return this.transpose();
  }

  /** The same elements, in row-major order, under another shape; one size may be −1. A view when the strides allow, else a copy. Throws TensorError when the sizes differ. */
  reshape(shape: readonly number[]): Tensor<D> {
    const to = reshaped(this.size, this.shape, shape);
    const strides = reshapedStrides(this, to);
    return (
      strides !== null ? apply("reshape", [this], { shape: to, strides }) : apply("reshapeTo", [this], { shape: to })
    ) as Tensor<D>;
  }

  /** A view with the axes in the order given, or with the last two swapped. */
  transpose(axes?: readonly number[]): Tensor<D> {
    const rank = this.shape.length;
    const order = axes ?? [
      ...Array(Math.max(0, rank - 2)).keys(),
      ...(rank < 2 ? Array(rank).keys() : [rank - 1, rank - 2]),
    ];
    return apply("permute", [this], { axes: order }) as Tensor<D>;
  }

  /** A view of a part, e.g. `x.slice(0, [1, 3], null)`: one slice per axis, see {@link AxisSlice}. */
  slice(...slices: AxisSlice[]): Tensor<D> {
    return apply("slice", [this], { slices }) as Tensor<D>;
  }

  /** A view over a larger shape: axes of size 1 stretch, and new axes come first. */
  expand(shape: readonly number[]): Tensor<D> {
    return apply("expand", [this], { shape: checkedShape(shape) }) as Tensor<D>;
  }

  /** This tensor when it is contiguous, else a contiguous copy; with "channelsLast" the same of [batch, channels, height, width] with the channels of a place side by side. */
  contiguous({
    memoryFormat = "contiguous",
  }: {
    readonly memoryFormat?: "contiguous" | "channelsLast";
  } = {}): Tensor<D> {
    if (this.isContiguousIn(memoryFormat)) return this.expand(this.shape);
    if (memoryFormat === "contiguous") return this.clone();
    if (this.shape.length !== 4)
      throw new TensorError(
        "SHAPE",
        `Memory format "channelsLast" is for tensors of [batch, channels, height, width], not of shape ${formatShape(this.shape)}.`,
      );
    return this.transpose([0, 2, 3, 1]).clone().transpose([0, 3, 1, 2]);
  }

  /** A contiguous copy in memory of its own. */
  clone(): Tensor<D> {
    return apply("convert", [this], { dtype: this.dtype }) as Tensor<D>;
  }

  /** Copies the elements of `source`, which broadcasts to this shape, over these; converts them to this dtype. Returns this tensor. */
  copy_(source: Tensor): this {
    applyInto("convert", this, [source.expand(this.shape)], { dtype: this.dtype });
    return this;
  }

  /** Sets every element. */
  fill_(value: number | bigint | boolean): this {
    applyInto("fullLike", this, [this], { value });
    return this;
  }

  /**
   * The same values as another dtype, or on another device ("cpu", "cuda", "cuda:1"); this tensor when nothing changes. Floats become integers
   * by truncation, beyond the range the nearest limit, NaN 0.
   */
  to<E extends DType>(dtype: E): Tensor<E>;
  to(device: string): Tensor<D>;
  to(target: string): Tensor {
    if (isDType(target))
      return target === this.dtype ? this.reshape(this.shape) : (apply("convert", [this], { dtype: target }) as Tensor);
    if (!isDeviceName(target))
      throw new TensorError(
        "TARGET",
        `to() takes a dtype (${dtypeNames.join(", ")}) or a device ("cpu", "cuda", "cuda:N") but got ${worded(target)}.`,
      );
    const device = deviceNamed(target);
    if (device === this.deviceProcess) return this.reshape(this.shape);
    const copy = Tensor.empty(device, this.dtype, this.shape);
    this.#read((part, at) => upload(copy.living(), at, part));
    return copy;
  }

  /** Shows `use` the bytes in row-major order, part by part, after all work submitted before. */
  #read(use: (part: Uint8Array, at: number) => void): void {
    const storage = this.living();
    if (this.isContiguous) return read(storage, this.offset * factsOf(this.dtype).bytes, this.bytes, use);
    using copy = this.clone();
    read(copy.living(), 0, copy.bytes, use);
  }

  /**
   * The elements in row-major order. On `cpu` a contiguous tensor's own memory: it shows later changes, and is not freed while an array over it lives.
   * Otherwise a copy. float16 and bfloat16 are their bits (Uint16Array), bool is 0 and 1. Waits; throws what the work before failed with.
   */
  data(): TypedArrayOf<D> {
    if (!this.isContiguous) {
      using copy = this.clone();
      return copy.data();
    }
    const facts = factsOf(this.dtype);
    const { buffer, byteOffset } = expose(this.living(), this.offset * facts.bytes, this.bytes);
    return new facts.array(buffer, byteOffset, this.size) as TypedArrayOf<D>;
  }

  /** The elements as nested arrays: numbers, bigint for int64, booleans for bool. */
  toArray(): Nested<ElementOf<D>> {
    const flat = this.#elements();
    const build = (axis: number, at: number, step: number): Nested<ElementOf<D>> => {
      if (axis === this.shape.length) return flat[at]!;
      const length = this.shape[axis]!;
      const inner = step / length;
      return Array.from({ length }, (_, index) => build(axis + 1, at + index * inner, inner));
    };
    return build(0, 0, this.size);
  }

  #elements(): ElementOf<D>[] {
    const { array, bytes, decode } = factsOf(this.dtype);
    const elements: ElementOf<D>[] = [];
    this.#read((part) => {
      for (const value of new array(part.buffer as ArrayBuffer, part.byteOffset, part.length / bytes) as Iterable<
        number | bigint
      >)
        elements.push(decode(value) as ElementOf<D>);
    });
    return elements;
  }

  /** The element of a tensor of one element. Throws TensorError when it has another number of them. */
  item(): ElementOf<D> {
    if (this.size !== 1)
      throw new TensorError(
        "SHAPE",
        `item() takes a tensor of one element, but the shape is ${formatShape(this.shape)}.`,
      );
    return this.#elements()[0]!;
  }

  /** Matrix product of the last two axes; axes before them broadcast. float16 and bfloat16 accumulate in float32, integers in 64 bits. */
  matmul(other: Tensor): Tensor<D> {
    return apply("matmul", [this, other], {}) as Tensor<D>;
  }

  /** Each element, at least `min` and at most `max`. */
  clamp({ min = -Infinity, max = Infinity }: { readonly min?: number; readonly max?: number }): Tensor {
    return apply("clamp", [this], { min, max }) as Tensor;
  }
  /** ½x(1 + erf(x/√2)), or its approximation by tanh. */
  gelu({ approximate = "none" }: { readonly approximate?: "none" | "tanh" } = {}): Tensor {
    return apply("gelu", [this], { approximate }) as Tensor;
  }
  /** x where it is ≥ 0, else slope · x. */
  leakyRelu(slope = 0.01): Tensor {
    return apply("leakyRelu", [this], { slope }) as Tensor;
  }
  /** x where it is > 0, else alpha · (e^x − 1). */
  elu(alpha = 1): Tensor {
    return apply("elu", [this], { alpha }) as Tensor;
  }
  /** This tensor's elements where `condition` is true, else those of `other`. */
  where(condition: Tensor<"bool">, other: Tensor | number | bigint | boolean): Tensor {
    return apply("where", [condition, this, other], {}) as Tensor;
  }

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
      "JavaScript's operators do not compute with tensors. Write x.add(1) for x + 1, x.mul(2) for x * 2, x.item() for the number in a tensor of one element, and `${x}` for its text.",
    );
  }

  /** What a notebook shows. The statistics and the picture are reduced on the device. */
  [displayKey](): Record<string, unknown> {
    return { "text/plain": textOf(this), "text/html": htmlOf(this), ...payloadOf(this) };
  }
}

addMethods(Tensor.prototype, (value) => value instanceof Tensor);
