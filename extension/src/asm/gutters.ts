// The columns left of the code: the number of the source line in its colour, live registers as a bar, samples as heat.
// Each shows its number too.
import { trans } from "../drawing/trans.ts";
import type { Extension } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { gutter, GutterMarker } from "@codemirror/view";
import { grouped } from "../drawing/quantity.ts";
import { element } from "../tensor-view/element.ts";

class Cell extends GutterMarker {
  private readonly text: string;
  private readonly look: string;
  private readonly words: string;
  /** 0 … 1, of a bar or of heat. */
  private readonly share: number;

  constructor(text: string, look: string, words = "", share = 0) {
    super();
    this.text = text;
    this.look = look;
    this.words = words;
    this.share = share;
  }

  override eq(other: Cell): boolean {
    return this.text === other.text && this.look === other.look && this.share === other.share;
  }

  override toDOM(): HTMLElement {
    const node = element("span", `warpcell-asm-figure ${this.look}`, this.text);
    node.style.setProperty("--warpcell-share", String(this.share));
    if (this.words) node.title = this.words;
    return node;
  }
}

export interface GutterText {
  readonly text: string;
  readonly look: string;
  readonly words?: string;
  readonly share?: number;
}

/** A column whose figure for a line of the editor, counted from 1, is `read`; as wide as `widest`. */
function column(name: string, widest: string, read: (line: number) => GutterText | null): Extension {
  const marker = (found: GutterText | null) => found && new Cell(found.text, found.look, found.words, found.share);
  return gutter({
    class: `warpcell-asm-gutter warpcell-asm-${name}`,
    lineMarker: (view: EditorView, block) => marker(read(view.state.doc.lineAt(block.from).number)),
    initialSpacer: () => new Cell(widest, ""),
  });
}

/** Line numbers of the source: of the line itself, or of the one that an instruction comes from. */
export function lineColumn(
  last: number,
  sourceOf: (line: number) => number,
  bandOf: (source: number) => number | null,
): Extension {
  return column("line", String(last), (line) => {
    const source = sourceOf(line);
    const band = bandOf(source);
    return source === 0 ? null : { text: String(source), look: band === null ? "" : `warpcell-asm-band-${band}` };
  });
}

/** Registers that hold a value needed later. */
export function liveColumn(most: number, liveOf: (line: number) => number): Extension {
  return column("live", String(most), (line) => {
    const live = liveOf(line);
    return live === 0
      ? null
      : {
          text: String(live),
          look: "warpcell-asm-bar",
          words: trans._n("%2 live register", "%2 live registers", live, grouped(live)),
          share: live / most,
        };
  });
}

/** Where the profiler found threads: the share of all samples. */
export function sampleColumn(samples: readonly number[], samplesOf: (line: number) => number): Extension {
  const total = samples.reduce((sum, number) => sum + number, 0);
  const most = samples.reduce((least, number) => Math.max(least, number), 0);
  return column("samples", "100", (line) => {
    const number = samplesOf(line);
    if (number === 0 || most === 0) return null;
    const percent = (number / total) * 100;
    return {
      text: percent < 0.95 ? "<1" : String(Math.round(percent)),
      look: "warpcell-asm-heat",
      words: trans.__(
        "%1 of %2",
        trans._n("%2 sample", "%2 samples", number, grouped(number)),
        total.toLocaleString("en-US"),
      ),
      share: number / most,
    };
  });
}
