// Looks at each word of a kernel: what it cannot account for keeps the kernel from being proven.
#include "proof_text.h"

#include <algorithm>

#include "../../host/text.h"
#include "known_words.h"

namespace warpcell::cpu {
namespace {

[[noreturn]] void unknown(const std::string& what) { throw Kept{"its accesses are not all known: " + what}; }

bool is_jump(const std::string& word) {
  static const std::set<std::string> words = {
      "if",        "else",     "for", "while", "do",  "switch",      "case",   "default", "return", "break", "continue",
      "constexpr", "typename", "and", "or",    "not", "static_cast", "sizeof", "const",   "auto",   "unroll"};
  return words.count(word) != 0;
}

// Of the known functions: those that compute a value of numbers alone.
bool computes(const std::string& word) {
  static const std::set<std::string> others = {"printf",           "assert",     "memset",   "memcpy",    "clock",
                                               "clock64",          "decltype",   "frexp",    "frexpf",    "modf",
                                               "reinterpret_cast", "const_cast", "__ldg",    "__ldca",    "__ldcs",
                                               "sincos",           "sincosf",    "sincospi", "sincospif", "__sincosf"};
  return is_known_function(word) && others.count(word) == 0 && !starts_with(word, "tex") && !starts_with(word, "surf");
}

// What arithmetic_text.cc writes.
bool is_of_headers(const std::string& word) {
  return word == "warpcell_cpu" || word == "warpcell_cpu_shift" || word == "As" || word == "truncating";
}

}  // namespace

ProofText::ProofText(const Code& code, const CellNames& names, const KernelText& kernel, const KernelBody& body)
    : code_(code), names_(names), kernel_(kernel), body_(body) {
  if (!body.exchanges().empty()) unknown("threads exchange values");
  for (const Variable& variable : body.variables()) {
    bool is_tensor = variable.is_parameter && variable.is_pointer;
    size_t stars = 0;
    for (size_t i = variable.declarator.first; i < variable.declarator.end; i++)
      stars += code.is(i, "*") || code.is(i, "[");
    if (variable.is_reference || (is_tensor && stars != 1) || (variable.is_pointer && !is_tensor))
      unknown(variable.name + " may point anywhere");
  }
  find_constants();
  look_at_words();
  look_at_loops(body.body());
}

const MemoryAccess* ProofText::at(size_t token) const {
  auto found = accesses_.find(token);
  return found == accesses_.end() ? nullptr : &found->second;
}

void ProofText::touched(Range range, std::set<size_t>* read, std::set<size_t>* written) const {
  for (auto it = accesses_.lower_bound(range.first); it != accesses_.end() && it->first < range.end; ++it) {
    const MemoryAccess& access = it->second;
    if (access.variable == kNoVariable || !body_.variables()[access.variable].is_shared) continue;
    if (access.kind != MemoryAccess::write) read->insert(access.variable);
    if (access.kind != MemoryAccess::read) written->insert(access.variable);
  }
}

std::string ProofText::before(size_t token) const {
  auto found = before_.find(token);
  return found == before_.end() ? "" : found->second;
}

bool ProofText::is_open(Range range) const {
  auto found = opened_.find(range.first);
  return found != opened_.end() && found->second == range.end;
}

std::string ProofText::uses() const {
  std::string uses;
  for (size_t i = 0; i < body_.variables().size(); i++) {
    if (body_.variables()[i].is_parameter) uses += is_written(i) ? 'w' : is_used(i) ? 'r' : '-';
  }
  return uses;
}

// `__constant__ float filter[5][5], bias;`
void ProofText::find_constants() {
  for (size_t i = 0; i < code_.size(); i++) {
    if (!code_.is(i, "__constant__")) continue;
    for (size_t k = i + 1; k < code_.size() && !code_.is(k, ";"); k++) {
      if (code_.is(k, "*") || code_.is(k, "&")) break;
      if (code_.is(k, "{") || code_.is(k, "(")) k = code_.closing(k);
      bool is_name = code_.is_name(k) && (code_.is(k + 1, "[") || code_.is(k + 1, ",") || code_.is(k + 1, ";") ||
                                          code_.is(k + 1, "=") || code_.is(k + 1, "{"));
      if (!is_name) continue;
      size_t rank = 0, at = k + 1;
      for (; code_.is(at, "["); at = code_.closing(at) + 1) rank++;
      ranks_[code_.at(k)] = rank;
      k = at - 1;
    }
  }
}

void ProofText::look_at_loops(const Statement& statement) {
  bool is_loop = statement.kind == Statement::counted || statement.kind == Statement::conditional ||
                 statement.kind == Statement::repeated;
  Range condition = statement.condition;
  if (is_loop && condition.empty()) {
    before_[condition.end] += "!warpcell_cpu_bad ";
  } else if (is_loop && !counts(statement)) {
    before_[condition.first] += "!warpcell_cpu_bad && (";
    before_[condition.end] = ")" + before_[condition.end];
    opened_[condition.first] = condition.end;
  }
  for (const Statement& part : statement.parts) look_at_loops(part);
}

// Whether it ends whatever memory holds: `for (…; k < …; k++)`, where nothing else changes k.
bool ProofText::counts(const Statement& loop) const {
  if (loop.kind != Statement::counted) return false;
  Range uses = body_.uses_in(loop.step);
  if (uses.end - uses.first != 1 || loop.step.end - loop.step.first != 3) return false;
  const Use& counter = body_.uses()[uses.first];
  if (!counter.changes || code_.at(loop.step.first) == code_.at(loop.step.end - 1)) return false;
  bool is_compared = false;
  for (size_t i = loop.condition.first; i < loop.condition.end; i++)
    is_compared |= code_.is(i, "<") || code_.is(i, ">");
  uses = body_.uses_in(loop.range);
  for (size_t i = uses.first; i < uses.end; i++) {
    const Use& use = body_.uses()[i];
    if (use.variable == counter.variable && use.changes && use.token != counter.token &&
        !loop.parts[0].range.contains(use.token))
      return false;
  }
  return is_compared;
}

void ProofText::look_at_words() {
  for (size_t i = kernel_.body.first; i < kernel_.body.end; i++) {
    if (code_.is_text(i)) unknown("it has a text");
    if (code_.is(i, "-") && code_.is(i + 1, ">") && code_.are_one(i)) unknown("->");
    bool is_behind_value =
        i > kernel_.body.first && (code_.is(i - 1, ")") || code_.is(i - 1, "]") || code_.is_number(i - 1) ||
                                   (code_.is_name(i - 1) && !is_jump(code_.at(i - 1))));
    if (code_.is(i, "*") && (!is_behind_value || code_.is(i + 1, ")") || code_.is(i + 1, ">"))) unknown("*");
    bool is_and = code_.is(i, "&") && !(code_.is(i + 1, "&") && code_.are_one(i)) &&
                  !(code_.is(i - 1, "&") && code_.are_one(i - 1));
    bool is_target = is_and && code_.is(i - 1, "(") && is_atomic(code_.at(i - 2));
    if (is_and && !is_behind_value && !is_target) unknown("&");
    if (code_.is(i, "[") && code_.is(i - 1, ")")) unknown("[");
    if (code_.is_name(i)) look_at_word(i);
  }
}

void ProofText::look_at_word(size_t i) {
  std::string word = code_.at(i);
  if (code_.is(i - 1, ".")) {
    if (code_.is(i + 1, "(") || code_.is(i + 1, "[")) unknown("." + word);
    return;
  }
  if (const Use* use = body_.use_at(i); use != nullptr && names_.macro(word) == nullptr)
    return look_at_variable(i, use->variable);
  for (const Variable& variable : body_.variables())
    if (variable.declared == i && !variable.name.empty()) return;
  if (const Macro* macro = names_.macro(word)) return look_at_macro(i, *macro);
  if (ranks_.count(word) != 0) return look_at_constant(i);
  if (body_.is_builtin_index(i) || word == "__syncthreads") return;
  if (is_plain_word(word) && !code_.is(i + 1, "[")) return;
  bool is_shared = word == "__shared__" || word == "__align__" || word == "alignas";
  if (is_shared || ((word == "extern" || word == "static") && code_.is(i + 1, "__shared__"))) return;
  if (is_atomic(word)) {
    if (is_lock(word) || !code_.is(i + 1, "(") || !code_.is(i + 2, "&") || at(i + 3) != nullptr) unknown(word);
    const Use* target = body_.use_at(i + 3);
    if (target == nullptr) unknown(word);
    const Variable& variable = body_.variables()[target->variable];
    if (!variable.is_shared && !(variable.is_parameter && variable.is_pointer)) unknown(word);
    return;
  }
  std::set<std::string> seen;
  if (names_.is_function(word) && is_pure(word, seen)) return;
  unknown(word);
}

// No memory, and nothing that happens beside a value.
bool ProofText::is_plain_word(const std::string& word) const {
  return is_jump(word) || is_type_word(word) || computes(word) || is_known_constant(word) || is_of_headers(word) ||
         kernel_.constants.count(word) != 0 || kernel_.types.count(word) != 0 || names_.is_constant(word);
}

void ProofText::look_at_macro(size_t i, const Macro& macro) const {
  if (macro.is_barrier) return;
  if (macro.reads_memory) unknown(code_.at(i));
  std::set<std::string> seen = {code_.at(i)};
  std::vector<std::string> left(macro.words.begin(), macro.words.end());
  while (!left.empty()) {
    std::string word = left.back();
    left.pop_back();
    if (!seen.insert(word).second || is_plain_word(word)) continue;
    const Macro* inner = names_.macro(word);
    if (inner == nullptr || inner->reads_memory) unknown(code_.at(i));
    left.insert(left.end(), inner->words.begin(), inner->words.end());
  }
}

// Functions of numbers alone.
bool ProofText::is_pure(const std::string& name, std::set<std::string>& seen) const {
  if (!seen.insert(name).second) return true;
  const Function& function = names_.functions().at(name);
  if (function.definitions != 1 || function.has_references || function.body == 0) return false;
  std::set<std::string> own = function.parameters;
  for (size_t i = function.name + 1; i < code_.closing(function.body); i++) {
    if (code_.is(i, "&") && !(code_.is(i + 1, "&") || code_.is(i - 1, "&"))) return false;
    if (code_.is(i, "[") || code_.is(i, ".") || code_.is_text(i) || code_.is_directive(i)) return false;
    if (code_.is(i, "*")) {
      bool is_product = code_.is(i - 1, ")") || code_.is_number(i - 1) || own.count(code_.at(i - 1)) != 0;
      if (i < function.body || !is_product) return false;
    }
    if (code_.is(i, "-") && code_.is(i + 1, ">")) return false;
    if (!code_.is_name(i)) continue;
    std::string word = code_.at(i);
    if (own.count(word) != 0 || is_plain_word(word)) continue;
    if (is_type_word(code_.at(i - 1)) || code_.is(i - 1, "auto")) {
      own.insert(word);
      continue;
    }
    if (!names_.is_function(word) || !is_pure(word, seen)) return false;
  }
  return true;
}

// Behind the last bracket of `name[…][…]`.
size_t ProofText::subscripts(size_t i, std::vector<Range>* indices) const {
  size_t at = i + 1;
  for (; code_.is(at, "["); at = code_.closing(at) + 1) indices->push_back({at + 1, code_.closing(at)});
  return at;
}

void ProofText::look_at_constant(size_t i) {
  MemoryAccess access{MemoryAccess::element, code_.at(i), kNoVariable, {}, 0};
  access.end = subscripts(i, &access.indices);
  if (access.indices.size() != ranks_.at(access.name) || kind_of(i, access.end) != MemoryAccess::read)
    unknown(access.name);
  if (!access.indices.empty()) accesses_.emplace(i, access);
}

void ProofText::look_at_variable(size_t i, size_t index) {
  const Variable& variable = body_.variables()[index];
  bool is_tensor = variable.is_parameter && variable.is_pointer;
  if (!is_tensor && !variable.is_shared && !variable.is_array) {
    if (code_.is(i + 1, "[") || code_.is(i + 1, "(")) unknown(variable.name);
    return;
  }
  MemoryAccess access{MemoryAccess::element, variable.name, index, {}, 0};
  access.end = subscripts(i, &access.indices);
  size_t rank = 1;
  if (!is_tensor) {
    std::vector<Range> declared;
    subscripts(variable.declared, &declared);
    rank = declared.size();
  }
  if (rank == 0 || access.indices.size() != rank) unknown(variable.name);
  if (is_tensor || variable.is_shared) access.kind = kind_of(i, access.end);
  if (is_tensor) tensors_.insert(index);
  if (is_tensor && access.kind != MemoryAccess::read) written_.insert(index);
  accesses_.emplace(i, access);
}

// Of what stands in the tokens [i, end).
MemoryAccess::Kind ProofText::kind_of(size_t i, size_t end) const {
  if (code_.is(i - 1, "&") && code_.is(i - 2, "(") && is_atomic(code_.at(i - 3))) {
    if (!code_.is(end, ",")) unknown("an address");
    return MemoryAccess::atomic;
  }
  bool steps_before = steps(i - 2);
  size_t behind = end;
  while (code_.is(behind, ".")) behind += 2;
  if (!steps_before && !assigns(behind)) return MemoryAccess::read;
  if (behind != end) unknown("a part is written");
  bool is_plain = code_.is(end, "=");
  return is_plain && !steps_before ? MemoryAccess::write : MemoryAccess::update;
}

bool ProofText::steps(size_t i) const {
  return (code_.is(i, "+") || code_.is(i, "-")) && code_.at(i) == code_.at(i + 1) && code_.are_one(i);
}

// Whether `=`, `+=`, `<<=`, `++` stands at token i.
bool ProofText::assigns(size_t i) const {
  if (code_.is(i, "=")) return !code_.is(i + 1, "=") || !code_.are_one(i);
  for (const char* mark : {"+", "-", "*", "/", "%", "&", "|", "^"}) {
    if (code_.is(i, mark) && code_.is(i + 1, "=") && code_.are_one(i)) return true;
  }
  bool is_shift = (code_.is(i, "<") || code_.is(i, ">")) && code_.at(i) == code_.at(i + 1) && code_.are_one(i);
  return steps(i) || (is_shift && code_.is(i + 2, "=") && code_.are_one(i + 1));
}

}  // namespace warpcell::cpu
