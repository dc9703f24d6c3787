// What the debugger, on the agent's thread, asks of the main thread through V8's inspector. Types and a name.
import type { Position } from "../../language/positions.ts";

/** The description of the symbol under which the main thread's global object has its {@link DebugBridge}. */
export const bridgeKey = "warpcell.debugger";

/** A value as a line; `isOpen`: it has parts. */
export interface DebugValue {
  name: string;
  text: string;
  isOpen: boolean;
}

/** No method runs code of the user's. */
export interface DebugBridge {
  /** The cell that ran under that name; `null` when it is none. */
  cell(script: string): { label: string; source: string } | null;
  /** Where places in a script are in its cell or file; `null` where they are nowhere. All count from 1. */
  places(script: string, at: readonly (readonly [line: number, column: number])[]): (Position | null)[];
  /** The notebook's names. */
  names(): DebugValue[];
  named(name: string): unknown;
  /** `null`: the notebook has none of this name. */
  peek(name: string): DebugValue | null;
  describe(...values: unknown[]): DebugValue[];
  parts(value: unknown): DebugValue[];
  part(value: unknown, index: number): unknown;
  /** Gives the notebook a name. */
  define(name: string, value: unknown): void;
  /** Sends what has been printed so far. */
  flush(): void;
}
