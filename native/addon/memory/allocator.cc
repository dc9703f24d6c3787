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

std::optional<Place> Allocator::take(uint64_t requested) {
  uint64_t bytes = rounded(requested, kBlockAlignment);
  bool is_shared = bytes <= kSharedLimit;
  FreeBlocks& free = is_shared ? shared_ : large_;
  auto fit = free.lower_bound({bytes, 0});
  if (fit == free.end()) return std::nullopt;

  Place place = fit->second;
  free.erase(fit);
  Block& block = blocks_.at(place);
  block.is_free = false;

  uint64_t remainder = block.bytes - bytes;
  uint64_t kept = is_shared ? bytes : rounded(bytes, kSegmentAlignment);
  if (remainder >= least_remainder(is_shared) && block.bytes > kept) {
    Place rest = place + kept;
    blocks_[rest] = {block.bytes - kept, true};
    free.insert({block.bytes - kept, rest});
    block.bytes = kept;
  }

  uint64_t allocated = statistics_.allocated += block.bytes;
  statistics_.blocks++;
  if (allocated > statistics_.peak) statistics_.peak = allocated;
  return place;
}

bool Allocator::give(Place place) {
  auto found = blocks_.find(place);
  if (found == blocks_.end() || found->second.is_free) return false;

  statistics_.allocated -= found->second.bytes;
  statistics_.blocks--;
  release(place, found->second);
  return true;
}

void Allocator::release(Place place, Block& block) {
  FreeBlocks& free = free_blocks(segment_of(place));
  auto here = blocks_.find(place);

  auto next = std::next(here);
  if (next != blocks_.end() && next->second.is_free && segment_of(next->first) == segment_of(place)) {
    free.erase({next->second.bytes, next->first});
    block.bytes += next->second.bytes;
    blocks_.erase(next);
  }
  if (here != blocks_.begin()) {
    auto previous = std::prev(here);
    if (previous->second.is_free && segment_of(previous->first) == segment_of(place)) {
      free.erase({previous->second.bytes, previous->first});
      previous->second.bytes += block.bytes;
      blocks_.erase(here);
      here = previous;
    }
  }
  here->second.is_free = true;
  free.insert({here->second.bytes, here->first});
}

uint64_t Allocator::least_segment_size(uint64_t requested) const { return rounded(requested, kSegmentAlignment); }

uint64_t Allocator::segment_size(uint64_t requested) const {
  if (requested > kSharedLimit) return least_segment_size(requested);
  uint64_t half = rounded(statistics_.reserved / 2, kSegmentAlignment);
  return std::clamp(half, kLeastSegment, kLargestShared);
}

void Allocator::add_segment(uint32_t segment, uint64_t bytes, uint64_t wanted) {
  segments_[segment] = {bytes, wanted <= kSharedLimit};
  Place start = place(segment, 0);
  blocks_[start] = {bytes, true};
  free_blocks(segment).insert({bytes, start});
  statistics_.reserved += bytes;
  statistics_.segments++;
}

void Allocator::remove_segment(uint32_t segment) {
  Place start = place(segment, 0);
  uint64_t bytes = segments_.at(segment).bytes;
  free_blocks(segment).erase({bytes, start});
  blocks_.erase(start);
  segments_.erase(segment);
  statistics_.reserved -= bytes;
  statistics_.segments--;
}

std::vector<uint32_t> Allocator::unused_segments() const {
  std::vector<uint32_t> unused;
  for (const auto& [segment, about] : segments_) {
    const Block& first = blocks_.at(place(segment, 0));
    if (first.is_free && first.bytes == about.bytes) unused.push_back(segment);
  }
  return unused;
}

}  // namespace warpcell
