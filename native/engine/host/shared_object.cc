// Gives the dynamic linker a path to bytes in memory.
#include "shared_object.h"

#include <cerrno>
#include <cstring>

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include "demangle.h"
#include "errors.h"

namespace warpcell {
namespace {

// A path to a descriptor that no other call has returned: the dynamic linker takes two equal paths for one object, and
// descriptors are used again. So the path spells a counter, one "/." or "//." per bit.
std::string unique_path(int descriptor) {
  static uint32_t counter = 0;
  uint32_t number = counter++;
  std::string path = "/proc/self/fd";
  for (int bit = 0; bit < 32; bit++) path += number >> bit & 1 ? "//." : "/.";
  return path + "/" + std::to_string(descriptor);
}

// Why the dynamic linker refused, in the words of the cell: a shared object may lack functions, so no compiler has said
// it before.
[[noreturn]] void throw_refused(const std::string& reason) {
  const std::string undefined = "undefined symbol: ";
  size_t at = reason.find(undefined);
  if (at == std::string::npos) throw_unloadable(reason);
  std::string symbol = reason.substr(at + undefined.size());
  throw DeviceError("INVALID_IMAGE",
                    "The cell uses " + demangle(symbol) + ", which it only declares. Define it in the cell.");
}

}  // namespace

void throw_unloadable(const std::string& reason) {
  throw DeviceError("INVALID_IMAGE", "The compiled cell cannot be loaded: " + reason + ". Compile the cell again.");
}

void* load_shared_object(const std::string& bytes) {
  int file = memfd_create("warpcell-cell", MFD_CLOEXEC);
  if (file < 0) throw_unloadable(std::string("memfd_create failed: ") + std::strerror(errno));
  for (size_t at = 0; at < bytes.size();) {
    ssize_t written = write(file, bytes.data() + at, bytes.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      int failure = errno;
      close(file);
      throw_unloadable(std::string("write failed: ") + std::strerror(failure));
    }
    at += size_t(written);
  }
  void* handle = dlopen(unique_path(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  close(file);
  if (handle == nullptr) throw_refused(dlerror());
  return handle;
}

}  // namespace warpcell
