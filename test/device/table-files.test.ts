// Tables in files, on every device: text and Parquet of pandas and pyarrow, what columns become, texts, categories,
// matrices, round trips, and every error with its line or column.
import "./cache.ts";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import {
  arange,
  DataLoader,
  FormatError,
  io,
  memory,
  tensor,
  Tensor,
  TensorError,
  zeros,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { mutated } from "./mutations.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const folder = mkdtempSync(join(tmpdir(), "warpcell-tables-"));
afterAll(() => rmSync(folder, { recursive: true }));
const made = (name: string) => fileURLToPath(new URL(`files/${name}`, import.meta.url));
const runSeed = freshSeed();

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const load = (text: string | Uint8Array, options: io.TableOptions = {}) =>
    io.load(typeof text === "string" ? Buffer.from(text) : text, { device, format: "csv", ...options }) as Promise<
      Record<string, Tensor & string[]>
    >;
  const lists = (table: Record<string, Tensor | string[]>) =>
    Object.fromEntries(
      Object.entries(table).map(([name, each]) => [
        name,
        each instanceof Tensor ? [each.dtype, ...(each.toArray() as unknown[])] : each,
      ]),
    );
  const read = async (text: string, options?: io.TableOptions) => lists(await load(text, options));
  const refused = async (work: Promise<unknown>, code: string, sentence: string | RegExp) => {
    const error = (await work.then(
      () => null,
      (reason: unknown) => reason,
    )) as FormatError;
    expect(error).toBeInstanceOf(
      ["NAME", "OPTIONS", "OPERANDS", "ARGUMENTS"].includes(code) ? TensorError : FormatError,
    );
    expect(error.message).toMatch(sentence);
    expect(error.code).toBe(code);
  };

  test("a table of pandas as text: quotes, lines in fields, gaps, flags and long numbers", async () => {
    for (const name of ["people.csv", "people.tsv"] as const) {
      const people = await io.load(made(name), { texts: ["name"], device });
      expect(people.name).toEqual(["Ann", 'Bo "the tall"', "Çelik, Dış", "two\nlines"]);
      expect(people["age"]!.device).toBe(device);
      expect(lists(people)).toEqual({
        name: people.name,
        age: ["int64", 31n, 44n, 28n, 60n],
        height: ["float64", 1.62, 1.9, NaN, 1.7],
        member: ["bool", true, false, true, true],
        id: ["int64", 9007199254740993n, -1n, 0n, 2n ** 62n],
      });
    }
    const matrix = await io.load(made("matrix.csv"), { matrix: true, dtype: "float32", device });
    expect([matrix.dtype, matrix.toArray()]).toEqual([
      "float32",
      [
        [0, 0.25, 0.5],
        [0.75, 1, 1.25],
      ],
    ]);
  });

  test("what a column of text holds is found from its fields", async () => {
    expect(
      await read("a,b,c,d,e,f\n 1 ,+2,.5,TRUE,,1e3\r\n-3,,-0,false,NA,inf\n\n7,NaN,1.5e-3,True,null,-Infinity"),
    ).toEqual({
      a: ["int64", 1n, -3n, 7n],
      b: ["float64", 2, NaN, NaN],
      c: ["float64", 0.5, -0, 0.0015],
      d: ["bool", true, false, true],
      e: ["float64", NaN, NaN, NaN],
      f: ["float64", 1000, Infinity, -Infinity],
    });
    expect(await read("a\n?\n1\n-", { missing: ["?", "-"] })).toEqual({ a: ["float64", NaN, 1, NaN] });
    expect(await read("\ufeffa;b\n1;2")).toEqual({ a: ["int64", 1n], b: ["int64", 2n] });
    expect(await read("a|b\r1|2\r")).toEqual({ a: ["int64", 1n], b: ["int64", 2n] });
    expect(await read("a,b;c\n1;2", { delimiter: ";", header: ["x", "y"], texts: ["x", "y"] })).toEqual({
      x: ["a,b", "1"],
      y: ["c", "2"],
    });
  });

  test("dtypes that are asked for, of all columns or by name", async () => {
    expect(await read("a,b\n1,2.5\n0,3", { dtype: "float32" })).toEqual({
      a: ["float32", 1, 0],
      b: ["float32", 2.5, 3],
    });
    expect(
      await read("a,b,c,d,e\n1,2,0,300,7\n0,,1,-300,8", {
        dtype: { a: "bool", b: "bfloat16", c: "uint8", d: "int16", e: "uint64" },
      }),
    ).toEqual({
      a: ["bool", true, false],
      b: ["bfloat16", 2, NaN],
      c: ["uint8", 0, 1],
      d: ["int16", 300, -300],
      e: ["uint64", 7n, 8n],
    });
    expect(await read("a\n18446744073709551615\n1", { dtype: "uint64" })).toEqual({
      a: ["uint64", 2n ** 64n - 1n, 1n],
    });
    const random = seeded(runSeed);
    const longs = Array.from({ length: 1000 }, () =>
      BigInt.asIntN(64, BigInt(Math.floor(random() * 2 ** 53)) << BigInt(Math.floor(random() * 20))),
    );
    expect((await load(`x\n${longs.join("\n")}`))["x"]!.toArray()).toEqual(longs);
    const numbers = Array.from({ length: 1000 }, () => (random() - 0.5) * 10 ** (20 * random() - 10));
    expect((await load(`x\n0.5\n${numbers.join("\n")}`))["x"]!.toArray()).toEqual([0.5, ...numbers]);
  });

  test("only some columns, other names, no header, lines to skip", async () => {
    const text = "id,word,2,1\n1,a,5,6\n2,b,7,8\n";
    expect(await read(text, { only: ["id"] })).toEqual({ id: ["int64", 1n, 2n] });
    expect(await read(text, { only: ["id"], texts: ["word"] })).toEqual({
      id: ["int64", 1n, 2n],
      word: ["a", "b"],
    });
    expect(await read(text, { rename: (name) => (name === "word" ? null : `c${name}`) })).toEqual({
      cid: ["int64", 1n, 2n],
      c2: ["int64", 5n, 7n],
      c1: ["int64", 6n, 8n],
    });
    expect(await read("1,2\n3,4\n")).toEqual({ 0: ["int64", 1n, 3n], 1: ["int64", 2n, 4n] });
    expect(await read("1,2\n3,4\n", { header: true })).toEqual({ 1: ["int64", 3n], 2: ["int64", 4n] });
    expect(await read("a,b\n3,4\n", { header: false, texts: ["0", "1"] })).toEqual({ 0: ["a", "3"], 1: ["b", "4"] });
    expect(await read("a,b\n3,4\n", { header: ["x", "y"], skip: 1 })).toEqual({ x: ["int64", 3n], y: ["int64", 4n] });
    expect(await read("# made by hand\n\nx\n1\n", { skip: 1 })).toEqual({ x: ["int64", 1n] });
    expect(await read("", { header: ["x"] })).toEqual({ x: ["float64"] });
    expect(await read("x,y\n")).toEqual({ x: ["float64"], y: ["float64"] });
    // Numbers as names come first in an object, but not in the matrix.
    const matrix = (await load(text, { matrix: true, only: ["id", "1", "2"] })) as unknown as Tensor;
    expect([matrix.dtype, matrix.toArray()]).toEqual([
      "int64",
      [
        [1n, 5n, 6n],
        [2n, 7n, 8n],
      ],
    ]);
  });

  test("a file in many parts is as one in one", async () => {
    const random = seeded(runSeed + 1);
    const rows = Array.from({ length: 80_000 }, (_, row) => {
      const text = `${'é"\n,x'[Math.floor(random() * 5)]}${row}`;
      return { text, value: Math.floor(random() * 1e6) };
    });
    const file = join(folder, "parts.csv");
    const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
    writeFileSync(file, `text,value\r\n${rows.map(({ text, value }) => `${quote(text)},${value}`).join("\r\n")}\r\n`);
    expect(readFileSync(file).length).toBeGreaterThan(2 ** 20);
    const table = await io.load(file, { texts: ["text"], device });
    expect(table.text).toEqual(rows.map(({ text }) => text));
    expect(table["value"]!.toArray()).toEqual(rows.map(({ value }) => BigInt(value)));
    writeFileSync(
      file,
      `text,value\n${rows.map(({ text, value }) => `${quote(text)},${value}`).join("\n")}\nlast,oops\n`,
    );
    const lines = rows.reduce((sum, { text }) => sum + text.split("\n").length, 2);
    expect((await io.load(file, { only: ["value"], device }))["value"]).toEqual([
      ...rows.map(({ value }) => String(value)),
      "oops",
    ]);
    await refused(
      io.load(file, { dtype: { value: "float32" }, device }),
      "DTYPE",
      `holds text, "oops" in line ${lines}, which is not float32.`,
    );
  });

  test("errors of text say the line and the column", async () => {
    await refused(
      load("a,name\n1,Ann", { matrix: true }),
      "DTYPE",
      /^Column "name" of the file holds text, "Ann" in line 2, which no matrix has\. Name the columns to load: \{ only: \["…"\] \}\. If that stands for no number, pass \{ missing: \["Ann"\] \}\.$/,
    );
    await refused(
      load("a\n-", { dtype: { a: "int32" } }),
      "DTYPE",
      /^Column "a" of the file holds text, "-" in line 2, which is not int32\. Without a dtype the column is a list of texts\. If that stands for no number, pass \{ missing: \["-"\] \}\.$/,
    );
    await refused(load(`a\n${"z".repeat(50)}`, { matrix: true }), "DTYPE", `"${"z".repeat(40)}…" in line 2`);
    await refused(load("a,b\n1,2\n\n3\n"), "HEADER", "Line 4 of the file has 1 field, but the table has 2 columns.");
    await refused(load("a\n1,2\n"), "HEADER", "Line 2 of the file has 2 fields, but the table has 1 column.");
    await refused(
      load("a,b,a\n1,2,3"),
      "HEADER",
      'the file has two columns "a" in line 1. Name all columns: { header: ["0", "1", "2"], skip: 1 }.',
    );
    await refused(
      load('a\n1\n"2'),
      "HEADER",
      "A field that begins with a quote in line 3 of the file is never closed.",
    );
    await refused(
      load('a,b\n"x"y,1\n'),
      "HEADER",
      'A field in line 2 of the file goes on behind its closing quote. A quote within a field is written twice: "a ""word""".',
    );
    await refused(load(""), "HEADER", "the file holds no table: it has no line with the names of columns.");
    await refused(
      load(`a\n"${"x".repeat(2 ** 24 + 2 ** 20)}`),
      "HEADER",
      /The line 2 of the file has more than 16777216/,
    );
    await refused(load(Buffer.from("a\n1", "utf16le")), "UNSUPPORTED", "the file has bytes that are 0, as in UTF-16");
    await refused(
      load(Buffer.from("\ufeffa\n1", "utf16le")),
      "UNSUPPORTED",
      "the file is UTF-16 text: save it as UTF-8.",
    );
    await refused(
      load(Buffer.from("näme\n1", "latin1")),
      "UNSUPPORTED",
      "the file is not UTF-8 text: somewhere between byte 0 and 6 it has bytes of another encoding. Save it as UTF-8.",
    );
    await refused(
      load("a\n1\n\n?", { missing: ["?"], dtype: "int32" }),
      "DTYPE",
      'Column "a" of the file has no value in line 4, and int32 has none for that. Load it as floating point, where it is NaN: { dtype: { a: "float64" } }.',
    );
    await refused(load("a b\nNA", { dtype: "bool" }), "DTYPE", '{ dtype: { "a b": "float64" } }.');
    await refused(
      load("a\n1\n300", { dtype: "uint8" }),
      "DTYPE",
      'Column "a" of the file holds 300 in line 3, which uint8 does not. Name another dtype: { dtype: "float64" }.',
    );
    await refused(load("a\n-1", { dtype: "uint64" }), "DTYPE", "holds -1 in line 2, which uint64 does not");
    await refused(load("a\n1.5", { dtype: "int64" }), "DTYPE", "holds 1.5 in line 2, which int64 does not");
    await refused(load("a\n9223372036854775808"), "DTYPE", "holds 9223372036854775808 in line 2, which int64 does not");
    await refused(
      load("a\nx", { texts: ["a"], matrix: true }),
      "DTYPE",
      /^Column "a" of the file holds text, which no matrix has\. Name the columns to load: \{ only: \["…"\] \}\.$/,
    );
  });

  test("columns that hold texts are lists of them, with all fields as they stand in the file", async () => {
    expect(await read("name,age,when,note\nAnn,31,2020-01-15,\n Bo ,44,2019-07-01,late\n")).toEqual({
      name: ["Ann", " Bo "],
      age: ["int64", 31n, 44n],
      when: ["2020-01-15", "2019-07-01"],
      note: ["", "late"],
    });
    expect(await read("a,b,c,d\ntrue,1,0x10,007\n1,true,2,x")).toEqual({
      a: ["true", "1"],
      b: ["1", "true"],
      c: ["0x10", "2"],
      d: ["007", "x"],
    });
    expect(await read("n,x\nAnn,1\n", { dtype: "float32" })).toEqual({ n: ["Ann"], x: ["float32", 1] });
    expect(await read("n,x\n7,1\n", { only: ["n"] })).toEqual({ n: ["int64", 7n] });
  });

  test("what cannot be asked for is said by name", async () => {
    await refused(load("a,b\n1,2", { only: ["c"] }), "NAME", 'the file has no column "c". It has "a", "b".');
    await refused(load("a\n1", { dtype: { c: "int8" } }), "NAME", 'the file has no column "c". It has "a".');
    await refused(load("a\n1", { texts: ["c"] }), "NAME", 'the file has no column "c". It has "a".');
    await refused(load("a\n1", { only: [], matrix: true }), "NAME", "the file has no columns for a matrix.");
    await refused(load("a\n1", { columns: ["a"] } as never), "OPTIONS", "load has no option columns. Write only.");
    await refused(load("a\n1", { delimiter: '"' }), "ARGUMENTS", "one character, not a quote or the end of a line,");
    await refused(load("a\n1", { dtype: { a: "int9" } } as never), "ARGUMENTS", "or an object of them");
    await refused(load("a\n1", { header: 3 } as never), "ARGUMENTS", "true, false or a list of names");
    await refused(load("a\n1", { skip: -1 }), "ARGUMENTS", "a number of lines");
    await refused(
      io.load(made("f4.npy"), { dtype: "int8", device } as never),
      "OPTIONS",
      /f4\.npy is a \.npy file, for which there is no option dtype\.$/,
    );
    await refused(
      io.load(made("none.parquet"), { delimiter: ";", device }),
      "OPTIONS",
      /none\.parquet is a \.parquet file, for which there is no option delimiter\.$/,
    );
    await refused(
      io.save(join(folder, "x.parquet"), { x: zeros([1], { device }) }),
      "OPTIONS",
      ".parquet files are read, but not written: save a table as .arrow, which pandas reads, too, or as .csv.",
    );
  });

  test("Parquet of pyarrow, whatever its packing, encodings and pages", async () => {
    const numbers = ["i8", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64", "flag", "pair", "gaps"];
    for (const [packing, rows] of [
      ["none", 100],
      ["snappy", 100],
      ["gzip", 100],
      ["brotli", 100],
      ["zstd", 100],
      ["pages", 1000],
    ] as const) {
      const table = await io.load(made(`${packing}.parquet`), { only: numbers, texts: ["word"], device });
      const at = Array.from({ length: rows }, (_, row) => row);
      expect(table.word, packing).toEqual(at.map((row) => `word ${row % 7}`));
      expect(lists({ ...table, word: [] }), packing).toEqual({
        i8: ["int8", ...at.map((row) => (row % 100) - 50)],
        u16: ["uint16", ...at.map((row) => row * 60)],
        i32: ["int32", ...at.map((row) => row - 500)],
        u32: ["uint32", ...at.map((row) => row + 2 ** 32 - 1000)],
        i64: ["int64", ...at.map((row) => BigInt(row) - 2n ** 53n)],
        u64: ["uint64", ...at.map((row) => 2n ** 64n - 1n - BigInt(row))],
        f16: ["float32", ...at.map((row) => row / 8)],
        f32: ["float32", ...at.map((row) => expect.closeTo(Math.sin(row), 6) as unknown)],
        f64: ["float64", ...at.map((row) => expect.closeTo(Math.cos(row), 14) as unknown)],
        flag: ["bool", ...at.map((row) => row % 3 === 0)],
        word: [],
        pair: ["float32", ...at.map((row) => [row, 0 - row])],
        gaps: ["float64", ...at.map((row) => (row % 10 === 0 ? NaN : row / 2))],
      });
    }
    const bytes = readFileSync(made("zstd.parquet"));
    const matrix = await io.load(bytes, { only: ["i8", "flag"], matrix: true, device });
    expect([matrix.dtype, matrix.shape, (matrix.toArray() as number[][])[3]]).toEqual(["int8", [100, 2], [-47, 1]]);
    const holes = await io.load(made("none.parquet"), { only: ["holes"], dtype: "float32", device });
    expect(lists(holes)["holes"]).toEqual([
      "float32",
      ...Array.from({ length: 100 }, (_, row) => (row % 10 === 0 ? NaN : row)),
    ]);
  });

  test("what Parquet holds that no tensor does is refused by name, and other columns are read", async () => {
    const file = made("kinds.parquet");
    const { x, price, text } = await io.load(file, { only: ["x", "price", "text"], device });
    expect([x!.toArray(), price!.toArray(), text]).toEqual([
      [1, 2],
      [1.25, 2.5],
      ["a", ""],
    ]);
    for (const [column, sentence] of [
      [
        "when",
        /Column "when" of .*kinds\.parquet holds timestamps\. Numbers, booleans, text and lists of one length can be read; name the ones to load: \{ only: \["…"\] \}\.$/,
      ],
      ["day", /holds dates\./],
      ["bytes", /holds bytes\./],
      ["both", /holds structures\./],
    ] as const)
      await refused(io.load(file, { only: [column], device }), "DTYPE", sentence);
    await refused(
      io.load(file, { only: ["ragged"], device }),
      "UNSUPPORTED",
      /kinds\.parquet cannot be read: lists of its column "ragged" have different lengths\.$/,
    );
    await refused(io.load(file, { texts: ["x"], device }), "DTYPE", /Column "x" of .* holds numbers, not text\.$/);
    await refused(
      io.load(made("none.parquet"), { only: ["holes"], device }),
      "DTYPE",
      /Column "holes" of .* has no value in 10 of 100 rows, and int32 has none for that\. Load it as floating point/,
    );
    await refused(
      io.load(made("lz4.parquet"), { only: ["i8"], device }),
      "UNSUPPORTED",
      /lz4\.parquet cannot be read: it is compressed with LZ4_RAW\. Write it with snappy, gzip, brotli, zstd or none\.$/,
    );
  });

  test("Arrow's columns as those of other tables: texts, other dtypes, a matrix", async () => {
    const { ok, text } = await io.load(made("gaps.arrow"), { only: ["ok"], texts: ["text"], dtype: "float64", device });
    expect([ok!.dtype, ok!.toArray(), text]).toEqual(["float64", [1, 2], ["a", "b"]]);
    for (const name of ["table.arrow", "table.arrows"] as const) {
      const matrix = await io.load(made(name), { only: ["f", "u"], matrix: true, device });
      expect(matrix.toArray()).toEqual([
        [0.5, 1],
        [1.5, 2],
        [-2, 255],
      ]);
    }
    await refused(
      io.load(made("gaps.arrow"), { texts: ["ok"], device }),
      "DTYPE",
      /Column "ok" of .* holds int, not text\.$/,
    );
    const bytes = readFileSync(made("gaps.arrow"));
    const random = seeded(runSeed + 4);
    for (let run = 0; run < 300; run++)
      try {
        const table = await io.load(mutated([bytes], random), {
          only: ["ok"],
          texts: ["text"],
          format: "arrow",
          device,
        });
        expect(table.text.join("").length).toBeLessThanOrEqual(bytes.length);
      } catch (error) {
        expect(["FormatError", "TensorError"], `run ${run}: ${String(error)}`).toContain((error as Error).name);
      }
    // An offset beyond the texts.
    const far = Buffer.from(bytes);
    const at = far.lastIndexOf(Buffer.from([0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]));
    far.writeInt32LE(9, at + 8);
    await refused(
      io.load(far, { only: [], texts: ["text"], device }),
      "OFFSET",
      'Text 1 of column "text" of the file lies outside of the column.',
    );
  });

  test("damaged Parquet is refused, and nothing is left over", async () => {
    const bytes = readFileSync(made("snappy.parquet"));
    const before = memory()[device]!.allocated;
    for (const [damaged, sentence] of [
      [
        bytes.subarray(0, 3000),
        "the file cannot be read as Parquet: file invalid (footer != PAR1). It is damaged, or of a kind that is not supported.",
      ],
      [Buffer.concat([bytes.subarray(0, 4), bytes.subarray(-3000)]), "cannot be read as Parquet"],
    ] as const)
      await refused(io.load(damaged, { only: ["f64"], format: "parquet", device }), "HEADER", sentence);
    const random = seeded(runSeed + 2);
    for (let run = 0; run < 100; run++)
      try {
        const table = await io.load(mutated([bytes], random), { only: ["i32", "pair"], format: "parquet", device });
        for (const each of Object.values(table)) each.dispose();
      } catch (error) {
        expect(["FormatError", "TensorError"], `run ${run}: ${String(error)}`).toContain((error as Error).name);
      }
    expect(memory()[device]!.allocated).toBe(before);
    // The process is there for the next one.
    expect((await io.load(made("snappy.parquet"), { only: ["i8"], device }))["i8"]!.shape).toEqual([100]);
  });

  test("several files at a time", async () => {
    const all = await Promise.all(
      ["none", "zstd", "pages"].map((packing) => io.load(made(`${packing}.parquet`), { only: ["i32"], device })),
    );
    expect(all.map(({ i32 }) => i32!.shape)).toEqual([[100], [100], [1000]]);
  });

  test("columns and matrices into text and back", async () => {
    const random = seeded(runSeed + 3);
    const count = 20_000;
    const floats = Float32Array.from({ length: count }, () => (random() - 0.5) * 10 ** (60 * random() - 30));
    const doubles = Float64Array.from(floats, (value) => value * Math.PI);
    floats.set([NaN, Infinity, -Infinity, -0, 0.1, 16777216]);
    const words = Array.from({ length: count }, (_, row) => ["a", "b,c", 'd"e', "f\ng", " h ", "", "i\tj"][row % 7]!);
    const columns = {
      float: tensor(floats, { device }),
      double: tensor(doubles, { device }),
      whole: tensor(
        BigInt64Array.from(floats, (_, row) => BigInt(row) * 2n ** 49n),
        { device },
      ),
      half: arange(count, { device }).div(count).to("float16") as Tensor,
      flag: arange(count, { device }).lt(7) as Tensor,
      words,
    };
    for (const name of ["all.csv", "all.tsv"] as const) {
      const file = join(folder, name);
      await io.save(file, columns);
      const back = await io.load(file, {
        texts: ["words"],
        dtype: { float: "float32", half: "float16" },
        device,
      });
      expect(back.words).toEqual(words);
      for (const each of ["float", "double", "whole", "half", "flag"] as const) {
        expect(back[each]!.dtype).toBe(columns[each].dtype);
        expect(
          Buffer.from((back[each]!.data() as Uint8Array).buffer).equals(
            Buffer.from((columns[each].data() as Uint8Array).buffer),
          ),
          each,
        ).toBe(true);
      }
    }
    const text = async (...given: Parameters<typeof io.encode>) => Buffer.from(await io.encode(...given)).toString();
    const matrix = tensor(
      [
        [1, 0.5],
        [-2, NaN],
      ],
      { device },
    );
    expect(await text("csv", matrix)).toBe("1,0.5\n-2,NaN\n");
    expect(await text("tsv", matrix, { header: ["a", "b"] })).toBe("a\tb\n1\t0.5\n-2\tNaN\n");
    expect(await text("csv", matrix.get(0) as Tensor, { delimiter: ";" })).toBe("1\n0.5\n");
    expect(await text("csv", { "a,b": ["x"] })).toBe('"a,b"\nx\n');
    const bad = (...given: unknown[]) => io.encode("csv", given[0] as Tensor, given[1] as io.SaveOptions);
    await refused(
      bad(matrix, { header: ["a"] }),
      "OPTIONS",
      "The header has 1 names, but the .csv file gets 2 columns.",
    );
    await refused(
      bad({ a: ["x"] }, { header: ["a"] }),
      "OPTIONS",
      "save takes a header for one tensor: columns of an object have names.",
    );
    for (const [value, sentence] of [
      [zeros([1, 1, 1], { device }), "A table has rows and columns, but this tensor has the shape [1, 1, 1]"],
      [
        { m: matrix },
        'A column of a table of text has one value a row, but "m" has the shape [2, 2]: save it as .arrow or .npz.',
      ],
      [
        { a: ["x"], b: zeros([2], { device }) },
        'The columns of a table must have the same number of rows, but "a" has 1 and "b" has 2.',
      ],
    ] as const)
      await expect(bad(value)).rejects.toThrow(sentence);
    await refused(
      bad({ z: zeros([2], { device }).to("complex64") }),
      "DTYPE",
      "A table of text has no complex64: save z as .npy or .safetensors.",
    );
    await refused(
      io.encode("npz", { a: ["x"] }),
      "OPERANDS",
      'save takes an object of tensors, but "a" is an array of 1.',
    );
  });

  test("a table is data for a loader, and its texts are categories", async () => {
    const people = await io.load(made("people.csv"), { only: ["age"], texts: ["name"], device });
    const batches = [...new DataLoader(people, { batchSize: 3 })] as unknown as { age: Tensor; name: string[] }[];
    expect(batches.map(({ age, name }) => [age.toArray(), name.length])).toEqual([
      [[31n, 44n, 28n], 3],
      [[60n], 1],
    ]);
    const { codes, names } = io.categories(["b", "a", "b", "B"], { device });
    expect([codes.dtype, codes.device, codes.toArray(), names]).toEqual([
      "int64",
      device,
      [2n, 1n, 2n, 0n],
      ["B", "a", "b"],
    ]);
    expect(io.categories([]).names).toEqual([]);
    expect(() => io.categories("ab" as never)).toThrow(
      'categories takes a list of texts, such as a column of a table, but got "ab".',
    );
    expect(() => io.categories(["a", 1] as never)).toThrow("but got 1 in it.");
  });
});
