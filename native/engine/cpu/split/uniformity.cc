// Every variable is taken for uniform until something that is not gives it its value, or gives it one at a place that
// not every thread comes to; then all is looked at again.
#include "uniformity.h"

#include "known_words.h"

namespace warpcell::cpu {

Uniformity::Uniformity(const Code& code, const CellNames& names, const KernelText& kernel, const KernelBody& body,
                       bool of_rows)
    : code_(code),
      names_(names),
      kernel_(kernel),
      body_(body),
      of_rows_(of_rows),
      uniform_(body.variables().size(), true) {
  for (size_t i = 0; i < uniform_.size(); i++) {
    const Variable& variable = body.variables()[i];
    uniform_[i] = !variable.is_array && !variable.is_reference && !variable.is_shared && !variable.is_exposed &&
                  !(variable.is_class && names.is_function("operator"));
  }
  do {
    changed_ = false;
    look(body.body());
  } while (changed_);
}

void Uniformity::vary(size_t variable) {
  changed_ |= uniform_[variable];
  uniform_[variable] = false;
}

// What gets a value in the range, or is declared there.
void Uniformity::vary_changed(Range range) {
  Range uses = body_.uses_in(range);
  for (size_t i = uses.first; i < uses.end; i++) {
    if (body_.uses()[i].changes) vary(body_.uses()[i].variable);
  }
  for (size_t i = 0; i < uniform_.size(); i++) {
    if (!body_.variables()[i].is_parameter && range.contains(body_.variables()[i].declared)) vary(i);
  }
}

// What gets a value in a loop that threads go through for different times, and is known outside of it.
void Uniformity::vary_changed_behind(Range range) {
  Range uses = body_.uses_in(range);
  for (size_t i = uses.first; i < uses.end; i++) {
    const Use& use = body_.uses()[i];
    if (use.changes && !range.contains(body_.variables()[use.variable].declared)) vary(use.variable);
  }
}

// A block, loop or branch with a barrier in it.
void Uniformity::look(const Statement& statement) {
  if (statement.stride) vary(statement.stride->variable);
  if (statement.stride || (statement.is_in_turns && !is_uniform_header(statement)))
    vary_changed_behind(statement.range);
  if (!is_uniform_expression(statement.condition)) vary_changed(statement.condition);
  if (!is_uniform_expression(statement.step)) vary_changed(statement.step);
  for (const Statement& part : statement.parts) look_at_part(part);
}

void Uniformity::look_at_part(const Statement& part) {
  if (part.waits && !part.exchanges) {
    if (part.kind != Statement::barrier) look(part);
  } else if (part.kind == Statement::declaration) {
    for (size_t variable : part.variables) {
      if (is_uniform_declaration(variable)) continue;
      vary(variable);
      vary_changed(body_.variables()[variable].initial);
    }
  } else if (part.kind != Statement::shared && !is_uniform_statement(part)) {
    vary_changed(part.range);
  }
}

bool Uniformity::is_uniform_declaration(size_t variable) const {
  return uniform_[variable] && is_uniform_expression(body_.variables()[variable].initial);
}

bool Uniformity::is_uniform_statement(const Statement& statement) const {
  switch (statement.kind) {
    case Statement::empty:
    case Statement::type:
    case Statement::leave:
    case Statement::stop:
    case Statement::next:
      return true;
    case Statement::expression:
      return is_uniform_expression(statement.range);
    case Statement::declaration:
      for (size_t variable : statement.variables) {
        if (!is_uniform_declaration(variable)) return false;
      }
      return true;
    case Statement::barrier:
    case Statement::shared:
    case Statement::choice:
      return false;
    default:
      break;
  }
  if (!is_uniform_expression(statement.condition) || !is_uniform_expression(statement.step)) return false;
  for (const Statement& part : statement.parts) {
    if (!is_uniform_statement(part)) return false;
  }
  return true;
}

bool Uniformity::is_same_for_all(const std::string& word) const {
  return word == "blockIdx" || word == "blockDim" || word == "gridDim" || word == "std" || word == "warpcell_cpu" ||
         word == "warpcell_cpu_shift" || word == "const" || word == "constexpr" || word == "typename" ||
         is_type_word(word) || is_known_constant(word) || is_uniform_function(word) || names_.is_type(word) ||
         names_.is_constant(word) || kernel_.types.count(word) != 0 || kernel_.constants.count(word) != 0;
}

bool Uniformity::are_same_for_all(const Macro& macro, int depth) const {
  if (macro.reads_memory || depth > 20) return false;
  for (const std::string& word : macro.words) {
    bool is_member =
        word == "x" || word == "y" || word == "z";  // of blockDim; a variable of that name is looked up, too
    const Macro* inner = names_.macro(word);
    if (inner != nullptr ? !are_same_for_all(*inner, depth + 1) : !is_same_for_all(word)) {
      bool is_known = is_member;
      for (size_t i = 0; i < uniform_.size(); i++) {
        if (body_.variables()[i].name != word) continue;
        if (!uniform_[i]) return false;
        is_known = true;
      }
      if (!is_known) return false;
    }
  }
  return true;
}

bool Uniformity::is_uniform_expression(Range range) const {
  for (size_t i = range.first; i < range.end; i++) {
    if (code_.is_directive(i) || code_.is_text(i) || code_.is(i, "[") || code_.is(i, "{")) return false;
    if (code_.is(i, ">") && i > range.first && code_.is(i - 1, "-") && code_.are_one(i - 1)) return false;
    if (code_.is(i, "*")) {  // that reads memory
      bool is_first = i == range.first;
      bool follows = !is_first && (code_.is_name(i - 1) || code_.is_number(i - 1) || code_.is(i - 1, ")"));
      const Use* operand = body_.use_at(i + 1);
      bool may_read = operand != nullptr && (body_.variables()[operand->variable].is_pointer ||
                                             body_.variables()[operand->variable].is_automatic);
      if (!follows || may_read || (code_.is(i - 1, ")") && code_.is(i + 1, "("))) {
        // `(a + b) * (c + d)` multiplies where no pointer is near.
        if (!follows || may_read) return false;
        for (size_t k = i + 1; k < code_.closing(i + 1); k++) {
          const Use* inner = body_.use_at(k);
          if (inner != nullptr && body_.variables()[inner->variable].is_pointer) return false;
          if (inner != nullptr && body_.variables()[inner->variable].is_automatic) return false;
        }
      }
    }
    if (const Exchange* exchange = body_.exchange_at(i)) {
      if (!is_block_vote(code_.at(i))) return false;
      i = exchange->end - 1;
      continue;
    }
    if (!code_.is_name(i)) continue;
    if (of_rows_ && code_.is(i, "threadIdx") && (code_.is(i + 2, "y") || code_.is(i + 2, "z"))) continue;
    bool is_member = i > range.first && code_.is(i - 1, ".");
    if (is_member) {
      if (code_.is(i + 1, "(")) return false;
      continue;
    }
    if (const Macro* macro = names_.macro(code_.at(i))) {
      if (!are_same_for_all(*macro, 0)) return false;
      continue;
    }
    if (const Use* use = body_.use_at(i)) {
      if (!uniform_[use->variable] || code_.is(i + 1, "(")) return false;
      continue;
    }
    if (!is_same_for_all(code_.at(i))) return false;
  }
  return true;
}

// Whether it is a whole number or an address: a float may be rounded in another way when it is computed again.
bool Uniformity::is_whole(const Variable& variable) const {
  if (variable.is_pointer) return true;
  for (size_t i = variable.specifiers.first; i < variable.specifiers.end; i++) {
    std::string word = code_.at(i);
    if (word.find("float") != std::string::npos || word.find("double") != std::string::npos ||
        word.find("half") != std::string::npos)
      return false;
  }
  return !variable.is_class || variable.is_automatic;
}

bool Uniformity::can_be_repeated(size_t index, const std::vector<bool>& repeated) const {
  const Variable& variable = body_.variables()[index];
  if (variable.is_changed || variable.is_exposed || variable.is_array || variable.is_reference ||
      variable.initial.empty() || variable.is_parameter || variable.is_shared || !is_whole(variable))
    return false;
  for (size_t i = variable.initial.first; i < variable.initial.end; i++) {
    if (code_.is_directive(i) || code_.is_text(i) || code_.is(i, "[") || code_.is(i, "{") || code_.is(i, "?"))
      return false;
    if (code_.is(i, ">") && code_.is(i - 1, "-") && code_.are_one(i - 1)) return false;
    if (code_.is(i, "*") && !(code_.is_name(i - 1) || code_.is_number(i - 1) || code_.is(i - 1, ")"))) return false;
    if (code_.is(i, "*") && variable.is_pointer) return false;
    if (code_.is_number(i) && (code_.is(i + 1, ".") || code_.is(i - 1, "."))) return false;
    if (!code_.is_name(i) || code_.is(i - 1, ".")) continue;
    std::string word = code_.at(i);
    if (word == "float" || word == "double" || (is_uniform_function(word) && word != "sizeof" && word != "As"))
      return false;
    if (word == "threadIdx") continue;
    if (const Macro* macro = names_.macro(word)) {
      if (macro->reads_memory || macro->takes_arguments) return false;
      for (const std::string& inner : macro->words) {
        bool is_known = inner == "threadIdx" || inner == "x" || inner == "y" || inner == "z" || is_same_for_all(inner);
        if (!is_known) return false;
      }
      continue;
    }
    const Use* use = body_.use_at(i);
    if (use == nullptr) {
      if (!is_same_for_all(word)) return false;
      continue;
    }
    if (use->changes || code_.is(i + 1, "(")) return false;
    const Variable& other = body_.variables()[use->variable];
    if (other.is_shared && other.is_array && variable.is_pointer) continue;
    if ((other.is_pointer && !variable.is_pointer) || other.is_class || !is_whole(other)) return false;
    if (!uniform_[use->variable] && !repeated[use->variable]) return false;
    for (const Use& change : body_.uses()) {
      if (change.variable == use->variable && change.changes && change.token > variable.declared &&
          change.token < variable.scope_end)
        return false;
    }
  }
  return true;
}

}  // namespace warpcell::cpu
