// Runs a `%%cuda` cell: its kernels become constants of the notebook. It must not know how CUDA is compiled.
import type { Cell } from "../language/cell.ts";
import type { CellPlace } from "./cell-registry.ts";
import type { CellResult, Run } from "./languages.ts";
import { escape, raw } from "./mime-bundle.ts";

type CudaModule = Awaited<ReturnType<typeof import("warpcell")["compile"]>>;
type KernelInfo = import("warpcell").Kernel["info"];

/** A compile error knows where in the source each message points. */
interface Diagnosed { diagnostics: { line: number; column: number; severity: string; message: string }[]; }

/** Rejects with the library's CompileError, placed at the line of the cell, and with what its compile throws otherwise. */
export async function runCuda(cell: Extract<Cell, { language: "cuda" }>, { session, request, ran }: Run): Promise<CellResult> {
  const { warpcell } = await session.library.load();
  session.cells.add(ran);
  const module = await warpcell.compile(cell.code, cell.options as Parameters<typeof warpcell.compile>[1]).catch((error: unknown) => {
    const place = firstError(error);
    if (place !== undefined) session.tracebacks.place(error, { cell: ran, ...place });
    throw error;
  });

  const kernels = Object.entries(module.kernels);
  for (const [name, kernel] of kernels) session.slots.define(name, kernel);
  session.output.send({ type: "declared", request: request.id, declarations: [...module.declarations] });
  if (cell.options.verbose || /\bwarning\b/.test(module.log)) session.output.write("stderr", module.log.endsWith("\n") ? module.log : `${module.log}\n`);
  return { value: summary(module) };
}

function firstError(error: unknown): Omit<CellPlace, "cell"> | undefined {
  if (typeof error !== "object" || error === null || !("diagnostics" in error)) return undefined;
  const { diagnostics } = error as Diagnosed;
  const first = diagnostics.find(({ severity }) => severity.includes("error")) ?? diagnostics[0];
  return first && { line: first.line, column: Math.max(1, first.column) };
}

/** A line per kernel: what it takes, what it uses where the device knows, and how long compiling took. */
function summary({ kernels, cached, milliseconds }: CudaModule): object {
  const time = cached ? "cached" : `compiled in ${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
  const lines = Object.values(kernels).map((kernel) => [String(kernel), ...("info" in kernel ? resources(kernel.info) : []), time].join(" · "));
  const plain = lines.length === 0 ? `no kernels · ${time}` : lines.join("\n");
  return raw({ "text/plain": plain, "text/html": `<pre>${escape(plain)}</pre>` });
}

function resources({ registers, shared, spillStores, spillLoads }: KernelInfo): string[] {
  const spilled = (spillStores ?? 0) + (spillLoads ?? 0);
  return [
    ...(registers === null ? [] : [`${registers} registers`]),
    ...(shared === null || shared === 0 ? [] : [`${shared} bytes shared`]),
    ...(spilled === 0 ? [] : [`${spilled} bytes spilled`]),
  ];
}
