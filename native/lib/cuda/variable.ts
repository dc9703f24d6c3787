// A variable of device code as notebooks hold it: what is set goes to every module that has the variable, and what is
// read is what its kernels see.
import { Room } from "../wire/target.ts";
import { DeviceArray } from "../memory/array.ts";
import type { DType } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { read as readBytes } from "../memory/transfer.ts";
import type { DeviceProcess } from "../device/process.ts";
import { DeviceError, LaunchError } from "../errors.ts";
import { packerOf, read } from "./argument.ts";
import { arrayType, dtypeOf, pointerOffsets, type CType } from "./c-types.ts";
import { variableError } from "./launch-error.ts";
import type { VariableDeclaration, VariableSpace } from "./signature.ts";
import { unpacked } from "./unpack.ts";

/** The variable in one loaded module. */
export interface VariableCopy {
  readonly device: DeviceProcess;
  /** As messages name it. */
  readonly number: number;
  /** How often the module has been loaded: it is again after its process was lost. */
  readonly loads: number;
}

/**
 * A `__constant__`, `__device__` or `__managed__` variable of a `%%cuda` cell, under its name in later cells, or of
 * {@link compile} in `module.globals`. `V` is what it takes, `R` what it gives.
 * @example
 * const module = await compile(`
 *   __constant__ float weights[3];
 *   __global__ void weigh(float* p) { p[threadIdx.x] *= weights[threadIdx.x]; }`);
 * (module.globals.weights as DeviceVariable).set([1, 10, 100]);
 * const x = tensor([1, 2, 3]);
 * (module.kernels.weigh as Kernel).launch({ grid: 1, block: 3 }, x);
 * x.toArray(); // → [ 1, 20, 300 ]
 */
export class DeviceVariable<V = unknown, R = unknown> {
  /** As CUDA C++ names it: "filter", "ns::filter". */
  readonly name: string;
  /** Which word declares it. */
  readonly space: VariableSpace;
  /** Of its elements; `null`: they are no numbers, or vectors of them. */
  readonly dtype: DType | null;
  /** The lengths of the array; `[]` for a single value. */
  readonly shape: readonly number[];
  /** That it takes on the device. */
  readonly bytes: number;
  readonly #type: CType;
  readonly #isConst: boolean;
  /** In all modules that are still there. */
  readonly #copies = new Set<WeakRef<VariableCopy>>();
  /** The one that kernels wrote last; it keeps its module. */
  #owner: VariableCopy | null = null;
  /** Of the owner, when it held what it is to hold. */
  #loads = 0;
  #isLost = false;
  /** Kernels that may write it have been launched since it was set. */
  #isTouched = false;
  /** As the compiler has it. */
  #compiledBytes: number | null = null;
  /** What was set last. */
  #value: Uint8Array | null = null;

  /** For the library: variables come from `compile`. */
  constructor({ name, space, type, isConst }: VariableDeclaration) {
    this.name = name;
    this.space = space;
    this.#type = type;
    this.#isConst = isConst;
    this.bytes = type.size;
    const shape: number[] = [];
    let element = type;
    for (; element.kind === "array"; element = element.element) shape.push(element.count);
    this.shape = shape;
    this.dtype = element.kind === "scalar" ? dtypeOf(element.scalar) : null;
  }

  /**
   * Gives the variable a value, behind all that was launched before: a number, an array or typed array of its shape (a
   * flat one, too, in the order of memory), a contiguous tensor of its dtype, or an object with the fields of a struct.
   * It is waited for. The value stays over faults of the device. Throws LaunchError for one that does not fit.
   */
  set(value: V): void {
    if (this.#isConst)
      throw new LaunchError(
        "CONST",
        `${this.name} is const, so compilers have built its value into the kernels: leave out the word const to set it.`,
      );
    this.#checkLayout();
    if (pointerOffsets(this.#type, 0).length > 0)
      throw new LaunchError(
        "POINTER",
        `${this.name} holds pointers, which only launches can pass on: give kernels the tensors as arguments.`,
      );
    this.#write(value instanceof DeviceArray ? this.#elements(value) : this.#packed(value));
  }

  /**
   * For the library: all of its bytes, behind what was launched before.
   * @internal
   */
  get held(): Uint8Array {
    this.#checkLayout();
    return this.#read();
  }
  /** @internal */
  set held(bytes: Uint8Array) {
    this.#write(bytes);
  }

  #write(bytes: Uint8Array): void {
    this.#value = bytes;
    const failures: unknown[] = [];
    for (const copy of this.#living()) {
      try {
        copy.device.request("variable_write", { variable: copy.number, value: bytes });
      } catch (error) {
        failures.push(error);
      }
    }
    this.#isLost = this.#isTouched = false;
    this.#loads = this.#owner?.loads ?? 0;
    if (failures.length > 0) throw failures[0];
  }

  /**
   * What it holds, as a copy: a number, a typed array, arrays of them for more axes, an object for a struct. Waits for
   * what was launched before. Throws DeviceError (`LOST`) when a fault of the device took what kernels had written.
   */
  data(): R {
    this.#checkLayout();
    const bytes = this.#read();
    if (this.#isLost) {
      const { name } = this.#owner!.device;
      const now = this.#value === null ? "its first value" : "what was set last";
      throw new DeviceError(
        "LOST",
        name,
        `What kernels had written to ${this.name} was lost when the device process of ${name} ended: the variable has ${now} again. Set it, ${this.name}.set(…), before you read it.`,
      );
    }
    return unpacked(this.#type, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)) as R;
  }

  /**
   * For the library: another module has the variable. `isNew`: it was declared again, and starts over with what was set.
   * @internal
   */
  attach(copy: VariableCopy, isNew: boolean): void {
    this.#copies.add(new WeakRef(copy));
    if (this.#owner !== null && !isNew) return;
    this.#owner = copy;
    this.#loads = copy.loads;
    this.#isLost = this.#isTouched = false;
  }

  /**
   * For the library: what a module that is loaded now is to hold; none: what its code says.
   * @internal
   */
  get initial(): Uint8Array {
    return this.#value ?? new Uint8Array(0);
  }

  /**
   * For the library: how many bytes a compiler gave it.
   * @internal
   */
  compiled(bytes: number): void {
    this.#compiledBytes = bytes;
  }

  #checkLayout(): void {
    const compiled = this.#compiledBytes ?? this.bytes;
    if (compiled === this.bytes) return;
    throw new LaunchError(
      "LAYOUT",
      `${this.name} has ${this.bytes} bytes, as its declaration was read, but ${compiled} as compiled: write its type and lengths without macros that depend on the device.`,
    );
  }

  /**
   * For the library: kernels of that module, which may write the variable, are launched next. They see what others have
   * written.
   * @internal
   */
  claim(copy: VariableCopy): void {
    this.#isTouched = true;
    if (this.#owner === copy || this.#owner === null) return;
    const value = this.#read();
    copy.device.request("variable_write", { variable: copy.number, value });
    this.#owner = copy;
    this.#loads = copy.loads;
  }

  /**
   * For the library: whether a declaration means the same variable.
   * @internal
   */
  isLike({ name, space, type, isConst }: VariableDeclaration): boolean {
    return (
      this.name === name &&
      this.space === space &&
      this.#isConst === isConst &&
      JSON.stringify(type) === JSON.stringify(this.#type)
    );
  }

  #read(): Uint8Array {
    const owner = this.#owner!;
    const { value } = owner.device.request("variable_read", { variable: owner.number });
    if (owner.loads !== this.#loads && this.#isTouched) this.#isLost = true;
    this.#loads = owner.loads;
    return value;
  }

  #living(): VariableCopy[] {
    return [...this.#copies].flatMap((reference) => {
      const copy = reference.deref();
      if (copy === undefined) this.#copies.delete(reference);
      return copy ?? [];
    });
  }

  /** Of a tensor, on whichever device. */
  #elements(x: DeviceArray): Uint8Array {
    const storage = x.living("set");
    const count = this.shape.reduce((product, length) => product * length, 1);
    if (x.dtype !== this.dtype || x.size !== count) {
      const wanted =
        this.dtype === null
          ? `no tensor (${this.#type.name})`
          : `a tensor of ${this.dtype} with ${count} element${count === 1 ? "" : "s"}`;
      throw new LaunchError(
        "ARGUMENT_TYPE",
        `${this.name} takes ${wanted}, but got one of ${x.dtype} with shape ${formatShape(x.shape)}.`,
      );
    }
    if (!x.isContiguous)
      throw new LaunchError(
        "NOT_CONTIGUOUS",
        `${this.name} takes a contiguous tensor, but got one of shape ${formatShape(x.shape)} with strides ${formatShape(x.strides)}. Pass .contiguous(), a copy in row-major order without gaps.`,
      );
    const bytes = new Uint8Array(this.bytes);
    readBytes(x.execution, storage, x.offset * (this.bytes / count), this.bytes, (part, at) => bytes.set(part, at));
    return bytes;
  }

  #packed(value: unknown): Uint8Array {
    const { device } = this.#owner!;
    const whole = this.#type;
    let type = whole;
    // A flat typed array is an array of all elements.
    if (ArrayBuffer.isView(value) && this.shape.length > 1) {
      while (type.kind === "array") type = type.element;
      type = arrayType(type, [this.shape.reduce((product, length) => product * length, 1)]);
    }
    const room = new Room(new ArrayBuffer(Math.max(8, Math.ceil(whole.size / 8) * 8)));
    const given = read(type, value);
    if (!packerOf(type, device)(room, given, 0)) throw variableError(this.name, type, value, device);
    return room.bytes.slice(0, whole.size);
  }

  /** How it is declared, in short. */
  toString(): string {
    return `__${this.space}__ ${this.name}`;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `__${this.space}__ ${this.#type.name} ${this.name}, ${this.bytes} bytes`;
  }
}
