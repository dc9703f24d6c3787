// Looks for OpenBLAS beside this program, in Python wheels, conda and the loader's folders.
#include "openblas_library.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

#include "../../device.h"
#include "../../host/dynamic_library.h"
#include "../../host/python_packages.h"
#include "../library_table.h"

namespace warpcell::cpu {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Best first. What the project brought comes before what this machine happens to have.
std::vector<std::string> candidates() {
  std::vector<fs::path> files = {program_folder() / "libscipy_openblas.so"};  // of the bundle
  for (const fs::path& site : site_packages())
    files.push_back(site / "scipy_openblas32" / "lib" / "libscipy_openblas.so");
  if (!environment("CONDA_PREFIX").empty())
    files.push_back(fs::path(environment("CONDA_PREFIX")) / "lib" / "libopenblas.so.0");

  std::vector<std::string> found;
  std::error_code missing;
  for (const fs::path& file : files) {
    if (fs::exists(file, missing)) found.push_back(file.string());
  }
  found.insert(found.end(), {"libopenblas.so.0", "libopenblas.so"});
  return found;
}

// A wheel's functions have a prefix, so that two copies in one process do not meet.
template <class F>
bool resolve(const DynamicLibrary& library, const std::string& name, F*& function) {
  return library.resolve(("scipy_" + name).c_str(), function) || library.resolve(name.c_str(), function);
}

// Those for numbers of the type with that letter; whether BLAS is complete.
template <class T>
bool resolve(const DynamicLibrary& library, const std::string& letter, BlasCalls<T>& calls) {
  bool complete = true;
#define X(type, function, before, after) \
  complete = resolve(library, before + letter + after, calls.function) && complete;
  // clang-format off
  WARPCELL_BLAS_FUNCTIONS(X)
#undef X
#define X(type, function, before, after) \
  calls.has_lapack = resolve(library, before + letter + after, calls.function) && calls.has_lapack;
  WARPCELL_LAPACK_FUNCTIONS(X)
// clang-format on
#undef X
  return complete;
}

template <class T>
void resolve(const DynamicLibrary& library, const std::string& letter, ComplexCalls<T>& calls) {
#define X(type, function, before, after) \
  calls.has_lapack = resolve(library, before + letter + after, calls.function) && calls.has_lapack;
  // clang-format off
  WARPCELL_COMPLEX_LAPACK_FUNCTIONS(X)
// clang-format on
#undef X
}

// False, and `reason` says why, where `file` is not an OpenBLAS with 32-bit sizes.
bool try_open(const std::string& file, OpenBlas* found, std::string* reason) {
  DynamicLibrary library(file);
  if (!library) {
    *reason = library.error();
    return false;
  }
  const char* (*config)() = nullptr;
  const char* (*processor)() = nullptr;
  bool complete = resolve(library, "s", found->single_calls) && resolve(library, "d", found->double_calls) &&
                  resolve(library, "openblas_get_config", config) &&
                  resolve(library, "openblas_set_num_threads", found->set_threads) &&
                  resolve(library, "openblas_get_corename", processor);
  std::string text = complete ? config() : "";
  if (!complete || text.find("USE64BITINT") != std::string::npos) {
    *reason = "it is not an OpenBLAS with 32-bit sizes";
    return false;
  }

  resolve(library, "c", found->complex_single_calls);
  resolve(library, "z", found->complex_double_calls);
  std::istringstream words(text);  // "OpenBLAS 0.3.34 DYNAMIC_ARCH …"
  words >> found->version >> found->version;
  found->set_threads(1);
  found->processor = processor();
  found->path = library.file_of("scipy_cblas_sgemm");
  if (found->path == file) found->path = library.file_of("cblas_sgemm");
  return true;
}

OpenBlas open() {
  // It reads this when it is opened. Threads of its own would take cores from the pool's: they spin before they sleep,
  // and a product waits for the slowest of them. Where one matrix has them after all, they sleep soon: after 2^20
  // cycles.
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  setenv("OPENBLAS_THREAD_TIMEOUT", "20", 1);

  return open_first<OpenBlas>(kOpenBlasRow, candidates(), try_open);
}

}  // namespace

const OpenBlas& openblas() {
  static const OpenBlas library = open();
  return library;
}

}  // namespace warpcell::cpu
