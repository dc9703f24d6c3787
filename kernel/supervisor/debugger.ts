// Answers debug requests of front ends (Jupyter's form of the Debug Adapter Protocol): knows what the debugger is to stop
// at, whichever session runs, and passes on to the session's agent what takes one.
import { readFile } from "node:fs/promises";
import type { DebugAnswer } from "../session-protocol.ts";
import { cellPath, cellPaths } from "../session-protocol-debug.ts";
import { optional, required, rowOf } from "./content.ts";
import { knock, type Json, type Message } from "./messages.ts";
import type { Publisher } from "./publish.ts";
import type { SessionKeeper } from "./session-keeper.ts";

interface Breakpoints {
  source: string;
  breakpoints: Json[];
}

/** The frames that lead a message to a client. */
type Route = Uint8Array[];

const textOf = (route: Route): string => Buffer.concat(route).toString("hex");

/** What front ends may offer to stop at. */
const filters = [
  { filter: "uncaught", label: "Uncaught Exceptions", default: false },
  { filter: "raised", label: "Raised Exceptions", default: false },
];

const capabilities: Json = {
  supportsConfigurationDoneRequest: true,
  supportsConditionalBreakpoints: true,
  supportsEvaluateForHovers: true,
  supportsModulesRequest: true,
  exceptionBreakpointFilters: filters,
};

/** The main thread of a session. */
const thread = { id: 1, name: "TypeScript" };

const succeeded = (body: Json = {}): DebugAnswer => ({ success: true, message: "", body });
const failed = (message: string): DebugAnswer => ({ success: false, message, body: {} });
const ended = "The session has ended, and with it what it was asked.";

export class Debugger {
  readonly #publisher: Publisher;
  readonly #session: SessionKeeper;
  readonly #send: (message: Message, lost: () => void) => void;
  /** The routes to those that are attached, by their text. */
  readonly #clients = new Map<string, Route>();
  #isStopped = false;
  readonly #cells = new Map<string, string>();
  readonly #breakpoints = new Map<string, Breakpoints>();
  #filters: Json = {};
  #sent = 0;

  /** `send`: to one client; `lost` hears that it is not there any more. */
  constructor(publisher: Publisher, session: SessionKeeper, send: (message: Message, lost: () => void) => void) {
    this.#publisher = publisher;
    this.#session = session;
    this.#send = send;
  }

  /** Code is paused. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  get #isAttached(): boolean {
    return this.#clients.size > 0;
  }

  /** The content of debug_reply. `client`: the route to who asks. */
  async answer(content: Json, client: Route): Promise<Json> {
    const command = required(content, "command", "string");
    const given = optional(content, "arguments", "object", {});
    const own = rowOf(this.#own, command);
    const { success, message, body } = own === undefined ? await this.#ask(command, given) : await own(given, client);
    return {
      seq: ++this.#sent,
      type: "response",
      request_seq: optional(content, "seq", "number", 0),
      success,
      command,
      ...(success ? {} : { message }),
      body,
    };
  }

  /** What a name of the notebook has now, in a line; `null` where that cannot be told. */
  async peek(name: string): Promise<string | null> {
    const text = (await this.#session.debug("peek", { name }))?.body["text"];
    return typeof text === "string" ? text : null;
  }

  /** An event of the session's debugger. */
  event(event: string, body: Json): void {
    if (event === "stopped") this.#isStopped = true;
    if (event === "continued") this.#isStopped = false;
    // Of no request: a front end asks for all variables at whatever comes of a cell.
    this.#publisher.publish("debug_event", null, { seq: ++this.#sent, type: "event", event, body });
  }

  /** A session is up: it stops where the one before it did. */
  async sessionReady(): Promise<void> {
    if (this.#isAttached) await this.#attach();
  }

  /** Nothing is paused any more. */
  sessionEnded(): void {
    if (this.#isStopped) this.event("continued", { threadId: thread.id, allThreadsContinued: true });
  }

  /** A client has gone, and nothing says which: those that debug are knocked at. */
  clientLeft(): void {
    for (const client of this.#clients.values()) this.#send(knock(client), () => void this.#drop(client));
  }

  /** One that no longer debugs. Once nobody does, nothing waits for them. */
  #drop(client: Route): DebugAnswer | Promise<DebugAnswer> {
    const wasAttached = this.#clients.delete(textOf(client));
    return wasAttached && !this.#isAttached ? this.#detach() : succeeded();
  }

  /** Lets code go on that is paused. */
  continue(): void {
    void this.#ask("continue", {});
  }

  readonly #own: Readonly<Record<string, (given: Json, client: Route) => DebugAnswer | Promise<DebugAnswer>>> = {
    debugInfo: (_given, client) =>
      succeeded({
        isStarted: this.#clients.has(textOf(client)),
        hashMethod: cellPaths.method,
        hashSeed: cellPaths.seed,
        tmpFilePrefix: cellPaths.prefix,
        tmpFileSuffix: cellPaths.suffix,
        breakpoints: [...this.#breakpoints.values()].filter(({ breakpoints }) => breakpoints.length > 0),
        stoppedThreads: this.#isStopped ? [thread.id] : [],
        richRendering: true,
        exceptionPaths: [],
        copyToGlobals: true,
      }),
    initialize: () => succeeded(capabilities),
    attach: async (_given, client) => {
      this.#clients.set(textOf(client), client);
      const answer = await this.#attach();
      if (answer.success) this.event("initialized", {});
      return answer;
    },
    disconnect: (_given, client) => this.#drop(client),
    configurationDone: () => succeeded(),
    threads: () => succeeded({ threads: [thread] }),
    dumpCell: (given) => {
      const code = required(given, "code", "string");
      this.#cells.set(cellPath(code), code);
      return succeeded({ sourcePath: cellPath(code) });
    },
    source: (given) => this.#source(given),
    setBreakpoints: (given) => this.#setBreakpoints(given),
    setExceptionBreakpoints: (given) => {
      this.#filters = given;
      return this.#isAttached ? this.#ask("setExceptionBreakpoints", given) : succeeded();
    },
  };

  async #ask(command: string, given: Json): Promise<DebugAnswer> {
    return (await this.#session.debug(command, given)) ?? failed(ended);
  }

  async #attach(): Promise<DebugAnswer> {
    for (const { source, breakpoints } of this.#breakpoints.values())
      await this.#ask("setBreakpoints", { source: { path: source }, breakpoints });
    await this.#ask("setExceptionBreakpoints", this.#filters);
    return this.#ask("attach", {});
  }

  #detach(): Promise<DebugAnswer> {
    return this.#ask("disconnect", {});
  }

  async #setBreakpoints(given: Json): Promise<DebugAnswer> {
    const path = required(required(given, "source", "object"), "path", "string");
    const asked = (given["breakpoints"] ?? []) as Json[];
    if (!Array.isArray(asked)) return failed("Breakpoints are set by the path of a source and a list of lines.");
    this.#breakpoints.set(path, { source: path, breakpoints: asked });
    if (!this.#isAttached)
      return succeeded({ breakpoints: asked.map((each) => ({ ...each, verified: true, source: { path } })) });
    const answer = await this.#ask("setBreakpoints", given);
    const found = answer.body["breakpoints"] as Json[] | undefined;
    const breakpoints = asked.map((each, at) => ({ ...each, line: found?.[at]?.["line"] ?? each["line"] }));
    this.#breakpoints.set(path, { source: path, breakpoints });
    return answer;
  }

  /** The text of a cell, as a front end or a session knows it, or of a file. */
  async #source(given: Json): Promise<DebugAnswer> {
    const path = required(required(given, "source", "object"), "path", "string");
    const mimeType = "text/typescript";
    const dumped = this.#cells.get(path);
    if (dumped !== undefined) return succeeded({ content: dumped, mimeType });
    const ran = await this.#ask("source", given);
    if (ran.success) return ran;
    try {
      return succeeded({ content: await readFile(path, "utf8"), mimeType });
    } catch (error) {
      return failed(`There is no source ${path}: ${error instanceof Error ? error.message : String(error)}.`);
    }
  }
}
