// Lets a function say its text without what the transformation put into it: as text it is run elsewhere, in a worker or
// another process, where nothing of ours is.
import { asWritten, isLowered } from "../../language/inserted.ts";

/** From now on. */
export function installFunctionText(): void {
  const original = Function.prototype.toString;
  const toString = function toString(this: unknown): string {
    const text = Reflect.apply(original, this, []) as string;
    return isLowered(text) ? asWritten(text) : text;
  };
  Object.defineProperty(Function.prototype, "toString", { value: toString, writable: true, configurable: true });
}
