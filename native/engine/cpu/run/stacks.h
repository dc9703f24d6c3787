// The stacks of a worker's fibers: turns a number into the top of a stack with a guard page below.
#pragma once
#include <cstddef>
#include <cstdint>

namespace warpcell::cpu {

class Stacks {
 public:
  static constexpr uint32_t kCount =
      1025;  // one per thread of the largest block, and the one that starts the next thread

  explicit Stacks(uint32_t most = kCount) : most_(most) {}
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  ~Stacks();

  static constexpr size_t kBytes = 64 << 10;  // of a stack, unless a kernel needs more

  // Makes sure that stacks 0 … count − 1 exist, and have that many bytes at least. While nothing runs on one. Throws
  // DeviceError("OUT_OF_MEMORY").
  void ensure(uint32_t count, size_t bytes);
  // The highest address of stack `number`, 16-byte aligned.
  char* top(uint32_t number) const;
  // Whether `address` lies in the guard page of a stack.
  bool is_guard(const void* address) const;
  size_t bytes() const { return stride_ - kPage; }
  // All of them.
  const void* memory() const { return memory_; }
  size_t memory_bytes() const { return memory_ == nullptr ? 0 : stride_ * most_; }
  // Of those that exist.
  size_t used_bytes() const { return stride_ * guarded_; }

 private:
  static constexpr size_t kPage = 4096;

  void release();

  uint32_t most_;  // stacks that there can be
  char* memory_ = nullptr;
  size_t stride_ = kBytes + kPage;  // a stack with the page below it, an odd number of pages
  uint32_t guarded_ = 0;
};

}  // namespace warpcell::cpu
