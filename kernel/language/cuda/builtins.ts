// The names that CUDA C++ has of itself, by name.
import { functions } from "./builtin-functions.ts";
import { words, type BuiltinRow } from "./builtin-words.ts";

export interface Builtin {
  readonly name: string;
  readonly kind: BuiltinRow["kind"] | "method" | "field";
  readonly signature: string;
  /** As Markdown. */
  readonly documentation: string;
  /** Of a variable; what a function returns. */
  readonly type: string;
  /** "cooperative_groups", or empty. */
  readonly namespace: string;
  readonly members: readonly Builtin[];
}

function builtinOf(row: BuiltinRow, owner = ""): Builtin {
  const { kind, signature, does, header, members = [] } = row;
  const head = signature.replace(/\(.*/, "").replace(/<\w+>$/, "");
  const written = row.name ?? /[\w:]+$/.exec(head)![0];
  const name = written.split("::").at(-1)!;
  return {
    name,
    kind: owner === "" ? kind : signature.includes("(") ? "method" : "field",
    signature,
    documentation: header === undefined ? does : `${does}\n\nNeeds \`#include <${header}>\`.`,
    type: head.slice(0, head.length - written.length).trim(),
    namespace: signature.includes("cooperative_groups::") ? "cooperative_groups" : "",
    members: members.map(([member, what]) => builtinOf({ kind: "function", signature: member, does: what }, name)),
  };
}

const all: readonly Builtin[] = [...words, ...functions].map((row) => builtinOf(row));
const byName = new Map<string, Builtin>(all.map((builtin) => [builtin.name, builtin]));

export const builtins: readonly Builtin[] = all;

export const builtinNamed = (name: string): Builtin | null => byName.get(name) ?? null;
