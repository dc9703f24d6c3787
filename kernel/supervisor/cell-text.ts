// What the supervisor needs to know of a cell's code: language, checked text, types mode, help.
import { CellSyntaxError } from "../language/cell-syntax-error.ts";
import type { TypesMode } from "./type-warnings.ts";

export interface CellText {
  language: string;
  /** TypeScript with magic lines blanked. */
  code: string;
  types: TypesMode | undefined;
  /** It asks how type errors are treated. */
  tellTypes: boolean;
  /** It installs what it imports: its types are known after its run only. */
  installs: boolean;
  help: { expression: string; detail: 0 | 1 } | null;
  /** Names that `%help` is asked for. */
  names: readonly string[];
}

/** `null` for a cell with a mistake in its magics: the session parses it too, and fails it with the reason. */
export async function cellOf(code: string): Promise<CellText | null> {
  const { parse } = await import("../language/cell.ts");
  try {
    const cell = parse(code);
    return {
      language: cell.language,
      code: cell.code,
      types: cell.magics.types,
      tellTypes: cell.magics.tellTypes === true,
      installs: cell.magics.npm !== undefined || /["']npm:/.test(cell.code),
      help: cell.help ?? null,
      names: cell.magics.names ?? [],
    };
  } catch (error) {
    if (!(error instanceof CellSyntaxError)) throw error;
    return null;
  }
}
