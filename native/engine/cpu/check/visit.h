// Most accesses of a checked launch, quickly: those that find nothing, which a few comparisons tell. What accesses.cc
// says of all of them holds here, too.
#pragma once
#include <cstring>

#include "checker.h"

namespace warpcell::cpu {

// An access that is usual: what it needs to know of its pieces, and what they are told.
struct Checker::Visit {
  const Core& core;
  uint32_t horizon;  // no access before it is in conflict with this one
  uint32_t written;  // not before, or it is as good as not written
  uint32_t now;
  uint32_t me = core.before_block + core.thread() + 1;

  template <unsigned how>
  bool is_usual(const Shadow* shadow, uint32_t pieces) const {
    constexpr bool is_write = (how & kWrite) != 0, is_atomic = (how & kAtomic) != 0;
    bool all = true;
    for (const Shadow* each = shadow; each < shadow + pieces; each++) {
      const bool has_atomic_write = is_atomic && (each->write_code & kAtomicCode) != 0;
      const bool has_atomic_reads = is_atomic && (each->read_code & kAtomicCode) != 0;
      all &= each->written >= written;
      // Its own plain write is not forgotten for an atomic one.
      all &= (each->writer == me && !is_atomic) || each->written < horizon || has_atomic_write;
      if (!is_write) continue;
      all &= each->reader == me || each->read < horizon || has_atomic_reads;
      all &= each->other == me || each->other_read < horizon || has_atomic_reads;
    }
    return all;
  }

  template <unsigned how>
  void note(Shadow* shadow, uint32_t pieces, uint32_t code) const {
    constexpr bool is_write = (how & kWrite) != 0, is_atomic = (how & kAtomic) != 0;
    constexpr bool exchanges = is_atomic && is_write && (how & kRead) != 0;
    const uint32_t here = code | (is_atomic ? kAtomicCode : 0);
    for (Shadow* each = shadow; each < shadow + pieces; each++) {
      if (is_write) {
        if (exchanges && each->reader == me) each->reader = 0;
        if (exchanges && each->other == me) each->other = 0;
        each->writer = me, each->written = now, each->write_code = here;
      } else if (each->reader == me || each->reader == 0 || each->read < horizon) {
        each->reader = me, each->read = now, each->read_code = here;
      } else if (each->read != now || each->other_read != now) {
        // Two readers since are enough for any writer to come.
        each->other = me, each->other_read = now;
      }
    }
  }
};

// Where this place of the code was before, and where no other thread has been since all of them met, there is nothing
// to find: a note of who was there is enough. Else the access is looked at.
template <uint32_t bytes, unsigned how>
inline void Checker::access(Core& core, uint8_t* at, uintptr_t code) {
  constexpr bool is_read = (how & kRead) != 0;
  ShadowRegion& region = *core.places->at(code);
  Checker& checker = *core.checker;
  if (__builtin_expect(region.contains(at, bytes), 1)) {
    if (region.space == Space::unwatched || (how == kRead && region.is_constant)) return;
    const uint64_t offset = uint64_t(at - region.base);
    const uint32_t pieces = bytes >> region.shift;
    if (__builtin_expect(pieces != 0 && !region.is_constant && offset % bytes == 0 &&
                             core.block == core.scheduler->current_block() && (region.unwritten == nullptr || !is_read),
                         1)) {
      Visit visit{core, region.is_of_block() ? core.barrier : checker.launch_began_,
                  is_read && region.is_of_block() ? core.block_began : 0, checker.now_};
      Shadow* shadow = region.pieces + (offset >> region.shift);
      if (visit.template is_usual<how>(shadow, pieces) && (!(how & kAtomic) || checker.tentative_.empty())) {
        if (region.unwritten != nullptr) std::memset(region.unwritten + offset, 0, bytes);
        if ((how & kAtomic) != 0 && is_read) visit.now = core.acquired = ++checker.now_;
        visit.template note<how>(shadow, pieces, uint32_t(code - core.image_base));
        return;
      }
    }
  }
  checker.access(core, at, bytes, how, code);
}

}  // namespace warpcell::cpu
