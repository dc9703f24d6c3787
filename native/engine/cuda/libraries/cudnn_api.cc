// Opens the first libcudnn that works.
#include "cudnn_api.h"

#include "../../device.h"
#include "../../host/dynamic_library.h"
#include "../compile/toolkit.h"
#include "../library_table.h"

namespace warpcell::cuda {
namespace {

std::string version_of(size_t number) {
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." + std::to_string(number % 100);
}

// False with a reason where this one is of no use.
bool try_open(const std::string& file, CudnnApi* api, std::string* reason) {
  DynamicLibrary library(file);
  if (!library) {
    *reason = library.error();
    return false;
  }
  bool complete = true;
#define X(result, name, parameters) complete = library.resolve(#name, api->name) && complete;
  // clang-format off
  WARPCELL_CUDNN_FUNCTIONS(X)
// clang-format on
#undef X
  if (!complete) {
    *reason = file + " lacks functions";
    return false;
  }
  api->version = version_of(api->cudnnGetVersion());
  DnnStatus status = api->cudnnCreate(&api->handle);
  if (status != kDnnSuccess) {
    *reason = file + " does not start: " + api->cudnnGetErrorString(status);
    return false;
  }
  api->path = library.file_of("cudnnCreate");
  return true;
}

CudnnApi open() {
  std::vector<std::string> files = find_libraries(kCudnnRow.file);
  files.insert(files.end(), {std::string(kCudnnRow.file) + ".9", kCudnnRow.file});
  return open_first<CudnnApi>(kCudnnRow, files, try_open);
}

}  // namespace

const CudnnApi& cudnn() {
  static const CudnnApi api = open();
  return api;
}

void CudnnApi::check(DnnStatus status, const char* doing) const {
  if (status != kDnnSuccess)
    throw DeviceError("LIBRARY", std::string("cuDNN failed at ") + doing + " (" + cudnnGetErrorString(status) + ").");
}

}  // namespace warpcell::cuda
