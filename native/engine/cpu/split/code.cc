// One walk over the tokens pairs the brackets, with a stack of those that are open.
#include "code.h"

#include <algorithm>
#include <cctype>

namespace warpcell::cpu {

Code::Code(const std::string& source)
    : source_(source), tokens_(tokens_of(source)), closing_(tokens_.size(), tokens_.size()), lines_{0} {
  std::vector<size_t> open;
  for (size_t i = 0; i < tokens_.size(); i++) {
    if (is(i, "(") || is(i, "[") || is(i, "{")) open.push_back(i);
    if (!is(i, ")") && !is(i, "]") && !is(i, "}")) continue;
    const char* opens = is(i, ")") ? "(" : is(i, "]") ? "[" : "{";
    while (!open.empty() && !is(open.back(), opens)) open.pop_back();
    if (open.empty()) continue;
    closing_[open.back()] = i;
    open.pop_back();
  }
  for (size_t at = 0; (at = source.find('\n', at)) != std::string::npos;) lines_.push_back(++at);
}

bool Code::is_name(size_t i) const {
  return i < tokens_.size() && tokens_[i].kind == Token::word &&
         !std::isdigit(static_cast<unsigned char>(source_[tokens_[i].at]));
}

size_t Code::behind_angles(size_t open) const {
  int depth = 0;
  for (size_t i = open; i < size(); i++) {
    if (is(i, "(") || is(i, "[")) {
      i = closing(i);
      continue;
    }
    if (is(i, ";") || is(i, "{") || is(i, "}") || is(i, ")") || is(i, "]")) return 0;
    if (is(i, "<")) depth++;
    if (is(i, ">") && !(i > 0 && is(i - 1, "-") && are_one(i - 1)) && --depth == 0) return i + 1;
  }
  return 0;
}

std::string Code::text(Range range) const {
  if (range.empty()) return "";
  return source_.substr(tokens_[range.first].at, tokens_[range.end - 1].end - tokens_[range.first].at);
}

size_t Code::line(size_t i) const {
  return size_t(std::upper_bound(lines_.begin(), lines_.end(), tokens_[i].at) - lines_.begin());
}

}  // namespace warpcell::cpu
