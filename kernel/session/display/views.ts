// What front ends ask of tensors and profiles that they show, and of names and memory, on the thread that is asked: checks a question, has its
// answer looked up, and words it. Every question has one reply: what it asks for, or a sentence.
import {
  memoryTarget,
  tensorTarget,
  traceTarget,
  variablesTarget,
  type DisposeReply,
  type DisposeRequest,
  type FiguresReply,
  type FiguresRequest,
  type FindReply,
  type FindRequest,
  type FoundKind,
  type MemoryReply,
  type MemoryRequest,
  type PreviewReply,
  type PreviewRequest,
  type ReleaseReply,
  type ReleaseRequest,
  type SliceReply,
  type SliceRequest,
  type StatisticsReply,
  type StatisticsRequest,
  type TilePlace,
  type TileReply,
  type TileRequest,
  type VariablesReply,
  type VariablesRequest,
  type WindowReply,
  type WindowRequest,
} from "../../mime.ts";
import type { ViewTarget } from "../../session-protocol.ts";

/** Finds what is asked for. What a method throws is not worded here. */
export interface Views {
  slice(id: string, index: readonly number[]): Pick<SliceReply, "tile" | "unfinished">;
  figures(id: string): Pick<FiguresReply, "figures" | "unfinished">;
  tile(
    id: string,
    place: TilePlace,
    minus: string | null,
  ): Pick<TileReply, "tile" | "unfinished"> & { buffers: Uint8Array[] };
  statistics(id: string, minus: string | null): Pick<StatisticsReply, "statistics" | "unfinished">;
  find(
    id: string,
    kind: FoundKind,
    after: readonly number[] | null,
    minus: string | null,
  ): Pick<FindReply, "index" | "unfinished">;
  window(
    id: string,
    start: number,
    end: number,
    width: number,
  ): Pick<WindowReply, "length" | "columns" | "complete"> & { buffer: Uint8Array };
  variables(): Pick<VariablesReply, "variables" | "running">;
  preview(id: string): Pick<PreviewReply, "payload" | "png" | "unfinished">;
  dispose(id: string): number;
  memory(): Pick<MemoryReply, "devices" | "cells" | "running">;
  release(what: ReleaseRequest["release"]): number;
}

/** What a thread answers with that cannot know: another one may. */
export class NotHere extends Error {
  override readonly name = "NotHere";
}

type AnyReply =
  | SliceReply
  | FiguresReply
  | TileReply
  | StatisticsReply
  | FindReply
  | WindowReply
  | VariablesReply
  | PreviewReply
  | DisposeReply
  | MemoryReply
  | ReleaseReply;

export interface ViewReply {
  data: AnyReply;
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
const isNumbered = ({ request }: { request?: unknown }): boolean => isNumber(request) && request >= 0;
const isRequest = ({ request, id }: { request?: unknown; id?: unknown }): boolean =>
  isNumbered({ request }) && typeof id === "string";

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

/** Positions and axes: whole numbers that JavaScript has exactly. */
const isPlace = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isPlaceOrNull = (value: unknown): boolean => value === null || isPlace(value);
const isIndex = (value: unknown): boolean => Array.isArray(value) && value.every(isPlace);
const isOther = ({ minus }: { minus?: unknown }): boolean => minus === null || typeof minus === "string";

const tiles: Question<TileRequest, TileReply> = {
  isAsked: ({ tile }) => tile !== undefined,
  expected:
    "A tile is asked for by a request number, the tensor's id, minus: the id of another one or null, and a place: index, rows, columns, level, row and column as whole numbers from 0 on.",
  accepts: (data): data is TileRequest => {
    const { index, rows, columns, level, row, column } = fieldsOf(data.tile) as Partial<TilePlace>;
    return (
      isRequest(data) &&
      isOther(data) &&
      isIndex(index) &&
      [rows, columns].every(isPlaceOrNull) &&
      [level, row, column].every(isPlace)
    );
  },
  answer({ id, tile, minus }, views) {
    const { buffers, ...data } = views.tile(id, tile, minus);
    return { data, buffers };
  },
  nothing: { tile: null, unfinished: false },
};

const statistics: Question<StatisticsRequest, StatisticsReply> = {
  isAsked: (data) => data.statistics !== undefined,
  expected:
    "Statistics are asked for by a request number, the tensor's id, minus: the id of another one or null, and statistics: true.",
  accepts: (data): data is StatisticsRequest => isRequest(data) && isOther(data) && data.statistics === true,
  answer: ({ id, minus }, views) => ({ data: views.statistics(id, minus), buffers: [] }),
  nothing: { statistics: null, unfinished: false },
};

const foundKinds: readonly FoundKind[] = ["nan", "infinity", "maximum", "minimum"];

const finds: Question<FindRequest, FindReply> = {
  isAsked: ({ find }) => find !== undefined,
  expected: `An element is looked for by a request number, the tensor's id, minus: the id of another one or null, after: an index or null, and find: one of ${foundKinds.map((kind) => `"${kind}"`).join(", ")}.`,
  accepts: (data): data is FindRequest =>
    isRequest(data) &&
    isOther(data) &&
    (data.after === null || isIndex(data.after)) &&
    foundKinds.includes(data.find as FoundKind),
  answer: ({ id, find, after, minus }, views) => ({ data: views.find(id, find, after, minus), buffers: [] }),
  nothing: { index: null, unfinished: false },
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

const variables: Question<VariablesRequest, VariablesReply> = {
  isAsked: () => true,
  expected: "Variables are asked for by a request number and variables: true.",
  accepts: (data): data is VariablesRequest => isNumbered(data) && data.variables === true,
  answer: (_, views) => ({ data: views.variables(), buffers: [] }),
  nothing: { variables: [], running: false },
};

const previews: Question<PreviewRequest, PreviewReply> = {
  isAsked: ({ preview }) => preview !== undefined,
  expected: "A preview is asked for by a request number and the tensor's id.",
  accepts: (data): data is PreviewRequest => isNumbered(data) && typeof data.preview === "string",
  answer: ({ preview }, views) => ({ data: views.preview(preview), buffers: [] }),
  nothing: { payload: null, png: null, unfinished: false },
};

const disposals: Question<DisposeRequest, DisposeReply> = {
  isAsked: ({ dispose }) => dispose !== undefined,
  expected: "To dispose of a tensor takes a request number and its id.",
  accepts: (data): data is DisposeRequest => isNumbered(data) && typeof data.dispose === "string",
  answer: ({ dispose }, views) => ({ data: { freed: views.dispose(dispose) }, buffers: [] }),
  nothing: { freed: 0 },
};

const memories: Question<MemoryRequest, MemoryReply> = {
  isAsked: () => true,
  expected: "Memory is asked for by a request number and memory: true.",
  accepts: (data): data is MemoryRequest => isNumbered(data) && data.memory === true,
  answer: (_, views) => ({ data: views.memory(), buffers: [] }),
  nothing: { devices: [], cells: [], running: false },
};

const releases: Question<ReleaseRequest, ReleaseReply> = {
  isAsked: ({ release }) => release !== undefined,
  expected: 'To give memory back takes a request number and release: "collect" or "trim".',
  accepts: (data): data is ReleaseRequest =>
    isNumbered(data) && (data.release === "collect" || data.release === "trim"),
  answer: ({ release }, views) => ({ data: { freed: views.release(release) }, buffers: [] }),
  nothing: { freed: 0 },
};

type AnyQuestion = Question<object, ViewReply["data"]>;
const questions = {
  [tensorTarget]: [figures, tiles, statistics, finds, slices],
  [traceTarget]: [windows],
  [variablesTarget]: [previews, disposals, variables],
  [memoryTarget]: [releases, memories],
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
