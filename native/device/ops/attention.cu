// Attention that keeps no weights of all pairs (Dao and others, arXiv 2205.14135): softmax(q·kᵀ · scale + mask)·v block
// by block, with the sums of before multiplied where a larger score is met; backward works the weights out again. For
// all dtypes and shapes, with no atomics, so that the same comes out every time.
#include <warpcell/attention/lane_passes.cuh>
#include <warpcell/attention/tile_passes.cuh>

using namespace warpcell;
using attention::Backward;
using attention::Gradients;
using attention::Problem;

// On a GPU a kernel is made for C/4 · 64 columns of keys and of values at most; a core takes all.
#ifdef WARPCELL_SERIAL
template <class T, int C>
constexpr int kQueries = attention::kLanes<Sum<T>>;
template <class T>
constexpr int kMaskQueries = attention::kTileLines;
template <class T>
constexpr int kMaskKeys = attention::kLanes<Sum<T>>;
template <class T>
constexpr int kVectorColumns = attention::kWidth<Sum<T>>;
constexpr int kBlockThreads = 1;
#else
template <class T, int C>
constexpr int kRows = sizeof(Sum<T>) == 4 && C <= 8 ? 8 : 4;
template <class T, int C>
constexpr int kQueries = kRows<T, C> * attention::kSide;
template <class T>
constexpr int kMaskQueries = attention::kLines;
template <class T>
constexpr int kMaskKeys = attention::kLines;
template <class T>
constexpr int kVectorColumns = 1;
constexpr int kBlockThreads = attention::kThreads;
#endif

// Blocks that a processor of a GPU is to hold at a time.
template <class T, int C>
constexpr int kHeld = sizeof(Sum<T>) == 4 && C <= 8 ? 2 : 1;

// `lse`: the logarithm of each query's sum of e^score.
template <class T, int C>
__global__ void __launch_bounds__(kBlockThreads, kHeld<T, C>)
    attend(const T* q, const T* k, const T* v, const void* mask, T* out, Sum<T>* lse, Problem p) {
#ifdef WARPCELL_SERIAL
  attention::attend_lanes(q, k, v, mask, out, lse, p, blockIdx.x);
#else
  attention::attend_tiles<T, kRows<T, C>, C>(q, k, v, mask, out, lse, p, blockIdx.x);
#endif
}

// delta = Σ d_out · out of each query, less the gradient of its log-sum-exp, which may be null.
constexpr int kDeltaRows = 8;
template <class T>
__global__ void __launch_bounds__(32 * kDeltaRows)
    attention_delta(const T* d_out, const T* out, const Sum<T>* d_lse, Sum<T>* delta, Problem p, Gradients s) {
  using A = Sum<T>;
  const auto first = [&](const attention::Steps& steps, long long row) {
    return steps.at(row / p.queries / p.heads, row / p.queries % p.heads) + row % p.queries * steps.token;
  };
  const long long rows = p.batches * p.heads * p.queries;
  for (int each = 0; each < kDeltaRows; each++) {
#ifdef WARPCELL_SERIAL
    const long long row = (long long)blockIdx.x * kDeltaRows + each;
    const int lane = 0, lanes = 1;
#else
    if (each > 0) break;
    const long long row = (long long)blockIdx.x * kDeltaRows + threadIdx.x / 32;
    const int lane = threadIdx.x % 32, lanes = 32;
#endif
    if (row >= rows) return;
    const T *above = d_out + first(s.d_out, row), *result = out + first(p.out, row);
    A sum = A(0);
    for (int d = lane; d < p.value_width; d += lanes) sum += A(widen<T>(above[d])) * A(widen<T>(result[d]));
#ifndef WARPCELL_SERIAL
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, apart);
#endif
    if (lane == 0) delta[row] = d_lse == nullptr ? sum : sum - d_lse[row];
  }
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

#ifdef WARPCELL_SERIAL
// Rows of a block of sums.
constexpr int kSummed = 64;
#else
constexpr int kSummed = 1;
#endif
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
