// Whether what the threads of a block do in some statements can be mixed: taken as one by vectors, or turn by turn.
#pragma once
#include "statements.h"

namespace warpcell::cpu {

// Nothing in the range is one place for all threads but memory, of which a kernel without races has each place used by
// one thread; nor does its order show. Loops inside of it: only those that count, where `allows_loops`.
bool is_independent(const Code& code, const CellNames& names, const KernelBody& body, Range range, bool allows_loops);

}  // namespace warpcell::cpu
