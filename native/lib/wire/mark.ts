// Records that compute nothing: marks in a stream, and what a device process need not keep any longer.
import { headerBytes, Op } from "./commands.ts";
import { begin, type TargetStream } from "./target.ts";

/** A mark: it is done when all that was written to the stream before is done. Returns the sequence. */
export function writeFence(on: TargetStream): number {
  begin(on, Op.fence, headerBytes);
  return on.target.commit();
}

/** What follows on the stream begins after all that was written to the other before. Returns the sequence. */
export function writeStreamWait(on: TargetStream, other: number): number {
  return writeNumbered(on, Op.stream_wait, other);
}

/** Has an event be the place in the stream that has been reached. Returns the sequence. */
export function writeEventRecord(on: TargetStream, event: number): number {
  return writeNumbered(on, Op.event_record, event);
}

/** What follows on the stream begins after the event. Returns the sequence. */
export function writeEventWait(on: TargetStream, event: number): number {
  return writeNumbered(on, Op.event_wait, event);
}

/** Has the process forget an event. Returns the sequence. */
export function writeEventRelease(on: TargetStream, event: number): number {
  return writeNumbered(on, Op.event_release, event);
}

/** Unloads a module. Its kernels must not be launched again. Returns the sequence. */
export function writeUnload(on: TargetStream, module: number): number {
  return writeNumbered(on, Op.module_unload, module);
}

/** Unloads code with host functions. None of them must be called again. Returns the sequence. */
export function writeHostUnload(on: TargetStream, module: number): number {
  return writeNumbered(on, Op.host_unload, module);
}

/** Has the process forget a plan. It must not be run again before it has been planned again. Returns the sequence. */
export function writePlanRelease(on: TargetStream, plan: number): number {
  return writeNumbered(on, Op.plan_release, plan);
}

/** Has a texture hold what its memory holds, or its memory what the texture holds. Returns the sequence. */
export function writeTextureCopy(on: TargetStream, texture: number, toMemory: boolean): number {
  return writeNumbered(on, Op.texture_copy, texture, toMemory ? 1 : 0);
}

/** Has the process forget a texture. Returns the sequence. */
export function writeTextureRelease(on: TargetStream, texture: number): number {
  return writeNumbered(on, Op.texture_release, texture);
}

function writeNumbered(on: TargetStream, op: Op, number: number, second = 0): number {
  const { words } = begin(on, op, headerBytes + 8);
  words[headerBytes / 4] = number;
  words[headerBytes / 4 + 1] = second;
  return on.target.commit();
}
