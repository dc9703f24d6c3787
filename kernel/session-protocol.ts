// What the supervisor and the session say to each other: one type per command and event, commands over Node's IPC
// channel, events over a pipe (structured clone both, so binary buffers travel as they are), and one line of JSON per
// message on the agent's pipe. No code but constants. The first event of a session is `ready` with this version; a
// supervisor that finds another one stops it.
import { kernelTarget, memoryTarget, tensorTarget, traceTarget, variablesTarget, type mistakesTarget } from "./mime.ts";

export const sessionProtocolVersion = 3;

/**
 * Descriptor of the agent's pipe in the session process: it is read by a thread of its own, so it works while a cell
 * spins.
 */
export const agentDescriptor = 4;

/**
 * Descriptor of the pipe in the session process that events are written to (`session-protocol-frames.ts`): a write
 * blocks until the supervisor has read enough of what came before it.
 */
export const eventDescriptor = 5;

/**
 * Identifies the request that output belongs to; chosen by the supervisor, which keeps the request itself. They count
 * up from 1; 0 is what belongs to none.
 */
export type RequestId = number;

export type MimeBundle = Record<string, unknown>;

/**
 * Bytes on their way between the processes: as they are when they are few, else shared memory that is read once, by the
 * path of its descriptor (`packBuffers` and `unpackBuffers` of session-protocol-buffers.ts). Node's channel copies 64
 * MiB in 400 ms, shared memory takes 4.
 */
export type CarriedBuffer = Uint8Array | { file: string; bytes: number };

/** Supervisor → session. Each of the first four is answered by `done`. */
export type Command =
  | {
      type: "execute";
      request: RequestId;
      code: string;
      count: number;
      cellId: string | null;
      silent: boolean;
      storeHistory: boolean;
      allowStdin: boolean;
      userExpressions: Record<string, string>;
    }
  | {
      type: "commOpen";
      request: RequestId;
      comm: string;
      target: string;
      data: unknown;
      metadata: Record<string, unknown>;
      buffers: CarriedBuffer[];
    }
  | {
      type: "commMessage";
      request: RequestId;
      comm: string;
      data: unknown;
      metadata: Record<string, unknown>;
      buffers: CarriedBuffer[];
    }
  | { type: "commClose"; request: RequestId; comm: string; data: unknown }
  | { type: "shutdown"; restart: boolean };

/** One name that a cell declared, for the type service: TypeScript text that declares it, with no initialiser. */
export interface Declaration {
  name: string;
  text: string;
}

/** Session → supervisor. Events of a request come in order; `done` is its last. */
export type Event =
  | { type: "ready"; version: number; process: number; device: DeviceSummary }
  | { type: "stream"; request: RequestId; name: "stdout" | "stderr"; text: string }
  | {
      type: "display";
      request: RequestId;
      data: MimeBundle;
      metadata: Record<string, unknown>;
      displayId: string | null;
      update: boolean;
      buffers: CarriedBuffer[];
    }
  | { type: "result"; request: RequestId; data: MimeBundle; metadata: Record<string, unknown> }
  | { type: "clearOutput"; request: RequestId; wait: boolean }
  | {
      type: "commOpen";
      request: RequestId;
      comm: string;
      target: string;
      data: unknown;
      metadata: Record<string, unknown>;
      buffers: CarriedBuffer[];
    }
  | {
      type: "commMessage";
      request: RequestId;
      comm: string;
      data: unknown;
      metadata: Record<string, unknown>;
      buffers: CarriedBuffer[];
    }
  | { type: "commClose"; request: RequestId; comm: string; data: unknown }
  | { type: "commTargets"; targets: string[] }
  /** What a %%cuda cell made, typed: the type service shows it to the cells that follow. Sent before `done`. */
  | { type: "declared"; request: RequestId; declarations: Declaration[] }
  | { type: "device"; device: DeviceSummary }
  /** Nothing of these requests runs or waits any more: once they are done, no event of theirs follows. */
  | { type: "released"; requests: RequestId[] }
  /**
   * The session has written this token to its stdout and stderr, in one write each, after all output of the request:
   * what the supervisor reads before it belongs to it. A token is U+001E, 32 lower-case hexadecimal digits, U+001E. It
   * is "" for comm commands, which wait for no pipe.
   */
  | {
      type: "done";
      request: RequestId;
      status: "ok" | "error";
      token: string;
      error: CellError | null;
      userExpressions: Record<string, UserExpression>;
      payload: Record<string, unknown>[];
    };

export interface CellError {
  name: string;
  message: string;
  traceback: string[];
}

export type UserExpression =
  | { status: "ok"; data: MimeBundle; metadata: Record<string, unknown> }
  | { status: "error"; ename: string; evalue: string; traceback: string[] };

/** The default device and why: shown in the banner and by the gauges. */
export interface DeviceSummary {
  device: string;
  name: string;
  reason: string;
}

/** Comm targets of the session that its agent answers, also while a cell spins: what is shown, and what there is. */
export const pictureTargets = [tensorTarget, traceTarget] as const;
export const listTargets = [variablesTarget, memoryTarget, kernelTarget] as const;
export type PictureTarget = (typeof pictureTargets)[number];
export type ListTarget = (typeof listTargets)[number];
export type ViewTarget = PictureTarget | ListTarget;
export const viewTargets: readonly ViewTarget[] = [...pictureTargets, ...listTargets];

/** What the agent answers: also what is wrong with a `%%cuda` cell, for the supervisor, which has that target. */
export type AgentTarget = ViewTarget | typeof mistakesTarget;

/** What the front end is sent; buffers in base64, or in shared memory where they are large. */
export interface ViewAnswer {
  data: Record<string, unknown>;
  buffers: (string | Exclude<CarriedBuffer, Uint8Array>)[];
}

/** Supervisor → agent thread, a line of JSON each. */
export type AgentCommand =
  /** Stop the running cell: JavaScript, a wait for a device, or a kernel on it. */
  | { type: "interrupt"; request: RequestId }
  /**
   * The answer to an `inputRequest`; here because a session that waits for it may be blocked. U+0004 is the end of
   * input; `null`: the front end cannot ask.
   */
  | { type: "inputReply"; request: RequestId; value: string | null }
  /** Send gauges this often; 0 stops them. Milliseconds. */
  | { type: "gauges"; interval: number }
  /** A front end opened a comm on one of {@link pictureTargets}: it will ask. */
  | { type: "viewOpened" }
  /** What it asks; each is answered by `viewed` with its number. */
  | { type: "view"; view: number; target: AgentTarget; data: unknown }
  /** A request of a debugger; each is answered by `debugged` with its number. */
  | { type: "debug"; debug: number; command: string; arguments: Record<string, unknown> };

/** What becomes of a request of a debugger; `message` says what was wrong with it. */
export interface DebugAnswer {
  success: boolean;
  message: string;
  body: Record<string, unknown>;
}

/**
 * Agent thread → supervisor, a line of JSON each. The supervisor adds sequence and busy and publishes on
 * `warpcell.gauges`.
 */
export type AgentEvent =
  | { type: "gauges"; devices: import("./mime.ts").DeviceGauge[] }
  | { type: "interrupted"; request: RequestId }
  /** `null`: only the main thread can answer this. */
  | { type: "viewed"; view: number; answer: ViewAnswer | null }
  | { type: "debugged"; debug: number; answer: DebugAnswer }
  /** An event of the Debug Adapter Protocol. */
  | { type: "debugEvent"; event: string; body: Record<string, unknown> }
  /**
   * A cell asks the user. It comes on this pipe because the session's main thread may block until the answer. What the
   * cell sent before it is already in the events' pipe: let one turn of the event loop read that first.
   */
  | { type: "inputRequest"; request: RequestId; prompt: string; password: boolean };
