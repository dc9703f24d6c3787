// Best fit with coalescing.
#include "allocator.h"

#include <algorithm>

namespace warpcell {

namespace {

constexpr uint64_t kLeastSegment = 32u << 20;
constexpr uint64_t kLargestShared = 512u << 20;

uint64_t rounded(uint64_t bytes, uint64_t unit) { return std::max<uint64_t>((bytes + unit - 1) / unit * unit, unit); }

// A remainder smaller than this is not worth a block of its own.
uint64_t least_remainder(bool is_shared) { return is_shared ? kBlockAlignment : kSegmentAlignment; }

}  // namespace

Allocator::FreeBlocks::iterator Allocator::fitting(FreeBlocks& free, uint64_t bytes, const IsRight& is_right) const {
  auto fit = free.lower_bound({bytes, 0});
  if (apart_ == 0 && !is_right) return fit;
  return std::find_if(fit, free.end(), [&](const auto& block) {
    auto [size, place] = block;
    bool is_whole = offset_of(place) == 0 && size == segments_.at(segment_of(place)).bytes;
    return (apart_ == 0 || is_whole) && (!is_right || is_right(blocks_.at(place)));
  });
}

std::optional<Place> Allocator::take(uint64_t requested, uint32_t stream, uint32_t origin) {
  uint64_t bytes = rounded(requested, unit());
  FreeBlocks& free = free_[stream].of(bytes <= kSharedLimit);
  auto fit = fitting(free, bytes);
  if (fit != free.end()) return cut(free, fit, bytes, stream, origin);
  if (stream < kMaxStreams) return std::nullopt;
  FreeBlocks& first = free_[0].of(bytes <= kSharedLimit);
  fit = fitting(first, bytes);
  if (fit == first.end()) return std::nullopt;
  return cut(first, fit, bytes, stream, origin);
}

std::optional<Place> Allocator::take_from_others(uint64_t requested, uint32_t stream, uint32_t origin,
                                                 const IsDone& is_done) {
  uint64_t bytes = rounded(requested, unit());
  FreeBlocks* from = nullptr;
  FreeBlocks::iterator best;
  for (uint32_t other = 0; other < kMaxStreams; other++) {
    if (other == stream) continue;
    FreeBlocks& free = free_[other].of(bytes <= kSharedLimit);
    auto fit = fitting(free, bytes, [&](const Block& block) { return is_done(block.last); });
    if (fit == free.end() || (from != nullptr && best->first <= fit->first)) continue;
    from = &free;
    best = fit;
  }
  if (from == nullptr) return std::nullopt;
  return cut(*from, best, bytes, stream, origin);
}

Place Allocator::cut(FreeBlocks& free, FreeBlocks::iterator fit, uint64_t bytes, uint32_t stream, uint32_t origin) {
  std::lock_guard lock(changing_);
  Place place = fit->second;
  bool is_shared = bytes <= kSharedLimit;
  free.erase(fit);
  Block& block = blocks_.at(place);
  Use last = block.last;
  block.is_free = false;
  block.last.stream = stream;
  block.origin = origin;
  if (apart_ != 0) return cut_apart(place, bytes);

  uint64_t remainder = block.bytes - bytes;
  uint64_t kept = is_shared ? bytes : rounded(bytes, kSegmentAlignment);
  if (remainder >= least_remainder(is_shared) && block.bytes > kept) {
    Place rest = place + kept;
    blocks_[rest] = {block.bytes - kept, true, last};
    free.insert({block.bytes - kept, rest});
    block.bytes = kept;
  }
  count(block.bytes);
  return place;
}

// What is in front of it stays free, of the same stream, so that they join again.
Place Allocator::cut_apart(Place start, uint64_t bytes) {
  Block& front = blocks_.at(start);
  Place place = start + front.bytes - bytes;
  if (place != start) {
    Block& block = blocks_[place] = front;
    block.bytes = bytes;
    front.bytes -= bytes;
    front.is_free = true;
    free_blocks(segment_of(start), front.last.stream).insert({front.bytes, start});
  }
  count(bytes);
  return place;
}

void Allocator::count(uint64_t bytes) {
  uint64_t allocated = statistics_.allocated += bytes;
  statistics_.blocks++;
  if (allocated > statistics_.peak) statistics_.peak = allocated;
  if (allocated > statistics_.recent_peak) statistics_.recent_peak = allocated;
}

size_t Allocator::adopt(const Use& use, const IsDone& is_done) {
  std::lock_guard lock(changing_);
  std::vector<Place> places;
  for (uint32_t other = 0; other < kMaxStreams; other++) {
    if (other == use.stream) continue;
    for (FreeBlocks* free : {&free_[other].shared, &free_[other].large}) {
      for (auto block = free->begin(); block != free->end();) {
        bool is_ours = is_done(blocks_.at(block->second).last);
        if (is_ours) places.push_back(block->second);
        block = is_ours ? free->erase(block) : std::next(block);
      }
    }
  }
  // None of them is free while its neighbours are looked for.
  for (Place place : places) blocks_.at(place).is_free = false;
  for (Place place : places) {
    Block& block = blocks_.at(place);
    block.last = use;
    release(place, block);
  }
  return places.size();
}

Allocator::Block* Allocator::find(Place place) {
  auto found = blocks_.find(place);
  return found == blocks_.end() || found->second.is_free ? nullptr : &found->second;
}

void Allocator::give(Place place, Block& block, uint64_t sequence) {
  std::lock_guard lock(changing_);
  statistics_.allocated -= block.bytes;
  statistics_.blocks--;
  block.last.sequence = sequence;
  block.others = 0;
  block.is_leaving = false;
  release(place, block);
}

void Allocator::release(Place place, Block& block) {
  auto here = blocks_.find(place);
  block.is_free = true;
  auto next = std::next(here);
  join(here, next, next);
  if (here != blocks_.begin()) {
    auto previous = std::prev(here);
    if (join(previous, here, previous)) here = previous;
  }
  free_blocks(segment_of(here->first), here->second.last.stream).insert({here->second.bytes, here->first});
}

// Makes one block of two where both are free and of one stream. One of them is `listed` among the free ones.
bool Allocator::join(Blocks::iterator one, Blocks::iterator next, Blocks::iterator listed) {
  if (next == blocks_.end() || segment_of(one->first) != segment_of(next->first)) return false;
  Block &first = one->second, &second = next->second;
  if (!first.is_free || !second.is_free || first.last.stream != second.last.stream) return false;
  free_blocks(segment_of(one->first), first.last.stream).erase({listed->second.bytes, listed->first});
  first.bytes += second.bytes;
  first.last.sequence = std::max(first.last.sequence, second.last.sequence);
  blocks_.erase(next);
  return true;
}

uint32_t Allocator::open_pool() {
  if (unused_pools_.empty()) {
    free_.emplace_back();
    return uint32_t(free_.size() - 1);
  }
  uint32_t pool = unused_pools_.back();
  unused_pools_.pop_back();
  return pool;
}

void Allocator::close_pool(uint32_t pool, uint64_t sequence) {
  std::lock_guard lock(changing_);
  std::vector<Place> places;
  for (auto& [place, block] : blocks_) {
    if (block.last.stream != pool) continue;
    if (block.is_free) places.push_back(place);
    block.last = {0, sequence};
    block.is_free = false;
  }
  free_[pool] = {};
  for (Place place : places) release(place, blocks_.at(place));
  unused_pools_.push_back(pool);
}

std::optional<Place> Allocator::foreign_block(Place place, uint32_t pool, bool* is_free) const {
  *is_free = false;
  auto next = blocks_.upper_bound(place);
  if (next == blocks_.begin()) return std::nullopt;
  auto found = std::prev(next);
  const Block& block = found->second;
  bool is_inside = segment_of(found->first) == segment_of(place) && place < found->first + block.bytes;
  if (!is_inside || block.last.stream == pool) return std::nullopt;
  *is_free = block.is_free;
  return found->first;
}

uint64_t Allocator::least_segment_size(uint64_t requested) const { return rounded(requested, segment_unit_); }

uint64_t Allocator::segment_size(uint64_t requested) const {
  if (requested > kSharedLimit || apart_ != 0) return least_segment_size(requested);
  uint64_t half = rounded(statistics_.reserved / 2, kSegmentAlignment);
  return std::clamp(half, kLeastSegment, kLargestShared);
}

void Allocator::add_segment(uint32_t segment, uint64_t bytes, uint64_t wanted, uint32_t stream) {
  std::lock_guard lock(changing_);
  segments_[segment] = {bytes, wanted <= kSharedLimit};
  Place start = place(segment, 0);
  blocks_[start] = {bytes, true, {stream, 0}};
  free_blocks(segment, stream).insert({bytes, start});
  statistics_.reserved += bytes;
  statistics_.segments++;
}

void Allocator::remove_segment(uint32_t segment) {
  std::lock_guard lock(changing_);
  Place start = place(segment, 0);
  uint64_t bytes = segments_.at(segment).bytes;
  free_blocks(segment, blocks_.at(start).last.stream).erase({bytes, start});
  blocks_.erase(start);
  segments_.erase(segment);
  statistics_.reserved -= bytes;
  statistics_.segments--;
}

std::vector<Allocator::Listed> Allocator::list() const {
  std::lock_guard lock(changing_);
  std::vector<Listed> listed;
  listed.reserve(blocks_.size());
  for (const auto& [place, block] : blocks_)
    listed.push_back({place, block.bytes, block.is_free || block.is_leaving, block.origin});
  return listed;
}

std::vector<uint32_t> Allocator::unused_segments() const {
  std::vector<uint32_t> unused;
  for (const auto& [segment, about] : segments_) {
    const Block& first = blocks_.at(place(segment, 0));
    bool is_streams = first.last.stream < kMaxStreams;
    if (first.is_free && first.bytes == about.bytes && is_streams) unused.push_back(segment);
  }
  return unused;
}

std::vector<uint64_t> Allocator::largest(size_t count) const {
  std::vector<std::pair<uint64_t, Place>> found;
  for (const auto& [place, block] : blocks_)
    if (!block.is_free && !block.is_leaving && !block.is_dropped) found.push_back({block.bytes, place});
  size_t kept = std::min(count, found.size());
  std::partial_sort(found.begin(), found.begin() + ptrdiff_t(kept), found.end(), std::greater<>());
  std::vector<uint64_t> result;
  for (size_t i = 0; i < kept; i++) {
    result.push_back(found[i].second);
    result.push_back(found[i].first);
  }
  return result;
}

}  // namespace warpcell
