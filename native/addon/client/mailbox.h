// The session's end of the socket: sends messages and keeps answers until they are asked for.
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "../../protocol/fields.h"
#include "../../protocol/packet.h"
#include "error.h"

namespace warpcell {

struct Answer {
  uint64_t sequence = 0;
  Fields fields;
  Descriptor descriptor;

  // Nothing when it starts with "ok"; else what it says, or that it says neither.
  std::optional<ClientError> refusal() const;
};

// Any thread may look; one thread sends and takes.
class Mailbox {
 public:
  enum class Status { unknown, expected, here };

  // A socket for a new device process; answers of the old one are gone. Returns the other end. Throws ClientError.
  Descriptor renew();
  void close();

  // False while the socket is full. Throws std::system_error (EPIPE) when the device process is gone.
  bool send(uint64_t sequence, const Fields& fields, int descriptor);
  // Reads what has arrived. Throws std::exception for what cannot be read.
  Status look(uint64_t sequence);
  // An answer that is here; false when there is none.
  bool take(uint64_t sequence, Answer* answer);

 private:
  void drain();

  std::mutex mutex_;
  Descriptor socket_;
  std::set<uint64_t> expected_;
  std::map<uint64_t, Answer> here_;
};

}  // namespace warpcell
