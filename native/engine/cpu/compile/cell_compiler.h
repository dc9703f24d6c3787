// Compiles a cell for this machine: turns CUDA C++ and the kernels wanted of it into the bytes of a shared object.
#pragma once
#include "../../device.h"

namespace warpcell::cpu {

// Throws DeviceError: COMPILE with the compiler's log, INVALID_OPTION, NO_COMPILER, FILE, NO_PROCESS.
Compiled compile_cell(const CompileRequest& request);

// What the compiler makes of an artifact's cell as text, with the lines of its source: compiles it once more. Throws
// the same, and INVALID_IMAGE.
std::string assembly_of(const std::string& artifact, const std::string& headers);

}  // namespace warpcell::cpu
