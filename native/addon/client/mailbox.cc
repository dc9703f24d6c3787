// Answers arrive in any order of asking.
#include "mailbox.h"

#include <cerrno>
#include <sys/socket.h>
#include <unistd.h>

#include "../../protocol/commands.h"

namespace warpcell {

std::optional<ClientError> Answer::refusal() const {
  if (!fields.empty() && fields[0] == "ok") return std::nullopt;
  if (fields.size() >= 3 && fields[0] == "error") return ClientError(fields[1], fields[2]);
  std::string first = fields.empty()
                          ? "nothing"
                          : "\"" + fields[0].substr(0, 80) + "\" and " + std::to_string(fields.size() - 1) + " more";
  return ClientError("PROTOCOL", "The answer to command " + std::to_string(sequence) +
                                     " must start with \"ok\" or \"error\", but is " + first + ".");
}

Descriptor Mailbox::renew() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw system_error("open a socket to the device process", errno);
  Descriptor ours(ends[0]);
  Descriptor theirs(ends[1]);

  std::lock_guard<std::mutex> lock(mutex_);
  socket_ = std::move(ours);
  expected_.clear();
  here_.clear();
  return theirs;
}

void Mailbox::close() {
  std::lock_guard<std::mutex> lock(mutex_);
  socket_.reset();
  expected_.clear();
  here_.clear();
}

bool Mailbox::send(uint64_t sequence, const Fields& fields, int descriptor) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!send_packet(socket_.get(), sequence, encode(fields), descriptor, false)) return false;
  expected_.insert(sequence);
  return true;
}

Mailbox::Status Mailbox::look(uint64_t sequence) {
  std::lock_guard<std::mutex> lock(mutex_);
  // Also for a command without an answer: the device process may be waiting for room to answer those before it.
  if (!expected_.empty()) drain();
  if (here_.count(sequence) != 0) return Status::here;
  return expected_.count(sequence) != 0 ? Status::expected : Status::unknown;
}

bool Mailbox::take(uint64_t sequence, Answer* answer) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = here_.find(sequence);
  if (found == here_.end()) return false;
  *answer = std::move(found->second);
  here_.erase(found);
  return true;
}

void Mailbox::drain() {
  if (!socket_) return;
  Received received;
  while (receive_packet(socket_.get(), false, &received) == Receipt::packet) {
    Answer answer;
    answer.sequence = received.sequence;
    if (!decode(received.fields.data(), received.fields.size(), &answer.fields)) {
      throw ClientError("PROTOCOL",
                        "The answer to command " + std::to_string(received.sequence) + " is not a list of fields.");
    }
    answer.descriptor = std::move(received.descriptor);
    if (expected_.erase(received.sequence) == 0)
      throw ClientError("PROTOCOL",
                        "it answered command " + std::to_string(received.sequence) + ", which awaits no answer");
    here_[received.sequence] = std::move(answer);
  }
}

}  // namespace warpcell
