// How people read the lines of a listing: without directives for the assembler, every character visible, instructions
// near the margin.
import type { AsmListing } from "../../../kernel/mime.ts";
import { shownText } from "../drawing/shown-text.ts";

interface Noise {
  /** A line that is hidden by itself. */
  readonly line: RegExp;
  /** A line that begins a block of data in braces, all of which is hidden. */
  readonly block?: RegExp;
}

const noise: Readonly<Record<AsmListing["name"], Noise>> = {
  PTX: { line: /^\s*\.(?:loc|file)\b/, block: /^\s*\.section\b/ },
  // nvdisasm's notes of the source line, and directives; a label such as ".L_x_1:" is neither.
  SASS: {
    line: /^\s*(?:\/\/##|\.text\.\S*:|\.(?:headerflags|elftype|section|sectionflags|sectioninfo|sectionentsize|align|global|globl|type|size|other|weak|target|compat|nv|debug_\w+|text|byte|word|dword)\b(?!.*:\s*$))/,
  },
  assembly: {
    line: /^\s*(?:\.(?:loc|file|cfi_\w+|p2align|align|balign|size|type|ident|section|globl|global|weak|local|hidden|protected|text|data|bss|intel_syntax|att_syntax|addrsig\w*|build_version|subsections_via_symbols)\b(?!.*:\s*$)|\.L(?:VL|FB|FE|BB|BE|M|FSB|HOT\w|COLD\w|LSDA\w+|func_(?:begin|end)|tmp|text|debug\w+|etext)\d*:\s*$)/,
  },
};

/** An editor is slow with lines that nobody could read. */
const longest = 2000;

/** nvdisasm indents its addresses, and what follows them, by half a screen. */
const addressOfSass = /^\s*(\/\*[\da-f]+\*\/)\s+/;

/** A line of the source as it is shown. Tabs stay: the editor knows them. */
export const shownLine = (line: string): string => {
  const cut = shownText(line, longest);
  return cut.includes("␉") ? cut.replaceAll("␉", "\t") : cut;
};

/** The lines of a listing as they are shown. */
export function shownLines({ name, lines }: Pick<AsmListing, "name" | "lines">): string[] {
  const shown = lines.map(shownLine);
  return name === "SASS" ? shown.map((line) => line.replace(addressOfSass, "  $1 ")) : shown;
}

/** Of the shown lines of a listing, the indices of those that are left when directives are hidden. */
export function instructionsOf(name: AsmListing["name"], lines: readonly string[]): number[] {
  const { line, block } = noise[name];
  const shown: number[] = [];
  let isInBlock = false;
  for (const [index, text] of lines.entries()) {
    if (isInBlock) {
      isInBlock = !text.includes("}");
      continue;
    }
    if (block?.test(text)) isInBlock = !text.includes("}");
    else if (!line.test(text)) shown.push(index);
  }
  return shown;
}
