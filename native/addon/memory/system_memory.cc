// MemAvailable of /proc/meminfo, and the limits of control groups (versions 2 and 1).
#include "system_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace warpcell {

namespace {

constexpr uint64_t kUnknown = std::numeric_limits<uint64_t>::max();

// One part in so many is left to others. The system's own killer comes before the last byte is gone.
constexpr uint64_t kPartsOfOthers = 16;

uint64_t left_to_us(uint64_t total, uint64_t left) {
  uint64_t others = total / kPartsOfOthers;
  return left > others ? left - others : 0;
}

uint64_t first_number(const char* path) {
  std::ifstream file(path);
  uint64_t value;
  return file >> value ? value : kUnknown;
}

// The number behind a name in a file of "name number" lines.
uint64_t number_of(const char* path, const std::string& wanted) {
  std::ifstream file(path);
  std::string name;
  for (uint64_t value; file >> name >> value;) {
    if (name == wanted) return value;
  }
  return kUnknown;
}

struct Group {
  const char* limit;
  const char* used;
  const char* parts;        // of what is used
  const char* reclaimable;  // the part that is file cache which nobody reads: it goes before anybody is killed
};

constexpr Group kGroups[] = {
    {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat", "inactive_file"},
    {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes",
     "/sys/fs/cgroup/memory/memory.stat", "total_inactive_file"},
};

uint64_t left_in_group(const Group& group) {
  uint64_t limit = first_number(group.limit);
  uint64_t used = first_number(group.used);
  if (limit == kUnknown || used == kUnknown) return kUnknown;
  uint64_t reclaimable = number_of(group.parts, group.reclaimable);
  if (reclaimable != kUnknown) used -= std::min(used, reclaimable);
  return left_to_us(limit, limit > used ? limit - used : 0);
}

uint64_t left_in_system() {
  std::ifstream file("/proc/meminfo");
  uint64_t total = 0;
  for (std::string name; file >> name;) {
    uint64_t kibibytes;
    if (name == "MemTotal:" && file >> kibibytes) total = kibibytes * 1024;
    if (name == "MemAvailable:" && file >> kibibytes) return left_to_us(total, kibibytes * 1024);
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return kUnknown;
}

}  // namespace

uint64_t available_memory() {
  uint64_t least = left_in_system();
  for (const Group& group : kGroups) least = std::min(least, left_in_group(group));
  return least;
}

}  // namespace warpcell
