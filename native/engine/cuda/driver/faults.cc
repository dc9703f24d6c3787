// The table of CUDA's errors: a stable code, a sentence, and whether the process is lost.
#include "faults.h"

#include <algorithm>
#include <iterator>

namespace warpcell::cuda {
namespace {

struct Fault {
  Result result;
  const char* code;
  const char* sentence;
  bool fatal;
};

// What cuda.h says of each: after a fatal one "the process must be terminated and relaunched" (measured: nothing short
// of it helps).
constexpr Fault kFaults[] = {
    {1, "INVALID_VALUE", "The driver refused an argument", false},
    {2, "OUT_OF_MEMORY", "The device has no free memory left", false},
    {200, "INVALID_IMAGE", "The GPU cannot run this machine code", false},
    {209, "WRONG_ARCHITECTURE", "The machine code was compiled for another architecture (see --arch)", false},
    {214, "HARDWARE", "The GPU found an uncorrectable error in its memory", true},
    {218, "INVALID_PTX", "The driver refused the PTX as invalid", false},
    {220, "HARDWARE", "The link between the GPUs had an uncorrectable error", true},
    {222, "WRONG_ARCHITECTURE", "The PTX is of a newer version than this driver knows", false},
    {226, "HARDWARE", "The GPU stopped the process after a hardware error that it contained", true},
    {500, "NOT_FOUND", "The module does not have the symbol", false},
    {700, "ILLEGAL_ADDRESS", "A thread used an address outside the arrays", true},
    {701, "INVALID_LAUNCH",
     "The launch needs more registers or shared memory than the device has, or its arguments have the wrong size",
     false},
    {702, "LAUNCH_TIMEOUT", "The kernel ran longer than this system allows", true},
    {710, "ASSERT", "A device-side assert failed", true},
    {714, "STACK_OVERFLOW", "The call stack overflowed or was corrupted", true},
    {715, "ILLEGAL_INSTRUCTION", "A thread ran an illegal instruction (or called __trap())", true},
    {716, "MISALIGNED_ADDRESS", "A thread used an address that is not aligned for the type that it read or wrote",
     true},
    {717, "INVALID_ADDRESS_SPACE", "An instruction used an address in a memory space that it does not work on", true},
    {718, "INVALID_PC", "A thread jumped to an invalid address", true},
    {719, "TRAP", "The kernel stopped with an exception (__trap(), or an address in another space)", true},
    {720, "INVALID_LAUNCH", "The cooperative launch has more blocks than fit on the device at once", false},
    {721, "TRAP", "The kernel did not free its tensor memory", true},
    {801, "UNSUPPORTED", "The device does not support this", false},
    {911, "HARDWARE", "An external device failed", true},
    {912, "INVALID_LAUNCH", "The GPU has no room for a cluster of so many blocks", false},
    {999, "DRIVER", "The driver failed for an unknown reason", true},
};

const char* text_of(Result (*lookup)(Result, const char**), Result result) {
  const char* text = nullptr;
  if (lookup == nullptr || lookup(result, &text) != kSuccess || text == nullptr) return "unknown error";
  return text;
}

}  // namespace

DeviceError failure(const DriverApi& api, Result result, const std::string& doing) {
  auto known =
      std::find_if(std::begin(kFaults), std::end(kFaults), [&](const Fault& fault) { return fault.result == result; });
  bool found = known != std::end(kFaults);

  std::string name = text_of(api.cuGetErrorName, result);
  std::string details = name + ": " + text_of(api.cuGetErrorString, result);
  std::string log = take_driver_log();
  if (!log.empty()) details += "\n" + log;

  std::string sentence = found ? known->sentence : "The driver failed";
  if (!doing.empty()) sentence += " while " + doing;
  sentence += " (" + name + ").";
  if (!log.empty()) sentence += " The driver says: " + log.substr(log.rfind('\n') + 1) + ".";  // npos + 1 is 0
  return DeviceError(found ? known->code : "DRIVER", sentence, details, found && known->fatal);
}

DeviceError no_device(const DriverApi& api, Result result) {
  std::string name = text_of(api.cuGetErrorName, result);
  std::string reason = result == kSuccess ? "" : ": it answers " + name;
  return DeviceError(
      "NO_DEVICE",
      "The NVIDIA driver (for CUDA " + version_text(api.version) + ") shows no GPU" + reason +
          ". Check that nvidia-smi lists one and that CUDA_VISIBLE_DEVICES does not hide it, or use the cpu device.",
      text_of(api.cuGetErrorString, result));
}

}  // namespace warpcell::cuda
