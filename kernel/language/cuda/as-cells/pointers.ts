// Places in memory: a pointer into an array of the host is a part of it, one into a tensor a slice.
import { Untranslated } from "./read-expressions.ts";
import type { Translator } from "./translator.ts";
import { isScalar, isVectorName, layoutOf, Place, plain, scalar, scalars, type Type } from "./types.ts";
import { converted, levels, settled, value, wrapped, type Value } from "./value.ts";

/** How elements of a type lie in a tensor: of which dtype it is, and how many of its elements one is. */
export interface Units {
  readonly dtype: string;
  readonly array: string;
  readonly per: number;
}

export function unitsOf(type: Type): Units {
  if (isScalar(type)) return { dtype: scalars[type.name].dtype, array: scalars[type.name].array, per: 1 };
  if (type.kind === "array") {
    const { dtype, array, per } = unitsOf(type.of);
    const length = Number(type.length);
    if (Number.isNaN(length)) throw new Untranslated("an array of arrays of a length that is computed");
    return { dtype, array, per: per * length };
  }
  if (type.kind !== "struct") throw new Untranslated(`memory for a ${type.kind}`);
  const [first] = type.fields;
  if (isVectorName(type.name) && first !== undefined && isScalar(first.type))
    return { ...unitsOf(first.type), per: type.fields.length };
  const layout = layoutOf(type);
  if (layout === null) throw new Untranslated(`memory for ${type.name}, whose layout is not known`);
  return { dtype: "uint8", array: "Uint8Array", per: layout.bytes };
}

/** So many elements, in elements of the tensor. */
export function inUnits(count: Value, type: Type): string {
  const { per } = unitsOf(type);
  if (per === 1) return settled(count).text;
  return count.literal === undefined
    ? `${wrapped(settled(count), levels.multiply)} * ${per}`
    : String(count.literal * per);
}

/** `base + by` */
export function offset(t: Translator, base: Value, by: Value): Value {
  const { type } = base;
  const at = converted(by, scalar("size"));
  if (at.literal === 0) return base;
  if (type.kind === "text") return value(`${base.text}.slice(${settled(at).text})`, plain("text"));
  if (type.kind === "array") {
    if (!isScalar(type.of)) throw new Untranslated("a place inside of an array of arrays or structs");
    return value(`${base.text}.subarray(${settled(at).text})`, {
      kind: "pointer",
      to: type.of,
      place: new Place("host"),
    });
  }
  if (type.kind === "vector" && isScalar(type.of) && !type.grows.yes)
    return value(`${base.text}.subarray(${settled(at).text})`, {
      kind: "pointer",
      to: type.of,
      place: new Place("host"),
    });
  if (type.kind !== "pointer") throw new Untranslated(`a place inside of a ${type.kind}`);
  const { is } = type.place;
  if (is === "managed") {
    t.cells.helper("Managed");
    return value(`${base.text}.from(${settled(at).text})`, type);
  }
  if (is === "device") return value(`${base.text}.slice([${inUnits(at, type.to)}, null])`, type);
  if (!isScalar(type.to)) throw new Untranslated("a place inside of an array of structs");
  return value(`${base.text}.subarray(${settled(at).text})`, type);
}

/** What a kernel is given for a pointer. */
export function tensorOf(given: Value): string {
  const { type } = given;
  if (type.kind === "null") return "null";
  if (type.kind !== "pointer") throw new Untranslated("a kernel is given memory of the host");
  if (type.place.is === "managed") return `${wrapped(given, levels.primary)}.tensor`;
  if (type.place.is !== "device" && given.text !== "null")
    throw new Untranslated("a kernel is given memory of the host");
  return given.text;
}

/** Managed memory as its array, which is what a function of the host needs of it. */
export function onHost(given: Value): Value {
  const { type } = given;
  if (type.kind !== "pointer" || type.place.is !== "managed") return given;
  return value(`${wrapped(given, levels.primary)}.values`, { ...type, place: new Place("host") });
}
