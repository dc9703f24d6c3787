// Hands events to the supervisor. Each write waits until the pipe has taken it, so that a cell prints as fast as it is
// read, and no faster.
import { writeSync } from "node:fs";
import { eventDescriptor, type Event } from "../../session-protocol.ts";
import { frameOf } from "../../session-protocol-frames.ts";

/** Throws what structured clone throws for a value that cannot travel. */
export function sendEvent(event: Event): void {
  const frame = frameOf(event);
  try {
    for (let sent = 0; sent < frame.byteLength; ) sent += writeSync(eventDescriptor, frame, sent);
  } catch (error) {
    // A cell has closed the pipe, or the supervisor is gone: whoever is left of them ends this process.
    if (!["EBADF", "EPIPE", "ECONNRESET"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
