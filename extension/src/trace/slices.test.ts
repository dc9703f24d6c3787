// Slices by row against plain loops over random profiles; search, sums and pixels of the same.
import { expect, test } from "vitest";
import type { Columns } from "./columns.ts";
import type { Palette } from "./palette.ts";
import { newLabels, paintRow } from "./row-pixels.ts";
import { find, step } from "./search.ts";
import { Slices } from "./slices.ts";
import { sumsOf } from "./sums.ts";

const depths = [2, 1, 3];
const names = ["gemm", "relu", "copy", "wait"];

/** Random slices that do not overlap within a level, in order. */
function randomColumns(perRow: number, merged = false): Columns {
  const rows: { track: number; depth: number; start: number; duration: number }[] = [];
  depths.forEach((levels, track) => {
    for (let depth = 0; depth < levels; depth++) {
      let time = 0;
      for (let count = 0; count < perRow; count++) {
        const start = time + (Math.random() < 0.5 ? 0 : 300 * Math.random() ** 4);
        // Of float32, as they are sent.
        const duration = Math.fround(Math.random() < 0.1 ? 200 * Math.random() : 2 * Math.random());
        rows.push({ track, depth, start, duration });
        time = start + duration;
      }
    }
  });
  rows.sort((a, b) => a.track - b.track || a.start - b.start || a.depth - b.depth);
  const length = rows.length;
  const random = (below: number) => Uint32Array.from({ length }, () => below * Math.random());
  const duration = Float32Array.from(rows, (row) => row.duration);
  return {
    length,
    start: Float64Array.from(rows, (row) => row.start),
    duration,
    track: Uint16Array.from(rows, (row) => row.track),
    depth: Uint8Array.from(rows, (row) => row.depth),
    name: random(names.length),
    place: random(3),
    detail: new Uint32Array(length),
    cause: random(length + 1),
    kernel: random(3),
    merged: merged ? random(9) : null,
    busy: merged ? duration.map((time) => time * Math.random()) : null,
  };
}

const all = ({ length }: Columns): number[] => Array.from({ length }, (_, index) => index);
const endOf = ({ start, duration }: Columns, index: number): number => start[index]! + duration[index]!;

test("the slice at a time is the one that a loop finds", () => {
  const columns = randomColumns(200);
  const slices = new Slices(columns, depths);
  expect(slices.rows).toBe(6);
  for (let round = 0; round < 300; round++) {
    const row = Math.floor(6 * Math.random());
    const time = slices.span.end * Math.random();
    const within = all(columns).filter(
      (index) => slices.rowOf(index) === row && columns.start[index]! <= time && time <= endOf(columns, index),
    );
    const found = slices.at(row, time);
    if (within.length === 0) expect(found).toBeNull();
    else expect(within).toContain(found);
  }
});

test("neighbours follow each other in their row, and positions lead back", () => {
  const columns = randomColumns(50);
  const slices = new Slices(columns, depths);
  for (let row = 0; row < slices.rows; row++) {
    const inRow = all(columns).filter((index) => slices.rowOf(index) === row);
    inRow.forEach((index, at) => {
      expect(slices.neighbour(index, 1)).toBe(inRow[at + 1] ?? null);
      expect(slices.neighbour(index, -1)).toBe(inRow[at - 1] ?? null);
      expect(slices.sameAs(slices, index)).not.toBeNull();
    });
  }
});

test("effects are the causes turned round", () => {
  const columns = randomColumns(60);
  const slices = new Slices(columns, depths);
  for (const index of all(columns)) {
    const wanted = all(columns).filter((effect) => columns.cause[effect] === index + 1);
    const found = slices.effectsOf(index, 1e9);
    expect([...found.items]).toEqual(wanted);
    expect(slices.effectsOf(index, 1).count).toBe(wanted.length);
  }
});

test.each([false, true])("sums of a span equal those of a loop, merged: %s", (merged) => {
  const columns = randomColumns(120, merged);
  const slices = new Slices(columns, depths);
  const span = { start: slices.span.end * 0.2, end: slices.span.end * 0.6 };
  const touching = all(columns).filter(
    (index) => endOf(columns, index) > span.start && columns.start[index]! < span.end,
  );
  const timeOf = (index: number): number => {
    const part = Math.min(span.end, endOf(columns, index)) - Math.max(span.start, columns.start[index]!);
    return columns.busy && columns.duration[index]! > 0
      ? (part * columns.busy[index]!) / columns.duration[index]!
      : part;
  };
  const sums = sumsOf(slices, names.length, span);
  expect(sums.count).toBe(touching.reduce((sum, index) => sum + slices.countOf(index), 0));
  for (const { track, name, count, total } of sums.names) {
    const own = touching.filter((index) => columns.track[index] === track && columns.name[index] === name);
    expect(total).toBeCloseTo(
      own.reduce((sum, index) => sum + timeOf(index), 0),
      6,
    );
    expect(count).toBe(own.reduce((sum, index) => sum + slices.countOf(index), 0));
  }
  expect(sums.names.reduce((sum, { count }) => sum + count, 0)).toBe(sums.count);
  expect(sums.names).toEqual([...sums.names].sort((a, b) => a.track - b.track || b.total - a.total));
  depths.forEach((_, track) => {
    const wanted = touching
      .filter((index) => columns.track[index] === track && columns.depth[index] === 0)
      .reduce((sum, index) => sum + timeOf(index), 0);
    expect(sums.busy[track]).toBeCloseTo(wanted / (span.end - span.start), 6);
  });
});

test("search finds names, places and kernels, and steps through them in time and around", () => {
  const columns = randomColumns(40);
  const slices = new Slices(columns, depths);
  const places = [
    { text: "Cell [1]:2", cell: null, count: 1, line: 2 },
    { text: "Cell [9]:3", cell: null, count: 9, line: 3 },
  ];
  const matches = find(slices, { names, places }, { text: "GEM" });
  const wanted = all(columns).filter((index) => columns.name[index] === 0);
  expect(matches.count).toBe(wanted.length);
  wanted.sort((a, b) => columns.start[a]! - columns.start[b]! || a - b);
  const visited: number[] = [];
  let at = step(slices, matches, { time: -1 }, 1)!;
  for (const _ of wanted) visited.push(at), (at = step(slices, matches, { index: at }, 1)!);
  expect(visited).toEqual(wanted);
  expect(at).toBe(wanted[0]);
  expect(step(slices, matches, { index: wanted[0]! }, -1)).toBe(wanted.at(-1));
  expect(find(slices, { names, places }, { text: "cell [9]" }).count).toBe(
    all(columns).filter((index) => columns.place[index] === 2).length,
  );
  expect(find(slices, { names, places }, { kernel: 1 }).count).toBe(
    all(columns).filter((index) => columns.kernel[index] === 2).length,
  );
  expect(find(slices, { names, places }, { places: [0] }).count).toBe(
    all(columns).filter((index) => columns.place[index] === 1).length,
  );
  const none = find(slices, { names, places }, { text: "nothing" });
  expect(none).toMatchObject({ count: 0, span: null });
  expect(step(slices, none, { time: 0 }, 1)).toBeNull();
});

const ground = 0xff000000;
const palette: Palette = {
  colours: [],
  fill: Uint32Array.of(0xff0000ff, 0xff00ff00, 0xffff0000, 0xff888888),
  ink: names.map(() => "#000"),
  background: ground,
};

test.each([
  1, 0.25, 0.01,
])("a pixel is painted where slices are and ground where there is none, with %d of the profile in view", (share) => {
  for (const perRow of [30, 3000]) {
    const columns = randomColumns(perRow);
    const slices = new Slices(columns, depths);
    const width = 300;
    const start = slices.span.end * 0.31 * (1 - share);
    const perPixel = (slices.span.end * share) / width;
    for (let row = 0; row < slices.rows; row++) {
      const line = new Uint32Array(width);
      paintRow(
        line,
        slices,
        row,
        { start, perPixel, palette, ground: new Uint32Array(width).fill(ground), matches: null, labelWidth: 20 },
        newLabels(100),
      );
      const inRow = all(columns).filter((index) => slices.rowOf(index) === row);
      for (let x = 2; x < width - 2; x++) {
        const [from, to] = [start + x * perPixel, start + (x + 1) * perPixel];
        const near = inRow.filter(
          (index) => endOf(columns, index) > from - 1.6 * perPixel && columns.start[index]! < to + 1.6 * perPixel,
        );
        if (near.length === 0) expect(line[x], `pixel ${x} of row ${row}`).toBe(ground);
        if (inRow.some((index) => columns.start[index]! >= from && columns.start[index]! < to))
          expect(line[x], `pixel ${x} of row ${row}`).not.toBe(ground);
      }
    }
  }
});

test("a wide slice has its colour, its name, and steps back where others are searched for", () => {
  const columns = {
    ...randomColumns(0),
    length: 2,
    start: Float64Array.of(10, 60),
    duration: Float32Array.of(40, 30),
    track: Uint16Array.of(1, 1),
    depth: Uint8Array.of(0, 0),
    name: Uint32Array.of(0, 1),
    place: new Uint32Array(2),
    detail: new Uint32Array(2),
    cause: new Uint32Array(2),
    kernel: new Uint32Array(2),
  };
  const slices = new Slices(columns, depths);
  const line = new Uint32Array(100);
  const labels = newLabels(9);
  const view = {
    start: 0,
    perPixel: 1,
    palette,
    ground: new Uint32Array(100).fill(ground),
    matches: null,
    labelWidth: 35,
  };
  paintRow(line, slices, 2, view, labels);
  expect([line[5], line[30], line[55], line[75], line[95]]).toEqual([
    ground,
    palette.fill[0],
    ground,
    palette.fill[1],
    ground,
  ]);
  expect([labels.count, labels.from[0], labels.to[0], labels.slice[0]]).toEqual([1, 10, 50, 0]);
  paintRow(line, slices, 2, { ...view, matches: find(slices, { names, places: [] }, { text: "relu" }) }, newLabels(9));
  expect(line[75]).toBe(palette.fill[1]);
  expect(line[30]).not.toBe(palette.fill[0]);
});

test("a position ahead is found from any guess, and a pixel looks like the last slice in it that is meant", () => {
  const columns = randomColumns(500);
  const slices = new Slices(columns, depths);
  for (let round = 0; round < 2000; round++) {
    const row = Math.floor(6 * Math.random());
    const [first, last] = [slices.first[row]!, slices.first[row + 1]!];
    const at = first + Math.floor((last - first) * Math.random());
    const time = slices.span.end * Math.random();
    const run = Math.floor(600 * Math.random());
    expect(slices.nextFrom(at, last, time, run)).toBe(Math.max(at + 1, slices.firstFrom(row, time)));
  }
  const matches = find(slices, { names, places: [] }, { text: "gemm" });
  let latest = -1;
  slices.order.forEach((index, at) => {
    if (columns.name[index] === 0) latest = at;
    expect(matches.last[at]).toBe(latest);
  });
  // The whole profile in one pixel: one match is enough to be seen.
  const only = (name: number) => ({
    ...columns,
    name: columns.name.map((_, index) => (index === slices.order[slices.first[1]! - 40] ? name : 1)),
  });
  const found = new Slices(only(0), depths);
  const line = new Uint32Array(1);
  paintRow(
    line,
    found,
    0,
    {
      start: 0,
      perPixel: slices.span.end,
      palette,
      ground: Uint32Array.of(ground),
      matches: find(found, { names, places: [] }, { text: "gemm" }),
      labelWidth: 9,
    },
    newLabels(1),
  );
  const plain = new Uint32Array(1);
  paintRow(
    plain,
    new Slices(only(1), depths),
    0,
    {
      start: 0,
      perPixel: slices.span.end,
      palette: { ...palette, fill: Uint32Array.of(palette.fill[0]!, palette.fill[0]!) },
      ground: Uint32Array.of(ground),
      matches: null,
      labelWidth: 9,
    },
    newLabels(1),
  );
  expect(line[0]).toBe(plain[0]);
});

test("slices that overlap, as no kernel sends them, end", () => {
  const length = 1000;
  const columns = {
    ...randomColumns(0),
    length,
    start: new Float64Array(length),
    duration: new Float32Array(length).fill(3e38),
    track: new Uint16Array(length),
    depth: new Uint8Array(length),
    name: new Uint32Array(length),
    place: new Uint32Array(length),
    detail: new Uint32Array(length),
    cause: Uint32Array.from({ length }, (_, index) => index + 1),
    kernel: new Uint32Array(length),
  };
  const slices = new Slices(columns, depths);
  paintRow(
    new Uint32Array(50),
    slices,
    0,
    { start: 0, perPixel: 1e-9, palette, ground: new Uint32Array(50), matches: null, labelWidth: 5 },
    newLabels(9),
  );
  expect(slices.causeOf(5)).toBeNull();
  expect(sumsOf(slices, names.length, { start: 0, end: 10 }).busy[0]).toBe(1);
});
