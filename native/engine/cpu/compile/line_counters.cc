// Finds the statements of functions by descent over their tokens: calls stand in front of them, and in the conditions
// of loops and branches.
#include "line_counters.h"

#include <algorithm>

#include "../split/code.h"
#include "edits.h"

namespace warpcell::cpu {
namespace {

class LineCounters {
 public:
  LineCounters(const std::string& source, bool tells) : code_(source), tells_(tells) {
    declarations({0, code_.size()});
    edits_.sort();
  }

  const Edits& edits() const { return edits_; }

 private:
  bool is_one_of(size_t i, std::initializer_list<const char*> words) const {
    return std::any_of(words.begin(), words.end(), [&](const char* word) { return code_.is(i, word); });
  }

  size_t start(size_t i) const { return code_.token(i).at; }

  // A call for the statement on the line of the token before which it stands.
  std::string call() {
    std::string number = std::to_string(statements_++);
    if (!tells_) return "warpcell_cpu_ran(" + number + ", __FILE__, __LINE__)";
    std::string text = "(warpcell_cpu_steps(" + number + ", __FILE__, __LINE__, __func__) && (";
    for (const Told& variable : told_)
      text += std::string("warpcell_cpu::") + (variable.has_value ? "tell" : "tell_if_set") + "(\"" + variable.name +
              "\", " + variable.name + "), ";
    return text + "true))";
  }

  // What stands outside of functions: their bodies, and what else has bodies of functions in it.
  void declarations(Range range) {
    bool is_constant = false;  // the compiler may run the function that is declared
    for (size_t i = range.first; i < range.end; i++) {
      if (code_.is(i, ";") || code_.is(i, "}")) is_constant = false;
      is_constant |= is_one_of(i, {"constexpr", "consteval", "enum"});
      if (code_.is(i, "(") || code_.is(i, "[")) i = std::min(code_.closing(i), range.end);
      if (!code_.is(i, "{")) continue;
      size_t close = std::min(code_.closing(i), range.end);
      if (is_function(range, i)) {
        told_.clear();
        parameters(range, i);
        if (!is_constant) statements({i + 1, close});
      } else if (!code_.is(i - 1, "=") && !is_constant) {
        declarations({i + 1, close});
      }
      is_constant = false;
      i = close;
    }
  }

  bool is_function(Range range, size_t brace) const {
    while (brace > range.first + 1 && is_one_of(brace - 1, {"const", "noexcept", "override", "final"})) brace--;
    return brace > range.first && code_.is(brace - 1, ")");
  }

  // What the parentheses in front of a body declare.
  void parameters(Range range, size_t brace) {
    size_t close = brace - 1;
    while (close > range.first && !code_.is(close, ")")) close--;
    size_t open = range.first;
    while (open < close && !(code_.is(open, "(") && code_.closing(open) == close)) open++;
    for (size_t first = open + 1; first < close;) {
      size_t end = part(first, close), last = end - 1;
      for (size_t i = first; i < end && last == end - 1; i++)
        if (is_one_of(i, {"=", "["})) last = i - 1;
      if (last > first && is_declared(last)) told_.push_back({code_.at(last), true});
      first = end + 1;
    }
  }

  // The next comma that is in no bracket.
  size_t part(size_t i, size_t end) const {
    for (; i < end && !code_.is(i, ","); i++) {
      if (code_.is(i, "<") && code_.behind_angles(i) > 0) i = code_.behind_angles(i) - 1;
      if (is_one_of(i, {"(", "[", "{"})) i = std::min(code_.closing(i), end);
    }
    return std::min(i, end);
  }

  // A name behind a type.
  bool is_declared(size_t i) const {
    if (!code_.is_name(i) || is_one_of(i, {"const", "int", "float", "double", "char", "bool", "long", "short"}))
      return false;
    if (is_one_of(i - 1, {"return", "goto", "throw", "delete", "new", "else", "case", "sizeof", "operator"}))
      return false;
    return code_.is_name(i - 1) || is_one_of(i - 1, {"*", "&", ">"});
  }

  // What the statement [i, end) declares, which ends with `;`.
  void declared(size_t i, size_t end) {
    size_t name = i + 1;
    auto is_of_type = [&](size_t at) {
      return code_.is_name(at) || code_.is_number(at) || is_one_of(at, {"::", ":", "<", ">", "*", "&", ","});
    };
    if (!code_.is_name(i) || is_one_of(i, {"return", "goto", "throw", "delete", "break", "continue", "asm"})) return;
    while (name < end && !(is_declared(name) && is_one_of(name + 1, {"=", ";", ",", "[", "{", "("}))) {
      if (!is_of_type(name)) return;
      name++;
    }
    for (size_t first = name; first < end;) {
      size_t next = part(first, end - 1);
      while (is_one_of(first, {"*", "&", "const", "__restrict__"})) first++;
      if (code_.is_name(first)) {
        bool has_value = false;
        for (size_t at = first + 1; at < next; at++) has_value |= is_one_of(at, {"=", "{", "("});
        told_.push_back({code_.at(first), has_value});
      }
      first = next + 1;
    }
  }

  void statements(Range range) {
    const size_t before = told_.size();
    for (size_t i = range.first; i < range.end;) i = statement(i, range.end, false);
    told_.resize(before);
  }

  // Returns what is behind it. `alone`: the body of a branch or loop without braces.
  size_t statement(size_t i, size_t end, bool alone) {
    while (i < end && (code_.is_directive(i) || code_.is(i, ";"))) {
      bool is_empty = code_.is(i++, ";");
      if (alone && is_empty) return i;
    }
    if (i >= end) return end;
    if (code_.is(i, "{")) {
      size_t close = std::min(code_.closing(i), end);
      statements({i + 1, close});
      return close + 1;
    }
    if (is_one_of(i, {"for", "while", "if", "switch"})) return compound(i, end, alone);
    if (code_.is(i, "do")) {
      size_t next = statement(i + 1, end, true);
      if (!code_.is(next, "while")) return next;
      condition({next + 2, code_.closing(next + 1)});
      return behind(next, end);
    }
    if (is_one_of(i, {"case", "default"})) {
      while (i < end && !(code_.is(i, ":") && !code_.is(i + 1, ":") && !code_.is(i - 1, ":"))) i++;
      return i + 1;
    }
    if (code_.is_name(i) && code_.is(i + 1, ":") && !code_.is(i + 2, ":")) return i + 2;
    if (code_.is(i, "else")) return statement(i + 1, end, true);
    size_t next = behind(i, end);
    if (is_one_of(i, {"struct", "class", "union", "enum", "using", "typedef", "static_assert", "extern", "__shared__",
                      "static", "constexpr", "alignas", "__align__", "template", "__label__"}))
      return next;
    edits_.insert(start(i), (alone ? "{" : "") + call() + "; ");
    if (alone) edits_.insert(code_.token(next - 1).end, "}");
    if (!alone) declared(i, next);
    return next;
  }

  size_t compound(size_t i, size_t end, bool alone) {
    bool is_for = code_.is(i, "for"), is_if = code_.is(i, "if"), is_constant = code_.is(i + 1, "constexpr");
    size_t open = i + (is_constant ? 2 : 1);
    if (!code_.is(open, "(") || code_.closing(open) >= end) return behind(i, end);
    size_t close = code_.closing(open);
    const size_t before = told_.size();
    if (is_for) {
      // What comes before the first round is a step of its own.
      if (tells_ && !alone && !code_.is(open + 1, ";")) edits_.insert(start(i), call() + "; ");
      declared(open + 1, separator(open + 1, close) + 1);
      size_t first = separator(open + 1, close), second = first < close ? separator(first + 1, close) : close;
      if (second < close) condition({first + 1, second});
    } else if (!is_constant) {
      condition({open + 1, close});
    }
    size_t next = statement(close + 1, end, true);
    told_.resize(before);
    if (is_if && code_.is(next, "else")) next = statement(next + 1, end, true);
    return next;
  }

  // The next `;` that is in no bracket.
  size_t separator(size_t i, size_t end) const {
    for (; i < end && !code_.is(i, ";"); i++) {
      if (is_one_of(i, {"(", "[", "{"})) i = std::min(code_.closing(i), end);
    }
    return std::min(i, end);
  }

  size_t behind(size_t i, size_t end) const { return std::min(separator(i, end) + 1, end); }

  // One that declares a variable, or is none, stays as it is.
  void condition(Range range) {
    if (separator(range.first, range.end) < range.end) return;
    if (range.empty()) {
      edits_.insert(start(range.end), "(" + call() + ", true)");
      return;
    }
    for (size_t i = range.first; i + 1 < range.end && !is_one_of(i, {"(", "[", "=", "<", "?"}); i++) {
      bool is_type = code_.is_name(i) || is_one_of(i, {"*", "&", ">"});
      if (is_type && code_.is_name(i + 1) && (code_.is(i + 2, "=") || code_.is(i + 2, "{")) && !code_.is(i + 3, "="))
        return;
    }
    edits_.insert(start(range.first), "(" + call() + ", (");
    edits_.insert(code_.token(range.end - 1).end, "))");
  }

  struct Told {
    std::string name;
    bool has_value;
  };

  Code code_;
  bool tells_;
  Edits edits_;
  size_t statements_ = 0;
  std::vector<Told> told_;  // what is known at a statement
};

}  // namespace

std::string with_line_counters(const std::string& source) { return LineCounters(source, false).edits().apply(source); }

std::string with_told_variables(const std::string& source) { return LineCounters(source, true).edits().apply(source); }

}  // namespace warpcell::cpu
