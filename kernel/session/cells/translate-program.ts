// Answers `%%cuda --cells`: shows a program as the cells that do the same, and says which of them comes below.
import type { Cell } from "../../language/cell.ts";
import { translated } from "../../language/cuda/as-cells/translate.ts";
import type { CudaSource } from "./cuda-source.ts";
import type { CellResult, Run } from "./run.ts";

/** Rejects with CompileError for a cell without a main(), and for text that no program can have. */
export async function translateProgram(
  { options }: Extract<Cell, { language: "cuda" }>,
  { code }: CudaSource,
  { session, request, ran }: Run,
): Promise<CellResult> {
  const { warpcell, host } = await session.library.load();
  if (!host.isProgram(code))
    throw new warpcell.CompileError(
      "--cells translates a program to cells, but this cell has no main(): take --cells away, and its kernels are functions of the cells that follow.",
      "",
    );
  const { cells, left } = translated(
    code,
    firstLine(ran.source, options.file),
    options.args ?? [],
    options.device ?? null,
  );
  session.output.send({
    type: "display",
    request: request.id,
    data: {
      "text/plain": cells.map((cell, at) => `── cell ${at + 1}\n${cell}`).join("\n\n"),
      "text/markdown": [
        said(left),
        ...cells.map((cell) => `\`\`\`${cell.startsWith("%%cuda") ? "cpp" : "ts"}\n${cell}\n\`\`\``),
      ].join("\n\n"),
    },
    metadata: {},
    displayId: null,
    update: false,
    buffers: [],
  });
  return { next: session.following.begin(cells) };
}

function said(left: readonly number[]): string {
  const whole =
    left.length === 0
      ? "All of it is translated."
      : `Not translated: line${left.length === 1 ? "" : "s"} ${left.join(", ")}.`;
  return `${whole} The first cell stands below; when it has run, the next one does.`;
}

/** The first line of the `%%cuda` cell: the program's, without what is about the translation. */
function firstLine(source: string, file: string | undefined): string {
  const line = source.split("\n").find((each) => each.trim() !== "")!;
  const [words = ""] = line.split(/\s--(?=\s|$)/);
  return words
    .trim()
    .split(/\s+/)
    .filter((word) => word !== "--cells" && word !== file)
    .join(" ");
}
