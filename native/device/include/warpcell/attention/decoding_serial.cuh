// Attention of few queries over many keys on a processor: vectors lie along rows of keys and values, as they are read,
// and all queries of a head of keys go along together.
#pragma once
#include "decoding.cuh"
#include "lane_passes.cuh"

#ifdef WARPCELL_SERIAL
namespace warpcell::attention {

// The sum of a vector's elements, by halves.
template <class A, int count>
inline WARPCELL_INLINED A sum_of(const A* from) {
  if constexpr (count == 1) {
    return from[0];
  } else {
    using Half = A __attribute__((vector_size(sizeof(A) * (count / 2))));
    Half lower, upper;
    __builtin_memcpy(&lower, from, sizeof lower);
    __builtin_memcpy(&upper, from + count / 2, sizeof upper);
    lower += upper;
    A halves[count / 2];
    __builtin_memcpy(halves, &lower, sizeof lower);
    return sum_of<A, count / 2>(halves);
  }
}

// Of `count` numbers, whole vectors: the largest of them and `first`, leaving NaN out, and the sum.
template <class A>
inline A largest_of(const A* from, int count, A first) {
  constexpr int W = kWidth<A>;
  Vector<A> most = Vector<A>{} + first;
  for (int i = 0; i < count; i += W) {
    const Vector<A> own = load(from + i);
    most = own > most ? own : most;
  }
  A each[W];
  store<A>(each, most);
  A largest = each[0];
  for (int i = 1; i < W; i++) largest = each[i] > largest ? each[i] : largest;
  return largest;
}
template <class A>
inline A total_of(const A* from, int count) {
  constexpr int W = kWidth<A>;
  Vector<A> sums = {};
  for (int i = 0; i < count; i += W) sums += load(from + i);
  A each[W];
  store<A>(each, sums);
  return sum_of<A, W>(each);
}

// out[i][j] = Σ_d x[i][d] · y[j][d] of `lines` and `others` rows of `depth` columns, whole vectors.
template <int lines, int others, class A>
inline WARPCELL_INLINED void dot_lines(const A* x, long long x_step, const A* y, long long y_step, int depth, A* out,
                                       int out_step) {
  constexpr int W = kWidth<A>;
  Vector<A> sums[lines][others] = {};
  for (int d = 0; d < depth; d += W) {
    Vector<A> other[others];
#pragma GCC unroll 8
    for (int j = 0; j < others; j++) other[j] = load(y + j * y_step + d);
#pragma GCC unroll 8
    for (int i = 0; i < lines; i++) {
      const Vector<A> line = load(x + i * x_step + d);
#pragma GCC unroll 8
      for (int j = 0; j < others; j++) sums[i][j] += line * other[j];
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < lines; i++)
#pragma GCC unroll 8
    for (int j = 0; j < others; j++) {
      A parts[W];
      store<A>(parts, sums[i][j]);
      out[i * out_step + j] = sum_of<A, W>(parts);
    }
}
template <int lines, class A>
inline void dot_rows(const A* x, long long x_step, const A* y, long long y_step, int others, int depth, A* out,
                     int out_step) {
  int other = 0;
  for (; other + 4 <= others; other += 4)
    dot_lines<lines, 4>(x, x_step, y + other * y_step, y_step, depth, out + other, out_step);
  for (; other < others; other++)
    dot_lines<lines, 1>(x, x_step, y + other * y_step, y_step, depth, out + other, out_step);
}

constexpr int kMostDecodedRows = 16;

template <class A>
struct DecodingRoom {
  A query[kMostDecodedRows * kMostWidth], sums[kMostDecodedRows * kMostWidth], key[kTileLines * kMostWidth],
      value[kTileLines * kMostWidth], score[kMostDecodedRows * kTileLines], most[kMostDecodedRows],
      sum[kMostDecodedRows];
};
template <class A>
inline DecodingRoom<A>& decoding_room() {
  alignas(64) static thread_local DecodingRoom<A> own;
  return own;
}

// Rows of a tensor as A, in whole vectors: where they lie, or in `room`, with zeros behind them.
template <class T, class A = Sum<T>>
inline Lines<A> whole_lines_of(const T* rows, long long step, int count, int width, A* room) {
  const int whole = whole_vectors(width, kWidth<A>);
  if constexpr (same<T, A>) {
    if (whole == width) return {rows, step};
  }
  for (int row = 0; row < count; row++)
    for (int d = 0; d < whole; d++) room[row * whole + d] = d < width ? A(widen<T>(rows[row * step + d])) : A(0);
  return {room, whole};
}

// All rows of a head of keys over part `block % parts` of its keys: results, or where there are several parts, for each
// query and part the weighted values, the largest score and the sum.
template <class T>
inline void decode_lines(const T* q, const T* k, const T* v, T* out, Sum<T>* lse, Sum<T>* kept, const Problem& p,
                         long long part_keys, long long parts, long long block) {
  using A = Sum<T>;
  DecodingRoom<A>& own = decoding_room<A>();
  const long long part = block % parts, line = block / parts;
  const int rows = int(p.group * p.queries), width = int(p.width), values = int(p.value_width),
            whole = whole_vectors(width, kWidth<A>), whole_values = whole_vectors(values, kWidth<A>);
  for (int row = 0; row < rows; row++) {
    const DecodedRow of(p, line, row);
    const T* from = q + p.q.at(of.batch, of.head) + of.query * p.q.token;
    for (int d = 0; d < whole; d++) own.query[row * whole + d] = d < width ? A(widen<T>(from[d])) : A(0);
    for (int d = 0; d < whole_values; d++) own.sums[row * whole_values + d] = A(0);
    own.most[row] = minus_infinity<A>(), own.sum[row] = A(0);
  }
  const long long low = p.first_key(0) + part * part_keys, last = p.end_key(0, p.queries);
  const long long end = low + part_keys < last ? low + part_keys : last;
  const T *keys = k + p.k.at(line / p.key_heads(), line % p.key_heads()),
          *others = v + p.v.at(line / p.key_heads(), line % p.key_heads());
  const A scale = A(p.scale), softcap = A(p.softcap);
  for (long long key = low; key < end; key += kTileLines) {
    const int count = least_of(end - key, kTileLines);
    const Lines<A> key_lines = whole_lines_of(keys + key * p.k.token, p.k.token, count, width, own.key);
    int row = 0;
    for (; row + 4 <= rows; row += 4)
      dot_rows<4>(own.query + row * whole, whole, key_lines.first, key_lines.step, count, whole,
                  own.score + row * kTileLines, kTileLines);
    for (; row < rows; row++)
      dot_rows<1>(own.query + row * whole, whole, key_lines.first, key_lines.step, count, whole,
                  own.score + row * kTileLines, kTileLines);
    for (row = 0; row < rows; row++) {
      A* score = own.score + row * kTileLines;
      // What is not seen, and up to whole vectors.
      const long long query = row % p.queries;
      const int from = least_of(p.first_key(query) > key ? p.first_key(query) - key : 0, count),
                to = p.end_key(query, 1) > key ? least_of(p.end_key(query, 1) - key, count) : 0,
                wide = whole_vectors(count, kWidth<A>);
      if (softcap == A(0))
        for (int i = 0; i < wide; i++) score[i] *= scale;
      else
        for (int i = 0; i < count; i++) score[i] = softcap * fn::tanh(score[i] * scale / softcap);
      for (int i = 0; i < from; i++) score[i] = minus_infinity<A>();
      for (int i = to; i < wide; i++) score[i] = minus_infinity<A>();
      const A most = largest_of(score, wide, own.most[row]);
      // Of a row that has seen nothing yet.
      const A base = most == minus_infinity<A>() ? A(0) : most, before = power(own.most[row] - base);
      own.most[row] = most;
      for (int i = 0; i < wide; i++) score[i] = power(score[i] - base);
      own.sum[row] = own.sum[row] * before + total_of(score, wide);
      if (before != A(1))
        for (int d = 0; d < whole_values; d++) own.sums[row * whole_values + d] *= before;
    }
    const Lines<A> value_lines = whole_lines_of(others + key * p.v.token, p.v.token, count, values, own.value);
    multiply<true>(own.score, kTileLines, 1, value_lines.first, int(value_lines.step), count, rows, whole_values,
                   own.sums, whole_values);
  }
  for (int row = 0; row < rows; row++) {
    const DecodedRow of(p, line, row);
    const A most = own.most[row], sum = own.sum[row];
    const A* sums = own.sums + row * whole_values;
    if (parts == 1) {
      T* to = out + p.out.at(of.batch, of.head) + of.query * p.out.token;
      for (int d = 0; d < values; d++) to[d] = narrow<T>(sum == A(0) ? A(0) : sums[d] / sum);
      lse[of.place(p)] = sum == A(0) ? minus_infinity<A>() : most + fn::log(sum);
    } else {
      A* to = kept + (of.place(p) * parts + part) * (values + 2);
      for (int d = 0; d < values; d++) to[d] = sums[d];
      to[values] = most, to[values + 1] = sum;
    }
  }
}

// Query `row` of all: its parts in one.
template <class T>
inline void decode_joined_line(const Sum<T>* kept, T* out, Sum<T>* lse, const Problem& p, long long parts,
                               long long row) {
  using A = Sum<T>;
  A* sums = decoding_room<A>().sums;
  const int values = int(p.value_width);
  const long long step = values + 2, head = row / p.queries;
  const A* from = kept + row * parts * step;
  A most = minus_infinity<A>(), sum = A(0);
  for (long long part = 0; part < parts; part++) {
    const A own = from[part * step + values];
    most = own > most || own != own ? own : most;
  }
  const A base = most == minus_infinity<A>() ? A(0) : most;
  for (int d = 0; d < values; d++) sums[d] = A(0);
  for (long long part = 0; part < parts; part++) {
    const A* own = from + part * step;
    const A factor = power(own[values] - base);
    sum += factor * own[values + 1];
    for (int d = 0; d < values; d++) sums[d] += factor * own[d];
  }
  T* to = out + p.out.at(head / p.heads, head % p.heads) + row % p.queries * p.out.token;
  for (int d = 0; d < values; d++) to[d] = narrow<T>(sum == A(0) ? A(0) : sums[d] / sum);
  lse[row] = sum == A(0) ? minus_infinity<A>() : most + fn::log(sum);
}

}  // namespace warpcell::attention
#endif
