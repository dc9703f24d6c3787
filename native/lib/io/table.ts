// Tables in files: what users say of their columns, whatever the format, and what becomes of them.
import { FormatError, TensorError } from "../errors.ts";
import { isDType, type DType } from "../memory/dtype.ts";
import { dtype, flag, type Kind } from "../tensor/arguments.ts";
import { cat } from "../tensor/joining.ts";
import { Tensor } from "../tensor/tensor.ts";

/** A column: numbers as a tensor, or texts. */
export type Column = Tensor | string[];

/** What users say of a table. */
export interface TableReading {
  /** Of all columns of numbers, or by name. */
  readonly dtype: DType | Readonly<Record<string, DType>> | undefined;
  /** Columns that become lists of texts, whatever they hold. */
  readonly texts: ReadonlySet<string>;
  readonly header: boolean | readonly string[] | undefined;
  readonly delimiter: string | undefined;
  readonly skip: number;
  readonly missing: readonly string[];
  /** All columns become one tensor. */
  readonly isMatrix: boolean;
}

const isRecordOfDTypes = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every(isDType);
export const names: Kind<readonly string[]> = {
  wanted: "a list of names",
  has: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
};
const texts: Kind<readonly string[]> = { ...names, wanted: "a list of texts" };
const header: Kind<boolean | readonly string[]> = {
  wanted: "true, false or a list of names",
  has: (value) => typeof value === "boolean" || names.has(value),
};
const dtypeOrRecord: Kind<DType | Readonly<Record<string, DType>>> = {
  wanted: `${dtype.wanted} or an object of them`,
  has: (value) => isDType(value) || isRecordOfDTypes(value),
};
const delimiter: Kind<string> = {
  wanted: "one character, not a quote or the end of a line,",
  has: (value) => typeof value === "string" && value.length === 1 && !'"\r\n\ufeff'.includes(value),
};
const lines: Kind<number> = {
  wanted: "a number of lines",
  has: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
};
/** Options of every table, and of one that is text. */
export const tableOptions = { dtype: dtypeOrRecord, texts: names, matrix: flag };
export const csvOptions = { header, delimiter, skip: lines, missing: texts };

/** The dtype that somebody asked for; `undefined`: none. */
export function dtypeAsked(reading: Pick<TableReading, "dtype">, name: string): DType | undefined {
  const asked = reading.dtype;
  if (asked === undefined || typeof asked === "string") return asked;
  return Object.hasOwn(asked, name) ? asked[name] : undefined;
}

/** Throws TensorError for a column that is named in options but is not in the file. */
export function checkAsked(file: string, present: readonly string[], { dtype: asked, texts }: TableReading): void {
  const named = [...(typeof asked === "object" ? Object.keys(asked) : []), ...texts];
  const missing = named.find((name) => !present.includes(name));
  if (missing !== undefined)
    throw new TensorError(
      "NAME",
      `${file} has no column ${JSON.stringify(missing)}. It has ${present.map((name) => JSON.stringify(name)).join(", ") || "none"}.`,
    );
}

/**
 * A column of texts becomes a list of them. Throws FormatError where it has to be a tensor: in a matrix, and where its
 * dtype was asked for. `place`: a text that it holds, of what may be numbers otherwise.
 */
export function checkText(
  file: string,
  name: string,
  reading: Pick<TableReading, "dtype" | "isMatrix">,
  place?: { readonly text: string; readonly line: number },
): void {
  const asked = typeof reading.dtype === "object" ? dtypeAsked(reading, name) : undefined;
  if (!reading.isMatrix && asked === undefined) return;
  const shown = place && JSON.stringify(place.text.length > 40 ? `${place.text.slice(0, 40)}…` : place.text);
  const held = `Column ${JSON.stringify(name)} of ${file} holds text${place ? `, ${shown} in line ${place.line}` : ""}, which`;
  const gap = place ? ` If that stands for no number, pass { missing: [${shown}] }.` : "";
  throw new FormatError(
    "DTYPE",
    file,
    reading.isMatrix
      ? `${held} no matrix has. Name the columns to load: { only: ["…"] }.${gap}`
      : `${held} is not ${asked}. Without a dtype the column is a list of texts.${gap}`,
  );
}

/** Numbers that are missing where a dtype has no NaN. */
export function missingRefused(file: string, name: string, dtype: DType, where: string): FormatError {
  return new FormatError(
    "DTYPE",
    file,
    `Column ${JSON.stringify(name)} of ${file} has no value ${where}, and ${dtype} has none for that. Load it as floating point, where it is NaN: { dtype: { ${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: "float64" } }.`,
  );
}

/** The tensor in the dtype that somebody asked for; it is gone where that is another one. */
export function converted(tensor: Tensor, asked: DType | undefined): Tensor {
  if (asked === undefined || asked === tensor.dtype) return tensor;
  using stored = tensor;
  return stored.to(asked) as Tensor;
}

/** What somebody gets who loads a table. Throws FormatError for a matrix of which a column holds texts. */
export const tableMade = (
  file: string,
  reading: TableReading,
  columns: readonly (readonly [name: string, column: Column])[],
): Tensor | Record<string, Column> =>
  reading.isMatrix ? matrixOf(file, reading, columns) : Object.fromEntries(columns);

/** The columns side by side, in their widest dtype; they are gone then. Throws FormatError where one holds texts. */
function matrixOf(
  file: string,
  reading: TableReading,
  columns: readonly (readonly [name: string, column: Column])[],
): Tensor {
  const used = columns.flatMap(([, column]) => (column instanceof Tensor ? [column] : []));
  try {
    for (const [name, column] of columns) if (!(column instanceof Tensor)) checkText(file, name, reading);
    if (used.length === 0) throw new TensorError("NAME", `${file} has no columns for a matrix.`);
    const sides = used.map((each) => {
      const [rows = 0, ...axes] = each.shape;
      return each.reshape([rows, axes.reduce((product, size) => product * size, 1)]) as Tensor;
    });
    used.push(...sides);
    return cat(sides, 1) as Tensor;
  } finally {
    for (const each of used) each.dispose();
  }
}
