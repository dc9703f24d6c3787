// One row of a matrix as the work of one block: sums and maxima over it, and a result per element. A function takes the
// values of its operands at one place: rows that are kept or read as they are needed, or the place's index. On a CPU
// one thread goes along the row, in its cache; a GPU's part is block_line.cuh.
#pragma once
#include "map.cuh"
#include "math.cuh"
#include "tile.cuh"

namespace warpcell {

// Threads of a block of a GPU that has several rows at a time.
constexpr int kShortThreads = 128;

struct Rows {
  long long begin, end, step;
};
template <class A>
struct Two {
  A first, second;
};
// The largest x of a row, and the sum of e^(x − most).
template <class A>
struct Powers {
  A most, sum;
};

#ifdef WARPCELL_SERIAL

// Only then do a loop and what it calls become vectors together.
#define WARPCELL_ALWAYS inline WARPCELL_INLINED

// The rows of this block.
inline Rows block_rows(long long rows) {
  long long share = (rows + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * share;
  return {begin, begin + share < rows ? begin + share : rows, 1};
}

// Sums that lie side by side, for vectors, and elements that are added to them before they are joined.
constexpr int kSideBySide = 64;
constexpr long long kJoined = 8192;
// Sums side by side of a shorter row, and the shortest that is worth a stream of stores.
constexpr int kFewBeside = 16;
constexpr long long kStreamedLength = 1024;

struct Ones {
  WARPCELL_ALWAYS float operator[](long long) const { return 1; }
  inline bool is_at(const void*) const { return false; }
};

struct Line {
  static constexpr int most_threads = 1;
  long long length, rows;
  inline Line(long long length, long long rows) : length(length), rows(rows) {}
  static inline bool is_first() { return true; }
  template <class T>
  struct Kept {
    const T* first;
    WARPCELL_ALWAYS Wide<T> operator[](long long at) const { return widen<T>(first[at]); }
    inline bool is_at(const void* place) const { return first == place; }
  };
  struct Indices {
    WARPCELL_ALWAYS long long operator[](long long at) const { return at; }
    inline bool is_at(const void*) const { return false; }
  };
  template <class T>
  inline Kept<T> keep(const T* row) const {
    return {row};
  }
  template <class T>
  inline Kept<T> stream(const T* row) const {
    return {row};
  }
  inline Indices indices() const { return {}; }
  template <class T, class Operand>
  static WARPCELL_ALWAYS Wide<T> element(const Operand&, const T* row, long long at) {
    return widen<T>(row[at]);
  }
  // Calls f(row, its place in `out`, its part of each operand) for the rows of this block.
  template <class Out, class F, class... T>
  WARPCELL_ALWAYS void each_row(long long rows, Out* out, F f, const T*... operands) const {
    Rows mine = block_rows(rows);
    if constexpr ((is_held<T> && ...)) {
      if (length <= kMostHeld) {
        for (long long row = mine.begin; row < mine.end; row += mine.step)
          f(row, out + row * length, HeldRow<T>(operands + row * length, length)...);
        return;
      }
    }
    for (long long row = mine.begin; row < mine.end; row += mine.step)
      f(row, out + row * length, keep(operands + row * length)...);
  }

  // Σ f.
  template <class A, class F, class... Operands>
  WARPCELL_ALWAYS A sum(F f, const Operands&... operands) const {
    if (length >= kSideBySide) return sum_of<A, kSideBySide>(f, operands...);
    if (length >= kFewBeside) return sum_of<A, kFewBeside>(f, operands...);
    A total = A(0);
    for (long long i = 0; i < length; i++) total += f(operands[i]...);
    return total;
  }
  template <class A, int lanes, class F, class... Operands>
  WARPCELL_ALWAYS A sum_of(F f, const Operands&... operands) const {
    A total = A(0);
    for (long long first = 0; first < length; first += kJoined) {
      long long end = length - first < kJoined ? length : first + kJoined, i = first;
      A sums[lanes];
      for (int k = 0; k < lanes; k++) sums[k] = A(0);
      for (; i + lanes <= end; i += lanes) {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
        for (int k = 0; k < lanes; k++) sums[k] += f(operands[i + k]...);
      }
      for (int k = 0; i < end; i++, k++) sums[k] += f(operands[i]...);
      for (int width = lanes / 2; width > 0; width /= 2)
        for (int k = 0; k < width; k++) sums[k] += sums[k + width];
      total += sums[0];
    }
    return total;
  }
  template <class A, class F, class G, class... Operands>
  WARPCELL_ALWAYS Two<A> sums(F f, G g, const Operands&... operands) const {
    return {sum<A>(f, operands...), sum<A>(g, operands...)};
  }
  // The largest; NaN is passed over.
  template <class A, class Operand>
  WARPCELL_ALWAYS A most(const Operand& operand) const {
    if (length < kSideBySide) {
      A top = -A(1) / A(0);
      for (long long i = 0; i < length; i++) top = operand[i] > top ? A(operand[i]) : top;
      return top;
    }
    A most[kSideBySide];
    for (int k = 0; k < kSideBySide; k++) most[k] = -A(1) / A(0);
    long long i = 0;
    for (; i + kSideBySide <= length; i += kSideBySide) {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
      for (int k = 0; k < kSideBySide; k++) {
        A x = operand[i + k];
        most[k] = fn::pick(x > most[k], x, most[k]);
      }
    }
    for (int k = 0; i < length; i++, k++)
      if (operand[i] > most[k]) most[k] = operand[i];
    for (int k = 1; k < kSideBySide; k++)
      if (most[k] > most[0]) most[0] = most[k];
    return most[0];
  }
  template <class A, class Exp, class Operand>
  WARPCELL_ALWAYS Powers<A> powers(Exp exp, const Operand& operand) const {
    const A top = most<A>(operand);
    return {top, sum<A>([=](A value) WARPCELL_INLINED { return exp(value - top); }, operand)};
  }
  template <class Out, class F, class... Operands>
  WARPCELL_ALWAYS void store(Out* out, F f, const Operands&... operands) const {
    if (rows * length * (long long)sizeof(Out) >= kStreamedBytes && length >= kStreamedLength &&
        !(operands.is_at(out) || ...)) {
      stream_each(out, length,
                  [&](long long i) __attribute__((always_inline)) { return narrow<Out>(f(operands[i]...)); });
      return end_streaming();
    }
    if constexpr (is_held<Out>) {
      for (long long first = 0; first < length; first += kStretchLength)
        put_stretch(out + first, length - first < kStretchLength ? length - first : kStretchLength,
                    [&](long long i) WARPCELL_INLINED { return f(operands[first + i]...); });
      return;
    }
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
    for (long long i = 0; i < length; i++) out[i] = narrow<Out>(f(operands[i]...));
  }
  // A sum per element over the rows of this block, in `sums`.
  template <class A>
  struct Totals {
    A* sums;
    template <class F, class... Operands>
    WARPCELL_ALWAYS void add(const Line& line, F f, const Operands&... operands) {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
      for (long long i = 0; i < line.length; i++) sums[i] += f(operands[i]...);
    }
    inline void finish(const Line&) {}
  };
  template <class A>
  inline Totals<A> totals(A* sums) const {
    for (long long i = 0; i < length; i++) sums[i] = A(0);
    return {sums};
  }
};

// The lines of a GPU: here one serves them all.
template <class T, int each, int threads>
using Packed = Line;
template <class T, int packs>
using PackedShort = Line;
template <class T>
using Uneven = Line;
template <class T>
using Long = Line;
template <class T, int each>
using Single = Line;
template <class T, int each>
using SingleShort = Line;
template <class T>
using Tiled = Line;
#undef WARPCELL_ALWAYS

#endif

}  // namespace warpcell

#ifndef WARPCELL_SERIAL
#include "block_line.cuh"
#include "tiled_line.cuh"
#endif
