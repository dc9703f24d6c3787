// Where the time of this thread's TypeScript goes: V8 looks again and again at which functions run, and as long as a
// function is found at its place in the stack it is one slice. So they make a flame chart.
import { Session, type Profiler } from "node:inspector";
import { basename } from "node:path";
import { functionPlace, type CodePlace } from "../device/origins.ts";

/** Between two looks, in microseconds: rarer ones miss short functions, more of them slow down what they look at. */
const interval = 500;
/** A recursion may be deeper than anyone reads. */
const deepest = 60;

const libraryFolder = new URL("..", import.meta.url).href;

/** A function while it ran; microseconds of the monotonic clock. */
export interface FunctionRun {
  readonly name: string;
  /** Where it is declared; `undefined`: outside of cells. */
  readonly place: CodePlace | undefined;
  readonly start: number;
  readonly end: number;
}

interface Frame {
  readonly name: string;
  readonly place: CodePlace | undefined;
  /** Not the user's. */
  readonly isFolded: boolean;
}

export class FunctionSampler {
  readonly #session = new Session();

  constructor() {
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.setSamplingInterval", { interval });
    this.#session.post("Profiler.start");
  }

  stop(): FunctionRun[] {
    let runs: FunctionRun[] = [];
    let failure: Error | null = null;
    // Within one thread it answers before `post` returns.
    this.#session.post("Profiler.stop", (error, answer) => {
      failure = error;
      if (error === null) runs = runsOf(answer.profile);
    });
    this.#session.disconnect();
    if (failure !== null) throw failure;
    return runs;
  }
}

/** The runs of all functions, outer ones before what they call. */
export function runsOf({ nodes, samples = [], timeDeltas = [], startTime, endTime }: Profiler.Profile): FunctionRun[] {
  const stacks = stacksOf(nodes);
  const runs: FunctionRun[] = [];
  const open: { frame: Frame; start: number }[] = [];
  const close = (depth: number, end: number): void => {
    for (const { frame, start } of open.splice(depth)) runs.push({ name: frame.name, place: frame.place, start, end });
  };
  let time = startTime;
  samples.forEach((node, index) => {
    // What V8 noted late lies before its predecessor.
    time = Math.max(time, time + timeDeltas[index]!);
    const stack = stacks.get(node);
    // The collector interrupts whatever runs, which goes on after it.
    if (stack === undefined) return;
    let same = 0;
    while (same < open.length && isSame(open[same]!.frame, stack[same])) same++;
    close(same, time);
    for (const frame of stack.slice(same)) open.push({ frame, start: time });
  });
  close(0, Math.max(time, endTime));
  return runs;
}

const isSame = (one: Frame, other: Frame | undefined): boolean =>
  one.name === other?.name && one.place?.label === other.place?.label && one.place?.line === other.place?.line;

/** By node: what the user knows of the stack, from the outermost function. */
function stacksOf(nodes: readonly Profiler.ProfileNode[]): Map<number, readonly Frame[]> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const stacks = new Map<number, readonly Frame[]>();
  const queue = nodes.slice(0, 1).map((node) => ({ node, outer: [] as readonly Frame[] }));
  for (const { node, outer } of queue) {
    const { functionName } = node.callFrame;
    if (functionName === "(garbage collector)") continue;
    const isMachine = /^\((root|program|idle)\)$/.test(functionName);
    const stack = isMachine
      ? outer
      : extended(outer, isPackageOfOurs(outer, node.callFrame) ? ours : frameOf(node.callFrame));
    stacks.set(node.id, stack);
    for (const child of node.children ?? []) queue.push({ node: byId.get(child)!, outer: stack });
  }
  return stacks;
}

/** What runs below the library or Node.js is theirs, and what has called the user's code is nobody's concern. */
function extended(outer: readonly Frame[], frame: Frame): readonly Frame[] {
  // What Node.js calls of ours, at the turn of a promise or in an array's map, is ours with all below it.
  if (frame === ours && outer.at(-1)?.name === nodeJs.name) return [...outer.slice(0, -1), ours];
  if (outer.length >= deepest || (frame.isFolded && outer.at(-1)?.isFolded === true)) return outer;
  return !frame.isFolded && outer.every(({ isFolded }) => isFolded) ? [frame] : [...outer, frame];
}

const ours: Frame = { name: "Warpcell", place: undefined, isFolded: true };
const nodeJs: Frame = { name: "Node.js", place: undefined, isFolded: true };

/** A package that the user imports is called by the user's code. */
const isPackageOfOurs = (outer: readonly Frame[], { url }: Profiler.ProfileNode["callFrame"]): boolean =>
  outer.at(-1)?.name === ours.name && url.includes("/node_modules/");

function frameOf({ functionName, url, lineNumber, columnNumber }: Profiler.ProfileNode["callFrame"]): Frame {
  if (url === "" || url.startsWith("node:")) return nodeJs;
  const told = functionPlace(url, lineNumber + 1, columnNumber + 1);
  if (told === "ours" || url.startsWith(libraryFolder)) return ours;
  // V8 calls a function without a name by what it is assigned to, which in a cell's code may be a name of ours.
  const name = functionName === "" || functionName.includes("$$") ? "(anonymous)" : functionName;
  if (told !== undefined)
    return { name: told === "cell" ? "cell" : name, place: told === "cell" ? undefined : told, isFolded: false };
  return { name: `${name} (${basename(url)}:${lineNumber + 1})`, place: undefined, isFolded: false };
}
