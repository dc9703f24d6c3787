// What two profiles have of each kernel or operation, side by side.
import { trans } from "../drawing/trans.ts";
import type { TracePayload } from "../../../kernel/mime.ts";
import { formatTime, grouped } from "../drawing/quantity.ts";
import { shownText } from "../drawing/shown-text.ts";
import type { Target } from "../kernels/show.ts";
import type { TableColumn, TableWords } from "../kernels/sorted-table.ts";

/** Times on devices, in nanoseconds; no calls: that profile does not have it. */
export interface Compared {
  readonly name: string;
  /** What tells it from others of that name; empty: nothing does. */
  readonly more: string;
  readonly before: { readonly calls: number; readonly time: number };
  readonly after: { readonly calls: number; readonly time: number };
}

interface Sum {
  readonly name: string;
  readonly more: string;
  readonly calls: number;
  readonly time: number;
}

interface SubjectFacts {
  readonly words: () => TableWords;
  readonly sums: (payload: TracePayload) => Sum[];
  readonly target: (row: Compared) => Target;
}

export const subjects = {
  Kernels: {
    words: () => ({
      all: trans.__("kernels"),
      counted: (count) => trans._n("%2 kernel", "%2 kernels", count, grouped(count)),
      empty: trans.__("Neither profile has kernels."),
    }),
    sums: ({ kernels }) =>
      kernels.map(({ name, operation, calls, total }) => ({ name, more: operation ?? "", calls, time: total })),
    target: ({ name }) => ({ text: name }),
  },
  Operations: {
    words: () => ({
      all: trans.__("operations"),
      counted: (count) => trans._n("%2 operation", "%2 operations", count, grouped(count)),
      empty: trans.__("Neither profile has operations."),
    }),
    sums: ({ operations = [] }) =>
      operations.map(({ name, shapes, calls, deviceSelf }) => ({ name, more: shapes, calls, time: deviceSelf })),
    target: ({ name }) => ({ text: name }),
  },
} as const satisfies Record<string, SubjectFacts>;

export type Subject = keyof typeof subjects;

/** A row for each that either has. Profiles of two devices are compared by name. */
export function compared(before: TracePayload, after: TracePayload, subject: Subject): Compared[] {
  const rows = new Map<string, { -readonly [K in keyof Compared]: Compared[K] }>();
  const none = { calls: 0, time: 0 };
  for (const [side, payload] of [
    ["before", before],
    ["after", after],
  ] as const)
    for (const { name, more, calls, time } of subjects[subject].sums(payload)) {
      const key = `${name}\0${more}`;
      const row = rows.get(key) ?? { name, more, before: none, after: none };
      rows.set(key, row);
      row[side] = { calls: row[side].calls + calls, time: row[side].time + time };
    }
  return [...rows.values()];
}

/** What a profile does not have has taken no time there. */
export const differenceOf = ({ before, after }: Compared): number => after.time - before.time;
/** `null`: there was nothing before. */
export const ratioOf = ({ before, after }: Compared): number | null =>
  before.time === 0 ? null : after.time / before.time;

const timeText = ({ calls, time }: Compared["before"]): string => (calls === 0 ? "–" : formatTime(time));
const signed = (time: number): string =>
  time === 0 ? formatTime(0) : `${time > 0 ? "+" : "−"}${formatTime(Math.abs(time))}`;

export const columns: readonly TableColumn<Compared>[] = [
  {
    id: "name",
    get title() {
      return trans.__("Name");
    },
    get description() {
      return trans.__("Of the kernel or the operation");
    },
    align: "text",
    key: ({ name }) => name,
    text: ({ name }) => shownText(name === "" ? "(no name)" : name, 60),
    hint: ({ name, more }) => shownText(`${name} ${more}`, 400),
  },
  {
    id: "before",
    get title() {
      return trans.__("Before");
    },
    get description() {
      return trans.__("Time on the device in the other profile");
    },
    align: "number",
    key: ({ before }) => before.time,
    text: ({ before }) => timeText(before),
  },
  {
    id: "after",
    get title() {
      return trans.__("Now");
    },
    get description() {
      return trans.__("Time on the device in this profile");
    },
    align: "number",
    key: ({ after }) => after.time,
    text: ({ after }) => timeText(after),
  },
  {
    id: "difference",
    get title() {
      return trans.__("Difference");
    },
    get description() {
      return trans.__("Now less before; sorted by its size");
    },
    align: "number",
    key: (row) => Math.abs(differenceOf(row)),
    text: (row) => signed(differenceOf(row)),
    raw: differenceOf,
  },
  {
    id: "ratio",
    get title() {
      return trans.__("Ratio");
    },
    get description() {
      return trans.__("Now by before");
    },
    align: "number",
    key: ratioOf,
    text: (row) => {
      const ratio = ratioOf(row);
      if (row.before.calls === 0 || row.after.calls === 0) return row.before.calls === 0 ? "new" : "gone";
      return ratio === null ? "–" : `${ratio.toFixed(2)}×`;
    },
  },
  {
    id: "calls-before",
    get title() {
      return trans.__("Calls before");
    },
    get description() {
      return trans.__("In the other profile");
    },
    align: "number",
    key: ({ before }) => before.calls,
    text: ({ before }) => before.calls.toLocaleString("en-US"),
  },
  {
    id: "calls-after",
    get title() {
      return trans.__("Calls now");
    },
    get description() {
      return trans.__("In this profile");
    },
    align: "number",
    key: ({ after }) => after.calls,
    text: ({ after }) => after.calls.toLocaleString("en-US"),
  },
  {
    id: "more",
    get title() {
      return trans.__("Of");
    },
    get description() {
      return trans.__("The operation that launches the kernel, or the shapes of the operation");
    },
    align: "text",
    key: ({ more }) => more,
    text: ({ more }) => shownText(more, 60),
    hint: ({ more }) => shownText(more, 400),
  },
];
