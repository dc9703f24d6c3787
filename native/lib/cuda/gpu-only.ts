// What CUDA programs use and a cell cannot have: turns the name that a compiler did not find into what to do instead.

interface Row {
  /** The whole name, as a compiler quotes it. */
  readonly name: RegExp;
  /** Missing on the cpu device alone: a GPU's compiler finds it where the toolkit's headers are installed. */
  readonly needsGpu: boolean;
  readonly instead: string;
}

/** The first row that matches counts. */
const rows: readonly Row[] = [
  {
    name: /^mma\.h$|^(nvcuda|wmma)(::|$)/,
    needsGpu: true,
    instead: "use a tiled loop over __shared__ memory, or matmul of tensors",
  },
  {
    name: /^cub\//,
    needsGpu: true,
    instead: "use sum, mean, max … of tensors, or __shfl_down_sync and __shared__ memory",
  },
  {
    name: /^cub(::|$)/,
    needsGpu: true,
    instead: "use sum, mean, max … of tensors, or __shfl_down_sync and __shared__ memory",
  },
  { name: /^thrust(\/|::|$)/, needsGpu: true, instead: "use the methods of tensors" },
  {
    name: /^cuda\/std\//,
    needsGpu: true,
    instead: "include the header of the C++ library: <cmath>, <limits>, <type_traits> …",
  },
  { name: /^cuda\/|^cuda(::|$)/, needsGpu: true, instead: "use atomicAdd, __syncthreads and __threadfence" },
  {
    name: /^cuda_pipeline(_primitives)?\.h$|^__pipeline_\w+$/,
    needsGpu: true,
    instead: "copy with plain assignments, then __syncthreads()",
  },
  {
    name: /^curand\w*(\.h)?$|^curand\w+$/,
    needsGpu: true,
    instead: "use random of tensors, or a generator of your own",
  },
  { name: /^cuda_fp8\.h$|^cuda_fp[46]\.h$|^__nv_fp[468]\w*$/, needsGpu: true, instead: "use __half of <cuda_fp16.h>" },
  {
    name: /^(texture|surface)(_\w+)?\.h$|^cuda(Texture|Surface)(Object_t)?$|^(tex|surf)([123]D|Cubemap)\w*$/,
    needsGpu: true,
    instead: "read the array through a pointer",
  },
  {
    name: /^cuda(Malloc|HostAlloc|MallocManaged|MallocHost|MallocPitch|MallocAsync|Free|FreeHost|FreeAsync)$/,
    needsGpu: false,
    instead: "make arrays in a TypeScript cell: zeros([n]), tensor(data)",
  },
  {
    name: /^cudaMem(cpy|set)\w*$/,
    needsGpu: false,
    instead: "copy and fill in a TypeScript cell: tensor(data), full([n], value), x.toArray()",
  },
  {
    name: /^cuda(DeviceSynchronize|StreamSynchronize|ThreadSynchronize)$/,
    needsGpu: false,
    instead: "call synchronize() in a TypeScript cell",
  },
  { name: /^cudaEvent\w*$/, needsGpu: false, instead: "use await kernel.time(…) in a TypeScript cell" },
  { name: /^cudaLaunch\w*$/, needsGpu: false, instead: "call kernel.launch({ grid, block }, …) in a TypeScript cell" },
  {
    name: /^cuda[A-Z]\w*$|^cuda[A-Z]\w*_t$/,
    needsGpu: false,
    instead: "launch kernels and handle errors in a TypeScript cell",
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
];

/** What to say in place of a compiler's `message` on a device of that kind; `null` when the table has nothing about it. */
export function instead(message: string, kind: string): string | null {
  const groups = missing.map((pattern) => pattern.exec(message)?.groups).find((found) => found !== undefined);
  const name = groups?.["header"] ?? groups?.["name"];
  const row = name === undefined ? undefined : rows.find((candidate) => candidate.name.test(name));
  if (name === undefined || row === undefined) return null;
  if (!row.needsGpu) return `${name} is for host programs, and a cell holds device code: ${row.instead}`;
  if (kind === "cpu") return `${name} needs a GPU (or: ${row.instead})`;
  return groups?.["header"] === undefined
    ? null
    : `${name} comes with the headers of the CUDA toolkit, which are not installed (or: ${row.instead})`;
}
