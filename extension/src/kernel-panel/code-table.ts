// The table of compiled code: what each kernel takes, how it runs, and the way to its line.
import type { CompiledCode, TracePlace } from "../../../kernel/mime.ts";
import { formatBytes, formatTime } from "../drawing/quantity.ts";
import { trans } from "../drawing/trans.ts";
import { element } from "../tensor-view/element.ts";

interface Column {
  readonly title: string;
  readonly isNumber: boolean;
  text(code: CompiledCode): string;
}

/** Between the signature and the place; one in which nobody has anything is left out. */
const facts: readonly Column[] = [
  {
    get title() {
      return trans.__("Registers");
    },
    isNumber: true,
    text: ({ registers }) => (registers === null ? "" : String(registers)),
  },
  {
    get title() {
      return trans.__("Shared memory");
    },
    isNumber: true,
    text: ({ shared }) => (shared === null || shared === 0 ? "" : formatBytes(shared)),
  },
  {
    get title() {
      return trans.__("Threads run as");
    },
    isNumber: false,
    text: ({ execution }) => execution ?? "",
  },
  {
    get title() {
      return trans.__("Last time");
    },
    isNumber: true,
    text: ({ lastTime }) => (lastTime === null ? "" : formatTime(lastTime * 1e6)),
  },
];

/** The columns of facts that somebody has. */
export const factsOf = (code: readonly CompiledCode[]): readonly Column[] =>
  facts.filter(({ text }) => code.some((each) => text(each) !== ""));

export function codeTable(code: readonly CompiledCode[], goTo: (place: TracePlace) => void): HTMLElement {
  const columns = factsOf(code);
  const head = (title: string, isNumber = false) => {
    const made = element("th", isNumber ? "warpcell-number" : "", title);
    made.scope = "col";
    made.setAttribute("role", "columnheader");
    return made;
  };
  const titles = [
    head(trans.__("Code")),
    ...columns.map(({ title, isNumber }) => head(title, isNumber)),
    head(trans.__("Declared at")),
  ];
  const rows = code.map((each) =>
    row(
      rowHead(each),
      ...columns.map(({ title, isNumber, text }) => {
        const said = text(each);
        const cell = element("td", isNumber ? "warpcell-number" : "", said);
        // A narrow panel has no headings.
        if (said !== "") cell.dataset["title"] = title;
        return cell;
      }),
      element("td", "warpcell-kernel-place", ...(each.place === null ? [] : [placeButton(each.place, goTo)])),
    ),
  );
  const groups = [element("thead", "", row(...titles)), element("tbody", "", ...rows)];
  const table = element("table", "warpcell-table", ...groups);
  // Narrow tables are laid out as blocks, and would be no tables to a screen reader.
  table.setAttribute("role", "table");
  for (const group of groups) group.setAttribute("role", "rowgroup");
  table.setAttribute("aria-label", trans.__("Compiled kernels and host functions"));
  return table;
}

function row(...cells: HTMLElement[]): HTMLElement {
  const made = element("tr", "", ...cells);
  made.setAttribute("role", "row");
  for (const cell of cells) if (cell.tagName === "TD") cell.setAttribute("role", "cell");
  return made;
}

function rowHead({ kind, name, signature, device }: CompiledCode): HTMLElement {
  const what = element("div", "warpcell-quiet", trans.__("%1 on %2", kind, device));
  const made = element("th", "warpcell-kernel-code", element("div", "", name), code(signature), what);
  made.scope = "row";
  made.setAttribute("role", "rowheader");
  return made;
}

const code = (text: string): HTMLElement => element("code", "warpcell-kernel-signature", text);

function placeButton(place: TracePlace, goTo: (place: TracePlace) => void): HTMLElement {
  const button = element("button", "warpcell-place", place.text);
  button.type = "button";
  button.title = trans.__("Go to the line");
  button.addEventListener("click", () => goTo(place));
  return button;
}
