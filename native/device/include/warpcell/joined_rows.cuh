// States of reductions over short rows, several at a time, on the CPU.
#pragma once
#include "rows.cuh"
#include "stretches.cuh"

#ifdef WARPCELL_SERIAL
namespace warpcell {

constexpr int kRowsJoined = 32;  // rows whose lanes are joined at a time
constexpr int kLeftOfRow = 8;    // lanes of each that are left for it
constexpr int kJoinedRow = 512;  // elements of rows for which joining lanes is a good part of the work
// Whether rows may be made so: their states are numbers.
template <class Op>
constexpr bool joins_lanes = Lane<Op>::is_known;

// As `chunk` makes them, the states of `count` rows of `length` elements, at most kRowsJoined of kLanes to kJoinedRow:
// the last lanes of a row are fewer than a vector has, so those of several rows are joined beside each other. Nothing
// where one has a NaN that must be the result.
template <class Op, class T>
inline bool joined_states(const T* x, int count, long long row_step, int length, typename Op::State* states) {
  using L = Lane<Op>;
  using W = typename L::W;
  auto join = [](auto& state, const auto& other) WARPCELL_INLINED { L::join(state, other); };
  const W none = W(Op::start());
  W left[kRowsJoined][kLeftOfRow];
  Marks<W> unordered = {};
  for (int r = 0; r < count; r++) {
    const Widened<T, is_held<T>> row(x + r * row_step, length);
    Vectors<W> lanes(none);
    each_vector<W>([&](long long i) WARPCELL_INLINED { return L::of(row[i]); }, length, none,
                   [&](int v, const Vector<W>& found) WARPCELL_INLINED {
                     L::join(lanes.at[v], found);
                     if constexpr (minds_nan<Op>) unordered |= found != found;
                   });
    lanes.template fold<kLeftOfRow>(left[r], join);
  }
  if (is_any(unordered)) return false;
  static_assert(kLeftOfRow == 8);
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
  for (int r = 0; r < count; r++) {
    const W* lanes = left[r];
    W a = lanes[0], b = lanes[1], c = lanes[2], d = lanes[3];
    L::join(a, lanes[4]);
    L::join(b, lanes[5]);
    L::join(c, lanes[6]);
    L::join(d, lanes[7]);
    L::join(a, c);
    L::join(b, d);
    L::join(a, b);
    states[r] = typename Op::State(a);
  }
  return true;
}

}  // namespace warpcell
#endif
