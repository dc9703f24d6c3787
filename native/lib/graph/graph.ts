// graph(fn): what fn has a device do, recorded once and run again by one command.
import { withoutWaiting } from "../autograd/scopes.ts";
import { tidy } from "../autograd/tidy.ts";
import { noGrad } from "../autograd/gradients.ts";
import { Capture, captures } from "../device/capture.ts";
import { deviceNamed } from "../device/choice.ts";
import { DeviceGraph } from "../device/device-graph.ts";
import { Elsewhere } from "../device/elsewhere.ts";
import { Execution } from "../device/execution.ts";
import { DeviceProcess } from "../device/process.ts";
import { TensorError } from "../errors.ts";
import { keepBeyondScopes } from "../memory/array.ts";
import { formatShape } from "../memory/shape.ts";
import { freeAfter } from "../memory/transfer.ts";
import { device as deviceName, optionsOf } from "../tensor/arguments.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { writeCopy } from "../wire/copy.ts";
import { nodesOf } from "./nodes.ts";
import { eachLeaf, mapLeaves, parameterNames, type Leaf } from "./leaves.ts";

/** `device`: where the function computes; that of the first input, or else the default device, where it is left out. */
export interface GraphOptions {
  readonly device?: string;
}

/** A function whose work on a device is recorded once and run again by one command: see {@link graph}. */
export interface Graph<A extends readonly unknown[], R> extends Disposable {
  (...args: A): R;
  /** Frees the memory of the graph. The next call is a first one again. */
  dispose(): void;
  /** The nodes of the graph, one a line. */
  toString(): string;
}

const kinds = { device: deviceName };

/** What has been recorded. */
interface Recorded {
  readonly inputs: readonly Leaf[];
  /** What the function returned, with tensors of the graph. */
  readonly result: unknown;
  readonly capture: Capture;
  readonly runs: DeviceGraph;
}

class GraphOf {
  readonly #fn: (...args: never[]) => unknown;
  readonly #name: string;
  readonly #device: string | undefined;
  readonly #names: readonly string[];
  #hasRun = false;
  #recorded: Recorded | null = null;

  constructor(fn: (...args: never[]) => unknown, { device }: GraphOptions) {
    this.#fn = fn;
    this.#device = device;
    this.#name = fn.name === "" ? "a function" : fn.name;
    this.#names = parameterNames(fn);
  }

  call(args: readonly unknown[]): unknown {
    const run = (given: readonly unknown[]) => this.#fn(...(given as never[]));
    // A part of another graph.
    if (captures.current !== null) return run(args);
    const inputs = this.#leavesOf(args);
    for (const { name, value } of inputs)
      if (value instanceof Tensor && value.requiresGrad)
        throw new TensorError(
          "OPERANDS",
          `Input ${name} of the ${this.#title} requires a gradient, which would be that of a copy: give it detached, and use parameters from outside of the function.`,
        );
    if (!this.#hasRun) {
      const result = this.#checked(() => tidy(() => run(args)));
      this.#hasRun = true;
      return mapLeaves(result, (each) => (each instanceof Tensor ? each.detach() : each));
    }
    const device = this.#recorded?.capture.device ?? this.#deviceOf(inputs);
    const outer = device.execution;
    if (outer === device.direct) return this.#runOn(device, args, inputs);
    // Its runs are on stream 0, in order with the one that is current.
    device.direct.waitFor(outer);
    const result = device.divert(device.direct, 0, () => this.#runOn(device, args, inputs));
    outer.waitFor(device.direct);
    return result;
  }

  #runOn(device: DeviceProcess, args: readonly unknown[], inputs: readonly Leaf[]): unknown {
    if (this.#recorded === null) this.#recorded = this.#record(device, args);
    else this.#renew(this.#recorded, inputs);
    return this.#run(this.#recorded);
  }

  #deviceOf(inputs: readonly Leaf[]): DeviceProcess {
    const first = inputs.find(({ value }) => value instanceof Tensor)?.value as Tensor | undefined;
    return this.#device === undefined && first !== undefined ? first.deviceProcess : deviceNamed(this.#device);
  }

  get #title(): string {
    return `graph of ${this.#name}`;
  }

  #leavesOf(args: readonly unknown[]): Leaf[] {
    return args.flatMap((value, index) => eachLeaf(value, this.#names[index] ?? `number ${index}`));
  }

  #checked<T>(run: () => T): T {
    return withoutWaiting("graph", "what comes after an await would not be recorded", this.#fn as () => T, run);
  }

  #record(device: DeviceProcess, args: readonly unknown[]): Recorded {
    const copies = noGrad(() =>
      mapLeaves(args, (each) => {
        if (!(each instanceof Tensor)) return each;
        const copy = each.deviceProcess === device ? each.clone() : each.to(device.name);
        keepBeyondScopes(copy);
        return copy;
      }),
    ) as readonly unknown[];
    const capture = new Capture(device);
    try {
      const result = recordingOn(device, capture, () =>
        this.#checked(() => tidy(() => mapLeaves(this.#fn(...(copies as never[])), contiguous))),
      );
      eachLeaf(result, "").forEach(({ value }) => value instanceof Tensor && keepBeyondScopes(value));
      capture.finish();
      const inputs = this.#leavesOf(copies);
      return { inputs, result, capture, runs: new DeviceGraph(this.#name, capture, freeAfter) };
    } catch (error) {
      capture.close(0, freeAfter);
      throw error;
    }
  }

  /** Copies the inputs into those that were recorded. Throws TensorError for others. */
  #renew({ inputs }: Recorded, given: readonly Leaf[]): void {
    if (given.length !== inputs.length)
      throw new TensorError(
        "OPERANDS",
        `The ${this.#title} was recorded with ${inputs.length} inputs but got ${given.length}: call it with the same ones, or record another with graph().`,
      );
    inputs.forEach(({ name, value: recorded }, index) => {
      const leaf = given[index]!;
      if (leaf.name !== name)
        throw new TensorError(
          "OPERANDS",
          `Input ${name} of the ${this.#title} is missing: it got ${leaf.name} instead.`,
        );
      if (recorded instanceof Tensor) this.#checkLike(name, recorded, leaf.value);
      else if (!Object.is(recorded, leaf.value))
        throw new TensorError(
          "OPERANDS",
          `Input ${name} of the ${this.#title} was ${worded(recorded)} when it was recorded and is ${worded(leaf.value)} now: give a tensor, whose numbers may change.`,
        );
    });
    if (inputs.length === 0) return;
    noGrad(() =>
      inputs.forEach(({ value }, index) => {
        if (value instanceof Tensor) copyInto(value, given[index]!.value as Tensor);
      }),
    );
  }

  #checkLike(name: string, recorded: Tensor, value: unknown): void {
    const is = value instanceof Tensor ? `${value.dtype}${formatShape(value.shape)}` : worded(value);
    const was = `${recorded.dtype}${formatShape(recorded.shape)}`;
    if (is !== was)
      throw new TensorError(
        "SHAPE",
        `Input ${name} of the ${this.#title} was ${was} when it was recorded but is ${is} now: give what has the same shape and dtype, or record another with graph().`,
      );
    (value as Tensor).checkLiving(`the ${this.#title}`);
  }

  #run({ result, runs, capture: { device } }: Recorded): unknown {
    runs.launch();
    return mapLeaves(result, (each) => {
      if (!(each instanceof Tensor)) return each;
      const copy = Tensor.empty(device, each.dtype, each.shape);
      if (each.bytes > 0)
        copy.living().written(writeCopy(device.direct, copy.place, each.place, each.bytes), each.bytes);
      return copy;
    });
  }

  dispose(): void {
    const recorded = this.#recorded;
    this.#recorded = null;
    this.#hasRun = false;
    if (recorded === null) return;
    for (const { value } of [...recorded.inputs, ...eachLeaf(recorded.result, "")])
      if (value instanceof Tensor) value.dispose();
    recorded.runs.dispose();
  }

  toString(): string {
    if (this.#recorded === null) return `${this.#title}: recorded by its ${this.#hasRun ? "next" : "second"} call`;
    const nodes = nodesOf(this.#recorded.capture.records);
    return [`${this.#title} on ${this.#recorded.capture.device.name}: ${nodes.length} nodes`, ...nodes].join("\n  ");
  }
}

/** In row-major order, as what is copied out must lie. */
function contiguous(value: unknown): unknown {
  if (!(value instanceof Tensor)) return value;
  const { isContiguous } = value;
  return noGrad(() => (isContiguous ? value.detach() : value.clone()));
}

function copyInto(target: Tensor, source: Tensor): void {
  if (source.deviceProcess === target.deviceProcess) {
    target.copy_(source);
    return;
  }
  using moved = source.to(target.device);
  target.copy_(moved);
}

/** Runs `fn`, whose work on the device is recorded, and which has none on others. */
function recordingOn<R>(device: DeviceProcess, capture: Capture, fn: () => R): R {
  const recorded = () =>
    device.divert(new Execution(device, 0, capture), capture.pool, () => captures.run(capture, fn));
  return DeviceProcess.all()
    .filter((other) => other !== device)
    .reduce(
      (inner, other) => () => {
        const target = new Elsewhere(other.name, other.direct.target, device.name);
        return other.divert(new Execution(other, 0, target), 0, inner);
      },
      recorded,
    )();
}

/**
 * A function that does what `fn` does, whose work on a device costs one command, however many operations it has. The
 * first call runs `fn` as it is, so that what is made once is there (kernels, what an optimiser keeps); the second one
 * records its work and runs that; every further one runs it again, without calling `fn`. Inputs are tensors, or arrays
 * and objects of them: they are copied into those of the recording, and must have their shapes and dtypes. Numbers and
 * all else that `fn` reads are part of the recording. Tensors that it returns are new ones in each call, without
 * gradients.
 *
 * Tensors that `fn` uses from outside are read and written where they lie: a whole training step may be recorded,
 * `zeroGrad` and `backward` and `optimizer.step()` with it. Optimisers count their steps and take the learning rate
 * that they have at each call; random numbers go on as without a graph. Memory of what `fn` makes is the graph's until
 * {@link Graph.dispose}, or until the graph is collected; gradients that it leaves are written anew by each call.
 * Reading an element within `fn` (`item()`, `data()`), awaiting, and computing on a second device throw TensorError, as
 * does an input of another shape. An index that is outside is reported by the next wait.
 * @example
 * const w = tensor([1, 2]);
 * w.requiresGrad = true;
 * const optimizer = new optim.SGD([w], { lr: 0.5 });
 * const step = graph((x: Tensor) => {
 *   optimizer.zeroGrad();
 *   const loss = x.mul(w).sum();
 *   loss.backward();
 *   optimizer.step();
 *   return loss;
 * });
 * for (let i = 0; i < 4; i++) step(tensor([1, i]));
 * w; // → tensor([-1, -1], shape [2], float32, cpu)
 */
export function graph<A extends readonly unknown[], R>(fn: (...args: A) => R, options: GraphOptions = {}): Graph<A, R> {
  if (typeof fn !== "function")
    throw new TensorError("OPERANDS", `graph takes a function, graph((x) => x.mul(2).sum()), but got ${worded(fn)}.`);
  const own = new GraphOf(fn, optionsOf("graph", kinds, options) as GraphOptions);
  const call = (...args: A): R => own.call(args) as R;
  const toString = () => own.toString();
  return Object.assign(call, {
    dispose: () => own.dispose(),
    [Symbol.dispose]: () => own.dispose(),
    toString,
    [Symbol.for("nodejs.util.inspect.custom")]: toString,
  });
}
