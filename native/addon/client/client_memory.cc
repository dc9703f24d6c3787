// Memory of a device: turns blocks into segments and segments into commands.

#include "client.h"
#include "error.h"
#include "../memory/shared_memory.h"

namespace warpcell {

int64_t Client::allocate(Memory memory, uint64_t bytes, bool may_grow) {
  Allocator& blocks = allocator(memory);
  uint64_t least = blocks.least_segment_size(bytes);
  uint64_t size = blocks.segment_size(bytes);
  for (bool has_trimmed = false;;) {
    std::optional<Place> block = blocks.take(bytes);
    if (block) return int64_t(*block);
    if (!may_grow) return kNoMemory;

    Growth growth = grow(memory, bytes, size);
    if (growth == Growth::dead) return kAllocationDead;
    if (growth == Growth::interrupted) return kAllocationInterrupted;
    if (growth == Growth::grown) continue;

    // Where a segment with room for more finds no place, one for this block alone may.
    bool is_smaller = size > least;
    size = least;
    if (is_smaller) continue;
    if (has_trimmed || trim() == 0) return kNoMemory;
    has_trimmed = true;

    // Memory is free only when the device process has let go of it too: its answer comes after that.
    Answer answer;
    int64_t sequence = send(Op::hello, RequestOf<Op::hello>{}.written(), 0, -1, Patience::user);
    if (sequence > 0) wait_for_answer(uint64_t(sequence), Patience::user, &answer);
  }
}

void Client::free(Place place) {
  const Segment* segment = segments_.find(segment_of(place));
  if (segment == nullptr || !allocator(segment->memory).give(place)) {
    throw ClientError("NOT_ALLOCATED",
                      "Place " + std::to_string(place) + " is not allocated: it was freed before, or never given out.");
  }
}

Client::Growth Client::grow(Memory memory, uint64_t wanted, uint64_t bytes) {
  uint32_t number = segments_.unused_number();
  if (number == 0 || bytes > (uint64_t(1) << kOffsetBits)) return Growth::no_memory;

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
  allocator(memory).add_segment(number, bytes, wanted);
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
  for (Memory memory : {Memory::device, Memory::host}) {
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
