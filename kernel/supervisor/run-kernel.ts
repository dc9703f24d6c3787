// Runs a kernel on a connection: makes the parts, joins them, and ends them all. What each does is in its own file.
import { buffersReady, forgetBuffers } from "../session-protocol-buffers.ts";
import { goOnAfterErrors } from "./backstop.ts";
import { Comms } from "./comms.ts";
import type { Connection } from "./connection.ts";
import { Debugger } from "./debugger.ts";
import { Diagnostics } from "./type-warnings.ts";
import { Dispatch } from "./dispatch.ts";
import { Execute } from "./execute.ts";
import { Gauges } from "./gauges.ts";
import type { Kernel } from "./handlers.ts";
import { History } from "./history.ts";
import { Editor } from "./editor.ts";
import { Mistakes } from "./mistakes.ts";
import { type CellMistake, mistakesTarget } from "../mime.ts";
import { welcome, type Message } from "./messages.ts";
import { watchParent } from "./parent-watch.ts";
import { Publisher } from "./publish.ts";
import { Requests } from "./requests.ts";
import { handleAgentEvent, handleEvent, type EventParts } from "./session-events.ts";
import { SessionKeeper } from "./session-keeper.ts";
import { KernelSockets, type Inbound } from "./sockets.ts";
import { Stdin } from "./stdin.ts";
import { Types } from "./type-service.ts";
import { Wire } from "./wire.ts";

/** Runs until it is shut down; then the process has nothing left to do and ends. */
export async function runKernel(connection: Connection): Promise<void> {
  const wire = new Wire(connection.key, connection.hash);
  const requests = new Requests();
  const types = new Types(process.cwd());
  const diagnostics = new Diagnostics(types);
  const history = new History();
  let device = "Devices are still being detected: `warpcell doctor` shows them.";
  let sockets: KernelSockets | null = null;

  const send = (channel: Inbound | "iopub", message: Message): void => sockets?.send(channel, wire.encode(message));
  const publisher = new Publisher((message) => send("iopub", message));

  // The parts that the session's events go to are made after the session, which is made of nothing but listeners.
  const session: SessionKeeper = new SessionKeeper({
    event: (event) => handleEvent(parts, event),
    agentEvent: (event) => handleAgentEvent(parts, event),
    nativeText: (name, text) => {
      const origin = execute.current;
      if (origin?.silent !== true) publisher.stream(origin?.message ?? null, name, text);
    },
    ready: async (summary) => {
      if (summary.device !== "unknown") describe(summary);
      if (gauges.wanted) gauges.ask();
      // Only now: the first cell should not wait for it.
      void types.start();
      await debug.sessionReady();
    },
    ended: (error, idle) => {
      comms.sessionEnded();
      debug.sessionEnded();
      requests.sessionEnded();
      forgetBuffers();
      if (idle) publisher.stream(execute.current?.message ?? null, "stderr", `${error.message}\n`);
    },
  });
  const describe = (summary: { device: string; name: string; reason: string }): void => {
    device = `Tensors go to ${summary.device} (${summary.name}): ${summary.reason}`;
  };

  const mistakes = new Mistakes(publisher, {
    types: (text, before) => (diagnostics.mode === "off" ? Promise.resolve([]) : types.mistakes(text, before)),
    cuda: async (text, before) =>
      ((await session.view(mistakesTarget, [text, ...before]))?.data["mistakes"] as CellMistake[] | undefined) ?? null,
  });
  const stdin = new Stdin(
    (message) => send("stdin", message),
    (command) => session.agent(command),
  );
  const execute = new Execute({
    publisher,
    requests,
    session,
    history,
    diagnostics,
    mistakes,
    stdin,
    help: (expression, detail) => help(types, expression, detail),
  });
  const gauges = new Gauges(
    publisher,
    (command) => session.agent(command),
    () => execute.busy,
  );
  const editor = new Editor(publisher, types);
  const own = Object.fromEntries([gauges, mistakes, editor].map((target) => [target.target, target]));
  const comms = new Comms(own, publisher, requests, session);
  const debug = new Debugger(publisher, session, (message, lost) =>
    sockets?.send("control", wire.encode(message), lost),
  );
  const parts: EventParts = {
    publisher,
    requests,
    comms,
    debug,
    gauges,
    stdin,
    diagnostics,
    count: () => execute.count,
    device: describe,
  };

  let ending: Promise<void> | null = null;
  const end = (restart: boolean): Promise<void> =>
    (ending ??= (async () => {
      types.stop();
      await session.stop(restart);
      // Whoever waits for a cell hears that it has ended: the state that a server saw last is what it shows of the next
      // kernel too.
      await dispatch.settled;
      publisher.flush();
      await sockets?.close();
      process.exit(0);
    })());

  const kernel: Kernel = {
    publisher,
    execute,
    history,
    comms,
    debug,
    stdin,
    types,
    device: () => device,
    shutdown: (request) => end(request.content["restart"] === true),
  };
  const dispatch = new Dispatch(kernel, wire, send, () => sockets?.drained() ?? Promise.resolve());

  // The session takes longest to come up: it starts first, and the sockets are bound meanwhile.
  session.start();
  process.on("SIGINT", () => execute.interrupt());
  process.on("SIGTERM", () => void end(false));
  process.on("SIGHUP", () => void end(false));
  watchParent(() => void end(false));
  try {
    [sockets] = await Promise.all([KernelSockets.bind(connection), buffersReady]);
  } catch (error) {
    await session.stop(false);
    throw error;
  }
  goOnAfterErrors((error) => session.misused(error));
  sockets.listen({
    frames: (channel, frames) => dispatch.receive(channel, frames),
    subscribed: (topic) => {
      dispatch.tellState();
      return wire.encode(welcome(topic));
    },
    unsubscribed: () => comms.clientLeft(),
    left: () => debug.clientLeft(),
    crowded: (isCrowded) => {
      session.reading = !isCrowded;
    },
  });
  publisher.status("starting", null);
}

/** What `x?` and `%help x` show: what the type service knows of `x`. */
async function help(
  types: Types,
  expression: string,
  detail: 0 | 1,
): Promise<{ "text/plain": string; "text/markdown"?: string }> {
  const { found, text, markdown } = await (await types.service()).explain(expression, detail);
  return found
    ? { "text/plain": text, "text/markdown": markdown }
    : { "text/plain": `Nothing is known about ${expression}.` };
}
