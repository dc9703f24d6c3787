// Types of C++ as the translation knows them: what a number of each is in TypeScript, and what array and tensor hold it.

export type ScalarName = "bool" | "i8" | "u8" | "i16" | "u16" | "i32" | "u32" | "size" | "i64" | "u64" | "f32" | "f64";

interface ScalarFacts {
  readonly bytes: number;
  readonly kind: "bool" | "int" | "big" | "float";
  readonly signed: boolean;
  /** The typed array of such elements, and the dtype of the tensor. */
  readonly array: string;
  readonly dtype: string;
  /** How C++ spells it. */
  readonly c: string;
}

// `size_t` counts things that are there, so a number holds it; 64 bits of anything else take a bigint.
export const scalars: Record<ScalarName, ScalarFacts> = {
  bool: { bytes: 1, kind: "bool", signed: false, array: "Uint8Array", dtype: "bool", c: "bool" },
  i8: { bytes: 1, kind: "int", signed: true, array: "Int8Array", dtype: "int8", c: "char" },
  u8: { bytes: 1, kind: "int", signed: false, array: "Uint8Array", dtype: "uint8", c: "unsigned char" },
  i16: { bytes: 2, kind: "int", signed: true, array: "Int16Array", dtype: "int16", c: "short" },
  u16: { bytes: 2, kind: "int", signed: false, array: "Uint16Array", dtype: "uint16", c: "unsigned short" },
  i32: { bytes: 4, kind: "int", signed: true, array: "Int32Array", dtype: "int32", c: "int" },
  u32: { bytes: 4, kind: "int", signed: false, array: "Uint32Array", dtype: "uint32", c: "unsigned int" },
  size: { bytes: 8, kind: "int", signed: false, array: "BigUint64Array", dtype: "uint64", c: "size_t" },
  i64: { bytes: 8, kind: "big", signed: true, array: "BigInt64Array", dtype: "int64", c: "long long" },
  u64: { bytes: 8, kind: "big", signed: false, array: "BigUint64Array", dtype: "uint64", c: "unsigned long long" },
  f32: { bytes: 4, kind: "float", signed: true, array: "Float32Array", dtype: "float32", c: "float" },
  f64: { bytes: 8, kind: "float", signed: true, array: "Float64Array", dtype: "float64", c: "double" },
};

/** Whose memory a pointer leads to: found out by what is done with it, so that two may turn out to be one. */
export class Place {
  #same: Place | null = null;
  #is: "host" | "device" | "managed" | null = null;

  constructor(is: "host" | "device" | "managed" | null = null) {
    this.#is = is;
  }

  get is(): "host" | "device" | "managed" | null {
    return this.#same === null ? this.#is : this.#same.is;
  }

  set is(value: "host" | "device" | "managed") {
    if (this.#same !== null) this.#same.is = value;
    else this.#is ??= value;
  }

  joins(other: Place): void {
    const [mine, its] = [this.#root(), other.#root()];
    if (mine === its) return;
    its.#is ??= mine.#is;
    mine.#same = its;
  }

  #root(): Place {
    return this.#same === null ? this : this.#same.#root();
  }
}

export interface Field {
  readonly name: string;
  readonly type: Type;
}
export interface StructType {
  readonly kind: "struct";
  readonly name: string;
  readonly fields: readonly Field[];
}
export type Type =
  | { readonly kind: "scalar"; readonly name: ScalarName }
  | { readonly kind: "pointer"; readonly to: Type; readonly place: Place }
  /** An array of C: of several axes where its elements are arrays. */
  | { readonly kind: "array"; readonly of: Type; readonly length: string }
  /** `std::vector`; `grows`: elements are added, so that it is a plain array. */
  | { readonly kind: "vector"; readonly of: Type; readonly grows: { yes: boolean } }
  | StructType
  /** A lambda. */
  | { readonly kind: "function"; readonly parameters: readonly Type[]; readonly result: Type; readonly awaits: boolean }
  /** What else has a meaning of its own: see `words` of {@link plainTypes}. */
  | { readonly kind: PlainKind };

/**
 * `text`: a C string; `texts`: argv; `error`: cudaError_t, which is always success, since the library throws; `time`:
 * what a clock says, in milliseconds; `span`: what lies between two, of which `seconds` and the like are made.
 */
export type PlainKind =
  | "void"
  | "text"
  | "texts"
  | "dim3"
  | "stream"
  | "event"
  | "error"
  | "null"
  | "list"
  | "time"
  | "span"
  | "seconds"
  | "milliseconds"
  | "microseconds";

export const scalar = (name: ScalarName): Type => ({ kind: "scalar", name });
export const plain = (kind: PlainKind): Type => ({ kind });

/** The scalars of C++ by their words in any order; vector types are structs of x, y, z, w. */
const spelled: Record<string, ScalarName> = {
  bool: "bool",
  char: "i8",
  "signed char": "i8",
  int8_t: "i8",
  "unsigned char": "u8",
  uint8_t: "u8",
  short: "i16",
  int16_t: "i16",
  "unsigned short": "u16",
  uint16_t: "u16",
  int: "i32",
  int32_t: "i32",
  unsigned: "u32",
  uint32_t: "u32",
  size_t: "size",
  ptrdiff_t: "size",
  clock_t: "size",
  long: "i64",
  "long long": "i64",
  int64_t: "i64",
  "unsigned long": "u64",
  "unsigned long long": "u64",
  uint64_t: "u64",
  float: "f32",
  double: "f64",
};
const plainNames: Record<string, PlainKind> = {
  void: "void",
  string: "text",
  dim3: "dim3",
  cudaStream_t: "stream",
  cudaEvent_t: "event",
  cudaError_t: "error",
};
const vectorScalars: Record<string, ScalarName> = {
  char: "i8",
  uchar: "u8",
  short: "i16",
  ushort: "u16",
  int: "i32",
  uint: "u32",
  longlong: "i64",
  ulonglong: "u64",
  float: "f32",
  double: "f64",
};

/** A type that C++ or CUDA has, by its words; `null`: none. */
export function builtinTypeOf(words: readonly string[]): Type | null {
  const unsigned = words.includes("unsigned");
  const core = words.filter((word) => word !== "unsigned" && word !== "signed" && word !== "int").join(" ");
  const isArithmetic = words.length > 1 || unsigned || words[0] === "signed" || words[0] === "int";
  const name = isArithmetic
    ? `${unsigned ? "unsigned" : words.includes("signed") && core === "char" ? "signed" : ""} ${core}`.trim() || "int"
    : words[0]!;
  if (Object.hasOwn(spelled, name)) return scalar(spelled[name]!);
  if (words.length === 1 && Object.hasOwn(plainNames, name)) return plain(plainNames[name]!);
  const [, element = "", lanes = ""] = /^([a-z]+)([1-4])$/.exec(name) ?? [];
  if (!Object.hasOwn(vectorScalars, element)) return null;
  const type = scalar(vectorScalars[element]!);
  return {
    kind: "struct",
    name,
    fields: ["x", "y", "z", "w"].slice(0, Number(lanes)).map((field) => ({ name: field, type })),
  };
}

/** The words of C++ that begin a type wherever they stand. */
export const typeWords: ReadonlySet<string> = new Set([
  ..."const volatile unsigned signed auto struct static constexpr typename long".split(" "),
  ...Object.keys(spelled).flatMap((name) => name.split(" ")),
  ...Object.keys(plainNames),
]);
export const isVectorName = (name: string): boolean => builtinTypeOf([name])?.kind === "struct";

export const isScalar = (type: Type): type is Extract<Type, { kind: "scalar" }> => type.kind === "scalar";
export const isBig = (type: Type): boolean => isScalar(type) && scalars[type.name].kind === "big";
export const isFloat = (type: Type): boolean => isScalar(type) && scalars[type.name].kind === "float";

/** Bytes of a value; `null`: only a compiler knows. */
export function bytesOf(type: Type): number | null {
  if (isScalar(type)) return scalars[type.name].bytes;
  if (type.kind === "pointer") return 8;
  if (type.kind !== "struct") return null;
  const layout = layoutOf(type);
  return layout === null ? null : layout.bytes;
}

export interface Layout {
  readonly bytes: number;
  readonly align: number;
  readonly offsets: readonly number[];
}

/** Where the fields of a struct of numbers lie, as C++ places them. */
export function layoutOf({ name, fields }: StructType): Layout | null {
  const offsets: number[] = [];
  let [end, align] = [0, 1];
  for (const { type } of fields) {
    const bytes = bytesOf(type);
    if (bytes === null) return null;
    const own = type.kind === "struct" ? layoutOf(type)!.align : bytes;
    end = Math.ceil(end / own) * own;
    offsets.push(end);
    end += bytes;
    align = Math.max(align, own);
  }
  // float2 and float4 lie at multiples of their size.
  if (isVectorName(name) && fields.length !== 3) align = Math.min(16, end);
  return { bytes: Math.ceil(end / align) * align, align, offsets };
}

/** Whether two types are the same for an instance of a function. */
export function keyOf(type: Type): string {
  switch (type.kind) {
    case "scalar":
    case "struct":
      return type.name;
    case "pointer":
      return `${keyOf(type.to)}*${type.place.is ?? ""}`;
    case "array":
      return `${keyOf(type.of)}[]`;
    case "vector":
      return `vector<${keyOf(type.of)}>${type.grows.yes ? "+" : ""}`;
    default:
      return type.kind;
  }
}

/** The type as C++ spells it, for `kernel.as("float")`; `null`: it has no plain name. */
export function spellingOf(type: Type): string | null {
  if (isScalar(type)) return scalars[type.name].c;
  return type.kind === "struct" ? type.name : null;
}
