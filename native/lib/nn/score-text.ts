// The CUDA C++ of attention with a function of scores in it.
import type { Expressions } from "../fuse/expression.ts";
import type { BentKernel } from "../ops/attention/problem.ts";

export type Lines = ReturnType<Expressions["of"]>;

const read = "const T* q, const T* k, const T* v, const void* mask";
const above = `${read}, const T* d_out, const Sum<T>* lse, const Sum<T>* delta`;
const backward = "const Backward<T> in = {q, k, v, mask, d_out, lse, delta, p, s};";

/**
 * As ops/attention.cu, ops/attention_mma.cu and ops/attention_wgmma.cu have them. `serial`: where a block is one thread. `asksByTile`: whether
 * a pair is looked at by the layout is not asked where the whole tile is.
 */
interface KernelText {
  readonly headers: readonly string[];
  readonly template: string;
  readonly bounds: string;
  readonly parameters: string;
  readonly serial: string | null;
  readonly threads: string;
  readonly asksByTile: boolean;
}
const generic = {
  headers: ["generic_shapes"],
  template: "class T, int C",
  bounds: "kBlockThreads, kHeld<T, C>",
  asksByTile: false,
} as const;
const tensorCores = {
  headers: ["half_products", "half_shapes", "warp_passes"],
  serial: null,
  asksByTile: true,
} as const;
const hopper = { headers: ["group_shapes", "group_passes"], serial: null, asksByTile: true } as const;
const kernels: Readonly<Record<BentKernel, KernelText>> = {
  attend: {
    ...generic,
    parameters: `${read}, T* out, Sum<T>* lse, Problem p`,
    serial: "attend_lanes(q, k, v, mask, out, lse, p, blockIdx.x, bend);",
    threads: "attend_tiles<T, kRows<T, C>, C>(q, k, v, mask, out, lse, p, blockIdx.x, bend);",
  },
  attention_keys: {
    ...generic,
    parameters: `${above}, T* dk, T* dv, Sum<T>* query_sums, long long parts, Problem p, Gradients s`,
    serial: `${backward} keys_backward(in, dk, dv, query_sums, parts, blockIdx.x, bend);`,
    threads: `${backward} keys_backward<T, C>(in, dk, dv, blockIdx.x, bend);`,
  },
  attention_queries: {
    ...generic,
    parameters: `${above}, T* dq, const Sum<T>* query_sums, long long parts, Problem p, Gradients s`,
    serial: "",
    threads: `${backward} queries_backward<T, C>(in, dq, blockIdx.x, bend);`,
  },
  attention_mask: {
    ...generic,
    parameters: `${above}, T* d_mask, Problem p, Gradients s`,
    serial: `${backward} mask_backward(in, d_mask, blockIdx.x, bend);`,
    threads: `${backward} mask_backward(in, d_mask, blockIdx.x, bend);`,
  },
  attention_forward: {
    ...tensorCores,
    template: "class T, int width",
    bounds: "ForwardShape<width>::kThreads, width > 128 ? 1 : 2",
    parameters: `${read}, T* out, float* lse, Problem p`,
    threads: "forward_pass<HalfProducts<T>, ForwardShape<width>, true>(q, k, v, mask, out, lse, p, bend);",
  },
  attention_gradient: {
    ...tensorCores,
    template: "class T, int width, bool is_of_keys",
    // In parentheses: a macro reads it on the CPU.
    bounds: "(GradientShape<width, is_of_keys>::kThreads), width > 128 ? 1 : 2",
    parameters: `${above}, T* d_first, T* d_second, Problem p, Gradients s`,
    threads: `gradient_pass<HalfProducts<T>, GradientShape<width, is_of_keys>, true>(q, k, v, mask, d_out, lse, delta, d_first,
                                                                         d_second, p, s, bend);`,
  },
  group_forward: {
    ...hopper,
    template: "class T, int width",
    bounds: "ForwardShape<width>::kThreads, 1",
    parameters: `${read}, T* out, float* lse, const __grid_constant__ Problem p`,
    threads: "group_forward_pass<T, ForwardShape<width>, width, true>(q, k, v, mask, out, lse, p, bend);",
  },
  group_gradient: {
    ...hopper,
    template: "class T, int width, bool is_of_keys",
    bounds: "GradientShape<width, is_of_keys, true>::kThreads, 1",
    parameters: `${above}, T* d_first, T* d_second, const __grid_constant__ Problem p, const __grid_constant__ Gradients s`,
    threads: `group_gradient_pass<T, GradientShape<width, is_of_keys, true>, width, true, is_of_keys>(
      q, k, v, mask, d_out, lse, delta, d_first, d_second, p, s, bend);`,
  },
};

/** Blocks of one thread run a kernel where the device's do and the kernel has such. */
export const hasSerial = (kernel: BentKernel): boolean => kernels[kernel].serial !== null;

const pairs = "long long batch, long long head, long long query, long long key";

function method(name: string, { lines, value }: Lines): string {
  return `  template <class A>
  __device__ inline A ${name}(A score, ${pairs}) const {
${[...lines, `return A(${value});`].map((line) => `    ${line}`).join("\n")}
  }`;
}

/** `layout`: the members of a BlockLayout. What no block of it sees has no score. */
function layoutText(layout: readonly string[] | null): string {
  const blocks = `BlockLayout{${layout?.join(", ")}}`;
  const asked = (name: string, parameters: string, without: string, found: string) =>
    `  __device__ inline bool ${name}(${parameters}) const { return ${layout === null ? without : `${blocks}.${found}`}; }`;
  const tile = "long long b, long long h, long long query, int queries, long long key, int keys";
  return [
    asked("skips", tile, "false", "skips(b, h, query, queries, key, keys)"),
    asked("sees_all", tile, "true", "sees_all(b, h, query, queries, key, keys)"),
    asked("sees", pairs, "true", "sees_pair(batch, head, query, key)"),
  ].join("\n");
}

const seen = ({ lines, value }: Lines): Lines => ({
  lines: ["if (!sees(batch, head, query, key)) return minus_infinity<A>();", ...lines],
  value,
});

/** One kernel; `slope`: the function's derivative, which kernels of gradients need. */
export function scoreText(
  kernel: BentKernel,
  { members }: Expressions,
  score: Lines,
  slope: Lines | null,
  layout: readonly string[] | null,
): string {
  const { headers, template, bounds, parameters, serial, threads, asksByTile } = kernels[kernel];
  const captured = members.map(({ type, name }) => `, ${type} ${name}`).join("");
  return `#include <warpcell/attention/bent.cuh>
${headers.map((name) => `#include <warpcell/attention/${name}.cuh>`).join("\n")}
using namespace warpcell;
using namespace warpcell::attention;

struct Function {
  static constexpr bool kIsBent = true;
${members.map(({ type, name }) => `  ${type} ${name};\n`).join("")}${layoutText(layout)}
${method("of", layout === null || asksByTile ? score : seen(score))}
${method("slope", slope ?? { lines: [], value: "1" })}
};

template <${template}>
__global__ void __launch_bounds__(${bounds}) ${kernel}(${parameters}${captured}) {
  const Function bend = {${members.map(({ name }) => name).join(", ")}};
${serial === null ? `  ${threads}` : `#ifdef WARPCELL_SERIAL\n  ${serial}\n#else\n  ${threads}\n#endif`}
}
`;
}
