// Gives cells comms: channels with a front end that carry data and binary buffers.
import { randomUUID } from "node:crypto";
import { packBuffers } from "../../session-protocol-buffers.ts";
import type { Command } from "../../session-protocol.ts";
import { requireJson } from "./json.ts";
import type { Output } from "../requests/output.ts";
import type { Requests } from "../requests/request.ts";

export interface CommMessage {
  data: unknown;
  metadata: Record<string, unknown>;
  buffers: Uint8Array[];
}
export interface CommOptions {
  data?: unknown;
  metadata?: Record<string, unknown>;
  buffers?: Uint8Array[];
  id?: string;
}

/** The global `Comm`: `new Comm(target)` opens a channel; `Comm.register` answers those that front ends open. */
export interface Comm {
  readonly id: string;
  readonly target: string;
  onMessage: ((message: CommMessage) => void | Promise<void>) | null;
  onClose: ((data: unknown) => void | Promise<void>) | null;
  send(data: unknown, options?: Omit<CommOptions, "data" | "id">): void;
  close(data?: unknown): void;
}

export interface CommClass {
  new (target: string, options?: CommOptions): Comm;
  /** Calls `opened` for every comm that a front end opens on the target. */
  register(target: string, opened: (comm: Comm, message: CommMessage) => void | Promise<void>): void;
}

type CommCommand = Extract<Command, { type: "commOpen" | "commMessage" | "commClose" }>;

export class Comms {
  readonly #output: Output;
  readonly #requests: Requests;
  readonly #open = new Map<string, Comm>();
  readonly #targets = new Map<string, (comm: Comm, message: CommMessage) => void | Promise<void>>();

  constructor(output: Output, requests: Requests) {
    this.#output = output;
    this.#requests = requests;
  }

  /** The class that cells see. */
  createClass(): CommClass {
    const comms = this;
    return class implements Comm {
      readonly id: string;
      readonly target: string;
      onMessage: Comm["onMessage"] = null;
      onClose: Comm["onClose"] = null;

      static register(target: string, opened: (comm: Comm, message: CommMessage) => void | Promise<void>): void {
        comms.#targets.set(target, opened);
        comms.#output.send({ type: "commTargets", targets: [...comms.#targets.keys()] });
      }

      constructor(target: string, options: CommOptions = {}) {
        this.target = target;
        this.id = options.id ?? randomUUID();
        if (!comms.#isOpenedByFrontEnd)
          comms.#output.send({ type: "commOpen", target, ...comms.#event(this.id, options.data, options) });
        comms.#open.set(this.id, this);
      }

      send(data: unknown, options: Omit<CommOptions, "data" | "id"> = {}): void {
        comms.#requireOpen(this);
        comms.#output.send({ type: "commMessage", ...comms.#event(this.id, data, options) });
      }

      close(data: unknown = {}): void {
        comms.#requireOpen(this);
        requireJson(data, "what a comm says");
        comms.#open.delete(this.id);
        comms.#output.send({ type: "commClose", request: comms.#requests.current.id, comm: this.id, data });
      }
    };
  }

  /**
   * Hands a front end's message to the cell that listens; `buffers` are the message's. Rejects with what its handler
   * throws.
   */
  async receive(command: CommCommand, buffers: Uint8Array[], Comm: CommClass): Promise<void> {
    switch (command.type) {
      case "commOpen": {
        const opened = this.#targets.get(command.target);
        if (opened === undefined)
          return this.#output.send({ type: "commClose", request: command.request, comm: command.comm, data: {} });
        return opened(this.#adopt(command.comm, command.target, Comm), {
          data: command.data,
          metadata: command.metadata,
          buffers,
        });
      }
      case "commMessage":
        return this.#open.get(command.comm)?.onMessage?.({ data: command.data, metadata: command.metadata, buffers });
      case "commClose": {
        const comm = this.#open.get(command.comm);
        this.#open.delete(command.comm);
        return comm?.onClose?.(command.data);
      }
    }
  }

  #isOpenedByFrontEnd = false;

  #adopt(id: string, target: string, Comm: CommClass): Comm {
    this.#isOpenedByFrontEnd = true;
    try {
      return new Comm(target, { id });
    } finally {
      this.#isOpenedByFrontEnd = false;
    }
  }

  #event(comm: string, data: unknown, options: Omit<CommOptions, "data" | "id">) {
    requireJson(data, "what a comm says");
    requireJson(options.metadata, "the metadata of a comm");
    return {
      request: this.#requests.current.id,
      comm,
      data: data ?? {},
      metadata: options.metadata ?? {},
      buffers: packBuffers(options.buffers ?? []),
    };
  }

  #requireOpen(comm: Comm): void {
    if (!this.#open.has(comm.id))
      throw new Error(`This comm on ${comm.target} has been closed. Open another one with new Comm("${comm.target}").`);
  }
}
