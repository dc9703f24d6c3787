// Every client of this Node process, whichever thread opened it: turns a small integer into a client.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "client.h"
#include "waiter.h"

namespace warpcell {

// A client and the thread that waits for it; `owner` is the environment (a thread of JavaScript) that opened it.
struct Connection {
  Connection(std::string kind, int index, std::string executable, Duty duty, const void* owner)
      : client(std::move(kind), index, std::move(executable), duty), waiter(client), owner(owner) {}

  Client client;
  Waiter waiter;
  const void* owner;
  uint32_t number = 0;  // as the registry knows it
};

class Registry {
 public:
  static Registry& instance();

  uint32_t open(const std::string& kind, int index, const std::string& executable, Duty duty, const void* owner);
  void close(uint32_t number);
  void close_all_of(const void* owner);

  // For the thread that opened it. Throws ClientError when it is closed.
  Connection& at(uint32_t number) const;
  // Null where there is none any more.
  Connection* find(uint32_t number) const;
  // For other threads: nothing is closed meanwhile.
  void each(const std::function<void(uint32_t, Connection&)>& visit);

 private:
  static constexpr uint32_t kMost = 4096;  // at a time; a power of two, so that numbers may wrap

  std::mutex mutex_;
  uint32_t next_ = 0;                               // never used again
  std::unique_ptr<Connection> connections_[kMost];  // number n at n % kMost
};

}  // namespace warpcell
