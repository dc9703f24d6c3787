// MemAvailable of /proc/meminfo, and the limits of control groups (versions 2 and 1). It must not know segments.
#include "system_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace warpcell {

namespace {

constexpr uint64_t kUnknown = std::numeric_limits<uint64_t>::max();

uint64_t first_number(const char* path) {
  std::ifstream file(path);
  uint64_t value;
  return file >> value ? value : kUnknown;
}

uint64_t left_in_group(const char* limit_path, const char* used_path) {
  uint64_t limit = first_number(limit_path);
  uint64_t used = first_number(used_path);
  if (limit == kUnknown || used == kUnknown) return kUnknown;
  return limit > used ? limit - used : 0;
}

uint64_t left_in_system() {
  std::ifstream file("/proc/meminfo");
  for (std::string name; file >> name;) {
    uint64_t kibibytes;
    if (name == "MemAvailable:" && file >> kibibytes) return kibibytes * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return kUnknown;
}

}  // namespace

uint64_t available_memory() {
  return std::min({
      left_in_system(),
      left_in_group("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
      left_in_group("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
  });
}

}  // namespace warpcell
