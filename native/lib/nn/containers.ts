// Modules that hold others: one after the other, in a list, and by name.
import { TensorError } from "../errors.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { Module, type Layer } from "./module.ts";

const isModuleClass = (value: unknown): value is { readonly name: string } =>
  typeof value === "function" && value.prototype instanceof Module;

/** Has `list[0]` read the first of what a container has. Not enumerable: they are its own by another name already. */
export function readByIndex(container: object, index: number, read: () => unknown): void {
  Object.defineProperty(container, index, { get: read, configurable: true, enumerable: false });
}

/** What `net[0]` and `list[0]` read. */
export interface Sequential<L extends readonly Layer[]> {
  readonly [index: number]: L[number];
}
/** What `list[0]` reads. */
export interface ModuleList<M extends Module> {
  readonly [index: number]: M;
}

/**
 * A layer made of layers that run one after the other: modules, and functions of a tensor.
 * @example
 * const net = new nn.Sequential(new nn.Linear(2, 16), relu, new nn.Linear(16, 3));
 * net(ones([5, 2])).shape; // → [ 5, 3 ]
 */
export class Sequential<const L extends readonly Layer[] = readonly Layer[]> extends Module {
  /** The layers, in the order in which they run: `net.layers[0].weight`. */
  readonly layers: L;

  /** Throws TensorError for what is neither. */
  constructor(...layers: L) {
    super();
    layers.forEach((layer, index) => {
      if (isModuleClass(layer))
        throw new TensorError(
          "OPERANDS",
          `Sequential takes modules, but layer ${index} is the class ${layer.name}: write new nn.${layer.name}(…).`,
        );
      if (typeof layer !== "function")
        throw new TensorError(
          "OPERANDS",
          `Sequential takes modules and functions of a tensor, but layer ${index} is ${worded(layer)}.`,
        );
    });
    this.layers = layers;
    layers.forEach((_, index) => readByIndex(this, index, () => this.layers[index]));
  }

  forward(x: Tensor): Tensor {
    let result = x;
    for (const layer of this.layers) result = layer(result) as Tensor;
    return result;
  }
  protected override get contents(): string {
    return "layers";
  }
}

function checkedModule(name: string, key: unknown, value: unknown): void {
  if (isModuleClass(value))
    throw new TensorError(
      "OPERANDS",
      `${name} takes modules, but ${String(key)} is the class ${value.name}: write new nn.${value.name}(…).`,
    );
  if (!(value instanceof Module))
    throw new TensorError("OPERANDS", `${name} takes modules, but ${String(key)} is ${worded(value)}.`);
}

/**
 * A list of modules, which have no order of computation of their own: `for (const block of this.blocks) x = block(x)`.
 * @example
 * const blocks = new nn.ModuleList([new nn.Linear(4, 4), new nn.Linear(4, 4)]);
 * let x = ones([1, 4]);
 * for (const block of blocks) x = block(x);
 * x.shape; // → [ 1, 4 ]
 */
export class ModuleList<M extends Module = Module> extends Module {
  /** The modules, in their order. */
  readonly modules: M[] = [];

  /** Throws TensorError for what is no module. */
  constructor(modules: Iterable<M> = []) {
    super();
    for (const module of modules) this.push(module);
  }

  /** Adds a module at the end. Throws TensorError. */
  push(module: M): this {
    checkedModule("ModuleList", this.modules.length, module);
    const index = this.modules.push(module) - 1;
    readByIndex(this, index, () => this.modules[index]);
    return this;
  }
  /** How many modules there are. */
  override get length(): number {
    return this.modules.length;
  }
  /** The module at an index, from the end below 0. */
  at(index: number): M | undefined {
    return this.modules.at(index);
  }
  [Symbol.iterator](): IterableIterator<M> {
    return this.modules.values();
  }
  /** Throws TensorError. */
  forward(): never {
    throw new TensorError("FORWARD", "A ModuleList computes nothing itself: call the modules in it.");
  }
  protected override get contents(): string {
    return "modules";
  }
}

/**
 * Modules by name: `this.heads.get("policy")`.
 * @example
 * const heads = new nn.ModuleDict({ policy: new nn.Linear(4, 2), value: new nn.Linear(4, 1) });
 * heads.get("policy")(ones([1, 4])).shape; // → [ 1, 2 ]
 */
export class ModuleDict<M extends Module = Module> extends Module {
  /** The modules by name. */
  readonly modules = new Map<string, M>();

  /** Throws TensorError for what is no module. */
  constructor(modules: Readonly<Record<string, M>> | Iterable<readonly [string, M]> = {}) {
    super();
    const entries = Symbol.iterator in modules ? (modules as Iterable<readonly [string, M]>) : Object.entries(modules);
    for (const [name, module] of entries) this.set(name, module);
  }

  /** Adds a module, or replaces one. Throws TensorError. */
  set(name: string, module: M): this {
    checkedModule("ModuleDict", name, module);
    if (name === "" || name.includes("."))
      throw new TensorError("OPERANDS", `ModuleDict takes names without dots but got ${worded(name)}.`);
    this.modules.set(name, module);
    return this;
  }
  /** The module with that name. Throws TensorError where there is none. */
  get(name: string): M {
    const found = this.modules.get(name);
    if (found === undefined)
      throw new TensorError(
        "OPERANDS",
        `This ModuleDict has no module ${worded(name)}, but ${[...this.modules.keys()].join(", ") || "none at all"}.`,
      );
    return found;
  }
  /** Whether there is a module of that name. */
  has(name: string): boolean {
    return this.modules.has(name);
  }
  [Symbol.iterator](): IterableIterator<[string, M]> {
    return this.modules.entries();
  }
  /** Throws TensorError. */
  forward(): never {
    throw new TensorError("FORWARD", "A ModuleDict computes nothing itself: call the modules in it.");
  }
  protected override get contents(): string {
    return "modules";
  }
}
