// The barrier of a cooperative launch: its blocks, each on a thread of its own, wait for each other.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace warpcell::cpu {

class GridBarrier {
 public:
  explicit GridBarrier(uint64_t blocks) : blocks_(blocks) {}

  // A block is here; returns when all are. False when some have ended and can never come.
  bool wait();
  // A block has ended.
  void leave();
  uint64_t ended();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  const uint64_t blocks_;
  uint64_t waiting_ = 0;
  uint64_t ended_ = 0;
  uint64_t generation_ = 0;
};

}  // namespace warpcell::cpu
