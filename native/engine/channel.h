// The device process's end of ring, socket and results: turns shared memory into records, and outcomes into answers,
// errors and completion.
#pragma once
#include <string>

#include "../protocol/commands.h"
#include "../protocol/fields.h"
#include "../protocol/packet.h"
#include "device.h"

namespace warpcell {

struct Answer {
  Fields fields;
  int descriptor = -1;  // of a new segment; closed once it is sent
};

struct Request {
  Fields fields;
  Descriptor descriptor;
};

class Channel final : public Listener {
 public:
  Channel(Control* control, int socket);

  // The record at the front of the ring, or null while it is empty. It stays valid until release().
  Header* front();
  void release();

  // Spins until a record is there or the session wants an end; false when neither comes in that time.
  bool spin(uint64_t nanoseconds) const;
  // Returns when a record may be there or the session wants an end: spins a little, then sleeps.
  void wait_for_record();
  // Sleeps until then, but not longer than this.
  void sleep(uint64_t time);
  bool is_stopped() const { return control_.stop.load(std::memory_order_relaxed) != 0; }

  // The message that belongs to a record. Throws std::runtime_error when it is not the one that comes next.
  Request receive(uint64_t sequence);
  void answer(uint64_t sequence, const Answer& answer);
  void answer_error(uint64_t sequence, const std::string& code, const std::string& sentence,
                    const std::string& details);

  // Any thread may call these.
  void completed(uint32_t stream, uint64_t sequence) override;
  void refused(uint64_t sequence, const DeviceError& reason) override;
  // What went wrong with a command that has no answer; of first … last, one is to blame.
  void report(uint64_t first, uint64_t last, const std::string& code, const std::string& text, bool fatal);

  // The last command up to which all that the stream was given is known to be done.
  uint64_t reached(uint32_t stream) const;

 private:
  bool is_empty(std::memory_order order) const { return control_.head.load(order) == tail_ && !is_stopped(); }
  void wake_session();

  Control& control_;
  unsigned char* ring_;
  int socket_;
  uint64_t head_ = 0;  // as last seen: each look takes the line from the session, whose next launch then waits for it
  uint64_t tail_ = 0;
  uint32_t front_bytes_ = 0;  // as they were when the record was looked at
};

}  // namespace warpcell
