// What has reached a tensor of its gradient so far, while gradients go back, and the gradients that go when they are used.
import { scopes, type DeviceArray, type Scope } from "../memory/array.ts";
import { applyInto } from "../ops/core/apply.ts";
import { call, callNamed } from "../ops/core/calls.ts";
import type { Viewing } from "../ops/core/operation.ts";
import { isChannelsLast } from "../ops/spatial/channels-last.ts";

/**
 * Gradients that were made on the way, nobody else has, and go when nothing holds them any more.
 */
export class PassingGradients {
  readonly #holders = new Map<DeviceArray, number>();

  /** What `fn` returns; of what it makes, that is noted, and the rest goes. */
  made(fn: () => readonly (DeviceArray | null)[]): readonly (DeviceArray | null)[] {
    const outer = scopes.current;
    const scope: Scope = { made: new Set(), escaped: new Set(), outer };
    const results = scopes.run(scope, fn);
    for (const array of scope.made) {
      if (scope.escaped.has(array)) continue;
      if (results.includes(array)) {
        this.#holders.set(array, 0);
        outer?.made.add(array);
      } else array.dispose();
    }
    return results;
  }

  hold(array: DeviceArray): void {
    const holders = this.#holders.get(array);
    if (holders !== undefined) this.#holders.set(array, holders + 1);
  }

  /** One that held it does no longer. */
  drop(array: DeviceArray): void {
    const holders = this.#holders.get(array);
    if (holders === undefined) return;
    this.#holders.set(array, holders - 1);
    if (holders > 1) return;
    this.#holders.delete(array);
    array.dispose();
  }

  /**
   * Whether it can be somebody's as it is: one alone holds it, its memory is nobody else's, and it lies there without
   * gaps.
   */
  isOwn(array: DeviceArray): boolean {
    const { storage } = array;
    return (
      this.#holders.get(array) === 1 &&
      (array.isContiguous || isChannelsLast(array)) &&
      storage !== null &&
      storage.bytes === array.bytes &&
      !storage.isShared
    );
  }

  /** It may be somebody's from now on. */
  release(array: DeviceArray): void {
    this.#holders.delete(array);
  }
}

/** A gradient that others are added to: in place once it is in memory that nobody else has. */
export class GradientSum {
  readonly #isRecorded: boolean;
  readonly #passing: PassingGradients;
  #value: DeviceArray | null = null;
  #isOwn = false;

  /** `isRecorded`: sums are differentiated in turn, so that none changes. */
  constructor(isRecorded: boolean, passing: PassingGradients) {
    this.#isRecorded = isRecorded;
    this.#passing = passing;
  }

  get value(): DeviceArray | null {
    return this.#value;
  }

  /** Parts may be added to it. */
  get takesParts(): boolean {
    return this.#isOwn && !this.#isRecorded;
  }

  /** `isFresh`: nobody else has its memory. */
  add(gradient: DeviceArray, isFresh: boolean): void {
    const before = this.#value;
    if (before === null) {
      this.#value = gradient;
      this.#isOwn = isFresh;
      this.#passing.hold(gradient);
    } else if (this.takesParts && gradient.dtype === before.dtype) applyInto("add", before, [before, gradient], {});
    else {
      this.#value = this.#isRecorded
        ? call("add", [before, gradient])
        : this.#passing.made(() => [call("add", [before, gradient])])[0]!;
      this.#isOwn = true;
      this.#passing.hold(this.#value);
      this.#passing.drop(before);
    }
  }

  /** Adds the gradient of a view to what the view showed. */
  addPart(gradient: DeviceArray, name: string, attributes: object): void {
    const part = callNamed(name, [this.#value!], attributes)[0]!;
    applyInto("add", part, [part, gradient], {});
    part.dispose();
  }
}
