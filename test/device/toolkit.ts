// Cells that include headers of the CUDA toolkit: on a GPU those may be missing, and then the cell must be told so.
import { expect } from "vitest";
import { compile, type Kernel } from "../../native/lib/index.ts";
import { CompileError } from "../../native/lib/errors.ts";

const said = new Set<string>();

/**
 * The kernel `name` of a source; `null` on a GPU without the headers that the source includes, which is checked and
 * said.
 */
export async function kernelOf(source: string, device: string, name = "k"): Promise<Kernel<unknown[]> | null> {
  try {
    return (await compile(source, { device })).kernels[name] as Kernel<unknown[]>;
  } catch (error) {
    if (device === "cpu" || !(error instanceof CompileError)) throw error;
    const missing = /(\S+) comes with the headers of the CUDA toolkit, which are not installed/.exec(error.message);
    if (missing === null) throw error;
    expect(source).toContain(`#include <${missing[1]}>`);
    if (!said.has(missing[1]!)) console.log(`Not run on ${device}: ${missing[0]}.`);
    said.add(missing[1]!);
    return null;
  }
}
