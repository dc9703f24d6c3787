// Reductions of [outer, length, inner] along `length`, where rows and what lies beside each other may have gaps. What
// one block cannot do alone is made in parts, whose states a last launch joins.
#include <warpcell/column_packs.cuh>
#include <warpcell/columns.cuh>
#include <warpcell/joined_rows.cuh>
#include <warpcell/map.cuh>
#include <warpcell/rows.cuh>
#include <warpcell/tile.cuh>

using namespace warpcell;

constexpr int kWorthVectors = 8;  // columns, on the CPU
constexpr int kGroup = 64;        // rows that are added in a row, on the CPU
constexpr int kThreads = 256;     // most threads of a block of columns, on a GPU
// Blocks of columns that a processor is to have room for: more of them hide more of a wait than registers for fewer
// would, but for sums in float64 that take all.
template <class Op, class T>
constexpr int kColumnBlocks = by_groups<Op> && sizeof(T) == 8 ? 2 : 4;
// Neighbouring columns of such a thread, where they begin at a multiple of them.
template <class State, class T>
constexpr int kBeside = sizeof(State) > 8 && sizeof(T) < 4 ? 4
                        : kPackBytes / sizeof(T) > 8       ? 8
                                                           : kPackBytes / sizeof(T);

// The state of at(0), …, at(length − 1), a few of them, by one thread.
template <class Op>
struct Serial {
  template <class At>
  static __device__ inline typename Op::State of(At at, int length) {
    typename Op::State state = Op::start();
    for (int i = 0; i < length; i++) Op::add(state, at(i), i);
    return state;
  }
};
// In two passes of sums, relative to the first element: no division for each.
template <class T>
struct Serial<VarOf<T>> {
  template <class At>
  static __device__ inline Moments<Sum<T>> of(At at, int length) {
    using A = Sum<T>;
    const A origin = A(at(0)), count = A(length);
    A sum = A(0), rest = A(0), squares = A(0);
    for (int i = 0; i < length; i++) sum += A(at(i)) - origin;
    const A mean = sum / count;
    for (int i = 0; i < length; i++) {
      const A d = (A(at(i)) - origin) - mean;
      rest += d;
      squares += d * d;
    }
    const A left = rest / count, found = squares - rest * left;
    return {count, origin + mean + left, found > A(0) || found != found ? found : A(0)};
  }
};
template <class T>
struct Serial<StdOf<T>> : Serial<VarOf<T>> {};
template <class T>
struct Serial<LogSumExpOf<T>> {
  template <class At>
  static __device__ inline Exponentials<Sum<T>> of(At at, int length) {
    using A = Sum<T>;
    A most = A(at(0)), sum = A(0);
    for (int i = 1; i < length; i++) most = A(at(i)) > most ? A(at(i)) : most;
    if (most - most != A(0)) {
      // Infinities, or nothing that is ordered.
      auto state = LogSumExpOf<T>::start();
      for (int i = 0; i < length; i++) LogSumExpOf<T>::add(state, at(i), i);
      return state;
    }
    for (int i = 0; i < length; i++) sum += fn::exp(A(at(i)) - most);
    return {most, sum};
  }
};
#ifndef WARPCELL_SERIAL
constexpr int kUnder = 4;  // packs that a thread has under way at a time

// Elements as the threads of a row meet them: `pack` for whole packs, `one` for the rest.
template <class Op, class T>
struct Lanes {
  static constexpr int W = kPackBytes / sizeof(T);
  static constexpr int kStates = by_groups<Op> ? 1 : W;
  typename Op::State states[kStates];
  __device__ inline Lanes() {
#pragma unroll
    for (int e = 0; e < kStates; e++) states[e] = Op::start();
  }
  // N packs of which the first begins at `index`, the others `step` further each.
  template <int N>
  __device__ inline void packs(const Pack<T, W> (&loaded)[N], long long index, long long step) {
    if constexpr (by_groups<Op>) {
      Wide<T> values[N * W];
#pragma unroll
      for (int i = 0; i < N * W; i++) values[i] = widen<T>(loaded[i / W].element[i % W]);
      Op::add_group(states[0], values);
    } else {
#pragma unroll
      for (int n = 0; n < N; n++) {
#pragma unroll
        for (int e = 0; e < W; e++) Op::add(states[e], widen<T>(loaded[n].element[e]), index + n * step + e);
      }
    }
  }
  __device__ inline typename Op::State total() {
    if constexpr (!by_groups<Op>) {
#pragma unroll
      for (int width = W / 2; width > 0; width /= 2) {
#pragma unroll
        for (int e = 0; e < width; e++) Op::merge(states[e], states[e + width]);
      }
    }
    return states[0];
  }
};
// Places: a pack's extreme is compared, and the pack that won is kept; where in it, is asked once.
template <class T, bool largest>
struct Lanes<ArgOf<T, largest>, T> {
  using Op = ArgOf<T, largest>;
  using State = typename Op::State;
  static constexpr int W = kPackBytes / sizeof(T);
  State state = Op::start();
  Pack<T, W> kept;
  template <int N>
  __device__ inline void packs(const Pack<T, W> (&loaded)[N], long long index, long long step) {
#pragma unroll
    for (int n = 0; n < N; n++) {
      Wide<T> most = widen<T>(loaded[n].element[0]);
#pragma unroll
      for (int e = 1; e < W; e++) Places<Op>::Extreme::add(most, widen<T>(loaded[n].element[e]), 0);
      if (Op::exceeds(most, state.value)) {
        state = {most, index + n * step};
        kept = loaded[n];
      }
    }
  }
  __device__ inline State total() {
    if (state.index == kNowhere) return state;
    const long long first = state.index;
#pragma unroll
    for (int e = W - 1; e >= 0; e--) {
      const Wide<T> x = widen<T>(kept.element[e]);
      if (x == state.value || (x != x && state.value != state.value)) state.index = first + e;
    }
    return state;
  }
};

// One row's part by `threads` threads, of which this is `thread`. Packs lie where memory has them; what is left at both
// ends goes element by element, and is on its way before them.
template <class Op, class T>
__device__ inline typename Op::State strided_line(const T* in, long long length, long long index, int thread,
                                                  int threads) {
  constexpr int W = kPackBytes / sizeof(T), U = kUnder;
  long long head = (kPackBytes - past_pack(in)) % kPackBytes / int(sizeof(T));
  if (head > length) head = length;
  const long long packs = (length - head) / W, edges = length - packs * W, skipped = packs * W;
  auto place = [=](long long edge) { return edge < head ? edge : edge + skipped; };
  const bool has_edge = thread < edges;
  T edge;
  if (has_edge) edge = in[place(thread)];

  Lanes<Op, T> lanes;
  const Pack<T, W>* pointer = (const Pack<T, W>*)(in + head);
  const long long first = index + head, step = (long long)threads * W;
  long long at = thread;
  for (; at + (U - 1) * threads < packs; at += U * threads) {
    Pack<T, W> loaded[U];
#pragma unroll
    for (int u = 0; u < U; u++) loaded[u] = pointer[at + u * threads];
    lanes.packs(loaded, first + at * W, step);
  }
  if (at < packs) {
    Pack<T, W> loaded[U - 1][1];
#pragma unroll
    for (int u = 0; u < U - 1; u++)
      if (at + u * threads < packs) loaded[u][0] = pointer[at + u * threads];
#pragma unroll
    for (int u = 0; u < U - 1; u++)
      if (at + u * threads < packs) lanes.packs(loaded[u], first + (at + u * threads) * W, step);
  }
  typename Op::State state = lanes.total();
  if (has_edge) {
    typename Op::State other = Op::start();
    Op::add(other, widen<T>(edge), index + place(thread));
    Op::merge(state, other);
  }
  for (long long more = thread + threads; more < edges; more += threads) {
    typename Op::State other = Op::start();
    Op::add(other, widen<T>(in[place(more)]), index + place(more));
    Op::merge(state, other);
  }
  return state;
}

#endif

template <class Op, class Out>
__device__ inline void put(Out* out, typename Op::State* states, long long at, typename Op::State state,
                           double parameter) {
  if (states != nullptr)
    states[at] = state;
  else
    out[at] = narrow<Out>(Op::finish(state, parameter));
}

#ifdef WARPCELL_SERIAL
// The state of `length` elements, of which the first counts as `index`.
template <class Op, class T>
inline typename Op::State row_state(const T* x, long long length, long long index) {
  if constexpr (is_held<T>) {
    Cascade<Op> cascade;
    for (long long first = 0; first < length; first += kMostHeld) {
      const long long steps = length - first < kMostHeld ? length - first : kMostHeld;
      const HeldRow<T> held(x + first, steps);
      cascade.push(line<Op>([&](long long i) WARPCELL_INLINED { return held[i]; }, steps, index + first));
    }
    return cascade.total();
  } else {
    return line<Op>([x](long long i) WARPCELL_INLINED { return widen<T>(x[i]); }, length, index);
  }
}
#endif

// Slabs [length, inner] of a few elements: on a GPU tiles of whole ones, one thread a result.
template <class Op, class T, class Out>
__global__ void short_rows(const T* in, Out* out, long long outer, long long length, long long inner,
                           double parameter) {
  const int steps = int(length), width = int(inner), size = steps * width;
  auto result = [=](const T* x) {
    return narrow<Out>(Op::finish(Serial<Op>::of([=](int i) { return widen<T>(x[i * width]); }, steps), parameter));
  };
#ifdef WARPCELL_SERIAL
  Span span = block_span(outer);
  typename Op::State states[kTurned];
  const int together = width == 1 ? kTurned : 1;
  for (long long o = span.begin; o < span.end; o += together) {
    const T* x = in + o * size;
    const int rows = span.end - o < together ? int(span.end - o) : together;
    if (width == 1)
      turned_states<Op>(x, rows, steps, states);
    else if (width >= kWorthVectors)
      Columns<Op>::of(x, steps, width, width, states, 0);
    for (int column = 0; column < rows * width; column++)
      out[o * width + column] = width == 1 || width >= kWorthVectors
                                    ? narrow<Out>(Op::finish(states[column], parameter))
                                    : result(x + column);
  }
#else
  __shared__ __align__(kPackBytes) char memory[kTileMemory];
  const int share = rows_of_tile(outer, size * int(sizeof(T)), kTileBytes);
  for (long long first = (long long)blockIdx.x * share; first < outer; first += (long long)gridDim.x * share) {
    const int count = outer - first < share ? int(outer - first) : share;
    const T* tile = bring(memory, in + first * size, count * size);
    arrived();
    for (int at = threadIdx.x; at < count * width; at += blockDim.x) {
      const int o = width == 1 ? at : at / width;
      out[first * width + at] = result(tile + o * size + (at - o * width));
    }
    __syncthreads();
  }
#endif
}

#ifndef WARPCELL_SERIAL
struct Quotient {
  long long quotient;
  int rest;
};
__device__ inline Quotient divided(long long a, long long b) {
  if (a >> 31 == 0 && b >> 31 == 0) return {(long long)(unsigned(a) / unsigned(b)), int(unsigned(a) % unsigned(b))};
  return {a / b, int(a % b)};
}
#endif

// inner = 1, rows `row_step` apart and their elements `step`, which is 1 on the CPU. Part p of a row holds its elements
// p · chunk …; with several parts, `states` gets [rows, parts] and `out` nothing. On a GPU blockDim.x threads make a
// part: a power of two up to 32, or a block.
template <class Op, class T, class Out>
__global__ void rows(const T* in, Out* out, typename Op::State* states, long long rows, long long length,
                     long long row_step, long long step, long long parts, long long chunk, double parameter) {
#ifdef WARPCELL_SERIAL
  long long count = rows * parts, share = (count + gridDim.x - 1) / gridDim.x;
  long long end = (blockIdx.x + 1) * share < count ? (blockIdx.x + 1) * share : count;
  if constexpr (joins_lanes<Op>) {
    if (parts == 1 && length >= kLanes && length <= kJoinedRow) {
      for (long long row = blockIdx.x * share; row < end; row += kRowsJoined) {
        const int many = end - row < kRowsJoined ? int(end - row) : kRowsJoined;
        const T* first = in + row * row_step;
        typename Op::State found[kRowsJoined];
        const bool is_made = joined_states<Op>(first, many, row_step, int(length), found);
        for (int r = 0; r < many; r++)
          put<Op>(out, states, row + r, is_made ? found[r] : row_state<Op>(first + r * row_step, length, 0), parameter);
      }
      return;
    }
  }
  for (long long at = blockIdx.x * share; at < end; at++) {
    long long row = at / parts, first = at % parts * chunk;
    put<Op>(out, states, at,
            row_state<Op>(in + row * row_step + first, length - first < chunk ? length - first : chunk, first),
            parameter);
  }
#else
  const long long at = (long long)blockIdx.x * blockDim.y + threadIdx.y;
  if (at >= rows * parts) return;
  const long long row = parts == 1 ? at : at / parts, first = (at - row * parts) * chunk,
                  steps = length - first < chunk ? length - first : chunk;
  const T* line = in + row * row_step;
  typename Op::State state;
  if (step == 1) {
    state = strided_line<Op>(line + first, steps, first, threadIdx.x, blockDim.x);
  } else {
    typename Op::State single[1] = {Op::start()};
    grouped_columns<Op, 1>(single, AtPacks<T, 1>{line, step}, first + threadIdx.x, first + steps, blockDim.x);
    state = single[0];
  }
  if (blockDim.x <= 32) {
    for (int delta = blockDim.x / 2; delta > 0; delta /= 2) Op::merge(state, shuffled_down(state, delta));
  } else {
    state = block_total<Op>(state);
  }
  if (threadIdx.x == 0) put<Op>(out, states, at, state, parameter);
#endif
}

// Slabs `outer_step` apart, their rows `row_step`, of `inner` neighbours. `states` gets [outer, parts, inner]. On the
// CPU a block takes kColumns columns of one part; on a GPU threads along x take `width` columns, 1 or kBeside, of all
// parts one after the other, and those along y share their rows.
template <class Op, class T, class Out>
__global__ void __launch_bounds__(kThreads, kColumnBlocks<Op, T>)
    columns(const T* in, Out* out, typename Op::State* states, long long outer, long long length, long long inner,
            long long outer_step, long long row_step, int width, long long parts, long long chunk, double parameter) {
  using State = typename Op::State;
#ifdef WARPCELL_SERIAL
  long long tiles = (inner + kColumns - 1) / kColumns, count = outer * parts * tiles,
            share = (count + gridDim.x - 1) / gridDim.x;
  long long end = (blockIdx.x + 1) * share < count ? (blockIdx.x + 1) * share : count;
  for (long long at = blockIdx.x * share; at < end; at++) {
    long long column = at % tiles * kColumns, part = at / tiles % parts, o = at / tiles / parts;
    int width = inner - column < kColumns ? int(inner - column) : kColumns;
    long long first = part * chunk, last = first + chunk < length ? first + chunk : length;
    const T* x = in + o * outer_step + column;
    // Three levels, each of kGroup: groups of groups of rows.
    State levels[3][kColumns];
    for (int l = 0; l < 3; l++)
      for (int j = 0; j < width; j++) levels[l][j] = Op::start();
    long long groups = 0;
    const int fold = width == inner && row_step == inner ? kColumns / width : 1;
    const long long group = (long long)kGroup * fold;
    for (long long row = first; row < last; row += group) {
      long long until = row + group < last ? row + group : last;
      if (fold > 1)
        folded_columns<Op>(x + row * row_step, until - row, width, levels[0], row);
      else
        Columns<Op>::of(x + row * row_step, until - row, row_step, width, levels[0], row);
      if (until == last) break;
      for (int l = 0; l < 2; l++) {
        if (l == 1 && ++groups % kGroup != 0) break;
        for (int j = 0; j < width; j++) {
          Op::merge(levels[l + 1][j], levels[l][j]);
          levels[l][j] = Op::start();
        }
      }
    }
    // What is no more than one group has not been merged.
    const bool is_one = last - first <= group;
    for (int j = 0; j < width; j++) {
      if (!is_one) {
        Op::merge(levels[1][j], levels[0][j]);
        Op::merge(levels[2][j], levels[1][j]);
      }
      put<Op>(out, states, (o * parts + part) * inner + column + j, levels[is_one ? 0 : 2][j], parameter);
    }
  }
#else
  constexpr int V = kBeside<State, T>;
  __shared__ __align__(16) char memory[kThreads * V * sizeof(State)];
  State* shared = (State*)memory;
  const long long across = (inner + width - 1) / width;
  const Quotient one = divided((long long)blockIdx.x * blockDim.x + threadIdx.x, across),
                 two = divided(one.quotient, parts);
  const long long column = (long long)one.rest * width, o = two.quotient, first = two.rest * chunk,
                  last = first + chunk < length ? first + chunk : length;
  const bool is_inside = o < outer;
  State sums[V];
#pragma unroll
  for (int v = 0; v < V; v++) sums[v] = Op::start();
  if (is_inside) {
    const T* x = in + o * outer_step + column;
    if (width == 1) {
      State single[1] = {Op::start()};
      grouped_columns<Op, 1>(single, AtPacks<T, 1>{x, row_step}, first + threadIdx.y, last, blockDim.y);
      sums[0] = single[0];
    } else if (row_step % V == 0 && (unsigned long long)x % (V * sizeof(T)) == 0) {
      grouped_columns<Op, V>(sums, AtPacks<T, V>{x, row_step}, first + threadIdx.y, last, blockDim.y);
    } else {
      const int left = inner - column < V ? int(inner - column) : V;
      grouped_columns<Op, V>(sums, AcrossPacks<T, V>{x, row_step, left}, first + threadIdx.y, last, blockDim.y);
    }
  }
  const long long to = one.quotient * inner + column;
  const int mine = inner - column < width ? int(inner - column) : width;
  if (blockDim.y == 1) {
    if (!is_inside) return;
    if (states == nullptr && mine == V && (unsigned long long)(out + to) % (V * sizeof(Out)) == 0) {
      Pack<Out, V> results;
#pragma unroll
      for (int v = 0; v < V; v++) results.element[v] = narrow<Out>(Op::finish(sums[v], parameter));
      *(Pack<Out, V>*)(out + to) = results;
      return;
    }
#pragma unroll
    for (int v = 0; v < V; v++)
      if (v < mine) put<Op>(out, states, to + v, sums[v], parameter);
    return;
  }
  const int x = threadIdx.x, wide = blockDim.x;
#pragma unroll
  for (int v = 0; v < V; v++)
    if (v < width) shared[(threadIdx.y * width + v) * wide + x] = sums[v];
  __syncthreads();
  for (int v = threadIdx.y; v < mine; v += blockDim.y) {
    State state = shared[v * wide + x];
    for (int y = 1; y < blockDim.y; y++) Op::merge(state, shared[(y * width + v) * wide + x]);
    if (is_inside) put<Op>(out, states, to + v, state, parameter);
  }
#endif
}

// Joins [outer, parts, inner] states: one thread a result, or on a GPU a block, as `by_block` says.
template <class Op, class Out>
__global__ void join(const typename Op::State* states, Out* out, long long outer, long long parts, long long inner,
                     int by_block, double parameter) {
#ifdef WARPCELL_SERIAL
  Span span = block_span(outer * inner);
  for (long long at = span.begin; at < span.end; at++) {
    const typename Op::State* first = states + at / inner * parts * inner + at % inner;
    Cascade<Op> cascade;
    for (long long part = 0; part < parts; part++) cascade.push(first[part * inner]);
    out[at] = narrow<Out>(Op::finish(cascade.total(), parameter));
  }
#else
  long long at = by_block ? (long long)blockIdx.x : global_index();
  if (at >= outer * inner) return;
  const Quotient place = divided(at, inner);
  const typename Op::State* first = states + place.quotient * parts * inner + place.rest;
  typename Op::State state = Op::start();
  const long long step = by_block ? blockDim.x : 1;
  // A thread asks for several at a time: it would wait for each of them.
  constexpr int kAsked = 8;
  for (long long part = by_block ? threadIdx.x : 0; part < parts; part += kAsked * step) {
    typename Op::State asked[kAsked];
#pragma unroll
    for (int k = 0; k < kAsked; k++)
      if (part + k * step < parts) asked[k] = first[(part + k * step) * inner];
#pragma unroll
    for (int k = 0; k < kAsked; k++)
      if (part + k * step < parts) Op::merge(state, asked[k]);
  }
  if (by_block) state = block_total<Op>(state);
  if (!by_block || threadIdx.x == 0) out[at] = narrow<Out>(Op::finish(state, parameter));
#endif
}
