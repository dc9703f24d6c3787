// Opens the first libcublasLt that works with this machine's driver.
#include "cublas_api.h"

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
bool try_open(const std::string& file, const DriverApi& driver, CublasApi* api, std::string* reason) {
  DynamicLibrary library(file);
  if (!library) {
    *reason = library.error();
    return false;
  }
  bool complete = true;
#define X(result, name, parameters) complete = library.resolve(#name, api->name) && complete;
  // clang-format off
  WARPCELL_CUBLAS_FUNCTIONS(X)
// clang-format on
#undef X
  if (!complete) {
    *reason = file + " lacks functions";
    return false;
  }

  size_t number = api->cublasLtGetVersion();
  api->version = version_of(number);
  if (int(number / 10000) > driver.version / 1000) {
    *reason = file + " is of CUDA " + std::to_string(number / 10000) + ", newer than the driver";
    return false;
  }
  BlasStatus status = api->cublasLtCreate(&api->handle);
  if (status != kBlasSuccess) {
    *reason = file + " does not start: " + api->cublasLtGetStatusName(status);
    return false;
  }
  api->path = library.file_of("cublasLtMatmul");
  return true;
}

CublasApi open(const DriverApi& driver) {
  return open_first<CublasApi>(kCublasRow, toolkit_files(kCublasRow.file),
                               [&](const std::string& file, CublasApi* api, std::string* reason) {
                                 return try_open(file, driver, api, reason);
                               });
}

}  // namespace

const CublasApi& cublas(const DriverApi& driver) {
  static const CublasApi api = open(driver);
  return api;
}

void CublasApi::check(BlasStatus status, const char* doing) const {
  if (status != kBlasSuccess)
    throw DeviceError("LIBRARY",
                      std::string("cuBLASLt failed at ") + doing + " (" + cublasLtGetStatusName(status) + ").");
}

}  // namespace warpcell::cuda
