// Reads the right side of a rule of make, with its escapes.
#include "rule_files.h"

namespace warpcell {

std::vector<std::string> files_in_rule(const std::string& rule, const std::string& directory) {
  std::vector<std::string> files;
  std::string file;
  auto finish = [&] {
    if (!file.empty() && file.rfind(directory + "/", 0) != 0) files.push_back(file);
    file.clear();
  };
  for (size_t at = rule.find(": ") + 1; at < rule.size(); at++) {
    char c = rule[at], next = at + 1 < rule.size() ? rule[at + 1] : '\n';
    if (c == ' ' || c == '\n')
      finish();
    else if (c == '\\' && next == '\n')
      at++;
    else if ((c == '\\' && (next == ' ' || next == '#')) || (c == '$' && next == '$'))
      file += rule[++at];
    else
      file += c;
  }
  finish();
  return files;
}

}  // namespace warpcell
