// Compiles what a user wrote: CUDA C++ that does here what it does on a GPU, also where C++ leaves that open.
#pragma once
#include "../../device.h"

namespace warpcell::cpu {

// As compile_cell (cell_compiler.h). Shifts and conversions of floats are a GPU's (arithmetic_text.h), an access to
// address 0 is a fault, threads have the stacks that their local arrays need, and the log has warnings.
Compiled compile_user_cell(const CompileRequest& request);

}  // namespace warpcell::cpu
