// A tensor as people see it: a line of text, an HTML table, and the payload of front ends. It reads edges and
// reduced figures, never a big tensor whole.
import { factsOf } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { figuresOf, type Figures } from "../ops/reduce/statistics.ts";
import { gap, lineWidth, notationOf, written, writtenOnOneLine, type Element, type Preview } from "./print.ts";
import { tensorMime, type TensorPayload } from "../payloads.ts";
import { pictureFileOf, thumbnailOf } from "./picture.ts";
import { asShown, idOf, tileOf } from "./shown.ts";
import type { Nested, Tensor } from "./tensor.ts";
import { escaped } from "../wording.ts";

/** A value's method under this key gives its MIME bundle. */
export const displayKey = Symbol.for("Jupyter.display");

/** A value's method under this key gives a small picture and a line of text, for a row among others. */
export const smallKey = Symbol.for("Jupyter.display.small");

/**
 * Tensors of more elements show this many items at both ends of each of the last three axes, and one of axes before.
 */
const wholeSize = 1000;
const edgeItems = 3;
const edgeAxes = 3;
/** A table has as many items along an axis as a reader takes in. */
const tableItems = 16;
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
 * A table of all elements of a tensor of at most two axes. Its title is no caption: that would be broken to the width
 * of a narrow table, and lie in the middle of a wide one.
 */
function htmlOf(tensor: Tensor): string {
  if (tensor.isDisposed) return `<div>${escaped(textOf(tensor))}</div>`;
  const title = `<div>tensor, ${escaped(facts(tensor))}</div>`;
  if (tensor.size === 0) return title;
  using matrix = tensor.reshape([-1, tensor.shape.at(-1) ?? 1]);
  const rows = matrix.toArray<Element[]>();
  const notation = notationOf(rows as Preview[], digitsOf(tensor));
  const body = rows
    .map((row) => `<tr>${row.map((cell) => `<td>${escaped(notation(cell))}</td>`).join("")}</tr>`)
    .join("");
  return `${title}<table><tbody>${body}</tbody></table>`;
}

/** What a notebook shows of a tensor, by MIME type; of a disposed one nothing but that. */
export function bundleOf(tensor: Tensor): Record<string, unknown> {
  if (tensor.isDisposed) return { "text/plain": textOf(tensor), "text/html": htmlOf(tensor) };
  using whole = asShown(tensor);
  const figures = figuresOf(whole.execution, whole);
  const picture = pictureFileOf(whole, figures);
  // Front ends that do not know the payload prefer HTML to pictures: there is none where it would not show all numbers.
  const isTable =
    picture === null || (tensor.shape.length <= 2 && tensor.shape.every((length) => length <= tableItems));
  return {
    "text/plain": textOf(tensor),
    ...(isTable ? { "text/html": htmlOf(tensor) } : {}),
    ...(picture === null ? {} : { "image/png": picture.file.toString("base64") }),
    ...payloadOf(tensor, whole, figures, picture?.shows),
  };
}

/** What front ends show of a tensor that they know by an id: the payload and the PNG of an output. */
export function previewOf(tensor: Tensor, id: string): { payload: TensorPayload; png: string | null } {
  using whole = asShown(tensor);
  const figures = figuresOf(whole.execution, whole);
  const picture = pictureFileOf(whole, figures);
  const { [tensorMime]: payload } = payloadOf(tensor, whole, figures, picture?.shows, () => id);
  return { payload, png: picture?.file.toString("base64") ?? null };
}

/** The tensor as one of several values: its line, and a picture where there is something to draw. */
export function smallOf(tensor: Tensor): { "text/plain": string; "image/png"?: string } {
  const line = { "text/plain": lineOf(tensor) };
  if (tensor.isDisposed || tensor.size < 2) return line;
  using whole = asShown(tensor);
  return { ...line, "image/png": thumbnailOf(whole, figuresOf(whole.execution, whole)).toString("base64") };
}

function payloadOf(
  tensor: Tensor,
  whole: Tensor,
  figures: Figures,
  picture: TensorPayload["picture"],
  identify = idOf,
): { readonly [tensorMime]: TensorPayload } {
  const { shape, dtype, device, size, bytes, isSuspect } = tensor;
  const tile = tileOf(whole);
  return {
    [tensorMime]: {
      version: 1,
      shape: [...shape],
      dtype,
      device,
      size,
      bytes,
      ...figures,
      suspect: isSuspect,
      tile,
      ...(picture === undefined ? {} : { picture }),
      ...(tile !== null && size > 1 ? { id: identify(tensor) } : {}),
    },
  };
}
