// Which variables of a kernel have one value for all threads of a block, and which statements are done once for all.
#pragma once
#include <vector>

#include "statements.h"

namespace warpcell::cpu {

class Uniformity {
 public:
  // `of_rows`: for all threads of a row instead.
  Uniformity(const Code& code, const CellNames& names, const KernelText& kernel, const KernelBody& body, bool of_rows);

  bool is_uniform(size_t variable) const { return uniform_[variable]; }
  // Whether every thread of a block computes the same value.
  bool is_uniform_expression(Range range) const;
  // Whether it can be done once for all threads, and is nothing but that: values for uniform variables, ways out.
  bool is_uniform_statement(const Statement& statement) const;
  // Whether every thread goes through the header of a `for` in the same way.
  bool is_uniform_header(const Statement& loop) const {
    return is_uniform_statement(loop.parts[0]) && is_uniform_expression(loop.condition) &&
           is_uniform_expression(loop.step);
  }
  // Whether a variable's declaration can be done once for all threads.
  bool is_uniform_declaration(size_t variable) const;
  // The same value wherever it is computed again, by this thread, while `variable` is known.
  bool can_be_repeated(size_t variable, const std::vector<bool>& repeated) const;

 private:
  bool is_whole(const Variable& variable) const;
  void look(const Statement& statement);
  void look_at_part(const Statement& part);
  void vary(size_t variable);
  void vary_changed(Range range);
  void vary_changed_behind(Range range);
  bool is_same_for_all(const std::string& word) const;
  bool are_same_for_all(const Macro& macro, int depth) const;

  const Code& code_;
  const CellNames& names_;
  const KernelText& kernel_;
  const KernelBody& body_;
  const bool of_rows_;
  std::vector<bool> uniform_;
  bool changed_ = false;
};

}  // namespace warpcell::cpu
