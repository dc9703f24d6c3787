// What CUDA C++ has of itself: variables, qualifiers, barriers, warps, memory, types. Each row is a signature and what it
// does; `name` where the signature does not end with it or its parameters.

export interface BuiltinRow {
  readonly kind: "variable" | "keyword" | "function" | "struct";
  readonly signature: string;
  readonly does: string;
  readonly name?: string;
  /** Where it is declared, when not everywhere. */
  readonly header?: string;
  /** What a type has. */
  readonly members?: readonly (readonly [signature: string, does: string])[];
}

const variable = (signature: string, does: string): BuiltinRow => ({ kind: "variable", signature, does });
const keyword = (signature: string, does: string, name?: string): BuiltinRow => ({
  kind: "keyword",
  signature,
  does,
  ...(name === undefined ? {} : { name }),
});
export const fn = (signature: string, does: string, header?: string): BuiltinRow => ({
  kind: "function",
  signature,
  does,
  ...(header === undefined ? {} : { header }),
});

const variables: BuiltinRow[] = [
  variable("const uint3 threadIdx", "Which thread of its block this is, from 0 in each direction. `x` runs fastest."),
  variable("const uint3 blockIdx", "Which block of the grid this thread is in, from 0 in each direction."),
  variable("const dim3 blockDim", "How many threads a block has in each direction."),
  variable("const dim3 gridDim", "How many blocks the grid has in each direction."),
  variable("const int warpSize", "How many threads run in step as a warp: 32."),
];

const qualifiers: BuiltinRow[] = [
  keyword(
    "__global__ void kernel(…)",
    "A kernel: runs on the device, launched from the host. It returns nothing.",
    "__global__",
  ),
  keyword(
    "__device__",
    "A function that runs on the device and is called there; or a variable in the device's memory.",
  ),
  keyword("__host__", "A function that runs on the host. With `__device__`, one for both."),
  keyword(
    "__shared__",
    "Memory that the threads of a block share; it lives as long as the block. `extern __shared__` has its size from the launch.",
  ),
  keyword("__constant__", "Constant memory: 64 kB that all threads read, fastest where a warp reads one address."),
  keyword("__managed__", "A variable that host and device reach by one address."),
  keyword(
    "__restrict__",
    "Promises that nothing else that is used leads to the same memory, so that reads may be cached.",
  ),
  keyword(
    "__launch_bounds__(maxThreads, minBlocks)",
    "At most so many threads a block, and so many blocks at once on a multiprocessor: bounds the registers.",
    "__launch_bounds__",
  ),
  keyword(
    "__cluster_dims__(x, y, z)",
    "How many blocks form a cluster, from compute capability 9.0.",
    "__cluster_dims__",
  ),
  keyword("__grid_constant__", "A parameter of a kernel that is read where it lies and never copied."),
  keyword("__forceinline__", "Is inlined wherever it is called."),
  keyword("__noinline__", "Is never inlined."),
];

const barriers: BuiltinRow[] = [
  fn(
    "void __syncthreads()",
    "Waits until all threads of the block are here; what they wrote before, all of them see. Every thread of the block must come here.",
  ),
  fn(
    "int __syncthreads_count(int predicate)",
    "As `__syncthreads`, and says for how many threads `predicate` is not 0.",
  ),
  fn(
    "int __syncthreads_and(int predicate)",
    "As `__syncthreads`, and says whether `predicate` is not 0 for all threads.",
  ),
  fn(
    "int __syncthreads_or(int predicate)",
    "As `__syncthreads`, and says whether `predicate` is not 0 for any thread.",
  ),
  fn(
    "void __syncwarp(unsigned mask = 0xffffffff)",
    "Waits until the threads of the warp that `mask` names are here, and orders their memory.",
  ),
  fn(
    "void __threadfence()",
    "What this thread wrote before, all threads of the device see before what it writes after.",
  ),
  fn("void __threadfence_block()", "As `__threadfence`, for the threads of the block."),
  fn("void __threadfence_system()", "As `__threadfence`, for the host and other devices, too."),
  fn("void __nanosleep(unsigned ns)", "Pauses this thread for about so many nanoseconds."),
  fn("void __trap()", "Ends the kernel with a fault."),
  fn("void __brkpt()", "Stops in a debugger."),
  fn("void assert(bool condition)", "Ends the kernel with a fault and a message where the condition does not hold."),
  fn("int printf(const char* format, …)", "Prints below the cell that launched, when the kernel is done."),
  fn("long long clock64()", "A counter of the multiprocessor's cycles."),
  fn("clock_t clock()", "A counter of the multiprocessor's cycles, which soon wraps around."),
];

const anyType = "`T` is `int`, `unsigned`, `long`, `long long`, `float`, `double` or a half type.";
const warps: BuiltinRow[] = [
  fn(
    "T __shfl_sync(unsigned mask, T value, int lane, int width = 32)",
    `The \`value\` of thread \`lane\` of the warp. All threads that \`mask\` names come here. ${anyType}`,
  ),
  fn(
    "T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32)",
    `The \`value\` of the thread \`delta\` before this one; the first keep their own. ${anyType}`,
  ),
  fn(
    "T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32)",
    `The \`value\` of the thread \`delta\` behind this one; the last keep their own. Halving \`delta\` from 16 to 1 sums a warp. ${anyType}`,
  ),
  fn(
    "T __shfl_xor_sync(unsigned mask, T value, int laneMask, int width = 32)",
    `The \`value\` of the thread whose lane is this one's XOR \`laneMask\`: all threads get the sum of a butterfly. ${anyType}`,
  ),
  fn("int __all_sync(unsigned mask, int predicate)", "Whether `predicate` is not 0 for all threads that `mask` names."),
  fn("int __any_sync(unsigned mask, int predicate)", "Whether `predicate` is not 0 for any thread that `mask` names."),
  fn(
    "unsigned __ballot_sync(unsigned mask, int predicate)",
    "A bit for each thread of the warp: 1 where `predicate` is not 0.",
  ),
  fn(
    "unsigned __match_any_sync(unsigned mask, T value)",
    "The threads of the warp that have the same `value`, as bits.",
  ),
  fn(
    "unsigned __match_all_sync(unsigned mask, T value, int* predicate)",
    "`mask` if all threads have the same `value`, else 0; `*predicate` says which.",
  ),
  fn("unsigned __activemask()", "The threads of the warp that run this right now, as bits: not those that may come."),
  fn(
    "T __reduce_add_sync(unsigned mask, T value)",
    "The sum over the threads that `mask` names, for 32-bit integers. Compute capability 8.0.",
  ),
  fn(
    "T __reduce_min_sync(unsigned mask, T value)",
    "The smallest over the threads that `mask` names, for 32-bit integers. Compute capability 8.0.",
  ),
  fn(
    "T __reduce_max_sync(unsigned mask, T value)",
    "The largest over the threads that `mask` names, for 32-bit integers. Compute capability 8.0.",
  ),
  fn(
    "unsigned __reduce_and_sync(unsigned mask, unsigned value)",
    "The bitwise AND over the threads that `mask` names. Compute capability 8.0.",
  ),
  fn(
    "unsigned __reduce_or_sync(unsigned mask, unsigned value)",
    "The bitwise OR over the threads that `mask` names. Compute capability 8.0.",
  ),
  fn(
    "unsigned __reduce_xor_sync(unsigned mask, unsigned value)",
    "The bitwise XOR over the threads that `mask` names. Compute capability 8.0.",
  ),
];

const atomics: BuiltinRow[] = (
  [
    [
      "atomicAdd",
      "T* address, T value",
      "Adds `value`",
      "`int`, `unsigned`, `unsigned long long`, `float`, `double` or a half type",
    ],
    ["atomicSub", "T* address, T value", "Subtracts `value`", "`int` or `unsigned`"],
    ["atomicExch", "T* address, T value", "Writes `value`", "`int`, `unsigned`, `unsigned long long` or `float`"],
    ["atomicMin", "T* address, T value", "Keeps the smaller", "an integer of 32 or 64 bits"],
    ["atomicMax", "T* address, T value", "Keeps the larger", "an integer of 32 or 64 bits"],
    ["atomicInc", "T* address, T limit", "Counts up, and begins again at 0 behind `limit`,", "`unsigned`"],
    ["atomicDec", "T* address, T limit", "Counts down, and begins again at `limit` behind 0,", "`unsigned`"],
    [
      "atomicCAS",
      "T* address, T compare, T value",
      "Writes `value` if `compare` is there",
      "an integer of 16, 32 or 64 bits",
    ],
    ["atomicAnd", "T* address, T value", "Keeps the bitwise AND", "an integer of 32 or 64 bits"],
    ["atomicOr", "T* address, T value", "Keeps the bitwise OR", "an integer of 32 or 64 bits"],
    ["atomicXor", "T* address, T value", "Keeps the bitwise XOR", "an integer of 32 or 64 bits"],
  ] as const
).flatMap(([name, parameters, does, types]) => [
  fn(
    `T ${name}(${parameters})`,
    `${does} at \`address\`, as one step that no other thread comes between, and returns what was there before. \`T\` is ${types}.`,
  ),
  fn(`T ${name}_block(${parameters})`, `As \`${name}\`, as one step for the threads of this block alone.`),
  fn(`T ${name}_system(${parameters})`, `As \`${name}\`, as one step for the host and other devices, too.`),
]);

const memory: BuiltinRow[] = [
  fn(
    "T __ldg(const T* address)",
    "Reads through the read-only cache: memory that nobody writes while the kernel runs.",
  ),
  fn("T __ldcg(const T* address)", "Reads, cached in L2 alone."),
  fn("T __ldca(const T* address)", "Reads, cached in L1 and L2."),
  fn("T __ldcs(const T* address)", "Reads what will not be read again: it is evicted first."),
  fn("void __stcg(T* address, T value)", "Writes, cached in L2 alone."),
  fn("void __stcs(T* address, T value)", "Writes what will not be read soon: it is evicted first."),
  fn("void __stwt(T* address, T value)", "Writes through to memory."),
  fn("size_t __cvta_generic_to_shared(const void* pointer)", "The address of shared memory as PTX takes it."),
  fn(
    "void __pipeline_memcpy_async(void* shared, const void* global, size_t bytes, size_t zeros = 0)",
    "Copies 4, 8 or 16 bytes to shared memory while the thread goes on.",
    "cuda_pipeline.h",
  ),
  fn("void __pipeline_commit()", "Ends a group of copies that `__pipeline_wait_prior` counts.", "cuda_pipeline.h"),
  fn(
    "void __pipeline_wait_prior(size_t groups)",
    "Waits until all but the last so many groups of copies are done.",
    "cuda_pipeline.h",
  ),
];

const vector = (name: string, scalar: string, lanes: number): BuiltinRow[] => {
  const axes = ["x", "y", "z", "w"].slice(0, lanes);
  const list = axes.map((axis) => `${scalar} ${axis}`).join(", ");
  return [
    {
      kind: "struct",
      signature: `struct ${name} { ${axes.map((axis) => `${scalar} ${axis};`).join(" ")} }`,
      name,
      does: `${lanes === 1 ? "One number" : `${lanes} numbers`} of type \`${scalar}\`${lanes === 2 || lanes === 4 ? ", which are read and written at once where the address allows it" : ""}.`,
      members: axes.map((axis) => [`${scalar} ${axis}`, ""] as const),
    },
    fn(`${name} make_${name}(${list})`, `A \`${name}\` of its parts.`),
  ];
};

const types: BuiltinRow[] = [
  {
    kind: "struct",
    signature: "struct dim3 { unsigned x, y, z; }",
    name: "dim3",
    does: "Sizes in up to three directions; what is left out is 1.",
    members: ["x", "y", "z"].map((axis) => [`unsigned ${axis}`, ""] as const),
  },
  ...(
    [
      ["char", "signed char"],
      ["uchar", "unsigned char"],
      ["short", "short"],
      ["ushort", "unsigned short"],
      ["int", "int"],
      ["uint", "unsigned"],
      ["long", "long"],
      ["ulong", "unsigned long"],
      ["longlong", "long long"],
      ["ulonglong", "unsigned long long"],
      ["float", "float"],
      ["double", "double"],
    ] as const
  ).flatMap(([name, scalar]) => [1, 2, 3, 4].flatMap((lanes) => vector(`${name}${lanes}`, scalar, lanes))),
];

export const words: readonly BuiltinRow[] = [
  ...variables,
  ...qualifiers,
  ...barriers,
  ...warps,
  ...atomics,
  ...memory,
  ...types,
];
