// What a timeline shows and what of it is chosen, changed by named actions; knows nothing of the page.
import type { Target } from "../kernels/show.ts";
import type { Columns } from "./columns.ts";
import type { Group, Layout } from "./layout.ts";
import { groupsOf, layoutOf, placeOf } from "./layout.ts";
import type { Trace } from "./payload.ts";
import type { Scope } from "./scope.ts";
import type { Matches, Wanted } from "./search.ts";
import { find, step } from "./search.ts";
import { Slices } from "./slices.ts";
import type { Span } from "./span.ts";
import { around, covers, inside, lengthOf, moved, showing, zoomed } from "./span.ts";
import { StepAreas } from "./step-areas.ts";
import type { Sums } from "./sums.ts";
import { sumsOf } from "./sums.ts";

export class TimelineModel {
  readonly trace: Trace;
  readonly whole: Span;
  readonly groups: readonly Group[];
  readonly counters: readonly StepAreas[];
  /** By name: 1 where what is called so is no work, such as waiting. */
  quiet: Uint8Array;
  /** Those of the output, and of the window that was fetched last where the output has an overview alone. */
  readonly overview: Slices;
  slices: Slices;
  view: Span;
  layout: Layout;
  selected: number | null = null;
  hovered: number | null = null;
  /** The time that the pointer is at. */
  pointed: number | null = null;
  /** Chosen by hand, with what happened in it. */
  range: Span | null = null;
  marks: readonly Span[] = [];
  matches: Matches | null = null;
  private fetched: { slices: Slices; span: Span; complete: boolean } | null = null;
  private summed: Sums | null = null;
  private readonly collapsed = new Set<number>();
  private readonly listeners = new Set<() => void>();

  constructor(trace: Trace) {
    const { payload } = trace;
    this.trace = trace;
    this.overview = new Slices(trace.columns, trace.tables.depths);
    this.slices = this.overview;
    const { span } = this.overview;
    this.whole = { start: Math.min(0, span.start), end: Math.max(payload.duration, span.end, 1) };
    this.view = this.whole;
    this.groups = groupsOf(payload, trace.counters);
    this.counters = trace.counters.map((counter) => new StepAreas(counter));
    this.quiet = quietNames(trace, trace.columns);
    this.layout = layoutOf(payload.tracks, this.groups, this.collapsed);
  }

  /** `listener` is called after every change. */
  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }

  // View

  show(view: Span): void {
    this.view = inside(view, this.whole);
    this.chooseSlices();
    this.changed();
  }

  zoom(factor: number, at = this.focusTime()): void {
    this.show(zoomed(this.view, factor, at, this.whole));
  }

  pan(share: number): void {
    this.show(moved(this.view, share * lengthOf(this.view), this.whole));
  }

  showWhole(): void {
    this.show(this.whole);
  }

  /** Zooming by keys keeps in place what the pointer is at, else what is chosen, where it is seen. */
  private focusTime(): number {
    const { start, end } = this.view;
    const middle = (start + end) / 2;
    if (this.pointed !== null && this.pointed >= start && this.pointed <= end) return this.pointed;
    if (this.selected === null) return middle;
    const { start: from, end: to } = this.slices.spanOf(this.selected);
    return to < start || from > end ? middle : Math.min(end, Math.max(start, (from + to) / 2));
  }

  // Data

  /**
   * Slices of a part of the profile, in more detail than the overview has; `complete`: none of them stands for others.
   */
  receive(columns: Columns, span: Span, complete: boolean): void {
    this.fetched = { slices: new Slices(columns, this.trace.tables.depths), span, complete };
    this.quiet = quietNames(this.trace, columns, this.quiet);
    this.chooseSlices();
    this.changed();
  }

  /** Which of the profile's slices are looked at: for a search, or within `span`. */
  scope(span: Span = this.whole): Scope {
    if (this.trace.payload.complete) return "all";
    if (this.fetched?.slices !== this.slices) return "overview";
    if (!this.fetched.complete) return "partly";
    return covers(this.fetched.span, span) ? "all" : "part";
  }

  private chooseSlices(): void {
    const chosen = this.fetched && covers(this.fetched.span, this.view) ? this.fetched.slices : this.overview;
    if (chosen === this.slices) return;
    const from = this.slices;
    this.slices = chosen;
    this.hovered = null;
    if (this.selected !== null) this.selected = chosen.sameAs(from, this.selected);
    if (this.matches) this.matches = find(chosen, this.trace.payload, this.matches.wanted);
    this.summed = null;
  }

  // Choice

  hover(index: number | null): void {
    if (index === this.hovered) return;
    this.hovered = index;
    this.changed();
  }

  /** Chooses a slice and moves to it where it is not seen. */
  select(index: number | null): void {
    this.selected = index;
    if (index === null) return this.changed();
    this.range = null;
    this.summed = null;
    this.open(this.groups.findIndex(({ tracks }) => tracks.includes(this.slices.columns.track[index]!)));
    this.show(showing(this.view, this.slices.spanOf(index), this.whole));
  }

  selectRange(range: Span | null): void {
    this.range = range && inside(range, this.whole);
    this.summed = null;
    if (range) this.selected = null;
    this.changed();
  }

  /** What happened in the chosen span; `null` when none is chosen. */
  sums(): Sums | null {
    if (this.range === null) return null;
    return (this.summed ??= sumsOf(this.slices, this.trace.tables.names, this.range));
  }

  /** The neighbour in the same row; the first slice in view where none is chosen. */
  stepAlong(direction: -1 | 1): void {
    if (this.selected === null) return this.select(this.firstInView());
    const next = this.slices.neighbour(this.selected, direction);
    if (next !== null) this.select(next);
  }

  /** The slice nearest to the start of the chosen one in the next row that has any, among those that are not closed. */
  stepAcross(direction: -1 | 1): void {
    if (this.selected === null) return this.select(this.firstInView());
    const { start, end } = this.slices.spanOf(this.selected);
    const rows = this.rowsInOrder();
    const time = Math.min(Math.max(start, this.view.start), end);
    for (
      let at = rows.indexOf(this.slices.rowOf(this.selected)) + direction;
      at >= 0 && at < rows.length;
      at += direction
    ) {
      const found = this.slices.at(rows[at]!, time, Infinity);
      if (found !== null) return this.select(found);
    }
  }

  private rowsInOrder(): number[] {
    const { rowOfTrack } = this.slices;
    return this.layout.lines.flatMap((line) =>
      line.kind === "track"
        ? Array.from(
            { length: rowOfTrack[line.track + 1]! - rowOfTrack[line.track]! },
            (_, depth) => rowOfTrack[line.track]! + depth,
          )
        : [],
    );
  }

  private firstInView(): number | null {
    const { slices, view } = this;
    const rows = this.rowsInOrder();
    for (const row of rows) {
      const at = slices.firstEndingAfter(row, view.start);
      if (at < slices.first[row + 1]! && slices.starts[at]! <= view.end) return slices.order[at]!;
    }
    const any = rows.find((row) => slices.first[row + 1]! > slices.first[row]!);
    return any === undefined ? null : slices.order[slices.first[any]!]!;
  }

  selectCause(): void {
    const cause = this.selected === null ? null : this.slices.causeOf(this.selected);
    if (cause !== null) this.select(cause);
  }

  selectEffect(): void {
    if (this.selected === null) return;
    const [first] = this.slices.effectsOf(this.selected, 1).items;
    if (first !== undefined) this.select(first);
  }

  /** Fills the view with what is chosen. */
  focus(): void {
    if (this.range) this.show(around(this.range, this.whole));
    else if (this.selected !== null) this.show(around(this.slices.spanOf(this.selected), this.whole, 0.6));
  }

  /** Moves one end of the chosen span by a share of the view; begins with the chosen slice, or the middle. */
  extendRange(share: number): void {
    const by = share * lengthOf(this.view);
    const middle = (this.view.start + this.view.end) / 2;
    const from =
      this.range ?? (this.selected === null ? { start: middle, end: middle } : this.slices.spanOf(this.selected));
    const end = from.end + by;
    this.selectRange(end >= from.start ? { start: from.start, end } : { start: end, end: from.start });
  }

  /** Marks what is chosen, or takes its mark away. */
  mark(): void {
    const chosen = this.range ?? (this.selected === null ? null : this.slices.spanOf(this.selected));
    if (!chosen) return;
    const others = this.marks.filter(({ start, end }) => start !== chosen.start || end !== chosen.end);
    this.marks = others.length < this.marks.length ? others : [...this.marks, { start: chosen.start, end: chosen.end }];
    this.changed();
  }

  /** Takes back the last thing that was chosen; false when there was none. */
  clear(): boolean {
    if (this.range) this.selectRange(null);
    else if (this.matches) this.search(null);
    else if (this.selected !== null) this.select(null);
    else return false;
    return true;
  }

  // Search

  search(wanted: Wanted | null): void {
    this.matches = wanted === null ? null : find(this.slices, this.trace.payload, wanted);
    this.changed();
  }

  /** Chooses the next (1) or previous (−1) slice that was searched for. */
  stepMatch(direction: -1 | 1): void {
    if (!this.matches) return;
    const next = step(
      this.slices,
      this.matches,
      this.selected === null ? { time: this.view.start } : { index: this.selected },
      direction,
    );
    if (next !== null) this.select(next);
  }

  /** Puts a kernel, a text, places or times in front. */
  reveal({ kernel, text, place, places = place === undefined ? undefined : [place], start, end }: Target): void {
    this.range = null;
    this.selected = null;
    if (kernel !== undefined || text !== undefined || places)
      this.search({
        ...(kernel !== undefined && { kernel }),
        ...(text !== undefined && { text }),
        ...(places && { places }),
      });
    else this.matches = null;
    const span = start !== undefined && end !== undefined ? { start, end } : (this.matches?.span ?? null);
    this.show(span ? around(span, this.whole, 0.05) : this.whole);
  }

  // Lines

  isOpen(group: number): boolean {
    return !this.collapsed.has(group);
  }

  private open(group: number): void {
    if (this.collapsed.has(group)) this.toggle(group);
  }

  /** Closes a device's tracks, or opens them. */
  toggle(group: number): void {
    if (!this.collapsed.delete(group)) this.collapsed.add(group);
    this.layout = layoutOf(this.trace.payload.tracks, this.groups, this.collapsed);
    this.changed();
  }

  /** The device of the chosen slice; the first without one. */
  toggleChosen(): void {
    const track = this.selected === null ? null : this.slices.columns.track[this.selected]!;
    this.toggle(track === null ? 0 : this.groups.findIndex(({ tracks }) => tracks.includes(track)));
  }

  /** Top and height of a slice's row in the picture. */
  placeOf(index: number): { y: number; height: number } {
    return placeOf(this.layout, this.groups, this.slices.columns.track[index]!, this.slices.columns.depth[index]!);
  }
}

/** A name is quiet when all that is called so waits, or is the profiler's own time; `known`: what was quiet so far. */
function quietNames({ payload, tables }: Trace, { length, name, detail }: Columns, known?: Uint8Array): Uint8Array {
  const quietDetail = Uint8Array.from(payload.details, ({ kind }) => Number(kind === "wait" || kind === "overhead"));
  if (!quietDetail.includes(1)) return known ?? new Uint8Array(tables.names);
  const quiet = known?.slice() ?? new Uint8Array(tables.names);
  for (let index = 0; index < length; index++) if (quietDetail[detail[index]!] === 1) quiet[name[index]!] = 1;
  for (let index = 0; index < length; index++) if (quietDetail[detail[index]!] === 0) quiet[name[index]!] = 0;
  return quiet;
}
