// What the session knows of a device's streams: which are open, what each was given last, and how far it has got.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "../../protocol/commands.h"

namespace warpcell {

struct Stream {
  std::atomic<uint64_t> submitted{0};  // its last command
  std::atomic<uint64_t> completed{0};  // as last seen and believed
};

// One thread opens streams and gives them commands; any thread may read how far they are.
class Streams {
 public:
  void open(uint32_t stream) { open_ |= uint32_t(1) << stream; }
  bool is_open(uint32_t stream) const { return stream < kMaxStreams && (open_ >> stream & 1) != 0; }
  // There are others than stream 0.
  bool are_several() const { return open_ != 1; }
  Stream& at(uint32_t stream) { return streams_[stream]; }

  void given(uint32_t stream, uint64_t sequence) {
    owners_[sequence % kSlots] = uint8_t(stream);
    streams_[stream].submitted.store(sequence, std::memory_order_relaxed);
  }
  // Of one of the last commands: more can never be under way.
  uint32_t owner(uint64_t sequence) const { return owners_[sequence % kSlots]; }
  static constexpr uint64_t kSlots = 65536;

 private:
  static_assert(kMaxStreams <= 32);
  std::atomic<uint32_t> open_{1};
  std::array<Stream, kMaxStreams> streams_;
  std::vector<uint8_t> owners_ = std::vector<uint8_t>(kSlots);  // streams of commands
};

}  // namespace warpcell
