// The C++ types that kernels take: turns a type's name into its size, alignment and the tensors that match it, on
// 64-bit Linux.
import type { DType } from "../memory/dtype.ts";

/** How one number lies in memory. */
export type Scalar =
  | "bool"
  | "i8"
  | "u8"
  | "i16"
  | "u16"
  | "i32"
  | "u32"
  | "i64"
  | "u64"
  | "f16"
  | "bf16"
  | "f32"
  | "f64";

export interface ScalarType {
  readonly kind: "scalar";
  readonly name: string;
  readonly scalar: Scalar;
  readonly size: number;
  readonly align: number;
}
/** float2 … ulonglong4: passed as an array or as { x, y, z, w }. */
export interface VectorType {
  readonly kind: "vector";
  readonly name: string;
  readonly scalar: Scalar;
  readonly lanes: number;
  readonly size: number;
  readonly align: number;
}
export interface StructField {
  readonly name: string;
  readonly type: CType;
  readonly offset: number;
}
/** `float[5]` in a struct, or of a variable; `float[5][4]` is an array of arrays. */
export interface ArrayType {
  readonly kind: "array";
  readonly name: string;
  readonly element: CType;
  readonly count: number;
  readonly size: number;
  readonly align: number;
}
/** A struct declared in the cell: passed as an object with all its fields; where it has a pointer, a tensor. */
export interface StructType {
  readonly kind: "struct";
  readonly name: string;
  readonly fields: readonly StructField[];
  readonly size: number;
  readonly align: number;
}
export interface PointerType {
  readonly kind: "pointer";
  readonly name: string;
  /** What it points to cannot be written through it. */
  readonly const: boolean;
  /**
   * Tensors that match: the element type, or bytes for a struct; `null`: any (void*); int64: addresses, for a pointer
   * to pointers; none: a type that no tensor has.
   */
  readonly dtypes: readonly DType[] | null;
  /** Bytes that the address must be a multiple of, and of what it points to; 1 where only the compiler knows. */
  readonly pointeeAlign: number;
  readonly pointeeSize: number;
  readonly size: 8;
  readonly align: 8;
}
/** `warpcell::Tensor<T, N>`: takes a tensor with N axes, of any strides. */
export interface ViewType {
  readonly kind: "view";
  readonly name: string;
  readonly element: PointerType;
  readonly ndim: number;
  readonly size: number;
  readonly align: 8;
}
/** `cudaTextureObject_t` and `cudaSurfaceObject_t`: takes a texture or a surface. */
export interface ObjectType {
  readonly kind: "object";
  readonly name: string;
  readonly takes: "Texture" | "Surface";
  readonly size: 8;
  readonly align: 8;
}
export type CType = ScalarType | VectorType | StructType | ArrayType | PointerType | ViewType | ObjectType;

export const scalarBytes: Record<Scalar, number> = {
  bool: 1,
  i8: 1,
  u8: 1,
  i16: 2,
  u16: 2,
  i32: 4,
  u32: 4,
  i64: 8,
  u64: 8,
  f16: 2,
  bf16: 2,
  f32: 4,
  f64: 8,
};

// The signed sibling of a wide unsigned type holds the same bits.
const matching: Record<Scalar, readonly DType[]> = {
  bool: ["bool"],
  i8: ["int8"],
  u8: ["uint8"],
  i16: ["int16"],
  u16: ["uint16"],
  i32: ["int32"],
  u32: ["uint32", "int32"],
  i64: ["int64"],
  u64: ["uint64", "int64"],
  f16: ["float16"],
  bf16: ["bfloat16"],
  f32: ["float32"],
  f64: ["float64"],
};

/** The dtype of tensors with such elements. */
export function dtypeOf(kind: Scalar): DType {
  return matching[kind][0]!;
}

const spellings: Record<Scalar, readonly string[]> = {
  bool: ["bool"],
  i8: ["char", "signed char", "int8_t"],
  u8: ["unsigned char", "uint8_t", "uchar"],
  i16: ["short", "int16_t"],
  u16: ["unsigned short", "uint16_t", "ushort"],
  i32: ["int", "int32_t"],
  u32: ["unsigned int", "uint32_t", "uint"],
  i64: ["long", "long long", "int64_t", "ssize_t", "ptrdiff_t", "intptr_t", "clock_t"],
  u64: ["unsigned long", "unsigned long long", "uint64_t", "size_t", "uintptr_t", "ulong"],
  f16: ["__half", "half"],
  bf16: ["__nv_bfloat16", "nv_bfloat16"],
  f32: ["float"],
  f64: ["double"],
};

// CUDA C++ Programming Guide, "Built-in Vector Types": [name, scalar, alignment of 1, 2, 3, 4 lanes].
const vectors: readonly [string, Scalar, readonly [number, number, number, number]][] = [
  ["char", "i8", [1, 2, 1, 4]],
  ["uchar", "u8", [1, 2, 1, 4]],
  ["short", "i16", [2, 4, 2, 8]],
  ["ushort", "u16", [2, 4, 2, 8]],
  ["int", "i32", [4, 8, 4, 16]],
  ["uint", "u32", [4, 8, 4, 16]],
  ["long", "i64", [8, 16, 8, 16]],
  ["ulong", "u64", [8, 16, 8, 16]],
  ["longlong", "i64", [8, 16, 8, 16]],
  ["ulonglong", "u64", [8, 16, 8, 16]],
  ["float", "f32", [4, 8, 4, 16]],
  ["double", "f64", [8, 16, 8, 16]],
];

function scalar(name: string, kind: Scalar): ScalarType {
  return { kind: "scalar", name, scalar: kind, size: scalarBytes[kind], align: scalarBytes[kind] };
}

function vector(name: string, kind: Scalar, lanes: number, align: number): VectorType {
  return { kind: "vector", name, scalar: kind, lanes, size: scalarBytes[kind] * lanes, align };
}

const builtin = new Map<string, ScalarType | VectorType | ObjectType>([
  ...(
    [
      ["cudaTextureObject_t", "Texture"],
      ["cudaSurfaceObject_t", "Surface"],
    ] as const
  ).map(([name, takes]) => [name, { kind: "object", name, takes, size: 8, align: 8 }] as const),
  ...(Object.entries(spellings) as [Scalar, readonly string[]][]).flatMap(([kind, names]) =>
    names.map((name) => [name, scalar(name, kind)] as const),
  ),
  ...vectors.flatMap(([name, kind, aligns]) =>
    aligns.map(
      (align, index) => [`${name}${index + 1}`, vector(`${name}${index + 1}`, kind, index + 1, align)] as const,
    ),
  ),
  ["dim3", vector("dim3", "u32", 3, 4)],
  ["__half2", vector("__half2", "f16", 2, 4)],
  ["half2", vector("half2", "f16", 2, 4)],
  ["__nv_bfloat162", vector("__nv_bfloat162", "bf16", 2, 4)],
  ["nv_bfloat162", vector("nv_bfloat162", "bf16", 2, 4)],
  ["cuComplex", vector("cuComplex", "f32", 2, 8)],
  ["cuFloatComplex", vector("cuFloatComplex", "f32", 2, 8)],
  ["cuDoubleComplex", vector("cuDoubleComplex", "f64", 2, 16)],
]);

/** The words that C++ lets a user write in any order and number: `long unsigned int long`. */
export const arithmeticWords: ReadonlySet<string> = new Set([
  "signed",
  "unsigned",
  "char",
  "short",
  "int",
  "long",
  "float",
  "double",
  "bool",
]);

/**
 * A built-in type by its words, e.g. ["unsigned", "long", "long", "int"] or ["float4"]; `undefined` when it is none.
 */
export function builtinType(words: readonly string[]): ScalarType | VectorType | ObjectType | undefined {
  if (words.length === 1)
    return builtin.get(words[0] === "unsigned" ? "unsigned int" : words[0] === "signed" ? "int" : words[0]!);
  if (words.length === 0 || !words.every((word) => arithmeticWords.has(word))) return undefined;
  const core = words.filter((word) => word !== "signed" && word !== "unsigned" && word !== "int").join(" ");
  const sign = words.includes("unsigned") ? "unsigned " : words.includes("signed") && core === "char" ? "signed " : "";
  return builtin.get(sign + (core === "" ? "int" : core));
}

/** An enumeration is passed as its underlying integer. */
export function enumType(name: string, underlying: ScalarType): ScalarType {
  return { ...underlying, name };
}

/**
 * Lays fields out as C++ does: each at its alignment, the whole a multiple of the largest. `minimumAlign` is an
 * alignas.
 */
export function structType(
  name: string,
  members: readonly { name: string; type: CType }[],
  minimumAlign = 1,
): StructType {
  let offset = 0;
  let align = minimumAlign;
  const fields = members.map((member) => {
    offset = roundUp(offset, member.type.align);
    const field = { ...member, offset };
    offset += member.type.size;
    align = Math.max(align, member.type.align);
    return field;
  });
  return { kind: "struct", name, fields, size: Math.max(roundUp(offset, align), 1), align };
}

/** `element[lengths[0]][lengths[1]]…`; without lengths the element itself. */
export function arrayType(element: CType, lengths: readonly number[]): CType {
  const [count, ...inner] = lengths;
  if (count === undefined) return element;
  const part = arrayType(element, inner);
  const name = `${element.name}${lengths.map((length) => `[${length}]`).join("")}`;
  return { kind: "array", name, element: part, count, size: count * part.size, align: part.align };
}

/** A pointer to `pointee`; `null`: void. `undefined`: a type that is only known to the compiler, passed as bytes. */
export function pointerType(name: string, isConst: boolean, pointee: CType | null | undefined): PointerType {
  const dtypes =
    pointee === null
      ? null
      : pointee === undefined || pointee.kind === "struct" || pointee.kind === "array" || pointee.kind === "view"
        ? (["uint8"] as const)
        : pointee.kind === "object"
          ? []
          : pointee.kind === "pointer"
            ? (["int64"] as const)
            : matching[pointee.scalar];
  const { align = 1, size = 1 } = pointee ?? {};
  return { kind: "pointer", name, const: isConst, dtypes, pointeeAlign: align, pointeeSize: size, size: 8, align: 8 };
}

/** `struct Tensor` of device/include/warpcell/tensor.cuh: the pointer, then the sizes, then the strides. */
export function viewType(element: PointerType, ndim: number): ViewType {
  return {
    kind: "view",
    name: `warpcell::Tensor<${element.name.slice(0, -1)}, ${ndim}>`,
    element,
    ndim,
    size: 8 + 16 * ndim,
    align: 8,
  };
}

/**
 * Where the pointers lie in a value of that type, which itself lies at `offset`, with textures and surfaces, whose
 * addresses only a device process has, too.
 */
export function pointerOffsets(type: CType, offset: number): number[] {
  if (type.kind === "pointer" || type.kind === "view" || type.kind === "object") return [offset];
  if (type.kind === "array") {
    const inner = pointerOffsets(type.element, 0);
    if (inner.length === 0) return [];
    return Array.from({ length: type.count }, (_, index) => index * type.element.size + offset).flatMap((start) =>
      inner.map((each) => start + each),
    );
  }
  if (type.kind !== "struct") return [];
  return type.fields.flatMap((field) => pointerOffsets(field.type, offset + field.offset));
}

export function roundUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple;
}

export interface Placed {
  readonly offset: number;
  readonly size: number;
}

/** Where each parameter lies in a kernel's parameter block: each at its own alignment. */
export function placeParameters(types: readonly CType[]): { places: Placed[]; bytes: number } {
  let end = 0;
  const places = types.map((type) => {
    const offset = roundUp(end, type.align);
    end = offset + type.size;
    return { offset, size: type.size };
  });
  return { places, bytes: end };
}
