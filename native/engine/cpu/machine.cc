// Reads /proc: the processor's name and features, memory, this process's share of it.
#include "machine.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include <sched.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../../device/cpu/warpcell_cpu/block.h"
#include "../host/errors.h"
#include "../host/json.h"
#include "compile/compiler.h"

namespace warpcell::cpu {
namespace {

// The value of the first line "key : value" or "key: value", or nothing.
std::string value_in(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size(), key) != 0) continue;
    size_t colon = line.find(':');
    if (colon == std::string::npos || line.find_first_not_of(" \t", key.size()) != colon) continue;
    size_t start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? "" : line.substr(start);
  }
  return "";
}

// Bytes of a line of /proc/meminfo, or −1.
int64_t memory_in(const char* key) {
  std::string value = value_in("/proc/meminfo", key);
  return value.empty() ? -1 : std::strtoll(value.c_str(), nullptr, 10) * 1024;
}

// What a compiled cell depends on: the instruction set with its extensions (FNV-1a of their list).
std::string architecture() {
  utsname system{};
  uname(&system);
  std::string flags = value_in("/proc/cpuinfo", "flags");
  if (flags.empty()) flags = value_in("/proc/cpuinfo", "Features");
  uint64_t hash = 1469598103934665603u;
  for (char c : flags + value_in("/proc/cpuinfo", "model name"))
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  char text[32];
  std::snprintf(text, sizeof text, "-%08x", unsigned(hash ^ hash >> 32));
  return system.machine + std::string(text);
}

std::string list(const uint32_t (&v)[3]) {
  return json_list({std::to_string(v[0]), std::to_string(v[1]), std::to_string(v[2])});
}

// The levels of x86-64's psABI that this processor has and kernels are compiled ahead for, best first.
const char* levels() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return "[\"x86-64-v4\",\"x86-64-v3\"]";
  if (__builtin_cpu_supports("x86-64-v3")) return "[\"x86-64-v3\"]";
#endif
  return "[]";
}

}  // namespace

uint32_t usable_cores() {
  if (const char* wanted = std::getenv("WARPCELL_CPU_CORES")) {
    char* end = nullptr;
    long cores = std::strtol(wanted, &end, 10);
    if (*wanted == 0 || *end != 0 || cores < 1 || cores > 4096) {
      throw DeviceError("INVALID_OPTION",
                        "WARPCELL_CPU_CORES must be a number from 1 to 4096, but is \"" + std::string(wanted) + "\".");
    }
    return uint32_t(cores);
  }
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return uint32_t(CPU_COUNT(&set));
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online < 1 ? 1 : uint32_t(online);
}

bool has_library_threads() {
  const char* wanted = std::getenv("WARPCELL_CPU_LIBRARY");
  if (wanted == nullptr || std::string(wanted) == "loops") return false;
  if (std::string(wanted) == "threads") return true;
  throw DeviceError("INVALID_OPTION",
                    "WARPCELL_CPU_LIBRARY must be \"loops\" or \"threads\", but is \"" + std::string(wanted) + "\".");
}

std::string processor_name() {
  std::string name = value_in("/proc/cpuinfo", "model name");
  return name.empty() ? "CPU" : name;
}

std::string machine_properties(uint32_t cores) {
  const Compiler* compiler = system_compiler_if_any();
  const bool threads = has_library_threads();
  return JsonObject()
      .text("name", processor_name())
      .text("kind", "cpu")
      .number("index", 0)
      .text("arch", architecture() + (threads ? "-threads" : ""))
      .number("warpSize", 32)
      .number("multiprocessors", cores)
      .number("maxThreadsPerBlock", warpcell_cpu::kMaxThreads)
      .raw("maxBlock", list(kMaxBlock))
      .raw("maxGrid", list(kMaxGrid))
      .number("sharedPerBlock", kSharedPerBlock)
      .number("sharedPerBlockOptin", kSharedPerBlockOptin)
      .number("registersPerBlock", 65536)
      .number("memoryTotal", memory_in("MemTotal"))
      .raw("compiler", compiler == nullptr ? "null"
                                           : JsonObject()
                                                 .text("name", compiler->name)
                                                 .text("version", compiler->version)
                                                 .text("path", compiler->path)
                                                 .done())
      .number("libraryBlock", threads ? kLibraryThreads : 1)
      .raw("architectures", threads ? "[]" : levels())
      .raw("driver", "null")
      .boolean("shareable", true)
      .done();
}

void sample_machine(Gauges& gauges) {
  int64_t total = memory_in("MemTotal"), available = memory_in("MemAvailable");
  gauges.memory_total = total;
  gauges.memory_used = total < 0 || available < 0 ? -1 : total - available;
  std::ifstream file("/proc/self/statm");
  int64_t size = 0, resident = -1;
  file >> size >> resident;
  gauges.process_memory = resident < 0 ? -1 : resident * sysconf(_SC_PAGESIZE);
  gauges.temperature = -1;
  gauges.power = -1;
  timeval time;
  gettimeofday(&time, nullptr);
  gauges.sampled = double(time.tv_sec) * 1e3 + double(time.tv_usec) / 1e3;
}

int64_t processor_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace warpcell::cpu
