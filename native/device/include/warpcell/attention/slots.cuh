// Slots in shared memory that some warps fill and others use, in turn.
#pragma once
#include "../hopper_instructions.cuh"

namespace warpcell::attention {

// Which slot of a ring is next, and in which of its uses.
template <int slots>
struct Turn {
  int slot = 0;
  uint parity = 0;
  __device__ void next() {
    if (++slot == slots) slot = 0, parity ^= 1;
  }
};

// Barriers of the slots, 16 bytes for each: `slots` that say that one is filled, then as many that say that it may be
// filled again.
struct Slots {
  uint barriers;
  int slots;
  __device__ void make(int fillers, int users) const {
    for (int slot = 0; slot < slots; slot++) {
      instructions::make_barrier(barriers + slot * 8, fillers);
      instructions::make_barrier(barriers + (slots + slot) * 8, users);
    }
  }
  __device__ uint filled(int slot) const { return barriers + slot * 8; }
  __device__ uint used(int slot) const { return barriers + (slots + slot) * 8; }
  // Of those who fill: until the slot may be filled again, and when this thread's copies for it have been begun.
  template <int n>
  __device__ void await_used(const Turn<n>& turn) const {
    instructions::await_phase(used(turn.slot), turn.parity ^ 1);
  }
  template <int n>
  __device__ void close(const Turn<n>& turn) const {
    instructions::arrive_with_copies(filled(turn.slot));
  }
  // Of those who use: until the slot is filled, for products too.
  template <int n>
  __device__ void await_filled(const Turn<n>& turn) const {
    instructions::await_phase(filled(turn.slot), turn.parity);
    instructions::show_products();
  }
  // One arrival for a warp.
  template <int n>
  __device__ void release(const Turn<n>& turn, int lane) const {
    __syncwarp();
    if (lane == 0) instructions::arrive(used(turn.slot));
  }
};

}  // namespace warpcell::attention
