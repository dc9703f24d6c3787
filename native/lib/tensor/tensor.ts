// A tensor: a view of a storage with a dtype, and the methods that users call on it.
import { apply } from "../ops/apply.ts";
import { deviceNamed, isDeviceName } from "../device/choice.ts";
import { displayKey, htmlOf, payloadOf, textOf } from "./display.ts";
import { dtypeNames, factsOf, isDType, type DType, type ElementOf, type TypedArrayOf } from "../memory/dtype.ts";
import { TensorError } from "../errors.ts";
import { checkedAxis, formatShape, isContiguous, reshaped, reshapedStrides, sizeOf, sliced, stridesOf, transposed, type AxisSlice, type Shape, type View } from "../memory/shape.ts";
import { Storage } from "../memory/storage.ts";
import { expose, read, upload } from "../memory/transfer.ts";
import type { DeviceProcess } from "../device/process.ts";
import { worded } from "../wording.ts";

/** Arrays in arrays, as deep as a tensor has axes; the element itself for a tensor without axes. */
export type Nested<T> = T | Nested<T>[];

/** `axis`: one axis, several, or all (left out); negative ones count from the end. `keepdims`: reduced axes stay, with size 1. */
export interface ReduceOptions { readonly axis?: number | readonly number[]; readonly keepdims?: boolean; }

/**
 * Numbers of one dtype on one device. Views (`reshape`, `transpose`, `slice`) share memory with their tensor. Operations need operands of one
 * dtype on one device; they run asynchronously, and reading (`toArray`, `data`, `item`) waits for them.
 */
export class Tensor<D extends DType = DType> implements Disposable {
  readonly dtype: D;
  readonly shape: Shape;
  /** Elements between neighbours along each axis. */
  readonly strides: readonly number[];
  /** Number of elements. */
  readonly size: number;
  /** Row-major without gaps: raw kernel launches need it. */
  readonly isContiguous: boolean;
  /** Elements before the first one in the storage. */
  readonly offset: number;
  /** Halves of the first element's place, ready for a launch. */
  readonly placeLow: number;
  readonly placeHigh: number;
  readonly #device: DeviceProcess;
  #storage: Storage | null;

  /** For the library: use {@link tensor}, {@link zeros} and their like. Takes over one hold on the storage. */
  constructor(storage: Storage, dtype: D, view: View) {
    this.dtype = dtype;
    this.shape = view.shape;
    this.strides = view.strides;
    this.offset = view.offset;
    this.size = sizeOf(view.shape);
    this.isContiguous = isContiguous(view.shape, view.strides);
    const place = storage.place + view.offset * factsOf(dtype).bytes;
    this.placeLow = place >>> 0;
    this.placeHigh = (place - this.placeLow) / 2 ** 32;
    this.#device = storage.device;
    this.#storage = storage;
  }

  /** A new tensor with undefined contents. Throws OutOfMemory. */
  static empty<D extends DType>(device: DeviceProcess, dtype: D, shape: Shape): Tensor<D> {
    return new Tensor(new Storage(device, sizeOf(shape) * factsOf(dtype).bytes), dtype, { shape, strides: stridesOf(shape), offset: 0 });
  }

  /** "cpu", "cuda:0", … */
  get device(): string { return this.#device.name; }

  /** The memory, or `null` once disposed of. */
  get storage(): Storage | null { return this.#storage; }

  /** Bytes of the elements. */
  get bytes(): number { return this.size * factsOf(this.dtype).bytes; }

  get isDisposed(): boolean { return this.#storage === null; }

  /** A launch that did not finish may have been writing it, and nothing has written it since. */
  get isSuspect(): boolean { return this.#living().isSuspect; }

  /** The transpose of a matrix: the last two axes swapped. */
  get T(): Tensor<D> { return this.transpose(); }

  #living(): Storage {
    if (this.#storage === null) throw new TensorError("DISPOSED", `Expected a living tensor but got one of shape ${formatShape(this.shape)} that has been disposed of.`);
    return this.#storage;
  }

  #view(view: View): Tensor<D> {
    return new Tensor(this.#living().hold(), this.dtype, view);
  }

  /** The same elements, in row-major order, under another shape; one size may be −1. A view when the strides allow, else a copy. Throws TensorError when the sizes differ. */
  reshape(shape: readonly number[]): Tensor<D> {
    const to = reshaped(this.size, this.shape, shape);
    const strides = reshapedStrides(this, to);
    if (strides !== null) return this.#view({ shape: to, strides, offset: this.offset });
    const copy = apply("convert", [this], { dtype: this.dtype });
    return new Tensor(copy.storage!, this.dtype, { shape: to, strides: stridesOf(to), offset: 0 });
  }

  /** A view with the axes in the order given, or with the last two swapped. */
  transpose(axes?: readonly number[]): Tensor<D> {
    const rank = this.shape.length;
    const order = axes ?? [...Array(Math.max(0, rank - 2)).keys(), ...(rank < 2 ? Array(rank).keys() : [rank - 1, rank - 2])];
    return this.#view(transposed(this, order));
  }

  /** A view of a part, e.g. `x.slice(0, [1, 3], null)`: one slice per axis, see {@link AxisSlice}. */
  slice(...slices: AxisSlice[]): Tensor<D> {
    return this.#view(sliced(this, slices));
  }

  /** This tensor when it is contiguous, else a contiguous copy. */
  contiguous(): Tensor<D> {
    return this.isContiguous ? this.#view(this) : this.clone();
  }

  /** A contiguous copy in memory of its own. */
  clone(): Tensor<D> {
    return apply("convert", [this], { dtype: this.dtype }) as Tensor<D>;
  }

  /**
   * The same values as another dtype, or on another device ("cpu", "cuda", "cuda:1"); this tensor when nothing changes. Floats become integers
   * by truncation, beyond the range the nearest limit, NaN 0.
   */
  to<E extends DType>(dtype: E): Tensor<E>;
  to(device: string): Tensor<D>;
  to(target: string): Tensor {
    if (isDType(target)) return target === this.dtype ? this.#view(this) : apply("convert", [this], { dtype: target });
    if (!isDeviceName(target)) throw new TensorError("TARGET", `Expected a dtype (${dtypeNames.join(", ")}) or a device ("cpu", "cuda", "cuda:N") but got ${worded(target)}.`);
    const device = deviceNamed(target);
    if (device === this.#device) return this.#view(this);
    const copy = Tensor.empty(device, this.dtype, this.shape);
    this.#read((part, at) => upload(copy.#living(), at, part));
    return copy;
  }

  /** Shows `use` the bytes in row-major order, part by part, after all work submitted before. */
  #read(use: (part: Uint8Array, at: number) => void): void {
    const storage = this.#living();
    if (this.isContiguous) return read(storage, this.offset * factsOf(this.dtype).bytes, this.bytes, use);
    using copy = this.clone();
    read(copy.#living(), 0, copy.bytes, use);
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
    const { buffer, byteOffset } = expose(this.#living(), this.offset * facts.bytes, this.bytes);
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
      for (const value of new array(part.buffer as ArrayBuffer, part.byteOffset, part.length / bytes) as Iterable<number | bigint>) elements.push(decode(value) as ElementOf<D>);
    });
    return elements;
  }

  /** The element of a tensor of one element. Throws TensorError when it has another number of them. */
  item(): ElementOf<D> {
    if (this.size !== 1) throw new TensorError("SHAPE", `Expected a tensor of one element for item() but got shape ${formatShape(this.shape)}.`);
    return this.#elements()[0]!;
  }

  /** Elementwise, with broadcasting; a number is taken in this tensor's dtype. Integers wrap around. */
  add(other: Tensor<D> | number | bigint): Tensor<D> { return apply("add", [this, other], {}) as Tensor<D>; }
  sub(other: Tensor<D> | number | bigint): Tensor<D> { return apply("sub", [this, other], {}) as Tensor<D>; }
  mul(other: Tensor<D> | number | bigint): Tensor<D> { return apply("mul", [this, other], {}) as Tensor<D>; }
  /** True division: integers give float32. */
  div(other: Tensor<D> | number | bigint): Tensor { return apply("div", [this, other], {}); }

  /** Matrix product of the last two axes; axes before them broadcast. float16 and bfloat16 accumulate in float32, integers in 64 bits. */
  matmul(other: Tensor<D>): Tensor<D> { return apply("matmul", [this, other], {}) as Tensor<D>; }

  /** Sum over the axes. Floats stay (16-bit ones accumulate in float32), integers and bool give int64. */
  sum(options: ReduceOptions = {}): Tensor { return apply("sum", [this], this.#reduction(options)); }
  /** Mean over the axes; integers give float32. */
  mean(options: ReduceOptions = {}): Tensor { return apply("mean", [this], this.#reduction(options)); }
  /** Largest element; NaN when there is one. Throws TensorError over no elements. */
  max(options: ReduceOptions = {}): Tensor<D> { return apply("max", [this], this.#reduction(options)) as Tensor<D>; }
  /** Smallest element; NaN when there is one. Throws TensorError over no elements. */
  min(options: ReduceOptions = {}): Tensor<D> { return apply("min", [this], this.#reduction(options)) as Tensor<D>; }

  #reduction(options: ReduceOptions) {
    if (typeof options !== "object" || options === null) throw new TensorError("OPTIONS", `Expected options such as { axis: 0, keepdims: true } but got ${worded(options)}.`);
    const { axis, keepdims = false } = options;
    const rank = this.shape.length;
    const list: readonly number[] = axis === undefined ? [...Array(rank).keys()] : Array.isArray(axis) ? axis as readonly number[] : [axis as number];
    return { axes: [...new Set(list.map((each) => checkedAxis(each, rank)))].sort((a, b) => a - b), keepdims };
  }

  /** Frees the memory now, unless views of it live. Disposing twice is safe; using it afterwards is an error. */
  dispose(): void {
    const storage = this.#storage;
    this.#storage = null;
    storage?.drop();
  }

  [Symbol.dispose](): void { this.dispose(); }

  toString(): string { return textOf(this); }

  [Symbol.for("nodejs.util.inspect.custom")](): string { return textOf(this); }

  /** What a notebook shows. The statistics and the picture are reduced on the device. */
  [displayKey](): Record<string, unknown> {
    return { "text/plain": textOf(this), "text/html": htmlOf(this), ...payloadOf(this) };
  }
}
