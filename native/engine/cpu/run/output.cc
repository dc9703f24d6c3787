// Collects what kernels print. A core appends to its own buffer; nothing is shared until a launch is over.
#include "output.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include <poll.h>
#include <unistd.h>

namespace warpcell::cpu {
namespace {

// A closed standard output has nobody left to tell, so that text ends there.
void write_all(const char* text, size_t size) {
  while (size > 0) {
    ssize_t written = write(STDOUT_FILENO, text, size);
    if (written >= 0) {
      text += written;
      size -= size_t(written);
    } else if (errno == EAGAIN) {
      pollfd ready{STDOUT_FILENO, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return;
    }
  }
}

// What printf returns in a kernel: how many arguments it read. (Programming Guide, "Formatted Output".)
int arguments_in(const char* format) {
  int count = 0;
  while ((format = std::strchr(format, '%')) != nullptr) {
    format++;
    if (*format == '%') {
      format++;
      continue;
    }
    size_t length = std::strcspn(format, "diouxXeEfFgGaAcspn");  // flags, width, precision, size
    for (size_t i = 0; i < length; i++) count += format[i] == '*';
    count += format[length] != 0;
    format += length;
  }
  return count;
}

}  // namespace

int Output::print(uint64_t block, const char* format, va_list arguments) {
  if (format == nullptr) return -1;
  if (buffer_ == nullptr) buffer_.reset(new char[kBytes]);
  for (;;) {
    uint32_t used = used_.load(std::memory_order_relaxed);
    uint32_t room = kBytes - used;
    va_list again;
    va_copy(again, arguments);
    int length = room > sizeof(Head)
                     ? std::vsnprintf(buffer_.get() + used + sizeof(Head), room - sizeof(Head), format, again)
                     : 0;
    va_end(again);
    if (length < 0) return -2;
    if (uint64_t(length) + sizeof(Head) + 1 < room) {
      Head head{block, uint32_t(length)};
      std::memcpy(buffer_.get() + used, &head, sizeof head);
      used_.store(used + uint32_t(sizeof(Head)) + uint32_t(length), std::memory_order_release);
      return arguments_in(format);
    }
    if (used == 0) {  // longer than the whole buffer
      std::vector<char> large(size_t(length) + 1);
      std::vsnprintf(large.data(), large.size(), format, arguments);
      write_all(large.data(), size_t(length));
      return arguments_in(format);
    }
    write_now();
  }
}

void Output::write_now() {
  uint32_t used = used_.exchange(0, std::memory_order_acq_rel);
  for (uint32_t at = 0; at < used;) {
    Head head;
    std::memcpy(&head, buffer_.get() + at, sizeof head);
    write_all(buffer_.get() + at + sizeof head, head.length);
    at += uint32_t(sizeof head) + head.length;
  }
}

void Output::flush(const std::vector<Output*>& outputs) {
  struct Piece {
    uint64_t block;
    const char* text;
    uint32_t length;
  };
  std::vector<Piece> pieces;
  for (Output* output : outputs) {
    uint32_t used = output->used_.exchange(0, std::memory_order_acq_rel);
    for (uint32_t at = 0; at < used;) {
      Head head;
      std::memcpy(&head, output->buffer_.get() + at, sizeof head);
      pieces.push_back({head.block, output->buffer_.get() + at + sizeof head, head.length});
      at += uint32_t(sizeof head) + head.length;
    }
  }
  if (pieces.empty()) return;
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.block < b.block; });
  std::string text;
  for (const Piece& piece : pieces) text.append(piece.text, piece.length);
  write_all(text.data(), text.size());
}

}  // namespace warpcell::cpu
