// What the panel of the kernel trusts of the kernel's answers, and what it says of them.
import { expect, test } from "vitest";
import type { CompiledCode, Finding } from "../../../kernel/mime.ts";
import { factsOf } from "./code-table.ts";
import { checkFindings, checkKernel } from "./payload.ts";
import { cacheText, clearedText, deviceLoss } from "./words.ts";

const fill: CompiledCode = {
  kind: "kernel",
  name: "fill",
  signature: "fill(p: float*)",
  device: "cuda:0",
  registers: 24,
  shared: 0,
  execution: null,
  lastTime: 0.0123,
  place: { text: "Cell [2]:1", cell: "a", count: 2, line: 1 },
};
const cache = { directory: "/home/me/.cache/warpcell", files: 1, bytes: 2048 };
const device = { device: "cuda:0", name: "A GPU", keepsArrays: true };
const state = { code: [fill], cache, devices: [device], running: true };
const finding: Finding = { device: null, what: "node", found: "20.0.0", isMissing: false };

test("answers as described are trusted", () => {
  expect(checkKernel(state)).toEqual({ ok: true, value: state });
  const early = { code: [{ ...fill, place: null }], cache: null, devices: [], running: false };
  expect(checkKernel(early)).toEqual({ ok: true, value: early });
  expect(checkFindings({ findings: [finding] })).toEqual({ ok: true, value: [finding] });
});

test.each<[unknown, string]>([
  [{}, "The kernel's answer has no lists of code and devices."],
  [
    { ...state, code: [{ ...fill, kind: "script" }] },
    '"kind" of code 1 of the notebook is "script" but should be "kernel" or "host function".',
  ],
  [
    { ...state, code: [{ ...fill, place: { ...fill.place, line: "1" } }] },
    '"line" of place 1 of the notebook is "1" but should be a whole number ≥ 0.',
  ],
  [
    { ...state, devices: [{ ...device, keepsArrays: 1 }] },
    '"keepsArrays" of device 1 of the notebook is 1 but should be true or false.',
  ],
  [
    { ...state, cache: { ...cache, bytes: -1 } },
    '"bytes" of the compile cache is -1 but should be a whole number ≥ 0.',
  ],
])("%j is refused with a sentence", (data, problem) => expect(checkKernel(data)).toEqual({ ok: false, problem }));

test.each<[unknown, string]>([
  [{}, "The kernel's answer has no list of findings."],
  [
    { findings: [{ ...finding, isMissing: null }] },
    '"isMissing" of finding 1 of the machine is null but should be true or false.',
  ],
])("findings %j are refused with a sentence", (data, problem) =>
  expect(checkFindings(data)).toEqual({ ok: false, problem }));

test("a column that says nothing of any code is left out", () => {
  const titles = (...code: CompiledCode[]) => factsOf(code).map(({ title }) => title);
  expect(titles(fill)).toEqual(["Registers", "Last time"]);
  expect(titles(fill, { ...fill, registers: null, shared: 512, execution: "split" })).toEqual([
    "Registers",
    "Shared memory",
    "Threads run as",
    "Last time",
  ]);
  expect(factsOf([fill]).map(({ text }) => text(fill))).toEqual(["24", "12.3 µs"]);
});

test("a question says what is lost, and the cache how much there is", () => {
  expect(deviceLoss(device)).toMatch(/^Restart cuda:0 \(A GPU\)\? Tensors stay\. Work that is not done is lost, /);
  expect(deviceLoss({ ...device, keepsArrays: false })).toMatch(
    /\? Its tensors are lost: this device cannot share its memory between processes\. /,
  );
  expect(cacheText(cache)).toBe("1 file, 2.0 KiB");
  expect(clearedText({ files: 1200, bytes: 0 })).toBe("1,200 files, 0 B removed.");
});
