// A pass of a transform by one core: transforms side by side in the lanes of vectors of 64 bytes, real and imaginary
// parts apart.
#pragma once

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

template <class T>
struct Tile {
  using V = FftVector<T>;
  static constexpr int n = kFftLanes<T>;

  const Pass& pass;
  const Ends<T> ends;
  const T *source, *table;
  T* target;
  // Of each lane where its first point is read and written, in points; and its p.
  long long reads[n], writes[n], places[n];
  int used;
  bool reads_whole, writes_whole;

  Tile(const Chain& chain, int which, const T* source, long long read_rows, T* target, long long write_rows,
       const T* table, long long first, long long end)
      : pass(chain.passes[which]), ends(ends_of<T>(chain, which)), source(source), table(table), target(target) {
    const long long columns = pass.s * pass.l;
    used = int(end - first < n ? end - first : n);
    long long outer = first / columns, c = first % columns, p = c / pass.s, q = c % pass.s;
    reads_whole = used == n && c + n <= columns;
    writes_whole = used == n && q + n <= pass.s;
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
#pragma GCC unroll 13
        for (int k = 0; k < R; k++) {
          const int at = q + s * (R * p + k);
          if (!is_last && k > 0) z[k] = times(z[k], re[k], im[k]);
          if constexpr (is_last) {
            if (pass.l > 1) z[k] = times(z[k], factors[2 * at * pass.l], factors[2 * at * pass.l + 1]);
            finish(z[k]);
            store_points<T>(out + write_step * at, z[k], AllLanes<T>());
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

  // Points that lie apart, into lanes.
  inline void gather(Point<V>* to) const {
    const int m = int(pass.m);
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
    if (ends.swaps_in)
      for (j = 0; j < m; j++) swap_parts(to[j]);
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

  inline void scatter(Point<V>* from) const {
    const int m = int(pass.m);
    if (pass.l > 1) {
      const bool is_row = pass.s == 1 && used == n && places[n - 1] == places[0] + n - 1;
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
          if (i < used) *(LooseVector<T>*)(target + 2 * (writes[i] + k)) = low.rows[i];
          if (i + side < used) *(LooseVector<T>*)(target + 2 * (writes[i + side] + k)) = high.rows[i];
        }
      }
    }
    for (; k < m; k++) {
      for (int lane = 0; lane < used; lane++) {
        T* to = target + 2 * (writes[lane] + pass.s * k);
        to[0] = from[k].re[lane];
        to[1] = from[k].im[lane];
      }
    }
  }

  inline void run(Point<V>* a, Point<V>* b) const {
    if (!reads_whole) gather(a);
    long long radices = pass.radices;
    for (int s = 1; radices != 0; radices >>= 8) {
      const int radix = int(radices & 255);
      const bool is_first = s == 1 && reads_whole, is_last = radices >> 8 == 0 && writes_whole;
      switch (radix) {
        case 2:
          step<2>(a, b, s, is_first, is_last);
          break;
        case 3:
          step<3>(a, b, s, is_first, is_last);
          break;
        case 4:
          step<4>(a, b, s, is_first, is_last);
          break;
        case 5:
          step<5>(a, b, s, is_first, is_last);
          break;
        case 7:
          step<7>(a, b, s, is_first, is_last);
          break;
        case 8:
          step<8>(a, b, s, is_first, is_last);
          break;
        case 11:
          step<11>(a, b, s, is_first, is_last);
          break;
        case 13:
          step<13>(a, b, s, is_first, is_last);
          break;
      }
      Point<V>* other = a;
      a = b;
      b = other;
      s *= radix;
    }
    if (!writes_whole) scatter(a);
  }
};

// The transforms of lanes `first` to `end`, of all that a pass has.
template <class T>
__attribute__((noinline)) void run_pass(const Chain& chain, int which, const T* source, long long read_rows, T* target,
                                        long long write_rows, const T* table, long long first, long long end) {
  __shared__ Point<FftVector<T>> a[kMostPoints], b[kMostPoints];
  for (; first < end; first += kFftLanes<T>) {
    const Tile<T> tile(chain, which, source, read_rows, target, write_rows, table, first, end);
    tile.run(a, b);
  }
}

}  // namespace warpcell
