// What a device process says of the work that it did while a profile was on: one record per kernel, copy, fill, call
// and pause, in an order of its own.
#pragma once
#include <cstdint>

namespace warpcell {

// X(name, number)
// clang-format off
#define WARPCELL_PROFILE_KINDS(X) \
  X(kernel, 1)       /* a kernel on the device; on the cpu the whole launch */                             \
  X(copy, 2)         /* bytes moved by the device */                                                       \
  X(fill, 3)                                                                                               \
  X(call, 4)         /* the device process in a call of the driver or of a library, `name` says which */   \
  X(wait, 5)         /* the device process waits for its work */                                           \
  X(worker, 6)       /* one core's part of a launch on the cpu: lane is the core, `blocks` what it ran */  \
  X(overhead, 7)     /* what the profiler itself costs */
// clang-format on

enum class ProfileKind : uint32_t {
#define X(name, number) name = number,
  // clang-format off
  WARPCELL_PROFILE_KINDS(X)
// clang-format on
#undef X
};

// Times are nanoseconds of CLOCK_MONOTONIC, which the session reads as process.hrtime. What a kind does not have is 0.
struct ProfileRecord {
  uint64_t sequence;  // of the command that it belongs to; 0: none
  int64_t start;
  int64_t end;
  uint64_t bytes;  // of a copy or fill
  ProfileKind kind;
  uint32_t name;    // index into the names of the answer
  uint32_t lane;    // stream, or core
  uint32_t blocks;  // of a worker
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t static_shared;  // bytes of a block
  uint32_t dynamic_shared;
  uint32_t local;      // bytes of a thread
  uint32_t registers;  // of a thread
};
static_assert(sizeof(ProfileRecord) == 88);

// The summary beside the records is JSON: {"names": [text…], "dropped": records, "notes": [text…], "counters":
// [{"sequence", "metrics": {name: number}}…], "samples": [{"symbol", "name", "instructions": [{"offset", "samples":
// {reason: number}}…]}…]}.
//
// Counters: an object for each kernel, in their order; a library's call may have several. What a device does not count
// has no name.
//   cuda  "dram bytes", "dram bytes read", "l2 bytes": moved between the memory, and the multiprocessors, and the L2
//         cache. "sm busy %": of the time, how long the multiprocessors had a warp. "tensor pipe %": how long their
//         tensor cores worked. "warps active %": of the warps that the multiprocessors hold, while they have any: the
//         achieved occupancy. "warps waiting for memory %": of those, how many waited for a load from global or local
//         memory. "instructions of warps"
//   cpu   "threads": executed. "threads that waited": at a barrier, in a warp intrinsic or a spin; only these need a
//         stack of their own. "barriers": __syncthreads and its kin, once for a block (this_grid().sync() has two).
//         "warp collectives": shuffles, votes, matches, reductions and __syncwarp, once for the lanes that take part;
//         "divergent warp collectives": those without some lane of the warp that had not exited. Branches are not
//         counted
// Samples, of GPUs: an object for each kernel that was found running, and for each instruction by its bytes from the
// kernel's first one, how often a warp was found there by what it waited for: "long scoreboard", "barrier" …,
// "selected" where it ran, and "not selected" where it could have. Two modules may each have the symbol.

}  // namespace warpcell
