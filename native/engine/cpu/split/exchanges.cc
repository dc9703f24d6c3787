// Calls in which threads tell each other something: shuffles and votes of whole warps, votes of blocks. Each is read
// where every thread computes it, once and before all that it could be mixed up with.
#include <algorithm>

#include "known_words.h"
#include "statements.h"

namespace warpcell::cpu {
namespace {

constexpr size_t kMost = 48;  // of a kernel: each has room for all threads of a block on one stack

bool before(const Exchange& exchange, size_t token) { return exchange.token < token; }

}  // namespace

Range KernelBody::exchanges_in(Range range) const {
  auto first = std::lower_bound(exchanges_.begin(), exchanges_.end(), range.first, before);
  auto end = std::lower_bound(first, exchanges_.end(), range.end, before);
  return {size_t(first - exchanges_.begin()), size_t(end - exchanges_.begin())};
}

const Exchange* KernelBody::exchange_at(size_t token) const {
  Range found = exchanges_in({token, token + 1});
  return found.empty() ? nullptr : &exchanges_[found.first];
}

// The argument that begins at `*i`, which moves on to the next one.
Range KernelBody::argument(size_t* i, size_t close) const {
  Range range = {*i, *i};
  while (range.end < close && !code_.is(range.end, ",")) {
    if (code_.is(range.end, "(") || code_.is(range.end, "[") || code_.is(range.end, "{"))
      range.end = code_.closing(range.end);
    if (code_.is(range.end, "<") && code_.is_name(range.end - 1)) {
      size_t behind = code_.behind_angles(range.end);
      if (behind != 0 && code_.is(behind, "(")) range.end = behind - 1;
    }
    range.end++;
  }
  *i = range.end + 1;
  return range;
}

bool KernelBody::is_full_mask(Range range) const {
  std::string text;
  for (size_t i = range.first; i < range.end; i++) text += code_.at(i);
  if (warpcell::cpu::is_full_mask(text)) return true;
  if (range.end != range.first + 1 || !code_.is_name(range.first)) return false;
  const size_t* variable = find(text);
  if (variable == nullptr) return names_.is_full_mask(text);
  const Variable& known = variables_[*variable];
  return known.is_constant && !known.is_parameter && !known.initial.empty() && is_full_mask(known.initial);
}

void KernelBody::exchange(size_t i) {
  std::string name = code_.at(i);
  if (!code_.is(i + 1, "(")) keep("it uses " + name);
  if (!exchanges_.empty() && i < exchanges_.back().end) keep(name + " stands in the arguments of another such call");
  if (exchanges_.size() == kMost) keep("it has more than " + std::to_string(kMost) + " shuffles and votes");
  Exchange exchange;
  exchange.token = i;
  size_t close = code_.closing(i + 1), at = i + 2;
  exchange.end = close + 1;
  if (!is_block_vote(name) && !is_full_mask(argument(&at, close)))
    keep("the mask of " + name + " is not that of a whole warp");
  exchange.value = argument(&at, close);
  exchange.place = argument(&at, close);
  exchange.width = argument(&at, close);
  if (exchange.value.empty() || at < close) keep("the arguments of " + name + " are not understood");
  exchanges_.push_back(exchange);
}

void KernelBody::finish_exchanges(Statement* statement, size_t first) {
  if (first == exchanges_.size()) return;
  statement->waits = statement->exchanges = true;
  if (statement->kind == Statement::expression) {
    Range whole = {statement->first, at_};
    for (size_t i = first; i < exchanges_.size(); i++) check_exchange(exchanges_[i], whole);
    return;
  }
  for (size_t variable : statement->variables) {
    Range whole = variables_[variable].initial;
    for (size_t i = first; i < exchanges_.size(); i++) {
      if (whole.contains(exchanges_[i].token)) check_exchange(exchanges_[i], whole);
    }
  }
}

// What it is handed comes before the rest of its statement, whose result must not depend on that.
void KernelBody::check_exchange(const Exchange& exchange, Range whole) const {
  std::string name = code_.at(exchange.token);
  Range arguments = {exchange.token + 2, exchange.end};
  for (const Use& use : uses_) {
    if (use.changes && arguments.contains(use.token)) keep("the arguments of " + name + " change a variable");
  }
  for (size_t i = exchange.value.end; i < exchange.end; i++) {
    if (names_.is_function(code_.at(i)) || is_atomic(code_.at(i)))
      keep("the arguments of " + name + " call " + code_.at(i));
  }
  int depth = 0;
  for (size_t i = whole.first; i < exchange.token; i++) {
    bool is_pair = code_.at(i) == code_.at(i + 1) && code_.are_one(i);
    if (code_.is(i, "?") || (is_pair && (code_.is(i, "&") || code_.is(i, "|"))))
      keep(name + " stands behind a condition in its statement");
    if (is_pair && (code_.is(i, "+") || code_.is(i, "-"))) keep("the statement of " + name + " changes a variable");
    if (code_.is(i, ",") && depth == 0) keep("a comma stands in front of " + name);
    bool calls = (names_.is_function(code_.at(i)) || is_atomic(code_.at(i))) && code_.is(i + 1, "(");
    if (calls && code_.closing(i + 1) < exchange.token) keep(code_.at(i) + " is called in front of " + name);
    // A compiler may round a product and a sum once, but not over a place where a thread waits.
    bool is_product = code_.is(i, "*") && i > whole.first && !code_.is(i + 1, "=") && i + 1 != exchange.token;
    if (is_product) keep("a product stands in front of " + name);
    if (code_.is(i, "(")) depth++;
    if (code_.is(i, ")")) depth--;
    if (code_.is(i, "[")) i = code_.closing(i);
  }
}

}  // namespace warpcell::cpu
