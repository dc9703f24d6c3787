// A cell's shifts, conversions and waiting loops as a GPU takes them: finds where C++ leaves open what happens, and
// names there what device/cpu/warpcell_cpu/arithmetic.h defines.
#pragma once
#include <string>

#include "edits.h"

namespace warpcell::cpu {

// Shifts by what is no small number (`1u << n`), casts to integers (`(int)x`, `int(x)`, `static_cast<T>(x)`), and in a
// cell with volatile memory the conditions of loops that may wait for another thread. Also in macros; not in headers,
// and not inside of assert, which shows its text.
Edits arithmetic_edits(const std::string& source);

}  // namespace warpcell::cpu
