// What the session's main thread does for the debugger, which runs on the agent's and calls this through V8's inspector,
// also where the main thread is paused: it tells names, values and places, and runs no code of the user's.
import { fileURLToPath } from "node:url";
import type { DebugBridge, DebugValue } from "../agent/debug-link.ts";
import { bridgeKey } from "../agent/debug-link.ts";
import type { Position } from "../../language/positions.ts";
import type { Session } from "../session.ts";
import { placeInFile } from "./traceback.ts";
import { hasParts, type Part, shownParts } from "./value-facts.ts";

/** From now on the inspector finds it. */
export function installDebugBridge({ cells, names, slots, output }: Session): void {
  const shownAs = (name: string, value: unknown): DebugValue => ({
    name,
    text: names.describe(value),
    isOpen: hasParts(value),
  });
  const shownPart = ({ name, data }: Part): DebugValue =>
    data === null ? { name, text: "(getter)", isOpen: false } : shownAs(name, data.value);

  const bridge: DebugBridge = {
    cell: (script) => {
      const ran = cells.of(script);
      return ran === undefined ? null : { label: ran.label, source: ran.source };
    },
    places: (script, at) => {
      const ran = cells.of(script);
      return at.map(([line, column]) => {
        const place = ran === undefined ? inFile(script, line, column) : ran.positions?.ofStop(line, column);
        return place ?? null;
      });
    },
    names: () => names.entries().map(([name, value]) => shownAs(name, value)),
    named: (name) => names.find(name)?.value,
    peek: (name) => {
      const found = names.find(name);
      return found === undefined ? null : shownAs(name, found.value);
    },
    describe: (...values) => values.map((value) => shownAs("", value)),
    parts: (value) => {
      const { parts, more } = shownParts(value);
      const shown = parts.map(shownPart);
      return more > 0 ? [...shown, { name: "…", text: `${more.toLocaleString("en-US")} more`, isOpen: false }] : shown;
    },
    part: (value, index) => shownParts(value).parts[index]?.data?.value,
    define: (name, value) => {
      slots.define(name, value, "variable");
      output.send({ type: "declared", request: 0, declarations: [{ name, text: `declare let ${name}: any;` }] });
    },
    flush: () => output.flush(),
  };
  Object.defineProperty(globalThis, Symbol.for(bridgeKey), { value: bridge });
}

/** In a file of JavaScript it is where it runs. */
function inFile(url: string, line: number, column: number): Position | undefined {
  return /\.m?ts$/.test(fileURLToPath(url)) ? placeInFile(url, line, column) : { line, column };
}
