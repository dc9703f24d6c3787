// Copies between two GPUs without the host: the memory of the one is mapped into the process of the other.
import { Capture } from "../device/capture.ts";
import type { DeviceProcess } from "../device/process.ts";
import { DeviceError } from "../errors.ts";
import { writeCopy } from "../wire/copy.ts";
import type { Storage } from "./storage.ts";

/** Of less the host makes a copy in the time that mapping takes. */
const leastBytes = 2 ** 22;
/** What drivers say of two GPUs that do not reach each other's memory. */
const refusals = ["PEER_ACCESS_UNSUPPORTED", "INVALID_DEVICE", "NOT_SUPPORTED"];
/** Pairs that were refused, by names: the host copies for them. */
const apart = new Set<string>();

/**
 * Copies so many bytes of `from`, from `offset` on, over the whole of `to`, after all work on either that was submitted
 * before, and waits for it. `false`, and nothing done: they are not on two GPUs that reach each other, or too little to
 * be worth it. Throws what the work before failed with, and TensorError RECORDED where it has not been run.
 */
export function copyFromPeer(to: Storage, from: Storage, offset: number, bytes: number): boolean {
  const [target, source] = [to.device, from.device];
  if (bytes < leastBytes || !areGpus(source, target) || target.execution.target instanceof Capture) return false;
  source.execution.checkRuns("read");
  source.execution.waitForAll();
  source.synchronize();
  const place = borrowed(target, from);
  if (place === null) return false;
  try {
    to.written(writeCopy(target.execution, to.place, place + offset, bytes), bytes);
    // The source's memory may be another tensor's afterwards.
    target.synchronize();
  } finally {
    target.giveBack(place);
  }
  return true;
}

const areGpus = (a: DeviceProcess, b: DeviceProcess) => a !== b && a.kind === "cuda" && b.kind === "cuda";

function borrowed(target: DeviceProcess, { device, place }: Storage): number | null {
  const pair = `${device.name} ${target.name}`;
  if (apart.has(pair)) return null;
  try {
    return target.borrow(device.client, place);
  } catch (error) {
    if (!(error instanceof DeviceError && refusals.some((name) => error.message.includes(name)))) throw error;
    apart.add(pair);
    return null;
  }
}
