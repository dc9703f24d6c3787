// Which words of a kernel are accesses of memory, so that each can be looked at as it is made: where every one of them
// is known, a run of the kernel can prove that nothing is wrong with it.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "statements.h"

namespace warpcell::cpu {

struct MemoryAccess {
  enum Kind { read, write, update, atomic, element } kind;  // `element`: of an array that is nobody else's
  std::string name;
  size_t variable;  // or kNoVariable, of constant memory
  std::vector<Range> indices;
  size_t end;  // behind it
};
constexpr size_t kNoVariable = ~size_t(0);

class ProofText {
 public:
  // Throws Kept for a kernel that reaches memory in another way than by naming it.
  ProofText(const Code& code, const CellNames& names, const KernelText& kernel, const KernelBody& body);

  // The access that begins at a token; null where none does.
  const MemoryAccess* at(size_t token) const;
  // Arrays of shared memory that are read, and written, in a range; what is updated is both.
  void touched(Range range, std::set<size_t>* read, std::set<size_t>* written) const;
  // What ends loops that a wrong value might keep going, in front of a token.
  std::string before(size_t token) const;
  // Whether a range is a condition that `before` opens, whose end stands behind it.
  bool is_open(Range range) const;
  bool is_used(size_t variable) const { return tensors_.count(variable) != 0; }
  bool is_written(size_t variable) const { return written_.count(variable) != 0; }
  // Of each parameter: 'r', 'w', or '-' for what is no tensor.
  std::string uses() const;

 private:
  void look_at_loops(const Statement& statement);
  bool counts(const Statement& loop) const;
  void look_at_words();
  void look_at_word(size_t i);
  void look_at_variable(size_t i, size_t variable);
  void look_at_constant(size_t i);
  void look_at_macro(size_t i, const Macro& macro) const;
  size_t subscripts(size_t i, std::vector<Range>* indices) const;
  MemoryAccess::Kind kind_of(size_t i, size_t end) const;
  bool assigns(size_t i) const;
  bool steps(size_t i) const;
  bool is_pure(const std::string& function, std::set<std::string>& seen) const;
  bool is_plain_word(const std::string& word) const;
  void find_constants();

  const Code& code_;
  const CellNames& names_;
  const KernelText& kernel_;
  const KernelBody& body_;
  std::map<size_t, MemoryAccess> accesses_;
  std::map<size_t, std::string> before_;
  std::map<size_t, size_t> opened_;      // conditions, by their first token
  std::set<size_t> tensors_, written_;   // parameters
  std::map<std::string, size_t> ranks_;  // of constant memory, by name
};

}  // namespace warpcell::cpu
