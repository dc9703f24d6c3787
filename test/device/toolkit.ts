// Cells that include headers of the CUDA toolkit: on a GPU those may be missing, and then the cell must be told so.
import { expect } from "vitest";
import { compile, type Kernel } from "../../native/lib/index.ts";
import { CompileError } from "../../native/lib/errors.ts";

const said = new Set<string>();

type Kernels = Record<string, Kernel<unknown[]>>;

/** The kernel `k` of a source, or what kernelsOf says of it. */
export async function kernelOf(source: string, device: string): Promise<Kernel<unknown[]> | null> {
  const kernels = await kernelsOf(source, device);
  return kernels === null ? null : kernels["k"]!;
}

/** The kernels of a source; `null` on a GPU without the headers that the source includes, which is checked and said. */
export async function kernelsOf(source: string, device: string): Promise<Kernels | null> {
  try {
    return (await compile(source, { device })).kernels as Kernels;
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
