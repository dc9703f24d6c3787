// Broadcasts each event of the session for the request it belongs to. Closed over the event types, so that a new one
// without a row does not compile.
import type { AgentEvent, CarriedBuffer, Event } from "../session-protocol.ts";
import { discardBuffers, unpackBuffers } from "../session-protocol-buffers.ts";
import type { CommEvent, Comms } from "./comms.ts";
import type { Debugger } from "./debugger.ts";
import type { Diagnostics } from "./type-warnings.ts";
import type { Gauges } from "./gauges.ts";
import type { Publisher } from "./publish.ts";
import type { Origin, Requests } from "./requests.ts";
import type { Stdin } from "./stdin.ts";

export interface EventParts {
  publisher: Publisher;
  requests: Requests;
  comms: Comms;
  debug: Debugger;
  gauges: Gauges;
  stdin: Stdin;
  diagnostics: Diagnostics;
  /** The execution count shown beside a result. */
  count(): number;
  device(summary: (Event & { type: "device" })["device"]): void;
}

/** `ready` and `done` are the keeper's. */
type Shown = Exclude<Event, { type: "ready" | "done" }>;
type Actions = {
  [Type in Shown["type"]]: (parts: EventParts, event: Shown & { type: Type }, origin: Origin | undefined) => void;
};

const actions: Actions = {
  stream: ({ publisher }, event, origin) => {
    if (origin?.silent !== true) publisher.stream(origin?.message ?? null, event.name, event.text);
  },

  display: (parts, event, origin) => {
    const { publisher } = parts;
    if (origin?.silent === true) return discardBuffers(event.buffers);
    const buffers = buffersOf(parts, event.buffers, origin);
    if (buffers === null) return;
    const transient = event.displayId === null ? {} : { display_id: event.displayId };
    publisher.publish(
      event.update ? "update_display_data" : "display_data",
      origin?.message ?? null,
      { data: event.data, metadata: event.metadata, transient },
      {},
      buffers,
    );
  },

  result: ({ publisher, count }, event, origin) => {
    if (origin === undefined || origin.silent) return;
    const text = event.data["text/plain"];
    origin.resultText = typeof text === "string" ? text : null;
    publisher.publish("execute_result", origin.message, {
      execution_count: count(),
      data: event.data,
      metadata: event.metadata,
    });
  },

  clearOutput: ({ publisher }, event, origin) => {
    if (origin?.silent !== true) publisher.publish("clear_output", origin?.message ?? null, { wait: event.wait });
  },

  commOpen: (parts, event, origin) => passComm(parts, event, buffersOf(parts, event.buffers, origin), origin),
  commMessage: (parts, event, origin) => passComm(parts, event, buffersOf(parts, event.buffers, origin), origin),
  commClose: (parts, event, origin) => passComm(parts, event, [], origin),
  commTargets: ({ comms }, event) => comms.setSessionTargets(event.targets),

  declared: ({ diagnostics, count }, event) => diagnostics.declared(count(), event.declarations),
  device: (parts, event) => parts.device(event.device),
  released: ({ requests }, event) => requests.release(event.requests),
};

/** The bytes of an output; `null`, with a line for the reader, when the session ended before they were taken. */
function buffersOf(
  { publisher }: EventParts,
  carried: CarriedBuffer[],
  origin: Origin | undefined,
): Uint8Array[] | null {
  try {
    return unpackBuffers(carried);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    publisher.stream(
      origin?.message ?? null,
      "stderr",
      `An output with binary data was lost, because the session ended before it was read (${reason}).\n`,
    );
    return null;
  }
}

function passComm(
  { comms }: EventParts,
  event: CommEvent,
  buffers: Uint8Array[] | null,
  origin: Origin | undefined,
): void {
  if (buffers !== null) comms.fromSession(event, buffers, origin?.message ?? null);
}

export function handleEvent(parts: EventParts, event: Event): void {
  if (event.type === "ready" || event.type === "done") return;
  const request = "request" in event ? event.request : 0;
  const origin = parts.requests.get(request);
  // What nobody asked for is shown to nobody: below another cell it would be wrong.
  if (origin === undefined && request !== 0) return "buffers" in event ? discardBuffers(event.buffers) : undefined;
  (actions[event.type] as (parts: EventParts, event: Shown, origin: Origin | undefined) => void)(parts, event, origin);
}

export function handleAgentEvent(parts: EventParts, event: AgentEvent): void {
  if (event.type === "gauges") parts.gauges.show(event.devices);
  if (event.type === "debugEvent") parts.debug.event(event.event, event.body);
  if (event.type === "inputRequest") setImmediate(ask, parts, event);
}

/** What the cell printed before the question is read by now, and is shown before it. */
function ask(parts: EventParts, event: AgentEvent & { type: "inputRequest" }): void {
  parts.publisher.flush();
  parts.stdin.ask(event.request, parts.requests.get(event.request), event.prompt, event.password);
}
