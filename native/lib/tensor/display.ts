// A tensor as people see it: a line of text, an HTML table, and the payload of front ends. It reads edges and
// reduced figures, never a big tensor whole.
import { factsOf } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { figuresOf } from "../ops/reduce/statistics.ts";
import { gap, lineWidth, notationOf, written, writtenOnOneLine, type Element, type Preview } from "./print.ts";
import type { TensorMime, TensorPayload } from "../payloads.ts";
import { asShown, idOf, tileOf } from "./shown.ts";
import type { Nested, Tensor } from "./tensor.ts";
import { escaped } from "../wording.ts";

/** A value's method under this key gives its MIME bundle. */
export const displayKey = Symbol.for("Jupyter.display");

const tensorMime: TensorMime = "application/vnd.warpcell.tensor.v1+json";

/**
 * Tensors of more elements show this many items at both ends of each of the last three axes, and one of axes before.
 */
const wholeSize = 1000;
const edgeItems = 3;
const edgeAxes = 3;
/** A table is as wide and as long as a page: one with more items along an axis shows its ends. */
const tableItems = 20;
/** A tensor on one line shows its elements up to this many. */
const lineItems = 12;

/** Elements of a tensor, with gaps in the middle of a big one's axes. */
function preview(tensor: Tensor, whole = tensor.size <= wholeSize): Preview {
  if (tensor.size === 0) return [];
  if (whole || tensor.shape.length === 0) return tensor.toArray() as Nested<Element> as Preview;
  const length = tensor.shape[0]!;
  const edge = tensor.shape.length > edgeAxes ? 1 : edgeItems;
  const hasGap = length > 2 * edge;
  if (tensor.shape.length === 1) {
    if (!hasGap) return tensor.toArray() as Preview;
    using head = tensor.slice([0, edgeItems]);
    using tail = tensor.slice([-edgeItems]);
    return [...(head.toArray() as Preview[]), gap, ...(tail.toArray() as Preview[])];
  }
  const items = [...Array(hasGap ? 2 * edge : length).keys()].map((at) => {
    const index = hasGap && at >= edge ? at - 2 * edge : at;
    using item = tensor.slice(index);
    return preview(item, false);
  });
  return hasGap ? [...items.slice(0, edge), gap, ...items.slice(edge)] : items;
}

const digitsBySize: Readonly<Record<number, number>> = { 1: 3, 2: 4, 4: 6, 8: 8 };

function digitsOf(tensor: Tensor): number {
  const { bytes, parts } = factsOf(tensor.dtype);
  return digitsBySize[parts === undefined ? bytes : factsOf(parts).bytes]!;
}

const suspectNote = "unfinished: a launch that did not finish may have been writing it";

function facts(tensor: Tensor): string {
  return [
    `shape ${formatShape(tensor.shape)}`,
    tensor.dtype,
    tensor.device,
    ...(!tensor.isDisposed && tensor.isSuspect ? [suspectNote] : []),
  ].join(", ");
}

const opening = "tensor(";

/**
 * `tensor([[1, 2],⏎[3, 4]], shape [2, 2], float32, cpu)`, in columns. Waits for the tensor; throws what the work before
 * failed with.
 */
export function textOf(tensor: Tensor): string {
  if (tensor.isDisposed) return `${opening}disposed, ${facts(tensor)})`;
  const elements = `${opening}${written(preview(tensor), digitsOf(tensor), opening.length)},`;
  const rest = `${facts(tensor)})`;
  const isFull = elements.length - (elements.lastIndexOf("\n") + 1) + 1 + rest.length > lineWidth;
  return `${elements}${isFull ? `\n${" ".repeat(opening.length)}` : " "}${rest}`;
}

/** As one of the values of an object or array: on one line, and without the elements when there are many. */
export function lineOf(tensor: Tensor): string {
  if (tensor.isDisposed) return textOf(tensor);
  const elements =
    tensor.size > 0 && tensor.size <= lineItems ? `${writtenOnOneLine(preview(tensor), digitsOf(tensor))}, ` : "";
  return `${opening}${elements}${facts(tensor)})`;
}

/**
 * A table of the last two axes; of other axes the first position. Its title is no caption: that would be broken to the
 * width of a narrow table, and lie in the middle of a wide one.
 */
export function htmlOf(tensor: Tensor): string {
  if (tensor.isDisposed) return `<div>${escaped(textOf(tensor))}</div>`;
  const outer = Math.max(0, tensor.shape.length - 2);
  const hasCells = tensor.size > 0;
  let cells: Preview = [];
  if (hasCells) {
    using matrix = tensor.slice(...Array<number>(outer).fill(0));
    cells = preview(
      matrix,
      matrix.shape.every((length) => length <= tableItems),
    );
  }
  const rows = (tensor.shape.length === 0 ? [[cells]] : tensor.shape.length === 1 ? [cells] : cells) as Preview[];
  const notation = notationOf(rows, digitsOf(tensor));
  const columns = rows.find(Array.isArray)?.length ?? 0;
  const cellsOf = (row: Preview): Preview[] => (Array.isArray(row) ? row : Array<Preview>(columns).fill(row));
  const body = rows
    .map(
      (row) =>
        `<tr>${cellsOf(row)
          .map((cell) => `<td>${cell === gap ? "…" : escaped(notation(cell as Element))}</td>`)
          .join("")}</tr>`,
    )
    .join("");
  const where =
    outer === 0
      ? ""
      : `, at [${Array(outer).fill(0).join(", ")}] of the first ${outer === 1 ? "axis" : `${outer} axes`}`;
  return `<div>tensor, ${escaped(facts(tensor))}${where}</div>${hasCells ? `<table><tbody>${body}</tbody></table>` : ""}`;
}

/** The payload under its MIME type; nothing for a disposed tensor. */
export function payloadOf(tensor: Tensor): { readonly [tensorMime]?: TensorPayload } {
  if (tensor.isDisposed) return {};
  const { shape, dtype, device, size, bytes, isSuspect } = tensor;
  using whole = asShown(tensor);
  const tile = tileOf(whole);
  const hasSlices = tile !== null && shape.slice(0, -2).some((length) => length > 1);
  return {
    [tensorMime]: {
      version: 1,
      shape: [...shape],
      dtype,
      device,
      size,
      bytes,
      ...figuresOf(whole.execution, whole),
      suspect: isSuspect,
      tile,
      ...(hasSlices ? { id: idOf(tensor) } : {}),
    },
  };
}
