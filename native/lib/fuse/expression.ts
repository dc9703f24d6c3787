// The C++ of what a traced function makes of one element: lines of a function whose members are tensors and numbers that
// it captures.
import { TensorError } from "../errors.ts";
import { factsOf, wideOf, type DType } from "../memory/dtype.ts";
import { formatShape, stretch, type Shape } from "../memory/shape.ts";
import type { DeviceArray } from "../memory/array.ts";
import type { Operand, Scalar } from "../ops/core/operation.ts";
import type { LibraryArgument, ParameterKind } from "../ops/kernels/library.ts";
import { sameShape } from "../ops/kernels/map.ts";
import { leafOf, recast, viewThrough, wideName } from "./program.ts";
import { numberTypes } from "./text.ts";
import { Traced } from "./traced.ts";

/** A parameter of a kernel, and a member of the struct that it goes to. */
export interface Member {
  readonly type: string;
  readonly name: string;
  readonly kind: ParameterKind;
  readonly value: LibraryArgument;
}

/** The name of what a tensor is taken from by index, in a trace that allows it: its leaf, then the index. */
export const taken = "takeAxis";

/**
 * `space`: the shape that elements are of, over whose axes tensors are broadcast; `places`: what an element's index
 * along each is called; `given`: leaves that are arguments of the function, by their names.
 */
export class Expressions {
  readonly members: Member[] = [];
  readonly #space: Shape;
  readonly #places: readonly string[];
  readonly #given: ReadonlyMap<number, string>;

  constructor(space: Shape, places: readonly string[], given: ReadonlyMap<number, string>) {
    this.#space = space;
    this.#places = places;
    this.#given = given;
  }

  /** Lines, and the value of the element. Throws TensorError for what no single element is computed by. */
  of(traced: Traced): { readonly lines: readonly string[]; readonly value: string } {
    const lines: string[] = [];
    const known = new Map<number, string>();
    const line = (dtype: DType, expression: string): string => {
      const name = `v${lines.length}`;
      lines.push(`const ${wideName(dtype)} ${name} = ${expression};`);
      return name;
    };
    const value = (of: Traced): string => {
      let name = known.get(of.id);
      if (name === undefined) known.set(of.id, (name = computed(of)));
      return name;
    };
    const operand = (of: Operand, as: DType): string =>
      of instanceof Traced ? recast(value(of), of.dtype, as) : this.#number(of as Scalar, wideOf(as));
    const computed = (of: Traced): string => {
      const { node } = of;
      const leaf = leafOf(of);
      if (leaf !== null && !this.#given.has(leaf)) return line(of.dtype, this.#load(of, leaf));
      if (node.kind === "leaf") return line(of.dtype, `${wideName(of.dtype)}(${this.#given.get(node.leaf)!})`);
      if (node.kind === "same") {
        if (node.how === "reshape" && !sameShape(this.#padded(of.shape), this.#padded(node.input.shape)))
          throw new TensorError(
            "FUSE",
            `reshape cannot be compiled: it moves axes of ${formatShape(node.input.shape)} to those of ${formatShape(of.shape)}.`,
          );
        return value(node.input);
      }
      if (node.kind === "reduce")
        throw new TensorError("FUSE", `${node.name} cannot be compiled: it needs more than one element.`);
      const { functor, operands, dtype } = node.element;
      if (node.name === taken) return line(of.dtype, this.#taken(operands[0]![0] as Traced, operand(...operands[1]!)));
      const made = `${functor}::of(${operands.map(([each, as]) => operand(each, as)).join(", ")})`;
      return line(of.dtype, of.dtype === "bool" || functor === "Same" ? made : recast(made, dtype, of.dtype));
    };
    const result = value(traced);
    return { lines, value: result };
  }

  #padded(shape: Shape): Shape {
    return [...Array<number>(Math.max(0, this.#space.length - shape.length)).fill(1), ...shape];
  }

  #member(type: string, prefix: string, kind: ParameterKind, value: LibraryArgument): string {
    const name = `${prefix}${this.members.length}`;
    this.members.push({ type, name, kind, value });
    return name;
  }
  /** A tensor of bools and numbers that go to the function beside the traced ones; their names. */
  take(array: DeviceArray, numbers: readonly number[]): string[] {
    return [this.#array(array), ...numbers.map((each) => this.#number(each, "i64"))];
  }
  #number(value: Scalar, kind: ParameterKind): string {
    const number = typeof value === "boolean" ? Number(value) : value;
    return this.#member(numberTypes[kind]!, "n", kind, number);
  }
  #array(array: DeviceArray): string {
    const known = this.members.find(({ value }) => value === array);
    return known?.name ?? this.#member(`const ${factsOf(array.dtype).c}*`, "x", "place", array);
  }

  #load(traced: Traced, leaf: number): string {
    const array = traced.tracing.leaves[leaf]!;
    const { strides } = stretch(viewThrough(traced, array), this.#space);
    const terms = strides.flatMap((stride, axis) =>
      stride === 0 ? [] : [`${this.#places[axis]} * ${this.#number(stride, "i64")}`],
    );
    return `widen(${this.#array(array)}[${terms.length === 0 ? "0" : terms.join(" + ")}])`;
  }

  /** An element by its index, from the end where it is negative; outside not a number, and 0 of what has none. */
  #taken(table: Traced, index: string): string {
    const array = table.tracing.leaves[leafOf(table)!]!;
    const [size, step] = [array.shape[0]!, array.strides[0]!].map((each) => this.#number(each, "i64"));
    return `taken<${wideName(table.dtype)}>(${this.#array(array)}, ${index}, ${size}, ${step})`;
  }
}
