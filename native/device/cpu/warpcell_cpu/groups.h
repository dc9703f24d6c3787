// Groups of threads that wait for each other: a block, a cluster of blocks, the whole grid of a cooperative launch, and any group by its base.
// (Programming Guide, "Cooperative Groups".)
#pragma once
#include "barriers.h"
#include "cluster_calls.h"
#include "warps.h"

#define WARPCELL_CPU_MEMBER inline __attribute__((always_inline))

namespace warpcell_cpu {

// Every thread of every block. The block waits for the grid as one, so one of its threads does, between two barriers.
WARPCELL_CPU_FN void grid_barrier(u32 line) {
  barrier(line, 0);
  warpcell_cpu_grid(line);
  barrier(line, 0);
}

// The same of the blocks of a cluster.
WARPCELL_CPU_FN void cluster_barrier(u32 line) {
  barrier(line, 0);
  warpcell_cpu_cluster_barrier();
  barrier(line, 0);
}

WARPCELL_CPU_FN u32 volume(const uint3& size) { return size.x * size.y * size.z; }
WARPCELL_CPU_FN u64 linear_block() { return blockIdx.x + u64(gridDim.x) * (blockIdx.y + u64(gridDim.y) * blockIdx.z); }
WARPCELL_CPU_FN u32 own_lane() { return linear_thread() % kLanes; }
WARPCELL_CPU_FN u32 lanes_below(u32 lane) { return (1u << lane) - 1; }

// Blocks along x, y and z; a block that is alone is a cluster.
WARPCELL_CPU_FN dim3 cluster_size() {
  const Cluster* const cluster = warpcell_cpu_cluster();
  return cluster == nullptr ? dim3(1, 1, 1) : dim3(cluster->size[0], cluster->size[1], cluster->size[2]);
}
WARPCELL_CPU_FN u32 cluster_rank() {
  const dim3 size = cluster_size();
  return blockIdx.x % size.x + size.x * (blockIdx.y % size.y + size.y * (blockIdx.z % size.z));
}
// Whose shared memory an address is in; the blocks' number where it is in none.
WARPCELL_CPU_FN u32 owner_of(const Cluster* cluster, const unsigned char* address) {
  u32 rank = 0;
  while (rank < cluster->blocks && u64(address - cluster->variables[rank]) >= cluster->variable_bytes &&
         u64(address - cluster->dynamic[rank]) >= cluster->dynamic_bytes) rank++;
  return rank;
}
// The place of another block that is like an address of the own shared memory.
WARPCELL_CPU_FN unsigned char* in_block(unsigned char* address, u32 rank) {
  const Cluster* const cluster = warpcell_cpu_cluster();
  if (cluster == nullptr || rank >= cluster->blocks) return address;
  const u32 own = owner_of(cluster, address);
  if (own == cluster->blocks) return address;
  const bool is_dynamic = u64(address - cluster->dynamic[own]) < cluster->dynamic_bytes;
  return is_dynamic ? address - cluster->dynamic[own] + cluster->dynamic[rank] : address - cluster->variables[own] + cluster->variables[rank];
}

}  // namespace warpcell_cpu

namespace cooperative_groups {

class grid_group;

// Any group; it knows which kind it is of. What has lanes is at most a warp.
class thread_group {
 public:
  WARPCELL_CPU_MEMBER void sync(unsigned line = __builtin_LINE()) const {
    if (kind_ == Kind::lanes) __syncwarp(mask_, line);
    else if (kind_ == Kind::grid) warpcell_cpu::grid_barrier(line);
    else if (kind_ == Kind::cluster) warpcell_cpu::cluster_barrier(line);
    else warpcell_cpu::barrier(line, 0);
  }
  WARPCELL_CPU_MEMBER unsigned long long num_threads() const {
    if (kind_ == Kind::lanes) return unsigned(__builtin_popcount(mask_));
    const unsigned threads = warpcell_cpu::volume(blockDim);
    if (kind_ == Kind::cluster) return warpcell_cpu::volume(warpcell_cpu::cluster_size()) * threads;
    return kind_ == Kind::grid ? (unsigned long long)gridDim.x * gridDim.y * gridDim.z * threads : threads;
  }
  WARPCELL_CPU_MEMBER unsigned long long size() const { return num_threads(); }
  WARPCELL_CPU_MEMBER unsigned long long thread_rank() const {
    if (kind_ == Kind::lanes) return unsigned(__builtin_popcount(mask_ & warpcell_cpu::lanes_below(warpcell_cpu::own_lane())));
    const unsigned rank = warpcell_cpu::linear_thread();
    if (kind_ == Kind::cluster) return warpcell_cpu::cluster_rank() * warpcell_cpu::volume(blockDim) + rank;
    return kind_ == Kind::grid ? warpcell_cpu::linear_block() * warpcell_cpu::volume(blockDim) + rank : rank;
  }

 protected:
  enum class Kind : unsigned char { block, lanes, grid, cluster };
  WARPCELL_CPU_MEMBER explicit thread_group(Kind kind, unsigned mask = 0, unsigned meta_rank = 0, unsigned meta_size = 1)
      : kind_(kind), mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}
  Kind kind_;
  unsigned mask_, meta_rank_, meta_size_;   // of lanes
  friend thread_group tiled_partition(const thread_group&, unsigned);
};

// Whoever waits has arrived; so those who only arrive hold nobody up.
struct arrival_token {};

class thread_block : public thread_group {
 public:
  using arrival_token = cooperative_groups::arrival_token;
  WARPCELL_CPU_MEMBER thread_block() : thread_group(Kind::block) {}
  static WARPCELL_CPU_MEMBER void sync(unsigned line = __builtin_LINE()) { warpcell_cpu::barrier(line, 0); }
  static WARPCELL_CPU_MEMBER arrival_token barrier_arrive() { return {}; }
  static WARPCELL_CPU_MEMBER void barrier_wait(arrival_token&&, unsigned line = __builtin_LINE()) { warpcell_cpu::barrier(line, 0); }
  static WARPCELL_CPU_MEMBER unsigned thread_rank() { return warpcell_cpu::linear_thread(); }
  static WARPCELL_CPU_MEMBER unsigned num_threads() { return warpcell_cpu::volume(blockDim); }
  static WARPCELL_CPU_MEMBER unsigned size() { return num_threads(); }
  static WARPCELL_CPU_MEMBER dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static WARPCELL_CPU_MEMBER dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static WARPCELL_CPU_MEMBER dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static WARPCELL_CPU_MEMBER dim3 group_dim() { return dim_threads(); }
};
WARPCELL_CPU_FN thread_block this_thread_block() { return {}; }

class grid_group : public thread_group {
 public:
  using arrival_token = cooperative_groups::arrival_token;
  WARPCELL_CPU_MEMBER grid_group() : thread_group(Kind::grid) {}
  static WARPCELL_CPU_MEMBER void sync(unsigned line = __builtin_LINE()) { warpcell_cpu::grid_barrier(line); }
  static WARPCELL_CPU_MEMBER arrival_token barrier_arrive() { return {}; }
  static WARPCELL_CPU_MEMBER void barrier_wait(arrival_token&&, unsigned line = __builtin_LINE()) { warpcell_cpu::grid_barrier(line); }
  static WARPCELL_CPU_MEMBER bool is_valid() { return warpcell_cpu_is_cooperative() != 0; }
  static WARPCELL_CPU_MEMBER unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  static WARPCELL_CPU_MEMBER unsigned long long num_threads() { return num_blocks() * warpcell_cpu::volume(blockDim); }
  static WARPCELL_CPU_MEMBER unsigned long long size() { return num_threads(); }
  static WARPCELL_CPU_MEMBER unsigned long long block_rank() { return warpcell_cpu::linear_block(); }
  static WARPCELL_CPU_MEMBER unsigned long long thread_rank() { return block_rank() * warpcell_cpu::volume(blockDim) + warpcell_cpu::linear_thread(); }
  static WARPCELL_CPU_MEMBER dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static WARPCELL_CPU_MEMBER dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static WARPCELL_CPU_MEMBER dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  static WARPCELL_CPU_MEMBER dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static WARPCELL_CPU_MEMBER dim3 group_dim() { return dim_blocks(); }
};
WARPCELL_CPU_FN grid_group this_grid() { return {}; }

// A launch without clusters has clusters of one block each.
class cluster_group : public thread_group {
 public:
  using arrival_token = cooperative_groups::arrival_token;
  WARPCELL_CPU_MEMBER cluster_group() : thread_group(Kind::cluster) {}
  static WARPCELL_CPU_MEMBER void sync(unsigned line = __builtin_LINE()) { warpcell_cpu::cluster_barrier(line); }
  static WARPCELL_CPU_MEMBER arrival_token barrier_arrive() { return {}; }
  static WARPCELL_CPU_MEMBER void barrier_wait(arrival_token&&, unsigned line = __builtin_LINE()) { warpcell_cpu::cluster_barrier(line); }
  static WARPCELL_CPU_MEMBER void barrier_wait(unsigned line = __builtin_LINE()) { warpcell_cpu::cluster_barrier(line); }
  static WARPCELL_CPU_MEMBER unsigned query_shared_rank(const void* address) {
    const warpcell_cpu::Cluster* const cluster = warpcell_cpu_cluster();
    return cluster == nullptr ? 0 : warpcell_cpu::owner_of(cluster, (const unsigned char*)address);
  }
  template <class T>
  static WARPCELL_CPU_MEMBER T* map_shared_rank(T* address, int rank) { return (T*)warpcell_cpu::in_block((unsigned char*)address, unsigned(rank)); }
  static WARPCELL_CPU_MEMBER unsigned block_rank() { return warpcell_cpu::cluster_rank(); }
  static WARPCELL_CPU_MEMBER unsigned num_blocks() { return warpcell_cpu::volume(warpcell_cpu::cluster_size()); }
  static WARPCELL_CPU_MEMBER unsigned thread_rank() { return block_rank() * warpcell_cpu::volume(blockDim) + warpcell_cpu::linear_thread(); }
  static WARPCELL_CPU_MEMBER unsigned num_threads() { return num_blocks() * warpcell_cpu::volume(blockDim); }
  static WARPCELL_CPU_MEMBER unsigned size() { return num_threads(); }
  static WARPCELL_CPU_MEMBER dim3 block_index() {
    const dim3 size = warpcell_cpu::cluster_size();
    return dim3(blockIdx.x % size.x, blockIdx.y % size.y, blockIdx.z % size.z);
  }
  static WARPCELL_CPU_MEMBER dim3 thread_index() {
    const dim3 block = block_index();
    return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y, block.z * blockDim.z + threadIdx.z);
  }
  static WARPCELL_CPU_MEMBER dim3 dim_blocks() { return warpcell_cpu::cluster_size(); }
  static WARPCELL_CPU_MEMBER dim3 dim_threads() {
    const dim3 size = warpcell_cpu::cluster_size();
    return dim3(size.x * blockDim.x, size.y * blockDim.y, size.z * blockDim.z);
  }
};
WARPCELL_CPU_FN cluster_group this_cluster() { return {}; }

template <class Group>
WARPCELL_CPU_FN void sync(const Group& group, unsigned line = __builtin_LINE()) { group.sync(line); }
template <class Group>
WARPCELL_CPU_FN unsigned long long thread_rank(const Group& group) { return group.thread_rank(); }
template <class Group>
WARPCELL_CPU_FN unsigned long long group_size(const Group& group) { return group.size(); }

// One thread of the group calls the function: the first.
template <class Group, class Function, class... Arguments>
WARPCELL_CPU_FN void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) static_cast<Function&&>(function)(static_cast<Arguments&&>(arguments)...);
}
template <class Group, class Function, class... Arguments>
WARPCELL_CPU_FN auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments)
    -> decltype(function(static_cast<Arguments&&>(arguments)...)) {
  decltype(function(static_cast<Arguments&&>(arguments)...)) result{};
  if (group.thread_rank() == 0) result = static_cast<Function&&>(function)(static_cast<Arguments&&>(arguments)...);
  return group.shfl(result, 0);
}

}  // namespace cooperative_groups
