// Ring, socket and results as the device process uses them; the session's side is addon/client/ring.cc.
#include "channel.h"

#include <algorithm>
#include <stdexcept>

#include "../protocol/futex.h"
#include "host/error_slot.h"

namespace warpcell {

namespace {

// Long enough that a launch in a loop never meets a sleeping device process, short enough that an idle one costs
// nothing.
constexpr uint64_t kSpinNanoseconds = 100000;

}  // namespace

Channel::Channel(Control* control, int socket)
    : control_(*control), ring_(reinterpret_cast<unsigned char*>(control) + kRingOffset), socket_(socket) {
  head_ = tail_ = control_.tail.load(std::memory_order_relaxed);
}

Header* Channel::front() {
  for (;;) {
    if (head_ == tail_) head_ = control_.head.load(std::memory_order_acquire);
    uint64_t published = head_ - tail_;
    if (published == 0) return nullptr;
    if (published > kRingBytes) throw std::runtime_error("the command ring holds more than its size");

    uint64_t at = tail_ % kRingBytes;
    auto* header = reinterpret_cast<Header*>(ring_ + at);
    // Padding before the end of the ring may be as short as its size and its op.
    bool is_padding = header->op == Op::skip;
    uint64_t least = is_padding ? sizeof(uint64_t) : sizeof(Header);
    uint32_t bytes = header->bytes;
    bool fits = bytes >= least && bytes % 8 == 0 && bytes <= published && bytes <= kRingBytes - at;
    if (!fits)
      throw std::runtime_error("the command ring holds a record of " + std::to_string(bytes) +
                               " bytes that cannot be there");
    front_bytes_ = bytes;
    if (!is_padding) return header;
    release();
  }
}

void Channel::release() {
  tail_ += front_bytes_;
  control_.tail.store(tail_, std::memory_order_release);
}

bool Channel::spin(uint64_t time) const {
  return spin_until([this] { return !is_empty(std::memory_order_relaxed); }, time);
}

void Channel::wait_for_record() {
  if (spin(kSpinNanoseconds)) return;
  while (is_empty(std::memory_order_seq_cst)) sleep(kForever);
}

void Channel::sleep(uint64_t time) {
  // The session looks at engine_sleeping after it has published, this process looks at head after it has said that it
  // sleeps: one of the two sees the other.
  control_.engine_sleeping.store(1, std::memory_order_seq_cst);
  if (is_empty(std::memory_order_seq_cst)) futex_wait(control_.engine_sleeping, 1, time);
  control_.engine_sleeping.store(0, std::memory_order_relaxed);
}

Request Channel::receive(uint64_t sequence) {
  Received received;
  if (receive_packet(socket_, true, &received) != Receipt::packet)
    throw std::runtime_error("the session has closed its socket");
  if (received.sequence != sequence) {
    throw std::runtime_error("command " + std::to_string(sequence) + " came with the message of command " +
                             std::to_string(received.sequence));
  }

  Request request;
  if (!decode(received.fields.data(), received.fields.size(), &request.fields))
    throw std::runtime_error("a message is not a list of fields");
  request.descriptor = std::move(received.descriptor);
  return request;
}

void Channel::answer(uint64_t sequence, const Answer& answer) {
  Descriptor descriptor(answer.descriptor);
  send_packet(socket_, sequence, encode(answer.fields), descriptor.get(), true);
  wake_session();
}

void Channel::answer_error(uint64_t sequence, const std::string& code, const std::string& sentence,
                           const std::string& details) {
  answer(sequence, {{"error", code, sentence, details}, -1});
}

void Channel::completed(uint32_t stream, uint64_t sequence) {
  control_.streams[stream].completed.store(sequence, std::memory_order_release);
  wake_session();
}

void Channel::refused(uint64_t sequence, const DeviceError& reason) {
  report(sequence, sequence, reason.code, reason.what(), false);
}

uint64_t Channel::reached(uint32_t stream) const {
  const StreamState& state = control_.streams[stream];
  return std::max(state.completed.load(std::memory_order_acquire), state.progress.load(std::memory_order_acquire));
}

void Channel::report(uint64_t first, uint64_t last, const std::string& code, const std::string& text, bool fatal) {
  {
    ErrorSlot slot(control_);
    ErrorRecord& record = slot.record();
    record.sequence = first;
    record.last = last;
    record.fatal = fatal;
    code.copy(record.code, sizeof record.code - 1);
    text.copy(record.text, sizeof record.text - 1);
  }
  wake_session();
}

void Channel::wake_session() {
  control_.wake.fetch_add(1, std::memory_order_seq_cst);
  if (control_.waiters.load(std::memory_order_seq_cst) != 0) futex_wake(control_.wake);
}

}  // namespace warpcell
