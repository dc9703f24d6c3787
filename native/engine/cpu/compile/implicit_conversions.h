// Where a float becomes an integer without a word: turns the compiler's warnings of that into edits of the cell.
#pragma once
#include <string>

#include "edits.h"

namespace warpcell::cpu {

// What a compiler was given, and what it said.
struct Conversions {
  const std::string& text;
  const std::string& name;
  const std::string& log;
  bool is_clang;
  size_t defines;  // macros in front of the text, a line each
};

// The edits are of that text; `left` becomes the warnings, as lines of a log, about conversions that cannot be edited.
Edits implicit_conversion_edits(const Conversions& conversions, std::string* left);

}  // namespace warpcell::cpu
