// The session's second thread: hears the supervisor while a cell spins, and stops the cell, answers its prompts, reads
// gauges, and passes on what front ends ask to the third one, which waits for a device.
import { readdirSync, readFileSync } from "node:fs";
import { Session } from "node:inspector";
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import { parentPort, workerData } from "node:worker_threads";
import type * as Host from "warpcell/host";
import {
  type AgentCommand,
  agentDescriptor,
  type AgentEvent,
  type AgentTarget,
  type ListTarget,
  listTargets,
  type RequestId,
  type ViewAnswer,
} from "../../session-protocol.ts";
import { kernelTarget } from "../../mime.ts";
import { type AgentStart, type FromAgent, shared, type ToAgent } from "./agent-link.ts";
import { answerMachine, asksForMachine } from "./machine.ts";
import type { NotebookState } from "./notebook-state.ts";
import type { ViewerThread } from "./viewer-thread.ts";
import { Debugger } from "./debugger.ts";
import { endAtOnce } from "../requests/end-at-once.ts";

/**
 * Milliseconds that the main thread gets to see an interrupt by itself: with an idle event loop, and when a device wait
 * ends (which restarts a process).
 */
const idleGrace = 30;
const deviceGrace = 700;
/** Milliseconds after which a cell that did not end is taken to wait for a child process. */
const childGrace = 250;

const memory = new Int32Array((workerData as AgentStart).memory);
const main = parentPort!;
const pipe = new Socket({ fd: agentDescriptor, readable: true, writable: true });
type Question = Extract<ToAgent, { type: "inputRequest" }>;

/**
 * A front end asks its user one thing at a time: the first of a request's questions is on its way, the others wait for
 * its answer.
 */
const questions = new Map<RequestId, Question[]>();
/** The library's functions for any thread; there are none before the main thread has loaded it. */
let devices: typeof Host | null = null;
let loading: Promise<void> = Promise.resolve();
/** Comes with the library. */
let viewer: ViewerThread | null = null;
let notebook: NotebookState | null = null;
let gaugeTimer: NodeJS.Timeout | undefined;
const debug = new Debugger((event, body) => send({ type: "debugEvent", event, body }));

const commands: { [K in AgentCommand["type"]]: (command: Extract<AgentCommand, { type: K }>) => void } = {
  interrupt: ({ request }) => void interrupt(request),
  inputReply: ({ request, value }) => answer(request, value),
  gauges: ({ interval }) => {
    clearInterval(gaugeTimer);
    if (interval > 0)
      gaugeTimer = setInterval(() => {
        if (devices !== null) send({ type: "gauges", devices: devices.gauges() });
      }, interval);
  },
  viewOpened: () => void loading.then(() => viewer?.open()),
  view: ({ view, target, data }) =>
    void loading.then(async () => send({ type: "viewed", view, answer: await answerView(view, target, data) })),
  debug: ({ debug: number, command, arguments: given }) =>
    void debug.answer(command, given).then((answer) => send({ type: "debugged", debug: number, answer })),
};

const messages: { [K in ToAgent["type"]]: (message: Extract<ToAgent, { type: K }>) => void } = {
  library: ({ url }) => {
    loading = load(url);
  },
  devices: ({ known }) => void loading.then(() => devices?.know(known)),
  shown: ({ shown }) => void loading.then(() => viewer?.show(shown)),
  sharedCode: ({ sources }) => void loading.then(() => viewer?.share(sources)),
  held: ({ held }) => void loading.then(() => notebook?.hold(held)),
  places: (places) => void loading.then(() => notebook?.learn(places)),
  inputRequest: (question) => {
    const waiting = questions.get(question.request);
    if (waiting !== undefined) return void waiting.push(question);
    questions.set(question.request, [question]);
    ask(question);
  },
};

// Threads of one process load an addon best one after the other: the library comes when the main thread has it.
main.on("message", (message: ToAgent) => (messages[message.type] as (message: ToAgent) => void)(message));
createInterface({ input: pipe }).on("line", (line) => {
  const command = JSON.parse(line) as AgentCommand;
  (commands[command.type] as (command: AgentCommand) => void)(command);
});
// The other end is the supervisor's: closed, it has died, and nothing of it may stay.
pipe.on("close", endAtOnce);
pipe.on("error", endAtOnce);

async function load(url: string): Promise<void> {
  devices = (await import(url)) as typeof Host;
  viewer = new (await import("./viewer-thread.ts")).ViewerThread(workerData as AgentStart);
  notebook = new (await import("./notebook-state.ts")).NotebookState(devices);
}

/**
 * What is listed and shown of it the main thread knows best, where no cell keeps it busy. `null`: only that can answer.
 */
async function answerView(view: number, target: AgentTarget, data: unknown): Promise<ViewAnswer | null> {
  if (target === kernelTarget && asksForMachine(data)) return answerMachine(data);
  if (listTargets.includes(target as ListTarget)) {
    if (Atomics.load(memory, shared.cell) === 0 && !debug.isPaused) return null;
    const answer = notebook?.answer(target, data) ?? null;
    if (answer !== null || !isPreview(data)) return answer;
  }
  return (await viewer?.ask(view, target, data)) ?? null;
}

const isPreview = (data: unknown): boolean => typeof data === "object" && data !== null && "preview" in data;

function send(event: AgentEvent): void {
  pipe.write(`${JSON.stringify(event)}\n`);
}

function ask({ request, prompt, password }: Question): void {
  send({ type: "inputRequest", request, prompt, password });
}

function answer(request: RequestId, value: string | null): void {
  const waiting = questions.get(request) ?? [];
  const question = waiting.shift();
  if (question === undefined) return;
  question.answerTo.postMessage({ value });
  if (waiting[0] === undefined) questions.delete(request);
  else ask(waiting[0]);
  if (!question.blocking) return;
  Atomics.add(memory, shared.answers, 1);
  Atomics.notify(memory, shared.answers);
}

const interrupting = new Set<RequestId>();

/**
 * Stops the request. The main thread is told by a message, which it reads when its event loop turns: then it gives up
 * what it awaits. If it does not, JavaScript is running, of this request or left behind by another, and is terminated.
 * Terminating at once would cost an idle main thread the next thing it does.
 */
async function interrupt(request: RequestId): Promise<void> {
  // Whoever presses the button again while it works wants the same.
  if (interrupting.has(request)) return;
  interrupting.add(request);
  try {
    await stop(request);
  } catch (error) {
    // The supervisor ends a session that does not stop; this thread must live to hear of more.
    process.stderr.write(`warpcell: an interrupt failed: ${error instanceof Error ? error.message : String(error)}\n`);
  } finally {
    interrupting.delete(request);
  }
}

async function stop(request: RequestId): Promise<void> {
  const isSeen = (): boolean => Atomics.load(memory, shared.acknowledged) === request;
  const isEnded = (): boolean => isSeen() || Atomics.load(memory, shared.ended) >= request;
  if (isEnded()) return send({ type: "interrupted", request });

  Atomics.store(memory, shared.interrupting, request);
  const isDeviceBusy = devices?.isBusy() ?? false;
  devices?.interrupt();
  debug.terminate();
  const message: FromAgent = { type: "interrupt", request };
  main.postMessage(message);
  await until(isEnded, isDeviceBusy ? deviceGrace : idleGrace);
  while (!isEnded()) {
    const inspector = new Session();
    // Only now: connected, it would hold up an exit of the process.
    inspector.connectToMainThread();
    inspector.post("Runtime.terminateExecution");
    await until(isEnded, childGrace);
    inspector.disconnect();
    if (!isEnded()) killChildren();
    // Its first handler may have been what was terminated.
    main.postMessage(message);
    await until(isEnded, childGrace);
  }
  questions.delete(request);
  send({ type: "interrupted", request });
}

/** Resolves when `condition` holds, at the latest after `limit` ms. */
async function until(condition: () => boolean, limit: number): Promise<void> {
  for (const end = performance.now() + limit; !condition() && performance.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/**
 * A cell that waits for a child (execSync) runs no JavaScript that could be terminated. What the child started goes
 * too: it may hold the child's pipes. Device processes are not the cell's to end.
 */
function killChildren(): void {
  for (const child of childrenOf(process.pid)) killTree(child);
}

function killTree(child: number): void {
  try {
    if (readFileSync(`/proc/${child}/comm`, "utf8").startsWith("warpcell-device")) return;
    const descendants = childrenOf(child);
    process.kill(child, "SIGKILL");
    for (const descendant of descendants) killTree(descendant);
  } catch (error) {
    // It ended between two looks at it.
    if (!["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/**
 * Processes that a process started and that still run. Not every kernel of Linux has a list of them
 * (CONFIG_PROC_CHILDREN): each process names its parent.
 */
function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
    .map(Number);
}

function parentOf(child: string): number | null {
  try {
    // The name of the program, in parentheses, may contain anything.
    return Number(readFileSync(`/proc/${child}/stat`, "latin1").split(") ").at(-1)!.split(" ")[1]);
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}
