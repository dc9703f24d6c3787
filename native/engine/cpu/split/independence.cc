// Looks for words and variables that stand for something which is not a thread's own.
#include "independence.h"

#include "../../host/text.h"
#include "known_words.h"

namespace warpcell::cpu {

bool is_independent(const Code& code, const CellNames& names, const KernelBody& body, Range range, bool allows_loops) {
  for (size_t i = range.first; i < range.end; i++) {
    std::string word = code.at(i);
    if (code.is_text(i) || is_atomic(word) || starts_with(word, "__threadfence") || names.is_function(word) ||
        word == "printf" || word == "assert" || word == "memcpy" || word == "memset" || word == "while" ||
        word == "do" || word == "switch" || word == "clock" || word == "clock64" || (word == "for" && !allows_loops))
      return false;
    if (code.is_name(i) && names.macro(word) != nullptr && names.macro(word)->takes_arguments) return false;
  }
  Range uses = body.uses_in(range);
  auto is_own = [&](const Variable& variable) {
    if (variable.is_shared || variable.is_parameter) return true;
    if (variable.is_array || variable.is_exposed || variable.is_reference) return false;
    return !(variable.is_class && names.is_function("operator"));
  };
  for (size_t i = uses.first; i < uses.end; i++) {
    if (!is_own(body.variables()[body.uses()[i].variable])) return false;
  }
  for (const Variable& variable : body.variables()) {
    if (range.contains(variable.declared) && !is_own(variable)) return false;
  }
  return true;
}

}  // namespace warpcell::cpu
