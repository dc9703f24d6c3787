// Runs a `%%cuda` cell: its kernels become constants of the notebook.
import { randomUUID } from "node:crypto";
import type { Cell } from "../language/cell.ts";
import type { CellResult, Run } from "./run.ts";

/** Rejects with the library's CompileError, which shows each line of the cell that is wrong, and with what its compile throws otherwise. */
export async function runCuda(
  cell: Extract<Cell, { language: "cuda" }>,
  { session, request, ran }: Run,
): Promise<CellResult> {
  const { warpcell } = await session.library.load();
  session.cells.add(ran);
  const options = { name: ran.label, ...cell.options } as Parameters<typeof warpcell.compile>[1];
  const module = await warpcell.compile(cell.code, options);

  const kernels = Object.entries(module.kernels);
  for (const [name, kernel] of kernels) session.slots.define(name, kernel);
  session.output.send({ type: "declared", request: request.id, declarations: [...module.declarations] });
  if (cell.options.verbose || /\bwarning\b/.test(module.log))
    session.output.write("stderr", module.log.endsWith("\n") ? module.log : `${module.log}\n`);
  if (cell.options.profile) session.profiles.watch(module);
  session.profiles.showKernels(module, randomUUID());
  return {};
}
