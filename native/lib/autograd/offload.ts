// offload(fn): what gradients of fn need of what it computed waits for them in the host's memory. A stream of its own
// copies it there and back, the next function's while the gradients of one are computed.
import { captures } from "../device/capture.ts";
import { afterCollection, living } from "../device/collection.ts";
import { copyStreamOf } from "../device/copy-stream.ts";
import type { DeviceProcess } from "../device/process.ts";
import { TensorError } from "../errors.ts";
import { DeviceArray, scopes } from "../memory/array.ts";
import { Storage } from "../memory/storage.ts";
import { freeAfter, uploadFrom } from "../memory/transfer.ts";
import { isRecording } from "../ops/core/hooks.ts";
import type { Operand } from "../ops/core/operation.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { writeCopy } from "../wire/copy.ts";
import { withoutWaiting } from "./scopes.ts";
import { appended, type Node, type Saved } from "./tape.ts";
import { tidy } from "./tidy.ts";

const advice = "what comes after an await would stay on the device";
/** What is smaller stays: a copy costs more than its memory. */
const leastBytes = 4096;

/**
 * `fn(...inputs)`, whose intermediate results wait in pinned memory of the host until `backward` needs them: the same
 * gradients to the bit, with less of the device's memory and nothing computed twice, unlike {@link checkpoint}. Copies
 * are on a stream of their own, and what one `offload` took comes back while the gradients of the one behind it are
 * computed. Inputs, results, parameters and what is smaller than 4 KiB stay on the device. Tensors that `fn` makes are
 * freed when it ends, but for those in what it returns. Throws TensorError for an async function, and while a graph is
 * recorded.
 * @example
 * const layer = new nn.Linear(256, 256);
 * const y = offload((x: Tensor) => layer(x).tanh().square(), ones([64, 256]));
 * y.sum().backward();
 * layer.weight.grad!.shape; // → [ 256, 256 ]
 */
export function offload<A extends readonly unknown[], R>(fn: (...inputs: A) => R, ...inputs: A): R {
  const run = () => (isRecording() ? taken(fn, inputs) : fn(...inputs));
  return withoutWaiting("offload", advice, fn as () => R, run);
}

function taken<A extends readonly unknown[], R>(fn: (...inputs: A) => R, inputs: A): R {
  if (captures.current !== null)
    throw new TensorError(
      "RECORDED",
      "offload cannot be recorded in a graph, whose memory stays where it is: use checkpoint there.",
    );
  const nodes: Node[] = [];
  let results: ReadonlySet<Storage> = new Set();
  const result = tidy(() =>
    appended.run(nodes, () => {
      const made = fn(...inputs);
      results = storagesIn(made);
      return made;
    }),
  );
  const away = inside(nodes, new Set([...results, ...storagesIn(inputs)]));
  if (away.length > 0) new Group(nodes, away);
  return result;
}

/** Of the tensors in a value, and in the arrays and objects that it is made of. */
function storagesIn(value: unknown, found = new Set<Storage>(), seen = new Set<unknown>()): Set<Storage> {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || seen.has(value)) return found;
  seen.add(value);
  if (value instanceof DeviceArray) found.add(value.living());
  else for (const each of Object.values(value)) storagesIn(each, found, seen);
  return found;
}

const arraysOf = ({ inputs, outputs }: Saved): DeviceArray[] =>
  [...inputs, ...outputs].filter((each: Operand) => each instanceof DeviceArray);

/** What the operations made themselves, and nobody else has or has changed since. */
function inside(nodes: readonly Node[], others: ReadonlySet<Storage>): Storage[] {
  const [made, outside] = [new Set<Storage>(), new Set(others)];
  for (const { saved } of nodes) {
    if (saved === null) continue;
    for (const each of saved.inputs)
      if (each instanceof DeviceArray && !made.has(each.living())) outside.add(each.living());
    for (const each of saved.outputs) if (!outside.has(each.living())) made.add(each.living());
    for (const each of arraysOf(saved)) {
      const [storage, version] = saved.versions.get(each)!;
      // Its gradient has an error to throw.
      if (storage.version !== version) outside.add(storage);
    }
  }
  return [...made].filter((each) => !outside.has(each) && each.bytes >= leastBytes);
}

/** A copy in the host's memory. */
interface Copy {
  readonly device: DeviceProcess;
  readonly block: number;
  readonly bytes: number;
  readonly sequence: number;
}
/** What comes back, by what it was before. */
interface Fetched {
  readonly storages: ReadonlyMap<Storage, Storage>;
  readonly devices: ReadonlySet<DeviceProcess>;
}

type Marks = WeakMap<DeviceProcess, { readonly stream: number; readonly sequence: number }>;
/**
 * How far copies to the host are, and what gradients were computed from last: what is submitted gets no further ahead
 * of the device, since memory that two streams use is free for others only when both have done with it.
 */
const [copied, used]: readonly [Marks, Marks] = [new WeakMap(), new WeakMap()];
function reach(marks: Marks, device: DeviceProcess): void {
  const mark = marks.get(device);
  if (mark !== undefined) device.reach([mark]);
}

/** The group that was made last, whose gradients come first, as {@link living} knows it. */
let latest: number | null = null;

/** What one call has taken away. */
class Group {
  /** By the memory that it was in. */
  readonly #copies = new Map<Storage, Copy>();
  /** Its gradients come next. */
  readonly #before = latest;
  /** The arrays of each node whose memory is away, with that memory. */
  readonly #places = new Map<Node, ReadonlyMap<DeviceArray, Storage>>();
  #fetched: Fetched | null = null;

  constructor(nodes: readonly Node[], away: readonly Storage[]) {
    const devices = new Set(away.map(({ device }) => device));
    for (const device of devices) {
      reach(copied, device);
      copyStreamOf(device).execution.waitFor(device.execution);
    }
    for (const storage of away) this.#copies.set(storage, copyOut(storage));
    for (const device of devices) copied.set(device, copyStreamOf(device).execution.fence());
    for (const node of nodes) if (node.saved !== null) this.#leave(node, node.saved);
    const left = this.#copies;
    // The copies of what nobody computes gradients of.
    latest = afterCollection(this, () => free(left));
  }

  /** The tape's hold on what is away ends; its arrays still say what was there. */
  #leave(node: Node, saved: Saved): void {
    const arrays = arraysOf(saved).filter((each) => this.#copies.has(each.living()));
    if (arrays.length === 0) return;
    const before = new Map(arrays.map((each) => [each, each.living()]));
    for (const each of arrays) each.dispose();
    this.#places.set(node, before);
    node.away = this;
  }

  /** Has the copies come back, beside other work. */
  fetch(): Fetched {
    if (this.#fetched !== null) return this.#fetched;
    const storages = new Map<Storage, Storage>();
    const devices = new Set<DeviceProcess>();
    for (const [storage, { device, block, bytes }] of this.#copies) {
      const { execution } = copyStreamOf(device);
      const back = device.divert(execution, 0, () => new Storage(device, bytes));
      const sequence = device.divert(execution, 0, () => uploadFrom(block, back));
      freeAfter(device, block, bytes, sequence, execution.stream);
      this.#copies.delete(storage);
      storages.set(storage, back);
      devices.add(device);
    }
    return (this.#fetched = { storages, devices });
  }

  bring(): void {
    const { storages, devices } = this.fetch();
    for (const device of devices) {
      reach(used, device);
      device.execution.waitFor(copyStreamOf(device).execution);
      used.set(device, device.execution.fence());
    }
    // The tape holds them, whatever scope is open now.
    scopes.run(null, () => {
      for (const [node, places] of this.#places) if (node.saved !== null) replace(node, places, storages);
    });
    for (const node of this.#places.keys()) node.away = null;
    this.#places.clear();
    for (const storage of storages.values()) storage.drop();
    if (this.#before !== null) (living(this.#before) as Group | null)?.fetch();
  }
}

function copyOut(storage: Storage): Copy {
  const { device, place, bytes } = storage;
  const { execution } = copyStreamOf(device);
  const block = device.allocate(bytes, "host");
  const sequence = writeCopy(execution, block, place, bytes);
  storage.usedOn(execution.stream);
  return { device, block, bytes, sequence };
}

function free(copies: ReadonlyMap<Storage, Copy>): void {
  for (const { device, block, bytes, sequence } of copies.values())
    freeAfter(device, block, bytes, sequence, copyStreamOf(device).execution.stream);
}

/** Arrays like those that left, of memory that came. */
function replace(node: Node, places: ReadonlyMap<DeviceArray, Storage>, storages: ReadonlyMap<Storage, Storage>): void {
  const saved = node.saved!;
  const versions = new Map(saved.versions);
  const back = <T extends Operand>(each: T): T => {
    const place = each instanceof DeviceArray ? places.get(each) : undefined;
    if (place === undefined) return each;
    const array = each as DeviceArray;
    const storage = storages.get(place)!;
    const made = new (array.constructor as new (...parameters: unknown[]) => DeviceArray)(
      storage.hold(),
      array.dtype,
      array,
      array.isContiguous,
    );
    made.track = array.track;
    versions.set(made, [storage, storage.version]);
    return made as T;
  };
  node.saved = { inputs: saved.inputs.map(back), outputs: saved.outputs.map(back), versions };
}
