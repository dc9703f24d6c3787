// What a module's properties hold: looks into arrays, maps, sets and plain objects, as deep as they go.
import { TensorError } from "../errors.ts";
import { Tensor } from "../tensor/tensor.ts";

export type Named = readonly [name: string, value: unknown];

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** What a container has, by name; `null` for what is none. */
function contents(value: object): Iterable<readonly [unknown, unknown]> | null {
  if (Array.isArray(value)) return value.entries();
  if (value instanceof Map) return value;
  if (value instanceof Set) return [...value].entries();
  return isPlain(value) ? Object.entries(value) : null;
}

/**
 * The value itself where it `counts`, else those in it with their names, "blocks.0.a". Throws TensorError for an object
 * of another class with such values in its properties, since nobody would find them there.
 */
export function* membersIn(
  name: string,
  value: unknown,
  counts: (value: unknown) => boolean,
  outer: readonly object[] = [],
): Generator<Named> {
  if (counts(value)) {
    yield [name, value];
    return;
  }
  if (typeof value !== "object" || value === null || value instanceof Tensor || outer.includes(value)) return;
  const found = contents(value);
  if (found !== null) {
    for (const [key, each] of found) yield* membersIn(`${name}.${String(key)}`, each, counts, [...outer, value]);
    return;
  }
  if (ArrayBuffer.isView(value)) return;
  const hidden = Object.entries(value).find(
    ([, each]) => counts(each) && !(each instanceof Tensor && !each.requiresGrad),
  );
  if (hidden !== undefined)
    throw new TensorError(
      "MEMBER",
      `${name} is a ${value.constructor.name}, which is not a module but has parameters in ${hidden[0]}: have ${value.constructor.name} extend nn.Module, so that they are trained and saved.`,
    );
}
