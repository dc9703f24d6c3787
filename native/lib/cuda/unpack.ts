// The bytes of a C++ value into JavaScript: numbers, typed arrays, arrays of them, objects for structs and vectors.
import { factsOf, type TypedArray } from "../memory/dtype.ts";
import { dtypeOf, type CType, type Scalar } from "./c-types.ts";

const getters: Record<Scalar, (view: DataView, at: number) => number | bigint | boolean> = {
  bool: (view, at) => view.getUint8(at) !== 0,
  i8: (view, at) => view.getInt8(at),
  u8: (view, at) => view.getUint8(at),
  i16: (view, at) => view.getInt16(at, true),
  u16: (view, at) => view.getUint16(at, true),
  i32: (view, at) => view.getInt32(at, true),
  u32: (view, at) => view.getUint32(at, true),
  i64: (view, at) => view.getBigInt64(at, true),
  u64: (view, at) => view.getBigUint64(at, true),
  f16: (view, at) => factsOf("float16").decode(view.getUint16(at, true)),
  bf16: (view, at) => factsOf("bfloat16").decode(view.getUint16(at, true)),
  f32: (view, at) => view.getFloat32(at, true),
  f64: (view, at) => view.getFloat64(at, true),
};

/** Whose numbers a typed array shows as they are. */
export function hasTypedArray(scalar: Scalar): boolean {
  return !["bool", "f16", "bf16"].includes(scalar);
}

/** The value of that type at byte `at`. A copy. */
export function unpacked(type: CType, view: DataView, at = 0): unknown {
  switch (type.kind) {
    case "scalar":
      return getters[type.scalar](view, at);
    case "vector": {
      const bytes = type.size / type.lanes;
      const lanes = ["x", "y", "z", "w"].slice(0, type.lanes);
      return Object.fromEntries(lanes.map((name, lane) => [name, getters[type.scalar](view, at + lane * bytes)]));
    }
    case "struct":
      return Object.fromEntries(
        type.fields.map((field) => [field.name, unpacked(field.type, view, at + field.offset)]),
      );
    case "array":
      return elements(type, view, at);
    case "pointer":
    case "view":
    case "object":
      return view.getBigUint64(at, true);
  }
}

function elements(type: Extract<CType, { kind: "array" }>, view: DataView, at: number): TypedArray | unknown[] {
  const { element, count } = type;
  if (element.kind === "scalar" && hasTypedArray(element.scalar)) {
    const start = view.byteOffset + at;
    return new (factsOf(dtypeOf(element.scalar)).array)(view.buffer.slice(start, start + type.size) as ArrayBuffer);
  }
  return Array.from({ length: count }, (_, index) => unpacked(element, view, at + index * element.size));
}
