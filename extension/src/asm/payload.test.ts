// Assembly that is not what it should be: each is one sentence that names the field, never an exception.
import { expect, test } from "vitest";
import type { AsmListing, AsmPayload } from "../../../kernel/mime.ts";
import { checkAsm } from "./payload.ts";

const listing: AsmListing = { name: "PTX", lines: ["a", "b"], source: [1, 0], live: [], samples: [3, 0] };
const payload: AsmPayload = {
  version: 1,
  kernel: "k",
  device: "cuda:0",
  arch: "sm_90a",
  title: "Cell [2]",
  cell: null,
  count: 2,
  source: ["x"],
  listings: [listing],
  registers: 8,
  shared: null,
  spills: 0,
  occupancy: [{ block: 32, percent: 50, limiter: "blocks" }],
  notes: [],
};

test("assembly that keeps to the contract is taken as it is, also of nothing", () => {
  expect(checkAsm(payload)).toEqual({ ok: true, value: payload });
  expect(
    checkAsm({ ...payload, source: [], listings: [{ ...listing, lines: [], source: [], samples: [] }], occupancy: [] })
      .ok,
  ).toBe(true);
});

test.each<[string, unknown, string]>([
  ["nothing", null, "A kernel's assembly is null but should be a record of fields."],
  [
    "another version",
    { ...payload, version: 2 },
    '"version" of a kernel\'s assembly is 2 but should be 1. Bring the kernel and the JupyterLab extension to the same version.',
  ],
  [
    "no source",
    { ...payload, source: undefined },
    '"source" of a kernel\'s assembly is missing but should be a list of strings.',
  ],
  [
    "a source of numbers",
    { ...payload, source: ["a", 1] },
    '"source" of a kernel\'s assembly is ["a",1] but should be a list of strings.',
  ],
  [
    "NaN registers",
    { ...payload, registers: NaN },
    '"registers" of a kernel\'s assembly is null but should be a whole number ≥ 0 or null.',
  ],
  [
    "negative spills",
    { ...payload, spills: -4 },
    '"spills" of a kernel\'s assembly is -4 but should be a whole number ≥ 0 or null.',
  ],
  [
    "a listing in another language",
    { ...payload, listings: [{ ...listing, name: "constructor" }] },
    '"name" of listing 1 of a kernel\'s assembly is "constructor" but should be "PTX", "SASS" or "assembly".',
  ],
  [
    "a listing that is none",
    { ...payload, listings: [7] },
    "Listing 1 of a kernel's assembly is 7 but should be a record of fields.",
  ],
  [
    "too few lines of the source",
    { ...payload, listings: [{ ...listing, source: [1] }] },
    '"source" of listing 1 of a kernel\'s assembly has 1 items but should have 2, one for each line.',
  ],
  [
    "too many samples",
    { ...payload, listings: [{ ...listing, samples: [1, 2, 3] }] },
    '"samples" of listing 1 of a kernel\'s assembly has 3 items but should have 2, one for each line.',
  ],
  [
    "a line beyond the source",
    { ...payload, listings: [{ ...listing, source: [1, 9] }] },
    '"source" of listing 1 of a kernel\'s assembly names line 9 but the source has 1.',
  ],
  [
    "an occupancy above all",
    { ...payload, occupancy: [{ block: 32, percent: 101, limiter: "" }] },
    '"percent" of occupancy 1 of a kernel\'s assembly is 101 but should be a number from 0 to 100.',
  ],
])("%s", (_case, value, problem) => expect(checkAsm(value)).toEqual({ ok: false, problem }));
