// A cluster: blocks that run at once, each on a thread of its own, wait for each other, and find each other's shared
// memory.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "../../../device/cpu/warpcell_cpu/cluster_calls.h"

namespace warpcell::cpu {

class Cluster {
 public:
  explicit Cluster(const uint32_t (&size)[3]);

  // Block `rank` is here, with its shared memory; returns when all are, and those of the cluster before have left.
  void enter(uint32_t rank, uint8_t* variables, uint64_t variable_bytes, uint8_t* dynamic, uint64_t dynamic_bytes);
  // Returns when all blocks that have not left are here.
  void wait();
  // The block has ended.
  void leave();

  const warpcell_cpu::Cluster& facts() const { return facts_; }

 private:
  void release();

  std::mutex mutex_;
  std::condition_variable changed_;
  warpcell_cpu::Cluster facts_{};
  uint32_t entered_ = 0;
  uint32_t alive_ = 0;
  uint32_t waiting_ = 0;
  uint64_t generation_ = 0;  // of the barrier
  uint64_t begun_ = 0;       // clusters
};

// Where the calling thread has the variables of a cell that `code` belongs to, and how many bytes of them.
struct ThreadVariables {
  uint8_t* address;
  uint64_t bytes;
};
ThreadVariables thread_variables(const void* code);

}  // namespace warpcell::cpu
