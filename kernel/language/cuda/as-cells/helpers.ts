// What translated cells use that TypeScript does not have: texts that a cell gets where it needs them.

export interface Helper {
  readonly text: string;
  /** Names of the library that it needs, and other helpers. */
  readonly imports: readonly string[];
  readonly needs: readonly string[];
}

export type HelperName = keyof typeof helpers;

export const helpers = {
  general: {
    imports: [],
    needs: [],
    text: `/** A number as %g prints it. */
function general(x: number, digits: number): string {
  const [mantissa = "", power = "0"] = x.toExponential(Math.max(digits, 1) - 1).split("e");
  const exponent = Number(power);
  if (!Number.isFinite(x)) return String(x).toLowerCase().slice(0, x < 0 ? 4 : 3);
  if (exponent >= -4 && exponent < digits) return String(Number(x.toPrecision(Math.max(digits, 1))).toFixed(Math.max(digits - 1 - exponent, 0))).replace(/(\\.\\d*?)0+$/, "$1").replace(/\\.$/, "");
  return \`\${mantissa.replace(/\\.?0+$/, "")}e\${exponent < 0 ? "-" : "+"}\${String(Math.abs(exponent)).padStart(2, "0")}\`;
}`,
  },
  exponential: {
    imports: [],
    needs: [],
    text: `/** A number as %e prints it. */
const exponential = (x: number, digits: number): string => x.toExponential(digits).replace(/e([+-])(\\d)$/, "e$10$2");`,
  },
  textOf: {
    imports: [],
    needs: [],
    text: `/** The text of characters that end with a 0. */
function textOf(bytes: Int8Array | Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(Uint8Array.from(end < 0 ? bytes : bytes.subarray(0, end)));
}`,
  },
  Managed: {
    imports: ["tensor", "Tensor"],
    needs: [],
    text: `/** What cudaMallocManaged gave: an array here, a tensor there; before one is used it gets what the other has. */
class Managed<A extends Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array | Float32Array | Float64Array | BigInt64Array | BigUint64Array> {
  readonly #array: A;
  readonly #tensor: Tensor<any>;
  #isOnDevice = false;
  constructor(array: A, dtype?: "bool") {
    this.#array = array;
    this.#tensor = dtype === undefined ? tensor(array as Float32Array) : tensor(array, { dtype });
  }
  get values(): A {
    if (this.#isOnDevice) this.#array.set(this.#tensor.data() as never);
    this.#isOnDevice = false;
    return this.#array;
  }
  get tensor(): Tensor<any> {
    if (!this.#isOnDevice) this.#tensor.copy_(tensor(this.#array as Float32Array, { dtype: this.#tensor.dtype }));
    this.#isOnDevice = true;
    return this.#tensor;
  }
  /** The part from an element on. */
  from(at: number): Managed<A> {
    const part = { values: { get: () => this.values.subarray(at) }, tensor: { get: () => this.tensor.slice([at, null]) } };
    return Object.defineProperties(Object.create(Managed.prototype), part);
  }
}`,
  },
  Layout: {
    imports: [],
    needs: [],
    text: `/** How a struct lies in memory. */
interface Layout<T> {
  bytes: number;
  read(view: DataView, at: number): T;
  write(view: DataView, at: number, value: T): void;
}`,
  },
  packed: {
    imports: [],
    needs: ["Layout"],
    text: `/** Structs as the bytes that a kernel reads. */
function packed<T>({ bytes, write }: Layout<T>, list: readonly T[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(bytes * list.length));
  list.forEach((value, i) => write(view, i * bytes, value));
  return new Uint8Array(view.buffer);
}`,
  },
  unpacked: {
    imports: [],
    needs: ["Layout"],
    text: `/** Bytes that a kernel wrote as structs. */
function unpacked<T>({ bytes, read }: Layout<T>, { buffer, byteOffset, byteLength }: ArrayBufferView): T[] {
  const view = new DataView(buffer, byteOffset, byteLength);
  return Array.from({ length: byteLength / bytes }, (_, i) => read(view, i * bytes));
}`,
  },
  ManagedRecords: {
    imports: ["zeros", "tensor", "Tensor"],
    needs: ["packed", "unpacked"],
    text: `/** Structs in what cudaMallocManaged gave: objects here, bytes there; before one is used it gets what the other has. */
class ManagedRecords<T> {
  readonly #list: T[];
  readonly #layout: Layout<T>;
  readonly #tensor: Tensor<any>;
  #isOnDevice = false;
  constructor(list: T[], layout: Layout<T>, dtype: "int8" | "uint8" | "int16" | "uint16" | "int32" | "uint32" | "int64" | "uint64" | "float32" | "float64") {
    this.#list = list;
    this.#layout = layout;
    this.#tensor = zeros([this.#array(dtype).length], { dtype });
  }
  get values(): T[] {
    if (this.#isOnDevice) unpacked(this.#layout, this.#tensor.data()).forEach((value, i) => Object.assign(this.#list[i] as object, value));
    this.#isOnDevice = false;
    return this.#list;
  }
  get tensor(): Tensor<any> {
    if (!this.#isOnDevice) this.#tensor.copy_(tensor(this.#array(this.#tensor.dtype)));
    this.#isOnDevice = true;
    return this.#tensor;
  }
  #array(dtype: string): Uint8Array {
    const arrays: Record<string, any> = { int8: Int8Array, int16: Int16Array, uint16: Uint16Array, int32: Int32Array, uint32: Uint32Array, float32: Float32Array, float64: Float64Array, int64: BigInt64Array, uint64: BigUint64Array };
    const { buffer } = packed(this.#layout, this.#list);
    return new (arrays[dtype] ?? Uint8Array)(buffer);
  }
}`,
  },
} as const satisfies Record<string, Helper>;
