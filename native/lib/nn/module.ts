// A model as an object: its parameters are the tensors in its properties, and in those of the modules there. What has parameters, or behaves differently in training, is a module.
import { deviceNamed } from "../device/choice.ts";
import { factsOf, isDType, type DType } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { TensorError } from "../errors.ts";
import { noGrad } from "../autograd/gradients.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";

/** Where and as what parameters are made: the default device, and "float32". */
export interface ParameterOptions {
  readonly device?: string;
  readonly dtype?: "float32" | "float64" | "float16" | "bfloat16";
}

/** A module, or a function where one could be: `relu`, or (x) => x.square(). */
export type Layer = Module | ((x: Tensor) => Tensor);

/** What a module's properties hold of interest. */
type Member = Tensor | Module;
const isMember = (value: unknown): value is Member => value instanceof Tensor || value instanceof Module;

/** Parameters that were frozen: other tensors that want no gradient never were parameters. */
const frozen = new WeakSet<Tensor>();

/**
 * A part of a model. A subclass makes its parameters and layers in properties, and computes in `forward`:
 * ```ts
 * class Net extends nn.Module {
 *   hidden = new nn.Linear(2, 64);
 *   out = new nn.Linear(64, 3);
 *   forward(x: Tensor) { return this.out.forward(this.hidden.forward(x).relu()); }
 * }
 * ```
 * Tensors that want a gradient are its parameters; other tensors belong to its state without being trained. Arrays of either are looked into, `#private` properties are not.
 */
export abstract class Module {
  /** Whether it is being trained: see {@link train} and {@link eval}. */
  training = true;

  /** Computes. A subclass says of what, and what comes of it. */
  abstract forward(...inputs: any[]): any;

  *#members(): Generator<[name: string, member: Member]> {
    for (const [name, value] of Object.entries(this)) {
      if (isMember(value)) yield [name, value];
      else if (Array.isArray(value))
        for (const [index, each] of value.entries()) if (isMember(each)) yield [`${name}.${index}`, each];
    }
  }

  /** It and all modules within it, each once, with their names: "" for itself, "hidden", "layers.0". */
  *namedModules(prefix = "", seen = new Set<Module>()): Generator<[name: string, module: Module]> {
    if (seen.has(this)) return;
    seen.add(this);
    yield [prefix, this];
    for (const [name, member] of this.#members())
      if (member instanceof Module) yield* member.namedModules(prefix === "" ? name : `${prefix}.${name}`, seen);
  }

  *#tensors(): Generator<[name: string, tensor: Tensor, holder: Module, key: string]> {
    const seen = new Set<Tensor>();
    for (const [prefix, module] of this.namedModules())
      for (const [name, member] of module.#members()) {
        if (!(member instanceof Tensor) || seen.has(member)) continue;
        seen.add(member);
        yield [prefix === "" ? name : `${prefix}.${name}`, member, module, name];
      }
  }

  /** All parameters, each once, with their names: "hidden.weight". */
  *namedParameters(): Generator<[name: string, parameter: Tensor]> {
    for (const [name, tensor] of this.#tensors()) if (tensor.requiresGrad) yield [name, tensor];
  }

  /** All parameters, each once: for an optimiser. */
  parameters(): Tensor[] {
    return [...this.namedParameters()].map(([, parameter]) => parameter);
  }

  /** Has it and all modules within it behave as in training, or not. Returns it. */
  train(training = true): this {
    for (const [, module] of this.namedModules()) module.training = training;
    return this;
  }
  /** Has it and all modules within it behave as in use: nothing is dropped. Returns it. */
  eval(): this {
    return this.train(false);
  }

  /** Freezes its parameters, which want no gradients then, or with `true` thaws those that were frozen so. Returns it. */
  requiresGrad(wanted = true): this {
    for (const [, tensor] of this.#tensors()) {
      if (wanted ? !frozen.delete(tensor) : !tensor.requiresGrad) continue;
      if (!wanted) frozen.add(tensor);
      tensor.requiresGrad = wanted;
    }
    return this;
  }

  /** Forgets the gradients of all parameters. */
  zeroGrad(): void {
    for (const parameter of this.parameters()) parameter.grad = null;
  }

  /**
   * Moves its tensors to a device ("cuda", "cpu"), or has its floats be of another dtype ("bfloat16"). They are other tensors then: make the optimiser afterwards. Returns it.
   * Throws TensorError.
   */
  to(target: string): this {
    if (!isDType(target)) deviceNamed(target);
    else if (factsOf(target).kind !== "float" || factsOf(target).isStorage)
      throw new TensorError("DTYPE", `A module computes in floats: its parameters cannot be ${target}.`);
    const moved = new Map<Tensor, Tensor>();
    for (const [, tensor] of this.#tensors()) {
      if (isDType(target) && factsOf(tensor.dtype).kind !== "float") continue;
      const wants = tensor.requiresGrad;
      const next = noGrad(() => tensor.to(target as DType)) as Tensor;
      next.requiresGrad = wants;
      if (frozen.has(tensor)) frozen.add(next);
      moved.set(tensor, next);
    }
    for (const [, module] of this.namedModules())
      for (const [name, member] of module.#members()) {
        const next = member instanceof Tensor ? moved.get(member) : undefined;
        if (next !== undefined) module.#replace(name, next);
      }
    return this;
  }

  #replace(name: string, tensor: Tensor): void {
    const [property, index] = name.split(".") as [string, string | undefined];
    const own = this as unknown as Record<string, unknown>;
    if (index === undefined) own[property] = tensor;
    else (own[property] as unknown[])[Number(index)] = tensor;
  }

  /** All its tensors by name, for `io.save("model.safetensors", model.stateDict())`. They are the module's own, without gradients. */
  stateDict(): Record<string, Tensor> {
    return Object.fromEntries([...this.#tensors()].map(([name, tensor]) => [name, tensor.detach()]));
  }

  /**
   * Copies tensors over its own by name, converted to their dtype and device: `model.loadStateDict(await io.load("model.safetensors"))`. Names that only one side has are an
   * error, unless `strict` is false; nothing is changed then. Throws TensorError.
   */
  loadStateDict(state: Readonly<Record<string, Tensor>>, { strict = true }: { readonly strict?: boolean } = {}): void {
    if (state instanceof Tensor || typeof state !== "object" || state === null)
      throw new TensorError(
        "STATE",
        `loadStateDict takes tensors by name, as stateDict gives them, but got ${worded(state)}.`,
      );
    const own = new Map([...this.#tensors()].map(([name, tensor]) => [name, tensor]));
    const lacking = [...own.keys()].filter((name) => !Object.hasOwn(state, name)),
      unknown = Object.keys(state).filter((name) => !own.has(name));
    const some = (names: readonly string[]) =>
      `${names.slice(0, 3).join(", ")}${names.length > 3 ? ` and ${names.length - 3} more` : ""}`;
    if (strict && lacking.length + unknown.length > 0) {
      throw new TensorError(
        "STATE",
        `The state does not fit this ${this.constructor.name}: ${[lacking.length > 0 ? `it has no ${some(lacking)}` : "", unknown.length > 0 ? `the module has no ${some(unknown)}` : ""].filter(Boolean).join("; ")}. Pass { strict: false } to load what fits.`,
      );
    }
    for (const [name, tensor] of own) {
      const given = state[name];
      if (given !== undefined && given.shape.join() !== tensor.shape.join())
        throw new TensorError(
          "STATE",
          `${name} has shape ${formatShape(given.shape)} in the state but ${formatShape(tensor.shape)} in the module.`,
        );
    }
    noGrad(() => {
      for (const [name, tensor] of own) if (state[name] !== undefined) tensor.copy_(state[name].to(tensor.device));
    });
  }

  /** What it is beside its parts: "2 → 64". */
  describe(): string {
    return "";
  }

  #lines(): string[] {
    const inner = [...this.#children()].flatMap(([name, child]) => {
      const [first, ...rest] =
        child instanceof Module ? child.#lines() : [typeof child === "function" ? child.name || "a function" : ""];
      return [`  ${name}: ${first!}`, ...rest.map((line) => `  ${line}`)];
    });
    const own = `${this.constructor.name}(${this.describe()}`;
    return inner.length === 0 ? [`${own})`] : [own, ...inner, ")"];
  }

  /** What its text shows within it: modules, and functions in their place. */
  *#children(): Generator<[name: string, child: Layer]> {
    for (const [name, value] of Object.entries(this)) {
      if (value instanceof Module) yield [name, value];
      else if (Array.isArray(value))
        for (const [index, each] of value.entries())
          if (each instanceof Module || typeof each === "function")
            yield [this.#isOnly(value) ? String(index) : `${name}.${index}`, each as Layer];
    }
  }
  #isOnly(list: unknown): boolean {
    return Object.values(this)
      .filter((value) => value instanceof Module || Array.isArray(value))
      .every((value) => value === list);
  }

  toString(): string {
    const parameters = this.parameters();
    const count = parameters.reduce((sum, { size }) => sum + size, 0);
    const kinds = [...new Set(parameters.map(({ dtype, device }) => `${dtype}, ${device}`))];
    return `${this.#lines().join("\n")}  ${count.toLocaleString("en-US")} parameters${kinds.length === 0 ? "" : `, ${kinds.join(" and ")}`}`;
  }
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }
}
