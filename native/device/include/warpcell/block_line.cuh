// The row of line.cuh on a GPU: read once, 16 bytes a load, and kept in registers where it fits; a longer one is read
// by every pass. blockDim.x threads share a row.
#pragma once
#include "map.cuh"
#include "math.cuh"

namespace warpcell {

__device__ inline float other_lane(float value, int mask) { return __shfl_xor_sync(0xffffffffu, value, mask); }
__device__ inline double other_lane(double value, int mask) { return __shfl_xor_sync(0xffffffffu, value, mask); }
template <class A>
__device__ inline Two<A> other_lane(Two<A> value, int mask) {
  return {other_lane(value.first, mask), other_lane(value.second, mask)};
}

struct Plus {
  template <class A>
  static __device__ inline A join(A a, A b) {
    return a + b;
  }
  template <class A>
  static __device__ inline Two<A> join(Two<A> a, Two<A> b) {
    return {a.first + b.first, a.second + b.second};
  }
};
struct Larger {
  template <class A>
  static __device__ inline A join(A a, A b) {
    return a > b ? a : b;
  }
};

template <class Join, class A>
__device__ inline A across_warp(A value) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) value = Join::join(value, other_lane(value, mask));
  return value;
}
// The values of all threads joined, in each of them. Calls take turns with two places in shared memory (`turn`), so
// that one barrier is enough.
template <class Join, class A>
__device__ inline A across_block(A value, A none, int& turn) {
  __shared__ __align__(16) char memory[2][32 * sizeof(A)];
  value = across_warp<Join>(value);
  int warps = blockDim.x / 32, lane = threadIdx.x % 32;
  if (warps == 1) return value;
  A* values = (A*)memory[turn];
  turn ^= 1;
  if (lane == 0) values[threadIdx.x / 32] = value;
  __syncthreads();
  return across_warp<Join>(lane < warps ? values[lane] : none);
}

// Who shares a row: the whole block, or a power of two of threads, of which a warp has several.
template <int threads>
struct WholeBlock {
  static constexpr int most_threads = threads;
  static constexpr bool is_alone = true;
  mutable int turn = 0;
  template <class Join, class A>
  __device__ inline A join(A value, A none) const {
    return across_block<Join>(value, none, turn);
  }
};
struct PartOfWarp {
  static constexpr int most_threads = kShortThreads;
  static constexpr bool is_alone = false;
  template <class Join, class A>
  __device__ inline A join(A value, A) const {
    for (int mask = blockDim.x / 2; mask > 0; mask /= 2) value = Join::join(value, other_lane(value, mask));
    return value;
  }
};

// Calls f(row, whether it is there) for the rows of this team. A warp stays together: past the last row its threads do
// that one again.
template <class Team, class F>
__device__ inline void each_row_of(const Team&, long long rows, F f) {
  const int ahead = Team::is_alone ? 0 : threadIdx.y % (32 / blockDim.x);
  for (long long first = (long long)blockIdx.x * blockDim.y + threadIdx.y - ahead; first < rows;
       first += (long long)gridDim.x * blockDim.y) {
    const long long row = first + ahead;
    f(row < rows ? row : rows - 1, row < rows);
  }
}

// What an operand has at one pack of W elements, of which `[e]` is one.
template <class T, int W, bool is_paired = sizeof(T) == 2 && W == 8>
struct PackPart {
  Pack<T, W> pack;
  __device__ inline Wide<T> operator[](int e) const { return widen<T>(pack.element[e]); }
};
#if defined(WARPCELL_SIXTEEN_BITS)
// Of 16 bits two stay in a register, where each would have one of its own.
template <class T>
struct PackPart<T, 8, true> {
  uint4 words;
  __device__ inline float operator[](int e) const {
    const uint word = e < 2 ? words.x : e < 4 ? words.y : e < 6 ? words.z : words.w;
    return e % 2 == 0 ? low_float<T>(word) : high_float<T>(word);
  }
};
#endif
template <class T, int W>
__device__ inline PackPart<T, W> part_at(const T* row, long long at) {
  return ((const PackPart<T, W>*)row)[at];
}
struct OnePart {
  __device__ inline float operator[](int) const { return 1; }
};
struct IndexPart {
  long long first;
  __device__ inline long long operator[](int e) const { return first + e; }
};
template <class A>
struct ValuePart {
  const A* values;
  __device__ inline A operator[](int e) const { return values[e]; }
};

template <int N>
struct Count {
  static constexpr int value = N;
};

// A row of which each thread has at most K packs. `part(k, at)`: an operand's elements of the thread's pack k, which is
// pack `at` of the row.
template <class T, int W>
struct Streamed {
  const T* first;
  __device__ inline PackPart<T, W> part(int, long long at) const { return part_at<T, W>(first, at); }
};
struct Ones {
  __device__ inline OnePart part(int, long long) const { return {}; }
  __device__ inline OnePart single(long long) const { return {}; }
  __device__ inline float operator[](int) const { return 1; }
  __device__ inline bool begins(int) const { return true; }
};
template <int W>
struct Indices {
  __device__ inline IndexPart part(int, long long at) const { return {at * W}; }
};

// A row of any length and start: `part` is of the packs behind the first `head` elements, `single` of one element.
template <class T, int W>
struct Read {
  const T* first;
  __device__ inline PackPart<T, W> part(int head, long long at) const { return part_at<T, W>(first + head, at); }
  __device__ inline PackPart<T, 1> single(long long at) const { return part_at<T, 1>(first, at); }
  __device__ inline bool begins(int shift) const { return past_pack(first) == shift; }
};
template <int W>
struct IndicesRead {
  __device__ inline IndexPart part(int head, long long at) const { return {head + at * W}; }
  __device__ inline IndexPart single(long long at) const { return {at}; }
  __device__ inline bool begins(int) const { return true; }
};
template <class T, int W, int K>
struct Kept {
  PackPart<T, W> packs[K];
  __device__ inline PackPart<T, W> part(int k, long long) const { return packs[k]; }
};
template <class A, int W, int K>
struct Values {
  A values[K * W];
  __device__ inline ValuePart<A> part(int k, long long) const { return {values + k * W}; }
};

template <int W, class F, class... Parts>
__device__ inline void visit(F f, const Parts&... parts) {
#pragma unroll
  for (int e = 0; e < W; e++) f(parts[e]...);
}
template <int W, class Out, class F, class... Parts>
__device__ inline void put_pack(Out* out, long long at, F f, const Parts&... parts) {
  Pack<Out, W> result;
#pragma unroll
  for (int e = 0; e < W; e++) result.element[e] = narrow<Out>(f(parts[e]...));
  ((Pack<Out, W>*)out)[at] = result;
}

// A row that is on its way, with a note.
template <class Note, class A, class B>
struct Ahead {
  Note note;
  A a;
  B b;
};
template <class Note, class A, class B>
Ahead(Note, A, B) -> Ahead<Note, A, B>;

// K packs a thread, in registers: no index into what is kept is known only at run time.
template <class Team, int W, int K>
struct KeptLine {
  static constexpr int most_threads = Team::most_threads;
  long long length;
  Team team;
  bool is_live = true;
  __device__ inline explicit KeptLine(long long length, long long) : length(length) {}
  static __device__ inline bool is_first() { return threadIdx.x == 0; }

  // Calls f(row, its place in `out`, its part of each operand).
  template <class Out, class F, class... T>
  __device__ inline void each_row(long long rows, Out* out, F f, const T*... operands) {
    each_row_of(team, rows, [&](long long row, bool is_there) {
      is_live = is_there;
      f(row, out + row * length, keep(operands + row * length)...);
    });
  }
  // The same, with what `note` says of a row, where the next row is on its way before f has this one.
  template <class Out, class Note, class F, class T>
  __device__ inline void each_row_ahead(long long rows, Out* out, Note note, F f, const T* a, const T* b) {
    static_assert(Team::is_alone);
    auto take = [&](long long row) { return Ahead{note(row, Ones()), keep(a + row * length), keep(b + row * length)}; };
    auto next = take(blockIdx.x < rows ? blockIdx.x : 0);
    for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
      const auto now = next;
      next = take(row + gridDim.x < rows ? row + gridDim.x : row);
      f(out + row * length, now.note, now.a, now.b);
    }
  }
  template <class T, class Operand>
  static __device__ inline Wide<T> element(const Operand&, const T* row, long long at) {
    return widen<T>(row[at]);
  }

  template <class T>
  __device__ inline Kept<T, W, K> keep(const T* row) const {
    Kept<T, W, K> kept;
    int packs = int(length / W);
#pragma unroll
    for (int k = 0; k < K; k++) {
      int at = k * blockDim.x + threadIdx.x;
      if (at < packs) kept.packs[k] = part_at<T, W>(row, at);
    }
    return kept;
  }
  template <class T>
  __device__ inline Streamed<T, W> stream(const T* row) const {
    return {row};
  }
  __device__ inline Indices<W> indices() const { return {}; }
  template <class F, class... Operands>
  __device__ inline void each(F f, const Operands&... operands) const {
    int packs = int(length / W);
#pragma unroll
    for (int k = 0; k < K; k++) {
      int at = k * blockDim.x + threadIdx.x;
      if (at < packs) visit<W>(f, operands.part(k, at)...);
    }
  }
  template <class A, class F, class... Operands>
  __device__ inline A sum(F f, const Operands&... operands) const {
    A total = A(0);
    each([&](auto... values) { total += f(values...); }, operands...);
    return team.template join<Plus>(total, A(0));
  }
  template <class A, class F, class G, class... Operands>
  __device__ inline Two<A> sums(F f, G g, const Operands&... operands) const {
    Two<A> total = {A(0), A(0)};
    each(
        [&](auto... values) {
          total.first += f(values...);
          total.second += g(values...);
        },
        operands...);
    return team.template join<Plus>(total, Two<A>{A(0), A(0)});
  }
  template <class A, class Operand>
  __device__ inline A most(const Operand& operand) const {
    A none = -A(1) / A(0), most = none;
    each([&](A x) { most = x > most ? x : most; }, operand);
    return team.template join<Larger>(most, none);
  }
  template <class A, class Exp, class Operand>
  __device__ inline Powers<A> powers(Exp exp, const Operand& operand) const {
    const A top = most<A>(operand);
    return {top, sum<A>([=](A value) { return exp(value - top); }, operand)};
  }
  template <class Out, class F, class... Operands>
  __device__ inline void store(Out* out, F f, const Operands&... operands) const {
    int packs = int(length / W);
#pragma unroll
    for (int k = 0; k < K; k++) {
      int at = k * blockDim.x + threadIdx.x;
      if (at < packs) put_pack<W>(out, at, f, operands.part(k, at)...);
    }
  }
  // A sum per element over the rows of this block, written to `sums` at the end.
  template <class A>
  struct Totals {
    Values<A, W, K> kept;
    A* sums;
    template <class F, class... Operands>
    __device__ inline void add(const KeptLine& line, F f, const Operands&... operands) {
      int packs = line.is_live ? int(line.length / W) : 0;
#pragma unroll
      for (int k = 0; k < K; k++) {
        int at = k * blockDim.x + threadIdx.x, first = k * W;
        if (at < packs)
          visit<W>([&](auto... values) { kept.values[first++] += f(values...); }, operands.part(k, at)...);
      }
    }
    __device__ inline void finish(const KeptLine& line) {
      if constexpr (!Team::is_alone) {
        // The rows of a block lie beside each other.
        __shared__ A memory[most_threads * K * W];
        A* mine = memory + threadIdx.y * line.length;
        line.each([&](long long at, A total) { mine[at] = total; }, line.indices(), kept);
        __syncthreads();
        for (int at = thread_of_block(); at < line.length; at += threads_of_block()) {
          A total = memory[at];
          for (int y = 1; y < blockDim.y; y++) total += memory[y * line.length + at];
          sums[at] = total;
        }
        __syncthreads();
      } else {
        line.each([&](long long at, A total) { sums[at] = total; }, line.indices(), kept);
      }
    }
  };
  template <class A>
  __device__ inline Totals<A> totals(A* sums) const {
    Totals<A> totals;
#pragma unroll
    for (int i = 0; i < K * W; i++) totals.kept.values[i] = A(0);
    totals.sums = sums;
    return totals;
  }
};

// A row of any length. Where it starts in the middle of a pack, so do all of its operands, or there are no packs.
template <class Team, int W>
struct LongLine {
  static constexpr int most_threads = Team::most_threads;
  long long length;
  Team team;
  __device__ inline explicit LongLine(long long length, long long) : length(length) {}
  static __device__ inline bool is_first() { return threadIdx.x == 0; }

  template <class Out, class F, class... T>
  __device__ inline void each_row(long long rows, Out* out, F f, const T*... operands) {
    each_row_of(team, rows, [&](long long row, bool) { f(row, out + row * length, keep(operands + row * length)...); });
  }
  template <class T, class Operand>
  static __device__ inline Wide<T> element(const Operand&, const T* row, long long at) {
    return widen<T>(row[at]);
  }
  template <class T>
  __device__ inline Read<T, W> keep(const T* row) const {
    return {row};
  }
  template <class T>
  __device__ inline Read<T, W> stream(const T* row) const {
    return {row};
  }
  __device__ inline IndicesRead<W> indices() const { return {}; }

  // Where packs begin in all of `operands`; the length, where they do not.
  template <class T, class... Operands>
  __device__ inline int head(const Read<T, W>& first, const Operands&... operands) const {
    if constexpr (W == 1) return 0;
    const int shift = past_pack(first.first);
    return (operands.begins(shift) && ...) ? (kPackBytes - shift) % kPackBytes / int(sizeof(T)) : int(length);
  }
  template <class... Operands>
  __device__ inline int head(const IndicesRead<W>&, const Operands&... operands) const {
    if constexpr (sizeof...(Operands) == 0)
      return 0;
    else
      return head(operands...);
  }
  // `single` gets elements that are in no pack, `pack` the packs behind the first `head` elements.
  template <class Single, class Packs>
  __device__ inline void walk(int head, Single single, Packs pack) const {
    const long long packs = (length - head) / W, edges = length - packs * W;
#pragma unroll 4
    for (long long at = threadIdx.x; at < packs; at += blockDim.x) pack(at);
    for (long long edge = threadIdx.x; edge < edges; edge += blockDim.x) single(edge < head ? edge : edge + packs * W);
  }
  template <class F, class... Operands>
  __device__ inline void each(F f, const Operands&... operands) const {
    const int begin = head(operands...);
    walk(
        begin, [&](long long at) { visit<1>(f, operands.single(at)...); },
        [&](long long at) { visit<W>(f, operands.part(begin, at)...); });
  }
  template <class A, class F, class... Operands>
  __device__ inline A sum(F f, const Operands&... operands) const {
    // Four sums side by side, so that roundings do not pile up along one.
    A sums[4] = {A(0), A(0), A(0), A(0)};
    each(
        [&](auto... values) {
          A sum = sums[0] + f(values...);
          sums[0] = sums[1], sums[1] = sums[2], sums[2] = sums[3], sums[3] = sum;
        },
        operands...);
    return team.template join<Plus>((sums[0] + sums[1]) + (sums[2] + sums[3]), A(0));
  }
  template <class A, class F, class G, class... Operands>
  __device__ inline Two<A> sums(F f, G g, const Operands&... operands) const {
    Two<A> sums[4] = {};
    each(
        [&](auto... values) {
          Two<A> sum = {sums[0].first + f(values...), sums[0].second + g(values...)};
          sums[0] = sums[1], sums[1] = sums[2], sums[2] = sums[3], sums[3] = sum;
        },
        operands...);
    return team.template join<Plus>(Plus::join(Plus::join(sums[0], sums[1]), Plus::join(sums[2], sums[3])),
                                    Two<A>{A(0), A(0)});
  }
  // In one pass: the sum is kept relative to the largest so far.
  template <class A, class Exp, class Operand>
  __device__ inline Powers<A> powers(Exp exp, const Operand& operand) const {
    const A none = -A(1) / A(0);
    Powers<A> mine = {none, A(0)};
    auto join = [&](auto part, auto count) {
      A top = mine.most;
      visit<decltype(count)::value>([&](A x) { top = x > top ? x : top; }, part);
      const A from = top == none ? A(0) : top;
      A sum = mine.sum * exp(mine.most - from);
      visit<decltype(count)::value>([&](A x) { sum += exp(x - from); }, part);
      mine = {top, sum};
    };
    const int begin = head(operand);
    walk(
        begin, [&](long long at) { join(operand.single(at), Count<1>()); },
        [&](long long at) { join(operand.part(begin, at), Count<W>()); });
    const A top = team.template join<Larger>(mine.most, none);
    return {top, team.template join<Plus>(mine.sum * exp(mine.most - top), A(0))};
  }
  template <class Out, class F, class... Operands>
  __device__ inline void store(Out* out, F f, const Operands&... operands) const {
    const int begin = head(Read<Out, W>{out}, operands...);
    walk(
        begin, [&](long long at) { put_pack<1>(out, at, f, operands.single(at)...); },
        [&](long long at) { put_pack<W>(out + begin, at, f, operands.part(begin, at)...); });
  }
};

// The lines that kernels are compiled for: in packs of 16 bytes, `each` elements a thread, or one by one, where a row
// does not start at a multiple of 16 bytes.
template <class T, int each, int threads>
using Packed = KeptLine<WholeBlock<threads>, 16 / int(sizeof(T)), each* int(sizeof(T)) / 16>;
template <class T, int packs>
using PackedShort = KeptLine<PartOfWarp, 16 / int(sizeof(T)), packs>;
template <class T>
using Uneven = LongLine<PartOfWarp, 16 / int(sizeof(T))>;
template <class T>
using Long = LongLine<WholeBlock<1024>, 16 / int(sizeof(T))>;
template <class T, int each>
using Single = KeptLine<WholeBlock<1024>, 1, each>;
template <class T, int each>
using SingleShort = KeptLine<PartOfWarp, 1, each>;

}  // namespace warpcell
