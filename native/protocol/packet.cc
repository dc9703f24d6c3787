// Packets over SCM_RIGHTS: the fields lie in a memfd, so that neither side ever blocks on how fast the other reads.
#include "packet.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <system_error>
#include <unistd.h>

namespace warpcell {

namespace {

constexpr int kMaxDescriptors = 2;

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

Descriptor memory_of(const std::string& bytes) {
  Descriptor memory(memfd_create("warpcell-message", MFD_CLOEXEC));
  if (!memory) fail("memfd_create");
  for (size_t done = 0; done < bytes.size();) {
    ssize_t written = pwrite(memory.get(), bytes.data() + done, bytes.size() - done, off_t(done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("write a message");
    done += size_t(written);
  }
  return memory;
}

std::string bytes_of(const Descriptor& memory, uint64_t size) {
  // Room is made for what is there, not for what a packet claims.
  struct stat about;
  if (fstat(memory.get(), &about) != 0) fail("read a message");
  if (uint64_t(about.st_size) != size)
    throw std::runtime_error("a message of " + std::to_string(about.st_size) + " bytes says that it has " +
                             std::to_string(size));
  std::string bytes(size, '\0');
  for (size_t done = 0; done < size;) {
    ssize_t count = pread(memory.get(), &bytes[done], size - done, off_t(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read a message");
    if (count == 0) throw std::runtime_error("a message became shorter while it was read");
    done += size_t(count);
  }
  return bytes;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    number_ = other.release();
  }
  return *this;
}

int Descriptor::release() {
  int number = number_;
  number_ = -1;
  return number;
}

void Descriptor::reset() {
  if (number_ >= 0) close(number_);
  number_ = -1;
}

bool send_packet(int socket, uint64_t sequence, const std::string& fields, int descriptor, bool block) {
  Descriptor memory = memory_of(fields);
  int descriptors[kMaxDescriptors] = {memory.get(), descriptor};
  uint32_t count = descriptor < 0 ? 1 : 2;

  Packet packet{sequence, fields.size(), count, 0};
  iovec part{&packet, sizeof packet};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = CMSG_SPACE(count * sizeof(int));

  cmsghdr* rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(count * sizeof(int));
  std::memcpy(CMSG_DATA(rights), descriptors, count * sizeof(int));

  ssize_t sent;
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL | (block ? 0 : MSG_DONTWAIT));
  while (sent < 0 && errno == EINTR);
  if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
  if (sent < 0) fail("send a message");
  return true;
}

Receipt receive_packet(int socket, bool block, Received* out) {
  Packet packet{};
  iovec part{&packet, sizeof packet};
  alignas(cmsghdr) char control[CMSG_SPACE(kMaxDescriptors * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;

  ssize_t received;
  do received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (block ? 0 : MSG_DONTWAIT));
  while (received < 0 && errno == EINTR);
  if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Receipt::none;
  if (received == 0 || (received < 0 && errno == ECONNRESET)) return Receipt::closed;
  if (received < 0) fail("receive a message");

  Descriptor descriptors[kMaxDescriptors];
  uint32_t count = 0;
  for (cmsghdr* part_of = CMSG_FIRSTHDR(&message); part_of != nullptr; part_of = CMSG_NXTHDR(&message, part_of)) {
    if (part_of->cmsg_level != SOL_SOCKET || part_of->cmsg_type != SCM_RIGHTS) continue;
    size_t here = (part_of->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < here && count < kMaxDescriptors; i++) {
      int number;
      std::memcpy(&number, CMSG_DATA(part_of) + i * sizeof(int), sizeof number);
      descriptors[count++] = Descriptor(number);
    }
  }
  if (size_t(received) != sizeof packet || count == 0 || count != packet.descriptors ||
      (message.msg_flags & MSG_CTRUNC)) {
    throw std::runtime_error("a packet is not well formed (are too many files open?)");
  }

  out->sequence = packet.sequence;
  out->fields = bytes_of(descriptors[0], packet.bytes);
  out->descriptor = std::move(descriptors[1]);
  return Receipt::packet;
}

}  // namespace warpcell
