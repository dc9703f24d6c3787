// What has reached a tensor of its gradient so far, while gradients go back.
import { applyInto } from "../ops/core/apply.ts";
import { call, callNamed } from "../ops/core/calls.ts";
import type { Viewing } from "../ops/core/operation.ts";
import type { DeviceArray } from "../memory/array.ts";

/** A gradient that others are added to: in place once it is in memory that nobody else has. */
export class GradientSum {
  readonly #isRecorded: boolean;
  #value: DeviceArray | null = null;
  #isOwn = false;

  /** `isRecorded`: sums are differentiated in turn, so that none changes. */
  constructor(isRecorded: boolean) {
    this.#isRecorded = isRecorded;
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
    if (this.#value === null) {
      this.#value = gradient;
      this.#isOwn = isFresh;
    } else if (this.takesParts && gradient.dtype === this.#value.dtype)
      applyInto("add", this.#value, [this.#value, gradient], {});
    else {
      this.#value = call("add", [this.#value, gradient]);
      this.#isOwn = true;
    }
  }

  /** Adds the gradient of a view to what the view showed. */
  addPart(gradient: DeviceArray, name: string, attributes: object): void {
    const part = callNamed(name, [this.#value!], attributes)[0]!;
    applyInto("add", part, [part, gradient], {});
    part.dispose();
  }
}
