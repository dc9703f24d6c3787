// One fused kernel on one device, and how it is launched.
import type { LoadedModule } from "../cuda/loaded-module.ts";
import type { DeviceProcess } from "../device/process.ts";
import { DeviceArray, viewOf } from "../memory/array.ts";
import { factsOf } from "../memory/dtype.ts";
import { merged, sizeOf, type View } from "../memory/shape.ts";
import { readOperand } from "../ops/core/apply.ts";
import { contiguous } from "../ops/shape/copy.ts";
import { blocksFor, onDevice, threadsOf, type Blocks } from "../ops/kernels/blocks.ts";
import { LibraryKernel, type LibraryArgument, type ParameterKind } from "../ops/kernels/library.ts";
import { flatBlocks, layoutOf } from "../ops/kernels/map.ts";
import { rowParts, serialRows } from "../ops/reduce/reduce-plans.ts";
import { Tensor } from "../tensor/tensor.ts";
import { GeneratedModule } from "./generated-module.ts";
import type { OperandView, Program } from "./program.ts";
import { widthOf } from "./text.ts";

const variants = new WeakMap<DeviceProcess, Map<string, Variant>>();

interface Kernels {
  readonly fused: LibraryKernel;
  readonly join: LibraryKernel | null;
}

export class Variant {
  readonly source: string;
  readonly #device: DeviceProcess;
  readonly #program: Pick<Program, "space" | "numberKinds" | "partBytes">;
  readonly #operandCount: number;
  readonly #module: GeneratedModule;
  #kernels: Kernels | null = null;

  private constructor(device: DeviceProcess, { source, space, numberKinds, partBytes, operands, result }: Program) {
    this.source = source;
    this.#device = device;
    this.#program = { space, numberKinds, partBytes };
    this.#operandCount = operands.length;
    // Templates, whose parameters may be of the library's own types.
    const names = (partBytes === null ? ["fused"] : ["fused", "join"]).map(
      (name) => `${name}<${factsOf(result.dtype).c}>`,
    );
    this.#module = new GeneratedModule(device, source, names, (module) => this.#load(module));
  }

  /** The variant with the program's text. */
  static of(device: DeviceProcess, program: Program): Variant {
    let known = variants.get(device);
    if (known === undefined) variants.set(device, (known = new Map()));
    let variant = known.get(program.source);
    if (variant === undefined) known.set(program.source, (variant = new Variant(device, program)));
    return variant;
  }

  /** It can run. Else its compilation begins. Throws what an earlier one failed with. */
  isReady(): boolean {
    return this.#module.isReady();
  }

  /** Resolves at the end of the compilation that is under way. */
  get compiled(): Promise<void> {
    return this.#module.compiled;
  }

  /** Compiles it now. Throws CompileError. */
  prepare(): void {
    this.#module.prepare();
  }

  #load(module: LoadedModule): void {
    const { space, numberKinds, partBytes } = this.#program;
    const operands = Array<ParameterKind>(this.#operandCount).fill("place");
    const kinds: Record<"fused" | "join", readonly ParameterKind[]> = {
      fused:
        space.axis === null
          ? ["struct", "i64", "i32", "out", ...operands, ...numberKinds]
          : [
              "struct",
              "i64",
              "i64",
              ...(partBytes === null ? [] : (["i64", "i64"] as const)),
              "i32",
              "i32",
              "out",
              ...(partBytes === null ? [] : (["out"] as const)),
              ...operands,
              ...numberKinds,
            ],
      join: ["struct", "i64", "i64", "place", "out", ...operands, ...numberKinds],
    };
    const kernel = (name: "fused" | "join", at: number) => new LibraryKernel(name, { module, index: at }, kinds[name]);
    this.#kernels = { fused: kernel("fused", 0), join: partBytes === null ? null : kernel("join", 1) };
  }

  /** Computes the program's result. It is ready. */
  run({ result, operands, numbers, space }: Program): Tensor {
    for (const { array } of operands) readOperand("a fused function", array);
    const out = Tensor.empty(this.#device, result.dtype, result.shape);
    const gathered: DeviceArray[] = [];
    const views = operands.map(({ array, view, gathered: isGathered }): { array: DeviceArray; view: View } => {
      if (!isGathered) return { array, view };
      using stretched = viewOf(array, view);
      const copy = contiguous(this.#device.execution, stretched);
      gathered.push(copy);
      return { array: copy, view: copy };
    });
    const args = [...views.map(({ array }) => array), ...(numbers as readonly (number | bigint)[])];
    if (space.axis === null) this.#map(out, operands, views, args);
    else
      this.#rows(
        out,
        operands,
        views,
        args,
        sizeOf(space.shape.slice(0, space.axis)),
        sizeOf(space.shape.slice(space.axis)),
        space.axis,
      );
    for (const copy of gathered) copy.dispose();
    return out;
  }

  #map(
    out: Tensor,
    operands: readonly OperandView[],
    views: readonly { array: DeviceArray; view: View }[],
    args: readonly LibraryArgument[],
  ): void {
    const all = [out, ...views.map(({ view }) => view)];
    const width = widthOf(operands, out.dtype);
    const { shape, strides } = merged(all);
    const isPacked =
      (shape.length <= 1 || shape.at(-1)! % width === 0) &&
      isAligned(
        operands,
        views,
        strides.slice(1).map((list) => list.slice(0, -1)),
        width,
      );
    this.#kernels!.fused.launch(this.#device.execution, flatBlocks(this.#device, out.size, 16 / width), [
      layoutOf(all),
      out.size,
      Number(isPacked),
      out,
      ...args,
    ]);
  }

  #rows(
    out: Tensor,
    operands: readonly OperandView[],
    views: readonly { array: DeviceArray; view: View }[],
    args: readonly LibraryArgument[],
    rows: number,
    length: number,
    axis: number,
  ): void {
    const width = widthOf(operands, out.dtype);
    const outer = views.map(({ view }) => ({
      shape: view.shape.slice(0, axis),
      strides: view.strides.slice(0, axis),
      offset: 0,
    }));
    const layout = layoutOf(outer);
    const isPacked = Number(isAligned(operands, views, merged(outer).strides, width));
    const { fused, join } = this.#kernels!;
    if (join === null) {
      const { byWarp, ...blocks } = rowBlocks(this.#device, rows, length, 16 / width);
      fused.launch(this.#device.execution, blocks, [layout, rows, length, isPacked, byWarp, out, ...args]);
      return;
    }
    const { parts, chunk } = rowParts(this.#device, rows, length);
    const { byWarp, ...blocks } = rowBlocks(this.#device, rows * parts, chunk, 16 / width);
    using states =
      parts === 1 ? null : DeviceArray.allocate(this.#device, "uint8", [rows * parts * this.#program.partBytes!]);
    fused.launch(this.#device.execution, blocks, [
      layout,
      rows,
      length,
      parts,
      chunk,
      isPacked,
      byWarp,
      out,
      states,
      ...args,
    ]);
    if (states !== null)
      join.launch(this.#device.execution, blocksFor(this.#device, rows, { serial: 1024, threads: rowThreads }), [
        layout,
        rows,
        parts,
        states,
        out,
        ...args,
      ]);
  }
}

// Threads of a block that works on rows.
const rowThreads = 256;

/**
 * Blocks for `count` rows, or parts of them, of `chunk` elements of `width` bytes. A warp needs no barrier; it takes
 * short rows, and longer ones where there are enough to fill the device.
 */
function rowBlocks(
  device: DeviceProcess,
  count: number,
  chunk: number,
  width: number,
): Blocks & { readonly byWarp: number } {
  const byWarp = chunk <= 1024 || (chunk * width <= 32768 && count >= device.properties.multiprocessors * 32);
  const perBlock = onDevice(device, {
    serial: serialRows(device, count, chunk),
    threads: byWarp ? rowThreads / 32 : 1,
  });
  return { grid: Math.ceil(count / perBlock), block: threadsOf(device, rowThreads), byWarp: Number(byWarp) };
}

/**
 * Whether every pack of neighbours begins at a multiple of its size. `strides`: of each operand, but along what is
 * walked.
 */
export function isAligned(
  operands: readonly OperandView[],
  views: readonly { array: DeviceArray }[],
  strides: readonly (readonly number[])[],
  width: number,
): boolean {
  return operands.every(({ step }, at) => {
    const { array } = views[at]!;
    return (
      step === 0 ||
      (array.placeLow % (width * factsOf(array.dtype).bytes) === 0 &&
        strides[at]!.every((stride) => stride % width === 0))
    );
  });
}
