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
  __attribute__((always_inline)) bool is_usual(const Shadow* shadow, uint32_t pieces) const {
    constexpr bool is_write = (how & kWrite) != 0, is_atomic = (how & kAtomic) != 0;
    for (const Shadow* each = shadow; each < shadow + pieces; each++) {
      const bool has_atomic_write = is_atomic && (each->write_code & kAtomicCode) != 0;
      const bool has_atomic_reads = is_atomic && (each->read_code & kAtomicCode) != 0;
      if (each->written < written) return false;
      // Its own plain write is not forgotten for an atomic one.
      if (each->written >= horizon && (each->writer != me || is_atomic) && !has_atomic_write) return false;
      if (!is_write || has_atomic_reads) continue;
      if (each->read >= horizon && each->reader != me) return false;
      if (each->other_read >= horizon && each->other != me) return false;
    }
    return true;
  }

  template <unsigned how>
  __attribute__((always_inline)) void note(Shadow* shadow, uint32_t pieces, uint32_t code) const {
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

// Where no other thread has been since all of them met there is nothing to find: a note of who was there is enough.
// Answers whether that is so. Aligned, in the core's block, and no read of a tensor that is not yet written whole.
template <uint32_t bytes, unsigned how>
__attribute__((always_inline)) inline bool Checker::is_passed(Core& core, ShadowRegion& region, uint64_t offset,
                                                              uint32_t shift, uintptr_t code) {
  constexpr bool is_read = (how & kRead) != 0;
  const uint32_t pieces = bytes >> shift;
  Checker& checker = *core.checker;
  Visit visit{core, region.is_of_block() ? core.barrier : checker.launch_began_,
              is_read && region.is_of_block() ? core.block_began : 0, checker.now_};
  Shadow* shadow = region.pieces + (offset >> shift);
  if (!visit.template is_usual<how>(shadow, pieces) || ((how & kAtomic) && !checker.tentative_.empty())) return false;
  if (region.unwritten != nullptr) std::memset(region.unwritten + offset, 0, bytes);
  if ((how & kAtomic) != 0 && is_read) visit.now = core.acquired = ++checker.now_;
  visit.template note<how>(shadow, pieces, uint32_t(code - core.image_base));
  return true;
}

// Of a region whose pieces are of another size, which most are not: apart, so that the code for most stays short.
template <uint32_t bytes, unsigned how>
__attribute__((noinline)) void Checker::access_pieces(Core& core, ShadowRegion& region, uint8_t* at, uintptr_t code) {
  const uint32_t shift = region.shift;
  if (bytes >> shift != 0 && is_passed<bytes, how>(core, region, uint64_t(at - region.base), shift, code)) return;
  core.checker->access(core, at, bytes, how, code);
}

// Where this place of the code was before most accesses go again, and most pass. All others are looked at.
template <uint32_t bytes, unsigned how>
inline void Checker::access(Core& core, uint8_t* at, uintptr_t code) {
  constexpr bool is_read = (how & kRead) != 0;
  // Known to the compiler, which then needs no loop over pieces.
  constexpr uint32_t usual_shift = bytes >= 4 ? 2 : bytes - 1;
  ShadowRegion& region = *core.places->at(code);
  if (__builtin_expect(region.contains(at, bytes), 1)) {
    if (region.space == Space::unwatched || (how == kRead && region.is_constant)) return;
    const uint64_t offset = uint64_t(at - region.base);
    if (__builtin_expect(!region.is_constant && offset % bytes == 0 && core.block == core.scheduler->current_block() &&
                             (region.unwritten == nullptr || !is_read),
                         1)) {
      if (__builtin_expect(region.shift != usual_shift, 0)) return access_pieces<bytes, how>(core, region, at, code);
      if (__builtin_expect(is_passed<bytes, how>(core, region, offset, usual_shift, code), 1)) return;
    }
  }
  core.checker->access(core, at, bytes, how, code);
}

}  // namespace warpcell::cpu
