// What translated cells use that TypeScript does not have: texts that a cell gets where it needs them.

/** How tensors are made where a device is named, as options by themselves and behind others; else both are "". */
export interface Placement {
  readonly on: string;
  readonly and: string;
}

export interface Helper {
  readonly text: string | ((placement: Placement) => string);
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
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "nan" : x < 0 ? "-inf" : "inf";
  const most = Math.max(digits, 1);
  const [mantissa = "", power = "0"] = x.toExponential(most - 1).split("e");
  const exponent = Number(power);
  const short = (text: string): string => (text.includes(".") ? text.replace(/\\.?0+$/, "") : text);
  if (exponent >= -4 && exponent < most) return short(x.toFixed(most - 1 - exponent));
  return \`\${short(mantissa)}e\${exponent < 0 ? "-" : "+"}\${String(Math.abs(exponent)).padStart(2, "0")}\`;
}`,
  },
  exponential: {
    imports: [],
    needs: [],
    text: `/** A number as %e prints it. */
const exponential = (x: number, digits: number): string => x.toExponential(digits).replace(/e([+-])(\\d)$/, "e$10$2");`,
  },
  withZeros: {
    imports: [],
    needs: [],
    text: `/** A number with zeros in front, behind its sign. */
const withZeros = (text: string, width: number): string =>
  text.startsWith("-") ? \`-\${text.slice(1).padStart(width - 1, "0")}\` : text.padStart(width, "0");`,
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
    text: ({ on, and }) => `type Elements =
  | Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array
  | Float32Array | Float64Array | BigInt64Array | BigUint64Array;

/** What cudaMallocManaged gave: an array here, a tensor there; before one is used it gets what the other has. */
class Managed<A extends Elements> {
  readonly #array: A;
  readonly #tensor: Tensor<any>;
  #isOnDevice = false;
  constructor(array: A, dtype?: "bool") {
    this.#array = array;
    this.#tensor = dtype === undefined ? tensor(array as Float32Array${on}) : tensor(array, { dtype${and} });
  }
  get values(): A {
    if (this.#isOnDevice) this.#array.set(this.#tensor.data() as never);
    this.#isOnDevice = false;
    return this.#array;
  }
  get tensor(): Tensor<any> {
    if (!this.#isOnDevice) this.#tensor.copy_(tensor(this.#array as Float32Array, { dtype: this.#tensor.dtype${and} }));
    this.#isOnDevice = true;
    return this.#tensor;
  }
  /** The part from an element on. */
  from(at: number): Managed<A> {
    return Object.defineProperties(Object.create(Managed.prototype), {
      values: { get: () => this.values.subarray(at) },
      tensor: { get: () => this.tensor.slice([at, null]) },
    });
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
    imports: ["tensor", "Tensor"],
    needs: ["packed", "unpacked"],
    text: ({
      on,
    }) => `/** Structs in what cudaMallocManaged gave: objects here, a tensor there; one is given what the other has. */
class ManagedRecords<T> {
  readonly #list: T[];
  readonly #layout: Layout<T>;
  readonly #elements: new (bytes: ArrayBufferLike) => any;
  readonly #tensor: Tensor<any>;
  #isOnDevice = false;
  constructor(list: T[], layout: Layout<T>, elements: new (bytes: ArrayBufferLike) => any) {
    this.#list = list;
    this.#layout = layout;
    this.#elements = elements;
    this.#tensor = tensor(this.#array()${on});
  }
  get values(): T[] {
    const written = this.#isOnDevice ? unpacked(this.#layout, this.#tensor.data()) : [];
    written.forEach((value, i) => Object.assign(this.#list[i] as object, value));
    this.#isOnDevice = false;
    return this.#list;
  }
  get tensor(): Tensor<any> {
    if (!this.#isOnDevice) this.#tensor.copy_(tensor(this.#array()${on}));
    this.#isOnDevice = true;
    return this.#tensor;
  }
  #array(): any {
    return new this.#elements(packed(this.#layout, this.#list).buffer);
  }
}`,
  },
} as const satisfies Record<string, Helper>;
