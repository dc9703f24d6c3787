// Compiles a cell for this machine: turns CUDA C++ and the kernels wanted of it into the bytes of a shared object.
#pragma once
#include "../device.h"

namespace warpcell::cpu {

// Throws DeviceError: COMPILE with the compiler's log, INVALID_OPTION, NO_COMPILER, FILE, NO_PROCESS.
Compiled compile_cell(const CompileRequest& request);

}  // namespace warpcell::cpu
