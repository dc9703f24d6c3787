// Starting, restarting and commanding a device process. Waiting is in client_wait.cc, memory in client_memory.cc.
#include "client.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <unistd.h>

#include "../../protocol/futex.h"
#include "error.h"

namespace warpcell {

namespace {

constexpr uint32_t kLargestRecord = sizeof(Room);
constexpr useconds_t kHoldMicroseconds = 50;

// Which commands have no message, one bit each.
constexpr uint64_t kPlainCommands = 0
#define X(name, number, message) | (message ? 0 : uint64_t(1) << number)
    // clang-format off
    WARPCELL_COMMANDS(X)
// clang-format on
#undef X
    ;

constexpr uint64_t kPage = 4096;

// For tests: see Allocator::set_apart().
uint64_t blocks_apart() {
  const char* unit = std::getenv("WARPCELL_BLOCKS_APART");
  return unit != nullptr ? std::strtoull(unit, nullptr, 10) : 0;
}

bool is_plain(Op op) { return uint16_t(op) < 64 && ((kPlainCommands >> uint16_t(op)) & 1) != 0; }

}  // namespace

std::atomic<bool>& interrupt_flag() {
  static std::atomic<bool> flag{false};
  return flag;
}

bool Client::is_interrupted() const { return duty_ == Duty::work && interrupt_flag().load(std::memory_order_relaxed); }

Client::Client(std::string kind, int index, std::string executable, Duty duty)
    : kind_(std::move(kind)), index_(index), executable_(std::move(executable)), duty_(duty) {
  if (uint64_t unit = blocks_apart()) {
    device_blocks_.set_apart(unit, kind_ == "cpu" ? kPage : kSegmentAlignment);
    host_blocks_.set_apart(unit, kPage);
  }
  start_process();
}

Client::~Client() {
  control_->stop.store(1, std::memory_order_relaxed);
  mailbox_.close();
  child_.kill();
}

void Client::start_process() {
  Descriptor control = renew_control();
  Descriptor socket = mailbox_.renew();
  child_.start(executable_, kind_, index_, control.get(), socket.get());
}

Descriptor Client::renew_control() {
  Descriptor memory = sealed_memory(kControlBytes);
  if (!memory) throw system_error("create a control segment", errno);

  std::lock_guard<std::mutex> lock(control_mutex_);
  if (control_memory_ == nullptr) {
    control_memory_ = std::make_unique<Mapping>(memory.get(), kControlBytes);
    control_ = reinterpret_cast<Control*>(control_memory_->memory());
    ring_ = std::make_unique<Ring>(control_);
  } else {
    control_memory_->replace(memory.get());
    ring_->reset();
  }
  control_->protocol.store(kProtocolVersion, std::memory_order_relaxed);
  control_->waiters.store(sleepers_, std::memory_order_relaxed);
  for (uint32_t number = 0; number < kMaxStreams; number++) {
    Stream& stream = streams_.at(number);
    control_->streams[number].progress.store(stream.submitted, std::memory_order_relaxed);
    control_->streams[number].completed.store(stream.submitted, std::memory_order_release);
    stream.completed.store(stream.submitted, std::memory_order_release);
  }
  errors_read_ = 0;
  is_garbled_ = false;
  return memory;
}

uint32_t Client::restart() {
  child_.kill();
  start_process();

  auto ask = [this](Op op, const Fields& fields, int descriptor) {
    int64_t sequence = send(op, fields, 0, descriptor, Patience::patient);
    Answer answer;
    bool has_answer = sequence > 0 && wait_for_answer(uint64_t(sequence), Patience::patient, &answer) == Outcome::done;
    if (!has_answer) throw ClientError("DIED", "the device process ended at its start (" + state() + ")");
    if (std::optional<ClientError> refusal = answer.refusal()) throw *refusal;
  };
  ask(Op::hello, RequestOf<Op::hello>{}.written(), -1);
  for (const auto& [number, segment] : segments_.all()) {
    RequestOf<Op::segment_import> request{number, name_of(segment.memory), segment.bytes};
    ask(Op::segment_import, request.written(), segment.descriptor.get());
  }
  for (uint32_t stream = 1; stream < kMaxStreams; stream++) {
    if (streams_.is_open(stream)) submit_plain(Op::stream_open, stream, StreamOpen{});
  }
  return uint32_t(segments_.all().size());
}

void Client::open_stream(uint32_t stream) {
  if (stream >= kMaxStreams)
    throw ClientError("ARGUMENT", "A device has streams 0 to " + std::to_string(kMaxStreams - 1) + ", not " +
                                      std::to_string(stream) + ".");
  if (streams_.is_open(stream)) return;
  streams_.open(stream);
  // A device process that cannot be told is followed by one that is.
  submit_plain(Op::stream_open, stream, StreamOpen{});
}

Stream& Client::open_stream_at(uint32_t stream) {
  if (streams_.is_open(stream)) return streams_.at(stream);
  throw ClientError("ARGUMENT", "Stream " + std::to_string(stream) + " has not been opened.");
}

int64_t Client::submit(const unsigned char* record) {
  Header header;
  std::memcpy(&header, record, sizeof header);
  bool is_record =
      header.bytes >= sizeof header && header.bytes <= kLargestRecord && header.bytes % 8 == 0 && is_plain(header.op);
  if (!is_record) {
    throw ClientError("PROTOCOL", "Only the record of a command without a message can be submitted, not " +
                                      std::to_string(header.bytes) + " bytes of command " +
                                      std::to_string(unsigned(header.op)) + ".");
  }

  open_stream_at(header.stream);
  if (is_lost()) return kDead;
  unsigned char* room;
  int64_t failure = place_record(header.bytes, Patience::user, &room);
  return failure < 0 ? failure : publish(room, record);
}

namespace {

// What the flight recorder knows the work of a message by.
std::optional<uint32_t> flight_of(Op op, const Fields& fields) {
  try {
    if (op == Op::time) {
      RequestOf<Op::time> request;
      request.read(fields);
      Launch launch;
      if (request.launch.size() < sizeof launch) return std::nullopt;
      std::memcpy(&launch, request.launch.data(), sizeof launch);
      return launch.kernel;
    }
    if (op == Op::plan) {
      RequestOf<Op::plan> request;
      request.read(fields);
      return kFlightOfPlan | uint32_t(request.plan);
    }
  } catch (const MessageError&) {
    // The device process says what is wrong with it.
  }
  return std::nullopt;
}

}  // namespace

int64_t Client::request(Op op, const Fields& fields, uint32_t origin) {
  if (is_plain(op))
    throw ClientError("PROTOCOL", "Only a command with a message can be requested, not command " +
                                      std::to_string(unsigned(op)) + ".");

  int64_t sequence = send(op, fields, origin, -1, Patience::user);
  if (sequence > 0) {
    if (std::optional<uint32_t> flight = flight_of(op, fields)) flights_.record(uint64_t(sequence), *flight, origin);
  }
  return sequence;
}

int64_t Client::send(Op op, const Fields& fields, uint32_t origin, int descriptor, Patience patience) {
  if (is_lost()) return kDead;
  unsigned char* room;
  int64_t failure = place_record(sizeof(Message), patience, &room);
  if (failure < 0) return failure;

  // The message goes first: whoever sees the record finds it on the socket.
  try {
    while (!mailbox_.send(submitted_ + 1, fields, descriptor)) {
      failure = hold(patience);
      if (failure < 0) return failure;
    }
  } catch (const std::system_error& error) {
    if (error.code().value() == EPIPE || error.code().value() == ECONNRESET) return kDead;
    throw system_error("send a message to the device process", error.code().value());
  }

  Message message{};
  message.header.bytes = sizeof message;
  message.header.op = op;
  message.header.origin = origin;
  return publish(room, reinterpret_cast<unsigned char*>(&message));
}

int64_t Client::place_record(uint32_t bytes, Patience patience, unsigned char** room) {
  while ((*room = ring_->reserve(bytes)) == nullptr) {
    int64_t failure = hold(patience);
    if (failure < 0) return failure;
  }
  return 0;
}

int64_t Client::publish(unsigned char* room, const unsigned char* record) {
  uint64_t sequence = submitted_.load(std::memory_order_relaxed) + 1;
  Header header;
  std::memcpy(&header, record, sizeof header);
  header.sequence = sequence;
  std::memcpy(room, &header, sizeof header);
  std::memcpy(room + sizeof header, record + sizeof header, header.bytes - sizeof header);
  if (header.op == Op::run && header.bytes >= sizeof(Run))
    flights_.record(sequence, kFlightOfPlan | reinterpret_cast<const Run*>(record)->plan, header.origin);
  if (header.op == Op::graph_launch && header.bytes >= sizeof(GraphLaunch))
    flights_.record(sequence, kFlightOfGraph | reinterpret_cast<const GraphLaunch*>(record)->graph, header.origin);
  if (header.op == Op::launch && header.bytes >= sizeof(Launch))
    flights_.record(sequence, reinterpret_cast<const Launch*>(record)->kernel, header.origin);

  submitted_.store(sequence, std::memory_order_relaxed);
  streams_.given(header.stream, sequence);
  ring_->publish(header.bytes);
  return int64_t(sequence);
}

// A full ring empties at the device's pace, some thousand commands ahead: nothing is lost by looking again a little
// later.
int64_t Client::hold(Patience patience) {
  look_for_answer(submitted_);  // the device process may itself be waiting for room to answer
  if (!ring_->is_sound()) is_garbled_ = true;
  if (is_lost() || !child_.is_running()) return kDead;
  if (patience == Patience::user && is_interrupted()) {
    child_.kill(kInterruptedState);
    return kInterrupted;
  }
  usleep(kHoldMicroseconds);
  return 0;
}

}  // namespace warpcell
