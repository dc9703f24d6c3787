// Lays stacks out so that they share neither cache sets nor pages: an odd number of pages each, the tops coloured line
// by line.
#include "stacks.h"

#include <cerrno>
#include <cstring>
#include <string>

#include <sys/mman.h>

#include "../../device.h"

namespace warpcell::cpu {
namespace {

constexpr uint32_t kColours = 40;
constexpr size_t kLine = 64;

}  // namespace

Stacks::~Stacks() { release(); }

void Stacks::release() {
  if (memory_ != nullptr) munmap(memory_, stride_ * most_);
  memory_ = nullptr;
  guarded_ = 0;
}

void Stacks::ensure(uint32_t count, size_t bytes) {
  if (bytes > this->bytes()) {
    release();
    size_t pages = (bytes + kPage - 1) / kPage;
    stride_ = (pages % 2 == 0 ? pages + 1 : pages + 2) * kPage;
  }
  if (count <= guarded_) return;
  if (memory_ == nullptr) {
    void* memory = mmap(nullptr, stride_ * most_, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) {
      throw DeviceError("OUT_OF_MEMORY", "There are not " + std::to_string(stride_ * most_ >> 20) +
                                             " MiB of address space left for a core's stacks: " + std::strerror(errno) +
                                             ". Raise the limit of virtual memory (ulimit -v).");
    }
    memory_ = static_cast<char*>(memory);
  }
  for (; guarded_ < count; guarded_++) {
    if (mprotect(memory_ + stride_ * guarded_, kPage, PROT_NONE) != 0) {
      throw DeviceError("OUT_OF_MEMORY",
                        std::string("The stacks of a block's threads cannot be guarded: mprotect failed: ") +
                            std::strerror(errno) +
                            ". Use smaller blocks, or raise the limit: sysctl vm.max_map_count=262144.");
    }
  }
}

char* Stacks::top(uint32_t number) const {
  return memory_ + stride_ * (number + 1) - kLine - (number % kColours) * kLine;
}

bool Stacks::is_guard(const void* address) const {
  auto* at = static_cast<const char*>(address);
  if (memory_ == nullptr || at < memory_ || at >= memory_ + stride_ * most_) return false;
  return size_t(at - memory_) % stride_ < kPage;
}

}  // namespace warpcell::cpu
