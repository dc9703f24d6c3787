// Whether a compiler has a kernel's parameters where its declaration, as it was read, says that they are.
import { CompileError } from "../errors.ts";
import type { LoadedKernel } from "./loaded-module.ts";
import type { Parameter } from "./signature.ts";

/** Throws CompileError where it has not. */
export function checkLayout(name: string, parameters: readonly Parameter[], loaded: LoadedKernel): void {
  const read = parameters.map(({ offset, type }) => `${offset}+${type.size}`).join(" ");
  const compiled = loaded.parameters.map(({ offset, size }) => `${offset}+${size}`).join(" ");
  if (read === compiled) return;
  const wrong = parameters.find(
    ({ offset, type }, index) =>
      loaded.parameters[index]?.offset !== offset || loaded.parameters[index]?.size !== type.size,
  );
  throw new CompileError(
    `The parameters of kernel ${name} are at bytes ${read || "none"}, as its declaration was read, but the compiler has them at ${compiled || "none"}${wrong === undefined ? "" : `, from ${wrong.name} on`}. Pass a pointer, or a struct of plain fields, instead of a type that macros or headers decide.`,
    "",
  );
}
