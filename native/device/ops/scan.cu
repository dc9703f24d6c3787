// Cumulative operations over [outer, length, inner], row-major, along `length`. What one block cannot do alone goes in
// parts: a first launch, without `out`, leaves each part's state; a second starts each part from the states before it.
// `reverse` goes from the end of each row.
#include <warpcell/map.cuh>
#include <warpcell/scan.cuh>

using namespace warpcell;

constexpr int kThreads = 256;
constexpr int kColumns = 256;  // columns of a block, on the CPU

__device__ inline long long placed(long long i, long long length, int reverse) { return reverse ? length - 1 - i : i; }

#ifndef WARPCELL_CPU
template <class State>
__device__ inline State shuffled_up(State state, int delta) {
  State other;
  constexpr int kWords = sizeof(State) / 4;
#pragma unroll
  for (int w = 0; w < kWords; w++)
    ((unsigned*)&other)[w] = __shfl_up_sync(0xffffffffu, ((const unsigned*)&state)[w], delta);
  return other;
}

// What threads before this one of the block hold, joined in their order; `total` becomes that of all. `totals` has a
// State a warp.
template <class Op>
__device__ inline typename Op::State before_thread(typename Op::State state, typename Op::State* totals,
                                                   typename Op::State& total) {
  using State = typename Op::State;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int delta = 1; delta < 32; delta *= 2) {
    State other = shuffled_up(state, delta);
    if (lane >= delta) state = Op::join(other, state);
  }
  if (lane == 31) totals[warp] = state;
  State exclusive = shuffled_up(state, 1);
  if (lane == 0) exclusive = Op::start();
  __syncthreads();
  State before = Op::start();
  total = Op::start();
#pragma unroll
  for (int w = 0; w < kThreads / 32; w++) {
    if (w == warp) before = total;
    total = Op::join(total, totals[w]);
  }
  __syncthreads();
  return Op::join(before, exclusive);
}

// The states of a row's parts before `part`, joined by all threads of the block.
template <class Op>
__device__ inline typename Op::State before_part(const typename Op::State* states, long long part,
                                                 typename Op::State* totals) {
  typename Op::State state = Op::start(), total;
  long long share = (part + kThreads - 1) / kThreads;
  for (long long p = threadIdx.x * share; p < (threadIdx.x + 1) * share && p < part; p++)
    state = Op::join(state, states[p]);
  before_thread<Op>(state, totals, total);
  return total;
}
#endif

#ifndef WARPCELL_CPU
// One part of a row where packs of 16 bytes lie at multiples of it: a thread takes U packs, one of each of its warp's
// stretches of 32, so that loads and stores are whole lines.
template <class Op, class T>
__device__ inline void scan_packs(const T* x, T* out, typename Op::State* state, typename Op::State carry,
                                  long long first, long long steps, long long length, int reverse,
                                  typename Op::State* totals) {
  using State = typename Op::State;
  constexpr int V = 16 / sizeof(T), U = (sizeof(T) <= 2 ? 16 : 8) / V;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const long long packs = steps / V, last = length / V - 1;
  for (long long base = 0; base < packs; base += kThreads * U) {
    Pack<T, V> loaded[U];
    const long long own = base + warp * (32 * U) + lane;
#pragma unroll
    for (int u = 0; u < U; u++) {
      long long at = first / V + own + u * 32;
      if (own + u * 32 < packs) loaded[u] = ((const Pack<T, V>*)x)[reverse ? last - at : at];
    }
    State local[U][V], before[U], all = Op::start();
#pragma unroll
    for (int u = 0; u < U; u++) {
      State run = Op::start();
#pragma unroll
      for (int e = 0; e < V; e++) {
        if (own + u * 32 < packs)
          run = Op::join(run, Op::of(widen<T>(reverse ? loaded[u].element[V - 1 - e] : loaded[u].element[e]), 0));
        local[u][e] = run;
      }
      // Of the lanes before this one, then of the stretches before this one.
#pragma unroll
      for (int delta = 1; delta < 32; delta *= 2) {
        State other = shuffled_up(run, delta);
        if (lane >= delta) run = Op::join(other, run);
      }
      State earlier = shuffled_up(run, 1);
      before[u] = Op::join(all, lane == 0 ? Op::start() : earlier);
      all = Op::join(all, __shfl_sync(0xffffffffu, run, 31));
    }
    if (lane == 0) totals[warp] = all;
    __syncthreads();
    State offset = carry;
#pragma unroll
    for (int w = 0; w < kThreads / 32; w++) {
      if (w == warp) offset = carry;
      carry = Op::join(carry, totals[w]);
    }
    __syncthreads();
    if (out == nullptr) continue;
#pragma unroll
    for (int u = 0; u < U; u++) {
      State start = Op::join(offset, before[u]);
      Pack<T, V> result;
#pragma unroll
      for (int e = 0; e < V; e++)
        result.element[e] = narrow<T>(Op::value(Op::join(start, reverse ? local[u][V - 1 - e] : local[u][e])));
      long long at = first / V + own + u * 32;
      if (own + u * 32 < packs) ((Pack<T, V>*)out)[reverse ? last - at : at] = result;
    }
  }
  if (out == nullptr && threadIdx.x == 0) *state = carry;
}
#endif

// inner = 1. On a GPU a block of kThreads goes along one part of one row, tile by tile.
template <class Op, class T>
__global__ void __launch_bounds__(kThreads, Op::has_index ? 1 : 4)
    scan_rows(const T* in, T* out, long long* indices, typename Op::State* states, long long rows, long long length,
              long long parts, long long chunk, int reverse) {
  using State = typename Op::State;
#ifdef WARPCELL_CPU
  long long count = rows * parts, share = (count + gridDim.x - 1) / gridDim.x;
  long long end = (blockIdx.x + 1) * share < count ? (blockIdx.x + 1) * share : count;
  for (long long at = blockIdx.x * share; at < end; at++) {
    long long row = at / parts, part = at % parts, first = part * chunk,
              last = first + chunk < length ? first + chunk : length;
    const T* x = in + row * length;
    State state = Op::start();
    if (out != nullptr)
      for (long long p = 0; p < part; p++) state = Op::join(state, states[row * parts + p]);
    long long i = first;
    if constexpr (same<Op, SumScan<T>>) {
      // Sums of eight at a time do not wait for those before them.
      for (; i + 8 <= last; i += 8) {
        State run[8];
        run[0] = Op::of(widen<T>(x[placed(i, length, reverse)]), 0);
        for (int k = 1; k < 8; k++)
          run[k] = Op::join(run[k - 1], Op::of(widen<T>(x[placed(i + k, length, reverse)]), 0));
        if (out != nullptr)
          for (int k = 0; k < 8; k++)
            out[row * length + placed(i + k, length, reverse)] = narrow<T>(Op::join(state, run[k]));
        state = Op::join(state, run[7]);
      }
    }
    for (; i < last; i++) {
      long long place = placed(i, length, reverse);
      state = Op::join(state, Op::of(widen<T>(x[place]), place));
      if (out == nullptr) continue;
      out[row * length + place] = narrow<T>(Op::value(state));
      if constexpr (Op::has_index) indices[row * length + place] = state.index;
    }
    if (out == nullptr) states[at] = state;
  }
#else
  constexpr int kItems = sizeof(T) <= 2 ? 16 : sizeof(State) > 8 ? 4 : 8, kTile = kThreads * kItems;
  __shared__ T tile[kTile + kTile / 32];
  __shared__ long long places[Op::has_index ? kTile + kTile / 32 : 1];
  __shared__ alignas(16) char memory[kThreads / 32 * sizeof(State)];
  State* totals = (State*)memory;
  long long at = blockIdx.x, row = at / parts, part = at % parts, first = part * chunk,
            steps = length - first < chunk ? length - first : chunk;
  const T* x = in + row * length;
  State carry = Op::start();
  if (out != nullptr && part > 0) carry = before_part<Op>(states + row * parts, part, totals);
  if constexpr (!Op::has_index) {
    constexpr int V = 16 / sizeof(T);
    T* to = out == nullptr ? nullptr : out + row * length;
    if (length % V == 0 && first % V == 0 && (unsigned long long)x % 16 == 0 && (unsigned long long)to % 16 == 0)
      return scan_packs<Op>(x, to, states + at, carry, first, steps, length, reverse, totals);
  }
  for (long long base = first; base < first + steps; base += kTile) {
    int here = first + steps - base < kTile ? int(first + steps - base) : kTile;
#pragma unroll
    for (int k = 0; k < kItems; k++) {
      int i = k * kThreads + threadIdx.x;
      if (i < here) tile[i + i / 32] = x[placed(base + i, length, reverse)];
    }
    __syncthreads();
    State local[kItems], state = Op::start(), total;
#pragma unroll
    for (int k = 0; k < kItems; k++) {
      int i = threadIdx.x * kItems + k;
      if (i < here) state = Op::join(state, Op::of(widen<T>(tile[i + i / 32]), placed(base + i, length, reverse)));
      local[k] = state;
    }
    State before = Op::join(carry, before_thread<Op>(state, totals, total));
    carry = Op::join(carry, total);
    if (out != nullptr) {
#pragma unroll
      for (int k = 0; k < kItems; k++) {
        int i = threadIdx.x * kItems + k;
        State joined = Op::join(before, local[k]);
        tile[i + i / 32] = narrow<T>(Op::value(joined));
        if constexpr (Op::has_index) places[i + i / 32] = joined.index;
      }
      __syncthreads();
#pragma unroll
      for (int k = 0; k < kItems; k++) {
        int i = k * kThreads + threadIdx.x;
        if (i >= here) continue;
        out[row * length + placed(base + i, length, reverse)] = tile[i + i / 32];
        if constexpr (Op::has_index) indices[row * length + placed(base + i, length, reverse)] = places[i + i / 32];
      }
    }
    __syncthreads();
  }
  if (out == nullptr && threadIdx.x == 0) states[at] = carry;
#endif
}

// inner > 1. `states` is [outer, parts, inner]. On a GPU a thread goes along one part of one column.
template <class Op, class T>
__global__ void scan_columns(const T* in, T* out, long long* indices, typename Op::State* states, long long outer,
                             long long length, long long inner, long long parts, long long chunk, int reverse) {
  using State = typename Op::State;
#ifdef WARPCELL_CPU
  long long tiles = (inner + kColumns - 1) / kColumns, count = outer * parts * tiles,
            share = (count + gridDim.x - 1) / gridDim.x;
  long long end = (blockIdx.x + 1) * share < count ? (blockIdx.x + 1) * share : count;
  for (long long at = blockIdx.x * share; at < end; at++) {
    long long column = at % tiles * kColumns, part = at / tiles % parts, o = at / tiles / parts;
    int width = inner - column < kColumns ? int(inner - column) : kColumns;
    long long first = part * chunk, last = first + chunk < length ? first + chunk : length;
    State state[kColumns];
    State* mine = states + o * parts * inner + column;
    for (int j = 0; j < width; j++) state[j] = Op::start();
    if (out != nullptr)
      for (long long p = 0; p < part; p++)
        for (int j = 0; j < width; j++) state[j] = Op::join(state[j], mine[p * inner + j]);
    for (long long i = first; i < last; i++) {
      long long place = placed(i, length, reverse), line = (o * length + place) * inner + column;
      const T* x = in + line;
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
      for (int j = 0; j < width; j++) state[j] = Op::join(state[j], Op::of(widen<T>(x[j]), place));
      if (out == nullptr) continue;
      T* y = out + line;
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
      for (int j = 0; j < width; j++) y[j] = narrow<T>(Op::value(state[j]));
      if constexpr (Op::has_index)
        for (int j = 0; j < width; j++) indices[line + j] = state[j].index;
    }
    if (out == nullptr)
      for (int j = 0; j < width; j++) mine[part * inner + j] = state[j];
  }
#else
  constexpr int kAhead = 8;
  long long at = global_index();
  if (at >= outer * parts * inner) return;
  long long column = at % inner, part = at / inner % parts, o = at / inner / parts;
  long long first = part * chunk, last = first + chunk < length ? first + chunk : length;
  State state = Op::start();
  if (out != nullptr)
    for (long long p = 0; p < part; p++) state = Op::join(state, states[(o * parts + p) * inner + column]);
  for (long long i = first; i < last; i += kAhead) {
    T loaded[kAhead];
#pragma unroll
    for (int k = 0; k < kAhead; k++)
      if (i + k < last) loaded[k] = in[(o * length + placed(i + k, length, reverse)) * inner + column];
#pragma unroll
    for (int k = 0; k < kAhead; k++) {
      if (i + k >= last) break;
      long long place = placed(i + k, length, reverse), to = (o * length + place) * inner + column;
      state = Op::join(state, Op::of(widen<T>(loaded[k]), place));
      if (out == nullptr) continue;
      out[to] = narrow<T>(Op::value(state));
      if constexpr (Op::has_index) indices[to] = state.index;
    }
  }
  if (out == nullptr) states[at] = state;
#endif
}
