// The report of a fault: turns error records and the launches in flight into the errors that a user reads.
import type { ErrorRecord, FlightRecord } from "../wire/binding.ts";
import { DeviceFault, type FaultCandidate, InterruptedError, LaunchError, WarpcellError } from "../errors.ts";
import { kernelName, originText } from "./origins.ts";

/** What a device process left behind when it ended. */
export interface Loss {
  device: string;
  /** How the process ended, as `binding.state` says it. */
  state: string;
  records: ErrorRecord[];
  /** Launches that may not have finished, oldest first. */
  flights: FlightRecord[];
  /** Arrays outlived the process. */
  shareable: boolean;
}

/** "Expected kernel k to …, but it …", by the code of the fault: the CPU device's codes, and CUDA's own names. */
const sentences: Record<string, [expected: string, happened: string]> = {
  ILLEGAL_ADDRESS: ["stay inside its arrays", "accessed an illegal address"],
  MISALIGNED_ADDRESS: ["access aligned addresses", "accessed a misaligned address"],
  INVALID_ADDRESS_SPACE: ["use each pointer in its own address space", "used one in another"],
  INVALID_PC: ["stay inside its own code", "jumped out of it"],
  ILLEGAL_INSTRUCTION: ["execute valid instructions", "met an illegal one"],
  HARDWARE_STACK_ERROR: ["stay inside its stack", "corrupted or overflowed it"],
  STACK_OVERFLOW: ["stay inside its stack", "overflowed it"],
  DIVISION_BY_ZERO: ["divide integers by numbers other than zero", "divided by zero"],
  DEADLOCK: ["bring all threads to every barrier", "deadlocked"],
  NOT_COOPERATIVE: ["be launched cooperatively before it waits for the whole grid", "was launched without"],
  WARP_MASK: ["name the calling lane in every mask", "left it out"],
  TRAP: ["finish", "stopped itself with a trap"],
  ASSERT: ["keep its assertions", "broke one"],
  LAUNCH_FAILED: ["finish", "failed on the device"],
  LAUNCH_TIMEOUT: ["finish in time", "ran longer than the system allows"],
};

const kept = "The arrays are kept; those that it may have been writing are marked.";
const gone = "This device has no shareable memory: its arrays are lost.";

/** The error of a process that died or reported a fatal fault. */
export function faultOf(loss: Loss): DeviceFault {
  const record = loss.records.find(({ fatal }) => fatal);
  const suspects = record === undefined ? loss.flights : loss.flights.filter(({ sequence }) => sequence >= record.sequence && sequence <= record.last);
  const candidates = suspects.map(candidate);
  const first = candidates[0];
  const code = record?.code ?? "DIED";

  const place = record?.block && record.thread ? ` (block ${record.block.join(",")} thread ${record.thread.join(",")})` : "";
  const launched = first?.where === undefined ? "" : `, launched at ${first.where}`;
  const others = candidates.length > 1 ? ` It is the first of ${candidates.length} launches that had not finished; any of them may be to blame.` : "";
  const details = record?.text ? ` Seen by the device: ${finding(record.text)}.` : "";

  return new DeviceFault(code, `${opening(loss, record, first)}${place}${launched}.${details}${others} ${loss.shareable ? kept : gone}`, {
    device: loss.device,
    kernel: first?.kernel,
    where: first?.where,
    block: record?.block,
    thread: record?.thread,
    sequence: first?.sequence,
    candidates,
  });
}

function opening(loss: Loss, record: ErrorRecord | undefined, first: FaultCandidate | undefined): string {
  const program = `the device process of ${loss.device}`;
  const subject = first === undefined ? program : `kernel ${first.kernel}`;
  if (record === undefined) return first === undefined ? `Expected ${program} to live, but it ended (${loss.state})` : `Expected ${subject} to finish, but ${program} ended (${loss.state})`;

  const known = sentences[record.code];
  if (known === undefined) return `Expected ${subject} to finish, but ${loss.device} reported ${record.code}`;
  return `Expected ${subject} to ${known[0]}, but it ${known[1]}`;
}

/** The error of a command that the device refused and survived, such as a launch beyond its limits. */
export function refusalOf(record: ErrorRecord, device: string, flights: FlightRecord[]): WarpcellError {
  const launch = flights.map(candidate).at(0);
  const origin = launch === undefined ? "" : ` (kernel ${launch.kernel}${launch.where === undefined ? "" : `, launched at ${launch.where}`})`;
  const text = `${withoutStop(record.text)}${origin}.`;

  if (record.code === "INVALID_LAUNCH") return new LaunchError(record.code, text);
  const facts = { device, kernel: launch?.kernel, where: launch?.where, sequence: record.sequence, candidates: launch === undefined ? [] : [launch] };
  return new DeviceFault(record.code, text, facts);
}

/** The error of work that was interrupted. */
export function interruptionOf(loss: Loss): InterruptedError {
  const first = loss.flights.map(candidate).at(0);
  const subject = first === undefined ? loss.device : `kernel ${first.kernel}`;
  const launched = first?.where === undefined ? "" : `, launched at ${first.where}`;
  return new InterruptedError(`Expected ${subject} to finish but it was interrupted${launched}. ${loss.shareable ? kept : gone}`, loss.device, first?.kernel, first?.where);
}

function candidate({ sequence, kernel, origin }: FlightRecord): FaultCandidate {
  return { sequence, kernel: kernelName(kernel), where: originText(origin) };
}

function withoutStop(text: string): string {
  return text.replace(/[.\s]+$/, "");
}

/** Of a device's "Expected … but …", what it found. */
function finding(text: string): string {
  return withoutStop(text.replace(/^Expected .*? but /, ""));
}
