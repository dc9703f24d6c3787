// Attention that keeps no weights of all pairs (Dao and others, arXiv 2205.14135): softmax(q·kᵀ · scale + mask)·v block
// by block, with the sums of before multiplied where a larger score is met; backward works the weights out again. For
// all dtypes and shapes, with no atomics, so that the same comes out every time.
#include <warpcell/attention/generic_shapes.cuh>
#include <warpcell/batches.cuh>

using namespace warpcell;
using attention::Backward;
using attention::Gradients;
using attention::kBlockThreads;
using attention::kColumns;
using attention::kHeld;
using attention::kMaskKeys;
using attention::kMaskQueries;
using attention::kQueries;
using attention::kSummed;
using attention::Problem;

// `lse`: the logarithm of each query's sum of e^score.
template <class T, int C>
__global__ void __launch_bounds__(kBlockThreads, kHeld<T, C>)
    attend(const T* q, const T* k, const T* v, const void* mask, T* out, Sum<T>* lse, Problem p) {
#ifdef WARPCELL_SERIAL
  attention::attend_lanes(q, k, v, mask, out, lse, p, blockIdx.x);
#else
  attention::attend_tiles<T, attention::kRows<T, C>, C>(q, k, v, mask, out, lse, p, blockIdx.x);
#endif
}

// Rows of a block of attention_delta where it is one thread, and threads of one elsewhere.
constexpr int kDeltaRows = 8, kDeltaThreads = 256;
template <class T>
constexpr int kDeltaWidth = kPackBytes / sizeof(T);

// delta = Σ d_out · out of each query, less the gradient of its log-sum-exp, which may be null. On a GPU `lanes`
// threads of a warp, a power of two, share a row.
template <class T>
__global__ void __launch_bounds__(kDeltaThreads)
    attention_delta(const T* d_out, const T* out, const Sum<T>* d_lse, Sum<T>* delta, Problem p, Gradients s,
                    long long lanes) {
  using A = Sum<T>;
  const long long rows = p.batches * p.heads * p.queries;
  const auto product = [](T a, T b) { return A(widen<T>(a)) * A(widen<T>(b)); };
#ifdef WARPCELL_SERIAL
  for (int each = 0; each < kDeltaRows; each++) {
    const long long row = (long long)blockIdx.x * kDeltaRows + each;
    if (row >= rows) return;
    const long long line = row / p.queries, query = row % p.queries;
    const T *above = d_out + s.d_out.at(line / p.heads, line % p.heads) + query * s.d_out.token,
            *result = out + p.out.at(line / p.heads, line % p.heads) + query * p.out.token;
    A sum = A(0);
    for (int d = 0; d < p.value_width; d++) sum += product(above[d], result[d]);
    delta[row] = d_lse == nullptr ? sum : sum - d_lse[row];
  }
#else
  constexpr int W = kDeltaWidth<T>;
  const int lane = threadIdx.x % int(lanes);
  const long long row = (long long)blockIdx.x * (kDeltaThreads / int(lanes)) + threadIdx.x / int(lanes);
  A sum = A(0);
  if (row < rows) {
    long long line, query, head;
    if (rows >> 32 == 0)  // where divisions of 32 bits do, which are several times as fast
      line = unsigned(row) / unsigned(p.queries), query = unsigned(row) % unsigned(p.queries),
      head = unsigned(line) % unsigned(p.heads);
    else
      line = row / p.queries, query = row % p.queries, head = line % p.heads;
    const long long batch = rows >> 32 == 0 ? unsigned(line) / unsigned(p.heads) : line / p.heads;
    const T *above = d_out + s.d_out.at(batch, head) + query * s.d_out.token,
            *result = out + p.out.at(batch, head) + query * p.out.token;
    const bool is_aligned = ((unsigned long long)above | (unsigned long long)result) % kPackBytes == 0;
    const int width = int(p.value_width), packed = is_aligned ? width / W * W : 0;
    for (int d = lane * W; d < packed; d += int(lanes) * W) {
      const Pack<T, W> a = *(const Pack<T, W>*)(above + d), b = *(const Pack<T, W>*)(result + d);
#pragma unroll
      for (int e = 0; e < W; e++) sum += product(a.element[e], b.element[e]);
    }
    for (int d = packed + lane; d < width; d += int(lanes)) sum += product(above[d], result[d]);
  }
  for (int apart = int(lanes) / 2; apart > 0; apart /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, apart);
  if (lane == 0 && row < rows) delta[row] = d_lse == nullptr ? sum : sum - d_lse[row];
#endif
}

// The gradients of keys and values; on a processor also what `parts` parts of them add to those of the queries.
template <class T, int C>
__global__ void __launch_bounds__(kBlockThreads, kHeld<T, C>)
    attention_keys(const T* q, const T* k, const T* v, const void* mask, const T* d_out, const Sum<T>* lse,
                   const Sum<T>* delta, T* dk, T* dv, Sum<T>* query_sums, long long parts, Problem p, Gradients s) {
  const Backward<T> in = {q, k, v, mask, d_out, lse, delta, p, s};
#ifdef WARPCELL_SERIAL
  attention::keys_backward(in, dk, dv, query_sums, parts, blockIdx.x);
#else
  attention::keys_backward<T, C>(in, dk, dv, blockIdx.x);
#endif
}

// The gradient of queries: on a processor the sum of what the parts of keys added.
template <class T, int C>
__global__ void __launch_bounds__(kBlockThreads, kHeld<T, C>)
    attention_queries(const T* q, const T* k, const T* v, const void* mask, const T* d_out, const Sum<T>* lse,
                      const Sum<T>* delta, T* dq, const Sum<T>* query_sums, long long parts, Problem p, Gradients s) {
#ifdef WARPCELL_SERIAL
  const long long rows = p.batches * p.heads * p.queries, first = (long long)blockIdx.x * kSummed;
  for (long long row = first; row < first + kSummed && row < rows; row++)
    attention::sum_parts(query_sums, dq, p, s, parts, row);
#else
  const Backward<T> in = {q, k, v, mask, d_out, lse, delta, p, s};
  attention::queries_backward<T, C>(in, dq, blockIdx.x);
#endif
}

// The gradient of an added mask, summed over what it was broadcast to.
template <class T>
__global__ void __launch_bounds__(kBlockThreads)
    attention_mask(const T* q, const T* k, const T* v, const void* mask, const T* d_out, const Sum<T>* lse,
                   const Sum<T>* delta, T* d_mask, Problem p, Gradients s) {
  const Backward<T> in = {q, k, v, mask, d_out, lse, delta, p, s};
  attention::mask_backward(in, d_mask, blockIdx.x);
}
