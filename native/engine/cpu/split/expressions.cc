// The names in expressions and declarations: which variable each is, whether it gets a value there, and what is called.
#include "../../host/text.h"
#include "known_words.h"
#include "statements.h"

namespace warpcell::cpu {

size_t KernelBody::declare(Range specifiers, Range declarator, bool is_parameter) {
  Variable variable;
  variable.specifiers = specifiers;
  variable.declarator = declarator;
  variable.is_parameter = is_parameter;
  bool last_is_constant = false;
  for (size_t i = declarator.first; i < declarator.end; i++) {
    if (code_.is(i, "*")) variable.is_pointer = true;
    if (code_.is(i, "&")) variable.is_reference = true;
    if (code_.is(i, "const")) last_is_constant = true;
    if (code_.is(i, "[")) variable.is_array = true;
    if (code_.is(i, "[")) i = code_.closing(i);
    if (code_.is_name(i) && !code_.is(i, "const") && !code_.is(i, "__restrict__")) {
      variable.name = code_.at(i);
      variable.declared = i;
    }
    if (code_.is(i, "(") || code_.is(i, "=") || code_.is(i, ".")) keep("its parameters are not understood");
  }
  if (variable.name.empty() && !is_parameter) keep("a declaration is not understood");
  bool is_plain = false;
  for (size_t i = specifiers.first; i < specifiers.end; i++) {
    if (code_.is(i, "const") || code_.is(i, "constexpr")) last_is_constant |= !variable.is_pointer;
    is_plain |= is_type_word(code_.at(i)) && !code_.is(i, "const");
    variable.is_automatic |= code_.is(i, "auto");
  }
  if (is_parameter && variable.is_array) {
    variable.is_array = false;
    variable.is_pointer = true;
  }
  variable.is_constant = last_is_constant;
  variable.is_class = !is_plain;
  variable.end = declarator.end;
  size_t index = variables_.size();
  variables_.push_back(variable);
  if (variable.name.empty()) return index;
  if (names_.macro(variable.name) != nullptr) keep("the name " + variable.name + " is a macro's, too");
  if (names_.is_function(variable.name)) keep("a variable has the name of the function " + variable.name);
  if (find(variable.name) != nullptr) keep("the name " + variable.name + " is declared inside of its own scope");
  scopes_.back()[variable.name] = index;
  declared_.back().push_back(index);
  return index;
}

size_t KernelBody::end_of_expression(size_t i) const {
  while (i < kernel_.body.end && !code_.is(i, ";")) {
    if (code_.is(i, "(") || code_.is(i, "[") || code_.is(i, "{")) i = code_.closing(i);
    i++;
  }
  if (i >= kernel_.body.end) keep("a statement has no end");
  return i;
}

void KernelBody::expression(Range range) {
  for (size_t i = range.first; i < range.end; i++) {
    if (code_.is_directive(i)) keep("a preprocessor directive stands in a statement");
    if (code_.is(i, "[")) {
      bool is_index = i > range.first && (code_.is_name(i - 1) || code_.is(i - 1, ")") || code_.is(i - 1, "]"));
      if (!is_index) keep("it has a lambda");
    }
    if (code_.is(i, "{") && i > range.first && !code_.is_name(i - 1) && !code_.is(i - 1, "=") &&
        !code_.is(i - 1, "{") && !code_.is(i - 1, ",") && !code_.is(i - 1, "("))
      keep("a statement is not understood");
    if (code_.is(i, "<") && code_.is(i + 1, "<") && code_.is(i + 2, "<")) keep("it launches a kernel");
    if (code_.is(i, "(") && (assigns_behind(code_.closing(i)) || steps_before(i)) && !code_.is(i + 1, "*"))
      keep("an expression in parentheses is assigned to");
    if (code_.is_name(i)) expression_word(i);
  }
}

void KernelBody::expression_word(size_t i) {
  std::string word = code_.at(i);
  if (word == "__syncthreads") keep("a barrier stands inside an expression");
  if (takes_exchanges_ && is_exchange(word)) return exchange(i);
  std::string reason = reason_to_keep(word);
  if (!reason.empty()) keep(reason);
  if (word == "new" || word == "delete" || word == "throw" || word == "operator") keep("it uses " + word);
  bool is_member = i > 0 && (code_.is(i - 1, ".") ||
                             (code_.is(i - 1, ">") && i > 1 && code_.is(i - 2, "-") && code_.are_one(i - 2)));
  if (const Macro* macro = is_member ? nullptr : names_.macro(word)) {
    if (macro->is_barrier) keep("a barrier stands inside an expression");
    if (!macro->reason.empty()) keep(macro->reason);
    std::vector<std::string> left(macro->words.begin(), macro->words.end());
    std::set<std::string> seen = {word};
    while (!left.empty()) {
      std::string inner = left.back();
      left.pop_back();
      if (!seen.insert(inner).second) continue;
      if (!reason_to_keep(inner).empty() || inner == "__syncthreads") keep("the macro " + word + " uses " + inner);
      if (names_.is_function(inner) && !names_.reason_in(inner).empty()) keep(names_.reason_in(inner));
      if (const Macro* used = names_.macro(inner)) {
        if (!used->reason.empty() || used->is_barrier) keep("the macro " + word + " uses " + inner);
        left.insert(left.end(), used->words.begin(), used->words.end());
      }
      if (const size_t* variable = find(inner)) uses_.push_back({i, *variable, false});
    }
    return;
  }
  size_t open = i + 1;
  if (code_.is(open, "<") && find(word) == nullptr) {
    size_t behind = code_.behind_angles(open);
    if (behind != 0 && (code_.is(behind, "(") || code_.is(behind, ":"))) open = behind;
  }
  if (is_member) {
    if (!code_.is(open, "(")) return;
    if (!names_.is_function(word)) keep("it calls " + word + ", which the cell does not define");
    reason = names_.reason_in(word);
    if (!reason.empty()) keep(reason);
    return;
  }
  bool is_scoped = i > 1 && code_.is(i - 1, ":") && code_.is(i - 2, ":");
  const size_t* variable = is_scoped ? nullptr : find(word);
  if (variable != nullptr) {
    Variable& used = variables_[*variable];
    bool changed = changes(i, used);
    used.is_changed |= changed;
    used.is_exposed |= exposes(i);
    uses_.push_back({i, *variable, changed});
    if (code_.is(i + 1, "(") && !names_.reason_in_unnamed().empty()) keep(names_.reason_in_unnamed());
    return;
  }
  if (names_.is_function(word)) {
    reason = names_.reason_in(word);
    if (!reason.empty()) keep(reason);
    if (!names_.has_references(word) || !code_.is(open, "(")) return;
    for (size_t k = open + 1; k < code_.closing(open); k++) {
      if (const size_t* argument = code_.is_name(k) ? find(code_.at(k)) : nullptr)
        variables_[*argument].is_exposed = variables_[*argument].is_changed = true;
    }
    return;
  }
  if (code_.is(i + 1, ":") && code_.is(i + 2, ":")) {
    if (word != "std" && word != "warpcell_cpu" && !names_.is_type(word) && kernel_.types.count(word) == 0)
      keep("it uses the scope " + word);
    return;
  }
  if (!code_.is(open, "(") && !code_.is(open, "{")) return;
  if (is_known_function(word) || is_type_word(word) || names_.is_type(word) || kernel_.types.count(word) != 0 ||
      starts_with(word, "__threadfence") || is_expression_word(word))
    return;
  if (is_atomic(word)) return;
  keep("it calls " + word + ", which the cell does not define");
}

// Whether what ends at token i gets a value: `= …`, `+= …`, `++`.
bool KernelBody::assigns_behind(size_t i) const {
  size_t k = i + 1;
  if (code_.is(k, "=")) return !code_.is(k + 1, "=") || !code_.are_one(k);
  for (const char* mark : {"+", "-", "*", "/", "%", "&", "|", "^"}) {
    if (code_.is(k, mark) && code_.is(k + 1, "=") && code_.are_one(k)) return true;
  }
  bool is_twice = code_.at(k + 1) == code_.at(k) && code_.are_one(k);
  if (is_twice && (code_.is(k, "+") || code_.is(k, "-"))) return true;
  // `x <<= n`, which arithmetic_text.cc writes as `x <<=warpcell_cpu_shift<<= n`.
  return is_twice && (code_.is(k, "<") || code_.is(k, ">")) && code_.is(k + 2, "=") && code_.are_one(k + 1);
}

// Whether `++` or `--` stands in front of token i.
bool KernelBody::steps_before(size_t i) const {
  return i > 1 && (code_.is(i - 1, "+") || code_.is(i - 1, "-")) && code_.at(i - 2) == code_.at(i - 1) &&
         code_.are_one(i - 2);
}

// Whether the variable at token i gets a value there.
bool KernelBody::changes(size_t i, const Variable& variable) const {
  if (steps_before(i)) return true;
  size_t k = i + 1;
  while (code_.is(k, "[") || code_.is(k, ".") || (code_.is(k, "-") && code_.is(k + 1, ">"))) {
    if (code_.is(k, "."))
      k += 2;
    else if (code_.is(k, "-"))
      k += 3;
    else
      k = code_.closing(k) + 1;
  }
  // What a pointer points to is another matter; what a method does nobody knows.
  bool is_whole = k == i + 1, points = variable.is_pointer && !variable.is_array;
  if (!is_whole && (points || variable.is_shared)) return false;
  if (!is_whole && code_.is(k, "(")) return true;
  return assigns_behind(k - 1);
}

// Whether `&` in front of token i takes the variable's address.
bool KernelBody::exposes(size_t i) const {
  if (i < 2 || !code_.is(i - 1, "&")) return false;
  if (code_.is(i - 2, "&") && code_.are_one(i - 2)) return false;  // a && b
  if (code_.is_name(i - 2)) return code_.is(i - 2, "return");
  if (code_.is_number(i - 2) || code_.is(i - 2, "]")) return false;
  if (code_.is(i - 2, ")"))  // (float*)&x, (T)&x; not (a + 1) & x
    return i > 3 && (code_.is(i - 3, "*") || (code_.is_name(i - 3) && code_.is(i - 4, "(")));
  return true;
}

}  // namespace warpcell::cpu
