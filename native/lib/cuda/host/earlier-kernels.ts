// Kernels of earlier sources for the host functions of later ones: knows each by its name in C++, with the declaration
// that host code needs of it.
import type { Kernel, KernelTemplate } from "../kernel.ts";
import { items, placed } from "../program/items.ts";
import { splitProgram } from "../program/split.ts";
import { tokenize } from "../tokens.ts";
import { hostPart } from "./find.ts";

/** A kernel that a source launches and does not declare. */
export interface EarlierKernel {
  readonly value: Kernel | KernelTemplate;
  /** Without namespaces. */
  readonly name: string;
  /** Its declaration, in its namespaces. */
  readonly declaration: string;
  /** What stands for it in host code. */
  readonly stub: string;
}

const lastName = (name: string): string => name.split("::").at(-1)!;

export class EarlierKernels {
  readonly #known = new Map<string, Kernel | KernelTemplate>();

  copy(): EarlierKernels {
    const copy = new EarlierKernels();
    for (const [name, value] of this.#known) copy.#known.set(name, value);
    return copy;
  }

  /** Takes kernels in the place of those of the same names. */
  take(values: Iterable<Kernel | KernelTemplate>): this {
    for (const value of values) this.#known.set(value.name, value);
    return this;
  }

  /** Those that the host functions of `source` may launch on the device with that name. */
  for(source: string, nameOfDevice: () => string): EarlierKernel[] {
    if (this.#known.size === 0 || hostPart(source) === null) return [];
    const { tokens } = tokenize(source);
    const words = new Set(tokens.filter((_, at) => tokens[at + 1]?.text === "<").map(({ text }) => text));
    const device = nameOfDevice();
    const own = new Set(hostPart(source)!.split.kernels);
    return [...this.#known.values()]
      .filter(({ name }) => words.has(lastName(name)) && !own.has(lastName(name)))
      .filter((value) => value.deviceName === device)
      .flatMap(asEarlier);
  }
}

/** None for a kernel that a macro or a header of its cell wrote. */
function asEarlier(value: Kernel | KernelTemplate): EarlierKernel[] {
  const { source, name } = value;
  const tokens = placed(source);
  const item = items(tokens).find(
    (each) =>
      each.annotations.has("__global__") && each.body !== null && [...each.scope, each.name].join("::") === name,
  );
  if (item === undefined) return [];
  const inside = (text: string) =>
    `${item.scope.map((space) => `namespace ${space} { `).join("")}${text}${" }".repeat(item.scope.length)}\n`;
  const head = source.slice(tokens[item.first]!.start, tokens[item.parameters![1]]!.end);
  const text = inside(`${head} {}`);
  return [{ value, name: item.name, declaration: inside(`${head};`), stub: splitProgram(text).host }];
}
