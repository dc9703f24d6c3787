// Looks the functions up.
#include "sampling_api.h"

#include "../../host/errors.h"

namespace warpcell::cuda {

const SamplingApi& sampling_api(const CuptiApi& cupti) {
  static const SamplingApi api = [&] {
    DynamicLibrary library = cupti_with_profilers(cupti);
    SamplingApi found;
    bool complete = bool(library);
#define X(name, parameters) complete = complete && library.resolve(#name, found.name);
    WARPCELL_SAMPLING_FUNCTIONS(X)
#undef X
    if (complete) return found;
    throw DeviceError("NO_LIBRARY", "CUPTI " + cupti.version + " (" + cupti.path + ") cannot sample. Get one that can with: pip install nvidia-cuda-cupti (nvidia-cuda-cupti-cu12 for drivers before 580).");
  }();
  return api;
}

}  // namespace warpcell::cuda
