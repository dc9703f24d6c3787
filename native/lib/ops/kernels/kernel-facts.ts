// What the files of device/ops say and the library must know, such as the threads of a block or the bytes of a state:
// constants of their C++, whose values the compiler gives when the library's kernels are built.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { WarpcellError } from "../../errors.ts";
import { factsOf, type DType } from "../../memory/dtype.ts";
import { kernelsFolder } from "../../wire/binding.ts";
import type { ByBlock } from "./blocks.ts";

/** A constant, as C++ that stands at the end of its file; by {@link differing} where it is not the same in both. */
type FactText = string | { readonly differing: string };
type FactTexts = Readonly<Record<string, FactText>>;
type FactValues<T extends FactTexts> = { readonly [N in keyof T]: T[N] extends string ? number : ByBlock<number> };

export const differing = (text: string) => ({ differing: text });

/** `dtype`: of the unit that has it; `null`: all of the file. */
interface Fact {
  readonly text: FactText;
  readonly dtype: DType | null;
}
const factsOfFiles = new Map<string, Fact[]>();

function register(file: string, dtype: DType | null, texts: FactTexts): void {
  let known = factsOfFiles.get(file);
  if (known === undefined) factsOfFiles.set(file, (known = []));
  for (const text of Object.values(texts)) known.push({ text, dtype });
}

const spelled = (text: FactText) => (typeof text === "string" ? text : text.differing);

/** The constants of every file, as C++, for what has a compiler work them out. */
export function factTexts(): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...factsOfFiles].map(([file, facts]) => [file, [...new Set(facts.map(({ text }) => spelled(text)))]]),
  );
}

/** Values by file and C++: one, or both where they differ. */
export type StoredFacts = Readonly<Record<string, Readonly<Record<string, number | ByBlock<number>>>>>;

export const factsFile = (folder = kernelsFolder) => `${folder}facts.json`;

/** What the build has worked out. Throws WarpcellError where that is not all that the library must know. */
export function readFacts(path = factsFile()): StoredFacts {
  const again = `Build the library again: npm run build.`;
  if (!existsSync(path))
    throw new WarpcellError("LIBRARY", `There is no ${path}, with the numbers of the library's kernels. ${again}`);
  const stored = JSON.parse(readFileSync(path, "utf8")) as StoredFacts;
  for (const [file, facts] of factsOfFiles)
    for (const { text } of facts) {
      const value = stored[file]?.[spelled(text)];
      const both = bothOf(value);
      if (both === null)
        throw new WarpcellError(
          "LIBRARY",
          `${path} does not say what ${spelled(text)} of ${file}.cu is: it is of another version. ${again}`,
        );
      if (typeof text === "string" && both.serial !== both.threads)
        throw new WarpcellError(
          "LIBRARY",
          `${text} of ${file}.cu is ${both.serial} where one thread has a block and ${both.threads} where many do: ask for it by differing(…).`,
        );
    }
  return stored;
}

const isNumber = (value: unknown) => typeof value === "number" && Number.isInteger(value);

/** What a constant is in both cases; `null` for anything but whole numbers. */
function bothOf(value: number | Partial<ByBlock<number>> | undefined): ByBlock<number> | null {
  const both = typeof value === "number" ? { serial: value, threads: value } : value;
  return isNumber(both?.serial) && isNumber(both?.threads) ? (both as ByBlock<number>) : null;
}

let stored: StoredFacts | undefined;
const valueOf = (file: string, text: string): ByBlock<number> => bothOf((stored ??= readFacts())[file]![text])!;

function valuesOf<T extends FactTexts>(file: string, texts: T): FactValues<T> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const both = valueOf(file, spelled(text));
      return [name, typeof text === "string" ? both.serial : both];
    }),
  ) as FactValues<T>;
}

/** Constants of a file by the names that the library has for them; they are read when they are first asked for. */
export function kernelFacts<const T extends FactTexts>(file: string, texts: T): () => FactValues<T> {
  register(file, null, texts);
  let known: FactValues<T> | undefined;
  return () => (known ??= valuesOf(file, texts));
}

/** The same for constants that depend on the dtype that kernels are made for; `type` is its name in C++. */
export function kernelFactsByDType<const T extends FactTexts>(
  file: string,
  dtypes: readonly DType[],
  texts: (type: string, dtype: DType) => T,
): (dtype: DType) => FactValues<T> {
  for (const dtype of dtypes) register(file, dtype, texts(factsOf(dtype).c, dtype));
  const known = new Map<DType, FactValues<T>>();
  return (dtype) => {
    let values = known.get(dtype);
    if (values === undefined) known.set(dtype, (values = valuesOf(file, texts(factsOf(dtype).c, dtype))));
    return values;
  };
}

/** What stands in front of constants: they may say where a field lies in a struct. */
export const preamble = "#include <stddef.h>";
export const offsetIn = (struct: string, field: string) => `offsetof(${struct}, ${field})`;

/** A whole number as C++, which has no literal for the least one. */
const literal = (value: number) => (value < 0 ? `(${BigInt(value) + 1n}LL - 1)` : `${BigInt(value)}LL`);

/**
 * What the library takes a unit's constants for, as C++ that does not compile where one is something else: no device
 * runs kernels that were made with other numbers than those that arrays are allocated by.
 */
export function claimsOf(file: string, dtype: DType): string {
  const facts = (factsOfFiles.get(file) ?? []).filter((fact) => fact.dtype === null || fact.dtype === dtype);
  if (facts.length === 0) return "";
  const texts = new Set(facts.map(({ text }) => spelled(text)));
  const lines = (which: keyof ByBlock<number>) =>
    [...texts].map((text) => {
      const value = valueOf(file, text)[which];
      return `static_assert((long long)(${text}) == ${literal(value)}, "the library takes ${text} for ${value}: build it again");\n`;
    });
  const [serial, threads] = [lines("serial").join(""), lines("threads").join("")];
  if (serial === threads) return `${preamble}\n${serial}`;
  return `${preamble}\n#ifdef WARPCELL_SERIAL\n${serial}#else\n${threads}#endif\n`;
}

/** A mark of a unit's claims, beside what was compiled with them. */
export function markOf(file: string, dtype: DType): string {
  return createHash("sha256").update(claimsOf(file, dtype)).digest("hex").slice(0, 16);
}
