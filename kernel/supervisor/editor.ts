// Answers on `warpcell.editor` what editors ask of cells that are being written, also while a cell spins.
import { tooDeepAt } from "../language/nesting.ts";
import {
  editorTarget,
  type EditorAnswers,
  type EditorQuestion,
  type EditorReply,
  type EditorRequest,
} from "../mime.ts";
import type { OwnTarget } from "./comms.ts";
import type { Json, Message } from "./messages.ts";
import type { Publisher } from "./publish.ts";

/** What this needs of the type service. */
export interface Answering {
  edit<Question extends EditorQuestion>(
    question: Question,
    asked: Omit<EditorRequest, "request">,
  ): Promise<EditorAnswers[Question] | null>;
}

const questions: Readonly<Record<EditorQuestion, true>> = {
  hover: true,
  signature: true,
  complete: true,
  definition: true,
  references: true,
  rename: true,
  format: true,
  hints: true,
};

export class Editor implements OwnTarget {
  readonly target = editorTarget;
  readonly #publisher: Publisher;
  readonly #types: Answering;

  constructor(publisher: Publisher, types: Answering) {
    this.#publisher = publisher;
    this.#types = types;
  }

  /** Nothing is kept of a comm. */
  opened(): void {}

  closed(): void {}

  async message(comm: string, request: Message): Promise<void> {
    const reply = await this.#reply(request.content["data"]);
    this.#publisher.publish("comm_msg", request, { comm_id: comm, data: { ...reply } });
  }

  async #reply(data: unknown): Promise<EditorReply> {
    const asked = typeof data === "object" && data !== null ? (data as Json) : {};
    const request = typeof asked["request"] === "number" ? asked["request"] : -1;
    if (!isQuestion(asked)) return { request, answer: null, problem: expected };
    if (asked.cells.some((text) => tooDeepAt(text) !== null)) return { request, answer: null, problem: null };
    return { request, answer: await this.#types.edit(asked.question, asked), problem: null };
  }
}

const expected =
  "An editor asks with a request number, a question, a list of the cells' texts, the number of one of them and an offset in it.";

function isQuestion(asked: Json): asked is Json & EditorRequest {
  const { request, question, cells, cell, offset, name, indent, all } = asked;
  const isWithin = (value: unknown, most: number) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most;
  return (
    typeof request === "number" &&
    typeof question === "string" &&
    Object.hasOwn(questions, question) &&
    Array.isArray(cells) &&
    cells.every((text) => typeof text === "string") &&
    isWithin(cell, cells.length - 1) &&
    isWithin(offset, (cells[cell as number] as string).length) &&
    (name === undefined || typeof name === "string") &&
    (indent === undefined || isWithin(indent, 16)) &&
    (all === undefined || typeof all === "boolean")
  );
}
