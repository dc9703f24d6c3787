// What front ends ask of tensors and profiles that they show, on the thread that is asked: checks a question, has its
// answer looked up, and words it. Every question has one reply: what it asks for, or a sentence.
import {
  tensorTarget,
  traceTarget,
  type FiguresReply,
  type FiguresRequest,
  type SliceReply,
  type SliceRequest,
  type WindowReply,
  type WindowRequest,
} from "../../mime.ts";
import type { ViewTarget } from "../../session-protocol.ts";

/** Finds what is asked for. What a method throws is not worded here. */
export interface Views {
  slice(id: string, index: readonly number[]): Pick<SliceReply, "tile" | "unfinished">;
  figures(id: string): Pick<FiguresReply, "figures" | "unfinished">;
  window(
    id: string,
    start: number,
    end: number,
    width: number,
  ): Pick<WindowReply, "length" | "columns" | "complete"> & { buffer: Uint8Array };
}

export interface ViewReply {
  data: SliceReply | FiguresReply | WindowReply;
  buffers: Uint8Array[];
}

interface Question<Request, Reply> {
  isAsked(data: Partial<Request>): boolean;
  /** What a question is, where it is none. */
  readonly expected: string;
  accepts(data: Partial<Request>): data is Request;
  answer(data: Request, views: Views): { data: Omit<Reply, "request" | "problem">; buffers: Uint8Array[] };
  /** A reply's fields where there is a problem. */
  readonly nothing: Omit<Reply, "request" | "problem">;
}

/** As wide as a wall of screens. */
const mostPixels = 20_000;
const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isRequest = ({ request, id }: { request?: unknown; id?: unknown }): boolean =>
  isNumber(request) && request >= 0 && typeof id === "string";

const slices: Question<SliceRequest, SliceReply> = {
  isAsked: () => true,
  expected: "A slice is asked for by a request number, the tensor's id and an index of whole numbers.",
  accepts: (data): data is SliceRequest =>
    isRequest(data) && Array.isArray(data.index) && data.index.every(Number.isInteger),
  answer: ({ id, index }, views) => ({ data: views.slice(id, index), buffers: [] }),
  nothing: { tile: null, unfinished: false },
};

const figures: Question<FiguresRequest, FiguresReply> = {
  isAsked: (data) => data.figures === true,
  expected: "Figures are asked for by a request number and the tensor's id.",
  accepts: (data): data is FiguresRequest => isRequest(data),
  answer: ({ id }, views) => ({ data: views.figures(id), buffers: [] }),
  nothing: { figures: null, unfinished: false },
};

const windows: Question<WindowRequest, WindowReply> = {
  isAsked: () => true,
  expected: `A window is asked for by a request number, the profile's id, a start before its end in nanoseconds, and a width from 1 to ${mostPixels}.`,
  accepts: (data): data is WindowRequest =>
    isRequest(data) &&
    isNumber(data.start) &&
    isNumber(data.end) &&
    data.end >= data.start &&
    isNumber(data.width) &&
    data.width >= 1 &&
    data.width <= mostPixels,
  answer({ id, start, end, width }, views) {
    const { buffer, ...data } = views.window(id, start, end, width);
    return { data, buffers: [buffer] };
  },
  nothing: { length: 0, columns: [], complete: false },
};

type AnyQuestion = Question<object, ViewReply["data"]>;
const questions = {
  [tensorTarget]: [figures, slices],
  [traceTarget]: [windows],
} as unknown as Record<ViewTarget, readonly AnyQuestion[]>;

/** The reply to what a front end sent. Throws what `views` throws: see {@link refusalOf}. */
export function replyTo(target: ViewTarget, data: unknown, views: Views): ViewReply {
  const asked = fieldsOf(data);
  const question = questionOf(target, asked);
  if (!question.accepts(asked)) return refusalOf(target, data, question.expected);
  const answer = question.answer(asked, views);
  return { ...answer, data: { request: numberOf(asked), ...answer.data, problem: null } as ViewReply["data"] };
}

/** The reply where what was asked for cannot be had. */
export function refusalOf(target: ViewTarget, data: unknown, problem: string): ViewReply {
  const asked = fieldsOf(data);
  const { nothing } = questionOf(target, asked);
  return { data: { request: numberOf(asked), ...nothing, problem } as ViewReply["data"], buffers: [] };
}

function questionOf(target: ViewTarget, asked: object): AnyQuestion {
  return questions[target].find(({ isAsked }) => isAsked(asked))!;
}

function fieldsOf(data: unknown): object {
  return typeof data === "object" && data !== null ? data : {};
}

function numberOf({ request }: { request?: unknown }): number {
  return isNumber(request) ? request : -1;
}
