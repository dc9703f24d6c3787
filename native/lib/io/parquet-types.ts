// What the columns of a Parquet file hold: its schema, column by column, as dtypes or in words (parquet-format,
// LogicalTypes).
import type { SchemaTree } from "hyparquet";
import type { DType } from "../memory/dtype.ts";

/** `dtype` is `null` for what is no number; `typeName` says what it is then. */
export interface ColumnType {
  readonly name: string;
  readonly dtype: DType | null;
  readonly typeName: string;
  readonly isList: boolean;
}

const physical: Partial<Record<string, DType>> = {
  BOOLEAN: "bool",
  INT32: "int32",
  INT64: "int64",
  FLOAT: "float32",
  DOUBLE: "float64",
};
const converted: Partial<Record<string, DType>> = {
  INT_8: "int8",
  INT_16: "int16",
  INT_32: "int32",
  INT_64: "int64",
  UINT_8: "uint8",
  UINT_16: "uint16",
  UINT_32: "uint32",
  UINT_64: "uint64",
};
/** What a column is by what is said of its bytes; of a timestamp the unit would be lost. */
const named: Partial<Record<string, string>> = {
  UTF8: "text",
  STRING: "text",
  ENUM: "text",
  JSON: "JSON",
  BSON: "BSON",
  UUID: "UUIDs",
  DATE: "dates",
  TIME: "times",
  TIME_MILLIS: "times",
  TIME_MICROS: "times",
  TIMESTAMP: "timestamps",
  TIMESTAMP_MILLIS: "timestamps",
  TIMESTAMP_MICROS: "timestamps",
  INTERVAL: "intervals",
  GEOMETRY: "shapes",
  GEOGRAPHY: "shapes",
  VARIANT: "values of many types",
  FILE: "files",
};

function elementOf({ element, children }: SchemaTree): { dtype: DType | null; typeName: string } {
  if (children.length > 0) return { dtype: null, typeName: "structures" };
  const { type, converted_type: old, logical_type: logical } = element;
  const typeName = named[logical?.type ?? ""] ?? named[old ?? ""];
  if (typeName !== undefined) return { dtype: null, typeName };
  if (type === "INT96") return { dtype: null, typeName: "timestamps" };
  // Both are numbers when they come out of the package.
  if (logical?.type === "FLOAT16") return { dtype: "float32", typeName: "numbers" };
  if (logical?.type === "DECIMAL" || old === "DECIMAL") return { dtype: "float64", typeName: "numbers" };
  const dtype = converted[old ?? ""] ?? integerOf(logical) ?? physical[type ?? ""] ?? null;
  return { dtype, typeName: dtype === null ? "bytes" : "numbers" };
}

function integerOf(logical: SchemaTree["element"]["logical_type"]): DType | undefined {
  if (logical?.type !== "INTEGER") return undefined;
  return converted[`${logical.isSigned ? "" : "U"}INT_${logical.bitWidth}`];
}

export function columnTypeOf(column: SchemaTree): ColumnType {
  const { name, repetition_type: repetition } = column.element;
  if (repetition === "REPEATED") return { name, dtype: null, typeName: "repeated values", isList: false };
  const [group] = column.children;
  const isList = column.element.converted_type === "LIST" || column.element.logical_type?.type === "LIST";
  if (!isList || column.children.length !== 1 || group!.children.length !== 1)
    return { name, ...elementOf(column), isList: false };
  const { dtype, typeName } = elementOf(group!.children[0]!);
  return { name, dtype, typeName: `lists of ${typeName}`, isList: true };
}
