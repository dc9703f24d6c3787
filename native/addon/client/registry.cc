// Numbers are never reused, so a stale one is an error and not somebody else's device.
#include "registry.h"

#include "error.h"

namespace warpcell {

Registry& Registry::instance() {
  // Never destroyed: threads of the addon may outlive the end of main.
  static auto* registry = new Registry;
  return *registry;
}

uint32_t Registry::open(const std::string& kind, int index, const std::string& executable, Duty duty,
                        const void* owner) {
  auto connection = std::make_unique<Connection>(kind, index, executable, duty, owner);
  std::lock_guard<std::mutex> lock(mutex_);
  uint32_t end = next_ + kMost;
  while (next_ != end && connections_[next_ % kMost]) next_++;
  if (next_ == end)
    throw ClientError("TOO_MANY", "There are already " + std::to_string(kMost) +
                                      " open device processes, the most that there may be.");
  connection->number = next_;
  connections_[next_ % kMost] = std::move(connection);
  return next_++;
}

void Registry::close(uint32_t number) {
  at(number);
  std::unique_ptr<Connection> closed;  // ends after the lock is gone: it waits for its thread
  std::lock_guard<std::mutex> lock(mutex_);
  closed = std::move(connections_[number % kMost]);
}

void Registry::close_all_of(const void* owner) {
  std::vector<std::unique_ptr<Connection>> closed;  // as above; other threads open and close theirs at the same time
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto& connection : connections_) {
    if (connection && connection->owner == owner) closed.push_back(std::move(connection));
  }
}

Connection* Registry::find(uint32_t number) const {
  Connection* connection = connections_[number % kMost].get();
  return connection != nullptr && connection->number == number ? connection : nullptr;
}

Connection& Registry::at(uint32_t number) const {
  Connection* connection = find(number);
  if (connection == nullptr) {
    throw ClientError("CLOSED", "Device process " + std::to_string(number) + " is closed or was never opened.");
  }
  return *connection;
}

void Registry::each(const std::function<void(uint32_t, Connection&)>& visit) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto& connection : connections_) {
    if (connection) visit(connection->number, *connection);
  }
}

}  // namespace warpcell
