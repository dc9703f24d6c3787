// Tables as text (.csv, .tsv): fields by the package papaparse, part by part, so that a file may be larger than a text
// of JavaScript, into columns that find out what they hold (RFC 4180).
import type { ParseError } from "papaparse";
import { FormatError } from "../errors.ts";
import { missingWords, NumberColumn } from "./csv-column.ts";
import type { Source } from "./source.ts";
import { checkText, dtypeAsked, type Column, type TableReading } from "./table.ts";

/** Bytes that are read at a time, and that one line may have. */
const stepBytes = 2 ** 20;
const maxLine = 2 ** 24;

/** The text of a source in parts, without the mark at its beginning. Throws FormatError for what is not UTF-8. */
function* textOf(source: Source): Generator<string> {
  const start = source.read(0, Math.min(2, source.size));
  if (start.length === 2 && [0xfeff, 0xfffe].includes(256 * start[0]! + start[1]!))
    throw new FormatError("UNSUPPORTED", source.name, `${source.name} is UTF-16 text: save it as UTF-8.`);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let at = 0; at < source.size; at += stepBytes) {
    const count = Math.min(stepBytes, source.size - at);
    let text: string;
    try {
      text = decoder.decode(source.read(at, count), { stream: at + count < source.size });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new FormatError(
        "UNSUPPORTED",
        source.name,
        `${source.name} is not UTF-8 text: somewhere between byte ${at} and ${at + count} it has bytes of another encoding. Save it as UTF-8.`,
        { cause: error },
      );
    }
    if (text.includes("\0"))
      throw new FormatError(
        "UNSUPPORTED",
        source.name,
        `${source.name} has bytes that are 0, as in UTF-16 or a file that is no text: save it as UTF-8.`,
      );
    yield text;
  }
}

/** Of the ways to separate fields that are in use, the one that the first line has most of outside of quotes. */
function delimiterOf(line: string): string {
  const bare = line.replace(/"[^"]*"/g, "");
  const counts = [",", "\t", ";", "|"].map((each) => [each, bare.split(each).length] as const);
  return counts.reduce((best, each) => (each[1] > best[1] ? each : best))[0];
}

const linesIn = (text: string): number => text.split("\n").length - 1;

/** The rows with the lines that they begin in, but for empty ones. */
class Rows {
  readonly #source: Source;
  readonly #papa: typeof import("papaparse");
  #delimiter: string | undefined;
  #newline: "\n" | "\r" | undefined;
  #toSkip: number;
  /** Of the row that comes next. */
  #line = 1;

  constructor(source: Source, papa: typeof import("papaparse"), { delimiter, skip }: TableReading) {
    this.#source = source;
    this.#papa = papa;
    this.#delimiter = delimiter;
    this.#toSkip = skip;
  }

  /** Calls `use` for each. Other work of the thread goes on between the parts of a large file. */
  async each(use: (fields: string[], line: number) => void): Promise<void> {
    let rest = "";
    let done = 0;
    for (const text of textOf(this.#source)) {
      if (done++ > 0) await new Promise(setImmediate);
      rest = this.#part(rest + text, false, use);
      if (rest.length > maxLine)
        throw new FormatError(
          "HEADER",
          this.#source.name,
          `The line ${this.#line} of ${this.#source.name} has more than ${maxLine} characters: perhaps a quote in it is never closed.`,
        );
    }
    this.#part(rest, true, use);
  }

  /** Returns what is left: a row that may go on. */
  #part(given: string, isLast: boolean, use: (fields: string[], line: number) => void): string {
    let text = given;
    this.#newline ??= text.includes("\n") || !text.includes("\r") ? "\n" : "\r";
    const newline = this.#newline;
    for (; this.#toSkip > 0; this.#toSkip--) {
      const end = text.indexOf(newline);
      if (end === -1) return isLast ? "" : text;
      text = text.slice(end + 1);
      this.#line += 1;
    }
    if (this.#delimiter === undefined) {
      const end = text.indexOf(newline);
      if (end === -1 && !isLast) return text;
      this.#delimiter = delimiterOf(end === -1 ? text : text.slice(0, end));
    }
    const parser = new this.#papa.Parser({ delimiter: this.#delimiter, newline });
    const { data, errors, meta } = parser.parse(text, 0, !isLast) as {
      data: string[][];
      errors: ParseError[];
      meta: { cursor: number };
    };
    // The first of a row counts.
    const wrong = new Map([...errors].reverse().map((each) => [each.row, each]));
    const hasQuotes = text.includes('"');
    for (let index = 0; index < data.length; index++) {
      const row = data[index]!;
      if (wrong.size > 0 && wrong.has(index)) throw this.#wrongQuote(wrong.get(index)!);
      const last = row.length - 1;
      if (newline === "\n" && row[last]!.endsWith("\r")) row[last] = row[last]!.slice(0, -1);
      if (last > 0 || row[0] !== "") use(row, this.#line);
      this.#line += 1 + (hasQuotes ? row.reduce((sum, field) => sum + linesIn(field), 0) : 0);
    }
    if (isLast && wrong.has(data.length)) throw this.#wrongQuote(wrong.get(data.length)!);
    return isLast ? "" : text.slice(meta.cursor);
  }

  #wrongQuote({ code }: ParseError): FormatError {
    const { name } = this.#source;
    return new FormatError(
      "HEADER",
      name,
      code === "MissingQuotes"
        ? `A field that begins with a quote in line ${this.#line} of ${name} is never closed.`
        : `A field in line ${this.#line} of ${name} goes on behind its closing quote. A quote within a field is written twice: "a ""word""".`,
    );
  }
}

const isNumberText = (field: string): boolean => field.trim() !== "" && !Number.isNaN(Number(field));

/** The names of the columns, and whether the row is a row of them and no data. */
function headerOf(row: readonly string[], file: string, line: number, header: TableReading["header"]) {
  const isHeader = header === true || (header === undefined && !row.every(isNumberText));
  const names =
    typeof header === "object" ? header : row.map((field, index) => (isHeader ? field.trim() : String(index)));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new FormatError(
      "HEADER",
      file,
      `${file} has two columns ${JSON.stringify(twice)} in line ${line}. Name all columns: { header: [${names.map((_, index) => `"${index}"`).join(", ")}], skip: ${isHeader ? line : line - 1} }.`,
    );
  return { names, isHeader };
}

export interface CsvTable {
  readonly names: readonly string[];
  /** Makes the column with that index, which was chosen. */
  column(index: number): Column;
}

type CsvReading = TableReading & { readonly device: string | undefined };
type Choose = (names: readonly string[]) => ReadonlySet<number>;

/** Ends a reading: columns in which it looked for numbers hold texts. Their fields so far were not kept. */
class TextsFound extends Error {
  readonly names: readonly string[];

  constructor(names: readonly string[]) {
    super("texts were found");
    this.names = names;
  }
}

/**
 * Reads the columns whose places `choose` gives when it is told the names; one that holds texts is a list of them,
 * unless it has to be numbers. Throws FormatError with the line for a table that is damaged.
 */
export async function csvTable(source: Source, reading: CsvReading, choose: Choose): Promise<CsvTable> {
  const texts = new Set(reading.texts);
  for (;;)
    try {
      return await tableWith(source, { ...reading, texts }, choose);
    } catch (error) {
      if (!(error instanceof TextsFound)) throw error;
      for (const name of error.names) texts.add(name);
    }
}

async function tableWith(source: Source, reading: CsvReading, choose: Choose): Promise<CsvTable> {
  const { name: file } = source;
  const { default: papa } = await import("papaparse");
  const missing = new Set([...missingWords, ...reading.missing]);
  let names: readonly string[] | null = null;
  const lists: (string[] | null)[] = [];
  const numbers: (NumberColumn | null)[] = [];
  const begin = (known: readonly string[]): readonly string[] => {
    const chosen = choose(known);
    for (const [index, name] of known.entries()) {
      const isText = reading.texts.has(name);
      lists.push(chosen.has(index) && isText ? [] : null);
      numbers.push(chosen.has(index) && !isText ? new NumberColumn(file, name, missing) : null);
    }
    return known;
  };
  await new Rows(source, papa, reading).each((row, line) => {
    if (names === null) {
      const found = headerOf(row, file, line, reading.header);
      names = begin(found.names);
      if (found.isHeader) return;
    }
    if (row.length !== names.length)
      throw new FormatError(
        "HEADER",
        file,
        `Line ${line} of ${file} has ${counted(row.length, "field")}, but the table has ${counted(names.length, "column")}.`,
      );
    let texts: string[] | null = null;
    for (let index = 0; index < row.length; index++) {
      lists[index]?.push(row[index]!);
      if (numbers[index]?.add(row[index]!, line) !== false) continue;
      checkText(file, names[index]!, reading, { text: row[index]!.trim(), line });
      (texts ??= []).push(names[index]!);
    }
    if (texts !== null) throw new TextsFound(texts);
  });
  if (names === null && typeof reading.header !== "object")
    throw new FormatError("HEADER", file, `${file} holds no table: it has no line with the names of columns.`);
  const found = names ?? begin(reading.header as readonly string[]);
  return {
    names: found,
    column: (index) => lists[index] ?? numbers[index]!.finish(dtypeAsked(reading, found[index]!), reading.device),
  };
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
