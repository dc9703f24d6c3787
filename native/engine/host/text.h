// Small turns of text that messages and readers of output need.
#pragma once
#include <cstdint>
#include <string>

namespace warpcell {

inline bool starts_with(const std::string& text, const std::string& prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

// "4×4×1": a grid or a block as messages show it.
inline std::string dimensions(const uint32_t (&size)[3]) {
  return std::to_string(size[0]) + "×" + std::to_string(size[1]) + "×" + std::to_string(size[2]);
}

}  // namespace warpcell
