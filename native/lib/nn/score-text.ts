// The CUDA C++ of attention with a function of scores in it.
import type { Expressions } from "../fuse/expression.ts";
import type { BentKernel } from "../ops/attention/problem.ts";

type Lines = ReturnType<Expressions["of"]>;

const read = "const T* q, const T* k, const T* v, const void* mask";
const above = `${read}, const T* d_out, const Sum<T>* lse, const Sum<T>* delta`;
const backward = "const Backward<T> in = {q, k, v, mask, d_out, lse, delta, p, s};";

/** Parameters and bodies, `serial` where a block is one thread, as ops/attention.cu has them. */
const kernels: Readonly<Record<BentKernel, { parameters: string; serial: string; threads: string }>> = {
  attend: {
    parameters: `${read}, T* out, Sum<T>* lse, Problem p`,
    serial: "attend_lanes(q, k, v, mask, out, lse, p, blockIdx.x, bend);",
    threads: "attend_tiles<T, kRows<T, C>, C>(q, k, v, mask, out, lse, p, blockIdx.x, bend);",
  },
  attention_keys: {
    parameters: `${above}, T* dk, T* dv, Sum<T>* query_sums, long long parts, Problem p, Gradients s`,
    serial: `${backward} keys_backward(in, dk, dv, query_sums, parts, blockIdx.x, bend);`,
    threads: `${backward} keys_backward<T, C>(in, dk, dv, blockIdx.x, bend);`,
  },
  attention_queries: {
    parameters: `${above}, T* dq, const Sum<T>* query_sums, long long parts, Problem p, Gradients s`,
    serial: "",
    threads: `${backward} queries_backward<T, C>(in, dq, blockIdx.x, bend);`,
  },
  attention_mask: {
    parameters: `${above}, T* d_mask, Problem p, Gradients s`,
    serial: `${backward} mask_backward(in, d_mask, blockIdx.x, bend);`,
    threads: `${backward} mask_backward(in, d_mask, blockIdx.x, bend);`,
  },
};

const pairs = "long long batch, long long head, long long query, long long key";

function method(name: string, { lines, value }: Lines): string {
  return `  template <class A>
  __device__ inline A ${name}(A score, ${pairs}) const {
${[...lines, `return A(${value});`].map((line) => `    ${line}`).join("\n")}
  }`;
}

/** `layout`: the members of a BlockLayout. What no block of it sees has no score. */
function layoutText(layout: readonly string[] | null): string {
  const skipped =
    layout === null ? "false" : `BlockLayout{${layout.join(", ")}}.skips(b, h, query, queries, key, keys)`;
  return `  __device__ inline bool skips(long long b, long long h, long long query, int queries, long long key, int keys) const {
    return ${skipped};
  }`;
}

function seen(layout: readonly string[] | null, score: Lines): Lines {
  if (layout === null) return score;
  const sees = `BlockLayout{${layout.join(", ")}}.sees_pair(batch, head, query, key)`;
  return { lines: [`if (!${sees}) return minus_infinity<A>();`, ...score.lines], value: score.value };
}

/** One kernel; `slope`: the function's derivative, which kernels of gradients need. */
export function scoreText(
  kernel: BentKernel,
  { members }: Expressions,
  score: Lines,
  slope: Lines | null,
  layout: readonly string[] | null,
): string {
  const { parameters, serial, threads } = kernels[kernel];
  const captured = members.map(({ type, name }) => `, ${type} ${name}`).join("");
  return `#include <warpcell/attention/bent.cuh>
using namespace warpcell;
using namespace warpcell::attention;

struct Function {
  static constexpr bool kIsBent = true;
${members.map(({ type, name }) => `  ${type} ${name};\n`).join("")}${layoutText(layout)}
${method("of", seen(layout, score))}
${method("slope", slope ?? { lines: [], value: "1" })}
};

template <class T, int C>
__global__ void __launch_bounds__(kBlockThreads, kHeld<T, C>) ${kernel}(${parameters}${captured}) {
  const Function bend = {${members.map(({ name }) => name).join(", ")}};
#ifdef WARPCELL_SERIAL
  ${serial}
#else
  ${threads}
#endif
}
`;
}
