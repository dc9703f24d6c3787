// Elementwise operations on elements of one shape that have been put off, to run as one kernel: on tensors, and on what
// earlier ones of them compute.
import { origin } from "../device/origins.ts";
import type { Execution } from "../device/execution.ts";
import { DeviceArray, viewOf } from "../memory/array.ts";
import { factsOf, wideOf, type DType } from "../memory/dtype.ts";
import { stretch, type Shape } from "../memory/shape.ts";
import type { Storage } from "../memory/storage.ts";
import type { Computation, Element, Operand, Scalar } from "../ops/core/operation.ts";
import type { ParameterKind } from "../ops/kernels/library.ts";
import { sameShape } from "../ops/kernels/map.ts";
import { recast, stepOf, wideName, type OperandView } from "./program.ts";

/** Of one kernel, whose parameters have 4 KB. */
const most = { operations: 64, arrays: 16, numbers: 32 } as const;

/** An operation, and where its result goes. */
export interface Work {
  readonly name: string;
  readonly operation: Computation;
  readonly target: DeviceArray;
  readonly inputs: readonly Operand[];
  readonly attributes: object;
}

/** Elements that are read or written. `array` is the chain's own; `value`: the name of what they are by now. */
interface Place {
  readonly array: DeviceArray;
  value: string;
  isWritten: boolean;
}

const computes = (dtype: DType): boolean => factsOf(dtype).kind !== "complex" && factsOf(dtype).isStorage !== true;

/** Whether a functor gets a number as the operation's own kernel does. */
const isExact = (number: Scalar, dtype: DType): boolean =>
  factsOf(dtype).kind === "float" || typeof number !== "number" || Number.isInteger(number);

/** What one element of the result is; `null` where no chain takes the operation. */
function elementOf({ operation, target, inputs, attributes }: Work): Element | null {
  const element = operation.element?.(inputs, attributes);
  if (element === undefined || !target.isContiguous || !computes(target.dtype) || !computes(element.dtype)) return null;
  const isTaken = element.operands.every(([operand, as]) =>
    operand instanceof DeviceArray ? computes(operand.dtype) && computes(as) : isExact(operand, as),
  );
  return isTaken ? element : null;
}

const isSame = (a: DeviceArray, b: DeviceArray): boolean =>
  a.dtype === b.dtype && a.offset === b.offset && sameShape(a.shape, b.shape) && sameShape(a.strides, b.strides);

export class Chain implements Disposable {
  readonly on: Execution;
  readonly shape: Shape;
  readonly works: Work[] = [];
  /** The C++ of what is computed. */
  readonly lines: string[] = [];
  readonly operands: OperandView[] = [];
  readonly numbers: Scalar[] = [];
  readonly numberKinds: ParameterKind[] = [];
  /** Of the last operation's line in the user's code. */
  origin = 0;
  readonly #places = new Map<Storage, Place[]>();
  readonly #written: Place[] = [];

  constructor(on: Execution, shape: Shape) {
    this.on = on;
    this.shape = shape;
  }

  /** Whether it does the operation's work, too. */
  add(work: Work): boolean {
    const element = elementOf(work);
    if (element === null || !this.#admits(work, element)) return false;
    const { name, operation, target, inputs, attributes } = work;
    const own = inputs.map((input) => (input instanceof DeviceArray ? this.#placeOf(input).array : input));
    const values = element.operands.map(([operand, as]) =>
      operand instanceof DeviceArray
        ? recast(this.#placeOf(operand).value, operand.dtype, as)
        : this.#number(operand, as),
    );
    const value = this.#line(target.dtype, resultOf(element, values, target.dtype));
    this.works.push({ name, operation, target: this.#write(target, value), inputs: own, attributes });
    this.origin = origin.current;
    return true;
  }

  /** What it has computed that somebody else can see, with the names of the values. */
  results(): { readonly array: DeviceArray; readonly value: string }[] {
    return this.#written.filter(({ array }) => array.living().holders > 1);
  }

  /** Does something that writes what it writes. Whoever counts writes has counted them when they were put off. */
  uncounted(write: () => void): void {
    const storages = this.#written.map(({ array }) => array.living());
    const versions = storages.map(({ version }) => version);
    const { current } = origin;
    origin.current = this.origin;
    try {
      write();
    } finally {
      origin.current = current;
      storages.forEach((storage, at) => (storage.version = versions[at]!));
    }
  }

  /** Ends its hold on all memory. */
  [Symbol.dispose](): void {
    for (const { array } of [...this.#places.values()].flat()) array.dispose();
  }

  #admits({ target, inputs }: Work, element: Element): boolean {
    const arrays = inputs.filter((input) => input instanceof DeviceArray);
    const numbers = element.operands.length - arrays.length;
    return (
      this.works.length < most.operations &&
      this.operands.length + arrays.length + this.#written.length < most.arrays &&
      this.numbers.length + numbers <= most.numbers &&
      sameShape(target.shape, this.shape) &&
      arrays.every((array) => this.#canRead(array) && (array.storage !== target.storage || isSame(array, target))) &&
      this.#placesIn(target).every(({ array }) => isSame(array, target))
    );
  }

  /** Each element is read where the kernel is at it, and what it has written there is known. */
  #canRead(array: DeviceArray): boolean {
    const isKnown = this.#placesIn(array).every((place) => !place.isWritten || isSame(place.array, array));
    return isKnown && stepOf(stretch(array, this.shape), { shape: this.shape, axis: null }) !== null;
  }

  #placesIn(array: DeviceArray): readonly Place[] {
    return this.#places.get(array.living()) ?? [];
  }

  #hold(array: DeviceArray, value: string): Place {
    const place = { array: viewOf(array, array), value, isWritten: false };
    const storage = array.living();
    this.#places.set(storage, [...(this.#places.get(storage) ?? []), place]);
    return place;
  }

  #placeOf(array: DeviceArray): Place {
    const known = this.#placesIn(array).find((place) => isSame(place.array, array));
    if (known !== undefined) return known;
    const value = this.#line(array.dtype, `widen(e.x${this.operands.length})`);
    const place = this.#hold(array, value);
    const view = stretch(array, this.shape);
    const step = stepOf(view, { shape: this.shape, axis: null })!;
    this.operands.push({ array: place.array, view, step, gathered: false });
    return place;
  }

  #write(target: DeviceArray, value: string): DeviceArray {
    target.living().version += 1;
    const place = this.#placesIn(target)[0] ?? this.#hold(target, value);
    if (!this.#written.includes(place)) this.#written.push(place);
    place.value = value;
    place.isWritten = true;
    return place.array;
  }

  #number(value: Scalar, as: DType): string {
    this.numbers.push(typeof value === "boolean" ? Number(value) : value);
    this.numberKinds.push(wideOf(as));
    return `n${this.numbers.length - 1}`;
  }

  #line(dtype: DType, expression: string): string {
    const name = `v${this.lines.length}`;
    this.lines.push(`const ${wideName(dtype)} ${name} = ${expression};`);
    return name;
  }
}

/** Rounded as an array of the result's dtype would be. */
function resultOf({ functor, dtype }: Element, values: readonly string[], result: DType): string {
  const made = `${functor}::of(${values.join(", ")})`;
  if (result === "bool") return made;
  if (factsOf(result).bytes < 4) return `widen(narrow<${factsOf(result).c}>(${made}))`;
  return functor === "Same" ? made : recast(made, dtype, result);
}
