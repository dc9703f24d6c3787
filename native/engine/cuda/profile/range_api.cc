// Opens the library once more, and first what it needs beside it.
#include "range_api.h"

#include "../../host/dynamic_library.h"
#include "../../host/errors.h"

namespace warpcell::cuda {

const RangeApi& range_api(const CuptiApi& cupti) {
  static const RangeApi api = [&] {
    // CUPTI asks the loader for them by name, which does not look into wheels. Where they are missing here, it may find others.
    std::string folder = cupti.path.substr(0, cupti.path.rfind('/') + 1);
    for (const char* name : {"libnvperf_host.so", "libnvperf_target.so"}) DynamicLibrary beside(folder + name);

    DynamicLibrary library(cupti.path);
    RangeApi found;
    bool complete = bool(library);
#define X(name, parameters) complete = complete && library.resolve(#name, found.name);
    WARPCELL_RANGE_FUNCTIONS(X)
#undef X
    if (complete) return found;
    throw DeviceError("NO_LIBRARY", "CUPTI " + cupti.version + " (" + cupti.path + ") cannot count kernel by kernel, which takes CUDA 12.6 or newer. Get one with: pip install nvidia-cuda-cupti (nvidia-cuda-cupti-cu12 for drivers before 580).");
  }();
  return api;
}

}  // namespace warpcell::cuda
