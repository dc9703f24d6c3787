// The session process: puts its parts together, hears commands from the supervisor, and says so when it is ready.
// Started by the supervisor only.
import { writeSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { buffersReady, unpackBuffers } from "../session-protocol-buffers.ts";
import { type Command, type DeviceSummary, sessionProtocolVersion } from "../session-protocol.ts";
import { type AgentStart, shared, type ToAgent } from "./agent/agent-link.ts";
import { Builtins } from "./cells/builtins.ts";
import { CellRegistry } from "./cells/cell-registry.ts";
import { installDebugBridge } from "./cells/debug-bridge.ts";
import { Comms } from "./display/comm.ts";
import { serveLists, servePictures, viewsOf } from "./display/serve-views.ts";
import { DeviceFaults } from "./requests/device-faults.ts";
import { createDisplay } from "./display/display.ts";
import { LiveDisplays } from "./display/live.ts";
import { html, md, svg } from "./display/markup.ts";
import { endAtOnce } from "./requests/end-at-once.ts";
import { sendEvent } from "./requests/event-pipe.ts";
import { execute } from "./execute.ts";
import { installFunctionText } from "./cells/function-text.ts";
import { Interrupted, Interrupts } from "./requests/interrupts.ts";
import { leavers } from "./requests/leave.ts";
import { hostUrl, LibraryLoader } from "./cells/library.ts";
import { installHelpers } from "./cells/lowered-helpers.ts";
import { MemoryReports } from "./display/memory-reports.ts";
import { FollowingCells } from "./cells/following-cells.ts";
import { Modules } from "./cells/modules.ts";
import { Names } from "./cells/names.ts";
import { Npm } from "./cells/npm.ts";
import { Output, redirect } from "./requests/output.ts";
import { Profiles } from "./display/profiles.ts";
import { Prompts } from "./requests/prompt.ts";
import { Requests } from "./requests/request.ts";
import type { Session } from "./session.ts";
import { SharedCells } from "./cells/shared-cells.ts";
import { createShow } from "./display/show.ts";
import { Slots } from "./cells/slots.ts";
import { Tracebacks } from "./cells/traceback.ts";

if (process.send === undefined) {
  process.stderr.write(
    "Only the supervisor of warpcell can start this program: there is no channel to it. Run `warpcell run notebook.ipynb` instead.\n",
  );
  process.exit(2);
}

const memory = new SharedArrayBuffer(shared.length * Int32Array.BYTES_PER_ELEMENT);
const start: AgentStart = { memory };
const agent = new Worker(new URL("./agent/agent.js", import.meta.url), { workerData: start, name: "warpcell agent" });

const requests = new Requests();
const output = new Output(sendEvent, requests);
const cells = new CellRegistry();
const library = new LibraryLoader();
const interrupts = new Interrupts(memory);
const slots = new Slots();
const names = new Names(slots, cells);
const memoryReports = new MemoryReports(agent, memory, names);
const npm = new Npm({ directory: process.cwd(), output, requests, interrupts });
const session: Session = {
  builtins: new Builtins(),
  cells,
  faults: new DeviceFaults(library),
  interrupts,
  library,
  memory: memoryReports,
  live: new LiveDisplays(output, requests),
  modules: new Modules(process.cwd(), npm, library),
  names,
  npm,
  output,
  profiles: new Profiles(output, requests),
  requests,
  following: new FollowingCells(),
  shared: new SharedCells((sources) => agent.postMessage({ type: "sharedCode", sources } satisfies ToAgent)),
  slots,
  tracebacks: new Tracebacks(
    cells,
    (name) => slots.valueOf(name),
    () => library.loaded?.warpcell ?? null,
  ),
  origin: { current: 0 },
};
const comms = new Comms(output, requests);
const Comm = comms.createClass();
const views = viewsOf(library, names, memoryReports);
serveLists(Comm, views, memoryReports);

requests.follow();
requests.whenReleased((released) => output.send({ type: "released", requests: released }));
redirect(output);
session.tracebacks.install();
session.tracebacks.hide(session.library.folder);
session.interrupts.listen(agent);
installHelpers();
installFunctionText();
installDebugBridge(session);
defineGlobals();
reportStrays();

session.library.whenLoaded((loaded) => {
  const { host } = loaded;
  session.origin = host.origin;
  session.profiles.use(loaded);
  session.shared.use(loaded);
  names.use(host);
  memoryReports.use(host);
  servePictures(Comm, views);
  host.describeOrigins((origin) => cells.placeOfOrigin(origin));
  host.importModulesBy((address) => session.modules.import(address));
  host.setUpWorkers(new URL("./cells/worker-hooks.js", import.meta.url).href);
  host.describeFunctions((...position) => session.tracebacks.functionAt(...position));
  host.describeCaller(() => session.tracebacks.here());
  agent.postMessage({ type: "library", url: hostUrl } satisfies ToAgent);
  host.whenShown((shown) => agent.postMessage({ type: "shown", shown } satisfies ToAgent));
});

const commands: { [K in Command["type"]]: (command: Extract<Command, { type: K }>) => void } = {
  execute: (command) => void executeOrEnd(command),
  commOpen: (command) => void receiveComm(command),
  commMessage: (command) => void receiveComm(command),
  commClose: (command) => void receiveComm(command),
  shutdown: () => process.exit(0),
};
process.on("message", (command: Command) => (commands[command.type] as (command: Command) => void)(command));
process.on("exit", () => output.flush());
// Without a supervisor nobody hears this process, and without its agent nobody can stop it: it ends, rather than report
// an error that leads to the next.
process.on("disconnect", endAtOnce);
agent.on("exit", endAtOnce);
// Ctrl-C in a terminal reaches the whole group; what is to be stopped is the supervisor's decision.
process.on("SIGINT", () => undefined);

const unknownDevice: DeviceSummary = { device: "unknown", name: "", reason: "the device has not been checked yet" };
output.send({ type: "ready", version: sessionProtocolVersion, process: process.pid, device: unknownDevice });
// Behind `ready`: a first cell that needs no device does not wait for one.
setImmediate(() => void findDevice());

async function findDevice(): Promise<void> {
  try {
    const { host } = await session.library.load();
    output.send({ type: "device", device: host.describeDefaultDevice() });
    agent.postMessage({ type: "devices", known: host.knownDevices() } satisfies ToAgent);
  } catch (error) {
    output.send({
      type: "device",
      device: { device: "none", name: "", reason: error instanceof Error ? error.message : String(error) },
    });
  }
}

/**
 * A cell may also have replaced what JavaScript has by what fails. Then nothing of this process can be relied on, least
 * of all that it says that it is done.
 */
async function executeOrEnd(command: Extract<Command, { type: "execute" }>): Promise<void> {
  try {
    await execute(session, command);
  } catch (error) {
    writeSync(
      2,
      `The kernel's own code failed (${String(error)}): a cell may have replaced what JavaScript itself has, such as Array.prototype.push.\n`,
    );
    process.exit(1);
  }
}

async function receiveComm(
  command: Extract<Command, { type: "commOpen" | "commMessage" | "commClose" }>,
): Promise<void> {
  const { request } = command;
  const done = { type: "done" as const, request, token: "", userExpressions: {}, payload: [] };
  try {
    await buffersReady;
    // Read before anything can go wrong: from here on they are the notebook's, whatever becomes of the message, and go
    // back when nobody has them any more.
    const buffers = "buffers" in command ? unpackBuffers(command.buffers) : [];
    await session.interrupts.run(request, (guard) =>
      requests.run(requests.create(request, false), async () => {
        await guard(() => comms.receive(command, buffers, Comm));
      }),
    );
    output.send({ ...done, status: "ok", error: null });
  } catch (thrown) {
    output.send({
      ...done,
      status: "error",
      error: session.tracebacks.describe(thrown, { label: "Comm", count: 0, source: "", positions: null }),
    });
    // Meant for this handler, not for the next cell's wait for a device.
    if (thrown instanceof Interrupted) session.library.loaded?.host.clearInterrupt();
  }
}

/** What cells find besides Node's own globals. */
function defineGlobals(): void {
  const prompts = new Prompts(agent, memory, output, requests);
  const display = createDisplay(output, requests, session.live);
  Object.assign(globalThis, {
    display,
    show: createShow(Comm, display, library),
    html,
    md,
    svg,
    prompt: prompts.prompt.bind(prompts),
    confirm: prompts.confirm.bind(prompts),
    input: prompts.input.bind(prompts),
    Comm,
    ...leavers,
    require: session.modules.require,
    __dirname: session.modules.meta.dirname,
    __filename: session.modules.meta.filename,
  });
}

/**
 * An error that nobody waits for, of a timer or a promise, is printed below the cell that started it; a device's fault
 * fails that cell if it still runs. The session goes on.
 */
function reportStrays(): void {
  const report = (thrown: unknown): void => {
    const { traceback } = session.tracebacks.describe(thrown, { label: "Cell", count: 0, source: "", positions: null });
    output.write("stderr", `${traceback.join("\n")}\n`);
  };
  process.on("uncaughtException", report);
  process.on("unhandledRejection", (reason, promise) =>
    requests.runFor(promise, () => {
      if (!session.faults.adopt(reason, requests.current)) report(reason);
    }),
  );
}
