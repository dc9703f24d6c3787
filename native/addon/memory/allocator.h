// The caching allocator: turns segments into blocks. Bookkeeping only.
//
// Commands of a stream run in order, so the stream that a block was allocated for may have it again as soon as it is
// free: its new owner's first command comes after the old owner's last one. Another stream gets it only when that last
// one is known to be done, or once it waits for it.
#pragma once
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "../../protocol/commands.h"

namespace warpcell {

constexpr uint64_t kBlockAlignment = 256;
constexpr uint64_t kSegmentAlignment = 2u << 20;

// Requests above this get a segment of their own, so that a small block never holds a large segment.
constexpr uint64_t kSharedLimit = 16u << 20;

// Pools are numbered behind the streams. A pool's work runs on stream 0, again and again: what it has had once is given
// to nobody else while it is there.
constexpr uint32_t stream_of(uint32_t owner) { return owner < kMaxStreams ? owner : 0; }

// The last command of a stream that may touch a block.
struct Use {
  uint32_t stream;  // or the pool
  uint64_t sequence;
};

class Allocator {
 public:
  using IsDone = std::function<bool(const Use&)>;

  // Every block has a segment of its own and ends where that ends, or less than `unit` bytes before: what goes beyond
  // an array is outside of all memory. Segments are multiples of `segment_unit`. For tests, before there is a segment.
  void set_apart(uint64_t unit, uint64_t segment_unit) {
    apart_ = unit;
    segment_unit_ = segment_unit;
  }

  // The best fit among the stream's own free blocks, or nothing. `origin`: where in the user's code it is wanted.
  std::optional<Place> take(uint64_t bytes, uint32_t stream, uint32_t origin);
  // The same among those of others whose last use is done. Without one a segment of segment_size(bytes) is wanted.
  std::optional<Place> take_from_others(uint64_t bytes, uint32_t stream, uint32_t origin, const IsDone& is_done);
  // Free blocks of others whose last use is done are `use.stream`'s from now on, and touched by `use` last. Returns how
  // many.
  size_t adopt(const Use& use, const IsDone& is_done);

  struct Block {
    uint64_t bytes;
    bool is_free;
    Use last;                 // by the stream that it was allocated for
    uint32_t others = 0;      // streams that use it besides, one bit each
    bool is_leaving = false;  // freed, but others have not done with it
    uint32_t pins = 0;        // of pools that use it besides
    uint32_t origin = 0;      // the call site that it was allocated for; 0: not known
    bool is_dropped = false;  // freed, but pools use it
  };
  // What is allocated there, or null.
  Block* find(Place place);
  // Frees it. Its stream touches it up to `sequence`.
  void give(Place place, Block& block, uint64_t sequence);

  // The number of a new pool.
  uint32_t open_pool();
  // Its blocks are stream 0's again, which touches them up to `sequence`.
  void close_pool(uint32_t pool, uint64_t sequence);
  // The start of what is allocated around a place, where a pool must pin it: it is not its own. Nothing where it is,
  // and `is_free` where nothing is allocated.
  std::optional<Place> foreign_block(Place place, uint32_t pool, bool* is_free) const;

  // What a new segment should have, and what it must have.
  uint64_t segment_size(uint64_t bytes) const;
  uint64_t least_segment_size(uint64_t bytes) const;
  void add_segment(uint32_t segment, uint64_t bytes, uint64_t wanted, uint32_t stream);
  void remove_segment(uint32_t segment);
  // Segments that no block uses.
  std::vector<uint32_t> unused_segments() const;

  // So many bytes are reserved at most, by segments that are added from now on.
  void set_limit(uint64_t bytes) { limit_ = bytes; }
  bool has_room(uint64_t bytes) const {
    uint64_t reserved = statistics_.reserved;
    return reserved <= limit_ && bytes <= limit_ - reserved;
  }

  // The largest blocks that are allocated, at most so many: places and bytes in turns, the largest first.
  std::vector<uint64_t> largest(size_t count) const;

  // Bytes; any thread may read these. `recent_peak`: since it was last begun.
  struct Statistics {
    std::atomic<uint64_t> allocated{0}, reserved{0}, peak{0}, recent_peak{0}, blocks{0}, segments{0};
  };
  const Statistics& statistics() const { return statistics_; }
  void begin_recent_peak() { statistics_.recent_peak = statistics_.allocated.load(); }

  struct Listed {
    Place place;
    uint64_t bytes;
    bool is_free;
    uint32_t origin;
  };
  // Every byte of every segment, by place, as it is at one moment. Any thread may ask.
  std::vector<Listed> list() const;

 private:
  struct Segment {
    uint64_t bytes;
    bool is_shared;
  };
  using FreeBlocks = std::set<std::pair<uint64_t, Place>>;
  struct Free {
    FreeBlocks shared, large;
    FreeBlocks& of(bool is_shared) { return is_shared ? shared : large; }
  };

  FreeBlocks& free_blocks(uint32_t segment, uint32_t stream) {
    return free_[stream].of(segments_.at(segment).is_shared);
  }
  using IsRight = std::function<bool(const Block&)>;
  // The smallest free block of that size that is right, and a whole segment where blocks are apart; else the end.
  FreeBlocks::iterator fitting(FreeBlocks& free, uint64_t bytes, const IsRight& is_right = nullptr) const;
  Place cut_apart(Place start, uint64_t bytes);
  void count(uint64_t bytes);
  uint64_t unit() const { return apart_ != 0 ? apart_ : kBlockAlignment; }
  Place cut(FreeBlocks& free, FreeBlocks::iterator fit, uint64_t bytes, uint32_t stream, uint32_t origin);
  void release(Place place, Block& block);
  using Blocks = std::map<Place, Block>;
  bool join(Blocks::iterator one, Blocks::iterator next, Blocks::iterator listed);

  // Held while blocks_ changes: list() reads it on other threads.
  mutable std::mutex changing_;
  Blocks blocks_;                       // every byte of every segment, free or not
  std::deque<Free> free_{kMaxStreams};  // by the stream that used them last, or the pool
  std::vector<uint32_t> unused_pools_;
  std::map<uint32_t, Segment> segments_;
  uint64_t limit_ = UINT64_MAX;
  uint64_t apart_ = 0;  // 0: blocks share segments
  uint64_t segment_unit_ = kSegmentAlignment;
  Statistics statistics_;
};

}  // namespace warpcell
