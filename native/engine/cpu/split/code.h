// A text as its tokens: what each is, which bracket closes which, and on what line it stands.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "../../host/tokens.h"

namespace warpcell::cpu {

// Tokens [first, end).
struct Range {
  size_t first = 0;
  size_t end = 0;
  bool empty() const { return first >= end; }
  bool contains(size_t i) const { return first <= i && i < end; }
};

class Code {
 public:
  explicit Code(const std::string& source);

  size_t size() const { return tokens_.size(); }
  const std::string& source() const { return source_; }
  const Token& token(size_t i) const { return tokens_[i]; }
  bool is(size_t i, const char* text) const {
    return i < tokens_.size() && source_.compare(tokens_[i].at, tokens_[i].end - tokens_[i].at, text) == 0;
  }
  std::string at(size_t i) const {
    return i < tokens_.size() ? source_.substr(tokens_[i].at, tokens_[i].end - tokens_[i].at) : "";
  }
  // A name or a keyword.
  bool is_name(size_t i) const;
  bool is_number(size_t i) const { return i < tokens_.size() && tokens_[i].kind == Token::word && !is_name(i); }
  bool is_text(size_t i) const { return i < tokens_.size() && tokens_[i].kind == Token::text; }
  bool is_directive(size_t i) const { return i < tokens_.size() && tokens_[i].kind == Token::directive; }
  // Marks i and i + 1 with nothing between.
  bool are_one(size_t i) const { return i + 1 < tokens_.size() && tokens_[i].end == tokens_[i + 1].at; }
  // The token that closes the bracket at `open`, of any kind; size() where there is none.
  size_t closing(size_t open) const { return closing_[open]; }
  // Behind the `>` that closes the `<` at `open`; 0 where it is no list of template arguments.
  size_t behind_angles(size_t open) const;
  std::string text(Range range) const;
  size_t line(size_t i) const;

 private:
  const std::string& source_;
  std::vector<Token> tokens_;
  std::vector<size_t> closing_;
  std::vector<size_t> lines_;  // where each begins
};

}  // namespace warpcell::cpu
