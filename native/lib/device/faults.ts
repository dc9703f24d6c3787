// The report of a fault: turns error records and the launches in flight into the errors that a user reads.
import type { ErrorRecord, FlightRecord } from "../wire/binding.ts";
import { DeviceFault, type FaultCandidate, InterruptedError, LaunchError, WarpcellError } from "../errors.ts";
import { kernelName, originPlace, placeText, type CodePlace } from "./origins.ts";

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

/** What kernel k did, by the code of the fault: the CPU device's codes, and CUDA's own names. */
const deeds: Record<string, string> = {
  ILLEGAL_ADDRESS: "accessed an illegal address",
  MISALIGNED_ADDRESS: "accessed a misaligned address",
  INVALID_ADDRESS_SPACE: "used a pointer in the wrong address space",
  INVALID_PC: "jumped out of its code",
  ILLEGAL_INSTRUCTION: "ran an illegal instruction",
  HARDWARE_STACK_ERROR: "overflowed or corrupted its stack",
  STACK_OVERFLOW: "overflowed its stack",
  DIVISION_BY_ZERO: "divided an integer by zero",
  DEADLOCK: "deadlocked",
  NOT_COOPERATIVE: "waits for the whole grid but was not launched cooperatively",
  TEXTURE: "used a texture or a surface in a way that it does not have",
  WARP_MASK: "called a warp intrinsic with a mask that leaves out the calling lane",
  TRAP: "stopped itself with a trap",
  ASSERT: "failed an assertion",
  LAUNCH_FAILED: "failed on the device",
  LAUNCH_TIMEOUT: "ran longer than the system allows",
};

const kept = "The arrays are kept; those that a kernel may have been writing are marked.";
const gone = "This device has no shareable memory: its arrays are lost.";

/** The error of a process that died or reported a fatal fault. */
export function faultOf(loss: Loss): DeviceFault {
  const record = loss.records.find(({ fatal }) => fatal);
  const suspects =
    record === undefined
      ? loss.flights
      : loss.flights.filter(({ sequence }) => sequence >= record.sequence && sequence <= record.last);
  const candidates = suspects.map(candidate);
  const first = candidates[0];
  const code = record?.code ?? "DIED";

  // The process says itself whose it is.
  if (code === "HOST_FUNCTION")
    return new DeviceFault(code, `${withoutStop(record!.text)}. ${loss.shareable ? kept : gone}`, {
      device: loss.device,
      kernel: undefined,
      place: undefined,
      sequence: record!.sequence,
      candidates,
    });
  const others =
    candidates.length > 1
      ? ` This launch is the first of ${candidates.length} that had not finished; any of them may be to blame.`
      : "";
  const details = record?.text ? ` ${withoutStop(record.text)}.` : "";

  return new DeviceFault(code, `${opening(loss, record, first)}${details}${others} ${loss.shareable ? kept : gone}`, {
    device: loss.device,
    kernel: first?.kernel,
    place: first?.place,
    block: record?.block,
    thread: record?.thread,
    sequence: first?.sequence,
    candidates,
  });
}

function opening(loss: Loss, record: ErrorRecord | undefined, first: FaultCandidate | undefined): string {
  const subject = first === undefined ? `The device process of ${loss.device}` : `Kernel ${first.kernel}`;
  const place = placeOf(
    record?.block && record.thread ? `block ${record.block.join(",")} thread ${record.thread.join(",")}` : undefined,
    first?.place,
  );
  if (record === undefined)
    return first === undefined
      ? `${subject} ended (${loss.state}).`
      : `${subject} did not finish${place}: the device process of ${loss.device} ended (${loss.state}).`;

  const deed = deeds[record.code];
  return deed === undefined
    ? `${subject} failed${place}: ${loss.device} reported ${record.code}.`
    : `${subject} ${deed}${place}.`;
}

function placeOf(thread: string | undefined, place: CodePlace | undefined): string {
  const launched = place === undefined ? undefined : `launched at ${placeText(place)}`;
  const facts = [thread, launched].filter((fact) => fact !== undefined);
  return facts.length === 0 ? "" : ` (${facts.join("; ")})`;
}

/** The error of a command that the device refused and survived, such as a launch beyond its limits. */
export function refusalOf(record: ErrorRecord, device: string, flights: FlightRecord[]): WarpcellError {
  const launch = flights.map(candidate).at(0);
  const origin =
    launch === undefined
      ? ""
      : ` (kernel ${launch.kernel}${launch.place === undefined ? "" : `, launched at ${placeText(launch.place)}`})`;
  const text = `${withoutStop(record.text)}${origin}.`;

  if (record.code === "INVALID_LAUNCH") return new LaunchError(record.code, text, launch?.place);
  const facts = {
    device,
    kernel: launch?.kernel,
    place: launch?.place,
    sequence: record.sequence,
    candidates: launch === undefined ? [] : [launch],
  };
  return new DeviceFault(record.code, text, facts);
}

/** The error of work that was interrupted. */
export function interruptionOf(loss: Loss): InterruptedError {
  const first = loss.flights.map(candidate).at(0);
  const subject = first === undefined ? `The work on ${loss.device}` : `Kernel ${first.kernel}`;
  return new InterruptedError(
    `${subject} was interrupted${placeOf(undefined, first?.place)}. ${loss.shareable ? kept : gone}`,
    loss.device,
    first?.kernel,
    first?.place,
  );
}

function candidate({ sequence, kernel, origin }: FlightRecord): FaultCandidate {
  return { sequence, kernel: kernelName(kernel), place: originPlace(origin) };
}

function withoutStop(text: string): string {
  return text.replace(/[.\s]+$/, "");
}
