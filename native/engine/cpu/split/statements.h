// The body of a kernel as statements, and which of its variables each word of them is.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cell_names.h"

namespace warpcell::cpu {

// Why a kernel stays as it is.
struct Kept {
  std::string reason;
};

[[noreturn]] inline void keep(const std::string& reason) { throw Kept{reason}; }

struct Variable {
  std::string name;
  size_t declared = 0;   // the token that names it
  Range specifiers;      // `const unsigned int`
  Range declarator;      // `* const name[4]`
  Range initial;         // behind `=`, or in parentheses or braces; else empty
  size_t end = 0;        // behind its declarator and initial value
  size_t scope_end = 0;  // it is unknown from this token on
  bool is_parameter = false;
  bool is_shared = false;
  bool is_array = false;
  bool is_pointer = false;  // `*` stands in its declarator
  bool is_reference = false;
  bool is_class = false;      // it may be one: its type is no word of the language
  bool is_constant = false;   // `const` or `constexpr`, of the variable itself
  bool is_automatic = false;  // `auto`
  bool is_changed = false;    // behind its declaration
  bool is_exposed = false;    // its address is taken, or a reference made
};

struct Use {
  size_t token;
  size_t variable;
  bool changes;
};

// A call in which threads tell each other something: it parts what comes before it from what comes after it.
struct Exchange {
  size_t token;  // its name
  size_t end;    // behind its arguments
  Range value;   // what the thread hands in
  Range place;   // from which lane it takes something; else empty
  Range width;   // of how many; else empty
};

// How a loop counts in which threads stand side by side (strides.h).
struct Stride {
  size_t variable = 0;
  Range initial, bound, step;
  bool includes_bound = false;
};

struct Statement {
  enum Kind {
    empty,
    expression,
    declaration,
    shared,
    type,
    barrier,
    block,
    branch,
    counted,
    conditional,
    repeated,
    choice,
    leave,
    stop,
    next
  } kind = empty;    // if, for, while, do, switch, return, break, continue
  Range range;       // `#pragma unroll` in front included
  size_t first = 0;  // without that
  Range condition, step;
  std::vector<Statement> parts;   // of a block all; of `if` both branches; of `for` its beginning and its body
  std::vector<size_t> variables;  // that it declares
  size_t target = 0;              // of break and continue: the first token of the loop or switch
  bool waits = false;             // a barrier or an exchange is in it
  bool exchanges = false;         // one that is an expression or declaration: an exchange is in it
  bool is_in_turns = false;       // no barrier is, but its body is done turn by turn for all threads
  std::optional<Stride> stride;   // of a loop in turns that each thread begins at a place of its own
};

// Whether a return, break or continue is in it.
bool has_jump(const Statement& statement);

// Throws Kept for what is not understood.
class KernelBody {
 public:
  KernelBody(const Code& code, const CellNames& names, const KernelText& kernel);

  const Statement& body() const { return body_; }
  const std::vector<Variable>& variables() const { return variables_; }
  const std::vector<Use>& uses() const { return uses_; }  // by token
  // The uses inside a range: [from, to) of uses().
  Range uses_in(Range range) const;
  // The variable that a token names; nothing where it is none's.
  const Use* use_at(size_t token) const;
  const std::vector<Exchange>& exchanges() const { return exchanges_; }
  // The exchanges whose calls begin inside a range: [from, to) of exchanges().
  Range exchanges_in(Range range) const;
  const Exchange* exchange_at(size_t token) const;
  bool is_builtin_index(size_t token) const;

  using Question = std::function<bool(Statement& loop)>;
  using Change = std::function<bool(Statement& loop, const Statement& parent)>;
  // Has the loops that stand between barriers and that `may` says wait, too; then has those that are not `uniform` not
  // wait. Returns whether all were.
  void mark_turns(const Change& may) { mark_turns(body_, may); }
  bool unmark_turns(const Question& uniform) { return unmark_turns(body_, uniform); }

 private:
  struct Loop {
    size_t first;
    bool is_choice;
  };

  static void mark_turns(Statement& statement, const Change& may);
  static bool unmark_turns(Statement& statement, const Question& uniform);
  Statement statement();
  Statement statement_behind_pragma();
  Statement block();
  Statement loop(Statement statement);
  Statement declaration();
  Statement declaration_end(Statement statement, size_t end);
  bool is_declaration(size_t i) const;
  size_t behind_specifiers(size_t i) const;
  size_t declare(Range specifiers, Range declarator, bool is_parameter);
  size_t end_of_expression(size_t i) const;
  void expression(Range range);
  void expression_word(size_t i);
  void call(size_t i, size_t open);
  bool changes(size_t i, const Variable& variable) const;
  bool exposes(size_t i) const;
  bool assigns_behind(size_t i) const;
  bool steps_before(size_t i) const;
  void exchange(size_t i);
  Range argument(size_t* i, size_t close) const;
  bool is_full_mask(Range range) const;
  void check_exchange(const Exchange& exchange, Range whole) const;
  void finish_exchanges(Statement* statement, size_t first);
  void check_loop_for_waiting(const Statement& loop) const;
  bool skip_barrier();
  void expect(const char* mark);
  const size_t* find(const std::string& name) const;

  const Code& code_;
  const CellNames& names_;
  const KernelText& kernel_;
  Statement body_;
  std::vector<Variable> variables_;
  std::vector<Use> uses_;
  std::vector<Exchange> exchanges_;
  bool takes_exchanges_ = false;  // where an expression is always computed, once
  std::vector<std::map<std::string, size_t>> scopes_;
  std::vector<std::vector<size_t>> declared_;  // of each open scope
  std::vector<Loop> loops_;
  size_t at_ = 0;
};

}  // namespace warpcell::cpu
