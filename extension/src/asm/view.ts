// Shows a kernel's source beside its listings, linked line by line both ways, with a search over all of them.
import { trans } from "../drawing/trans.ts";
import type { Extension } from "@codemirror/state";
import { keepKeys } from "../drawing/own-keys.ts";
import type { AsmListing, AsmPayload } from "../../../kernel/mime.ts";
import { grouped } from "../drawing/quantity.ts";
import { mostCharacters, shownText } from "../drawing/shown-text.ts";
import { element } from "../tensor-view/element.ts";
import type { Changes } from "./changes.ts";
import { Columns } from "./columns.ts";
import { lineColumn, liveColumn, sampleColumn } from "./gutters.ts";
import { listingLanguage } from "./languages.ts";
import { Links, sourceSamples } from "./links.ts";
import { instructionsOf, shownLine, shownLines } from "./listing-text.ts";
import { occupancyChart } from "./occupancy-chart.ts";
import { Pane, type PaneText } from "./pane.ts";
import { matchesIn, stepped, type Match } from "./search.ts";
import { instructionMeaning } from "./instruction-hover.ts";
import { meaningOf } from "./meanings.ts";
import { factsOf, linkSentence } from "./summary.ts";

/** A line of a pane. */
interface Place {
  readonly pane: number;
  readonly index: number;
}

/** The source is the first pane, the listings follow. */
export class AsmView {
  readonly node: HTMLElement;
  private readonly links: Links;
  private readonly listings: readonly AsmListing[];
  private readonly panes: readonly Pane[];
  private readonly changes: readonly (Changes | null)[];
  private readonly columns: Columns;
  private readonly status = element("div", "warpcell-asm-status");
  private readonly search = element("input", "warpcell-search");
  private readonly found = element("span", "warpcell-asm-search-count");
  private cursor: Place | null = null;
  private matches: readonly Match[] = [];
  private match = -1;

  /** `changes`: since the compile before, of each listing. */
  constructor(payload: AsmPayload, changes: readonly (Changes | null)[] = []) {
    this.changes = changes;
    this.listings = payload.listings;
    this.links = new Links(payload);
    const texts = [
      this.sourceText(payload),
      ...payload.listings.map((listing) => this.listingText(listing, payload.source.length)),
    ];
    this.panes = texts.map(
      (text, pane) =>
        new Pane(text, {
          hovered: (index) => this.point(index < 0 ? this.cursor : { pane, index }, index >= 0),
          chosen: (index) => this.choose(index < 0 ? null : { pane, index }),
          searching: () => this.search.select(),
          said: (sentence) => this.say(sentence),
        }),
    );
    this.columns = new Columns(this.panes.map(({ node, text }) => ({ name: text.name, node })));
    const facts = factsOf(payload).map((fact) => element("span", "warpcell-asm-fact", fact));
    const name = element("span", "warpcell-asm-kernel", shownText(payload.kernel));
    const chart = occupancyChart(payload.occupancy);
    const notes = payload.notes
      .slice(0, 20)
      .map((note) => element("div", "warpcell-asm-note", shownText(note, mostCharacters)));
    this.status.setAttribute("role", "status");
    this.node = element(
      "div",
      "warpcell-asm-view",
      element("div", "warpcell-asm-facts", name, ...facts),
      ...notes,
      this.tools(chart),
      this.columns.node,
      this.status,
    );
  }

  dispose(): void {
    this.columns.dispose();
    for (const pane of this.panes) pane.dispose();
  }

  /** Takes the language of the source when it has been loaded. */
  speak(language: Extension): void {
    this.panes[0]!.speak(language);
  }

  private sourceText({ source, listings }: AsmPayload): PaneText {
    const samples = sourceSamples(source.length, listings);
    const hasSamples = samples.length > 0;
    return {
      name: "Source",
      lines: source,
      shownLines: source.map(shownLine),
      language: [],
      bandOf: (index) => this.links.bandOf(index + 1),
      ...captionOf("line", [hasSamples && "samples"]),
      gutters: (indexOf) => [
        lineColumn(
          source.length,
          (line) => indexOf(line) + 1,
          (line) => this.links.bandOf(line),
        ),
        hasSamples ? sampleColumn(samples, (line) => samples[indexOf(line)] ?? 0) : [],
      ],
    };
  }

  private listingText(listing: AsmListing, sourceLength: number): PaneText {
    const { name, lines, source, live, samples } = listing;
    const most = live.reduce((highest, registers) => Math.max(highest, registers), 0);
    const hasSamples = samples.some((number) => number > 0);
    const shown = shownLines(listing);
    return {
      name: name === "assembly" ? "Assembly" : name,
      lines,
      shownLines: shown,
      instructions: instructionsOf(name, shown),
      language: [listingLanguage(name), instructionMeaning(name)],
      ...captionOf("line of the source", [most > 0 && "live", hasSamples && "samples"]),
      bandOf: (index) => this.links.bandOf(source[index] ?? 0),
      gutters: (indexOf) => [
        lineColumn(
          sourceLength,
          (line) => source[indexOf(line)] ?? 0,
          (line) => this.links.bandOf(line),
        ),
        most > 0 ? liveColumn(most, (line) => live[indexOf(line)] ?? 0) : [],
        hasSamples ? sampleColumn(samples, (line) => samples[indexOf(line)] ?? 0) : [],
      ],
    };
  }

  private tools(chart: HTMLElement | null): HTMLElement {
    Object.assign(this.search, { type: "search", placeholder: "Search" });
    this.search.setAttribute(
      "aria-label",
      trans.__("Search source and listings. Enter goes to the next line, Shift+Enter to the one before."),
    );
    keepKeys(this.search);
    this.search.addEventListener("input", () => this.find());
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.goToMatch(event.shiftKey);
      else if (event.key === "Escape" && this.match >= 0) this.panes[this.matches[this.match]!.pane]!.focus();
      else return;
      event.preventDefault();
    });
    this.found.setAttribute("role", "status");
    return element(
      "div",
      "warpcell-asm-tools",
      this.search,
      this.found,
      ...(chart ? [chart] : []),
      ...this.changesButton(),
      ...this.directivesButton(),
    );
  }

  /** Only where something has changed. */
  private changesButton(): HTMLElement[] {
    const known = this.changes.filter((changes) => changes !== null);
    const added = known.reduce((sum, { added: lines }) => sum + lines.size, 0);
    const gone = known.reduce((sum, { gone: lines }) => sum + [...lines.values()].flat().length, 0);
    if (added + gone === 0) return [];
    const counts = trans.__(
      "%1, %2",
      trans._n("%2 line is new", "%2 lines are new", added, grouped(added)),
      trans._n("%2 has gone", "%2 have gone", gone, grouped(gone)),
    );
    return this.toggle(trans.__("Changes"), trans.__("%1 since the compile before", counts), (isOn) => {
      for (const [index, changes] of this.changes.entries()) this.panes[index + 1]!.showChanges(isOn ? changes : null);
      this.say(isOn ? counts : "");
    });
  }

  private toggle(text: string, title: string, run: (isOn: boolean) => void): HTMLElement[] {
    const button = element("button", "warpcell-button warpcell-asm-directives", text);
    button.type = "button";
    button.title = title;
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      const isOn = button.getAttribute("aria-pressed") === "false";
      button.setAttribute("aria-pressed", String(isOn));
      run(isOn);
    });
    return [button];
  }

  /** Only where there are directives to hide. */
  private directivesButton(): HTMLElement[] {
    const hidden = this.panes.reduce(
      (sum, { text }) => sum + (text.instructions ? text.lines.length - text.instructions.length : 0),
      0,
    );
    if (hidden === 0) return [];
    const title = trans._n(
      "%2 line is for the assembler, not for people",
      "%2 lines are for the assembler, not for people",
      hidden,
      grouped(hidden),
    );
    return this.toggle(trans.__("Directives"), title, (isOn) => {
      for (const pane of this.panes) pane.showDirectives(isOn);
      this.point(this.cursor, false);
      this.find();
    });
  }

  private choose(place: Place | null): void {
    this.cursor = place;
    this.point(place, true);
  }

  private sourceLineOf({ pane, index }: Place): number {
    return pane === 0 ? index + 1 : (this.listings[pane - 1]!.source[index] ?? 0);
  }

  /** Lights up what belongs to a line, in every pane, and in the others brings the first of it into view. */
  private point(place: Place | null, isMoving: boolean): void {
    const line = place ? this.sourceLineOf(place) : 0;
    const counts = this.panes.map((pane, number) => {
      const indices = line === 0 ? [] : number === 0 ? [line - 1] : this.links.linesOf(number - 1, line);
      const count = pane.light(indices, this.cursor?.pane === number ? this.cursor.index : -1);
      const first = indices.find((index) => pane.isShown(index));
      if (isMoving && first !== undefined && place?.pane !== number) pane.reveal(first);
      return count;
    });
    for (const [number, count] of counts.entries())
      this.columns.note(number, number > 0 && count > 0 ? count.toLocaleString("en-US") : "");
    const names = this.panes.slice(1).map(({ text }) => text.name);
    const linked = line === 0 ? "" : linkSentence(line, names, counts.slice(1));
    this.say([linked, this.meaningAt(place)].filter(Boolean).join(" · "));
  }

  /** "FFMA multiplies and adds …"; empty where nothing is known. */
  private meaningAt(place: Place | null): string {
    if (place === null || place.pane === 0) return "";
    const line = this.panes[place.pane]!.lines[place.index]!;
    const meaning = meaningOf(this.listings[place.pane - 1]!.name, line);
    return meaning === null ? "" : `${meaning.name} ${meaning.text}`;
  }

  private find(): void {
    this.matches = matchesIn(this.panes, this.search.value);
    this.match = -1;
    this.mark();
  }

  private goToMatch(backwards: boolean): void {
    this.match = stepped(this.match, this.matches.length, backwards);
    this.mark();
    const match = this.matches[this.match];
    if (!match) return;
    this.columns.activate(match.pane);
    this.panes[match.pane]!.reveal(match.index);
    this.choose(match);
  }

  private mark(): void {
    const match = this.matches[this.match];
    for (const [number, pane] of this.panes.entries())
      pane.find(this.search.value.toLowerCase(), match?.pane === number ? match.index : -1);
    const all = trans._n("%2 line", "%2 lines", this.matches.length, grouped(this.matches.length));
    this.found.textContent =
      this.search.value === "" ? "" : match ? trans.__("%1 of %2", grouped(this.match + 1), all) : all;
  }

  private say(sentence: string): void {
    this.status.textContent = sentence;
  }
}

const wordsOf: Readonly<Record<string, string>> = {
  live: "live registers",
  samples: "samples of the profiler, as a percentage of all",
};

/** What the columns left of the code are, briefly and in words. */
function captionOf(first: string, others: readonly (string | false)[]): { columns: string; columnsInWords: string } {
  const names = others.filter((name) => name !== false);
  return {
    columns: ["line", ...names.map((name) => (name === "samples" ? "samples %" : name))].join(" · "),
    columnsInWords: [first, ...names.map((name) => wordsOf[name]!)].join(", "),
  };
}
