// <cub/block/block_scan.cuh> for a cell: every thread of a block gets what the threads up to it, or before it, bring together.
#pragma once
#include "../../warpcell_cpu/running.h"

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0>
class BlockScan {
  using Running = warpcell_cpu::Running<T, warpcell_cpu::WholeBlock<X * Y * Z>>;

 public:
  using TempStorage = typename Running::Storage;
  WARPCELL_CPU_MEMBER explicit BlockScan(TempStorage& storage, unsigned line = __builtin_LINE()) : running_(storage, {line}) {}
  WARPCELL_CPU_MEMBER BlockScan(unsigned line = __builtin_LINE()) : running_(warpcell_cpu::private_storage<T, TempStorage>(), {line}) {}
  WARPCELL_CPU_SCANS(int N = 1, T in, T& out)
  WARPCELL_CPU_SCANS(int N, T (&in)[N], T (&out)[N])
  WARPCELL_CPU_ASKING_SCANS(int N = 1, T in, T& out)
  WARPCELL_CPU_ASKING_SCANS(int N, T (&in)[N], T (&out)[N])

 private:
  Running running_;
};

}  // namespace cub
