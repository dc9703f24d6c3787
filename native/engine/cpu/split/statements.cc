// A parser of C++'s statements by descent. Expressions stay runs of tokens, of which each name is looked up.
#include "statements.h"

#include <algorithm>

#include "../../host/text.h"
#include "known_words.h"

namespace warpcell::cpu {
namespace {

bool is_specifier(const Code& code, size_t i) {
  for (const char* word : {"const", "constexpr", "unsigned", "signed", "int", "long", "short", "char", "bool", "float",
                           "double", "void", "auto", "register", "typename"}) {
    if (code.is(i, word)) return true;
  }
  return false;
}

void clear_turns(Statement& statement) {
  statement.waits = statement.is_in_turns = false;
  statement.stride.reset();
  for (Statement& part : statement.parts) clear_turns(part);
}

}  // namespace

bool has_jump(const Statement& statement) {
  if (statement.kind == Statement::leave || statement.kind == Statement::stop || statement.kind == Statement::next)
    return true;
  for (const Statement& part : statement.parts) {
    if (has_jump(part)) return true;
  }
  return false;
}

KernelBody::KernelBody(const Code& code, const CellNames& names, const KernelText& kernel)
    : code_(code), names_(names), kernel_(kernel) {
  scopes_.emplace_back();
  declared_.emplace_back();
  for (size_t i = kernel.parameters.first; i < kernel.parameters.end;) {
    size_t end = i;
    while (end < kernel.parameters.end && !code.is(end, ",")) {
      if (code.is(end, "(") || code.is(end, "[")) end = code.closing(end);
      if (code.is(end, "<")) {
        size_t behind = code.behind_angles(end);
        if (behind != 0) end = behind - 1;
      }
      end++;
    }
    if (code.is(i, "__grid_constant__")) i++;
    size_t behind = behind_specifiers(i);
    if (behind == i || behind >= end) keep("its parameters are not understood");
    declare({i, behind}, {behind, end}, true);
    i = end + 1;
  }
  at_ = kernel.body.first;
  body_.kind = Statement::block;
  body_.range = {at_, kernel.body.end};
  while (at_ < kernel.body.end) {
    body_.parts.push_back(statement());
    body_.waits |= body_.parts.back().waits;
  }
  for (auto& scope : declared_) {
    for (size_t variable : scope) variables_[variable].scope_end = kernel.body.end;
  }
  std::sort(uses_.begin(), uses_.end(), [](const Use& a, const Use& b) { return a.token < b.token; });
}

Range KernelBody::uses_in(Range range) const {
  auto before = [](const Use& use, size_t token) { return use.token < token; };
  auto first = std::lower_bound(uses_.begin(), uses_.end(), range.first, before);
  auto end = std::lower_bound(first, uses_.end(), range.end, before);
  return {size_t(first - uses_.begin()), size_t(end - uses_.begin())};
}

const Use* KernelBody::use_at(size_t token) const {
  Range found = uses_in({token, token + 1});
  return found.empty() ? nullptr : &uses_[found.first];
}

bool KernelBody::is_builtin_index(size_t i) const {
  return code_.is(i, "threadIdx") || code_.is(i, "blockIdx") || code_.is(i, "blockDim") || code_.is(i, "gridDim");
}

void KernelBody::mark_turns(Statement& statement, const Change& may) {
  for (Statement& part : statement.parts) {
    if (part.waits) {
      mark_turns(part, may);
      continue;
    }
    if (!may(part, statement)) continue;
    part.waits = part.is_in_turns = true;
    if (part.parts[1].kind == Statement::block) part.parts[1].waits = true;
    if (!has_jump(part)) mark_turns(part, may);
  }
}

bool KernelBody::unmark_turns(Statement& statement, const Question& uniform) {
  bool all = true;
  for (Statement& part : statement.parts) {
    if (!part.waits) continue;
    if (part.is_in_turns && !uniform(part)) {
      clear_turns(part);
      all = false;
      continue;
    }
    all &= unmark_turns(part, uniform);
  }
  return all;
}

void KernelBody::expect(const char* mark) {
  if (!code_.is(at_, mark))
    keep("line " + std::to_string(code_.line(std::min(at_, code_.size() - 1))) + " is not understood");
  at_++;
}

const size_t* KernelBody::find(const std::string& name) const {
  for (size_t i = scopes_.size(); i-- > 0;) {
    auto found = scopes_[i].find(name);
    if (found != scopes_[i].end()) return &found->second;
  }
  return nullptr;
}

Statement KernelBody::statement() {
  size_t start = at_;
  while (code_.is_directive(at_)) {
    std::string text = code_.at(at_);
    if (text.find("pragma") == std::string::npos || text.find("unroll") == std::string::npos)
      keep("a preprocessor directive stands among its statements");
    at_++;
  }
  if (at_ >= kernel_.body.end) keep("a #pragma is its last line");
  size_t first = at_;
  Statement statement = statement_behind_pragma();
  statement.range = {start, at_};
  statement.first = first;
  return statement;
}

Statement KernelBody::statement_behind_pragma() {
  Statement statement;
  statement.first = at_;
  std::string word = code_.at(at_);
  if (word == "{") return block();
  if (word == ";") {
    at_++;
    return statement;
  }
  if (skip_barrier()) {
    statement.kind = Statement::barrier;
    statement.waits = true;
    return statement;
  }
  if (word == "for" || word == "while" || word == "do" || word == "switch") return loop(statement);
  if (word == "if") {
    statement.kind = Statement::branch;
    at_++;
    if (code_.is(at_, "constexpr")) at_++;
    size_t open = at_, close = code_.closing(open);
    expect("(");
    if (is_declaration(at_)) keep("an if declares a variable");
    statement.condition = {at_, close};
    expression(statement.condition);
    at_ = close + 1;
    statement.parts.push_back(this->statement());
    if (code_.is(at_, "else")) {
      at_++;
      statement.parts.push_back(this->statement());
    }
    for (const Statement& part : statement.parts) statement.waits |= part.waits;
    return statement;
  }
  if (word == "return" || word == "break" || word == "continue") {
    statement.kind = word == "return" ? Statement::leave : word == "break" ? Statement::stop : Statement::next;
    at_++;
    expect(";");
    if (word == "return") return statement;
    for (size_t i = loops_.size(); i-- > 0;) {
      if (word == "continue" && loops_[i].is_choice) continue;
      statement.target = loops_[i].first;
      return statement;
    }
    keep("a " + word + " stands outside of a loop");
  }
  if (word == "case" || word == "default") {
    if (loops_.empty() || !loops_.back().is_choice) keep("a case stands outside of its switch");
    while (at_ < kernel_.body.end && !(code_.is(at_, ":") && !code_.is(at_ + 1, ":") && !code_.is(at_ - 1, ":"))) at_++;
    at_++;
    if (code_.is(at_, "}")) return statement;
    return statement_behind_pragma();
  }
  if (word == "using" || word == "typedef" || word == "static_assert") {
    statement.kind = Statement::type;
    if (word == "using" && code_.is(at_ + 1, "namespace")) keep("a using directive stands in it");
    while (at_ < kernel_.body.end && !code_.is(at_, ";")) at_++;
    expect(";");
    return statement;
  }
  if (word == "__shared__" || word == "extern" || (word == "static" && code_.is(at_ + 1, "__shared__")) ||
      ((word == "alignas" || word == "__align__") && code_.is(code_.closing(at_ + 1) + 1, "__shared__"))) {
    statement.kind = Statement::shared;
    size_t end = end_of_expression(at_);
    for (size_t i = at_; i < end; i++) {
      bool names = code_.is_name(i) && (code_.is(i + 1, "[") || code_.is(i + 1, ",") || code_.is(i + 1, ";"));
      if (!names || find(code_.at(i)) != nullptr || i < at_ + 2) continue;
      if (code_.is(i + 1, ",") && code_.is(i - 1, "<")) continue;
      size_t bracket = i + 1;
      while (code_.is(bracket, "[")) bracket = code_.closing(bracket) + 1;
      if (!code_.is(bracket, ",") && !code_.is(bracket, ";")) continue;
      size_t variable = declare({at_, i}, {i, bracket}, false);
      variables_[variable].is_shared = true;
      statement.variables.push_back(variable);
      i = bracket;
    }
    if (statement.variables.empty()) keep("a __shared__ declaration is not understood");
    Range all = {at_, end};
    at_ = end + 1;
    for (size_t i = all.first; i < all.end; i++) {
      if (code_.is(i, "=")) keep("a __shared__ variable has an initial value");
      if (code_.is(i, "[")) {
        expression({i + 1, code_.closing(i)});
        i = code_.closing(i);
      }
    }
    return statement;
  }
  for (const char* refused : {"struct", "class", "union", "enum", "template", "static", "goto", "try", "asm", "else"}) {
    if (word == refused) keep(std::string("its statements have the word ") + refused);
  }
  if (code_.is_name(at_) && code_.is(at_ + 1, ":") && !code_.is(at_ + 2, ":")) keep("it has a label");
  size_t exchanges = exchanges_.size();
  takes_exchanges_ = true;
  if (is_declaration(at_)) {
    statement = declaration();
  } else {
    statement.kind = Statement::expression;
    size_t end = end_of_expression(at_);
    expression({at_, end});
    at_ = end + 1;
  }
  takes_exchanges_ = false;
  finish_exchanges(&statement, exchanges);
  return statement;
}

Statement KernelBody::block() {
  Statement statement;
  statement.kind = Statement::block;
  statement.first = at_;
  size_t close = code_.closing(at_);
  at_++;
  scopes_.emplace_back();
  declared_.emplace_back();
  while (at_ < close) {
    statement.parts.push_back(this->statement());
    statement.waits |= statement.parts.back().waits;
  }
  expect("}");
  for (size_t variable : declared_.back()) variables_[variable].scope_end = at_;
  scopes_.pop_back();
  declared_.pop_back();
  return statement;
}

Statement KernelBody::loop(Statement statement) {
  std::string word = code_.at(at_);
  size_t first = at_++;
  bool is_choice = word == "switch";
  statement.kind = word == "for"     ? Statement::counted
                   : word == "while" ? Statement::conditional
                   : word == "do"    ? Statement::repeated
                                     : Statement::choice;
  scopes_.emplace_back();
  declared_.emplace_back();
  size_t close = word == "do" ? 0 : code_.closing(at_);
  if (word != "do") expect("(");
  if (word == "for") {
    bool has_parts = false;
    for (size_t i = at_; i < close; i++) {
      if (code_.is(i, "(") || code_.is(i, "{") || code_.is(i, "[")) i = code_.closing(i);
      has_parts |= code_.is(i, ";");
    }
    if (!has_parts) keep("it has a loop over a range");
    Statement begin;
    begin.range.first = begin.first = at_;
    if (code_.is(at_, ";"))
      at_++;
    else if (is_declaration(at_))
      begin = declaration();
    else {
      begin.kind = Statement::expression;
      size_t end = end_of_expression(at_);
      expression({at_, end});
      at_ = end + 1;
    }
    begin.first = begin.range.first;
    begin.range.end = at_;
    statement.parts.push_back(begin);
    size_t separator = end_of_expression(at_);
    if (separator >= close) keep("a for is not understood");
    if (is_declaration(at_)) keep("the condition of a loop declares a variable");
    statement.condition = {at_, separator};
    statement.step = {separator + 1, close};
    expression(statement.condition);
    expression(statement.step);
    at_ = close + 1;
  } else if (word != "do") {
    if (is_declaration(at_)) keep("the condition of a loop declares a variable");
    statement.condition = {at_, close};
    expression(statement.condition);
    at_ = close + 1;
  }
  loops_.push_back({first, is_choice});
  Statement body = this->statement();
  loops_.pop_back();
  statement.waits = body.waits;
  statement.parts.push_back(body);
  if (word == "do") {
    expect("while");
    close = code_.closing(at_);
    expect("(");
    statement.condition = {at_, close};
    expression(statement.condition);
    at_ = close + 1;
    expect(";");
  }
  for (size_t variable : declared_.back()) variables_[variable].scope_end = at_;
  scopes_.pop_back();
  declared_.pop_back();
  statement.range = {first, at_};
  if (!is_choice && !statement.waits) check_loop_for_waiting(statement);
  if (is_choice && statement.waits) keep("a barrier stands in a switch");
  return statement;
}

// Threads of a block run one after another between barriers: none may wait for a later one.
void KernelBody::check_loop_for_waiting(const Statement& loop) const {
  bool has_atomic = false, ends_early = false;
  std::set<std::string> words;
  for (size_t i = loop.range.first; i < loop.range.end; i++) {
    std::string word = code_.at(i);
    words.insert(word);
    if (const Macro* macro = names_.macro(word)) words.insert(macro->words.begin(), macro->words.end());
    ends_early |= word == "break" || word == "return";
  }
  for (const std::string& word : words) {
    if (is_lock(word) || starts_with(word, "__threadfence"))
      keep("it may wait for another thread, in a loop with " + word);
    has_atomic |= is_atomic(word);
  }
  if (!has_atomic) return;
  if (ends_early || loop.kind != Statement::counted || loop.condition.empty())
    keep("it may wait for another thread, in a loop with an atomic function");
  // The condition may ask for what only the step changes.
  for (size_t i = loop.condition.first; i < loop.condition.end; i++) {
    if (is_atomic(code_.at(i))) keep("it may wait for another thread, in a loop with an atomic function");
    if (!code_.is_name(i)) continue;
    for (const Use& use : uses_) {
      bool is_inside = loop.parts.back().range.contains(use.token);
      if (is_inside && use.changes && variables_[use.variable].name == code_.at(i))
        keep("it may wait for another thread, in a loop with an atomic function");
    }
  }
}

bool KernelBody::skip_barrier() {
  if (code_.is(at_, "__syncwarp") && code_.is(at_ + 1, "(")) {
    size_t close = code_.closing(at_ + 1);
    Range mask = {at_ + 2, close};
    if (code_.is(close + 1, ";") && (mask.empty() || is_full_mask(mask))) {
      at_ = close + 2;
      return true;
    }
  }
  if (code_.is(at_, "__syncthreads") && code_.is(at_ + 1, "(") && code_.is(at_ + 2, ")") && code_.is(at_ + 3, ";")) {
    at_ += 4;
    return true;
  }
  const Macro* macro = code_.is_name(at_) ? names_.macro(code_.at(at_)) : nullptr;
  if (macro == nullptr || !macro->is_barrier || find(code_.at(at_)) != nullptr) return false;
  bool ends = code_.is(at_ + 1, ";");
  if (!ends && !macro->has_semicolon) keep("the macro " + code_.at(at_) + " is more than a value");
  at_ += ends ? 2 : 1;
  return true;
}

// Behind the words that say a type; `i` where none do.
size_t KernelBody::behind_specifiers(size_t i) const {
  size_t start = i;
  bool has_type = false;
  for (;;) {
    if (is_specifier(code_, i)) {
      has_type |=
          !code_.is(i, "const") && !code_.is(i, "constexpr") && !code_.is(i, "typename") && !code_.is(i, "register");
      i++;
      continue;
    }
    bool is_scoped = code_.is(i, ":") && code_.is(i + 1, ":");
    if (has_type || !(code_.is_name(i) || is_scoped) || find(code_.at(i)) != nullptr) break;
    if (is_expression_word(code_.at(i)) || code_.is(i, "return")) return start;
    if (is_scoped) i += 2;
    for (;;) {
      if (!code_.is_name(i)) return start;
      i++;
      if (code_.is(i, "<")) {
        size_t behind = code_.behind_angles(i);
        if (behind == 0) return start;
        i = behind;
      }
      if (!(code_.is(i, ":") && code_.is(i + 1, ":"))) break;
      i += 2;
    }
    has_type = true;
  }
  return has_type ? i : start;
}

bool KernelBody::is_declaration(size_t i) const {
  size_t behind = behind_specifiers(i);
  if (behind == i) return false;
  while (code_.is(behind, "*") || code_.is(behind, "&") || code_.is(behind, "const") ||
         code_.is(behind, "__restrict__"))
    behind++;
  if (!code_.is_name(behind)) return code_.is(i, "const") || code_.is(i, "constexpr");
  return code_.is(behind + 1, ";") || code_.is(behind + 1, "=") || code_.is(behind + 1, ",") ||
         code_.is(behind + 1, "[") || code_.is(behind + 1, "(") || code_.is(behind + 1, "{");
}

Statement KernelBody::declaration() {
  Statement statement;
  statement.kind = Statement::declaration;
  statement.range.first = statement.first = at_;
  size_t behind = behind_specifiers(at_);
  Range specifiers = {at_, behind};
  for (size_t i = specifiers.first; i < specifiers.end; i++) {
    std::string reason = reason_to_keep(code_.at(i));
    if (!reason.empty()) keep(reason);
    if (const Macro* macro = names_.macro(code_.at(i))) {
      if (!macro->reason.empty() || macro->is_barrier) keep("the macro " + code_.at(i) + " stands in a declaration");
    }
  }
  at_ = behind;
  for (;;) {
    size_t start = at_;
    while (code_.is(at_, "*") || code_.is(at_, "&") || code_.is(at_, "const") || code_.is(at_, "__restrict__")) at_++;
    if (!code_.is_name(at_)) keep("a declaration is not understood");
    size_t name = at_++;
    while (code_.is(at_, "[")) {
      expression({at_ + 1, code_.closing(at_)});
      at_ = code_.closing(at_) + 1;
    }
    Range declarator = {start, at_}, initial;
    if (code_.is(at_, "=")) {
      initial.first = ++at_;
      while (at_ < kernel_.body.end && !code_.is(at_, ",") && !code_.is(at_, ";")) {
        if (code_.is(at_, "(") || code_.is(at_, "[") || code_.is(at_, "{")) at_ = code_.closing(at_);
        if (code_.is(at_, "<") && code_.is_name(at_ - 1) && find(code_.at(at_ - 1)) == nullptr) {
          size_t angles = code_.behind_angles(at_);
          if (angles != 0 && (code_.is(angles, "(") || code_.is(angles, ":") || code_.is(angles, "{")))
            at_ = angles - 1;
        }
        at_++;
      }
      initial.end = at_;
    } else if (code_.is(at_, "(") || code_.is(at_, "{")) {
      initial = {at_ + 1, code_.closing(at_)};
      at_ = code_.closing(at_) + 1;
    }
    expression(initial);
    size_t variable = declare(specifiers, declarator, false);
    variables_[variable].initial = initial;
    variables_[variable].end = at_;
    if (variables_[variable].is_reference) {
      for (Use& use : uses_) {
        if (initial.contains(use.token)) variables_[use.variable].is_exposed = true;
      }
    }
    statement.variables.push_back(variable);
    if (variables_[variable].name != code_.at(name)) keep("a declaration is not understood");
    if (code_.is(at_, ",")) {
      at_++;
      continue;
    }
    expect(";");
    break;
  }
  statement.range.end = at_;
  return statement;
}

}  // namespace warpcell::cpu
