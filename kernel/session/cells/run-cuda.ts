// Runs a `%%cuda` cell: its kernels become constants of the notebook.
import { randomUUID } from "node:crypto";
import type { Cell } from "../../language/cell.ts";
import { cudaSource } from "./cuda-source.ts";
import type { CellResult, Run } from "./run.ts";
import { runProgramCell } from "./run-program.ts";
import { translateProgram } from "./translate-program.ts";

/**
 * Rejects with the library's CompileError, which shows each line of the cell that is wrong, and with what its compile
 * throws otherwise.
 */
export async function runCuda(
  cell: Extract<Cell, { language: "cuda" }>,
  { session, request, ran, guard }: Run,
): Promise<CellResult> {
  const { warpcell, host } = await session.library.load();
  session.cells.add(ran);
  const source = cudaSource(cell, ran);
  if (cell.options.cells) return translateProgram(cell, source, { session, request, ran, guard });
  if (host.isProgram(source.code)) {
    session.cells.addProgram(ran, source.code);
    return runProgramCell(cell.options, source, { session, request });
  }
  if (cell.options.args !== undefined)
    throw new warpcell.CompileError("This cell has no main(), so it takes no arguments behind --.", "");
  const { code, name, includes } = source;
  const shared = session.shared.before(code, cell.options, ran);
  const { id = null, count } = ran;
  const options = { ...cell.options, name, cell: { cell: id, count }, includes, ...shared } as Parameters<
    typeof warpcell.compile
  >[1];
  const module = await warpcell.compile(code, options);

  const kernels = Object.entries(module.kernels);
  const values = [...kernels, ...Object.entries(module.globals), ...Object.entries(module.functions)];
  for (const [name, value] of values) session.slots.define(name, value);
  const definition = { offset: null, isImport: false };
  session.names.declaredBy(ran, new Map(values.map(([name]) => [name, definition])));
  session.output.send({ type: "declared", request: request.id, declarations: [...module.declarations] });
  const said = cell.options.verbose ? module.log + module.warnings : module.warnings;
  if (said !== "") session.output.write("stderr", said.endsWith("\n") ? said : `${said}\n`);
  if (cell.options.profile) session.profiles.watch(module);
  const { declared, told } = session.shared.take(source, ran, module);
  session.cells.addDeclared(ran, declared);
  if (kernels.length > 0 || told === "") session.profiles.showKernels(module, randomUUID());
  if (told !== "") session.output.write("stdout", told);
  return {};
}
