// Where a cell declares its names, and which of them are names of imports.
import type { Node, Program } from "oxc-parser";
import type { Declared } from "./hoisting.ts";
import type { Analysis } from "./references.ts";

export interface Definition {
  /** Into the JavaScript without types; `null` where nothing there stands for it. */
  readonly offset: number | null;
  readonly isImport: boolean;
}

/** By name, all that the cell declares. */
export function definitionsOf(
  program: Program,
  { declared, references }: Pick<Analysis, "declared" | "references">,
): Map<string, Definition> {
  const offsets = new Map<string, number>();
  const note = (name: string, offset: number): void => {
    if (!offsets.has(name)) offsets.set(name, offset);
  };
  for (const statement of program.body) for (const [name, offset] of statedBy(statement)) note(name, offset);
  for (const { name, form, start } of references)
    if (form === "initialise" || form === "shorthandInitialise") note(name, start);
  return new Map(
    [...declared].map(([name, how]: [string, Declared]) => [
      name,
      { offset: offsets.get(name) ?? null, isImport: how === "import" },
    ]),
  );
}

/** Names that a statement has beside those of patterns. */
function statedBy(statement: Node): [string, number][] {
  switch (statement.type) {
    case "ImportDeclaration":
      return statement.specifiers.map(({ local }) => [local.name, local.start]);
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return statement.id === null ? [] : [[statement.id.name, statement.id.start]];
    case "ExportNamedDeclaration":
    case "ExportDefaultDeclaration":
      return statement.declaration === null ? [] : statedBy(statement.declaration);
    default:
      return [];
  }
}
