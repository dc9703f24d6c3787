// The host functions of a cell from text to functions: has the system's compiler make their code, and finds the kernels
// that they launch.
import { CompileError } from "../../errors.ts";
import type { Compilation, CompileOptions } from "../compilation.ts";
import { Kernel, type KernelTemplate } from "../kernel.ts";
import { compileHost, file, type HostCode } from "../program/host-code.ts";
import { lambdaPrefix } from "../program/lambdas.ts";
import { refuseLocalTypes } from "../program/program.ts";
import { isAlgorithm, libraryOf } from "../program/report.ts";
import { splitProgram } from "../program/split.ts";
import type { EarlierKernel } from "./earlier-kernels.ts";
import type { HostFunction } from "./host-function.ts";
import { HostModule } from "./module.ts";
import { prelude, wrapperText } from "./wrappers.ts";

/** The code of a cell's host functions. Throws CompileError with diagnostics, DeviceUnavailable without a compiler. */
export async function compileHostFunctions(
  compilation: Compilation,
  options: CompileOptions,
  earlier: readonly EarlierKernel[],
): Promise<HostCode> {
  const { source, name, brought, folders } = compilation;
  const { functions, split } = compilation.host!;
  const shared = brought.sources.length === 0 ? "" : splitProgram(brought.text()).host;
  const stubs = earlier.map(({ stub }) => stub).join("");
  const host = `${prelude}${shared}${stubs}\n#line 1 "${file}"\n${split.host}\n${wrapperText(functions)}`;
  const { std, defines } = options;
  const given = { ...(std === undefined ? {} : { std }), ...(defines === undefined ? {} : { defines }) };
  const kernels = [...split.kernels, ...earlier.map((kernel) => kernel.name)];
  const code = await compileHost({ host, kernels }, source, name, { ...given, includes: folders });
  refuseLocalTypes(code.expressions, name);
  refuseLambdas(code.expressions);
  refuseAlgorithms(code.expressions, name);
  // Instances of templates are compiled here, without blocking: the cache has them then.
  const own = new Set(split.kernels);
  const instances = code.expressions.filter((each) => each.includes("<") && own.has(plainName(each)));
  for (const instance of instances) await compilation.obtainAsync([instance]);
  return code;
}

/** `values`: what the cell's kernels are. */
export function hostFunctions(
  compilation: Compilation,
  code: HostCode,
  values: readonly (Kernel | KernelTemplate)[],
): HostFunction[] {
  const kernels = code.expressions.map((expression) => {
    const [, name = expression, args = ""] = /^([^<]*)(?:<(.*)>)?$/s.exec(expression) ?? [];
    const value = values.find((each) => each.name === name);
    if (value === undefined) throw new CompileError(`There is no kernel ${expression} to launch.`, "");
    return value instanceof Kernel ? value : value.as(...parts(args));
  });
  return HostModule.load(compilation, code, kernels);
}

/** The session lays out what kernels are given, and knows the members of classes that the cell itself declares. */
function refuseLambdas(expressions: readonly string[]): void {
  const given = expressions.find((expression) => expression.includes(lambdaPrefix));
  if (given === undefined) return;
  const [line] = given.slice(given.indexOf(lambdaPrefix) + lambdaPrefix.length).split("_");
  throw new CompileError(
    `The lambda in line ${line} goes to the kernel ${plainName(given)}, which only programs with main() can do: write a struct with a __device__ operator(), and pass that.`,
    "",
  );
}

/** Their kernel is given classes of ours, whose pointers the session does not know. */
function refuseAlgorithms(expressions: readonly string[], name: string): void {
  const called = expressions.find(isAlgorithm);
  if (called === undefined) return;
  const { what, instead } = libraryOf(called);
  throw new CompileError(
    `${name} calls ${what}, which only programs with main() can do: use the methods of tensors, ${instead}, in a TypeScript cell.`,
    "",
  );
}

/** "axpy" of "ns::axpy<float>". */
const plainName = (expression: string): string => expression.replace(/<.*$/s, "").split("::").at(-1)!;

/** "float, N<1, 2>" → its parts. */
function parts(list: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= list.length; at++) {
    if ("<(".includes(list[at] ?? " ")) depth += 1;
    if (">)".includes(list[at] ?? " ")) depth -= 1;
    if (at < list.length && (list[at] !== "," || depth > 0)) continue;
    found.push(list.slice(start, at).trim());
    start = at + 1;
  }
  return found;
}
