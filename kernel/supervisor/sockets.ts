// The sockets of a Connection, which deliver and send frames, for the kernel and for a client of it. The only file that
// knows ZeroMQ.
import { Dealer, Request, Router, Subscriber, XPublisher } from "zeromq";
import { address, type Channel, type Connection } from "./connection.ts";
import { messageLimit } from "./message-limit.ts";
import { Problem } from "./problem.ts";
import { SlowReaders } from "./slow-readers.ts";

export type Frames = Uint8Array[];

/** Where frames arrive in the kernel. */
export type Inbound = "shell" | "control" | "stdin";

export interface KernelListener {
  frames(channel: Inbound, frames: Frames): void;
  /** A client subscribed to this topic of iopub. What is returned is the first that it hears. */
  subscribed(topic: Uint8Array): Frames;
  /** A client no longer listens to iopub, also one that went without a word. */
  unsubscribed(): void;
  /** A client's control connection has ended, also of one that went without a word. */
  left(): void;
  /** More waits to be broadcast than readers take at the moment; and later: no longer. */
  crowded(isCrowded: boolean): void;
}

// Nothing is dropped when a reader is slow: the libraries' own limit of 1,000 messages loses output without a word.
const unlimited = { sendHighWaterMark: 0, receiveHighWaterMark: 0, linger: 1000 };

/**
 * ZeroMQ cuts the connection of who sends a larger frame, without a word. What is only somewhat too large is read, so
 * that it can be refused with a sentence.
 */
const bounded = { maxMessageSize: Math.min(4 * messageLimit, 2 ** 32 - 1) };

/** Messages of iopub that wait for one reader before all wait for it: text comes in messages of up to a MiB. */
const iopubQueue = 8;

/** Bytes that wait to be broadcast before nothing more is read from the session. */
const crowdedBytes = 1 << 20;

/** How soon a client tries again to reach a kernel that is starting, in ms. */
const reconnectInterval = 10;

interface Outgoing {
  readonly frames: Frames;
  readonly lost?: (() => void) | undefined;
}

/**
 * Sends in order, one at a time, as ZeroMQ wants it, and at the end of the event loop's turn: handing a message over
 * takes as long as starting a cell, which goes first.
 */
class Outbox {
  readonly #sender: Sender;
  #last: Promise<void> = Promise.resolve();
  readonly #first: Outgoing[] = [];
  readonly #waiting: Outgoing[] = [];
  #waitingBytes = 0;
  #sending = false;
  #isCrowded = false;
  /** Hears when more than `crowdedBytes` wait, and when half of that is left. */
  crowded: (isCrowded: boolean) => void = () => undefined;

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /** `lost` hears that nobody is there any more whom it could reach, where the socket tells. */
  send(frames: Frames, lost?: () => void): void {
    this.#enqueue(this.#waiting, { frames, lost });
  }

  /** Before all that waits, also before what was offered and found no room. */
  sendFirst(frames: Frames): void {
    this.#enqueue(this.#first, { frames });
  }

  /** Resolves when all that was sent has been handed to the network. */
  get empty(): Promise<void> {
    return this.#last;
  }

  #enqueue(lane: Outgoing[], outgoing: Outgoing): void {
    lane.push(outgoing);
    this.#count(bytesOf(outgoing.frames));
    if (!this.#sending) this.#last = this.#drain();
  }

  async #drain(): Promise<void> {
    this.#sending = true;
    await endOfTurn();
    for (let lane; (lane = [this.#first, this.#waiting].find(({ length }) => length > 0)) !== undefined; ) {
      if (!(await this.#offer(lane[0]!))) continue;
      this.#count(-bytesOf(lane.shift()!.frames));
    }
    this.#sending = false;
  }

  /** False when it is to be offered again. What cannot be sent at all has been dealt with. */
  async #offer({ frames, lost }: Outgoing): Promise<boolean> {
    try {
      return await this.#sender.offer(frames);
    } catch (error) {
      // A client that has gone away is not the kernel's problem; what else it may be is worth a line.
      if (isUnreachable(error)) lost?.();
      else if (!this.#sender.closed) process.stderr.write(`warpcell: a message could not be sent: ${String(error)}\n`);
      return true;
    }
  }

  #count(bytes: number): void {
    this.#waitingBytes += bytes;
    const isCrowded = this.#waitingBytes > (this.#isCrowded ? crowdedBytes / 2 : crowdedBytes);
    if (isCrowded === this.#isCrowded) return;
    this.#isCrowded = isCrowded;
    this.crowded(isCrowded);
  }
}

function bytesOf(frames: Frames): number {
  return frames.reduce((sum, frame) => sum + frame.byteLength, 0);
}

interface Sender {
  /** False when it is to be offered again. */
  offer(frames: Frames): Promise<boolean>;
  readonly closed: boolean;
}

/** Sends to one peer, which has room for all. */
class ToPeer implements Sender {
  readonly #socket: Router | Dealer;

  constructor(socket: Router | Dealer) {
    this.#socket = socket;
  }

  get closed(): boolean {
    return this.#socket.closed;
  }

  async offer(frames: Frames): Promise<boolean> {
    await this.#socket.send(frames);
    return true;
  }
}

/**
 * Broadcasts to clients of which each hears nothing before it is greeted: left to itself, ZeroMQ takes a subscription
 * into account before this process has read of it, and the next broadcast overtakes the greeting. In manual mode it
 * reports each subscription and each end of one, also of topics that others have, and waits to be told.
 */
class Broadcaster extends XPublisher {
  constructor() {
    // Nothing is sent later than `send` is called, so that it is known what a client that subscribes now hears next.
    super({ ...unlimited, ...bounded, sendHighWaterMark: iopubQueue, noDrop: true, manual: true, sendTimeout: 0 });
  }

  /** Gives the client that was reported last this topic. */
  admit(topic: Uint8Array): void {
    this.setStringOption(subscribeOption, Buffer.from(topic));
  }

  /** Takes this topic from the client that was reported last, unless it has gone. */
  dismiss(topic: Uint8Array): void {
    this.setStringOption(unsubscribeOption, Buffer.from(topic));
  }
}

/** ZMQ_SUBSCRIBE and ZMQ_UNSUBSCRIBE, for which an XPublisher has no names. */
const subscribeOption = 6;
const unsubscribeOption = 7;

const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface OpenSockets {
  shell: Router;
  control: Router;
  stdin: Router;
  iopub: Broadcaster;
  hb: Router;
}

/** The five sockets of a kernel. */
export class KernelSockets {
  readonly #sockets: OpenSockets;
  readonly #outboxes: Record<Inbound | "iopub", Outbox>;
  #received = 0;

  private constructor(sockets: OpenSockets) {
    const { shell, control, stdin, iopub } = sockets;
    this.#sockets = sockets;
    this.#outboxes = {
      shell: new Outbox(new ToPeer(shell)),
      control: new Outbox(new ToPeer(control)),
      stdin: new Outbox(new ToPeer(stdin)),
      iopub: new Outbox(new SlowReaders(iopub)),
    };
  }

  /** Binds all of them. Throws a `Problem` that names the port which is taken; nothing stays bound then. */
  static async bind(connection: Connection): Promise<KernelSockets> {
    const options = { ...unlimited, ...bounded };
    const shell = new Router(options),
      // Tells when there is nobody at the end of a route.
      control = new Router({ ...options, mandatory: true }),
      stdin = new Router(options),
      iopub = new Broadcaster();
    // Not a Reply: that one stops at frames which are not a question of a Request. A prober who does not read its
    // answers gets no more of them.
    const hb = new Router({ ...bounded, linger: 0 });
    const sockets = { shell, control, stdin, iopub, hb };

    try {
      for (const [channel, socket] of Object.entries(sockets) as [Channel, Router][])
        await bindOne(socket, connection, channel);
    } catch (error) {
      for (const socket of Object.values(sockets)) socket.close();
      throw error;
    }
    return new KernelSockets(sockets);
  }

  /** Delivers what arrives, and what has arrived since the sockets were bound: a listener can send by now. */
  listen(listener: KernelListener): void {
    const { shell, control, stdin, iopub, hb } = this.#sockets;
    const inbound = (channel: Inbound) => (frames: Frames) => {
      this.#received++;
      listener.frames(channel, frames);
    };
    deliver(shell, inbound("shell"));
    deliver(control, inbound("control"));
    control.events.on("disconnect", () => {
      if (!control.closed) void this.#threadIsDone().then(() => listener.left());
    });
    deliver(stdin, inbound("stdin"));
    deliver(iopub, ([first]) => {
      if (first?.[0] === 1) this.#admit(first.subarray(1), listener);
      if (first?.[0] === 0) this.#dismiss(first.subarray(1), listener);
      // The socket forgets which client it reported when it is used before it is answered: only what is read first in
      // a turn is answered before anything else can happen.
      return endOfTurn();
    });
    this.#outboxes.iopub.crowded = (isCrowded) => listener.crowded(isCrowded);
    deliver(hb, (frames) => hb.send(frames));
  }

  #admit(topic: Uint8Array, listener: KernelListener): void {
    this.#sockets.iopub.admit(topic);
    this.#outboxes.iopub.sendFirst(listener.subscribed(topic));
  }

  #dismiss(topic: Uint8Array, listener: KernelListener): void {
    this.#sockets.iopub.dismiss(topic);
    listener.unsubscribed();
  }

  /** `lost` hears that the client of a message on control has gone. */
  send(channel: Inbound | "iopub", frames: Frames, lost?: () => void): void {
    this.#outboxes[channel].send(frames, lost);
  }

  /**
   * Resolves when ZeroMQ's thread has done what it was about to do, since it has carried a heartbeat there and back: it
   * tells of a client that leaves before it has taken the client's route away.
   */
  async #threadIsDone(): Promise<void> {
    const socket = new Dealer({ linger: 0 });
    try {
      socket.connect(this.#sockets.hb.lastEndpoint!);
      await socket.send("");
      await socket.receive();
    } finally {
      socket.close();
    }
  }

  /** Resolves when what had already arrived has been delivered: turns of the event loop until one brings nothing. */
  async drained(): Promise<void> {
    for (let before = -1; before !== this.#received; ) {
      before = this.#received;
      await endOfTurn();
    }
  }

  /**
   * Closes all; resolves when what was sent has left this process, or when the time that its reader may take is over.
   */
  async close(): Promise<void> {
    await Promise.all(Object.values(this.#outboxes).map((outbox) => outbox.empty));
    await Promise.all(Object.values(this.#sockets).map(closeEmpty));
  }
}

/** The other end: what a client of a kernel connects. */
export class ClientSockets {
  readonly #sockets: { shell: Dealer; control: Dealer; stdin: Dealer; iopub: Subscriber };
  readonly #outboxes: Record<Inbound, Outbox>;
  readonly #connection: Connection;

  constructor(
    connection: Connection,
    identity: string,
    received: (channel: Inbound | "iopub", frames: Frames) => void,
  ) {
    const options = { ...unlimited, linger: 0, reconnectInterval, routingId: identity };
    this.#connection = connection;
    this.#sockets = {
      shell: new Dealer(options),
      control: new Dealer(options),
      stdin: new Dealer(options),
      iopub: new Subscriber({ receiveHighWaterMark: 0, reconnectInterval }),
    };
    this.#outboxes = {
      shell: new Outbox(new ToPeer(this.#sockets.shell)),
      control: new Outbox(new ToPeer(this.#sockets.control)),
      stdin: new Outbox(new ToPeer(this.#sockets.stdin)),
    };
    this.#sockets.iopub.subscribe();
    for (const [channel, socket] of Object.entries(this.#sockets) as [Inbound | "iopub", Dealer][]) {
      socket.connect(address(connection, channel));
      deliver(socket, (frames) => received(channel, frames));
    }
  }

  send(channel: Inbound, frames: Frames): void {
    this.#outboxes[channel].send(frames);
  }

  /** One heartbeat; resolves with the time it took in ms. Rejects when none came within `limit` ms. */
  async heartbeat(limit: number): Promise<number> {
    const socket = new Request({ linger: 0, receiveTimeout: limit });
    socket.connect(address(this.#connection, "hb"));
    try {
      const start = performance.now();
      await socket.send("ping");
      await socket.receive();
      return performance.now() - start;
    } finally {
      socket.close();
    }
  }

  close(): void {
    for (const socket of Object.values(this.#sockets)) socket.close();
  }
}

/**
 * A closed socket lives until its queues are empty or its `linger` is over, and its monitor as long as itself (libzmq,
 * zmq_socket_monitor: ZMQ_EVENT_MONITOR_STOPPED).
 */
function closeEmpty(socket: Router | XPublisher): Promise<void> {
  return new Promise((resolve) => {
    socket.events.on("end", () => resolve());
    socket.close();
  });
}

async function bindOne(socket: Router, connection: Connection, channel: Channel): Promise<void> {
  const where = address(connection, channel);
  try {
    await socket.bind(where);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") {
      throw new Problem(
        "PORT_IN_USE",
        `Another program uses ${where} (${channel}). Start the kernel again: the client chooses new ports.`,
      );
    }
    throw new Problem(
      "BIND_FAILED",
      `The kernel cannot listen on ${where} (${channel}): ${error instanceof Error ? error.message : String(error)}. Check "ip" and "transport" in the connection file.`,
    );
  }
}

interface Receiver {
  receive(): Promise<Frames>;
  readonly closed: boolean;
}

/**
 * Hands over what arrives until the socket is closed. Neither what arrives nor what is made of it can end the loop, or
 * the process.
 */
function deliver(socket: Receiver, listener: (frames: Frames) => void | Promise<void>): void {
  const loop = async (): Promise<void> => {
    while (!socket.closed) {
      try {
        await listener(await socket.receive());
      } catch (error) {
        if (socket.closed || isUnreachable(error)) continue;
        process.stderr.write(
          `warpcell: a message could not be handled: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
        );
        // A socket that fails again and again leaves the others their turn.
        await endOfTurn();
      }
    }
  };
  void loop();
}

function isUnreachable(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "EHOSTUNREACH" || code === "ENOTSOCK" || code === "EAGAIN";
}
