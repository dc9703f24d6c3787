// Fills the table of the functions that programs need.
#include "driver_functions.h"

#include "../../host/dynamic_library.h"
#include "../../host/errors.h"

namespace warpcell::cuda {
namespace {

ProgramFunctions open_functions() {
  DynamicLibrary library("libcuda.so.1");
  ProgramFunctions functions;
  const char* missing = nullptr;
#define X(name, symbol, parameters)         \
  library.resolve(#symbol, functions.name); \
  if (functions.name == nullptr && missing == nullptr) missing = #symbol;
  // clang-format off
  WARPCELL_PROGRAM_FUNCTIONS(X)
// clang-format on
#undef X
  if (missing != nullptr) {
    throw DeviceError("DRIVER_TOO_OLD", std::string("The NVIDIA driver is incomplete: libcuda.so.1 lacks ") + missing +
                                            ". Reinstall the NVIDIA driver.");
  }
  return functions;
}

}  // namespace

const ProgramFunctions& program_functions() {
  static const ProgramFunctions functions = open_functions();
  return functions;
}

}  // namespace warpcell::cuda
