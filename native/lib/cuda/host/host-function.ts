// A host function as notebooks hold it: a function with the types of its declaration.
import type { HostDeclaration } from "./find.ts";

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

  /** For the library: host functions come from `compile`. */
  constructor(
    { name, text }: HostDeclaration,
    { source, device }: { readonly source: string; readonly device: { readonly name: string } },
    call: (args: readonly unknown[]) => unknown,
  ) {
    super((...args) => call(args));
    this.name = name;
    this.source = source;
    this.#text = text;
    this.#device = device.name;
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
