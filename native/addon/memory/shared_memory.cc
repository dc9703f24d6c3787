// memfd, seals and mmap.
#include "shared_memory.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../client/error.h"
#include "system_memory.h"

namespace warpcell {

Descriptor create_shared_memory(uint64_t bytes, uint64_t promised) {
  // Memory that the system cannot back would kill this process at the first touch, so it is refused now.
  uint64_t available = available_memory();
  if (promised > available || bytes > available - promised) return Descriptor();
  return sealed_memory(bytes);
}

Descriptor sealed_memory(uint64_t bytes) {
  Descriptor memory(memfd_create("warpcell", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory) throw system_error("create shared memory", errno);
  if (ftruncate(memory.get(), off_t(bytes)) != 0) {
    if (errno == ENOMEM || errno == ENOSPC || errno == EFBIG || errno == EINVAL) return Descriptor();
    throw system_error("size shared memory", errno);
  }
  if (fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    throw system_error("seal shared memory", errno);
  return memory;
}

uint64_t sealed_bytes(int descriptor) {
  int seals = fcntl(descriptor, F_GET_SEALS);
  struct stat about;
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(descriptor, &about) != 0) {
    throw ClientError("NOT_SHARED_MEMORY", "This is not a descriptor of shared memory that keeps its size.");
  }
  return uint64_t(about.st_size);
}

Mapping::Mapping(int descriptor, uint64_t bytes) : bytes_(bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) throw system_error("map " + std::to_string(bytes) + " bytes of shared memory", errno);
  memory_ = static_cast<unsigned char*>(memory);
}

void Mapping::replace(int descriptor) {
  if (mmap(memory_, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, 0) == MAP_FAILED) {
    throw system_error("map " + std::to_string(bytes_) + " bytes of shared memory", errno);
  }
}

Mapping::~Mapping() { munmap(memory_, bytes_); }

}  // namespace warpcell
