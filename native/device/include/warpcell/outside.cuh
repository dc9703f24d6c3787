// How kernels tell an index that is outside of what it counts, while others wait for nothing (lib/ops/core/outside.ts).
#pragma once

namespace warpcell {

// What `outside` holds as long as all indices are inside.
constexpr long long kNone = -9223372036854775807LL - 1;

__device__ inline void tell_outside(long long* outside, long long index) {
  *(volatile long long*)outside = index == kNone ? kNone + 1 : index;
}

}  // namespace warpcell
