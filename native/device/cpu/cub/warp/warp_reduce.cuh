// <cub/warp/warp_reduce.cuh> for a cell: the first thread of a warp, of a part of one, or of a segment gets what the threads bring together.
#pragma once
#include "../../warpcell_cpu/collectives.h"

namespace cub {

template <class T, int Threads = 32, int = 0>
class WarpReduce {
 public:
  struct TempStorage {
    warpcell_cpu::Room<T, Threads> item;
    unsigned char flag[Threads];
  };
  WARPCELL_CPU_MEMBER explicit WarpReduce(TempStorage& storage, unsigned line = __builtin_LINE()) : room_(storage), warp_{line} {}

  template <class Operation>
  WARPCELL_CPU_MEMBER T Reduce(T value, Operation operation, int valid) {
    lay_down(value, 0);
    if (warp_.rank() != 0) return value;
    return warpcell_cpu::folded<T>(room_.item, 0, valid < Threads ? valid : Threads, operation);
  }
  template <class Operation>
  WARPCELL_CPU_MEMBER T Reduce(T value, Operation operation) { return Reduce(value, operation, Threads); }
  WARPCELL_CPU_MEMBER T Sum(T value) { return Reduce(value, cub::Sum()); }
  WARPCELL_CPU_MEMBER T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
  WARPCELL_CPU_MEMBER T Max(T value) { return Reduce(value, cub::Max()); }
  WARPCELL_CPU_MEMBER T Min(T value) { return Reduce(value, cub::Min()); }

  // Segments begin where `flag` is set, or end there.
  template <class Operation, class Flag>
  WARPCELL_CPU_MEMBER T HeadSegmentedReduce(T value, Flag flag, Operation operation) {
    lay_down(value, flag ? 1 : 0);
    T all = value;
    for (int i = warp_.rank() + 1; i < Threads && !room_.flag[i]; i++) all = operation(all, room_.item[i]);
    return all;
  }
  template <class Operation, class Flag>
  WARPCELL_CPU_MEMBER T TailSegmentedReduce(T value, Flag flag, Operation operation) {
    lay_down(value, flag ? 1 : 0);
    T all = value;
    for (int i = warp_.rank(); i + 1 < Threads && !room_.flag[i]; i++) all = operation(all, room_.item[i + 1]);
    return all;
  }
  template <class Flag>
  WARPCELL_CPU_MEMBER T HeadSegmentedSum(T value, Flag flag) { return HeadSegmentedReduce(value, flag, cub::Sum()); }
  template <class Flag>
  WARPCELL_CPU_MEMBER T TailSegmentedSum(T value, Flag flag) { return TailSegmentedReduce(value, flag, cub::Sum()); }

 private:
  WARPCELL_CPU_MEMBER void lay_down(const T& value, unsigned char flag) {
    room_.item[warp_.rank()] = value;
    room_.flag[warp_.rank()] = flag;
    warp_.meet();
  }
  TempStorage& room_;
  warpcell_cpu::PartOfWarp<Threads> warp_;
};

}  // namespace cub
