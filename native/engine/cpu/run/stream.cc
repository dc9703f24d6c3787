// The queue between the thread of the command loop and that of a stream.
#include "stream.h"

#include <exception>
#include <thread>
#include <utility>

#include "../../../protocol/futex.h"
#include "faults.h"

namespace warpcell::cpu {
namespace {

// As long as a core's thread looks for the next launch.
constexpr uint64_t kSpinNanoseconds = 20000;

}  // namespace

void WorkStream::start_thread() {
  scheduler = nullptr;
  has_thread_ = true;
  std::thread(&WorkStream::serve, this).detach();
}

void WorkStream::call(const std::function<void()>& work) {
  if (!has_thread_) return work();
  std::exception_ptr failure;
  give(0, [&] {
    try {
      work();
    } catch (...) { failure = std::current_exception(); }
  });
  finish();
  if (failure) std::rethrow_exception(failure);
}

void WorkStream::push(Given given) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    queue_.push_back(std::move(given));
    pushed_.store(++given_, std::memory_order_release);
  }
  changed_.notify_all();
}

void WorkStream::serve() {
  FaultStack stack;
  pool.adopt_thread();
  for (uint64_t done = 0;;) {
    spin_until([&] { return pushed_.load(std::memory_order_acquire) != done; }, kSpinNanoseconds);
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return !queue_.empty(); });
    Given given = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    perform(given);
    lock.lock();
    done_.store(++done, std::memory_order_release);
    lock.unlock();
    changed_.notify_all();
  }
}

void WorkStream::perform(const Given& given) {
  try {
    given.work();
  } catch (const DeviceError& error) { listener_.refused(given.sequence, error); }
}

void WorkStream::wait_for(uint64_t count) {
  auto is_done = [&] { return done_.load(std::memory_order_acquire) >= count; };
  if (is_done() || spin_until(is_done, kSpinNanoseconds)) return;
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, is_done);
}

}  // namespace warpcell::cpu
