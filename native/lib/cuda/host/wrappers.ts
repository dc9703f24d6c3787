// What is added to the host code of a cell: for each function that TypeScript calls, one that takes its arguments as the
// session sends them.
import type { HostDeclaration, HostParameter } from "./find.ts";

/** The symbol of the function with that number. */
export const symbolOf = (index: number): string => `warpcell_function_${index}`;

/** The header that host functions have without naming it. */
export const prelude = "#include <warpcell/tensor.h>\n";

/** C++ with a function for each, by its number. */
export function wrapperText(functions: readonly HostDeclaration[]): string {
  return functions.map(wrapper).join("");
}

function wrapper({ name, scope, parameters }: HostDeclaration, index: number): string {
  const open = scope.map((space) => `namespace ${space} { `).join("");
  const close = " }".repeat(scope.length);
  const own = name.split("::").at(-1)!;
  const least = parameters.filter(({ hasDefault }) => !hasDefault).length;
  const calls = Array.from({ length: parameters.length - least + 1 }, (_, more) => call(own, parameters, least + more));
  const body = calls.map((text, more) => `if (count == ${least + more}) return ${text};`).join(" ");
  return `\n${open}extern "C" void ${symbolOf(index)}(const warpcell_value* values, size_t count) { ${body} }${close}\n`;
}

/** Calls the function with its first `count` arguments. */
function call(name: string, parameters: readonly HostParameter[], count: number): string {
  const given = parameters.slice(0, count);
  const taken = given.map(
    ({ text }, at) => `auto a${at} = ::warpcell::host::Taken<::std::decay_t<${text}>>::from(values[${at}]);`,
  );
  const names = given.map(({ text }, at) => (/&&\s*$/.test(text) ? `::std::move(a${at})` : `a${at}`));
  return `::warpcell::host::run([&] { ${taken.join(" ")} return ${name}(${names.join(", ")}); })`;
}
