// Parquet files: which columns they have, and those as tensors and lists. A process of its own reads them, one file at
// a time; it starts when it is first needed, and again after a file that it did not survive.
import { fork, type ChildProcess } from "node:child_process";
import { resolve as resolvePath } from "node:path";
import { fileURLToPath } from "node:url";
import { FormatError } from "../errors.ts";
import { deviceNamed } from "../device/choice.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { upload } from "../memory/transfer.ts";
import { Tensor } from "../tensor/tensor.ts";
import type { FromParquet, Part, ToParquet } from "./parquet-process.ts";
import type { ColumnType } from "./parquet-types.ts";
import type { Source } from "./source.ts";
import { checkText, converted, dtypeAsked, missingRefused, type Column, type TableReading } from "./table.ts";

const magic = Buffer.from("PAR1");
/** Of JavaScript's values; numbers lie beside them. */
const heapMegabytes = 2048;
/** A damaged file can have the package loop for ever: how long each answer may take. */
const secondsOf = ({ size }: Source): number => 10 + size / 2e6;

export const isParquet = (source: Source): boolean => source.size >= 12 && magic.equals(source.read(0, 4));

/** A file as the process is told of it: its path, or its bytes. */
const fileOf = ({ path, size, read }: Source): string | Uint8Array =>
  path === undefined ? read(0, size) : resolvePath(path);

let reader: ChildProcess | null = null;
let last: Promise<unknown> = Promise.resolve();

function started(): ChildProcess {
  // Also from the sources: only what is built can be run.
  const child = fork(fileURLToPath(new URL("../../dist/io/parquet-process.js", import.meta.url)), {
    serialization: "advanced",
    execArgv: [`--max-old-space-size=${heapMegabytes}`],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.on("exit", () => {
    if (reader === child) reader = null;
  });
  hold(child, false);
  return child;
}

/** Whether this process lives on for it. */
function hold(child: ChildProcess, isNeeded: boolean): void {
  if (isNeeded) child.ref();
  else child.unref();
  if (isNeeded) child.channel?.ref();
  else child.channel?.unref();
}

/** Sends a message and calls `use` for each answer until the last one. Throws FormatError. */
function asked(source: Source, message: ToParquet, use: (answer: FromParquet) => void): Promise<void> {
  const child = (reader ??= started());
  return new Promise((resolve, reject) => {
    let limit: NodeJS.Timeout | undefined;
    const wait = () => {
      clearTimeout(limit);
      limit = setTimeout(() => fail("its end is not in sight after a long time"), 1000 * secondsOf(source));
    };
    const end = () => {
      clearTimeout(limit);
      child.off("message", hear);
      child.off("error", die);
      child.off("exit", die);
      hold(child, false);
    };
    const hear = (given: unknown) => {
      const answer = given as FromParquet;
      if (answer.answer === "part" || answer.answer === "opened") use(answer);
      if (answer.answer === "part") return wait();
      end();
      if (answer.answer === "failed") reject(refusal(source, answer.reason, answer.kind));
      else resolve();
    };
    const fail = (reason: string) => {
      end();
      reader = null;
      child.kill("SIGKILL");
      reject(refusal(source, reason, "damaged"));
    };
    const die = () => fail("it takes more memory than there is");
    child.on("message", hear);
    child.on("error", die);
    child.on("exit", die);
    hold(child, true);
    wait();
    child.send(message, (error) => {
      if (error !== null) die();
    });
  });
}

function refusal({ name }: Source, reason: string, kind: "damaged" | "ratio" | "unsupported") {
  if (kind === "ratio")
    return new FormatError(
      "RATIO",
      name,
      `${name} cannot be read as Parquet: ${reason}. If you trust the file, allow it with { maxRatio: … }.`,
    );
  if (kind === "unsupported") return new FormatError("UNSUPPORTED", name, `${name} cannot be read: ${reason}.`);
  return new FormatError(
    "HEADER",
    name,
    `${name} cannot be read as Parquet: ${reason.replace(/^parquet /, "")}. It is damaged, or of a kind that is not supported.`,
  );
}

export interface ParquetTable {
  readonly names: readonly string[];
  column(index: number): Column;
}

/** Reads the columns whose places `choose` gives when it is told the names. Throws FormatError. */
export async function parquetTable(
  source: Source,
  reading: TableReading & { readonly device: string | undefined; readonly maxRatio: number },
  choose: (names: readonly string[]) => ReadonlySet<number>,
): Promise<ParquetTable> {
  const before = last;
  const work = before.then(() => read(source, reading, choose));
  last = work.catch(() => undefined);
  return work;
}

async function read(
  source: Source,
  reading: TableReading & { readonly device: string | undefined; readonly maxRatio: number },
  choose: (names: readonly string[]) => ReadonlySet<number>,
): Promise<ParquetTable> {
  let types: readonly ColumnType[] = [];
  let rows = 0;
  await asked(source, { use: "open", file: fileOf(source), maxRatio: reading.maxRatio }, (answer) => {
    if (answer.answer === "opened") ({ columns: types, rows } = answer);
  });
  const names = types.map(({ name }) => name);
  if (new Set(names).size < names.length)
    throw new FormatError("HEADER", source.name, `${source.name} has two columns with the same name.`);
  const chosen = [...choose(names)];
  const columns = chosen.map((index) => ({ name: names[index]!, dtype: storedAs(source, types[index]!, reading) }));
  const parts: Part[][] = columns.map(() => []);
  await asked(source, { use: "read", columns }, (answer) => {
    if (answer.answer === "part") parts[answer.column]!.push(answer.part);
  });
  return {
    names,
    column: (index) => {
      const at = chosen.indexOf(index);
      return columnOf(source, columns[at]!, parts[at]!, rows, types[index]!, reading);
    },
  };
}

/** The dtype that the process makes of a column; `null`: texts. */
function storedAs(source: Source, { name, dtype, typeName }: ColumnType, reading: TableReading): DType | null {
  if (typeName === "text") {
    checkText(source.name, name, reading);
    return null;
  }
  if (reading.texts.has(name))
    throw new FormatError(
      "DTYPE",
      source.name,
      `Column ${JSON.stringify(name)} of ${source.name} holds ${typeName}, not text.`,
    );
  if (dtype === null)
    throw new FormatError(
      "DTYPE",
      source.name,
      `Column ${JSON.stringify(name)} of ${source.name} holds ${typeName}. Numbers, booleans, text and lists of one length can be read; name the ones to load: { only: ["…"] }.`,
    );
  const asked = dtypeAsked(reading, name);
  // What is missing is NaN there.
  return asked !== undefined && factsOf(asked).kind === "float" && factsOf(dtype).kind !== "float" ? "float64" : dtype;
}

function columnOf(
  source: Source,
  { name, dtype }: { readonly name: string; readonly dtype: DType | null },
  parts: readonly Part[],
  rows: number,
  { isList }: ColumnType,
  reading: TableReading & { readonly device: string | undefined },
): Column {
  if (dtype === null) return parts.flatMap(({ texts }) => texts ?? []);
  const gaps = parts.reduce((sum, part) => sum + part.gaps, 0);
  if (gaps > 0) throw missingRefused(source.name, name, dtype, `in ${gaps} of ${rows} rows`);
  const widths = new Set(parts.filter((part) => part.rows > 0).map(({ width }) => width));
  if (widths.size > 1)
    throw new FormatError(
      "UNSUPPORTED",
      source.name,
      `Column ${JSON.stringify(name)} of ${source.name} holds lists of different lengths.`,
    );
  const width = [...widths][0] ?? null;
  const shape = isList ? [rows, width ?? 0] : [rows];
  const out = Tensor.empty(deviceNamed(reading.device), dtype, shape);
  try {
    let at = 0;
    for (const { elements } of parts) {
      const { buffer, byteOffset, byteLength } = elements!;
      upload(out.living(), at, new Uint8Array(buffer, byteOffset, byteLength));
      at += byteLength;
    }
  } catch (error) {
    out.dispose();
    throw error;
  }
  return converted(out, dtypeAsked(reading, name));
}
