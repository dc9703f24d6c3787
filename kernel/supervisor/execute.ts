// Runs the cells of execute requests one after the other: count, input, output, warnings, reply.
import type { CellError, RequestId } from "../session-protocol.ts";
import { cellOf, type CellText } from "./cell-text.ts";
import { optional, required } from "./content.ts";
import type { Check, Diagnostics, TypesMode } from "./type-warnings.ts";
import { format } from "./type-warnings.ts";
import type { History } from "./history.ts";
import type { Json, Message } from "./messages.ts";
import type { Mistakes } from "./mistakes.ts";
import type { Publisher } from "./publish.ts";
import type { Origin, Requests } from "./requests.ts";
import type { Outcome, SessionKeeper } from "./session-keeper.ts";
import type { Stdin } from "./stdin.ts";

export interface ExecuteParts {
  publisher: Publisher;
  requests: Requests;
  session: SessionKeeper;
  history: History;
  diagnostics: Diagnostics;
  mistakes: Mistakes;
  stdin: Stdin;
  /** What `x?` and `%help x` show. */
  help(expression: string, detail: 0 | 1): Promise<{ readonly "text/plain": string } & Json>;
}

interface Options {
  code: string;
  silent: boolean;
  storeHistory: boolean;
  allowStdin: boolean;
  userExpressions: Record<string, string>;
}

export class Execute {
  readonly #parts: ExecuteParts;
  #running: RequestId | null = null;
  #current: Origin | null = null;
  #count = 0;

  constructor(parts: ExecuteParts) {
    this.#parts = parts;
  }

  get busy(): boolean {
    return this.#running !== null;
  }

  /** How many cells have been stored. */
  get count(): number {
    return this.#count;
  }

  /** The request that native output belongs to: the running one, else the last. */
  get current(): Origin | null {
    return this.#current;
  }

  /** Stops the running cell or, when there is none, what comms run. */
  interrupt(): void {
    if (this.#running !== null) this.#parts.session.interrupt(this.#running);
    else this.#parts.session.interruptComms();
  }

  /** Runs one request to its end. Returns the content of execute_reply. */
  async run(request: Message): Promise<Json> {
    const { publisher, requests, history } = this.#parts;
    const options = readOptions(request);
    const id = requests.add(request, options);
    this.#running = id;
    this.#current = requests.get(id) ?? null;
    if (options.storeHistory) this.#count++;
    const count = this.#count;

    try {
      if (!options.silent) publisher.publish("execute_input", request, { code: options.code, execution_count: count });
      const outcome = await this.#runCell(request, id, count, options);
      if (options.storeHistory) history.add(count, options.code, requests.get(id)?.resultText ?? null);
      return replyContent(count, outcome);
    } finally {
      publisher.flush();
      requests.settle(id);
      this.#parts.stdin.ended(id);
      this.#running = null;
    }
  }

  async #runCell(request: Message, id: RequestId, count: number, options: Options): Promise<Outcome> {
    const cell = await cellOf(options.code);
    if (cell?.help != null) {
      this.#parts.requests.release([id]);
      return {
        ...succeeded,
        payload: [{ source: "page", start: 0, data: await this.#parts.help(cell.help.expression, cell.help.detail) }],
      };
    }

    this.#setTypes(request, cell, options);
    if (cell !== null && !options.silent) await this.#tellNames(request, cell);
    // What a cell installs the checker cannot know before, also where type errors are fatal.
    const before = cell?.installs === true ? null : this.#check(request, cell, count, options);
    // No wait unless it is needed: the cell starts before it is checked.
    const refusal =
      before !== null && this.#parts.diagnostics.mode === "strict" ? await this.#refusal(before, count) : null;
    if (refusal !== null) this.#parts.requests.release([id]);
    const outcome =
      refusal === null
        ? await this.#send(request, id, count, options)
        : { ...succeeded, status: "error" as const, error: refusal };
    if (outcome.error !== null && !options.silent) this.#publishError(request, outcome.error);
    const check = cell?.installs === true ? this.#check(request, cell, count, options) : before;
    if (check !== null && cell !== null && refusal === null) {
      const failed = outcome.error === null ? null : lineOf(outcome.error, count);
      this.#showWarnings(
        request,
        await this.#parts.diagnostics.shown(count, check, failed, (late) => this.#showLate(request, late)),
      );
      this.#parts.diagnostics.ran(count, cell.code);
    }
    if (cell?.language === "cuda" && outcome.error === null) this.#parts.diagnostics.ranDevice(cell.code);
    return outcome;
  }

  /** A check of the cell's types; `null` where there is nothing to check. */
  #check(request: Message, cell: CellText | null, count: number, options: Options): Check | null {
    const { diagnostics, mistakes } = this.#parts;
    if (cell === null || cell.language !== "typescript" || options.silent) return null;
    // One message for one mistake: who underlines it needs no text below the cell.
    if (diagnostics.mode === "warn" && mistakes.shownTo(request)) return diagnostics.unchecked(cell.code);
    return diagnostics.check(count, cell.code);
  }

  /** `%types MODE` sets how type errors are treated, from this cell on; `%types` alone tells. */
  #setTypes(request: Message, cell: CellText | null, { silent }: Options): void {
    const { diagnostics, publisher } = this.#parts;
    if (silent || cell === null) return;
    diagnostics.mode = cell.types ?? diagnostics.mode;
    if (cell.tellTypes) publisher.stream(request, "stdout", `${typesModes[diagnostics.mode]}\n`);
  }

  async #tellNames(request: Message, { names }: CellText): Promise<void> {
    for (const name of names) {
      const { "text/plain": text } = await this.#parts.help(name, 0);
      this.#parts.publisher.stream(request, "stdout", `${text}\n\n`);
    }
  }

  async #refusal(check: Check, count: number): Promise<CellError | null> {
    const errors = (await check.warnings).filter(({ severity }) => severity === "error");
    if (errors.length === 0) return null;
    const message = `The cell has ${errors.length === 1 ? "a type error" : `${errors.length} type errors`} and was not run, because of %types strict.`;
    return {
      name: "TypesError",
      message,
      traceback: [
        `\u001b[31mTypesError\u001b[39m: ${message}`,
        "",
        ...format(count, check.code, errors, "error").trimEnd().split("\n"),
      ],
    };
  }

  /** Under the cell itself, as what a late timer prints, unless another one runs by now. */
  #showLate(request: Message, text: string): boolean {
    if (this.busy) return false;
    this.#showWarnings(request, text);
    return true;
  }

  /** Not on stderr, which front ends show as failure. */
  #showWarnings(request: Message, text: string): void {
    if (text !== "")
      this.#parts.publisher.publish("display_data", request, {
        data: { "text/plain": text.trimEnd() },
        metadata: {},
        transient: {},
      });
  }

  #send(request: Message, id: RequestId, count: number, options: Options): Promise<Outcome> {
    const cellId = request.metadata["cellId"];
    return this.#parts.session.request({
      type: "execute",
      request: id,
      count,
      cellId: typeof cellId === "string" ? cellId : null,
      ...options,
    });
  }

  #publishError(request: Message, error: CellError): void {
    this.#parts.publisher.publish("error", request, {
      ename: error.name,
      evalue: error.message,
      traceback: error.traceback,
    });
  }

  /**
   * The content of the reply to a request that was dropped because one before it failed. It has no count: a front end
   * would show it beside a cell that never ran.
   */
  aborted(): Json {
    return { status: "aborted" };
  }
}

/** The line of the cell where an error came from; `null` where it says none. */
function lineOf({ traceback }: CellError, count: number): number | null {
  const place = new RegExp(`Cell \\[${count}\\]:(\\d+)`).exec(traceback.join("\n"));
  return place === null ? null : Number(place[1]);
}

const typesModes: Record<TypesMode, string> = {
  warn: "%types warn: type errors are shown, and the cell runs.",
  strict: "%types strict: a cell with a type error does not run.",
  off: "%types off: type errors are not looked for.",
};

const succeeded: Outcome = { status: "ok", error: null, userExpressions: {}, payload: [] };

function readOptions({ content }: Message): Options {
  const silent = optional(content, "silent", "boolean", false);
  const expressions = optional(content, "user_expressions", "object", {});
  return {
    code: required(content, "code", "string"),
    silent,
    storeHistory: !silent && optional(content, "store_history", "boolean", true),
    allowStdin: optional(content, "allow_stdin", "boolean", true),
    userExpressions: Object.fromEntries(
      Object.keys(expressions).map((name) => [name, required(expressions, name, "string")]),
    ),
  };
}

function replyContent(count: number, { status, error, userExpressions, payload }: Outcome): Json {
  if (status === "ok") return { status, execution_count: count, user_expressions: userExpressions, payload };
  const { name, message, traceback } = error ?? {
    name: "Error",
    message: "The cell failed without a reason.",
    traceback: [],
  };
  return { status, execution_count: count, ename: name, evalue: message, traceback, user_expressions: {}, payload };
}
