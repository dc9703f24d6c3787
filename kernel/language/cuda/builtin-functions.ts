// What CUDA C++ has of mathematics, conversions, half precision and cooperative groups, as rows of `builtin-words.ts`.
import { fn, type BuiltinRow } from "./builtin-words.ts";

const bits: BuiltinRow[] = [
  fn("int __popc(unsigned x)", "How many bits are 1."),
  fn("int __popcll(unsigned long long x)", "How many bits are 1, of 64."),
  fn("int __clz(int x)", "How many bits are 0 before the highest 1; 32 for 0."),
  fn("int __clzll(long long x)", "How many bits are 0 before the highest 1, of 64; 64 for 0."),
  fn("int __ffs(int x)", "Where the lowest 1 is, from 1; 0 for 0."),
  fn("int __ffsll(long long x)", "Where the lowest 1 is, of 64 bits, from 1; 0 for 0."),
  fn("unsigned __brev(unsigned x)", "The bits in reverse order."),
  fn("unsigned long long __brevll(unsigned long long x)", "The 64 bits in reverse order."),
  fn(
    "unsigned __byte_perm(unsigned a, unsigned b, unsigned selector)",
    "Four of the eight bytes of `b` and `a`; each hexadecimal digit of `selector` chooses one.",
  ),
  fn(
    "unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)",
    "The upper 32 bits of both, shifted left by `shift` modulo 32.",
  ),
  fn(
    "unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)",
    "The lower 32 bits of both, shifted right by `shift` modulo 32.",
  ),
  fn("int __mulhi(int a, int b)", "The upper 32 bits of the product."),
  fn("unsigned __umulhi(unsigned a, unsigned b)", "The upper 32 bits of the product, unsigned."),
  fn("int __dp4a(int a, int b, int c)", "`c` and the products of the four bytes of `a` and `b`, summed."),
];

const fast: BuiltinRow[] = [
  fn("float __expf(float x)", "eˣ, faster and less exact than `expf`."),
  fn("float __exp10f(float x)", "10ˣ, faster and less exact than `exp10f`."),
  fn("float __logf(float x)", "The natural logarithm, faster and less exact than `logf`."),
  fn("float __log2f(float x)", "The logarithm to base 2, faster and less exact than `log2f`."),
  fn("float __log10f(float x)", "The logarithm to base 10, faster and less exact than `log10f`."),
  fn("float __sinf(float x)", "The sine, faster and less exact than `sinf`, best between -π and π."),
  fn("float __cosf(float x)", "The cosine, faster and less exact than `cosf`, best between -π and π."),
  fn("void __sincosf(float x, float* sine, float* cosine)", "Both, faster and less exact than `sincosf`."),
  fn("float __tanf(float x)", "The tangent, faster and less exact than `tanf`."),
  fn("float __powf(float x, float y)", "x to the power of y, faster and less exact than `powf`."),
  fn("float __fdividef(float x, float y)", "x / y, faster and less exact; 0 for y from 2¹²⁶ on."),
  fn("float __saturatef(float x)", "x, but at least 0 and at most 1; 0 for NaN."),
  fn("float __frcp_rn(float x)", "1 / x, rounded to the nearest."),
  fn("float __fsqrt_rn(float x)", "The square root, rounded to the nearest."),
  fn("float __fmaf_rn(float x, float y, float z)", "x · y + z, rounded once, to the nearest."),
  fn("float __fadd_rn(float x, float y)", "x + y, rounded to the nearest and never made part of an fma."),
  fn("float __fmul_rn(float x, float y)", "x · y, rounded to the nearest and never made part of an fma."),
];

const math: BuiltinRow[] = (
  [
    ["sqrt", "x", "The square root."],
    ["rsqrt", "x", "1 / √x."],
    ["cbrt", "x", "The cube root."],
    ["exp", "x", "eˣ."],
    ["exp2", "x", "2ˣ."],
    ["expm1", "x", "eˣ - 1, exact near 0, too."],
    ["log", "x", "The natural logarithm."],
    ["log2", "x", "The logarithm to base 2."],
    ["log10", "x", "The logarithm to base 10."],
    ["log1p", "x", "The natural logarithm of 1 + x, exact near 0, too."],
    ["sin", "x", "The sine."],
    ["cos", "x", "The cosine."],
    ["tan", "x", "The tangent."],
    ["sinpi", "x", "The sine of π · x."],
    ["cospi", "x", "The cosine of π · x."],
    ["asin", "x", "The arc sine."],
    ["acos", "x", "The arc cosine."],
    ["atan", "x", "The arc tangent."],
    ["sinh", "x", "The hyperbolic sine."],
    ["cosh", "x", "The hyperbolic cosine."],
    ["tanh", "x", "The hyperbolic tangent."],
    ["erf", "x", "The error function."],
    ["erfc", "x", "1 - erf(x)."],
    ["tgamma", "x", "The gamma function."],
    ["lgamma", "x", "The natural logarithm of |Γ(x)|."],
    ["floor", "x", "The next whole number below."],
    ["ceil", "x", "The next whole number above."],
    ["round", "x", "The nearest whole number, halves away from 0."],
    ["rint", "x", "The nearest whole number, halves to the even one: one instruction."],
    ["trunc", "x", "The whole number towards 0."],
    ["fabs", "x", "The absolute value."],
    ["pow", "x, y", "x to the power of y."],
    ["atan2", "y, x", "The angle of the point (x, y)."],
    ["hypot", "x, y", "√(x² + y²), without overflow."],
    ["fmod", "x, y", "What remains of x / y towards 0."],
    ["remainder", "x, y", "What remains of x / y to the nearest."],
    ["fmin", "x, y", "The smaller; the other one where one is NaN."],
    ["fmax", "x, y", "The larger; the other one where one is NaN."],
    ["fdim", "x, y", "x - y, at least 0."],
    ["copysign", "x, y", "x with the sign of y."],
    ["fma", "x, y, z", "x · y + z, rounded once."],
  ] as const
).flatMap(([name, parameters, does]) =>
  (["double", "float"] as const).map((type) =>
    fn(
      `${type} ${name}${type === "float" ? "f" : ""}(${parameters
        .split(", ")
        .map((parameter) => `${type} ${parameter}`)
        .join(", ")})`,
      does,
    ),
  ),
);

const more: BuiltinRow[] = [
  fn("T min(T a, T b)", "The smaller."),
  fn("T max(T a, T b)", "The larger."),
  fn("T abs(T x)", "The absolute value."),
  fn("bool isnan(T x)", "Whether it is NaN."),
  fn("bool isinf(T x)", "Whether it is infinite."),
  fn("bool isfinite(T x)", "Whether it is neither infinite nor NaN."),
  fn("void sincosf(float x, float* sine, float* cosine)", "Both at once."),
  fn("void sincos(double x, double* sine, double* cosine)", "Both at once."),
  fn("float __int_as_float(int bits)", "The float of these bits."),
  fn("int __float_as_int(float x)", "The bits of a float."),
  fn("float __uint_as_float(unsigned bits)", "The float of these bits."),
  fn("unsigned __float_as_uint(float x)", "The bits of a float."),
  fn("double __longlong_as_double(long long bits)", "The double of these bits."),
  fn("long long __double_as_longlong(double x)", "The bits of a double."),
  fn("int __float2int_rn(float x)", "The nearest integer, halves to the even one."),
  fn("int __float2int_rd(float x)", "The next integer below."),
  fn("int __float2int_ru(float x)", "The next integer above."),
  fn("int __float2int_rz(float x)", "The integer towards 0."),
  fn("float __int2float_rn(int x)", "The nearest float."),
];

const fp16 = "cuda_fp16.h";
const bf16 = "cuda_bf16.h";
const halves: BuiltinRow[] = [
  {
    kind: "struct",
    signature: "struct __half",
    name: "__half",
    does: "A number of 16 bits: 11 bits of precision, up to 65504.",
    header: fp16,
  },
  {
    kind: "struct",
    signature: "struct half",
    name: "half",
    does: "A number of 16 bits: 11 bits of precision, up to 65504.",
    header: fp16,
  },
  {
    kind: "struct",
    signature: "struct __half2 { __half x; __half y; }",
    name: "__half2",
    does: "Two `__half`, computed with at once.",
    header: fp16,
    members: [
      ["__half x", ""],
      ["__half y", ""],
    ],
  },
  {
    kind: "struct",
    signature: "struct __nv_bfloat16",
    name: "__nv_bfloat16",
    does: "A number of 16 bits with the range of a float: 8 bits of precision.",
    header: bf16,
  },
  fn("__half __float2half(float x)", "Rounded to the nearest half.", fp16),
  fn("float __half2float(__half x)", "The same number as a float.", fp16),
  fn("__half2 __floats2half2_rn(float a, float b)", "Both, rounded to the nearest.", fp16),
  fn("float2 __half22float2(__half2 x)", "Both as floats.", fp16),
  fn("__half __hadd(__half a, __half b)", "a + b.", fp16),
  fn("__half __hmul(__half a, __half b)", "a · b.", fp16),
  fn("__half __hfma(__half a, __half b, __half c)", "a · b + c, rounded once.", fp16),
  fn("__half2 __hadd2(__half2 a, __half2 b)", "a + b, in both parts.", fp16),
  fn("__half2 __hmul2(__half2 a, __half2 b)", "a · b, in both parts.", fp16),
  fn("__half2 __hfma2(__half2 a, __half2 b, __half2 c)", "a · b + c, in both parts.", fp16),
  fn("__nv_bfloat16 __float2bfloat16(float x)", "Rounded to the nearest bfloat16.", bf16),
  fn("float __bfloat162float(__nv_bfloat16 x)", "The same number as a float.", bf16),
];

const groups = "cooperative_groups.h";
const group: readonly (readonly [string, string])[] = [
  ["void sync() const", "Waits until all threads of the group are here, and orders their memory."],
  ["unsigned long long thread_rank() const", "Which thread of the group this is, from 0."],
  ["unsigned long long size() const", "How many threads the group has."],
  ["unsigned long long num_threads() const", "How many threads the group has."],
];
const warpGroup: readonly (readonly [string, string])[] = [
  ...group,
  ["T shfl(T value, int rank) const", "The `value` of thread `rank` of the group."],
  ["T shfl_up(T value, unsigned delta) const", "The `value` of the thread `delta` before this one."],
  ["T shfl_down(T value, unsigned delta) const", "The `value` of the thread `delta` behind this one."],
  ["T shfl_xor(T value, unsigned mask) const", "The `value` of the thread whose rank is this one's XOR `mask`."],
  ["int any(int predicate) const", "Whether `predicate` is not 0 for any thread of the group."],
  ["int all(int predicate) const", "Whether `predicate` is not 0 for all threads of the group."],
  ["unsigned ballot(int predicate) const", "A bit for each thread: 1 where `predicate` is not 0."],
  ["unsigned match_any(T value) const", "The threads that have the same `value`, as bits."],
  ["unsigned meta_group_rank() const", "Which of the groups of its parent this is."],
  ["unsigned meta_group_size() const", "How many groups its parent was cut into."],
];
const cooperative: BuiltinRow[] = [
  {
    kind: "struct",
    signature: "class cooperative_groups::thread_block",
    name: "thread_block",
    does: "The threads of this block.",
    header: groups,
    members: [
      ...group,
      ["dim3 group_index() const", "Which block of the grid this is: `blockIdx`."],
      ["dim3 thread_index() const", "Which thread of the block this is: `threadIdx`."],
      ["dim3 group_dim() const", "How many threads a block has: `blockDim`."],
    ],
  },
  {
    kind: "struct",
    signature: "class cooperative_groups::grid_group",
    name: "grid_group",
    does: "All threads of the grid. `sync()` needs a launch with `cooperative: true`.",
    header: groups,
    members: [
      ["bool is_valid() const", "Whether the grid can wait for itself: it was launched with `cooperative: true`."],
      ...group,
      ["unsigned long long num_blocks() const", "How many blocks the grid has."],
      ["unsigned long long block_rank() const", "Which block of the grid this is."],
    ],
  },
  {
    kind: "struct",
    signature: "template <unsigned Size> class cooperative_groups::thread_block_tile",
    name: "thread_block_tile",
    does: "A part of a block of 1, 2, 4, … threads, of one warp up to 32.",
    header: groups,
    members: warpGroup,
  },
  {
    kind: "struct",
    signature: "class cooperative_groups::coalesced_group",
    name: "coalesced_group",
    does: "The threads of a warp that run together right now.",
    header: groups,
    members: warpGroup,
  },
  {
    kind: "struct",
    signature: "class cooperative_groups::cluster_group",
    name: "cluster_group",
    does: "The threads of a cluster of blocks, from compute capability 9.0.",
    header: groups,
    members: [
      ...group,
      ["unsigned block_rank() const", "Which block of the cluster this is."],
      ["unsigned num_blocks() const", "How many blocks the cluster has."],
      ["T* map_shared_rank(T* address, int rank) const", "The same place in the shared memory of block `rank`."],
    ],
  },
  fn("thread_block cooperative_groups::this_thread_block()", "The threads of this block.", groups),
  fn("grid_group cooperative_groups::this_grid()", "All threads of the grid.", groups),
  fn("cluster_group cooperative_groups::this_cluster()", "The threads of this block's cluster.", groups),
  fn(
    "coalesced_group cooperative_groups::coalesced_threads()",
    "The threads of the warp that run together right now.",
    groups,
  ),
  fn(
    "thread_block_tile cooperative_groups::tiled_partition<Size>(group)",
    "The part of `Size` threads of a group that this thread is in.",
    groups,
  ),
  fn(
    "T cooperative_groups::reduce(group, T value, Op op)",
    "`value` of all threads of the group, combined by `op`, such as `cg::plus<int>()`.",
    "cooperative_groups/reduce.h",
  ),
  fn(
    "T cooperative_groups::inclusive_scan(group, T value, Op op)",
    "`value` of the threads up to this one, combined by `op`.",
    "cooperative_groups/scan.h",
  ),
  fn(
    "T cooperative_groups::exclusive_scan(group, T value, Op op)",
    "`value` of the threads before this one, combined by `op`.",
    "cooperative_groups/scan.h",
  ),
  fn(
    "void cooperative_groups::memcpy_async(group, T* to, const T* from, size_t bytes)",
    "Copies to shared memory while the threads go on; `wait(group)` waits for it.",
    "cooperative_groups/memcpy_async.h",
  ),
  fn(
    "void cooperative_groups::wait(group)",
    "Waits until the group's copies are done.",
    "cooperative_groups/memcpy_async.h",
  ),
];

export const functions: readonly BuiltinRow[] = [...bits, ...fast, ...math, ...more, ...halves, ...cooperative];
