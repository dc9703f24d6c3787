// Textures and surfaces: a snapshot of a tensor that kernels read by coordinates, and one that they write to as well.
import { afterCollection } from "../device/collection.ts";
import type { DeviceProcess } from "../device/process.ts";
import type { Resident } from "../device/residents.ts";
import { DeviceError, TensorError } from "../errors.ts";
import { DeviceArray } from "../memory/array.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { formatShape, type Shape } from "../memory/shape.ts";
import { Storage } from "../memory/storage.ts";
import { Op } from "../wire/commands.ts";
import { writeCopy } from "../wire/copy.ts";
import { writeTextureCopy, writeTextureRelease } from "../wire/mark.ts";

/** What is beyond the texels: the last one, the texels again, the same backwards, or 0. */
export type AddressMode = "clamp" | "wrap" | "mirror" | "border";

/** How a texture is read. */
export interface Sampling {
  readonly filter: "point" | "linear";
  /** Along x, y and z. */
  readonly address: readonly [AddressMode, AddressMode, AddressMode];
  readonly normalized: boolean;
  readonly read: "element" | "normalized";
  readonly memory: "array" | "linear";
}

/** What a texture or a surface is of. */
export interface Texels {
  readonly dtype: DType;
  readonly shape: Shape;
  readonly channels: number;
  /** Along x, y and z, as many as there are. */
  readonly size: readonly number[];
  /** 0: it has none. */
  readonly layers: number;
}

/** A tensor, and what it holds. */
export interface Contents {
  readonly array: DeviceArray;
  readonly texels: Texels;
}

/** Memory that one or several of them show. */
interface TexelMemory {
  readonly array: DeviceArray;
  /** By which the device process knows it. */
  readonly number: number;
  readonly texels: Texels;
  /** Kernels that may have written to it have been launched since it was set. */
  isTouched: boolean;
  /** They had, and the device process with what they wrote is gone. */
  isLost: boolean;
}

const next = { object: 1, memory: 1 };

/** A GPU reads linear memory from such a multiple of bytes on (CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT). */
const alignment = 512;

/** Memory for what a tensor holds. */
function roomFor({ dtype, shape, strides, bytes }: DeviceArray, device: DeviceProcess): DeviceArray {
  const storage = new Storage(device, bytes + alignment);
  const offset = ((alignment - (storage.place % alignment)) % alignment) / factsOf(dtype).bytes;
  return new DeviceArray(storage, dtype, { shape, strides, offset }, true);
}

/** Copies all bytes of an array to another one; `written`: how many of its memory that is. */
function copyAll(to: DeviceArray, from: DeviceArray, written = to.bytes): void {
  to.living().written(writeCopy(to.execution, to.place, from.place, to.bytes), written);
}

/** What textures and surfaces have in common. */
export abstract class TexelObject implements Disposable {
  /** @internal Which the device process knows it by. */
  readonly number = next.object++;
  /** @internal */
  readonly word: "texture" | "surface";
  /** @internal */
  readonly process: DeviceProcess;
  readonly #memory: TexelMemory;
  /** Its own hold on the memory. */
  readonly #array: DeviceArray;
  readonly #resident: Resident;

  /** @internal `of`: what it is a snapshot of, or whose memory it shows; `terms`: how it is read, as a message says it. */
  constructor(word: "texture" | "surface", of: Contents | TexelObject, terms = "") {
    const shared = of instanceof TexelObject ? of.#living() : null;
    const from = of instanceof TexelObject ? of.#array : of.array;
    const device = from.living().device;
    if (device.execution.target.runsLater) throw recordedHere(word);
    const array =
      shared === null ? roomFor(from, device) : new DeviceArray(shared.array.living().hold(), from.dtype, shared.array);
    const memory = shared ?? {
      array,
      number: next.memory++,
      texels: (of as Contents).texels,
      isTouched: false,
      isLost: false,
    };
    this.word = word;
    this.process = device;
    this.#memory = memory;
    this.#array = array;
    if (shared === null) copyAll(array, from, array.living().bytes);

    const { residents } = device;
    residents.sweep();
    const { number } = this;
    const text = `${word} ${termsOf(memory.texels)}${terms}`;
    const request = { texture: number, array: memory.number, place: array.place, terms: text };
    device.request("texture_create", request);
    this.#resident = residents.add(Op.texture_copy, number, 1, {
      send: () => {
        device.request("texture_create", request);
        memory.isLost ||= memory.isTouched && !device.properties.unifiedMemory;
      },
      release: () => void writeTextureRelease(device.direct, number),
    });
    const resident = this.#resident;
    afterCollection(this, () => residents.drop(resident));
  }

  /** The type of its values. */
  get dtype(): DType {
    return this.#memory.texels.dtype;
  }

  /** The shape of the tensor that it was made of. */
  get shape(): Shape {
    return this.#memory.texels.shape;
  }

  /** "cpu", "cuda:0", … */
  get device(): string {
    return this.process.name;
  }

  /** Whether it was disposed of. */
  get isDisposed(): boolean {
    return this.#array.isDisposed;
  }

  /** @internal Notes that the launch with that sequence uses it. */
  used(stream: number, sequence: number): void {
    const storage = this.#array.living();
    storage.usedOn(stream);
    if (this.word === "texture") return;
    this.#memory.isTouched = true;
    storage.written(sequence, storage.bytes);
  }

  /**
   * Has it hold what a tensor of the same shape and dtype holds, behind all that was launched before on its stream.
   * Throws TensorError.
   */
  update(x: DeviceArray): void {
    this.#copy("update", x, (array) => {
      copyAll(array, x, array.living().bytes);
      writeTextureCopy(this.process.execution, this.number, false);
      this.#memory.isTouched = this.#memory.isLost = false;
    });
  }

  /** Copies what it holds into a tensor of the same shape and dtype. Throws as {@link update}. */
  protected copyOut(x: DeviceArray): void {
    this.#copy("copyTo", x, (array) => {
      // The process may be new: this makes it known there.
      const sequence = writeTextureCopy(this.process.execution, this.number, true);
      if (this.#memory.isLost || array.living().isSuspect)
        throw new DeviceError(
          "LOST",
          this.process.name,
          `What kernels had written to a surface was lost when the device process of ${this.process.name} ended. Give it values again, surface.update(x), before you read it.`,
        );
      if (!this.process.properties.unifiedMemory) array.living().written(sequence, array.living().bytes);
      copyAll(x, array);
    });
  }

  #copy(method: string, x: DeviceArray, run: (array: DeviceArray) => void): void {
    const { texels } = this.#living();
    const name = `${this.word}.${method}`;
    if (!(x instanceof DeviceArray) || x.dtype !== texels.dtype || formatShape(x.shape) !== formatShape(texels.shape))
      throw new TensorError(
        "OPERANDS",
        `${name} takes a tensor of ${texels.dtype} and shape ${formatShape(texels.shape)}, but got ${x instanceof DeviceArray ? `one of ${x.dtype} and shape ${formatShape(x.shape)}` : "something else"}.`,
      );
    x.checkLiving(name);
    checkTensor(name, x);
    if (x.deviceProcess !== this.process)
      throw new TensorError(
        "DEVICE",
        `${name} takes a tensor on ${this.process.name}, but got one on ${x.deviceProcess.name}. Copy it with .to("${this.process.name}").`,
      );
    const { execution } = this.process;
    if (execution.target.runsLater) throw recordedHere(this.word);
    this.#array.living().usedOn(execution.stream);
    run(this.#array);
  }

  #living(): TexelMemory {
    if (!this.#array.isDisposed) return this.#memory;
    throw new TensorError("DISPOSED", `This ${this.word}, shape ${formatShape(this.shape)}, has been disposed of.`);
  }

  /** Frees its memory now. Disposing twice is safe; a launch with it afterwards is an error. */
  dispose(): void {
    if (this.#array.isDisposed) return;
    const { residents } = this.process;
    residents.drop(this.#resident);
    residents.sweep();
    this.#array.dispose();
  }

  /** For `using t = …`: {@link dispose} at the end of the block. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  /** What it is, in short. */
  toString(): string {
    const gone = this.isDisposed ? "disposed, " : "";
    const { channels, layers } = this.#memory.texels;
    const parts = [channels > 1 ? `${channels} channels` : "", layers > 0 ? `${layers} layers` : ""];
    return `${this.word}(${gone}shape ${formatShape(this.shape)}, ${[this.dtype, ...parts].filter(Boolean).join(", ")}, ${this.device})`;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }
}

/** Throws TensorError for one that does not lie in memory as its texels do. */
export function checkTensor(name: string, x: DeviceArray): void {
  if (!x.isContiguous)
    throw new TensorError(
      "OPERANDS",
      `${name} takes a contiguous tensor, but got one of shape ${formatShape(x.shape)} with strides ${formatShape(x.strides)}. Pass .contiguous(), a copy in row-major order without gaps.`,
    );
}

const recordedHere = (word: string) =>
  new TensorError("RECORDED", `A graph neither makes a ${word} nor copies to or from one: do it before or after.`);

const termsOf = ({ dtype, channels, size, layers }: Texels): string =>
  `dtype=${dtype} channels=${channels} size=${size.join("x")} layers=${layers}`;

/**
 * What a kernel reads as `cudaTextureObject_t`, made by {@link texture}: a snapshot of a tensor, read by coordinates.
 * @example
 * const module = await compile(`extern "C" __global__ void between(cudaTextureObject_t t, float* out) {
 *   out[threadIdx.x] = tex1D<float>(t, threadIdx.x + 1.0f); }`);
 * const out = zeros([3]);
 * const steps = texture(tensor([0, 10, 20, 40]), { filter: "linear" });
 * (module.kernels.between as Kernel).launch({ grid: 1, block: 3 }, steps, out);
 * out; // → tensor([5, 15, 30], shape [3], float32, cpu)
 */
export class Texture extends TexelObject {
  /** How it is read. */
  readonly sampling: Sampling;

  /** For the library: textures come from {@link texture}. */
  constructor(of: Contents | TexelObject, sampling: Sampling) {
    const { filter, address, normalized, read, memory } = sampling;
    const coordinates = `address=${address.join()} normalized=${normalized ? 1 : 0}`;
    super("texture", of, ` filter=${filter} ${coordinates} read=${read} memory=${memory}`);
    this.sampling = sampling;
  }
}

/**
 * What a kernel reads and writes as `cudaSurfaceObject_t`, made by {@link surface}: memory of its own, which begins as a
 * snapshot of a tensor. x counts bytes in a kernel: `surf2Dwrite(value, s, x * sizeof(float), y)`.
 * @example
 * const module = await compile(`extern "C" __global__ void invert(cudaSurfaceObject_t s) {
 *   int x = threadIdx.x * sizeof(float);
 *   surf2Dwrite(1 - surf2Dread<float>(s, x, threadIdx.y), s, x, threadIdx.y); }`);
 * const x = tensor([[0, 1], [0.25, 0.5]]);
 * const s = surface(x);
 * (module.kernels.invert as Kernel).launch({ grid: 1, block: [2, 2] }, s);
 * s.copyTo(x);
 * x.toArray(); // → [ [ 1, 0 ], [ 0.75, 0.5 ] ]
 */
export class Surface extends TexelObject {
  /** For the library: surfaces come from {@link surface}. */
  constructor(of: Contents) {
    super("surface", of);
  }

  /**
   * Copies what it holds into a tensor of the same shape and dtype, behind all that was launched before on its stream.
   * Throws TensorError, and DeviceError (`LOST`) when a fault of the device took what kernels had written.
   */
  copyTo(x: DeviceArray): void {
    this.copyOut(x);
  }
}
