// A Fourier transform as a chain of passes over memory (Stockham's: Van Loan, "Computational Frameworks for the Fast
// Fourier Transform", 1.7): each makes transforms of m points, which a block holds whole, of what the pass before left.
#pragma once
#include <warpcell/fft/butterflies.cuh>
#include <warpcell/numbers.cuh>
#include <warpcell/squares.cuh>

namespace warpcell {

constexpr int kMostPasses = 5;
constexpr int kMostPoints = 256;  // of a pass
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

template <class V>
__device__ inline void swap_parts(Point<V>& z) {
  V re = z.re;
  z.re = z.im;
  z.im = re;
}

}  // namespace warpcell

#if defined(WARPCELL_SERIAL) && defined(WARPCELL_SQUARES)
#include <warpcell/fft/vector_pass.cuh>
#else
#include <warpcell/fft/block_pass.cuh>
#endif
