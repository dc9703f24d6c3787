// Threads that live as long as the process: they are never joined, since only _exit ends it.
#include "watch.h"

#include <chrono>
#include <csignal>
#include <poll.h>
#include <thread>
#include <unistd.h>

namespace warpcell {

namespace {

constexpr int kParentMilliseconds = 500;
constexpr auto kGaugeInterval = std::chrono::milliseconds(250);

void publish(const Gauges& sample, Gauges& shared) {
  uint64_t version = shared.version.load(std::memory_order_relaxed);
  shared.version.store(version + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  shared.memory_total = sample.memory_total;
  shared.memory_used = sample.memory_used;
  shared.process_memory = sample.process_memory;
  shared.utilization = sample.utilization;
  shared.temperature = sample.temperature;
  shared.power = sample.power;
  shared.sampled = sample.sampled;
  shared.version.store(version + 2, std::memory_order_release);
}

double milliseconds_since_epoch() {
  return std::chrono::duration<double, std::milli>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

void watch_session(int socket, int parent) {
  std::thread([socket, parent] {
    for (;;) {
      pollfd hang_up{socket, 0, 0};
      int events = poll(&hang_up, 1, kParentMilliseconds);
      bool is_gone = (events > 0 && (hang_up.revents & (POLLHUP | POLLERR | POLLNVAL))) || getppid() != parent;
      if (is_gone) kill(getpid(), SIGKILL);  // at once and whole, also while a kernel spins
    }
  }).detach();
}

void watch_gauges(Device& device, Control& control) {
  std::thread([&device, &control] {
    for (;;) {
      Gauges sample{};
      device.sample(sample);
      sample.sampled = milliseconds_since_epoch();
      publish(sample, control.gauges);
      std::this_thread::sleep_for(kGaugeInterval);
    }
  }).detach();
}

}  // namespace warpcell
