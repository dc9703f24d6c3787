// The session's third thread: answers what front ends ask of tensors and profiles that they show, while the main thread
// runs a cell. It reads the same memory, and waits for a device process of its own alone.
import { parentPort, workerData } from "node:worker_threads";
import { DeviceFault, TensorError, WarpcellError, type Tensor } from "warpcell";
import {
  figuresOfShown,
  goneProfile,
  goneTensor,
  isShown,
  nextFound,
  prepareViews,
  previewOf,
  SharedCode,
  sliceOf,
  tileAt,
  viewed,
  viewedStatistics,
  viewedWindow,
  type Shown,
} from "warpcell/host";
import { mistakesTarget } from "../../mime.ts";
import { packForLine } from "../../session-protocol-buffers.ts";
import { cudaMistakesIn } from "./cuda-mistakes.ts";
import { NotHere, refusalOf, replyTo, type ViewReply, type Views } from "../display/views.ts";
import { type AgentStart, type FromViewer, shared, type ToViewer } from "./agent-link.ts";

type ShownTensor = Shown & { what: "tensor" };

const memory = new Int32Array((workerData as AgentStart).memory);
const agent = parentPort!;
const shown = new Map<string, Shown>();
let sharedCode = new SharedCode();
let isOpen = false;

const isRunning = (): boolean => Atomics.load(memory, shared.running) > 0;

/** What `use` makes of a tensor; once more where the process that was to read it had died. */
function view<T>(id: string, use: Parameters<typeof viewed<T>>[1]): { value: T; unfinished: boolean } {
  const found = shown.get(id);
  if (found?.what !== "tensor") throw goneTensor();
  const wasRunning = isRunning();
  const { value, unfinished } = onceMore(() => viewed(found, use));
  return { value, unfinished: unfinished || wasRunning || isRunning() };
}

/** The same of a tensor and another one, or none. */
function viewBoth<T>(
  id: string,
  minus: string | null,
  use: (tensor: Tensor, minus: Tensor | null) => T,
): { value: T; unfinished: boolean } {
  if (minus === null) return view(id, (tensor) => use(tensor, null));
  const { value, unfinished } = view(id, (tensor) => view(minus, (other) => use(tensor, other)));
  return { value: value.value, unfinished: unfinished || value.unfinished };
}

function onceMore<T>(attempt: () => T): T {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof DeviceFault) return attempt();
    throw error;
  }
}

const views: Views = {
  slice(id, index) {
    const { value, unfinished } = view(id, (tensor) => sliceOf(tensor, index));
    return { tile: value, unfinished };
  },
  figures(id) {
    const { value, unfinished } = view(id, figuresOfShown);
    return { figures: value, unfinished };
  },
  tile(id, place, minus) {
    const { value, unfinished } = viewBoth(id, minus, (tensor, other) => tileAt(tensor, place, other));
    return { ...value, unfinished };
  },
  statistics(id, minus) {
    const { value, unfinished } = viewBoth(id, minus, viewedStatistics);
    return { statistics: value, unfinished };
  },
  find(id, kind, after, minus) {
    const { value, unfinished } = viewBoth(id, minus, (tensor, other) => nextFound(tensor, kind, after, other));
    return { index: value, unfinished };
  },
  window(id, start, end, width) {
    const found = shown.get(id);
    if (found?.what !== "profile") throw goneProfile();
    return viewedWindow(found, start, end, width);
  },
  preview(id) {
    const { value, unfinished } = view(id, (tensor) => previewOf(tensor, id));
    return { ...value, unfinished };
  },
  variables: notHere,
  dispose: notHere,
  memory: notHere,
  release: notHere,
};

function notHere(): never {
  throw new NotHere();
}

const messages: { [K in ToViewer["type"]]: (message: Extract<ToViewer, { type: K }>) => void } = {
  shown(message) {
    for (const [id, other] of shown) if (!isShown(other)) shown.delete(id);
    shown.set(message.shown.id, message.shown);
    if (isOpen && message.shown.what === "tensor") prepare(message.shown);
  },
  sharedCode({ sources }) {
    sharedCode = SharedCode.of(sources);
  },
  opened() {
    isOpen = true;
    for (const each of shown.values()) if (each.what === "tensor") prepare(each);
  },
  view({ view, target, data }) {
    const tell = (answer: FromViewer["answer"]) => agent.postMessage({ view, answer } satisfies FromViewer);
    if (target === mistakesTarget) void mistakesIn(data as [string, ...string[]]).then(tell);
    else tell(carried(answerTo(target, data)));
  },
};

agent.on("message", (message: ToViewer) => (messages[message.type] as (message: ToViewer) => void)(message));

/** `null`: not to be answered here. What is wrong with a device here may be right on the main thread. */
function answerTo(target: Parameters<typeof replyTo>[0], data: unknown): ViewReply | null {
  try {
    return replyTo(target, data, views);
  } catch (error) {
    if (error instanceof TensorError || (error instanceof WarpcellError && error.code === "GONE"))
      return refusalOf(target, data, error.message);
    if (!(error instanceof NotHere || (error instanceof Error && "code" in error))) report(error);
    return null;
  }
}

/** What is no error of a device is a mistake of this program. */
function report(error: unknown): void {
  process.stderr.write(
    `warpcell: a viewer's question failed: ${error instanceof Error ? error.stack : String(error)}\n`,
  );
}

/** `null` where nothing can be known: no device compiles here. */
async function mistakesIn([text, ...before]: [string, ...string[]]): Promise<FromViewer["answer"]> {
  try {
    return { data: { mistakes: await cudaMistakesIn(text, before, sharedCode) }, buffers: [] };
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) report(error);
    return null;
  }
}

function carried(reply: ViewReply | null): FromViewer["answer"] {
  return reply && { data: { ...reply.data }, buffers: packForLine(reply.buffers) };
}

/** What is wrong with a device is met again when somebody asks, and then the main thread answers. */
function prepare(tensor: ShownTensor): void {
  try {
    prepareViews(tensor);
  } catch {
    return;
  }
}
