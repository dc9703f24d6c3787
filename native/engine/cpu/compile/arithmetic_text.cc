// Reads a cell token by token. What looks like one of these and may be something else (`>>` that closes templates, a
// parameter list `(int)`) is left alone.
#include "arithmetic_text.h"

#include <cctype>
#include <cstring>
#include <set>
#include <vector>

#include "../../host/tokens.h"

namespace warpcell::cpu {
namespace {

const std::set<std::string>& integer_words() {
  static const std::set<std::string> words = {"char",     "short",    "int",     "long",      "signed",   "unsigned",
                                              "int8_t",   "int16_t",  "int32_t", "int64_t",   "uint8_t",  "uint16_t",
                                              "uint32_t", "uint64_t", "size_t",  "ptrdiff_t", "intptr_t", "uintptr_t",
                                              "uchar",    "ushort",   "uint",    "ulong",     "clock_t"};
  return words;
}

// Words that an expression may follow, unlike a name, behind which a parenthesis is a list of arguments.
const std::set<std::string>& words_before_expressions() {
  static const std::set<std::string> words = {"return", "case", "else", "do", "and", "or", "not", "co_return"};
  return words;
}

// Words that no operand begins with.
const std::set<std::string>& words_after_parameters() {
  static const std::set<std::string> words = {"const",   "volatile", "noexcept", "override", "final",
                                              "mutable", "and",      "or",       "xor",      "requires"};
  return words;
}

class Reader {
 public:
  Reader(const std::string& source, Edits* edits) : source_(source), edits_(edits), types_(integer_words()) {}

  void run() {
    std::vector<Token> all = tokens_of(source_), bodies;
    for (const Token& token : all) {
      if (token.kind == Token::word) {
        std::string word = source_.substr(token.at, token.end - token.at);
        waits_ |= word == "volatile" || word == "__ldcv" || word == "__ldcg";
      }
      if (token.kind != Token::directive) tokens_.push_back(token);
    }
    for (const Token& token : all) waits_ |= token.kind == Token::directive && mentions(token, "volatile");
    collect_types();
    if (waits_) collect_volatiles();
    read();
    for (const Token& token : all) {
      if (token.kind == Token::directive) read_macro(token);
    }
  }

 private:
  bool is(size_t i, const char* text) const {
    return i < tokens_.size() && source_.compare(tokens_[i].at, tokens_[i].end - tokens_[i].at, text) == 0;
  }
  std::string at(size_t i) const {
    return i < tokens_.size() ? source_.substr(tokens_[i].at, tokens_[i].end - tokens_[i].at) : "";
  }
  bool is_word(size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == Token::word &&
           !std::isdigit(static_cast<unsigned char>(source_[tokens_[i].at]));
  }
  bool is_number(size_t i) const { return i < tokens_.size() && tokens_[i].kind == Token::word && !is_word(i); }
  bool mentions(const Token& token, const char* word) const {
    return source_.substr(token.at, token.end - token.at).find(word) != std::string::npos;
  }
  // Two marks with nothing between.
  bool are_one(size_t i) const { return i + 1 < tokens_.size() && tokens_[i].end == tokens_[i + 1].at; }

  // Template parameters and what a typedef or using names: a cast to one of them may be to an integer.
  void collect_types() {
    for (size_t i = 0; i < tokens_.size(); i++) {
      if ((is(i, "class") || is(i, "typename")) && is_word(i + 1) &&
          (is(i + 2, ",") || is(i + 2, ">") || is(i + 2, "=")))
        types_.insert(at(i + 1));
      if (is(i, "using") && is_word(i + 1) && is(i + 2, "=")) types_.insert(at(i + 1));
      if (!is(i, "typedef")) continue;
      size_t end = i + 1;
      while (end < tokens_.size() && is_word(end)) end++;
      if (is(end, ";") && end > i + 2) types_.insert(at(end - 1));
    }
  }

  // Names that a declaration with `volatile` may declare.
  void collect_volatiles() {
    for (size_t i = 0; i < tokens_.size(); i++) {
      if (!is(i, "volatile")) continue;
      size_t end = i + 1;
      while (end < tokens_.size() && !is(end, ";") && !is(end, ")") && !is(end, "{")) end++;
      bool is_parameter = !is(end, ";");
      for (size_t k = i + 1; k < end && !(is_parameter && is(k, ",")); k++)
        if (is_word(k)) volatiles_.insert(at(k));
    }
  }

  // The body of `#define name body` is code too.
  void read_macro(const Token& token) {
    std::string text = source_.substr(token.at, token.end - token.at);
    size_t at = text.find_first_not_of(" \t", 1);
    if (at == std::string::npos || text.compare(at, 6, "define") != 0) return;
    at = text.find_first_not_of(" \t", at + 6);
    while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_')) at++;
    if (at < text.size() && text[at] == '(') at = text.find(')', at);
    if (at >= text.size()) return;
    tokens_.clear();
    for (Token part : tokens_of(text.substr(at))) {
      part.at += token.at + at;
      part.end += token.at + at;
      if (part.kind == Token::directive) return;  // `#parameter`: the macro is about text
      if (source_.compare(part.at, part.end - part.at, "\\") != 0) tokens_.push_back(part);
    }
    read();
  }

  void read() {
    last_cast_ = tokens_.size();
    for (size_t i = 0; i < tokens_.size(); i++) {
      if (is(i, "assert") && is(i + 1, "(")) {
        i = closing(i + 1);
        continue;
      }
      if ((is(i, "<") || is(i, ">")) && are_one(i) && at(i) == at(i + 1)) {
        i += shift(i);
        continue;
      }
      if (is(i, "(")) cast(i);
      if (is(i, "static_cast")) named_cast(i);
      if (is_word(i) && is(i + 1, "(") && types_.count(at(i)) != 0) construction(i);
      if (waits_) wait(i);
    }
  }

  // Returns how many tokens more than the first it takes.
  size_t shift(size_t i) {
    bool is_left = is(i, "<");
    if (is_left && is(i + 2, "<") && are_one(i + 1)) return 2;  // a launch
    if (i == 0 || is(i - 1, "operator")) return 1;
    if (!is_left && closes_templates(i)) return 1;
    bool assigns = is(i + 2, "=") && are_one(i + 1);
    size_t amount = i + (assigns ? 3 : 2);
    if (is(amount, ".") || is_small(amount)) return 1;  // a fold; a number that no type is too narrow for
    std::string op = is_left ? "<<" : ">>";
    if (assigns) op += "=";
    edits_->insert(tokens_[amount - 1].end, "warpcell_cpu_shift" + op);
    return amount - 1 - i;
  }

  // A number below 32 that nothing which binds more strongly follows.
  bool is_small(size_t i) const {
    if (!is_number(i)) return false;
    std::string digits = at(i);
    size_t end = digits.find_first_not_of("0123456789");
    if (digits.size() > 1 && digits[0] == '0') return false;
    if (end != std::string::npos && digits.find_first_not_of("uUlL", end) != std::string::npos) return false;
    if (end > 2 && end != std::string::npos) return false;
    return std::strtoul(digits.c_str(), nullptr, 10) < 32 && !is(i + 1, "+") && !is(i + 1, "-") && !is(i + 1, "*") &&
           !is(i + 1, "/") && !is(i + 1, "%") && !is(i + 1, ".");
  }

  // Whether two lists of template arguments are open at `>>`.
  bool closes_templates(size_t i) const {
    int open = 0;
    for (size_t k = i; k-- > 0;) {
      if (is(k, ")") || is(k, "]")) {
        k = opening(k);
        continue;
      }
      if (is(k, "(") || is(k, "[") || is(k, "{") || is(k, "}") || is(k, ";") || is(k, "?") || is(k, "return")) break;
      if ((is(k, "&") || is(k, "|")) && k > 0 && at(k - 1) == at(k) && are_one(k - 1)) break;
      if (is(k, ">") && !(k > 0 && is(k - 1, "-"))) open--;
      if (is(k, "<") && k > 0 && is_word(k - 1) && ++open == 2) return true;
    }
    return false;
  }

  // `(int)x`. An array's or a function's parameter list is not in front of an operand.
  void cast(size_t i) {
    size_t close = i + 1;
    while (is_word(close) && types_.count(at(close)) != 0) close++;
    if (close == i + 1 || !is(close, ")")) return;
    if (i > 0) {
      bool after_word = is_word(i - 1) && words_before_expressions().count(at(i - 1)) == 0;
      bool after_bracket = (is(i - 1, ")") && last_cast_ != i - 1) || is(i - 1, "]");
      if (after_word || after_bracket || is_number(i - 1) || tokens_[i - 1].kind == Token::text) return;
    }
    size_t operand = close + 1;
    if (operand >= tokens_.size() || tokens_[operand].kind == Token::text) return;
    bool begins = is_word(operand) ? words_after_parameters().count(at(operand)) == 0
                                   : is_number(operand) || std::strchr("(-+~!*&", at(operand)[0]) != nullptr;
    if (!begins || (is(operand, "-") && is(operand + 1, ">") && are_one(operand))) return;
    last_cast_ = close;
    if (!is_whole(operand)) edits_->insert(tokens_[close].end, "(::warpcell_cpu::As<" + words(i + 1, close) + ">)");
  }

  // `static_cast<int>(x)`.
  void named_cast(size_t i) {
    size_t end = i + 2;
    while (is_word(end) && types_.count(at(end)) != 0) end++;
    if (!is(i + 1, "<") || end == i + 2 || !is(end, ">") || !is(end + 1, "(")) return;
    wrap(end + 1, words(i + 2, end));
  }

  // `int(x)`, where a value can stand: not `int(x) = 3;`, `int()`, `int(*p)[4]`, `function<int(float)>`.
  void construction(size_t i) {
    if (i == 0 || is(i - 1, ";") || is(i - 1, "{") || is(i - 1, "}") || tokens_[i - 1].kind == Token::text) return;
    if (is_word(i - 1) && words_before_expressions().count(at(i - 1)) == 0) return;
    if (is(i - 1, ":") && i > 1 && is(i - 2, ":")) return;
    if (is(i - 1, "~") || is(i - 1, ")")) return;
    size_t close = closing(i + 1);
    if (close >= tokens_.size() || close == i + 2 || is(close + 1, "[") || is(close + 1, "(") || is(close + 1, "{"))
      return;
    bool only_types = true;
    for (size_t k = i + 2, depth = 0; k < close; k++) {
      if (is(k, "(") || is(k, "[") || is(k, "{")) depth++;
      if (is(k, ")") || is(k, "]") || is(k, "}")) depth--;
      if (depth == 0 && is(k, ",")) return;
      only_types &= (is_word(k) && types_.count(at(k)) != 0) || is(k, "float") || is(k, "double") || is(k, "const") ||
                    is(k, "*") || is(k, "&");
      if (is_word(k) && is_word(k + 1) && types_.count(at(k)) != 0) return;  // a parameter: `T(int x)`
    }
    if (only_types) return;
    if (close == i + 3 && is_whole(i + 2)) return;
    wrap(i + 1, at(i));
  }

  void wrap(size_t open, const std::string& type) {
    size_t close = closing(open);
    if (close >= tokens_.size() || close == open + 1) return;
    edits_->insert(tokens_[open].end, "::warpcell_cpu::As<" + type + ">(");
    edits_->insert(tokens_[close].at, ")");
  }

  // `while (…)`, and `for` unless it only counts: a thread that waits there lets others run.
  void wait(size_t i) {
    if (!is(i + 1, "(")) return;
    size_t close = closing(i + 1);
    if (close >= tokens_.size()) return;
    const std::string spins = "::warpcell_cpu::spins()";
    if (is(i, "while")) {
      if (is_word(i + 2) && is_word(i + 3)) return;  // a declaration
      edits_->insert(tokens_[i + 1].end, spins + " && (");
      edits_->insert(tokens_[close].at, ")");
    }
    if (!is(i, "for")) return;
    size_t first = separator(i + 2, close), second = separator(first + 1, close);
    if (second >= close) return;  // over a range
    if (second == first + 1) {
      edits_->insert(tokens_[first].end, spins);
      return;
    }
    bool declares = is_word(first + 1) && is_word(first + 2);
    if (declares || !(asks_others(first + 1, second) || ends_early(close + 1))) return;
    edits_->insert(tokens_[first].end, spins + " && (");
    edits_->insert(tokens_[second].at, ")");
  }

  // The `;` that is inside of no bracket, or `end`.
  size_t separator(size_t from, size_t end) const {
    int depth = 0;
    for (size_t k = from; k < end; k++) {
      if (is(k, "(") || is(k, "[") || is(k, "{")) depth++;
      if (is(k, ")") || is(k, "]") || is(k, "}")) depth--;
      if (depth == 0 && is(k, ";")) return k;
    }
    return end;
  }

  // Whether a condition may depend on more than a counter and a limit: on a call, on memory, on several things.
  bool asks_others(size_t from, size_t end) const {
    for (size_t k = from; k < end; k++) {
      bool follows_value = k > from && (tokens_[k - 1].kind == Token::word || is(k - 1, ")") || is(k - 1, "]"));
      if (is(k, "[") || is(k, "&") || is(k, "|") || (is(k, "!") && !is(k + 1, "="))) return true;
      if (is(k, "(") && k > from && is_word(k - 1)) return true;
      if (is(k, "*") && !follows_value) return true;
      if (is_word(k) && volatiles_.count(at(k)) != 0) return true;
    }
    return false;
  }

  // Whether the statement may leave the loop that it is the body of.
  bool ends_early(size_t from) const {
    int depth = 0;
    for (size_t k = from; k < tokens_.size(); k++) {
      if (is(k, "break") || is(k, "return") || is(k, "goto")) return true;
      if (is(k, "(") || is(k, "[") || is(k, "{")) depth++;
      if (is(k, ")") || is(k, "]") || is(k, "}")) depth--;
      if (depth <= 0 && (is(k, ";") || is(k, "}"))) return false;
    }
    return false;
  }

  // A number without a fraction, alone.
  bool is_whole(size_t i) const {
    return is_number(i) && at(i).find_first_not_of("0123456789uUlL'") == std::string::npos && !is(i + 1, ".");
  }

  std::string words(size_t from, size_t end) const {
    std::string text;
    for (size_t k = from; k < end; k++) text += (k > from ? " " : "") + at(k);
    return text;
  }

  size_t closing(size_t open) const {
    int depth = 0;
    for (size_t k = open; k < tokens_.size(); k++) {
      if (is(k, "(")) depth++;
      if (is(k, ")") && --depth == 0) return k;
    }
    return tokens_.size();
  }

  // The bracket that the one at `close` ends; 0 when there is none.
  size_t opening(size_t close) const {
    int depth = 0;
    for (size_t k = close + 1; k-- > 0;) {
      if (is(k, ")") || is(k, "]")) depth++;
      if ((is(k, "(") || is(k, "[")) && --depth == 0) return k;
    }
    return 0;
  }

  const std::string& source_;
  Edits* edits_;
  std::set<std::string> types_;
  std::set<std::string> volatiles_;
  std::vector<Token> tokens_;
  size_t last_cast_ = 0;  // the parenthesis that closed the last cast
  bool waits_ = false;
};

}  // namespace

Edits arithmetic_edits(const std::string& source) {
  Edits edits;
  Reader(source, &edits).run();
  edits.sort();
  return edits;
}

}  // namespace warpcell::cpu
