// Reads text as a compiler's first phases do: strings, raw strings, comments and spliced lines are skipped whole.
#include "tokens.h"

#include <cctype>

namespace warpcell {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

size_t skip_quoted(const std::string& s, size_t at) {
  char quote = s[at++];
  while (at < s.size() && s[at] != quote && s[at] != '\n') at += s[at] == '\\' ? 2 : 1;
  return at < s.size() ? at + 1 : s.size();
}

// `at` is the quote of R"delimiter( … )delimiter".
size_t skip_raw(const std::string& s, size_t at) {
  size_t open = s.find('(', at);
  if (open == std::string::npos) return s.size();
  std::string close = ")" + s.substr(at + 1, open - at - 1) + "\"";
  size_t end = s.find(close, open);
  return end == std::string::npos ? s.size() : end + close.size();
}

size_t skip_comment(const std::string& s, size_t at) {
  if (s[at + 1] == '*') {
    size_t end = s.find("*/", at + 2);
    return end == std::string::npos ? s.size() : end + 2;
  }
  size_t end = s.find('\n', at);
  while (end != std::string::npos && s[end - 1] == '\\') end = s.find('\n', end + 1);
  return end == std::string::npos ? s.size() : end;
}

size_t skip_directive(const std::string& s, size_t at) {
  while (at < s.size() && s[at] != '\n') {
    if (s[at] == '\\')
      at += 2;
    else if (s[at] == '/' && at + 1 < s.size() && (s[at + 1] == '*' || s[at + 1] == '/'))
      at = skip_comment(s, at);
    else
      at++;
  }
  return at < s.size() ? at : s.size();
}

}  // namespace

std::vector<Token> tokens_of(const std::string& s) {
  std::vector<Token> tokens;
  bool line_start = true;
  for (size_t at = 0; at < s.size();) {
    char c = s[at];
    if (std::isspace(static_cast<unsigned char>(c))) {
      line_start |= c == '\n';
      at++;
      continue;
    }
    if (c == '/' && at + 1 < s.size() && (s[at + 1] == '/' || s[at + 1] == '*')) {
      at = skip_comment(s, at);
      continue;
    }
    Token token{Token::mark, at, at + 1};
    if (c == '#' && line_start) {
      token.kind = Token::directive;
      token.end = skip_directive(s, at);
    } else if (c == '"' || c == '\'') {
      token.kind = Token::text;
      token.end = skip_quoted(s, at);
    } else if (is_word(c)) {
      while (token.end < s.size() &&
             (is_word(s[token.end]) || (s[token.end] == '\'' && std::isdigit(static_cast<unsigned char>(c)))))
        token.end++;
      token.kind = Token::word;
      if (token.end < s.size() && s[token.end] == '"' && s[token.end - 1] == 'R') {
        token.kind = Token::text;
        token.end = skip_raw(s, token.end);
      }
    }
    line_start = false;
    tokens.push_back(token);
    at = token.end;
  }
  return tokens;
}

}  // namespace warpcell
