// The bytes of a compiled cell: a shared object, and behind it what it was compiled from, which names no folder of this
// machine. The dynamic linker looks at the first alone.
#pragma once
#include <string>

#include "../../device.h"

namespace warpcell::cpu {

std::string make_artifact(const std::string& object, const CompileRequest& request);

// But for the folder of the headers. Throws DeviceError("INVALID_IMAGE") where the bytes do not say it.
CompileRequest request_of(const std::string& artifact);

}  // namespace warpcell::cpu
