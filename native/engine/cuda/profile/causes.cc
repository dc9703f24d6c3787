// Walks through the calls in their order, and through what is known of them beside it.
#include "causes.h"

#include <algorithm>

namespace warpcell::cuda {

void Causes::clear() {
  ours_ = {};
  stretches_ = {};
  inside_ = false;
}

void Causes::begin(uint32_t call, uint64_t sequence) {
  stretches_.push_back({call, UINT32_MAX, sequence, ours_.size()});
  inside_ = true;
}

void Causes::end(uint32_t call) {
  stretches_.back().last = call;
  inside_ = false;
}

bool Causes::attribute(std::vector<Traced> traced, std::vector<ProfileRecord>& records) const {
  auto earlier = [](const Traced& one, const Traced& other) { return one.call < other.call; };
  if (!std::is_sorted(traced.begin(), traced.end(), earlier)) std::stable_sort(traced.begin(), traced.end(), earlier);

  std::vector<Traced> alone;
  size_t next = 0;
  bool adds_up = true;
  auto stretch = stretches_.begin();
  for (const Traced& work : traced) {
    for (; stretch != stretches_.end() && work.call > stretch->last; ++stretch)
      adds_up = adds_up && next == stretch->before;
    if (stretch != stretches_.end() && work.call >= stretch->first) {
      records[work.record].sequence = stretch->sequence;
      continue;
    }
    bool expected = next < ours_.size() && ours_[next].kind == records[work.record].kind &&
                    (alone.empty() || alone.back().call != work.call);
    adds_up = adds_up && expected;
    alone.push_back(work);
    next++;
  }
  adds_up = adds_up && next == ours_.size();
  for (size_t i = 0; i < alone.size() && adds_up; i++) records[alone[i].record].sequence = ours_[i].sequence;
  return adds_up;
}

}  // namespace warpcell::cuda
