// Puts back what a cell took away from JavaScript itself, such as `JSON = null`: the session, Node and every later cell
// need it too.

const { defineProperty, getOwnPropertyDescriptor, ownKeys } = Reflect;

/** Replaced by something of its kind it may be wanted, as a polyfill is; put back is what can no longer do its work. */
interface Builtin {
  owner: object;
  key: string | symbol;
  name: string;
  value: unknown;
  descriptor: PropertyDescriptor;
}

const named = [
  "JSON",
  "Reflect",
  "Atomics",
  "Object",
  "Function",
  "Array",
  "String",
  "Number",
  "Boolean",
  "Symbol",
  "BigInt",
  "RegExp",
  "Map",
  "Set",
  "WeakMap",
  "WeakSet",
  "WeakRef",
  "Promise",
  "Error",
  "AggregateError",
  "TypeError",
  "RangeError",
  "SyntaxError",
  "ReferenceError",
  "ArrayBuffer",
  "SharedArrayBuffer",
  "DataView",
  "Uint8Array",
  "Int32Array",
  "Date",
  "Math",
  "Buffer",
  "process",
  "URL",
  "performance",
  "globalThis",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "clearTimeout",
  "clearInterval",
  "queueMicrotask",
  "parseInt",
  "isNaN",
] as const;

export class Builtins {
  readonly #all: Builtin[] = [];

  /** Remembers them as they are now. */
  constructor() {
    const globals = globalThis as unknown as Record<string, object | (Function & { prototype?: object })>;
    for (const name of named) {
      const value = globals[name]!;
      // Some of Node's are accessors that become what is assigned to them.
      this.#all.push({
        owner: globalThis,
        key: name,
        name,
        value,
        descriptor: { value, writable: true, enumerable: false, configurable: true },
      });
      if (name === "process" || name === "globalThis") continue;
      this.#rememberAll(value, name);
      if ("prototype" in value && value.prototype !== undefined)
        this.#rememberAll(value.prototype, `${name}.prototype`);
    }
    this.#rememberAll(Object.getPrototypeOf(Uint8Array.prototype) as object, "TypedArray.prototype");
    for (const [iterator, name] of [
      [[].values(), "ArrayIterator"],
      [new Map().values(), "MapIterator"],
      [new Set().values(), "SetIterator"],
    ] as const)
      this.#rememberAll(Object.getPrototypeOf(iterator) as object, name);
  }

  /**
   * Puts back what is broken. Returns its names. What is missing may be anything, so this uses nothing but the
   * language.
   */
  restore(): string {
    const all = this.#all;
    let names = "";
    for (let i = 0; i < all.length; i++) {
      const { owner, key, name, value, descriptor } = all[i]!;
      const now = (owner as Record<string | symbol, unknown>)[key];
      if (now === value || (typeof now === typeof value && now !== null)) continue;
      defineProperty(owner, key, descriptor);
      names += names === "" ? name : `, ${name}`;
    }
    return names;
  }

  #rememberAll(owner: object, name: string): void {
    for (const key of ownKeys(owner))
      this.#remember(owner, key, typeof key === "symbol" ? `${name}[${String(key.description)}]` : `${name}.${key}`);
  }

  #remember(owner: object, key: string | symbol, name: string): void {
    const descriptor = getOwnPropertyDescriptor(owner, key);
    // Getters have no value to compare; what cannot be changed need not be put back.
    if (descriptor === undefined || descriptor.configurable !== true) return;
    if (
      "value" in descriptor &&
      (typeof descriptor.value === "function" || (typeof descriptor.value === "object" && descriptor.value !== null))
    ) {
      this.#all.push({ owner, key, name, value: descriptor.value as unknown, descriptor });
    }
  }
}
