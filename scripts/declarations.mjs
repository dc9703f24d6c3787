// Completes the declarations that tsc writes of the library, so that what stands at a method is said of all its forms:
// the function `exp(x)` and the form in place `exp_()` get the signature, the documentation and the examples of `exp()`,
// which gets those that stand at its row in the table of operations.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";

/** What the signatures of methods that derive from rows say of dtypes, in words. */
const dtypeNotes = [
  [/^Tensor<FloatOf<D>>$/, "Integers and bool give float32."],
  [/^Tensor<FloatOf<CommonOf<D, O>>>$/, "The other is a tensor, which broadcasts, or a number; integers give float32."],
  [/^Tensor<CommonOf<D, O>>$/, "The other is a tensor, which broadcasts, or a number."],
];
/** What has the methods that derive from rows. */
const [ofElements, ofReductions] = ["ElementwiseMethods", "ReductionMethods"];
/** What is called like a method but belongs to no tensor. */
const namespaces = new Set([
  "linalg",
  "fft",
  "nn",
  "optim",
  "sparse",
  "io",
  "Math",
  "Array",
  "Number",
  "Object",
  "JSON",
  "Promise",
  "String",
]);

/** The documentation of a node: its lines, without the asterisks. Nothing when it has none. */
function documentationOf(node, { text, comments }) {
  const last = comments.findLast(({ end }) => end <= node.start && text.slice(end, node.start).trim() === "");
  if (last === undefined || !last.value.startsWith("*")) return undefined;
  const lines = last.value
    .slice(1)
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trimEnd());
  while (lines[0]?.trim() === "") lines.shift();
  while (lines.at(-1)?.trim() === "") lines.pop();
  const at = lines.findIndex((line) => line.startsWith("@example"));
  const [said, example] = at < 0 ? [lines, []] : [lines.slice(0, at), lines.slice(at + 1)];
  return { start: last.start, said: said.map((line, index) => (index === 0 ? line.trim() : line)), example };
}

const commentOf = ({ said, example }, indent = "") => {
  const lines = example.length === 0 ? said : [...said, "@example", ...example];
  if (lines.length === 1) return `/** ${lines[0]} */`;
  return ["/**", ...lines.map((line) => ` * ${line}`.trimEnd()), " */"].join(`\n${indent}`);
};

/** Every call in the code, outermost first. */
function* callsIn(node) {
  if (node === null || typeof node !== "object") return;
  if (node.type === "CallExpression") yield node;
  for (const value of Object.values(node)) if (typeof value === "object") yield* callsIn(value);
}

/** The lines with `x.name(…)` written as `rewritten(x, the text between its parentheses)`. */
function withCalls(lines, name, rewrite) {
  if (lines.length === 0) return lines;
  let text = lines.join("\n");
  for (;;) {
    const { program, errors } = parseSync("example.ts", text);
    if (errors.length > 0) throw new Error(`The example of ${name} is no TypeScript: ${errors[0].message}\n${text}`);
    const call = [...callsIn(program)].find(
      ({ callee }) =>
        callee.type === "MemberExpression" && callee.property.name === name && !namespaces.has(callee.object.name),
    );
    if (call === undefined) return text.split("\n");
    const object = text.slice(call.callee.object.start, call.callee.object.end);
    const given = text.slice(text.indexOf("(", call.callee.end) + 1, call.end - 1);
    text = text.slice(0, call.start) + rewrite(object, given) + text.slice(call.end);
  }
}
const asFunction = (lines, method, name) =>
  withCalls(lines, method, (object, given) => `${name}(${object}${given === "" ? "" : `, ${given}`})`);
const inPlace = (lines, method) => withCalls(lines, method, (object, given) => `${object}.${method}_(${given})`);

const lowered = (sentence) => sentence.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());

function* declarationsIn(program) {
  for (const node of program.body) {
    const declaration = node.type.startsWith("Export") ? (node.declaration ?? node) : node;
    yield [node, declaration];
    if (declaration.type === "TSModuleDeclaration" && declaration.body)
      for (const each of declaration.body.body) yield [each, each.declaration ?? each];
  }
}

/** The properties of constants whose types are written as objects, with the constant's name. */
function* propertiesIn({ program }) {
  for (const [, { type, declarations }] of declarationsIn(program)) {
    if (type !== "VariableDeclaration") continue;
    for (const { id } of declarations) {
      const written = id.typeAnnotation?.typeAnnotation;
      if (written?.type === "TSTypeLiteral") for (const member of written.members) yield [id.name, member];
    }
  }
}

/** What `Unary<domain, result>` gives of operands that are computed in `dtype`: ResultOf of tensor/elementwise.ts. */
const resultOf = ([domain, result], dtype) =>
  result === "bool"
    ? 'Tensor<"bool">'
    : /^(float|wide)$/.test(domain)
      ? `Tensor<FloatOf<${dtype}>>`
      : `Tensor<${dtype}>`;

/** The methods that derive from rows, as members of the interface that has them. */
function derivedMembers(files) {
  const documented = new Map();
  for (const file of files.filter(({ name }) => name.startsWith(join("ops", "elementwise"))))
    for (const [table, member] of propertiesIn(file))
      if (/Rows$/.test(table)) documented.set(member.key.name, documentationOf(member, file));
  const fileNamed = (...path) => files.find(({ name }) => name === join(...path));
  const member = (holder, name, documentation, signature) => {
    if (documentation === undefined) throw new Error(`The row ${name} has no documentation.`);
    return { name, holder, documentation, signatures: [signature] };
  };
  const elementwise = [...propertiesIn(fileNamed("ops", "core", "table.d.ts"))]
    .filter(([name]) => name === "unaryRows" || name === "binaryRows")
    .map(([table, { key, typeAnnotation }]) => {
      const said = typeAnnotation.typeAnnotation.typeArguments.params.map(({ literal }) => literal.value);
      return member(
        ofElements,
        key.name,
        documented.get(key.name),
        table === "unaryRows"
          ? { own: "", params: "", result: resultOf(said, "D") }
          : said[1] === "bool"
            ? { own: "", params: "other: Tensor | Scalar", result: resultOf(said, "D") }
            : { own: "O extends Tensor | Scalar", params: "other: O", result: resultOf(said, "CommonOf<D, O>") },
      );
    });
  const reducers = fileNamed("ops", "reduce", "reducers.d.ts");
  const reductions = [...propertiesIn(reducers)].flatMap(([table, property]) => {
    const facts = new Map(property.typeAnnotation.typeAnnotation.members?.map((each) => [each.key.name, each]));
    if (table !== "reducers" || !facts.has("gradient")) return [];
    const result = facts.get("result").typeAnnotation.typeAnnotation.literal.value;
    const dtype = { same: "D", sum: "SumOf<D>" }[result] ?? `"${result}"`;
    return member(ofReductions, property.key.name, documentationOf(property, reducers), {
      own: "",
      params: "axis?: Axes | ReduceOptions, keepdims?: boolean",
      result: `Tensor<${dtype}>`,
    });
  });
  return [...elementwise, ...reductions];
}

/** The members of the class and interface whose forms are looked at, in all files. */
function membersIn(files) {
  const members = new Map(derivedMembers(files).map((member) => [member.name, member]));
  for (const file of files) {
    for (const [, { type, id, body }] of declarationsIn(file.program)) {
      if (!/^(TSInterface|Class)Declaration$/.test(type) || id?.name !== "Tensor") continue;
      for (const member of body.body) {
        const name = member.key?.name;
        if (name === undefined || !/Method|PropertySignature|PropertyDefinition/.test(member.type)) continue;
        const known = members.get(name);
        const documentation = documentationOf(member, file);
        const { typeParameters, params, returnType } = member.value ?? member;
        const slice = (node) => (node ? file.text.slice(node.start, node.end) : "");
        const signature = params && {
          own: slice(typeParameters).slice(1, -1),
          params: params.map(slice).join(", "),
          result: slice(returnType).replace(/^:\s*/, ""),
        };
        if (known === undefined)
          members.set(name, { name, file, member, holder: id.name, documentation, signatures: [signature] });
        else {
          known.signatures.push(signature);
          // One of a row that takes options, too, says so itself.
          if (known.holder === ofElements) known.withOptions = documentation;
        }
      }
    }
  }
  return members;
}

/** `max(axis)` of a tensor as `max(x, axis)`. */
function functionOf(name, { own, params, result }) {
  const types = ["D extends DType", own].filter(Boolean).join(", ");
  return `export declare function ${name}<${types}>(x: Tensor<D>${params === "" ? "" : `, ${params}`}): ${result};`;
}

/**
 * A constant whose type is that of a function, or a name of the file for one, as a function: of functions, editors and
 * the reference show the signature. Nothing for another constant.
 */
function writtenOut(name, type, { text, program }) {
  const slice = (node) => (node ? text.slice(node.start, node.end) : "");
  if (type.type === "TSFunctionType") {
    const { typeParameters, params, returnType } = type;
    const result = slice(returnType.typeAnnotation);
    return `export declare function ${name}${slice(typeParameters)}(${params.map(slice).join(", ")}): ${result};`;
  }
  const alias = [...declarationsIn(program)]
    .map(([, each]) => each)
    .find((each) => each.type === "TSTypeAliasDeclaration" && each.id.name === type.typeName?.name);
  if (alias?.typeAnnotation.type !== "TSFunctionType") return undefined;
  const given = type.typeArguments?.params ?? [];
  return (alias.typeParameters?.params ?? []).reduce(
    (written, parameter, at) =>
      written.replace(new RegExp(`\\b${parameter.name.name}\\b`, "g"), slice(given[at] ?? parameter.default)),
    writtenOut(name, alias.typeAnnotation, { text, program }),
  );
}

/** Of a function whose first operand may be a number, too. */
function numberFirst(name, { params, result }) {
  if (!params.startsWith("other:")) return [];
  const common = result.replace("CommonOf<D, O>", "PromotedWith<D, N>");
  return [`export declare function ${name}<N extends Scalar, D extends DType>(x: N, other: Tensor<D>): ${common};`];
}

const functionsHeader = `import type { DType } from "../memory/dtype.ts";
import type { FloatOf, PromotedWith, SumOf } from "../memory/promotion.ts";
import type { CommonOf, Scalar } from "./elementwise.ts";
import type { Axes, ReduceOptions } from "./reductions.ts";
import type { Tensor } from "./tensor.ts";
`;

/** The functions of the table, one declaration each. */
function tableFunctions(members) {
  const written = [...members.values()]
    .filter(({ holder }) => holder !== "Tensor")
    .map(({ name, signatures, documentation: ofRow, withOptions }) => {
      const documentation = withOptions ?? ofRow;
      const comment = commentOf({ ...documentation, example: asFunction(documentation.example, name, name) });
      const all = signatures.flatMap((each) => [functionOf(name, each), ...numberFirst(name, each)]);
      return [comment, ...all].join("\n");
    });
  return `${functionsHeader}${written.join("\n")}\nexport {};\n`;
}

/** An interface of methods that derive from rows, one declaration each. */
function derivedMethods(interfaceName, members) {
  const written = [...members.values()]
    .filter(({ holder }) => holder === interfaceName)
    .map(({ name, documentation, signatures: [{ own, params, result }] }) => {
      const types = own === "" ? "" : `<${own}>`;
      return `    ${commentOf(documentation, "    ")}\n    ${name}${types}(${params}): ${result};\n`;
    });
  return `export interface ${interfaceName}<D extends DType> {\n${written.join("")}}`;
}

const inPlaceHeader = `import type { DType } from "../memory/dtype.ts";
import type { Tensor } from "./tensor.ts";
type Operand = Tensor | number | bigint | boolean;
/** Each writes its result over the tensor's elements, in their dtype, and returns the tensor. */
export interface InPlaceMethods<D extends DType> {
`;

/** What a form in place says: what the method does, but of dtypes. */
function inPlaceComment({ name, documentation: { said, example }, signatures: [{ note }] }) {
  const [first, ...rest] = said.filter((line) => line !== note);
  return commentOf({ said: [`In place: ${lowered(first)}`, ...rest], example: inPlace(example, name) }, "    ");
}

/** The forms in place of the table's methods, one declaration each. */
function tableInPlace(members) {
  const written = [...members.values()]
    .filter(({ holder, signatures: [first] }) => holder === ofElements && first.result !== 'Tensor<"bool">')
    .map((method) => {
      const operand = method.signatures[0].params === "" ? "" : "other: Operand";
      return `    ${inPlaceComment(method)}\n    ${method.name}_(${operand}): Tensor<D>;\n`;
    });
  return `${inPlaceHeader}${written.join("")}}\n`;
}

/** What the signature of every function names. */
const imported = { Tensor: "./tensor.ts", DType: "../memory/dtype.ts" };

/** Edits of a file as [start, end, text]. */
function editsOf(file, members) {
  const edits = [];
  let isTyped = false;
  for (const [node, declaration] of declarationsIn(file.program)) {
    if (declaration.type !== "VariableDeclaration") continue;
    const { id } = declaration.declarations[0];
    const own = documentationOf(node, file);
    const said = own?.said.join(" ") ?? "";
    const typed = /^FunctionOf<"(\w+)">$/.exec(
      file.text.slice(id.typeAnnotation?.typeAnnotation.start, id.typeAnnotation?.typeAnnotation.end),
    );
    const [, named, tail] = /^\{@link Tensor\.(\w+)\} as a function\.(?: (.*))?$/.exec(said) ?? [];
    const method = members.get(named ?? (own === undefined ? typed?.[1] : undefined));
    if (method !== undefined) {
      const { documentation } = method;
      if (documentation === undefined) throw new Error(`${method.name} of Tensor has no documentation.`);
      const example = own?.example.length ? own.example : asFunction(documentation.example, method.name, id.name);
      const comment = commentOf({ said: [...documentation.said, ...(tail ? [tail] : [])], example });
      edits.push([own?.start ?? node.start, node.start, `${comment}\n`]);
    }
    // `export declare const a: …, b: …` has several.
    const written = declaration.declarations.map(({ id: { name, typeAnnotation } }) =>
      typeAnnotation ? writtenOut(name, typeAnnotation.typeAnnotation, file) : undefined,
    );
    if (node.type.startsWith("Export") && !written.includes(undefined))
      edits.push([node.start, node.end, written.join("\n")]);
    const known = typed && members.get(typed[1]);
    if (known && known.file === file) {
      edits.push([node.start, node.end, known.signatures.map((each) => functionOf(id.name, each)).join("\n")]);
      isTyped = true;
    }
  }
  for (const { name, member, documentation, file: own } of members.values()) {
    if (own !== file || member === undefined) continue;
    const isInPlace = name.endsWith("_") && /^\{@link Tensor\.\w+\} in place\.$/.test(documentation?.said.join(" "));
    const plain = isInPlace ? members.get(name.slice(0, -1)) : undefined;
    if (plain !== undefined) {
      edits.push([documentation.start, member.start, `${inPlaceComment(plain)}\n    `]);
    }
  }
  for (const [node, { id }] of declarationsIn(file.program))
    if (id?.name === ofElements || id?.name === ofReductions)
      edits.push([node.start, node.end, derivedMethods(id.name, members)]);
  if (isTyped)
    for (const [name, from] of Object.entries(imported))
      if (!new RegExp(`import [^;]*\\b${name}\\b[^;]*;`).test(file.text))
        edits.push([0, 0, `import type { ${name} } from "${from}";\n`]);
  return edits.sort(([a], [b]) => b - a);
}

/** Says of dtypes what the signature does, and of the forms in place nothing: they keep the dtype. */
function noteDtypes(members) {
  const notes = [];
  for (const { holder, documentation, signatures } of members.values()) {
    if (holder !== ofElements) continue;
    const note = dtypeNotes.find(([pattern]) => pattern.test(signatures[0].result))?.[1];
    if (note === undefined) continue;
    signatures[0].note = note;
    notes.push(() => documentation.said.push(note));
  }
  return notes;
}

/** Completes the declarations in a folder that tsc has written. */
export function completeDeclarations(folder) {
  const files = readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(".d.ts"))
    .map((name) => {
      const path = join(folder, name);
      const text = readFileSync(path, "utf8");
      return { name, path, text, ...parseSync(path, text) };
    });
  const members = membersIn(files);
  for (const note of noteDtypes(members)) note();
  for (const file of files) {
    let { text } = file;
    if (file.name === join("tensor", "functions.d.ts")) text = tableFunctions(members);
    else if (file.name === join("tensor", "in-place.d.ts")) text = tableInPlace(members);
    else
      for (const [start, end, replacement] of editsOf(file, members))
        text = text.slice(0, start) + replacement + text.slice(end);
    if (text !== file.text) writeFileSync(file.path, text);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  completeDeclarations(fileURLToPath(new URL("../native/dist/", import.meta.url)));
