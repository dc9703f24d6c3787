// Work in order: done by the thread that gives it while there is no other stream, else by a thread of the stream's own.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

#include "../../device.h"
#include "../../host/record_list.h"
#include "pool.h"
#include "waiting.h"

namespace warpcell::cpu {

class WorkStream {
 public:
  WorkStream(uint32_t number, uint32_t cores, StreamState& state, Listener& listener)
      : number(number), pool(cores), state_(state), listener_(listener) {
    pool.adopt_thread();
  }
  WorkStream(const WorkStream&) = delete;
  WorkStream& operator=(const WorkStream&) = delete;

  // From now on it has a thread of its own, as long as the process lives. To be called by the thread that has done its
  // work so far.
  void start_thread();
  bool has_thread() const { return has_thread_; }

  // Does `work`, of the command `sequence`, after all that was given before; what it throws is told to the listener
  // where a thread of the stream's own does it.
  template <class Work>
  void give(uint64_t sequence, Work&& work) {
    if (has_thread_)
      push({sequence, std::forward<Work>(work)});
    else
      work();
  }
  // The same, and returns when it is done. Throws what it throws.
  void call(const std::function<void()>& work);
  // Returns when all that was given is done.
  void finish() { wait_for(given_); }

  // A kernel or a call has finished.
  void progressed(uint64_t sequence) { state_.progress.store(sequence, std::memory_order_release); }
  void fence(uint64_t sequence) {
    give(sequence, [this, sequence] { listener_.completed(number, sequence); });
  }
  // What is given from now on comes after all that `other` was given so far. Both have threads.
  void wait(WorkStream& other) {
    give(0, [&other, count = other.given_] { other.wait_for(count); });
  }

  // How much it was given, for wait_until() of another.
  uint64_t given() const { return given_; }
  void wait_until(WorkStream& other, uint64_t count) {
    give(0, [&other, count] { other.wait_for(count); });
  }

  const uint32_t number;
  Pool pool;
  Waiting waiting;
  RecordList records;                                // of a profile: what is done here, in the midst of others
  alignas(64) uint8_t arguments[kMaxArgumentBytes];  // of the kernel that runs

 private:
  struct Given {
    uint64_t sequence;
    std::function<void()> work;
  };
  void push(Given given);
  void serve();
  void perform(const Given& given);
  void wait_for(uint64_t count);

  StreamState& state_;
  Listener& listener_;
  bool has_thread_ = false;
  uint64_t given_ = 0;  // known to the thread that gives
  std::atomic<uint64_t> pushed_{0}, done_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Given> queue_;
};

}  // namespace warpcell::cpu
