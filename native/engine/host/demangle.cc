// Finds the name in the text of a function.
#include "demangle.h"

namespace warpcell {
namespace {

constexpr const char* kAnonymous = "(anonymous namespace)";

}  // namespace

std::string function_name(const std::string& demangled) {
  // The parameters are the last pair of parentheses outside of angle brackets; the result's type ends at the last blank
  // before them that is in no brackets.
  size_t end = demangled.rfind(')');
  if (end == std::string::npos || demangled.compare(0, end + 1, kAnonymous) == 0) return demangled;
  size_t open = end;
  for (int depth = 1; depth > 0 && open > 0;) {
    open--;
    if (demangled[open] == ')') depth++;
    if (demangled[open] == '(') depth--;
  }
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < open; i++) {
    char c = demangled[i];
    if (c == '<' || c == '(' || c == '{') depth++;
    if ((c == '>' && (i == 0 || demangled[i - 1] != '-')) || c == ')' || c == '}') depth--;
    if (c == ' ' && depth == 0) begin = i + 1;
  }
  return open > begin ? demangled.substr(begin, open - begin) : demangled;
}

}  // namespace warpcell
