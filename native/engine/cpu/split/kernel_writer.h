// A kernel as loops over the threads of a block, from one barrier to the next.
#pragma once
#include <string>

#include "statements.h"

namespace warpcell::cpu {

struct ProvingKernel {
  std::string text;
  std::string uses;  // proof_text.h
};

// `waits`: it has barriers, and is split whatever that takes. Throws Kept.
std::string split_kernel(const Code& code, const CellNames& names, const KernelText& kernel, bool waits,
                         bool with_plain);
// The same that looks at each access. Throws Kept.
ProvingKernel proving_kernel(const Code& code, const CellNames& names, const KernelText& kernel);

}  // namespace warpcell::cpu
