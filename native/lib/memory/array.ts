// A strided array: a view of a storage with a dtype. What operations and launches take; `Tensor` is the one that users hold.
import { factsOf, type DType } from "./dtype.ts";
import { TensorError } from "../errors.ts";
import { formatShape, isContiguous, sizeOf, stridesOf, type Shape, type View } from "./shape.ts";
import { Storage } from "./storage.ts";
import type { DeviceProcess } from "../device/process.ts";

/** What `tidy` knows of the tensors made since it began. */
export interface Scope {
  readonly made: Set<DeviceArray>;
  readonly escaped: Set<DeviceArray>;
  readonly outer: Scope | null;
}
let scope: Scope | null = null;

/** Has every tensor that is made from now on noted there. Returns what noted before. */
export function noteIn(next: Scope | null): Scope | null {
  const previous = scope;
  scope = next;
  return previous;
}

/** What stays when the scopes end that are open now: somebody outside of them has it. */
export function keepBeyondScopes(array: DeviceArray): void {
  for (let each = scope; each !== null; each = each.outer) each.escaped.add(array);
}

export class DeviceArray<D extends DType = DType> implements Disposable {
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
  /** How it came about, for gradients; `null`: nobody wants any. */
  track: object | null = null;
  readonly #device: DeviceProcess;
  #storage: Storage | null;

  /** For the library. Takes over one hold on the storage. */
  constructor(storage: Storage, dtype: D, view: View, contiguous = isContiguous(view.shape, view.strides)) {
    this.dtype = dtype;
    this.shape = view.shape;
    this.strides = view.strides;
    this.offset = view.offset;
    this.size = sizeOf(view.shape);
    this.isContiguous = contiguous;
    const place = storage.place + view.offset * factsOf(dtype).bytes;
    this.placeLow = place >>> 0;
    this.placeHigh = (place - this.placeLow) / 2 ** 32;
    this.#device = storage.device;
    this.#storage = storage;
    // Arrays of the library's own are no tensors: whoever makes one disposes of it.
    if (scope !== null && new.target !== DeviceArray) scope.made.add(this);
  }

  /** Undefined contents. Throws OutOfMemory. */
  static allocate<D extends DType>(
    device: DeviceProcess,
    dtype: D,
    shape: Shape,
    strides: readonly number[] = stridesOf(shape),
  ): DeviceArray<D> {
    return new DeviceArray(
      new Storage(device, sizeOf(shape) * factsOf(dtype).bytes),
      dtype,
      { shape, strides, offset: 0 },
      true,
    );
  }

  /** The memory, or `null` once disposed of. */
  get storage(): Storage | null {
    return this.#storage;
  }

  /** The device, also of an array that has been disposed of. */
  get deviceProcess(): DeviceProcess {
    return this.#device;
  }

  /** Bytes of the elements. */
  get bytes(): number {
    return this.size * factsOf(this.dtype).bytes;
  }

  /** Number of axes. */
  get ndim(): number {
    return this.shape.length;
  }

  get isDisposed(): boolean {
    return this.#storage === null;
  }

  /** The memory. Throws TensorError once disposed of; `use` is what it was wanted for. */
  living(use?: string): Storage {
    if (this.#storage === null)
      throw new TensorError(
        "DISPOSED",
        `${use === undefined ? "This tensor" : `An operand of ${use}`}, shape ${formatShape(this.shape)}, has been disposed of.`,
      );
    return this.#storage;
  }

  /** Frees the memory now, unless views of it live. Disposing twice is safe; using it afterwards is an error. */
  dispose(): void {
    const storage = this.#storage;
    this.#storage = null;
    storage?.drop();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** Another view of the same memory. */
export function viewOf<D extends DType>(array: DeviceArray<D>, view: View): DeviceArray<D> {
  return new DeviceArray(array.living().hold(), array.dtype, view);
}

/** The same bytes as elements of another dtype, in row-major order; the array is contiguous. */
export function bytesOf<D extends DType>(array: DeviceArray, dtype: D): DeviceArray<D> {
  const { bytes } = factsOf(dtype);
  return new DeviceArray(array.living().hold(), dtype, {
    shape: [array.bytes / bytes],
    strides: [1],
    offset: (array.offset * factsOf(array.dtype).bytes) / bytes,
  });
}
