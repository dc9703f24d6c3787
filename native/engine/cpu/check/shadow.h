// What is remembered of memory that a checked launch uses: who wrote and read each piece of it last, and when.
#pragma once
#include <cstddef>
#include <cstdint>

namespace warpcell::cpu {

// Threads are numbered from 1; times are those of the checker's clock. Code is an offset in the image, with a bit for
// what is atomic.
struct Shadow {
  uint32_t writer, written, write_code;
  uint32_t reader, read, read_code;  // the first reader since it was written or a barrier
  uint32_t other, other_read;        // and another one
};
constexpr uint32_t kAtomicCode = 1u << 31;

enum class Space { argument, shared, dynamic, variable, unwatched };

struct ShadowRegion {
  uint8_t* base;
  uint64_t bytes;
  uint32_t shift;  // a piece has 1 << shift bytes
  Shadow* pieces;
  int subject;
  Space space;
  uint8_t* unwritten = nullptr;  // a byte for each: 1 where nothing has written yet; null where all is written
  bool is_used = false;
  bool is_constant = false;  // nobody writes here: reads need not be remembered

  bool is_of_block() const { return space == Space::shared || space == Space::dynamic; }

  bool contains(const uint8_t* at, uint64_t size) const {
    return uint64_t(at - base) < bytes && size <= bytes - uint64_t(at - base);
  }
};

// Address space for shadows, which becomes memory where it is used. What earlier launches left there is older than any
// launch, which is how it is told apart.
class Shadows {
 public:
  Shadows() = default;
  Shadows(const Shadows&) = delete;
  Shadows& operator=(const Shadows&) = delete;
  ~Shadows();

  // Throws DeviceError("OUT_OF_MEMORY").
  Shadow* take(uint64_t count);
  // All is free again; what lies there stays, unless `forget` or there is much.
  void reset(bool forget);

 private:
  static constexpr uint64_t kReserved = uint64_t(1) << 38;
  static constexpr uint64_t kKept = uint64_t(1) << 30;
  uint8_t* memory_ = nullptr;
  uint64_t used_ = 0;
};

}  // namespace warpcell::cpu
