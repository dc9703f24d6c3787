// What a kernel says to a viewer and does not fit is one sentence, and the next question is asked as if nothing had been.
import type { Kernel } from "@jupyterlab/services";
import { expect, test } from "vitest";
import { checkOpen } from "./open.ts";
import { ViewerSource } from "./source.ts";

type Message = { content: { data: unknown }; buffers?: ArrayBuffer[] };

/** A source whose kernel answers each question by the next of the answers, which are given its number. */
function sourceOf(...answers: ((request: number) => unknown)[]): ViewerSource {
  const comm = {
    onMsg: (_message: Message): void => undefined,
    open: () => undefined,
    send({ request }: { request: number }) {
      const data = answers.shift()!(request);
      queueMicrotask(() => this.onMsg({ content: { data } }));
    },
  };
  const statusChanged = { connect: () => undefined };
  const kernel = { handleComms: true, status: "idle", isDisposed: false, createComm: () => comm, statusChanged };
  return new ViewerSource(() => kernel as unknown as Kernel.IKernelConnection);
}

const tensor = { version: 1, id: "x", shape: [300, 4], dtype: "float32", device: "cpu" };
const subject = { id: "x", minus: null };
const place = { index: [0, 0], rows: 0, columns: 1, level: 0, row: 0, column: 0 };
const statistics = { min: 0, max: 1, mean: 0, deviation: 1, nan: 0, inf: 0, low: 0, high: 1, histogram: [1, 2] };
const withNumber = (fields: object) => (request: number) => ({ request, ...fields });
const refused = (sentence: RegExp) => ({ ok: false, problem: expect.stringMatching(sentence) });

test("a tensor to open", () => expect(checkOpen(tensor)).toEqual({ ok: true, value: tensor }));

test.each<[unknown, RegExp]>([
  [[], /^A tensor to open is \[\] but should be a record of fields\.$/],
  [{}, /^"version" of a tensor to open is missing but should be 1\.$/],
  [
    { ...tensor, version: 2 },
    /is 2 but should be 1\. Bring the kernel and the JupyterLab extension to the same version/,
  ],
  [{ ...tensor, id: null }, /^"id" of a tensor to open is null but should be a string\.$/],
  [{ ...tensor, shape: "x" }, /^"shape" of a tensor to open is "x" but should be /],
  [{ ...tensor, shape: [-1, 1e308] }, /^"shape" of a tensor to open/],
  [{ ...tensor, dtype: { toString: 1 } }, /^"dtype" of a tensor to open is {"toString":1} but should be a string\.$/],
])("%j is no tensor to open", (value, sentence) => expect(checkOpen(value)).toEqual(refused(sentence)));

test.each<[unknown, RegExp]>([
  [undefined, /^The statistics of a tensor/],
  [{ ...statistics, min: "x" }, /^"min" of the statistics of a tensor is "x" but should be a finite number or null\.$/],
  [{ ...statistics, nan: -1 }, /^"nan" of the statistics/],
  [{ ...statistics, histogram: [{}] }, /^"histogram" of the statistics/],
])("%j are no statistics", async (value, sentence) => {
  const source = sourceOf(withNumber({ statistics: value }), withNumber({ statistics }));
  expect(await source.statistics(subject)).toEqual(refused(sentence));
  expect(await source.statistics(subject)).toEqual({ ok: true, value: { value: statistics, unfinished: false } });
});

test.each([
  ["all"],
  [[1]],
  [[1, 2, 3]],
  [[300, 0]],
  [[-1, 0]],
  [[0.5, 0]],
  [undefined],
])("%j is no index of an element", async (index) => {
  const source = sourceOf(withNumber({ index }), withNumber({ index: [299, 3], unfinished: {} }));
  const find = () => source.find(subject, "nan", null, [300, 4]);
  expect(await find()).toEqual(refused(/^An element was found at no index of a tensor of shape \[300, 4\]\.$/));
  expect(await find()).toEqual({ ok: true, value: { value: [299, 3], unfinished: false } });
});

test.each([
  [[7]],
  [null],
  ["x"],
  [{ request: "0" }],
  [{ request: {} }],
])("%j names no question: all that wait are told", async (answer) => {
  const source = sourceOf(() => answer, withNumber({ problem: "Later." }));
  expect(await source.tile(subject, place)).toEqual(
    refused(/^The kernel answered without saying which question: it may be of another version\.$/),
  );
  expect(await source.tile(subject, place)).toEqual({ ok: false, problem: "Later." });
});
