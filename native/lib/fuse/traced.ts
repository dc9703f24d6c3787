// What a function computes: runs it on tensors that have shapes and dtypes but no numbers, and notes every operation.
import { TensorError } from "../errors.ts";
import { DeviceArray } from "../memory/array.ts";
import type { DType } from "../memory/dtype.ts";
import type { Storage } from "../memory/storage.ts";
import { formatShape, isContiguous, stridesOf, type Shape } from "../memory/shape.ts";
import { tracing, type Tracer } from "../ops/core/hooks.ts";
import { callNamed } from "../ops/core/calls.ts";
import { sameShape } from "../ops/kernels/map.ts";
import type { Element, Operand, Operation, Reducing } from "../ops/core/operation.ts";
import type { DeviceProcess } from "../device/process.ts";
import { Tensor } from "../tensor/tensor.ts";

/** What one traced tensor is. `same`: the elements of another under a shape with other axes of size 1, or stretched. */
export type Node =
  | { readonly kind: "leaf"; readonly leaf: number }
  | { readonly kind: "element"; readonly name: string; readonly element: Element }
  | { readonly kind: "reduce"; readonly name: string; readonly reducing: Reducing; readonly input: Traced }
  | { readonly kind: "same"; readonly how: "expand" | "reshape"; readonly input: Traced };

/** A tensor without numbers. */
export class Traced extends Tensor {
  readonly node: Node;
  readonly tracing: Trace;
  /** Its number within the trace. */
  readonly id: number;
  /** A reduction took part. */
  readonly isReduced: boolean;

  constructor(tracing: Trace, node: Node, dtype: DType, shape: Shape, strides: readonly number[] = stridesOf(shape)) {
    super(
      { device: tracing.device, place: 0 } as Storage,
      dtype,
      { shape, strides, offset: 0 },
      isContiguous(shape, strides),
    );
    this.tracing = tracing;
    this.node = node;
    this.id = tracing.next++;
    const operands =
      node.kind === "element"
        ? node.element.operands.map(([operand]) => operand)
        : node.kind === "leaf"
          ? []
          : [node.input];
    this.isReduced =
      node.kind === "reduce" || operands.some((operand) => operand instanceof Traced && operand.isReduced);
  }

  override get storage(): Storage {
    return this.living();
  }

  override living(use?: string): Storage {
    if (use?.endsWith("_"))
      throw new TensorError(
        "FUSE",
        `${use} changes a tensor in place, which a fused function cannot do: use ${use.slice(0, -1)}.`,
      );
    throw new TensorError(
      "FUSE",
      "A function given to fuse is traced without numbers, so that nothing in it can read a tensor or launch a kernel on it: return the tensor, and read it outside.",
    );
  }

  override dispose(): void {}
}

/** One operation that was noted; its operands are traced tensors and numbers. */
export interface Noted {
  readonly name: string;
  readonly operation: Operation;
  readonly inputs: readonly Operand[];
  readonly outputs: readonly Traced[];
  readonly attributes: object;
}

const withoutOnes = (shape: Shape) => shape.filter((size) => size !== 1);

export class Trace implements Tracer {
  readonly device: DeviceProcess;
  readonly operations: Noted[] = [];
  /** Tensors with numbers that the traced ones are computed from. */
  readonly leaves: DeviceArray[] = [];
  readonly #traced = new Map<DeviceArray, Traced>();
  next = 0;

  constructor(device: DeviceProcess) {
    this.device = device;
  }

  /** Runs `fn` with every operation on this trace's tensors noted. */
  run<T>(fn: () => T): T {
    return tracing.run(this, fn);
  }

  leaf(array: DeviceArray): Traced {
    const known = this.#traced.get(array);
    if (known !== undefined) return known;
    const { device } = array.living("a fused function");
    if (device !== this.device)
      throw new TensorError(
        "DEVICE",
        `The tensors of a fused function are on ${this.device.name} and ${device.name}: copy one with .to("${this.device.name}").`,
      );
    const traced = new Traced(
      this,
      { kind: "leaf", leaf: this.leaves.length },
      array.dtype,
      array.shape,
      array.strides,
    );
    this.leaves.push(array);
    this.#traced.set(array, traced);
    return traced;
  }

  trace(
    name: string,
    operation: Operation,
    inputs: readonly Operand[],
    attributes: object,
  ): readonly DeviceArray[] | null {
    if (!inputs.some((input) => input instanceof Traced)) return null;
    if (inputs.some((input) => input instanceof Traced && input.tracing !== this))
      throw new TensorError("FUSE", "A fused function uses a tensor of another one that is being traced.");
    const operands = inputs.map((input) =>
      input instanceof DeviceArray && !(input instanceof Traced) ? this.leaf(input) : input,
    );
    const moved = this.#moved(name, operation, operands, attributes);
    if (moved?.node.kind === "leaf") return [moved];
    const output = moved ?? this.#computed(name, operation, operands, attributes);
    this.operations.push({ name, operation, inputs: operands, outputs: [output], attributes });
    return [output];
  }

  #moved(name: string, operation: Operation, inputs: readonly Operand[], attributes: object): Traced | null {
    if (!("view" in operation) && name !== "reshapeTo") return null;
    const input = inputs[0] as Traced;
    const shape =
      "view" in operation ? operation.view(input, attributes).shape : (attributes as { shape: Shape }).shape;
    if (name === "expand") return new Traced(this, { kind: "same", how: "expand", input }, input.dtype, shape);
    if (name.startsWith("reshape") && sameShape(withoutOnes(shape), withoutOnes(input.shape)))
      return new Traced(this, { kind: "same", how: "reshape", input }, input.dtype, shape);
    // Of a tensor with numbers any view can be taken before the kernel runs.
    if (input.node.kind === "leaf")
      return this.leaf(
        untraced(() => callNamed(name, [this.leaves[(input.node as { leaf: number }).leaf]!], attributes)[0]!),
      );
    throw new TensorError(
      "FUSE",
      `${name} cannot be fused: it moves elements that the function computes, here from ${formatShape(input.shape)} to ${formatShape(shape)}. Do it before the fused function, or after it.`,
    );
  }

  #computed(name: string, operation: Operation, inputs: readonly Operand[], attributes: object): Traced {
    const isKnown = !("view" in operation) && (operation.element !== undefined || operation.reducing !== undefined);
    if (!isKnown)
      throw new TensorError(
        "FUSE",
        `${name} cannot be fused: fuse takes elementwise operations and reductions over the last axes. Do it before the fused function, or after it.`,
      );
    const [facts] = operation.infer(inputs, attributes);
    const node: Node =
      operation.element !== undefined
        ? { kind: "element", name, element: operation.element(inputs, attributes) }
        : {
            kind: "reduce",
            name,
            reducing: operation.reducing!(inputs[0] as Traced, attributes),
            input: inputs[0] as Traced,
          };
    return new Traced(this, node, facts!.dtype, facts!.shape);
  }
}

/** Runs `fn` with operations that run. */
export function untraced<T>(fn: () => T): T {
  return tracing.run(null, fn);
}
