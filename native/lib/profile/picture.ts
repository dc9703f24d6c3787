// A profile's timeline as an SVG, for readers without the extension: a line for each track and level, merged to what
// its pixels can show.
import { duration } from "../figures.ts";
import type { ProfileData } from "./slices.ts";
import { windowOf } from "./window.ts";
import { escaped } from "../wording.ts";

const width = 900;
const left = 150;
const line = 14;
const mostLines = 40;
const palette = ["#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#76b7b2", "#edc948", "#9c755f", "#e15759"];

export function pictureOf(data: ProfileData): string {
  const { tracks, names, duration: whole } = data;
  const { slices } = windowOf(data, 0, whole, width - left);
  const tops: number[] = [];
  let lines = 0;
  for (const { depth } of tracks) {
    tops.push(lines);
    lines += depth;
  }
  const shown = Math.min(lines, mostLines);
  const scale = whole === 0 ? 0 : (width - left) / whole;
  const parts = tracks.flatMap(({ name, device }, track) =>
    tops[track]! < shown
      ? [
          `<text x="2" y="${tops[track]! * line + line - 4}">${escaped(device === null ? name : `${device} ${name}`)}</text>`,
        ]
      : [],
  );
  for (let index = 0; index < slices.length; index++) {
    const row = tops[slices.track[index]!]! + slices.depth[index]!;
    if (row >= shown) continue;
    const name = names[slices.name[index]!]!;
    const x = left + slices.start[index]! * scale;
    const shape = `x="${x.toFixed(1)}" y="${row * line + 1}" width="${Math.max(0.5, slices.duration[index]! * scale).toFixed(1)}" height="${line - 2}"`;
    parts.push(
      `<rect ${shape} fill="${palette[slices.name[index]! % palette.length]}"><title>${escaped(`${name}, ${duration(slices.duration[index]!)}`)}</title></rect>`,
    );
  }
  const height = (shown + 1) * line;
  const axis = [0, 0.25, 0.5, 0.75].map(
    (part) => `<text x="${left + part * (width - left)}" y="${height - 3}">${duration(part * whole)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="10" fill="#888">${[...parts, ...axis].join("")}</svg>`;
}
