// Whether code catches what it throws: V8 cannot tell the user's handlers from the kernel's, which catch everything.
import type { Debugger } from "node:inspector";
import { parseSync } from "../../language/parser.ts";
import type { Inspector } from "./debug-inspector.ts";

type Range = readonly [start: number, end: number];

interface Read {
  /** Where lines begin. */
  readonly lines: readonly number[];
  readonly guarded: readonly Range[];
  readonly functions: readonly Range[];
}

const holds = ([start, end]: Range, offset: number): boolean => offset >= start && offset < end;

export class Handlers {
  readonly #inspector: Inspector;
  readonly #known = new Map<string, Promise<Read>>();

  constructor(inspector: Inspector) {
    this.#inspector = inspector;
  }

  /** Whether one of these frames is in the block of a `try` with a `catch`. */
  async catch(frames: readonly Debugger.CallFrame[]): Promise<boolean> {
    for (const { location } of frames) {
      const { lines, guarded, functions } = await this.#read(location.scriptId);
      const offset = (lines[location.lineNumber] ?? 0) + (location.columnNumber ?? 0);
      // What a function in the block throws, its caller meets.
      const isOwn = (block: Range): boolean =>
        !functions.some((each) => holds(each, offset) && each[0] >= block[0] && each[1] <= block[1]);
      if (guarded.some((block) => holds(block, offset) && isOwn(block))) return true;
    }
    return false;
  }

  #read(script: string): Promise<Read> {
    const known = this.#known.get(script) ?? this.#parse(script);
    this.#known.set(script, known);
    return known;
  }

  async #parse(scriptId: string): Promise<Read> {
    const { scriptSource } = await this.#inspector.post<Debugger.GetScriptSourceReturnType>(
      "Debugger.getScriptSource",
      { scriptId },
    );
    const lines = [0];
    for (let at = scriptSource.indexOf("\n"); at >= 0; at = scriptSource.indexOf("\n", at + 1)) lines.push(at + 1);
    const found = { lines, guarded: [] as Range[], functions: [] as Range[] };
    const { program } = parseSync("script.js", scriptSource, { lang: "js", sourceType: "unambiguous" });
    for (const node of nodesIn(program)) {
      if (node.type === "TryStatement" && node.handler !== null)
        found.guarded.push([node.block!.start, node.block!.end]);
      if (/Function/.test(node.type)) found.functions.push([node.start, node.end]);
    }
    return found;
  }
}

interface Node {
  type: string;
  start: number;
  end: number;
  handler?: object | null;
  block?: { start: number; end: number };
}

function* nodesIn(part: unknown): Generator<Node> {
  if (typeof part !== "object" || part === null) return;
  if ("type" in part && typeof part.type === "string") yield part as Node;
  for (const each of Object.values(part)) yield* nodesIn(each);
}
