// The next record of what went wrong: one writer at a time, whichever thread it is, also in a handler of signals.
#pragma once
#include <atomic>

#include "../../protocol/commands.h"

namespace warpcell {

class ErrorSlot {
 public:
  // Waits until no other thread writes one. The record is the session's to read when this ends.
  explicit ErrorSlot(Control& control) : control_(control) {
    while (is_taken_.test_and_set(std::memory_order_acquire)) {}
    number_ = control_.error_count.load(std::memory_order_relaxed);
    record() = {};
  }
  ~ErrorSlot() {
    control_.error_count.store(number_ + 1, std::memory_order_release);
    is_taken_.clear(std::memory_order_release);
  }
  ErrorSlot(const ErrorSlot&) = delete;
  ErrorSlot& operator=(const ErrorSlot&) = delete;

  ErrorRecord& record() { return control_.errors[number_ % kErrorSlots]; }

 private:
  static inline std::atomic_flag is_taken_ = ATOMIC_FLAG_INIT;
  Control& control_;
  uint32_t number_;
};

}  // namespace warpcell
