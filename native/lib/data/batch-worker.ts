// A worker thread of a loader: transforms samples, and lays a batch of them into memory that the device reads.
import { parentPort, workerData } from "node:worker_threads";
import { TensorError } from "../errors.ts";
import { factsOf, type TypedArray } from "../memory/dtype.ts";
import { binding } from "../wire/binding.ts";
import { laidOut, type NumbersLayout } from "./layout.ts";
import { loadTransform, type Transform } from "./transform.ts";
import { Placed, type Block, type Failure, type FromWorker, type ToWorker, type WorkerStart } from "./worker-link.ts";

/** Of every tensor's beginning. */
const alignment = 256;

interface Laid {
  readonly batch: unknown;
  readonly placed: readonly Placed[];
  readonly numbers: readonly NumbersLayout[];
  readonly bytes: number;
}

/** Batches that wait for a block. */
const waiting = new Map<number, Laid>();
const transform = begin(workerData as WorkerStart);
// Each batch is told.
transform.catch(() => undefined);

async function begin({ transform: place, setUp }: WorkerStart): Promise<Transform | null> {
  if (setUp !== null) await import(setUp);
  return place === null ? null : loadTransform(place);
}

function layOut(samples: readonly unknown[]): Laid {
  const placed: Placed[] = [];
  const numbers: NumbersLayout[] = [];
  let bytes = 0;
  const leaf = (each: NumbersLayout) => {
    const size = each.shape.reduce((product, axis) => product * axis, factsOf(each.dtype).bytes);
    placed.push(new Placed(each.dtype, each.shape, bytes, size));
    numbers.push(each);
    bytes += Math.ceil(size / alignment) * alignment;
    return { placed: placed.length - 1 };
  };
  return { batch: laidOut(samples, leaf, () => undefined), placed, numbers, bytes };
}

function write(task: number, { batch, placed, numbers, bytes }: Laid, { client, place }: Block): FromWorker {
  const memory = bytes === 0 ? new ArrayBuffer(0) : binding.partOf(client, place, bytes);
  for (const [index, { dtype, offset, bytes: size }] of placed.entries()) {
    const { array: Elements } = factsOf(dtype);
    const elements = new (Elements as Float64ArrayConstructor)(memory, offset, size / Elements.BYTES_PER_ELEMENT);
    numbers[index]!.fill(elements as TypedArray);
  }
  return { task, answer: "made", batch, placed };
}

/** The error of one sample, with its row. */
class OfSample extends Error {
  readonly row: number;
  constructor(row: number, cause: unknown) {
    super("", { cause });
    this.row = row;
  }
}

async function transformed(samples: readonly unknown[], rows: readonly number[]): Promise<readonly unknown[]> {
  const use = await transform;
  if (use === null) return samples;
  return Promise.all(
    samples.map(async (sample, index) => {
      try {
        return await use(sample as never);
      } catch (error) {
        throw new OfSample(rows[index]!, error);
      }
    }),
  );
}

async function answer(message: ToWorker): Promise<FromWorker> {
  const { task, block } = message;
  if (message.use === "write") {
    const laid = waiting.get(task)!;
    waiting.delete(task);
    return write(task, laid, message.block);
  }
  const samples = await transformed(message.samples, message.rows);
  if (message.isOnlyTransformed) return { task, answer: "transformed", samples };
  const laid = layOut(samples);
  if (block !== null && laid.bytes <= block.bytes) return write(task, laid, block);
  waiting.set(task, laid);
  return { task, answer: "needs", bytes: laid.bytes };
}

function failureOf(error: unknown): Failure {
  const thrown: unknown = error instanceof OfSample ? error.cause : error;
  const row = error instanceof OfSample ? error.row : null;
  if (!(thrown instanceof Error)) return { code: "", message: String(thrown), row, thrown };
  return { code: thrown instanceof TensorError ? thrown.code : thrown.name, message: thrown.message, row, thrown };
}

function send(message: FromWorker): void {
  try {
    parentPort!.postMessage(message);
  } catch (error) {
    // A value that cannot cross, in a sample or in an error.
    const { task } = message;
    const failure = { code: "DataCloneError", message: (error as Error).message, row: null, thrown: null };
    parentPort!.postMessage({ task, answer: "failed", failure } satisfies FromWorker);
  }
}

parentPort!.on("message", (message: ToWorker) => {
  void answer(message)
    .catch((error: unknown): FromWorker => ({ task: message.task, answer: "failed", failure: failureOf(error) }))
    .then(send);
});
