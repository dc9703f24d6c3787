// A message on the socket: turns fields and descriptors into one packet with a memfd, and back.
#pragma once
#include <string>

#include "commands.h"

namespace warpcell {

// A descriptor with one owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { reset(); }

  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  int release();
  void reset();

 private:
  int number_ = -1;
};

struct Received {
  uint64_t sequence = 0;
  std::string fields;     // still encoded
  Descriptor descriptor;  // of a segment, where one travelled
};

enum class Receipt { packet, none, closed };

// Sends encoded fields, and `descriptor` unless it is negative (it stays the caller's). False when there is no room and
// `block` is false. Throws std::system_error.
bool send_packet(int socket, uint64_t sequence, const std::string& fields, int descriptor, bool block);

// Takes the next packet: `none` when there is none and `block` is false, `closed` when the other side is gone. Throws
// std::system_error, or std::runtime_error for a packet that is not well formed.
Receipt receive_packet(int socket, bool block, Received* out);

}  // namespace warpcell
