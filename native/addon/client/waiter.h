// Waiting without blocking JavaScript: one thread per client looks after all its pending sequences.
#pragma once
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "client.h"

namespace warpcell {

class Waiter {
 public:
  using Finish = std::function<void(Outcome)>;

  explicit Waiter(Client& client) : client_(client) {}
  ~Waiter();

  // `finish` is called once, on the waiting thread; with `died` when the client is closed before.
  void add(uint32_t stream, uint64_t sequence, Finish finish);

 private:
  struct Pending {
    uint32_t stream;
    uint64_t sequence;
    uint64_t began;  // ns
    Finish finish;
  };

  void run();
  void finish_some();

  Client& client_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Pending> pending_;
  bool stopping_ = false;
  std::thread thread_;  // starts with the first wait
};

}  // namespace warpcell
