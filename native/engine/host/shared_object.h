// Loads a compiled cell with the dynamic linker, from memory that no other process can name.
#pragma once
#include <string>

namespace warpcell {

// For dlclose. Throws DeviceError INVALID_IMAGE, in the words of the cell.
void* load_shared_object(const std::string& bytes);

[[noreturn]] void throw_unloadable(const std::string& reason);

}  // namespace warpcell
