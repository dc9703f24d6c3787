// Counts of lines as text and as HTML without scripts: the source with a column of each count, shaded by how bad it is,
// and pictures of the worst requests.
import { counted, countText } from "../figures.ts";
import { element, textElement } from "../plot/svg-text.ts";
import { escaped } from "../wording.ts";
import type { Request, SourceCounterRow } from "../cuda/line-counts.ts";
import type { SourceCounters } from "./source-counters.ts";

interface Column {
  readonly title: string;
  /** What the title means, for a reader who points at it. */
  readonly hint: string;
  readonly of: (row: SourceCounterRow) => string | null;
  /** From 0, as it should be, to 1. */
  readonly heat: (row: SourceCounterRow, most: number) => number;
}

const perRequest = (count: number, requests: number): string => String(Math.round((count / requests) * 10) / 10);
const degree = (transactions: number, fewest: number): number => transactions / fewest;
/** A sector of four bytes that are used is the worst: 8 times as much as is needed. A bank has 32 words at most. */
const excessHeat = (ratio: number, worst: number): number => Math.min(1, Math.log(ratio) / Math.log(worst));

/** A column is shown where a row has something to say. */
const columns: readonly Column[] = [
  {
    title: "Runs",
    hint: "how often threads ran the line",
    of: ({ executions }) => (executions === null ? null : countText(executions)),
    heat: ({ executions }, most) => (executions ?? 0) / most,
  },
  {
    title: "Threads of a warp",
    hint: "that run the line at once, on average",
    of: ({ activeThreads }) => (activeThreads === null ? null : perRequest(activeThreads, 1)),
    heat: ({ divergent, activeThreads }) => (divergent ? 1 - activeThreads! / 32 : 0),
  },
  {
    title: "Sectors",
    hint: "of 32 bytes of global memory for a request of a warp, and the fewest possible",
    of: ({ global }) =>
      global === null
        ? null
        : `${perRequest(global.transactions, global.requests)} of ${perRequest(global.fewest, global.requests)}`,
    heat: ({ global }) => (global === null ? 0 : excessHeat(degree(global.transactions, global.fewest), 8)),
  },
  {
    title: "Bank conflict",
    hint: "passes over the banks of shared memory for one that is needed, on average, and the worst",
    of: ({ shared }) => {
      if (shared === null) return null;
      const mean = perRequest(shared.transactions, shared.fewest);
      return shared.worst === 1 ? "none" : `${mean}, worst ${shared.worst}-way`;
    },
    heat: ({ shared }) => (shared === null ? 0 : excessHeat(degree(shared.transactions, shared.fewest), 32)),
  },
  {
    title: "At one address",
    hint: "the most threads of a warp that an atomic function has at one address",
    of: (row) => (contention(row) === 0 ? null : String(contention(row))),
    heat: (row) => excessHeat(Math.max(1, contention(row)), 32),
  },
];

const contention = ({ global, shared }: SourceCounterRow): number =>
  Math.max(global?.contention ?? 0, shared?.contention ?? 0);

interface Table {
  readonly columns: readonly Column[];
  readonly most: number;
}

function tableOf({ rows }: SourceCounters): Table {
  return {
    columns: columns.filter(({ of }) => rows.some((row) => of(row) !== null)),
    most: Math.max(1, ...rows.map(({ executions }) => executions ?? 0)),
  };
}

const headline = ({ launches, rows }: SourceCounters): string =>
  `${counted(launches, "launch")}, ${counted(rows.length, "line")}`;

const filesOf = ({ rows }: SourceCounters): string[] => [...new Set(rows.map(({ file }) => file))];

/** As far as all lines are indented. */
function withoutIndent(texts: readonly string[]): string[] {
  const indents = texts.filter((text) => text.trim() !== "").map((text) => /^ */.exec(text)![0].length);
  const least = Math.min(...indents);
  return texts.map((text) => text.slice(least).trimEnd());
}

export function textOf(counts: SourceCounters): string {
  const { columns: shown } = tableOf(counts);
  const { rows } = counts;
  const cells = rows.map((row) => shown.map(({ of }) => of(row) ?? ""));
  const widths = shown.map(({ title }, at) => Math.max(title.length, ...cells.map((each) => each[at]!.length)));
  const padded = (texts: readonly string[]) => texts.map((text, at) => text.padStart(widths[at]!)).join("  ");
  const lineWidth = Math.max(4, ...rows.map(({ line }) => String(line).length));
  const tables = filesOf(counts).map((file) => {
    const own = rows.flatMap((row, index) => (row.file === file ? [index] : []));
    const sources = withoutIndent(own.map((index) => rows[index]!.text));
    return [
      `${padded(shown.map(({ title }) => title))}  ${"Line".padStart(lineWidth)}  ${file}`,
      ...own.map(
        (index, at) => `${padded(cells[index]!)}  ${String(rows[index]!.line).padStart(lineWidth)}  ${sources[at]!}`,
      ),
    ].join("\n");
  });
  return [headline(counts), ...tables, ...counts.notes.map((note) => `! ${note}`)].join("\n");
}

/** Of middle brightness: it stands out from white and from black. */
const heatColour = "224, 92, 44";
const used = "#2e9d5c";
const shade = (heat: number): string =>
  heat < 0.005 ? "" : `;background-color:rgba(${heatColour}, ${(0.08 + 0.62 * heat).toFixed(2)})`;

export function htmlOf(counts: SourceCounters, requests: readonly Request[]): string {
  const { columns: shown, most } = tableOf(counts);
  const right = "text-align:right;white-space:nowrap;padding:0 8px";
  const left = "text-align:left;white-space:pre;font-family:monospace;padding:0 8px";
  const tables = filesOf(counts).map((file) => {
    const own = counts.rows.filter((row) => row.file === file);
    const sources = withoutIndent(own.map(({ text }) => text));
    const head = shown.map(({ title, hint }) => `<th style="${right}" title="${escaped(hint)}">${escaped(title)}</th>`);
    const body = own.map((row, at) => {
      const cells = shown.map(
        ({ of, heat }) => `<td style="${right}${shade(heat(row, most))}">${escaped(of(row) ?? "")}</td>`,
      );
      return `<tr>${cells.join("")}<td style="${right};opacity:0.6">${row.line}</td><td style="${left}">${escaped(sources[at]!)}</td></tr>`;
    });
    return `<table><thead><tr>${head.join("")}<th style="${right}">Line</th><th style="${left}">${escaped(file)}</th></tr></thead><tbody>${body.join("")}</tbody></table>`;
  });
  const pictures = requests.slice(0, mostPictures).map((request) => {
    const said = sentenceOf(request);
    const svg = Buffer.from(pictureOf(request)).toString("base64");
    return `<div>${escaped(said)}</div><img alt="${escaped(said)}" src="data:image/svg+xml;base64,${svg}">`;
  });
  const notes = counts.notes.map((note) => `<li>${escaped(note)}</li>`).join("");
  return `<div>${escaped(headline(counts))}</div>${tables.join("")}${pictures.join("")}${notes === "" ? "" : `<ul>${notes}</ul>`}`;
}

const mostPictures = 3;

function sentenceOf({ space, line, worst, lanes }: Request): string {
  const threads = lanes.filter((at) => at >= 0).length;
  return space === "global"
    ? `Line ${line}: a request of ${counted(threads, "thread")} moves ${counted(worst, "sector")} of 32 bytes`
    : `Line ${line}: ${worst} words that ${counted(threads, "thread")} ask for are in one bank`;
}

const cell = 14;
const gap = 2;
const banks = 32;
const tallest = 64;

/** Of global memory the sectors that are moved, with what of them is used; of shared memory the words in each bank. */
function pictureOf(request: Request): string {
  return request.space === "global" ? sectorsOf(request) : banksOf(request);
}

function sectorsOf({ lanes, bytes }: Request): string {
  const sectors = new Map<number, Set<number>>();
  for (const at of lanes) {
    if (at < 0) continue;
    for (let byte = at; byte < at + bytes; byte++) {
      const sector = Math.floor(byte / 32);
      sectors.set(sector, (sectors.get(sector) ?? new Set()).add(byte % 32));
    }
  }
  const shown = [...sectors].sort(([a], [b]) => a - b).slice(0, banks);
  const width = 26;
  const parts = shown.flatMap(([, asked], index) => [
    element("rect", { x: index * (width + gap), y: 1, width, height: cell, fill: `rgba(${heatColour}, 0.55)` }),
    ...[...asked].map((byte) =>
      element("rect", {
        x: index * (width + gap) + (byte * width) / 32,
        y: 1,
        width: width / 32 + 0.1,
        height: cell,
        fill: used,
      }),
    ),
  ]);
  return svgOf(shown.length * (width + gap), cell + 2, parts);
}

function banksOf({ lanes, bytes }: Request): string {
  const words = new Set<number>();
  for (const at of lanes) {
    if (at < 0) continue;
    for (let word = Math.floor(at / 4); word * 4 < at + bytes; word++) words.add(word);
  }
  const heights = new Array<number>(banks).fill(0);
  for (const word of words) heights[word % banks]!++;
  const most = Math.max(...heights);
  const unit = Math.min(cell, tallest / most);
  const parts = heights.flatMap((height, bank) => [
    element("rect", {
      x: bank * (cell + gap),
      y: 1 + (most - height) * unit,
      width: cell,
      height: height * unit,
      fill: height > 1 ? `rgba(${heatColour}, 0.75)` : used,
    }),
    textElement(
      {
        x: bank * (cell + gap) + cell / 2,
        y: most * unit + 12,
        "font-size": 8,
        "font-family": "sans-serif",
        "text-anchor": "middle",
        fill: "#888",
      },
      String(bank),
    ),
  ]);
  return svgOf(banks * (cell + gap), most * unit + 16, parts);
}

const svgOf = (width: number, height: number, parts: readonly string[]): string =>
  element("svg", { xmlns: "http://www.w3.org/2000/svg", width, height }, parts.join(""));
