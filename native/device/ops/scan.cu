// Cumulative operations over [outer, length, inner], row-major, along `length`. What one block cannot do alone goes in
// parts: a first launch, without `out`, leaves each part's state; a second starts each part from the states before it.
// `reverse` goes from the end of each row.
#include <warpcell/map.cuh>
#include <warpcell/scan.cuh>

using namespace warpcell;

constexpr int kThreads = 256;
constexpr int kColumns = 256;  // columns of a block, on the CPU
// Elements that a thread of a GPU loads at a time.
template <class T>
constexpr int kPack = kPackBytes / sizeof(T);

__device__ inline long long placed(long long i, long long length, int reverse) { return reverse ? length - 1 - i : i; }

#ifndef WARPCELL_SERIAL
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

#ifndef WARPCELL_SERIAL
// One part of a row where packs of 16 bytes lie at multiples of it: a thread takes U packs, one of each of its warp's
// stretches of 32, so that loads and stores are whole lines.
template <class Op, class T>
__device__ inline void scan_packs(const T* x, T* out, typename Op::State* state, typename Op::State carry,
                                  long long first, long long steps, long long length, int reverse,
                                  typename Op::State* totals) {
  using State = typename Op::State;
  constexpr int V = kPack<T>, U = (sizeof(T) <= 2 ? 16 : 8) / V;
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

#ifdef WARPCELL_SERIAL
// Elements that are widened, scanned and narrowed at a time, each in a loop of its own: only the scan is serial.
constexpr int kStretch = 512;

// A result from the state: of 16 bits by way of float, which is far quicker than from float64 and as good.
template <class T, class State>
__device__ inline T rounded(State state) {
  if constexpr (sizeof(T) == 2)
    return narrow<T>(Wide<T>(state));
  else
    return narrow<T>(state);
}

// Has `scan` go from `count` wide elements to as many wide results, `out` being null for none.
template <class Op, class T, class Scan>
__device__ inline void scan_stretch(const T* in, T* out, long long count, Scan scan) {
  if constexpr (same<T, Wide<T>>) {
    scan(in, out);
  } else {
    Wide<T> from[kStretch], to[kStretch];
    for (int i = 0; i < count; i++) from[i] = widen<T>(in[i]);
    scan(from, out == nullptr ? (Wide<T>*)nullptr : to);
    if (out == nullptr) return;
    for (int i = 0; i < count; i++) out[i] = narrow<T>(to[i]);
  }
}

// Rows of a few elements, whose number the compiler knows: their sums are short enough for the dtype they come in.
template <class Op, class T, int length>
__device__ inline void scan_rows_of(const Wide<T>* x, Wide<T>* y, long long rows, int reverse) {
  using Short = typename Pick<same<Op, SumScan<T>> && Number<T>::is_float, Wide<T>, typename Op::State>::type;
  auto rows_of = [&](auto place) {
    for (long long r = 0; r < rows; r++) {
      const Wide<T>* a = x + r * length;
      Short run[length];
      for (int k = 0; k < length; k++)
        run[k] = k == 0 ? Short(a[place(0)]) : Op::template combined<Short>(run[k - 1], Short(a[place(k)]));
      for (int k = 0; k < length; k++) y[r * length + place(k)] = Wide<T>(run[k]);
    }
  };
  if (reverse)
    rows_of([](int k) { return length - 1 - k; });
  else
    rows_of([](int k) { return k; });
}

// A row, or a stretch of one: x may be y.
template <class Op, class T>
__device__ inline void scan_line(const Wide<T>* x, Wide<T>* y, int count, typename Op::State& state, int reverse) {
  using State = typename Op::State;
  int i = 0;
  if constexpr (same<Op, SumScan<T>>) {
    // Sums of eight at a time do not wait for those before them. Of eight of 16 bits float says enough.
    using Short = typename Pick<sizeof(T) == 2, Wide<T>, State>::type;
    for (; i + 8 <= count; i += 8) {
      const int first = reverse ? count - 1 - i : i, step = reverse ? -1 : 1;
      Short run[8];
      run[0] = Short(x[first]);
      for (int k = 1; k < 8; k++) run[k] = Op::template combined<Short>(run[k - 1], Short(x[first + k * step]));
      if (y != nullptr)
        for (int k = 0; k < 8; k++) y[first + k * step] = Wide<T>(Op::join(state, State(run[k])));
      state = Op::join(state, State(run[7]));
    }
  }
  for (; i < count; i++) {
    const int place = reverse ? count - 1 - i : i;
    state = Op::join(state, Op::of(x[place], 0));
    if (y != nullptr) y[place] = Wide<T>(Op::value(state));
  }
}
#endif

// inner = 1. On a GPU a block of kThreads goes along one part of one row, tile by tile.
template <class Op, class T>
__global__ void __launch_bounds__(kThreads, Op::has_index ? 1 : 4)
    scan_rows(const T* in, T* out, long long* indices, typename Op::State* states, long long rows, long long length,
              long long parts, long long chunk, int reverse) {
  using State = typename Op::State;
#ifdef WARPCELL_SERIAL
  long long count = rows * parts, share = (count + gridDim.x - 1) / gridDim.x;
  long long end = (blockIdx.x + 1) * share < count ? (blockIdx.x + 1) * share : count;
  if constexpr (!Op::has_index) {
    if (parts == 1 && length <= kStretch) {
      // Several rows at a time.
      for (long long row = blockIdx.x * share, some; row < end; row += some) {
        some = end - row < kStretch / length ? end - row : kStretch / length;
        scan_stretch<Op>(in + row * length, out + row * length, some * length, [&](const Wide<T>* x, Wide<T>* y) {
          if (length == 2) return scan_rows_of<Op, T, 2>(x, y, some, reverse);
          if (length == 3) return scan_rows_of<Op, T, 3>(x, y, some, reverse);
          if (length == 4) return scan_rows_of<Op, T, 4>(x, y, some, reverse);
          for (long long r = 0; r < some; r++) {
            State state = Op::start();
            scan_line<Op, T>(x + r * length, y + r * length, int(length), state, reverse);
          }
        });
      }
      return;
    }
  }
  for (long long at = blockIdx.x * share; at < end; at++) {
    long long row = at / parts, part = at % parts, first = part * chunk,
              last = first + chunk < length ? first + chunk : length;
    const T* x = in + row * length;
    State state = Op::start();
    if (out != nullptr)
      for (long long p = 0; p < part; p++) state = Op::join(state, states[row * parts + p]);
    if constexpr (Op::has_index) {
      for (long long i = first; i < last; i++) {
        long long place = placed(i, length, reverse);
        state = Op::join(state, Op::of(widen<T>(x[place]), place));
        if (out == nullptr) continue;
        out[row * length + place] = narrow<T>(Op::value(state));
        indices[row * length + place] = state.index;
      }
    } else {
      for (long long i = first; i < last; i += kStretch) {
        const int here = last - i < kStretch ? int(last - i) : kStretch;
        const long long place = reverse ? length - i - here : i;
        scan_stretch<Op>(x + place, out == nullptr ? nullptr : out + row * length + place, here,
                         [&](const Wide<T>* from, Wide<T>* to) { scan_line<Op, T>(from, to, here, state, reverse); });
      }
    }
    if (out == nullptr) states[at] = state;
  }
#else
  constexpr int kItems = sizeof(T) <= 2 ? 16 : sizeof(State) > 8 ? 4 : 8, kTile = kThreads * kItems;
  __shared__ T tile[kTile + kTile / 32];
  __shared__ long long places[Op::has_index ? kTile + kTile / 32 : 1];
  __shared__ __align__(16) char memory[kThreads / 32 * sizeof(State)];
  State* totals = (State*)memory;
  long long at = blockIdx.x, row = at / parts, part = at % parts, first = part * chunk,
            steps = length - first < chunk ? length - first : chunk;
  const T* x = in + row * length;
  State carry = Op::start();
  if (out != nullptr && part > 0) carry = before_part<Op>(states + row * parts, part, totals);
  if constexpr (!Op::has_index) {
    constexpr int V = kPack<T>;
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

// inner = 1, short rows, on a GPU: a block takes as many whole rows as its tile holds. Threads take neighbours, of one
// row or several; what comes before a row's first element is forgotten there.
constexpr int kShortEach = 8, kShortTile = kThreads * kShortEach;

template <class Op, class T>
__global__ void __launch_bounds__(kThreads)
    scan_short_rows(const T* in, T* out, long long* indices, long long rows, int length, int reverse) {
#ifndef WARPCELL_SERIAL
  using State = typename Op::State;
  __shared__ T tile[kShortTile + kShortTile / 32];
  __shared__ ushort places[Op::has_index ? kShortTile + kShortTile / 32 : 1];
  __shared__ __align__(16) char memory[kThreads / 32 * sizeof(State)];
  __shared__ bool heads[kThreads / 32];
  State* totals = (State*)memory;
  const int each = kShortTile / length, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const long long first = (long long)blockIdx.x * each, base = first * length;
  const int here = (rows - first < each ? int(rows - first) : each) * length;
#pragma unroll
  for (int k = 0; k < kShortEach; k++) {
    const int i = k * kThreads + threadIdx.x;
    if (i < here) tile[i + i / 32] = in[base + i];
  }
  __syncthreads();
  const int own = threadIdx.x * kShortEach, place = own % length;
  auto at = [&](int i, int p) {
    const int there = reverse ? i + length - 1 - 2 * p : i;
    return there + there / 32;
  };
  State local[kShortEach], state = Op::start();
  bool is_head = false;
  int p = place;
#pragma unroll
  for (int k = 0; k < kShortEach; k++) {
    if (p == 0) {
      state = Op::start();
      is_head = true;
    }
    if (own + k < here) state = Op::join(state, Op::of(widen<T>(tile[at(own + k, p)]), reverse ? length - 1 - p : p));
    local[k] = state;
    p = p + 1 == length ? 0 : p + 1;
  }
#pragma unroll
  for (int delta = 1; delta < 32; delta *= 2) {
    State other = shuffled_up(state, delta);
    const bool is_other = __shfl_up_sync(0xffffffffu, is_head, delta);
    if (lane >= delta) {
      if (!is_head) state = Op::join(other, state);
      is_head = is_head || is_other;
    }
  }
  if (lane == 31) {
    totals[warp] = state;
    heads[warp] = is_head;
  }
  State earlier = shuffled_up(state, 1);
  const bool is_earlier = __shfl_up_sync(0xffffffffu, is_head, 1);
  __syncthreads();
  State before = Op::start();
#pragma unroll
  for (int w = 0; w < kThreads / 32; w++)
    if (w < warp) before = heads[w] ? totals[w] : Op::join(before, totals[w]);
  if (lane > 0) before = is_earlier ? earlier : Op::join(before, earlier);
  // The elements up to the next row's first one.
  const int open = place == 0 ? 0 : length - place;
  p = place;
#pragma unroll
  for (int k = 0; k < kShortEach; k++) {
    if (own + k < here) {
      State joined = k < open ? Op::join(before, local[k]) : local[k];
      tile[at(own + k, p)] = narrow<T>(Op::value(joined));
      if constexpr (Op::has_index) places[at(own + k, p)] = ushort(joined.index);
    }
    p = p + 1 == length ? 0 : p + 1;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kShortEach; k++) {
    const int i = k * kThreads + threadIdx.x;
    if (i >= here) continue;
    out[base + i] = tile[i + i / 32];
    if constexpr (Op::has_index) indices[base + i] = places[i + i / 32];
  }
#endif
}

#ifdef WARPCELL_SERIAL
// The states of neighbouring columns, in arrays that compilers make vectors of.
template <class Op, class T>
struct Columns {
  using State = typename Op::State;
  State state[kColumns];
  __device__ inline void set(int j, State value) { state[j] = value; }
  __device__ inline State get(int j) const { return state[j]; }
  __device__ inline void scan(const T* x, T* y, long long*, long long place, int width) {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
    for (int j = 0; j < width; j++) state[j] = Op::join(state[j], Op::of(widen<T>(x[j]), place));
    if (y == nullptr) return;
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
    for (int j = 0; j < width; j++) y[j] = rounded<T>(Op::value(state[j]));
  }
};
template <class T, bool largest>
struct Columns<ExtremeScan<T, largest>, T> {
  using Op = ExtremeScan<T, largest>;
  using State = typename Op::State;
  Wide<T> values[kColumns];
  long long places[kColumns];
  __device__ inline void set(int j, State state) {
    values[j] = state.value;
    places[j] = state.index;
  }
  __device__ inline State get(int j) const { return {values[j], places[j]}; }
  __device__ inline void scan(const T* x, T* y, long long* indices, long long place, int width) {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
    for (int j = 0; j < width; j++) {
      const Wide<T> value = widen<T>(x[j]), best = values[j];
      const bool is_later =
          (places[j] < 0) | (value != value) | ((best == best) & (largest ? value >= best : value <= best));
      values[j] = is_later ? value : best;
      places[j] = is_later ? place : places[j];
    }
    if (y == nullptr) return;
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
    for (int j = 0; j < width; j++) y[j] = narrow<T>(values[j]);
    for (int j = 0; j < width; j++) indices[j] = places[j];
  }
};
#endif

// inner > 1. `states` is [outer, parts, inner]. On a GPU a thread goes along one part of one column.
template <class Op, class T>
__global__ void scan_columns(const T* in, T* out, long long* indices, typename Op::State* states, long long outer,
                             long long length, long long inner, long long parts, long long chunk, int reverse) {
  using State = typename Op::State;
#ifdef WARPCELL_SERIAL
  long long tiles = (inner + kColumns - 1) / kColumns, count = outer * parts * tiles,
            share = (count + gridDim.x - 1) / gridDim.x;
  long long end = (blockIdx.x + 1) * share < count ? (blockIdx.x + 1) * share : count;
  for (long long at = blockIdx.x * share; at < end; at++) {
    long long column = at % tiles * kColumns, part = at / tiles % parts, o = at / tiles / parts;
    int width = inner - column < kColumns ? int(inner - column) : kColumns;
    long long first = part * chunk, last = first + chunk < length ? first + chunk : length;
    State* mine = states + o * parts * inner + column;
    Columns<Op, T> columns;
    for (int j = 0; j < width; j++) columns.set(j, Op::start());
    if (out != nullptr)
      for (long long p = 0; p < part; p++)
        for (int j = 0; j < width; j++) columns.set(j, Op::join(columns.get(j), mine[p * inner + j]));
    for (long long i = first; i < last; i++) {
      long long place = placed(i, length, reverse), line = (o * length + place) * inner + column;
      columns.scan(in + line, out == nullptr ? nullptr : out + line, Op::has_index ? indices + line : nullptr, place,
                   width);
    }
    if (out == nullptr)
      for (int j = 0; j < width; j++) mine[part * inner + j] = columns.get(j);
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
