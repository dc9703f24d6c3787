// Columns and matrices as the text of a table (.csv, .tsv), part by part.
import { FormatError, TensorError } from "../errors.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { Tensor } from "../tensor/tensor.ts";
import { shown } from "./stored.ts";

/** Rows that are written at a time. */
const stepRows = 8192;

/** The shortest text that gives this float32 when it is read. */
function shortest32(value: number): string {
  for (const digits of [6, 7, 8]) {
    const text = Number(value.toPrecision(digits));
    if (Math.fround(text) === value) return String(text);
  }
  return String(Number(value.toPrecision(9)));
}

function numberText(value: number, digits: (value: number) => string): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0.0" : digits(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "inf" : "-inf";
}

/** The fields of a tensor of at most two axes, in its order. */
function fieldsOf(x: Tensor, name: string): (at: number) => string {
  const dtype = x.dtype as DType;
  const { kind, bytes } = factsOf(dtype);
  if (kind === "complex")
    throw new FormatError("DTYPE", name, `A table of text has no ${dtype}: save ${name} as .npy or .safetensors.`);
  if (kind === "bool") {
    const flags = shown(x) as Uint8Array;
    return (at) => (flags[at] === 0 ? "false" : "true");
  }
  if (kind === "int") {
    const whole = shown(x) as Int32Array;
    return (at) => String(whole[at]);
  }
  if (dtype === "float64") {
    const numbers = shown(x) as Float64Array;
    return (at) => numberText(numbers[at]!, String);
  }
  using wide = bytes === 4 ? x.detach() : (x.to("float32") as Tensor);
  const numbers = (shown(wide) as Float32Array).slice();
  return (at) => numberText(numbers[at]!, shortest32);
}

/** A text as a field, in quotes where it would be read as something else. */
const quoted = (text: string, delimiter: string): string =>
  text.includes(delimiter) || /["\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** The parts of the text of a table: of a matrix, or of columns under their names. Throws TensorError, FormatError. */
export function csvParts(
  value: Tensor | Readonly<Record<string, Tensor | readonly string[]>>,
  { header, delimiter }: { readonly header: readonly string[] | undefined; readonly delimiter: string },
  file: string,
): Generator<Uint8Array> {
  const columns = value instanceof Tensor ? columnsOfMatrix(value, file) : columnsOfRecord(value, delimiter);
  const names = value instanceof Tensor ? header : Object.keys(value);
  if (value instanceof Tensor ? header !== undefined && header.length !== columns.fields.length : header !== undefined)
    throw new TensorError(
      "OPTIONS",
      value instanceof Tensor
        ? `The header has ${header!.length} names, but ${file} gets ${columns.fields.length} columns.`
        : `save takes a header for one tensor: columns of an object have names.`,
    );
  return lines(columns, names, delimiter);
}

interface Fields {
  readonly rows: number;
  readonly fields: readonly ((row: number) => string)[];
}

function columnsOfMatrix(x: Tensor, file: string): Fields {
  if (x.ndim !== 1 && x.ndim !== 2)
    throw new TensorError(
      "SHAPE",
      `A table has rows and columns, but this tensor has the shape ${formatShape(x.shape)}: save ${file} as .npy, or reshape it.`,
    );
  const [rows, width = 1] = x.shape as [number, number?];
  const at = fieldsOf(x, file);
  return { rows, fields: Array.from({ length: width }, (_, column) => (row: number) => at(row * width + column)) };
}

function columnsOfRecord(record: Readonly<Record<string, Tensor | readonly string[]>>, delimiter: string): Fields {
  const counts = new Map<number, string>();
  const fields = Object.entries(record).map(([name, column]) => {
    if (!(column instanceof Tensor)) {
      counts.set(column.length, name);
      return (row: number) => quoted(column[row]!, delimiter);
    }
    if (column.ndim !== 1)
      throw new TensorError(
        "SHAPE",
        `A column of a table of text has one value a row, but ${JSON.stringify(name)} has the shape ${formatShape(column.shape)}: save it as .arrow or .npz.`,
      );
    counts.set(column.shape[0]!, name);
    return fieldsOf(column, name);
  });
  if (counts.size > 1) {
    const [[first, a], [second, b]] = [...counts] as [[number, string], [number, string]];
    throw new TensorError(
      "SHAPE",
      `The columns of a table must have the same number of rows, but ${JSON.stringify(a)} has ${first} and ${JSON.stringify(b)} has ${second}.`,
    );
  }
  return { rows: [...counts.keys()][0] ?? 0, fields };
}

function* lines({ rows, fields }: Fields, names: readonly string[] | undefined, delimiter: string) {
  if (names !== undefined) yield Buffer.from(`${names.map((name) => quoted(name, delimiter)).join(delimiter)}\n`);
  for (let begin = 0; begin < rows; begin += stepRows) {
    let text = "";
    for (let row = begin; row < Math.min(rows, begin + stepRows); row++)
      text += `${fields.map((field) => field(row)).join(delimiter)}\n`;
    yield Buffer.from(text);
  }
}
