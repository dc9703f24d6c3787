// A model as an object: its parameters are the tensors in its properties, and in those of the modules there. What has
// parameters, or behaves differently in training, is a module.
import { deviceNamed } from "../device/choice.ts";
import { factsOf, isDType, type DType } from "../memory/dtype.ts";
import { keepBeyondScopes, type DeviceArray } from "../memory/array.ts";
import { formatShape } from "../memory/shape.ts";
import { TensorError } from "../errors.ts";
import { noGrad } from "../autograd/gradients.ts";
import { frozen } from "../autograd/tape.ts";
import { watchOperands } from "../ops/core/hooks.ts";
import { oneOf, reader } from "../tensor/arguments.ts";
import type { MemoryFormat } from "../tensor/shaping.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { Callable } from "./callable.ts";
import { membersIn } from "./members.ts";
import { Summary, tableOf } from "./summary.ts";

/** Where and as what parameters are made: the default device, and "float32". */
export interface ParameterOptions {
  readonly device?: string;
  readonly dtype?: "float32" | "float64" | "float16" | "bfloat16";
}

/** A module, which is called like a function, or a function in its place: `relu`, or (x) => x.square(). */
export type Layer = (x: Tensor) => Tensor;

/** Called before forward: what it returns, a list, takes the place of the inputs. */
export type ForwardPreHook<M = Module> = (module: M, inputs: readonly unknown[]) => readonly unknown[] | void;
/** Called after forward: what it returns takes the place of the output. */
export type ForwardHook<M = Module> = (module: M, inputs: readonly unknown[], output: unknown) => unknown;

const isMember = (value: unknown): value is Tensor | Module => value instanceof Tensor || value instanceof Module;

/** A module, or a tensor of one, with its name, and the one that it had when names went through `layers`. */
interface Found<T> {
  readonly name: string;
  readonly formerName: string;
  readonly value: T;
}

const checkFormat = reader("to", { options: { memoryFormat: oneOf("contiguous", "channelsLast") } });

export interface Module {
  /** {@link Module.forward}: `net(x)`. */
  (...inputs: Parameters<this["forward"]>): ReturnType<this["forward"]>;
}

/**
 * A part of a model. A subclass makes its parameters and layers in properties, and computes in `forward`:
 * ```ts
 * class Net extends nn.Module {
 *   hidden = new nn.Linear(2, 64);
 *   out = new nn.Linear(64, 3);
 *   forward(x: Tensor) {
 *     return this.out(this.hidden(x).relu());
 *   }
 * }
 * ```
 * Tensors that want a gradient are its parameters; other tensors belong to its state without being trained. Arrays,
 * maps and plain objects of either are looked into. `#private` properties cannot be: the first `forward` that computes
 * with a parameter in one throws. Use TypeScript's `private` there.
 * @example
 * class Net extends nn.Module {
 *   hidden = new nn.Linear(2, 64);
 *   out = new nn.Linear(64, 3);
 *   forward(x: Tensor) {
 *     return this.out(this.hidden(x).relu());
 *   }
 * }
 * new Net()(ones([5, 2])).shape; // → [ 5, 3 ]
 */
export abstract class Module extends Callable {
  /** Whether it is being trained: see {@link train} and {@link eval}. */
  training = true;
  readonly #before = new Set<ForwardPreHook>();
  readonly #after = new Set<ForwardHook>();
  #isChecked = false;

  constructor() {
    super();
    keepBeyondScopes(this);
    const { forward } = new.target.prototype as Partial<Module>;
    const value = (...inputs: unknown[]): unknown => {
      if (forward === undefined)
        throw new TensorError(
          "FORWARD",
          `${new.target.name} has no forward: write forward(x) { … } in the class, which computes its output.`,
        );
      return this.#run(forward, inputs);
    };
    Object.defineProperty(this, "forward", { value, writable: true, configurable: true });
  }

  /** Computes the module's output. A subclass declares the types of inputs and output. */
  abstract override forward(...inputs: any[]): any;

  #run(forward: (...inputs: unknown[]) => unknown, inputs: readonly unknown[]): unknown {
    // What forward makes for later is the module's, too.
    keepBeyondScopes(this);
    let given = inputs;
    for (const hook of this.#before) given = hook(this, given) ?? given;
    let output = this.#isChecked ? forward.apply(this, [...given]) : this.#checked(forward, given);
    for (const hook of this.#after) output = hook(this, given, output) ?? output;
    return output;
  }

  /** The first time, of a class with `#private` properties: all parameters that take part are its own. */
  #checked(forward: (...inputs: unknown[]) => unknown, inputs: readonly unknown[]): unknown {
    if (!hasPrivateProperties(this.constructor)) {
      this.#isChecked = true;
      return forward.apply(this, [...inputs]);
    }
    const used = new Set<Tensor>();
    const noteLeaf = (operand: DeviceArray) => {
      if (operand instanceof Tensor && operand.isLeaf && operand.requiresGrad) used.add(operand);
    };
    const output = watchOperands(noteLeaf, () => forward.apply(this, [...inputs]));
    for (const own of this.parameters()) used.delete(own);
    for (const [, given] of membersIn("", inputs, isMember))
      for (const each of given instanceof Module ? given.parameters() : [given as Tensor]) used.delete(each);
    const [hidden] = used;
    if (hidden !== undefined)
      throw new TensorError(
        "PRIVATE",
        `${this.constructor.name} computes with a tensor of shape ${formatShape(hidden.shape)} that requires a gradient but is not one of its parameters: what #private properties hold is neither trained nor saved. Write private instead of #.`,
      );
    this.#isChecked = true;
    return output;
  }

  /**
   * Calls `hook` with the module and its inputs before every forward; a list that it returns takes their place. Returns
   * a function that removes the hook.
   */
  registerForwardPreHook(hook: ForwardPreHook<this>): () => void {
    return this.#hooked(this.#before, hook as ForwardPreHook);
  }

  /**
   * Calls `hook` with the module, its inputs and its output after every forward; what it returns takes the output's
   * place. Returns a function that removes the hook.
   */
  registerForwardHook(hook: ForwardHook<this>): () => void {
    return this.#hooked(this.#after, hook as ForwardHook);
  }

  #hooked<H>(hooks: Set<H>, hook: H): () => void {
    if (typeof hook !== "function")
      throw new TensorError("OPERANDS", `A hook must be a function, but got ${worded(hook)}.`);
    if (Object.prototype.propertyIsEnumerable.call(this, "forward"))
      throw new TensorError(
        "FORWARD",
        `The forward of this ${this.constructor.name} is a property, which no hook sees: write it as a method, forward(x) { … }.`,
      );
    hooks.add(hook);
    return () => {
      hooks.delete(hook);
    };
  }

  /** The property whose contents are named without it: "0.weight", not "layers.0.weight". */
  protected get contents(): string | null {
    return null;
  }

  /** What its own tensors are called in a state, by property, where that is not the property's name. */
  protected get stateNames(): Readonly<Record<string, string>> {
    return {};
  }

  *#members(): Generator<Found<Tensor | Module>> {
    for (const [property, value] of Object.entries(this))
      for (const [name, member] of membersIn(property, value, isMember))
        yield { name: this.#shortened(name), formerName: name, value: member as Tensor | Module };
  }

  #shortened(name: string): string {
    const { contents, stateNames } = this;
    if (Object.hasOwn(stateNames, name)) return stateNames[name]!;
    return contents !== null && name.startsWith(`${contents}.`) ? name.slice(contents.length + 1) : name;
  }

  *#tree(name = "", formerName = "", seen = new Set<Module>()): Generator<Found<Module>> {
    if (seen.has(this)) return;
    seen.add(this);
    yield { name, formerName, value: this };
    for (const member of this.#members())
      if (member.value instanceof Module)
        yield* member.value.#tree(joined(name, member.name), joined(formerName, member.formerName), seen);
  }

  *#tensors(): Generator<Found<Tensor>> {
    const seen = new Set<Tensor>();
    for (const module of this.#tree())
      for (const member of module.value.#members()) {
        if (!(member.value instanceof Tensor) || seen.has(member.value)) continue;
        seen.add(member.value);
        yield {
          name: joined(module.name, member.name),
          formerName: joined(module.formerName, member.formerName),
          value: member.value,
        };
      }
  }

  /** It and all modules within it, each once, with their names: "" for itself, "hidden", "blocks.0". */
  *namedModules(): Generator<[name: string, module: Module]> {
    for (const { name, value } of this.#tree()) yield [name, value];
  }

  /** All parameters, each once, with their names: "hidden.weight". */
  *namedParameters(): Generator<[name: string, parameter: Tensor]> {
    for (const { name, value } of this.#tensors()) if (value.requiresGrad) yield [name, value];
  }

  /** All parameters, each once: for an optimiser. */
  parameters(): Tensor[] {
    return [...this.namedParameters()].map(([, parameter]) => parameter);
  }

  /** Puts it and all modules within it into training mode, or out of it. Returns it. */
  train(training = true): this {
    for (const [, module] of this.namedModules()) module.training = training;
    return this;
  }
  /** Puts it and all modules within it into evaluation mode: nothing is dropped. Returns it. */
  eval(): this {
    return this.train(false);
  }

  /**
   * Freezes its parameters, which then get no gradients, or with `true` thaws those that were frozen, this way or one by
   * one. Returns it.
   */
  requiresGrad(wanted = true): this {
    for (const { value: tensor } of this.#tensors()) {
      if (wanted ? frozen.has(tensor) : tensor.requiresGrad) tensor.requiresGrad = wanted;
    }
    return this;
  }

  /** Forgets the gradients of all parameters. */
  zeroGrad(): void {
    for (const parameter of this.parameters()) parameter.grad = null;
  }

  /**
   * Moves its tensors and their gradients to a device ("cuda", "cpu"), has its floats be of another dtype ("bfloat16"),
   * or turns those with four axes, the filters of convolutions, into another memory format ("channelsLast"; images have
   * to lie so, too). They stay the tensors that they were, so that optimisers keep working with them. Returns it.
   * Throws TensorError.
   * @example
   * const layer = new nn.Conv2d(2, 4, 3).to({ memoryFormat: "channelsLast" });
   * layer.weight.strides; // → [ 18, 1, 6, 2 ]
   */
  to(target: string | { readonly memoryFormat: MemoryFormat }): this {
    const isFormat = typeof target === "object" && target !== null;
    if (isFormat) checkFormat([target]);
    else if (!isDType(target)) deviceNamed(target);
    else if (factsOf(target).kind !== "float" || factsOf(target).isStorage)
      throw new TensorError("DTYPE", `A module computes in floats: its parameters cannot be ${target}.`);
    const concerns = ({ dtype, shape }: Tensor) =>
      isFormat ? shape.length === 4 : !isDType(target) || factsOf(dtype).kind === "float";
    const changed = (tensor: Tensor): Tensor => tensor.to(target as DType);
    noGrad(() => {
      for (const { value: tensor } of this.#tensors()) {
        if (!concerns(tensor)) continue;
        const { grad } = tensor;
        tensor.become(changed(tensor));
        if (grad !== null) tensor.grad = changed(grad);
      }
    });
    return this;
  }

  /**
   * All its tensors by name, for `io.save("model.safetensors", model.stateDict())`. They are the module's own, without
   * gradients.
   */
  stateDict(): Record<string, Tensor> {
    return Object.fromEntries([...this.#tensors()].map(({ name, value }) => [name, value.detach()]));
  }

  /**
   * Copies tensors over its own by name, converted to their dtype and device: `model.loadStateDict(await
   * io.load("model.safetensors"))`. Names that only one side has are an error, unless `strict` is false; nothing is
   * changed then. Of a Sequential "layers.0.weight" is read as "0.weight". Throws TensorError.
   */
  loadStateDict(given: Readonly<Record<string, Tensor>>, { strict = true }: { readonly strict?: boolean } = {}): void {
    if (given instanceof Tensor || given instanceof Promise || typeof given !== "object" || given === null)
      throw new TensorError(
        "STATE",
        `loadStateDict takes tensors by name, as stateDict gives them, but got ${worded(given)}.${given instanceof Promise ? " Write await before it." : ""}`,
      );
    const tensors = [...this.#tensors()];
    const own = new Map(tensors.map(({ name, value }) => [name, value]));
    const names = new Map(tensors.map(({ name, formerName }) => [formerName, name]));
    const state: Record<string, Tensor> = Object.fromEntries(
      Object.entries(given).map(([name, tensor]) => [own.has(name) ? name : (names.get(name) ?? name), tensor]),
    );
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
      const loaded = state[name];
      if (loaded !== undefined && loaded.shape.join() !== tensor.shape.join())
        throw new TensorError(
          "STATE",
          `${name} has shape ${formatShape(loaded.shape)} in the state but ${formatShape(tensor.shape)} in the module.`,
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
  *#children(): Generator<readonly [name: string, child: Layer]> {
    const counts = (value: unknown) => isMember(value) || typeof value === "function";
    for (const [property, value] of Object.entries(this)) {
      if (typeof value === "function" && !(value instanceof Module)) continue;
      for (const [name, child] of membersIn(property, value, counts))
        if (!(child instanceof Tensor)) yield [this.#shortened(name), child as Layer];
    }
  }

  /**
   * A table of its layers: name, what it is, and the number of parameters that are its own. Of a parameter that several
   * layers share the first has it. Throws TensorError for arguments: it takes none.
   */
  summary(...surplus: never[]): Summary {
    if (surplus.length > 0)
      throw new TensorError("ARGUMENTS", "summary takes nothing: it tells layers and parameters, whatever the input.");
    const counts = new Map<string, number>();
    for (const { name, value } of this.#tensors())
      if (value.requiresGrad) {
        const owner = [...this.#tree()]
          .map((each) => each.name)
          .filter((each) => isWithin(name, each))
          .at(-1)!;
        counts.set(owner, (counts.get(owner) ?? 0) + value.size);
      }
    const rows = [...this.#tree()].map(({ name, value }) => [
      name,
      `${value.constructor.name}(${value.describe()})`,
      (counts.get(name) ?? 0).toLocaleString("en-US"),
    ]);
    return new Summary(`${tableOf(["name", "layer", "parameters"], rows)}\n${this.#total()}`);
  }

  override toString(): string {
    return `${this.#lines().join("\n")}  ${this.#total()}`;
  }

  #total(): string {
    const parameters = this.parameters();
    const count = parameters.reduce((sum, { size }) => sum + size, 0);
    const kinds = [...new Set(parameters.map(({ dtype, device }) => `${dtype}, ${device}`))];
    return `${count.toLocaleString("en-US")} parameters${kinds.length === 0 ? "" : `, ${kinds.join(" and ")}`}`;
  }
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }
}

const joined = (prefix: string, name: string): string => (prefix === "" ? name : `${prefix}.${name}`);
const isWithin = (name: string, module: string): boolean => module === "" || name.startsWith(`${module}.`);

/** Whether a class, or one that it extends, has properties that only its own code sees. */
function hasPrivateProperties(made: unknown): boolean {
  for (let each = made; typeof each === "function" && each !== Module; each = Object.getPrototypeOf(each))
    if (/#[\p{ID_Start}$_]/u.test(Function.prototype.toString.call(each))) return true;
  return false;
}
