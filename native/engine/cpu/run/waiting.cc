// A core runs one block to its end before it begins the next, so a block that waits for a later one never ends.
#include "waiting.h"

#include <cstdio>

namespace warpcell::cpu {
namespace {

constexpr auto kPatience = std::chrono::seconds(2);

}  // namespace

Waiting::Launch::Launch(Waiting& waiting, const std::string& kernel, const Geometry& geometry) : waiting_(waiting) {
  std::lock_guard<std::mutex> lock(waiting.mutex_);
  waiting.kernel_ = &kernel;
  waiting.geometry_ = geometry;
  waiting.is_new_ = true;
}

Waiting::Launch::~Launch() {
  std::lock_guard<std::mutex> lock(waiting_.mutex_);
  waiting_.kernel_ = nullptr;
}

void Waiting::look(const Pool& pool) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (kernel_ == nullptr) return;
  Headway headway = pool.headway();
  auto time = std::chrono::steady_clock::now();
  if (is_new_ || headway.reached != reached_) {
    is_told_ = is_told_ && !is_new_;
    is_new_ = false;
    reached_ = headway.reached;
    since_ = time;
    return;
  }
  if (is_told_ || headway.unstarted == 0 || time - since_ < kPatience) return;
  is_told_ = true;
  uint64_t x = headway.block % geometry_.grid[0], y = headway.block / geometry_.grid[0] % geometry_.grid[1],
           z = headway.block / geometry_.grid[0] / geometry_.grid[1];
  std::fprintf(stderr,
               "Kernel %s: block (%llu,%llu,%llu) has run for 2 s, and %llu blocks have not started. If it waits for "
               "one of them, it waits for ever: "
               "launch it with cooperative: true, so that all blocks run at once. An interrupt stops it.\n",
               kernel_->c_str(), static_cast<unsigned long long>(x), static_cast<unsigned long long>(y),
               static_cast<unsigned long long>(z), static_cast<unsigned long long>(headway.unstarted));
}

}  // namespace warpcell::cpu
