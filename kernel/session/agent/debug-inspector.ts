// V8's inspector of the session's main thread, as this thread's: requests as promises, and the bridge there.
import { type Debugger, type Runtime, Session } from "node:inspector";
import { bridgeKey, type DebugBridge } from "./debug-link.ts";

type Events = {
  "Debugger.paused": Debugger.PausedEventDataType;
  "Debugger.resumed": object;
  "Debugger.scriptParsed": Debugger.ScriptParsedEventDataType;
  "NodeRuntime.waitingForDisconnect": object;
};

const call = "function (method, ...given) { return this[method](...given); }\n//# sourceURL=warpcell:bridge\n";

export class Inspector {
  readonly #session = new Session();
  readonly #pending = new Set<(reason: Error) => void>();
  #bridge: Promise<string> | null = null;

  constructor() {
    this.#session.connectToMainThread();
  }

  on<Name extends keyof Events>(name: Name, listener: (params: Events[Name]) => void): void {
    this.#session.on(name, ({ params }: { params: unknown }) => listener(params as Events[Name]));
  }

  /** Rejects with V8's reason, and when this disconnects. */
  post<Result = object>(method: string, params: object = {}): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#pending.add(reject);
      this.#session.post(method, params, (error, result) => {
        this.#pending.delete(reject);
        if (error === null) resolve(result as Result);
        else reject(new Error(error.message));
      });
    });
  }

  /** Without waiting for an answer. */
  send(method: string, report: (error: Error) => void, params: object = {}): void {
    this.#session.post(method, params, (error) => {
      if (error !== null) report(new Error(error.message));
    });
  }

  /** Has the main thread's bridge answer. */
  async ask<Method extends keyof DebugBridge>(
    method: Method,
    ...given: Runtime.CallArgument[]
  ): Promise<ReturnType<DebugBridge[Method]>> {
    const { value } = await this.#call(method, given, true);
    return value as ReturnType<DebugBridge[Method]>;
  }

  /** As a value that stays on the main thread, in a group that is released as a whole. */
  fetch(method: keyof DebugBridge, group: string, ...given: Runtime.CallArgument[]): Promise<Runtime.RemoteObject> {
    return this.#call(method, given, false, group);
  }

  disconnect(): void {
    this.#session.disconnect();
    for (const reject of this.#pending) reject(new Error("The debugger has been detached."));
  }

  async #call(
    method: string,
    given: Runtime.CallArgument[],
    returnByValue: boolean,
    objectGroup?: string,
  ): Promise<Runtime.RemoteObject> {
    this.#bridge ??= this.#find();
    const { result, exceptionDetails } = await this.post<Runtime.CallFunctionOnReturnType>("Runtime.callFunctionOn", {
      objectId: await this.#bridge,
      functionDeclaration: call,
      arguments: [{ value: method }, ...given],
      returnByValue,
      ...(objectGroup === undefined ? {} : { objectGroup }),
      silent: true,
    });
    if (exceptionDetails !== undefined) throw new Error(thrownText(exceptionDetails));
    return result;
  }

  async #find(): Promise<string> {
    const expression = `globalThis[Symbol.for(${JSON.stringify(bridgeKey)})]`;
    const { result } = await this.post<Runtime.EvaluateReturnType>("Runtime.evaluate", { expression, silent: true });
    if (result.objectId === undefined) throw new Error("The session has no bridge for the debugger.");
    return result.objectId;
  }
}

/** What was thrown, without its stack. */
export function thrownText({ exception, text }: Runtime.ExceptionDetails): string {
  const description = exception?.description ?? (exception === undefined ? text : String(exception.value));
  return description.split("\n    at ")[0]!;
}

/** A value of the main thread, as it is handed back there. */
export function asArgument({ objectId, unserializableValue, value }: Runtime.RemoteObject): Runtime.CallArgument {
  if (objectId !== undefined) return { objectId };
  return unserializableValue !== undefined ? { unserializableValue } : { value: value as unknown };
}
