// A Fourier transform as a chain of passes over memory (Stockham's: Van Loan, "Computational Frameworks for the Fast
// Fourier Transform", 1.7): each makes transforms of m points, which a block holds whole, of what the pass before left.
#pragma once
#include <warpcell/fft/butterflies.cuh>
#include <warpcell/numbers.cuh>
#include <warpcell/squares.cuh>

namespace warpcell {

constexpr int kMostPasses = 5;
constexpr int kMostPoints = 1024;  // of a pass
constexpr int kFftThreads = 256;
constexpr int kFftTile = 1024;  // points that a block of threads holds

// Before the pass an outer item is [m, l, s] and after it [l, m, s]: transforms along m, multiplied by
// exp(−2πi·p·k / (m·l)) for p along l. `s`: the transforms that are done, and what lies behind the axis.
struct Pass {
  long long m, l, s;
  long long roots, twiddles;  // where the table has exp(−2πi·r/m) and, as [m, l], the factors
  long long radices;          // whose product is m, a byte each, the first lowest
};

struct Chain {
  Pass passes[kMostPasses];
  long long count;
  long long outer;
  long long read_rows, write_rows;  // points between outer items, before the first pass and behind the last
  long long lanes;                  // transforms that a block of threads has at a time
  double scale;
  long long is_inverse;  // with real and imaginary parts exchanged on the way in and out
};

template <int R>
struct Radix {
  static constexpr int value = R;
};

// Calls f(Radix<R>) with the one of the radices that it is.
template <class F>
__device__ inline void with_radix(int radix, F f) {
  switch (radix) {
    case 2:
      return f(Radix<2>{});
    case 3:
      return f(Radix<3>{});
    case 4:
      return f(Radix<4>{});
    case 5:
      return f(Radix<5>{});
    case 7:
      return f(Radix<7>{});
    case 8:
      return f(Radix<8>{});
    case 11:
      return f(Radix<11>{});
    case 13:
      return f(Radix<13>{});
  }
}

// What a pass does on its way in and out.
template <class T>
struct Ends {
  bool swaps_in, swaps_out;
  T scale;
};

template <class T>
__device__ inline Ends<T> ends_of(const Chain& chain, int which) {
  bool is_first = which == 0, is_last = which == chain.count - 1;
  return {is_first && chain.is_inverse, is_last && chain.is_inverse, is_last ? T(chain.scale) : T(1)};
}

// What stands around complex transforms of half a length h that are real ones: of rows, which a pass has whole.
struct Halves {
  int kind;           // 0 none; 1 unpacks what it writes, h and one more of a row; 2 packs such rows as it reads them
  const void* roots;  // exp(−2πi·k/2h)
  double inside;      // a factor of all but the first and the last
  bool conjugates;
};

template <class V>
__device__ inline void swap_parts(Point<V>& z) {
  V re = z.re;
  z.re = z.im;
  z.im = re;
}

// X[k] and X[h − k] of real numbers from Z, their even and odd ones as a complex transform of half the length h. All
// but the first and the last are multiplied by `inside`.
template <class T, class V>
__device__ inline void unpack_pair(Point<V>* row, const Point<T>* roots, long long h, long long k, T inside,
                                   bool conjugates) {
  T sign = conjugates ? T(-1) : T(1);
  if (k == 0) {
    Point<V> z = row[0];
    row[0] = {z.re + z.im, V{}};
    row[h] = {z.re - z.im, V{}};
    return;
  }
  Point<V> a = row[k], b = row[h - k];
  T half = inside * T(0.5);
  Point<V> even{(a.re + b.re) * half, (a.im - b.im) * half}, odd{(a.im + b.im) * half, (b.re - a.re) * half};
  odd = times(odd, roots[k].re, roots[k].im);
  row[k] = {even.re + odd.re, (even.im + odd.im) * sign};
  if (k != h - k) row[h - k] = {even.re - odd.re, (odd.im - even.im) * sign};
}
// The way back, without the factor 1/2h: `row` has h and one more, `out`, which may be `row`, gets h.
template <class T, class V>
__device__ inline void pack_pair(const Point<V>* row, Point<V>* out, const Point<T>* roots, long long h, long long k,
                                 T inside, bool conjugates) {
  if (k == 0) {
    out[0] = {row[0].re + row[h].re, row[0].re - row[h].re};
    return;
  }
  T sign = conjugates ? -inside : inside;
  Point<V> a{row[k].re * inside, row[k].im * sign}, b{row[h - k].re * inside, row[h - k].im * sign};
  Point<V> even{a.re + b.re, a.im - b.im}, odd{a.re - b.re, a.im + b.im};
  odd = times(odd, roots[k].re, -roots[k].im);
  out[k] = {even.re - odd.im, even.im + odd.re};
  if (k != h - k) out[h - k] = {even.re + odd.im, odd.re - even.im};
}

}  // namespace warpcell

#if defined(WARPCELL_SERIAL) && defined(WARPCELL_SQUARES)
#include <warpcell/fft/vector_pass.cuh>
#else
#include <warpcell/fft/block_pass.cuh>
#endif
