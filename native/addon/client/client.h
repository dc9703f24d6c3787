// One device process and all that the session keeps for it: turns calls into commands, and gives a new process what the
// old one had.
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "../../protocol/commands.h"
#include "../../protocol/messages.h"
#include "../memory/allocator.h"
#include "child.h"
#include "flights.h"
#include "mailbox.h"
#include "ring.h"
#include "streams.h"
#include "../memory/segments.h"
#include "../memory/shared_memory.h"

namespace warpcell {

// How a wait ended, in the order of `kOutcomeNames`.
enum class Outcome { done, error, interrupted, died, timeout };
constexpr const char* kOutcomeNames[] = {"done", "error", "interrupted", "died", "timeout"};

// The state of a device process that an interrupt has killed, and of one that has left nonsense in the control segment.
constexpr const char* kInterruptedState = "interrupted";
constexpr const char* kGarbledState = "the memory that it shares with the session was overwritten";

// What a device process is for: the user's own work, or answering front ends beside it. No gauge counts the second, and
// no interrupt of the user's ends what it does.
enum class Duty { work, view };

// Why there is no sequence or no place.
constexpr int64_t kDead = -1;
constexpr int64_t kInterrupted = -2;
constexpr int64_t kNoMemory = -1;
constexpr int64_t kAllocationDead = -2;
constexpr int64_t kAllocationInterrupted = -3;

// How far a stream is: the last command of those that are done and visible; and of those that have finished, as far as
// is known without waiting.
struct Reached {
  uint64_t completed, progress;
  uint64_t last() const { return completed > progress ? completed : progress; }
};

// Commands that follow each other.
struct Range {
  uint64_t first, last;
};

// Memory for one record, the largest that there is.
struct alignas(64) Room {
  unsigned char bytes[65536];
};

class Client {
 public:
  // Starts the device process. Throws ClientError.
  Client(std::string kind, int index, std::string executable, Duty duty);
  ~Client();
  Client(const Client&) = delete;

  const std::string& kind() const { return kind_; }
  int index() const { return index_; }
  Duty duty() const { return duty_; }
  const Gauges& gauges() const { return control_->gauges; }
  Child& child() { return child_; }
  // "running", or how the process has ended: also when what it shares with the session says what cannot be.
  std::string state();
  Allocator& allocator(Memory memory) { return memory == Memory::device ? device_blocks_ : host_blocks_; }
  const Flights& flights() const { return flights_; }
  const Segments& segments() const { return segments_; }
  // The last command of all, and of a stream that is open.
  uint64_t submitted() const { return submitted_; }
  uint64_t submitted(uint32_t stream) { return open_stream_at(stream).submitted; }
  // Any thread may ask. Of a stream that is open.
  Reached reached(uint32_t stream);
  // The commands that are not known to be done, of all streams, in their order.
  std::vector<Range> unfinished();
  // Something is not known to be done.
  bool is_busy();

  // A new process with all segments. Returns their count; throws ClientError when the new process does not work.
  uint32_t restart();

  // Opens a stream, also in every process that follows.
  void open_stream(uint32_t stream);

  // Where records are laid out, one at a time, by the thread that submits them.
  const std::shared_ptr<Room>& room() const { return room_; }
  // Submits the record there: its sequence, kDead or kInterrupted. Throws ClientError for one that is not well formed.
  int64_t submit() { return submit(room_->bytes); }
  int64_t request(Op op, const Fields& fields, uint32_t origin);
  bool reply(uint64_t sequence, Answer* answer);

  // How a wait that began at `began` (ns) has ended, if it has. Any thread may look. Looking closely also sees the
  // death of the device process, which costs a system call, and an interrupt, which kills the process.
  std::optional<Outcome> look(uint32_t stream, uint64_t sequence);
  std::optional<Outcome> look_closely(uint32_t stream, uint64_t sequence, uint64_t began);
  // For a command of a stream that is open, 0 of one with a message. Blocks; a negative timeout (ms) means none.
  Outcome wait(uint32_t stream, uint64_t sequence, int64_t timeout);
  // Sleeps until the device process has something to say after `seen`, as `wake_count` was before one looked, or a
  // slice of time has passed.
  uint32_t wake_count() const { return control_->wake.load(std::memory_order_seq_cst); }
  void sleep(uint32_t seen);
  // Ends everyone's sleep. Any thread may.
  void wake();
  std::vector<ErrorRecord> take_errors();

  // From the segments there are, or, when it may grow, from a new one too. What the stream writes there comes after all
  // that others did there before.
  int64_t allocate(Memory memory, uint32_t stream, uint64_t bytes, bool may_grow, uint32_t origin = 0);
  // Another stream than the one it was allocated for uses the block, too. Throws ClientError as free() does.
  void use(Place place, uint32_t stream);
  // The same of the block around a place, where there is one.
  void use_around(Place place, uint32_t stream);
  // Throws ClientError when nothing was allocated there.
  void free(Place place);
  // A pool of device memory, whose number allocate() takes in place of a stream's: what is allocated for it is given to
  // nobody else before it is closed, also when it is free.
  uint32_t open_pool();
  // Has the block around a place stay until the pool is closed, also when it is freed before. False: nothing is
  // allocated there.
  bool pin(uint32_t pool, Place place);
  // What was allocated for it and is not free is stream 0's now.
  void close_pool(uint32_t pool);
  // Gives unused segments back and returns their bytes.
  uint64_t trim();

  // A segment for another client, which maps the same memory; nothing where there is none. Any thread may ask.
  std::optional<Segment> share(uint32_t number) const { return segments_.share(number); }
  // Maps what another client shared, and returns its number here: kAllocationDead or kAllocationInterrupted where that
  // fails. Throws ClientError when the device process refuses.
  int64_t borrow(Segment&& segment);
  void give_back(uint32_t number);

 private:
  enum class Patience { user, patient };  // patient: an interrupt ends it only when it takes very long
  enum class Growth { grown, no_memory, dead, interrupted };

  // With a control segment of its own: whatever the process before has written to the old one is gone with it.
  void start_process();
  Descriptor renew_control();
  Stream& open_stream_at(uint32_t stream);
  std::optional<Reached> look_at_control(uint32_t stream);
  // What it shares with the session says what cannot be, or its end has been seen.
  bool is_lost() const { return is_garbled_.load(std::memory_order_relaxed) || child_.is_known_dead(); }
  int64_t submit(const unsigned char* record);
  int64_t place_record(uint32_t bytes, Patience patience, unsigned char** room);
  int64_t publish(unsigned char* room, const unsigned char* record);
  int64_t send(Op op, const Fields& fields, uint32_t origin, int descriptor, Patience patience);
  // Between two attempts: 0, or kDead or kInterrupted when there is no point in another one.
  int64_t hold(Patience patience);

  Mailbox::Status look_for_answer(uint64_t sequence);
  bool is_done(uint32_t stream, uint64_t sequence);
  bool has_errors() const;
  Outcome wait_for_answer(uint64_t sequence, Patience patience, Answer* answer);

  template <class Record>
  int64_t submit_plain(Op op, uint32_t stream, Record record);
  // The block that is allocated there, and by whom. Throws ClientError.
  Allocator::Block& allocated(Place place, Allocator** blocks);
  // Gives blocks back that were freed while several streams used them, and that all of them have done with.
  void settle_leaving();
  // What others have freed is the stream's from now on: it waits for all of them. False when there are none, or when
  // nothing can wait.
  bool gather(Allocator& blocks, uint32_t stream);
  // A new segment of so many bytes for a block of `wanted`.
  Growth grow(Memory memory, uint32_t stream, uint64_t wanted, uint64_t bytes);
  void release_segment(uint32_t number);
  bool is_interrupted() const;

  const std::string kind_;
  const int index_;
  const std::string executable_;
  const Duty duty_;

  std::unique_ptr<Mapping> control_memory_;
  Control* control_ = nullptr;  // stays the same: every segment is mapped at the place of the one before
  std::mutex control_mutex_;    // while one segment takes the place of another
  uint32_t sleepers_ = 0;
  std::atomic<bool> is_garbled_{false};
  const std::shared_ptr<Room> room_ = std::make_shared<Room>();
  std::unique_ptr<Ring> ring_;
  Child child_;
  Mailbox mailbox_;
  Segments segments_;
  Allocator device_blocks_, host_blocks_;
  Flights flights_;
  std::atomic<uint64_t> submitted_{0};
  Streams streams_;
  // A block that was freed, and the commands after which other streams have done with it.
  struct Leaving {
    Place place;
    Allocator* blocks;
    std::vector<Use> uses;
  };
  std::vector<Leaving> leaving_;
  std::map<uint32_t, std::set<Place>> pinned_;  // by pool
  // Commands that have been answered, the last ones without a gap: they are done, of which only a fence would make the
  // device process speak.
  std::atomic<uint64_t> answered_from_{0}, answered_to_{0};
  std::atomic<uint32_t> errors_read_{0};
};

template <class Record>
int64_t Client::submit_plain(Op op, uint32_t stream, Record record) {
  record.header.bytes = sizeof record;
  record.header.op = op;
  record.header.stream = uint16_t(stream);
  return submit(reinterpret_cast<unsigned char*>(&record));
}

// The user's interrupt, for every client of this Node process.
std::atomic<bool>& interrupt_flag();

}  // namespace warpcell
