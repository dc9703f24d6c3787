// Turns the JSON of an output into a kernel's source and listings that the view can trust, or one sentence.
import type { AsmListing, AsmPayload } from "../../../kernel/mime.ts";
import type { Checked, Expectation, Expectations } from "../fields.ts";
import { checkFields, count, counts, exactly, list, orNull, text } from "../fields.ts";

const version = 1;
const texts: Expectation = { expected: "a list of strings", holds: (value) => Array.isArray(value) && value.every((line) => typeof line === "string") };
const listingName: Expectation = { expected: '"PTX", "SASS" or "assembly"', holds: (value) => value === "PTX" || value === "SASS" || value === "assembly" };
const percent: Expectation = { expected: "a number from 0 to 100", holds: (value) => typeof value === "number" && value >= 0 && value <= 100 };

const payloadFields: Expectations<AsmPayload> = {
  version: exactly(version),
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

const listingFields: Expectations<AsmListing> = { name: listingName, lines: texts, source: counts, live: counts, samples: counts };
const occupancyFields: Expectations<AsmPayload["occupancy"][number]> = { block: count, percent, limiter: text };
const what = "a kernel's assembly";

/** Checks an output of type `application/vnd.warpcell.asm.v1+json` against kernel/mime.ts, and its parts against each other. */
export function checkAsm(value: unknown): Checked<AsmPayload> {
  const checked = checkFields(what, value, payloadFields);
  if (!checked.ok) return withHint(checked, value);
  const { listings, occupancy, source } = checked.value;
  for (const [index, listing] of listings.entries()) {
    const name = `listing ${index + 1} of ${what}`;
    const one = checkFields(name, listing, listingFields);
    const problem = one.ok ? problemWithin(name, one.value, source.length) : one.problem;
    if (problem) return { ok: false, problem };
  }
  for (const [index, step] of occupancy.entries()) {
    const one = checkFields(`occupancy ${index + 1} of ${what}`, step, occupancyFields);
    if (!one.ok) return one;
  }
  return checked;
}

/** The columns beside the lines: an item for each, or none where that may be. */
function problemWithin(name: string, { lines, source, live, samples }: AsmListing, sourceLength: number): string | null {
  const lengths = { source: source.length, live: live.length || lines.length, samples: samples.length || lines.length };
  const uneven = Object.entries(lengths).find(([, length]) => length !== lines.length);
  if (uneven) return `"${uneven[0]}" of ${name} has ${uneven[1]} items but should have ${lines.length}, one for each line.`;
  const stray = source.find((line) => line > sourceLength);
  return stray === undefined ? null : `"source" of ${name} names line ${stray} but the source has ${sourceLength}.`;
}

/** Assembly of another version is the one mismatch that a reader can mend. */
function withHint(checked: { ok: false; problem: string }, value: unknown): { ok: false; problem: string } {
  const found = typeof value === "object" && value !== null ? (value as Record<string, unknown>)["version"] : undefined;
  if (typeof found !== "number" || found === version) return checked;
  return { ok: false, problem: `${checked.problem} Bring the kernel and the JupyterLab extension to the same version.` };
}
