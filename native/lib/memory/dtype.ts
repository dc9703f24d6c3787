// The element types of tensors: turns a dtype's name into its size, its typed array, its C++ name and its conversions.

/**
 * A complex number: `{ re: 1, im: 2 }` for 1 + 2i.
 */
export interface Complex {
  readonly re: number;
  readonly im: number;
}

export const isComplexNumber = (value: unknown): value is Complex =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Partial<Complex>).re === "number" &&
  typeof (value as Partial<Complex>).im === "number";

/** A number outside the numbers of its dtype; the caller knows what it was for and words the sentence. */
type Encode = (value: number | bigint | boolean | Complex) => bigint;

/** Names of the element types. Written out, since a name of its own is what messages and hovers show of it. */
export type DType =
  | "float32"
  | "float64"
  | "float16"
  | "bfloat16"
  | "float8_e4m3"
  | "float8_e5m2"
  | "complex64"
  | "complex128"
  | "int8"
  | "uint8"
  | "int16"
  | "uint16"
  | "int32"
  | "uint32"
  | "int64"
  | "uint64"
  | "bool";

interface DTypeFacts {
  /** Bytes of one element. */
  readonly bytes: 1 | 2 | 4 | 8 | 16;
  readonly kind: "float" | "int" | "bool" | "complex";
  /** Storage only for the kernels of numbers: convert it to compute, or take its parts. */
  readonly isStorage?: true;
  /** The dtype of the real and the imaginary part, which lie one behind the other. */
  readonly parts?: "float32" | "float64";
  /** The type as CUDA C++ spells it. */
  readonly c: string;
  /** What `data()` returns; floats of 16 and 8 bits travel as their bits, complex numbers as their two parts. */
  readonly array: TypedArrayConstructor;
  /** Bits of one element, low bytes first. The value has passed {@link admits}. */
  readonly encode: Encode;
  /** One element of the typed array as JavaScript shows it; a part of a complex number. */
  readonly decode: (raw: number | bigint) => number | bigint | boolean;
  /** Smallest and largest value; `null` for bool. */
  readonly range: readonly [number | bigint, number | bigint] | null;
}

export type TypedArray =
  | Float32Array
  | Float64Array
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array;
type TypedArrayConstructor =
  | Float32ArrayConstructor
  | Float64ArrayConstructor
  | Int8ArrayConstructor
  | Uint8ArrayConstructor
  | Int16ArrayConstructor
  | Uint16ArrayConstructor
  | Int32ArrayConstructor
  | Uint32ArrayConstructor
  | BigInt64ArrayConstructor
  | BigUint64ArrayConstructor;

const bits = new DataView(new ArrayBuffer(8));

function float32Bits(value: number): bigint {
  bits.setFloat32(0, value, true);
  return BigInt(bits.getUint32(0, true));
}

function float64Bits(value: number): bigint {
  bits.setFloat64(0, value, true);
  return bits.getBigUint64(0, true);
}

/**
 * A float of fewer than 32 bits. `most`: values of this magnitude and above are infinite, or where there is no infinity
 * the bits of the largest one.
 */
interface SmallFloat {
  mantissa: number;
  minExponent: number;
  bits: 8 | 16;
  most: number;
  overflow: number;
  nan: number;
}
const half: SmallFloat = { mantissa: 10, minExponent: -14, bits: 16, most: 65520, overflow: 0x7c00, nan: 0x7e00 };
const brain: SmallFloat = {
  mantissa: 7,
  minExponent: -126,
  bits: 16,
  most: 3.3961775292304957e38,
  overflow: 0x7f80,
  nan: 0x7fc0,
};
// OCP 8-bit Floating Point Specification, revision 1.0. e4m3 has no infinity: what is beyond its range becomes its
// largest value.
const e4m3: SmallFloat = { mantissa: 3, minExponent: -6, bits: 8, most: 448, overflow: 0x7e, nan: 0x7f };
const e5m2: SmallFloat = { mantissa: 2, minExponent: -14, bits: 8, most: 61440, overflow: 0x7c, nan: 0x7e };

/**
 * The bits of the float nearest to `value`, ties to even: rounded once, straight from float64 (IEEE 754-2019, 4.3.1).
 */
function smallFloatBits(value: number, format: SmallFloat): number {
  const { mantissa, minExponent, most, overflow, nan } = format;
  const sign = value < 0 || Object.is(value, -0) ? 1 << (format.bits - 1) : 0;
  if (Number.isNaN(value)) return nan;
  const magnitude = Math.abs(value);
  if (magnitude >= most) return sign | overflow;
  bits.setFloat64(0, magnitude);
  const exponent = Math.max(((bits.getUint16(0) >> 4) & 0x7ff) - 1023, minExponent);
  // Scaling by a power of two is exact, so this is the only rounding.
  const scaled = magnitude * 2 ** (mantissa - exponent);
  let count = Math.floor(scaled);
  const rest = scaled - count;
  if (rest > 0.5 || (rest === 0.5 && count % 2 === 1)) count += 1;
  // A count of 2^(mantissa + 1) carries into the exponent by itself.
  return sign | (count < 2 ** mantissa ? count : count + ((exponent - minExponent) << mantissa));
}

function smallFloatValue(raw: number, format: SmallFloat): number {
  const { mantissa, minExponent, overflow, nan } = format;
  const sign = raw & (1 << (format.bits - 1)) ? -1 : 1;
  const magnitude = raw & ((1 << (format.bits - 1)) - 1);
  if (magnitude > overflow) return NaN;
  if (magnitude === overflow && overflow !== nan - 1) return sign * Infinity;
  const exponent = magnitude >> mantissa;
  const fraction = magnitude & ((1 << mantissa) - 1);
  if (exponent === 0) return sign * fraction * 2 ** (minExponent - mantissa);
  return sign * (fraction + 2 ** mantissa) * 2 ** (exponent - 1 + minExponent - mantissa);
}

const asNumber = (raw: number | bigint): number => Number(raw);
const unsigned =
  (width: number): Encode =>
  (value) =>
    BigInt.asUintN(width, BigInt(value as number));

/** The real part in the low half. */
const pair =
  (width: bigint, part: (value: number) => bigint): Encode =>
  (value) => {
    const { re, im } = isComplexNumber(value) ? value : { re: Number(value), im: 0 };
    return part(re) | (part(im) << width);
  };

/**
 * Every dtype by its name, with its bytes, kind, C++ type and typed array, in the order in which messages list them.
 * @example
 * Object.keys(dtypes).slice(0, 4); // → [ 'float32', 'float64', 'float16', 'bfloat16' ]
 */
export const dtypes = {
  float32: {
    bytes: 4,
    kind: "float",
    c: "float",
    array: Float32Array,
    encode: (value) => float32Bits(Number(value)),
    decode: asNumber,
    range: [-Infinity, Infinity],
  },
  float64: {
    bytes: 8,
    kind: "float",
    c: "double",
    array: Float64Array,
    encode: (value) => float64Bits(Number(value)),
    decode: asNumber,
    range: [-Infinity, Infinity],
  },
  float16: {
    bytes: 2,
    kind: "float",
    c: "__half",
    array: Uint16Array,
    encode: (value) => BigInt(smallFloatBits(Number(value), half)),
    decode: (raw) => smallFloatValue(Number(raw), half),
    range: [-Infinity, Infinity],
  },
  bfloat16: {
    bytes: 2,
    kind: "float",
    c: "__nv_bfloat16",
    array: Uint16Array,
    encode: (value) => BigInt(smallFloatBits(Number(value), brain)),
    decode: (raw) => smallFloatValue(Number(raw), brain),
    range: [-Infinity, Infinity],
  },
  float8_e4m3: {
    bytes: 1,
    kind: "float",
    isStorage: true,
    c: "warpcell::float8_e4m3",
    array: Uint8Array,
    encode: (value) => BigInt(smallFloatBits(Number(value), e4m3)),
    decode: (raw) => smallFloatValue(Number(raw), e4m3),
    range: [-Infinity, Infinity],
  },
  float8_e5m2: {
    bytes: 1,
    kind: "float",
    isStorage: true,
    c: "warpcell::float8_e5m2",
    array: Uint8Array,
    encode: (value) => BigInt(smallFloatBits(Number(value), e5m2)),
    decode: (raw) => smallFloatValue(Number(raw), e5m2),
    range: [-Infinity, Infinity],
  },
  complex64: {
    bytes: 8,
    kind: "complex",
    isStorage: true,
    parts: "float32",
    c: "warpcell::complex64",
    array: Float32Array,
    encode: pair(32n, float32Bits),
    decode: asNumber,
    range: null,
  },
  complex128: {
    bytes: 16,
    kind: "complex",
    isStorage: true,
    parts: "float64",
    c: "warpcell::complex128",
    array: Float64Array,
    encode: pair(64n, float64Bits),
    decode: asNumber,
    range: null,
  },
  int8: {
    bytes: 1,
    kind: "int",
    c: "signed char",
    array: Int8Array,
    encode: unsigned(8),
    decode: asNumber,
    range: [-128, 127],
  },
  uint8: {
    bytes: 1,
    kind: "int",
    c: "unsigned char",
    array: Uint8Array,
    encode: unsigned(8),
    decode: asNumber,
    range: [0, 255],
  },
  int16: {
    bytes: 2,
    kind: "int",
    c: "short",
    array: Int16Array,
    encode: unsigned(16),
    decode: asNumber,
    range: [-32768, 32767],
  },
  uint16: {
    bytes: 2,
    kind: "int",
    c: "unsigned short",
    array: Uint16Array,
    encode: unsigned(16),
    decode: asNumber,
    range: [0, 65535],
  },
  int32: {
    bytes: 4,
    kind: "int",
    c: "int",
    array: Int32Array,
    encode: unsigned(32),
    decode: asNumber,
    range: [-(2 ** 31), 2 ** 31 - 1],
  },
  uint32: {
    bytes: 4,
    kind: "int",
    c: "unsigned int",
    array: Uint32Array,
    encode: unsigned(32),
    decode: asNumber,
    range: [0, 2 ** 32 - 1],
  },
  int64: {
    bytes: 8,
    kind: "int",
    c: "long long",
    array: BigInt64Array,
    encode: unsigned(64),
    decode: (raw) => BigInt(raw),
    range: [-(2n ** 63n), 2n ** 63n - 1n],
  },
  uint64: {
    bytes: 8,
    kind: "int",
    c: "unsigned long long",
    array: BigUint64Array,
    encode: unsigned(64),
    decode: (raw) => BigInt(raw),
    range: [0n, 2n ** 64n - 1n],
  },
  bool: {
    bytes: 1,
    kind: "bool",
    c: "bool",
    array: Uint8Array,
    encode: (value) => (value ? 1n : 0n),
    decode: (raw) => raw !== 0,
    range: null,
  },
} as const satisfies Record<DType, DTypeFacts>;

interface TypedArrays {
  float32: Float32Array;
  float64: Float64Array;
  float16: Uint16Array;
  bfloat16: Uint16Array;
  float8_e4m3: Uint8Array;
  float8_e5m2: Uint8Array;
  complex64: Float32Array;
  complex128: Float64Array;
  int8: Int8Array;
  uint8: Uint8Array;
  int16: Int16Array;
  uint16: Uint16Array;
  int32: Int32Array;
  uint32: Uint32Array;
  int64: BigInt64Array;
  uint64: BigUint64Array;
  bool: Uint8Array;
}
/** `T`, which follows from the dtype `D`; `any` where the dtype is not known, as of a bare `Tensor`. */
export type IfKnown<D, T> = "any" extends D ? any : T;
/** What `data()` of a tensor of dtype `D` returns. */
export type TypedArrayOf<D extends DType> = IfKnown<D, TypedArrays[D]>;
/** One element of dtype `D` in JavaScript. */
export type ElementOf<D extends DType> = IfKnown<
  D,
  D extends "int64" | "uint64" ? bigint : D extends "bool" ? boolean : D extends ComplexDType ? Complex : number
>;

/** What `item()` of a tensor of dtype `D` returns: a number also of 64-bit integers. */
export type ItemOf<D extends DType> = IfKnown<
  D,
  D extends "bool" ? boolean : D extends ComplexDType ? Complex : number
>;

/** Dtypes of complex numbers: two float32, or two float64. */
export type ComplexDType = "complex64" | "complex128";
/** The dtype of a complex number's parts; any other as it is. */
export type RealOf<D extends DType> = IfKnown<
  D,
  D extends "complex64" ? "float32" : D extends "complex128" ? "float64" : D
>;

export const dtypeNames = Object.keys(dtypes) as DType[];

export function isDType(name: unknown): name is DType {
  return typeof name === "string" && Object.hasOwn(dtypes, name);
}

/** What to write where an operation wants real numbers that compute. */
export const adviceToCompute = (dtype: DType): string =>
  dtypes[dtype].kind === "complex" ? "take x.real, x.imag, abs() or angle()" : 'convert it, e.g. with .to("float32")';

/** Whether numbers of the dtype have gradients. */
export const hasGradients = (dtype: DType): boolean => ["float", "complex"].includes(dtypes[dtype].kind);

/** The facts of a dtype under their general type. */
export function factsOf(dtype: DType): DTypeFacts {
  return dtypes[dtype];
}

/**
 * Whether `value` is a value of `dtype` without changing it beyond rounding: integers in range for integers, anything
 * numeric for floats and, or `{ re, im }`, for complex numbers; true and false are 1 and 0.
 */
export function admits(dtype: DType, value: unknown): value is number | bigint | boolean {
  const { kind, range } = factsOf(dtype);
  if (kind === "complex") return ["boolean", "number", "bigint"].includes(typeof value) || isComplexNumber(value);
  if (typeof value === "boolean") return true;
  if (kind === "bool") return value === 0 || value === 1;
  if (kind === "float") return typeof value === "number" || typeof value === "bigint";
  if (typeof value === "number" && !Number.isSafeInteger(value)) return false;
  if (typeof value !== "number" && typeof value !== "bigint") return false;
  return range !== null && value >= range[0] && value <= range[1];
}

/** The dtype whose elements a typed array holds, or `null` for one that is none's (Float16Array, DataView). */
export function dtypeOfArray(array: ArrayBufferView): DType | null {
  if (array instanceof Uint8ClampedArray) return "uint8";
  // instanceof: a Buffer is a Uint8Array. Arrays of the narrow floats hold integers when nobody says otherwise.
  return (
    dtypeNames.find(
      (name) =>
        factsOf(name).kind === (array instanceof Float32Array || array instanceof Float64Array ? "float" : "int") &&
        array instanceof factsOf(name).array,
    ) ?? null
  );
}

/**
 * The C++ type that elements are computed in (`Wide` in device/include/warpcell/numbers.cuh), as a launch writes it.
 */
export type WideType = "f32" | "f64" | "i32" | "u32" | "i64" | "u64";
export function wideOf(dtype: DType): WideType {
  const { kind, bytes } = factsOf(dtype);
  if (kind === "float") return bytes === 8 ? "f64" : "f32";
  if (dtype === "uint32") return "u32";
  if (dtype === "uint64") return "u64";
  return bytes === 8 ? "i64" : "i32";
}
