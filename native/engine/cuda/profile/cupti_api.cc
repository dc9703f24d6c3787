// Opens the first libcupti that works with this machine's driver, and says what its failures mean.
#include "cupti_api.h"

#include "../../host/errors.h"
#include "../compile/toolkit.h"
#include "../library_table.h"

namespace warpcell::cuda {
namespace {

// From CUDA 13 on it is the version; before, it counts 12.0 as 18 and up by releases.
struct Version {
  uint32_t major;
  std::string text;
};
Version version_of(uint32_t number) {
  constexpr uint32_t kCounted = 1000;
  if (number < kCounted) return {12, "12 (API " + std::to_string(number) + ")"};
  return {number / 10000, std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100)};
}

bool try_open(const std::string& file, const DriverApi& driver, CuptiApi* api, std::string* reason) {
  DynamicLibrary library(file);
  if (!library) {
    *reason = library.error();
    return false;
  }
  bool complete = true;
#define X(name, parameters) complete = library.resolve(#name, api->name) && complete;
  // clang-format off
  WARPCELL_CUPTI_FUNCTIONS(X)
// clang-format on
#undef X
  if (!complete) {
    *reason = file + " lacks functions";
    return false;
  }
  uint32_t number = 0;
  api->cuptiGetVersion(&number);
  Version version = version_of(number);
  if (version.major > uint32_t(driver.version / 1000)) {
    *reason = file + " is of CUDA " + std::to_string(version.major) + ", newer than the driver";
    return false;
  }
  api->version = version.text;
  api->path = library.file_of("cuptiSubscribe");
  return true;
}

}  // namespace

const CuptiApi& cupti(const DriverApi& driver) {
  static const CuptiApi api = [&] {
    return open_first<CuptiApi>(kCuptiRow, toolkit_files(kCuptiRow.file),
                                [&](const std::string& file, CuptiApi* found, std::string* reason) {
                                  return try_open(file, driver, found, reason);
                                });
  }();
  return api;
}

DynamicLibrary cupti_with_profilers(const CuptiApi& cupti) {
  std::string folder = cupti.path.substr(0, cupti.path.rfind('/') + 1);
  for (const char* name : {"libnvperf_host.so", "libnvperf_target.so"}) DynamicLibrary beside(folder + name);
  return DynamicLibrary(cupti.path);
}

void CuptiApi::check(CuptiResult result, const char* doing) const {
  switch (result) {
    case kCuptiSuccess:
      return;
    case kCuptiOtherSubscriber:
      throw DeviceError("PROFILER_BUSY",
                        "Another profiler or debugger has this device process already (Nsight Systems, Nsight Compute, "
                        "cuda-gdb, compute-sanitizer), and CUPTI serves one at a time. Start Warpcell without it, or "
                        "look at the profile there.");
    case kCuptiHardwareBusy:
      throw DeviceError("PROFILER_BUSY",
                        "Another program counts or samples on this GPU, which serves one at a time. Ask for counters "
                        "or samples when that is done.");
    case kCuptiNotPermitted:
    case kCuptiVirtualisedNotPermitted:
      throw DeviceError(
          "NOT_PERMITTED",
          "The driver lets only administrators profile. Write \"options nvidia NVreg_RestrictProfilingToAdminUsers=0\" "
          "into a file of /etc/modprobe.d and restart the machine, or run with CAP_SYS_ADMIN.");
    case kCuptiVirtualised:
      throw DeviceError("UNSUPPORTED",
                        "This virtual GPU cannot be profiled. Ask whoever runs the machine to allow profiling of it.");
  }
  const char* text = nullptr;
  bool named = cuptiGetResultString(result, &text) == kCuptiSuccess && text != nullptr;
  throw DeviceError("LIBRARY", std::string("CUPTI ") + version + " failed at " + doing + " (" +
                                   (named ? text : "error " + std::to_string(result)) +
                                   "). A CUPTI of the driver's own CUDA version works best: pip install "
                                   "nvidia-cuda-cupti==13.0.* for CUDA 13.0.");
}

}  // namespace warpcell::cuda
