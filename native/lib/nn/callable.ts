// Objects that are called like functions: net(x) is net.forward(x).

/** A class whose objects are functions. Calling one runs its `forward`. */
export abstract class Callable {
  abstract forward(...inputs: any[]): any;

  constructor() {
    const called = ((...inputs: unknown[]): unknown => called.forward(...inputs)) as unknown as this;
    // A function's own, which a subclass may want as properties of its own.
    for (const name of ["name", "length"]) Reflect.deleteProperty(called, name);
    return Object.setPrototypeOf(called, new.target.prototype) as this;
  }
}
