// What this machine is: turns /proc and the compiler into a device's properties and gauges.
#pragma once
#include <cstdint>
#include <string>

#include "../../protocol/commands.h"

namespace warpcell::cpu {

constexpr uint32_t kSharedPerBlock = 48 << 10;
constexpr uint32_t kSharedPerBlockOptin = 227 << 10;
constexpr uint32_t kMaxBlock[3] = {1024, 1024, 64};
constexpr uint32_t kLibraryThreads = 128;  // of a block of the library's kernels, where they run in threads
constexpr uint32_t kMaxGrid[3] = {2147483647, 65535, 65535};

// Cores that this process may use; WARPCELL_CPU_CORES says another number. Throws DeviceError("INVALID_OPTION").
uint32_t usable_cores();
// Whether the library's own kernels run as on a GPU, many threads to a block, not as loops:
// WARPCELL_CPU_LIBRARY=threads, which finds mistakes in what a GPU would run. Throws DeviceError("INVALID_OPTION").
bool has_library_threads();
std::string processor_name();
// The answer of properties() (device.h).
std::string machine_properties(uint32_t cores);

// Fills everything but `version`, `utilization` and what a CPU does not tell (temperature, power: −1).
void sample_machine(Gauges& gauges);

// Nanoseconds that the cores have spent on this process: its own threads and those of libraries.
int64_t processor_time();

}  // namespace warpcell::cpu
