// The scale of a loss whose gradients are computed in float16, which would lose the small ones: kept on the device, so
// that nothing waits.
import { gradientOf } from "../autograd/tape.ts";
import { TensorError } from "../errors.ts";
import { noGrad } from "../autograd/gradients.ts";
import { pythonNames, refuseCalls } from "../instead.ts";
import { keepBeyondScopes } from "../memory/array.ts";
import { nextScale, unscale, type Growth } from "../ops/gradient-lists.ts";
import { Optimizer } from "../optim/optimizer.ts";
import { flag, optionsOf, type Kind } from "../tensor/arguments.ts";
import { full, tensor, zeros } from "../tensor/create.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";

/**
 * `initScale`: the first scale, 65536 when left out. `growthFactor`: what it is multiplied by, 2, after
 * `growthInterval` steps in a row, 2000, whose gradients were finite. `backoffFactor`: the same, 0.5, after one whose
 * were not. `enabled`: false has all methods do what they do without a scale.
 */
export interface GradScalerOptions extends Partial<Growth> {
  readonly initScale?: number;
  readonly enabled?: boolean;
}

/** What lies on the device. */
interface OnDevice {
  readonly scale: Tensor<"float32">;
  /** Steps since the scale last changed. */
  readonly tracker: Tensor<"int32">;
}

/** What has been done for an optimiser since the last update, and whether a gradient was not finite. */
interface Stage {
  readonly found: Tensor<"float32">;
  hasStepped: boolean;
}

const numberOf = (wanted: string, test: (value: number) => boolean): Kind<number> => ({
  wanted,
  has: (value) => typeof value === "number" && test(value),
});
const kinds = {
  initScale: numberOf("a number above 0", (value) => value > 0 && Number.isFinite(value)),
  growthFactor: numberOf("a number above 1", (value) => value > 1),
  backoffFactor: numberOf("a number between 0 and 1", (value) => value > 0 && value < 1),
  growthInterval: numberOf("a whole number of at least 1", (value) => Number.isInteger(value) && value >= 1),
  enabled: flag,
};
const stateNames = ["scale", "growthFactor", "backoffFactor", "growthInterval", "growthTracker"] as const;
type State = Record<(typeof stateNames)[number], number>;

/**
 * Keeps gradients in the range of float16: the loss is multiplied by a scale, `step` divides the gradients by it and
 * leaves the optimiser's step out where one is not finite, and `update` makes the scale smaller then, or larger after
 * many steps that went well. All of that happens on the device, without a wait, also in a graph. As PyTorch's.
 * @example
 * const net = new nn.Linear(4, 2);
 * const optimizer = new optim.SGD(net.parameters(), { lr: 0.1 });
 * const scaler = new GradScaler();
 * const loss = autocast(() => net(ones([3, 4])).square().mean(), { dtype: "float16" });
 * scaler.scale(loss).backward();
 * scaler.step(optimizer);
 * scaler.update();
 * scaler.getScale(); // → 65536
 */
export class GradScaler {
  readonly #isEnabled: boolean;
  #growth: Growth;
  /** Until there is a device. */
  #first: { scale: number; tracker: number };
  #onDevice: OnDevice | null = null;
  readonly #founds = new WeakMap<Optimizer, Tensor<"float32">>();
  #stages = new Map<Optimizer, Stage>();

  /** Throws TensorError for options that make no sense. */
  constructor(options: GradScalerOptions = {}) {
    const {
      initScale = 65536,
      growthFactor = 2,
      backoffFactor = 0.5,
      growthInterval = 2000,
      enabled = true,
    } = optionsOf("GradScaler", kinds, options);
    this.#isEnabled = enabled;
    this.#growth = { growthFactor, backoffFactor, growthInterval };
    this.#first = { scale: initScale, tracker: 0 };
  }

  /** Whether it scales at all. */
  get isEnabled(): boolean {
    return this.#isEnabled;
  }

  /** The loss times the scale, whose gradients are so much larger. */
  scale(loss: Tensor): Tensor {
    if (!(loss instanceof Tensor))
      throw new TensorError("OPERANDS", `scale takes a loss, a tensor, but got ${worded(loss)}.`);
    return this.#isEnabled ? (loss.mul(this.#on(loss.device).scale) as Tensor) : loss;
  }

  /**
   * Divides the gradients of an optimiser's parameters by the scale, for who wants to see them before `step`, which
   * else does it: {@link optim.clipGradNorm}. Throws TensorError when it is called twice before `update`, after `step`,
   * or before `scale`, and for gradients of float16.
   */
  unscale(optimizer: Optimizer): void {
    if (!this.#isEnabled) return;
    const stage = this.#stages.get(checkedOptimizer("unscale", optimizer));
    if (stage !== undefined)
      throw new TensorError(
        "ORDER",
        stage.hasStepped
          ? "unscale was called after step: call it before, or update() first."
          : "unscale was called twice for this optimiser since the last update(): its gradients are divided already.",
      );
    this.#unscaled("unscale", optimizer);
  }

  /**
   * Divides the gradients by the scale, unless {@link unscale} did, and has the optimiser take its step, which the
   * device leaves out where a gradient is not finite. Throws TensorError when it is called twice before `update`, or
   * before `scale`.
   */
  step(optimizer: Optimizer, ...others: readonly unknown[]): void {
    checkedOptimizer("step", optimizer);
    if (others.length > 0)
      throw new TensorError(
        "OPERANDS",
        `step of a GradScaler takes an optimiser and nothing else, but got ${worded(others[0])}: compute the loss before, without a closure.`,
      );
    if (!this.#isEnabled) return optimizer.step();
    const stage = this.#stages.get(optimizer) ?? this.#unscaled("step", optimizer);
    if (stage.hasStepped)
      throw new TensorError(
        "ORDER",
        "step was called twice for this optimiser since the last update(): call update() after each.",
      );
    optimizer.stepUnless(stage.found);
    stage.hasStepped = true;
  }

  /**
   * Makes the scale smaller or larger by what the steps have found, or sets it to `newScale`. Throws TensorError where
   * nothing has been unscaled since the last one.
   */
  update(newScale?: number): void {
    if (!this.#isEnabled) return;
    if (newScale !== undefined && !kinds.initScale.has(newScale))
      throw new TensorError(
        "OPTIONS",
        `update takes ${kinds.initScale.wanted} as a scale but got ${worded(newScale)}.`,
      );
    const founds = [...this.#stages.values()].map(({ found }) => found);
    if (founds.length === 0 && newScale === undefined)
      throw new TensorError("ORDER", "update was called before step: there is nothing to judge the scale by.");
    this.#stages = new Map();
    const { scale, tracker } = this.#known("update");
    if (newScale !== undefined) return void scale.fill_(newScale);
    const found = noGrad(() => founds.reduce((all, each) => all.maximum(each) as Tensor<"float32">));
    nextScale(scale.execution, scale, tracker, found, this.#growth);
  }

  /** The scale; waits for the device. 1 where it is not enabled. */
  getScale(): number {
    if (!this.#isEnabled) return 1;
    return this.#onDevice === null ? this.#first.scale : this.#onDevice.scale.item();
  }

  /** The scale, its growth and the count of steps, as tensors for `io.save`; empty where it is not enabled. */
  stateDict(): Record<string, Tensor> {
    if (!this.#isEnabled) return {};
    const { scale, tracker } = this.#onDevice ?? {
      scale: scalarOf(this.#first.scale),
      tracker: scalarOf(this.#first.tracker),
    };
    const { growthFactor, backoffFactor, growthInterval } = this.#growth;
    return {
      scale: scale.clone() as Tensor,
      growthFactor: scalarOf(growthFactor),
      backoffFactor: scalarOf(backoffFactor),
      growthInterval: scalarOf(growthInterval),
      growthTracker: tracker.clone() as Tensor,
    };
  }

  /** Continues from a {@link stateDict}. Throws TensorError for what is not one; nothing is changed then. */
  loadStateDict(state: Readonly<Record<string, Tensor>>): void {
    if (!this.#isEnabled) return;
    const read = stateNames.map((name) => {
      const found = state[name];
      if (!(found instanceof Tensor) || found.size !== 1)
        throw new TensorError("STATE", `The state has no ${name}: it belongs to no GradScaler that is enabled.`);
      return [name, Number(found.item())] as const;
    });
    const { scale, growthTracker, ...growth } = Object.fromEntries(read) as State;
    this.#growth = growth;
    this.#first = { scale, tracker: growthTracker };
    this.#onDevice?.scale.fill_(scale);
    this.#onDevice?.tracker.fill_(growthTracker);
  }

  #on(device: string): OnDevice {
    if (this.#onDevice !== null) {
      if (this.#onDevice.scale.device !== device)
        throw new TensorError(
          "DEVICE",
          `A GradScaler has its scale on one device, ${this.#onDevice.scale.device}, but got a loss on ${device}: make another one.`,
        );
      return this.#onDevice;
    }
    const scale = full([], this.#first.scale, { dtype: "float32", device });
    const tracker = full([], this.#first.tracker, { dtype: "int32", device });
    for (const each of [scale, tracker]) keepBeyondScopes(each);
    return (this.#onDevice = { scale, tracker });
  }

  #known(use: string): OnDevice {
    if (this.#onDevice === null)
      throw new TensorError(
        "ORDER",
        `${use} was called before scale: write scaler.scale(loss).backward() instead of loss.backward().`,
      );
    return this.#onDevice;
  }

  #unscaled(use: string, optimizer: Optimizer): Stage {
    const { scale } = this.#known(use);
    const gradients = optimizer.groups.flatMap(({ parameters }) =>
      parameters.flatMap((parameter) => gradientOf(parameter) ?? []),
    );
    if (gradients.length === 0)
      throw new TensorError("ORDER", `${use} found no gradients: call scaler.scale(loss).backward() before it.`);
    for (const each of gradients) {
      each.living(use);
      if (each.deviceProcess !== scale.deviceProcess)
        throw new TensorError(
          "DEVICE",
          `${use} found a gradient on ${each.deviceProcess.name}, but the loss was scaled on ${scale.device}.`,
        );
      if (each.dtype === "float16")
        throw new TensorError(
          "DTYPE",
          `${use} found a gradient of float16, which has lost what the scale should save: keep parameters in float32, and compute in float16 within autocast.`,
        );
    }
    let found = this.#founds.get(optimizer);
    if (found === undefined || found.deviceProcess !== scale.deviceProcess) {
      found = zeros([], { dtype: "float32", device: scale.device });
      keepBeyondScopes(found);
      this.#founds.set(optimizer, found);
    } else found.fill_(0);
    unscale(scale.execution, gradients, scale, found);
    const stage = { found, hasStepped: false };
    this.#stages.set(optimizer, stage);
    return stage;
  }

  /** What it is, as text. */
  toString(): string {
    const { growthFactor, backoffFactor, growthInterval } = this.#growth;
    return this.#isEnabled
      ? `GradScaler: growthFactor ${growthFactor}, backoffFactor ${backoffFactor}, growthInterval ${growthInterval}`
      : "GradScaler: not enabled";
  }
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }
}

function checkedOptimizer(use: string, optimizer: unknown): Optimizer {
  if (optimizer instanceof Optimizer) return optimizer;
  throw new TensorError("OPERANDS", `${use} of a GradScaler takes an optimiser but got ${worded(optimizer)}.`);
}

const scalarOf = (value: number): Tensor => tensor(value, { dtype: "float64", device: "cpu" });

refuseCalls(GradScaler.prototype, "A GradScaler", {
  ...pythonNames(GradScaler.prototype, "scaler"),
  unscale_: "scaler.unscale(optimizer)",
});
