// Whether operations are recorded on the tape.
import { recording, type Recorder } from "../ops/core/hooks.ts";
import { recordInPlace } from "./in-place.ts";
import { record } from "./tape.ts";

const tape: Recorder = { record, recordInPlace };

/** Has every operation recorded from now on. */
export function startRecording(): void {
  recording.begin(tape);
}

/** Runs `fn` with recording on or off. */
export function withRecording<T>(on: boolean, fn: () => T): T {
  return recording.run(on ? tape : null, fn);
}
