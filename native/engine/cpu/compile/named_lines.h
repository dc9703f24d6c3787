// Lines of a text as compilers name them: the first is line 1 of the source's own name, and #line directives say of
// what follows that it is of another source.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace warpcell::cpu {

class NamedLines {
 public:
  NamedLines(const std::string& text, const std::string& name);

  // Where in the text, from 0, a line of that name begins; npos where it is not there.
  size_t start(const std::string& name, size_t number) const;
  // The number in the text, from 1, of a line of that name; 0 where it is not there.
  size_t line(const std::string& name, size_t number) const;
  // The name that a message of a compiler begins with, as "name:"; empty: none of these.
  std::string named_in(const std::string& message) const;
  // For each name its lines, at their numbers.
  std::vector<std::pair<std::string, std::string>> texts(const std::string& text) const;

 private:
  struct Section {
    std::string name;
    size_t first;  // its number
    size_t line;   // in the text, from 1
    size_t count;
  };

  std::vector<Section> sections_;
  std::vector<size_t> starts_;
};

}  // namespace warpcell::cpu
