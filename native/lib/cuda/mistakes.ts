// What is wrong with CUDA C++ that is being written: what its compile would say, without the compile.
import { CompileError, type Diagnostic } from "../errors.ts";
import type { DeviceProcess } from "../device/process.ts";
import { Compilation, type CompileOptions } from "./compilation.ts";
import { refuseMain } from "./compile-failure.ts";
import { parseDiagnostics } from "./compiler-log.ts";
import { almostKernel } from "./device-code.ts";
import { withOwnHeaders } from "./program/own-headers.ts";
import { isProgram, programDefines, splitProgram } from "./program/split.ts";
import { tokenize } from "./tokens.ts";

/**
 * Errors and warnings of a source, by line, as `on` would find them. An error without a line of the source stands at its
 * beginning. Throws DeviceUnavailable and what else keeps a device from compiling.
 */
export async function cudaMistakes(source: string, options: CompileOptions, on: DeviceProcess): Promise<Diagnostic[]> {
  try {
    if (isProgram(source)) {
      // It stands alone.
      const { brought: _, ...own } = options;
      const whole = withOwnHeaders(source, own.name ?? "program.cu", own.includes ?? []);
      const { device } = splitProgram(whole);
      const defines = [...(own.defines ?? []), ...programDefines(device)];
      const half = new Compilation(device, { ...own, defines, isProgram: true, written: source }, on);
      return parseDiagnostics(await half.syntax(), half.name).filter(({ severity }) => severity !== "note");
    }
    const compilation = new Compilation(source, options, on);
    const log = await compilation.syntax();
    refuseMain(compilation);
    const almost = compilation.signatures.kernels.length === 0 ? almostKernel(tokenize(source).tokens) : null;
    return [...parseDiagnostics(log, compilation.name), ...(almost === null ? [] : [almost])].filter(
      ({ severity }) => severity !== "note",
    );
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    const { message, diagnostics } = error;
    return diagnostics.length > 0 ? diagnostics : [{ line: 1, column: 1, severity: "error", message }];
  }
}
