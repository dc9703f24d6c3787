// What the samples of a kernel say in words: why its warps did not go on.
import { percent } from "../figures.ts";
import { sumOf, type SampleCounts } from "./samples.ts";

/** By the name that NVIDIA's tools have for it. */
const waits: Readonly<Record<string, string>> = {
  "long scoreboard": "wait for global or local memory",
  "short scoreboard": "wait for shared memory or a special function",
  "lg throttle": "wait for room in the queue of loads and stores",
  "mio throttle": "wait for room in the queue of shared memory and special functions",
  "tex throttle": "wait for room in the queue of texture reads",
  "math pipe throttle": "wait for arithmetic units that are busy",
  "imc miss": "wait for constants",
  "no instructions": "wait for instructions to be fetched",
  "branch resolving": "wait for a branch to be decided",
  barrier: "wait at a barrier of their block",
  membar: "wait at a memory fence",
  drain: "wait for their last stores",
  wait: "wait a fixed time for the instruction before",
  "dispatch stall": "wait for the dispatcher",
  sleeping: "sleep",
  gmma: "wait for matrix instructions",
  "warpgroup arrive": "wait for their group of warps",
};

/** What most samples have in common: "68.0 % long scoreboard"; `null` where there are none. */
export function mostText(samples: SampleCounts): string | null {
  const [reason, count] = most(samples);
  return count === 0 ? null : `${percent(count / sumOf(samples))} ${reason}`;
}

/**
 * "68.0 % of its samples wait for global or local memory (long scoreboard)" where that holds for at least half of them,
 * else `null`.
 */
export function waitText(samples: SampleCounts): string | null {
  const [reason, count] = most(samples);
  const words = waits[reason];
  const share = count / sumOf(samples);
  return words === undefined || !(share >= 0.5) ? null : `${percent(share)} of its samples ${words} (${reason})`;
}

function most(samples: SampleCounts): [string, number] {
  return Object.entries(samples).reduce<[string, number]>(
    (best, entry) => (entry[1] > best[1] ? entry : best),
    ["", 0],
  );
}
