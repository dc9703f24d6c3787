// One argument of a launch into its bytes: a table from C++ types to functions that check a JavaScript value and write
// it.
import { binding } from "../wire/binding.ts";
import type { CType, PointerType, Scalar, ViewType } from "./c-types.ts";
import { factsOf } from "../memory/dtype.ts";
import type { DeviceProcess } from "../device/process.ts";
import { DeviceArray } from "../memory/array.ts";

/**
 * Writes `value` at byte `at` of `binding.scratch`; false when the parameter does not admit it, and then nothing
 * counts.
 */
export type Pack = (value: unknown, at: number) => boolean;

// `at` is a multiple of the type's size (of 8 at most), as the layout of parameters demands, so plain typed arrays do.
const u8 = new Uint8Array(binding.scratch);
const i8 = new Int8Array(binding.scratch);
const i16 = new Int16Array(binding.scratch);
const u16 = new Uint16Array(binding.scratch);
const i32 = new Int32Array(binding.scratch);
const u32 = new Uint32Array(binding.scratch);
const f32 = new Float32Array(binding.scratch);
const f64 = new Float64Array(binding.scratch);
const i64 = new BigInt64Array(binding.scratch);
const u64 = new BigUint64Array(binding.scratch);

const float32Max = 3.4028234663852886e38;
const roundsToInfinity = 3.4028235677973366e38;

function packInteger(
  array: Int8Array | Uint8Array | Int16Array | Uint16Array,
  shift: number,
  low: number,
  high: number,
): Pack {
  return (value, at) => {
    if (typeof value !== "number" || !Number.isInteger(value) || value < low || value > high) return false;
    array[at >> shift] = value;
    return true;
  };
}

function packSmallFloat(dtype: "float16" | "bfloat16", limit: number): Pack {
  const { encode } = factsOf(dtype);
  return (value, at) => {
    if (typeof value !== "number" || (Number.isFinite(value) && Math.abs(value) >= limit)) return false;
    u16[at >> 1] = Number(encode(value));
    return true;
  };
}

/**
 * Integers take integers in range, 64-bit ones also bigint; floats take numbers whose rounding stays finite; bool takes
 * booleans.
 */
const packScalar: Record<Scalar, Pack> = {
  bool(value, at) {
    if (typeof value !== "boolean") return false;
    u8[at] = value ? 1 : 0;
    return true;
  },
  i8: packInteger(i8, 0, -128, 127),
  u8: packInteger(u8, 0, 0, 255),
  i16: packInteger(i16, 1, -32768, 32767),
  u16: packInteger(u16, 1, 0, 65535),
  i32(value, at) {
    if (typeof value !== "number" || (value | 0) !== value) return false;
    i32[at >> 2] = value;
    return true;
  },
  u32(value, at) {
    if (typeof value !== "number" || value >>> 0 !== value) return false;
    u32[at >> 2] = value;
    return true;
  },
  i64(value, at) {
    if (typeof value === "number" && Number.isSafeInteger(value)) {
      const low = value >>> 0;
      u32[at >> 2] = low;
      u32[(at >> 2) + 1] = (value - low) / 2 ** 32;
      return true;
    }
    if (typeof value !== "bigint" || BigInt.asIntN(64, value) !== value) return false;
    i64[at >> 3] = value;
    return true;
  },
  u64(value, at) {
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) {
      const low = value >>> 0;
      u32[at >> 2] = low;
      u32[(at >> 2) + 1] = (value - low) / 2 ** 32;
      return true;
    }
    if (typeof value !== "bigint" || BigInt.asUintN(64, value) !== value) return false;
    u64[at >> 3] = value;
    return true;
  },
  f16: packSmallFloat("float16", 65520),
  bf16: packSmallFloat("bfloat16", 3.3961775292304957e38),
  f32(value, at) {
    if (
      typeof value !== "number" ||
      (Math.abs(value) > float32Max && Math.abs(value) < Infinity && Math.abs(value) >= roundsToInfinity)
    )
      return false;
    f32[at >> 2] = value;
    return true;
  },
  f64(value, at) {
    if (typeof value !== "number") return false;
    f64[at >> 3] = value;
    return true;
  },
};

function packPointer(type: PointerType, device: DeviceProcess): Pack {
  const { dtypes, pointeeAlign } = type;
  const only = dtypes?.length === 1 ? dtypes[0]! : null;
  return (value, at) => {
    if (!(value instanceof DeviceArray)) {
      if (value !== null) return false;
      u32[at >> 2] = 0xffffffff;
      u32[(at >> 2) + 1] = 0xffffffff;
      return true;
    }
    const { storage } = value;
    if (storage === null || storage.device !== device || !value.isContiguous) return false;
    if (value.dtype !== only && dtypes !== null && !dtypes.includes(value.dtype)) return false;
    if (value.placeLow % pointeeAlign !== 0) return false;
    u32[at >> 2] = value.placeLow;
    u32[(at >> 2) + 1] = value.placeHigh;
    return true;
  };
}

function packView({ element, ndim }: ViewType, device: DeviceProcess): Pack {
  return (value, at) => {
    if (!(value instanceof DeviceArray) || value.storage?.device !== device || value.shape.length !== ndim)
      return false;
    if (!element.dtypes!.includes(value.dtype) || value.placeLow % element.pointeeAlign !== 0) return false;
    u32[at >> 2] = value.placeLow;
    u32[(at >> 2) + 1] = value.placeHigh;
    for (let axis = 0; axis < ndim; axis++) {
      packScalar.i64(value.shape[axis], at + 8 * (1 + axis));
      packScalar.i64(value.strides[axis], at + 8 * (1 + ndim + axis));
    }
    return true;
  };
}

const laneNames = ["x", "y", "z", "w"];

function packElements(count: number, step: number, pack: Pack, named: boolean): Pack {
  return (value, at) => {
    const list = Array.isArray(value)
      ? value
      : named && typeof value === "object" && value !== null
        ? laneNames.slice(0, count).map((lane) => (value as Record<string, unknown>)[lane])
        : null;
    if (list === null || list.length !== count) return false;
    // By index, since `every` passes over holes.
    for (let index = 0; index < count; index++) if (!pack(list[index], at + index * step)) return false;
    return true;
  };
}

/**
 * A vector or struct with all its parts read: its getters may use the device, and so the scratch that arguments are
 * written to.
 */
export function read(type: CType, value: unknown): unknown {
  if (typeof value !== "object" || value === null || value instanceof DeviceArray) return value;
  const given = value as Record<string, unknown>;
  if (type.kind === "vector")
    return Array.isArray(value) ? Array.from(value) : laneNames.slice(0, type.lanes).map((lane) => given[lane]);
  if (type.kind !== "struct") return value;
  return Object.fromEntries(
    Object.keys(given).map((name) => {
      const field = type.fields.find((candidate) => candidate.name === name);
      const part = given[name];
      if (field === undefined) return [name, part];
      return [
        name,
        field.count !== null && Array.isArray(part)
          ? Array.from(part, (element) => read(field.type, element))
          : read(field.type, part),
      ];
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
    case "vector":
      return packElements(type.lanes, type.size / type.lanes, packScalar[type.scalar], true);
    case "struct": {
      const fields = type.fields.map((field) => {
        const pack = packerOf(field.type, device);
        return {
          name: field.name,
          offset: field.offset,
          pack: field.count === null ? pack : packElements(field.count, field.type.size, pack, false),
        };
      });
      return (value, at) => {
        if (typeof value !== "object" || value === null) return false;
        const given = value as Record<string, unknown>;
        return (
          Object.keys(given).length === fields.length &&
          fields.every(({ name, offset, pack }) => name in given && pack(given[name], at + offset))
        );
      };
    }
  }
}
