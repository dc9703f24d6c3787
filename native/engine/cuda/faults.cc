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

// What cuda.h says of each: after a fatal one "the process must be terminated and relaunched" (measured: nothing short of it helps).
constexpr Fault kFaults[] = {
  {1, "INVALID_VALUE", "Expected arguments that the driver accepts but it refused one", false},
  {2, "OUT_OF_MEMORY", "Expected enough free device memory but there is none left", false},
  {200, "INVALID_IMAGE", "Expected machine code for this GPU but got something else", false},
  {209, "WRONG_ARCHITECTURE", "Expected machine code for this GPU but it was compiled for another architecture (see --arch)", false},
  {214, "HARDWARE", "Expected sound memory but the GPU found an uncorrectable error in it", true},
  {218, "INVALID_PTX", "Expected valid PTX but the driver refused it", false},
  {220, "HARDWARE", "Expected a sound link between the GPUs but found an uncorrectable error", true},
  {222, "WRONG_ARCHITECTURE", "Expected PTX that this driver knows but got a newer version", false},
  {226, "HARDWARE", "Expected sound hardware but the GPU stopped the process after an error that it contained", true},
  {500, "NOT_FOUND", "Expected the symbol in the module but it is not there", false},
  {700, "ILLEGAL_ADDRESS", "Expected every thread to stay inside its arrays but a thread used an address outside them", true},
  {701, "INVALID_LAUNCH", "Expected a launch within the device's registers and shared memory but it needs more (or its arguments have the wrong size)", false},
  {702, "LAUNCH_TIMEOUT", "Expected the kernel to finish but it ran longer than this system allows", true},
  {710, "ASSERT", "Expected every device-side assert to hold but an assert failed", true},
  {714, "STACK_OVERFLOW", "Expected the call stack to suffice but it overflowed or was corrupted", true},
  {715, "ILLEGAL_INSTRUCTION", "Expected valid instructions but a thread ran an illegal one (or called __trap())", true},
  {716, "MISALIGNED_ADDRESS", "Expected addresses aligned to the type read or written but a thread used one that is not", true},
  {717, "INVALID_ADDRESS_SPACE", "Expected an address of the memory that the instruction works on but got one of another", true},
  {718, "INVALID_PC", "Expected a valid program counter but a thread jumped elsewhere", true},
  {719, "TRAP", "Expected the kernel to finish but it stopped with an exception (__trap(), or an address in another space)", true},
  {720, "INVALID_LAUNCH", "Expected a cooperative launch of no more blocks than fit on the device at once but got more", false},
  {721, "TRAP", "Expected the kernel to free its tensor memory but it did not", true},
  {801, "UNSUPPORTED", "Expected an operation that this device can do but it cannot", false},
  {911, "HARDWARE", "Expected the device to answer but an external device failed", true},
  {999, "DRIVER", "Expected the driver to succeed but it failed for a reason that it does not know", true},
};

const char* text_of(Result (*lookup)(Result, const char**), Result result) {
  const char* text = nullptr;
  if (lookup == nullptr || lookup(result, &text) != kSuccess || text == nullptr) return "unknown error";
  return text;
}

}  // namespace

DeviceError failure(const DriverApi& api, Result result, const std::string& doing) {
  auto known = std::find_if(std::begin(kFaults), std::end(kFaults), [&](const Fault& fault) { return fault.result == result; });
  bool found = known != std::end(kFaults);

  std::string name = text_of(api.cuGetErrorName, result);
  std::string details = name + ": " + text_of(api.cuGetErrorString, result);
  std::string log = take_driver_log();
  if (!log.empty()) details += "\n" + log;

  std::string sentence = found ? known->sentence : "Expected the driver to succeed but it failed";
  if (!doing.empty()) sentence += " while " + doing;
  sentence += " (" + name + ").";
  if (!log.empty()) sentence += " The driver says: " + log.substr(log.rfind('\n') + 1) + ".";   // npos + 1 is 0
  return DeviceError(found ? known->code : "DRIVER", sentence, details, found && known->fatal);
}

DeviceError no_device(const DriverApi& api, Result result) {
  std::string name = text_of(api.cuGetErrorName, result);
  std::string reason = result == kSuccess ? "it shows none" : "it answers " + name;
  return DeviceError("NO_DEVICE", "Expected the NVIDIA driver (for CUDA " + version_text(api.version) + ") to show a GPU but " + reason +
      ". Check that nvidia-smi lists one and that CUDA_VISIBLE_DEVICES does not hide it, or use the cpu device.", text_of(api.cuGetErrorString, result));
}

}  // namespace warpcell::cuda
