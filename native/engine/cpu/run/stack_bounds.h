// Where the running core's stack is, for AddressSanitizer: it knows the one that the system gave the thread, and would
// take what lies on a fiber's for memory of nobody.
#pragma once
#include "stacks.h"

#ifdef __SANITIZE_ADDRESS__
#define WARPCELL_IS_ADDRESS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WARPCELL_IS_ADDRESS_SANITIZED 1
#endif
#endif

#ifdef WARPCELL_IS_ADDRESS_SANITIZED
#include <sanitizer/common_interface_defs.h>
#endif

namespace warpcell::cpu {

// While it lives, the calling thread runs on `stacks`: all of them, since kernels go from one to another without a
// word.
class StackBounds {
 public:
#ifdef WARPCELL_IS_ADDRESS_SANITIZED
  explicit StackBounds(const Stacks& stacks) {
    __sanitizer_start_switch_fiber(&frames_, stacks.memory(), stacks.used_bytes());
    __sanitizer_finish_switch_fiber(nullptr, &bottom_, &bytes_);
  }
  ~StackBounds() {
    void* none;
    __sanitizer_start_switch_fiber(&none, bottom_, bytes_);
    __sanitizer_finish_switch_fiber(frames_, nullptr, nullptr);
  }

 private:
  void* frames_ = nullptr;
  const void* bottom_ = nullptr;
  size_t bytes_ = 0;
#else
  explicit StackBounds(const Stacks&) {}
  ~StackBounds() {}
#endif

 public:
  StackBounds(const StackBounds&) = delete;
  StackBounds& operator=(const StackBounds&) = delete;
};

}  // namespace warpcell::cpu
