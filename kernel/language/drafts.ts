// The mistakes in cells that are being written: as if the cells above, as they are written now, had run.
import { createHash } from "node:crypto";
import { CompileError, typedNames } from "warpcell/cuda-text";
import { type Cell, parse } from "./cell.ts";
import { CellSyntaxError } from "./cell-syntax-error.ts";
import type { CellsProgram, Module, Wrapped } from "./cells-program.ts";
import { drafted } from "./cells-program.ts";
import { withoutMagics } from "./complete-magic.ts";
import { type Mistake, mistakesIn, syntaxMistakesIn } from "./diagnostics.ts";
import type { Setting } from "./doubts.ts";

/** A cell as it is written, for the checker. */
export interface Draft {
  /** What is checked. */
  wrapped: Wrapped;
  /** Modules that it may import, beside those of the cells that ran. */
  modules: readonly Module[];
  /** The same for drafts in which a checker finds the same, as long as no file and no cell that ran changes. */
  key: string;
  mistakes(result: unknown): Mistake[];
}

/** What cannot be found may be there once the cell has run, which installs it. */
const notFound = new Set(["TS2307", "TS7016"]);

/** An editor asks about one cell, while mistakes are looked for in the others. */
const basesKept = 4;

export class Drafts {
  readonly #program: CellsProgram;
  /** Texts of the cells that ran: they need no draft. */
  readonly #ran = new Set<string>();
  /** The notebook behind some cells, by their texts: of those that were asked about last. */
  readonly #bases = new Map<string, CellsProgram>();

  constructor(program: CellsProgram) {
    this.#program = program;
  }

  /** The program has changed, with a cell of this text. */
  ran(text: string | null): void {
    if (text !== null) this.#ran.add(text);
    this.#bases.clear();
  }

  /** `before`: the texts of the cells above. `null` where there is nothing to check. */
  of(text: string, before: readonly string[]): Draft | null {
    const cell = parsed(text);
    if (cell === null || cell.language !== "typescript" || cell.help !== null || cell.magics.types === "off")
      return null;
    const program = this.after(before);
    // Offsets of the text itself stay where magics become spaces.
    const code = withoutMagics(text);
    const modules = program.draftModules();
    const wrapped = program.forCheck(code, drafted);
    if (wrapped === null) {
      const broken = { ...program.forEdit(code, ""), name: drafted.typescript };
      return {
        wrapped: broken,
        modules,
        key: keyOf(broken, program),
        mistakes: (result) => syntaxMistakesIn(broken, code, result),
      };
    }
    const setting: Setting = program.setting(code, wrapped.language === "javascript");
    const installs = cell.magics.npm !== undefined || /["']npm:/.test(code);
    return {
      wrapped,
      modules,
      key: keyOf(wrapped, program),
      mistakes: (result) =>
        mistakesIn(wrapped, setting, result).filter((mistake) => !installs || !notFound.has(mistake.code)),
    };
  }

  /** The notebook as it is once these cells have run. */
  after(before: readonly string[]): CellsProgram {
    const key = JSON.stringify(before);
    const known = this.#bases.get(key);
    if (known !== undefined) return known;
    // Cells are asked about from top to bottom: all but the last may have been added already.
    const above = this.#bases.get(JSON.stringify(before.slice(0, -1)));
    const program = (above ?? this.#program).draft();
    const first = above === undefined ? 0 : before.length - 1;
    for (let index = first; index < before.length; index++)
      this.#add(program, index, before[index]!, before.slice(0, index));
    this.#bases.set(key, program);
    if (this.#bases.size > basesKept) this.#bases.delete(this.#bases.keys().next().value!);
    return program;
  }

  #add(program: CellsProgram, index: number, text: string, before: readonly string[]): void {
    const cell = parsed(text);
    if (cell === null) return;
    if (cell.language === "typescript") {
      if (!this.#ran.has(cell.code)) program.add(index, cell.code);
      return;
    }
    const known = program.names();
    const declarations = cudaDeclarations(cell.code, before).filter(({ name }) => !known.has(name));
    if (declarations.length > 0) program.declare(index, declarations);
  }
}

function keyOf(wrapped: Wrapped, program: CellsProgram): string {
  const texts = [wrapped, ...program.behind(wrapped)].map(({ name, text }) => [name, text]);
  return createHash("sha256").update(JSON.stringify(texts)).digest("base64");
}

/** `null` for a cell with a mistake in its magics, which says so when it runs. */
export function parsed(text: string): Cell | null {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof CellSyntaxError) return null;
    throw error;
  }
}

/** What a cell of CUDA declares for TypeScript; of what only a compiler understands, the names. */
function cudaDeclarations(code: string, before: readonly string[]): readonly { name: string; text: string }[] {
  const cells = before.flatMap((text) => {
    const cell = parsed(text);
    return cell?.language === "cuda" ? [cell.code] : [];
  });
  try {
    return typedNames(code, cells);
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    return cudaNames(code).map((name) => ({ name, text: `declare const ${name}: any;` }));
  }
}

/** Names of kernels, of the device's variables and of host functions that take or return tensors, as they are written. */
function cudaNames(code: string): string[] {
  const plain = code.replace(/\/\*[^]*?\*\/|\/\/.*|__launch_bounds__\s*\([^)]*\)/g, " ");
  const kernels = plain.matchAll(/__global__[^;{}(]*?\b(\w+)\s*\(/g);
  const variables = plain.matchAll(/__(?:constant|device|managed)__[^;{}()=]*?\b(\w+)\s*(?:\[[^\]]*\]\s*)*[;={]/g);
  const functions = plain.matchAll(/\b(\w+)\s*\([^;{}()]*\bTensor\b(?!\s*<)[^;{}()]*\)\s*\{/g);
  const makers = plain.matchAll(/\bTensor\s+(\w+)\s*\([^;{}()]*\)\s*\{/g);
  return [...new Set([...kernels, ...variables, ...functions, ...makers].map(([, name]) => name!))];
}
