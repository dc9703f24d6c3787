// A copy in pieces: threads come late, since starting one takes longer than a piece, and take what is left. Who comes
// when nothing is left is not waited for.
#include "copying.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <system_error>
#include <thread>

namespace warpcell {
namespace {

constexpr uint64_t kPiece = 256 << 10;
constexpr uint64_t kWorthThread = 1 << 20;  // bytes for each
constexpr uint64_t kMostThreads = 4;        // these fill a socket's channels

// Outlives the copy, for threads that come after it: they find nothing left, and touch neither side.
struct Copy {
  unsigned char* to;
  const unsigned char* from;
  uint64_t bytes;
  std::atomic<uint64_t> next{0}, copied{0};

  Copy(unsigned char* to, const unsigned char* from, uint64_t bytes) : to(to), from(from), bytes(bytes) {}
  void work() {
    for (uint64_t at; (at = next.fetch_add(kPiece, std::memory_order_relaxed)) < bytes;) {
      uint64_t piece = std::min(kPiece, bytes - at);
      std::memcpy(to + at, from + at, piece);
      copied.fetch_add(piece, std::memory_order_release);
    }
  }
};

}  // namespace

void copy_by_cores(unsigned char* to, const unsigned char* from, uint64_t bytes) {
  auto copy = std::make_shared<Copy>(to, from, bytes);
  uint64_t cores = std::max(1u, std::thread::hardware_concurrency());
  uint64_t wanted = std::min({bytes / kWorthThread, cores, kMostThreads});
  try {
    for (uint64_t other = 1; other < wanted; other++) std::thread([copy] { copy->work(); }).detach();
  } catch (const std::system_error&) {
    // Those that were started, and this one, do all of it.
  }
  copy->work();
  // At most a piece for each of the others is under way.
  while (copy->copied.load(std::memory_order_acquire) < bytes) std::this_thread::yield();
}

}  // namespace warpcell
