// Runs a `%%cuda` cell: its kernels become constants of the notebook.
import type { Cell } from "../language/cell.ts";
import { raw } from "./mime-bundle.ts";
import type { CellResult, Run } from "./run.ts";

type CudaModule = Awaited<ReturnType<typeof import("warpcell")["compile"]>>;
type KernelInfo = import("warpcell").Kernel["info"];

/** Rejects with the library's CompileError, which shows each line of the cell that is wrong, and with what its compile throws otherwise. */
export async function runCuda(cell: Extract<Cell, { language: "cuda" }>, { session, request, ran }: Run): Promise<CellResult> {
  const { warpcell } = await session.library.load();
  session.cells.add(ran);
  const options = { name: ran.label, ...cell.options } as Parameters<typeof warpcell.compile>[1];
  const module = await warpcell.compile(cell.code, options);

  const kernels = Object.entries(module.kernels);
  for (const [name, kernel] of kernels) session.slots.define(name, kernel);
  session.output.send({ type: "declared", request: request.id, declarations: [...module.declarations] });
  if (cell.options.verbose || /\bwarning\b/.test(module.log)) session.output.write("stderr", module.log.endsWith("\n") ? module.log : `${module.log}\n`);
  return { value: summary(module) };
}

/** A line per kernel: what it takes, what it uses where the device knows, and how long compiling took. */
function summary({ kernels, cached, milliseconds }: CudaModule): object {
  const time = cached ? "cached" : `compiled in ${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
  const lines = Object.values(kernels).map((kernel) => [String(kernel), ...("info" in kernel ? resources(kernel.info) : []), time].join(" · "));
  const plain = lines.length === 0 ? `no kernels · ${time}` : lines.join("\n");
  return raw({ "text/plain": plain });
}

function resources({ registers, shared, spillStores, spillLoads }: KernelInfo): string[] {
  const spilled = (spillStores ?? 0) + (spillLoads ?? 0);
  return [
    ...(registers === null ? [] : [`${registers} registers`]),
    ...(shared === null || shared === 0 ? [] : [`${shared} bytes shared`]),
    ...(spilled === 0 ? [] : [`${spilled} bytes spilled`]),
  ];
}
