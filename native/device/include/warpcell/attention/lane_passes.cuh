// The passes of attention over lanes (lanes.cuh): a block of queries forward, a part of a head's keys backward.
#pragma once
#include "lanes.cuh"

#ifdef WARPCELL_SERIAL
namespace warpcell::attention {

// What a core works in. Blocks of one thread: a core runs one at a time.
template <class A>
struct Room {
  A a[kMostWidth * kLanes<A>], b[kMostWidth * kLanes<A>], c[kMostWidth * kLanes<A>], d[kMostWidth * kLanes<A>],
      e[kMostWidth * kLanes<A>], f[kMostWidth * kTileLines], g[kMostWidth * kTileLines];
  A tile[kTileLines * kLanes<A>], other[kTileLines * kLanes<A>], slopes[kTileLines * kLanes<A>],
      kept[kTileLines * kLanes<A>];
  A most[kLanes<A>], sum[kLanes<A>], factor[kLanes<A>], base[kLanes<A>];
};
template <class A>
inline Room<A>& room() {
  alignas(64) static thread_local Room<A> own;
  return own;
}

inline int least_of(long long count, int most) { return count < most ? int(count) : most; }

// Joins a tile of scores to what is known of its lanes: `tile` becomes e^(score − most), `factor` what sums of before
// are multiplied by.
template <class A>
inline void join_scores(int lines, A* __restrict tile, A* __restrict most, A* __restrict sum, A* __restrict base,
                        A* __restrict factor) {
  constexpr int L = kLanes<A>;
  for (int lane = 0; lane < L; lane++) base[lane] = most[lane];
  for (int line = 0; line < lines; line++)
    for (int lane = 0; lane < L; lane++) {
      const A value = tile[line * L + lane];
      base[lane] = value > base[lane] ? value : base[lane];
    }
  for (int lane = 0; lane < L; lane++) {
    const A before = most[lane];
    most[lane] = base[lane];
    // Of a lane that has seen nothing yet.
    base[lane] = fn::pick(base[lane] == minus_infinity<A>(), A(0), base[lane]);
    factor[lane] = power(before - base[lane]);
    sum[lane] *= factor[lane];
  }
  for (int line = 0; line < lines; line++)
    for (int lane = 0; lane < L; lane++) {
      const A value = power(tile[line * L + lane] - base[lane]);
      tile[line * L + lane] = value;
      sum[lane] += value;
    }
}

// Block `block` of all: one of queries of one head.
template <class T, class Bend = Unbent>
__attribute__((noinline)) void attend_lanes(const T* q, const T* k, const T* v, const void* mask, T* out, Sum<T>* lse,
                                            const Problem& p, long long block, const Bend& bend = {}) {
  using A = Sum<T>;
  constexpr int L = kLanes<A>;
  Room<A>& own = room<A>();
  A *columns = own.a, *sums = own.b, *widened = own.c;
  const long long blocks = (p.queries + L - 1) / L, query = block % blocks * L, head = block / blocks % p.heads,
                  batch = block / blocks / p.heads;
  const int lanes = least_of(p.queries - query, L), wide = whole_vectors(lanes, kWidth<A>), width = int(p.width),
            values = int(p.value_width);
  turn(q + p.q.at(batch, head) + query * p.q.token, p.q.token, lanes, width, columns);
  for (int lane = 0; lane < L; lane++) own.most[lane] = minus_infinity<A>(), own.sum[lane] = A(0);
  for (int i = 0; i < values * L; i++) sums[i] = A(0);
  const T *keys = k + p.k.at(batch, head / p.group), *rows = v + p.v.at(batch, head / p.group);
  const long long end = p.end_key(query, lanes);
  for (long long key = p.first_key(query) / 4 * 4; key < end; key += kTileLines) {
    const int lines = least_of(end - key, kTileLines);
    if (bend.skips(batch, head, query, lanes, key, lines)) continue;
    const Lines<A> key_lines = lines_of(keys + key * p.k.token, p.k.token, lines, width, widened);
    multiply<false>(key_lines.first, key_lines.step, 1, columns, L, width, lines, wide, own.tile, L);
    const Pairs at = {p, batch, head, key, query, lines, lanes, true};
    score<T>(at, mask, own.tile, (A*)nullptr, bend);
    join_scores(lines, own.tile, own.most, own.sum, own.base, own.factor);
    bool is_same = true;
    for (int lane = 0; lane < L; lane++) is_same &= own.factor[lane] == A(1);
    if (!is_same)
      for (int d = 0; d < values; d++)
        for (int lane = 0; lane < L; lane++) sums[d * L + lane] *= own.factor[lane];
    if (p.dropout != 0) drop(at, own.tile);
    const Lines<A> value_lines = lines_of(rows + key * p.v.token, p.v.token, lines, values, widened);
    multiply<true>(value_lines.first, 1, value_lines.step, own.tile, L, lines, values, wide, sums, L);
  }
  const long long row = (batch * p.heads + head) * p.queries + query;
  for (int lane = 0; lane < lanes; lane++) {
    const A sum = own.sum[lane];
    own.factor[lane] = sum == A(0) ? A(0) : A(1) / sum;
    lse[row + lane] = sum == A(0) ? minus_infinity<A>() : own.most[lane] + fn::log(sum);
  }
  turn_back(out + p.out.at(batch, head) + query * p.out.token, p.out.token, lanes, values, sums, own.factor);
}

// own.tile = the weights that were kept, own.other = the gradient of the scores as the mask has it, of a tile of
// queries by the keys of `columns` and `values`, which are turned.
template <class T, class Bend = Unbent, class A = Sum<T>>
inline void tile_gradient(const Backward<T>& in, const Pairs& at, const Lines<A>& queries, const Lines<A>& above,
                          const A* columns, const A* values, const Bend& bend = {}) {
  constexpr int L = kLanes<A>;
  Room<A>& own = room<A>();
  const Problem& p = in.p;
  const int wide = whole_vectors(at.lanes, kWidth<A>), lines = at.lines;
  multiply<false>(queries.first, queries.step, 1, columns, L, int(p.width), lines, wide, own.tile, L);
  score<T>(at, in.mask, own.tile, own.slopes, bend);
  // What is not seen has no slope, whatever the function would make of it.
  if constexpr (Bend::kIsBent)
    for (int i = 0; i < lines * L; i++)
      own.slopes[i] = fn::pick(own.tile[i] == minus_infinity<A>(), A(0), own.slopes[i]);
  multiply<false>(above.first, above.step, 1, values, L, int(p.value_width), lines, wide, own.other, L);
  if (p.dropout != 0) {
    for (int i = 0; i < lines * L; i++) own.kept[i] = A(1);
    drop(at, own.kept);
    for (int i = 0; i < lines * L; i++) own.other[i] *= own.kept[i];
  }
  for (int line = 0; line < lines; line++) {
    const A log = in.lse[at.row() + line], delta = in.delta[at.row() + line],
            base = log == minus_infinity<A>() ? A(0) : log;
    A *tile = own.tile + line * L, *other = own.other + line * L;
    for (int lane = 0; lane < L; lane++) {
      // A hair above 0 for the rounding of the sum.
      const A weight = power(fn::pick(tile[lane] > base, A(0), tile[lane] - base));
      tile[lane] = weight;
      // Lanes beyond the last have no products.
      other[lane] = fn::pick(lane < at.lanes, weight * (other[lane] - delta), A(0));
    }
  }
  if (p.dropout != 0)
    for (int i = 0; i < lines * L; i++) own.tile[i] *= own.kept[i];
}
// From the gradient of the scores as the mask has it to that of q·k.
template <class Bend, class A>
inline void through_cap(const Problem& p, int lines) {
  Room<A>& own = room<A>();
  const A scale = A(p.scale);
  for (int i = 0; i < lines * kLanes<A>; i++) own.other[i] *= scale;
  if (Bend::kIsBent || p.softcap != 0)
    for (int i = 0; i < lines * kLanes<A>; i++) own.other[i] *= own.slopes[i];
}

// Part `part` of `parts` of one head's keys: their gradients, and what they add to those of the queries, in
// `query_sums` [parts, batches, heads, queries, whole groups of columns].
template <class T, class Bend = Unbent>
__attribute__((noinline)) void keys_backward(const Backward<T>& in, T* dk, T* dv, Sum<T>* query_sums, long long parts,
                                             long long block, const Bend& bend = {}) {
  using A = Sum<T>;
  constexpr int L = kLanes<A>;
  Room<A>& own = room<A>();
  const Problem& p = in.p;
  const long long part = block % parts, key_head = block / parts % p.key_heads(), batch = block / parts / p.key_heads();
  const int width = int(p.width), values = int(p.value_width), padded = whole_vectors(width, kColumnGroup<A>);
  A *columns = own.a, *value_columns = own.b, *key_sums = own.c, *value_sums = own.d, *padded_keys = own.e;
  const auto sums_of = [&](long long head) {
    return query_sums + ((part * p.batches + batch) * p.heads + head) * p.queries * padded;
  };
  const long long first_head = key_head * p.group, blocks = (p.keys + L - 1) / L;
  {
    A* mine = sums_of(first_head);
    for (long long i = 0; i < p.group * p.queries * padded; i++) mine[i] = A(0);
  }
  for (long long each = blocks * part / parts; each < blocks * (part + 1) / parts; each++) {
    const long long key = each * L;
    const int lanes = least_of(p.keys - key, L), wide = whole_vectors(lanes, kWidth<A>);
    const T *key_rows = in.k + p.k.at(batch, key_head) + key * p.k.token,
            *value_rows = in.v + p.v.at(batch, key_head) + key * p.v.token;
    turn(key_rows, p.k.token, lanes, width, columns);
    turn(value_rows, p.v.token, lanes, values, value_columns);
    for (int lane = 0; lane < lanes; lane++)
      for (int d = 0; d < padded; d++)
        padded_keys[lane * padded + d] = d < width ? A(widen<T>(key_rows[lane * p.k.token + d])) : A(0);
    for (int i = 0; i < width * L; i++) key_sums[i] = A(0);
    for (int i = 0; i < values * L; i++) value_sums[i] = A(0);
    const long long end = p.end_query(key, lanes);
    for (long long head = first_head; head < first_head + p.group; head++)
      for (long long query = p.first_query(key); query < end; query += kTileLines) {
        const int lines = least_of(end - query, kTileLines);
        if (bend.skips(batch, head, query, lines, key, lanes)) continue;
        const Pairs at = {p, batch, head, query, key, lines, lanes, false};
        const Lines<A> queries =
            lines_of(in.q + p.q.at(batch, head) + query * p.q.token, p.q.token, lines, width, own.f);
        const Lines<A> above = lines_of(in.d_out + in.s.d_out.at(batch, head) + query * in.s.d_out.token,
                                        in.s.d_out.token, lines, values, own.g);
        tile_gradient(in, at, queries, above, columns, value_columns, bend);
        multiply<true>(above.first, 1, above.step, own.tile, L, lines, values, wide, value_sums, L);
        through_cap<Bend, A>(p, lines);
        multiply<true>(queries.first, 1, queries.step, own.other, L, lines, width, wide, key_sums, L);
        multiply<true>(own.other, L, 1, padded_keys, padded, lanes, lines, padded, sums_of(head) + query * padded,
                       padded);
      }
    for (int lane = 0; lane < L; lane++) own.factor[lane] = A(1);
    turn_back(dk + in.s.dk.at(batch, key_head) + key * in.s.dk.token, in.s.dk.token, lanes, width, key_sums,
              own.factor);
    turn_back(dv + in.s.dv.at(batch, key_head) + key * in.s.dv.token, in.s.dv.token, lanes, values, value_sums,
              own.factor);
  }
}

// Tile `block` of the mask's gradient.
template <class T, class Bend = Unbent>
__attribute__((noinline)) void mask_backward(const Backward<T>& in, T* d_mask, long long block, const Bend& bend = {}) {
  using A = Sum<T>;
  constexpr int L = kLanes<A>;
  Room<A>& own = room<A>();
  const Problem& p = in.p;
  const MaskTile to(p, in.s, block, kTileLines, L);
  const int width = int(p.width), values = int(p.value_width);
  A* sums = own.c;
  for (int i = 0; i < kTileLines * L; i++) sums[i] = A(0);
  for (long long batch = to.batch; batch < to.end_batch; batch++)
    for (long long head = to.head; head < to.end_head; head++)
      for (long long key = to.key; key < to.end_key; key += L) {
        const int lanes = least_of(to.end_key - key, L);
        turn(in.k + p.k.at(batch, head / p.group) + key * p.k.token, p.k.token, lanes, width, own.a);
        turn(in.v + p.v.at(batch, head / p.group) + key * p.v.token, p.v.token, lanes, values, own.b);
        for (long long query = to.query; query < to.end_query; query += kTileLines) {
          const int lines = least_of(to.end_query - query, kTileLines);
          if (!p.sees_some(query, lines, key, lanes) || bend.skips(batch, head, query, lines, key, lanes)) continue;
          const Pairs at = {p, batch, head, query, key, lines, lanes, false};
          const Lines<A> queries =
              lines_of(in.q + p.q.at(batch, head) + query * p.q.token, p.q.token, lines, width, own.f);
          const Lines<A> above = lines_of(in.d_out + in.s.d_out.at(batch, head) + query * in.s.d_out.token,
                                          in.s.d_out.token, lines, values, own.g);
          tile_gradient(in, at, queries, above, own.a, own.b, bend);
          for (int i = 0; i < lines * L; i++) sums[i] += own.other[i];
        }
      }
  const int rows = to.queries(in.s), columns = to.keys(in.s);
  const int down = in.s.d_mask_query != 0 ? 1 : kTileLines, across = in.s.d_mask_key != 0 ? 1 : L;
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++) {
      A sum = A(0);
      for (int i = 0; i < down; i++)
        for (int j = 0; j < across; j++) sum += sums[(row + i) * L + column + j];
      d_mask[to.place(in.s) + row * in.s.d_mask_query + column * in.s.d_mask_key] = narrow<T>(sum);
    }
}

// Query `row` of all: what all parts of its head's keys added to its gradient.
template <class T>
__attribute__((noinline)) void sum_parts(const Sum<T>* query_sums, T* dq, const Problem& p, const Gradients& s,
                                         long long parts, long long row) {
  using A = Sum<T>;
  A* sums = room<A>().a;
  const int width = int(p.width), padded = whole_vectors(width, kColumnGroup<A>);
  const long long query = row % p.queries, head = row / p.queries % p.heads, batch = row / p.queries / p.heads;
  T* to = dq + s.dq.at(batch, head) + query * s.dq.token;
  for (int d = 0; d < width; d++) sums[d] = query_sums[row * padded + d];
  for (long long part = 1; part < parts; part++) {
    const A* more = query_sums + (part * p.batches * p.heads * p.queries + row) * padded;
    for (int d = 0; d < width; d++) sums[d] += more[d];
  }
  for (int d = 0; d < width; d++) to[d] = narrow<T>(sums[d]);
}

}  // namespace warpcell::attention
#endif
