// One text of a kernel, its source or a listing, in a read-only editor: it tells which line is pointed at, and shows
// which lines belong to it.
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { EditorView, highlightSpecialChars } from "@codemirror/view";
import { jupyterTheme } from "@jupyterlab/codemirror";
import { copyText } from "../drawing/clipboard.ts";
import { ledTo } from "../drawing/list-keys.ts";
import { grouped } from "../drawing/quantity.ts";
import { keepKeys } from "../drawing/own-keys.ts";
import { element } from "../tensor-view/element.ts";
import { changeMarks, setChanges } from "./change-marks.ts";
import type { Changes } from "./changes.ts";
import { trans } from "../drawing/trans.ts";
import { marking, noMarks, setMarks, type Marks } from "./marks.ts";

export interface PaneText {
  readonly name: string;
  readonly lines: readonly string[];
  /** As they are shown and searched. */
  readonly shownLines: readonly string[];
  /** Of the columns left of the code, for the line above it, and in more words. */
  readonly columns: string;
  readonly columnsInWords: string;
  /** Indices of the lines that are shown while directives are hidden; left out: all. */
  readonly instructions?: readonly number[];
  /** The colour of a line, by its index. */
  readonly bandOf: (index: number) => number | null;
  /** Columns left of the code; `indexOf` turns a line of the editor, from 1, into its index. */
  readonly gutters: (indexOf: (line: number) => number) => Extension;
  readonly language: Extension;
}

/** Lines are counted by their index, whether or not directives are hidden. */
export interface PaneEvents {
  /** The pointer is over a line; −1: over none. */
  hovered(index: number): void;
  /** The cursor was put on a line. */
  chosen(index: number): void;
  searching(): void;
  said(sentence: string): void;
}

export class Pane {
  readonly node: HTMLElement;
  readonly text: PaneText;
  private readonly view: EditorView;
  private readonly language = new Compartment();
  private readonly events: PaneEvents;
  private shown: readonly number[];
  /** Position among the shown lines by index; −1: hidden. */
  private positions: Int32Array;
  private marks: Marks = noMarks;
  private hovered = -1;
  private changes: Changes | null = null;

  constructor(text: PaneText, events: PaneEvents) {
    this.text = text;
    this.events = events;
    this.shown = this.allOf(false);
    this.positions = this.positionsOf(this.shown);
    const indexOf = (line: number) => this.shown[line - 1] ?? -1;
    this.view = new EditorView({
      state: EditorState.create({
        doc: this.document(),
        extensions: [
          EditorState.readOnly.of(true),
          EditorView.editable.of(false),
          EditorState.tabSize.of(4),
          jupyterTheme,
          highlightSpecialChars(),
          this.language.of(text.language),
          text.gutters(indexOf),
          marking((line) => text.bandOf(indexOf(line))),
          changeMarks,
          EditorView.contentAttributes.of({
            tabindex: "0",
            "aria-label": trans.__("%1, read-only. Arrow keys go from line to line, slash searches.", text.name),
            "aria-readonly": "true",
          }),
        ],
      }),
    });
    keepKeys(this.view.dom);
    this.listen();
    const copy = element("button", "warpcell-button", trans.__("Copy"));
    copy.type = "button";
    copy.title = trans.__("Copy all of %1", text.name);
    copy.addEventListener("click", () => void this.copy());
    const columns = element("span", "warpcell-asm-columns", text.columns);
    columns.title = trans.__("Left of the code: %1", text.columnsInWords);
    const head = element(
      "div",
      "warpcell-asm-pane-head",
      element("span", "warpcell-asm-pane-name", text.name),
      columns,
      copy,
    );
    this.node = element("section", "warpcell-asm-pane", head, this.view.dom);
    this.node.setAttribute("aria-label", text.name);
  }

  dispose(): void {
    this.view.destroy();
  }

  /** Takes a language that came later. */
  speak(language: Extension): void {
    this.view.dispatch({ effects: this.language.reconfigure(language) });
  }

  get lines(): readonly string[] {
    return this.text.shownLines;
  }

  isShown(index: number): boolean {
    return this.positions[index]! >= 0;
  }

  showDirectives(all: boolean): void {
    if (!this.text.instructions) return;
    this.shown = this.allOf(all);
    this.positions = this.positionsOf(this.shown);
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: this.document() } });
    this.showChanges(this.changes);
  }

  /** Marks what is new, and shows what has gone; `null`: no longer. Directives count only while they are shown. */
  showChanges(changes: Changes | null): void {
    this.changes = changes;
    const added = [...(changes?.added ?? [])].filter((index) => this.isShown(index));
    const gone = [...(changes?.gone ?? [])].map(([index, lines]) => [this.lineFrom(index), lines] as const);
    this.view.dispatch({
      effects: setChanges.of({ added: added.map((index) => this.positions[index]! + 1), gone }),
    });
  }

  /** The number of the first line that is shown from an index on. */
  private lineFrom(index: number): number {
    const found = this.shown.findIndex((shown) => shown >= index);
    return (found < 0 ? this.shown.length : found) + 1;
  }

  /** Lights up lines; returns how many of them are shown. */
  light(indices: readonly number[], cursor: number): number {
    const lines = indices.filter((index) => this.isShown(index)).map((index) => this.positions[index]! + 1);
    this.mark({ lit: new Set(lines), cursor: this.positions[cursor] === undefined ? 0 : this.positions[cursor]! + 1 });
    return lines.length;
  }

  find(query: string, match: number): void {
    this.mark({ query, match: match < 0 ? 0 : this.positions[match]! + 1 });
  }

  /**
   * Scrolls to a line, within the editor alone: the notebook stays where it is. What follows the line comes into view
   * with it.
   */
  reveal(index: number): void {
    if (!this.isShown(index)) return;
    const { top, bottom, from, height } = this.extentOf(index);
    if (top < from || bottom > from + 0.8 * height) this.view.scrollDOM.scrollTop = Math.max(0, top - height / 3);
  }

  /** Scrolls no further than a line needs to be in view. */
  private follow(index: number): void {
    const { top, bottom, from, height } = this.extentOf(index);
    if (top < from) this.view.scrollDOM.scrollTop = top;
    else if (bottom > from + height) this.view.scrollDOM.scrollTop = bottom - height;
  }

  /** Where a shown line is, and what is in view. */
  private extentOf(index: number): { top: number; bottom: number; from: number; height: number } {
    const { scrollDOM, state } = this.view;
    const { top, bottom } = this.view.lineBlockAt(state.doc.line(this.positions[index]! + 1).from);
    return { top, bottom, from: scrollDOM.scrollTop, height: scrollDOM.clientHeight };
  }

  focus(): void {
    this.view.contentDOM.focus({ preventScroll: true });
  }

  private mark(changes: Partial<Marks>): void {
    this.marks = { ...this.marks, ...changes };
    this.view.dispatch({ effects: setMarks.of(this.marks) });
  }

  private allOf(directives: boolean): readonly number[] {
    return (!directives && this.text.instructions) || this.text.lines.map((_line, index) => index);
  }

  private positionsOf(shown: readonly number[]): Int32Array {
    const positions = new Int32Array(this.text.lines.length).fill(-1);
    for (const [position, index] of shown.entries()) positions[index] = position;
    return positions;
  }

  private document(): string {
    return this.shown.map((index) => this.text.shownLines[index]!).join("\n");
  }

  private listen(): void {
    const { dom, contentDOM } = this.view;
    dom.addEventListener("pointermove", (event) => this.hover(this.indexAt(event)));
    dom.addEventListener("pointerleave", () => this.hover(-1));
    dom.addEventListener("click", (event) => {
      const index = this.indexAt(event);
      if (index >= 0) this.choose(index);
    });
    contentDOM.addEventListener("keydown", (event) => this.onKey(event));
    contentDOM.addEventListener("focus", () => {
      if (this.marks.cursor === 0 && contentDOM.matches(":focus-visible") && this.shown.length > 0)
        this.choose(this.shown.find((index) => this.text.bandOf(index) !== null) ?? this.shown[0]!);
    });
  }

  private indexAt({ clientY }: MouseEvent): number {
    const height = clientY - this.view.documentTop;
    if (height < 0 || height > this.view.contentHeight) return -1;
    return this.shown[this.view.state.doc.lineAt(this.view.lineBlockAtHeight(height).from).number - 1] ?? -1;
  }

  private hover(index: number): void {
    if (index === this.hovered) return;
    this.hovered = index;
    this.events.hovered(index);
  }

  private choose(index: number): void {
    this.follow(index);
    this.events.chosen(index);
  }

  private onKey(event: KeyboardEvent): void {
    if (event.altKey) return;
    const { scrollDOM, defaultLineHeight } = this.view;
    const next = ledTo(
      event,
      Math.max(0, this.marks.cursor - 1),
      this.shown.length,
      scrollDOM.clientHeight / defaultLineHeight,
    );
    if (event.key === "/" || ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "f"))
      this.events.searching();
    else if (next !== null) this.choose(this.shown[next]!);
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight")
      scrollDOM.scrollLeft += event.key === "ArrowLeft" ? -48 : 48;
    else if (event.key === "Escape") this.events.chosen(-1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private async copy(): Promise<void> {
    const { name, lines } = this.text;
    await copyText(`${lines.join("\n")}\n`).then(
      () =>
        this.events.said(
          trans.__("%1 of %2 copied", trans._n("%2 line", "%2 lines", lines.length, grouped(lines.length)), name),
        ),
      (error: unknown) => this.events.said((error as Error).message),
    );
  }
}
