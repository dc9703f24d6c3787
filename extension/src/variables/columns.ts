// The columns of the table of variables: what stands in each, and in which order its values come.
import { trans } from "../drawing/trans.ts";
import type { NotebookVariable } from "../../../kernel/mime.ts";
import { formatBytes } from "../drawing/quantity.ts";

export interface Column {
  readonly key: string;
  readonly title: string;
  /** Aligned at the right. */
  readonly isNumber: boolean;
  text(variable: NotebookVariable): string;
  /** Less than 0: the first comes first. */
  compare(one: NotebookVariable, other: NotebookVariable): number;
}

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
const byText =
  (text: Column["text"]): Column["compare"] =>
  (one, other) =>
    collator.compare(text(one), text(other));

function ofText(key: string, title: () => string, text: Column["text"]): Column {
  return {
    key,
    get title() {
      return title();
    },
    isNumber: false,
    text,
    compare: byText(text),
  };
}

/** The shape of a tensor, else what the value is in a few words. */
export function valueOf({ shape, value, tensors }: NotebookVariable): string {
  if (shape !== null) return `[${shape.join(", ")}]${value === "" ? "" : ` ${value}`}`;
  const held = tensors === 0 ? "" : trans._n("%1 tensor", "%1 tensors", tensors);
  return [value, held].filter((part) => part !== "").join(", ");
}

export const columns: readonly Column[] = [
  ofText(
    "name",
    () => trans.__("Name"),
    ({ name }) => name,
  ),
  ofText(
    "type",
    () => trans.__("Type"),
    ({ type }) => type,
  ),
  ofText("value", () => trans.__("Shape or value"), valueOf),
  ofText(
    "dtype",
    () => trans.__("Dtype"),
    ({ dtype }) => dtype ?? "",
  ),
  ofText(
    "device",
    () => trans.__("Device"),
    ({ device }) => device ?? "",
  ),
  {
    key: "size",
    get title() {
      return trans.__("Size");
    },
    isNumber: true,
    text: ({ tensors, bytes }) => (tensors === 0 ? "" : formatBytes(bytes)),
    // The largest first: that is what one looks for.
    compare: (one, other) => other.bytes - one.bytes,
  },
  {
    key: "place",
    get title() {
      return trans.__("Made at");
    },
    isNumber: false,
    text: ({ place }) => place?.text ?? "",
    compare: (one, other) =>
      (one.place?.count ?? 0) - (other.place?.count ?? 0) || (one.place?.line ?? 0) - (other.place?.line ?? 0),
  },
];

/** Those that a filter leaves: every word of it stands in the name, the type, the dtype or the device. */
export function filtered(
  variables: readonly NotebookVariable[],
  filter: string,
  withImports: boolean,
): readonly NotebookVariable[] {
  const words = filter.toLowerCase().split(/\s+/);
  return variables.filter((variable) => {
    const { name, type, dtype, device, isImport } = variable;
    const text = [name, type, dtype, device, valueOf(variable)].join(" ").toLowerCase();
    return (withImports || !isImport) && words.every((word) => text.includes(word));
  });
}
