// Memory of a device: turns blocks into segments and segments into commands.
#include <algorithm>

#include "client.h"
#include "error.h"
#include "../memory/shared_memory.h"

namespace warpcell {

int64_t Client::allocate(Memory memory, uint32_t owner, uint64_t bytes, bool may_grow, uint32_t origin) {
  uint32_t stream = stream_of(owner);
  open_stream_at(stream);
  settle_leaving();
  Allocator& blocks = allocator(memory);
  uint64_t least = blocks.least_segment_size(bytes);
  uint64_t size = blocks.segment_size(bytes);
  for (bool has_trimmed = false, has_gathered = false;;) {
    std::optional<Place> block = blocks.take(bytes, owner, origin);
    if (!block && streams_.are_several())
      block = blocks.take_from_others(bytes, owner, origin,
                                      [this](const Use& use) { return reached(use.stream).last() >= use.sequence; });
    if (block) return int64_t(*block);
    if (!may_grow) return kNoMemory;

    Growth growth = grow(memory, stream, bytes, size);
    if (growth == Growth::dead) return kAllocationDead;
    if (growth == Growth::interrupted) return kAllocationInterrupted;
    if (growth == Growth::grown) continue;

    // Where a segment with room for more finds no place, one for this block alone may.
    bool is_smaller = size > least;
    size = least;
    if (is_smaller) continue;
    // A wait of this stream costs less than that of all for what is given back.
    if (!has_gathered && gather(blocks, stream)) {
      has_gathered = true;
      continue;
    }
    if (has_trimmed || trim() == 0) return kNoMemory;
    has_trimmed = true;

    // Memory is free only when the device process has let go of it too: its answer comes after that.
    Answer answer;
    int64_t sequence = send(Op::hello, RequestOf<Op::hello>{}.written(), 0, -1, Patience::user);
    if (sequence > 0) wait_for_answer(uint64_t(sequence), Patience::user, &answer);
  }
}

Allocator::Block& Client::allocated(Place place, Allocator** blocks) {
  const Segment* segment = segments_.find(segment_of(place));
  if (segment != nullptr) {
    *blocks = &allocator(segment->memory);
    Allocator::Block* block = (*blocks)->find(place);
    if (block != nullptr && !block->is_leaving && !block->is_dropped) return *block;
  }
  throw ClientError("NOT_ALLOCATED",
                    "Place " + std::to_string(place) + " is not allocated: it was freed before, or never given out.");
}

void Client::use(Place place, uint32_t stream) {
  open_stream_at(stream);
  Allocator* blocks;
  Allocator::Block& block = allocated(place, &blocks);
  if (stream != stream_of(block.last.stream)) block.others |= uint32_t(1) << stream;
}

void Client::use_around(Place place, uint32_t stream) {
  const Segment* segment = segments_.find(segment_of(place));
  if (segment == nullptr) return;
  Allocator& blocks = allocator(segment->memory);
  bool is_free;
  std::optional<Place> start = blocks.foreign_block(place, stream, &is_free);
  if (!start || is_free) return;
  Allocator::Block& block = *blocks.find(*start);
  if (stream != stream_of(block.last.stream)) block.others |= uint32_t(1) << stream;
}

// A block that several streams use waits, behind a mark in each, until all of them have done with it.
void Client::free(Place place) {
  Allocator* blocks;
  Allocator::Block& block = allocated(place, &blocks);
  block.is_dropped = block.pins > 0;
  if (block.is_dropped) return;
  if (block.others == 0) return blocks->give(place, block, streams_.at(stream_of(block.last.stream)).submitted);

  Leaving leaving{place, blocks, {}};
  for (uint32_t stream = 0; stream < kMaxStreams; stream++) {
    if ((block.others >> stream & 1) == 0) continue;
    // A device process that takes no mark has ended, and its work with it.
    submit_plain(Op::fence, stream, Fence{});
    leaving.uses.push_back({stream, streams_.at(stream).submitted});
  }
  block.is_leaving = true;
  leaving_.push_back(std::move(leaving));
}

void Client::settle_leaving() {
  auto is_done = [this](const Use& use) { return reached(use.stream).last() >= use.sequence; };
  for (size_t i = 0; i < leaving_.size();) {
    Leaving& leaving = leaving_[i];
    if (!std::all_of(leaving.uses.begin(), leaving.uses.end(), is_done)) {
      i++;
      continue;
    }
    Allocator::Block& block = *leaving.blocks->find(leaving.place);
    leaving.blocks->give(leaving.place, block, streams_.at(stream_of(block.last.stream)).submitted);
    leaving_.erase(leaving_.begin() + std::ptrdiff_t(i));
  }
}

uint32_t Client::open_pool() {
  uint32_t pool = device_blocks_.open_pool();
  pinned_[pool] = {};
  return pool;
}

bool Client::pin(uint32_t pool, Place place) {
  const Segment* segment = segments_.find(segment_of(place));
  if (segment == nullptr) return true;
  Allocator& blocks = allocator(segment->memory);
  bool is_free;
  std::optional<Place> start = blocks.foreign_block(place, pool, &is_free);
  if (is_free) return false;
  if (start && pinned_.at(pool).insert(*start).second) blocks.find(*start)->pins++;
  return true;
}

void Client::close_pool(uint32_t pool) {
  auto pinned = pinned_.extract(pool);
  if (pinned.empty()) throw ClientError("NOT_ALLOCATED", "There is no pool " + std::to_string(pool) + ".");
  for (Place place : pinned.mapped()) {
    const Segment* segment = segments_.find(segment_of(place));
    if (segment == nullptr) continue;
    Allocator::Block& block = *allocator(segment->memory).find(place);
    if (--block.pins > 0 || !block.is_dropped) continue;
    block.is_dropped = false;
    free(place);
  }
  device_blocks_.close_pool(pool, streams_.at(0).submitted);
}

bool Client::gather(Allocator& blocks, uint32_t stream) {
  if (!streams_.are_several()) return false;
  uint64_t last = 0;
  for (uint32_t other = 0; other < kMaxStreams; other++) {
    if (other == stream || !streams_.is_open(other)) continue;
    StreamWait record{};
    record.other = other;
    int64_t sequence = submit_plain(Op::stream_wait, stream, record);
    if (sequence < 0) return false;
    last = uint64_t(sequence);
  }
  return blocks.adopt({stream, last}, [](const Use&) { return true; }) > 0;
}

Client::Growth Client::grow(Memory memory, uint32_t stream, uint64_t wanted, uint64_t bytes) {
  uint32_t number = segments_.unused_number();
  if (number == 0 || bytes > (uint64_t(1) << kOffsetBits)) return Growth::no_memory;
  if (!allocator(memory).has_room(bytes)) return Growth::no_memory;

  Segment segment{memory, bytes, Descriptor(), 0};
  bool is_ours = memory == Memory::host || kind_ == "cpu";
  if (is_ours) {
    segment.descriptor = create_shared_memory(bytes, segments_.untouched());
    if (!segment.descriptor) return Growth::no_memory;
  }

  RequestOf<Op::segment_import> given{number, name_of(memory), bytes};
  RequestOf<Op::segment_create> wished{number, bytes};
  int64_t sequence = is_ours ? send(Op::segment_import, given.written(), 0, segment.descriptor.get(), Patience::user)
                             : send(Op::segment_create, wished.written(), 0, -1, Patience::user);
  if (sequence == kDead) return Growth::dead;
  if (sequence == kInterrupted) return Growth::interrupted;

  Answer answer;
  Outcome outcome = wait_for_answer(uint64_t(sequence), Patience::user, &answer);
  if (outcome == Outcome::interrupted) return Growth::interrupted;
  if (outcome == Outcome::died) return Growth::dead;

  std::optional<ClientError> refusal = answer.refusal();
  if (refusal && refusal->code == "OUT_OF_MEMORY") return Growth::no_memory;
  if (refusal) throw *refusal;

  if (!is_ours) segment.descriptor = std::move(answer.descriptor);
  if (!segment.descriptor) throw ClientError("PROTOCOL", "The new segment came without its descriptor.");
  segments_.add(number, std::move(segment));
  allocator(memory).add_segment(number, bytes, wanted, stream);
  return Growth::grown;
}

int64_t Client::borrow(Segment&& segment) {
  uint32_t number = segments_.unused_number();
  if (number == 0)
    throw ClientError("TOO_MANY", "There are already " + std::to_string(kMaxSegments) +
                                      " segments, the most that a device process may have.");
  RequestOf<Op::segment_import> given{number, name_of(segment.memory), segment.bytes};
  int64_t sequence = send(Op::segment_import, given.written(), 0, segment.descriptor.get(), Patience::user);
  if (sequence == kDead) return kAllocationDead;
  if (sequence == kInterrupted) return kAllocationInterrupted;

  Answer answer;
  Outcome outcome = wait_for_answer(uint64_t(sequence), Patience::user, &answer);
  if (outcome == Outcome::interrupted) return kAllocationInterrupted;
  if (outcome == Outcome::died) return kAllocationDead;
  if (std::optional<ClientError> refusal = answer.refusal()) throw *refusal;
  segments_.add(number, std::move(segment));
  return number;
}

void Client::give_back(uint32_t number) {
  if (segments_.find(number) != nullptr) release_segment(number);
}

uint64_t Client::trim() {
  uint64_t before = device_blocks_.statistics().reserved + host_blocks_.statistics().reserved;
  settle_leaving();
  for (Memory memory : {Memory::device, Memory::host}) {
    if (streams_.are_several())
      allocator(memory).adopt({0, 0}, [this](const Use& use) { return reached(use.stream).last() >= use.sequence; });
    for (uint32_t number : allocator(memory).unused_segments()) {
      release_segment(number);
      allocator(memory).remove_segment(number);
    }
  }
  return before - device_blocks_.statistics().reserved - host_blocks_.statistics().reserved;
}

void Client::release_segment(uint32_t number) {
  SegmentRelease record{};
  record.header.bytes = sizeof record;
  record.header.op = Op::segment_release;
  record.segment = number;
  // A device process that cannot be told has lost the segment by itself.
  submit(reinterpret_cast<unsigned char*>(&record));
  segments_.remove(number);
}

}  // namespace warpcell
