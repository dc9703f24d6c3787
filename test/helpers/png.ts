// Reads PNG files as pixels, for what tests look at: 8 bits a sample, no interlacing, the filters "none" and "sub".
import { crc32, inflateSync } from "node:zlib";

export interface ReadPicture {
  width: number;
  height: number;
  bytes: number;
  /** Red, green, blue and opacity. */
  at(x: number, y: number): number[];
}

/** Throws where the file is none that the standard allows, or of another kind than those. */
export function readPng(base64: unknown): ReadPicture {
  const file = Buffer.from(String(base64), "base64");
  if (file.toString("latin1", 0, 8) !== "\x89PNG\r\n\x1a\n") throw new Error("This is no PNG.");
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    const named = file.subarray(at + 4, at + 8 + length);
    if (crc32(named) !== file.readUInt32BE(at + 8 + length)) throw new Error("A chunk is broken.");
    chunks.set(named.toString("latin1", 0, 4), named.subarray(4));
    at += 12 + length;
  }
  const header = chunks.get("IHDR")!;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const channels = { 3: 1, 2: 3, 6: 4 }[header[9]!];
  if (header[8] !== 8 || channels === undefined || header[12] !== 0) throw new Error("A PNG of another kind.");
  const rows = inflateSync(chunks.get("IDAT")!);
  const row = width * channels;
  if (rows.length !== height * (row + 1)) throw new Error("Not as many pixels as it says.");
  const pixels = new Uint8Array(height * row);
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (row + 1)]!;
    if (filter > 1) throw new Error(`Filter ${filter}.`);
    for (let x = 0; x < row; x++) {
      const left = filter === 1 && x >= channels ? pixels[y * row + x - channels]! : 0;
      pixels[y * row + x] = rows[y * (row + 1) + 1 + x]! + left;
    }
  }
  const [palette, opacity] = [chunks.get("PLTE"), chunks.get("tRNS")];
  return {
    width,
    height,
    bytes: file.length,
    at(x, y) {
      const place = y * row + x * channels;
      if (channels > 1) return [...pixels.subarray(place, place + channels), ...(channels === 3 ? [255] : [])];
      const index = pixels[place]!;
      return [...palette!.subarray(3 * index, 3 * index + 3), opacity![index]!];
    },
  };
}
