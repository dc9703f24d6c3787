// What a checked launch found, in words: turns what the device reports into a sentence for each mistake, the worst
// first.
import type { CheckFinding } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { formatShape, sizeOf, type Shape } from "../memory/shape.ts";
import { isConditional } from "./conditional.ts";

/** A finding as the device process writes it (engine/cpu/check/findings.cc). */
export interface DeviceFinding {
  readonly kind: keyof typeof sentences;
  readonly file: string;
  readonly line: number;
  readonly otherFile: string;
  readonly otherLine: number;
  readonly subject: number;
  readonly offset: number;
  readonly address: string;
  readonly bytes: number;
  readonly isWrite: boolean;
  readonly isAtomic: boolean;
  readonly otherIsWrite: boolean;
  readonly otherIsAtomic: boolean;
  readonly detail: string;
  readonly threads: number;
  readonly block: readonly number[];
  readonly thread: readonly number[];
  readonly otherBlock?: readonly number[];
  readonly otherThread?: readonly number[];
}

/** What memory a finding is about: a tensor that the launch was given comes first, by its number. */
export interface Subject {
  readonly name: string;
  readonly bytes: number;
  readonly space: "argument" | "shared" | "dynamic" | "variable";
}

/** A tensor that a launch was given. */
export interface CheckedTensor {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: Shape;
  /** Bytes of an element. */
  readonly element: number;
}

export interface CheckedLaunch {
  readonly kernel: string;
  readonly source: string;
  /** What the compiler calls the source. */
  readonly name: string;
  readonly tensors: readonly CheckedTensor[];
  readonly subjects: readonly Subject[];
}

interface Told extends CheckedLaunch {
  readonly found: DeviceFinding;
}

const triple = (index: readonly number[]) => `(${index.join(", ")})`;

/** "in line 5, `y[i] = x[i];`". `file`: as the compiler names it; "": the launch's own. */
function inLine({ source, name }: CheckedLaunch, line: number, file = ""): string {
  if (line === 0) return "in a line that the compiler does not name";
  if (file !== "" && file !== name && !file.endsWith(`/${name}`))
    return `in line ${line} of ${file.slice(file.lastIndexOf("/") + 1)}`;
  const text = source.split("\n")[line - 1]?.trim() ?? "";
  const shown = text.length > 80 ? `${text.slice(0, 77)}…` : text;
  return shown === "" ? `in line ${line}` : `in line ${line}, \`${shown}\``;
}

/** "block (3, 0, 0), thread (5, 0, 0), and in 24 other threads". */
function inThreads({ found }: Told): string {
  const more = found.threads - 1;
  const others = more === 0 ? "" : `, and in ${more} other thread${more === 1 ? "" : "s"}`;
  return `block ${triple(found.block)}, thread ${triple(found.thread)}${others}`;
}

const place = (told: Told) => `${inLine(told, told.found.line, told.found.file)}, ${inThreads(told)}`;

function verb({ isWrite, isAtomic }: { isWrite: boolean; isAtomic: boolean }): string {
  if (isAtomic) return isWrite ? "changes" : "reads";
  return isWrite ? "writes" : "reads";
}

const described = ({ name, dtype, shape }: CheckedTensor) => `${name} (${dtype}, shape ${formatShape(shape)})`;

/** "x[1000], one past the end of x (float32, shape [1000])". */
function beyond(told: Told): string {
  const { found, tensors, subjects } = told;
  const tensor = tensors[found.subject];
  if (tensor !== undefined) {
    const index = Math.floor(found.offset / tensor.element);
    const size = sizeOf(tensor.shape);
    const away = index < 0 ? -index : index - size + 1;
    const side = index < 0 ? "before the start" : "past the end";
    return `${tensor.name}[${index}], ${away === 1 ? "one" : away} ${side} of ${described(tensor)},`;
  }
  const { name, bytes, space } = subjects[found.subject]!;
  const side = found.offset < 0 ? "before the start" : "past the end";
  if (space === "dynamic")
    return `byte ${found.offset} of the dynamic shared memory, of which the launch gives a block ${bytes} bytes,`;
  const kind = space === "shared" ? "shared memory" : "a variable of the device";
  return `${ordinal(found)} of ${name} (${kind}, ${bytes} bytes), ${side} of it,`;
}

/** "element 3", by the size of the access. */
function ordinal({ offset, bytes }: DeviceFinding): string {
  return bytes > 0 && offset % bytes === 0 ? `element ${offset / bytes}` : `byte ${offset}`;
}

/** "x[3]", "element 3 of s". */
function element({ found, tensors, subjects }: Told): string {
  const tensor = tensors[found.subject];
  if (tensor !== undefined) return `${tensor.name}[${Math.floor(found.offset / tensor.element)}]`;
  const subject = subjects[found.subject];
  if (subject === undefined) return "memory";
  if (subject.space === "dynamic") return `byte ${found.offset} of the dynamic shared memory`;
  if (subject.bytes === found.bytes) return subject.name;
  return `${ordinal(found)} of ${subject.name}`;
}

const isSame = (a: readonly number[], b: readonly number[]) => a.every((each, axis) => each === b[axis]);

function race(told: Told): string {
  const { kernel, found } = told;
  const isOneBlock = isSame(found.block, found.otherBlock!);
  const other = verb({ isWrite: found.otherIsWrite, isAtomic: found.otherIsAtomic });
  const isOneLine = found.otherLine === found.line && found.otherFile === found.file;
  const otherLine = isOneLine ? "in the same line" : inLine(told, found.otherLine, found.otherFile);
  const whose = isOneBlock
    ? `thread ${triple(found.otherThread!)} of the same block`
    : `thread ${triple(found.otherThread!)} of block ${triple(found.otherBlock!)}`;
  const remedy = isOneBlock
    ? "with no barrier between the two: put __syncthreads() there, or use an atomic function"
    : "and blocks run in any order: use an atomic function, or a launch of its own";
  return `Kernel ${kernel} has a race on ${element(told)}: it ${verb(found)} it ${place(told)}, while ${whose} ${other} it ${otherLine}, ${remedy}.`;
}

function unwritten(told: Told): string {
  const { kernel, found, tensors, subjects } = told;
  const tensor = tensors[found.subject];
  const space =
    tensor !== undefined
      ? `nothing has written since ${tensor.name} (${tensor.dtype}, shape ${formatShape(tensor.shape)}) was made`
      : `no thread of the block has written${subjects[found.subject]?.space === "variable" ? "" : ": shared memory begins with anything"}`;
  return `Kernel ${kernel} reads ${element(told)}, which ${space}, ${place(told)}.`;
}

/** "32 in line 3 and 32 in line 5" of "3:32,5:32". */
function waiting(detail: string): string {
  return detail
    .split(",")
    .map((each) => each.split(":"))
    .map(([line, count]) => `${count} in line ${line}`)
    .join(" and ");
}

const alignmentText = (detail: string) => {
  const [bytes, ...type] = detail.split(" ");
  return `an address that is no multiple of ${bytes}, which ${type
    .join(" ")
    .replaceAll("'", "")
    .replace(/^const /, "")} needs`;
};

/** By kind, from the worst to a hint. `null`: it is none after all. */
const sentences = {
  null: (told: Told) => `Kernel ${told.kernel} uses a null pointer ${place(told)}.`,
  address: (told: Told) =>
    Number(told.found.address) < 4096
      ? `Kernel ${told.kernel} ${verb(told.found)} what a null pointer points to, ${place(told)}.`
      : `Kernel ${told.kernel} ${verb(told.found)} address 0x${BigInt(told.found.address).toString(16)}, which is in no tensor, ${place(told)}.`,
  disposed: (told: Told) =>
    `Kernel ${told.kernel} ${verb(told.found)} memory that no tensor has any more, one that was disposed of perhaps, ${place(told)}.`,
  bounds: (told: Told) => `Kernel ${told.kernel} ${verb(told.found)} ${beyond(told)} ${place(told)}.`,
  index: (told: Told) => {
    const [index, ...type] = told.found.detail.split(" ");
    return `Kernel ${told.kernel} uses index ${index} of an array ${type.join(" ").replaceAll("'", "")} ${place(told)}.`;
  },
  alignment: (told: Told) => `Kernel ${told.kernel} uses ${alignmentText(told.found.detail)}, ${place(told)}.`,
  division: (told: Told) => {
    const [left, right] = told.found.detail.split(",");
    return `Kernel ${told.kernel} divides the integer ${left} by ${right} ${place(told)}.`;
  },
  race,
  stuck: (told: Told) =>
    `Not every thread of block ${triple(told.found.block)} of kernel ${told.kernel} comes to the same barrier: ${told.found.detail}.`,
  barrier: (told: Told) =>
    `Threads of block ${triple(told.found.block)} of kernel ${told.kernel} wait at different barriers: ${waiting(told.found.detail)}; every thread must come to the same __syncthreads().`,
  ended: (told: Told) => {
    const { found, kernel } = told;
    if (!isConditional(told.source, found.line)) return null;
    const count = found.detail.split(":")[1]!;
    return `Only ${count} of ${found.bytes} threads of block ${triple(found.block)} of kernel ${kernel} wait at the barrier ${inLine(told, found.line)}: ${found.offset} have ended without coming to it.`;
  },
  mask: (told: Told) =>
    `Kernel ${told.kernel} calls a warp intrinsic with the mask ${told.found.detail}, which leaves out the calling lane ${told.found.offset}, ${place(told)}.`,
  shuffle: (told: Told) =>
    `Kernel ${told.kernel} takes a value by a shuffle from a lane that does not take part: the mask names the lanes ${told.found.detail}, which have ended, ${place(told)}.`,
  unwritten,
  overflow: (told: Told) =>
    `Kernel ${told.kernel} computes ${told.found.detail}, which an integer of that type cannot hold, ${place(told)}.`,
  shift: (told: Told) => {
    const [left, right] = told.found.detail.split(",");
    return `Kernel ${told.kernel} shifts ${left} by ${right} bits, which is not less than its width, ${place(told)}.`;
  },
} as const satisfies Record<string, (told: Told) => string | null>;

const order = Object.keys(sentences);

/** The findings of a launch in words. Those of one kind, line and subject are one. */
export function findingsOf(launch: CheckedLaunch, found: readonly DeviceFinding[]): CheckFinding[] {
  const merged = new Map<string, DeviceFinding>();
  for (const each of found) {
    const known = [...merged.entries()].find(([, other]) => isOne(each, other));
    if (known === undefined) merged.set(String(merged.size), each);
    else merged.set(known[0], { ...known[1], threads: Math.max(known[1].threads, each.threads) });
  }
  return [...merged.values()]
    .sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || Number(b.isWrite) - Number(a.isWrite))
    .flatMap((each) => {
      const sentence = sentences[each.kind]({ ...launch, found: each });
      if (sentence === null) return [];
      return [
        {
          kind: each.kind,
          kernel: launch.kernel,
          line: each.line === 0 ? undefined : each.line,
          otherLine: each.otherLine === 0 ? undefined : each.otherLine,
          sentence,
          threads: each.threads,
          block: each.block,
          thread: each.thread,
        },
      ];
    });
}

function isOne(one: DeviceFinding, two: DeviceFinding): boolean {
  if (one.kind !== two.kind || one.subject !== two.subject) return false;
  if (one.line === two.line && (one.kind !== "race" || one.otherLine === two.otherLine)) return true;
  // A race of two lines, seen from either side.
  return one.kind === "race" && one.line === two.otherLine && one.otherLine === two.line;
}
