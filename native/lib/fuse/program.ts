// Writes the CUDA C++ of one kernel for the trace of a function's result, and what that kernel is launched with.
import { TensorError } from "../errors.ts";
import { factsOf, wideOf, type DType } from "../memory/dtype.ts";
import { formatShape, isContiguous, sizeOf, stretch, type Shape, type View } from "../memory/shape.ts";
import type { ParameterKind } from "../ops/kernels/library.ts";
import { sameShape } from "../ops/kernels/map.ts";
import { reducers, stateOf, type ReducerName } from "../ops/reduce/reducers.ts";
import type { DeviceArray } from "../memory/array.ts";
import type { Operand, Scalar } from "../ops/core/operation.ts";
import { kernelText } from "./text.ts";
import { Traced } from "./traced.ts";

/** What is reduced: the axes from `axis` on. */
export interface Space {
  readonly shape: Shape;
  readonly axis: number | null;
}

/**
 * A tensor as the kernel sees it: over the whole space. `step`: between neighbours along a row, 0 or 1. `gathered`: it
 * lies another way and is copied first.
 */
export interface OperandView {
  readonly array: DeviceArray;
  readonly view: View;
  readonly step: 0 | 1;
  readonly gathered: boolean;
}

export interface Stage {
  readonly lines: string[];
  readonly value: string;
  readonly functor: string;
  readonly name: string;
  readonly dtype: DType;
  readonly parameter: string;
  readonly id: number;
}

/** A step of a row: a reduction, or a line that computes with what was reduced. */
export type Step = { readonly stage: Stage } | { readonly line: string };

export interface Program {
  readonly source: string;
  readonly space: Space;
  readonly result: Traced;
  readonly operands: readonly OperandView[];
  readonly numbers: readonly Scalar[];
  readonly numberKinds: readonly ParameterKind[];
  /** The state of the one reduction, where rows may be made in parts that a second kernel joins. */
  readonly partBytes: number | null;
}

const wideNames = { f32: "float", f64: "double", i32: "int", u32: "uint", i64: "int64", u64: "uint64" } as const;
export const wideName = (dtype: DType) => wideNames[wideOf(dtype)];

/** A value of dtype `from`, in its wide type, as one of `to`. */
export function recast(value: string, from: DType, to: DType): string {
  if (from === to) return value;
  const isWhole = factsOf(to).bytes >= 4 && wideOf(from) === wideOf(to);
  return isWhole ? value : `widen(narrow<${factsOf(to).c}>(${value}))`;
}

/** Where a value is computed: for each element (of a stage, or of the result), or once a row. */
interface Scope {
  readonly lines: string[];
  readonly isRow: boolean;
  readonly known: Map<string, string>;
}

/** How a value's axes lie on the space's: at the last ones, or without those that are reduced. */
type Form = "kept" | "dropped";

const scopeOf = (isRow: boolean): Scope => ({ lines: [], isRow, known: new Map() });

class Writer {
  readonly space: Space;
  readonly operands: OperandView[] = [];
  readonly numbers: Scalar[] = [];
  readonly numberKinds: ParameterKind[] = [];
  readonly steps: Step[] = [];
  readonly #row = scopeOf(true);
  readonly #leaves: readonly DeviceArray[];
  readonly #operandNames = new Map<string, string>();
  #next = 0;

  constructor(result: Traced) {
    this.#leaves = result.tracing.leaves;
    this.space = spaceOf(result);
  }

  get #kept(): Shape {
    return this.space.shape.map((size, axis) => (axis < this.space.axis! ? size : 1));
  }
  get #dropped(): Shape {
    return this.space.shape.slice(0, this.space.axis!);
  }

  /**
   * Which of a row's shapes a value that depends on a reduction has; `null`: it has an element for each of the space.
   */
  rowForm({ shape, isReduced }: Traced): Form | null {
    if (!isReduced || this.space.axis === null) return null;
    if (sameShape(shape, this.#kept)) return "kept";
    return sameShape(shape, this.#dropped) ? "dropped" : null;
  }

  /** The lines and the value of the elements of `traced`. */
  elements(traced: Traced): { lines: string[]; value: string } {
    const scope = scopeOf(false);
    const value = this.#value(traced, "kept", scope);
    return { lines: scope.lines, value };
  }

  /** The value of a row. */
  ofRow(traced: Traced): string {
    return this.#value(traced, this.rowForm(traced)!, this.#row);
  }

  #value(traced: Traced, form: Form, asked: Scope): string {
    const own = this.rowForm(traced);
    if (own !== null) {
      // Of one element, or with as many axes either way, both forms are one.
      const isEither = sizeOf(traced.shape) === 1 || sameShape(this.#kept, this.#dropped);
      if (own !== form && !isEither) throw refusalOfShape(traced, this.space);
    } else if (traced.isReduced && !sameShape(traced.shape, this.space.shape)) throw refusalOfShape(traced, this.space);
    const scope = own !== null ? this.#row : asked;
    const key = `${traced.id} ${form}`;
    let name = scope.known.get(key);
    if (name === undefined) scope.known.set(key, (name = this.#computed(traced, own ?? form, scope)));
    return name;
  }

  #computed(traced: Traced, form: Form, scope: Scope): string {
    const { node } = traced;
    if (node.kind === "same" && node.input.isReduced)
      return this.#value(node.input, this.rowForm(node.input) ?? form, scope);
    if (node.kind === "leaf" || node.kind === "same") {
      const base = leafOf(traced);
      if (base === null) return this.#value((node as { input: Traced }).input, form, scope);
      return this.#load(base, traced, form, scope);
    }
    if (node.kind === "reduce") return this.#reduced(traced, node);
    const { functor, operands, dtype } = node.element;
    const values = operands.map(([operand, as]) => this.#operand(operand, as, form, scope));
    const made = `${functor}::of(${values.join(", ")})`;
    const isBool = traced.dtype === "bool";
    return this.#line(
      scope,
      wideName(traced.dtype),
      isBool || functor === "Same" ? made : recast(made, dtype, traced.dtype),
    );
  }

  #operand(operand: Operand, as: DType, form: Form, scope: Scope): string {
    if (operand instanceof Traced) return recast(this.#value(operand, form, scope), operand.dtype, as);
    return this.number(operand as Scalar, wideOf(as));
  }

  number(value: Scalar, kind: ParameterKind): string {
    this.numbers.push(typeof value === "boolean" ? Number(value) : value);
    this.numberKinds.push(kind);
    return `n${this.numbers.length - 1}`;
  }

  #line(scope: Scope, type: string, expression: string): string {
    const name = `v${this.#next++}`;
    const line = `const ${type} ${name} = ${expression};`;
    if (scope.isRow) this.steps.push({ line });
    else scope.lines.push(line);
    return name;
  }

  #load(leaf: number, traced: Traced, form: Form, scope: Scope): string {
    const array = this.#leaves[leaf]!;
    const view = this.#viewOver(viewThrough(traced, array), form);
    const key = `${leaf} ${view.strides.join(" ")}`;
    let name = this.#operandNames.get(key);
    if (name === undefined) {
      name = `x${this.operands.length}`;
      this.#operandNames.set(key, name);
      const step = stepOf(view, this.space);
      this.operands.push(
        step === null ? { array, view, step: 1, gathered: true } : { array, view, step, gathered: false },
      );
    }
    return this.#line(scope, wideName(traced.dtype), `widen(${scope.isRow ? "row.at(0)" : "e"}.${name})`);
  }

  #viewOver(view: View, form: Form): View {
    if (form === "kept") return stretch(view, this.space.shape);
    const missing = this.space.shape.length - this.space.axis!;
    const extended = {
      shape: [...view.shape, ...Array<number>(missing).fill(1)],
      strides: [...view.strides, ...Array<number>(missing).fill(0)],
      offset: view.offset,
    };
    return stretch(extended, this.space.shape);
  }

  #reduced(
    traced: Traced,
    { reducing: { reducer, parameter }, name, input }: Extract<Traced["node"], { kind: "reduce" }>,
  ): string {
    const { lines, value } = this.elements(input);
    const id = this.steps.filter((step) => "stage" in step).length;
    const functor = `${reducers[reducer as ReducerName].functor}<${factsOf(input.dtype).c}>`;
    this.steps.push({
      stage: { lines, value, functor, name, dtype: traced.dtype, parameter: this.number(parameter, "f64"), id },
    });
    return `r${id}`;
  }
}

function refusalOfShape({ shape, node }: Traced, space: Space): TensorError {
  const what = node.kind === "same" ? node.how : node.kind === "leaf" ? "an operand" : node.name;
  return new TensorError(
    "FUSE",
    `${what} cannot be fused here: its result of shape ${formatShape(shape)} is computed from a reduction over rows of ${formatShape(space.shape)}, and is neither one number per row nor one per element. Reduce with { keepdims: true }, or do it after the fused function.`,
  );
}

/** The number of the tensor that `traced` shows; `null` for one that is computed. */
export function leafOf(traced: Traced): number | null {
  for (let at = traced; ; at = at.node.input) {
    if (at.node.kind === "leaf") return at.node.leaf;
    if (at.node.kind !== "same") return null;
  }
}

/** What `traced` shows of a tensor. */
export function viewThrough(traced: Traced, array: DeviceArray): View {
  const { node, shape } = traced;
  if (node.kind !== "same") return array;
  const view = viewThrough(node.input, array);
  if (node.how === "expand") return stretch(view, shape);
  const strides = view.strides.filter((_, axis) => view.shape[axis] !== 1);
  let next = 0;
  return { shape, strides: shape.map((size) => (size === 1 ? 0 : strides[next++]!)), offset: view.offset };
}

/**
 * Between neighbours along what a kernel walks: the reduced axes, or the last one. `null`: neither all in a row nor all
 * the same.
 */
export function stepOf({ shape, strides }: View, { axis }: Space): 0 | 1 | null {
  const walked = shape.map((_, at) => at).filter((at) => shape[at] !== 1);
  const axes = axis === null ? walked.slice(-1) : walked.filter((at) => at >= axis);
  if (axes.length === 0) return axis === null ? 1 : 0;
  if (axes.every((at) => strides[at] === 0)) return 0;
  return isContiguous(
    axes.map((at) => shape[at]!),
    axes.map((at) => strides[at]!),
  )
    ? 1
    : null;
}

function spaceOf(result: Traced): Space {
  let space: Space | null = null;
  const seen = new Set<Traced>();
  const visit = (traced: Operand): void => {
    if (!(traced instanceof Traced) || !traced.isReduced || seen.has(traced)) return;
    seen.add(traced);
    const { node } = traced;
    if (node.kind === "element") node.element.operands.forEach(([operand]) => visit(operand));
    else if (node.kind !== "leaf") visit(node.input);
    if (node.kind !== "reduce") return;
    const { shape } = node.input;
    const { axes } = node.reducing;
    const axis = Math.min(shape.length, ...axes);
    const isLast = shape.every((size, at) => at < axis || size === 1 || axes.includes(at));
    if (!isLast)
      throw new TensorError(
        "FUSE",
        `${node.name} cannot be fused over axes ${axes.join(", ")} of ${formatShape(shape)}: fuse reduces the last axes, or all. Transpose the operands first, or reduce after the fused function.`,
      );
    const isOther =
      space !== null &&
      !(sameShape(space.shape, shape) && sizeOf(shape.slice(axis)) === sizeOf(shape.slice(space.axis!)));
    if (isOther)
      throw new TensorError(
        "FUSE",
        `${node.name} cannot be fused: it reduces ${formatShape(shape)} from axis ${axis}, another reduction of the function ${formatShape(space!.shape)} from axis ${space!.axis}. One kernel works on rows of one length.`,
      );
    space ??= { shape, axis };
  };
  visit(result);
  return space ?? { shape: result.shape, axis: null };
}

/** The program for `result`. Throws TensorError for what one kernel cannot do. */
export function programOf(result: Traced): Program {
  const writer = new Writer(result);
  const { space } = writer;
  const isRow = writer.rowForm(result) !== null;
  if (space.axis !== null && !isRow && !sameShape(result.shape, space.shape)) throw refusalOfShape(result, space);
  const final = isRow ? { lines: [], value: writer.ofRow(result) } : writer.elements(result);
  const { operands, steps, numbers, numberKinds } = writer;
  if (operands.length === 0)
    throw new TensorError(
      "FUSE",
      "The result of a function given to fuse does not depend on any element of its tensors.",
    );
  const stages = steps.flatMap((step) => ("stage" in step ? [step.stage] : []));
  const splits = isRow && stages.length === 1;
  const source = kernelText({ space, operands, steps, numberKinds, final, isRow, splits, out: result.dtype });
  const reduction = splits
    ? result.tracing.operations.find(
        ({ outputs: [output] }) =>
          output!.node.kind === "reduce" && output!.node.name === stages[0]!.name && output!.isReduced,
      )!
    : null;
  const partBytes = reduction === null ? null : partBytesOf(reduction.outputs[0]!);
  return { source, space, result, operands, numbers, numberKinds, partBytes };
}

function partBytesOf({ node }: Traced): number {
  const { reducing, input } = node as Extract<Traced["node"], { kind: "reduce" }>;
  return stateOf(reducing.reducer as ReducerName, input.dtype).bytes;
}
