// What kernels print: collects text per core and writes it to standard output in the order of the blocks.
#pragma once
#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <memory>
#include <vector>

namespace warpcell::cpu {

class Output {
 public:
  // Formats as printf does, on behalf of a block, and returns what a kernel's printf does: the number of arguments, −1
  // without a format, −2 for a failure. What does not fit any more is written out at once.
  int print(uint64_t block, const char* format, va_list arguments);
  // Async-signal-safe: writes the text in the order it was printed.
  void write_now();

  // Writes the texts of all, sorted by block, and forgets them.
  static void flush(const std::vector<Output*>& outputs);

 private:
  static constexpr uint32_t kBytes = 1 << 20;
  // Before each text in the buffer.
  struct Head {
    uint64_t block;
    uint32_t length;
  };

  std::unique_ptr<char[]> buffer_;
  std::atomic<uint32_t> used_{0};
};

}  // namespace warpcell::cpu
