// The table of message types: which lane a request goes through, and how its reply's content is made.
import { toCodePoints, toUtf16 } from "../language/code-points.ts";
import { tooDeep, tooDeepAt } from "../language/nesting.ts";
import { optional, required } from "./content.ts";
import type { Comms } from "./comms.ts";
import type { Debugger } from "./debugger.ts";
import type { Execute } from "./execute.ts";
import type { History } from "./history.ts";
import { kernelInfo } from "./kernel-info.ts";
import type { Json, Message } from "./messages.ts";
import { Problem } from "./problem.ts";
import type { Publisher } from "./publish.ts";
import type { Inbound } from "./sockets.ts";
import type { Stdin } from "./stdin.ts";
import type { Types } from "./type-service.ts";

/** What handlers may use. */
export interface Kernel {
  publisher: Publisher;
  execute: Execute;
  history: History;
  comms: Comms;
  debug: Debugger;
  stdin: Stdin;
  types: Types;
  /** Where new tensors go, and why: a sentence. */
  device(): string;
  /** Ends everything; the reply is on its way by then. */
  shutdown(request: Message): Promise<void>;
}

type Answer = (kernel: Kernel, request: Message) => Json | null | Promise<Json | null>;

export interface Handler {
  /** "queue": one after the other, as cells are; "now": also while a cell runs. */
  lane: "queue" | "now";
  /** The reply's content; `null` for a message that has no reply. */
  answer: Answer;
  /** Without busy and idle: it is part of another request. */
  quiet?: boolean;
  /** Front ends ask this at each broadcast of a cell that runs: what they hear of it may not be one. */
  follows?: boolean;
  /** After reply and idle, unless the reply is an error. */
  afterwards?(kernel: Kernel, request: Message): void;
}

const now = (answer: Answer): Handler => ({ lane: "now", answer });
const silently = (act: (kernel: Kernel, request: Message) => Promise<void>): Handler => ({
  lane: "now",
  answer: async (kernel, request) => {
    await act(kernel, request);
    return null;
  },
});

/** Code that can be parsed: whoever asks what stands in it hears why it cannot. */
function shallowCode(content: Json): string {
  const code = required(content, "code", "string");
  if (tooDeepAt(code) !== null) throw new Problem("CODE_TOO_DEEP", tooDeep);
  return code;
}

const everywhere: Record<string, Handler> = {
  kernel_info_request: now(({ device }) => kernelInfo(device())),

  interrupt_request: now(({ execute, debug }) => {
    if (debug.isStopped && !execute.busy) debug.continue();
    else execute.interrupt();
    return { status: "ok" };
  }),

  shutdown_request: {
    lane: "now",
    answer: ({ publisher }, request) => {
      const content = { status: "ok", restart: optional(request.content, "restart", "boolean", false) };
      publisher.publish("shutdown_reply", request, content);
      return content;
    },
    afterwards: (kernel, request) => void kernel.shutdown(request),
  },
};

const shell: Record<string, Handler> = {
  ...everywhere,
  execute_request: { lane: "queue", answer: ({ execute }, request) => execute.run(request) },
  history_request: now(({ history }, { content }) => history.answer(content)),
  comm_info_request: now(({ comms }, { content }) => comms.info(content)),
  comm_open: silently(({ comms }, request) => comms.open(request)),
  comm_msg: silently(({ comms }, request) => comms.message(request)),
  comm_close: silently(({ comms }, request) => comms.close(request)),

  is_complete_request: now(async (_kernel, { content }) => {
    const { isComplete } = await import("../language/service.ts");
    const { status, indent } = isComplete(required(content, "code", "string"));
    return status === "incomplete" ? { status, indent } : { status };
  }),

  complete_request: now(async ({ types }, { content }) => {
    const code = shallowCode(content);
    const cursor = toUtf16(code, optional(content, "cursor_pos", "number", Infinity));
    const { matches, start, end } = await (await types.service()).complete(code, cursor);
    const position = (offset: number) => toCodePoints(code, offset);
    return {
      status: "ok",
      matches: matches.map(({ text }) => text),
      cursor_start: position(start),
      cursor_end: position(end),
      metadata: {
        _jupyter_types_experimental: matches.map(({ text, type, signature, start, end }) => ({
          text,
          type,
          signature,
          start: position(start),
          end: position(end),
        })),
      },
    };
  }),

  inspect_request: now(async ({ types, execute, debug }, { content }) => {
    const code = shallowCode(content);
    const cursor = toUtf16(code, optional(content, "cursor_pos", "number", Infinity));
    const detail = optional(content, "detail_level", "number", 0) === 1 ? 1 : 0;
    const { nameAt, withValue } = await import("../language/inspect.ts");
    const name = nameAt(code, cursor);
    const [known, value] = await Promise.all([
      types.service().then((service) => service.inspect(code, cursor, detail)),
      // Of a cell that runs one wants to know how far it is.
      name === null || !execute.busy ? null : debug.peek(name),
    ]);
    const { found, text, markdown } = value === null ? known : withValue(known, name!, value);
    return { status: "ok", found, data: found ? { "text/plain": text, "text/markdown": markdown } : {}, metadata: {} };
  }),
};

const control: Record<string, Handler> = {
  ...everywhere,
  debug_request: {
    lane: "now",
    follows: true,
    answer: ({ debug }, { content, identities }) => debug.answer(content, identities),
  },
};

const stdin: Record<string, Handler> = {
  input_reply: {
    lane: "now",
    quiet: true,
    answer: (kernel, reply) => {
      kernel.stdin.answer(reply);
      return null;
    },
  },
};

export const handlers: Record<Inbound, Record<string, Handler>> = { shell, control, stdin };
