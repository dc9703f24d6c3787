// The device process as its parent sees it: starts it, knows whether it lives and how it ended, ends it.
#pragma once
#include <atomic>
#include <mutex>
#include <string>
#include <sys/types.h>

namespace warpcell {

// Any thread may ask and end; one thread starts.
class Child {
 public:
  // Starts `executable kind index` with the two descriptors of the protocol. Throws ClientError.
  void start(const std::string& executable, const std::string& kind, int index, int control, int socket);

  bool is_running();
  // Whether an end has been seen already: free of system calls, so that every command can ask.
  bool is_known_dead() const { return !running_.load(std::memory_order_relaxed); }
  // "running", "exit 70", "signal 9", or why it was killed.
  std::string state();
  pid_t process_id() const { return pid_; }

  // Kills and reaps it, for at most a second. Its state is the reason afterwards, where there is one.
  void kill(const std::string& reason = "");

 private:
  bool poll();

  std::mutex mutex_;
  pid_t pid_ = -1;
  std::atomic<bool> running_{false};
  std::string ended_ = "not started";
};

}  // namespace warpcell
