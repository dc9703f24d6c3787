// The debugger of the session: answers a front end's requests of the Debug Adapter Protocol, and pauses the main thread,
// all by V8's inspector from the agent's thread, which lives while the main one is paused.
import type { Debugger as V8, Runtime } from "node:inspector";
import type { DebugAnswer } from "../../session-protocol.ts";
import { Handlers } from "./debug-exceptions.ts";
import { asArgument, Inspector, thrownText } from "./debug-inspector.ts";
import { DebugScripts, type Source, type Wanted } from "./debug-scripts.ts";
import { DebugValues } from "./debug-values.ts";

type Given = Record<string, unknown>;
type Body = Record<string, unknown>;
type Step = "stepOver" | "stepInto" | "stepOut";

/** A step on its way, with where it began. */
interface StepTaken {
  readonly kind: Step;
  readonly path: string;
  readonly line: number;
  /** How many functions of the user's called each other. */
  readonly depth: number;
  count: number;
}

interface Frame {
  readonly id: number;
  readonly name: string;
  readonly source: Source;
  readonly line: number;
  readonly column: number;
  readonly frame: V8.CallFrame;
}

/** What is attached to the main thread. */
interface Attached {
  readonly inspector: Inspector;
  readonly scripts: DebugScripts;
  readonly handlers: Handlers;
  /** The notebook's names, shown while nothing is paused. */
  readonly names: DebugValues;
  readonly values: DebugValues;
}

/** A step goes on where it began, line by line, at most so often: a loop may stand on one line. */
const mostOnOneLine = 16;
/** Code that a front end has evaluated may run so long, in ms: while it runs, nothing else of it is heard. */
const evaluationLimit = 10_000;
/** JavaScript that runs answers soon; while it waits for a device or a child it does not, and nobody waits for that. */
const peekLimit = 200;
const thread = 1;

export class Debugger {
  readonly #tell: (event: string, body: Body) => void;
  readonly #wanted = new Map<string, readonly Wanted[]>();
  #filters: ReadonlySet<string> = new Set();
  #attached: Attached | null = null;
  /** V8 has stopped, for us or for a front end. */
  #isPaused = false;
  /** What a front end is shown of a pause. */
  #frames: readonly Frame[] | null = null;
  #step: StepTaken | null = null;
  #isPausing = false;
  #lastFrame = 0;
  #detaching: Promise<void> = Promise.resolve();
  #listing: Promise<Body> | null = null;

  /** `tell` sends an event. */
  constructor(tell: (event: string, body: Body) => void) {
    this.#tell = tell;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  async answer(command: string, given: Given): Promise<DebugAnswer> {
    try {
      const request = Object.hasOwn(this.#requests, command) ? this.#requests[command] : undefined;
      if (request === undefined) throw new Error(`The debugger knows no request "${command.slice(0, 100)}".`);
      return { success: true, message: "", body: await request(given) };
    } catch (error) {
      return { success: false, message: error instanceof Error ? error.message : String(error), body: {} };
    }
  }

  /** Ends a pause and what runs: by an interrupt. */
  terminate(): void {
    if (this.#attached === null || !this.#isPaused) return;
    this.#attached.inspector.send("Debugger.resume", report, { terminateOnResume: true });
  }

  readonly #requests: Readonly<Record<string, (given: Given) => Body | Promise<Body>>> = {
    attach: () => this.#attach(),
    disconnect: () => this.#detach(),
    setBreakpoints: (given) => this.#setBreakpoints(given),
    setExceptionBreakpoints: (given) => this.#setFilters(given),
    stackTrace: () => {
      const stackFrames = this.#paused.map(({ frame: _, ...shown }) => shown);
      return { stackFrames, totalFrames: stackFrames.length };
    },
    scopes: (given) => ({ scopes: this.#here.values.scopesOf(this.#frame(given["frameId"]).frame) }),
    variables: (given) => this.#variables(given),
    source: async (given) => {
      const path = (given["source"] as { path?: unknown } | undefined)?.path;
      return { content: await this.#here.scripts.cellAt(String(path)), mimeType: "text/typescript" };
    },
    inspectVariables: () => (this.#listing ??= this.#names().finally(() => (this.#listing = null))),
    richInspectVariables: (given) => this.#rich(given),
    evaluate: (given) => this.#evaluate(given),
    copyToGlobals: (given) => this.#copy(given),
    peek: (given) => this.#peek(identifier(given["name"])),
    modules: async () => {
      const files = (await this.#attached?.scripts.files()) ?? [];
      return { modules: files.map(({ path, name }) => ({ id: path, name, path })), totalModules: files.length };
    },
    continue: () => this.#goOn("resume"),
    next: () => this.#goOn("stepOver"),
    stepIn: () => this.#goOn("stepInto"),
    stepOut: () => this.#goOn("stepOut"),
    pause: async () => {
      if (this.#frames !== null) return {};
      const { inspector, scripts } = this.#here;
      this.#isPausing = true;
      await inspector.post("Debugger.pause");
      // V8 looks at calls only, and not for long.
      void scripts.everywhere().catch(report);
      return {};
    },
  };

  get #here(): Attached {
    if (this.#attached === null) throw new Error("The debugger is not attached.");
    return this.#attached;
  }

  get #paused(): readonly Frame[] {
    if (this.#frames === null) throw new Error("Nothing is paused.");
    return this.#frames;
  }

  #frame(id: unknown): Frame {
    const frame = this.#paused.find((each) => each.id === id);
    if (frame === undefined) throw new Error("This frame is gone.");
    return frame;
  }

  // Attaching

  async #attach(): Promise<Body> {
    // V8 tells all that are connected of a pause: the one before is gone first.
    await this.#detaching;
    if (this.#attached !== null) return {};
    const inspector = new Inspector();
    const scripts = new DebugScripts(inspector, this.#wanted);
    this.#attached = {
      inspector,
      scripts,
      handlers: new Handlers(inspector),
      names: new DebugValues(inspector, "names"),
      values: new DebugValues(inspector, "pause"),
    };
    inspector.on("Debugger.scriptParsed", (script) => scripts.parsed(script));
    const isAttached = (): boolean => this.#attached?.inspector === inspector;
    inspector.on("Debugger.resumed", () => isAttached() && this.#resumed());
    inspector.on("Debugger.paused", (event) => {
      if (!isAttached()) return;
      this.#isPaused = true;
      this.#meet(event).catch((error: unknown) => {
        // Detached meanwhile, the main thread goes on.
        if (!isAttached()) return;
        report(error);
        inspector.send("Debugger.resume", report);
      });
    });
    // Who is connected holds up the exit of the process.
    inspector.on("NodeRuntime.waitingForDisconnect", () => inspector.disconnect());
    await inspector.post("NodeRuntime.notifyWhenWaitingForDisconnect", { enabled: true });
    await inspector.post("Debugger.enable");
    await inspector.post("Debugger.setInstrumentationBreakpoint", {
      instrumentation: "beforeScriptWithSourceMapExecution",
    });
    await this.#hide();
    for (const path of this.#wanted.keys()) await scripts.setBreakpoints(path);
    return {};
  }

  /** What is not the user's is not stepped into; what it throws is the user's to know. */
  async #hide(): Promise<void> {
    const { inspector, scripts } = this.#here;
    const isCatching = this.#filters.size > 0;
    await inspector.post("Debugger.setBlackboxPatterns", { patterns: isCatching ? [] : scripts.hidden });
    await inspector.post("Debugger.setPauseOnExceptions", { state: isCatching ? "all" : "none" });
  }

  async #detach(): Promise<Body> {
    const attached = this.#attached;
    if (attached === null) return {};
    this.#attached = null;
    this.#isPausing = false;
    this.#step = null;
    if (this.#isPaused) attached.inspector.send("Debugger.resume", report);
    this.#resumed();
    this.#detaching = attached.inspector
      .post("Debugger.disable")
      .catch(report)
      .then(() => attached.inspector.disconnect());
    await this.#detaching;
    return {};
  }

  async #setBreakpoints(given: Given): Promise<Body> {
    const { path } = given["source"] as { path: string };
    const asked = (given["breakpoints"] ?? []) as Partial<Record<string, unknown>>[];
    const wanted = asked.map(({ line, condition }) => ({
      line: Number(line),
      condition: typeof condition === "string" && condition !== "" ? condition : "",
    }));
    const javaScript = await Promise.all(
      wanted.map(async (each) => ({ ...each, condition: each.condition && (await withoutTypes(each.condition)) })),
    );
    this.#wanted.set(path, javaScript);
    // What is set before, the next to attach finds.
    return { breakpoints: (await this.#attached?.scripts.setBreakpoints(path)) ?? [] };
  }

  async #setFilters({ filters }: Given): Promise<Body> {
    this.#filters = new Set(Array.isArray(filters) ? filters.map(String) : []);
    if (this.#attached !== null) await this.#hide();
    return {};
  }

  // Pausing

  async #meet(event: V8.PausedEventDataType): Promise<void> {
    const { inspector, scripts } = this.#here;
    const { callFrames, reason, hitBreakpoints = [] } = event;
    if (reason === "instrumentation") {
      const id = (event.data as { scriptId: string }).scriptId;
      await scripts.arm(id);
      await inspector.post("Debugger.resume");
      return;
    }
    const users = callFrames.filter(({ location }) => scripts.has(location.scriptId));
    const isOnTop = users.length > 0 && users[0] === callFrames[0];
    if (this.#isPausing && users.length > 0) return this.#stop("pause", users);
    if (hitBreakpoints.length > 0 && isOnTop) return this.#stop("breakpoint", users);
    if (reason === "exception" || reason === "promiseRejection") {
      const text = await this.#thrown(event, users);
      if (text !== null) return this.#stop("exception", users, text);
      await inspector.post(`Debugger.${this.#step?.kind ?? "resume"}`);
    } else if (this.#step !== null) {
      const next = await this.#nextStep(this.#step, users, isOnTop);
      if (next === null) return this.#stop("step", users);
      await inspector.post(`Debugger.${next}`);
    } else if (isOnTop) return this.#stop("breakpoint", users);
    else await inspector.post("Debugger.resume");
  }

  /** How a step goes on; `null`: it has come to its end. */
  async #nextStep(step: StepTaken, users: readonly V8.CallFrame[], isOnTop: boolean): Promise<Step | "resume" | null> {
    if (users.length === 0) {
      this.#step = null;
      return "resume";
    }
    if (!isOnTop) return "stepOut";
    const { scripts } = this.#here;
    const location = users[0]!.location;
    const [{ line }, { path }, isWritten] = await Promise.all([
      scripts.placeOf(location),
      scripts.sourceOf(location.scriptId),
      scripts.isWritten(location),
    ]);
    const isThere = step.path === path && step.line === line && step.depth === users.length;
    if (isWritten && !isThere) return null;
    return step.count++ < mostOnOneLine ? step.kind : null;
  }

  /** What was thrown, if a front end wants to stop for it. */
  async #thrown({ callFrames, data }: V8.PausedEventDataType, users: readonly V8.CallFrame[]): Promise<string | null> {
    if (users.length === 0) return null;
    const text = thrownText({ exception: data as Runtime.RemoteObject } as Runtime.ExceptionDetails);
    if (this.#filters.has("raised") && users[0] === callFrames[0]) return text;
    // Those below are the kernel's, which catches everything.
    const above = callFrames.slice(0, callFrames.indexOf(users.at(-1)!) + 1);
    return this.#filters.has("uncaught") && !(await this.#here.handlers.catch(above)) ? text : null;
  }

  async #stop(reason: string, users: readonly V8.CallFrame[], text?: string): Promise<void> {
    const { inspector, scripts } = this.#here;
    if (this.#isPausing) await scripts.nowhere();
    this.#isPausing = false;
    this.#step = null;
    const frames = await Promise.all(users.map((frame) => this.#frameOf(scripts, frame)));
    await inspector.ask("flush");
    // It may have been let go meanwhile: by an interrupt, or detached.
    if (!this.#isPaused || this.#attached?.inspector !== inspector) return;
    this.#frames = frames;
    const told = text === undefined ? {} : { description: text, text };
    this.#tell("stopped", { reason, threadId: thread, allThreadsStopped: true, ...told });
  }

  async #frameOf(scripts: DebugScripts, frame: V8.CallFrame): Promise<Frame> {
    const { location, functionName, functionLocation } = frame;
    const id = ++this.#lastFrame;
    const [source, { line, column }] = await Promise.all([
      scripts.sourceOf(location.scriptId),
      scripts.placeOf(location),
    ]);
    const isWhole = functionName === "" && functionLocation?.lineNumber === 0;
    const name = functionName || (isWhole ? source.name : "(anonymous)");
    return { id, name, source, line, column, frame };
  }

  async #goOn(how: "resume" | Step): Promise<Body> {
    const frames = this.#frames;
    if (frames === null) return { allThreadsContinued: true };
    const { inspector, values } = this.#here;
    const [top] = frames;
    this.#step =
      how === "resume" || top === undefined
        ? null
        : {
            kind: how,
            path: top.source.path,
            line: top.line,
            depth: frames.length,
            count: how === "stepOut" ? mostOnOneLine : 0,
          };
    await values.release();
    this.#resumed();
    await inspector.post(`Debugger.${how}`);
    return { allThreadsContinued: true };
  }

  #resumed(): void {
    this.#isPaused = false;
    if (this.#frames === null) return;
    this.#frames = null;
    this.#tell("continued", { threadId: thread, allThreadsContinued: true });
  }

  // Looking

  async #variables({ variablesReference }: Given): Promise<Body> {
    const { names, values } = this.#here;
    const reference = Number(variablesReference);
    const variables = await (values.open(reference) ?? names.open(reference));
    if (variables === undefined) throw new Error("These variables are gone: the code has gone on.");
    return { variables };
  }

  async #names(): Promise<Body> {
    const { names } = this.#here;
    await names.release();
    return { variables: await names.names() };
  }

  /** What a name of the notebook has now; attached or not, in the midst of a cell too. */
  async #peek(name: string): Promise<Body> {
    const inspector = this.#attached?.inspector ?? new Inspector();
    try {
      const late = new Promise<null>((resolve) => setTimeout(resolve, peekLimit, null));
      const value = await Promise.race([inspector.ask("peek", { value: name }), late]);
      return { text: value?.text ?? null };
    } finally {
      if (inspector !== this.#attached?.inspector) inspector.disconnect();
    }
  }

  async #rich({ variableName, frameId }: Given): Promise<Body> {
    const { inspector, values } = this.#here;
    const object = await this.#valueOf(variableName, frameId);
    const { value, variablesReference } = await values.variable("", object);
    const parts = variablesReference === 0 ? [] : await inspector.ask("parts", asArgument(object));
    const lines = [value, ...parts.map(({ name, text }) => `  ${name}: ${text}`)];
    return { data: { "text/plain": lines.join("\n") }, metadata: {} };
  }

  async #copy({ srcVariableName, dstVariableName, srcFrameId }: Given): Promise<Body> {
    const name = identifier(dstVariableName);
    const object = await this.#valueOf(srcVariableName, srcFrameId);
    await this.#here.inspector.ask("define", { value: name }, asArgument(object));
    return {};
  }

  /** Of a name that a frame sees, or the notebook. */
  #valueOf(name: unknown, frameId: unknown): Promise<Runtime.RemoteObject> {
    const known = identifier(name);
    if (frameId !== undefined && frameId !== null) return this.#run(known, this.#frame(frameId));
    return this.#here.inspector.fetch("named", "names", { value: known });
  }

  async #evaluate({ expression, frameId }: Given): Promise<Body> {
    if (typeof expression !== "string") throw new Error("There is no expression to evaluate.");
    const frame = frameId === undefined || frameId === null ? this.#frames?.[0] : this.#frame(frameId);
    const object = await this.#run(await withoutTypes(expression), frame);
    const { value, variablesReference } = await this.#here.values.variable("", object);
    await this.#here.inspector.ask("flush");
    return { result: value, variablesReference };
  }

  /** Throws what the code throws, as a sentence. */
  async #run(expression: string, frame: Frame | undefined): Promise<Runtime.RemoteObject> {
    const { inspector } = this.#here;
    const options = { expression, silent: true, objectGroup: "pause", timeout: evaluationLimit };
    const { result, exceptionDetails } =
      frame === undefined
        ? await inspector.post<Runtime.EvaluateReturnType>("Runtime.evaluate", options)
        : await inspector.post<V8.EvaluateOnCallFrameReturnType>("Debugger.evaluateOnCallFrame", {
            ...options,
            callFrameId: frame.frame.callFrameId,
          });
    if (exceptionDetails !== undefined) throw new Error(thrownText(exceptionDetails));
    return result;
  }
}

/** As JavaScript, which V8 runs. */
async function withoutTypes(expression: string): Promise<string> {
  const { asObjectLiteral, toJavaScript } = await import("../../language/syntax.ts");
  return toJavaScript(asObjectLiteral(expression) ?? expression, "stay", process.cwd()).code;
}

function identifier(name: unknown): string {
  if (typeof name === "string" && /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)) return name;
  throw new Error(`${JSON.stringify(name)} is no name of a variable.`);
}

function report(error: unknown): void {
  process.stderr.write(`warpcell: the debugger failed: ${error instanceof Error ? error.stack : String(error)}\n`);
}
