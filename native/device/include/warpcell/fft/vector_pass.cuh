// A pass of a transform by one core: transforms side by side in the lanes of vectors of 64 bytes, real and imaginary
// parts apart.
#pragma once
#include <warpcell/streaming.cuh>

namespace warpcell {

template <class T>
struct FftVectors {
  typedef T Whole __attribute__((vector_size(64)));
  typedef T Loose __attribute__((vector_size(64), aligned(8), may_alias));
};
template <class T>
using FftVector = typename FftVectors<T>::Whole;
// As it lies in memory, at any point.
template <class T>
using LooseVector = typename FftVectors<T>::Loose;
template <class T>
constexpr int kFftLanes = 64 / sizeof(T);

// Whether a pass packs and unpacks.
constexpr bool kHasHalves = true;

template <class T>
__device__ inline long long lanes_of(const Chain&) {
  return kFftLanes<T>;
}

// As many points as there are lanes, one after the other in memory.
template <class T, int... K>
WARPCELL_INLINED inline Point<FftVector<T>> load_points(const T* from, Lanes<K...>) {
  FftVector<T> a = *(const LooseVector<T>*)from, b = *(const LooseVector<T>*)(from + kFftLanes<T>);
  return {__builtin_shufflevector(a, b, (2 * K)...), __builtin_shufflevector(a, b, (2 * K + 1)...)};
}
template <class T, int... K>
WARPCELL_INLINED inline void store_points(T* to, const Point<FftVector<T>>& z, Lanes<K...>) {
  constexpr int n = kFftLanes<T>;
  *(LooseVector<T>*)to = __builtin_shufflevector(z.re, z.im, (K / 2 + (K % 2) * n)...);
  *(LooseVector<T>*)(to + n) = __builtin_shufflevector(z.re, z.im, (K / 2 + n / 2 + (K % 2) * n)...);
}
template <class T>
using AllLanes = typename LanesBelow<kFftLanes<T>>::type;

template <class T, int... K>
WARPCELL_INLINED inline Point<FftVector<T>> reversed(const Point<FftVector<T>>& z, Lanes<K...>) {
  constexpr int last = kFftLanes<T> - 1;
  return {__builtin_shufflevector(z.re, z.re, (last - K)...), __builtin_shufflevector(z.im, z.im, (last - K)...)};
}

// unpack_pair of k from `k` to `end`, and pack_pair: side by side where both ends are whole vectors.
template <class T>
__device__ inline void unpack_row(Point<T>* row, const Point<T>* roots, long long h, long long k, long long end,
                                  T inside, bool conjugates) {
  constexpr int n = kFftLanes<T>;
  using All = AllLanes<T>;
  const T half = inside * T(0.5), sign = conjugates ? T(-1) : T(1);
  if (k == 0 && k < end) unpack_pair<T, T>(row, roots, h, k++, inside, conjugates);
  for (; k + n <= end && 2 * (k + n - 1) < h; k += n) {
    T *low = (T*)(row + k), *high = (T*)(row + h - k - n + 1);
    auto a = load_points<T>(low, All()), b = reversed<T>(load_points<T>(high, All()), All());
    auto root = load_points<T>((const T*)(roots + k), All());
    Point<FftVector<T>> even{(a.re + b.re) * half, (a.im - b.im) * half};
    Point<FftVector<T>> odd{(a.im + b.im) * half, (b.re - a.re) * half};
    odd = times(odd, root.re, root.im);
    store_points<T>(low, {even.re + odd.re, (even.im + odd.im) * sign}, All());
    store_points<T>(high, reversed<T>({even.re - odd.re, (odd.im - even.im) * sign}, All()), All());
  }
  for (; k < end; k++) unpack_pair<T, T>(row, roots, h, k, inside, conjugates);
}
template <class T>
__device__ inline void pack_row(const Point<T>* row, Point<T>* out, const Point<T>* roots, long long h, long long k,
                                long long end, T inside, bool conjugates) {
  constexpr int n = kFftLanes<T>;
  using All = AllLanes<T>;
  const T sign = conjugates ? -inside : inside;
  if (k == 0 && k < end) pack_pair<T, T>(row, out, roots, h, k++, inside, conjugates);
  for (; k + n <= end && 2 * (k + n - 1) < h; k += n) {
    auto a = load_points<T>((const T*)(row + k), All());
    auto b = reversed<T>(load_points<T>((const T*)(row + h - k - n + 1), All()), All());
    auto root = load_points<T>((const T*)(roots + k), All());
    a = {a.re * inside, a.im * sign};
    b = {b.re * inside, b.im * sign};
    Point<FftVector<T>> even{a.re + b.re, a.im - b.im}, odd{a.re - b.re, a.im + b.im};
    odd = times(odd, root.re, -root.im);
    store_points<T>((T*)(out + k), {even.re - odd.im, even.im + odd.re}, All());
    store_points<T>((T*)(out + h - k - n + 1), reversed<T>({even.re + odd.im, odd.re - even.im}, All()), All());
  }
  for (; k < end; k++) pack_pair<T, T>(row, out, roots, h, k, inside, conjugates);
}

// A square of points, whose rows are vectors.
template <class T>
struct PointSquare {
  static constexpr int size = kFftLanes<T> / 2;
  FftVector<T> rows[size];

  template <int s, int... K>
  WARPCELL_INLINED inline void exchange(Lanes<K...>) {
    constexpr int n = kFftLanes<T>;
#pragma GCC unroll 8
    for (int i = 0; i < size; i++) {
      if (i & s) continue;
      FftVector<T> a = rows[i], b = rows[i + s];
      rows[i] = __builtin_shufflevector(a, b, (K & (2 * s) ? n + K - 2 * s : K)...);
      rows[i + s] = __builtin_shufflevector(a, b, (K & (2 * s) ? n + K : K + 2 * s)...);
    }
  }
  template <int s = size / 2>
  WARPCELL_INLINED inline void turn() {
    exchange<s>(AllLanes<T>());
    if constexpr (s > 1) turn<s / 2>();
  }
};

__device__ inline long long min_of(long long a, long long b) { return a < b ? a : b; }

// Bytes of a result from which on rows are written past the caches: of other
// results more are (streaming.cuh), but here as many rows as there are lanes are written at a time, and the line of
// each would have to be read before.
constexpr long long kStreamedRows = 4 << 20;

template <class T>
struct Tile {
  using V = FftVector<T>;
  static constexpr int n = kFftLanes<T>;

  const Pass& pass;
  const Ends<T> ends;
  const T *source, *table;
  const Halves* halves;
  T* target;
  // Of each lane where its first point is read and written, in points; and its p.
  long long reads[n], writes[n], places[n];
  int used;
  bool reads_whole, writes_whole, streams;
  // What the next tile reads, where tiles are rows side by side: fetched a little beside each butterfly.
  mutable const char* coming;
  const char* coming_end;

  Tile(const Chain& chain, int which, const T* source, const T* source_end, long long read_rows, T* target,
       long long write_rows, const T* table, long long first, long long end, const Halves* halves)
      : pass(chain.passes[which]),
        ends(ends_of<T>(chain, which)),
        source(source),
        table(table),
        halves(halves),
        target(target) {
    const long long columns = pass.s * pass.l;
    long long outer = first / columns, c = first % columns, p = c / pass.s, q = c % pass.s;
    // Lanes that lie side by side are read and written at once: those that are few or the last ones may go on.
    const long long together = pass.s >= n ? pass.s - q : columns >= n ? columns - c : n;
    used = int(min_of(min_of(end - first, n), together));
    const T* last = source + 2 * (outer * read_rows + c + columns * (pass.m - 1) + n);
    reads_whole = c + used <= columns && (used == n || last <= source_end) && halves == nullptr;
    writes_whole = q + used <= pass.s && halves == nullptr;
    const long long row = pass.m + (unpacks() ? 1 : 0);
    streams = columns == 1 && which + 1 == chain.count && write_rows == row &&
              chain.outer * row * 2 * (long long)sizeof(T) >= kStreamedRows;
    coming = (const char*)(source + 2 * read_rows * (outer + used));
    coming_end = columns == 1 ? coming + 2 * sizeof(T) * read_rows * min_of(n, end - first - used) : coming;
    for (int lane = 0; lane < n; lane++) {
      if (lane >= used) {
        reads[lane] = reads[0], writes[lane] = writes[0], places[lane] = 0;
        continue;
      }
      reads[lane] = outer * read_rows + p * pass.s + q;
      writes[lane] = outer * write_rows + q + pass.s * pass.m * p;
      places[lane] = p;
      if (++q < pass.s) continue;
      q = 0;
      if (++p < pass.l) continue;
      p = 0;
      outer++;
    }
  }

  WARPCELL_INLINED inline void finish(Point<V>& z) const {
    z.re *= ends.scale;
    z.im *= ends.scale;
    if (ends.swaps_out) swap_parts(z);
  }

  WARPCELL_INLINED inline void store(T* to, const Point<V>& z) const {
    if (used == n) return store_points<T>(to, z, AllLanes<T>());
    T both[2 * n];
    store_points<T>(both, z, AllLanes<T>());
    for (int i = 0; i < 2 * used; i++) to[i] = both[i];
  }

  WARPCELL_INLINED inline void fetch(int lines) const {
    if (coming >= coming_end) return;
    for (int i = 0; i < lines; i++) __builtin_prefetch(coming + i * kLineBytes, 0, 2);
    coming += lines * kLineBytes;
  }

  // One radix of the transforms, of which the first `s` factors are done; from and to memory, or the two arrays.
  template <int R, bool is_first, bool is_last>
  inline void step(const Point<V>* from, Point<V>* to, int s) const {
    const int m = int(pass.m), l = m / (R * s);
    const long long read_step = 2 * pass.s * pass.l, write_step = 2 * pass.s;
    const T *in = source + 2 * reads[0], *factors = table + 2 * (pass.twiddles + places[0]);
    const T* roots = table + 2 * pass.roots;
    T* out = target + 2 * writes[0];
    for (int p = 0; p < l; p++) {
      T re[R], im[R];
      for (int k = 1; k < R; k++) re[k] = roots[2 * p * k * s], im[k] = roots[2 * p * k * s + 1];
      for (int q = 0; q < s; q++) {
        Point<V> z[R];
#pragma GCC unroll 13
        for (int j = 0; j < R; j++) {
          const int at = q + s * (p + l * j);
          if constexpr (is_first) {
            z[j] = load_points<T>(in + read_step * at, AllLanes<T>());
            if (ends.swaps_in) swap_parts(z[j]);
          } else {
            z[j] = from[at];
          }
        }
        butterfly<R, T>(z);
        fetch(R);
#pragma GCC unroll 13
        for (int k = 0; k < R; k++) {
          const int at = q + s * (R * p + k);
          if (!is_last && k > 0) z[k] = times(z[k], re[k], im[k]);
          if constexpr (is_last) {
            if (pass.l > 1) z[k] = times(z[k], factors[2 * at * pass.l], factors[2 * at * pass.l + 1]);
            finish(z[k]);
            store(out + write_step * at, z[k]);
          } else {
            to[at] = z[k];
          }
        }
      }
    }
  }

  template <int R>
  inline void step(const Point<V>* from, Point<V>* to, int s, bool is_first, bool is_last) const {
    if (is_first)
      is_last ? step<R, true, true>(from, to, s) : step<R, true, false>(from, to, s);
    else
      is_last ? step<R, false, true>(from, to, s) : step<R, false, false>(from, to, s);
  }

  bool packs() const { return halves != nullptr && halves->kind == 2; }
  bool unpacks() const { return halves != nullptr && halves->kind == 1; }

  // Points that lie apart, into lanes.
  inline void gather(Point<V>* to) const {
    const int m = int(pass.m) + (packs() ? 1 : 0);
    const long long step = pass.s * pass.l;
    int j = 0;
    constexpr int side = PointSquare<T>::size;
    if (step == 1) {
      for (; j + side <= m; j += side) {
        PointSquare<T> low, high;
        for (int i = 0; i < side; i++) {
          low.rows[i] = *(const LooseVector<T>*)(source + 2 * (reads[i] + j));
          high.rows[i] = *(const LooseVector<T>*)(source + 2 * (reads[i + side] + j));
        }
        low.turn();
        high.turn();
        for (int i = 0; i < side; i++) to[j + i] = parts(low.rows[i], high.rows[i], AllLanes<T>());
      }
    }
    for (; j < m; j++) {
      for (int lane = 0; lane < n; lane++) {
        const T* from = source + 2 * (reads[lane] + step * j);
        to[j].re[lane] = from[0];
        to[j].im[lane] = from[1];
      }
    }
    if (packs()) {
      for (int k = 0; k <= pass.m / 2; k++)
        pack_pair<T, V>(to, to, (const Point<T>*)halves->roots, pass.m, k, T(halves->inside), halves->conjugates);
    }
    if (ends.swaps_in)
      for (j = 0; j < pass.m; j++) swap_parts(to[j]);
  }
  template <int... K>
  static WARPCELL_INLINED inline Point<V> parts(V a, V b, Lanes<K...>) {
    return {__builtin_shufflevector(a, b, (2 * K)...), __builtin_shufflevector(a, b, (2 * K + 1)...)};
  }
  template <int... K>
  static WARPCELL_INLINED inline void join(const Point<V>& z, V& a, V& b, Lanes<K...>) {
    a = __builtin_shufflevector(z.re, z.im, (K / 2 + (K % 2) * n)...);
    b = __builtin_shufflevector(z.re, z.im, (K / 2 + n / 2 + (K % 2) * n)...);
  }

  // `beside`: as many points, which nobody needs any more.
  inline void scatter(Point<V>* from, Point<V>* beside) const {
    const int m = int(pass.m) + (unpacks() ? 1 : 0);
    T* const first = streams ? (T*)beside : target + 2 * writes[0];
    if (unpacks()) {
      for (int k = 0; k <= pass.m / 2; k++)
        unpack_pair<T, V>(from, (const Point<T>*)halves->roots, pass.m, k, T(halves->inside), halves->conjugates);
    }
    if (pass.l > 1) {
      const bool is_row = pass.s == 1 && places[used - 1] == places[0] + used - 1 && places[0] + n <= pass.l;
      for (int k = 0; k < m; k++) {
        const T* factors = table + 2 * (pass.twiddles + k * pass.l);
        Point<V> factor;
        if (is_row) {
          factor = load_points<T>(factors + 2 * places[0], AllLanes<T>());
        } else {
          for (int lane = 0; lane < n; lane++)
            factor.re[lane] = factors[2 * places[lane]], factor.im[lane] = factors[2 * places[lane] + 1];
        }
        from[k] = times(from[k], factor.re, factor.im);
      }
    }
    for (int k = 0; k < m; k++) finish(from[k]);
    int k = 0;
    constexpr int side = PointSquare<T>::size;
    if (pass.s == 1) {
      for (; k + side <= m; k += side) {
        PointSquare<T> low, high;
        for (int i = 0; i < side; i++) join(from[k + i], low.rows[i], high.rows[i], AllLanes<T>());
        low.turn();
        high.turn();
        for (int i = 0; i < side; i++) {
          if (i < used) *(LooseVector<T>*)(first + 2 * (writes[i] - writes[0] + k)) = low.rows[i];
          if (i + side < used) *(LooseVector<T>*)(first + 2 * (writes[i + side] - writes[0] + k)) = high.rows[i];
        }
      }
    }
    for (; k < m; k++) {
      for (int lane = 0; lane < used; lane++) {
        T* to = first + 2 * (writes[lane] - writes[0] + pass.s * k);
        to[0] = from[k].re[lane];
        to[1] = from[k].im[lane];
      }
    }
    if (streams) store_streaming(target + 2 * writes[0], first, 2 * (long long)sizeof(T) * m * used);
  }

  inline void run(Point<V>* a, Point<V>* b) const {
    if (!reads_whole) gather(a);
    long long radices = pass.radices;
    for (int s = 1; radices != 0; radices >>= 8) {
      const int radix = int(radices & 255);
      const bool is_first = s == 1 && reads_whole, is_last = radices >> 8 == 0 && writes_whole;
      with_radix(radix, [&](auto found) { this->template step<decltype(found)::value>(a, b, s, is_first, is_last); });
      Point<V>* other = a;
      a = b;
      b = other;
      s *= radix;
    }
    if (!writes_whole) scatter(a, b);
  }
};

// The transforms of lanes `first` to `end`, of all that a pass has; `source_end`: where what may be read ends.
template <class T>
__attribute__((noinline)) void run_pass(const Chain& chain, int which, const T* source, const T* source_end,
                                        long long read_rows, T* target, long long write_rows, const T* table,
                                        long long first, long long end, const Halves* halves = nullptr) {
  __shared__ Point<FftVector<T>> a[kMostPoints + 1], b[kMostPoints + 1];
  while (first < end) {
    const Tile<T> tile(chain, which, source, source_end, read_rows, target, write_rows, table, first, end, halves);
    tile.run(a, b);
    first += tile.used;
  }
  end_streaming();
}

}  // namespace warpcell
