// The memory of shadows.
#include "shadow.h"

#include <cerrno>
#include <cstring>
#include <string>

#include <sys/mman.h>

#include "../../host/errors.h"

namespace warpcell::cpu {

Shadows::~Shadows() {
  if (memory_ != nullptr) munmap(memory_, kReserved);
}

Shadow* Shadows::take(uint64_t count) {
  if (memory_ == nullptr) {
    void* memory = mmap(nullptr, kReserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      throw DeviceError("OUT_OF_MEMORY",
                        std::string("There is no address space left for what a checked launch remembers: ") +
                            std::strerror(errno) + ". Raise the limit of virtual memory (ulimit -v).");
    memory_ = static_cast<uint8_t*>(memory);
  }
  uint64_t bytes = (count * sizeof(Shadow) + 4095) / 4096 * 4096;
  if (count > kReserved / sizeof(Shadow) || used_ + bytes > kReserved)
    throw DeviceError("OUT_OF_MEMORY",
                      "The tensors of this launch are too large to check. Check it with smaller ones: the mistakes are "
                      "the same.");
  auto* pieces = reinterpret_cast<Shadow*>(memory_ + used_);
  used_ += bytes;
  return pieces;
}

void Shadows::reset(bool forget) {
  if (memory_ != nullptr && (forget || used_ > kKept)) madvise(memory_, used_, MADV_DONTNEED);
  used_ = 0;
}

}  // namespace warpcell::cpu
