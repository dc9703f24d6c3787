// One walk over the sorted edits answers each question.
#include "edits.h"

#include <algorithm>

namespace warpcell::cpu {

void Edits::sort() {
  std::stable_sort(edits_.begin(), edits_.end(),
                   [](const Edit& a, const Edit& b) { return a.at != b.at ? a.at < b.at : a.end < b.end; });
}

std::string Edits::apply(const std::string& source) const {
  std::string text;
  size_t at = 0;
  for (const Edit& edit : edits_) {
    text.append(source, at, edit.at - at).append(edit.replacement);
    at = edit.end;
  }
  return text.append(source, at);
}

size_t Edits::before(size_t after) const {
  size_t old = 0, now = 0;  // where the text between two edits begins, in either text
  for (const Edit& edit : edits_) {
    size_t start = now + (edit.at - old), end = start + edit.replacement.size();
    if (after < start) break;
    if (after < end) return edit.at;
    old = edit.end;
    now = end;
  }
  return old + (after - now);
}

}  // namespace warpcell::cpu
