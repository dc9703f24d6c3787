// The caching allocator: turns segments into blocks. Bookkeeping only.
//
// Commands of a device run in order, so a block may be handed out again as soon as it is free: its new owner's first
// command comes after the old owner's last one.
#pragma once
#include <atomic>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "../../protocol/commands.h"

namespace warpcell {

constexpr uint64_t kBlockAlignment = 256;
constexpr uint64_t kSegmentAlignment = 2u << 20;

// Requests above this get a segment of their own, so that a small block never holds a large segment.
constexpr uint64_t kSharedLimit = 16u << 20;

class Allocator {
 public:
  // The best fit among free blocks, or nothing: then a segment of segment_size(bytes) is wanted.
  std::optional<Place> take(uint64_t bytes);
  // False when nothing was allocated there.
  bool give(Place place);

  // What a new segment should have, and what it must have.
  uint64_t segment_size(uint64_t bytes) const;
  uint64_t least_segment_size(uint64_t bytes) const;
  void add_segment(uint32_t segment, uint64_t bytes, uint64_t wanted);
  void remove_segment(uint32_t segment);
  // Segments that no block uses.
  std::vector<uint32_t> unused_segments() const;

  // Bytes; any thread may read these.
  struct Statistics {
    std::atomic<uint64_t> allocated{0}, reserved{0}, peak{0}, blocks{0}, segments{0};
  };
  const Statistics& statistics() const { return statistics_; }

 private:
  struct Block {
    uint64_t bytes;
    bool is_free;
  };
  struct Segment {
    uint64_t bytes;
    bool is_shared;
  };
  using FreeBlocks = std::set<std::pair<uint64_t, Place>>;

  FreeBlocks& free_blocks(uint32_t segment) { return segments_.at(segment).is_shared ? shared_ : large_; }
  void release(Place place, Block& block);

  std::map<Place, Block> blocks_;  // every byte of every segment, free or not
  FreeBlocks shared_, large_;
  std::map<uint32_t, Segment> segments_;
  Statistics statistics_;
};

}  // namespace warpcell
