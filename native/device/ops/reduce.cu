// Reductions of [outer, length, inner], row-major, along `length`. What one block cannot do alone is made in parts,
// whose states a last launch joins.
#include <warpcell/map.cuh>
#include <warpcell/rows.cuh>

using namespace warpcell;

constexpr int kColumns = 128;  // columns of a block, on the CPU
constexpr int kGroup = 64;     // rows that are added in a row, on the CPU

#ifndef WARPCELL_CPU
// One row's part by `threads` threads, of which this is `thread`.
template <class Op, class T>
__device__ inline typename Op::State strided_line(const T* in, long long length, long long index, int thread,
                                                  int threads) {
  using State = typename Op::State;
  constexpr int W = 16 / sizeof(T), U = 4;
  if ((unsigned long long)in % 16 == 0) {
    State lanes[W];
#pragma unroll
    for (int e = 0; e < W; e++) lanes[e] = Op::start();
    long long packs = length / W, at = thread;
    const Pack<T, W>* pointer = (const Pack<T, W>*)in;
    for (; at + (U - 1) * threads < packs; at += U * threads) {
      Pack<T, W> loaded[U];
#pragma unroll
      for (int u = 0; u < U; u++) loaded[u] = pointer[at + u * threads];
      if constexpr (by_groups<Op>) {
        Wide<T> values[U * W];
#pragma unroll
        for (int i = 0; i < U * W; i++) values[i] = widen<T>(loaded[i / W].element[i % W]);
        Op::add_group(lanes[0], values);
      } else {
#pragma unroll
        for (int u = 0; u < U; u++) {
#pragma unroll
          for (int e = 0; e < W; e++)
            Op::add(lanes[e], widen<T>(loaded[u].element[e]), index + (at + u * threads) * W + e);
        }
      }
    }
    for (; at < packs; at += threads) {
      Pack<T, W> loaded = pointer[at];
      if constexpr (by_groups<Op>) {
        Wide<T> values[W];
#pragma unroll
        for (int e = 0; e < W; e++) values[e] = widen<T>(loaded.element[e]);
        Op::add_group(lanes[0], values);
      } else {
#pragma unroll
        for (int e = 0; e < W; e++) Op::add(lanes[e], widen<T>(loaded.element[e]), index + at * W + e);
      }
    }
    for (long long i = packs * W + thread; i < length; i += threads) Op::add(lanes[0], widen<T>(in[i]), index + i);
    if constexpr (!by_groups<Op>) {
#pragma unroll
      for (int width = W / 2; width > 0; width /= 2) {
#pragma unroll
        for (int e = 0; e < width; e++) Op::merge(lanes[e], lanes[e + width]);
      }
    }
    return lanes[0];
  }
  State lanes[U];
#pragma unroll
  for (int u = 0; u < U; u++) lanes[u] = Op::start();
  long long at = thread;
  for (; at + (U - 1) * threads < length; at += U * threads) {
#pragma unroll
    for (int u = 0; u < U; u++) Op::add(lanes[u], widen<T>(in[at + u * threads]), index + at + u * threads);
  }
  for (; at < length; at += threads) Op::add(lanes[0], widen<T>(in[at]), index + at);
  Op::merge(lanes[0], lanes[2]);
  Op::merge(lanes[1], lanes[3]);
  Op::merge(lanes[0], lanes[1]);
  return lanes[0];
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

// inner = 1. Part p of a row holds its elements p · chunk …; with several parts, `states` gets [rows, parts] and `out`
// nothing. On a GPU a warp or a block makes a part, as `by_warp` says.
template <class Op, class T, class Out>
__global__ void rows(const T* in, Out* out, typename Op::State* states, long long rows, long long length,
                     long long parts, long long chunk, int by_warp, double parameter) {
#ifdef WARPCELL_CPU
  long long count = rows * parts, share = (count + gridDim.x - 1) / gridDim.x;
  long long end = (blockIdx.x + 1) * share < count ? (blockIdx.x + 1) * share : count;
  for (long long at = blockIdx.x * share; at < end; at++) {
    long long row = at / parts, first = at % parts * chunk;
    put<Op>(out, states, at,
            line<Op>([x = in + row * length + first](long long i) { return widen<T>(x[i]); },
                     length - first < chunk ? length - first : chunk, first),
            parameter);
  }
#else
  int warps = blockDim.x / 32;
  long long at = by_warp ? (long long)blockIdx.x * warps + threadIdx.x / 32 : blockIdx.x;
  if (at >= rows * parts) return;
  long long row = at / parts, first = at % parts * chunk, steps = length - first < chunk ? length - first : chunk;
  const T* x = in + row * length + first;
  if (by_warp) {
    typename Op::State state = strided_line<Op>(x, steps, first, threadIdx.x % 32, 32);
#pragma unroll
    for (int delta = 16; delta > 0; delta /= 2) Op::merge(state, shuffled_down(state, delta));
    if (threadIdx.x % 32 == 0) put<Op>(out, states, at, state, parameter);
    return;
  }
  typename Op::State state = block_total<Op>(strided_line<Op>(x, steps, first, threadIdx.x, blockDim.x));
  if (threadIdx.x == 0) put<Op>(out, states, at, state, parameter);
#endif
}

#ifdef WARPCELL_CPU
// Of `rows` rows of a few columns, as `moments` of rows.cuh makes them.
template <class T, class A>
__device__ inline void column_moments(const T* x, long long rows, long long inner, int width, Moments<A>* states) {
  A mean[kColumns] = {}, rest[kColumns] = {}, squares[kColumns] = {}, origin[kColumns];
  for (int j = 0; j < width; j++) origin[j] = A(widen<T>(x[j]));
  auto each = [&](auto join) {
    for (long long r = 0; r < rows; r++) {
      const T* line = x + r * inner;
      if (width == kColumns) {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
        for (int j = 0; j < kColumns; j++) join(j, A(widen<T>(line[j])) - origin[j]);
      } else {
        for (int j = 0; j < width; j++) join(j, A(widen<T>(line[j])) - origin[j]);
      }
    }
  };
  each([&](int j, A d) { mean[j] += d; });
  for (int j = 0; j < width; j++) mean[j] /= A(rows);
  each([&](int j, A d) {
    rest[j] += d - mean[j];
    squares[j] += (d - mean[j]) * (d - mean[j]);
  });
  for (int j = 0; j < width; j++) {
    A left = rest[j] / A(rows), found = squares[j] - rest[j] * left;
    states[j] = {A(rows), origin[j] + mean[j] + left, found > A(0) || found != found ? found : A(0)};
  }
}
#endif

// inner > 1. `states` gets [outer, parts, inner]. On the CPU a block takes kColumns columns of one part; on a GPU 32 ×
// 8 threads, the first along columns.
template <class Op, class T, class Out>
__global__ void columns(const T* in, Out* out, typename Op::State* states, long long outer, long long length,
                        long long inner, long long parts, long long chunk, double parameter) {
  using State = typename Op::State;
#ifdef WARPCELL_CPU
  long long tiles = (inner + kColumns - 1) / kColumns, count = outer * parts * tiles,
            share = (count + gridDim.x - 1) / gridDim.x;
  long long end = (blockIdx.x + 1) * share < count ? (blockIdx.x + 1) * share : count;
  for (long long at = blockIdx.x * share; at < end; at++) {
    long long column = at % tiles * kColumns, part = at / tiles % parts, o = at / tiles / parts;
    int width = inner - column < kColumns ? int(inner - column) : kColumns;
    long long first = part * chunk, last = first + chunk < length ? first + chunk : length;
    const T* x = in + o * length * inner + column;
    // Three levels, each of kGroup: groups of groups of rows.
    State levels[3][kColumns];
    for (int l = 0; l < 3; l++)
      for (int j = 0; j < kColumns; j++) levels[l][j] = Op::start();
    long long groups = 0;
    for (long long row = first; row < last; row += kGroup) {
      long long until = row + kGroup < last ? row + kGroup : last;
      if constexpr (by_groups<Op>) {
        column_moments(x + row * inner, until - row, inner, width, levels[0]);
      } else
        for (long long r = row; r < until; r++) {
          const T* line = x + r * inner;
          if (width == kColumns) {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
            for (int j = 0; j < kColumns; j++) Op::add(levels[0][j], widen<T>(line[j]), r);
          } else {
            for (int j = 0; j < width; j++) Op::add(levels[0][j], widen<T>(line[j]), r);
          }
        }
      for (int l = 0; l < 2; l++) {
        if (l == 1 && ++groups % kGroup != 0) break;
        for (int j = 0; j < width; j++) {
          Op::merge(levels[l + 1][j], levels[l][j]);
          levels[l][j] = Op::start();
        }
      }
    }
    for (int j = 0; j < width; j++) {
      Op::merge(levels[2][j], levels[1][j]);
      put<Op>(out, states, (o * parts + part) * inner + column + j, levels[2][j], parameter);
    }
  }
#else
  constexpr int V = sizeof(State) > 8 && sizeof(T) < 4 ? 4 : 16 / sizeof(T) > 8 ? 8 : 16 / sizeof(T), U = 4;
  __shared__ char memory[8 * 32 * V * sizeof(State)];
  State* shared = (State*)memory;
  bool is_aligned = inner % V == 0 && (unsigned long long)in % (V * sizeof(T)) == 0;
  int width = is_aligned ? V : 1;
  long long tiles = (inner + 32 * width - 1) / (32 * width), tile = blockIdx.x % tiles,
            part = blockIdx.x / tiles % parts, o = blockIdx.x / tiles / parts;
  long long column = (tile * 32 + threadIdx.x) * width, first = part * chunk,
            last = first + chunk < length ? first + chunk : length;
  State lanes[V];
#pragma unroll
  for (int v = 0; v < V; v++) lanes[v] = Op::start();
  if (column < inner) {
    const T* x = in + o * length * inner + column;
    long long row = first + threadIdx.y;
    if (is_aligned) {
      for (; row + (U - 1) * 8 < last; row += U * 8) {
        Pack<T, V> loaded[U];
#pragma unroll
        for (int u = 0; u < U; u++) loaded[u] = *(const Pack<T, V>*)(x + (row + u * 8) * inner);
#pragma unroll
        for (int u = 0; u < U; u++) {
#pragma unroll
          for (int v = 0; v < V; v++) Op::add(lanes[v], widen<T>(loaded[u].element[v]), row + u * 8);
        }
      }
      for (; row < last; row += 8) {
        Pack<T, V> loaded = *(const Pack<T, V>*)(x + row * inner);
#pragma unroll
        for (int v = 0; v < V; v++) Op::add(lanes[v], widen<T>(loaded.element[v]), row);
      }
    } else {
      for (; row < last; row += 8) Op::add(lanes[0], widen<T>(x[row * inner]), row);
    }
  }
#pragma unroll
  for (int v = 0; v < V; v++) shared[(threadIdx.y * V + v) * 32 + threadIdx.x] = lanes[v];
  __syncthreads();
  for (int v = threadIdx.y; v < width; v += 8) {
    State state = shared[v * 32 + threadIdx.x];
    for (int y = 1; y < 8; y++) Op::merge(state, shared[(y * V + v) * 32 + threadIdx.x]);
    if (column + v < inner) put<Op>(out, states, (o * parts + part) * inner + column + v, state, parameter);
  }
#endif
}

// Joins [outer, parts, inner] states: one thread a result, or on a GPU a block, as `by_block` says.
template <class Op, class Out>
__global__ void join(const typename Op::State* states, Out* out, long long outer, long long parts, long long inner,
                     int by_block, double parameter) {
#ifdef WARPCELL_CPU
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
  const typename Op::State* first = states + at / inner * parts * inner + at % inner;
  typename Op::State state = Op::start();
  for (long long part = by_block ? threadIdx.x : 0; part < parts; part += by_block ? blockDim.x : 1)
    Op::merge(state, first[part * inner]);
  if (by_block) state = block_total<Op>(state);
  if (!by_block || threadIdx.x == 0) out[at] = narrow<Out>(Op::finish(state, parameter));
#endif
}
