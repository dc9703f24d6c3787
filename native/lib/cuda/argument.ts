// One argument of a launch into its bytes: a table from C++ types to functions that check a JavaScript value and write
// it.
import { nullWord, textureWord } from "../wire/launch.ts";
import { putLong } from "../wire/long.ts";
import type { Room } from "../wire/target.ts";
import type { CType, ObjectType, PointerType, Scalar, ViewType } from "./c-types.ts";
import { factsOf } from "../memory/dtype.ts";
import type { DeviceProcess } from "../device/process.ts";
import { DeviceArray } from "../memory/array.ts";
import { Surface, TexelObject, Texture } from "./texture.ts";

/** Writes `value` at byte `at` of a record; false when the parameter does not admit it, and then nothing counts. */
export type Pack = (room: Room, value: unknown, at: number) => boolean;

// `at` is a multiple of the type's size (of 8 at most), as the layout of parameters demands, so plain typed arrays do;
// they keep the bits of negative numbers, too.

const float32Max = 3.4028234663852886e38;
const roundsToInfinity = 3.4028235677973366e38;

function packByte(low: number, high: number): Pack {
  return ({ bytes }, value, at) => {
    if (!isWithin(value, low, high)) return false;
    bytes[at] = value;
    return true;
  };
}

function packShort(low: number, high: number): Pack {
  return ({ shorts }, value, at) => {
    if (!isWithin(value, low, high)) return false;
    shorts[at >> 1] = value;
    return true;
  };
}

function isWithin(value: unknown, low: number, high: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= low && value <= high;
}

function packSmallFloat(dtype: "float16" | "bfloat16", limit: number): Pack {
  const { encode } = factsOf(dtype);
  return ({ shorts }, value, at) => {
    if (typeof value !== "number" || (Number.isFinite(value) && Math.abs(value) >= limit)) return false;
    shorts[at >> 1] = Number(encode(value));
    return true;
  };
}

/**
 * Integers take integers in range, 64-bit ones also bigint; floats take numbers whose rounding stays finite; bool takes
 * booleans.
 */
const packScalar: Record<Scalar, Pack> = {
  bool({ bytes }, value, at) {
    if (typeof value !== "boolean") return false;
    bytes[at] = value ? 1 : 0;
    return true;
  },
  i8: packByte(-128, 127),
  u8: packByte(0, 255),
  i16: packShort(-32768, 32767),
  u16: packShort(0, 65535),
  i32({ words }, value, at) {
    if (typeof value !== "number" || (value | 0) !== value) return false;
    words[at >> 2] = value;
    return true;
  },
  u32({ words }, value, at) {
    if (typeof value !== "number" || value >>> 0 !== value) return false;
    words[at >> 2] = value;
    return true;
  },
  i64({ words, longs }, value, at) {
    if (typeof value === "number" && Number.isSafeInteger(value)) {
      putLong(words, at >> 2, value);
      return true;
    }
    if (typeof value !== "bigint" || BigInt.asIntN(64, value) !== value) return false;
    longs[at >> 3] = value;
    return true;
  },
  u64({ words, longs }, value, at) {
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) {
      putLong(words, at >> 2, value);
      return true;
    }
    if (typeof value !== "bigint" || BigInt.asUintN(64, value) !== value) return false;
    longs[at >> 3] = value;
    return true;
  },
  f16: packSmallFloat("float16", 65520),
  bf16: packSmallFloat("bfloat16", 3.3961775292304957e38),
  f32({ floats }, value, at) {
    if (
      typeof value !== "number" ||
      (Math.abs(value) > float32Max && Math.abs(value) < Infinity && Math.abs(value) >= roundsToInfinity)
    )
      return false;
    floats[at >> 2] = value;
    return true;
  },
  f64({ doubles }, value, at) {
    if (typeof value !== "number") return false;
    doubles[at >> 3] = value;
    return true;
  },
};

function packPointer(type: PointerType, device: DeviceProcess): Pack {
  const { dtypes, pointeeAlign } = type;
  const only = dtypes?.length === 1 ? dtypes[0]! : null;
  return ({ words }, value, at) => {
    if (!(value instanceof DeviceArray)) {
      if (value !== null) return false;
      words[at >> 2] = nullWord;
      words[(at >> 2) + 1] = nullWord;
      return true;
    }
    const { storage } = value;
    if (storage === null || storage.device !== device || !value.isContiguous) return false;
    if (value.dtype !== only && dtypes !== null && !dtypes.includes(value.dtype)) return false;
    if (value.placeLow % pointeeAlign !== 0) return false;
    words[at >> 2] = value.placeLow;
    words[(at >> 2) + 1] = value.placeHigh;
    return true;
  };
}

function packView({ element, ndim }: ViewType, device: DeviceProcess): Pack {
  return (room, value, at) => {
    if (!(value instanceof DeviceArray) || value.storage?.device !== device || value.shape.length !== ndim)
      return false;
    if (!element.dtypes!.includes(value.dtype) || value.placeLow % element.pointeeAlign !== 0) return false;
    room.words[at >> 2] = value.placeLow;
    room.words[(at >> 2) + 1] = value.placeHigh;
    for (let axis = 0; axis < ndim; axis++) {
      packScalar.i64(room, value.shape[axis], at + 8 * (1 + axis));
      packScalar.i64(room, value.strides[axis], at + 8 * (1 + ndim + axis));
    }
    return true;
  };
}

function packObject({ takes }: ObjectType, device: DeviceProcess): Pack {
  const wanted = takes === "Texture" ? Texture : Surface;
  return ({ words }, value, at) => {
    if (!(value instanceof wanted) || value.isDisposed || value.process !== device) return false;
    words[at >> 2] = value.number;
    words[(at >> 2) + 1] = textureWord;
    return true;
  };
}

/** An array, or a typed one. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

const laneNames = ["x", "y", "z", "w"];

function packElements(count: number, step: number, pack: Pack, named: boolean): Pack {
  return (room, value, at) => {
    const list = isList(value)
      ? value
      : named && typeof value === "object" && value !== null
        ? laneNames.slice(0, count).map((lane) => (value as Record<string, unknown>)[lane])
        : null;
    if (list === null || list.length !== count) return false;
    // By index, since `every` passes over holes.
    for (let index = 0; index < count; index++) if (!pack(room, list[index], at + index * step)) return false;
    return true;
  };
}

/**
 * A vector or struct with all its parts read: its getters may use the device, and so the room that arguments are
 * written to.
 */
export function read(type: CType, value: unknown): unknown {
  if (typeof value !== "object" || value === null || value instanceof DeviceArray || value instanceof TexelObject)
    return value;
  const given = value as Record<string, unknown>;
  if (type.kind === "vector")
    return Array.isArray(value) ? Array.from(value) : laneNames.slice(0, type.lanes).map((lane) => given[lane]);
  if (type.kind === "array")
    return Array.isArray(value) ? Array.from(value, (element) => read(type.element, element)) : value;
  if (type.kind !== "struct") return value;
  return Object.fromEntries(
    Object.keys(given).map((name) => {
      const field = type.fields.find((candidate) => candidate.name === name);
      const part = given[name];
      if (field === undefined) return [name, part];
      return [name, read(field.type, part)];
    }),
  );
}

/** What writes an argument of that type on that device. */
export function packerOf(type: CType, device: DeviceProcess): Pack {
  switch (type.kind) {
    case "scalar":
      return packScalar[type.scalar];
    case "pointer":
      return packPointer(type, device);
    case "view":
      return packView(type, device);
    case "object":
      return packObject(type, device);
    case "vector":
      return packElements(type.lanes, type.size / type.lanes, packScalar[type.scalar], true);
    case "array":
      return packElements(type.count, type.element.size, packerOf(type.element, device), false);
    case "struct": {
      const fields = type.fields.map((field) => {
        const pack = packerOf(field.type, device);
        return {
          name: field.name,
          offset: field.offset,
          pack,
        };
      });
      return (room, value, at) => {
        if (typeof value !== "object" || value === null) return false;
        const given = value as Record<string, unknown>;
        return (
          Object.keys(given).length === fields.length &&
          fields.every(({ name, offset, pack }) => name in given && pack(room, given[name], at + offset))
        );
      };
    }
  }
}
