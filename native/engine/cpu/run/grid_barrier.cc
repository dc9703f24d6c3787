// Counts blocks by generation, so that the fast ones may be at the next barrier before the slow ones have left this
// one.
#include "grid_barrier.h"

namespace warpcell::cpu {

bool GridBarrier::wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  uint64_t mine = generation_;
  if (++waiting_ == blocks_) {
    waiting_ = 0;
    generation_++;
    changed_.notify_all();
    return true;
  }
  changed_.wait(lock, [&] { return generation_ != mine || ended_ != 0; });
  return generation_ != mine;
}

void GridBarrier::leave() {
  std::lock_guard<std::mutex> lock(mutex_);
  ended_++;
  changed_.notify_all();
}

uint64_t GridBarrier::ended() {
  std::lock_guard<std::mutex> lock(mutex_);
  return ended_;
}

}  // namespace warpcell::cpu
