// Checks the JSON of an output that says what held a device's memory: what the view can trust, or one sentence.
import type { ShortagePayload } from "../../../kernel/mime.ts";
import { trans } from "../drawing/trans.ts";
import { checkOutput, count, exactly, record, type Checked, type Expectations } from "../kernel-link/fields.ts";
import { problemOfDevice } from "./payload.ts";

const fields: Expectations<ShortagePayload> = { version: exactly(1), requested: count, memory: record };

/** Checks an output of type `application/vnd.warpcell.memory.v1+json` against kernel/mime.ts. */
export function checkShortage(value: unknown): Checked<ShortagePayload> {
  const checked = checkOutput(trans.__("a map of memory"), value, fields);
  if (!checked.ok) return checked;
  const problem = problemOfDevice(checked.value.memory);
  return problem === null ? checked : { ok: false, problem };
}
