// Sends broadcasts no faster than their readers take them, and past a reader that has stopped.
import type { Frames } from "./sockets.ts";

/**
 * A socket whose `send` rejects with EAGAIN when the queue of a reader is full or, without `noDrop`, leaves that reader
 * out.
 */
export interface BroadcastSocket {
  noDrop: boolean;
  readonly closed: boolean;
  send(frames: Frames): Promise<void>;
}

/** How long a reader may take nothing before it is left out, and how long it is then, in ms. */
const patience = 5000;
const leftOut = 10_000;

/** A full queue is looked at again at once while it empties, and then every few ms. */
const eagerTurns = 50;
const pause = 2;

export class SlowReaders {
  readonly #socket: BroadcastSocket;
  /** When the reader that has stopped was left out. */
  #since: number | null = null;
  /** Since when a queue has been full, and how often it was looked at. */
  #full: { since: number; turns: number } | null = null;

  /** The socket has `noDrop` set. */
  constructor(socket: BroadcastSocket) {
    this.#socket = socket;
  }

  get closed(): boolean {
    return this.#socket.closed;
  }

  /** Sends it, or resolves with false when it is worth trying again. */
  async offer(frames: Frames): Promise<boolean> {
    const now = performance.now();
    if (this.#since !== null) {
      if (now - this.#since < leftOut) return this.#sendPast(frames);
      this.#socket.noDrop = true;
    }
    if (await this.#fits(frames)) {
      this.#since = this.#full = null;
      return true;
    }
    this.#full ??= { since: now, turns: 0 };
    if (this.#since !== null || now - this.#full.since > patience) {
      this.#leaveOut();
      return this.#sendPast(frames);
    }
    const isEager = this.#full.turns++ < eagerTurns;
    await new Promise<void>((resolve) => {
      if (isEager) setImmediate(resolve);
      else setTimeout(resolve, pause);
    });
    return false;
  }

  /** Whether every reader's queue had room. */
  async #fits(frames: Frames): Promise<boolean> {
    try {
      await this.#socket.send(frames);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      return false;
    }
  }

  #leaveOut(): void {
    if (this.#since === null)
      process.stderr.write(
        `warpcell: a client has not read its output for ${patience / 1000} s. It misses what is sent until it reads again; other clients get everything.\n`,
      );
    this.#since = performance.now();
    this.#full = null;
    this.#socket.noDrop = false;
  }

  async #sendPast(frames: Frames): Promise<boolean> {
    await this.#socket.send(frames);
    return true;
  }
}
