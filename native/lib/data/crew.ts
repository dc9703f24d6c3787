// The workers of a loader: gives them samples, and copies the batches that they lay into pinned memory to the device,
// on a stream of its own.
import { Worker } from "node:worker_threads";
import { deviceNamed } from "../device/choice.ts";
import { copyStreamOf } from "../device/copy-stream.ts";
import { Event } from "../device/event.ts";
import { whenInterrupted } from "../device/interrupts.ts";
import type { DeviceProcess } from "../device/process.ts";
import { TensorError } from "../errors.ts";
import { withStream } from "../graph/with-stream.ts";
import { freeAfter, uploadFrom } from "../memory/transfer.ts";
import { Tensor } from "../tensor/tensor.ts";
import { binding } from "../wire/binding.ts";
import { textName } from "./transform.ts";
import type { Block, Failure, FromWorker, Placed, ToWorker, TransformPlace, WorkerStart } from "./worker-link.ts";

/** A batch whose copy to the device is under way. */
export class Delivered {
  readonly #batch: unknown;
  readonly #copied: Event | null;

  constructor(batch: unknown, copied: Event | null) {
    this.#batch = batch;
    this.#copied = copied;
  }

  /** For the stream that work is on: what it is given from now on comes after the copy. */
  received(): unknown {
    this.#copied?.wait();
    return this.#batch;
  }
}

/** A block with the copy that may still read it. */
interface Used {
  readonly block: Block;
  readonly sequence: number;
}
interface Task {
  readonly worker: Worker;
  block: Block | null;
  readonly resolve: (made: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A module that workers import first. */
let setUp: string | null = null;

/** Has all workers that start from here on import the module with this address before anything of the user's. */
export function setUpWorkers(url: string): void {
  setUp = url;
}

const stopped = () =>
  new TensorError("INTERRUPTED", "The workers of this DataLoader were stopped while they made a batch.");

export class Crew {
  readonly #device: DeviceProcess;
  readonly #workers: Worker[] = [];
  readonly #tasks = new Map<number, Task>();
  readonly #blocks: Used[] = [];
  readonly #forget = whenInterrupted(() => {
    if (this.#tasks.size > 0) this.stop();
  });
  #next = 0;
  /** Of the largest batch so far. */
  #bytes = 0;
  #isStopped = false;

  constructor(workers: number, transform: TransformPlace | null, device: string | undefined) {
    this.#device = deviceNamed(device);
    const workerData: WorkerStart = { transform, setUp };
    for (let index = 0; index < workers; index++) this.#workers.push(this.#started(workerData));
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** A {@link Delivered} batch of the samples; or, with `isOnlyTransformed`, a list of what became of them. */
  make(samples: readonly unknown[], rows: readonly number[], isOnlyTransformed: boolean): Promise<unknown> {
    const task = this.#next++;
    // In turns: a worker's batches are made in their order.
    const worker = this.#workers[task % this.#workers.length]!;
    const block = isOnlyTransformed || this.#bytes === 0 ? null : this.#taken(this.#bytes);
    return new Promise((resolve, reject) => {
      if (this.#tasks.size === 0) for (const each of this.#workers) each.ref();
      this.#tasks.set(task, { worker, block, resolve, reject });
      try {
        worker.postMessage({ use: "make", task, samples, rows, isOnlyTransformed, block } satisfies ToWorker);
      } catch (error) {
        this.#end(task);
        reject(
          new TensorError(
            "OPERANDS",
            `A sample cannot be sent to a worker: ${(error as Error).message} Workers take plain values, such as numbers, texts, typed arrays, and arrays and records of them.`,
            { cause: error },
          ),
        );
      }
    });
  }

  /** Ends the workers, whatever they are at. Whoever waits for a batch gets a TensorError. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#forget();
    const blocks = [...this.#blocks];
    for (const { block, reject } of this.#tasks.values()) {
      if (block !== null) blocks.push({ block, sequence: 0 });
      reject(stopped());
    }
    this.#tasks.clear();
    const { stream } = copyStreamOf(this.#device).execution;
    // They may write into their blocks until they have ended.
    void Promise.all(this.#workers.map((each) => each.terminate())).then(() => {
      for (const { block, sequence } of blocks) freeAfter(this.#device, block.place, block.bytes, sequence, stream);
    });
  }

  #started(workerData: WorkerStart): Worker {
    // Also from the sources: only what is built can be run.
    const worker = new Worker(new URL("../../dist/data/batch-worker.js", import.meta.url), {
      workerData,
      name: "warpcell data",
    });
    worker.unref();
    worker.on("message", (message: FromWorker) => this.#hear(message));
    worker.on("error", (error) => this.#lost(worker, error.message));
    worker.on("exit", () => this.#lost(worker, "it ended"));
    return worker;
  }

  #lost(worker: Worker, reason: string): void {
    for (const [number, task] of this.#tasks) {
      if (task.worker !== worker) continue;
      this.#end(number);
      task.reject(new TensorError("TRANSFORM", `A worker of this DataLoader was lost: ${reason}.`));
    }
    this.stop();
  }

  #hear(message: FromWorker): void {
    const task = this.#tasks.get(message.task);
    if (task === undefined) return;
    if (message.answer === "needs") {
      this.#bytes = Math.max(this.#bytes, message.bytes);
      if (task.block !== null) this.#blocks.push({ block: task.block, sequence: 0 });
      task.block = null;
      try {
        task.block = this.#taken(this.#bytes);
        task.worker.postMessage({ use: "write", task: message.task, block: task.block } satisfies ToWorker);
      } catch (error) {
        this.#end(message.task);
        task.reject(error);
      }
      return;
    }
    try {
      if (message.answer === "transformed") task.resolve(message.samples);
      else if (message.answer === "failed") task.reject(errorOf(message.failure));
      else task.resolve(this.#delivered(message.batch, message.placed, task));
    } catch (error) {
      task.reject(error);
    } finally {
      this.#end(message.task);
    }
  }

  #end(number: number): void {
    const { block } = this.#tasks.get(number)!;
    if (block !== null) this.#blocks.push({ block, sequence: 0 });
    this.#tasks.delete(number);
    if (this.#tasks.size === 0) for (const each of this.#workers) each.unref();
  }

  /** A block that no copy reads any more, or a new one. Throws OutOfMemory. */
  #taken(bytes: number): Block {
    const device = this.#device;
    const done = binding.completed(device.client, copyStreamOf(device).execution.stream);
    const found = this.#blocks.findIndex(({ block, sequence }) => block.bytes >= bytes && sequence <= done);
    if (found >= 0) return this.#blocks.splice(found, 1)[0]!.block;
    return { client: device.client, place: device.allocate(bytes, "host"), bytes };
  }

  #delivered(batch: unknown, placed: readonly Placed[], task: Task): Delivered {
    const { block } = task;
    if (block === null || placed.length === 0) return new Delivered(batch, null);
    const stream = copyStreamOf(this.#device);
    let sequence = 0;
    const tensors = withStream(stream, () =>
      placed.map(({ dtype, shape, offset }) => {
        const out = Tensor.empty(this.#device, dtype, [...shape]);
        if (out.size > 0) sequence = uploadFrom(block.place + offset, out.living());
        return out;
      }),
    );
    this.#blocks.push({ block, sequence });
    task.block = null;
    return new Delivered(withTensors(batch, tensors), new Event().record(stream));
  }
}

/** The batch with tensors where a worker said that one belongs. */
function withTensors(batch: unknown, tensors: readonly Tensor[]): unknown {
  if (Array.isArray(batch)) return batch.map((each) => withTensors(each, tensors));
  if (typeof batch !== "object" || batch === null) return batch;
  const { placed } = batch as { readonly placed?: unknown };
  // A record of samples has no numbers itself.
  if (typeof placed === "number") return tensors[placed];
  return Object.fromEntries(Object.entries(batch).map(([name, each]) => [name, withTensors(each, tensors)]));
}

function errorOf({ code, message, row, thrown }: Failure): TensorError {
  if (row === null) return new TensorError(code === "" ? "TRANSFORM" : code, message, { cause: thrown });
  const unknown = code === "ReferenceError" ? /^(\S+) is not defined$/.exec(message)?.[1] : undefined;
  if (unknown !== undefined)
    return new TensorError(
      "TRANSFORM",
      `The transform uses ${unknown}, which is not there in a worker: only the text of the function goes to one. Define it within the function, import it there (await import("…")), or pass the path of a module as transform.`,
      { cause: thrown },
    );
  return new TensorError("TRANSFORM", `The transform failed for row ${row}${placeIn(thrown)}: ${message}`, {
    cause: thrown,
  });
}

/** Where in the text of the function or in a file, as far as the stack says. */
function placeIn(thrown: unknown): string {
  const stack = thrown instanceof Error ? (thrown.stack ?? "") : "";
  const [, file, line] = /\(?(?:file:\/\/)?([^\s()]+):(\d+):\d+\)?/.exec(stack.split("\n").slice(1).join("\n")) ?? [];
  if (line === undefined || file === undefined || /^node:|batch-worker/.test(file)) return "";
  return file === textName ? ` in its line ${line}` : ` in ${file}, line ${line}`;
}
