// Drives a session process as the supervisor does, without sockets: commands in, events out.
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  agentDescriptor,
  eventDescriptor,
  type AgentCommand,
  type AgentEvent,
  type CellError,
  type Command,
  type Event,
  type UserExpression,
} from "../../kernel/session-protocol.ts";
import { FrameReader } from "../../kernel/session-protocol-frames.ts";

const script = fileURLToPath(new URL("../../kernel/dist/session/main.js", import.meta.url));

type Done = Extract<Event, { type: "done" }>;

/** What one request led to. */
export interface Ran {
  status: "ok" | "error";
  error: CellError | null;
  events: Event[];
  /** The text/plain of its result. */
  result: string | undefined;
  stdout: string;
  stderr: string;
  userExpressions: Record<string, UserExpression>;
  payload: Record<string, unknown>[];
}

export class TestSession {
  readonly events: Event[] = [];
  readonly agentEvents: AgentEvent[] = [];
  readonly process: ChildProcess;
  /** What reached the real stdout and stderr; what comes first of two that went to different ones is chance. */
  readonly native = { stdout: "", stderr: "" };
  readonly #checks = new Set<() => void>();
  #request = 0;
  // When it exits, what it said last may still be in its pipes.
  #isClosed = false;

  constructor(options: { directory?: string; environment?: Record<string, string> } = {}) {
    this.process = spawn(process.execPath, ["--no-force-async-hooks-checks", script], {
      cwd: options.directory,
      env: { ...process.env, WARPCELL_DEVICE: "cpu", ...options.environment },
      stdio: ["ignore", "pipe", "pipe", "ipc", "pipe", "pipe"],
      serialization: "advanced",
      detached: true,
    });
    const reader = new FrameReader();
    ((this.process.stdio as readonly unknown[])[eventDescriptor] as Duplex).on("data", (bytes: Buffer) => {
      this.events.push(...(reader.take(bytes) as Iterable<Event>));
      this.#check();
    });
    for (const name of ["stdout", "stderr"] as const)
      this.process[name]!.setEncoding("utf8").on("data", (text: string) => {
        this.native[name] += text;
        this.#check();
      });
    createInterface({ input: this.#agent }).on("line", (line) => {
      this.agentEvents.push(JSON.parse(line) as AgentEvent);
      this.#check();
    });
    this.#agent.on("error", (error: NodeJS.ErrnoException) => {
      if (!["EPIPE", "ECONNRESET"].includes(error.code ?? "")) throw error;
    });
    this.process.once("close", () => {
      this.#isClosed = true;
      this.#check();
    });
  }

  static async start(options: { directory?: string; environment?: Record<string, string> } = {}): Promise<TestSession> {
    const session = new TestSession(options);
    await session.until(() => session.events.find(({ type }) => type === "ready"));
    return session;
  }

  get #agent(): Duplex {
    return this.process.stdio[agentDescriptor] as Duplex;
  }

  /** Sends a cell; returns its request. */
  send(code: string, options: Partial<Extract<Command, { type: "execute" }>> = {}): number {
    const request = ++this.#request;
    this.command({
      type: "execute",
      request,
      code,
      count: request,
      cellId: null,
      silent: false,
      storeHistory: true,
      allowStdin: true,
      userExpressions: {},
      ...options,
    });
    return request;
  }

  command(command: Command): void {
    this.process.send(command);
  }

  agent(command: AgentCommand): void {
    this.#agent.write(`${JSON.stringify(command)}\n`);
  }

  /** Runs a cell to its end. */
  async run(code: string, options: Partial<Extract<Command, { type: "execute" }>> = {}): Promise<Ran> {
    return this.ended(this.send(code, options));
  }

  async ended(request: number): Promise<Ran> {
    const done = await this.until(() =>
      this.events.find((event): event is Done => event.type === "done" && event.request === request),
    );
    const events = this.of(request);
    const result = events.find((event) => event.type === "result");
    return {
      status: done.status,
      error: done.error,
      events,
      result: result?.type === "result" ? String(result.data["text/plain"]) : undefined,
      stdout: this.printed(request, "stdout"),
      stderr: this.printed(request, "stderr"),
      userExpressions: done.userExpressions,
      payload: done.payload,
    };
  }

  of(request: number): Event[] {
    return this.events.filter((event) => "request" in event && event.request === request);
  }

  printed(request: number, name: "stdout" | "stderr"): string {
    return this.of(request)
      .map((event) => (event.type === "stream" && event.name === name ? event.text : ""))
      .join("");
  }

  /**
   * Resolves with the first value that is neither undefined nor false; rejects when the process has ended and all it
   * said has been read.
   */
  until<T>(find: () => T | undefined | false): Promise<T> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        const found = find();
        if (found === undefined || found === false) {
          if (!this.#isClosed) return;
          reject(
            new Error(
              `The session ended (${this.process.exitCode ?? this.process.signalCode}): ${(this.native.stdout + this.native.stderr).replace(/\u001e[0-9a-f]*\u001e/g, "")}`,
            ),
          );
        } else {
          resolve(found);
        }
        this.#checks.delete(check);
      };
      this.#checks.add(check);
      check();
    });
  }

  /** Goes away as a supervisor does that is killed: all its pipes close. */
  disconnect(): void {
    this.#agent.destroy();
    this.process.disconnect();
  }

  /** Ends the process and waits until it is gone. */
  async end(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const gone = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill("SIGKILL");
    await gone;
  }

  #check(): void {
    for (const check of this.#checks) check();
  }
}
