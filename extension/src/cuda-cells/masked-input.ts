// Lets a C++ parser read a CUDA cell: the magic line reads as spaces, so every position, fold and incremental parse
// stays where it is.
import type { Input, PartialParse, TreeFragment } from "@lezer/common";
import { Parser } from "@lezer/common";
import { headLength, magicEnd } from "./magic-line.ts";

/** `text`, which starts at position `from` of a document, with what lies before `end` replaced by spaces. */
export function blankBefore(end: number, text: string, from: number): string {
  const blank = Math.min(text.length, Math.max(0, end - from));
  return " ".repeat(blank) + text.slice(blank);
}

class MaskedInput implements Input {
  readonly length: number;
  readonly lineChunks: boolean;
  private readonly inner: Input;
  private readonly end: number;

  constructor(inner: Input, end: number) {
    this.inner = inner;
    this.end = end;
    this.length = inner.length;
    this.lineChunks = inner.lineChunks;
  }

  chunk(from: number): string {
    return blankBefore(this.end, this.inner.chunk(from), from);
  }

  read(from: number, to: number): string {
    return blankBefore(this.end, this.inner.read(from, to), from);
  }
}

/** A parser for CUDA cells around one for C++. */
export class CudaCellParser extends Parser {
  private readonly cpp: Parser;

  constructor(cpp: Parser) {
    super();
    this.cpp = cpp;
  }

  override createParse(
    input: Input,
    fragments: readonly TreeFragment[],
    ranges: readonly { from: number; to: number }[],
  ): PartialParse {
    const end = magicEnd(input.read(0, Math.min(input.length, headLength))) ?? 0;
    return this.cpp.startParse(new MaskedInput(input, end), fragments, ranges);
  }
}
