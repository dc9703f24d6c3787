// Launches that are followed by the device: sends what it must know of the tensors, and has the next wait for the
// device throw what it found.
import { binding } from "../wire/binding.ts";
import { CheckError, type CheckFinding, type Diagnostic, type WarpcellError } from "../errors.ts";
import { addresses } from "../device/addresses.ts";
import { callerPlace, origin, originPlace, placeText, type CodePlace } from "../device/origins.ts";
import type { DeviceProcess } from "../device/process.ts";
import { DeviceArray } from "../memory/array.ts";
import { factsOf } from "../memory/dtype.ts";
import { formatShape, sizeOf } from "../memory/shape.ts";
import type { Storage } from "../memory/storage.ts";
import type { Brought } from "./shared-code.ts";
import { counting } from "./line-counts.ts";
import { following } from "./thread-steps.ts";
import { findingsOf, type CheckedTensor, type DeviceFinding, type Subject } from "./check-sentences.ts";

/** What a kernel was compiled from. */
export interface FollowedSource {
  readonly source: string;
  /** What the compiler calls the source. */
  readonly name: string;
  /** What the compiler had to say of the source, which is told once. */
  readonly warnings: Diagnostic[];
  /** What it uses of other sources. */
  readonly brought: Brought;
}

/** A launch as its plan has checked and laid it out. */
export interface FollowedLaunch extends FollowedSource {
  readonly device: DeviceProcess;
  readonly kernel: string;
  readonly record: Uint8Array;
  /** The tensors among the arguments, with the names of their parameters. */
  readonly tensors: readonly { readonly name: string; readonly array: DeviceArray; readonly isWritten: boolean }[];
  /** The other arguments. */
  readonly numbers: readonly unknown[];
  readonly grid: readonly number[];
  readonly block: readonly number[];
}

/** What is known of memory that nothing but checked launches has written to since it was allocated: its version then. */
const onlyChecked = new WeakMap<Storage, number>();

function stateOf(storage: Storage): "new" | "known" | "old" {
  if (storage.version === 0) return "new";
  return onlyChecked.get(storage) === storage.version ? "known" : "old";
}

/** A cell that keeps addresses: a pointer among its variables. */
const keepsAddresses = /__(?:device|constant|managed)__[^;(){}=]*\*[^;(){}=]*[;=[]/;

/** Whether a kernel may have addresses of other tensors than its arguments. */
function mayHaveAddresses({ source, numbers, tensors }: FollowedLaunch): boolean {
  if (keepsAddresses.test(source)) return true;
  if (!addresses.areGiven) return false;
  const hasWide = tensors.some(({ array }) => array.dtype === "int64" || array.dtype === "uint64");
  return hasWide || numbers.some((value) => typeof value === "bigint");
}

/** Runs a launch, which is done when this returns. `written`: notes that the tensors may have been written. */
export function followLaunch(launch: FollowedLaunch, written: () => void): void {
  const { device, kernel, source, name, tensors, grid, block } = launch;
  const counter = counting.current;
  const follower = following.current?.isDone === false ? following.current : null;
  const hasAddresses = mayHaveAddresses(launch);
  const answer = device.request("check", {
    launch: launch.record,
    arguments: tensors.map(({ array, isWritten }) =>
      [array.place, array.bytes, factsOf(array.dtype).bytes, stateOf(array.living()), isWritten ? 0 : 1].join(" "),
    ),
    blocks: hasAddresses ? blocksOf(device) : [],
    hasAddresses,
    counts: counter !== null,
    followed: follower?.followed(kernel, grid, block) ?? "",
  });
  const sources = [{ name, source }, ...launch.brought.sources];
  const subjects = answer.subjects.map((each) => JSON.parse(each) as Subject);
  counter?.add(sources, answer.counts);
  const unwritten = tensors.map(({ array }) => array.living()).filter((storage) => stateOf(storage) !== "old");
  written();
  for (const storage of unwritten) onlyChecked.set(storage, storage.version);

  const checked: CheckedTensor[] = tensors.map(({ name: parameter, array }) => ({
    name: parameter,
    dtype: array.dtype,
    shape: array.shape,
    element: factsOf(array.dtype).bytes,
  }));
  follower?.add({ kernel, sources, tensors: checked, subjects }, answer.steps);
  const findings = findingsOf(
    { kernel, source, name, tensors: checked, subjects },
    answer.findings.map((each) => JSON.parse(each) as DeviceFinding),
  );
  const warnings = launch.warnings.splice(0).sort((a, b) => a.line - b.line);
  findings.push(...warnings.map((warning) => warningOf(kernel, warning)));
  findings.push(...unreached(launch, answer.reached));
  if (findings.length > 0) pendingOf(device).push({ findings, place: originPlace(origin.current) ?? callerPlace() });
}

/** Where tensors lie. */
function blocksOf(device: DeviceProcess): string[] {
  const numbers = binding.blocks(device.client);
  const found: string[] = [];
  // Segment, place, bytes and origin of each, which is −1 where it is free.
  for (let at = 0; at < numbers.length; at += 4)
    if (numbers[at + 3]! >= 0) found.push(`${numbers[at + 1]} ${numbers[at + 2]}`);
  return found;
}

function warningOf(kernel: string, { line, message }: Diagnostic): CheckFinding {
  const said = message.replace(/ \[-W[^\]]*\]$/, "").replace(/\.$/, "");
  return {
    kind: "warning",
    kernel,
    line,
    otherLine: undefined,
    sentence: `The compiler says of line ${line}: ${said}.`,
    threads: 0,
    block: undefined,
    thread: undefined,
  };
}

/**
 * Elements of an output that no thread wrote where that is clear: a kernel that was told the number of elements, each
 * of whose threads wrote one, and fewer threads than elements.
 */
function unreached(launch: FollowedLaunch, reached: readonly string[]): CheckFinding[] {
  const { kernel, tensors, numbers, grid, block } = launch;
  const threads = sizeOf(grid) * sizeOf(block);
  return tensors.flatMap(({ name, array, isWritten }, index) => {
    const [elements, prefix] = reached[index]!.split(" ").map(Number);
    const size = sizeOf(array.shape);
    const isTold = numbers.some((value) => value === size);
    if (!isWritten || !isTold || elements !== threads || prefix !== threads || threads >= size) return [];
    return [
      {
        kind: "unreached",
        kernel,
        line: undefined,
        otherLine: undefined,
        sentence: `Kernel ${kernel} leaves out ${size - threads} of the ${size} elements of ${name} (${array.dtype}, shape ${formatShape(array.shape)}): the grid has ${threads} threads, and each wrote one element, the last ${name}[${threads - 1}]. Launch it with ${kernel}.over(${size})(…), or with more blocks.`,
        threads: 0,
        block: undefined,
        thread: undefined,
      },
    ];
  });
}

interface Pending {
  readonly findings: readonly CheckFinding[];
  readonly place: CodePlace | undefined;
}

const pending = new WeakMap<DeviceProcess, Pending[]>();

function pendingOf(device: DeviceProcess): Pending[] {
  const known = pending.get(device);
  if (known !== undefined) return known;
  const fresh: Pending[] = [];
  pending.set(device, fresh);
  device.onWait(() => errorOf(fresh.splice(0)));
  return fresh;
}

const shown = 20;

/** One error of all that was found since the last wait. */
function errorOf(launches: readonly Pending[]): WarpcellError | undefined {
  const [first] = launches;
  if (first === undefined) return undefined;
  const findings: CheckFinding[] = [];
  for (const each of launches.flatMap((launch) => launch.findings)) {
    const isKnown = findings.some(
      ({ kind, kernel, line, sentence }) =>
        kind === each.kind &&
        kernel === each.kernel &&
        (line === undefined ? sentence === each.sentence : line === each.line),
    );
    if (!isKnown) findings.push(each);
  }
  const launched = first.place === undefined ? "" : ` (launched at ${placeText(first.place)})`;
  if (findings.length === 1)
    return new CheckError("CHECK", `${findings[0]!.sentence.replace(/\.$/, "")}${launched}.`, findings, first.place);
  const lines = findings.slice(0, shown).map(({ sentence }, index) => `  ${index + 1}. ${sentence}`);
  const more = findings.length > shown ? `\n  … and ${findings.length - shown} more.` : "";
  return new CheckError(
    "CHECK",
    `The check found ${findings.length} mistakes${launched}:\n${lines.join("\n")}${more}`,
    findings,
    first.place,
  );
}
