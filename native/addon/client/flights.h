// The flight recorder: remembers which kernel was launched from where, for the last 65,536 commands that may be under
// way.
#pragma once
#include <algorithm>
#include <vector>

#include "../../protocol/commands.h"

namespace warpcell {

// Set in `kernel` where it is a plan that ran.
constexpr uint32_t kFlightOfPlan = 1u << 31;
// A graph.
constexpr uint32_t kFlightOfGraph = 3u << 30;

struct Flight {
  uint64_t sequence = 0;
  uint32_t kernel = 0;
  uint32_t origin = 0;
};

class Flights {
 public:
  void record(uint64_t sequence, uint32_t kernel, uint32_t origin) {
    slots_[sequence % kSlots] = {sequence, kernel, origin};
  }

  // Done, so it is not what a later fault comes from.
  void forget(uint64_t sequence) {
    Flight& slot = slots_[sequence % kSlots];
    if (slot.sequence == sequence) slot = {};
  }

  // Oldest first.
  std::vector<Flight> between(uint64_t first, uint64_t last) const {
    std::vector<Flight> found;
    if (last >= kSlots) first = std::max(first, last - kSlots + 1);
    for (uint64_t sequence = std::max<uint64_t>(first, 1); sequence <= last; sequence++) {
      const Flight& slot = slots_[sequence % kSlots];
      if (slot.sequence == sequence) found.push_back(slot);
    }
    return found;
  }

 private:
  static constexpr uint64_t kSlots = 65536;
  std::vector<Flight> slots_{kSlots};
};

}  // namespace warpcell
