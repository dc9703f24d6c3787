// The helpers that lowered code calls through the global `babelHelpers`: `using` inside functions, and decorators.
import { combined, Disposal, nothing } from "./disposal.ts";

/** State of one block with `using`: `u` and `a` register a value, `e` receives what the block threw, `d` disposes. */
interface UsingContext {
  e: unknown;
  u<T>(value: T): T;
  a<T>(value: T): T;
  d(): unknown;
}

function usingCtx(): UsingContext {
  const stack: { value: unknown; isAsync: boolean }[] = [];
  const add = <T>(value: T, isAsync: boolean): T => {
    new Disposal().add(value, isAsync);
    if (value !== null && value !== undefined) stack.push({ value, isAsync });
    return value;
  };
  return {
    e: nothing,
    u: (value) => add(value, false),
    a: (value) => add(value, true),
    d() {
      const rethrow = (): void => {
        if (this.e !== nothing) throw this.e;
      };
      const next = (): unknown => {
        for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
          try {
            const result = disposeOf(entry.value, entry.isAsync);
            if (entry.isAsync)
              return Promise.resolve(result).then(next, (error: unknown) => {
                this.e = combined(this.e, error);
                return next();
              });
          } catch (error) {
            this.e = combined(this.e, error);
          }
        }
        return rethrow();
      };
      return next();
    },
  };
}

function disposeOf(value: unknown, isAsync: boolean): unknown {
  const methods = value as Record<symbol, (() => unknown) | undefined>;
  return ((isAsync ? methods[Symbol.asyncDispose] : undefined) ?? methods[Symbol.dispose])!.call(value);
}

type Decorator = (target: object, key?: string | symbol, descriptor?: PropertyDescriptor | number) => unknown;

/** TypeScript's experimental decorators: on a class (`key` is absent), or on a member. */
function decorate(
  decorators: Decorator[],
  target: object,
  key?: string | symbol,
  descriptor?: PropertyDescriptor | null,
): unknown {
  if (key === undefined)
    return decorators.reduceRight(
      (decorated, decorator) => (decorator(decorated) as object | undefined) ?? decorated,
      target,
    );
  const original = descriptor === null ? Object.getOwnPropertyDescriptor(target, key) : descriptor;
  const result = decorators.reduceRight(
    (current, decorator) => (decorator(target, key, current) as PropertyDescriptor | undefined) ?? current,
    original,
  );
  if (result !== undefined) Object.defineProperty(target, key, result);
  return result;
}

/** A decorator of one parameter, as one of the member. */
function decorateParam(index: number, decorator: Decorator): Decorator {
  return (target, key) => decorator(target, key, index);
}

/** Makes the helpers visible to cells and to imported TypeScript files. */
export function installHelpers(): void {
  Object.defineProperty(globalThis, "babelHelpers", {
    value: { usingCtx, decorate, decorateParam },
    configurable: true,
  });
}
