// What blocks of the kernels take that compute attention of every dtype, width and option (ops/attention.cu), and of
// those with a function of the user's in them.
#pragma once
#include "lane_passes.cuh"
#include "tile_passes.cuh"

namespace warpcell::attention {

// On a GPU a kernel is made for C/4 · 64 columns of keys and of values at most; a core takes all.
#ifdef WARPCELL_SERIAL
template <class T, int C>
constexpr int kQueries = kLanes<Sum<T>>;
template <class T>
constexpr int kMaskQueries = kTileLines;
template <class T>
constexpr int kMaskKeys = kLanes<Sum<T>>;
template <class T>
constexpr int kColumns = kColumnGroup<Sum<T>>;
constexpr int kBlockThreads = 1;
constexpr int kSummed = 64;  // rows of a block of sums
#else
template <class T, int C>
constexpr int kRows = sizeof(Sum<T>) == 4 && C <= 8 ? 8 : 4;
template <class T, int C>
constexpr int kQueries = kRows<T, C> * kSide;
template <class T>
constexpr int kMaskQueries = kLines;
template <class T>
constexpr int kMaskKeys = kLines;
template <class T>
constexpr int kColumns = 1;
constexpr int kBlockThreads = kThreads;
constexpr int kSummed = 1;
#endif

// Blocks that a processor of a GPU is to hold at a time.
template <class T, int C>
constexpr int kHeld = sizeof(Sum<T>) == 4 && C <= 8 ? 2 : 1;

}  // namespace warpcell::attention
