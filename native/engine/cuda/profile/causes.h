// Which command caused what a GPU did: turns CUPTI's numbers of calls into sequences.
//
// CUPTI numbers the calls of the driver that it traces in the order in which they are made, so the n-th number among
// its records is the n-th call of ours that put work on the stream: nobody has to note the number of each, which would
// take a callback, a tenth of what a launch costs. Where a library makes calls, as many as it likes, the numbers before
// and after it are asked for.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../../protocol/profile.h"
#include "../driver/stream_watcher.h"

namespace warpcell::cuda {

// A record of work, by its index, and CUPTI's number of the call that made it.
struct Traced {
  uint32_t call;
  uint32_t record;
};

class Causes {
 public:
  void clear();

  // Work of ours is that of its stretch, while there is one.
  void submitted(ProfileKind kind, uint64_t sequence) {
    if (!inside_) ours_.push_back({kind, sequence});
  }
  void begin(uint32_t call, uint64_t sequence);
  void end(uint32_t call);

  // Sets the sequence of each record of work. False when the calls do not add up to it: then what is in no stretch
  // keeps 0.
  bool attribute(std::vector<Traced> traced, std::vector<ProfileRecord>& records) const;

 private:
  struct Ours {
    ProfileKind kind;
    uint64_t sequence;
  };
  // `before`: how many of ours came before it.
  struct Stretch {
    uint32_t first, last;
    uint64_t sequence;
    size_t before;
  };

  std::vector<Ours> ours_;
  std::vector<Stretch> stretches_;
  bool inside_ = false;
};

}  // namespace warpcell::cuda
