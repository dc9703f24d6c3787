// What generated kernels are made of (lib/fuse/text.ts): several operations in one pass over operands that broadcast,
// and over rows that are reduced between. A `Row` gives the operands' elements: at(i), and on a GPU packs(i) of `width`
// neighbours in 16-byte loads.
#pragma once
#include "functors.cuh"
#include "map.cuh"
#include "rows.cuh"

namespace warpcell {

#ifdef WARPCELL_SERIAL
// A value of several functions is more than compilers put in a loop by themselves, and a loop with a call in it is no
// vectors.
template <class Out, class Row, class F>
__attribute__((flatten)) inline void fused_each(Out* out, const Row row, long long count, F value) {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
  for (long long i = 0; i < count; i++) out[i] = narrow<Out>(value(row.at(i)));
}
#endif

// out[i] = value(elements) for i < count; `layout` has `out`, without gaps, first. `packed`: packs of neighbours never
// leave the last axis and are aligned.
template <class Row, class Out, int N, class RowAt, class F>
__device__ inline void fused_map(const Layout<N>& layout, long long count, int packed, Out* out, RowAt row_at,
                                 F value) {
#ifdef WARPCELL_SERIAL
  for_rows(layout, count, [&](const Offsets<N>& offsets, long long steps) {
    fused_each(out + offsets.at[0], row_at(offsets), steps, value);
  });
#else
  constexpr int W = Row::width;
  long long block = (long long)blockIdx.x * blockDim.x * (W * kVectors);
  if (packed && block + (long long)blockDim.x * (W * kVectors) <= count) {
    typename Row::Packs loaded[kVectors];
#pragma unroll
    for (int v = 0; v < kVectors; v++)
      loaded[v] = row_at(offsets(layout, block + ((long long)v * blockDim.x + threadIdx.x) * W)).packs(0);
#pragma unroll
    for (int v = 0; v < kVectors; v++) {
      Pack<Out, W> result;
#pragma unroll
      for (int e = 0; e < W; e++) result.element[e] = narrow<Out>(value(loaded[v].at(e)));
      *(Pack<Out, W>*)(out + block + ((long long)v * blockDim.x + threadIdx.x) * W) = result;
    }
    return;
  }
  for (int v = 0; v < kVectors * W; v++) {
    long long i = block + (long long)v * blockDim.x + threadIdx.x;
    if (i < count) out[i] = narrow<Out>(value(row_at(offsets(layout, i)).at(0)));
  }
#endif
}

#ifdef WARPCELL_SERIAL
template <class Outs, class Row, class F>
__attribute__((flatten)) inline void put_each(const Outs outs, const Row row, long long count, F values) {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
  for (long long i = 0; i < count; i++) outs.put(i, values(row.at(i)));
}
#endif

// The same with several results, which all lie without gaps: put(i, values) stores those of an element, put_pack(i, …)
// those of Row::width neighbours. A result may be stored over an operand: what is read of an element is read before.
template <class Row, class Outs, int N, class RowAt, class F>
__device__ inline void fused_results(const Layout<N>& layout, long long count, int packed, const Outs outs,
                                     RowAt row_at, F values) {
#ifdef WARPCELL_SERIAL
  for_rows(layout, count, [&](const Offsets<N>& offsets, long long steps) {
    put_each(outs.from(offsets.at[0]), row_at(offsets), steps, values);
  });
#else
  constexpr int W = Row::width;
  long long block = (long long)blockIdx.x * blockDim.x * (W * kVectors);
  if (packed && block + (long long)blockDim.x * (W * kVectors) <= count) {
    typename Row::Packs loaded[kVectors];
#pragma unroll
    for (int v = 0; v < kVectors; v++)
      loaded[v] = row_at(offsets(layout, block + ((long long)v * blockDim.x + threadIdx.x) * W)).packs(0);
#pragma unroll
    for (int v = 0; v < kVectors; v++) {
      decltype(values(loaded[v].at(0))) results[W];
#pragma unroll
      for (int e = 0; e < W; e++) results[e] = values(loaded[v].at(e));
      outs.put_pack(block + ((long long)v * blockDim.x + threadIdx.x) * W, results);
    }
    return;
  }
  for (int v = 0; v < kVectors * W; v++) {
    long long i = block + (long long)v * blockDim.x + threadIdx.x;
    if (i < count) outs.put(i, values(row_at(offsets(layout, i)).at(0)));
  }
#endif
}

// Who works on one row: on a GPU a warp or a block, of which this is one thread.
struct Team {
  int thread, threads;
};

// Calls `part(team, at)` for this block's share of `count` parts.
template <class Part>
__device__ inline void for_parts(long long count, int by_warp, Part part) {
#ifdef WARPCELL_SERIAL
  long long share = (count + gridDim.x - 1) / gridDim.x;
  long long end = (blockIdx.x + 1) * share < count ? (blockIdx.x + 1) * share : count;
  for (long long at = blockIdx.x * share; at < end; at++) part(Team{0, 1}, at);
#else
  long long at = by_warp ? (long long)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32 : blockIdx.x;
  if (at < count) part(by_warp ? Team{int(threadIdx.x % 32), 32} : Team{int(threadIdx.x), int(blockDim.x)}, at);
#endif
}

#ifndef WARPCELL_SERIAL
// A state of the first thread for all of them.
template <class State>
__device__ inline State told_to_all(Team team, State state) {
  State result;
  constexpr int kWords = sizeof(State) / 4;
  if (team.threads == 32) {
#pragma unroll
    for (int w = 0; w < kWords; w++)
      ((unsigned*)&result)[w] = __shfl_sync(0xffffffffu, ((const unsigned*)&state)[w], 0);
    return result;
  }
  __shared__ unsigned words[kWords];
  if (team.thread == 0)
    for (int w = 0; w < kWords; w++) words[w] = ((const unsigned*)&state)[w];
  __syncthreads();
#pragma unroll
  for (int w = 0; w < kWords; w++) ((unsigned*)&result)[w] = words[w];
  __syncthreads();
  return result;
}
#endif

// The state of value(elements) from `first` on, for every thread of the team.
template <class Op, class Row, class F>
__device__ inline typename Op::State fused_reduce(Team team, const Row& row, long long first, long long steps,
                                                  int packed, F value) {
#ifdef WARPCELL_SERIAL
  return line<Op>([&](long long i) { return value(row.at(first + i)); }, steps, first);
#else
  using State = typename Op::State;
  constexpr int W = Row::width, U = 2;
  State lanes[W];
#pragma unroll
  for (int e = 0; e < W; e++) lanes[e] = Op::start();
  long long done = 0;
  if (packed) {
    long long packs = steps / W, at = team.thread;
    for (; at + (U - 1) * team.threads < packs; at += U * team.threads) {
      typename Row::Packs loaded[U];
#pragma unroll
      for (int u = 0; u < U; u++) loaded[u] = row.packs(first + (at + u * team.threads) * W);
#pragma unroll
      for (int u = 0; u < U; u++) {
#pragma unroll
        for (int e = 0; e < W; e++) Op::add(lanes[e], value(loaded[u].at(e)), first + (at + u * team.threads) * W + e);
      }
    }
    for (; at < packs; at += team.threads) {
      typename Row::Packs loaded = row.packs(first + at * W);
#pragma unroll
      for (int e = 0; e < W; e++) Op::add(lanes[e], value(loaded.at(e)), first + at * W + e);
    }
    done = packs * W;
  }
  for (long long i = done + team.thread; i < steps; i += team.threads)
    Op::add(lanes[0], value(row.at(first + i)), first + i);
#pragma unroll
  for (int width = W / 2; width > 0; width /= 2) {
#pragma unroll
    for (int e = 0; e < width; e++) Op::merge(lanes[e], lanes[e + width]);
  }
  State state = lanes[0];
  if (team.threads == 32) {
#pragma unroll
    for (int delta = 16; delta > 0; delta /= 2) Op::merge(state, shuffled_down(state, delta));
  } else {
    state = block_total<Op>(state);
  }
  return told_to_all(team, state);
#endif
}

// out[i] = value(elements) for a whole row, by its team.
template <class Out, class Row, class F>
__device__ inline void fused_row(Team team, const Row& row, long long length, int packed, Out* out, F value) {
#ifdef WARPCELL_SERIAL
  fused_each(out, row, length, value);
#else
  constexpr int W = Row::width;
  long long done = 0;
  if (packed && (unsigned long long)out % (sizeof(Out) * W) == 0) {
    for (long long at = team.thread; at < length / W; at += team.threads) {
      typename Row::Packs loaded = row.packs(at * W);
      Pack<Out, W> result;
#pragma unroll
      for (int e = 0; e < W; e++) result.element[e] = narrow<Out>(value(loaded.at(e)));
      *(Pack<Out, W>*)(out + at * W) = result;
    }
    done = length / W * W;
  }
  for (long long i = done + team.thread; i < length; i += team.threads) out[i] = narrow<Out>(value(row.at(i)));
#endif
}

// The state of a row's `parts` states.
template <class Op>
__device__ inline typename Op::State joined(const typename Op::State* states, long long parts) {
  Cascade<Op> cascade;
  for (long long part = 0; part < parts; part++) cascade.push(states[part]);
  return cascade.total();
}

// Calls `row(at)` for this block's share of `count` rows, one thread a row.
template <class Row>
__device__ inline void for_each_row(long long count, Row row) {
#ifdef WARPCELL_SERIAL
  Span span = block_span(count);
  for (long long at = span.begin; at < span.end; at++) row(at);
#else
  if (global_index() < count) row(global_index());
#endif
}

}  // namespace warpcell
