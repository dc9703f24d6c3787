// Duplicates of shared mappings between guard pages.
#include "aliases.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include <sys/mman.h>

#include "../../host/errors.h"

namespace warpcell::cpu {
namespace {

constexpr uintptr_t kPage = 4096;
constexpr uint64_t kGuard = 1 << 20;

[[noreturn]] void throw_memory() {
  throw DeviceError("OUT_OF_MEMORY",
                    std::string("The tensors of a checked launch cannot be mapped once more: ") + std::strerror(errno) +
                        ". Raise the limit of virtual memory (ulimit -v), or check with smaller tensors.");
}

}  // namespace

Aliases::Aliases(std::vector<CheckedArgument>& arguments, uint8_t* bytes, size_t count) {
  std::vector<CheckedArgument*> sorted;
  for (CheckedArgument& argument : arguments)
    if (argument.bytes > 0) sorted.push_back(&argument);
  std::sort(sorted.begin(), sorted.end(), [](auto* one, auto* two) { return one->home < two->home; });
  for (size_t i = 0; i < sorted.size();) {
    uint8_t *base = sorted[i]->home, *end = base;
    size_t first = i;
    for (; i < sorted.size() && (i == first || sorted[i]->home < end); i++)
      end = std::max(end, sorted[i]->home + sorted[i]->bytes);
    MemoryRange range = map(base, end);
    auto* page = reinterpret_cast<uint8_t*>(reinterpret_cast<uintptr_t>(base) & ~(kPage - 1));
    for (size_t each = first; each < i; each++) sorted[each]->base = range.base + (sorted[each]->home - page);
  }
  for (size_t at = 0; at + sizeof(uint8_t*) <= count; at += sizeof(uint8_t*)) {
    uint8_t* pointer;
    std::memcpy(&pointer, bytes + at, sizeof pointer);
    for (const CheckedArgument& argument : arguments) {
      if (argument.bytes == 0 || pointer != argument.home) continue;
      std::memcpy(bytes + at, &argument.base, sizeof pointer);
      break;
    }
  }
}

Aliases::~Aliases() {
  for (const MemoryRange& range : reserved_) munmap(range.base, range.bytes);
}

MemoryRange Aliases::map(uint8_t* base, uint8_t* end) {
  auto* first = reinterpret_cast<uint8_t*>(reinterpret_cast<uintptr_t>(base) & ~(kPage - 1));
  uint64_t bytes = (uint64_t(end - first) + kPage - 1) / kPage * kPage;
  void* reserved = mmap(nullptr, bytes + 2 * kGuard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) throw_memory();
  reserved_.push_back({static_cast<uint8_t*>(reserved), bytes + 2 * kGuard});
  auto* place = static_cast<uint8_t*>(reserved) + kGuard;
  // An old size of 0 leaves a shared mapping where it is.
  if (mremap(first, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place) == MAP_FAILED) throw_memory();
  ranges_.push_back({place, bytes});
  return ranges_.back();
}

}  // namespace warpcell::cpu
