// Runs a TypeScript cell over the notebook's slots and returns the value of its last expression.
import { Script } from "node:vm";
import type { Cell } from "../../language/cell.ts";
import { CellSyntaxError } from "../../language/cell-syntax-error.ts";
import type { CellHelpers } from "../../language/cell-helpers.ts";
import { insteadOfMember } from "../../language/library-members.ts";
import { transform, type Transformed } from "../../language/transform.ts";
import { Disposal } from "./disposal.ts";
import { Interrupted } from "../requests/interrupts.ts";
import type { CellResult, Run } from "./run.ts";

type Boxed = { value: unknown } | undefined;
type CellFunction = (helpers: CellHelpers, ...chunks: Record<string, unknown>[]) => Boxed | Promise<Boxed>;

/** Rejects with what the cell throws, with CellSyntaxError, or with Interrupted. */
export async function runTypeScript(cell: Extract<Cell, { language: "typescript" }>, run: Run): Promise<CellResult> {
  return runCode(cell.code, run);
}

/** Runs TypeScript text: a cell, or an expression that a front end wants to know. */
export async function runCode(code: string, { session, ran, guard }: Run): Promise<CellResult> {
  const { slots, cells, modules } = session;
  const transformed = transform(code, slots.scope, cells.nextOrigin, modules.meta.dirname);
  ran.positions = transformed.positions;
  const firstOrigin = cells.nextOrigin;
  cells.addOrigins(ran, transformed.origins);
  session.memory.tellPlaces(cells, ran, firstOrigin);
  // What this cell does before its first call is not where the cell before it ended.
  session.origin.current = 0;

  const disposal = new Disposal();
  const helpers: CellHelpers = {
    import: async (specifier, options, line, column) => {
      try {
        return await modules.import(specifier, options);
      } catch (error) {
        session.tracebacks.place(error, { cell: ran, line, column });
        throw error;
      }
    },
    dynamic: (specifier, options) => {
      const caller = new Error();
      return modules.import(String(specifier), options).catch((error: unknown) => {
        session.tracebacks.placeAs(error, caller);
        throw error;
      });
    },
    missing: (specifier, name, line, column) => {
      const library = specifier === "warpcell" ? session.library.loaded?.warpcell : undefined;
      const advice = library === undefined ? "" : insteadOfMember(library, "", name);
      const error = new SyntaxError(
        `The requested module '${specifier}' does not provide an export named '${name}'${advice}`,
      );
      error.stack = String(error); // the import has no place of its own in what runs
      session.tracebacks.place(error, { cell: ran, line, column });
      throw error;
    },
    meta: modules.meta,
    constant: (name) => {
      throw new TypeError(`Assignment to constant variable ${name}.`);
    },
    uninitialised: (name) => {
      throw new ReferenceError(`Cannot access '${name}' before initialization`);
    },
    resumed: <T>(value?: T) => {
      const owner = session.requests.certain;
      if (owner !== undefined && session.interrupts.isInterrupted(owner.id)) throw new Interrupted();
      return value as T;
    },
    expose: (...names) => slots.expose(names),
    truth: (value, isCall) => {
      if (typeof value === "object" && value !== null) session.library.loaded?.host.refuseTruth(value, isCall);
      return value;
    },
    loosely: (left, right, operator) => {
      if (typeof left === "object" && typeof right === "object")
        session.library.loaded?.host.refuseEquality(left, right, operator);
      return operator === "==" ? left == right : left != right;
    },
    using: (value, isAsync) => {
      disposal.add(value, isAsync);
      return value;
    },
    get origin() {
      return session.origin;
    },
  };

  try {
    const cellFunction = compile(transformed, cells.add(ran));
    const chunks = slots.chunks(transformed.chunks);
    const boxed = await guard(() => cellFunction(helpers, ...chunks));
    return { ...(boxed === undefined ? {} : { value: boxed.value }), after: () => disposal.end() };
  } catch (error) {
    throw await disposal.endAfter(error);
  } finally {
    slots.conclude([...transformed.declared.keys()]);
    session.names.declaredBy(ran, transformed.declared);
  }
}

/**
 * What only V8 refuses, such as a regular expression, it marks in its stack: the script with the line, that line, and a
 * caret below.
 */
const refusal = /^cell:\S+:(\d+)\n[^\n]*\n( *)\^/;

/** A debugger that is attached is told of a script before it runs if that names a source map. */
const forDebuggers = "\n//# sourceMappingURL=cell";

function compile({ code, positions }: Transformed, filename: string): CellFunction {
  let script: Script;
  try {
    script = new Script(code + forDebuggers, { filename });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const [, line, indent] = refusal.exec(error.stack ?? "") ?? [];
    const place = line === undefined ? undefined : positions.of(Number(line), indent!.length + 1);
    if (place === undefined) throw error;
    throw new CellSyntaxError("SYNTAX", error.message, place.line, place.column);
  }
  return script.runInThisContext() as CellFunction;
}
