// Work that may take long: from its second second on a line says what it is and how far, and is gone when it is done.
import { progressLine, type Amounts } from "./progress-line.ts";
import { openStatusLine, type StatusLine } from "./status-line.ts";

/** Milliseconds before there is a line, and between two of its texts. */
const patience = 1000;
const pause = 250;

export class LongWork implements Disposable {
  readonly #what: string;
  readonly #amounts: Amounts;
  readonly #began = performance.now();
  readonly #timer: NodeJS.Timeout;
  #line: StatusLine | null = null;
  #next = this.#began + patience;
  #done = 0;

  /** `what`: as "Reading x.npy". `amounts`: of what is counted by {@link advance}; by itself nothing is. */
  constructor(what: string, amounts: Amounts = { total: null, unit: "none" }) {
    this.#what = what;
    this.#amounts = amounts;
    this.#timer = setInterval(() => this.advance(0), pause).unref();
  }

  /** So much more has been done. Work that lets no timer run is heard here alone. */
  advance(amount: number): void {
    this.#done += amount;
    const now = performance.now();
    if (now < this.#next) return;
    this.#next = now + pause;
    this.#line ??= openStatusLine();
    const { total } = this.#amounts;
    this.#line?.write(
      progressLine(
        {
          ...this.#amounts,
          what: this.#what,
          done: total === null ? this.#done : Math.min(this.#done, total),
          seconds: (now - this.#began) / 1000,
          isOver: false,
          values: [],
        },
        this.#line.columns,
      ),
    );
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#line?.clear();
  }
}
