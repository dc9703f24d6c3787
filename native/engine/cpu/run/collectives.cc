// What a warp's lanes learn from each other: turns the values that they laid down into a result for each. One entry per
// operation of block.h.
#include "../../../device/cpu/warpcell_cpu/lane_sources.h"
#include "observer.h"

namespace {

using namespace warpcell_cpu;

struct Lanes {
  u32 mask;
  struct Iterator {
    u32 left;
    u32 operator*() const { return u32(__builtin_ctz(left)); }
    void operator++() { left &= left - 1; }
    bool operator!=(const Iterator& other) const { return left != other.left; }
  };
  Iterator begin() const { return {mask}; }
  Iterator end() const { return {0}; }
};

void shuffle(const Warp& warp, u32 lanes, u32 operation, u32 width, u64* result) {
  for (u32 lane : Lanes{lanes}) {
    u32 from = lane_source(operation, lane, warp.argument[lane], width);
    result[lane] = warp.value[lanes >> from & 1 ? from : lane];
  }
}

// The commonest case, all lanes and one segment, as loops that compilers vectorise.
void shuffle_all(const Warp& warp, u32 operation, u64* result) {
  for (u32 lane = 0; lane < kLanes; lane++) {
    u32 from = lane_source(operation, lane, warp.argument[lane], kLanes);
    result[lane] = warp.value[from & (kLanes - 1)];
  }
}

template <class Combine>
u64 reduce(const Warp& warp, u32 lanes, Combine combine) {
  u32 first = u32(__builtin_ctz(lanes));
  u32 sum = u32(warp.value[first]);
  for (u32 lane : Lanes{lanes & ~(1u << first)}) sum = combine(sum, u32(warp.value[lane]));
  return sum;
}

u32 equal_to(const Warp& warp, u32 lanes, u64 value) {
  u32 same = 0;
  for (u32 lane : Lanes{lanes}) same |= u32(warp.value[lane] == value) << lane;
  return same;
}

// The operations that give every lane the same result.
u64 common(const Warp& warp, u32 lanes, u32 operation) {
  switch (operation) {
    case kBallot:
      return lanes & ~equal_to(warp, lanes, 0);
    case kMatchAll:
      return equal_to(warp, lanes, warp.value[__builtin_ctz(lanes)]) == lanes ? lanes : 0;
    case kReduceAdd:
      return reduce(warp, lanes, [](u32 a, u32 b) { return a + b; });
    case kReduceMinSigned:
      return reduce(warp, lanes, [](u32 a, u32 b) { return int(a) < int(b) ? a : b; });
    case kReduceMaxSigned:
      return reduce(warp, lanes, [](u32 a, u32 b) { return int(a) > int(b) ? a : b; });
    case kReduceMin:
      return reduce(warp, lanes, [](u32 a, u32 b) { return a < b ? a : b; });
    case kReduceMax:
      return reduce(warp, lanes, [](u32 a, u32 b) { return a > b ? a : b; });
    case kReduceAnd:
      return reduce(warp, lanes, [](u32 a, u32 b) { return a & b; });
    case kReduceOr:
      return reduce(warp, lanes, [](u32 a, u32 b) { return a | b; });
    case kReduceXor:
      return reduce(warp, lanes, [](u32 a, u32 b) { return a ^ b; });
    default:
      return 0;  // kSync
  }
}

}  // namespace

uint32_t warpcell::cpu::lanes_that_take(const Warp& warp, uint32_t lanes, uint32_t code, uint32_t others) {
  u32 operation = code & 0xff, width = code >> 8, found = 0;
  if (operation > kShuffleXor) return 0;
  for (u32 lane : Lanes{lanes}) {
    u32 from = lane_source(operation, lane, warp.argument[lane], width);
    if (others >> (from & 31) & 1) found |= 1u << lane;
  }
  return found;
}

void warpcell_cpu_collect(Block* block, unsigned index, unsigned lanes, unsigned code) noexcept {
  const Warp& warp = block->warp[index];
  u64* result = block->result + index * kLanes;
  u32 operation = code & 0xff, width = code >> 8;
  if (operation <= kShuffleXor) {
    if (lanes != kFullMask || width != kLanes) return shuffle(warp, lanes, operation, width, result);
    switch (operation) {  // a constant operation each, so that each loop is specialised
      case kShuffleIndex:
        return shuffle_all(warp, kShuffleIndex, result);
      case kShuffleUp:
        return shuffle_all(warp, kShuffleUp, result);
      case kShuffleDown:
        return shuffle_all(warp, kShuffleDown, result);
      default:
        return shuffle_all(warp, kShuffleXor, result);
    }
  }
  if (operation == kMatchAny) {
    for (u32 lane : Lanes{lanes}) result[lane] = equal_to(warp, lanes, warp.value[lane]);
    return;
  }
  u64 all = common(warp, lanes, operation);
  for (u32 lane : Lanes{lanes}) result[lane] = all;
}
