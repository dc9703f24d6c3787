// warpcell-device KIND INDEX: turns two inherited descriptors, a control segment and a socket, into a device that works
// for a session. warpcell-device program …: a program with main(), in a process of its own (program/command.cc).
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "channel.h"
#include "device.h"
#include "host_functions.h"
#include "loop.h"
#include "program.h"
#include "watch.h"

namespace warpcell {
namespace {

// The session knows these from the exit status of the process.
constexpr int kExitUsage = 2;
constexpr int kExitNoDevice = 3;
constexpr int kExitProtocol = 4;

struct Kind {
  const char* name;
  std::unique_ptr<Device> (*open)(int index, Control* control, Listener& listener);
};

constexpr Kind kKinds[] = {
    {"cpu", open_cpu},
    {"cuda", open_cuda},
    {"nvrtc", open_nvrtc},
};

std::unique_ptr<Device> open_device(const std::string& kind, int index, Control* control, Listener& listener) {
  for (const Kind& known : kKinds) {
    if (kind == known.name) return known.open(index, control, listener);
  }
  throw DeviceError("UNKNOWN_DEVICE", "There is no kind of device \"" + kind + "\": the kinds are cpu and cuda.");
}

// Null, with a sentence on stderr, when the inherited descriptors are not what a session passes.
Control* map_control() {
  struct stat about;
  bool is_control = fstat(kControlDescriptor, &about) == 0 && uint64_t(about.st_size) >= kControlBytes;
  void* memory =
      is_control ? mmap(nullptr, kControlBytes, PROT_READ | PROT_WRITE, MAP_SHARED, kControlDescriptor, 0) : MAP_FAILED;
  if (memory == MAP_FAILED) {
    std::fprintf(
        stderr,
        "There is no control segment on descriptor %d. A session starts this program; it is of no use on its own.\n",
        kControlDescriptor);
    return nullptr;
  }

  auto* control = static_cast<Control*>(memory);
  uint32_t protocol = control->protocol.load(std::memory_order_relaxed);
  if (protocol == kProtocolVersion) return control;
  std::fprintf(
      stderr,
      "This program speaks protocol %u, but the session speaks %u. Build the library again: its parts are from "
      "different versions.\n",
      kProtocolVersion, protocol);
  return nullptr;
}

// Keyboard interrupts are the session's to judge; a program that a device starts inherits nothing of ours.
void prepare_process() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  fcntl(kControlDescriptor, F_SETFD, FD_CLOEXEC);
  fcntl(kSocketDescriptor, F_SETFD, FD_CLOEXEC);
  // A tool that watches this process has descriptors here, too (scripts/compute-sanitizer.mjs).
  if (std::getenv("WARPCELL_KEEP_DESCRIPTORS") != nullptr) return;
  if (syscall(SYS_close_range, kSocketDescriptor + 1, ~0u, 0) != 0 && errno != ENOSYS)
    std::perror("warpcell-device: close_range");
}

int run(const std::string& kind, int index) {
  int parent = getppid();
  prepare_process();

  Control* control = map_control();
  if (control == nullptr) return kExitProtocol;
  watch_session(kSocketDescriptor, parent);
  Channel& channel = *new Channel(control, kSocketDescriptor);

  std::unique_ptr<Device> device;
  try {
    device = open_device(kind, index, control, channel);
  } catch (const DeviceError& reason) {
    refuse(channel, reason);
    return kExitNoDevice;
  }

  // The gauges' thread and compilations use them until the process ends, so they are never destroyed.
  Device& kept = *device.release();
  watch_gauges(kept, *control);
  auto address = [&kept](Place place) { return kept.address(place); };
  (new Loop(channel, kept, make_host_functions(*control, address)))->serve();
  return 0;
}

}  // namespace
}  // namespace warpcell

int main(int count, char** arguments) {
  if (count > 1 && std::strcmp(arguments[1], "program") == 0)
    return warpcell::run_program_command(count - 2, arguments + 2);
  if (count != 3) {
    std::fprintf(stderr, "warpcell-device takes 2 arguments (KIND INDEX) but got %d.\n", count - 1);
    return warpcell::kExitUsage;
  }

  int status;
  try {
    status = warpcell::run(arguments[1], std::atoi(arguments[2]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "warpcell-device %s %s: %s.\n", arguments[1], arguments[2], error.what());
    status = warpcell::kExitProtocol;
  }
  // Threads of the device may still run, so nothing is destroyed: the system takes it all.
  std::fflush(nullptr);
  _exit(status);
}
