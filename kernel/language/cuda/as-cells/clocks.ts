// The clocks of C++: a time is what `performance.now()` says, and what lies between two is counted in a unit.
import type { Expression, TypeName } from "./nodes.ts";
import { Untranslated } from "./read-expressions.ts";
import { plain, scalar, type PlainKind, type Type } from "./types.ts";
import { levels, value, wrapped, type Value } from "./value.ts";

type Unit = Extract<PlainKind, "seconds" | "milliseconds" | "microseconds">;

/** What makes a unit of milliseconds. */
const units: Record<Unit, string> = { seconds: " / 1000", milliseconds: "", microseconds: " * 1000" };
const ratios: Record<string, Unit> = { milli: "milliseconds", micro: "microseconds" };

/** The unit of `std::chrono::duration<double, std::milli>`. */
export function unitOf(ratio: TypeName | Expression | undefined): Unit {
  if (ratio === undefined) return "seconds";
  const unit = "name" in ratio ? ratios[ratio.name] : undefined;
  if (unit === undefined) throw new Untranslated("a unit of time that is not known");
  return unit;
}

export const isClock = (name: string): boolean => /^chrono::\w+_clock::now$/.test(name);

export const now = (): Value => value("performance.now()", plain("time"));

export const between = (end: Value, start: Value): Value =>
  value(`${wrapped(end, levels.add)} - ${wrapped(start, levels.add + 1)}`, plain("span"), { level: levels.add });

const isUnit = (kind: string): kind is Unit => Object.hasOwn(units, kind);

/** A span in a unit; `null`: it is none, or that is none. */
export function inUnit(given: Value, type: Type): Value | null {
  if (given.type.kind !== "span" || !isUnit(type.kind)) return null;
  const operation = units[type.kind];
  if (operation === "") return { ...given, type };
  return value(`${wrapped(given, levels.multiply)}${operation}`, type, { level: levels.multiply });
}

/** `std::chrono::duration_cast<std::chrono::milliseconds>(span)`, which counts whole ones. */
export function counted(unit: TypeName | Expression | undefined, given: Value): Value {
  const name = unit !== undefined && "name" in unit ? unit.name.replace("chrono::", "") : "";
  const made = isUnit(name) ? inUnit(given, plain(name)) : null;
  if (made === null) throw new Untranslated("a time in such a unit");
  return value(`Math.trunc(${made.text})`, scalar("size"));
}

/** `count()`; of what is counted already it is that. */
export function countIn(given: Value): Value {
  if (isUnit(given.type.kind)) return { ...given, type: scalar("f64") };
  if (given.type.kind === "scalar") return given;
  throw new Untranslated("a time whose unit is the clock's");
}
