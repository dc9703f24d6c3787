// Looks the functions up.
#include "range_api.h"

#include "../../host/errors.h"

namespace warpcell::cuda {

const RangeApi& range_api(const CuptiApi& cupti) {
  static const RangeApi api = [&] {
    DynamicLibrary library = cupti_with_profilers(cupti);
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
