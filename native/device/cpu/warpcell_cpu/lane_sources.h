// Where a lane reads in a shuffle. (Programming Guide, "Warp Shuffle Functions".) `engine/cpu` includes this file, too.
#pragma once
#include "block.h"

namespace warpcell_cpu {

// The lane that `lane` reads from, inside its segment of `width` lanes; itself where the segment ends.
inline u32 lane_source(u32 operation, u32 lane, u32 argument, u32 width) {
  const u32 first = lane & ~(width - 1);
  switch (operation) {
    case kShuffleIndex:
      return first + (argument & (width - 1));
    case kShuffleUp:
      return argument <= lane - first ? lane - argument : lane;
    case kShuffleDown:
      return argument < width - (lane - first) ? lane + argument : lane;
    // Programming Guide: with xor, lanes may read from an earlier segment, not from a later one.
    default:
      return (lane ^ argument) < first + width ? lane ^ argument : lane;
  }
}

}  // namespace warpcell_cpu
