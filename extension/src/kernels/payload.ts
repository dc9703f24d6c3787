// Says what is wrong with the part of a profile that tells of kernels, devices and advice, so that its views can trust
// it.
import { trans } from "../drawing/trans.ts";
import type {
  TraceAdvice,
  TraceDevice,
  TraceKernel,
  TraceOperation,
  TracePayload,
  TracePlace,
} from "../../../kernel/mime.ts";
import type { Expectation, Expectations } from "../kernel-link/fields.ts";
import { count, counts, finite, optional, orNull, problemIn, record, text, within } from "../kernel-link/fields.ts";

export type KernelFacts = Pick<TracePayload, "kernels" | "operations" | "devices" | "advice" | "places">;

const isAmount = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value) && value >= 0;
const amount: Expectation = { expected: () => trans.__("a number ≥ 0"), holds: isAmount };
const amounts: Expectation = {
  expected: () => trans.__("a record of numbers ≥ 0"),
  holds: (value) => record.holds(value) && Object.values(value as object).every(isAmount),
};
const numbers: Expectation = {
  expected: () => trans.__("a record of finite numbers"),
  holds: (value) => record.holds(value) && Object.values(value as object).every(finite.holds),
};

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
  samples: optional(amounts),
  places: counts,
};

const operationFields: Expectations<TraceOperation> = {
  name: text,
  shapes: text,
  device: text,
  calls: count,
  host: amount,
  hostSelf: amount,
  deviceSelf: amount,
  share: amount,
  places: counts,
};

const deviceFields: Expectations<TraceDevice> = {
  device: text,
  name: text,
  copy: orNull(amount),
  product: amounts,
  busy: within(0, 1),
};
const adviceFields: Expectations<TraceAdvice> = { text, place: orNull(count), start: finite, end: finite };
const placeFields: Expectations<TracePlace> = { text, cell: orNull(text), count, line: count };
const what = (): string => trans.__("a profile");

/** `null`: nothing is. What comes in is lists, of anything. */
export function problemWith({ kernels, operations = [], devices, advice, places }: KernelFacts): string | null {
  return (
    problemIn(trans.__("kernel"), what(), kernels, kernelFields) ??
    problemIn(trans.__("operation"), what(), operations, operationFields) ??
    problemIn(trans.__("device"), what(), devices, deviceFields) ??
    problemIn(trans.__("advice"), what(), advice, adviceFields) ??
    problemIn(trans.__("place"), what(), places, placeFields) ??
    strayPlace(
      trans.__("Kernel"),
      kernels.map((kernel) => kernel.places),
      places.length,
    ) ??
    strayPlace(
      trans.__("Operation"),
      operations.map((operation) => operation.places),
      places.length,
    ) ??
    strayPlace(
      trans.__("Advice"),
      advice.map(({ place }) => (place === null ? [] : [place])),
      places.length,
    )
  );
}

/** The first owner that names a place which is not there. */
function strayPlace(noun: string, owners: readonly (readonly number[])[], length: number): string | null {
  for (const [index, indices] of owners.entries()) {
    const stray = indices.find((place) => place >= length);
    if (stray !== undefined)
      return trans.__(
        "%1 %2 of a profile names place %3 but there are %4, counted from 0.",
        noun,
        index + 1,
        stray,
        length,
      );
  }
  return null;
}
