// Checks the JSON of an output: a kernel's source and listings that the view can trust, or one sentence.
import { trans } from "../drawing/trans.ts";
import type { AsmListing, AsmPayload } from "../../../kernel/mime.ts";
import type { Checked, Expectation, Expectations } from "../kernel-link/fields.ts";
import {
  checkOutput,
  count,
  counts,
  exactly,
  list,
  orNull,
  problemIn,
  text,
  texts,
  within,
} from "../kernel-link/fields.ts";

const listingName: Expectation = {
  expected: () => trans.__('"PTX", "SASS" or "assembly"'),
  holds: (value) => value === "PTX" || value === "SASS" || value === "assembly",
};

const payloadFields: Expectations<AsmPayload> = {
  version: exactly(1),
  kernel: text,
  device: text,
  arch: text,
  title: text,
  cell: orNull(text),
  count,
  source: texts,
  listings: list,
  registers: orNull(count),
  shared: orNull(count),
  spills: orNull(count),
  occupancy: list,
  notes: texts,
};

const listingFields: Expectations<AsmListing> = {
  name: listingName,
  lines: texts,
  source: counts,
  live: counts,
  samples: counts,
};
const occupancyFields: Expectations<AsmPayload["occupancy"][number]> = {
  block: count,
  percent: within(0, 100),
  limiter: text,
};
const what = (): string => trans.__("a kernel's assembly");

/**
 * Checks an output of type `application/vnd.warpcell.asm.v1+json` against kernel/mime.ts, and its parts against each
 * other.
 */
export function checkAsm(value: unknown): Checked<AsmPayload> {
  const checked = checkOutput(what(), value, payloadFields);
  if (!checked.ok) return checked;
  const { listings, occupancy, source } = checked.value;
  const problem =
    problemIn(trans.__("listing"), what(), listings, listingFields) ??
    listings
      .map((listing, index) =>
        problemWithin(trans.__("%1 %2 of %3", trans.__("listing"), index + 1, what()), listing, source.length),
      )
      .find((found) => found !== null) ??
    problemIn(trans.__("occupancy"), what(), occupancy, occupancyFields);
  if (problem) return { ok: false, problem };
  return checked;
}

/** The columns beside the lines: an item for each, or none where that may be. */
function problemWithin(
  name: string,
  { lines, source, live, samples }: AsmListing,
  sourceLength: number,
): string | null {
  const lengths = { source: source.length, live: live.length || lines.length, samples: samples.length || lines.length };
  const uneven = Object.entries(lengths).find(([, length]) => length !== lines.length);
  if (uneven)
    return trans.__(
      '"%1" of %2 has %3 items but should have %4, one for each line.',
      uneven[0],
      name,
      uneven[1],
      lines.length,
    );
  const stray = source.find((line) => line > sourceLength);
  return stray === undefined
    ? null
    : trans.__('"source" of %1 names line %2 but the source has %3.', name, stray, sourceLength);
}
