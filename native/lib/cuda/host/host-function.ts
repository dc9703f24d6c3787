// A host function as notebooks hold it: a function with the types of its declaration.
import type { CodeCell } from "../../device/origins.ts";
import { placeOf } from "../../memory/report.ts";
import type { CompiledCode, TracePlace } from "../../payloads.ts";
import type { HostDeclaration } from "./find.ts";

/** What its source is. */
interface Source {
  readonly source: string;
  readonly name: string;
  readonly cell: CodeCell | null;
  readonly device: { readonly name: string };
}

/** What a host function is besides its methods. */
class Callable {
  constructor(call: (...args: unknown[]) => unknown) {
    return Object.setPrototypeOf(call, new.target.prototype) as this;
  }
}

/**
 * A function of a `%%cuda` cell that runs on the host, launches kernels with `<<<…>>>` and takes and returns
 * `warpcell::Tensor`; `A` are the types of its arguments, `R` that of its result. It runs in the device process; what it
 * launches is in order with all other work, and is not waited for. Throws HostFunctionError for an argument that does
 * not fit and for what C++ throws, LaunchError, DeviceFault for a crash.
 * @example
 * const { functions } = await compile(`
 *   __global__ void add(float* y, const float* x, float a, int n) {
 *     int i = blockIdx.x * blockDim.x + threadIdx.x;
 *     if (i < n) y[i] = x[i] + a;
 *   }
 *   warpcell::Tensor plus(const warpcell::Tensor& x, float a) {
 *     auto y = warpcell::empty_like(x);
 *     int n = x.numel();
 *     add<<<(n + 255) / 256, 256>>>(y.data<float>(), x.data<float>(), a, n);
 *     return y;
 *   }`);
 * functions.plus(tensor([1, 2]), 10); // → tensor([11, 12], shape [2], float32, cpu)
 */
export class HostFunction<A extends readonly any[] = any[], R = any> extends Callable {
  /** As C++ names it: "ns::scaled". */
  readonly name: string;
  /** The text that it was compiled from. */
  readonly source: string;
  readonly #text: string;
  readonly #device: string;
  readonly #qualified: string;
  readonly #place: TracePlace | null;

  /** For the library: host functions come from `compile`. */
  constructor(
    { name, text, line }: HostDeclaration,
    { source, name: label, cell, device }: Source,
    call: (args: readonly unknown[]) => unknown,
  ) {
    super((...args) => call(args));
    this.name = this.#qualified = name;
    this.source = source;
    this.#text = text;
    this.#device = device.name;
    this.#place = cell === null ? null : placeOf({ ...cell, label, line });
  }

  /** @internal `null`: the value is no host function. Runs no code of the user's. */
  static described(value: object): CompiledCode | null {
    if (!(#text in value)) return null;
    return {
      kind: "host function",
      name: value.#qualified,
      signature: value.#text,
      device: value.#device,
      registers: null,
      shared: null,
      execution: null,
      lastTime: null,
      place: value.#place,
    };
  }

  override toString(): string {
    return this.#text;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `host function ${this.#text} on ${this.#device}`;
  }
}

export interface HostFunction<A extends readonly any[] = any[], R = any> {
  (...args: A): R;
}
