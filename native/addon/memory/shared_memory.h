// Memory of several processes: turns a number of bytes into a memfd, and a memfd into a mapping.
#pragma once
#include <cstdint>

#include "../../protocol/packet.h"

namespace warpcell {

// Shared memory that no name leads to and that keeps its size; an empty Descriptor when the system has not so much left
// besides what is `promised` already.
Descriptor create_shared_memory(uint64_t bytes, uint64_t promised);
// The same without asking what is left: for the little that a device process needs to be started at all.
Descriptor sealed_memory(uint64_t bytes);

// The size of memory that another process made. Throws ClientError unless it is sealed: whoever maps memory that
// shrinks dies of SIGBUS.
uint64_t sealed_bytes(int descriptor);

// Bytes of this process that are those of the memfd, as long as the object lives.
class Mapping {
 public:
  // Throws ClientError.
  Mapping(int descriptor, uint64_t bytes);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  // Maps another memfd of the same size in its place, so that pointers stay good. Throws ClientError.
  void replace(int descriptor);

  unsigned char* memory() const { return memory_; }
  uint64_t bytes() const { return bytes_; }

 private:
  unsigned char* memory_;
  uint64_t bytes_;
};

}  // namespace warpcell
