// Groups of threads that wait for each other: a block, a tile of a warp, the whole grid of a cooperative launch.
#pragma once
#include "barriers.h"
#include "warps.h"

#define WARPCELL_CPU_MEMBER inline __attribute__((always_inline))

namespace warpcell_cpu {

// Every thread of every block. The block waits for the grid as one, so one of its threads does, between two barriers.
WARPCELL_CPU_FN void grid_barrier(u32 line) {
  barrier(line, 0);
  warpcell_cpu_grid(line);
  barrier(line, 0);
}

WARPCELL_CPU_FN u32 volume(const uint3& size) { return size.x * size.y * size.z; }
WARPCELL_CPU_FN u64 linear_block() { return blockIdx.x + u64(gridDim.x) * (blockIdx.y + u64(gridDim.y) * blockIdx.z); }

}  // namespace warpcell_cpu

namespace cooperative_groups {

class thread_block {
 public:
  static WARPCELL_CPU_MEMBER void sync(unsigned line = __builtin_LINE()) { warpcell_cpu::barrier(line, 0); }
  static WARPCELL_CPU_MEMBER unsigned thread_rank() { return warpcell_cpu::linear_thread(); }
  static WARPCELL_CPU_MEMBER unsigned num_threads() { return warpcell_cpu::volume(blockDim); }
  static WARPCELL_CPU_MEMBER unsigned size() { return num_threads(); }
  static WARPCELL_CPU_MEMBER dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static WARPCELL_CPU_MEMBER dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static WARPCELL_CPU_MEMBER dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static WARPCELL_CPU_MEMBER dim3 group_dim() { return dim_threads(); }
};
WARPCELL_CPU_FN thread_block this_thread_block() { return {}; }

class grid_group {
 public:
  static WARPCELL_CPU_MEMBER void sync(unsigned line = __builtin_LINE()) { warpcell_cpu::grid_barrier(line); }
  static WARPCELL_CPU_MEMBER bool is_valid() { return warpcell_cpu_is_cooperative() != 0; }
  static WARPCELL_CPU_MEMBER unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  static WARPCELL_CPU_MEMBER unsigned long long num_threads() { return num_blocks() * warpcell_cpu::volume(blockDim); }
  static WARPCELL_CPU_MEMBER unsigned long long size() { return num_threads(); }
  static WARPCELL_CPU_MEMBER unsigned long long block_rank() { return warpcell_cpu::linear_block(); }
  static WARPCELL_CPU_MEMBER unsigned long long thread_rank() { return block_rank() * warpcell_cpu::volume(blockDim) + warpcell_cpu::linear_thread(); }
  static WARPCELL_CPU_MEMBER dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static WARPCELL_CPU_MEMBER dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  static WARPCELL_CPU_MEMBER dim3 group_dim() { return dim_blocks(); }
};
WARPCELL_CPU_FN grid_group this_grid() { return {}; }

// N threads of a warp that follow one another.
template <unsigned N, class Parent = thread_block>
class thread_block_tile {
  static_assert(N == 1 || N == 2 || N == 4 || N == 8 || N == 16 || N == 32, "A tile has 1, 2, 4, 8, 16 or 32 threads.");
  static WARPCELL_CPU_MEMBER unsigned first() { return warpcell_cpu::linear_thread() % 32 / N * N; }
  static WARPCELL_CPU_MEMBER unsigned mask() { return (N == 32 ? 0xffffffffu : (1u << N % 32) - 1) << first(); }
  static WARPCELL_CPU_MEMBER unsigned own(unsigned lanes) { return (lanes & mask()) >> first(); }

 public:
  static WARPCELL_CPU_MEMBER void sync(unsigned line = __builtin_LINE()) { __syncwarp(mask(), line); }
  static WARPCELL_CPU_MEMBER unsigned thread_rank() { return warpcell_cpu::linear_thread() % N; }
  static constexpr unsigned num_threads() { return N; }
  static constexpr unsigned size() { return N; }
  static WARPCELL_CPU_MEMBER unsigned meta_group_rank() { return warpcell_cpu::linear_thread() / N; }
  static WARPCELL_CPU_MEMBER unsigned meta_group_size() { return (warpcell_cpu::volume(blockDim) + N - 1) / N; }

  template <class T>
  WARPCELL_CPU_MEMBER T shfl(T value, int rank, unsigned line = __builtin_LINE()) const { return __shfl_sync(mask(), value, rank, N, line); }
  template <class T>
  WARPCELL_CPU_MEMBER T shfl_up(T value, unsigned distance, unsigned line = __builtin_LINE()) const { return __shfl_up_sync(mask(), value, distance, N, line); }
  template <class T>
  WARPCELL_CPU_MEMBER T shfl_down(T value, unsigned distance, unsigned line = __builtin_LINE()) const { return __shfl_down_sync(mask(), value, distance, N, line); }
  template <class T>
  WARPCELL_CPU_MEMBER T shfl_xor(T value, int bits, unsigned line = __builtin_LINE()) const { return __shfl_xor_sync(mask(), value, bits, N, line); }
  WARPCELL_CPU_MEMBER int any(int predicate, unsigned line = __builtin_LINE()) const { return __any_sync(mask(), predicate, line); }
  WARPCELL_CPU_MEMBER int all(int predicate, unsigned line = __builtin_LINE()) const { return __all_sync(mask(), predicate, line); }
  WARPCELL_CPU_MEMBER unsigned ballot(int predicate, unsigned line = __builtin_LINE()) const { return own(__ballot_sync(mask(), predicate, line)); }
  template <class T>
  WARPCELL_CPU_MEMBER unsigned match_any(T value, unsigned line = __builtin_LINE()) const { return own(__match_any_sync(mask(), value, line)); }
  template <class T>
  WARPCELL_CPU_MEMBER unsigned match_all(T value, int& same, unsigned line = __builtin_LINE()) const { return own(__match_all_sync(mask(), value, &same, line)); }
};

template <unsigned N, class Parent>
WARPCELL_CPU_FN thread_block_tile<N, Parent> tiled_partition(const Parent&) { return {}; }

template <class Group>
WARPCELL_CPU_FN void sync(const Group& group, unsigned line = __builtin_LINE()) { group.sync(line); }
template <class Group>
WARPCELL_CPU_FN unsigned long long thread_rank(const Group& group) { return group.thread_rank(); }
template <class Group>
WARPCELL_CPU_FN unsigned long long group_size(const Group& group) { return group.size(); }

}  // namespace cooperative_groups
