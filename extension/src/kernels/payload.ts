// Turns the part of a profile that tells of kernels, devices and advice into values that the views can trust, or one sentence.
import type { TraceAdvice, TraceDevice, TraceKernel, TracePayload, TracePlace } from "../../../kernel/mime.ts";
import type { Checked, Expectation, Expectations } from "../fields.ts";
import { checkFields, count, counts, list, orNull, record, text } from "../fields.ts";

export type KernelFacts = Pick<TracePayload, "kernels" | "devices" | "advice" | "places">;

const isAmount = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value) && value >= 0;
const amount: Expectation = { expected: "a number ≥ 0", holds: isAmount };
const amounts: Expectation = { expected: "a record of numbers ≥ 0", holds: (value) => record.holds(value) && Object.values(value as object).every(isAmount) };
const numbers: Expectation = {
  expected: "a record of finite numbers",
  holds: (value) => record.holds(value) && Object.values(value as object).every(Number.isFinite),
};

const profileFields: Expectations<KernelFacts> = { kernels: list, devices: list, advice: list, places: list };

const kernelFields: Expectations<TraceKernel> = {
  name: text,
  operation: orNull(text),
  device: text,
  calls: count,
  total: amount,
  mean: amount,
  deviation: amount,
  min: amount,
  max: amount,
  share: amount,
  grid: counts,
  block: counts,
  registers: orNull(amount),
  shared: orNull(amount),
  local: orNull(amount),
  theoreticalOccupancy: orNull(amount),
  achievedOccupancy: orNull(amount),
  limiter: orNull(text),
  bytes: orNull(amount),
  flops: orNull(amount),
  dtype: orNull(text),
  counters: numbers,
  places: counts,
};

const deviceFields: Expectations<TraceDevice> = { device: text, name: text, copy: orNull(amount), product: amounts, busy: amount };
const adviceFields: Expectations<TraceAdvice> = { text, place: orNull(count), start: amount, end: amount };
const placeFields: Expectations<TracePlace> = { text, cell: orNull(text), count, line: count };

/** Checks what the views of this folder read of a profile; the timeline checks the rest. */
export function checkKernels(value: unknown): Checked<KernelFacts> {
  const profile = checkFields("a profile", value, profileFields);
  if (!profile.ok) return profile;
  const { kernels, devices, advice, places } = profile.value;
  const problem =
    problemIn("kernel", kernels, kernelFields) ?? problemIn("device", devices, deviceFields) ?? problemIn("advice", advice, adviceFields) ?? problemIn("place", places, placeFields) ??
    kernels.map((kernel, index) => strayPlace(`Kernel ${index + 1}`, kernel.places, places.length)).find(Boolean) ??
    advice.map(({ place }, index) => strayPlace(`Advice ${index + 1}`, place === null ? [] : [place], places.length)).find(Boolean);
  return problem ? { ok: false, problem } : { ok: true, value: { kernels, devices, advice, places } };
}

function problemIn<T>(noun: string, items: readonly T[], fields: Expectations<T>): string | null {
  for (const [index, item] of items.entries()) {
    const checked = checkFields(`${noun} ${index + 1} of a profile`, item, fields);
    if (!checked.ok) return checked.problem;
  }
  return null;
}

function strayPlace(owner: string, indices: readonly number[], length: number): string | null {
  const stray = indices.find((index) => index >= length);
  return stray === undefined ? null : `${owner} of a profile names place ${stray} but there are ${length}, counted from 0.`;
}
