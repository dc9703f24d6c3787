// What a debugger shows while the main thread is paused, or of the notebook's names while it is not: scopes, and values
// that are opened one after the other.
import type { Debugger, Runtime } from "node:inspector";
import type { DebugValue } from "./debug-link.ts";
import { asArgument, type Inspector } from "./debug-inspector.ts";

export interface Variable {
  readonly name: string;
  readonly value: string;
  readonly evaluateName: string;
  /** 0: there is nothing to open. */
  readonly variablesReference: number;
}

/** Finds what a reference stands for, when it is opened. */
type Opened = () => Promise<Variable[]>;

/** Names of what the kernel hands to the function that a cell becomes. */
const ours = /^\${2,}(\d+$|_|$)/;

const inFunction: ReadonlySet<string> = new Set(["local", "block", "catch", "with", "eval"]);
const scopeNames: Readonly<Record<string, string>> = { closure: "Closure", module: "Module" };

export class DebugValues {
  readonly #inspector: Inspector;
  readonly #group: string;
  readonly #opened = new Map<number, Opened>();
  /** Of all: a front end may ask for one that is gone. */
  static #last = 0;

  /** `group` names what is kept on the main thread for this. */
  constructor(inspector: Inspector, group: string) {
    this.#inspector = inspector;
    this.#group = group;
  }

  /** Lets go of all of it. */
  async release(): Promise<void> {
    this.#opened.clear();
    await this.#inspector.post("Runtime.releaseObjectGroup", { objectGroup: this.#group });
  }

  /** `undefined` for a reference that is gone. */
  open(reference: number): Promise<Variable[]> | undefined {
    return this.#opened.get(reference)?.();
  }

  /** Of a frame: what its function has, what it closes over, and the notebook's names. */
  scopesOf({ scopeChain, returnValue }: Debugger.CallFrame): { name: string; variablesReference: number }[] {
    const locals = scopeChain.filter(({ type }) => inFunction.has(type));
    const scopes = [
      { name: "Locals", open: async () => [...(await this.#returned(returnValue)), ...(await this.#inScopes(locals))] },
      ...Object.entries(scopeNames).flatMap(([type, name]) => {
        const chain = scopeChain.filter((scope) => scope.type === type);
        return chain.length === 0 ? [] : [{ name, open: () => this.#inScopes(chain) }];
      }),
      { name: "Globals", open: () => this.names() },
    ];
    return scopes.map(({ name, open }) => ({ name, variablesReference: this.#refer(open) }));
  }

  /** The notebook's. */
  async names(): Promise<Variable[]> {
    const values = await this.#inspector.ask("names");
    return values.map((value) => {
      const fetch = () => this.#inspector.fetch("named", this.#group, { value: value.name });
      return this.#variable(value, fetch);
    });
  }

  /** A value of the main thread. */
  async variable(name: string, object: Runtime.RemoteObject): Promise<Variable> {
    const [value] = await this.#inspector.ask("describe", asArgument(object));
    return this.#variable({ ...value!, name }, () => Promise.resolve(object));
  }

  async #returned(value: Runtime.RemoteObject | undefined): Promise<Variable[]> {
    return value === undefined || value.type === "undefined" ? [] : [await this.variable("(returns)", value)];
  }

  /** The innermost of a name hides the others. */
  async #inScopes(chain: readonly Debugger.Scope[]): Promise<Variable[]> {
    const found = new Map<string, Runtime.RemoteObject>();
    for (const { object } of chain) {
      const { result } = await this.#inspector.post<Runtime.GetPropertiesReturnType>("Runtime.getProperties", {
        objectId: object.objectId,
        ownProperties: true,
      });
      for (const { name, value } of result)
        if (value !== undefined && !ours.test(name) && !found.has(name)) found.set(name, value);
    }
    const objects = [...found.values()];
    const values = await this.#inspector.ask("describe", ...objects.map(asArgument));
    return [...found.keys()].map((name, at) =>
      this.#variable({ ...values[at]!, name }, () => Promise.resolve(objects[at]!)),
    );
  }

  #variable({ name, text, isOpen }: DebugValue, fetch: () => Promise<Runtime.RemoteObject>): Variable {
    const variablesReference = isOpen ? this.#refer(() => this.#partsOf(fetch)) : 0;
    return { name, value: text, evaluateName: name, variablesReference };
  }

  async #partsOf(fetch: () => Promise<Runtime.RemoteObject>): Promise<Variable[]> {
    const whole = asArgument(await fetch());
    const parts = await this.#inspector.ask("parts", whole);
    return parts.map((part, index) =>
      this.#variable(part, () => this.#inspector.fetch("part", this.#group, whole, { value: index })),
    );
  }

  #refer(open: Opened): number {
    this.#opened.set(++DebugValues.#last, open);
    return DebugValues.#last;
  }
}
