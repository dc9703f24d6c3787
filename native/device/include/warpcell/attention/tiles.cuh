// Attention on a GPU without tensor cores: tiles of pairs, each thread's share of them in registers, with operands
// brought through shared memory a few columns at a time.
#pragma once
#include "bend.cuh"
#include "problem.cuh"

#ifndef WARPCELL_SERIAL
namespace warpcell::attention {

constexpr int kSide = 16;                                    // threads along each side of a tile
constexpr int kThreads = kSide * kSide, kLines = 4 * kSide;  // the lines of a tile: four a thread
template <class A>
constexpr int kDepth = 64 / int(sizeof(A));  // columns at a time
constexpr int kPad = 4;                      // so that neighbours lie in other banks, and fours stay whole

template <class A, int R>
struct alignas(16) Tile {
  A rows[kDepth<A>][R * kSide + kPad];
  A lines[kDepth<A>][kLines + kPad];
  A weights[kLines][R * kSide + kPad];
};

__device__ inline int thread_row() { return int(threadIdx.x) / kSide; }
__device__ inline int thread_line() { return int(threadIdx.x) % kSide; }

// A thread's share of what is brought, on its way through registers: all loads are under way before one is waited for,
// and those of the next columns while these are worked on.
template <int N, class A>
struct Fetched {
  A element[N * kDepth<A> / kThreads];
};
// Of from[i][d] for i < count and d < depth, else 0: N rows of columns.
template <int N, class T, class A = Sum<T>>
__device__ inline Fetched<N, A> fetch_turned(const T* from, long long step, int count, int depth) {
  Fetched<N, A> fetched;
  const int d = int(threadIdx.x) % kDepth<A>;
#pragma unroll
  for (int each = 0; each < N * kDepth<A> / kThreads; each++) {
    const int i = int(threadIdx.x) / kDepth<A> + each * (kThreads / kDepth<A>);
    fetched.element[each] = i < count && d < depth ? A(widen<T>(from[i * step + d])) : A(0);
  }
  return fetched;
}
// to[d][i] = from[i][d]
template <int N, class A, int M>
__device__ inline void put_turned(A (&to)[kDepth<A>][M], const Fetched<N, A>& fetched) {
#pragma unroll
  for (int each = 0; each < N * kDepth<A> / kThreads; each++)
    to[int(threadIdx.x) % kDepth<A>][int(threadIdx.x) / kDepth<A> + each * (kThreads / kDepth<A>)] =
        fetched.element[each];
}

// sums[r][c] = Σ_d rows[r][d] · lines[c][d] of this thread's rows and lines.
template <int R, class T, class A = Sum<T>>
__device__ inline void multiply(Tile<A, R>& tile, const T* rows, long long row_step, int row_count, const T* lines,
                                long long line_step, int line_count, int depth, A (&sums)[R][4]) {
#pragma unroll
  for (int r = 0; r < R; r++)
#pragma unroll
    for (int c = 0; c < 4; c++) sums[r][c] = A(0);
  Fetched<R * kSide, A> next_rows = fetch_turned<R * kSide>(rows, row_step, row_count, depth);
  Fetched<kLines, A> next_lines = fetch_turned<kLines>(lines, line_step, line_count, depth);
#pragma unroll 1
  for (int first = 0; first < depth; first += kDepth<A>) {
    __syncthreads();
    put_turned(tile.rows, next_rows);
    put_turned(tile.lines, next_lines);
    __syncthreads();
    const int next = first + kDepth<A>;
    if (next < depth) {
      next_rows = fetch_turned<R * kSide>(rows + next, row_step, row_count, depth - next);
      next_lines = fetch_turned<kLines>(lines + next, line_step, line_count, depth - next);
    }
#pragma unroll 4
    for (int d = 0; d < kDepth<A>; d++) {
      A left[R], right[4];
#pragma unroll
      for (int r = 0; r < R; r++) left[r] = tile.rows[d][thread_row() * R + r];
#pragma unroll
      for (int c = 0; c < 4; c++) right[c] = tile.lines[d][thread_line() * 4 + c];
#pragma unroll
      for (int r = 0; r < R; r++)
#pragma unroll
        for (int c = 0; c < 4; c++) sums[r][c] += left[r] * right[c];
    }
  }
}

// A thread's share of the tile where all can read it; before, nobody reads what was there.
template <int R, class A>
__device__ inline void put_weights(Tile<A, R>& tile, const A (&weights)[R][4]) {
#pragma unroll
  for (int c = 0; c < 4; c++)
#pragma unroll
    for (int r = 0; r < R; r++) tile.weights[thread_line() * 4 + c][thread_row() * R + r] = weights[r][c];
}

// Of from[line][column] for line < lines and column < width, else 0: `kDepth` lines of `kLines` columns.
template <class T, class A = Sum<T>>
__device__ inline Fetched<kLines, A> fetch_lines(const T* from, long long step, int lines, int width) {
  Fetched<kLines, A> fetched;
  const int column = int(threadIdx.x) % kLines;
#pragma unroll
  for (int each = 0; each < kLines * kDepth<A> / kThreads; each++) {
    const int line = int(threadIdx.x) / kLines + each * (kThreads / kLines);
    fetched.element[each] = line < lines && column < width ? A(widen<T>(from[line * step + column])) : A(0);
  }
  return fetched;
}
template <class A, int M>
__device__ inline void put_lines(A (&to)[kDepth<A>][M], const Fetched<kLines, A>& fetched) {
#pragma unroll
  for (int each = 0; each < kLines * kDepth<A> / kThreads; each++)
    to[int(threadIdx.x) / kLines + each * (kThreads / kLines)][int(threadIdx.x) % kLines] = fetched.element[each];
}

// sums[r][·] += Σ_line weights[line][r] · from[line][·]: this thread's columns are fours, `kLines` apart.
template <int R, int C, class T, class A = Sum<T>>
__device__ inline void gather(Tile<A, R>& tile, const T* from, long long step, int lines, int width, A (&sums)[R][C]) {
  Fetched<kLines, A> next = fetch_lines(from, step, lines, width);
#pragma unroll 1
  for (int first = 0; first < lines; first += kDepth<A>) {
#pragma unroll
    for (int group = 0; group < C / 4; group++) {
      const int column = group * kLines, after = column + kLines;
      if (column >= width) break;
      __syncthreads();
      put_lines(tile.lines, next);
      __syncthreads();
      const bool is_last = group + 1 == C / 4 || after >= width;
      const int from_line = is_last ? first + kDepth<A> : first, at = is_last ? 0 : after;
      if (from_line < lines) next = fetch_lines(from + from_line * step + at, step, lines - from_line, width - at);
#pragma unroll 4
      for (int line = 0; line < kDepth<A>; line++) {
        A left[R], right[4];
#pragma unroll
        for (int r = 0; r < R; r++) left[r] = tile.weights[first + line][thread_row() * R + r];
#pragma unroll
        for (int c = 0; c < 4; c++) right[c] = tile.lines[line][thread_line() * 4 + c];
#pragma unroll
        for (int r = 0; r < R; r++)
#pragma unroll
          for (int c = 0; c < 4; c++) sums[r][group * 4 + c] += left[r] * right[c];
      }
    }
  }
}

// This thread's rows of the result.
template <int R, int C, class T, class A = Sum<T>>
__device__ inline void put_rows(T* out, long long step, int rows, int width, const A (&sums)[R][C],
                                const A (&factors)[R]) {
#pragma unroll
  for (int r = 0; r < R; r++) {
    const int row = thread_row() * R + r;
    if (row >= rows) continue;
#pragma unroll
    for (int at = 0; at < C; at++) {
      const int column = at / 4 * kLines + thread_line() * 4 + at % 4;
      if (column < width) out[row * step + column] = narrow<T>(sums[r][at] * factors[r]);
    }
  }
}

// e^x for x ≤ 0; of 16 bits it shows no error below 2⁻¹².
template <class T, class A>
__device__ inline A power(A x) {
  if constexpr (sizeof(T) == 2) return __expf(x);
  return fn::exp(x);
}

// Over the threads that share a row.
template <class A>
__device__ inline A row_most(A value) {
#pragma unroll
  for (int apart = kSide / 2; apart > 0; apart /= 2) {
    const A other = __shfl_xor_sync(0xffffffffu, value, apart);
    value = other > value ? other : value;
  }
  return value;
}
template <class A>
__device__ inline A row_sum(A value) {
#pragma unroll
  for (int apart = kSide / 2; apart > 0; apart /= 2) value += __shfl_xor_sync(0xffffffffu, value, apart);
  return value;
}

// One head of one batch.
template <class T, class Bend = Unbent>
struct Head {
  const Problem& p;
  const void* mask;
  long long batch, head;
  Bend bend;
  __device__ inline long long row(long long query) const { return (batch * p.heads + head) * p.queries + query; }
};

// The score of a pair, and the derivative of cap and bend there.
template <class A>
struct Score {
  A value, slope;
};
// With a cap, a bend or a mask, which few calls have: stands once, not for each of a thread's pairs.
template <class T, class Bend, class A = Sum<T>>
__device__ __noinline__ Score<A> special_score(const Head<T, Bend>& of, A product, long long query, long long key) {
  const Problem& p = of.p;
  Score<A> score = {product * A(p.scale), A(1)};
  if (p.softcap != 0) {
    const A part = fn::tanh(product * A(p.scale / p.softcap));
    score = {A(p.softcap) * part, A(1) - part * part};
  }
  if constexpr (Bend::kIsBent)
    score = {of.bend.of(score.value, of.batch, of.head, query, key),
             score.slope * of.bend.slope(score.value, of.batch, of.head, query, key)};
  const long long at = p.mask_at(of.batch, of.head) + query * p.mask_query + key * p.mask_key;
  if (p.mask_kind == kMayLook && !((const uchar*)of.mask)[at]) score.value = minus_infinity<A>();
  if (p.mask_kind == kAdded) score.value += A(widen<T>(((const T*)of.mask)[at]));
  return score;
}

// What becomes of q·k in a tile, from its first query and key on: in small numbers.
template <class T, class Bend>
struct Scores {
  using A = Sum<T>;
  const Head<T, Bend>& of;
  long long query, key;
  int queries, keys, first, last;
  bool is_plain;
  A scale;

  __device__ inline Scores(const Head<T, Bend>& of, long long query, long long key)
      : of(of),
        query(query),
        key(key),
        queries(near(of.p.queries - query)),
        keys(near(of.p.keys - key)),
        first(near(of.p.first + query - key)),
        last(near(of.p.last + query - key)),
        is_plain(!Bend::kIsBent && of.p.softcap == 0 && of.p.mask_kind == kNoMask),
        scale(A(of.p.scale)) {}
  static __device__ inline int near(long long x) {
    constexpr long long kFar = 1 << 20;
    return int(x < -kFar ? -kFar : x > kFar ? kFar : x);
  }
  __device__ inline Score<A> operator()(A product, int i, int j) const {
    if (i >= queries || j >= keys || j - i < first || j - i > last) return {minus_infinity<A>(), A(1)};
    if (is_plain) return {product * scale, A(1)};
    return special_score(of, product, query + i, key + j);
  }
};

// What few calls need, too.
__device__ __noinline__ Words dropping_words(const Dropping& dropping, long long row, long long group) {
  return dropping.words(row, group);
}

// What this thread's weights are multiplied by when some are dropped: rows of queries by lines of keys, or the other
// way round.
template <int R, bool rows_are_queries, class T, class Bend, class A = Sum<T>>
__device__ inline void kept_factors(const Head<T, Bend>& of, long long query, long long key, A (&kept)[R][4]) {
  const Problem& p = of.p;
  const Dropping dropping(p);
  const A scale = kept_scale<A>(p);
  if constexpr (rows_are_queries) {
    for (int r = 0; r < R; r++) {
      const Words words = dropping_words(dropping, of.row(query + thread_row() * R + r), key / 4 + thread_line());
#pragma unroll
      for (int c = 0; c < 4; c++) kept[r][c] = dropping.drops(words.word[c]) ? A(0) : scale;
    }
  } else {
    static_assert(R == 4, "A counter has four keys.");
    for (int c = 0; c < 4; c++) {
      const Words words = dropping_words(dropping, of.row(query + thread_line() * 4 + c), key / 4 + thread_row());
#pragma unroll
      for (int r = 0; r < R; r++) kept[r][c] = dropping.drops(words.word[r]) ? A(0) : scale;
    }
  }
}

__device__ inline int least_of(long long count, int most) { return count < most ? int(count) : most; }

}  // namespace warpcell::attention
#endif
