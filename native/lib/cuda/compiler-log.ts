// A compiler's log into diagnostics: lines and columns of the source that was given, whether g++, clang or NVRTC wrote
// it.
import type { Diagnostic } from "../errors.ts";

/**
 * A message about any file: the source, a header, or "kernel axpy<float>", which stands for what asks the compiler for
 * that kernel.
 */
export interface CompilerMessage extends Diagnostic {
  readonly file: string;
}

const severities: Record<string, Diagnostic["severity"]> = {
  error: "error",
  "fatal error": "error",
  "catastrophic error": "error",
  warning: "warning",
  note: "note",
  remark: "note",
};
const severity = String.raw`(?<severity>fatal error|catastrophic error|error|warning|note|remark)`;

/** Diagnostics of the source called `name`, in the log's order. */
export function parseDiagnostics(log: string, name: string): Diagnostic[] {
  return parseMessages(log, name).flatMap(({ file, ...diagnostic }) => (file === name ? [diagnostic] : []));
}

/** The messages about the source called `name` and about every other file, in the log's order. */
export function parseMessages(log: string, name: string): CompilerMessage[] {
  const source = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  // g++ and clang: "name:3:5: error: message". NVRTC: "name(3): error: message", or "error #20: message", then the
  // source line and a caret.
  const pattern = new RegExp(
    String.raw`^(?<file>${source}|[^\s:(][^:]*?)(?::(?<line>\d+)(?::(?<column>\d+))?|\((?<cudaLine>\d+)\)): ${severity}(?: ?#[\w-]+)?: (?<message>.*)$`,
  );
  const lines = log.split(/\r?\n/);
  return lines.flatMap((text, index) => {
    const groups = pattern.exec(text)?.groups;
    if (groups === undefined) return [];
    const isCuda = groups["cudaLine"] !== undefined;
    return [
      {
        file: groups["file"]!,
        line: Number(groups["cudaLine"] ?? groups["line"]),
        column: isCuda ? caretColumn(lines, index) : Number(groups["column"] ?? 1),
        severity: severities[groups["severity"]!]!,
        message: groups["message"]!,
      },
    ];
  });
}

/**
 * NVRTC indents the source line it shows by two spaces, without its own indentation kept apart, and puts a caret below.
 */
function caretColumn(lines: readonly string[], message: number): number {
  for (let index = message + 1; index < Math.min(lines.length, message + 6); index++) {
    const caret = /^(\s*)\^\s*$/.exec(lines[index]!);
    if (caret !== null) return Math.max(1, caret[1]!.length - 1);
  }
  return 1;
}
