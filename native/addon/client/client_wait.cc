// Waiting for a device process: turns words of shared memory, its answers and its death into an outcome.
#include <algorithm>
#include <optional>

#include "../../protocol/futex.h"
#include "client.h"

namespace warpcell {

namespace {

// Waking up takes 0.05 to 0.2 ms on a virtual machine. What a GPU works on leaves this processor free to look for its
// end; what the cpu works on wants each core.
constexpr uint64_t kSpinNanoseconds = 50000;
constexpr uint64_t kSpinNanosecondsOfGpu = 10000000;
constexpr uint64_t kSliceNanoseconds = 10000000;  // how late a death without a word is noticed

// An interrupt that comes when the device is as good as idle must not cost it its process: what is about to end, ends.
constexpr uint64_t kGraceNanoseconds = 20000000;

// A new process that answers is not disturbed by the interrupt that ended the old one (a start takes 0.2 s); one that
// never answers is.
constexpr uint64_t kStartNanoseconds = 3000000000;

}  // namespace

std::optional<Reached> Client::look_at_control(uint32_t stream) {
  uint64_t known = streams_.at(stream).completed.load(std::memory_order_acquire);
  const StreamState& state = control_->streams[stream];
  Reached reached{state.completed.load(std::memory_order_acquire), state.progress.load(std::memory_order_acquire)};
  uint64_t submitted = streams_.at(stream).submitted.load(std::memory_order_acquire);
  bool can_be = reached.completed >= known && reached.completed <= submitted && reached.progress <= submitted;
  if (!can_be || control_->protocol.load(std::memory_order_relaxed) != kProtocolVersion) return std::nullopt;
  return reached;
}

Reached Client::reached(uint32_t stream) {
  std::atomic<uint64_t>& completed = open_stream_at(stream).completed;
  std::optional<Reached> said = look_at_control(stream);
  if (!said) {
    // Once more, as the thread that restarts the process may be about to replace the segment, or just have done so.
    std::lock_guard<std::mutex> lock(control_mutex_);
    said = look_at_control(stream);
    if (!said) is_garbled_ = true;
  }
  if (!said) return {completed, completed};
  completed.store(said->completed, std::memory_order_release);
  return *said;
}

bool Client::is_busy() {
  for (uint32_t stream = 1; streams_.are_several() && stream < kMaxStreams; stream++) {
    if (!streams_.is_open(stream)) continue;
    uint64_t given = streams_.at(stream).submitted;
    if (reached(stream).last() < given) return true;
  }
  uint64_t submitted = streams_.at(0).submitted;
  uint64_t done = reached(0).last();
  // In this order: what they say is of one range, or too little.
  uint64_t to = answered_to_.load(std::memory_order_acquire);
  uint64_t from = answered_from_.load(std::memory_order_acquire);
  if (from <= done + 1) done = std::max(done, to);
  return done < submitted;
}

std::vector<Range> Client::unfinished() {
  uint64_t done[kMaxStreams] = {}, first = submitted_ + 1;
  for (uint32_t stream = 0; stream < kMaxStreams; stream++) {
    if (!streams_.is_open(stream)) continue;
    done[stream] = reached(stream).last();
    if (done[stream] < streams_.at(stream).submitted) first = std::min(first, done[stream] + 1);
  }
  std::vector<Range> ranges;
  for (uint64_t sequence = first; sequence <= submitted_; sequence++) {
    // Whose a command was that others have followed for so long is not known any more.
    bool is_known = sequence + Streams::kSlots > submitted_;
    if (is_known && sequence <= done[streams_.owner(sequence)]) continue;
    if (ranges.empty() || ranges.back().last + 1 < sequence)
      ranges.push_back({sequence, sequence});
    else
      ranges.back().last = sequence;
  }
  return ranges;
}

bool Client::reply(uint64_t sequence, Answer* answer) {
  if (!mailbox_.take(sequence, answer)) return false;
  if (!answer->refusal()) flights_.forget(sequence);
  if (sequence != answered_to_ + 1) answered_from_.store(sequence, std::memory_order_release);
  answered_to_.store(sequence, std::memory_order_release);
  return true;
}

std::string Client::state() { return is_garbled_ ? kGarbledState : child_.state(); }

bool Client::has_errors() const {
  return control_->error_count.load(std::memory_order_acquire) != errors_read_.load(std::memory_order_relaxed);
}

// An answer that cannot be read (no descriptor is left, say) is lost. So is its process: nobody would ever hear of the
// end of that command.
Mailbox::Status Client::look_for_answer(uint64_t sequence) {
  try {
    return mailbox_.look(sequence);
  } catch (const std::exception& error) {
    child_.kill(error.what());
    return Mailbox::Status::expected;
  }
}

bool Client::is_done(uint32_t stream, uint64_t sequence) {
  switch (look_for_answer(sequence)) {
    case Mailbox::Status::here:
      return true;
    case Mailbox::Status::expected:
      return false;
    case Mailbox::Status::unknown:
      break;
  }
  // Its own word only: the others lie on lines that the device process is writing, and looking closely reads them.
  uint64_t completed = control_->streams[stream].completed.load(std::memory_order_acquire);
  return completed >= sequence && reached(stream).completed >= sequence;
}

std::optional<Outcome> Client::look(uint32_t stream, uint64_t sequence) {
  if (is_garbled_.load(std::memory_order_relaxed)) return Outcome::died;
  if (has_errors()) return Outcome::error;
  if (is_done(stream, sequence)) return Outcome::done;
  return std::nullopt;
}

std::optional<Outcome> Client::look_closely(uint32_t stream, uint64_t sequence, uint64_t began) {
  bool lived = child_.is_running();
  reached(stream);
  // What it said last may have come between the two.
  if (std::optional<Outcome> outcome = look(stream, sequence)) return outcome;
  if (!lived) return Outcome::died;

  if (!is_interrupted() || nanoseconds() - began < kGraceNanoseconds) return std::nullopt;
  child_.kill(kInterruptedState);
  return Outcome::interrupted;
}

Outcome Client::wait(uint32_t stream, uint64_t sequence, int64_t timeout) {
  open_stream_at(stream);
  uint64_t began = nanoseconds();
  std::optional<Outcome> early;
  if (spin_until([&] { return (early = look(stream, sequence)).has_value(); },
                 kind_ == "cpu" ? kSpinNanoseconds : kSpinNanosecondsOfGpu))
    return *early;

  for (;;) {
    uint32_t seen = wake_count();
    if (std::optional<Outcome> outcome = look_closely(stream, sequence, began)) return *outcome;
    if (timeout >= 0 && nanoseconds() - began >= uint64_t(timeout) * 1000000u) return Outcome::timeout;
    sleep(seen);
  }
}

void Client::sleep(uint32_t seen) {
  auto count = [this](uint32_t change) {
    std::lock_guard<std::mutex> lock(control_mutex_);
    control_->waiters.store(sleepers_ += change, std::memory_order_seq_cst);
  };
  count(1);
  futex_wait(control_->wake, seen, kSliceNanoseconds);
  count(-1);
  // The word by which it is known to sleep may have been overwritten.
  if (wake_count() == seen) futex_wake(control_->engine_sleeping);
}

void Client::wake() {
  control_->wake.fetch_add(1);
  futex_wake(control_->wake);
}

Outcome Client::wait_for_answer(uint64_t sequence, Patience patience, Answer* answer) {
  uint64_t began = nanoseconds();
  uint64_t grace = patience == Patience::user ? 0 : kStartNanoseconds;
  for (;;) {
    uint32_t seen = wake_count();
    reached(0);
    bool lives = !is_lost() && child_.is_running();
    if (look_for_answer(sequence) == Mailbox::Status::here && reply(sequence, answer)) return Outcome::done;
    if (!lives) return Outcome::died;
    if (is_interrupted() && nanoseconds() - began >= grace) {
      child_.kill(kInterruptedState);
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

  auto can_be = [this](const ErrorRecord& error) {
    return error.sequence > 0 && error.sequence <= error.last && error.last <= submitted_ && error.code[0] != '\0';
  };
  if (!std::all_of(errors.begin(), errors.end(), can_be)) is_garbled_ = true;
  return is_garbled_ ? std::vector<ErrorRecord>() : errors;
}

}  // namespace warpcell
