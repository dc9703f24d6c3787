// Tensors that go when a function ends: disposes of all that it made but what it returns, and what gradients still
// need.
import { DeviceArray, scopes, type Scope } from "../memory/array.ts";
import { withoutWaiting } from "./scopes.ts";
import { gradientOf, trackOf, type Track } from "./tape.ts";

/**
 * Runs `fn` and disposes of every tensor that it made, except those in what it returns (also inside of objects,
 * arrays, maps and sets), what a later `backward` of a returned tensor needs, and what somebody owns: the `grad` of a
 * tensor, a module's parameters and other tensors, what an optimiser keeps of earlier steps. When it throws, only the
 * last stay. Throws TensorError for a function that is async: other code could make tensors meanwhile.
 * @example
 * const total = tidy(() => ones([1024]).mul(2).sum()); // what is made on the way is freed
 * total; // → tensor(2048, shape [], float32, cpu)
 */
export function tidy<T>(fn: () => T): T {
  return withoutWaiting("tidy", advice, fn, () => scoped(fn));
}
const advice =
  "other code may make tensors while it awaits. Use tidy between awaits, or `using x = …` for single tensors";

function scoped<T>(fn: () => T): T {
  const outer = scopes.current;
  const scope: Scope = { made: new Set(), escaped: new Set(), outer };
  let result: T | undefined;
  let isDone = false;
  try {
    result = scopes.run(scope, fn);
    isDone = true;
    return result;
  } finally {
    const kept = reachable([...scope.escaped, ...(isDone ? [result] : [])]);
    for (const array of scope.made) {
      if (!kept.has(array)) array.dispose();
      else if (!scope.escaped.has(array)) outer?.made.add(array);
    }
  }
}

/** All arrays in the values, and those that gradients need once one asks for them. */
function reachable(values: readonly unknown[]): Set<DeviceArray> {
  const arrays = new Set<DeviceArray>();
  const seen = new Set<unknown>();
  const waiting: unknown[] = [...values];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (
      (typeof value !== "object" && typeof value !== "function") ||
      value === null ||
      ArrayBuffer.isView(value) ||
      value instanceof ArrayBuffer ||
      seen.has(value)
    )
      continue;
    seen.add(value);
    if (value instanceof DeviceArray) {
      arrays.add(value);
      waiting.push(gradientOf(value), ...neededBy(trackOf(value), seen));
    } else if (value instanceof Map || value instanceof Set)
      waiting.push(...(value instanceof Map ? [...value].flat() : value));
    else waiting.push(...Object.values(value));
  }
  return arrays;
}

/** What the tape behind a tensor holds. */
function neededBy(track: Track | null, seen: Set<unknown>): (DeviceArray | null)[] {
  const found: (DeviceArray | null)[] = [];
  const waiting = [track];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (next == null || seen.has(next)) continue;
    seen.add(next);
    if (next.kind === "leaf") found.push(next.gradient, next.tensor.deref() ?? null);
    else {
      for (const array of [...(next.saved?.inputs ?? []), ...(next.saved?.outputs ?? [])])
        if (array instanceof DeviceArray) found.push(array);
      waiting.push(...next.tracks);
    }
  }
  return found;
}
