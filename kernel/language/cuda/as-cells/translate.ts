// A CUDA program as cells: its device code as a `%%cuda` cell, what its main() does as cells of TypeScript.
import { splitProgram } from "warpcell/cuda-text";
import { Cells, mainOf } from "./cells.ts";
import { readProgram } from "./program.ts";

export interface TranslatedCells {
  /** The texts of the cells, in the order in which they run. */
  readonly cells: readonly string[];
  /** Lines of the program that stand in them as comments. */
  readonly left: readonly number[];
}

/**
 * Translates a program with a main(). `firstLine` begins its `%%cuda` cell, `args` are what main() is given, `device` is
 * where its memory shall be. Throws CompileError for what no program can have.
 */
export function translated(
  source: string,
  firstLine: string,
  args: readonly string[],
  device: string | null = null,
): TranslatedCells {
  const { device: ofDeviceCode } = splitProgram(source, false);
  const cells = new Cells(readProgram(source), device);
  const main = mainOf(cells, args);
  const left = [...new Set(cells.left)].sort((a, b) => a - b);
  const sentence = leftSentence(left);
  const { definitions } = cells;
  // A tensor that got its numbers at once leaves `empty` behind.
  const used = new Set([...definitions, ...main].join("\n").match(/\w+/g));
  const names = [...cells.imports].filter((name) => used.has(name)).sort();
  const imports = names.length === 0 ? [] : [`import { ${names.join(", ")} } from "warpcell";`, ""];
  const texts =
    definitions.length === 0
      ? [[...sentence, ...imports, ...main]]
      : [
          [...imports, definitions.join("\n\n")],
          [...sentence, ...main],
        ];
  const ofDevice = tidy(ofDeviceCode);
  // A program without kernels.
  const isEmpty = ofDevice.replace(/^[ \t]*#.*|\/\/.*/gm, "").trim() === "";
  return {
    cells: [...(isEmpty ? [] : [`${firstLine}\n${ofDevice}`]), ...texts.map((lines) => lines.join("\n"))],
    left,
  };
}

function leftSentence(left: readonly number[]): string[] {
  if (left.length === 0) return [];
  const lines =
    left.length === 1 ? `Line ${left[0]} is` : `Lines ${left.slice(0, -1).join(", ")} and ${left.at(-1)} are`;
  return [`// ${lines} not translated: see TODO.`, ""];
}

/** Device code without the room that host code left, and without macros that only host code used. */
function tidy(device: string): string {
  return withoutHostMacros(device)
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

const ofHost = /\b(cudaError_t|cudaSuccess|cudaGetErrorString|fprintf|exit|std::)|<<</;

function withoutHostMacros(device: string): string {
  return device.replace(/^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\\\r?\n|[^\n])*/gm, (whole, name: string) => {
    const uses = device.match(new RegExp(`\\b${name}\\b`, "g"))?.length ?? 0;
    const own = whole.match(new RegExp(`\\b${name}\\b`, "g"))?.length ?? 0;
    return uses === own && ofHost.test(whole) ? "" : whole;
  });
}
