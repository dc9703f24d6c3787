// The words and marks of CUDA C++ text, without comments and blanks.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace warpcell {

struct Token {
  enum Kind {
    word,
    text,
    mark,
    directive
  } kind;  // `text`: a string or a character; `mark`: one character; `directive`: with all its lines
  size_t at;
  size_t end;
};

std::vector<Token> tokens_of(const std::string& source);

}  // namespace warpcell
