// The session's end of the command ring: turns a record into bytes that the device process will see.
#pragma once
#include "../../protocol/commands.h"

namespace warpcell {

class Ring {
 public:
  explicit Ring(Control* control)
      : control_(*control), bytes_(reinterpret_cast<unsigned char*>(control) + kRingOffset) {}

  // What the device process says to have taken is what it was given.
  bool is_sound() const;

  // Room for a record of so many bytes, or null while the ring is too full. Fill it, then publish().
  unsigned char* reserve(uint32_t bytes);
  void publish(uint32_t bytes);

  // For a new control segment: everything that was in the ring is gone.
  void reset() { head_ = tail_ = 0; }

 private:
  bool can_be_taken(uint64_t tail) const { return tail >= tail_ && tail <= head_; }

  Control& control_;
  unsigned char* bytes_;
  uint64_t head_ = 0;
  uint64_t tail_ = 0;  // as last seen: looking again costs a cache miss
};

// Wakes a device process that sleeps on the ring.
void wake_engine(Control& control);

}  // namespace warpcell
