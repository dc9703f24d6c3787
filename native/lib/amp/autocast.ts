// autocast(fn): products in 16 bits and the rest in float32, while the weights stay as they are.

import { withoutWaiting } from "../autograd/scopes.ts";
import { trackOf } from "../autograd/tape.ts";
import { DeviceArray } from "../memory/array.ts";
import type { DType } from "../memory/dtype.ts";
import type { Storage } from "../memory/storage.ts";
import { readOperand } from "../ops/core/apply.ts";
import { call } from "../ops/core/calls.ts";
import { casting, isRecording, type Caster } from "../ops/core/hooks.ts";
import type { Operand } from "../ops/core/operation.ts";
import { flag, oneOf, optionsOf } from "../tensor/arguments.ts";
import { precisions } from "./rules.ts";

/**
 * `dtype`: what products are computed in, "bfloat16" when left out; float16 needs a {@link GradScaler}. `enabled`:
 * false has `fn` compute as without autocast, within one.
 */
export interface AutocastOptions {
  readonly dtype?: "bfloat16" | "float16";
  readonly enabled?: boolean;
}

/** A weight in the low dtype, as long as the weight is what it was. */
interface Cast {
  readonly storage: Storage;
  readonly version: number;
  readonly low: DeviceArray;
}

const narrow: ReadonlySet<DType> = new Set(["float16", "bfloat16"]);

class Autocast implements Caster {
  readonly dtype: DType;
  /** Leaves, which a step uses again and again: as they are recorded, and as they are not. */
  readonly #recorded = new Map<DeviceArray, Cast>();
  readonly #others = new Map<DeviceArray, Cast>();

  constructor(dtype: DType) {
    this.dtype = dtype;
  }

  operands(name: string, inputs: readonly Operand[]): readonly Operand[] {
    const precision = precisions.get(name);
    if (precision === undefined) return inputs;
    return inputs.map((input) => {
      if (!(input instanceof DeviceArray)) return input;
      return precision === "low" ? this.#lowered(input, name) : this.#raised(input);
    });
  }

  #raised(input: DeviceArray): DeviceArray {
    return narrow.has(input.dtype) ? call("convert", [input], { dtype: "float32" }) : input;
  }

  #lowered(input: DeviceArray, name: string): DeviceArray {
    const { dtype } = this;
    if (input.dtype === dtype || (input.dtype !== "float32" && !narrow.has(input.dtype))) return input;
    const convert = () => call("convert", [input], { dtype });
    if (trackOf(input)?.kind !== "leaf") return convert();
    const storage = input.living(name);
    const { version } = storage;
    const casts = isRecording() ? this.#recorded : this.#others;
    const known = casts.get(input);
    if (known?.storage === storage && known.version === version && !known.low.isDisposed) {
      readOperand(name, input);
      return known.low;
    }
    known?.low.dispose();
    const low = convert();
    casts.set(input, { storage, version, low });
    return low;
  }

  again<T>(fn: () => T): T {
    return within(this.dtype, fn);
  }

  /** The tape holds what gradients need. */
  end(): void {
    for (const casts of [this.#recorded, this.#others]) {
      for (const { low } of casts.values()) low.dispose();
      casts.clear();
    }
  }
}

const kinds = { dtype: oneOf("bfloat16", "float16"), enabled: flag };
const advice = "what comes after an await would compute as without it. Await first, or use it between awaits";

function within<T>(dtype: DType | null, fn: () => T): T {
  if (dtype === null) return casting.run(null, fn);
  const { current } = casting;
  if (current instanceof Autocast && current.dtype === dtype) return fn();
  const inner = new Autocast(dtype);
  try {
    return casting.run(inner, fn);
  } finally {
    inner.end();
  }
}

/**
 * Runs `fn` with its operations in the dtype that each is best computed in: matrix products, linear layers,
 * convolutions and attention in `dtype`, softmax, losses, norms, sums, exponentials and logarithms in float32, all
 * others in the widest of what they get. float64 stays float64. Parameters stay float32 and so do their gradients; each
 * is converted once in `fn`. Gradients are computed in the dtypes of what they are gradients of, also by a `backward()`
 * within `fn`; what changes a tensor in place computes as always. Throws TensorError for an async function.
 * @example
 * const net = new nn.Linear(4, 2);
 * const y = autocast(() => net(ones([3, 4])), { dtype: "bfloat16" });
 * y.dtype; // → 'bfloat16'
 * y.sum().backward();
 * net.weight.grad!.dtype; // → 'float32'
 */
export function autocast<T>(fn: () => T, options: AutocastOptions = {}): T {
  const { dtype = "bfloat16", enabled = true } = optionsOf("autocast", kinds, options);
  return withoutWaiting("autocast", advice, fn, () => within(enabled ? dtype : null, fn));
}
