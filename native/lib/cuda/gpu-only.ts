// What CUDA programs use and a cell cannot have: turns the name that a compiler did not find into what to do instead.

/** Why a cell does not have it, which decides the sentence. */
type Reason =
  /** The toolkit's: a GPU's compiler finds it where the toolkit's headers are installed, the cpu device where it has one. */
  | "gpu"
  /** It belongs to programs that run beside the device. */
  | "host"
  /** It is there with a line that the cell lacks, or under another name. */
  | "other"
  /** No device can be given it from here. */
  | "never";

interface Row {
  /** The whole name, as a compiler quotes it. */
  readonly name: RegExp;
  readonly reason: Reason;
  readonly instead: string;
}

/** The first row that matches counts. */
const rows: readonly Row[] = [
  { name: /^mma\.h$/, reason: "gpu", instead: "use a tiled loop over __shared__ memory, or matmul of tensors" },
  { name: /^(nvcuda|wmma)(::|$)/, reason: "other", instead: "write #include <mma.h> and using namespace nvcuda;" },
  {
    name: /^cub\/cub\.cuh$/,
    reason: "never",
    instead: "include CUB's single headers, such as <cub/block/block_reduce.cuh>, or use sum, mean, max … of tensors",
  },
  {
    name: /^cub\/device\//,
    reason: "host",
    instead: "use the methods of tensors: x.sum(), x.sort(), x.cumsum(), x.unique(), or write a program with main()",
  },
  {
    name: /^cub\//,
    reason: "gpu",
    instead: "use sum, mean, max … of tensors, or __shfl_down_sync and __shared__ memory",
  },
  {
    name: /^cub(::|$)/,
    reason: "other",
    instead: "write #include <cub/block/block_reduce.cuh>, or the header of what you use",
  },
  {
    name: /^thrust(\/|::|$)/,
    reason: "host",
    instead: "use the methods of tensors: x.sum(), x.sort(), x.cumsum(), or write a program with main()",
  },
  {
    name: /^cuda\/std\//,
    reason: "gpu",
    instead: "include the header of the C++ library: <cmath>, <limits>, <type_traits> …",
  },
  { name: /^cuda\//, reason: "gpu", instead: "use atomicAdd, __syncthreads and __threadfence" },
  {
    name: /^cuda(::|$)/,
    reason: "other",
    instead:
      "write #include <cuda/atomic>, <cuda/barrier>, <cuda/pipeline> or <cuda/std/…>, whichever has it, and blockIdx.x * blockDim.x + threadIdx.x for Numba's cuda.grid(1)",
  },
  { name: /^__pipeline_\w+$/, reason: "other", instead: "write #include <cuda_pipeline.h>" },
  {
    name: /^cuda_pipeline(_primitives)?\.h$/,
    reason: "gpu",
    instead: "copy with plain assignments, then __syncthreads()",
  },
  {
    name: /^curand\.h$|^curand(Create|Destroy|Generate|Set|Get)\w*$/,
    reason: "host",
    instead: "fill an array in a TypeScript cell with rand([n]) or randn([n])",
  },
  {
    name: /^curand\w*\.h$/,
    reason: "gpu",
    instead:
      "use rand and randn of tensors, or a generator of your own; on a GPU pip install nvidia-curand brings its headers",
  },
  { name: /^curand\w*$/, reason: "other", instead: "write #include <curand_kernel.h>" },
  { name: /^cuda_fp[468]\.h$|^__nv_fp[46]\w*$/, reason: "gpu", instead: "use __half of <cuda_fp16.h>" },
  { name: /^__nv_(fp8|cvt)\w*$/, reason: "other", instead: "write #include <cuda_fp8.h>" },
  {
    name: /^(cuComplex|cu(Float|Double)Complex|make_cu\w*Complex|cuC(add|sub|mul|div|abs|real|imag|fma)f?|cuConjf?)$/,
    reason: "other",
    instead: "write #include <cuComplex.h>",
  },
  {
    name: /^(texture|surface)(_\w+)?(\.h)?$/,
    reason: "never",
    instead:
      "CUDA 12 has no texture references: take a parameter cudaTextureObject_t t, and give it texture(x) in the launch",
  },
  {
    name: /^(tex|surf)Cubemap\w*$/,
    reason: "never",
    instead: "make the faces layers of a texture, texture(x, { layered: true }), and read them with tex2DLayered",
  },
  { name: /^tex2Dgather$/, reason: "never", instead: "read the four texels with tex2D, each at its centre" },
  { name: /^(__)?half2?$|^__(float2half|half2float)\w*$/, reason: "other", instead: "write #include <cuda_fp16.h>" },
  { name: /^(__)?nv_bfloat162?$|^__float2bfloat16\w*$/, reason: "other", instead: "write #include <cuda_bf16.h>" },
  {
    name: /^(cooperative_groups|cg)(::|$)/,
    reason: "other",
    instead: "write #include <cooperative_groups.h> and namespace cg = cooperative_groups;",
  },
  {
    name: /^__(shfl(_up|_down|_xor)?|ballot|any|all)$/,
    reason: "other",
    instead:
      "CUDA no longer has it; write it with _sync and a mask of lanes, such as __shfl_down_sync(0xffffffff, x, 1)",
  },
  {
    name: /^(helper_\w+|cutil\w*|nvrtc_helper|book)\.h$|^(checkCudaErrors|getLastCudaError|cutil\w+|CUDA_SAFE_CALL)$/,
    reason: "host",
    instead: "leave it out: the errors of launches are reported by themselves",
  },
  {
    name: /^cuda(Malloc|HostAlloc|MallocManaged|MallocHost|MallocPitch|MallocAsync|Free|FreeHost|FreeAsync)$/,
    reason: "host",
    instead: "make arrays in a TypeScript cell: zeros([n]), tensor(data)",
  },
  {
    name: /^cudaMem(cpy|set)\w*$/,
    reason: "host",
    instead: "copy and fill in a TypeScript cell: tensor(data), full([n], value), x.toArray()",
  },
  {
    name: /^cuda(DeviceSynchronize|StreamSynchronize|ThreadSynchronize)$/,
    reason: "host",
    instead: "call synchronize() in a TypeScript cell",
  },
  { name: /^cudaEvent\w*$/, reason: "host", instead: "use await kernel.time(…) in a TypeScript cell" },
  { name: /^cudaLaunch\w*$/, reason: "host", instead: "call kernel.launch({ grid, block }, …) in a TypeScript cell" },
  {
    name: /^cuda[A-Z]\w*$|^cuda[A-Z]\w*_t$/,
    reason: "host",
    instead: "launch kernels and handle errors in a TypeScript cell",
  },
  {
    name: /^(s?rand|rand_r|drand48|std::(s?rand|mt19937\w*|random_device|uniform_\w+|normal_\w+))$/,
    reason: "host",
    instead: "fill an array in a TypeScript cell with rand([n]), or compute a hash of the thread's index",
  },
  {
    name: /^(vector|iostream|string|map|unordered_map|set|list|deque)$|^std::(vector|string|map|unordered_map|set|list|deque|queue|stack|to_string)$/,
    reason: "host",
    instead: "use an array, or a pointer that the kernel is given",
  },
  {
    name: /^(std::)?(cout|cerr|clog|endl|puts|putchar|fprintf|fputs|fflush|sprintf|snprintf)$/,
    reason: "host",
    instead: 'write printf("%d\\n", x), which works in kernels',
  },
  {
    name: /^(fopen|fread|fwrite|fclose|scanf|getenv|system|sleep|usleep|gettimeofday)$|^std::(sort|thread|mutex|shared_ptr|unique_ptr)$/,
    reason: "host",
    instead: "do it in a TypeScript cell",
  },
];

/** What a compiler says of a name or header that it does not have. */
const missing = [
  /^'?(?<header>[^':]+?)'?(?:: No such file or directory| file not found)$/,
  /^cannot open source file "(?<header>[^"]+)"/,
  /^could not open source file "(?<header>[^"]+)"/,
  /^'(?<name>[\w:]+)' (?:was not declared|has not been declared|does not name a type|is not a namespace-name|undeclared)/,
  /^use of undeclared identifier '(?<name>\w+)'/,
  /^unknown type name '(?<name>\w+)'/,
  /^identifier "(?<name>[\w:]+)" is undefined/,
  /^'(?<name>\w+)' is not a class, namespace/,
  /^no template named '(?<name>\w+)'/,
];

/** Dynamic parallelism needs a library of the toolkit, and a linker. */
const launches = {
  said: /kernel launch from __device__ or __global__ functions|device-side kernel launch could not be processed/,
  instead:
    "a kernel that launches kernels (dynamic parallelism) is not available in a cell, not even on a GPU: launch the next one from a TypeScript cell or from main(), with a grid from what this one wrote (count.item()), or loop over its work here",
};

/**
 * What to say in place of a compiler's `message` on a device of that kind; `null` when the table has nothing about it.
 */
export function instead(message: string, kind: string): string | null {
  if (launches.said.test(message)) return launches.instead;
  if (kind === "host") return insteadInHostCode(message);
  const groups = missing.map((pattern) => pattern.exec(message)?.groups).find((found) => found !== undefined);
  const header = groups?.["header"];
  const name = header ?? groups?.["name"];
  const row = name === undefined ? undefined : rows.find((candidate) => candidate.name.test(name));
  if (name !== undefined && row !== undefined) return sentence(row, name, kind, header !== undefined);
  return header === undefined
    ? null
    : `${header} was found neither beside the source nor among CUDA's headers: put it beside the notebook, or name its folder with %%cuda --include FOLDER or compile(source, { includes: ["FOLDER"] })`;
}

/** The same for the host code of a program. */
function insteadInHostCode(message: string): string | null {
  const groups = missing.map((pattern) => pattern.exec(message)?.groups).find((found) => found !== undefined);
  const name = groups?.["header"] ?? groups?.["name"] ?? "";
  if (/^cu(da)?[A-Z]/.test(name))
    return `${name} is not among the functions of CUDA's runtime that a program has here: the guide "CUDA cells" lists them`;
  if (/^(texture|surface)$/.test(name))
    return "CUDA 12 has no texture references: make a texture object, cudaCreateTextureObject(&t, &resource, &description, nullptr), and give the kernel a parameter cudaTextureObject_t t";
  const algorithm =
    /^no member named '(?<name>\w+)' in (?:namespace )?'(?<of>thrust|cub)\b|^'(?<name2>\w+)' is not a member of '(?<of2>thrust|cub)\b/.exec(
      message,
    )?.groups;
  const library = algorithm?.["of"] ?? algorithm?.["of2"];
  if (library !== undefined)
    return `${algorithm!["name"] ?? algorithm!["name2"]} is not among what a program has of ${library === "cub" ? "CUB" : "Thrust"} here: the guide "CUDA cells" lists it; write a kernel for the rest`;
  if (/^(thrust|cub|cuda|nppi?|cublas|cufft|curand|cusparse|cusolver)(\/|::|_|\.h|$)/.test(name))
    return `${name} belongs to a library that programs do not have here: use kernels of your own, or the methods of tensors in a TypeScript cell`;
  return null;
}

/**
 * What to say of a name or header that the table knows; `null`: on that kind of device nothing better than the
 * compiler.
 */
function sentence({ reason, instead: advice }: Row, name: string, kind: string, isHeader: boolean): string | null {
  if (reason === "host") return `${name} is for host programs, and a cell holds device code: ${advice}`;
  if (reason === "never") return `${name} is not available in a cell, not even on a GPU: ${advice}`;
  if (reason === "other") return `${name} is not known here: ${advice}`;
  if (kind === "cpu") return `${name} needs a GPU (or: ${advice})`;
  return isHeader
    ? `${name} comes with the headers of the CUDA toolkit, which are not installed (or: ${advice})`
    : null;
}

/** What to say of a header of that name, whatever a compiler finds wrong in it; `null` where it may be right. */
export function headerInstead(header: string): string | null {
  const row = rows.find((candidate) => candidate.name.test(header));
  return row?.reason === "never" ? sentence(row, header, "cuda", true) : null;
}

/**
 * What to say of a function of the host that device code calls, which a compiler of host programs takes; else `null`.
 */
export function hostOnly(name: string): string | null {
  const row = rows.find((candidate) => candidate.reason === "host" && candidate.name.test(name));
  return row === undefined ? null : sentence(row, name, "cpu", false);
}
