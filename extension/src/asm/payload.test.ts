// Assembly that is not what it should be: each is one sentence that names the field, never an exception.
import { expect, test } from "vitest";
import type { AsmListing, AsmPayload } from "../../../kernel/mime.ts";
import { checkAsm } from "./payload.ts";

const listing: AsmListing = { name: "PTX", lines: ["a", "b"], source: [1, 0], live: [], samples: [3, 0] };
const payload: AsmPayload = { version: 1, kernel: "k", device: "cuda:0", arch: "sm_90a", title: "Cell [2]", cell: null, count: 2, source: ["x"], listings: [listing], registers: 8, shared: null, spills: 0, occupancy: [{ block: 32, percent: 50, limiter: "blocks" }], notes: [] };

test("assembly that keeps to the contract is taken as it is, also of nothing", () => {
  expect(checkAsm(payload)).toEqual({ ok: true, value: payload });
  expect(checkAsm({ ...payload, source: [], listings: [{ ...listing, lines: [], source: [], samples: [] }], occupancy: [] }).ok).toBe(true);
});

test.each<[string, unknown, string]>([
  ["nothing", null, "Expected a kernel's assembly to be a record of fields but got null."],
  ["another version", { ...payload, version: 2 }, 'Expected "version" of a kernel\'s assembly to be 1 but got 2. Bring the kernel and the JupyterLab extension to the same version.'],
  ["no source", { ...payload, source: undefined }, 'Expected "source" of a kernel\'s assembly to be a list of strings but got nothing.'],
  ["a source of numbers", { ...payload, source: ["a", 1] }, 'Expected "source" of a kernel\'s assembly to be a list of strings but got ["a",1].'],
  ["NaN registers", { ...payload, registers: NaN }, 'Expected "registers" of a kernel\'s assembly to be a whole number of 0 or more, or null but got null.'],
  ["negative spills", { ...payload, spills: -4 }, 'Expected "spills" of a kernel\'s assembly to be a whole number of 0 or more, or null but got -4.'],
  ["a listing in another language", { ...payload, listings: [{ ...listing, name: "constructor" }] }, 'Expected "name" of listing 1 of a kernel\'s assembly to be "PTX", "SASS" or "assembly" but got "constructor".'],
  ["a listing that is none", { ...payload, listings: [7] }, "Expected listing 1 of a kernel's assembly to be a record of fields but got 7."],
  ["too few lines of the source", { ...payload, listings: [{ ...listing, source: [1] }] }, 'Expected "source" of listing 1 of a kernel\'s assembly to have 2 items, one for each line, but got 1.'],
  ["too many samples", { ...payload, listings: [{ ...listing, samples: [1, 2, 3] }] }, 'Expected "samples" of listing 1 of a kernel\'s assembly to have 2 items, one for each line, but got 3.'],
  ["a line beyond the source", { ...payload, listings: [{ ...listing, source: [1, 9] }] }, "Expected listing 1 of a kernel's assembly to name lines of a source of 1 but got 9."],
  ["an occupancy above all", { ...payload, occupancy: [{ block: 32, percent: 101, limiter: "" }] }, 'Expected "percent" of occupancy 1 of a kernel\'s assembly to be a number from 0 to 100 but got 101.'],
])("%s", (_case, value, problem) => expect(checkAsm(value)).toEqual({ ok: false, problem }));
