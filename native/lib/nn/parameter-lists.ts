// Lists and maps of parameters: with the names and the ways of ModuleList and ModuleDict.
import { TensorError } from "../errors.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { readByIndex } from "./containers.ts";
import { Module } from "./module.ts";

/** A tensor of its own, which wants a gradient from now on. Throws TensorError. */
function parameterOf(name: string, key: unknown, value: unknown): Tensor {
  if (!(value instanceof Tensor))
    throw new TensorError("OPERANDS", `${name} takes tensors, but ${String(key)} is ${worded(value)}.`);
  if (!value.isLeaf)
    throw new TensorError(
      "OPERANDS",
      `${name} takes tensors of their own, but ${String(key)} was computed from others: write x.detach().`,
    );
  value.requiresGrad = true;
  return value;
}

/** What `list[0]` reads. */
export interface ParameterList {
  readonly [index: number]: Tensor;
}

/**
 * A list of parameters, whose tensors want gradients from then on: `for (const w of this.weights) x = x.matmul(w)`.
 * @example
 * const weights = new nn.ParameterList([ones([2, 2]), ones([2, 2])]);
 * let x = ones([1, 2]);
 * for (const w of weights) x = x.matmul(w);
 * x.detach(); // → tensor([[4, 4]], shape [1, 2], float32, cpu)
 */
export class ParameterList extends Module {
  /** The tensors, in their order. */
  readonly tensors: Tensor[] = [];

  /** Throws TensorError for what is no tensor, or was computed from others. */
  constructor(tensors: Iterable<Tensor> = []) {
    super();
    for (const each of tensors) this.push(each);
  }

  /** Adds a parameter at the end. Throws TensorError. */
  push(tensor: Tensor): this {
    const index = this.tensors.push(parameterOf("ParameterList", this.tensors.length, tensor)) - 1;
    readByIndex(this, index, () => this.tensors[index]);
    return this;
  }
  /** How many parameters there are. */
  override get length(): number {
    return this.tensors.length;
  }
  /** The parameter at an index, from the end below 0. */
  at(index: number): Tensor | undefined {
    return this.tensors.at(index);
  }
  [Symbol.iterator](): IterableIterator<Tensor> {
    return this.tensors.values();
  }
  /** Throws TensorError. */
  forward(): never {
    throw new TensorError("FORWARD", "A ParameterList computes nothing itself: use the tensors in it.");
  }
  protected override get contents(): string {
    return "tensors";
  }
}

/**
 * Parameters by name, whose tensors want gradients from then on: `this.scales.get("left")`.
 * @example
 * const scales = new nn.ParameterDict({ left: ones([2]), right: zeros([2]) });
 * scales.get("left").requiresGrad; // → true
 */
export class ParameterDict extends Module {
  /** The tensors by name. */
  readonly tensors = new Map<string, Tensor>();

  /** Throws TensorError for what is no tensor, or was computed from others. */
  constructor(tensors: Readonly<Record<string, Tensor>> | Iterable<readonly [string, Tensor]> = {}) {
    super();
    const entries =
      Symbol.iterator in tensors ? (tensors as Iterable<readonly [string, Tensor]>) : Object.entries(tensors);
    for (const [name, each] of entries) this.set(name, each);
  }

  /** Adds a parameter, or replaces one. Throws TensorError. */
  set(name: string, tensor: Tensor): this {
    const found = parameterOf("ParameterDict", name, tensor);
    if (name === "" || name.includes("."))
      throw new TensorError("OPERANDS", `ParameterDict takes names without dots but got ${worded(name)}.`);
    this.tensors.set(name, found);
    return this;
  }
  /** The parameter with that name. Throws TensorError where there is none. */
  get(name: string): Tensor {
    const found = this.tensors.get(name);
    if (found === undefined)
      throw new TensorError(
        "OPERANDS",
        `This ParameterDict has no parameter ${worded(name)}, but ${[...this.tensors.keys()].join(", ") || "none at all"}.`,
      );
    return found;
  }
  /** Whether there is a parameter of that name. */
  has(name: string): boolean {
    return this.tensors.has(name);
  }
  [Symbol.iterator](): IterableIterator<[string, Tensor]> {
    return this.tensors.entries();
  }
  /** Throws TensorError. */
  forward(): never {
    throw new TensorError("FORWARD", "A ParameterDict computes nothing itself: use the tensors in it.");
  }
  protected override get contents(): string {
    return "tensors";
  }
}
