// exercise("name", check): says below a cell whether a learner's answer is right, and if not, why.
import { inspect } from "node:util";
import { withChecking } from "../cuda/check.ts";
import { DeviceProcess } from "../device/process.ts";
import { InterruptedError, TensorError } from "../errors.ts";
import { flag, optionsOf, text, type Kind } from "../tensor/arguments.ts";
import { displayKey } from "../tensor/display.ts";
import { worded } from "../wording.ts";
import { htmlOf, htmlOfList, textOf, textOfList, type Score } from "./card.ts";

/**
 * `task`: what to do, shown on the card. `hints`: shown one after another, each when it is asked for. `answer`: code that
 * is right, hidden until it is asked for. `checked`: launches on the cpu are followed as those of {@link check} are, so
 * that a race or an index past the end is found even where the numbers happen to be right; true when left out. In task
 * and hints `…` is code.
 */
export interface ExerciseOptions {
  readonly task?: string;
  readonly hints?: readonly string[];
  readonly answer?: string;
  readonly checked?: boolean;
}

/** What a check returns: nothing or `true` where all is right; `false` where not, or a text that says what is wrong. */
export type CheckResult = void | boolean | string;

const kinds = {
  task: text,
  hints: {
    wanted: "a list of texts",
    has: (value) => Array.isArray(value) && Array.from(value).every((each) => typeof each === "string"),
  } as Kind<readonly string[]>,
  answer: text,
  checked: flag,
};

/** Of this session, in the order in which they were first run. */
const known = new Map<string, Exercise>();

function score(): Score {
  return { solved: [...known.values()].filter(({ isSolved }) => isSolved).length, of: known.size };
}

/**
 * An exercise and what its check said, as {@link exercise} makes it: a card below the cell.
 * @example
 * exercise("Twice", () => assertClose(tensor([1, 2]).mul(2), [2, 4])).reason; // → null
 */
export class Exercise {
  /** What it is called. */
  readonly name: string;
  /** Why it is not solved, in a sentence; `null` where it is. */
  readonly reason: string | null;
  readonly #options: ExerciseOptions;
  #told: number;

  /** @internal */
  constructor(name: string, options: ExerciseOptions, reason: string | null) {
    this.name = name;
    this.reason = reason;
    this.#options = options;
    const before = known.get(name);
    this.#told = before === undefined ? 0 : before.#told;
    known.set(name, this);
  }

  /**
   * Whether the check found nothing wrong.
   * @example
   * exercise("Half", () => Math.trunc(1 / 2) === 1).isSolved; // → false
   */
  get isSolved(): boolean {
    return this.reason === null;
  }

  /**
   * The next hint, which is open on the card from then on. Once all have been told it says so.
   * @example
   * const half = exercise("Half", () => 1 >> 1 === 1, { hints: ["It rounds down.", "Write `(n + 1) >> 1`."] });
   * half.hint(); // → 'It rounds down.'
   */
  hint(): string {
    const { hints = [], answer } = this.#options;
    const next = hints[this.#told];
    if (next === undefined)
      return `There ${hints.length === 0 ? "are no hints" : "are no more hints"}${answer === undefined ? "." : ": an answer is on the card."}`;
    this.#told++;
    return next;
  }

  /** @internal */
  [displayKey](): Record<string, string> {
    return { "text/html": htmlOf(this.#card, score()), "text/plain": textOf(this.#card, score()) };
  }

  /** @internal */
  [inspect.custom](): string {
    return textOf(this.#card, score());
  }

  get #card() {
    const { task = "", hints = [], answer = "" } = this.#options;
    return { name: this.name, task, hints, told: this.#told, answer, reason: this.reason };
  }
}

/**
 * The exercises of a notebook, as {@link exercises} lists them.
 * @example
 * exercise("Twice", () => 2 * 2 === 4);
 * exercises().solved.includes("Twice"); // → true
 */
export class ExerciseList {
  /** In the order in which they were first run, each as it was last. */
  readonly all: readonly Exercise[] = [...known.values()];
  readonly #score = score();

  /**
   * The names of those that are solved.
   * @example
   * exercises().solved.length <= exercises().all.length; // → true
   */
  get solved(): string[] {
    return this.all.filter(({ isSolved }) => isSolved).map(({ name }) => name);
  }

  /** @internal */
  [displayKey](): Record<string, string> {
    return { "text/html": htmlOfList(this.all, this.#score), "text/plain": textOfList(this.all, this.#score) };
  }

  /** @internal */
  [inspect.custom](): string {
    return textOfList(this.all, this.#score);
  }
}

/** Why a check that returned this says no; `null` where it does not. */
function reasonOf(name: string, result: unknown): string | null {
  if (result === undefined || result === true) return null;
  if (result === false) return "The answer is not right yet.";
  if (typeof result === "string") return result;
  throw new TensorError(
    "ARGUMENTS",
    `The check of exercise ${worded(name)} must return nothing, true, false or a text that says what is wrong, but returned ${worded(result)}. Compare numbers with assertClose(actual, expected).`,
  );
}

/** What was thrown, as a sentence. Throws what no answer is to blame for. */
function sentenceOf(error: unknown): string {
  if (error instanceof InterruptedError) throw error;
  const message = error instanceof Error ? error.message : `The check threw ${worded(error)}`;
  return /[.!?…)]$/.test(message) ? message : `${message}.`;
}

/** Waits for all devices: what a launch of the check did wrong, as a sentence. */
function deviceFailure(): string | null {
  let first: string | null = null;
  for (const device of DeviceProcess.all()) {
    try {
      device.synchronize();
    } catch (error) {
      first ??= sentenceOf(error);
    }
  }
  return first;
}

/**
 * An exercise: runs `check`, and is a card as the last value of a cell. The card says whether the answer is right, and
 * how many exercises of the notebook are solved; hints and an answer open when they are asked for. It is solved when
 * the check returns nothing or `true`. It is not, and the cell goes on, when the check returns `false` or a text that says
 * what is wrong, or when it throws: `assertClose`, a kernel that faults, a name that is not there yet. A check that is
 * asynchronous gives a promise. Run again, an exercise takes the place of the one with its name. Throws TensorError for
 * a wrong argument, and for a check that returns something else.
 * @example
 * const twice = exercise("Twice", () => assertClose(tensor([1, 2]).add(2), [2, 4]), {
 *   task: "Double each element.",
 *   hints: ["`x.add(2)` adds.", "`x.mul(2)` multiplies."],
 *   answer: "tensor([1, 2]).mul(2)",
 * });
 * twice.reason; // → 'result[0] must be 2, but is 3. It is the only one of 2 elements that differs.'
 */
export function exercise(name: string, check: () => Promise<CheckResult>, options?: ExerciseOptions): Promise<Exercise>;
export function exercise(name: string, check: () => CheckResult, options?: ExerciseOptions): Exercise;
export function exercise(
  name: string,
  check: () => CheckResult | Promise<CheckResult>,
  options?: ExerciseOptions,
): Exercise | Promise<Exercise> {
  if (typeof name !== "string" || name.trim() === "")
    throw new TensorError("ARGUMENTS", `The name of an exercise must be a text, but got ${worded(name)}.`);
  if (typeof check !== "function")
    throw new TensorError(
      "ARGUMENTS",
      `Exercise ${worded(name)} needs a function that checks the answer, but got ${worded(check)}: exercise(${JSON.stringify(name)}, () => assertClose(y, [1, 2])).`,
    );
  const { checked = true, ...given } = optionsOf("exercise", kinds, options);
  // What was launched before is not the answer's.
  for (const device of DeviceProcess.all()) device.synchronize();
  const made = (reason: string | null): Exercise => new Exercise(name, given, reason);
  const returned = (value: CheckResult): Exercise => made(deviceFailure() ?? reasonOf(name, value));
  const thrown = (error: unknown): Exercise => made(deviceFailure() ?? sentenceOf(error));
  let result: CheckResult | Promise<CheckResult>;
  try {
    result = withChecking(checked, check);
  } catch (error) {
    return thrown(error);
  }
  return result instanceof Promise ? result.then(returned, thrown) : returned(result);
}

/**
 * The exercises that have been run in this session and which of them are solved, as a list below the cell.
 * @example
 * exercise("Thrice", () => assertClose(tensor([1, 2]).mul(3), [3, 6]));
 * exercises().all.find(({ name }) => name === "Thrice")?.isSolved; // → true
 */
export function exercises(): ExerciseList {
  return new ExerciseList();
}
