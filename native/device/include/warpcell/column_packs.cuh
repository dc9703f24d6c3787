// States of a reduction over rows that lie one after the other, a column of them each, on a GPU: a thread has a few
// neighbouring columns, which it loads together wherever they begin.
#pragma once
#include "map.cuh"
#include "reduction.cuh"

#ifndef WARPCELL_SERIAL

namespace warpcell {

constexpr int kAdded = 256;  // rows of a column that a thread adds one after the other

// The first `count` of N rows; `is_first`: the states have no other yet.
template <class Op, bool is_first, class T, int V, int N>
__device__ inline void add_rows(typename Op::State (&states)[V], const Pack<T, V> (&loaded)[N], int count,
                                long long row, int step) {
#pragma unroll
  for (int v = 0; v < V; v++) {
    if constexpr (by_groups<Op>) {
      Wide<T> values[N];
#pragma unroll
      for (int n = 0; n < N; n++) values[n] = widen<T>(loaded[n].element[v]);
      if constexpr (!begins_with_group<Op>)
        Op::add_group(states[v], values, count);
      else if constexpr (is_first)
        states[v] = Op::of_group(values, count);
      else
        Op::merge(states[v], Op::of_group(values, count));
    } else {
#pragma unroll
      for (int n = 0; n < N; n++)
        if (n < count) Op::add(states[v], widen<T>(loaded[n].element[v]), row + n * step);
    }
  }
}
// Where a thread finds its `V` neighbours of each row: in a pack, where rows begin at packs.
template <class T, int V>
struct AtPacks {
  using Type = T;
  using Loaded = Pack<T, V>;
  static constexpr int kRows = V == 1 ? 8 : 4;  // under way at a time
  const T* x;
  long long row_step;
  __device__ inline Loaded load(long long row) const { return *(const Pack<T, V>*)(x + row * row_step); }
  static __device__ inline Pack<T, V> pack(const Loaded& loaded) { return loaded; }
};
// Where they do not: in one pack or two, of which a row that ends before the second needs the first alone. Memory is
// handed out in whole packs, so that what lies beside a row may be read too.
template <class T, int V>
struct AcrossPacks {
  using Type = T;
  static constexpr int kBytes = V * sizeof(T), kWords = kBytes / 4;
  static constexpr int kRows = kWords == 4 ? 2 : 3;  // two packs of each
  struct alignas(kBytes) Words {
    uint at[kWords];
  };
  struct Loaded {
    Words first, second;
    int shift;
  };
  const T* x;
  long long row_step;
  int left;  // elements of the row from x on, V at most
  __device__ inline Loaded load(long long row) const {
    const char* place = (const char*)(x + row * row_step);
    const int shift = int((unsigned long long)place % kBytes);
    const Words* words = (const Words*)(place - shift);
    Loaded loaded = {words[0], {}, shift};
    if (shift + left * int(sizeof(T)) > kBytes) loaded.second = words[1];
    return loaded;
  }
  // No index is known only at run time, so that the words stay in registers.
  static __device__ inline Pack<T, V> pack(const Loaded& loaded) {
    uint words[2 * kWords];
#pragma unroll
    for (int w = 0; w < kWords; w++) words[w] = loaded.first.at[w], words[kWords + w] = loaded.second.at[w];
#pragma unroll
    for (int by = kWords / 2; by > 0; by /= 2) {
      const bool is_further = (loaded.shift / 4 & by) != 0;
#pragma unroll
      for (int w = 0; w < kWords + by; w++) words[w] = is_further ? words[w + by] : words[w];
    }
    if constexpr (sizeof(T) < 4) {
#pragma unroll
      for (int w = 0; w < kWords; w++) words[w] = __funnelshift_r(words[w], words[w + 1], loaded.shift % 4 * 8);
    }
    Pack<T, V> result;
    memcpy((void*)&result, words, kBytes);
    return result;
  }
};

// U rows of which the first is `row`, or (`is_whole` not) those before `last`.
template <class Op, bool is_first, bool is_whole, int U, int V, class Columns>
__device__ inline void some_rows(typename Op::State (&states)[V], const Columns& columns, long long row, long long last,
                                 int step) {
  typename Columns::Loaded loaded[U];
  int count = is_whole ? U : 0;
#pragma unroll
  for (int u = 0; u < U; u++) {
    if (!is_whole && row + u * step >= last) continue;
    loaded[u] = columns.load(row + u * step);
    if (!is_whole) count = u + 1;
  }
  Pack<typename Columns::Type, V> packs[U];
#pragma unroll
  for (int u = 0; u < U; u++)
    if (is_whole || u < count) packs[u] = Columns::pack(loaded[u]);
  add_rows<Op, is_first>(states, packs, count, row, step);
}

// Rows `row`, `row` + `step`, … before `last`, of states that have none yet. A first group stands apart from the loop,
// which then need not ask whether there was one.
template <class Op, int V, class Columns>
__device__ inline void strided_columns(typename Op::State (&states)[V], const Columns& columns, long long row,
                                       long long last, int step) {
  constexpr int U = Columns::kRows;
  if constexpr (begins_with_group<Op>) {
    if (row + (U - 1) * step >= last) {
      if constexpr (U > 1)
        if (row < last) some_rows<Op, true, false, U - 1>(states, columns, row, last, step);
      return;
    }
    some_rows<Op, true, true, U>(states, columns, row, last, step);
    row += U * step;
  }
  for (; row + (U - 1) * step < last; row += U * step) some_rows<Op, false, true, U>(states, columns, row, last, step);
  if constexpr (by_groups<Op> && U > 1) {
    if (row < last) some_rows<Op, false, false, U - 1>(states, columns, row, last, step);
  } else {
    // Rows that may not be there take registers from those that are.
    for (; row < last; row += step) some_rows<Op, false, true, 1>(states, columns, row, last, step);
  }
}

// The same in groups, whose sums are added: roundings do not pile up along a column.
template <class Op, int V, class Columns>
__device__ inline void grouped_columns(typename Op::State (&states)[V], const Columns& columns, long long row,
                                       long long last, int step) {
  using State = typename Op::State;
  if constexpr (!same<State, Sum<typename Columns::Type>> || !Number<State>::is_float)
    strided_columns<Op, V>(states, columns, row, last, step);
  else
    for (; row < last; row += (long long)kAdded * step) {
      const long long end = row + (long long)kAdded * step < last ? row + (long long)kAdded * step : last;
      State group[V];
#pragma unroll
      for (int v = 0; v < V; v++) group[v] = Op::start();
      strided_columns<Op, V>(group, columns, row, end, step);
#pragma unroll
      for (int v = 0; v < V; v++) Op::merge(states[v], group[v]);
    }
}

}  // namespace warpcell
#endif
