// What the algorithms are made of, on the host as on the device: folds, scans, what is kept, and merges.
#pragma once
#include "execution.h"

namespace warpcell_algorithms {

inline size_t pieces_of(size_t n, size_t stretch) { return (n + stretch - 1) / stretch; }

// A place with what all n ≥ 1 elements have in common.
template <class T, class On, class In, class Op>
const T* fold(On& on, In in, size_t n, Op op, Start<T> start) {
  size_t stretch = On::stretch(n), pieces = pieces_of(n, stretch);
  T* out = on.template room<T>(pieces);
  on.each(pieces, Fold<In, T, Op>{in, out, n, stretch, op, start});
  if (pieces == 1) return out;
  return fold<T, On, T*, Op>(on, out, pieces, op, {start.value, false});
}
template <class T, class P, class In, class Op>
T folded(const P& policy, CallLine line, In in, size_t n, Op op, T init) {
  if (n == 0) return init;
  return run(policy, line, [&](auto& on) { return on.read(fold<T>(on, in, n, op, Start<T>{init, true})); });
}

template <bool IsInclusive, class T, class On, class In, class Out, class Op>
void scan(On& on, In in, Out out, size_t n, Op op, Start<T> start) {
  size_t stretch = On::stretch(n), pieces = pieces_of(n, stretch);
  T* totals = nullptr;
  if (pieces > 1) {
    totals = on.template room<T>(pieces);
    on.each(pieces, Fold<In, T, Op>{in, totals, n, stretch, op, start});
    scan<true, T, On, T*, T*, Op>(on, totals, totals, pieces, op, {start.value, false});
  }
  on.each(pieces, Scan<IsInclusive, In, Out, T, Op>{in, out, totals, n, stretch, op, start});
}

// How many of those up to each element are chosen.
template <class On, class Chosen>
const size_t* counts_of(On& on, Chosen chosen, size_t n) {
  size_t* counts = on.template room<size_t>(n);
  scan<true, size_t>(on, chosen, counts, n, warpcell_thrust::plus<size_t>(), Start<size_t>{0, false});
  return counts;
}
// Copies what is chosen; a place with its number.
template <class On, class Chosen, class In, class Out>
const size_t* keep(On& on, Chosen chosen, In in, Out out, size_t n) {
  const size_t* counts = counts_of(on, chosen, n);
  on.each(n, Keep<Chosen, In, Out>{chosen, in, counts, out});
  return counts + (n - 1);
}
// The same in place.
template <class On, class Chosen, class I>
const size_t* keep_here(On& on, Chosen chosen, I in, size_t n) {
  auto* kept = on.template room<value_t<I>>(n);
  on.each(n, Copy<I, value_t<I>*>{in, kept});
  const size_t* counts = counts_of(on, chosen, n);
  on.each(n, Keep<Chosen, value_t<I>*, I>{chosen, kept, counts, in});
  return counts + (n - 1);
}

// What the runs of equal keys have in common; a place with the last state.
template <class T, class On, class HeadsOfRuns, class Keys, class Values, class KeysOut, class ValuesOut, class Op>
const Run<T>* reduce_runs(On& on, HeadsOfRuns heads, Keys keys, Values values, size_t n, KeysOut keys_out,
                          ValuesOut values_out, Op op) {
  auto* states = on.template room<Run<T>>(n);
  scan<true, Run<T>>(on, Runs<HeadsOfRuns, Values, T>{heads, values}, states, n, WithinRuns<T, Op>{op},
                     Start<Run<T>>{Run<T>(), false});
  on.each(n, GiveRuns<T, HeadsOfRuns, Keys, KeysOut, ValuesOut>{states, heads, keys, keys_out, values_out, n});
  return states + (n - 1);
}

// Stable, by merging neighbours; `values` move with their keys.
template <class On, class Keys, class Values, class Less>
void sort_stretches(On& on, Keys keys, Values values, size_t n, Less less) {
  using K = value_t<Keys>;
  size_t pieces = pieces_of(n, kStretch);
  on.each(pieces, SortStretch<Keys, Values, Less>{keys, values, n, less});
  K* keys_there = on.template room<K>(n);
  auto values_there = [&] {
    if constexpr (Same<Values, NoValues>::value)
      return NoValues();
    else
      return on.template room<value_t<Values>>(n);
  }();
  using ValuesThere = decltype(values_there);
  bool is_here = true;
  for (size_t width = kStretch; width < n; width *= 2, is_here = !is_here) {
    if (is_here)
      on.each(pieces, MergeNeighbours<Keys, Values, K*, ValuesThere, Less>{keys, values, keys_there, values_there, n,
                                                                           width, less});
    else
      on.each(pieces, MergeNeighbours<K*, ValuesThere, Keys, Values, Less>{keys_there, values_there, keys, values, n,
                                                                           width, less});
  }
  if (is_here) return;
  on.each(n, Copy<K*, Keys>{keys_there, keys});
  if constexpr (!Same<Values, NoValues>::value) on.each(n, Copy<ValuesThere, Values>{values_there, values});
}

// What a search for one value answers: a place, or whether it is there.
template <Bound Wanted, class I>
struct Answer {
  static I of(I first, size_t found) { return first + ptrdiff_t(found); }
};
template <class I>
struct Answer<Bound::is_there, I> {
  static bool of(I, size_t found) { return found != 0; }
};

}  // namespace warpcell_algorithms
