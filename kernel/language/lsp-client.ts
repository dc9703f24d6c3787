// Speaks the Language Server Protocol with a child process over its stdin and stdout.
import { spawn, type ChildProcess } from "node:child_process";
import { FrameReader, frame, type RpcMessage } from "./lsp-frames.ts";

/** A request has this long by default, in milliseconds; then it answers `null`. */
const requestBound = 2000;
/** So many times as long where nothing was answered yet: a busy machine reads the library's types for some seconds. */
const firstTime = 10;
/** So many deaths in a row, with no answer between them, and the server is not started again. */
const deathsAllowed = 3;

export interface LspClientOptions {
  executable: string;
  directory: string;
  /** Sent with `initialize`. */
  capabilities: unknown;
  initializationOptions: unknown;
  /** How long a request may take, in milliseconds. */
  bound?: number | undefined;
  /** Gets a sentence for a person: why there is no answer, and what to do. */
  report(sentence: string): void;
}

interface Document {
  language: string;
  version: number;
  text: string;
}

interface Pending {
  method: string;
  settle(result: unknown): void;
}

/**
 * A language server that is restarted when it dies, with every document open again. Requests never reject: one that
 * fails, or is not answered in time, answers `null` and the reason is reported.
 */
export class LspClient {
  readonly #options: LspClientOptions;
  readonly #documents = new Map<string, Document>();
  readonly #pending = new Map<number, Pending>();
  #child: ChildProcess | null = null;
  #ready = false;
  /** Requests made while the server is starting. */
  #waiting: (() => void)[] = [];
  #lastId = 0;
  #deaths = 0;
  #hasAnswered = false;
  #stopped = true;

  constructor(options: LspClientOptions) {
    this.#options = options;
  }

  /** The server's process, while it runs. */
  get processId(): number | null {
    return this.#child?.pid ?? null;
  }

  get running(): boolean {
    return this.#child !== null;
  }

  start(): void {
    this.#stopped = false;
    this.#deaths = 0;
    this.#spawn();
  }

  stop(): void {
    this.#stopped = true;
    const child = this.#child;
    this.#child = null;
    this.#ready = false;
    child?.stdin?.end();
    child?.kill();
    this.#failPending();
  }

  /** Makes `uri` a document with this text, for now and for every later server. */
  setDocument(uri: string, language: string, text: string): void {
    const known = this.#documents.get(uri);
    if (known !== undefined && known.text === text) return;

    const document = { language, version: (known?.version ?? 0) + 1, text };
    // In the order of their changes: a server that starts anew opens what is imported before what imports it.
    this.#documents.delete(uri);
    this.#documents.set(uri, document);
    if (known === undefined) this.#open(uri, document);
    else
      this.notify("textDocument/didChange", {
        textDocument: { uri, version: document.version },
        contentChanges: [{ text }],
      });
  }

  closeDocument(uri: string): void {
    if (this.#documents.delete(uri)) this.notify("textDocument/didClose", { textDocument: { uri } });
  }

  /** Says something to a server that is ready; one that is still starting is told of the documents as they are then. */
  notify(method: string, parameters: unknown): void {
    if (this.#ready) this.#send({ method, params: parameters });
  }

  /**
   * The result of a request; `null` when the server has none, is not there, fails, or takes longer than 2 s: the first
   * 20 s.
   */
  request(method: string, parameters: unknown): Promise<unknown> {
    const child = this.#child;
    if (child === null) return Promise.resolve(null);

    const id = ++this.#lastId;
    const { bound: usual = requestBound } = this.#options;
    const bound = this.#hasAnswered ? usual : firstTime * usual;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#options.report(
          `The type service did not answer ${method} within ${bound} ms: this answer lacks its types. Ask again; if this persists, restart the kernel.`,
        );
        this.#pending.get(id)?.settle(null);
      }, bound);
      const settle = (result: unknown): void => {
        clearTimeout(timer);
        this.#pending.delete(id);
        resolve(result);
      };
      this.#pending.set(id, { method, settle });
      const send = (): void => {
        if (this.#child === child) this.#send({ id, method, params: parameters });
      };
      if (this.#ready) send();
      else this.#waiting.push(send);
    });
  }

  #spawn(): void {
    const child = spawn(this.#options.executable, ["--lsp", "--stdio"], {
      cwd: this.#options.directory,
      stdio: ["pipe", "pipe", "ignore"],
    });
    const reader = new FrameReader((message) => this.#receive(message));
    let reason = "";
    this.#child = child;
    this.#ready = this.#hasAnswered = false;
    this.#waiting = [];

    child.on("error", (error) => {
      reason = error.message;
      if (child.pid !== undefined) return;
      this.#deaths = deathsAllowed;
      this.#died(child, reason);
    });
    // A pipe that breaks is the server's end, and `exit` says why; of one that goes on without listening the time limit
    // of a request tells.
    child.stdin.on("error", () => undefined);
    child.stdout.on("data", (bytes: Buffer) => {
      const problem = reader.push(bytes);
      if (problem === null) return;
      reason = problem;
      child.kill();
    });
    child.on("exit", (code, signal) => {
      this.#died(child, reason || (signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`));
    });
    // The server ends when its stdin closes; it must not keep this process alive.
    child.unref();
    for (const stream of [child.stdin, child.stdout]) (stream as unknown as { unref?(): void }).unref?.();

    const id = ++this.#lastId;
    this.#pending.set(id, { method: "initialize", settle: () => this.#begin(child, id) });
    this.#send({
      id,
      method: "initialize",
      params: {
        processId: process.pid,
        rootUri: null,
        capabilities: this.#options.capabilities,
        initializationOptions: this.#options.initializationOptions,
      },
    });
  }

  /** The handshake is over: documents, then what was asked meanwhile. */
  #begin(child: ChildProcess, id: number): void {
    this.#pending.delete(id);
    if (this.#child !== child) return;

    this.#ready = true;
    this.notify("initialized", {});
    for (const [uri, document] of this.#documents) this.#open(uri, document);
    for (const send of this.#waiting.splice(0)) send();
  }

  #open(uri: string, document: Document): void {
    this.notify("textDocument/didOpen", {
      textDocument: { uri, languageId: document.language, version: document.version, text: document.text },
    });
  }

  #died(child: ChildProcess, reason: string): void {
    if (this.#child !== child) return;
    this.#child = null;
    this.#ready = false;
    this.#failPending();
    if (this.#stopped) return;

    this.#deaths++;
    if (this.#deaths < deathsAllowed) {
      this.#spawn();
    } else {
      this.#options.report(
        `The type service ${this.#options.executable} does not run: ${reason}. Cells run without type checks and completion; ` +
          `"npm ci" reinstalls it, restarting the kernel tries again.`,
      );
    }
  }

  #failPending(): void {
    for (const pending of [...this.#pending.values()]) pending.settle(null);
  }

  #receive(message: RpcMessage): void {
    if (message.method !== undefined) {
      // What a server asks of an editor (settings, capabilities): there is nothing to say, but it waits for an answer.
      if (message.id !== undefined) this.#send({ id: message.id, result: null });
      return;
    }
    const pending = typeof message.id === "number" ? this.#pending.get(message.id) : undefined;
    if (pending === undefined) return;

    if (message.error !== undefined)
      this.#options.report(
        `The type service failed at ${pending.method}: ${message.error.message} (the cell itself is not affected).`,
      );
    else if (pending.method !== "initialize") {
      this.#deaths = 0;
      this.#hasAnswered = true;
    }
    pending.settle(message.result ?? null);
  }

  #send(message: Omit<RpcMessage, "jsonrpc">): void {
    const stdin = this.#child?.stdin;
    if (stdin?.writable) stdin.write(frame({ jsonrpc: "2.0", ...message }));
  }
}
