// The session's hold on memory: keeps the descriptor of every segment, so that the bytes outlive the device process.
#pragma once
#include <map>
#include <mutex>
#include <optional>

#include "../../protocol/commands.h"
#include "../../protocol/packet.h"

namespace warpcell {

struct Segment {
  Memory memory;
  uint64_t bytes;
  Descriptor descriptor;
  uint64_t serial = 0;  // unlike its number, never used again
};

// One thread adds, removes and looks; any thread may ask for a share.
class Segments {
 public:
  // A number that no segment has; 0 when all are taken. (No segment is number 0, so that no place is 0.)
  uint32_t unused_number() const;

  void add(uint32_t number, Segment&& segment);
  void remove(uint32_t number);
  const Segment* find(uint32_t number) const;
  const std::map<uint32_t, Segment>& all() const { return table_; }

  // The same memory by a descriptor of its own; nothing where no segment has the number. Throws ClientError.
  std::optional<Segment> share(uint32_t number) const;

  // Bytes of shared memory that segments may still grow by: memory is taken when it is first touched.
  uint64_t untouched() const;

 private:
  std::map<uint32_t, Segment> table_;
  mutable std::mutex mutex_;  // while the table changes, and while others than its thread look
};

}  // namespace warpcell
