// <cub/block/block_histogram.cuh> for a cell: counts how often each of the first numbers is among the elements of a block's threads.
#pragma once
#include "../../warpcell_cpu/collectives.h"

namespace cub {

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

template <class T, int X, int N, int Bins, BlockHistogramAlgorithm = BLOCK_HISTO_SORT, int Y = 1, int Z = 1, int = 0>
class BlockHistogram {
 public:
  struct TempStorage { char none; };
  WARPCELL_CPU_MEMBER explicit BlockHistogram(TempStorage&, unsigned line = __builtin_LINE()) : block_{line} {}
  WARPCELL_CPU_MEMBER BlockHistogram(unsigned line = __builtin_LINE()) : block_{line} {}

  template <class Counter>
  WARPCELL_CPU_MEMBER void InitHistogram(Counter (&histogram)[Bins]) {
    for (int bin = block_.rank(); bin < Bins; bin += X * Y * Z) histogram[bin] = 0;
  }
  // Adds to what is there.
  template <class Counter>
  WARPCELL_CPU_MEMBER void Composite(T (&items)[N], Counter (&histogram)[Bins]) {
    for (int i = 0; i < N; i++) histogram[items[i]] += 1;   // no other thread of the block runs meanwhile
    block_.meet();
  }
  template <class Counter>
  WARPCELL_CPU_MEMBER void Histogram(T (&items)[N], Counter (&histogram)[Bins]) {
    InitHistogram(histogram);
    block_.meet();
    Composite(items, histogram);
  }

 private:
  warpcell_cpu::WholeBlock<X * Y * Z> block_;
};

}  // namespace cub
