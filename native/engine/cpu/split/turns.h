// The loops of a kernel that are done turn by turn for all threads, as if a barrier stood in them: then a compiler
// makes vectors of their bodies. All threads of a row go through such a loop in the same way, or stand side by side in
// it.
#pragma once
#include "strides.h"

namespace warpcell::cpu {

class Turns {
 public:
  // `has_strides`: other loops than those that all threads of the block go through in the same way, too.
  Turns(const Code& code, const CellNames& names, const KernelText& kernel, KernelBody& body, bool has_strides)
      : code_(code), names_(names), kernel_(kernel), body_(body), has_strides_(has_strides) {}

  // Marks them in the body.
  Uniformity find();
  // Whether there is one for which a kernel without barriers is worth splitting.
  bool pay() const { return pay_; }

 private:
  bool may(Statement& loop, const Statement& parent) const;
  bool may_go_alike(const Statement& loop) const;
  bool has_stride(const Statement& statement) const;
  bool fits(const Statement& loop, const Uniformity& uniformity, const Uniformity& rows,
            const std::vector<bool>& repeated) const;
  bool walks_alone(const Statement& loop, const Uniformity& rows) const;
  bool differs(Range range, const Uniformity& rows) const;

  const Code& code_;
  const CellNames& names_;
  const KernelText& kernel_;
  KernelBody& body_;
  const bool has_strides_;
  bool pay_ = false;
};

// Which variables can be computed again where they are used (Uniformity::can_be_repeated).
std::vector<bool> repeated_of(const KernelBody& body, const Uniformity& uniformity);

}  // namespace warpcell::cpu
