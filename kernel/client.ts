// The client that comes with the kernel, for `warpcell run` and the tests: starts a kernel process and collects its
// replies and outputs. Knows the protocol, not what cells do.
import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseConnection, type Connection } from "./supervisor/connection.ts";
import { requestOf, type Json, type Message } from "./supervisor/messages.ts";
import { namespaceVariable, processNamespace } from "./supervisor/parent-watch.ts";
import { Problem } from "./supervisor/problem.ts";
import { ClientSockets, type Inbound } from "./supervisor/sockets.ts";
import { Wire } from "./supervisor/wire.ts";

/** A kernel process that this process started, with its private connection file. */
export interface OwnKernel {
  child: ChildProcess;
  connection: Connection;
  connectionFile: string;
  /** Resolves with its exit code, or the name of the signal that ended it. */
  ended: Promise<number | string>;
  /** Ends it now, if it has not ended, and removes the connection file. */
  dispose(): void;
}

export interface StartOptions {
  /**
   * Default "ipc": sockets in a private directory, so that no port can be taken; "tcp" where the temporary directory's
   * path leaves no room for theirs.
   */
  transport?: "tcp" | "ipc";
  cwd?: string;
  env?: Record<string, string>;
  /** Default "inherit". */
  stderr?: "inherit" | "pipe";
}

/** The longest path of a socket on Linux, in bytes. */
const longestSocketPath = 107;

const kernelScript = fileURLToPath(new URL("./main.js", import.meta.url));

/** Starts a kernel with a new key. It may not be listening yet: `KernelClient.ready` waits for that. */
export async function startKernel(
  { transport: wanted, cwd = process.cwd(), env = {}, stderr = "inherit" }: StartOptions = {},
  script: string = kernelScript,
): Promise<OwnKernel> {
  const directory = writable(() => mkdtempSync(join(tmpdir(), "warpcell-")));
  const connectionFile = join(directory, "connection.json");
  const sockets = join(directory, "kernel");
  const transport = wanted ?? (Buffer.byteLength(`${sockets}-1`) <= longestSocketPath ? "ipc" : "tcp");
  const ports = transport === "ipc" ? [1, 2, 3, 4, 5] : await freePorts(5);
  const [shell_port, control_port, stdin_port, iopub_port, hb_port] = ports;
  const ip = transport === "ipc" ? sockets : "127.0.0.1";
  const text = JSON.stringify({
    transport,
    ip,
    shell_port,
    control_port,
    stdin_port,
    iopub_port,
    hb_port,
    key: randomBytes(32).toString("hex"),
    signature_scheme: "hmac-sha256",
  });
  writable(() => writeFileSync(connectionFile, text, { mode: 0o600 }), directory);

  const child = spawn(process.execPath, [script, connectionFile], {
    cwd,
    stdio: ["ignore", "inherit", stderr],
    env: { ...process.env, JPY_PARENT_PID: String(process.pid), [namespaceVariable]: processNamespace(), ...env },
  });
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once("exit", (code, signal) => resolve(signal ?? code ?? 0));
    child.once("error", reject);
  });
  const dispose = (): void => {
    child.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  };
  return { child, connection: parseConnection(text, connectionFile), connectionFile, ended, dispose };
}

/** Does a step of writing to the temporary directory; one that fails leaves nothing in `created`. */
function writable<T>(step: () => T, created?: string): T {
  try {
    return step();
  } catch (error) {
    if (created !== undefined) rmSync(created, { recursive: true, force: true });
    throw new Problem(
      "TEMPORARY_UNWRITABLE",
      `The temporary directory ${tmpdir()} cannot be written to: ${error instanceof Error ? error.message : String(error)}. Set TMPDIR to a directory with room that you can write to.`,
    );
  }
}

/** What came of one request: its reply's content, and all that was broadcast for it, in order, without status. */
export interface Answer {
  reply: Json;
  outputs: Message[];
}

interface Waiting {
  channel: Inbound;
  reply: Json | null;
  idle: boolean;
  outputs: Message[];
  output: (message: Message) => void;
  settle(answer: Answer): void;
  fail(error: unknown): void;
}

export class KernelClient {
  readonly identity: string = randomUUID();
  readonly #sockets: ClientSockets;
  readonly #wire: Wire;
  readonly #waiting = new Map<string, Waiting>();
  readonly #listeners = new Set<(channel: Inbound | "iopub", message: Message) => void>();
  #welcomed!: () => void;
  #refused!: (problem: Problem) => void;
  readonly #welcome = new Promise<void>((resolve, reject) => {
    this.#welcomed = resolve;
    this.#refused = reject;
  });

  constructor(connection: Connection) {
    this.#wire = new Wire(connection.key, connection.hash);
    // Whoever waits for the welcome hears of its failure; a client that nobody waits for may close too.
    this.#welcome.catch(() => undefined);
    this.#sockets = new ClientSockets(connection, this.identity, (channel, frames) =>
      this.#receive(channel, this.#wire.decode(frames)),
    );
  }

  /** Resolves with the kernel's description when it answers and its broadcasts arrive. */
  async ready(): Promise<Json> {
    // Before the welcome a broadcast may be lost, and with it the idle of a request.
    await this.#welcome;
    return (await this.request("shell", "kernel_info_request", {})).reply;
  }

  /**
   * Sends a request. Resolves when both its reply and its idle have come. `output` hears of each broadcast at once;
   * what it throws, this rejects with.
   */
  request(
    channel: Inbound,
    type: string,
    content: Json,
    output: (message: Message) => void = () => undefined,
    metadata: Json = {},
  ): Promise<Answer> {
    const message = requestOf(type, content, metadata);
    const answer = new Promise<Answer>((settle, fail) =>
      this.#waiting.set(message.header.msg_id, {
        channel,
        reply: null,
        idle: false,
        outputs: [],
        output,
        settle,
        fail,
      }),
    );
    this.#sockets.send(channel, this.#wire.encode(message));
    return answer;
  }

  /** Runs code as a front end does. `options` are further fields of execute_request. */
  execute(code: string, options: Json = {}, output?: (message: Message) => void): Promise<Answer> {
    return this.request(
      "shell",
      "execute_request",
      {
        code,
        silent: false,
        store_history: true,
        user_expressions: {},
        allow_stdin: false,
        stop_on_error: true,
        ...options,
      },
      output,
    );
  }

  /** Sends a message that has no reply, such as input_reply. */
  send(channel: Inbound, message: Message): void {
    this.#sockets.send(channel, this.#wire.encode(message));
  }

  /** Sends frames as they are, signed or not. */
  sendRaw(channel: Inbound, frames: Uint8Array[]): void {
    this.#sockets.send(channel, frames);
  }

  /** The frames of a message of this client, signed. */
  frames(message: Message): Uint8Array[] {
    return this.#wire.encode(message);
  }

  /** Hears every message; what it throws is written to stderr. Returns what stops it. */
  listen(listener: (channel: Inbound | "iopub", message: Message) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  heartbeat(limit: number): Promise<number> {
    return this.#sockets.heartbeat(limit);
  }

  /** Closes the sockets; what still waits fails with `reason`. */
  close(reason = "the client was closed"): void {
    this.#sockets.close();
    const problem = new Problem("KERNEL_ENDED", `The kernel did not answer: ${reason}.`);
    this.#refused(problem);
    for (const { fail } of this.#waiting.values()) fail(problem);
    this.#waiting.clear();
  }

  #receive(channel: Inbound | "iopub", message: Message): void {
    for (const listener of this.#listeners) {
      try {
        listener(channel, message);
      } catch (error) {
        process.stderr.write(
          `warpcell: a listener threw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
        );
      }
    }
    const { msg_type: type } = message.header;
    if (type === "iopub_welcome") return this.#welcomed();
    const id = message.parent.msg_id;
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || waiting === undefined) return;

    if (channel === waiting.channel) waiting.reply = message.content;
    else if (channel !== "iopub") return;
    else if (type === "status") waiting.idle ||= message.content["execution_state"] === "idle";
    else {
      waiting.outputs.push(message);
      try {
        waiting.output(message);
      } catch (error) {
        this.#waiting.delete(id);
        return waiting.fail(error);
      }
    }
    if (waiting.reply === null || !waiting.idle) return;
    this.#waiting.delete(id);
    waiting.settle({ reply: waiting.reply, outputs: waiting.outputs });
  }
}

/** Ports that were free a moment ago. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve, reject) => {
          const server = createServer();
          server.once("error", reject).listen(0, "127.0.0.1", () => resolve(server));
        }),
    ),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
