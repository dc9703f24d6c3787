// The operators of a profile: which operations ran on which shapes, how often, and what they took by themselves.
import { trans } from "../drawing/trans.ts";
import type { TraceOperation, TracePayload } from "../../../kernel/mime.ts";
import { formatPart, formatTime, grouped } from "../drawing/quantity.ts";
import { shownText } from "../drawing/shown-text.ts";
import type { Show } from "./show.ts";
import { SortedTable, type TableColumn } from "./sorted-table.ts";

interface Row extends TraceOperation {
  readonly line: string;
}

const name = (row: Row): string => shownText(row.name === "" ? "(no name)" : row.name, 60);

const columns: readonly TableColumn<Row>[] = [
  {
    id: "name",
    get title() {
      return trans.__("Operation");
    },
    get description() {
      return trans.__("An operation of the library, or a kernel of a cell");
    },
    align: "text",
    key: ({ name }) => name,
    text: name,
    hint: name,
  },
  {
    id: "device-self",
    get title() {
      return trans.__("On device");
    },
    get description() {
      return trans.__("Time of the kernels, copies and fills that it launches itself");
    },
    align: "number",
    key: ({ deviceSelf }) => deviceSelf,
    text: ({ deviceSelf }) => formatTime(deviceSelf),
  },
  {
    id: "share",
    get title() {
      return trans.__("Share");
    },
    get description() {
      return trans.__("Of the time that devices spent on all operations");
    },
    align: "number",
    key: ({ share }) => share,
    text: ({ share }) => formatPart(share),
  },
  {
    id: "host-self",
    get title() {
      return trans.__("On host");
    },
    get description() {
      return trans.__("Time of TypeScript's thread, without the operations that it calls");
    },
    align: "number",
    key: ({ hostSelf }) => hostSelf,
    text: ({ hostSelf }) => formatTime(hostSelf),
  },
  {
    id: "host",
    get title() {
      return trans.__("Host, all");
    },
    get description() {
      return trans.__("Time of TypeScript's thread, with the operations that it calls");
    },
    align: "number",
    key: ({ host }) => host,
    text: ({ host }) => formatTime(host),
  },
  {
    id: "calls",
    get title() {
      return trans.__("Calls");
    },
    get description() {
      return trans.__("With these shapes");
    },
    align: "number",
    key: ({ calls }) => calls,
    text: ({ calls }) => calls.toLocaleString("en-US"),
  },
  {
    id: "shapes",
    get title() {
      return trans.__("Shapes");
    },
    get description() {
      return trans.__("What it was given → what it made");
    },
    align: "text",
    key: ({ shapes }) => shapes,
    text: ({ shapes }) => shownText(shapes, 80),
    hint: ({ shapes }) => shownText(shapes, 400),
  },
  {
    id: "line",
    get title() {
      return trans.__("Called at");
    },
    get description() {
      return trans.__("The first line that calls it, and how many more there are");
    },
    align: "text",
    key: ({ line }) => line,
    text: ({ line, places }) => line + (places.length > 1 ? ` +${places.length - 1}` : ""),
  },
];

export const makeOperators = ({ operations = [], places }: TracePayload, show: Show): SortedTable<Row> =>
  new SortedTable(
    operations.map((row) => ({
      ...row,
      line: row.places.length === 0 ? "" : shownText(places[row.places[0]!]!.text, 40),
    })),
    columns,
    "device-self",
    {
      all: trans.__("operations"),
      counted: (count) => trans._n("%2 operation", "%2 operations", count, grouped(count)),
      empty: trans.__("No operation ran while this profile was taken."),
    },
    ({ name, places }) => show(places.length === 0 ? { text: name } : { places }),
  );
