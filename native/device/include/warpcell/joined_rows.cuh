// States of reductions over short rows, several at a time, on the CPU.
#pragma once
#include "rows.cuh"
#include "stretches.cuh"

#ifdef WARPCELL_SERIAL
namespace warpcell {

constexpr int kRowsJoined = 32;  // rows whose lanes are joined at a time
constexpr int kLeftOfRow = 8;    // lanes of each that are left for it
constexpr int kJoinedRow = 512;  // elements of rows for which joining lanes is a good part of the work
// Whether rows may be made so: their states are numbers, of elements that need no conversion.
template <class Op, class T>
constexpr bool joins_lanes = same<typename Op::State, T> && !is_held<T> && !Chunk<Op>::is_special;

// Of one element it is the state. Compilers make branches of a comparison with infinity, and these are no vectors.
template <class Op>
constexpr bool is_extreme = false;
template <class T>
constexpr bool is_extreme<MaxOf<T>> = true;
template <class T>
constexpr bool is_extreme<MinOf<T>> = true;

// As `chunk` makes them, the states of `count` rows of `length` elements, at most kRowsJoined of kLanes to kJoinedRow:
// the last lanes of a row are fewer than a vector has, so those of several rows are joined beside each other.
template <class Op, class T>
inline void joined_states(const T* x, int count, long long row_step, int length, T* states) {
  T left[kRowsJoined][kLeftOfRow];
  for (int r = 0; r < count; r++) {
    const T* row = x + r * row_step;
    T lanes[kLanes];
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
    for (int k = 0; k < kLanes; k++) {
      if constexpr (is_extreme<Op>) {
        lanes[k] = row[k];
      } else {
        T lane = Op::start();
        Op::add(lane, row[k], 0);
        lanes[k] = lane;
      }
    }
    int i = kLanes;
    for (; i + kLanes <= length; i += kLanes) {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
      for (int k = 0; k < kLanes; k++) Op::add(lanes[k], row[i + k], 0);
    }
    for (int k = 0; i < length; i++, k++) Op::add(lanes[k], row[i], 0);
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
    for (int k = 0; k < kLanes / 2; k++) Op::merge(lanes[k], lanes[k + kLanes / 2]);
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
    for (int k = 0; k < kLeftOfRow; k++) {
      T lane = lanes[k];
      Op::merge(lane, lanes[k + kLeftOfRow]);
      left[r][k] = lane;
    }
  }
  static_assert(kLanes == 4 * kLeftOfRow && kLeftOfRow == 8);
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
  for (int r = 0; r < count; r++) {
    const T* lanes = left[r];
    T a = lanes[0], b = lanes[1], c = lanes[2], d = lanes[3];
    Op::merge(a, lanes[4]);
    Op::merge(b, lanes[5]);
    Op::merge(c, lanes[6]);
    Op::merge(d, lanes[7]);
    Op::merge(a, c);
    Op::merge(b, d);
    Op::merge(a, b);
    states[r] = a;
  }
}

}  // namespace warpcell
#endif
