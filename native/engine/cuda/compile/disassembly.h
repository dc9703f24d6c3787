// What people read of an artifact: its PTX, or SASS by NVIDIA's disassembler.
#pragma once
#include <string>

#include "artifact.h"

namespace warpcell::cuda {

// `form` is "ptx" or "sass". Throws DeviceError UNSUPPORTED when the form is not known or the disassembler is not
// installed.
std::string disassemble(const Artifact& artifact, const std::string& form);

}  // namespace warpcell::cuda
