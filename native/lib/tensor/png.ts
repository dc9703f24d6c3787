// Writes PNG files: pixels that are places in a palette, grey, or colours with or without opacity (PNG, third edition,
// W3C 2025).
import { crc32, deflateSync } from "node:zlib";

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Row by row from the top: a byte a pixel that is a place in the palette, or grey without one, 3 or 4 of a colour. */
  readonly bytes: Uint8Array;
  /** Bytes a pixel. */
  readonly channels: 1 | 3 | 4;
  /** Red, green, blue and opacity of each place, 0 … 255; where pixels are places in it. */
  readonly palette?: readonly (readonly [number, number, number, number])[];
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const colourTypes = { 1: 0, 3: 2, 4: 6 } as const;
const ofPalette = 3;

/** The file. */
export function pngOf({ width, height, bytes, channels, palette }: Pixels): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits a sample, of that colour type; deflate, filters by row, not interlaced.
  header.set([8, palette === undefined ? colourTypes[channels] : ofPalette, 0, 0, 0], 8);
  const row = width * channels;
  // Each row begins with its filter: none for places in a palette, which are no quantities; "sub" for others.
  const rows = Buffer.alloc(height * (row + 1));
  for (let y = 0; y < height; y++) {
    const at = y * (row + 1);
    rows[at] = palette === undefined ? 1 : 0;
    for (let x = 0; x < row; x++) {
      const left = palette === undefined && x >= channels ? bytes[y * row + x - channels]! : 0;
      rows[at + 1 + x] = bytes[y * row + x]! - left;
    }
  }
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    ...(palette === undefined
      ? []
      : [
          chunk("PLTE", Buffer.from(palette.flatMap((colour) => colour.slice(0, 3)))),
          chunk("tRNS", Buffer.from(palette.map((colour) => colour[3]))),
        ]),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
