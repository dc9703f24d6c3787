// Waiting for a device process: turns words of shared memory, its answers and its death into an outcome. It must not know JavaScript.
#include <algorithm>

#include "../protocol/futex.h"
#include "client.h"

namespace warpcell {

namespace {

constexpr uint64_t kSpinNanoseconds = 50000;
constexpr int kSliceMilliseconds = 10;   // how late a death without a word is noticed

}  // namespace

bool Client::has_errors() const { return control_->error_count.load(std::memory_order_acquire) != errors_read_.load(std::memory_order_relaxed); }

bool Client::is_done(uint64_t sequence) {
  switch (mailbox_.look(sequence)) {
    case Mailbox::Status::here: return true;
    case Mailbox::Status::expected: return false;
    case Mailbox::Status::unknown: break;
  }
  return control_->completed.load(std::memory_order_acquire) >= sequence;
}

bool Client::look(uint64_t sequence, Outcome* outcome) {
  if (has_errors()) return *outcome = Outcome::error, true;
  if (is_done(sequence)) return *outcome = Outcome::done, true;
  if (!interrupt_flag().load(std::memory_order_relaxed)) return false;

  child_.kill(true);
  return *outcome = Outcome::interrupted, true;
}

bool Client::look_closely(uint64_t sequence, Outcome* outcome) {
  bool lived = child_.is_running();
  // What it said last may have come between the two.
  if (look(sequence, outcome)) return true;
  if (lived) return false;
  return *outcome = Outcome::died, true;
}

Outcome Client::wait(uint64_t sequence, int64_t timeout) {
  uint64_t start = nanoseconds();
  Outcome outcome;
  do {
    if (look(sequence, &outcome)) return outcome;
    relax();
  } while (nanoseconds() - start < kSpinNanoseconds);

  for (;;) {
    uint32_t seen = control_->wake.load(std::memory_order_seq_cst);
    if (look_closely(sequence, &outcome)) return outcome;
    if (timeout >= 0 && nanoseconds() - start >= uint64_t(timeout) * 1000000u) return Outcome::timeout;
    sleep(seen);
  }
}

void Client::sleep(uint32_t seen) {
  control_->waiters.fetch_add(1, std::memory_order_seq_cst);
  futex_wait(control_->wake, seen, kSliceMilliseconds);
  control_->waiters.fetch_sub(1, std::memory_order_seq_cst);
}

Outcome Client::wait_for_answer(uint64_t sequence, Patience patience, Letter* letter) {
  for (;;) {
    uint32_t seen = control_->wake.load(std::memory_order_seq_cst);
    bool lives = child_.is_running();
    if (mailbox_.take(sequence, letter)) return Outcome::done;
    if (!lives) return Outcome::died;
    if (patience == Patience::user && interrupt_flag().load(std::memory_order_relaxed)) {
      child_.kill(true);
      return Outcome::interrupted;
    }
    sleep(seen);
  }
}

std::vector<ErrorRecord> Client::take_errors() {
  uint32_t count = control_->error_count.load(std::memory_order_acquire);
  uint32_t first = errors_read_.load(std::memory_order_relaxed);
  if (count - first > kErrorSlots) first = count - kErrorSlots;

  std::vector<ErrorRecord> errors;
  for (uint32_t number = first; number != count; number++) errors.push_back(control_->errors[number % kErrorSlots]);

  // A device process that fails faster than this loop has overwritten the oldest of them.
  std::atomic_thread_fence(std::memory_order_acquire);
  uint32_t now = control_->error_count.load(std::memory_order_acquire);
  uint32_t overwritten = now - first > kErrorSlots ? now - first - kErrorSlots : 0;
  errors.erase(errors.begin(), errors.begin() + std::min<size_t>(overwritten, errors.size()));
  errors_read_.store(count, std::memory_order_relaxed);
  return errors;
}

}  // namespace warpcell
