// Runs a `%%cuda` cell with main(): a program of its own, whose output is the cell's.
import type { CudaOptions } from "../../language/cuda-options.ts";
import type { CudaSource } from "./cuda-source.ts";
import type { CellResult, Run } from "./run.ts";

/** Rejects with what the library's runProgram throws, and for a program that ends with another exit code than 0. */
export async function runProgramCell(
  options: CudaOptions,
  { code, name, includes }: Pick<CudaSource, "code" | "name" | "includes">,
  { session, request }: Pick<Run, "session" | "request">,
): Promise<CellResult> {
  const { warpcell } = await session.library.load();
  const { device, std, arch, defines, flags, fastMath, args = [] } = options;
  const stop = new AbortController();
  const given = {
    ...(device === undefined ? {} : { device }),
    ...(std === undefined ? {} : { std }),
    ...(arch === undefined ? {} : { arch }),
    name,
    defines,
    flags,
    fastMath,
    includes,
    args,
    signal: stop.signal,
    onOutput: (text: string, stream: "stdout" | "stderr") => session.output.write(stream, text),
  };
  const { exitCode, unchecked } = await session.interrupts.stoppable(
    request.id,
    () => stop.abort(),
    warpcell.runProgram(code, given),
  );
  for (const sentence of unchecked) session.output.write("stderr", `${sentence}\n`);
  if (exitCode !== 0) throw new warpcell.ProgramError("PROGRAM_EXIT", `The program ended with exit code ${exitCode}.`);
  return {};
}
