// Which points a place in a chart means, and what is said of them.
import { expect, test } from "vitest";
import type { ChartPayload } from "../../../kernel/mime.ts";
import { readingAt, stopsOf, trackOf, valueAt } from "./reading.ts";

const axis = (low: number, high: number, isLogarithmic = false) => ({ low, high, isLogarithmic });
const payload: ChartPayload = {
  version: 1,
  width: 220,
  height: 120,
  area: { left: 10, top: 10, width: 200, height: 100 },
  x: axis(0, 20),
  y: axis(-1, 1),
  kind: "line",
};
const line = (name: string, path: string) => trackOf({ kind: "line", name, colour: "#112233", path, values: [] });

test("values have as many digits as pixels tell apart", () => {
  expect(valueAt(axis(0, 20), 0.5, 200)).toBe("10");
  expect(valueAt(axis(0, 20), 0.1234, 200)).toBe("2.5");
  expect(valueAt(axis(-1e-9, 1e-9), 0.75, 200)).toBe("5e−10");
  expect(valueAt(axis(0, 4e7), 0.5, 400)).toBe("2e7");
  expect(valueAt(axis(-300, 0), 0.5, 300)).toBe("−150");
  expect(valueAt(axis(1, 10_000, true), 0.5, 200)).toBe("100");
  expect(valueAt(axis(-1.7e308, 1.7e308), 1, 200)).toBe("1.7e308");
});

test("moments are as exact as pixels tell apart", () => {
  const time = (from: string, to: string) => ({ ...axis(Date.parse(from), Date.parse(to)), isTime: true });
  expect(valueAt(time("2024-01-01", "2024-03-01"), 0.5, 500)).toBe("2024-01-31");
  expect(valueAt(time("2024-01-01", "2024-01-08"), 0.25, 500)).toBe("2024-01-02 18:00");
  expect(valueAt(time("2024-01-01", "2024-01-08"), 1 / 7 + 1e-4, 500)).toBe("2024-01-02");
  expect(valueAt(time("2024-01-01T10:00Z", "2024-01-01T10:10Z"), 0.5, 300)).toBe("2024-01-01 10:05:00");
  expect(valueAt(time("2024-01-01T10:00:00Z", "2024-01-01T10:00:01Z"), 0.5, 300)).toBe("2024-01-01 10:00:00.500");
  expect(valueAt({ ...axis(-1e300, 1e300), isTime: true }, 1, 300)).toBe("1e300");
});

test("a line is read at the point that is nearest along x, and all lines that have one there", () => {
  const tracks = [line("a", "M10 110L110 60L210 10"), line("b", "M10 10L110 10"), line("", "M60 110")];
  const reading = readingAt(payload, tracks, { left: 95, top: 0 })!;
  expect(reading.left).toBe(110);
  expect(reading.title).toBe("10");
  expect(reading.lines.map(({ text }) => text)).toEqual(["a: 0", "b: 1"]);
  expect(readingAt(payload, tracks, { left: 62, top: 0 })!.lines.map(({ text }) => text)).toEqual(["−1"]);
  expect(readingAt(payload, tracks, { left: 1000, top: 0 })!.lines.map(({ text }) => text)).toEqual(["a: 1"]);
  expect(readingAt(payload, [], { left: 0, top: 0 })).toBeNull();
  expect(stopsOf(tracks)).toEqual([10, 60, 110, 210]);
});

test("a point of a cloud is read where the pointer is near", () => {
  const cloud = trackOf({ kind: "points", name: "c", colour: "#112233", path: "M10 10h0M110 60h0", values: [] });
  const kind = { ...payload, kind: "points" } as const;
  expect(readingAt(kind, [cloud], { left: 112, top: 65 })).toMatchObject({
    title: "c",
    lines: [{ text: "x 10, y 0" }],
  });
  expect(readingAt(kind, [cloud], { left: 60, top: 60 })).toBeNull();
});

test("a bar is read by its name, a bin by its edges, with the value that is written", () => {
  const bars = trackOf({
    kind: "bars",
    name: "",
    colour: "#112233",
    path: "M20 110V60H50V110zM70 110V20H100V110z",
    values: ["1,234", "2,345.5"],
  });
  const named = { ...payload, kind: "bars", x: axis(-0.5, 3.5), categories: ["cats", "dogs"] } as const;
  expect(readingAt(named, [bars], { left: 80, top: 0 })).toMatchObject({ title: "dogs", lines: [{ text: "2,345.5" }] });
  expect(readingAt({ ...payload, kind: "histogram" }, [bars], { left: 30, top: 0 })).toMatchObject({
    title: "1 … 4",
    lines: [{ text: "1,234" }],
  });
  expect(readingAt(named, [bars], { left: 60, top: 0 })).toBeNull();
  expect(stopsOf([bars])).toEqual([35, 85]);
});
