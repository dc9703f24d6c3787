// One walk over the tokens, which looks for what definitions begin with. What is not understood is left out, so that a
// kernel which uses it is not split.
#include "cell_names.h"

#include <algorithm>
#include <cctype>

#include "../../host/text.h"
#include "known_words.h"

namespace warpcell::cpu {
namespace {

const std::set<std::string>& statement_words() {
  static const std::set<std::string> words = {"if",     "for",    "while", "switch", "catch",
                                              "return", "sizeof", "else",  "do",     "case"};
  return words;
}

// A cell's function may be named with its scope; the last part is the name.
bool opens_body(const Code& code, size_t* i) {
  while (code.is(*i, "const") || code.is(*i, "noexcept") || code.is(*i, "override") || code.is(*i, "final")) ++*i;
  if (code.is(*i, "-") && code.is(*i + 1, ">")) {
    while (*i < code.size() && !code.is(*i, "{") && !code.is(*i, ";")) ++*i;
  }
  if (code.is(*i, ":") && !code.is(*i + 1, ":")) {  // initial values of members
    while (*i < code.size() && !code.is(*i, "{") && !code.is(*i, ";")) *i += 1;
  }
  return code.is(*i, "{");
}

bool is_full_mask_text(const Code& code, Range range) {
  std::string text;
  for (size_t i = range.first; i < range.end; i++) text += code.at(i);
  return warpcell::cpu::is_full_mask(text);
}

}  // namespace

CellNames::CellNames(const Code& code, const std::vector<std::string>& defines) : code_(code) {
  for (const std::string& text : defines) {
    size_t equals = text.find('=');
    define(equals == std::string::npos ? text + " 1" : text.substr(0, equals) + " " + text.substr(equals + 1));
  }
  size_t statement = 0, function_end = 0;
  std::map<std::string, int> kernels;
  for (size_t i = 0; i < code.size(); i++) {
    if (code.is_directive(i)) {
      read_directive(i);
      statement = i + 1;
      continue;
    }
    if (code.is(i, ";") || code.is(i, "{") || code.is(i, "}")) statement = i + 1;
    if ((code.is(i, "struct") || code.is(i, "class") || code.is(i, "union") || code.is(i, "enum")) &&
        code.is_name(i + 1))
      types_.insert(code.at(code.is(i + 1, "class") ? i + 2 : i + 1));
    if ((code.is(i, "class") || code.is(i, "typename")) && code.is_name(i + 1)) types_.insert(code.at(i + 1));
    if (code.is(i, "using") && code.is_name(i + 1) && code.is(i + 2, "=")) types_.insert(code.at(i + 1));
    if (code.is(i, "typedef")) {
      size_t end = i;
      while (end < code.size() && !code.is(end, ";")) end++;
      if (end > i + 2 && code.is_name(end - 1)) types_.insert(code.at(end - 1));
    }
    // `constexpr int N = 4;`, `const int N = 4;`
    if (code.is(i, "=") && i >= function_end && i > statement + 1 && code.is_name(i - 1)) {
      bool is_constant = false, is_memory = false;
      for (size_t k = statement; k < i; k++) {
        is_constant |= code.is(k, "constexpr") || code.is(k, "const");
        is_memory |= code.is(k, "__device__") || code.is(k, "__constant__") || code.is(k, "__shared__") ||
                     code.is(k, "__managed__") || code.is(k, "*") || code.is(k, "&") || code.is(k, "(");
      }
      if (is_constant && !is_memory) {
        constants_.insert(code.at(i - 1));
        size_t end = i;
        while (end < code.size() && !code.is(end, ";") && !code.is(end, ",")) end++;
        if (is_full_mask_text(code, {i + 1, end})) full_masks_.insert(code.at(i - 1));
      }
    }
    if (code.is(i, "enum")) {
      size_t open = i;
      while (open < code.size() && !code.is(open, "{") && !code.is(open, ";")) open++;
      for (size_t k = open; code.is(open, "{") && k < code.closing(open); k++) {
        if (code.is_name(k) && (code.is(k - 1, "{") || code.is(k - 1, ","))) constants_.insert(code.at(k));
      }
    }
    if (code.is(i, "operator")) {
      size_t open = i + 1;
      while (open < code.size() && !code.is(open, "(")) open++;
      if (code.is(open, "(") && code.closing(open) == open + 1 && code.is(open + 2, "(")) open += 2;  // operator()
      size_t body = open < code.size() ? code.closing(open) + 1 : open;
      if (opens_body(code, &body)) {
        read_function(i, code.closing(open), body);
        unnamed_.insert("operator");
      }
      i = open;
      continue;
    }
    if (!code.is(i, "(") || i == 0 || !code.is_name(i - 1) || statement_words().count(code.at(i - 1)) != 0) continue;
    if (code.is(i - 1, "__launch_bounds__") || code.is(i - 1, "__attribute__") || code.is(i - 1, "__align__")) {
      i = code.closing(i);
      continue;
    }
    size_t close = code.closing(i), body = close + 1;
    if (close >= code.size() || !opens_body(code, &body) || code.closing(body) >= code.size()) continue;
    bool is_kernel = false, is_specialised = false;
    for (size_t k = statement; k < i; k++) is_kernel |= code.is(k, "__global__");
    is_specialised = i >= 2 && code.is(i - 1, ">");
    if (types_.count(code.at(i - 1)) != 0) unnamed_.insert(code.at(i - 1));
    if (is_kernel && !is_specialised) {
      kernels[code.at(i - 1)]++;
      read_kernel(statement, i - 1, close, body);
      i = statement = code.closing(body);
      statement++;
    } else {
      read_function(i - 1, close, body);
      function_end = std::max(function_end, code.closing(body));
    }
  }
  // `template <> __global__ void k<float>(…)`, or two kernels of one name: which one is meant, a compiler says.
  for (size_t i = 0; i < code.size(); i++) {
    if (!code.is(i, "__global__")) continue;
    for (size_t k = i; k < code.size() && !code.is(k, "(") && !code.is(k, ";"); k++) {
      if (code.is_name(k) && code.is(k + 1, "<")) kernels[code.at(k)] += 2;
      if (code.is(k, "__launch_bounds__") && code.is(k + 1, "(")) k = code.closing(k + 1);
    }
  }
  std::vector<KernelText> single;
  for (KernelText& kernel : kernels_) {
    if (kernels[kernel.name] == 1) single.push_back(kernel);
  }
  kernels_ = single;
}

const Macro* CellNames::macro(const std::string& name) const {
  auto found = macros_.find(name);
  return found == macros_.end() ? nullptr : &found->second;
}

bool CellNames::is_full_mask(const std::string& name) const {
  const Macro* text = macro(name);
  return text != nullptr ? text->is_full_mask : full_masks_.count(name) != 0;
}

bool CellNames::has_references(const std::string& name) const {
  auto found = functions_.find(name);
  return found != functions_.end() && found->second.has_references;
}

void CellNames::read_directive(size_t i) {
  std::string text = code_.at(i).substr(1);
  size_t word = text.find_first_not_of(" \t");
  if (word == std::string::npos) return;
  text = text.substr(word);
  if (starts_with(text, "define")) return define(text.substr(6));
  if (starts_with(text, "undef")) reason_ = "the cell takes macros back with #undef";
  if (!starts_with(text, "include")) return;
  size_t open = text.find_first_of("<\""),
         close = open == std::string::npos ? open : text.find_first_of(">\"", open + 1);
  std::string name = close == std::string::npos ? "" : text.substr(open + 1, close - open - 1);
  if (!is_plain_header(name)) reason_ = "the cell includes " + (name.empty() ? "a header" : name);
}

// "NAME text" or "NAME(a, b) text".
void CellNames::define(const std::string& line) {
  size_t at = line.find_first_not_of(" \t");
  if (at == std::string::npos) return;
  size_t end = at;
  while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) || line[end] == '_')) end++;
  std::string name = line.substr(at, end - at);
  Macro macro;
  macro.takes_arguments = end < line.size() && line[end] == '(';
  std::set<std::string> parameters;
  if (macro.takes_arguments) {
    size_t close = std::min(line.find(')', end), line.size());
    std::string list = line.substr(end, close - end);
    Code words(list);
    for (size_t i = 0; i < words.size(); i++) parameters.insert(words.at(i));
    end = close;
  }
  std::string text = end >= line.size() ? "" : line.substr(macro.takes_arguments ? end + 1 : end);
  for (char& c : text) c = c == '\\' || c == '\n' ? ' ' : c;
  Code body(text);
  macro.has_semicolon = body.size() > 0 && body.is(body.size() - 1, ";");
  macro.is_full_mask = !macro.takes_arguments && is_full_mask_text(body, {0, body.size()});
  macro.is_barrier = !macro.takes_arguments && body.is(0, "__syncthreads") && body.is(1, "(") && body.is(2, ")") &&
                     body.size() == (macro.has_semicolon ? 4 : 3);
  for (size_t i = 0; i < body.size(); i++) {
    std::string word = body.at(i);
    bool is_statement = word == ";" || word == "{" || word == "}" || word == "#" || word == "static" ||
                        word == "__shared__" || statement_words().count(word) != 0 || body.is_directive(i) ||
                        word == "break" || word == "continue" || word == "__syncthreads" || word == "\\";
    bool assigns = word == "=" && !body.is(i + 1, "=") && i > 0 && !body.is(i - 1, "=") && !body.is(i - 1, "!") &&
                   !body.is(i - 1, "<") && !body.is(i - 1, ">");
    bool steps = (word == "+" || word == "-") && body.is(i + 1, word.c_str()) && body.are_one(i);
    if ((is_statement && word != "sizeof") || assigns || steps || word == "&")
      macro.reason = "the macro " + name + " is more than a value";
    if (body.is_name(i) && parameters.count(word) == 0) macro.words.insert(word);
    bool follows_value = i > 0 && (body.is_name(i - 1) || body.is_number(i - 1) || body.is(i - 1, "]"));
    macro.reads_memory |= word == "[" || (word == "*" && !follows_value && !(i > 0 && body.is(i - 1, ")"))) ||
                          (word == ">" && i > 0 && body.is(i - 1, "-")) || body.is_text(i);
  }
  // The same name twice: which one is meant depends on where it stands.
  auto [known, is_new] = macros_.emplace(name, macro);
  if (!is_new) {
    known->second.is_barrier = known->second.is_full_mask = false;
    known->second.reason = "the macro " + name + " is defined twice";
  }
}

void CellNames::read_function(size_t name, size_t close, size_t body) {
  Function& function = functions_[code_.at(name)];
  function.name = name;
  function.close = close;
  function.body = body;
  function.definitions++;
  for (size_t i = name + 1; i < close; i++) {
    if (code_.is(i, "&")) function.has_references = true;
    if (code_.is_name(i)) function.parameters.insert(code_.at(i));
  }
  for (size_t i = body + 1; i < code_.closing(body); i++) {
    if (code_.is_directive(i)) {
      std::string text = code_.at(i);
      if (text.find("pragma") == std::string::npos) function.reason = "a preprocessor directive stands in it";
      continue;
    }
    if (!code_.is_name(i)) continue;
    std::string word = code_.at(i);
    function.words.insert(word);
    function.has_loops |= word == "for" || word == "while" || word == "do";
    if (word == "static") function.reason = "it keeps a static variable";
    bool is_call = code_.is(i + 1, "(");
    if (code_.is(i + 1, "<")) {
      size_t behind = code_.behind_angles(i + 1);
      is_call = behind != 0 && code_.is(behind, "(");
    }
    // `float total(0);` is taken for a call, too.
    if (is_call && statement_words().count(word) == 0) function.calls.insert(word);
  }
}

void CellNames::read_kernel(size_t statement, size_t name, size_t close, size_t body) {
  KernelText kernel;
  kernel.name = code_.at(name);
  kernel.start = statement;
  kernel.parameters = {name + 2, close};
  kernel.body = {body + 1, code_.closing(body)};
  if (code_.is(statement, "template") && code_.is(statement + 1, "<")) {
    size_t end = code_.behind_angles(statement + 1), first = statement + 2;
    for (size_t i = first; i < end; i++) {
      if (code_.is(i, "<")) i = code_.behind_angles(i);
      if (!code_.is(i, ",") && i != end - 1) continue;
      // The name is behind the type, in front of a default.
      size_t last = first;
      while (last < i && !code_.is(last, "=")) last++;
      bool is_type = code_.is(first, "class") || code_.is(first, "typename");
      if (last > first + 1) (is_type ? kernel.types : kernel.constants).insert(code_.at(last - 1));
      first = i + 1;
    }
  }
  kernels_.push_back(kernel);
}

std::string CellNames::reason_in(const std::string& function) const {
  std::set<std::string> seen;
  std::string reason = reason_in(function, seen);
  return reason.empty() ? "" : "it calls " + function + ", of which it is said: " + reason;
}

std::string CellNames::reason_in(const std::string& name, std::set<std::string>& seen) const {
  if (!seen.insert(name).second) return "";
  const Function& function = functions_.at(name);
  if (!function.reason.empty()) return function.reason;
  for (const std::string& word : function.words) {
    if (word == "__syncthreads") return "it waits at __syncthreads";
    std::string reason = reason_to_keep(word);
    if (!reason.empty()) return reason;
    if (is_lock(word) && function.has_loops) return "it may wait in a loop with " + word;
    if (const Macro* used = macro(word)) {
      if (!used->reason.empty() || used->is_barrier) return "it uses the macro " + word;
      for (const std::string& inner : used->words) {
        if (!reason_to_keep(inner).empty() || is_lock(inner)) return "it uses the macro " + word;
        if (functions_.count(inner) != 0) {
          reason = reason_in(inner, seen);
          if (!reason.empty()) return reason;
        }
      }
    }
    if (functions_.count(word) == 0) continue;
    reason = reason_in(word, seen);
    if (!reason.empty()) return reason;
  }
  for (const std::string& called : function.calls) {
    if (functions_.count(called) != 0 || is_known_function(called) || is_atomic(called) || is_type_word(called) ||
        types_.count(called) != 0 || function.parameters.count(called) != 0 || macros_.count(called) != 0 ||
        starts_with(called, "__threadfence"))
      continue;
    return "it calls " + called + ", which the cell does not define";
  }
  return "";
}

std::string CellNames::reason_in_unnamed() const {
  for (const std::string& name : unnamed_) {
    std::string reason = functions_.count(name) == 0 ? "" : reason_in(name);
    if (!reason.empty()) return reason;
  }
  return "";
}

bool CellNames::asks_for_thread(const std::string& name) const {
  return mentions(name, [](const std::string& word) { return word == "threadIdx" || word == "assert"; });
}

bool CellNames::waits(const std::string& function) const { return mentions(function, is_waiting); }

// Whether a word is wanted, or one of the functions and macros that it leads to.
bool CellNames::mentions(const std::string& name, const std::function<bool(const std::string&)>& is_wanted) const {
  std::vector<std::string> left = {name};
  std::set<std::string> seen;
  while (!left.empty()) {
    std::string next = left.back();
    left.pop_back();
    if (!seen.insert(next).second) continue;
    if (is_wanted(next)) return true;
    auto found = functions_.find(next);
    if (found != functions_.end()) left.insert(left.end(), found->second.words.begin(), found->second.words.end());
    auto macro = macros_.find(next);
    if (macro != macros_.end()) left.insert(left.end(), macro->second.words.begin(), macro->second.words.end());
  }
  return false;
}

}  // namespace warpcell::cpu
