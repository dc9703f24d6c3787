// One session process: typed commands, events and a reason for its end. One life only: who starts the next is
// session-keeper.ts.
import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Duplex } from "node:stream";
import {
  agentDescriptor,
  eventDescriptor,
  sessionProtocolVersion,
  type AgentCommand,
  type AgentEvent,
  type Command,
  type Event,
} from "../session-protocol.ts";
import { agentEventOf, eventOf } from "../session-protocol-check.ts";
import { FrameReader } from "../session-protocol-frames.ts";
import { Lines } from "./lines.ts";
import { OutputPipe } from "./output-pipe.ts";
import type { StreamName } from "./publish.ts";

export interface SessionListener {
  event(event: Event): void;
  agentEvent(event: AgentEvent): void;
  /** What native code, or a child process, wrote. */
  nativeText(name: StreamName, text: string): void;
  /** After everything the session said; `reason` continues "The session ended: ". */
  ended(reason: string): void;
}

/** How long an ended session's pipes may stay open in processes it left behind before they are given up, in ms. */
const pipesOutliveLimit = 300;

/** How long a session that ends may be without its channel, in ms. */
const disconnectedLimit = 500;

/** How long a session may take to shut down when asked to, in ms. */
const shutdownLimit = 1000;

/**
 * Interrupting a timer's callback leaves Node's books of callbacks one entry behind; by default it would abort for
 * that.
 */
const sessionOptions = ["--no-force-async-hooks-checks"];

const sessionScript = fileURLToPath(new URL("../session/main.js", import.meta.url));

export class SessionProcess {
  readonly #child: ChildProcess;
  readonly #pipes: readonly OutputPipe[];
  readonly #ended: Promise<void>;
  #killReason: string | null = null;
  #errorTail = "";
  #isMisused = false;

  /** Starts the process at once. `script` is another program than the real session in tests of its absence only. */
  constructor(listener: SessionListener, script: string = process.env["WARPCELL_SESSION"] ?? sessionScript) {
    // A group of its own: a Ctrl-C in the terminal is the supervisor's to handle, and the whole group can be ended at
    // once.
    this.#child = spawn(process.execPath, [...sessionOptions, script], {
      stdio: ["ignore", "pipe", "pipe", "ipc", "pipe", "pipe"],
      serialization: "advanced",
      detached: true,
    });
    const { stdout, stderr } = this.#child;
    if (stdout === null || stderr === null)
      throw new TypeError("There are no pipes to the session's stdout and stderr.");

    this.#pipes = [
      new OutputPipe(stdout, (text) => listener.nativeText("stdout", text)),
      new OutputPipe(stderr, (text) => {
        this.#errorTail = (this.#errorTail + text).slice(-4096);
        listener.nativeText("stderr", text);
      }),
    ];
    this.#listenToEvents(listener);
    // Nothing of the session comes this way: messages would only pile up.
    this.#child.on("message", () => this.misused(new TypeError("The session sent a message by process.send.")));
    // Messages of Node's own, by which processes pass each other sockets: Node trusts them, and fails in this process
    // where one is wrong. A session sends none.
    this.#child
      .removeAllListeners("internalMessage")
      .on("internalMessage", () => this.misused(new TypeError("The session sent a message of Node's own.")));
    this.#child.once("disconnect", () => this.#channelClosed());
    this.#listenToAgent(listener);
    this.#ended = this.#end(listener);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  send(command: Command): void {
    // An error here means that the process is ending; its end is reported by `ended`, so there is nothing to add.
    if (this.#child.connected)
      this.#child.send(command, (error) => {
        if (error !== null) this.#errorTail += `\n${error.message}`;
      });
  }

  sendAgent(command: AgentCommand): void {
    if (this.#agent.writable) this.#agent.write(`${JSON.stringify(command)}\n`);
  }

  /** Resolves when the native output that came before this token has been delivered. */
  async outputReached(token: string): Promise<void> {
    await Promise.all(this.#pipes.map((pipe) => pipe.reached(token)));
  }

  /** Whether what the session says is read. While it is not, its pipes fill, and whoever writes to them waits. */
  set reading(reading: boolean) {
    for (const source of [this.#child.stdout!, this.#child.stderr!, this.#events]) {
      if (reading) source.resume();
      else source.pause();
    }
  }

  /** Ends the process and its group now; `reason` is what `ended` will say. */
  kill(reason: string): void {
    this.#killReason ??= reason;
    this.#signalGroup();
  }

  /** Asks it to end, and ends it when it does not; one that is busy would not hear. Resolves when it is gone. */
  async shutdown(restart: boolean, busy: boolean): Promise<void> {
    this.#killReason ??= "it was shut down";
    this.send({ type: "shutdown", restart });
    const limit = setTimeout(() => this.#signalGroup(), busy ? 0 : shutdownLimit);
    await this.#ended;
    clearTimeout(limit);
  }

  get #agent(): Duplex {
    return this.#child.stdio[agentDescriptor] as Duplex;
  }

  get #events(): Duplex {
    return (this.#child.stdio as readonly unknown[])[eventDescriptor] as Duplex;
  }

  #receive(event: Event, listener: SessionListener): void {
    if (event.type === "ready" && event.version !== sessionProtocolVersion) {
      this.kill(
        `it speaks version ${event.version} of the session protocol and the supervisor ${sessionProtocolVersion}; build the kernel again`,
      );
      return;
    }
    listener.event(event);
  }

  #listenToEvents(listener: SessionListener): void {
    const reader = new FrameReader();
    this.#events.on("error", (error) => this.kill(`its events' pipe failed: ${error.message}`));
    this.#events.on("data", (bytes: Buffer) =>
      this.#guard(() => {
        for (const event of reader.take(bytes)) this.#receive(eventOf(event), listener);
      }),
    );
    this.#events.once("end", () => this.#channelClosed());
  }

  #listenToAgent(listener: SessionListener): void {
    this.#agent.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE" && error.code !== "ECONNRESET")
        process.stderr.write(`warpcell: the agent's pipe failed: ${error.message}\n`);
    });
    const lines = new Lines();
    this.#agent.on("data", (bytes: Buffer) =>
      this.#guard(() => {
        for (const line of lines.take(bytes)) listener.agentEvent(agentEventOf(JSON.parse(line)));
      }),
    );
  }

  /**
   * A notebook's code can write to the session's own channels: what makes no sense there ends the session, not the
   * kernel.
   */
  #guard(handle: () => void): void {
    try {
      if (!this.#isMisused) handle();
    } catch (error) {
      this.misused(error);
    }
  }

  /** Ends the session for what it sent, and says what that was; nothing more of it is read. */
  misused(error: unknown): void {
    if (this.#isMisused) return;
    this.#isMisused = true;
    process.stderr.write(`warpcell: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    this.kill(
      "it sent the kernel a message that the session protocol does not know; code in a cell may have used process.send or written to descriptors 3 to 5",
    );
  }

  /** A process without its channel can do nothing more, and would never say that it is done. */
  #channelClosed(): void {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const limit = setTimeout(
      () => this.kill("its channel to the kernel was closed; code in a cell may have closed descriptors 3 to 5"),
      disconnectedLimit,
    );
    this.#child.once("exit", () => clearTimeout(limit));
  }

  async #end(listener: SessionListener): Promise<void> {
    const child = this.#child;
    const disconnected = new Promise<void>((resolve) => child.once("disconnect", resolve));
    const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
    const failure = await new Promise<string | null>((resolve) => {
      child.once("exit", () => resolve(null));
      child.once("error", (error) => resolve(`it could not be started (${error.message})`));
    });
    // What it started does not outlive it, and would keep its pipes open.
    this.#signalGroup();
    this.reading = true;
    let limit: NodeJS.Timeout | undefined;
    await Promise.race([
      Promise.all([closed, child.connected ? disconnected : undefined]),
      new Promise((resolve) => {
        limit = setTimeout(resolve, pipesOutliveLimit);
      }),
    ]);
    clearTimeout(limit);
    // Only now is all of its stderr read, in which the engine says that the heap is full.
    listener.ended(failure ?? this.#reason(child.exitCode, child.signalCode));
  }

  #reason(code: number | null, signal: NodeJS.Signals | null): string {
    if (this.#killReason !== null) return this.#killReason;
    if (/heap out of memory|Allocation failed - JavaScript heap/i.test(this.#errorTail))
      return "JavaScript ran out of heap memory (raise it with NODE_OPTIONS=--max-old-space-size=MB)";
    if (signal !== null)
      return signal === "SIGKILL"
        ? "SIGKILL, as when the machine is out of memory"
        : `${signal}${signalMeaning[signal] ?? ""}`;
    return `process.exit(${code})`;
  }

  #signalGroup(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch (error) {
      // Nobody left in the group is what this wants.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

const signalMeaning: Partial<Record<NodeJS.Signals, string>> = {
  SIGSEGV: ", an invalid memory access in native code",
  SIGBUS: ", an invalid memory access in native code",
  SIGABRT: ", an abort in native code",
  SIGILL: ", an illegal instruction in native code",
  SIGFPE: ", an arithmetic fault in native code",
  SIGTRAP: ", an abort in the JavaScript engine",
};
