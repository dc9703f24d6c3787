// The condition compares the number of a warp, or the thread's with a multiple of 32.
#include "warp_branches.h"

#include <algorithm>
#include <cstdlib>

namespace warpcell::cpu {
namespace {

class Condition {
 public:
  Condition(const Code& code, const KernelBody& body, const Uniformity& uniformity)
      : code_(code), body_(body), uniformity_(uniformity) {}

  bool is_of_warps(Range range) const {
    range = bare(range);
    for (size_t i = range.first; i < range.end; i++) {
      if (code_.is(i, "(") || code_.is(i, "[")) i = code_.closing(i);
      bool is_pair = code_.is(i + 1, "=");
      bool is_less = code_.is(i, "<") || code_.is(i, ">"), is_same = code_.is(i, "=") || code_.is(i, "!");
      bool is_shift = is_less && code_.at(i) == code_.at(i + 1) && code_.are_one(i);
      if (is_shift) return false;
      if (!is_less && !(is_same && is_pair)) continue;
      Range left = {range.first, i}, right = {i + (is_pair ? 2 : 1), range.end};
      if (is_warp(left)) return uniformity_.is_uniform_expression(right);
      if (is_warp(right)) return uniformity_.is_uniform_expression(left);
      bool is_below = (code_.is(i, "<") && !is_pair) || (code_.is(i, ">") && is_pair);
      return is_below && is_thread(left) && is_of_lanes(right);
    }
    return false;
  }

 private:
  // Without the parentheses, and without a variable's name for what it began with and still is.
  Range bare(Range range) const {
    for (;;) {
      if (code_.is(range.first, "(") && code_.closing(range.first) + 1 == range.end) {
        range = {range.first + 1, range.end - 1};
        continue;
      }
      const Use* use = range.end == range.first + 1 ? body_.use_at(range.first) : nullptr;
      if (use == nullptr) return range;
      const Variable& variable = body_.variables()[use->variable];
      if (variable.initial.empty() || variable.is_changed || variable.is_exposed || variable.is_array ||
          variable.is_pointer || variable.is_reference || variable.is_class)
        return range;
      range = variable.initial;
    }
  }

  bool is_thread(Range range) const {
    range = bare(range);
    return range.end == range.first + 3 && code_.is(range.first, "threadIdx") && code_.is(range.first + 1, ".") &&
           code_.is(range.first + 2, "x");
  }

  // `threadIdx.x / 32`.
  bool is_warp(Range range) const {
    range = bare(range);
    for (size_t i = range.first; i < range.end; i++) {
      if (code_.is(i, "(")) i = code_.closing(i);
      if (code_.is(i, "/")) return is_thread({range.first, i}) && is_one({i + 1, range.end}, "32", "warpSize");
      if (code_.is(i, ">") && code_.is(i + 1, ">"))  // `x >>warpcell_cpu_shift>> 5` (arithmetic_text.cc)
        return is_thread({range.first, i}) && code_.is(range.end - 2, ">") &&
               is_one({range.end - 1, range.end}, "5", "5");
    }
    return false;
  }

  bool is_one(Range range, const char* word, const char* other) const {
    return range.end == range.first + 1 && (code_.is(range.first, word) || code_.is(range.first, other));
  }

  bool is_of_lanes(Range range) const {
    range = bare(range);
    if (is_one(range, "warpSize", "32")) return true;
    if (range.end != range.first + 1 || !code_.is_number(range.first)) return false;
    std::string number = code_.at(range.first);
    bool is_plain = std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
    return is_plain && number[0] != '0' && std::atol(number.c_str()) % 32 == 0;
  }

  const Code& code_;
  const KernelBody& body_;
  const Uniformity& uniformity_;
};

bool has_turns(const Statement& statement) {
  return statement.is_in_turns || std::any_of(statement.parts.begin(), statement.parts.end(), has_turns);
}

}  // namespace

bool is_branch_of_warps(const Code& code, const CellNames& names, const KernelBody& body, const Uniformity& uniformity,
                        const Statement& branch) {
  if (branch.kind != Statement::branch || branch.parts.size() > 1 || has_jump(branch) || has_turns(branch))
    return false;
  for (size_t i = branch.parts[0].range.first; i < branch.parts[0].range.end; i++) {
    // What is the same for all threads is computed also where no warp comes to it: no quotient that may fault.
    bool divides = code.is(i, "/") || code.is(i, "%");
    bool is_safe = code.is(i + 1, "warpSize") || (code.is_number(i + 1) && code.at(i + 1)[0] != '0');
    if ((divides && !is_safe) || code.at(i).rfind("__syncthreads", 0) == 0) return false;
    if (names.macro(code.at(i)) != nullptr && code.is_name(i)) return false;
  }
  return Condition(code, body, uniformity).is_of_warps(branch.condition);
}

}  // namespace warpcell::cpu
