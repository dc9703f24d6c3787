// The words by which a source tells that it uses a header of CUDA, of C++ or of this library.

/** By the header's name; the first row that matches counts. */
const rows: readonly (readonly [header: RegExp, words: RegExp])[] = [
  [/^cuda_fp16\.h/, /half|^__h\w+$|^h(sqrt|exp|log|sin|cos|rcp|rint|floor|ceil)\w*$/],
  [/^cuda_bf16\.h/, /bfloat16|bf16|^__h\w+$/],
  [/^cuda_fp\d\.h/, /^__nv_fp|^__nv_cvt/],
  [
    /^cooperative_groups/,
    /^(cooperative_groups|cg|this_thread_block|this_grid|this_thread|tiled_partition|coalesced_threads|thread_block\w*|grid_group)$/,
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
export function wordsOfHeader(header: string): RegExp | null {
  return rows.find(([name]) => name.test(header))?.[1] ?? null;
}
