// Answers on `warpcell.mistakes` what is wrong with cells that are being written, also while a cell spins.
import { tooDeepAt } from "../language/nesting.ts";
import { isCuda } from "../language/cell.ts";
import { type CellMistake, mistakesTarget, type MistakesReply, type MistakesRequest } from "../mime.ts";
import type { OwnTarget } from "./comms.ts";
import type { Json, Message } from "./messages.ts";
import type { Publisher } from "./publish.ts";

/** `null`: it cannot be known. */
export interface Finders {
  types(text: string, before: readonly string[]): Promise<readonly CellMistake[] | null>;
  cuda(text: string, before: readonly string[]): Promise<readonly CellMistake[] | null>;
}

export class Mistakes implements OwnTarget {
  readonly target = mistakesTarget;
  readonly #publisher: Publisher;
  readonly #find: Finders;
  /** The client that opened each comm. */
  readonly #comms = new Map<string, string>();

  constructor(publisher: Publisher, find: Finders) {
    this.#publisher = publisher;
    this.#find = find;
  }

  /** Whether the client of this request shows mistakes where they are written. */
  shownTo({ header }: Message): boolean {
    return [...this.#comms.values()].includes(header.session);
  }

  opened(comm: string, { header }: Message): void {
    this.#comms.set(comm, header.session);
  }

  closed(comm: string): void {
    this.#comms.delete(comm);
  }

  async message(comm: string, request: Message): Promise<void> {
    const reply = await this.#reply(request.content["data"]);
    this.#publisher.publish("comm_msg", request, { comm_id: comm, data: { ...reply } });
  }

  async #reply(data: unknown): Promise<MistakesReply> {
    const asked = typeof data === "object" && data !== null ? (data as Json) : {};
    const request = typeof asked["request"] === "number" ? asked["request"] : -1;
    if (!isQuestion(asked)) return { request, mistakes: [], problem: expected };
    const deep = [asked.code, ...asked.before].some((text) => tooDeepAt(text) !== null);
    if (deep) return { request, mistakes: [], problem: null };
    const isDevice = isCuda(asked.code.trimStart());
    const mistakes = isDevice
      ? await this.#find.cuda(asked.code, asked.before)
      : await this.#find.types(asked.code, asked.before);
    return { request, mistakes: mistakes ?? [], problem: mistakes === null ? unanswered(isDevice) : null };
  }
}

const expected = "Mistakes are asked for by a request number, a cell's code and a list of the texts before it.";

const unanswered = (isCuda: boolean): string =>
  `The ${isCuda ? "compiler" : "type service"} did not answer: what is wrong with this cell is not known. Ask again.`;

function isQuestion(asked: Json): asked is Json & MistakesRequest {
  const { request, code, before } = asked;
  return (
    typeof request === "number" &&
    typeof code === "string" &&
    Array.isArray(before) &&
    before.every((text) => typeof text === "string")
  );
}
