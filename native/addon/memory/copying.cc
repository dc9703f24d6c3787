// A copy in pieces: threads come late, since starting one takes longer than a piece, and take what is left.
#include "copying.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

namespace warpcell {
namespace {

constexpr uint64_t kPiece = 256 << 10;
constexpr uint64_t kWorthThread = 1 << 20;  // bytes for each
constexpr uint64_t kMostThreads = 4;        // these fill a socket's channels

}  // namespace

void copy_by_cores(unsigned char* to, const unsigned char* from, uint64_t bytes) {
  std::atomic<uint64_t> next{0};
  auto copy = [&] {
    for (uint64_t at; (at = next.fetch_add(kPiece, std::memory_order_relaxed)) < bytes;)
      std::memcpy(to + at, from + at, std::min(kPiece, bytes - at));
  };
  uint64_t cores = std::max(1u, std::thread::hardware_concurrency());
  uint64_t wanted = std::min({bytes / kWorthThread, cores, kMostThreads});
  std::vector<std::thread> others;
  try {
    while (others.size() + 1 < wanted) others.emplace_back(copy);
  } catch (const std::system_error&) {
    // Those that were started, and this one, do all of it.
  }
  copy();
  for (std::thread& other : others) other.join();
}

}  // namespace warpcell
