// Whether operations are recorded on the tape.
import { recordWith } from "../ops/apply.ts";
import { recordInPlace } from "./in-place.ts";
import { record } from "./tape.ts";

/** Has every operation recorded from now on. */
export function startRecording(): void {
  recordWith({ record, recordInPlace });
}

/** Runs `fn` with recording on or off. */
export function withRecording<T>(on: boolean, fn: () => T): T {
  const previous = recordWith(on ? { record, recordInPlace } : null);
  try {
    return fn();
  } finally {
    recordWith(previous);
  }
}
