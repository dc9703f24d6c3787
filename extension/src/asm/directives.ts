// Tells which lines of a listing are there for the assembler and not for people: where a line came from, sections, alignment.
import type { AsmListing } from "../../../kernel/mime.ts";

interface Noise {
  /** A line that is hidden by itself. */
  readonly line: RegExp;
  /** A line that begins a block of data in braces, all of which is hidden. */
  readonly block?: RegExp;
}

const noise: Readonly<Record<AsmListing["name"], Noise>> = {
  PTX: { line: /^\s*\.(?:loc|file)\b/, block: /^\s*\.section\b/ },
  // nvdisasm's notes of the source line, and directives; a label such as ".L_x_1:" is neither.
  SASS: { line: /^\s*(?:\/\/##|\.(?:headerflags|elftype|section|sectionflags|sectioninfo|sectionentsize|align|global|globl|type|size|other|weak|target|compat|nv|debug_\w+|text|byte|word|dword)\b(?!.*:\s*$))/ },
  assembly: {
    line: /^\s*(?:\.(?:loc|file|cfi_\w+|p2align|align|balign|size|type|ident|section|globl|global|weak|local|hidden|protected|text|data|bss|intel_syntax|att_syntax|addrsig\w*|build_version|subsections_via_symbols)\b(?!.*:\s*$)|\.L(?:VL|FB|FE|BB|BE|M|FSB|HOT\w|COLD\w|LSDA\w+|func_(?:begin|end)|tmp|text|debug\w+|etext)\d*:\s*$)/,
  },
};

/** The indices of the lines that are left when directives are hidden. */
export function instructionsOf({ name, lines }: AsmListing): number[] {
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
