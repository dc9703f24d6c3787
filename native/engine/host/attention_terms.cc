// Reads the terms of an attention and refuses those that do not go together.
#include "attention_terms.h"

#include <algorithm>
#include <iterator>

#include "plan_terms.h"

namespace warpcell {
namespace {

template <class Value>
struct Named {
  const char* name;
  Value value;
};
constexpr Named<AttentionResult> kResults[] = {{"output", AttentionResult::output},
                                               {"gradients", AttentionResult::gradients}};
constexpr Named<AttentionMask> kMasks[] = {
    {"none", AttentionMask::none}, {"first", AttentionMask::first}, {"last", AttentionMask::last}};

constexpr uint64_t kElementBytes = 2;

template <class Value, size_t kCount>
Value named(const PlanRequest& request, const char* term, const Named<Value> (&values)[kCount]) {
  const std::string& name = text_term(request, term);
  const auto found =
      std::find_if(std::begin(values), std::end(values), [&](const Named<Value>& each) { return name == each.name; });
  if (found != std::end(values)) return found->value;
  throw DeviceError("PROTOCOL", "The plan of " + request.call + " has " + term + "=" + name + ".");
}

std::string type_of(const PlanRequest& request) {
  const std::string& type = text_term(request, "type");
  if (type == "float16" || type == "bfloat16") return type;
  throw DeviceError("UNSUPPORTED", "No library computes the attention of " + type + ".");
}

// So many of a term's sizes.
std::vector<int64_t> list(const PlanRequest& request, const char* term, size_t count) {
  std::vector<int64_t> found = sizes_term(request, term);
  if (found.size() == count) return found;
  throw DeviceError("PROTOCOL", "The plan of " + request.call + " has " + term + " of " + std::to_string(found.size()) +
                                    " numbers, not " + std::to_string(count) + ".");
}

}  // namespace

AttentionTerms::AttentionTerms(const PlanRequest& request)
    : result(named(request, "result", kResults)), mask(named(request, "mask", kMasks)), type(type_of(request)) {
  const std::vector<int64_t> sizes = list(request, "sizes", 7);
  const int64_t batches = sizes[0], heads = sizes[1], key_heads = sizes[2], queries = sizes[3], keys = sizes[4],
                width = sizes[5], value_width = sizes[6];
  if (*std::min_element(sizes.begin(), sizes.end()) == 0 || heads % key_heads != 0)
    throw DeviceError("PROTOCOL", "The plan of " + request.call + " has sizes that do not go together.");
  auto operand = [&](const char* term, int64_t own_heads, int64_t rows, int64_t columns) {
    const std::vector<int64_t> steps = list(request, term, 3);
    return AttentionOperand{batches, own_heads, rows, columns, steps[0], steps[1], steps[2]};
  };
  q = operand("q", heads, queries, width);
  k = operand("k", key_heads, keys, width);
  v = operand("v", key_heads, keys, value_width);
  out = operand("out", heads, queries, value_width);
  if (result == AttentionResult::output) return;
  d_out = operand("dOut", heads, queries, value_width);
  d_q = operand("dq", heads, queries, width);
  d_k = operand("dk", key_heads, keys, width);
  d_v = operand("dv", key_heads, keys, value_width);
}

std::vector<uint64_t> AttentionTerms::place_bytes() const {
  auto bytes = [](const AttentionOperand& operand) { return uint64_t(operand.elements()) * kElementBytes; };
  if (result == AttentionResult::output) return {bytes(out), lse_bytes(), bytes(q), bytes(k), bytes(v)};
  return {bytes(d_q), bytes(d_k), bytes(d_v), bytes(q), bytes(k), bytes(v), bytes(out), lse_bytes(), bytes(d_out)};
}

}  // namespace warpcell
