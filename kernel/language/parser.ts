// Hands code to oxc, unless it is nested so deeply that oxc's stack would overflow and end the process: then that is
// the error.
import { parseSync as parseWithOxc, type ParseResult, type ParserOptions } from "oxc-parser";
import { transformSync as transformWithOxc, type TransformOptions, type TransformResult } from "oxc-transform";
import { tooDeep, tooDeepAt } from "./nesting.ts";

/** As oxc's own. */
export function parseSync(name: string, code: string, options?: ParserOptions): ParseResult {
  const offset = tooDeepAt(code);
  if (offset === null) return parseWithOxc(name, code, options);
  const { program, module, comments } = parseWithOxc(name, "", options);
  return { program, module, comments, errors: [errorAt(offset) as ParseResult["errors"][number]] };
}

/** As oxc's own. */
export function transformSync(name: string, code: string, options: TransformOptions): TransformResult {
  const offset = tooDeepAt(code);
  if (offset === null) return transformWithOxc(name, code, options);
  // Here oxc counts bytes, unlike in its parser.
  return {
    ...transformWithOxc(name, "", options),
    errors: [errorAt(Buffer.byteLength(code.slice(0, offset))) as TransformResult["errors"][number]],
  };
}

/** The two have a type of their own for the same. */
function errorAt(start: number) {
  return {
    severity: "Error",
    message: tooDeep,
    labels: [{ message: null, start, end: start + 1 }],
    helpMessage: null,
    codeframe: null,
  };
}
