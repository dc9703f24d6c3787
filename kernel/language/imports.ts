// What a cell's imports run before its first statement: the module is loaded, and its names are slots.
import type { ImportDeclaration, Program } from "oxc-parser";

/** What an import needs to know of its cell. */
export interface Importing {
  /** Names of the helpers start with this. */
  readonly prefix: string;
  /** A name of the notebook, as the rewritten code spells it. */
  slot(name: string): string;
  place(offset: number): { line: number; column: number };
}

/** The statements for an import, the cell's `number`th. `isUsed`: whether the cell reads a name. */
export function importHead(
  statement: ImportDeclaration,
  number: number,
  importing: Importing,
  isUsed: (name: string) => boolean,
): string[] {
  const { prefix, slot, place } = importing;
  const call = importCall(statement.source, statement.start, importing, statement.attributes);
  if (statement.specifiers.length === 0) return [`${call};`];
  const namespace = `${prefix}module${number}`;
  const names = statement.specifiers.map((specifier) => {
    const target = slot(specifier.local.name);
    if (specifier.type === "ImportNamespaceSpecifier") return `${target} = ${namespace};`;
    const name = JSON.stringify(importedName(specifier));
    // An interface imported without `type` has no value: the name stays unknown, so that a later cell that uses it as
    // one gets a ReferenceError.
    const { line, column } = place(specifier.start);
    const missing = isUsed(specifier.local.name)
      ? ` else ${prefix}.missing(${JSON.stringify(statement.source.value)}, ${name}, ${line}, ${column});`
      : "";
    return `if (${name} in ${namespace}) ${target} = ${namespace}[${name}];${missing}`;
  });
  return [`const ${namespace} = ${call};`, ...names];
}

type Named = Exclude<ImportDeclaration["specifiers"][number], { type: "ImportNamespaceSpecifier" }>;

function importedName(specifier: Named): string {
  if (specifier.type === "ImportDefaultSpecifier") return "default";
  return specifier.imported.type === "Identifier" ? specifier.imported.name : specifier.imported.value;
}

/** `await` of a module, as it is loaded for the cell. */
export function importCall(
  source: { value: string },
  offset: number,
  { prefix, place }: Importing,
  attributes: ImportDeclaration["attributes"] = [],
): string {
  const pairs = attributes.map(
    ({ key, value }) =>
      `${JSON.stringify(key.type === "Identifier" ? key.name : key.value)}: ${JSON.stringify(value.value)}`,
  );
  const options = pairs.length === 0 ? "undefined" : `{ with: { ${pairs.join(", ")} } }`;
  const { line, column } = place(offset);
  return `await ${prefix}.import(${JSON.stringify(source.value)}, ${options}, ${line}, ${column})`;
}

/** `export {}` says nothing; oxc leaves it at the end of code whose only imports and exports were types. */
export function isEmptyExport(statement: Program["body"][number]): boolean {
  return (
    statement.type === "ExportNamedDeclaration" &&
    statement.declaration === null &&
    statement.specifiers.length === 0 &&
    statement.source === null
  );
}

export function isReexport(
  statement: Program["body"][number],
): statement is Extract<Program["body"][number], { source: object }> {
  return (
    (statement.type === "ExportNamedDeclaration" || statement.type === "ExportAllDeclaration") &&
    statement.source !== null
  );
}
