// What the words of a kernel say of whether and how it is split.
#pragma once
#include "cell_names.h"

namespace warpcell::cpu {

// Whether its threads wait for each other, or may.
bool has_barrier(const Code& code, const CellNames& names, const KernelText& kernel);
// Whether it asks for a place in a second dimension, and is short enough to be compiled for each length of a row.
bool has_rows(const Code& code, const KernelText& kernel);
// Whether all it takes is memory, in one pass.
bool is_plain(const Code& code, const KernelText& kernel);

}  // namespace warpcell::cpu
