// What keys, searches, links and windows do to a timeline.
import { expect, test, vi } from "vitest";
import { payloadOf, tablesOf, trainingSlices } from "../../ui-tests/tests/trace-payload.ts";
import { cellTimesOf } from "./cell-times.ts";
import type { Columns } from "./columns.ts";
import { readColumns } from "./columns.ts";
import { detailsOf, sentenceOf } from "./details.ts";
import { keyFor, keys } from "./keys.ts";
import { lineAt } from "./layout.ts";
import { TimelineModel } from "./model.ts";
import { checkTrace } from "./payload.ts";
import { spotAt } from "./pointer.ts";
import { lengthOf } from "./span.ts";
import { StepAreas } from "./step-areas.ts";
import { WindowFeed } from "./window-feed.ts";

function traceOf(changes: object = {}) {
  const checked = checkTrace(payloadOf(trainingSlices(), changes));
  if (!checked.ok) throw new Error(checked.problem);
  return checked.value;
}

const modelOf = (changes: object = {}) => new TimelineModel(traceOf(changes));
const nameOf = (model: TimelineModel): string | null =>
  model.selected === null ? null : model.trace.payload.names[model.slices.columns.name[model.selected]!]!;

/** Presses keys as the page would. */
function press(model: TimelineModel, ...names: string[]): void {
  const ignore = () => undefined;
  for (const name of names) {
    const [key, shiftKey] = name.startsWith("Shift+") ? [name.slice(6), true] : [name, /^[A-Z]$/.test(name)];
    keyFor({ key, shiftKey, ctrlKey: false, metaKey: false, altKey: false })!.run({
      model,
      openSearch: ignore,
      toggleHelp: ignore,
      goToLine: ignore,
      scroll: ignore,
      leave: ignore,
    });
  }
}

test("arrow keys go along a row and across rows, causes and effects back and forth", () => {
  const model = modelOf();
  press(model, "ArrowRight");
  expect(nameOf(model)).toBe("Cell [2]");
  press(model, "ArrowDown");
  expect(nameOf(model)).toBe("matmul");
  press(model, "ArrowDown", "e");
  expect(nameOf(model)).toBe("sm90_gemm_f32f32_tf32");
  press(model, "ArrowRight");
  expect(nameOf(model)).toBe("relu<float>");
  press(model, "c");
  expect(nameOf(model)).toBe("launch relu<float>");
  press(model, "ArrowUp", "ArrowUp", "ArrowUp");
  expect(nameOf(model)).toBe("Cell [2]");
  for (let times = 0; times < 50; times++) press(model, "ArrowDown");
  expect(model.trace.payload.tracks[model.slices.columns.track[model.selected!]!]!.name).toBe("worker 3");
});

test("every slice is in view once it is chosen, also where its tracks were closed", () => {
  const model = modelOf();
  press(model, "ArrowRight", "f");
  expect(lengthOf(model.view)).toBeLessThan(lengthOf(model.whole));
  model.toggle(1);
  expect(model.isOpen(1)).toBe(false);
  const last = model.slices.order[model.slices.first[6]! - 1]!;
  model.select(last);
  expect(model.isOpen(1)).toBe(true);
  const { start, end } = model.slices.spanOf(last);
  expect(model.view.start).toBeLessThanOrEqual(start);
  expect(model.view.end).toBeGreaterThanOrEqual(end);
});

test("zoom, whole, marks, spans and Escape", () => {
  const model = modelOf();
  press(model, "w", "w", "d");
  expect(lengthOf(model.view)).toBeCloseTo(lengthOf(model.whole) * 0.49);
  press(model, "0");
  expect(model.view).toEqual(model.whole);
  press(model, "ArrowRight", "m");
  expect(model.marks).toHaveLength(1);
  press(model, "m", "Shift+ArrowRight");
  expect(model.marks).toEqual([]);
  expect(model.sums()!.count).toBeGreaterThan(0);
  press(model, "Escape");
  expect([model.range, model.clear()]).toEqual([null, false]);
});

test("keys zoom at the pointer where it is over the view, else around what is chosen", () => {
  const model = modelOf();
  const at = model.whole.end / 4;
  const share = (): number => (at - model.view.start) / lengthOf(model.view);
  const before = share();
  model.pointed = at;
  press(model, "w", "w");
  expect(share()).toBeCloseTo(before);
  model.pointed = model.view.end + 1;
  const middle = (model.view.start + model.view.end) / 2;
  press(model, "w");
  expect((model.view.start + model.view.end) / 2).toBeCloseTo(middle);
});

test("a search steps through its matches in time; Escape ends it", () => {
  const model = modelOf();
  model.search({ text: "saxpy" });
  // Kernels and their launches.
  expect(model.matches!.count).toBe(60);
  press(model, "n");
  const first = model.selected;
  press(model, "n", "N");
  expect(model.selected).toBe(first);
  press(model, "Escape");
  expect(model.matches).toBeNull();
});

test("other views put a kernel, a place or a time in front", () => {
  const model = modelOf();
  model.reveal({ kernel: 2 });
  expect(model.matches!.count).toBe(30);
  model.reveal({ place: 3 });
  expect(model.matches!.count).toBe(120);
  model.reveal({ start: 1e6, end: 2e6 });
  expect(model.matches).toBeNull();
  expect(lengthOf(model.view)).toBeCloseTo(1.1e6);
});

test("details say name, times, place, facts, rates, cause and effects", () => {
  const model = modelOf();
  press(model, "ArrowRight", "ArrowDown", "ArrowDown");
  expect(sentenceOf(detailsOf(model, model.selected!))).toBe(
    "launch launch sm90_gemm_f32f32_tf32, 2.10 µs, main thread, at 21.20 µs, Cell [2]:5, bytes 192 MiB, operations 4.60 GFLOP, 1 slice follows",
  );
  // The bytes are the kernel's, whose time says how fast it moves them.
  expect(detailsOf(model, model.selected!).facts).toEqual([
    ["bytes", "192 MiB"],
    ["operations", "4.60 GFLOP"],
  ]);
  press(model, "e");
  expect(detailsOf(model, model.selected!)).toMatchObject({
    where: "stream 7 of cuda:0, at 82.0 µs",
    facts: expect.arrayContaining([
      ["bytes", "192 MiB, 2.10 TB/s"],
      ["operations", "4.60 GFLOP, 47.9 TFLOP/s"],
    ]),
    cause: "launch sm90_gemm_f32f32_tf32",
    stack: ["train (Cell [2]:5)", "step (Cell [2]:9)", "Cell [2]:12"],
  });
});

test("a point of the canvas is a heading, a slice, a counter or nothing", () => {
  const model = modelOf();
  const geometry = { width: 1000, height: 400, ratio: 1, scroll: 0, gutter: 160 };
  expect(spotAt(model, geometry, 20, 30).line).toMatchObject({ kind: "heading", group: 0 });
  const { slice } = spotAt(model, geometry, 240, 24 + 25 + 10);
  expect(model.trace.payload.names[model.slices.columns.name[slice!]!]).toBe("Cell [2]");
  expect(spotAt(model, geometry, 240, 10).line).toBeNull();
  const heights = model.layout.lines.map(({ y, height }) => ({ y, height }));
  for (const { y, height } of heights) expect(lineAt(model.layout, y + height / 2)).toMatchObject({ y });
  expect(lineAt(model.layout, model.layout.height + 10)).toBeNull();
});

test("every key is listed once, letters also with caps lock, and none with Control", () => {
  const names = keys.flatMap((key) => key.keys);
  expect(new Set(names).size).toBe(names.length);
  expect(keyFor({ key: "W", shiftKey: false, ctrlKey: false, metaKey: false, altKey: false })?.does()).toBe(
    "zoom in, at the pointer",
  );
  expect(keyFor({ key: "a", shiftKey: false, ctrlKey: true, metaKey: false, altKey: false })).toBeNull();
  expect(keyFor({ key: "q", shiftKey: false, ctrlKey: false, metaKey: false, altKey: false })).toBeNull();
});

test("a cell's time is that of its device, and what overlaps counts once", () => {
  const { slices, trace } = modelOf();
  const times = cellTimesOf(slices, trace.payload.places, trace.payload.tracks);
  expect(times.map(({ cell, onDevice }) => [cell, onDevice])).toEqual([["cell-1", true]]);
  const onStreams = slices.order.filter(
    (index) => slices.columns.place[index]! > 0 && [2, 3].includes(slices.columns.track[index]!),
  );
  expect(times[0]!.time).toBeCloseTo(
    [...onStreams].reduce((sum, index) => sum + slices.columns.duration[index]!, 0),
    0,
  );
  const host = cellTimesOf(
    slices,
    trace.payload.places,
    trace.payload.tracks.map((track) => ({ ...track, kind: "host" as const, device: null })),
  );
  expect(host.find(({ count }) => count === 3)!.onDevice).toBe(false);
});

test("no peak of a counter is lost", () => {
  const length = 1000;
  const value = Float64Array.from({ length }, () => Math.random());
  const areas = new StepAreas({ name: "m", time: Float64Array.from({ length }, (_, index) => index), value });
  for (let round = 0; round < 200; round++) {
    const from = Math.floor(length * Math.random());
    const to = from + Math.floor((length - from) * Math.random());
    expect(areas.mostBetween(from, to)).toBe(Math.max(...value.subarray(from, to + 1)));
  }
  expect(areas.valueAt(-1)).toBeNull();
  expect(areas.valueAt(17.5)).toBe(value[17]);
});

/** The columns of a reply as the kernel sends them: each from a multiple of 8 bytes on. */
function replyOf(slices = trainingSlices()) {
  const { length, columns } = tablesOf(slices);
  const parts: { name: string; offset: number }[] = [];
  let size = 0;
  for (const [name, values] of Object.entries(columns)) {
    parts.push({ name, offset: size });
    size = Math.ceil((size + values.byteLength) / 8) * 8;
  }
  const bytes = new Uint8Array(size);
  for (const { name, offset } of parts) {
    const values = columns[name as keyof typeof columns];
    bytes.set(new Uint8Array(values.buffer, 0, values.byteLength), offset);
  }
  return {
    reply: { request: 0, length, columns: parts as never, complete: true, problem: null },
    buffer: bytes.buffer,
  };
}

test("columns of a reply are read from any buffer, and checked", () => {
  const { tables } = traceOf();
  const { reply, buffer } = replyOf();
  const whole = readColumns(reply, buffer, tables);
  expect(whole.ok).toBe(true);
  // A view that begins where no number of eight bytes may.
  const shifted = new Uint8Array(buffer.byteLength + 3);
  shifted.set(new Uint8Array(buffer), 3);
  expect(readColumns(reply, new DataView(shifted.buffer, 3), tables)).toEqual(whole);
  expect(readColumns(reply, buffer.slice(0, 100), tables)).toMatchObject({
    ok: false,
    problem: expect.stringMatching(
      /^Expected the column "start" of a profile within 100 bytes but got bytes 0 to \d+\.$/,
    ),
  });
  expect(readColumns({ ...reply, columns: reply.columns.slice(1) } as never, buffer, tables)).toEqual({
    ok: false,
    problem: 'Expected the column "start" of a profile but got none.',
  });
  expect(readColumns({ ...reply, columns: [{ name: "__proto__", offset: 0 }] } as never, buffer, tables).ok).toBe(
    false,
  );
});

test("windows are asked for when a view needs them, one at a time, and kept for the views that they cover", async () => {
  vi.useFakeTimers();
  const model = modelOf({ complete: false, id: "p1" });
  const { reply, buffer } = replyOf();
  const columns = (readColumns(reply, buffer, model.trace.tables) as { value: Columns }).value;
  const asked: { start: number; end: number; width: number }[] = [];
  const answers: ((complete: boolean) => void)[] = [];
  const said: string[] = [];
  const feed = new WindowFeed(
    model,
    "p1",
    (request) => (
      asked.push(request),
      new Promise((resolve) => answers.push((complete) => resolve({ ok: true, value: { columns, complete } })))
    ),
    () => 1000,
    (problem) => said.push(problem),
  );
  feed.consider();
  await vi.advanceTimersByTimeAsync(500);
  expect(asked).toEqual([]);

  model.show({ start: 1e6, end: 1.1e6 });
  feed.consider();
  model.show({ start: 1e6, end: 1.2e6 });
  feed.consider();
  await vi.advanceTimersByTimeAsync(500);
  expect(asked).toEqual([{ id: "p1", start: 0.9e6, end: 1.3e6, width: 2000 }]);
  // Moved on while the first is under way.
  model.show({ start: 2e6, end: 2.2e6 });
  feed.consider();
  await vi.advanceTimersByTimeAsync(500);
  expect(asked).toHaveLength(1);
  answers[0]!(false);
  await vi.advanceTimersByTimeAsync(500);
  expect(asked).toHaveLength(2);
  expect(model.slices).toBe(model.overview);
  answers[1]!(false);
  await vi.advanceTimersByTimeAsync(500);
  expect(model.slices).not.toBe(model.overview);
  model.show({ start: 2.02e6, end: 2.22e6 });
  feed.consider();
  await vi.advanceTimersByTimeAsync(500);
  expect(asked).toHaveLength(2);
  model.show({ start: 2.1e6, end: 2.15e6 });
  feed.consider();
  await vi.advanceTimersByTimeAsync(500);
  expect(asked).toHaveLength(3);
  answers[2]!(true);
  await vi.advanceTimersByTimeAsync(500);
  model.show({ start: 2.12e6, end: 2.125e6 });
  feed.consider();
  feed.dispose();
  await vi.advanceTimersByTimeAsync(500);
  expect([asked.length, said.at(-1)]).toEqual([3, ""]);
  vi.useRealTimers();
});

test("what is chosen stays chosen when a window comes, and is given up where it was merged", () => {
  const model = modelOf({ complete: false, id: "p1" });
  const { reply, buffer } = replyOf();
  const columns = (readColumns(reply, buffer, model.trace.tables) as { value: Columns }).value;
  press(model, "ArrowRight", "ArrowDown");
  model.show({ start: 0, end: 1e5 });
  model.receive(columns, { start: 0, end: 2e5 }, true);
  expect(nameOf(model)).toBe("matmul");
  const other = (
    readColumns(
      replyOf(trainingSlices(1).filter(({ name }) => name !== "matmul")).reply,
      replyOf(trainingSlices(1).filter(({ name }) => name !== "matmul")).buffer,
      { ...model.trace.tables, names: 99, details: 99 },
    ) as { value: Columns }
  ).value;
  model.receive(other, { start: 0, end: 2e5 }, false);
  expect(model.selected).toBeNull();
});

test("a search and the sums of a span know of which slices they are", () => {
  expect(modelOf().scope()).toBe("all");
  const model = modelOf({ complete: false, id: "p1" });
  const { reply, buffer } = replyOf();
  const columns = (readColumns(reply, buffer, model.trace.tables) as { value: Columns }).value;
  const within = { start: 1e4, end: 2e4 };
  expect([model.scope(), model.scope(within)]).toEqual(["overview", "overview"]);
  model.show({ start: 0, end: 1e5 });
  model.receive(columns, { start: 0, end: 2e5 }, false);
  expect([model.scope(), model.scope(within)]).toEqual(["partly", "partly"]);
  model.receive(columns, { start: 0, end: 2e5 }, true);
  expect([model.scope(), model.scope(within)]).toEqual(["part", "all"]);
  model.showWhole();
  expect([model.scope(), model.scope(within)]).toEqual(["overview", "overview"]);
});
