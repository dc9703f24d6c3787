// A column of a text file: fields one by one, from which it is found what the column holds, into a tensor or a list.
import { FormatError } from "../errors.ts";
import { factsOf, type DType, type TypedArray } from "../memory/dtype.ts";
import { tensor } from "../tensor/create.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { converted, missingRefused } from "./table.ts";

/** What stands for a number that is missing; `missing` of the options adds to it. */
export const missingWords = ["", "NA", "N/A", "n/a", "<NA>", "#N/A", "NaN", "nan", "-nan", "NULL", "null", "None"];
const infinities = new Map([
  ["inf", Infinity],
  ["+inf", Infinity],
  ["-inf", -Infinity],
  ["infinity", Infinity],
  ["-infinity", -Infinity],
]);
const flags = new Map([
  ["true", 1],
  ["True", 1],
  ["TRUE", 1],
  ["false", 0],
  ["False", 0],
  ["FALSE", 0],
]);
const wholeNumber = /^[+-]?\d+$/;
/** Number() takes them for numbers, no other program does. */
const prefixed = /^0[xob]/i;

/** A field that says something of its whole column. */
interface Place {
  readonly line: number;
  readonly text: string;
}

export class NumberColumn {
  readonly #file: string;
  readonly #name: string;
  readonly #missing: ReadonlySet<string>;
  #values = new Float64Array(1024);
  #count = 0;
  #kind: "number" | "flag" | null = null;
  /** The first field of each of these. */
  #gap: number | null = null;
  #fraction: Place | null = null;
  // Not objects: a column of times has a new one in every line.
  #leastValue = Infinity;
  #leastText = "";
  #leastLine = 0;
  #mostValue = -Infinity;
  #mostText = "";
  #mostLine = 0;
  /** Whole numbers that no double holds, by their row. */
  readonly #large = new Map<number, bigint>();

  constructor(file: string, name: string, missing: ReadonlySet<string>) {
    this.#file = file;
    this.#name = name;
    this.#missing = missing;
  }

  /** Whether it is a number as those before it, or none that is missing; else the column holds texts. */
  add(field: string, line: number): boolean {
    const isTrim = field.charCodeAt(0) > 32 && field.charCodeAt(field.length - 1) > 32;
    const text = isTrim ? field : field.trim();
    const value = Number(text);
    // An empty text would be 0.
    if (Number.isNaN(value) || text === "") return this.#addWord(text, line);
    if (text.charCodeAt(1) > 57 && prefixed.test(text)) return false;
    return this.#addNumber(value, text, line);
  }

  #addNumber(value: number, text: string, line: number): boolean {
    if (this.#kind === "flag") return false;
    this.#kind = "number";
    if (this.#fraction === null) {
      if (!Number.isInteger(value) || !wholeNumber.test(text)) this.#fraction = { line, text };
      else if (!Number.isSafeInteger(value)) this.#large.set(this.#count, BigInt(text));
      if (value < this.#leastValue) {
        this.#leastValue = value;
        this.#leastText = text;
        this.#leastLine = line;
      }
      if (value > this.#mostValue) {
        this.#mostValue = value;
        this.#mostText = text;
        this.#mostLine = line;
      }
    }
    return this.#push(value);
  }

  #addWord(text: string, line: number): boolean {
    if (this.#missing.has(text)) {
      this.#gap ??= line;
      return this.#push(Number.NaN);
    }
    const infinity = infinities.get(text.toLowerCase());
    if (infinity !== undefined) return this.#addNumber(infinity, text, line);
    const flag = flags.get(text);
    if (flag === undefined || this.#kind === "number") return false;
    this.#kind = "flag";
    return this.#push(flag);
  }

  #push(value: number): true {
    if (this.#count === this.#values.length) {
      const grown = new Float64Array(2 * this.#count);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.#count++] = value;
    return true;
  }

  /**
   * As what it holds: bool, int64, or float64 where there are fractions or gaps. Throws FormatError where another dtype
   * that is wanted does not hold it.
   */
  finish(wanted: DType | undefined, device: string | undefined): Tensor {
    const isWhole = this.#kind === "number" && this.#fraction === null;
    const found = this.#gap !== null || this.#kind === null ? "float64" : isWhole ? "int64" : "float64";
    const dtype = wanted ?? (this.#kind === "flag" && this.#gap === null ? "bool" : found);
    const { kind } = factsOf(dtype);
    if (kind === "int" || kind === "bool") this.#checkWhole(dtype);
    return tensorAs(this.#elements(dtype), dtype, device);
  }

  #elements(dtype: DType) {
    const values = this.#values.subarray(0, this.#count);
    const { kind, array: Elements, bytes } = factsOf(dtype);
    if (kind === "bool" || (kind === "int" && bytes < 8)) return (Elements as Float64ArrayConstructor).from(values);
    if (kind === "int") return this.#longs(values, dtype);
    return dtype === "float32" ? new Float32Array(values) : values;
  }

  #longs(values: Float64Array, dtype: DType): BigInt64Array | BigUint64Array {
    const words = new Int32Array(2 * values.length);
    for (let at = 0; at < values.length; at++) {
      const value = values[at]!;
      const high = Math.floor(value / 2 ** 32);
      words[2 * at] = value - high * 2 ** 32;
      words[2 * at + 1] = high;
    }
    const longs = dtype === "int64" ? new BigInt64Array(words.buffer) : new BigUint64Array(words.buffer);
    for (const [at, value] of this.#large) longs[at] = value;
    return longs;
  }

  #checkWhole(dtype: DType): void {
    const { range } = factsOf(dtype);
    const [low, high] = (range ?? [0, 1]).map(BigInt) as [bigint, bigint];
    if (this.#gap !== null) throw missingRefused(this.#file, this.#name, dtype, `in line ${this.#gap}`);
    const extremes: readonly Place[] = [
      { line: this.#leastLine, text: this.#leastText },
      { line: this.#mostLine, text: this.#mostText },
    ];
    const outside = this.#fraction ?? extremes.find(({ text }) => BigInt(text) < low || BigInt(text) > high);
    if (outside !== undefined)
      throw new FormatError(
        "DTYPE",
        this.#file,
        `Column ${JSON.stringify(this.#name)} of ${this.#file} holds ${outside.text} in line ${outside.line}, which ${dtype} does not. Name another dtype: { dtype: "float64" }.`,
      );
  }
}

/** A tensor of these elements in another dtype, where no array of JavaScript has it. */
function tensorAs(elements: TypedArray, dtype: DType, device: string | undefined): Tensor {
  const on = device === undefined ? {} : { device };
  if (factsOf(dtype).kind === "bool") return tensor(elements, { ...on, dtype }) as Tensor;
  return converted(tensor(elements as Float64Array, on) as Tensor, dtype);
}
