// The Jupyter messages as types, and how one is derived from another. No bytes, no sockets. Source: jupyter_client,
// "Messaging in Jupyter", version 5.5.
import { randomUUID } from "node:crypto";

export const protocolVersion = "5.5";

export type Json = Record<string, unknown>;

export interface Header {
  msg_id: string;
  msg_type: string;
  session: string;
  username: string;
  date: string;
  version: string;
}

export interface Message {
  /** Frames before the delimiter: the route back to the client, or the topic of a broadcast. */
  identities: Uint8Array[];
  header: Header;
  /** The header of the message that caused this one; `{}` when none did. */
  parent: Header | Record<string, never>;
  metadata: Json;
  content: Json;
  /** Not signed, as the specification has it. */
  buffers: Uint8Array[];
}

/** This kernel's own identity, in every header it sends. */
export const ownSession: string = randomUUID();
let sent = 0;

function header(type: string): Header {
  return {
    msg_id: `${ownSession}_${process.pid}_${++sent}`,
    msg_type: type,
    session: ownSession,
    username: "kernel",
    date: new Date().toISOString(),
    version: protocolVersion,
  };
}

/** "execute_reply" for "execute_request". */
export function replyType(requestType: string): string {
  return requestType.replace(/_request$/, "_reply");
}

/** The answer to a request: type, route and parent follow from it. */
export function replyTo(request: Message, content: Json, metadata: Json = {}): Message {
  return {
    identities: request.identities,
    header: header(replyType(request.header.msg_type)),
    parent: request.header,
    metadata,
    content,
    buffers: [],
  };
}

/** To a client by a route, of no request: nobody waits for it, and a client that is there takes no notice. */
export function knock(identities: Uint8Array[]): Message {
  return { identities, header: header("debug_reply"), parent: {}, metadata: {}, content: {}, buffers: [] };
}

/** A broadcast caused by `request`, or by nothing. */
export function broadcast(
  type: string,
  request: Message | null,
  content: Json,
  metadata: Json = {},
  buffers: Uint8Array[] = [],
): Message {
  const topic = type === "stream" ? `stream.${String(content["name"])}` : `kernel.${ownSession}.${type}`;
  return {
    identities: [Buffer.from(topic)],
    header: header(type),
    parent: request?.header ?? {},
    metadata,
    content,
    buffers,
  };
}

/** The greeting of a new subscriber (JEP 65): the topic it subscribed to comes first, so that it matches. */
export function welcome(subscription: Uint8Array): Message {
  return {
    identities: [subscription],
    header: header("iopub_welcome"),
    parent: {},
    metadata: {},
    content: { subscription: Buffer.from(subscription).toString() },
    buffers: [],
  };
}

/** A question to the client that sent `request`, on its stdin channel. */
export function questionTo(request: Message, prompt: string, password: boolean): Message {
  return {
    identities: request.identities,
    header: header("input_request"),
    parent: request.header,
    metadata: {},
    content: { prompt, password },
    buffers: [],
  };
}

/** A request as a client sends it. */
export function requestOf(type: string, content: Json, metadata: Json = {}): Message {
  return { identities: [], header: header(type), parent: {}, metadata, content, buffers: [] };
}
