// How many elements fall in each of a row of bins: whole numbers from 0 on, or even steps of a range. Sums of integers
// are the same in any order, so blocks count for themselves and add up.
#include <warpcell/map.cuh>
#include <warpcell/order.cuh>

using namespace warpcell;

// On a GPU: threads of a block, packs that each has under way, and the words that its block's bins may take.
constexpr int kThreads = 512, kLoads = 4, kShared = 8192;

// Calls `f(element)` for this thread's part.
template <class T, class F>
__device__ inline void for_each_element(const T* in, long long count, F f) {
#ifdef WARPCELL_SERIAL
  Span span = block_span(count);
  for (long long i = span.begin; i < span.end; i++) f(in[i]);
#else
  constexpr int W = 16 / sizeof(T);
  const long long step = (long long)gridDim.x * blockDim.x, packs = (unsigned long long)in % 16 == 0 ? count / W : 0;
  long long at = global_index();
  for (; at + (kLoads - 1) * step < packs; at += kLoads * step) {
    Pack<T, W> loaded[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; k++) loaded[k] = ((const Pack<T, W>*)in)[at + k * step];
#pragma unroll
    for (int k = 0; k < kLoads; k++)
#pragma unroll
      for (int e = 0; e < W; e++) f(loaded[k].element[e]);
  }
  for (; at < packs; at += step) {
    Pack<T, W> loaded = ((const Pack<T, W>*)in)[at];
#pragma unroll
    for (int e = 0; e < W; e++) f(loaded.element[e]);
  }
  for (long long i = packs * W + global_index(); i < count; i += step) f(in[i]);
#endif
}

// Calls `f(index)` for each index that is this thread's.
template <class F>
__device__ inline void for_each_index(long long count, F f) {
#ifdef WARPCELL_SERIAL
  Span span = block_span(count);
  for (long long i = span.begin; i < span.end; i++) f(i);
#else
  for (long long i = global_index(); i < count; i += (long long)gridDim.x * blockDim.x) f(i);
#endif
}

// What the extents of T are kept as, exactly.
template <class W, bool is_float>
struct ExtentOf {
  using type = int64;
};
template <class W>
struct ExtentOf<W, true> {
  using type = double;
};
template <>
struct ExtentOf<uint64, false> {
  using type = uint64;
};
template <class T>
using Extent = typename ExtentOf<Wide<T>, Number<T>::is_float>::type;

// The least and the greatest element, as keys of their order: extents[0] is the complement of the least's, extents[1]
// the greatest's, and that of NaN where there is one. Both are 0 at first.
template <class T>
__global__ void find_extents(const T* in, uint64* extents, long long count) {
  using W = Wide<T>;
  // A NaN is neither; where there are none but NaNs this stands for both.
  W least = widen<T>(in[0]), most = least;
  bool has_nan = false;
#ifdef WARPCELL_SERIAL
  Span span = block_span(count);
  const T* x = in + span.begin;
  const long long length = span.end - span.begin;
  constexpr int kLanes = 64 / sizeof(W);
  W lows[kLanes], highs[kLanes];
  int nans[kLanes] = {};
  for (int k = 0; k < kLanes; k++) lows[k] = highs[k] = least;
  long long i = 0;
  for (; i + kLanes <= length; i += kLanes)
    for (int k = 0; k < kLanes; k++) {
      const W value = widen<T>(x[i + k]);
      lows[k] = value < lows[k] ? value : lows[k];
      highs[k] = value > highs[k] ? value : highs[k];
      nans[k] |= value != value;
    }
  for (int k = 0; i + k < length; k++) {
    const W value = widen<T>(x[i + k]);
    lows[k] = value < lows[k] ? value : lows[k];
    highs[k] = value > highs[k] ? value : highs[k];
    nans[k] |= value != value;
  }
  for (int k = 0; k < kLanes; k++) {
    least = lows[k] < least ? lows[k] : least;
    most = highs[k] > most ? highs[k] : most;
    has_nan = has_nan || nans[k];
  }
#else
  for_each_element(in, count, [&](T element) {
    const W value = widen<T>(element);
    least = value < least ? value : least;
    most = value > most ? value : most;
    if constexpr (Number<T>::is_float) has_nan = has_nan || value != value;
  });
#endif
  using X = Extent<T>;
  uint64 low = ~sort_key(X(least), 0), high = sort_key(X(most), 0);
  if (has_nan || least != least) high = ~0ull;
#ifdef WARPCELL_SERIAL
  atomicMax(&extents[0], low);
  atomicMax(&extents[1], high);
#else
  __shared__ uint64 both[2];
  if (threadIdx.x < 2) both[threadIdx.x] = 0;
#pragma unroll
  for (int delta = 16; delta > 0; delta /= 2) {
    const uint64 other_low = __shfl_xor_sync(0xffffffffu, low, delta);
    const uint64 other_high = __shfl_xor_sync(0xffffffffu, high, delta);
    low = other_low > low ? other_low : low;
    high = other_high > high ? other_high : high;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    atomicMax(&both[0], low);
    atomicMax(&both[1], high);
  }
  __syncthreads();
  if (threadIdx.x < 2) atomicMax(&extents[threadIdx.x], both[threadIdx.x]);
#endif
}

// The type of edges, and what a guess at an element's bin is worked out in.
template <class T>
struct EdgeOf {
  using type = double;
};
template <>
struct EdgeOf<float> {
  using type = float;
};
#ifdef WARPCELL_SIXTEEN_BITS
template <>
struct EdgeOf<__half> : EdgeOf<float> {};
template <>
struct EdgeOf<__nv_bfloat16> : EdgeOf<float> {};
#endif
template <class T>
using Edge = typename EdgeOf<T>::type;
// What elements are compared with edges as.
template <class W>
struct ComparedAs {
  using type = W;
};
template <>
struct ComparedAs<int> {
  using type = int64;
};
template <>
struct ComparedAs<uint> {
  using type = int64;
};
template <class T>
using Compared = typename ComparedAs<Wide<T>>::type;

// Whether an element comes at or behind an edge, or not behind it; integers exactly, however large.
__device__ inline bool is_from(float x, float edge) { return x >= edge; }
__device__ inline bool is_from(double x, double edge) { return x >= edge; }
__device__ inline bool is_from(int64 x, double edge) {
  return edge < 9223372036854775808.0 && (edge <= -9223372036854775808.0 || x >= int64(ceil(edge)));
}
__device__ inline bool is_from(uint64 x, double edge) {
  return edge < 18446744073709551616.0 && (edge <= 0.0 || x >= uint64(ceil(edge)));
}
__device__ inline bool is_up_to(float x, float edge) { return x <= edge; }
__device__ inline bool is_up_to(double x, double edge) { return x <= edge; }
__device__ inline bool is_up_to(int64 x, double edge) {
  return edge >= 9223372036854775808.0 || (edge >= -9223372036854775808.0 && x <= int64(floor(edge)));
}
__device__ inline bool is_up_to(uint64 x, double edge) {
  return edge >= 18446744073709551616.0 || (edge >= 0.0 && x <= uint64(floor(edge)));
}

// Even steps from `low` to `high`: of the extents that were found, or where there are none of the numbers given. Edges
// are worked out in float64 and rounded once; they, as a caller sees them, decide where an element belongs.
template <class T>
struct Steps {
  using E = Edge<T>;
  using X = Compared<T>;
  double low, high, step;
  E first, last, scale, doubt;
  int bins;
  bool is_given;

  __device__ inline Steps(const uint64* extents, double least, double most, int count)
      : low(least), high(most), bins(count), is_given(extents == nullptr) {
    if (!is_given) {
      // Zeros of either sign have the key of 0.
      low = double(element_of<Extent<T>>(~extents[0], 0));
      high = double(element_of<Extent<T>>(extents[1], 0));
    }
    if (low == high) {
      low -= 0.5;
      high += 0.5;
    }
    const double density = double(bins) / (high - low), largest = fmax(fabs(low), fabs(high));
    step = (high - low) / double(bins);
    first = E(low);
    last = E(high);
    scale = E(density);
    // How far a guess may be off: by roundings of the distance, of the scale, of their product, and of the edge.
    doubt = E((sizeof(E) == 4 ? 0x1p-21 : 0x1p-50) * (double(bins) + largest * density));
  }

  // A product and a sum rounded once, so that they come out the same wherever this stands.
  __device__ inline E edge(long long i) const { return i == bins ? last : E(fma(double(i), step, low)); }

  // The bin of most elements, without a branch; -1 for one that is too near an edge, or outside.
  __device__ inline int usual(T element) const {
    const E place = (E(widen<T>(element)) - first) * scale;
    const E whole = floor(place), part = place - whole;
    const bool is_sure = part > doubt && part < E(1) - doubt && place > E(0) && place < E(bins);
    return is_sure ? int(whole) : -1;
  }

  // The bin of any: the last one that begins at or before it; `bins` where it is outside.
  __device__ inline int exact(T element) const {
    const X x = X(widen<T>(element));
    if (!(is_given ? is_from(x, first) && is_up_to(x, last) : x == x)) return bins;
    const E place = (E(x) - first) * scale;
    const int guess = place > E(0) ? (place < E(bins) ? int(place) : bins - 1) : 0;
    int begin = guess > 0 ? guess - 1 : 0, end = guess < bins - 1 ? guess + 1 : bins - 1;
    if (begin > 0 && !is_from(x, edge(begin))) {
      end = begin - 1;
      begin = 0;
    } else if (end < bins - 1 && is_from(x, edge(end + 1))) {
      begin = end + 1;
      end = bins - 1;
    }
    while (begin < end) {
      const int middle = begin + (end - begin + 1) / 2;
      if (is_from(x, edge(middle)))
        begin = middle;
      else
        end = middle - 1;
    }
    return begin;
  }
};

// Whole numbers are their own bins.
template <class T>
struct Values {
  long long bins;
  __device__ inline long long usual(T element) const {
    return uint64(element) < uint64(bins) ? (long long)element : bins;
  }
  __device__ inline long long exact(T element) const { return usual(element); }
};

// counts[bin] += 1 for each element. On the CPU each block has a row of `counts` to itself; on a GPU all have one, and
// where `copies` is not 0 a block first counts in as many copies of the bins, among which its warps share.
template <class T, class Place>
__device__ inline void count_places(const T* in, long long* counts, long long count, long long bins, int copies,
                                    Place place) {
#ifdef WARPCELL_SERIAL
  // Bins of many elements first; then they are counted, in turns by several counters, so that one need not wait for
  // what the one before has written.
  constexpr int kRun = 512, kFew = 512, kTurns = 4;
  decltype(place.usual(T())) run[kRun];
  long long turns[kTurns][kFew + 1];
  const bool is_few = bins <= kFew;
  if (is_few)
    for (auto& turn : turns)
      for (long long bin = 0; bin <= bins; bin++) turn[bin] = 0;
  Span span = block_span(count);
  long long* mine = counts + blockIdx.x * bins;
  for (long long first = span.begin; first < span.end; first += kRun) {
    const int here = span.end - first < kRun ? int(span.end - first) : kRun;
    const T* x = in + first;
    for (int i = 0; i < here; i++) run[i] = place.usual(x[i]);
    for (int i = 0; i < here; i++)
      if (run[i] < 0) run[i] = place.exact(x[i]);
    if (is_few) {
      for (int i = 0; i < here; i++) turns[i % kTurns][run[i]]++;
    } else {
      for (int i = 0; i < here; i++)
        if (run[i] < bins) mine[run[i]]++;
    }
  }
  if (is_few)
    for (long long bin = 0; bin < bins; bin++)
      for (auto& turn : turns) mine[bin] += turn[bin];
#else
  extern __shared__ uint found[];
  uint64* all = (uint64*)counts;
  const int words = copies * int(bins);
  for (int i = threadIdx.x; i < words; i += blockDim.x) found[i] = 0;
  __syncthreads();
  uint* own = found + (copies == 0 ? 0 : threadIdx.x / 32 % copies * int(bins));
  for_each_element(in, count, [&](T element) {
    auto bin = place.usual(element);
    if (bin < 0) bin = place.exact(element);
    if (bin >= bins) return;
    if (copies > 0)
      atomicAdd(own + bin, 1u);
    else
      atomicAdd(all + bin, 1ull);
  });
  __syncthreads();
  if (copies == 0) return;
  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    uint sum = 0;
    for (int copy = 0; copy < copies; copy++) sum += found[copy * int(bins) + bin];
    if (sum > 0) atomicAdd(all + bin, uint64(sum));
  }
#endif
}

template <class T>
__global__ void count_values(const T* in, long long* counts, long long count, long long bins, int copies) {
  count_places(in, counts, count, bins, copies, Values<T>{bins});
}

template <class T>
__global__ void count_steps(const T* in, long long* counts, const uint64* extents, double low, double high,
                            long long count, int bins, int copies) {
  count_places(in, counts, count, bins, copies, Steps<T>(extents, low, high, bins));
}

// The edges of the steps, and where the first begins and the last ends.
template <class T>
__global__ void step_edges(Edge<T>* out, double* limits, const uint64* extents, double low, double high,
                           long long count) {
  const Steps<T> steps(extents, low, high, int(count - 1));
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    limits[0] = steps.low;
    limits[1] = steps.high;
  }
  for_each_index(count, [&](long long i) { out[i] = steps.edge(i); });
}

// The bin of each element; `bins` for one that is in none.
template <class T>
__global__ void step_places(const T* in, long long* out, const uint64* extents, double low, double high,
                            long long count, int bins) {
  const Steps<T> steps(extents, low, high, bins);
  for_each_index(count, [&](long long i) { out[i] = steps.exact(in[i]); });
}
