// The words by which a source tells that it uses a header: those that the header's file declares, or a table has of
// headers of CUDA and C++.
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { deviceSources } from "../wire/binding.ts";
import { lastName, piecesOf } from "./pieces.ts";

/** By the header's name; the first row that matches counts. */
const rows: readonly (readonly [header: RegExp, words: RegExp])[] = [
  [/^cuda_fp16\.h/, /half|^__h\w+$|^h(sqrt|exp|log|sin|cos|rcp|rint|floor|ceil)\w*$/],
  [/^cuda_bf16\.h/, /bfloat16|bf16|^__h\w+$/],
  [/^cuda_fp\d\.h/, /^__nv_fp|^__nv_cvt/],
  [
    /^cooperative_groups/,
    /^(cooperative_groups|cg|this_thread_block|this_grid|this_thread|tiled_partition|coalesced_threads|thread_block\w*|grid_group|this_cluster|cluster_group)$/,
  ],
  [/^mma\.h/, /^(nvcuda|wmma)$/],
  [/^curand/, /^curand/],
  [/^cuComplex\.h/, /^cu.*Complex|^cuC/],
  [/^cuda_pipeline/, /^__pipeline/],
  [/^math_constants\.h/, /^CUDART_/],
  [/^(math\.h|cmath)$/, /^(M_\w+|NAN|INFINITY|HUGE_VALF?|std)$/],
  [/^(float\.h|cfloat)$/, /^(FLT|DBL|LDBL)_/],
  [/^(limits\.h|climits)$/, /^U?(CHAR|SHRT|INT|LONG|LLONG)_(MAX|MIN|BIT)$/],
  [/^(assert\.h|cassert)$/, /^assert$/],
  [/^(stdint\.h|cstdint)$/, /^(u?int(ptr|max|_\w+)?\d*_t|U?INT\d*_(MAX|MIN|C)|SIZE_MAX|std)$/],
  [/^(stddef\.h|cstddef)$/, /^(size_t|ptrdiff_t|nullptr_t|max_align_t|offsetof|NULL|std)$/],
  [/^(stdio\.h|cstdio|stdlib\.h|cstdlib|string\.h|cstring)$/, /^(std|mem\w+|str\w+|NULL)$/],
  [/^(cuda_runtime(_api)?|cuda|device_launch_parameters|vector_types|vector_functions)\.h$/, /^\b$/],
  [/^cub\//, /^cub$/],
  [/^thrust\//, /^thrust$/],
  [/^cuda\//, /^cuda$/],
  [/^[a-z_]+$/, /^std$/],
];

/** What a word must look like to be one of the header's; `null`: a header that is not known here. */
function wordsOfHeader(header: string): RegExp | null {
  return rows.find(([name]) => name.test(header))?.[1] ?? null;
}

/**
 * Whether a source with these words uses what the lines `text` include; `folders`: where its headers are. Of a header of
 * the compiler nobody knows here what it declares: then it does.
 */
export function headerNeeded(folders: readonly string[], text: string, words: ReadonlySet<string>): boolean {
  const headers = [...text.matchAll(/#\s*include\s*([<"])([^>"\n]+)[>"]/g)];
  return headers.some(([, mark, name]) => {
    const header = name!;
    const known = wordsOfHeader(header);
    if (known !== null) return [...words].some((word) => known.test(word));
    const path = [...folders, `${deviceSources}include`]
      .map((folder) => join(folder, header))
      .find((each) => existsSync(each));
    if (path === undefined) return mark === "<";
    return declaredIn(path, folders).some((name) => words.has(name));
  });
}

const headers = new Map<string, { changed: number; names: string[] }>();

/** What a header declares, and those that it includes. */
function declaredIn(path: string, folders: readonly string[], depth = 0): string[] {
  const changed = statSync(path).mtimeMs;
  const known = headers.get(path);
  if (known?.changed === changed) return known.names;
  const pieces = piecesOf(readFileSync(path, "utf8"));
  const inner = pieces.flatMap(({ text }) =>
    [...text.matchAll(/^\s*#\s*include\s*"([^"\n]+)"/gm)].flatMap(([, name]) => {
      const found = [join(path, ".."), ...folders]
        .map((folder) => join(folder, name!))
        .find((each) => existsSync(each));
      return found === undefined || depth > 8 ? [] : declaredIn(found, folders, depth + 1);
    }),
  );
  const names = [...pieces.flatMap((piece) => piece.names.map(lastName)), ...inner];
  headers.set(path, { changed, names });
  return names;
}
