// Pictures in files, on every device: every kind of PNG that pypng and Pillow write, JPEGs beside what Pillow reads of
// them, round trips, and files and tensors that are no pictures.
import "./cache.ts";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { FormatError, io, plot, rand, randint, tensor, Tensor, TensorError, zeros } from "../../native/lib/index.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { devices } from "./devices.ts";
import { mutated } from "./mutations.ts";

const folder = mkdtempSync(join(tmpdir(), "warpcell-pictures-"));
afterAll(() => rmSync(folder, { recursive: true }));
const made = (name: string) => fileURLToPath(new URL(`files/pictures/${name}`, import.meta.url));
const runSeed = freshSeed();

const [width, height] = [13, 9];
/** The samples of the files, as `make.py` has them. */
const sample = (x: number, y: number, channel: number, most: number) =>
  ((x * 7 + y * 13 + channel * 50 + x * y) * (most < 256 ? 1 : 257)) % (most + 1);
const colours = Array.from({ length: 16 }, (_, place) => [1, 2, 3].map((y, c) => sample(place, y, c, 255)));

/** What a pixel is, by the kind of file. */
const kinds: Record<string, (x: number, y: number) => number[]> = {
  ...Object.fromEntries(
    [1, 2, 4, 8, 16].map((bits) => [
      `grey-${bits}`,
      (x: number, y: number) => [(sample(x, y, 0, 2 ** bits - 1) * (bits === 16 ? 65535 : 255)) / (2 ** bits - 1)],
    ]),
  ),
  ...Object.fromEntries(
    [1, 2, 4].map((bits) => [`palette-${bits}`, (x: number, y: number) => colours[sample(x, y, 0, 2 ** bits - 1)]!]),
  ),
  "palette-clear": (x, y) => [...colours[sample(x, y, 0, 15)]!, 17 * sample(x, y, 0, 15)],
  ...Object.fromEntries(
    [8, 16].flatMap((bits) => {
      const all = (x: number, y: number) => [0, 1, 2, 3].map((channel) => sample(x, y, channel, 2 ** bits - 1));
      return [
        [`grey-opacity-${bits}`, (x: number, y: number) => [0, 0, 0, 1].map((channel) => all(x, y)[channel]!)],
        [`colours-${bits}`, (x: number, y: number) => all(x, y).slice(0, 3)],
        [`colours-opacity-${bits}`, all],
      ];
    }),
  ),
};
const pixels = (of: (x: number, y: number) => number[]) =>
  Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => of(x, y)));

const refused = async (
  work: Promise<unknown>,
  kind: typeof FormatError | typeof TensorError,
  sentence: string | RegExp,
) => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason as Error,
  );
  expect(error).toBeInstanceOf(kind);
  expect(error!.message).toMatch(sentence);
};

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  test.each(Object.keys(kinds).flatMap((kind) => [kind, `${kind}-interlaced`]))("a PNG of pypng: %s", async (kind) => {
    const expected = pixels(kinds[kind.replace("-interlaced", "")]!);
    const picture = await io.load(made(`${kind}.png`) as `${string}.png`, { device });
    expect(picture.device).toBe(device);
    expect(picture.dtype).toBe(kind.includes("16") ? "int32" : "uint8");
    expect(picture.shape).toEqual([height, width, expected[0]![0]!.length]);
    expect(picture.toArray()).toEqual(expected);
  });

  test("a colour that is seen through has no opacity", async () => {
    const grey = await io.load(made("grey-seen-through.png") as `${string}.png`, { device });
    expect(grey.toArray()).toEqual(
      pixels((x, y) => {
        const value = sample(x, y, 0, 15);
        return [17 * value, 17 * value, 17 * value, value === 5 ? 0 : 255];
      }),
    );
    const coloured = await io.load(made("colours-seen-through.png") as `${string}.png`, { device });
    expect(coloured.get(0, 0).toArray()).toEqual([0, 50, 100, 0]);
    expect(coloured.get(0, 1).toArray()).toEqual([7, 57, 107, 255]);
  });

  test("rows of every filter", async () => {
    const picture = await io.load(made("filters.png") as `${string}.png`, { device });
    const expected = Array.from({ length: 48 }, (_, y) =>
      Array.from({ length: 64 }, (_, x) => [(2 * y + 3 * x) % 256, Math.floor((x * y) / 12) % 256, 90]),
    );
    expect(picture.toArray()).toEqual(expected);
  });

  // Both transforms and both conversions round: by 1 in brightness, and 1 in each difference of colours, at most 1.772
  // of which a colour has, and 1/2 twice at the end.
  const jpegBound = 1 + 1.772 + 1;
  test.each([
    "plain",
    "progressive",
    "halved",
    "grey",
    "restarts",
    "not-transformed",
    ...Array.from({ length: 8 }, (_, at) => `turned-${at + 1}`),
  ])("a JPEG is what Pillow reads: %s", async (name) => {
    const picture = await io.load(made(`${name}.jpg`) as `${string}.jpg`, { device });
    const expected = await io.load(made(`${name}-read.png`) as `${string}.png`, { device });
    expect(picture.dtype).toBe("uint8");
    expect(picture.device).toBe(device);
    expect(picture.shape).toEqual(expected.shape);
    const apart = picture.to("int32").sub(expected.to("int32"));
    expect(apart.abs().max().item()).toBeLessThanOrEqual(jpegBound);
    // It is not darker or lighter as a whole.
    expect(Math.abs(apart.to("float64").mean().item())).toBeLessThan(0.5);
  });

  test("channels are made of others", async () => {
    const load = (name: string, channels: 1 | 3 | 4) => io.load(made(name) as `${string}.png`, { device, channels });
    expect((await load("colours-8.png", 1)).toArray()).toEqual(
      pixels((x, y) => {
        const [red = 0, green = 0, blue = 0] = kinds["colours-8"]!(x, y);
        return [Math.round(0.299 * red + 0.587 * green + 0.114 * blue)];
      }),
    );
    expect((await load("grey-8.png", 3)).get(2, 3).toArray()).toEqual(Array(3).fill(sample(3, 2, 0, 255)));
    expect((await load("colours-opacity-8.png", 3)).toArray()).toEqual(
      pixels((x, y) => kinds["colours-opacity-8"]!(x, y).slice(0, 3)),
    );
    expect((await load("colours-16.png", 4)).get(0, 0).toArray()).toEqual([...kinds["colours-16"]!(0, 0), 65535]);
    expect((await load("grey.jpg", 3)).shape).toEqual([45, 61, 3]);
    expect((await load("turned-6.jpg", 1)).shape).toEqual([61, 45, 1]);
  });

  test.each([1, 3, 4])("what is saved as .png is loaded again: %i channels", async (channels) => {
    const x = randint(0, 256, [7, 5, channels], { dtype: "uint8", device });
    const path = join(folder, `again-${device}-${channels}.png`) as `${string}.png`;
    await io.save(path, x);
    expect((await io.load(path, { device })).toArray()).toEqual(x.toArray());
    expect((await io.load(await io.encode("png", x), { format: "png", device })).toArray()).toEqual(x.toArray());
    expect((await io.load(readFileSync(path), { device })).shape).toEqual([7, 5, channels]);
  });

  test("views, flags, numbers from 0 to 1 and pictures without an axis of channels are saved", async () => {
    const read = async (x: Tensor) => (await io.load(await io.encode("png", x), { format: "png", device })).squeeze(2);
    const x = randint(0, 256, [6, 4], { dtype: "uint8", device });
    expect((await read(x.T)).toArray()).toEqual(x.T.toArray());
    expect((await read(tensor([[true, false]], { device }))).toArray()).toEqual([[255, 0]]);
    for (const dtype of ["float32", "float16", "bfloat16", "float64"] as const)
      expect((await read(tensor([[0, 0.5, 1]], { dtype, device }))).toArray()).toEqual([[0, 128, 255]]);
    const parameter = rand([2, 2], { device });
    parameter.requiresGrad = true;
    expect((await read(parameter)).shape).toEqual([2, 2]);
  });

  test("a .jpg is nearly the picture, and nearer with more quality", async () => {
    const x = await io.load(made("plain-read.png") as `${string}.png`, { device });
    const apart = async (quality?: number) => {
      const again = await io.load(await io.encode("jpg", x, { quality }), { format: "jpg", device });
      expect(again.shape).toEqual(x.shape);
      return again.to("float64").sub(x.to("float64")).abs().mean().item();
    };
    expect(await apart(100)).toBeLessThan(await apart(20));
    expect(await apart()).toBeLessThan(4);
    const path = join(folder, `saved-${device}.jpeg`) as `${string}.jpeg`;
    await io.save(path, x, { quality: 95 });
    expect((await io.load(path, { device, channels: 1 })).shape).toEqual([45, 61, 1]);
  });

  test("a picture that was loaded is shown as one", async () => {
    expect(
      String(
        Object(plot.image(await io.load(made("grey-8.png") as `${string}.png`, { device })))[
          Symbol.for("Jupyter.display")
        ]()["text/plain"],
      ),
    ).toBe("Image: 9 × 13");
    expect(
      String(
        Object(plot.image(await io.load(made("colours-8.png") as `${string}.png`, { device })))[
          Symbol.for("Jupyter.display")
        ]()["text/plain"],
      ),
    ).toBe("Image: 9 × 13, in colours");
  });

  test("a list of images is a grid, and a path is no image", () => {
    const said = (image: unknown) => String(Object(image)[Symbol.for("Jupyter.display")]()["text/plain"]);
    const x = zeros([4, 5], { device });
    expect(said(plot.image([x, x.add(1)]))).toBe("Images: 2 of 4 × 5");
    expect(said(plot.image([x.unsqueeze(2).expand([4, 5, 3])]))).toBe("Image: 4 × 5, in colours");
    expect(said(plot.image([zeros([5], { device }), zeros([5], { device })]))).toBe("Image: 2 × 5");
    expect(() => plot.image([x, x.T])).toThrow(
      "plot.image takes a list of images of one shape but got [4, 5] and [5, 4]: show each by display(plot.image(x)).",
    );
    expect(() => plot.image("cat.png" as never)).toThrow('write plot.image(await io.load("cat.png")).');
  });

  test("what is no picture is not saved, and the error says what to write", async () => {
    const save = (x: unknown, path = "x.png", options?: io.SaveOptions) =>
      io.save(join(folder, path), x as Tensor, options);
    const x = zeros([4, 5, 3], { device });
    const range = "A .png file takes uint8, or floating point from 0 to 1, but got";
    await refused(
      save(x.add(2)),
      TensorError,
      `${range} numbers from 2 to 2: write x.clamp(0, 255).to("uint8"), x.clamp(0, 1), or plot.image(x).save("x.png")`,
    );
    await refused(save(x.add(NaN)), TensorError, `${range} numbers from NaN to NaN`);
    await refused(save(x.to("int32")), TensorError, `${range} int32`);
    await refused(
      save(zeros([3, 4, 5], { device })),
      TensorError,
      "A .png file takes [height, width] or [height, width, 1, 3 or 4] but got shape [3, 4, 5]: write x.moveAxis(0, -1) for colours on the first axis.",
    );
    await refused(
      save(zeros([2, 4, 5, 3], { device })),
      TensorError,
      "save each picture of a batch, or plot.image(x).save(path), a grid.",
    );
    await refused(save(zeros([4], { device })), TensorError, "but got shape [4].");
    await refused(
      save(zeros([0, 4], { device })),
      TensorError,
      "A .png file takes at least one pixel but got shape [0, 4].",
    );
    await refused(save({ x }), TensorError, "A .png file holds one picture: save each tensor in a file of its own.");
    await refused(
      save(zeros([4, 5, 4], { device }), "x.jpg"),
      TensorError,
      "A .jpg file has no opacity: save as .png, or without it, x.slice(null, null, [0, 3]).",
    );
    await refused(
      save(zeros([1, 65_536], { device }), "x.jpg"),
      TensorError,
      "A .jpg file has at most 65535 × 65535 pixels, but this is 1 × 65536: save as .png.",
    );
    await refused(save(x, "x.jpg", { quality: 0 }), TensorError, "quality");
    await refused(save(x, "x.png", { quality: 90 }), TensorError, "A .png file is written without an option quality.");
    await refused(
      save(x, "x.npy", { compress: true }),
      TensorError,
      "A .npy file is written without an option compress.",
    );
    await refused(save({ x }, "x.csv", { sep: ";" } as io.SaveOptions), TensorError, "Write delimiter.");
    await refused(
      io.encode("png", x, { metadata: { a: "b" } }),
      TensorError,
      "A .png file is written without an option metadata.",
    );
    expect(zeros([4, 5, 4], { device }).slice(null, null, [0, 3]).shape).toEqual([4, 5, 3]);
  });

  test("files of other kinds are refused by name", async () => {
    const load = (name: string, options?: io.PictureOptions) =>
      io.load(made(name) as string, { device, ...options } as io.TableOptions);
    for (const [name, kind] of [
      ["webp", "WebP"],
      ["gif", "GIF"],
      ["bmp", "BMP"],
      ["tiff", "TIFF"],
    ])
      await refused(
        load(`other.${name}`),
        FormatError,
        `other.${name} is a picture of the kind ${kind}, which is not read: save it as .png or .jpg with another program.`,
      );
    await refused(
      load("inks.jpg"),
      FormatError,
      "inks.jpg is a JPEG of 4 inks (CMYK), and those of grey or red, green and blue are read: save it as .png with another program.",
    );
    await refused(
      load("grey-8.png", { format: "jpg" }),
      FormatError,
      "grey-8.png is not a .jpg file: those begin with the bytes ff d8 ff.",
    );
    await refused(
      load("grey.jpg", { format: "png" }),
      FormatError,
      "grey.jpg is not a .png file: those begin with \\x89PNG.",
    );
    await refused(
      load("grey.jpg", { channels: 2 as 1 }),
      TensorError,
      "1 (grey), 3 (red, green, blue) or 4 (with opacity)",
    );
    const npy = join(folder, "x.npy");
    await io.save(npy, zeros([2]));
    await refused(
      io.load(npy as string, { channels: 1 } as io.TableOptions),
      TensorError,
      "is a .npy file, for which there is no option channels.",
    );
  });

  test("the inside of a PNG that does not hold together", async () => {
    const good = readFileSync(made("colours-8.png"));
    const load = (bytes: Buffer) => io.load(bytes, { format: "png", device });
    const changed = (change: (bytes: Buffer) => void) => {
      const copy = Buffer.from(good);
      change(copy);
      return copy;
    };
    await refused(load(good.subarray(0, 60)), FormatError, "It is damaged, or was cut off.");
    await refused(
      load(changed((bytes) => bytes.writeUInt8(9, 20))),
      FormatError,
      'is damaged: its part "IHDR" has another checksum.',
    );
    const { crc32 } = await import("node:zlib");
    const header = (place: number, value: number) =>
      changed((bytes) => {
        bytes.writeUInt8(value, place);
        bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29);
      });
    await refused(load(header(24, 3)), FormatError, "there are no pixels of colour type 2 with 3 bits");
    await refused(
      load(header(28, 2)),
      FormatError,
      "its header names a way to pack pixels that PNG does not have (0, 0, 2)",
    );
    await refused(load(header(19, 0)), FormatError, "it says that it is 0 × 9 pixels.");
    await refused(load(header(16, 1)), FormatError, "has fewer pixels than its size says, or damaged ones.");
    await refused(load(header(25, 3)), FormatError, "it has no palette");
  });

  test("a JPEG that says it is larger than its bytes can be", async () => {
    const bytes = readFileSync(made("plain.jpg"));
    const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]));
    bytes.writeUInt16BE(15_000, frame + 5);
    bytes.writeUInt16BE(16_000, frame + 7);
    await refused(
      io.load(bytes, { format: "jpg", device }),
      FormatError,
      `says that it is 16000 × 15000 pixels, for which its ${bytes.length} bytes are too few.`,
    );
  });

  test("a JPEG that ends early is refused, whatever is missing", async () => {
    for (const name of ["plain.jpg", "progressive.jpg"]) {
      const good = readFileSync(made(name));
      for (let end = 3; end < good.length - 2; end += 7)
        await refused(
          io.load(good.subarray(0, end), { format: "jpg", device }),
          FormatError,
          /ends, or is damaged|cannot be read as a JPEG/,
        );
    }
  });

  test("damaged files are refused or are pictures, in the time of a picture", async () => {
    const random = seeded(runSeed);
    for (const [format, names] of [
      ["png", ["colours-8.png", "palette-clear.png", "grey-16-interlaced.png"]],
      ["jpg", ["plain.jpg", "progressive.jpg", "restarts.jpg", "turned-6.jpg"]],
    ] as const) {
      const files = names.map((name) => readFileSync(made(name)));
      for (let turn = 0; turn < 150; turn++) {
        const bytes = mutated(files, random);
        const read = await io.load(bytes, { format, device }).catch((error: unknown) => error);
        if (read instanceof Tensor) expect(read.ndim).toBe(3);
        else {
          if (!(read instanceof FormatError)) writeFileSync(join(tmpdir(), `warpcell-damaged.${format}`), bytes);
          expect(read).toBeInstanceOf(FormatError);
        }
      }
    }
  });
});
