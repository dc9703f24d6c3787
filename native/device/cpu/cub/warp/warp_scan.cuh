// <cub/warp/warp_scan.cuh> for a cell: every thread of a warp, or of a part of one, gets what the threads up to it, or before it, bring together.
#pragma once
#include "../../warpcell_cpu/running.h"

namespace cub {

template <class T, int Threads = 32, int = 0>
class WarpScan {
  using Running = warpcell_cpu::Running<T, warpcell_cpu::PartOfWarp<Threads>>;

 public:
  using TempStorage = typename Running::Storage;
  WARPCELL_CPU_MEMBER explicit WarpScan(TempStorage& storage, unsigned line = __builtin_LINE()) : running_(storage, {line}), warp_{line} {}
  WARPCELL_CPU_SCANS(int N = 1, T in, T& out)

  template <class Operation>
  WARPCELL_CPU_MEMBER void Scan(T in, T& inclusive, T& exclusive, Operation operation) {
    ExclusiveScan(in, exclusive, operation);
    inclusive = warp_.rank() == 0 ? in : operation(exclusive, in);
  }
  template <class Operation>
  WARPCELL_CPU_MEMBER void Scan(T in, T& inclusive, T& exclusive, T initial, Operation operation) {
    ExclusiveScan(in, exclusive, initial, operation);
    inclusive = operation(exclusive, in);
  }
  WARPCELL_CPU_MEMBER T Broadcast(T in, unsigned from) {
    return __shfl_sync(warp_.mask(), in, int(from), Threads);
  }

 private:
  Running running_;
  warpcell_cpu::PartOfWarp<Threads> warp_;
};

}  // namespace cub
