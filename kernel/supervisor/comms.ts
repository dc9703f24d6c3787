// Passes comm messages of clients to the owner of their target: the supervisor's own table, or the session.
import type { ReopenPayload } from "../mime.ts";
import { buffersOfLine, packBuffers, unpackBuffers } from "../session-protocol-buffers.ts";
import { type Event, listTargets, pictureTargets, type ViewAnswer, viewTargets } from "../session-protocol.ts";
import { optional, required, rowOf } from "./content.ts";
import type { Json, Message } from "./messages.ts";
import type { Publisher } from "./publish.ts";
import type { Requests } from "./requests.ts";
import type { SessionKeeper } from "./session-keeper.ts";

/** A comm target that the supervisor answers itself, so that it lives while a cell spins. */
export interface OwnTarget {
  opened(comm: string, request: Message): void;
  /** A target that only tells has no answer. */
  message?(comm: string, request: Message): Promise<void>;
  closed(comm: string): void;
}

export type CommEvent = Event & { type: "commOpen" | "commMessage" | "commClose" };

interface Comm {
  target: string;
  own: OwnTarget | null;
}

export class Comms {
  readonly #open = new Map<string, Comm>();
  readonly #own: Readonly<Record<string, OwnTarget>>;
  readonly #publisher: Publisher;
  readonly #requests: Requests;
  readonly #session: SessionKeeper;
  #sessionTargets = new Set<string>();

  constructor(
    own: Readonly<Record<string, OwnTarget>>,
    publisher: Publisher,
    requests: Requests,
    session: SessionKeeper,
  ) {
    this.#own = own;
    this.#publisher = publisher;
    this.#requests = requests;
    this.#session = session;
  }

  /** The content of comm_info_reply. */
  info(content: Json): Json {
    const wanted = optional(content, "target_name", "string", "");
    const comms = [...this.#open].filter(([, { target }]) => wanted === "" || target === wanted);
    return { status: "ok", comms: Object.fromEntries(comms.map(([id, { target }]) => [id, { target_name: target }])) };
  }

  /** A target that nobody has is answered with comm_close, as the specification asks. */
  async open(request: Message): Promise<void> {
    const comm = required(request.content, "comm_id", "string");
    const target = required(request.content, "target_name", "string");
    const own = rowOf(this.#own, target) ?? null;

    // A session that has just started has said nothing yet of what it always has.
    const isKnown = own !== null || this.#sessionTargets.has(target) || listTargets.some((list) => list === target);
    if (!isKnown) {
      this.#publisher.publish("comm_close", request, { comm_id: comm, data: {} });
      return;
    }
    this.#open.set(comm, { target, own });
    if (pictureTargets.some((picture) => picture === target)) this.#session.agent({ type: "viewOpened" });
    if (own !== null) own.opened(comm, request);
    else
      await this.#forward(request, (id, buffers) => ({
        type: "commOpen",
        request: id,
        comm,
        target,
        data: request.content["data"] ?? {},
        metadata: request.metadata,
        buffers,
      }));
  }

  async message(request: Message): Promise<void> {
    const comm = required(request.content, "comm_id", "string");
    const known = this.#open.get(comm);
    if (known === undefined) this.#publisher.publish("comm_close", request, { comm_id: comm, data: {} });
    else if (known.own !== null) await known.own.message?.(comm, request);
    else if (!(await this.#view(comm, known, request)))
      await this.#forward(request, (id, buffers) => ({
        type: "commMessage",
        request: id,
        comm,
        data: request.content["data"] ?? {},
        metadata: request.metadata,
        buffers,
      }));
  }

  async close(request: Message): Promise<void> {
    const comm = required(request.content, "comm_id", "string");
    const known = this.#open.get(comm);
    this.#open.delete(comm);
    known?.own?.closed(comm);
    if (known?.own === null)
      await this.#forward(request, (id) => ({
        type: "commClose",
        request: id,
        comm,
        data: request.content["data"] ?? {},
      }));
  }

  /** What the session says about its comms, to all clients. */
  fromSession(event: CommEvent, buffers: Uint8Array[], request: Message | null): void {
    if (event.type === "commOpen") this.#open.set(event.comm, { target: event.target, own: null });
    if (event.type === "commClose") this.#open.delete(event.comm);

    const content: Json = {
      comm_id: event.comm,
      data: event.data ?? {},
      ...(event.type === "commOpen" ? { target_name: event.target } : {}),
    };
    this.#publisher.publish(
      messageTypes[event.type],
      request,
      content,
      event.type === "commClose" ? {} : event.metadata,
      buffers,
    );
  }

  setSessionTargets(targets: readonly string[]): void {
    this.#sessionTargets = new Set(targets);
  }

  /**
   * A client has gone, perhaps without closing its comms, and nothing says which were its own: those that are answered
   * here are closed, and who is still there opens them again. Comms of the session are the notebook's, and stay.
   */
  clientLeft(): void {
    for (const [id, { own }] of this.#open) {
      if (own === null) continue;
      this.#open.delete(id);
      own.closed(id);
      this.#publisher.publish("comm_close", null, { comm_id: id, data: { reopen: true } satisfies ReopenPayload });
    }
  }

  /** The session ended, and its comms with it. */
  sessionEnded(): void {
    this.#sessionTargets.clear();
    for (const [id, { own }] of this.#open) {
      if (own !== null) continue;
      this.#open.delete(id);
      this.#publisher.publish("comm_close", null, { comm_id: id, data: {} });
    }
  }

  /** Has the session's agent answer what it can, also while a cell spins. Returns whether the message is done with. */
  async #view(comm: string, known: Comm, request: Message): Promise<boolean> {
    const target = viewTargets.find((view) => view === known.target);
    if (target === undefined) return false;
    const answer = await this.#session.view(target, request.content["data"]);
    // The session may have ended meanwhile, and its comms with it.
    const isOver = this.#open.get(comm) !== known;
    if (answer === null) return isOver;
    const buffers = takenBuffers(answer);
    if (isOver || buffers === null) return true;
    this.#publisher.publish("comm_msg", request, { comm_id: comm, data: answer.data }, {}, buffers);
    return true;
  }

  async #forward(
    request: Message,
    command: (id: number, buffers: ReturnType<typeof packBuffers>) => Parameters<SessionKeeper["request"]>[0],
  ): Promise<void> {
    const id = this.#requests.add(request, { silent: false, allowStdin: false });
    const outcome = await this.#session.request(command(id, packBuffers(request.buffers)));
    if (outcome.error !== null)
      this.#publisher.publish("error", request, {
        ename: outcome.error.name,
        evalue: outcome.error.message,
        traceback: outcome.error.traceback,
      });
    this.#requests.settle(id);
  }
}

const messageTypes = { commOpen: "comm_open", commMessage: "comm_msg", commClose: "comm_close" } as const;

/** `null`: the session has ended since it answered, and its memory with it; so will its comms. */
function takenBuffers({ buffers }: ViewAnswer): Uint8Array[] | null {
  try {
    return unpackBuffers(buffersOfLine(buffers));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
