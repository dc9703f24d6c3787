// fuse(fn, { parts: true }): while a function runs, its elementwise operations wait for each other, and run as one
// kernel when something else is to be done.
import { withoutWaiting } from "../autograd/scopes.ts";
import type { Execution } from "../device/execution.ts";
import type { DeviceArray } from "../memory/array.ts";
import { deferring, type Deferrer } from "../ops/core/hooks.ts";
import type { Computation, Operand } from "../ops/core/operation.ts";
import { putOff } from "../wire/target.ts";
import { Chain } from "./chain.ts";
import { ChainKernel } from "./chain-kernel.ts";

export class Parts implements Deferrer {
  readonly #waits: boolean;
  #chain: Chain | null = null;
  /** The compilations that calls have begun or met. */
  readonly #pending = new Set<Promise<void>>();
  /** Of the kernels of the last call. */
  #sources: Set<string> | null = null;

  constructor(waits: boolean) {
    this.#waits = waits;
  }

  get source(): string | null {
    return this.#sources === null ? null : [...this.#sources].join("\n");
  }

  call<R>(fn: (...args: never[]) => R, args: readonly unknown[]): R {
    // What another function has put off is not this one's.
    putOff.current?.();
    this.#sources = new Set();
    return withoutWaiting("fuse", "what comes after an await would not be fused", fn as () => R, () =>
      putOff.run(
        () => this.#flush(),
        () =>
          deferring.run(this, () => {
            try {
              return fn(...(args as never[]));
            } finally {
              this.#flush();
            }
          }),
      ),
    );
  }

  takes(
    name: string,
    operation: Computation,
    target: DeviceArray,
    inputs: readonly Operand[],
    attributes: object,
    on: Execution,
  ): boolean {
    const work = { name, operation, target, inputs, attributes };
    if (this.#chain !== null && this.#chain.on === on && this.#chain.add(work)) return true;
    const chain = new Chain(on, target.shape);
    if (!chain.add(work)) return false;
    this.#flush();
    this.#chain = chain;
    return true;
  }

  /** Has everything done that has been put off. */
  #flush(): void {
    if (this.#chain === null) return;
    using chain = this.#chain;
    this.#chain = null;
    const results = chain.results();
    if (results.length > 0) chain.uncounted(() => this.#run(chain, results));
  }

  #run(chain: Chain, results: ReturnType<Chain["results"]>): void {
    const kernel = chain.works.length > 1 ? ChainKernel.of(chain, results) : null;
    if (kernel !== null) {
      this.#sources?.add(kernel.source);
      if (this.#isReady(kernel, chain.on)) return kernel.launch(chain, results);
    }
    for (const { operation, target, inputs, attributes } of chain.works)
      operation.run([target], inputs, attributes, chain.on);
  }

  #isReady({ module }: ChainKernel, on: Execution): boolean {
    // What is recorded now runs again and again.
    if (this.#waits || on.target.runsLater) module.prepare();
    if (module.isReady()) return true;
    this.#pending.add(module.compiled);
    return false;
  }

  async settled(): Promise<void> {
    await Promise.all(this.#pending);
    this.#pending.clear();
  }
}
