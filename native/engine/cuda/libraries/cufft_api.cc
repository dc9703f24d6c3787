// Opens the first libcufft that works.
#include "cufft_api.h"

#include "../../device.h"
#include "../../host/dynamic_library.h"
#include "../compile/toolkit.h"
#include "../library_table.h"

namespace warpcell::cuda {
namespace {

std::string version_of(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number / 100 % 10) + "." + std::to_string(number % 100);
}

// False with a reason where this one is of no use.
bool try_open(const std::string& file, CufftApi* api, std::string* reason) {
  DynamicLibrary library(file);
  if (!library) {
    *reason = library.error();
    return false;
  }
  bool complete = true;
#define X(result, name, parameters) complete = library.resolve(#name, api->name) && complete;
  // clang-format off
  WARPCELL_CUFFT_FUNCTIONS(X)
// clang-format on
#undef X
  if (!complete) {
    *reason = file + " lacks functions";
    return false;
  }
  int version = 0;
  FftStatus status = api->cufftGetVersion(&version);
  if (status != 0) {
    *reason = file + " does not start: status " + std::to_string(status);
    return false;
  }
  api->version = version_of(version);
  api->path = library.file_of("cufftCreate");
  return true;
}

CufftApi open() {
  std::vector<std::string> files = find_libraries(kCufftRow.file);
  files.insert(files.end(), {std::string(kCufftRow.file) + ".12", std::string(kCufftRow.file) + ".11", kCufftRow.file});
  return open_first<CufftApi>(kCufftRow, files, try_open);
}

}  // namespace

const CufftApi& cufft() {
  static const CufftApi api = open();
  return api;
}

void CufftApi::check(FftStatus status, const char* doing) const {
  if (status != 0)
    throw DeviceError("LIBRARY", std::string("cuFFT failed at ") + doing + " (status " + std::to_string(status) + ").");
}

}  // namespace warpcell::cuda
