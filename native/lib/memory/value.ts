// Which numbers of JavaScript a dtype holds, and what is said of one that it does not.
import { TensorError } from "../errors.ts";
import { worded } from "../wording.ts";
import { admits, factsOf, type DType } from "./dtype.ts";

/** What may be wrong with a number that a dtype does not hold, and what to write; empty where nobody can tell. */
export function adviceFor(dtype: DType, value: unknown): string {
  if (value instanceof Date) return " Write date.getTime(), its milliseconds since 1970.";
  if (typeof value === "string")
    return isNumeric(value)
      ? " Make numbers of a list of texts with texts.map(Number)."
      : " io.categories(texts) numbers the texts of a list.";
  const { kind, bytes, range } = factsOf(dtype);
  if (kind !== "int" || range === null) return "";
  if (
    bytes === 8 &&
    typeof value === "number" &&
    Number.isInteger(value) &&
    BigInt(value) <= range[1] &&
    BigInt(value) >= range[0]
  )
    return ` A number of 2^53 and more may have been rounded: write ${BigInt(value)}n.`;
  if (typeof value === "number" || typeof value === "bigint")
    return ` It holds whole numbers from ${range[0]} to ${range[1]}.`;
  return "";
}

const isNumeric = (text: string): boolean => text.trim() !== "" && !Number.isNaN(Number(text));

/** Throws TensorError unless `value` is one of the dtype: `full makes uint8, which does not hold 300. …`. */
export function checkedValue(what: string, dtype: DType, value: unknown): number | bigint | boolean {
  if (admits(dtype, value)) return value;
  throw new TensorError("VALUE", `${what} ${dtype}, which does not hold ${worded(value)}.${adviceFor(dtype, value)}`);
}
