// Finds warnings about a cell's types beside its run, and decides when they are shown and when they stop it.
import { excerpt } from "../language/excerpt.ts";
import type { Declaration } from "../session-protocol.ts";
import type { Diagnostic } from "./type-service.ts";

export type TypesMode = "warn" | "strict" | "off";

/** What this needs of the type service. */
export interface Checker {
  readonly warm: boolean;
  diagnose(cell: number, code: string): Promise<Diagnostic[]>;
  commit(cell: number, code: string): Promise<void>;
  commitDevice(code: string): Promise<void>;
  declare(cell: number, declarations: readonly Declaration[]): Promise<void>;
}

/** How long a finished cell waits for its own warnings, in ms. */
const patience = 250;

export class Diagnostics {
  readonly #checker: Checker;
  // Warnings that came while a later cell ran: they are shown under it, since a client that runs cell after cell no
  // longer listens for the one before.
  readonly #late: string[] = [];
  // What is known of a text stays true while no other cell has run.
  readonly #known = new Map<string, Diagnostic[]>();
  #epoch = 0;
  #lastRun: string | null = null;
  mode: TypesMode = "warn";

  constructor(checker: Checker) {
    this.#checker = checker;
  }

  /**
   * Starts to check a cell. The check never delays the start of its run, unless the mode is "strict": see `refusal`.
   */
  check(cell: number, code: string): Check {
    if (this.mode === "off") return this.unchecked(code);
    const known = this.#known.get(code);
    if (known !== undefined) return { code, warnings: Promise.resolve(known) };

    const epoch = this.#epoch;
    const warnings = this.#checker.diagnose(cell, code).then((found) => {
      if (this.#epoch === epoch) this.#known.set(code, found);
      return found;
    });
    return { code, warnings };
  }

  /** A cell that is not to be checked, but whose declarations count. */
  unchecked(code: string): Check {
    return { code, warnings: Promise.resolve([]) };
  }

  /**
   * The text to show under a cell that has run: earlier cells' late warnings and, when they are ready soon, its own.
   * When they come later, `showLate` shows them, and returns false to leave them to the next cell. `failed`: the line
   * that the cell's error has shown already; `null` where there is none.
   */
  async shown(cell: number, check: Check, failed: number | null, showLate: (text: string) => boolean): Promise<string> {
    const texts = this.#late.splice(0);
    const labelled = check.warnings.then((warnings) =>
      format(
        cell,
        check.code,
        warnings.filter(({ line }) => line !== failed),
        "warning",
      ),
    );
    const own = this.#checker.warm || this.mode === "strict" ? await within(patience, labelled) : undefined;
    if (own === undefined)
      void labelled.then((late) => {
        if (late !== "" && !showLate(late)) this.#late.push(late);
      });
    else if (own !== "") texts.push(own);
    return texts.join("\n");
  }

  /** The cell ran: later ones see what it declares. */
  ran(cell: number, code: string): void {
    // Run again at once, it leaves the types as they are.
    if (code === this.#lastRun) return;
    this.#lastRun = code;
    // Its own declarations do not change what was found in it.
    const own = this.#known.get(code);
    this.#forget();
    if (own !== undefined) this.#known.set(code, own);
    void this.#checker.commit(cell, code);
  }

  /** A `%%cuda` cell ran. */
  ranDevice(code: string): void {
    void this.#checker.commitDevice(code);
  }

  declared(cell: number, declarations: readonly Declaration[]): void {
    this.#lastRun = null;
    this.#forget();
    void this.#checker.declare(cell, declarations);
  }

  #forget(): void {
    this.#epoch++;
    this.#known.clear();
  }
}

export interface Check {
  code: string;
  warnings: Promise<Diagnostic[]>;
}

/** Red is for what stops a cell. */
const colours = { error: "\u001b[31m", warning: "\u001b[33m" };

/** Each with its sentence, its line and a caret, as a cell's errors are shown. */
export function format(cell: number, code: string, found: readonly Diagnostic[], colour: keyof typeof colours): string {
  return found
    .map(({ line, column, code: number, severity, message }) =>
      [
        `${colours[colour]}type ${severity} ${number}\u001b[39m: ${message}`,
        "",
        ...excerpt(`Cell [${cell}]`, code, line, column),
        "",
      ].join("\n"),
    )
    .join("\n");
}

/** The value, or `undefined` when it takes longer. */
async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}
