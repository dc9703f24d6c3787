// Writes the CUDA C++ of a fused kernel: its operands as a struct, what is computed for each element, and what is
// reduced between.
import { factsOf, type DType } from "../memory/dtype.ts";
import type { ParameterKind } from "../ops/kernels/library.ts";
import type { OperandView, Space, Stage, Step } from "./program.ts";

export interface KernelParts {
  readonly space: Space;
  readonly operands: readonly OperandView[];
  readonly steps: readonly Step[];
  readonly numberKinds: readonly ParameterKind[];
  readonly final: { readonly lines: readonly string[]; readonly value: string };
  /** The result has one number a row. */
  readonly isRow: boolean;
  /** Rows can be made in parts. */
  readonly splits: boolean;
  readonly out: DType;
}

export const numberTypes: Partial<Record<ParameterKind, string>> = {
  f32: "float",
  f64: "double",
  i32: "int",
  u32: "uint",
  i64: "int64",
  u64: "uint64",
};

/** Elements of a 16-byte load of the widest type. */
export function packWidth(dtypes: readonly DType[]): number {
  return 16 / Math.max(...dtypes.map((dtype) => factsOf(dtype).bytes));
}
/** The same for a result and operands. */
export function widthOf(operands: readonly OperandView[], out: DType): number {
  return packWidth([out, ...operands.map(({ array }) => array.dtype)]);
}

const pointersOf = (operands: readonly OperandView[]) =>
  operands.map(({ array }, at) => `const ${factsOf(array.dtype).c}* x${at}`);

/** The operands' elements, and where they lie. */
export function operandsText(operands: readonly OperandView[], width: number): string {
  return [
    "#include <warpcell/fused.cuh>",
    "using namespace warpcell;",
    "",
    `struct Elements { ${operands.map(({ array }, at) => `${factsOf(array.dtype).c} x${at};`).join(" ")} };`,
    "struct Row {",
    `  static constexpr int width = ${width};`,
    `  ${pointersOf(operands)
      .map((pointer) => `${pointer};`)
      .join(" ")}`,
    `  __device__ inline Elements at(long long i) const { return {${operands.map(({ step }, at) => `x${at}[${step === 1 ? "i" : "0"}]`).join(", ")}}; }`,
    "  struct Packs {",
    `    ${operands.map(({ array, step }, at) => (step === 1 ? `Pack<${factsOf(array.dtype).c}, width> x${at};` : `${factsOf(array.dtype).c} x${at};`)).join(" ")}`,
    `    __device__ inline Elements at(int e) const { return {${operands.map(({ step }, at) => (step === 1 ? `x${at}.element[e]` : `x${at}`)).join(", ")}}; }`,
    "  };",
    `  __device__ inline Packs packs(long long i) const { return {${operands.map(({ array, step }, at) => (step === 1 ? `*(const Pack<${factsOf(array.dtype).c}, width>*)(x${at} + i)` : `x${at}[0]`)).join(", ")}}; }`,
    "};",
    "",
  ].join("\n");
}

export function kernelText(parts: KernelParts): string {
  const { operands, numberKinds, out, space, splits } = parts;
  const numbers = numberKinds.map((kind, at) => `${numberTypes[kind]} n${at}`);
  const parameters = [...pointersOf(operands), ...numbers].join(", ");
  const count = operands.length;
  const kernels =
    space.axis === null
      ? [mapKernel(parts, parameters)]
      : [rowKernel(parts, parameters), ...(splits ? [joinKernel(parts, parameters)] : [])];
  return [operandsText(operands, widthOf(operands, out)), ...kernels.map((kernel) => `${kernel}\n`)]
    .join("\n")
    .replace(/\bLayout<N>/g, `Layout<${space.axis === null ? count + 1 : count}>`)
    .replace(/\bOffsets<N>/g, `Offsets<${space.axis === null ? count + 1 : count}>`);
}

const rowOf = (count: number, first: number) =>
  `Row{${Array.from({ length: count }, (_, at) => `x${at} + at.at[${at + first}]`).join(", ")}}`;

function lambda(lines: readonly string[], value: string, indent: string): string {
  return `[=](const Elements& e) {\n${[...lines, `return ${value};`].map((line) => `${indent}  ${line}`).join("\n")}\n${indent}}`;
}

function mapKernel({ operands, final }: KernelParts, parameters: string): string {
  return `template <class Out> __global__ void fused(Layout<N> layout, long long count, int packed, Out* out, ${parameters}) {
  fused_map<Row>(layout, count, packed, out, [&](const Offsets<N>& at) { return ${rowOf(operands.length, 1)}; }, ${lambda(final.lines, final.value, "  ")});
}`;
}

const finished = ({ id, functor, parameter, dtype }: Stage, state: string) =>
  `const Wide<${factsOf(dtype).c}> r${id} = Wide<${factsOf(dtype).c}>(${functor}::finish(${state}, ${parameter}));`;

function rowKernel({ operands, steps, final, isRow, splits }: KernelParts, parameters: string): string {
  const lines: string[] = [];
  for (const step of steps) {
    if ("line" in step) {
      lines.push(step.line);
      continue;
    }
    const { stage } = step;
    const range = splits
      ? "at % parts * chunk, length - at % parts * chunk < chunk ? length - at % parts * chunk : chunk"
      : "0, length";
    lines.push(
      `const auto s${stage.id} = fused_reduce<${stage.functor}>(team, row, ${range}, packed, ${lambda(stage.lines, stage.value, "    ")});`,
    );
    if (splits) lines.push("if (states != nullptr) {", "  if (team.thread == 0) states[at] = s0;", "  return;", "}");
    lines.push(finished(stage, `s${stage.id}`));
  }
  lines.push(
    isRow
      ? `if (team.thread == 0) out[line] = narrow<Out>(${final.value});`
      : `fused_row(team, row, length, packed, out + line * length, ${lambda(final.lines, final.value, "    ")});`,
  );
  const split = splits ? "long long parts, long long chunk, " : "";
  const states = splits ? `, ${stateType(steps)}* states` : "";
  return `template <class Out> __global__ void fused(Layout<N> layout, long long rows, long long length, ${split}int packed, int by_warp, Out* out${states}, ${parameters}) {
  for_parts(rows${splits ? " * parts" : ""}, by_warp, [&](Team team, long long at) {
    const long long line = at${splits ? " / parts" : ""};
    const Row row = ([&](const Offsets<N>& at) { return ${rowOf(operands.length, 0)}; })(offsets(layout, line));
${lines.map((line) => `    ${line}`).join("\n")}
  });
}`;
}

const stateType = (steps: readonly Step[]) =>
  `${steps.flatMap((step) => ("stage" in step ? [step.stage.functor] : []))[0]!}::State`;

function joinKernel({ operands, steps, final }: KernelParts, parameters: string): string {
  const lines = steps.map((step) =>
    "line" in step ? step.line : finished(step.stage, `joined<${step.stage.functor}>(states + line * parts, parts)`),
  );
  return `template <class Out> __global__ void join(Layout<N> layout, long long rows, long long parts, const ${stateType(steps)}* states, Out* out, ${parameters}) {
  for_each_row(rows, [&](long long line) {
    const Row row = ([&](const Offsets<N>& at) { return ${rowOf(operands.length, 0)}; })(offsets(layout, line));
${lines.map((line) => `    ${line}`).join("\n")}
    out[line] = narrow<Out>(${final.value});
  });
}`;
}
