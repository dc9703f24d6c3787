// Opens the first libcusolver that works with this machine's driver, and the libcublas beside it.
#include "cusolver_api.h"

#include "../../device.h"
#include "../../host/dynamic_library.h"
#include "../compile/toolkit.h"
#include "../library_table.h"

namespace warpcell::cuda {
namespace {

// What cuSOLVER is linked with, in the order in which they need each other. Its file may not say where they lie; those
// that are open are found.
constexpr const char* kNeeded[] = {"libnvJitLink.so", "libcublasLt.so", "libcublas.so", "libcusparse.so"};

template <class T>
bool resolve(const DynamicLibrary& solver, const DynamicLibrary& blas, const std::string& letter,
             SolverCalls<T>& calls) {
  bool complete = true;
#define X(name, before, after, complex_after, parameters) \
  complete =                                              \
      solver.resolve((before + letter + (is_complex<T> ? complex_after : after)).c_str(), calls.name) && complete;
  // clang-format off
  WARPCELL_CUSOLVER_TYPED_FUNCTIONS(X)
#undef X
#define X(name, before, after, complex_after, parameters) \
  complete = blas.resolve((before + letter + (is_complex<T> ? complex_after : after)).c_str(), calls.name) && complete;
  WARPCELL_CUBLAS_TYPED_FUNCTIONS(X)
// clang-format on
#undef X
  return complete;
}

int property(const SolverApi& api, int which) {
  int value = 0;
  api.cusolverGetProperty(which, &value);
  return value;
}

// The first of a name that opens, those beside a file before others; the loader's word where none does.
DynamicLibrary first_of(const std::string& name, const std::string& beside) {
  std::vector<std::string> files = toolkit_files(name);
  size_t slash = beside.rfind('/');
  if (slash != std::string::npos) {
    std::string folder = beside.substr(0, slash + 1);
    for (const char* version : {".13", ".12", ""}) files.insert(files.begin(), folder + name + version);
  }
  for (const std::string& file : files) {
    DynamicLibrary library(file);
    if (library) return library;
  }
  return DynamicLibrary(name);
}

// False with a reason where this one is of no use.
bool try_open(const std::string& file, SolverApi* api, std::string* reason) {
  for (const char* name : kNeeded) first_of(name, file);
  DynamicLibrary solver(file), blas = first_of("libcublas.so", file);
  if (!solver || !blas) {
    *reason = solver ? blas.error() : solver.error();
    return false;
  }
  bool complete = true;
#define X(name, symbol, parameters) complete = solver.resolve(#symbol, api->name) && complete;
  // clang-format off
  WARPCELL_CUSOLVER_FUNCTIONS(X)
#undef X
#define X(name, symbol, parameters) complete = blas.resolve(#symbol, api->name) && complete;
  WARPCELL_CUBLAS_CLASSIC_FUNCTIONS(X)
#undef X
#define X(name, symbol, parameters) solver.resolve(#symbol, api->name);
  WARPCELL_CUSOLVER_LATE_FUNCTIONS(X)
// clang-format on
#undef X
  complete = resolve(solver, blas, "S", api->single_calls) && complete;
  complete = resolve(solver, blas, "D", api->double_calls) && complete;
  complete = resolve(solver, blas, "C", api->complex_single_calls) && complete;
  complete = resolve(solver, blas, "Z", api->complex_double_calls) && complete;
  if (!complete) {
    *reason = file + " lacks functions";
    return false;
  }

  SolverStatus status = api->cusolverDnCreate(&api->handle);
  if (status == 0) status = api->cusolverDnCreateParams(&api->options);
  if (status == 0) status = api->cusolverDnCreateSyevjInfo(&api->eigen_options);
  if (status == 0) status = api->cusolverDnCreateGesvdjInfo(&api->singular_options);
  if (status == 0) status = api->cublasCreate(&api->vectors);
  if (status != 0) {
    *reason = file + " does not start: status " + std::to_string(status);
    return false;
  }
  api->version = std::to_string(property(*api, 0)) + "." + std::to_string(property(*api, 1)) + "." +
                 std::to_string(property(*api, 2));
  api->path = solver.file_of("cusolverDnCreate");
  return true;
}

SolverApi open() {
  return open_first<SolverApi>(
      kCusolverRow, toolkit_files(kCusolverRow.file),
      [](const std::string& file, SolverApi* api, std::string* reason) { return try_open(file, api, reason); });
}

}  // namespace

const SolverApi& cusolver() {
  static const SolverApi api = open();
  return api;
}

void SolverApi::check(SolverStatus status, const char* doing) const {
  if (status != 0)
    throw DeviceError("LIBRARY",
                      std::string("cuSOLVER failed at ") + doing + " (status " + std::to_string(status) + ").");
}

}  // namespace warpcell::cuda
