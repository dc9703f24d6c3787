// Who follows the threads of a launch from step to step, which a checked launch has.
#pragma once
#include <cstdint>

#include "../../../device/cpu/warpcell_cpu/block.h"

namespace warpcell::cpu {

class Scheduler;

// Threads that wait at a barrier, which lets all of them go on.
struct Waiters {
  const warpcell_cpu::Slot* slots;  // by thread, each with its line
  const uint64_t* waiting;          // a bit for each thread
  uint32_t count;
  uint32_t alive;    // that have not exited
  uint32_t threads;  // of the block
};

// Lanes that have come to a collective together.
struct Gathering {
  const warpcell_cpu::Warp* laid;
  uint32_t warp;
  uint32_t lanes;
  uint32_t exited;  // that the mask names all the same
  uint32_t code;
  uint32_t line;
};

class Observer {
 public:
  virtual ~Observer() = default;
  // A core begins with blocks of the launch, and has done with them; called on its thread.
  virtual void entered(Scheduler& scheduler) = 0;
  virtual void left(Scheduler& scheduler) = 0;
  // What follows is of the calling core's block.
  virtual void grid_passed() = 0;
  virtual void released(const Waiters& waiters) = 0;
  virtual void collected(const Gathering& gathering) = 0;
  // A lane called a warp intrinsic with a mask that leaves it out: it ends there.
  virtual void left_out(uint32_t line, uint32_t mask, uint32_t lane) = 0;
  // No thread of the block can go on: the block is given up. `line`: of the barrier that some wait at, or 0.
  virtual void stuck(uint32_t line, const char* how) = 0;
};

// Which of `lanes` take their value from one of `others` in a shuffle; 0 for another collective.
uint32_t lanes_that_take(const warpcell_cpu::Warp& warp, uint32_t lanes, uint32_t code, uint32_t others);

}  // namespace warpcell::cpu
