// Reads PNG files: every kind of pixel that the standard has, interlaced or not (PNG, third edition, W3C 2025).
import { crc32, inflateSync } from "node:zlib";
import { FormatError } from "../errors.ts";
import type { Source } from "./source.ts";

/** Samples row by row from the top, of each pixel beside each other. */
export interface PixelsRead {
  readonly width: number;
  readonly height: number;
  /** Grey, or red, green and blue, or those with opacity. */
  readonly channels: 1 | 3 | 4;
  /** 0 … 255, or of a file of 16 bits a sample 0 … 65535. */
  readonly samples: Uint8Array | Int32Array;
}

interface Header {
  readonly width: number;
  readonly height: number;
  /** Bits of a sample. */
  readonly depth: number;
  /** Samples of a pixel in the file. */
  readonly samples: number;
  readonly isPalette: boolean;
  readonly isInterlaced: boolean;
}

interface Chunks {
  readonly header: Header;
  readonly packed: Buffer;
  readonly palette: Uint8Array | null;
  readonly opacity: Uint8Array | null;
}

const signature = "\x89PNG\r\n\x1a\n";
/** What deflate makes of a byte at most, and some for its beginning. */
const mostOfByte = 1032;
const mostSide = 2 ** 31 - 1;

/** By colour type: samples of a pixel, and the depths that they may have. */
const colourTypes = new Map([
  [0, { samples: 1, depths: [1, 2, 4, 8, 16] }],
  [2, { samples: 3, depths: [8, 16] }],
  [3, { samples: 1, depths: [1, 2, 4, 8] }],
  [4, { samples: 2, depths: [8, 16] }],
  [6, { samples: 4, depths: [8, 16] }],
]);

/** The seven passes of an interlaced picture: where each begins, and its steps. */
const adam7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

export const isPng = (source: Source): boolean =>
  source.size >= 8 && Buffer.from(source.read(0, 8)).toString("latin1") === signature;

/** The picture. Throws FormatError. */
export function pngPixels(source: Source): PixelsRead {
  if (!isPng(source))
    throw new FormatError("HEADER", source.name, `${source.name} is not a .png file: those begin with \\x89PNG.`);
  const chunks = chunksOf(source);
  const { header } = chunks;
  const passes = header.isInterlaced
    ? adam7.map(([x, y, stepX, stepY]) => ({
        x,
        y,
        stepX,
        stepY,
        columns: Math.ceil((header.width - x) / stepX),
        rows: Math.ceil((header.height - y) / stepY),
      }))
    : [{ x: 0, y: 0, stepX: 1, stepY: 1, columns: header.width, rows: header.height }];
  const bits = header.depth * header.samples;
  const rowBytes = (columns: number) => Math.ceil((columns * bits) / 8);
  const used = passes.filter(({ columns, rows }) => columns > 0 && rows > 0);
  const wanted = used.reduce((sum, { columns, rows }) => sum + rows * (1 + rowBytes(columns)), 0);
  const data = inflated(source, chunks.packed, wanted);

  const raw = new (header.depth === 16 ? Int32Array : Uint8Array)(header.width * header.height * header.samples);
  let at = 0;
  for (const { x, y, stepX, stepY, columns, rows } of used) {
    const row = rowBytes(columns);
    let above: Uint8Array = new Uint8Array(row);
    for (let index = 0; index < rows; index++) {
      const line = data.subarray(at + 1, at + 1 + row);
      unfilter(source, data[at]!, line, above, Math.max(1, bits >> 3));
      spread(line, header, columns, raw, ((y + index * stepY) * header.width + x) * header.samples, stepX);
      above = line;
      at += 1 + row;
    }
  }
  return coloured(source, chunks, raw);
}

function chunksOf(source: Source): Chunks {
  const damaged = (what: string) => new FormatError("HEADER", source.name, `${source.name} is damaged: ${what}.`);
  let header: Header | null = null;
  let palette: Uint8Array | null = null;
  let opacity: Uint8Array | null = null;
  const packed: Uint8Array[] = [];
  for (let at = 8; ; ) {
    const start = Buffer.from(source.read(at, 8));
    const [length, type] = [start.readUInt32BE(0), start.toString("latin1", 4, 8)];
    const whole = Buffer.from(source.read(at + 4, length + 8));
    const data = whole.subarray(4, 4 + length);
    if (crc32(whole.subarray(0, 4 + length)) !== whole.readUInt32BE(4 + length))
      throw new FormatError(
        "CHECKSUM",
        source.name,
        `${source.name} is damaged: its part ${JSON.stringify(type)} has another checksum.`,
      );
    at += 12 + length;
    if (header === null && type !== "IHDR") throw damaged("it does not begin with its size");
    if (type === "IEND") break;
    else if (type === "IHDR") header = headerOf(source, data);
    else if (type === "PLTE") palette = data;
    else if (type === "tRNS") opacity = data;
    else if (type === "IDAT") packed.push(data);
    // A capital letter means that nobody can read the picture who does not know the part.
    else if (/^[A-Z]/.test(type))
      throw new FormatError(
        "UNSUPPORTED",
        source.name,
        `${source.name} has a part ${JSON.stringify(type)}, which is not read: save it again with another program.`,
      );
  }
  if (header!.isPalette && palette === null) throw damaged("it has no palette");
  return { header: header!, packed: Buffer.concat(packed), palette, opacity };
}

function headerOf(source: Source, data: Buffer): Header {
  const wrong = (what: string) => new FormatError("HEADER", source.name, `${source.name} is damaged: ${what}.`);
  if (data.length !== 13) throw wrong(`its header has ${data.length} bytes instead of 13`);
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
  const [depth, colours, compression, filter, interlace] = data.subarray(8) as unknown as number[];
  const type = colourTypes.get(colours!);
  if (type === undefined || !type.depths.includes(depth!))
    throw wrong(`there are no pixels of colour type ${colours} with ${depth} bits`);
  if (compression !== 0 || filter !== 0 || interlace! > 1)
    throw wrong(
      `its header names a way to pack pixels that PNG does not have (${compression}, ${filter}, ${interlace})`,
    );
  if (width === 0 || height === 0 || width > mostSide || height > mostSide)
    throw new FormatError(
      "SHAPE",
      source.name,
      `${source.name} is damaged: it says that it is ${width} × ${height} pixels.`,
    );
  return {
    width,
    height,
    depth: depth!,
    samples: type.samples,
    isPalette: colours === 3,
    isInterlaced: interlace === 1,
  };
}

/** Exactly as many bytes as the size wants. */
function inflated(source: Source, packed: Buffer, wanted: number): Uint8Array {
  const short = (cause?: unknown) =>
    new FormatError("TRUNCATED", source.name, `${source.name} has fewer pixels than its size says, or damaged ones.`, {
      cause,
    });
  if (wanted > mostOfByte * (packed.length + 8)) throw short();
  let data: Buffer;
  try {
    data = inflateSync(packed, { maxOutputLength: wanted });
  } catch (error) {
    throw short(error);
  }
  if (data.length !== wanted) throw short();
  return data;
}

/** What a row was before it was filtered, in place. `step`: bytes to the pixel on the left. */
function unfilter(source: Source, filter: number, line: Uint8Array, above: Uint8Array, step: number): void {
  const left = (at: number) => (at < step ? 0 : line[at - step]!);
  switch (filter) {
    case 0:
      return;
    case 1:
      for (let at = step; at < line.length; at++) line[at]! += line[at - step]!;
      return;
    case 2:
      for (let at = 0; at < line.length; at++) line[at]! += above[at]!;
      return;
    case 3:
      for (let at = 0; at < line.length; at++) line[at]! += (left(at) + above[at]!) >> 1;
      return;
    case 4:
      for (let at = 0; at < line.length; at++)
        line[at]! += paeth(left(at), above[at]!, at < step ? 0 : above[at - step]!);
      return;
    default:
      throw new FormatError("HEADER", source.name, `${source.name} is damaged: PNG has no filter ${filter}.`);
  }
}

/** Of left, above and above left the one next to their sum. */
function paeth(left: number, above: number, corner: number): number {
  const [toLeft, toAbove, toCorner] = [
    Math.abs(above - corner),
    Math.abs(left - corner),
    Math.abs(left + above - 2 * corner),
  ];
  return toLeft <= toAbove && toLeft <= toCorner ? left : toAbove <= toCorner ? above : corner;
}

/** The samples of a row at their places. */
function spread(
  line: Uint8Array,
  { depth, samples }: Header,
  columns: number,
  out: Uint8Array | Int32Array,
  start: number,
  stepX: number,
): void {
  const mask = 2 ** depth - 1;
  for (let x = 0; x < columns; x++)
    for (let sample = 0; sample < samples; sample++) {
      const index = x * samples + sample;
      const bit = index * depth;
      out[start + x * stepX * samples + sample] =
        depth === 8
          ? line[index]!
          : depth === 16
            ? 256 * line[2 * index]! + line[2 * index + 1]!
            : (line[bit >> 3]! >> (8 - depth - (bit & 7))) & mask;
    }
}

/** Places in a palette become colours, grey of few bits fills the range, and a colour that is seen through opacity. */
function coloured(source: Source, { header, palette, opacity }: Chunks, raw: Uint8Array | Int32Array): PixelsRead {
  const { width, height, depth, samples, isPalette } = header;
  const count = width * height;
  const white = depth === 16 ? 65535 : 255;
  const scale = isPalette || depth >= 8 ? 1 : white / (2 ** depth - 1);
  const sample = (pixel: number, which: number) => raw[pixel * samples + which]! * scale;
  const make = (channels: 1 | 3 | 4, write: (out: Uint8Array | Int32Array, at: number, pixel: number) => void) => {
    const out = new (depth === 16 ? Int32Array : Uint8Array)(count * channels);
    for (let pixel = 0; pixel < count; pixel++) write(out, pixel * channels, pixel);
    return { width, height, channels, samples: out };
  };

  if (isPalette) {
    const colours = Math.floor(palette!.length / 3);
    return make(opacity === null ? 3 : 4, (out, at, pixel) => {
      const place = raw[pixel]!;
      if (place >= colours)
        throw new FormatError(
          "HEADER",
          source.name,
          `${source.name} is damaged: its palette has ${colours} colours, and a pixel names number ${place}.`,
        );
      for (let which = 0; which < 3; which++) out[at + which] = palette![3 * place + which]!;
      if (opacity !== null) out[at + 3] = opacity[place] ?? 255;
    });
  }
  if (samples === 2)
    return make(4, (out, at, pixel) => {
      out.fill(sample(pixel, 0), at, at + 3);
      out[at + 3] = sample(pixel, 1);
    });
  if (opacity !== null && samples < 4 && opacity.length >= 2 * samples) {
    const clear = Array.from({ length: samples }, (_, which) => 256 * opacity[2 * which]! + opacity[2 * which + 1]!);
    return make(4, (out, at, pixel) => {
      for (let which = 0; which < 3; which++) out[at + which] = sample(pixel, samples === 1 ? 0 : which);
      out[at + 3] = clear.every((value, which) => raw[pixel * samples + which] === value) ? 0 : white;
    });
  }
  if (scale === 1) return { width, height, channels: samples as 1 | 3 | 4, samples: raw };
  return make(1, (out, at, pixel) => void (out[at] = sample(pixel, 0)));
}
