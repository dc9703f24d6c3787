// What a kernel finds of its cluster of blocks, and how it waits for the others. `engine/cpu` includes this file too, so it needs no other header.
#pragma once

namespace warpcell_cpu {

constexpr unsigned kMaxCluster = 8;   // blocks; what every GPU with clusters has

struct Cluster {
  unsigned size[3];   // blocks along x, y and z
  unsigned blocks;
  unsigned long long variable_bytes, dynamic_bytes;
  // Where a block has its static and its dynamic shared memory, by its rank.
  unsigned char* variables[kMaxCluster];
  unsigned char* dynamic[kMaxCluster];
};

}  // namespace warpcell_cpu

extern "C" {
// Of the running block; null: it is alone.
const warpcell_cpu::Cluster* warpcell_cpu_cluster() noexcept;
// Waits until a thread of every block of the cluster that has not ended has come; called by every thread of the block, between two barriers.
void warpcell_cpu_cluster_barrier() noexcept;
}
