// Opens libcuda.so.1 and fills the table of its functions.
#include "driver_api.h"

#include <mutex>

#include "../../host/dynamic_library.h"
#include "../../host/errors.h"
#include "faults.h"

namespace warpcell::cuda {
namespace {

constexpr size_t kLogLimit = 4096;

std::mutex log_mutex;
std::string log_text;

// The driver calls this inside a failing call, with its own locks held: it may only append.
void remember_log(void*, int, char* message, size_t length) {
  constexpr const char* kNoNews = "Returning ";  // the result and the function, which the caller knows
  if (std::string(message, length).rfind(kNoNews, 0) == 0) return;
  std::lock_guard<std::mutex> lock(log_mutex);
  if (log_text.size() + length > kLogLimit) return;
  if (!log_text.empty()) log_text += '\n';
  log_text.append(message, length);
  while (!log_text.empty() && (log_text.back() == '\0' || log_text.back() == '\n')) log_text.pop_back();
}

DeviceError too_old(int version) {
  return DeviceError("DRIVER_TOO_OLD", "The NVIDIA driver is too old: it is for CUDA " + version_text(version) +
                                           ", and CUDA " + version_text(kOldestDriver) +
                                           " or newer is needed. Install driver 550 or newer, or use the cpu device.");
}

DriverApi open_driver() {
  DynamicLibrary library("libcuda.so.1");
  if (!library) {
    throw DeviceError("NO_DRIVER",
                      "This machine has no NVIDIA driver (libcuda.so.1) that can be opened. "
                      "Install the NVIDIA driver 550 or newer, or use the cpu device.",
                      library.error());
  }

  DriverApi api;
#define X(name, symbol, parameters) library.resolve(#symbol, api.name);
  // clang-format off
  WARPCELL_DRIVER_FUNCTIONS(X)
  WARPCELL_OPTIONAL_DRIVER_FUNCTIONS(X)
// clang-format on
#undef X

  if (api.cuDriverGetVersion == nullptr || api.cuDriverGetVersion(&api.version) != kSuccess) {
    throw DeviceError(
        "NO_DRIVER",
        "The NVIDIA driver is broken: libcuda.so.1 does not answer cuDriverGetVersion. Reinstall the NVIDIA driver.");
  }
  if (api.version < kOldestDriver) throw too_old(api.version);

  const char* missing = nullptr;
#define X(name, symbol, parameters) \
  if (api.name == nullptr && missing == nullptr) missing = #symbol;
  // clang-format off
  WARPCELL_DRIVER_FUNCTIONS(X)
// clang-format on
#undef X
  if (missing != nullptr) {
    throw DeviceError("DRIVER_TOO_OLD", std::string("The NVIDIA driver is incomplete: libcuda.so.1 lacks ") + missing +
                                            ". Reinstall the NVIDIA driver.");
  }

  Result result = api.cuInit(0);
  if (result != kSuccess) throw no_device(api, result);
  int count = 0;
  api.check(api.cuDeviceGetCount(&count), "counting the devices");
  if (count == 0) throw no_device(api, result);

  // Without the log an error is shorter, not wrong.
  void* handle = nullptr;
  if (api.cuLogsRegisterCallback != nullptr) api.cuLogsRegisterCallback(remember_log, nullptr, &handle);
  return api;
}

}  // namespace

const DriverApi& driver() {
  static const DriverApi api = open_driver();
  return api;
}

void DriverApi::check(Result result, const char* doing) const {
  if (result != kSuccess) throw failure(*this, result, doing);
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string take_driver_log() {
  std::lock_guard<std::mutex> lock(log_mutex);
  std::string text;
  text.swap(log_text);
  return text;
}

}  // namespace warpcell::cuda
