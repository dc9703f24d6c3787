// Each access of a checked launch: where it goes, whether it may, and who else has been there since threads last met.
#include <algorithm>
#include <cstring>

#include "checker.h"

namespace warpcell::cpu {
namespace {

constexpr uint32_t kMostKept = 16;

uint64_t distance(const uint8_t* at, const uint8_t* base, uint64_t bytes) {
  if (at < base) return uint64_t(base - at);
  return at < base + bytes ? 0 : uint64_t(at - (base + bytes)) + 1;
}

bool is_in(const std::vector<MemoryRange>& ranges, const uint8_t* at, uint64_t bytes) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const MemoryRange& range) {
    return uint64_t(at - range.base) < range.bytes && bytes <= range.bytes - uint64_t(at - range.base);
  });
}

}  // namespace

// The store that followed the callback has happened by now.
void Checker::settle() {
  if (pending_.empty()) return;
  for (Pending& each : pending_) {
    // Who writes what is there already disturbs nobody.
    if (each.restores)
      std::memcpy(each.at, each.before, each.bytes);
    else if (std::memcmp(each.at, each.before, each.bytes) != 0)
      findings_.add(each.finding);
  }
  pending_.clear();
  if (checked_core != nullptr) checked_core->places = places_of(*checked_core);
}

// The next access settles it.
void Checker::suspect(const Pending& pending) {
  pending_.push_back(pending);
  checked_core->places = places_of(*checked_core);
}

ShadowRegion* Checker::variable(uint8_t* at) {
  auto next =
      std::upper_bound(variables_.begin(), variables_.end(), at,
                       [](const uint8_t* address, const ShadowRegion& region) { return address < region.base; });
  return next == variables_.begin() ? nullptr : &*std::prev(next);
}

void Checker::access(Core& core, uint8_t* at, uint64_t bytes, unsigned how, uintptr_t code) {
  bool goes_on;
  if (__builtin_expect(task_.cooperative, 0)) {
    std::lock_guard<std::mutex> lock(mutex_);
    goes_on = look_at(core, at, bytes, how, code);
  } else {
    goes_on = look_at(core, at, bytes, how, code);
  }
  if (__builtin_expect(!goes_on, 0)) end_thread(core);
}

// Whether the thread can go on.
bool Checker::look_at(Core& core, uint8_t* at, uint64_t bytes, unsigned how, uintptr_t code) {
  if (__builtin_expect(!pending_.empty(), 0)) settle();
  uint64_t in_thread = uint64_t(at - core.of_thread);
  if (in_thread < core.of_thread_bytes) {
    int32_t piece = core.pieces[in_thread / 4];
    if (piece <= Core::kUnwatched) {
      core.usual.at(code) = &core.unwatched[size_t(Core::kUnwatched - piece)];
      return true;
    }
    if (piece >= 0 && core.shared[size_t(piece)].contains(at, bytes))
      return touch(core, core.shared[size_t(piece)], at, bytes, how, code);
    return outside(core, at, bytes, how, code);
  }
  for (ShadowRegion& region : globals_) {
    if (!region.contains(at, bytes)) continue;
    if (region.is_constant && how == kRead && region.unwritten == nullptr) {
      core.usual.at(code) = &region;
      count(core, false, at, bytes, how, code);
      follow(core, region, at, bytes, how);
      return true;
    }
    return touch(core, region, at, bytes, how, code);
  }
  for (ShadowRegion& region : {std::ref(core.unwatched[Core::kStacks]), std::ref(core.unwatched[Core::kScheduler])}) {
    if (!region.contains(at, bytes)) continue;
    core.usual.at(code) = &region;
    return true;
  }
  if (core.dynamic.contains(at, bytes)) return touch(core, core.dynamic, at, bytes, how, code);
  return outside(core, at, bytes, how, code);
}

void Checker::count(Core& core, bool is_shared, const uint8_t* at, uint64_t bytes, unsigned how, uintptr_t code) {
  if (__builtin_expect(!task_.counts, 1)) return;
  counters_.accessed(
      {core.scheduler->current_block(), core.thread()},
      {is_shared, (how & kWrite) != 0, (how & kAtomic) != 0, reinterpret_cast<uint64_t>(at), uint32_t(bytes), code});
}

// Not in what can be told at once.
bool Checker::outside(Core& core, uint8_t* at, uint64_t bytes, unsigned how, uintptr_t code) {
  uint64_t in_thread = uint64_t(at - core.of_thread);
  if (in_thread < core.of_thread_bytes) {
    const ShadowRegion* nearest = nullptr;
    for (const ShadowRegion& region : core.shared) {
      if (nearest == nullptr || distance(at, region.base, region.bytes) < distance(at, nearest->base, nearest->bytes))
        nearest = &region;
    }
    if (nearest == nullptr) return true;
    Finding finding = this->finding(core, "bounds", code);
    finding.subject = nearest->subject;
    finding.offset = at - nearest->base;
    return note(core, finding, at, bytes, how);
  }
  if (task_.image->contains(reinterpret_cast<uintptr_t>(at))) {
    ShadowRegion* region = variable(at);
    if (region == nullptr) return true;
    if (region->contains(at, bytes)) return touch(core, *region, at, bytes, how, code);
    // What has no name here is a constant of the compiler, such as a text.
    if (distance(at, region->base, region->bytes) > 64) return true;
    Finding finding = this->finding(core, "bounds", code);
    finding.subject = region->subject;
    finding.offset = at - region->base;
    return note(core, finding, at, bytes, how);
  }
  constexpr uint64_t around = 1 << 20;
  if (at >= core.dynamic.base - around && at < core.dynamic_end + around) {
    Finding finding = this->finding(core, "bounds", code);
    finding.subject = core.dynamic.subject;
    finding.offset = at - core.dynamic.base;
    bool is_mapped = at >= core.dynamic.base && at + bytes <= core.dynamic_end;
    return note(core, finding, at, bytes, how) && is_mapped;
  }
  return outside_global(core, at, bytes, how, code);
}

bool Checker::outside_global(Core& core, uint8_t* at, uint64_t bytes, unsigned how, uintptr_t code) {
  bool is_mapped = is_in(task_.segments, at, bytes);
  const CheckedArgument* nearest = nullptr;
  uint64_t least = 0;
  for (const CheckedArgument& argument : task_.arguments) {
    if (argument.bytes == 0) continue;
    uint64_t away = distance(at, argument.base, argument.bytes);
    if (nearest != nullptr && away >= least) continue;
    nearest = &argument;
    least = away;
  }
  constexpr uint64_t near = 4096;
  Finding finding = this->finding(core, "address", code);
  finding.address = reinterpret_cast<uint64_t>(at);
  if (task_.has_addresses && is_mapped && is_in(task_.blocks, at, bytes)) {
    count(core, false, at, bytes, how, code);
    return true;
  }
  bool is_nearby = nearest != nullptr && (is_mapped ? !task_.has_addresses || least <= near : least <= (1 << 20));
  if (is_nearby) {
    finding.kind = "bounds";
    finding.subject = int(nearest - task_.arguments.data());
    finding.offset = at - nearest->base;
  } else if (is_mapped) {
    finding.kind = "disposed";
  }
  return note(core, finding, at, bytes, how) && is_mapped;
}

// A write is undone as soon as it has happened, so that it damages nothing.
bool Checker::note(Core& core, Finding finding, uint8_t* at, uint64_t bytes, unsigned how) {
  finding.bytes = uint32_t(bytes);
  finding.is_write = (how & kWrite) != 0;
  finding.is_atomic = (how & kAtomic) != 0;
  findings_.add(finding);
  if (finding.kind == std::string("address") || !(how & kWrite)) return true;
  if (bytes > kMostKept) return false;
  bool is_kept = is_in(task_.segments, at, bytes) || uint64_t(at - core.of_thread) < core.of_thread_bytes ||
                 task_.image->contains(reinterpret_cast<uintptr_t>(at)) ||
                 (at >= core.dynamic.base && at + bytes <= core.dynamic_end);
  if (!is_kept) return false;
  Pending pending{at, uint32_t(bytes), {}, true, finding};
  std::memcpy(pending.before, at, bytes);
  suspect(pending);
  return true;
}

void Checker::end_thread(Core& core) {
  if (core.block != core.scheduler->current_block()) look_at_block(core);
  core.is_damaged = true;
  core.scheduler->end_thread(core.thread());
}

// Smaller pieces, each with what was known of the larger one.
void Checker::refine(ShadowRegion& region, uint64_t bytes) {
  uint32_t shift = bytes >= 2 ? 1 : 0, times = 1u << (region.shift - shift);
  uint64_t count = (region.bytes >> region.shift) + 1;
  Shadow* pieces = shadows_.take(count * times + 1);
  for (uint64_t i = 0; region.is_used && i < count; i++) std::fill_n(pieces + i * times, times, region.pieces[i]);
  region.pieces = pieces;
  region.shift = shift;
}

// Whether that of another thread came before what runs now, whatever the order of threads.
bool Checker::is_ordered(const Core& core, uint32_t thread, uint32_t time) const {
  if (time < launch_began_) return true;
  Culprit other = culprit(thread);
  if (other.block == core.block) {
    if (time < core.barrier) return true;
    uint32_t warp = other.thread / kLanes;
    if (warp == core.thread() / kLanes && time < core.warps[warp]) return true;
  } else if (time < grid_passed_) {
    return true;
  }
  // It made it visible, and this block has looked since.
  auto fences = fences_.find(other.block);
  if (fences == fences_.end()) return false;
  auto first = std::upper_bound(fences->second.begin(), fences->second.end(), time);
  return first != fences->second.end() && core.acquired > *first;
}

void Checker::conflict(Core& core, ShadowRegion& region, uint8_t* at, uint64_t bytes, unsigned how, uintptr_t code,
                       uint32_t thread, uint32_t other_code, bool other_is_write) {
  Finding finding = this->finding(core, "race", code);
  finding.other_code = task_.image->base() + (other_code & ~kAtomicCode);
  finding.subject = region.subject;
  finding.offset = at - region.base;
  if (region.space == Space::argument) {  // of the argument that has it
    for (size_t i = 0; i < task_.arguments.size(); i++) {
      const CheckedArgument& argument = task_.arguments[i];
      if (uint64_t(at - argument.base) >= argument.bytes) continue;
      finding.subject = int(i);
      finding.offset = at - argument.base;
      break;
    }
  }
  finding.bytes = uint32_t(bytes);
  finding.is_write = (how & kWrite) != 0;
  finding.is_atomic = (how & kAtomic) != 0;
  finding.other_is_write = other_is_write;
  finding.other_is_atomic = (other_code & kAtomicCode) != 0;
  finding.has_other = true;
  finding.other = culprit(thread);
  if (how == kRead && finding.other_is_atomic) {
    tentative_.try_emplace({at, core.thread() + 1 + uint32_t(core.block) * threads_}, finding);
  } else if ((how & kWrite) && !(how & kAtomic) && bytes <= kMostKept) {
    Pending pending{at, uint32_t(bytes), {}, false, finding};
    std::memcpy(pending.before, at, bytes);
    suspect(pending);
  } else {
    findings_.add(finding);
  }
}

bool Checker::touch(Core& core, ShadowRegion& region, uint8_t* at, uint64_t bytes, unsigned how, uintptr_t code) {
  if (bytes < (uint64_t(1) << region.shift)) refine(region, bytes);
  if (__builtin_expect(core.block != core.scheduler->current_block(), 0)) look_at_block(core);
  region.is_used = true;
  region.is_constant = false;
  core.usual.at(code) = &region;
  const bool is_write = (how & kWrite) != 0, is_read = (how & kRead) != 0, is_atomic = (how & kAtomic) != 0;
  const bool is_of_block = region.is_of_block();
  // Variables of the device may be constant memory, which has a cache of its own.
  if (region.space != Space::variable) count(core, is_of_block, at, bytes, how, code);
  follow(core, region, at, bytes, how);
  const uint32_t me = core.before_block + core.thread() + 1;
  const uint32_t here = uint32_t(code - task_.image->base()) | (is_atomic ? kAtomicCode : 0);
  const uint32_t horizon = is_of_block ? core.barrier : launch_began_;
  if (is_atomic && is_read) {
    core.acquired = ++now_;
    if (is_write) tentative_.erase({at, me});
  }
  if (region.unwritten != nullptr) {
    uint8_t* bytes_at = region.unwritten + (at - region.base);
    if (is_read && !core.is_damaged && std::find(bytes_at, bytes_at + bytes, 1) != bytes_at + bytes) {
      Finding finding = this->finding(core, "unwritten", code);
      finding.subject = region.subject;
      finding.offset = at - region.base;
      finding.bytes = uint32_t(bytes);
      findings_.add(finding);
    }
    if (is_write) std::memset(bytes_at, 0, bytes);
  }
  Shadow* piece = region.pieces + (uint64_t(at - region.base) >> region.shift);
  Shadow* const last = region.pieces + ((uint64_t(at - region.base) + bytes - 1) >> region.shift);
  bool is_told = false;
  for (; piece <= last; piece++) {
    if (is_of_block && is_read && !is_told && piece->written < core.block_began && !core.is_damaged) {
      Finding finding = this->finding(core, "unwritten", code);
      finding.subject = region.subject;
      finding.offset = at - region.base;
      finding.bytes = uint32_t(bytes);
      findings_.add(finding);
      is_told = true;
    }
    bool both_atomic = is_atomic && (piece->write_code & kAtomicCode) != 0;
    if (!is_told && piece->writer != me && piece->writer != 0 && piece->written >= horizon && !both_atomic &&
        !is_ordered(core, piece->writer, piece->written)) {
      conflict(core, region, at, bytes, how, code, piece->writer, piece->write_code, true);
      is_told = true;
    }
    if (is_write) {
      bool read_atomically = is_atomic && (piece->read_code & kAtomicCode) != 0;
      if (is_atomic && is_read && piece->reader == me) piece->reader = 0;
      if (is_atomic && is_read && piece->other == me) piece->other = 0;
      for (auto [reader, time] : {std::pair(piece->reader, piece->read), std::pair(piece->other, piece->other_read)}) {
        if (is_told || reader == me || reader == 0 || time < horizon || read_atomically ||
            is_ordered(core, reader, time))
          continue;
        conflict(core, region, at, bytes, how, code, reader, piece->read_code, false);
        is_told = true;
      }
      // A thread's atomic write puts what it wrote plainly before in no order for others.
      bool keeps_plain =
          is_atomic && piece->writer == me && piece->written >= horizon && (piece->write_code & kAtomicCode) == 0;
      if (!keeps_plain) {
        piece->writer = me;
        piece->written = now_;
        piece->write_code = here;
      }
    } else if (piece->reader == me || piece->reader == 0 || piece->read < horizon) {
      piece->reader = me;
      piece->read = now_;
      piece->read_code = here;
    } else {
      piece->other = me;
      piece->other_read = now_;
    }
  }
  return true;
}

}  // namespace warpcell::cpu
