// Kernels as TypeScript declares them: names and types for the checker, from parsed signatures.
import { dtypeOf, type CType } from "./c-types.ts";
import type { HostDeclaration } from "./host/find.ts";
import { typeText } from "./host/types.ts";
import { hasTypedArray } from "./unpack.ts";
import { dtypeNames, factsOf } from "../memory/dtype.ts";
import type { KernelDeclaration, Signatures } from "./signature.ts";
import { CompileError } from "../errors.ts";

const library = `import("warpcell")`;

// ECMA-262, 12.7.2: words that are no names in a module and are names in C++.
const reserved = new Set(
  "arguments await debugger eval export extends finally function implements import in instanceof interface let null package super var with yield".split(
    " ",
  ),
);

/**
 * A TypeScript name for each kernel: the last part of its own, or all parts joined by _ where two would be the same.
 */
export function valueNames(kernels: readonly string[]): string[] {
  const last = (name: string) => name.split("::").at(-1)!;
  const names = kernels.map((kernel) => {
    const isShared = kernels.filter((other) => last(other) === last(kernel)).length > 1;
    return isShared ? kernel.replaceAll("::", "_") : last(kernel);
  });
  return names.map((name) => (reserved.has(name) ? `${name}_` : name));
}

export interface Declared {
  readonly name: string;
  /** `declare const …` */
  readonly text: string;
}

/** All that a source declares for TypeScript: kernels, then variables, then host functions. */
export function declarationsOf(
  { kernels, variables }: Signatures,
  functions: readonly HostDeclaration[],
): readonly Declared[] {
  const names = valueNames([...kernels, ...variables, ...functions].map(({ name }) => name));
  const texts = [
    ...kernels.map((kernel) => (name: string) => declarationText(name, kernel)),
    ...variables.map(
      ({ type }) =>
        (name: string) =>
          variableText(name, type),
    ),
    ...functions.map((declaration) => (name: string) => functionText(name, declaration)),
  ];
  return names.map((name, index) => ({ name, text: texts[index]!(name) }));
}

/** `declare const fill: import("warpcell").Kernel<[p: …, n: number]>`. */
export function declarationText(name: string, declaration: KernelDeclaration): string {
  const { template, written } = declaration;
  const types =
    template === null
      ? declaration.parameters().parameters.map(({ type }) => argumentType(type))
      : written.map(({ type }) => templateArgumentType(declaration, type));
  const list = written.map((parameter, index) => `${label(parameter.name)}: ${types[index]!}`).join(", ");
  return `declare const ${name}: ${library}.${template === null ? "Kernel" : "KernelTemplate"}<[${list}]>`;
}

/** `declare const filter: import("warpcell").DeviceVariable<…>`: what it takes, and what it gives. */
export function variableText(name: string, type: CType): string {
  let element = type;
  let axes = 0;
  for (; element.kind === "array"; axes++) element = element.element;
  const dtype = element.kind === "scalar" ? dtypeOf(element.scalar) : null;
  const flat = axes > 1 && element.kind === "scalar" ? " | ArrayBufferView" : "";
  const tensor = axes > 0 && dtype !== null ? ` | ${library}.Tensor<"${dtype}">` : "";
  return `declare const ${name}: ${library}.DeviceVariable<${argumentType(type)}${flat}${tensor}, ${valueType(type)}>`;
}

/** `declare const scaled: import("warpcell").HostFunction<[x: …, a?: number], …>`. */
export function functionText(name: string, { parameters, result }: HostDeclaration): string {
  const list = parameters.map(
    (parameter) =>
      `${label(parameter.name)}${parameter.hasDefault ? "?" : ""}: ${typeText(parameter.type, "parameter")}`,
  );
  return `declare const ${name}: ${library}.HostFunction<[${list.join(", ")}], ${typeText(result, "result")}>`;
}

/** What a value of that type is in JavaScript. */
function valueType(type: CType): string {
  switch (type.kind) {
    case "scalar":
      return type.scalar === "bool" ? "boolean" : /^[iu]64$/.test(type.scalar) ? "bigint" : "number";
    case "vector": {
      const lane = /^[iu]64$/.test(type.scalar) ? "bigint" : "number";
      return `{ ${["x", "y", "z", "w"]
        .slice(0, type.lanes)
        .map((axis) => `${axis}: ${lane}`)
        .join("; ")} }`;
    }
    case "struct":
      return `{ ${type.fields.map(({ name, type: field }) => `${name}: ${valueType(field)}`).join("; ")} }`;
    case "array": {
      const { element } = type;
      if (element.kind === "scalar" && hasTypedArray(element.scalar))
        return factsOf(dtypeOf(element.scalar)).array.name;
      const inner = valueType(element);
      return /^\w+$/.test(inner) ? `${inner}[]` : `(${inner})[]`;
    }
    case "pointer":
    case "view":
    case "object":
      return "bigint";
  }
}

function label(name: string): string {
  return reserved.has(name) ? `${name}_` : name;
}

function argumentType(type: CType): string {
  switch (type.kind) {
    case "scalar":
      return type.scalar === "bool"
        ? "boolean"
        : type.scalar === "i64" || type.scalar === "u64"
          ? "number | bigint"
          : "number";
    case "vector": {
      const lane = type.scalar === "i64" || type.scalar === "u64" ? "number | bigint" : "number";
      const lanes = ["x", "y", "z", "w"].slice(0, type.lanes);
      return `[${lanes.map((name) => `${name}: ${lane}`).join(", ")}] | { ${lanes.map((name) => `${name}: ${lane}`).join("; ")} }`;
    }
    case "struct":
      return `{ ${type.fields.map(({ name, type: field }) => `${name}: ${argumentType(field)}`).join("; ")} }`;
    case "object":
      return `${library}.${type.takes}`;
    case "array":
      return `ArrayLike<${argumentType(type.element)}>`;
    case "view":
      return type.element.dtypes!.map((dtype) => `${library}.Tensor<"${dtype}">`).join(" | ");
    case "pointer": {
      if (type.dtypes === null || type.dtypes.length === dtypeNames.length) return `${library}.Tensor | null`;
      return [...type.dtypes.map((dtype) => `${library}.Tensor<"${dtype}">`), "null"].join(" | ");
    }
  }
}

/** What depends on a template argument may be any number or any tensor; the launch checks the instance. */
function templateArgumentType(
  declaration: KernelDeclaration,
  type: KernelDeclaration["written"][number]["type"],
): string {
  const { scope, names } = declaration;
  const parameters = new Set(declaration.template!.map(({ name }) => name));
  const isDependent = type.words.some((word) => parameters.has(word));
  if (isDependent) return type.isPointer ? `${library}.Tensor | null` : "number | bigint | boolean | object";
  try {
    return argumentType(type.resolve(scope, names));
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    return "unknown";
  }
}
