// Tensors in files, on every device: files of NumPy, safetensors and pyarrow, round trips of every dtype, and files
// that are damaged or hostile.
import "./cache.ts";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync, crc32 } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import {
  dtypes,
  FormatError,
  full,
  io,
  memory,
  ones,
  rand,
  tensor,
  Tensor,
  TensorError,
  zeros,
  type DType,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { mutated } from "./mutations.ts";
import { seeded } from "../helpers/random.ts";
import { randomValues } from "./numbers.ts";

const folder = mkdtempSync(join(tmpdir(), "warpcell-files-"));
afterAll(() => rmSync(folder, { recursive: true }));
const made = (name: string) => fileURLToPath(new URL(`files/${name}`, import.meta.url));
const bytesOf = (name: string) => readFileSync(made(name));
const record = async (source: Parameters<typeof io.load>[0], options?: io.LoadOptions) =>
  (await io.load(source, options)) as Record<string, Tensor>;
const values = [
  [0, 1, 2],
  [3, 4, 5],
];

/** A .npy file with that header. */
function npy(header: string, data = 0, version = 1): Buffer {
  const start = Buffer.from(version === 1 ? "\x93NUMPY\x01\0\0\0" : "\x93NUMPY\x02\0\0\0\0\0", "latin1");
  if (version === 1) start.writeUInt16LE(header.length, 8);
  else start.writeUInt32LE(header.length, 8);
  return Buffer.concat([start, Buffer.from(header, "latin1"), Buffer.alloc(data)]);
}

function safetensors(header: unknown, data = 0): Buffer {
  const text = Buffer.from(typeof header === "string" ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, Buffer.alloc(data)]);
}

/** An archive of one entry, whose fields may lie. */
function zip(
  content: Buffer,
  {
    method = 0,
    size = content.length,
    packed = content,
    checksum = crc32(content),
    local = 0,
    flags = 0,
    name = "a.npy",
    copies = 1,
  } = {},
): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(flags, 2);
  fields.writeUInt16LE(method, 4);
  fields.writeUInt32LE(checksum, 10);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(size, 18);
  fields.writeUInt16LE(name.length, 22);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(local, 10);
  const directory = Buffer.concat(
    Array.from({ length: copies }, (_, copy) =>
      Buffer.concat([
        Buffer.from("PK\x01\x02\x14\0", "latin1"),
        fields,
        rest,
        Buffer.from(copies === 1 ? name : `${copy}${name.slice(1)}`),
      ]),
    ),
  );
  const body = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), fields, Buffer.from(name), packed]);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(copies, 8);
  end.writeUInt16LE(copies, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(body.length, 16);
  return Buffer.concat([body, directory, end]);
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const allocated = () => memory()[device]!.allocated;
  const sample = (dtype: DType, shape: number[]) =>
    tensor(
      randomValues(
        shape.reduce((a, b) => a * b, 1),
        "float16",
      ).map((value) => Math.abs(Math.round(value * 8))),
      { device },
    )
      .to(dtype)
      .reshape(shape) as Tensor;
  const refused = async (bytes: Uint8Array, code: string, sentence: RegExp, options: io.LoadOptions = {}) => {
    const before = allocated();
    const error = (await io.load(bytes, { device, ...options }).then(
      () => null,
      (reason: unknown) => reason,
    )) as FormatError;
    expect(error).toBeInstanceOf(FormatError);
    expect({ code: error.code, message: error.message }).toEqual({
      code,
      message: expect.stringMatching(sentence) as unknown,
    });
    expect(allocated()).toBe(before);
  };

  test("NumPy's arrays of every number type, in both byte orders, both orders of axes and all versions", async () => {
    for (const code of ["f2", "f4", "f8"])
      expect(((await io.load(made(`${code}.npy`), { device })) as Tensor).toArray()).toEqual([
        [-1, -0.5, 0],
        [0.5, 1, 1.5],
      ]);
    for (const code of ["i1", "i2", "i4"])
      expect(((await io.load(made(`${code}.npy`), { device })) as Tensor).toArray()).toEqual([
        [-2, -1, 0],
        [1, 2, 3],
      ]);
    for (const code of ["u1", "u2", "u4", "big-f4", "big-i2", "version-2", "version-3"])
      expect(((await io.load(made(`${code}.npy`), { device })) as Tensor).toArray()).toEqual(values);
    expect(((await io.load(made("i8.npy"), { device })) as Tensor).toArray()).toEqual([
      [-2n, -1n, 0n],
      [1n, 2n, 3n],
    ]);
    for (const code of ["u8", "big-u8"])
      expect(((await io.load(made(`${code}.npy`), { device })) as Tensor).toArray()).toEqual(
        values.map((row) => row.map(BigInt)),
      );
    expect(((await io.load(made("b1.npy"), { device })) as Tensor).toArray()).toEqual([
      [true, false, true],
      [false, true, false],
    ]);
    const columns = (await io.load(made("columns.npy"), { device })) as Tensor;
    expect([columns.toArray(), columns.strides, columns.device]).toEqual([values, [1, 2], device]);
    const scalar = await io.load(made("scalar.npy") as `${string}.npy`, { device });
    expect([scalar.shape, scalar.dtype, scalar.item()]).toEqual([[], "float64", 2.5]);
    expect(((await io.load(made("empty.npy"), { device })) as Tensor).shape).toEqual([0, 3]);
  });

  test("what NumPy and safetensors write is what save writes, byte by byte", async () => {
    for (const name of [
      "f2.npy",
      "f4.npy",
      "f8.npy",
      "i1.npy",
      "u1.npy",
      "i8.npy",
      "b1.npy",
      "scalar.npy",
      "empty.npy",
    ]) {
      const copy = join(folder, name);
      await io.save(copy, await io.load(made(name), { device }));
      expect(readFileSync(copy).equals(bytesOf(name)), name).toBe(true);
    }
    const { "b/c": whole, ...rest } = await record(made("stored.npz"), { device });
    expect([rest["a"]!.toArray(), whole!.toArray(), whole!.dtype]).toEqual([values, [1, 2, 3], "int32"]);
    expect(Object.keys(await record(made("deflated.npz"), { device }))).toEqual(["a", "b/c"]);
  });

  test("safetensors' files, with their metadata", async () => {
    const loaded = await record(made("numpy.safetensors"), { device });
    expect(
      Object.fromEntries(Object.entries(loaded).map(([name, each]) => [name, [each.dtype, each.toArray()]])),
    ).toEqual({
      x: ["float32", values],
      flags: [
        "bool",
        [
          [true, false, true],
          [false, true, false],
        ],
      ],
      long: ["int64", values.map((row) => row.map(BigInt))],
      half: ["float16", values],
      none: ["float32", []],
    });
    expect(await io.metadata(made("numpy.safetensors"))).toEqual({ "made by": "NumPy" });
    expect(await io.metadata(bytesOf("numpy.safetensors"))).toEqual({ "made by": "NumPy" });
  });

  test.each([
    "npy",
    "npz",
    "safetensors",
    "arrow",
    "arrows",
  ] as const)("every dtype and shape comes back from %s", async (format) => {
    for (const dtype of Object.keys(dtypes) as DType[]) {
      const isMissing =
        (format !== "safetensors" && (dtype === "bfloat16" || dtype.startsWith("float8"))) ||
        (format.startsWith("arrow") && dtype.startsWith("complex"));
      for (const shape of [[], [0], [1], [3, 65], [2, 1, 5]]) {
        if (format.startsWith("arrow") && shape.length === 0) continue;
        const x = sample(dtype, shape);
        const value = format === "npy" ? x : { "a name": x, again: x };
        if (isMissing) {
          await expect(io.encode(format, value)).rejects.toThrow(
            `${format.startsWith("arrow") ? "Arrow" : "NumPy"} has no ${dtype}`,
          );
          continue;
        }
        const path = join(folder, `${dtype}.${format}`);
        await io.save(path, value, format === "npz" ? { compress: shape.length === 2 } : {});
        const back = await io.load(path, { device });
        const one = back instanceof Tensor ? back : back["a name"]!;
        expect([one.dtype, one.shape, Buffer.from(one.data().buffer, one.data().byteOffset, one.bytes)]).toEqual([
          dtype,
          shape,
          Buffer.from(x.data().buffer, x.data().byteOffset, x.bytes),
        ]);
        const encoded = await io.encode(format, value, format === "npz" ? { compress: true } : {});
        expect(Object.keys((await io.load(encoded, { device, maxRatio: 1100 })) as object)).toEqual(Object.keys(back));
      }
    }
    expect(readdirSync(folder).filter((name) => name.endsWith("unfinished"))).toEqual([]);
  });

  test("views are saved as they look, and only those asked for are loaded", async () => {
    const x = tensor(
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
      { device },
    );
    const bytes = await io.encode("safetensors", { t: x.T, part: x.slice(null, 1) }, { metadata: { epoch: "3" } });
    const { t, ...rest } = await record(bytes, { device, only: ["t"] });
    expect([t!.toArray(), Object.keys(rest)]).toEqual([
      [
        [1, 4],
        [2, 5],
        [3, 6],
      ],
      [],
    ]);
    expect(Object.keys(await record(Uint8Array.from(bytes).buffer, { device }))).toEqual(["t", "part"]);
    await expect(io.load(bytes, { device, only: ["nothing"] })).rejects.toThrow('has no tensor "nothing". It has ');
  });

  test("a large file goes through in parts, and a damaged large one leaves nothing behind", async () => {
    const x = ones([3, 1 << 20], { device });
    const path = join(folder, "large.npz");
    await io.save(path, { x, y: x });
    expect((await record(path, { device }))["y"]!.sum().item()).toBe(3 * 2 ** 20);
    const bytes = readFileSync(path);
    bytes[bytes.length - 4096]! ^= 1;
    await refused(bytes, "CHECKSUM", /checksum is wrong/);
  });

  test("shapes, offsets, headers and ratios that lie are refused before anything is allocated", async () => {
    const header = (fields: string) => `{${fields}}`;
    const shaped = (shape: string, descr = "<f8") =>
      npy(header(`'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, `), 16);
    await refused(
      shaped("(65536, 65536)"),
      "TRUNCATED",
      /promises float64 of shape \[65536, 65536\], 34359738368 bytes/,
    );
    await refused(shaped("(9007199254740993,)"), "SHAPE", /whole numbers|larger than any memory/);
    await refused(shaped("(4294967296, 4294967296, 0)"), "SHAPE", /larger than any memory/);
    await refused(shaped(`(${Array(17).fill(1).join(", ")})`), "SHAPE", /17 axes, but a tensor has at most 16/);
    await refused(shaped("(-1,)"), "HEADER", /cannot be read/);
    await refused(shaped("(2,)", "<c32"), "DTYPE", /"<c32"/);
    await refused(bytesOf("objects.npy"), "DTYPE", /Python objects/);
    await refused(bytesOf("records.npy"), "DTYPE", /records of several fields/);
    await refused(npy("nonsense"), "HEADER", /is not a dictionary/);
    await refused(npy(header("'descr': '<f4'")), "HEADER", /has the keys descr/);
    await refused(npy(header("'descr': True, 'fortran_order': False, 'shape': ()")), "HEADER", /values of other types/);
    await refused(npy("{" + " ".repeat(70_000) + "}", 0, 2), "HEADER", /header of 70002 bytes/);
    await refused(Buffer.from("\x93NUMPY\x01\0\xff\xff{}", "latin1"), "TRUNCATED", /It is damaged, or was cut off/);
    await refused(Buffer.from("\x93NUMPY\x01", "latin1"), "TRUNCATED", /ends within its header/);
    await refused(Buffer.from("\x93NUMPY\x07\0\0\0", "latin1"), "UNSUPPORTED", /version 7/);
    await refused(Buffer.from("something else"), "FORMAT", /not in a known format/);
    await refused(Buffer.from("something else"), "FORMAT", /not a \.npy file/, { format: "npy" });

    const entry = (fields: object) =>
      safetensors({ a: { dtype: "F32", shape: [2], data_offsets: [0, 8], ...fields } }, 8);
    await refused(entry({ shape: [2 ** 40] }), "OFFSET", /has 4398046511104 bytes, but its offsets are 0 and 8/);
    await refused(entry({ shape: [-1] }), "SHAPE", /whole numbers/);
    await refused(entry({ shape: ["2"] }), "SHAPE", /whole numbers/);
    await refused(entry({ data_offsets: [4, 12] }), "OFFSET", /begins at byte 4 of the data/);
    await refused(entry({ data_offsets: [0, 4] }), "OFFSET", /offsets are 0 and 4/);
    await refused(entry({ data_offsets: [0] }), "HEADER", /dtype, shape and data_offsets/);
    await refused(entry({ dtype: "C32" }), "DTYPE", /"C32"/);
    await refused(
      safetensors(
        { a: { dtype: "U8", shape: [8], data_offsets: [0, 8] }, b: { dtype: "U8", shape: [8], data_offsets: [0, 8] } },
        8,
      ),
      "OFFSET",
      /"b" .* begins at byte 0 of the data, but the one before it ends at 8/,
    );
    await refused(
      safetensors({ a: { dtype: "U8", shape: [4], data_offsets: [0, 4] } }, 8),
      "OFFSET",
      /take 4 bytes, but 8 follow/,
    );
    await refused(safetensors('{"a": [[[[1]]]]}'), "HEADER", /nested too deeply/);
    await refused(safetensors('{"a": '), "HEADER", /cannot be read as JSON/);
    await refused(safetensors({ __metadata__: { a: 1 } }), "HEADER", /an object of texts/);
    await refused(safetensors("[]"), "HEADER", /is not a JSON object/, { format: "safetensors" });
    await refused(Buffer.from([255, 255, 255, 255, 255, 0, 0, 0, 0x7b]), "HEADER", /header of 1099511627775 bytes/);
    await refused(Buffer.from([1, 2]), "TRUNCATED", /too few/, { format: "safetensors" });

    const array = bytesOf("f4.npy");
    const zeros = Buffer.alloc(4 << 20);
    const deflated = deflateRawSync(zeros);
    await refused(
      zip(zeros, { method: 8, packed: deflated }),
      "RATIO",
      /would grow from \d+ to 4194304 bytes, more than 100 times. If you trust the file, allow it with { maxRatio: \d+ }/,
    );
    await refused(
      zip(zeros, { method: 8, packed: deflated, size: 1000 }),
      "CHECKSUM",
      /larger than the 1000 bytes that it promises/,
    );
    await refused(
      zip(array, { method: 8, packed: deflateRawSync(array), size: array.length + 1 }),
      "CHECKSUM",
      /inflates to 152 bytes, but promises 153/,
    );
    await refused(zip(array, { checksum: 7 }), "CHECKSUM", /checksum is wrong/);
    await refused(zip(array, { method: 12 }), "UNSUPPORTED", /packed by method 12/);
    await refused(zip(array, { flags: 1 }), "UNSUPPORTED", /is encrypted/);
    await refused(zip(array, { size: 4 }), "HEADER", /has 152 and 4 bytes/);
    await refused(zip(array, { local: 9 }), "OFFSET", /does not begin where/);
    await refused(zip(array, { local: 2 ** 31 }), "TRUNCATED", /2147483648/);
    await refused(zip(array, { copies: 3 }), "OFFSET", /overlap/);
    await refused(zip(array, { name: "a.txt" }), "UNSUPPORTED", /entry "a.txt", which is not an array/);
    await refused(zip(array).subarray(0, 100), "FORMAT", /end is missing/, { format: "npz" });
  });

  test("Arrow's files and streams of several batches", async () => {
    for (const name of ["table.arrow", "table.arrows"]) {
      const loaded = await record(made(name), { device });
      expect(
        Object.fromEntries(
          Object.entries(loaded).map(([column, each]) => [column, [each.dtype, each.device, each.toArray()]]),
        ),
      ).toEqual({
        f: ["float32", device, [0.5, 1.5, -2]],
        d: ["float64", device, [1, 2, 3]],
        h: ["float16", device, [1, 2, 3]],
        i: ["int64", device, [1n, -2n, 3n]],
        u: ["uint8", device, [1, 2, 255]],
        b: ["bool", device, [true, false, true]],
        v: [
          "float32",
          device,
          [
            [1, 2],
            [3, 4],
            [5, 6],
          ],
        ],
      });
      expect(Object.keys(await record(bytesOf(name), { device, only: ["v", "b"] }))).toEqual(["b", "v"]);
    }
    expect((await record(made("gaps.arrow"), { device, only: ["ok"] }))["ok"]!.toArray()).toEqual([1, 2]);
    await refused(bytesOf("gaps.arrow"), "DTYPE", /Column "text" of the file holds text, which no matrix has\. Name/, {
      only: ["ok", "text"],
      matrix: true,
    });
    await refused(bytesOf("gaps.arrow"), "DTYPE", /Column "gap" of the file has 1 missing values/, { only: ["gap"] });
    await refused(bytesOf("packed.arrow"), "UNSUPPORTED", /is compressed\. Write it uncompressed/);
    await refused(bytesOf("table.arrow").subarray(0, 900), "TRUNCATED", /The end of the file is missing/);
    await refused(bytesOf("table.arrows").subarray(0, 1250), "TRUNCATED", /damaged, or was cut off/);
    await refused(
      Buffer.concat([Buffer.from("ARROW1\0\0"), Buffer.alloc(8, 0xff)]),
      "TRUNCATED",
      /The end of the file is missing/,
    );
    await refused(Buffer.from("ARROW1\0\0"), "TRUNCATED", /The end of the file is missing/);
    await refused(
      Buffer.concat([Buffer.alloc(8, 0xff), Buffer.alloc(8)]),
      "HEADER",
      /message with -1 bytes of metadata/,
    );
    await refused(Buffer.from([255, 255, 255, 255, 0, 0, 0, 0]), "HEADER", /does not say which columns/);
  });

  test("tables of apache-arrow, there and back", async () => {
    const tensors = {
      x: tensor(
        [
          [1, 2],
          [3, 4],
          [5, 6],
        ],
        { device },
      ),
      flag: tensor([true, false, true], { device }),
      n: tensor([1n, 2n, 3n], { device }),
    };
    const table = await io.toArrow(tensors);
    const deep = {
      deep: tensor(
        Array.from({ length: 24 }, (_, i) => i),
        { dtype: "int16", device },
      ).reshape([2, 3, 4]),
    };
    expect((await io.fromArrow(await io.toArrow(deep), { device }))["deep"]!.toArray()).toEqual(deep.deep.toArray());
    expect([
      table.numRows,
      table.getChild("n")!.toArray(),
      [...table.getChild("flag")!],
      [...table.getChild("x")!].map((row) => [...row]),
    ]).toEqual([
      3,
      BigInt64Array.of(1n, 2n, 3n),
      [true, false, true],
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
    ]);
    const back = await io.fromArrow(table, { device });
    expect(Object.values(back).map((each) => each.toArray())).toEqual([
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
      [true, false, true],
      [1n, 2n, 3n],
    ]);
    const { tableFromArrays } = await import("apache-arrow");
    expect(
      (await io.fromArrow(tableFromArrays({ a: Float64Array.of(1, 2), word: ["x", "y"] }), { device, only: ["a"] }))[
        "a"
      ]!.toArray(),
    ).toEqual([1, 2]);
    await expect(io.fromArrow(7)).rejects.toThrow("fromArrow takes a Table of the package apache-arrow.");
    await expect(io.toArrow({ a: ones([2], { device }), b: ones([3], { device }) })).rejects.toThrow(
      "these tensors have 2 and 3 along their first axis",
    );
    await expect(io.toArrow({ a: ones([], { device }) })).rejects.toThrow(
      "a is a tensor without axes: reshape it to [1].",
    );
    const many = rand([100_003], { device }).gt(0.5);
    expect((await record(await io.encode("arrow", { many }), { device }))["many"]!.ne(many).sum().item()).toBe(0);
  });

  test("an archive of zeros that is trusted is read", async () => {
    const bytes = await io.encode("npz", { x: zeros([1 << 20], { device }) }, { compress: true });
    await refused(bytes, "RATIO", /would grow/);
    expect((await record(bytes, { device, maxRatio: 2000 }))["x"]!.sum().item()).toBe(0);
  });

  test("mistakes of the caller have sentences of their own", async () => {
    const x = full([2], 1, { device });
    const cases: [() => Promise<unknown>, string | RegExp][] = [
      [
        () => io.save(join(folder, "a.txt"), x),
        /\.txt" does not say which format to save in: .*, \.png, \.jpg, or pass \{ format \}\.$/,
      ],
      [() => io.save(join(folder, "a.npz"), x), "A .npz file holds tensors under names: save { x }"],
      [() => io.save(join(folder, "a.npy"), { x }), "A .npy file holds one tensor"],
      [
        () => io.save(join(folder, "a.npz"), { x: 1 } as never),
        'save takes an object of tensors, but "x" is 1. Write tensor(1).',
      ],
      [
        () => io.save(join(folder, "a.npz"), { name: ["Ann"] } as never),
        'save takes an object of tensors, but "name" is an array of 1. Lists of texts are saved in .csv and .tsv.',
      ],
      [
        () => io.load("https://example.com/a.csv"),
        'load reads files and bytes, not "https://example.com/a.csv": write await io.load(await (await fetch(url)).arrayBuffer(), { format: "csv" }).',
      ],
      [
        () => io.save(join(folder, "a.npz"), { model: { w: x } } as never),
        'save takes an object of tensors, but "model" is an object with w. Save that in a file of its own, or spread it among the others: { ...state }.',
      ],
      [
        () => io.save(join(folder, "a.npz"), [x] as never),
        "save takes a tensor, or an object of tensors, but got an array of 1",
      ],
      [() => io.save(7 as never, x), "save takes the path of a file first, but got 7"],
      [() => io.load(7 as never), "load takes the path of a file or its bytes but got 7"],
      [
        () => io.load(bytesOf("f4.npy"), { format: "hdf5" as never }),
        'There is no format "hdf5". Known formats are npy, npz, safetensors, arrow, arrows',
      ],
      [
        () => io.load(bytesOf("f4.npy"), { maxRatio: NaN }),
        "load takes a number of at least 1 as maxRatio but got NaN",
      ],
      [
        () => io.encode("safetensors", { x }, { metadata: { a: 1 as never } }),
        "The metadata of a .safetensors file must be text, but one entry is 1",
      ],
      [
        () => io.encode("safetensors", { __metadata__: x }),
        'No tensor of the .safetensors file can be named "__metadata__"',
      ],
      [() => io.load(join(folder, "nowhere.npy")), "ENOENT"],
    ];
    for (const [run, sentence] of cases) await expect(run(), String(sentence)).rejects.toThrow(sentence);
    expect(await io.save(join(folder, "a.npy"), { x }).catch((error: unknown) => error)).toBeInstanceOf(TensorError);
  });

  test.each([
    ["npy", ["f4.npy", "big-u8.npy", "columns.npy", "version-2.npy"]],
    ["npz", ["stored.npz", "deflated.npz"]],
    ["safetensors", ["numpy.safetensors"]],
    ["arrow", ["table.arrow", "gaps.arrow"]],
    ["arrows", ["table.arrows"]],
  ] as const)("300 damaged files of %s are read or refused, never more", async (format, names) => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const random = seeded(seed);
    const before = allocated();
    for (let run = 0; run < 300; run++) {
      const bytes = mutated(names.map(bytesOf), random);
      try {
        const loaded = await io.load(bytes, { device, format });
        for (const each of loaded instanceof Tensor ? [loaded] : Object.values(loaded)) {
          if (!(each instanceof Tensor)) continue;
          expect(each.bytes, `seed ${seed}, run ${run}`).toBeLessThanOrEqual(bytes.length * 100 + 2 ** 20);
          each.dispose();
        }
      } catch (error) {
        expect(error, `seed ${seed}, run ${run}`).toBeInstanceOf(FormatError);
      }
    }
    expect(allocated(), `seed ${seed}`).toBe(before);
  });
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;

test.skipIf(!hasPython)("Python's zipfile finds nothing wrong with our archives", async () => {
  for (const compress of [false, true]) {
    const path = join(folder, `python-${compress}.npz`);
    await io.save(path, { a: ones([3, 5], { device: "cpu" }), ü: zeros([0], { device: "cpu" }) }, { compress });
    const said = execFileSync(
      "python3",
      [
        "-c",
        "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nprint(z.testzip(), [(i.filename, i.file_size) for i in z.infolist()])",
        path,
      ],
      { encoding: "utf8" },
    );
    expect(said.trim()).toBe("None [('a.npy', 188), ('ü.npy', 128)]");
  }
});
