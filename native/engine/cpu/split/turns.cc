// What may take turns is marked first, and taken back until what is left agrees with which variables are the same for
// all threads then.
#include "turns.h"

#include "independence.h"

namespace warpcell::cpu {
namespace {

// What is done once for all threads in such a loop is done once for each row of them: it may be done again.
bool changes_only_its_own(const KernelBody& body, const Uniformity& uniformity, const Statement& loop) {
  Range uses = body.uses_in(loop.range);
  for (size_t i = uses.first; i < uses.end; i++) {
    const Use& use = body.uses()[i];
    if (use.changes && uniformity.is_uniform(use.variable) &&
        !loop.range.contains(body.variables()[use.variable].declared))
      return false;
  }
  return true;
}

// Whether another order of the threads shows in nothing but what atomic functions add up, and what its threads keep is
// no more than numbers.
bool may_be_mixed(const Code& code, const KernelText& kernel, const KernelBody& body, Range range) {
  for (size_t i = range.first; i < range.end; i++) {
    std::string word = code.at(i);
    if (code.is_text(i) || word == "printf" || word == "assert" || word == "clock" || word == "clock64") return false;
  }
  Range uses = body.uses_in(range);
  for (size_t i = uses.first; i < uses.end; i++) {
    const Variable& variable = body.variables()[body.uses()[i].variable];
    if (variable.is_shared || variable.is_parameter || range.contains(variable.declared)) continue;
    if (variable.is_array || variable.is_exposed || variable.is_reference) return false;
    for (size_t k = variable.specifiers.first; variable.is_class && k < variable.specifiers.end; k++) {
      if (!code.is(k, "const") && !code.is(k, "auto") && kernel.types.count(code.at(k)) == 0) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<bool> repeated_of(const KernelBody& body, const Uniformity& uniformity) {
  std::vector<bool> repeated(body.variables().size(), false);
  for (size_t i = 0; i < repeated.size(); i++) repeated[i] = uniformity.can_be_repeated(i, repeated);
  return repeated;
}

Uniformity Turns::find() {
  body_.mark_turns([&](Statement& loop, const Statement& parent) { return may(loop, parent); });
  for (;;) {
    Uniformity uniformity(code_, names_, kernel_, body_, false), rows(code_, names_, kernel_, body_, true);
    std::vector<bool> repeated = repeated_of(body_, uniformity);
    pay_ = false;
    bool is_same = true;
    bool are_fit = body_.unmark_turns([&](Statement& loop) {
      // Of threads that do not stand side by side, those of a row may still go the same way.
      if (loop.stride && rows.is_uniform_expression(loop.stride->initial) && may_go_alike(loop)) {
        loop.stride.reset();
        is_same = false;
        return true;
      }
      bool is_fit = fits(loop, uniformity, rows, repeated);
      pay_ |= is_fit && (loop.stride || steps_by_stride(code_, loop));
      return is_fit;
    });
    if (are_fit && is_same) return uniformity;
  }
}
bool Turns::may(Statement& loop, const Statement& parent) const {
  if (std::optional<Stride> stride = has_strides_ ? stride_of(code_, body_, loop, parent) : std::nullopt) {
    if (!may_be_mixed(code_, kernel_, body_, loop.range)) return false;
    make_counted(loop, *stride);
    loop.stride = stride;
    return true;
  }
  return may_go_alike(loop);
}

bool Turns::may_go_alike(const Statement& loop) const {
  bool counts = loop.kind == Statement::counted && !loop.condition.empty() && !loop.step.empty();
  if (!counts || has_jump(loop)) return false;
  if (is_independent(code_, names_, body_, loop.range, true)) return true;
  return has_strides_ && has_stride(loop) && may_be_mixed(code_, kernel_, body_, loop.range);
}

bool Turns::has_stride(const Statement& statement) const {
  for (const Statement& part : statement.parts) {
    if (stride_of(code_, body_, part, statement) || has_stride(part)) return true;
  }
  return false;
}

bool Turns::fits(const Statement& loop, const Uniformity& uniformity, const Uniformity& rows,
                 const std::vector<bool>& repeated) const {
  auto is_known = [&](Range range) {
    return rows.is_uniform_expression(range) && can_be_computed(body_, uniformity, repeated, range);
  };
  if (loop.stride) {
    return is_known(loop.stride->bound) && is_known(loop.stride->step) &&
           is_side_by_side(code_, body_, uniformity, rows, repeated, loop.stride->initial);
  }
  if (walks_alone(loop, rows)) return false;
  if (uniformity.is_uniform_header(loop)) return changes_only_its_own(body_, uniformity, loop);
  if (!has_strides_ || loop.parts[0].kind != Statement::declaration || loop.parts[0].variables.size() != 1 ||
      !rows.is_uniform_header(loop))
    return false;
  // Its own variable is that of the row; all else is known there.
  size_t own = loop.parts[0].variables[0];
  Range uses = body_.uses_in(loop.parts[1].range);
  for (size_t i = uses.first; i < uses.end; i++) {
    if (body_.uses()[i].variable == own && body_.uses()[i].changes) return false;
  }
  std::vector<bool> known = repeated;
  known[own] = true;
  return is_known(body_.variables()[own].initial) && can_be_computed(body_, uniformity, known, loop.condition) &&
         can_be_computed(body_, uniformity, known, loop.step);
}

// Whether each thread reads a stretch of memory of its own, from one turn to the next, as in `sum += a[row * n + k]`:
// threads in turn would read what lies far apart.
bool Turns::walks_alone(const Statement& loop, const Uniformity& rows) const {
  if (loop.parts[0].variables.size() != 1) return false;
  size_t counter = loop.parts[0].variables[0];
  for (size_t i = loop.parts[1].range.first; i < loop.parts[1].range.end; i++) {
    if (!code_.is(i, "[")) continue;
    const Use* array = body_.use_at(i - 1);
    if (array == nullptr || body_.variables()[array->variable].is_shared) continue;
    bool counts = false, is_far = false, is_near = false;
    for (const auto& [term, adds] : terms_of(code_, {i + 1, code_.closing(i)})) {
      const Use* use = term.end == term.first + 1 ? body_.use_at(term.first) : nullptr;
      bool is_counter = use != nullptr && use->variable == counter;
      bool is_own = !is_counter && differs(term, rows);
      counts |= is_counter;
      is_near |= is_own && use != nullptr;
      is_far |= is_own && use == nullptr && !code_.is(term.first, "threadIdx");
    }
    if (counts && is_far && !is_near) return true;
  }
  return false;
}

// Between the threads of a row.
bool Turns::differs(Range range, const Uniformity& rows) const {
  Range uses = body_.uses_in(range);
  for (size_t i = uses.first; i < uses.end; i++) {
    if (!rows.is_uniform(body_.uses()[i].variable)) return true;
  }
  for (size_t i = range.first; i < range.end; i++) {
    if (code_.is(i, "threadIdx") && code_.is(i + 2, "x")) return true;
  }
  return false;
}

}  // namespace warpcell::cpu
