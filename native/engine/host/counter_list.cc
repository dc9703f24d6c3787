// Writes each launch down at once.
#include "counter_list.h"

#include <cmath>
#include <cstdio>
#include <utility>

#include "json.h"

namespace warpcell {

void CounterList::start(std::vector<std::string> names) {
  names_ = std::move(names);
  entries_.clear();
  left_out_ = 0;
}

void CounterList::add(uint64_t sequence, const std::vector<double>& values) {
  if (entries_.size() >= kMost) {
    left_out_++;
    return;
  }
  JsonObject metrics;
  for (size_t i = 0; i < names_.size(); i++) {
    char text[32];
    std::snprintf(text, sizeof text, "%.15g", values[i]);
    if (std::isfinite(values[i])) metrics.raw(names_[i].c_str(), text);
  }
  entries_.push_back(JsonObject().number("sequence", int64_t(sequence)).raw("metrics", metrics.done()).done());
}

std::vector<std::string> CounterList::take(std::vector<std::string>& notes) {
  if (left_out_ > 0)
    notes.push_back("The counts of the last " + std::to_string(left_out_) +
                    " kernels are left out: there is room for " + std::to_string(kMost) + ". Profile less at a time.");
  left_out_ = 0;
  return std::exchange(entries_, {});
}

}  // namespace warpcell
