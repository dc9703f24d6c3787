// Lays out a `%%cuda` cell with clang-format, as the `.clang-format` of the notebook's folder says or as we do.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { EditorEdit } from "warpcell/payloads";
import { foldersUp, type Layout } from "./format.ts";
import type { WrittenCell } from "./written-cells.ts";

/** In ms. */
const limit = 10_000;

/** What is to be changed in a cell, or the sentence that says why nothing can be. */
export async function formatOfCuda(
  { text }: Pick<WrittenCell, "text">,
  layout: Layout,
  directory: string,
): Promise<EditorEdit[] | string> {
  // What stands behind the line of the magic.
  const start = /^\s*\S[^\n]*\n?/.exec(text)?.[0].length ?? 0;
  const code = Buffer.from(text.slice(start));
  const found = await run(code, directory, styleOf(layout, directory));
  if (typeof found === "string") return found;
  const at = (byte: number) => start + code.toString("utf8", 0, byte).length;
  return found
    .map(({ offset, length, text: to }) => ({ start: at(offset), end: at(offset + length), text: to }))
    .filter((edit) => text.slice(edit.start, edit.end) !== edit.text);
}

function styleOf({ tabSize, insertSpaces }: Layout, directory: string): string {
  for (const folder of foldersUp(directory)) if (names.some((name) => existsSync(join(folder, name)))) return "file";
  return JSON.stringify({
    BasedOnStyle: "Google",
    ColumnLimit: 100,
    IndentWidth: tabSize,
    TabWidth: tabSize,
    UseTab: insertSpaces ? "Never" : "ForIndentation",
    AccessModifierOffset: -tabSize,
    DerivePointerAlignment: false,
    SortIncludes: "Never",
  });
}

const names = [".clang-format", "_clang-format"];

interface Replacement {
  /** In bytes. */
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

function run(code: Buffer, directory: string, style: string): Promise<Replacement[] | string> {
  const words = ["--output-replacements-xml", `--style=${style}`, `--assume-filename=${join(directory, "cell.cu")}`];
  return new Promise((resolve) => {
    const child = execFile("clang-format", words, { timeout: limit }, (error, stdout, stderr) => {
      if (error === null) resolve(replacementsIn(stdout));
      else if (error.code === "ENOENT") resolve(missing);
      else if (error.killed === true)
        resolve(`clang-format has not answered in ${limit / 1000} s: nothing was formatted.`);
      else resolve(`clang-format failed: ${stderr.trim().split("\n")[0]!.slice(0, 300) || error.message}`);
    });
    // One that ends before it has read everything says itself why.
    child.stdin!.on("error", () => {});
    child.stdin!.end(code);
  });
}

const missing =
  'Cells of CUDA are formatted by clang-format, which is not in the PATH of the kernel: install it with LLVM, by your system\'s package manager or by "pip install clang-format", and restart the kernel.';

function replacementsIn(xml: string): Replacement[] {
  return [...xml.matchAll(/<replacement offset='(\d+)' length='(\d+)'>([^<]*)<\/replacement>/g)].map(
    ([, offset, length, text]) => ({ offset: Number(offset), length: Number(length), text: unescaped(text!) }),
  );
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replace(/&(?:#(\d+)|(\w+));/g, (whole, code?: string, name?: string) =>
    code === undefined ? (entities[name!] ?? whole) : String.fromCodePoint(Number(code)),
  );
}
