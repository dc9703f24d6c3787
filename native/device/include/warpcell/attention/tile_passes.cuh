// The passes of attention over tiles (tiles.cuh): a block of queries forward; backward one of queries, one of keys, and
// one of the mask.
#pragma once
#include "tiles.cuh"

#ifndef WARPCELL_SERIAL
namespace warpcell::attention {

// Block `block` of all: one of queries of one head, the last first, which see the most where they see what is before.
template <class T, int R, int C, class Bend = Unbent>
__device__ inline void attend_tiles(const T* q, const T* k, const T* v, const void* mask, T* out, Sum<T>* lse,
                                    const Problem& p, long long block, const Bend& bend = {}) {
  using A = Sum<T>;
  __shared__ Tile<A, R> tile;
  const long long blocks = (p.queries + R * kSide - 1) / (R * kSide), query = (blocks - 1 - block % blocks) * R * kSide,
                  head = block / blocks % p.heads, batch = block / blocks / p.heads;
  const int rows = least_of(p.queries - query, R * kSide);
  const Head<T, Bend> of = {p, mask, batch, head, bend};
  q += p.q.at(batch, head) + query * p.q.token;
  k += p.k.at(batch, head / p.group);
  v += p.v.at(batch, head / p.group);
  A sums[R][C], most[R], sum[R];
#pragma unroll
  for (int r = 0; r < R; r++) {
    most[r] = minus_infinity<A>(), sum[r] = A(0);
#pragma unroll
    for (int c = 0; c < C; c++) sums[r][c] = A(0);
  }
  const long long end = p.end_key(query, rows);
  for (long long key = p.first_key(query) / 4 * 4; key < end; key += kLines) {
    const int lines = least_of(end - key, kLines);
    if (bend.skips(batch, head, query, rows, key, lines)) continue;
    A weights[R][4];
    multiply<R>(tile, q, p.q.token, rows, k + key * p.k.token, p.k.token, lines, int(p.width), weights);
    const Scores<T, Bend> scores(of, query, key);
#pragma unroll
    for (int r = 0; r < R; r++) {
      A best = most[r];
#pragma unroll
      for (int c = 0; c < 4; c++) {
        weights[r][c] = scores(weights[r][c], thread_row() * R + r, thread_line() * 4 + c).value;
        best = weights[r][c] > best ? weights[r][c] : best;
      }
      best = row_most(best);
      const A base = best == minus_infinity<A>() ? A(0) : best, factor = power<T>(most[r] - base);
      A added = A(0);
#pragma unroll
      for (int c = 0; c < 4; c++) added += weights[r][c] = power<T>(weights[r][c] - base);
      most[r] = best;
      sum[r] = sum[r] * factor + row_sum(added);
#pragma unroll
      for (int c = 0; c < C; c++) sums[r][c] *= factor;
    }
    if (p.dropout != 0) {
      A kept[R][4];
      kept_factors<R, true>(of, query, key, kept);
#pragma unroll
      for (int r = 0; r < R; r++)
#pragma unroll
        for (int c = 0; c < 4; c++) weights[r][c] *= kept[r][c];
    }
    put_weights(tile, weights);
    gather<R, C>(tile, v + key * p.v.token, p.v.token, lines, int(p.value_width), sums);
  }
#pragma unroll
  for (int r = 0; r < R; r++) {
    const long long row = query + thread_row() * R + r;
    if (thread_line() == 0 && row < p.queries)
      lse[of.row(row)] = sum[r] == A(0) ? minus_infinity<A>() : most[r] + fn::log(sum[r]);
    sum[r] = sum[r] == A(0) ? A(0) : A(1) / sum[r];
  }
  put_rows<R, C>(out + p.out.at(batch, head) + query * p.out.token, p.out.token, rows, int(p.value_width), sums, sum);
}

// Of this thread's four by four pairs: `weights` becomes those that were kept, `above` the gradient of the scores as
// the mask has it, `slopes` the derivative of cap and bend. Both come as products, q·k and g·v.
template <bool rows_are_queries, class T, class Bend, class A = Sum<T>>
__device__ inline void pair_gradients(const Backward<T>& in, const Head<T, Bend>& of, long long query, long long key,
                                      A (&weights)[4][4], A (&above)[4][4], A (&slopes)[4][4]) {
  const Problem& p = in.p;
  const Scores<T, Bend> scores(of, query, key);
  const int row = thread_row() * 4, line = thread_line() * 4;
  A logs[4], deltas[4];
#pragma unroll
  for (int each = 0; each < 4; each++) {
    const long long i = query + (rows_are_queries ? row : line) + each;
    logs[each] = i < p.queries ? in.lse[of.row(i)] : A(0);
    deltas[each] = i < p.queries ? in.delta[of.row(i)] : A(0);
  }
  A kept[4][4];
  if (p.dropout != 0) kept_factors<4, rows_are_queries>(of, query, key, kept);
#pragma unroll
  for (int r = 0; r < 4; r++)
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const int i = rows_are_queries ? r : c;
      const Score<A> score =
          rows_are_queries ? scores(weights[r][c], row + r, line + c) : scores(weights[r][c], line + c, row + r);
      const bool is_seen = score.value != minus_infinity<A>();
      slopes[r][c] = is_seen ? score.slope : A(0);
      const A weight = is_seen ? power<T>(score.value - logs[i]) : A(0), share = p.dropout != 0 ? kept[r][c] : A(1);
      weights[r][c] = weight * share;
      above[r][c] = is_seen ? weight * (above[r][c] * share - deltas[i]) : A(0);
    }
}

template <class A>
__device__ inline void through_cap(const Problem& p, A (&above)[4][4], const A (&slopes)[4][4]) {
#pragma unroll
  for (int r = 0; r < 4; r++)
#pragma unroll
    for (int c = 0; c < 4; c++) above[r][c] *= A(p.scale) * slopes[r][c];
}

template <int C, class A>
__device__ inline void clear(A (&sums)[4][C]) {
#pragma unroll
  for (int r = 0; r < 4; r++)
#pragma unroll
    for (int c = 0; c < C; c++) sums[r][c] = A(0);
}

// The gradient of a block of queries.
template <class T, int C, class Bend = Unbent>
__device__ inline void queries_backward(const Backward<T>& in, T* dq, long long block, const Bend& bend = {}) {
  using A = Sum<T>;
  __shared__ Tile<A, 4> tile;
  const Problem& p = in.p;
  const long long blocks = (p.queries + kLines - 1) / kLines, query = (blocks - 1 - block % blocks) * kLines,
                  head = block / blocks % p.heads, batch = block / blocks / p.heads;
  const int rows = least_of(p.queries - query, kLines);
  const Head<T, Bend> of = {p, in.mask, batch, head, bend};
  const T *q = in.q + p.q.at(batch, head) + query * p.q.token,
          *d_out = in.d_out + in.s.d_out.at(batch, head) + query * in.s.d_out.token,
          *k = in.k + p.k.at(batch, head / p.group), *v = in.v + p.v.at(batch, head / p.group);
  A sums[4][C];
  clear(sums);
  const long long end = p.end_key(query, rows);
  for (long long key = p.first_key(query) / 4 * 4; key < end; key += kLines) {
    const int lines = least_of(end - key, kLines);
    if (bend.skips(batch, head, query, rows, key, lines)) continue;
    A weights[4][4], above[4][4], slopes[4][4];
    multiply<4>(tile, q, p.q.token, rows, k + key * p.k.token, p.k.token, lines, int(p.width), weights);
    multiply<4>(tile, d_out, in.s.d_out.token, rows, v + key * p.v.token, p.v.token, lines, int(p.value_width), above);
    pair_gradients<true>(in, of, query, key, weights, above, slopes);
    through_cap(p, above, slopes);
    put_weights(tile, above);
    gather<4, C>(tile, k + key * p.k.token, p.k.token, lines, int(p.width), sums);
  }
  const A ones[4] = {A(1), A(1), A(1), A(1)};
  put_rows<4, C>(dq + in.s.dq.at(batch, head) + query * in.s.dq.token, in.s.dq.token, rows, int(p.width), sums, ones);
}

// The gradients of a block of keys and of their values, over all heads that share them.
template <class T, int C, class Bend = Unbent>
__device__ inline void keys_backward(const Backward<T>& in, T* dk, T* dv, long long block, const Bend& bend = {}) {
  using A = Sum<T>;
  __shared__ Tile<A, 4> tile;
  const Problem& p = in.p;
  const long long blocks = (p.keys + kLines - 1) / kLines, key = block % blocks * kLines,
                  key_head = block / blocks % p.key_heads(), batch = block / blocks / p.key_heads();
  const int rows = least_of(p.keys - key, kLines);
  const T *k = in.k + p.k.at(batch, key_head) + key * p.k.token, *v = in.v + p.v.at(batch, key_head) + key * p.v.token;
  A key_sums[4][C], value_sums[4][C];
  clear(key_sums);
  clear(value_sums);
  const long long end = p.end_query(key, rows);
  for (long long head = key_head * p.group; head < (key_head + 1) * p.group; head++) {
    const Head<T, Bend> of = {p, in.mask, batch, head, bend};
    for (long long query = p.first_query(key); query < end; query += kLines) {
      const int lines = least_of(end - query, kLines);
      if (bend.skips(batch, head, query, lines, key, rows)) continue;
      const T *q = in.q + p.q.at(batch, head) + query * p.q.token,
              *d_out = in.d_out + in.s.d_out.at(batch, head) + query * in.s.d_out.token;
      A weights[4][4], above[4][4], slopes[4][4];
      multiply<4>(tile, k, p.k.token, rows, q, p.q.token, lines, int(p.width), weights);
      multiply<4>(tile, v, p.v.token, rows, d_out, in.s.d_out.token, lines, int(p.value_width), above);
      pair_gradients<false>(in, of, query, key, weights, above, slopes);
      put_weights(tile, weights);
      gather<4, C>(tile, d_out, in.s.d_out.token, lines, int(p.value_width), value_sums);
      through_cap(p, above, slopes);
      __syncthreads();
      put_weights(tile, above);
      gather<4, C>(tile, q, p.q.token, lines, int(p.width), key_sums);
    }
  }
  const A ones[4] = {A(1), A(1), A(1), A(1)};
  put_rows<4, C>(dk + in.s.dk.at(batch, key_head) + key * in.s.dk.token, in.s.dk.token, rows, int(p.width), key_sums,
                 ones);
  put_rows<4, C>(dv + in.s.dv.at(batch, key_head) + key * in.s.dv.token, in.s.dv.token, rows, int(p.value_width),
                 value_sums, ones);
}

// Tile `block` of the mask's gradient.
template <class T, class Bend = Unbent>
__device__ inline void mask_backward(const Backward<T>& in, T* d_mask, long long block, const Bend& bend = {}) {
  using A = Sum<T>;
  __shared__ Tile<A, 4> tile;
  const Problem& p = in.p;
  const MaskTile to(p, in.s, block, kLines, kLines);
  A sums[4][4];
  clear(sums);
  for (long long batch = to.batch; batch < to.end_batch; batch++)
    for (long long head = to.head; head < to.end_head; head++) {
      const Head<T, Bend> of = {p, in.mask, batch, head, bend};
      for (long long query = to.query; query < to.end_query; query += kLines)
        for (long long key = to.key; key < to.end_key; key += kLines) {
          const int rows = least_of(to.end_query - query, kLines), lines = least_of(to.end_key - key, kLines);
          if (!p.sees_some(query, rows, key, lines) || bend.skips(batch, head, query, rows, key, lines)) continue;
          A weights[4][4], above[4][4], slopes[4][4];
          multiply<4>(tile, in.q + p.q.at(batch, head) + query * p.q.token, p.q.token, rows,
                      in.k + p.k.at(batch, head / p.group) + key * p.k.token, p.k.token, lines, int(p.width), weights);
          multiply<4>(tile, in.d_out + in.s.d_out.at(batch, head) + query * in.s.d_out.token, in.s.d_out.token, rows,
                      in.v + p.v.at(batch, head / p.group) + key * p.v.token, p.v.token, lines, int(p.value_width),
                      above);
          pair_gradients<true>(in, of, query, key, weights, above, slopes);
#pragma unroll
          for (int r = 0; r < 4; r++)
#pragma unroll
            for (int c = 0; c < 4; c++) sums[r][c] += above[r][c];
        }
    }
  put_weights(tile, sums);
  __syncthreads();
  const int rows = to.queries(in.s), columns = to.keys(in.s);
  const int down = in.s.d_mask_query != 0 ? 1 : kLines, across = in.s.d_mask_key != 0 ? 1 : kLines;
  for (int at = threadIdx.x; at < rows * columns; at += kThreads) {
    const int row = at / columns, column = at % columns;
    A sum = A(0);
    for (int j = 0; j < across; j++)
      for (int i = 0; i < down; i++) sum += tile.weights[column + j][row + i];
    d_mask[to.place(in.s) + row * in.s.d_mask_query + column * in.s.d_mask_key] = narrow<T>(sum);
  }
}

}  // namespace warpcell::attention
#endif
