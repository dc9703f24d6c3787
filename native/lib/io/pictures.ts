// Pictures in files as tensors: pixels of PNG and JPEG files, turned as the camera says, and tensors of pixels as those files.
import { FormatError, TensorError } from "../errors.ts";
import { deviceNamed } from "../device/choice.ts";
import { formatShape } from "../memory/shape.ts";
import { upload } from "../memory/transfer.ts";
import type { Kind } from "../tensor/arguments.ts";
import { pngOf } from "../tensor/png.ts";
import { Tensor } from "../tensor/tensor.ts";
import { isPng, pngPixels, type PixelsRead } from "./png-read.ts";
import type { Saved } from "./saved.ts";
import type { Source } from "./source.ts";
import { contents } from "./stored.ts";

const channels: Kind<1 | 3 | 4> = {
  wanted: "1 (grey), 3 (red, green, blue) or 4 (with opacity)",
  has: (value) => value === 1 || value === 3 || value === 4,
};
const quality: Kind<number> = {
  wanted: "a whole number from 1 to 100",
  has: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 100,
};
/** Options of pictures that are read, and of .jpg files that are written. */
export const pictureOptions = { channels };
export const jpegOptions = { quality };

/** A JPEG's pixels that are read at most, in millions. */
const mostMegapixels = 250;
/** Pixels that a byte of a JPEG can be at most: each square of 8 × 8 takes a bit. */
const mostOfByte = 512;
/** Of red, green and blue in grey (ITU-R BT.601). */
const luma = [0.299, 0.587, 0.114] as const;

/** Pictures of other kinds, which begin so. */
const others: readonly [name: string, begins: RegExp][] = [
  ["WebP", /^RIFF....WEBP/s],
  ["GIF", /^GIF8/],
  ["BMP", /^BM/],
  ["TIFF", /^(?:II\*\0|MM\0\*)/],
  ["AVIF or HEIC", /^....ftyp(?:avif|heic|heix|mif1)/s],
];

/** What to say of a picture of a kind that is not read; `null`: it is none. */
export function foreignPicture(source: Source): string | null {
  const begin = Buffer.from(source.read(0, Math.min(source.size, 12))).toString("latin1");
  const kind = others.find(([, begins]) => begins.test(begin))?.[0];
  return kind === undefined
    ? null
    : `${source.name} is a picture of the kind ${kind}, which is not read: save it as .png or .jpg with another program.`;
}

export const isJpeg = (source: Source): boolean =>
  source.size >= 3 && Buffer.from(source.read(0, 3)).equals(Buffer.from([0xff, 0xd8, 0xff]));
export { isPng };

/** [height, width, channels], uint8, or int32 of a PNG of 16 bits a sample. Throws FormatError. */
export const pngPicture = (source: Source, device: string | undefined, wanted: 1 | 3 | 4 | undefined): Tensor =>
  tensorOf(pngPixels(source), device, wanted);

/** [height, width, channels], uint8, turned as the camera was held. Throws FormatError. */
export async function jpegPicture(
  source: Source,
  device: string | undefined,
  wanted: 1 | 3 | 4 | undefined,
): Promise<Tensor> {
  const file = Uint8Array.from(source.read(0, source.size));
  const facts = jpegFacts(source, file);
  // The package's own colours are not rounded: it is told that there is nothing to transform.
  if (facts.adobe !== null) file[facts.adobe] = 0;
  const { default: jpeg } = await import("jpeg-js");
  let read: { width: number; height: number; data: Uint8Array };
  try {
    read = jpeg.decode(file, {
      useTArray: true,
      formatAsRGBA: false,
      tolerantDecoding: false,
      colorTransform: false,
      maxResolutionInMP: mostMegapixels,
      maxMemoryUsageInMB: 16 * mostMegapixels,
    });
  } catch (error) {
    throw new FormatError(
      "HEADER",
      source.name,
      `${source.name} cannot be read as a JPEG (${error instanceof Error ? error.message : String(error)}): it is damaged, or of a rare kind, which another program saves again as .png.`,
      { cause: error },
    );
  }
  const { width, height, data } = read;
  if (facts.isTransformed) transformBack(data);
  if (!(width > 0 && height > 0) || data.length !== 3 * width * height)
    throw new FormatError(
      "SHAPE",
      source.name,
      `${source.name} is damaged: it says that it is ${width} × ${height} pixels.`,
    );
  const pixels: PixelsRead =
    facts.components === 1
      ? { width, height, channels: 1, samples: data.filter((_, at) => at % 3 === 0) }
      : { width, height, channels: 3, samples: data };
  const picture = tensorOf(pixels, device, wanted);
  const turn = turns[facts.orientation - 1];
  if (turn === undefined) return picture;
  using stored = picture;
  return turn(stored).contiguous();
}

/** Brightness and two differences become red, green and blue, in place (ITU-T T.871, 7). */
function transformBack(data: Uint8Array): void {
  const colours = new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength);
  for (let at = 0; at < data.length; at += 3) {
    const [light, blue, red] = [data[at]!, data[at + 1]! - 128, data[at + 2]! - 128];
    colours[at] = light + 1.402 * red;
    colours[at + 1] = light - 0.344136286 * blue - 0.714136286 * red;
    colours[at + 2] = light + 1.772 * blue;
  }
}

/** What is done to a picture of each orientation of EXIF, from 1 on, so that its top is above. */
const turns: readonly (((x: Tensor) => Tensor) | undefined)[] = [
  undefined,
  (x) => x.flip(1),
  (x) => x.flip([0, 1]),
  (x) => x.flip(0),
  (x) => x.swapAxes(0, 1),
  (x) => x.rot90(-1, [0, 1]),
  (x) => x.swapAxes(0, 1).flip([0, 1]),
  (x) => x.rot90(1, [0, 1]),
];

interface JpegFacts {
  readonly components: number;
  /** Colours are stored as brightness and two differences. */
  readonly isTransformed: boolean;
  /** Where the file says so; `null`: nowhere. */
  readonly adobe: number | null;
  /** As EXIF numbers them; 1 is upright. */
  readonly orientation: number;
}

/** What stands in front of the pixels of a JPEG (ITU-T T.81, B.2). Throws FormatError. */
function jpegFacts(source: Source, file: Uint8Array): JpegFacts {
  const fail = (code: "HEADER" | "TRUNCATED" | "UNSUPPORTED", what: string) =>
    new FormatError(code, source.name, `${source.name} ${what}.`);
  if (!isJpeg(source)) throw fail("HEADER", "is not a .jpg file: those begin with the bytes ff d8 ff");
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  let adobe: number | null = null;
  let orientation = 1;
  for (let at = 2; at + 4 <= bytes.length; ) {
    const marker = bytes.readUInt16BE(at);
    if (marker === 0xffff) {
      at += 1;
      continue;
    }
    const length = bytes.readUInt16BE(at + 2);
    const part = bytes.subarray(at + 4, at + 2 + length);
    if (marker === 0xffe1 && part.toString("latin1", 0, 6) === "Exif\0\0")
      orientation = orientationOf(part.subarray(6));
    if (marker === 0xffee && part.length >= 12 && part.toString("latin1", 0, 5) === "Adobe") adobe = at + 15;
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame && part.length >= 6) {
      const components = part[5]!;
      if (marker > 0xffc2)
        throw fail(
          "UNSUPPORTED",
          "is a JPEG without losses or in arithmetic code, which is not read: save it as .png with another program",
        );
      if (part[0] !== 8)
        throw fail(
          "UNSUPPORTED",
          `is a JPEG of ${part[0]} bits a sample, and those of 8 are read: save it as .png with another program`,
        );
      if (components !== 1 && components !== 3)
        throw fail(
          "UNSUPPORTED",
          `is a JPEG of ${components} inks (CMYK), and those of grey or red, green and blue are read: save it as .png with another program`,
        );
      const [tall, wide] = [part.readUInt16BE(1), part.readUInt16BE(3)];
      if (tall * wide > mostOfByte * bytes.length)
        throw fail(
          "TRUNCATED",
          `says that it is ${wide} × ${tall} pixels, for which its ${bytes.length} bytes are too few. It is damaged, or was cut off`,
        );
      const ids = Array.from({ length: components }, (_, each) => String.fromCharCode(part[6 + 3 * each] ?? 0)).join(
        "",
      );
      return {
        components,
        orientation,
        adobe,
        isTransformed: components === 3 && (adobe === null ? ids !== "RGB" : bytes[adobe] !== 0),
      };
    }
    if (marker === 0xffda || marker < 0xff01) break;
    at += 2 + length;
  }
  throw fail("TRUNCATED", "ends, or is damaged, before it says how large it is");
}

/** The orientation of the main picture's tags (EXIF 2.32, 4.6); 1 where there is none. */
function orientationOf(tags: Buffer): number {
  const isLittle = tags.toString("latin1", 0, 2) === "II";
  if (tags.length < 8) return 1;
  const word = (at: number) => (isLittle ? tags.readUInt16LE(at) : tags.readUInt16BE(at));
  const start = isLittle ? tags.readUInt32LE(4) : tags.readUInt32BE(4);
  if (start + 2 > tags.length) return 1;
  for (let index = 0, at = start + 2; index < word(start) && at + 12 <= tags.length; index++, at += 12)
    if (word(at) === 0x0112) return word(at + 8);
  return 1;
}

/** The pixels on a device, with as many channels as are wanted. */
function tensorOf(read: PixelsRead, device: string | undefined, wanted: 1 | 3 | 4 | undefined): Tensor {
  const { width, height, channels, samples } = withChannels(read, wanted ?? read.channels);
  const out = Tensor.empty(deviceNamed(device), samples instanceof Int32Array ? "int32" : "uint8", [
    height,
    width,
    channels,
  ]);
  try {
    upload(out.living(), 0, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
  } catch (error) {
    out.dispose();
    throw error;
  }
  return out;
}

/** Colours become grey as television makes them, grey becomes three colours alike; opacity is left out, or full. */
function withChannels(read: PixelsRead, wanted: 1 | 3 | 4): PixelsRead {
  const { width, height, channels, samples } = read;
  if (channels === wanted) return read;
  const is16 = samples instanceof Int32Array;
  const count = width * height;
  const out = new (is16 ? Int32Array : Uint8Array)(count * wanted);
  for (let pixel = 0, from = 0, to = 0; pixel < count; pixel++, from += channels, to += wanted) {
    const [red, green, blue] =
      channels === 1
        ? [samples[from]!, samples[from]!, samples[from]!]
        : [samples[from]!, samples[from + 1]!, samples[from + 2]!];
    if (wanted === 1) out[to] = Math.round(luma[0] * red + luma[1] * green + luma[2] * blue);
    else {
      out[to] = red;
      out[to + 1] = green;
      out[to + 2] = blue;
      if (wanted === 4) out[to + 3] = is16 ? 65535 : 255;
    }
  }
  return { width, height, channels: wanted, samples: out };
}

/** The .png file of a tensor. Throws TensorError for one that is no picture. */
export function pngParts(value: Saved): Uint8Array[] {
  const { width, height, channels, samples } = pixelsOf(value, "png");
  return [pngOf({ width, height, bytes: samples, channels })];
}

/** The .jpg file of a tensor. Throws TensorError for one that is no picture, or has opacity. */
export async function jpegParts(value: Saved, quality = 90): Promise<Uint8Array[]> {
  const { width, height, channels, samples } = pixelsOf(value, "jpg");
  if (channels === 4)
    throw new TensorError(
      "SHAPE",
      "A .jpg file has no opacity: save as .png, or without it, x.slice(null, null, [0, 3]).",
    );
  if (width > 65_535 || height > 65_535)
    throw new TensorError(
      "SHAPE",
      `A .jpg file has at most 65535 × 65535 pixels, but this is ${height} × ${width}: save as .png.`,
    );
  const { default: jpeg } = await import("jpeg-js");
  const data = withChannels({ width, height, channels, samples }, 4).samples as Uint8Array;
  return [jpeg.encode({ width, height, data }, quality).data];
}

function pixelsOf(value: Saved, extension: string): PixelsRead & { readonly samples: Uint8Array } {
  if (!(value instanceof Tensor))
    throw new TensorError("OPERANDS", `A .${extension} file holds one picture: save each tensor in a file of its own.`);
  const { shape } = value;
  const last = shape.length === 2 ? 1 : shape.at(-1)!;
  const elsewhere =
    shape.length === 3 && [1, 3, 4].includes(shape[0]!)
      ? ": write x.moveAxis(0, -1) for colours on the first axis"
      : "";
  if ((shape.length !== 2 && shape.length !== 3) || ![1, 3, 4].includes(last))
    throw new TensorError(
      "SHAPE",
      `A .${extension} file takes [height, width] or [height, width, 1, 3 or 4] but got shape ${formatShape(shape)}${elsewhere}${shape.length === 4 ? ": save each picture of a batch, or plot.image(x).save(path), a grid" : ""}.`,
    );
  if (value.size === 0)
    throw new TensorError(
      "SHAPE",
      `A .${extension} file takes at least one pixel but got shape ${formatShape(shape)}.`,
    );
  const [height, width] = shape as [number, number];
  using bytes = bytesOfPixels(value.detach(), extension);
  return { width, height, channels: last as 1 | 3 | 4, samples: contents(bytes) };
}

/** As uint8: bytes as they are, flags black or white, floating point from 0 to 1. A tensor of its own. */
function bytesOfPixels(x: Tensor, extension: string): Tensor {
  if (x.dtype === "uint8") return x.contiguous().clone();
  if (x.dtype === "bool") return x.to("uint8").mul(255);
  const say = (what: string) =>
    new TensorError(
      "VALUE",
      `A .${extension} file takes uint8, or floating point from 0 to 1, but got ${what}: write x.clamp(0, 255).to("uint8"), x.clamp(0, 1), or plot.image(x).save("x.png") for a picture of any numbers.`,
    );
  if (!["float16", "bfloat16", "float32", "float64"].includes(x.dtype)) throw say(x.dtype);
  const [least, most] = [x.min().item() as number, x.max().item() as number];
  if (!(least >= 0 && most <= 1)) throw say(`numbers from ${least} to ${most}`);
  return x.to("float32").mul(255).round().to("uint8");
}
