// A strided array: a view of a storage with a dtype. What operations and launches take; `Tensor` is the one that users
// hold.
import { factsOf, hasGradients, type DType } from "./dtype.ts";
import { TensorError } from "../errors.ts";
import { formatShape, isContiguous, sizeOf, stridesOf, type Shape, type View } from "./shape.ts";
import { hazards } from "../device/hazards.ts";
import { Scoped } from "../scoped.ts";
import { Storage } from "./storage.ts";
import { highWord, lowWord } from "../wire/long.ts";
import type { Execution } from "../device/execution.ts";
import type { DeviceProcess } from "../device/process.ts";

/** What `tidy` knows of the tensors made since it began. */
export interface Scope {
  readonly made: Set<DeviceArray>;
  /** Arrays, and objects whose arrays stay too. */
  readonly escaped: Set<object>;
  readonly outer: Scope | null;
}

/** Every tensor that is made is noted in the current one; `null`: in none. */
export const scopes = new Scoped<Scope | null>(null);

/**
 * Has an array outlive the scopes that are open now, or all arrays that an object has in its properties when they end:
 * somebody outside of them owns it.
 */
export function keepBeyondScopes(owned: object): void {
  for (let each = scopes.current; each !== null; each = each.outer) each.escaped.add(owned);
}

/** The arrays that show the memory of one, the base, and share its history. */
export interface Family {
  readonly base: DeviceArray;
  /** Counts the changes in place that gradients know of. */
  changes: number;
  /** Gives a view the history that it has after them. */
  renew: ((view: DeviceArray) => void) | null;
}

/** How a view was made: by which operation, of the base (`null` of it itself) or another of its views. */
export interface Lineage {
  readonly family: Family;
  readonly from: Lineage | null;
  readonly name: string;
  readonly attributes: object;
  /** How many of the family's changes are in the view's history. */
  seen: number;
}

export class DeviceArray<D extends DType = DType> implements Disposable {
  /**
   * The type of the elements: "float32", "int64", …
   * @example
   * tensor([1, 2]).dtype; // → 'float32'
   */
  readonly dtype: D;
  /**
   * The number of elements along each axis; [] of a tensor without axes.
   * @example
   * zeros([2, 3]).shape; // → [ 2, 3 ]
   */
  readonly shape: Shape;
  /**
   * How many elements lie between neighbours along each axis.
   * @example
   * zeros([2, 3]).strides; // → [ 3, 1 ]
   */
  readonly strides: readonly number[];
  /**
   * The number of elements. For one axis: `x.shape[0]`.
   * @example
   * zeros([2, 3]).size; // → 6
   */
  readonly size: number;
  /**
   * How many bytes the elements take.
   * @example
   * zeros([2, 3], { dtype: "float16" }).bytes; // → 12
   */
  readonly bytes: number;
  /**
   * Whether the elements lie in row-major order without gaps: raw kernel launches need it.
   * @example
   * zeros([2, 3]).T.isContiguous; // → false
   */
  readonly isContiguous: boolean;
  /**
   * How many elements of the storage come before the first one.
   * @example
   * zeros([4, 2]).slice(3).offset; // → 6
   */
  readonly offset: number;
  /** @internal Half of the first element's place, ready for a launch. */
  readonly placeLow: number;
  /** @internal The other half. */
  readonly placeHigh: number;
  /** @internal `null` where no view was made of it, nor it as one. */
  lineage: Lineage | null = null;
  #track: object | null = null;
  #device: DeviceProcess;
  #storage: Storage | null;

  /** For the library. Takes over one hold on the storage. */
  constructor(storage: Storage, dtype: D, view: View, contiguous?: boolean) {
    if (view === undefined)
      throw new TensorError(
        "NAME",
        "Tensors are made by functions: write tensor([1, 2]), without new, or zeros([2, 3]).",
      );
    this.dtype = dtype;
    this.shape = view.shape;
    this.strides = view.strides;
    this.offset = view.offset;
    this.size = sizeOf(view.shape);
    this.isContiguous = contiguous ?? isContiguous(view.shape, view.strides);
    const { bytes } = factsOf(dtype);
    this.bytes = this.size * bytes;
    const place = storage.place + view.offset * bytes;
    this.placeLow = lowWord(place);
    this.placeHigh = highWord(place);
    this.#device = storage.device;
    this.#storage = storage;
    if (storage.dtype === null) {
      storage.dtype = dtype;
      storage.shape = view.shape;
    }
    // Arrays of the library's own are no tensors: what makes one disposes of it.
    const scope = scopes.current;
    if (scope !== null && new.target !== DeviceArray) scope.made.add(this);
  }

  /** @internal Undefined contents. Throws OutOfMemory. */
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

  /**
   * @internal The memory of any value that is an array, `null` of one that is disposed of; `undefined` of all others.
   * Runs nothing of the value's, which may be a proxy or have getters.
   */
  static storageOf(value: object): Storage | null | undefined {
    return #storage in value ? value.#storage : undefined;
  }

  /** @internal How it came about, for gradients; `null`: nobody wants any. */
  get track(): object | null {
    const { lineage } = this;
    if (lineage !== null && lineage.seen !== lineage.family.changes) lineage.family.renew!(this);
    return this.#track;
  }
  /** @internal */
  set track(track: object | null) {
    this.#track = track;
  }

  /** @internal The memory, or `null` once disposed of. */
  get storage(): Storage | null {
    return this.#storage;
  }

  /** @internal The device, also of an array that has been disposed of. */
  get deviceProcess(): DeviceProcess {
    return this.#device;
  }

  /** @internal Where work on it is written to. Throws TensorError once disposed of. */
  get execution(): Execution {
    return this.living().device.execution;
  }

  /**
   * The number of axes.
   * @example
   * zeros([2, 3]).ndim; // → 2
   */
  get ndim(): number {
    return this.shape.length;
  }

  /**
   * Whether {@link Tensor.dispose} was called, or a scope of {@link tidy} ended.
   * @example
   * const x = zeros([2]);
   * x.dispose();
   * x.isDisposed; // → true
   */
  get isDisposed(): boolean {
    return this.#storage === null;
  }

  /** @internal Throws TensorError where it has been disposed of: `An operand of copy_, …`. */
  checkLiving(use: string): void {
    if (this.#storage === null) this.living(use);
  }

  /** @internal The memory. Throws TensorError once disposed of; `use` is what it was wanted for. */
  living(use?: string): Storage {
    if (this.#storage === null)
      throw new TensorError(
        "DISPOSED",
        `${use === undefined ? "This tensor" : `An operand of ${use}`}, shape ${formatShape(this.shape)}, has been disposed of.`,
      );
    return this.#storage;
  }

  /** @internal Notes that the work that was submitted last, on that stream, uses it, and perhaps writes it. */
  usedOn(stream: number, isWritten: boolean): void {
    this.living().usedOn(stream);
    if (hazards.current === null || this.size === 0) return;
    const width = this.bytes / this.size;
    const reach = this.strides.map((stride, axis) => stride * (this.shape[axis]! - 1) * width);
    const before = reach.reduce((sum, each) => sum + Math.min(each, 0), 0);
    const behind = reach.reduce((sum, each) => sum + Math.max(each, 0), 0);
    hazards.current.of(this.deviceProcess).used(this.place + before, behind - before + width, isWritten);
  }

  /**
   * @internal Takes over the memory, dtype and shape of `next`, which is disposed of then; stays the same object, with
   * its gradient's track. Views that were made of it keep the old memory.
   */
  become(next: DeviceArray): void {
    const storage = next.living();
    if (storage === this.#storage) return next.dispose();
    const before = this.#storage;
    next.#storage = null;
    this.#storage = storage;
    this.#device = next.#device;
    const { dtype, shape, strides, offset, size, bytes, isContiguous, placeLow, placeHigh } = next;
    const facts = { dtype, shape, strides, offset, size, bytes, isContiguous, placeLow, placeHigh };
    Object.assign(this, facts, { lineage: null });
    before?.drop();
  }

  /** @internal Where the first element lies. Throws TensorError once disposed of. */
  get place(): number {
    this.living();
    return this.placeHigh * 2 ** 32 + this.placeLow;
  }

  /**
   * Frees the memory now, unless views of it live. Disposing twice is safe; using it afterwards is an error.
   * @example
   * const x = zeros([1024]);
   * x.dispose(); // at once, not when the collector finds it
   * x; // → tensor(disposed, shape [1024], float32, cpu)
   */
  dispose(): void {
    const storage = this.#storage;
    this.#storage = null;
    storage?.drop();
  }

  /** For `using x = …`: {@link dispose} at the end of the block. */
  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** Notes that an operation made `view` of `array`. */
export function relate(view: DeviceArray, array: DeviceArray, name: string, attributes: object): void {
  if (!hasGradients(array.dtype)) return;
  const from = (array.lineage ??= {
    family: { base: array, changes: 0, renew: null },
    from: null,
    name: "",
    attributes: {},
    seen: 0,
  });
  const { family } = from;
  view.lineage = { family, from, name, attributes, seen: family.changes };
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

/** The parts of complex numbers, [B…] as [B…, 2]. */
export function pairsOf(array: DeviceArray): DeviceArray {
  const { shape, strides, offset, dtype } = array;
  return new DeviceArray(array.living().hold(), factsOf(dtype).parts!, {
    shape: [...shape, 2],
    strides: [...strides.map((stride) => 2 * stride), 1],
    offset: 2 * offset,
  });
}

/** The real parts of complex numbers, 0, or the imaginary ones, 1. */
export function halfOf(array: DeviceArray, which: 0 | 1): DeviceArray {
  const { shape, strides, offset, dtype } = array;
  return new DeviceArray(array.living().hold(), factsOf(dtype).parts!, {
    shape,
    strides: strides.map((stride) => 2 * stride),
    offset: 2 * offset + which,
  });
}
