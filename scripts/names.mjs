// The lists of names that follow from the library's sources: of the functions that derive from rows of operations
// (native/lib/tensor/functions.ts), since a module says what it exports by name, and of the operations whose calls have
// devices work (kernel/language/operation-names.ts), which knows nothing of the library; and that of the extension's style
// sheets (extension/style/index.css). `npm run format` writes them.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync } from "oxc-parser";
import { root } from "./setup.mjs";

const library = join(root, "native", "lib");
const programs = new Map();
function programOf(path) {
  if (!programs.has(path)) {
    const { program, errors } = parseSync(path, readFileSync(path, "utf8"));
    if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
    programs.set(path, program);
  }
  return programs.get(path);
}

/** What a module declares and exports at its top, as [name, the value it begins with]. */
function* constantsIn(path) {
  for (const node of programOf(path).body) {
    if (node.type !== "ExportNamedDeclaration" || node.declaration === null) continue;
    const { type, id, declarations } = node.declaration;
    if (type === "FunctionDeclaration") yield [id.name, null];
    if (type !== "VariableDeclaration") continue;
    for (const { id, init } of declarations)
      if (id.type === "Identifier") yield [id.name, init];
      else for (const { key } of id.properties) yield [key.name, null];
  }
}

const objectIn = (init) => (/^TS(As|Satisfies)Expression$/.test(init.type) ? objectIn(init.expression) : init);

/** The names of rows in the tables that `table` is made of. */
function rowsOf(table) {
  const found = new Map([...constantsIn(join(library, "ops", "core", "table.ts"))]).get(table);
  const parts = objectIn(found).properties.map(({ argument }) => argument.name);
  const families = readdirSync(join(library, "ops", "elementwise")).filter((name) => name.endsWith(".ts"));
  const all = new Map(families.flatMap((name) => [...constantsIn(join(library, "ops", "elementwise", name))]));
  return parts.flatMap((part) => objectIn(all.get(part)).properties.map(({ key }) => key.name));
}

/** The names of reducers that are operations as they stand, since they have a gradient or say that they have none. */
function wholeReducers() {
  const reducers = new Map([...constantsIn(join(library, "ops", "reduce", "reducers.ts"))]).get("reducers");
  return objectIn(reducers)
    .properties.filter(({ value }) => value.properties.some(({ key }) => key.name === "gradient"))
    .map(({ key }) => key.name);
}

/** The names that a module exports, and those that its namespaces `within` do. */
function exportsOf(path, within) {
  const names = [...constantsIn(path)].map(([name]) => name);
  for (const { type, exportKind, source, specifiers, exported } of programOf(path).body) {
    if (source == null || exportKind === "type") continue;
    const from = join(dirname(path), source.value);
    if (type === "ExportAllDeclaration" && (exported === null || within.includes(exported.name)))
      names.push(...exportsOf(from, []));
    if (type === "ExportNamedDeclaration")
      names.push(...specifiers.filter((each) => each.exportKind !== "type").map((each) => each.exported.name));
  }
  return names;
}

/** The methods that tensors are declared to have, in all files. */
function methodsOf() {
  const files = readdirSync(library, { recursive: true }).filter((name) => /(?<!\.test)\.ts$/.test(name));
  return files.flatMap((name) =>
    programOf(join(library, name))
      .body.flatMap((node) => (node.type === "TSModuleDeclaration" ? node.body.body : [node.declaration ?? node]))
      .filter(({ type, id }) => /^(TSInterface|Class)Declaration$/.test(type) && id?.name === "Tensor")
      .flatMap(({ body }) => body.body)
      .filter(({ type, kind, computed }) => /Method/.test(type) && kind === "method" && !computed)
      .map(({ key }) => key.name),
  );
}

const within = (text, from, to, lines) => {
  const [start, end] = [text.indexOf(from) + from.length, text.indexOf(to)];
  return `${text.slice(0, start)}\n${lines.join("\n")}\n${text.slice(end)}`;
};

/** The words in lines of at most 110 columns. */
function filled(words) {
  const lines = [""];
  for (const word of words)
    if (lines.at(-1).length + word.length < 110) lines.push(`${lines.pop()} ${word}`);
    else lines.push(` ${word}`);
  return lines.map((line) => ` ${line}`);
}

/** Style sheets of the extension that the others build on. */
const sharedStyles = ["controls", "panels"];

/** The text that imports all style sheets of the extension, those that others build on first. */
function stylesOf(folder) {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".css") && name !== "index.css")
    .map((name) => name.slice(0, -".css".length));
  const others = names.filter((name) => !sharedStyles.includes(name)).sort();
  const imports = [...sharedStyles, ...others].map((name) => `@import url("${name}.css");\n`);
  return `/* The style sheets of the plugins, one each, after what they share. */\n${imports.join("")}`;
}

/** The files with lists, as [path, text]. */
export function nameLists() {
  const styles = join(root, "extension", "style");
  const rows = [...rowsOf("unaryRows"), ...rowsOf("binaryRows"), ...wholeReducers()];
  const functions = join(library, "tensor", "functions.ts");
  const operations = join(root, "kernel", "language", "operation-names.ts");
  const names = [...rows, ...methodsOf(), ...exportsOf(join(library, "index.ts"), ["linalg", "fft"])]
    .filter((name) => /^[a-z]/.test(name))
    .map((name) => name.replace(/_$/, ""));
  const sorted = [...new Set(names)].sort();
  return [
    [
      functions,
      within(
        readFileSync(functions, "utf8"),
        "export const {",
        "} = functions;",
        rows.map((name) => `  ${name},`),
      ),
    ],
    [operations, within(readFileSync(operations, "utf8"), "const names = `", "`;", filled(sorted))],
    [join(styles, "index.css"), stylesOf(styles)],
  ];
}
