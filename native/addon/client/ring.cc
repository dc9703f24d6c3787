// A single producer's ring of records that never wrap.
#include "ring.h"

#include <cstring>

#include "../../protocol/futex.h"

namespace warpcell {

bool Ring::is_sound() const { return can_be_taken(control_.tail.load(std::memory_order_acquire)); }

unsigned char* Ring::reserve(uint32_t bytes) {
  uint64_t at = head_ % kRingBytes;
  uint64_t padding = at + bytes > kRingBytes ? kRingBytes - at : 0;

  if (head_ + padding + bytes - tail_ > kRingBytes) {
    uint64_t taken = control_.tail.load(std::memory_order_acquire);
    if (can_be_taken(taken)) tail_ = taken;
    if (head_ + padding + bytes - tail_ > kRingBytes) return nullptr;
  }

  if (padding != 0) {
    // Only size and op: there may be no room for more before the end.
    auto size = uint32_t(padding);
    Op op = Op::skip;
    std::memcpy(bytes_ + at, &size, sizeof size);
    std::memcpy(bytes_ + at + sizeof size, &op, sizeof op);
    head_ += padding;
    at = 0;
  }
  return bytes_ + at;
}

void Ring::publish(uint32_t bytes) {
  head_ += bytes;
  control_.head.store(head_, std::memory_order_release);
  // Pairs with the device process, which says that it sleeps and then looks at head once more.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (control_.engine_sleeping.load(std::memory_order_relaxed) != 0) wake_engine(control_);
}

void wake_engine(Control& control) {
  control.engine_sleeping.store(0, std::memory_order_seq_cst);
  futex_wake(control.engine_sleeping);
}

}  // namespace warpcell
