// Structs in memory of the device: the cell gets a description of how one lies there, and functions that lay them out.
import { unitsOf } from "./pointers.ts";
import { Untranslated } from "./read-expressions.ts";
import type { Translator } from "./translator.ts";
import { isScalar, layoutOf, scalars, type Type } from "./types.ts";
import { initialised } from "./initialise.ts";

/** Expressions about arrays of a struct. */
export interface Records {
  made(count: string): string;
  packed(list: string): string;
  unpacked(data: string): string;
  managed(count: string): string;
}

/** Throws Untranslated for a type that has no plain layout. */
export function recordsOf(t: Translator, type: Type): Records {
  if (type.kind !== "struct") throw new Untranslated(`memory of ${type.kind}s on both sides`);
  const layout = layoutName(t, type);
  const { array } = unitsOf(type);
  const zero = initialised(t, type, null).text;
  const made = (count: string): string => `Array.from({ length: ${count} }, () => (${zero}))`;
  return {
    made,
    packed: (list) => {
      t.cells.helper("packed");
      const bytes = `packed(${layout}, ${list})`;
      return array === "Uint8Array" ? bytes : `new ${array}(${bytes}.buffer)`;
    },
    unpacked: (data) => {
      t.cells.helper("unpacked");
      return `unpacked(${layout}, ${data})`;
    },
    managed: (count) => {
      t.cells.helper("ManagedRecords");
      return `new ManagedRecords(${made(count)}, ${layout}, ${array})`;
    },
  };
}

const views: Record<string, string> = {
  bool: "Uint8",
  i8: "Int8",
  u8: "Uint8",
  i16: "Int16",
  u16: "Uint16",
  i32: "Int32",
  u32: "Uint32",
  i64: "BigInt64",
  u64: "BigUint64",
  size: "BigUint64",
  f32: "Float32",
  f64: "Float64",
};

/** The name of the description of a struct, which the cells get where they have none yet. */
function layoutName(t: Translator, type: Extract<Type, { kind: "struct" }>): string {
  const name = `${type.name}Layout`;
  if (t.cells.has(name)) return name;
  const layout = layoutOf(type);
  if (layout === null) throw new Untranslated(`memory for ${type.name}, whose layout is not known`);
  t.cells.helper("Layout");
  const reads: string[] = [];
  const writes: string[] = [];
  type.fields.forEach(({ name: field, type: of }, i) => {
    const at = layout.offsets[i] === 0 ? "at" : `at + ${layout.offsets[i]}`;
    if (of.kind === "struct") {
      const inner = layoutName(t, of);
      reads.push(`${field}: ${inner}.read(view, ${at})`);
      writes.push(`${inner}.write(view, ${at}, ${field});`);
      return;
    }
    if (!isScalar(of)) throw new Untranslated(`memory for ${type.name}, which has a ${of.kind}`);
    const { bytes, kind } = scalars[of.name];
    const order = bytes === 1 ? "" : ", true";
    const got = `view.get${views[of.name]}(${at}${order})`;
    reads.push(`${field}: ${of.name === "bool" ? `${got} !== 0` : of.name === "size" ? `Number(${got})` : got}`);
    const given = kind === "bool" ? `Number(${field})` : of.name === "size" ? `BigInt(${field})` : field;
    writes.push(`view.set${views[of.name]}(${at}, ${given}${order});`);
  });
  const fields = type.fields.map(({ name: field }) => field).join(", ");
  t.cells.define(
    name,
    `/** How a ${type.name} lies in memory. */
const ${name}: Layout<${t.cells.typeText(type)}> = {
  bytes: ${layout.bytes},
  read: (view, at) => ({ ${reads.join(", ")} }),
  write: (view, at, { ${fields} }) => {
    ${writes.join("\n    ")}
  },
};`,
  );
  return name;
}
