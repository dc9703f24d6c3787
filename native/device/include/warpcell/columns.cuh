// States of a reduction over rows that lie one after the other, a column of them each, on the CPU: columns are lanes of
// vectors.
#pragma once
#include "rows.cuh"
#include "stretches.cuh"
#ifdef WARPCELL_SERIAL
#include "squares.cuh"
#endif

namespace warpcell {
constexpr int kColumns = 128;  // columns that are worked on at a time
constexpr int kTurned = 64;    // short rows that are turned into columns at a time, or columns of short slabs
}  // namespace warpcell

#ifdef WARPCELL_SERIAL

namespace warpcell {

constexpr int kRowsTogether = 4;  // whose elements join while a state is in a register

// The same of `together` rows from `line` on, of which the first is row r.
template <int together, class T, class Join>
inline WARPCELL_INLINED void joined_rows(const T* line, long long inner, int width, long long r, Join join) {
  auto column = [=](int j) WARPCELL_INLINED {
    Wide<T> values[together];
    for (int k = 0; k < together; k++) values[k] = widen<T>(line[k * inner + j]);
    for (int k = 0; k < together; k++) join(j, values[k], r + k);
  };
  if (width == kColumns) {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
    for (int j = 0; j < kColumns; j++) column(j);
  } else {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
    for (int j = 0; j < width; j++) column(j);
  }
}
// Calls join(column, element of a row) for every row and column, along the rows.
template <class T, class Join>
inline WARPCELL_INLINED void each_column(const T* x, long long rows, long long inner, int width, Join join) {
  long long r = 0;
  if constexpr (is_held<T>) {
    for (; r + kRowsTogether <= rows; r += kRowsTogether) {
      alignas(kLineBytes) float held[kRowsTogether][kColumns];
      for (int k = 0; k < kRowsTogether; k++) widen_stretch(x + (r + k) * inner, held[k], width);
      joined_rows<kRowsTogether>(held[0], kColumns, width, r, join);
    }
    for (; r < rows; r++) {
      const HeldRow<T> held(x + r * inner, width);
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
      for (int j = 0; j < width; j++) join(j, held[j], r);
    }
  } else {
    for (; r + kRowsTogether <= rows; r += kRowsTogether)
      joined_rows<kRowsTogether>(x + r * inner, inner, width, r, join);
    for (; r < rows; r++) joined_rows<1>(x + r * inner, inner, width, r, join);
  }
}

// states[j] of `rows` rows of `width` columns, at most kColumns, whose first row counts as `first`.
template <class Op>
struct Columns {
  template <class T>
  static inline void of(const T* x, long long rows, long long inner, int width, typename Op::State* states,
                        long long first) {
    for (int j = 0; j < width; j++) states[j] = Op::start();
    each_column(x, rows, inner, width,
                [=](int j, Wide<T> value, long long r) WARPCELL_INLINED { Op::add(states[j], value, first + r); });
  }
};

// As `moments` of rows.cuh makes them.
template <class T>
struct Columns<VarOf<T>> {
  using A = Sum<T>;
  static inline void of(const T* x, long long rows, long long inner, int width, Moments<A>* states, long long) {
    A mean[kColumns], rest[kColumns], squares[kColumns], origin[kColumns];
    for (int j = 0; j < width; j++) {
      mean[j] = rest[j] = squares[j] = A(0);
      origin[j] = A(widen<T>(x[j]));
    }
    each_column(x, rows, inner, width,
                [&](int j, A value, long long) WARPCELL_INLINED { mean[j] += value - origin[j]; });
    for (int j = 0; j < width; j++) mean[j] /= A(rows);
    each_column(x, rows, inner, width, [&](int j, A value, long long) WARPCELL_INLINED {
      const A d = (value - origin[j]) - mean[j];
      rest[j] += d;
      squares[j] += d * d;
    });
    for (int j = 0; j < width; j++) {
      A left = rest[j] / A(rows), found = squares[j] - rest[j] * left;
      states[j] = {A(rows), origin[j] + mean[j] + left, found > A(0) || found != found ? found : A(0)};
    }
  }
};
template <class T>
struct Columns<StdOf<T>> : Columns<VarOf<T>> {};

// One e^x for each element, relative to the largest of its column.
template <class T>
struct Columns<LogSumExpOf<T>> {
  using Op = LogSumExpOf<T>;
  using A = Sum<T>;
  static inline void of(const T* x, long long rows, long long inner, int width, Exponentials<A>* states,
                        long long first) {
    A most[kColumns], sum[kColumns];
    for (int j = 0; j < width; j++) most[j] = Least<A>::value(), sum[j] = A(0);
    each_column(x, rows, inner, width,
                [&](int j, A value, long long) WARPCELL_INLINED { most[j] = value > most[j] ? value : most[j]; });
    each_column(x, rows, inner, width,
                [&](int j, A value, long long) WARPCELL_INLINED { sum[j] += fn::exp(value - most[j]); });
    for (int j = 0; j < width; j++) {
      states[j] = {most[j], sum[j]};
      if (most[j] - most[j] == A(0) && sum[j] == sum[j]) continue;
      // Infinities, or what is not ordered.
      states[j] = Op::start();
      for (long long r = 0; r < rows; r++) Op::add(states[j], widen<T>(x[r * inner + j]), first + r);
    }
  }
};

// As wide as an element, so that vectors of both have as many lanes.
template <int bytes>
struct RowNumber {
  using type = int;
};
template <>
struct RowNumber<8> {
  using type = long long;
};
// The first of the largest (smallest), or the first NaN: which row it is in, is counted beside it.
template <class T, bool largest>
struct Columns<ArgOf<T, largest>> {
  using W = Wide<T>;
  static inline void of(const T* x, long long rows, long long inner, int width, Best<W>* states, long long first) {
    using Row = typename RowNumber<sizeof(W)>::type;
    W best[kColumns];
    Row row[kColumns];
    for (int j = 0; j < width; j++) best[j] = widen<T>(x[j]), row[j] = 0;
    each_column(x, rows, inner, width, [&](int j, W value, long long r) WARPCELL_INLINED {
      const bool wins = ArgOf<T, largest>::exceeds(value, best[j]);
      best[j] = wins ? value : best[j];
      row[j] = wins ? Row(r) : row[j];
    });
    for (int j = 0; j < width; j++) states[j] = {best[j], first + (long long)row[j]};
  }
};

// The same of rows that lie without gaps and have so few columns that several make one of vectors' length: what these
// are added to is joined after.
template <class Op, class T>
inline void folded_columns(const T* x, long long rows, int width, typename Op::State* states, long long first) {
  using State = typename Op::State;
  const int fold = kColumns / width;
  const long long wide = rows / fold;
  if (wide < 2) return Columns<Op>::of(x, rows, width, width, states, first);
  State lanes[kColumns];
  Columns<Op>::of(x, wide, fold * width, fold * width, lanes, 0);
  const long long rest = rows - wide * fold;
  if (rest > 0)
    Columns<Op>::of(x + wide * fold * width, rest, width, width, states, first + wide * fold);
  else
    for (int j = 0; j < width; j++) states[j] = Op::start();
  for (int part = 0; part < fold; part++)
    for (int j = 0; j < width; j++) {
      State& lane = lanes[part * width + j];
      if constexpr (same<State, Best<Wide<T>>>) lane.index = first + lane.index * fold + part;
      Op::merge(states[j], lane);
    }
}

// tile[i][r] = element i of row r, of `count` rows without gaps. Compilers make vectors of it where they know the
// length.
template <int length, class T>
inline void turn_rows(const T* x, int count, T (*tile)[kTurned]) {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
  for (int r = 0; r < count; r++)
    for (int i = 0; i < length; i++) tile[i][r] = x[r * length + i];
}
template <class T>
inline void turn_rows(const T* x, int count, int length, T (*tile)[kTurned]) {
  if (length == 2) return turn_rows<2>(x, count, tile);
  if (length == 3) return turn_rows<3>(x, count, tile);
  if (length == 4) return turn_rows<4>(x, count, tile);
  int turned = 0;
#ifdef WARPCELL_SQUARES
  if constexpr (has_square<T>) {
    using S = Square<T>;
    turned = length / S::size * S::size;
    const int whole = count / S::size * S::size;
    for (int first = 0; first < turned; first += S::size) {
      for (int row = 0; row < whole; row += S::size) {
        S square;
        for (int r = 0; r < S::size; r++)
          __builtin_memcpy(&square.rows[r], x + (row + r) * length + first, sizeof square.rows[r]);
        square.turn();
        for (int i = 0; i < S::size; i++)
          __builtin_memcpy(&tile[first + i][row], &square.rows[i], sizeof square.rows[i]);
      }
      for (int i = first; i < first + S::size; i++)
        for (int r = whole; r < count; r++) tile[i][r] = x[r * length + i];
    }
  }
#endif
  for (int i = turned; i < length; i++)
    for (int r = 0; r < count; r++) tile[i][r] = x[r * length + i];
}

// The states of `count` rows of `length` elements, at most kTurned rows of fewer than kLanes: the rows are columns
// first.
template <class Op, class T>
inline void turned_states(const T* x, int count, int length, typename Op::State* states) {
  T tile[kLanes][kTurned];
  turn_rows(x, count, length, tile);
  Columns<Op>::of(&tile[0][0], length, kTurned, count, states, 0);
}

}  // namespace warpcell
#endif
