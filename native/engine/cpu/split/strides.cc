// The header of a loop, token by token; whether its numbers allow it is asked when it runs (split.h).
#include "strides.h"

#include "known_words.h"

namespace warpcell::cpu {
namespace {

// Whether a break or a return leaves the loop, or where `no_next` a continue goes on with it.
bool has_way_out(const Statement& statement, size_t loop, bool no_next) {
  if (statement.kind == Statement::leave) return true;
  bool is_jump = statement.kind == Statement::stop || (statement.kind == Statement::next && no_next);
  if (is_jump && statement.target == loop) return true;
  for (const Statement& part : statement.parts) {
    if (has_way_out(part, loop, no_next)) return true;
  }
  return false;
}

// A sum or product that may stand between others of them.
bool is_arithmetic(const Code& code, Range range) {
  for (size_t i = range.first; i < range.end; i++) {
    if (code.is(i, "(") || code.is(i, "[")) {
      i = code.closing(i);
      continue;
    }
    for (const char* mark : {"&", "|", "^", "?", ":", "=", "<", ">", ",", "!", "~", "{"}) {
      if (code.is(i, mark)) return false;
    }
  }
  return !range.empty();
}

// The name that the range is; nothing else.
const Use* single(const KernelBody& body, Range range) {
  return range.end == range.first + 1 ? body.use_at(range.first) : nullptr;
}

// `i < bound`, `i <= bound`, `bound > i`, `bound >= i`.
bool read_condition(const Code& code, const KernelBody& body, Range condition, Stride* stride) {
  for (const char* mark : {"<", ">"}) {
    bool is_less = mark[0] == '<';
    for (size_t i = condition.first; i < condition.end; i++) {
      if (code.is(i, "(") || code.is(i, "[")) i = code.closing(i);
      if (!code.is(i, mark)) continue;
      stride->includes_bound = code.is(i + 1, "=") && code.are_one(i);
      Range left = {condition.first, i}, right = {i + (stride->includes_bound ? 2 : 1), condition.end};
      const Use* index = single(body, is_less ? left : right);
      stride->bound = is_less ? right : left;
      if (index == nullptr || !is_arithmetic(code, stride->bound)) break;
      stride->variable = index->variable;
      return true;
    }
  }
  return false;
}

// `i += step`, `i = i + step`.
bool read_step(const Code& code, const KernelBody& body, Range step, Stride* stride) {
  const Use* index = step.empty() ? nullptr : body.use_at(step.first);
  if (index == nullptr || index->variable != stride->variable) return false;
  size_t i = step.first + 1;
  if (code.is(i, "+") && code.is(i + 1, "=") && code.are_one(i)) {
    stride->step = {i + 2, step.end};
  } else {
    const Use* again = code.is(i, "=") ? body.use_at(i + 1) : nullptr;
    if (again == nullptr || again->variable != stride->variable || !code.is(i + 2, "+")) return false;
    stride->step = {i + 3, step.end};
  }
  for (size_t k = stride->step.first; k < stride->step.end; k++) {
    if (code.is(k, "/") || code.is(k, "%")) return false;  // it is computed also where no thread takes a step
  }
  return is_arithmetic(code, stride->step);
}

// `int`, `::warpcell_cpu::As<int>`, which arithmetic_text.cc writes behind a cast.
bool is_type(const Code& code, Range range) {
  for (size_t i = range.first; i < range.end; i++) {
    bool is_known = is_type_word(code.at(i)) || code.is(i, "warpcell_cpu") || code.is(i, "As") || code.is(i, ":") ||
                    code.is(i, "<") || code.is(i, ">");
    if (!is_known) return false;
  }
  return !range.empty();
}

// Behind the casts in front of a term, `(int)x` or `int(x)`.
Range without_casts(const Code& code, Range term) {
  for (;;) {
    size_t open = term.first;
    while (open < term.end && !code.is(open, "(")) open++;
    if (open == term.end) return term;
    size_t close = code.closing(open);
    if (open == term.first && close + 1 < term.end && is_type(code, {open + 1, close}))
      term.first = close + 1;
    else if (close + 1 == term.end && is_type(code, {term.first, open}))
      term = {open + 1, close};
    else
      return term;
  }
}

// With each thread of a row one more.
bool is_thread_place(const Code& code, const KernelBody& body, const Uniformity& uniformity, const Uniformity& rows,
                     const std::vector<bool>& repeated, Range term) {
  term = without_casts(code, term);
  if (code.is(term.first, "(") && code.closing(term.first) + 1 == term.end)
    return is_side_by_side(code, body, uniformity, rows, repeated, {term.first + 1, term.end - 1});
  if (code.is(term.first, "threadIdx"))
    return term.end == term.first + 3 && code.is(term.first + 1, ".") && code.is(term.first + 2, "x");
  const Use* use = single(body, term);
  return use != nullptr && repeated[use->variable] && !body.variables()[use->variable].is_pointer &&
         is_side_by_side(code, body, uniformity, rows, repeated, body.variables()[use->variable].initial);
}

}  // namespace

std::optional<Stride> stride_of(const Code& code, const KernelBody& body, const Statement& loop,
                                const Statement& parent) {
  bool is_counted = loop.kind == Statement::counted;
  if (!is_counted && loop.kind != Statement::conditional) return {};
  Stride stride;
  if (!read_condition(code, body, loop.condition, &stride)) return {};
  Range step = loop.step;
  if (!is_counted) {
    const Statement& whole = loop.parts[0];
    if (whole.kind != Statement::block || whole.parts.empty() || whole.parts.back().kind != Statement::expression)
      return {};
    step = {whole.parts.back().first, whole.parts.back().range.end - 1};
  }
  if (!read_step(code, body, step, &stride) || has_way_out(loop, loop.first, !is_counted)) return {};
  const Variable& index = body.variables()[stride.variable];
  if (index.is_exposed || index.is_array || index.is_pointer || index.is_reference || index.is_shared ||
      index.is_parameter || (index.is_class && !index.is_automatic))
    return {};

  size_t start = loop.range.first;
  if (is_counted && loop.parts[0].kind == Statement::declaration) {
    if (loop.parts[0].variables.size() != 1 || loop.parts[0].variables[0] != stride.variable) return {};
    stride.initial = index.initial;
  } else if (is_counted && loop.parts[0].kind == Statement::expression) {
    Range begin = {loop.parts[0].first, loop.parts[0].range.end - 1};
    const Use* use = body.use_at(begin.first);
    if (use == nullptr || use->variable != stride.variable || !code.is(begin.first + 1, "=")) return {};
    stride.initial = {begin.first + 2, begin.end};
  } else {
    // Declared before the loop, beside it.
    bool is_beside = false;
    for (const Statement& each : parent.parts) {
      if (each.first < loop.first && each.kind == Statement::declaration) {
        for (size_t variable : each.variables) is_beside |= variable == stride.variable;
      }
    }
    if (!is_beside) return {};
    stride.initial = index.initial;
    start = index.end;
  }
  if (!is_arithmetic(code, stride.initial)) return {};
  for (const Use& use : body.uses()) {
    if (use.variable != stride.variable) continue;
    if (use.token >= loop.range.end || (use.token < loop.range.first && start == loop.range.first)) return {};
    if (use.token < loop.range.first && use.changes) return {};
    bool is_header = step.contains(use.token) || (is_counted && loop.parts[0].range.contains(use.token));
    if (use.changes && !is_header) return {};
    if (stride.bound.contains(use.token) || stride.step.contains(use.token) || stride.initial.contains(use.token))
      return {};
  }
  // What it begins with must be what it would have begun with.
  Range uses = body.uses_in(stride.initial);
  for (size_t i = uses.first; i < uses.end; i++) {
    for (const Use& change : body.uses()) {
      if (change.variable == body.uses()[i].variable && change.changes && change.token >= start &&
          change.token < loop.range.end && start != loop.range.first)
        return {};
    }
  }
  return stride;
}

void make_counted(Statement& loop, const Stride& stride) {
  if (loop.kind == Statement::counted) return;
  loop.kind = Statement::counted;
  loop.step = {loop.parts[0].parts.back().first, stride.step.end};
  loop.parts[0].parts.pop_back();
  Statement begin;
  begin.range = {loop.first, loop.first};
  begin.first = loop.first;
  loop.parts.insert(loop.parts.begin(), begin);
}

bool steps_by_stride(const Code& code, const Statement& loop) {
  for (size_t i = loop.step.first; i + 2 < loop.step.end; i++) {
    if (code.is(i, "+") && code.is(i + 1, "=") && code.are_one(i)) return loop.step.end > i + 3 || code.is_name(i + 2);
  }
  return false;
}

std::vector<std::pair<Range, bool>> terms_of(const Code& code, Range range) {
  std::vector<std::pair<Range, bool>> terms;
  Range term = range;
  bool adds = true;
  for (size_t i = range.first; i < range.end; i++) {
    if (code.is(i, "(") || code.is(i, "[")) i = code.closing(i);
    if (!code.is(i, "+") && !code.is(i, "-")) continue;
    terms.push_back({{term.first, i}, adds});
    adds = code.is(i, "+");
    term.first = i + 1;
  }
  terms.push_back({term, adds});
  return terms;
}

bool can_be_computed(const KernelBody& body, const Uniformity& uniformity, const std::vector<bool>& repeated,
                     Range range) {
  Range uses = body.uses_in(range);
  for (size_t i = uses.first; i < uses.end; i++) {
    size_t variable = body.uses()[i].variable;
    if (!uniformity.is_uniform(variable) && !repeated[variable]) return false;
  }
  return true;
}

bool is_side_by_side(const Code& code, const KernelBody& body, const Uniformity& uniformity, const Uniformity& rows,
                     const std::vector<bool>& repeated, Range initial) {
  size_t places = 0;
  for (const auto& [term, adds] : terms_of(code, initial)) {
    if (term.empty()) return false;
    if (adds && is_thread_place(code, body, uniformity, rows, repeated, term))
      places++;
    else if (!rows.is_uniform_expression(term) || !can_be_computed(body, uniformity, repeated, term))
      return false;
  }
  return places == 1;
}

}  // namespace warpcell::cpu
