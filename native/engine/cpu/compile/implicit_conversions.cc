// g++ draws a line below the expression, clang writes where it begins and ends (-fdiagnostics-print-source-range-info).
#include "implicit_conversions.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <tuple>
#include <vector>

#include "../../host/text.h"
#include "cell_text.h"
#include "named_lines.h"

namespace warpcell::cpu {
namespace {

constexpr const char* kTag = "[-Wfloat-conversion]";

struct Place {
  size_t line;  // from 1, as columns
  size_t column;
};

struct Conversion {
  Place caret;
  Place start;
  Place end;  // of the last character
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// "12:5", and moves behind it.
bool read_place(const char*& at, Place* place) {
  char* end;
  place->line = std::strtoul(at, &end, 10);
  if (end == at || *end != ':') return false;
  at = end + 1;
  place->column = std::strtoul(at, &end, 10);
  bool read = end != at;
  at = end;
  return read;
}

// The columns that `~` and `^` mark in "      |   ~~^~~" below "   12 |   a + b".
bool read_marks(const std::vector<std::string>& log, size_t first, Conversion* conversion) {
  bool found = false;
  for (size_t i = first; i + 1 < log.size(); i += 2) {
    size_t bar = log[i].find(" | "), below = log[i + 1].find(" | ");
    if (bar == std::string::npos || below != bar || std::atoi(log[i].c_str()) == 0) break;
    size_t low = log[i + 1].find_first_of("~^", bar + 3), high = log[i + 1].find_last_of("~^");
    if (low == std::string::npos) break;
    size_t line = std::strtoul(log[i].c_str(), nullptr, 10);
    for (char c : log[i].substr(bar, high - bar)) {
      if (static_cast<unsigned char>(c) >= 0x80) return false;  // a column is no byte there
    }
    if (!found) conversion->start = {line, low - bar - 2};
    conversion->end = {line, high - bar - 2};
    found = true;
  }
  return found;
}

class Reader {
 public:
  Reader(const Conversions& conversions, const CellText& host)
      : text_(conversions.text), host_(host), lines_(host.text, conversions.name), conversions_(conversions) {
    starts_.push_back(0);
    for (size_t at = host.text.find('\n'); at != std::string::npos; at = host.text.find('\n', at + 1))
      starts_.push_back(at + 1);
  }

  void read() {
    std::vector<std::string> log = lines_of(conversions_.log);
    bool is_clang = conversions_.is_clang;
    // clang's ranges have the lines of the file, not of the cell: the include, the macros and #line come before it.
    size_t before = 2 + conversions_.defines + host_.standard_library;
    for (size_t i = 0; i < log.size(); i++) {
      const std::string& line = log[i];
      name_ = lines_.named_in(line);
      if (name_.empty() || line.find(kTag) == std::string::npos) continue;
      if (line.find("changes value") != std::string::npos || line.find("'bool'") != std::string::npos) continue;
      Conversion conversion{};
      const char* at = line.c_str() + name_.size() + 1;
      if (!read_place(at, &conversion.caret)) continue;
      Place told = conversion.caret;
      conversion.caret.line = lines_.line(name_, told.line);
      bool known = is_clang ? std::strncmp(at, ":{", 2) == 0 && read_place(at += 2, &conversion.start) && *at == '-' &&
                                  read_place(++at, &conversion.end)
                            : read_marks(log, i + 1, &conversion);
      if (known && is_clang) {
        conversion.start.line -= before;
        conversion.end.line -= before;
        conversion.end.column--;
      } else if (known) {
        conversion.start.line = lines_.line(name_, conversion.start.line);
        conversion.end.line = lines_.line(name_, conversion.end.line);
      }
      if (!known || in_macro(log, i + 1) || !take(conversion)) leave(told);
    }
  }

  Edits edits() {
    std::sort(ranges_.begin(), ranges_.end(),
              [](const Range& a, const Range& b) { return a.start != b.start ? a.start < b.start : a.end > b.end; });
    Edits edits;
    for (const Range& range : ranges_) {
      if (range.is_compound) {
        edits.insert(range.end, "warpcell_cpu_truncated" + text_.substr(range.start, range.end - range.start));
      } else {
        edits.insert(range.start, "::warpcell_cpu::truncating(");
        edits.insert(range.end, ")");
      }
    }
    edits.sort();
    return edits;
  }

  const std::string& left() const { return left_; }

 private:
  struct Range {
    size_t start;
    size_t end;
    bool is_compound;
  };

  // What the compiler adds to a message about a macro follows that, before the next message.
  bool in_macro(const std::vector<std::string>& log, size_t i) const {
    for (; i < log.size() && log[i].find(": warning: ") == std::string::npos; i++) {
      if (log[i].find(" macro '") != std::string::npos) return true;
    }
    return false;
  }

  // Where a place of the compiler's text is in ours; its line counts from the first of the text.
  bool offset_of(Place place, size_t* offset) const {
    if (place.line == 0 || place.line > starts_.size() || place.column == 0) return false;
    *offset = host_.edits.before(starts_[place.line - 1] + place.column - 1);
    return *offset < text_.size();
  }

  bool take(const Conversion& conversion) {
    size_t caret, start, last;
    if (!offset_of(conversion.caret, &caret) || !offset_of(conversion.start, &start) ||
        !offset_of(conversion.end, &last) || last < start)
      return false;
    bool is_compound = std::strchr("+-*/", text_[caret]) != nullptr && caret + 1 < text_.size() &&
                       text_[caret + 1] == '=' && text_[caret + 2] != '=';
    Range range = is_compound ? Range{caret, caret + 2, true} : Range{start, last + 1, false};
    if (!range.is_compound && !make_whole(&range)) return false;
    if (seen_.insert({range.start, range.end}).second) ranges_.push_back(range);
    return true;
  }

  static int nesting(char c) { return (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}'); }

  // g++ takes the bracket for the end of `x[i]` in a template: the range goes on until what it opens is closed.
  bool make_whole(Range* range) const {
    int depth = 0;
    for (size_t at = range->start; at < range->end; at++) {
      depth += nesting(text_[at]);
      if (depth < 0) return false;
    }
    for (; depth > 0 && range->end < text_.size(); range->end++) depth += nesting(text_[range->end]);
    return depth == 0;
  }

  void leave(Place place) {
    if (!seen_lines_.insert({name_, place.line}).second) return;
    left_ += name_ + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) +
             ": warning: a float becomes an integer here, and what is out of range becomes something else than on a "
             "GPU: write the conversion, (int)x\n";
  }

  const std::string& text_;
  const CellText& host_;
  NamedLines lines_;
  std::string name_;  // of the source that the message is about
  const Conversions& conversions_;
  std::vector<size_t> starts_;  // of the lines of host_.text
  std::vector<Range> ranges_;
  std::set<std::pair<size_t, size_t>> seen_;
  std::set<std::pair<std::string, size_t>> seen_lines_;
  std::string left_;
};

}  // namespace

Edits implicit_conversion_edits(const Conversions& conversions, std::string* left) {
  if (conversions.log.find(kTag) == std::string::npos) return {};
  CellText host = host_text(conversions.text, conversions.is_clang);
  Reader reader(conversions, host);
  reader.read();
  *left = reader.left();
  return reader.edits();
}

}  // namespace warpcell::cpu
