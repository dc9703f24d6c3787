// How long work on the devices takes: batches of calls between two waits, as many as make the wait small, less what the
// same batch of nothing takes.
import { DeviceProcess } from "../device/process.ts";

/** A batch lasts at least this long, unless it has the most calls. Milliseconds. */
const leastBatch = 5;
const mostCalls = 1000;
/** What the clock can tell apart, in milliseconds: no work takes less. */
const resolution = 1e-6;

function synchronize(): void {
  for (const device of DeviceProcess.all()) device.synchronize();
}

function batch(run: () => void, calls: number): number {
  synchronize();
  const start = performance.now();
  for (let call = 0; call < calls; call++) run();
  synchronize();
  return performance.now() - start;
}

/**
 * Milliseconds a call, once for each of `repeats` batches, and the calls in a batch. `idle`: what a call costs that
 * does nothing.
 */
export function timeBatches(
  run: () => void,
  idle: () => void,
  repeats: number,
  warmup: number,
): { samples: number[]; calls: number } {
  for (let call = 0; call < warmup; call++) run();
  let calls = 1;
  // The least of three: one batch may wait for other programs.
  while (calls < mostCalls && Math.min(batch(run, calls), batch(run, calls), batch(run, calls)) < leastBatch)
    calls *= 2;
  calls = Math.min(calls, mostCalls);
  const overhead = Math.min(...Array.from({ length: 5 }, () => batch(idle, calls)));
  const samples = Array.from({ length: repeats }, () => Math.max(batch(run, calls) - overhead, resolution) / calls);
  return { samples, calls };
}
