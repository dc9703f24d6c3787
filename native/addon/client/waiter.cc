// Sleeps on the same word as a blocking wait, so that both see the same outcomes.
#include "waiter.h"

#include "../../protocol/futex.h"

namespace warpcell {

Waiter::~Waiter() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  client_.wake();
  if (thread_.joinable()) thread_.join();
  for (Pending& pending : pending_) pending.finish(Outcome::died);
}

void Waiter::add(uint32_t stream, uint64_t sequence, Finish finish) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    pending_.push_back({stream, sequence, nanoseconds(), std::move(finish)});
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  }
  changed_.notify_one();
  // It may be asleep for an earlier sequence.
  client_.wake();
}

void Waiter::run() {
  for (;;) {
    uint32_t seen = client_.wake_count();
    {
      std::unique_lock<std::mutex> lock(mutex_);
      if (pending_.empty()) changed_.wait(lock, [this] { return stopping_ || !pending_.empty(); });
      if (stopping_) return;
    }
    finish_some();

    std::unique_lock<std::mutex> lock(mutex_);
    bool is_idle = pending_.empty() || stopping_;
    lock.unlock();
    if (!is_idle) client_.sleep(seen);
  }
}

void Waiter::finish_some() {
  std::vector<std::pair<Finish, Outcome>> finished;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (size_t i = 0; i < pending_.size();) {
      std::optional<Outcome> outcome =
          client_.look_closely(pending_[i].stream, pending_[i].sequence, pending_[i].began);
      if (!outcome) {
        i++;
        continue;
      }
      finished.emplace_back(std::move(pending_[i].finish), *outcome);
      pending_.erase(pending_.begin() + std::ptrdiff_t(i));
    }
  }
  for (auto& [finish, outcome] : finished) finish(outcome);
}

}  // namespace warpcell
