// The symbols of a shared object: turns its bytes into the names of functions and variables with where they lie.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace warpcell {

struct ObjectSymbol {
  std::string name;
  uint64_t at;  // from where the object is loaded
  uint64_t size;
  bool is_function;
};

// Those that it defines, also those that it keeps to itself. Throws DeviceError("INVALID_IMAGE").
std::vector<ObjectSymbol> symbols_of(const std::string& object);

}  // namespace warpcell
