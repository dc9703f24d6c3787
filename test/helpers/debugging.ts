// A front end that debugs, for tests: requests of the Debug Adapter Protocol over a kernel's sockets, and its stops.
import { expect } from "vitest";
import type { KernelClient } from "../../kernel/client.ts";
import type { Json } from "../../kernel/supervisor/messages.ts";
import { next } from "./kernel.ts";

export interface Stop {
  reason: string;
  /** "name at line", the innermost first. */
  stack: string[];
  frames: { id: number; name: string; line: number; source: { path: string } }[];
  description: unknown;
}

export interface DebuggedVariable {
  name: string;
  value: string;
  variablesReference: number;
}

export class Debugging {
  readonly #client: KernelClient;
  #seq = 0;

  constructor(client: KernelClient) {
    this.#client = client;
  }

  /** As a front end begins. */
  async start(): Promise<this> {
    await this.ask("initialize", { clientID: "test" });
    await this.ask("attach");
    return this;
  }

  /** The whole response. */
  async response(command: string, given: Json = {}): Promise<Json> {
    const content = { type: "request", seq: this.#seq++, command, arguments: given };
    const { reply } = await this.#client.request("control", "debug_request", content);
    expect(reply).toMatchObject({ type: "response", request_seq: content.seq, command });
    return reply;
  }

  /** The body of a response that must be a success. */
  async ask(command: string, given: Json = {}): Promise<Json> {
    const { success, message, body } = await this.response(command, given);
    expect({ command, success, message }).toEqual({ command, success: true, message: undefined });
    return body as Json;
  }

  /** Sets breakpoints in a cell, or in a file by its path. Returns the lines where they are. */
  async breakAt(where: { code: string } | { path: string }, ...lines: (number | Json)[]): Promise<unknown[]> {
    const path =
      "path" in where ? where.path : String((await this.ask("dumpCell", { code: where.code }))["sourcePath"]);
    const breakpoints = lines.map((line) => (typeof line === "number" ? { line } : line));
    const { breakpoints: set } = await this.ask("setBreakpoints", { source: { path }, breakpoints });
    return (set as Json[]).map(({ line, verified }) => (verified === true ? line : null));
  }

  /** The next stop, from now on. */
  async stop(): Promise<Stop> {
    const { content } = await next(this.#client, ({ header, content }) => {
      return header.msg_type === "debug_event" && content["event"] === "stopped";
    });
    const { reason, description } = content["body"] as { reason: string; description: unknown };
    const frames = (await this.ask("stackTrace", { threadId: 1 }))["stackFrames"] as Stop["frames"];
    return { reason, description, frames, stack: frames.map(({ name, line }) => `${name} at ${line}`) };
  }

  /** The stop that comes of a request. */
  async go(command: "continue" | "next" | "stepIn" | "stepOut"): Promise<Stop> {
    const stop = this.stop();
    await this.ask(command, { threadId: 1 });
    return stop;
  }

  async open(variablesReference: number): Promise<Record<string, DebuggedVariable>> {
    const { variables } = await this.ask("variables", { variablesReference });
    return byName(variables as DebuggedVariable[]);
  }

  /** The scopes of a frame, each with its variables as text. */
  async scopes(frameId: number): Promise<Record<string, Record<string, string>>> {
    const { scopes } = await this.ask("scopes", { frameId });
    const found: Record<string, Record<string, string>> = {};
    for (const { name, variablesReference } of scopes as DebuggedVariable[])
      found[name] = texts(await this.open(variablesReference));
    return found;
  }

  async evaluate(expression: string, frameId: number): Promise<unknown> {
    return (await this.ask("evaluate", { expression, frameId, context: "repl" }))["result"];
  }
}

export const byName = (variables: readonly DebuggedVariable[]): Record<string, DebuggedVariable> =>
  Object.fromEntries(variables.map((variable) => [variable.name, variable]));

export const texts = (variables: Record<string, DebuggedVariable>): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).map(([name, { value }]) => [name, value]));
