// What an optimiser keeps of each parameter: how many steps it took, and tensors that lie as it does.
import { TensorError } from "../errors.ts";
import { zeros } from "../tensor/create.ts";
import { Tensor } from "../tensor/tensor.ts";
import { keepBeyondScopes } from "../memory/array.ts";
import type { Storage } from "../memory/storage.ts";
import { factsOf } from "../memory/dtype.ts";
import { noGrad } from "../autograd/gradients.ts";
import { captures } from "../device/capture.ts";
import type { DeviceProcess } from "../device/process.ts";
import { keptDType } from "../ops/updates.ts";

/** The steps and tensors of one parameter, in float32 at least. They outlive a `tidy` around a step. */
export class Kept {
  readonly #parameter: Tensor;
  /** Also those that a device left out. */
  steps: number;
  tensors: readonly Tensor[];
  /** The parameter as it is changed, where that is wider than itself. */
  master: Tensor | null;
  /** The parameter's memory, and how often it had been written to, when `master` was last the same. */
  #seen: { readonly storage: Storage | null; readonly version: number } | null = null;

  constructor(parameter: Tensor, steps: number, tensors: readonly Tensor[], master: Tensor | null) {
    this.#parameter = parameter;
    this.steps = steps;
    this.tensors = tensors;
    this.master = master;
    if (master !== null) this.changed();
  }

  get all(): readonly Tensor[] {
    return this.master === null ? this.tensors : [...this.tensors, this.master];
  }

  /** Counts one more step, and one more in each run of a graph. */
  advance(): void {
    this.steps += 1;
    captures.current?.again(() => {
      this.steps += 1;
      this.#follow();
    });
  }

  /** The parameter is what `master` was rounded to. */
  changed(): void {
    const { storage } = this.#parameter;
    this.#seen = { storage, version: storage!.version };
  }

  /** Has all lie where and as the parameter does, and `master` be there if wanted: Module.to, or a user, changed it. */
  renew(wantsMaster: boolean): void {
    const parameter = this.#parameter;
    const first = this.tensors[0] ?? this.master;
    if (first != null && !isKeptLike(first, parameter)) {
      const moved = (each: Tensor) => keptLike(parameter).copy_(noGrad(() => each.to(parameter.device)));
      this.tensors = this.tensors.map(moved);
      if (this.master !== null) {
        this.master = moved(this.master);
        this.changed();
      }
    }
    const isWanted = wantsMaster && needsMaster(parameter);
    if (!isWanted) this.master = null;
    else if (this.master === null) {
      this.master = keptLike(parameter);
      this.#seen = null;
    }
    this.#follow();
  }

  /** Takes the parameter over where somebody else has changed it. */
  #follow(): void {
    const { storage } = this.#parameter;
    const { master } = this;
    if (master === null || (this.#seen?.storage === storage && this.#seen?.version === storage?.version)) return;
    noGrad(() => master.copy_(this.#parameter.detach()));
    this.changed();
  }

  /** Takes over what was loaded, in the same memory where it has the same form: graphs go on with it. */
  load(other: Kept): this | Kept {
    const [mine, theirs] = [this.all, other.all];
    const isLike =
      mine.length === theirs.length &&
      (this.master === null) === (other.master === null) &&
      mine.every((each, index) => isLaidOutAs(each, theirs[index]!));
    if (!isLike) return other;
    this.steps = other.steps;
    mine.forEach((each, index) => each.copy_(theirs[index]!));
    if (this.master !== null) this.changed();
    return this;
  }
}

/** How often a device left out steps of each parameter, by device. */
export class Skips {
  readonly #counts = new Map<DeviceProcess, Tensor<"int32">>();

  /** Of so many parameters; `null` where there were none and none are wanted. */
  on(device: DeviceProcess, parameters: number, isWanted: boolean): Tensor<"int32"> | null {
    const known = this.#counts.get(device);
    if (known !== undefined || !isWanted) return known ?? null;
    const made = zeros([parameters], { dtype: "int32", device: device.name });
    keepBeyondScopes(made);
    this.#counts.set(device, made);
    return made;
  }

  /** By parameter; waits for the devices. */
  read(): (parameter: Tensor, slot: number) => number {
    const counts = new Map([...this.#counts].map(([device, each]) => [device, each.toArray()]));
    return ({ deviceProcess }, slot) => counts.get(deviceProcess)?.[slot] ?? 0;
  }

  clear(): void {
    for (const each of this.#counts.values()) each.fill_(0);
  }
}

/** The steps that parameters have taken which one launch updates. Throws TensorError where they differ. */
export function stepsOf(name: string, all: readonly Kept[]): number {
  const { steps } = all[0]!;
  const other = all.find((each) => each.steps !== steps);
  if (other !== undefined)
    throw new TensorError(
      "STATE",
      `${name} was recorded in a graph for parameters of as many steps, but they have ${steps} and ${other.steps} now: record the graph again.`,
    );
  return steps;
}

/** Parameters that hold less than optimisers compute in. */
export const needsMaster = ({ dtype }: Tensor): boolean => factsOf(dtype).bytes < factsOf(keptDType(dtype)).bytes;

/** What is kept of a parameter at first, as it lies. */
export function keptLike({ shape, dtype, device, isContiguous }: Tensor): Tensor {
  const zero = zeros(shape, { dtype: keptDType(dtype), device });
  const made = isContiguous ? zero : zero.to({ memoryFormat: "channelsLast" });
  keepBeyondScopes(made);
  return made;
}

const isKeptLike = (kept: Tensor, parameter: Tensor): boolean =>
  kept.deviceProcess === parameter.deviceProcess &&
  kept.dtype === keptDType(parameter.dtype) &&
  kept.isContiguous === parameter.isContiguous;

const isLaidOutAs = (one: Tensor, other: Tensor): boolean =>
  !one.isDisposed &&
  one.device === other.device &&
  one.dtype === other.dtype &&
  one.strides.join() === other.strides.join();
