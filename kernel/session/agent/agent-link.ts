// What the session's main thread and its agent thread share: numbers in shared memory and messages. No code but
// constants.
import type { MessagePort } from "node:worker_threads";
import type { KnownDevices, KnownMemory, SharedSource, Shown } from "warpcell/host";
import type { CellMemory, CompiledCode, NotebookVariable, OpenDevice, TracePlace } from "../../mime.ts";
import type { RequestId, ViewAnswer, AgentTarget } from "../../session-protocol.ts";

/** Indices into the shared Int32Array. */
export const shared = {
  /** The latest request that has ended; requests count up. Written by the main thread. */
  ended: 0,
  /** The request to be interrupted. Written by the agent. */
  interrupting: 1,
  /** The interrupted request whose interrupt the main thread has seen in its event loop. */
  acknowledged: 2,
  /** Counts the answers to blocking prompts. */
  answers: 3,
  /** How many requests' code runs or is awaited. Written by the main thread. */
  running: 4,
  /** A cell runs, 1, or none, 0. Written by the main thread. */
  cell: 5,
  /** Number of Int32s. */
  length: 6,
} as const;

export interface AgentStart {
  memory: SharedArrayBuffer;
}

/** What front ends are told of names and memory while a cell runs: from before it, but for figures. */
export interface Held {
  readonly variables: readonly NotebookVariable[];
  readonly code: readonly CompiledCode[];
  readonly devices: readonly OpenDevice[];
  readonly memory: readonly KnownMemory[];
  /** The cells before. */
  readonly cells: readonly CellMemory[];
  /** The one that begins. */
  readonly running: Pick<CellMemory, "text" | "cell" | "count"> & { readonly before: Readonly<Record<number, number>> };
}

/** Where the origins of the cell that runs are. */
export interface Places {
  readonly places: readonly (readonly [origin: number, known: { place: TracePlace; since: number | null }])[];
}

/** Main thread → agent. */
export type ToAgent =
  /** The library is loaded; its device functions can be used from here on. `url` of the module that has them. */
  | { type: "library"; url: string }
  /** What the main thread has learnt of its devices, for the gauges. */
  | { type: "devices"; known: KnownDevices }
  /** What front ends may ask for from here on. */
  | { type: "shown"; shown: Shown }
  /** The device code that cells share from here on. */
  | { type: "sharedCode"; sources: SharedSource[] }
  /** What the notebook has, as long as the cell that begins runs. */
  | { type: "held"; held: Held }
  | ({ type: "places" } & Places)
  | {
      type: "inputRequest";
      request: RequestId;
      prompt: string;
      password: boolean;
      blocking: boolean;
      answerTo: MessagePort;
    };

/** Agent → main thread, when it is in its event loop. */
export type FromAgent = { type: "interrupt"; request: RequestId };

/** Agent → viewer. Each `view` is answered by a {@link FromViewer}. */
export type ToViewer =
  | { type: "shown"; shown: Shown }
  | { type: "sharedCode"; sources: SharedSource[] }
  /** Front ends will ask. */
  | { type: "opened" }
  | { type: "view"; view: number; target: AgentTarget; data: unknown };

export interface FromViewer {
  view: number;
  answer: ViewAnswer | null;
}

/** Agent → the port of an `inputRequest`. `null`: the end of input, or a front end that cannot ask. */
export interface Answer {
  value: string | null;
}
